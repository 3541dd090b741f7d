//! What commands print and where, and how they end.

use pravo_tests::support::sandbox::Sandbox;
use serde_json::Value as Json;

const ROOT: &str = r#"package demo

import (
	rnd "pravo.dev/providers/hashicorp/random"
	loc "pravo.dev/providers/hashicorp/local"
)

$random: rnd.#Provider
$local:  loc.#Provider

pet:    $random.#Resource.random_pet & {length: 2}
secret: $random.#Resource.random_password & {length: 12}
note: $local.#Resource.local_file & {filename: "note.txt", content: "pet: \(pet.id)\n"}
shown: "the secret is \(secret.result)"
"#;

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn streams_are_for_what_they_are_for() {
    let sandbox = Sandbox::initialised(ROOT);
    let plan = sandbox.pravo("plan").exits(0);
    assert!(plan.stdout.ends_with("Plan: 3 to add, 0 to change, 0 to destroy.\nGraph: planned 3 of 3.\n"), "{}", plan.stdout);
    assert_eq!(plan.stderr, "");
    let apply = sandbox.pravo("apply --auto-approve").exits(0);
    assert_eq!(apply.stderr, "");
    for line in ["pet: Creating...\n", "pet: Creation complete after 0s [id=", "Apply complete! Resources: 3 added, 0 changed, 0 destroyed. [txn "] {
        assert!(apply.stdout.contains(line), "{line}: {}", apply.stdout);
    }
    let drift = sandbox.pravo("drift").exits(0);
    assert_eq!(drift.stdout, "No drift. 3 records match the infrastructure.\n");
    assert!(drift.stderr.contains("pet: Refreshing state... [id="), "{}", drift.stderr);
    assert!(!apply.stdout.contains('\u{1b}') && !drift.stderr.contains('\u{1b}'), "colours in a pipe");
}

#[test]
fn sensitive_values_are_shown_nowhere() {
    let sandbox = Sandbox::initialised(ROOT);
    sandbox.pravo("apply --auto-approve").exits(0);
    let secret = sandbox.pravo("output --raw secret.result").exits(0).stdout;
    assert_eq!(secret.chars().count(), 12);
    sandbox.write("main.cue", ROOT.replace("length: 12", "length: 13"));
    for command in [
        "plan -refresh=all",
        "plan --json",
        "show",
        "show --json",
        "output",
        "output shown",
        "output --json shown",
        "state show secret",
        "plan --destroy",
    ] {
        let ran = sandbox.pravo(command).exits(0);
        assert!(!ran.stdout.contains(&secret) && !ran.stderr.contains(&secret), "{command}: {}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(sandbox.pravo("output secret.result").exits(0).stdout, "(sensitive value)\n");
    assert_eq!(sandbox.pravo("output --show-sensitive secret.result").exits(0).stdout, format!("\"{secret}\"\n"));
}

#[test]
fn documents_are_json() {
    let sandbox = Sandbox::initialised(ROOT);
    let plan = json(&sandbox.pravo("plan --json").exits(0).stdout);
    let changes = plan["changes"].as_array().expect("a list of changes");
    let addresses: Vec<_> = changes.iter().map(|change| change["address"].as_str().unwrap_or_default()).collect();
    assert_eq!(addresses, ["note", "pet", "secret"]);
    assert_eq!(changes[0]["action"], "create");
    assert_eq!(changes[0]["after"]["filename"], "note.txt");
    assert!(changes[0]["after_unknown"].as_array().is_some_and(|paths| paths.contains(&serde_json::json!(["content"]))));
    assert_eq!(plan["summary"]["add"], 3);
    assert_eq!(plan["format_version"], "1");
    let events = sandbox.pravo("apply --auto-approve --json").exits(0).stdout;
    let lines: Vec<Json> = events.lines().map(json).collect();
    assert_eq!(lines.first().map(|line| &line["type"]), Some(&Json::from("plan")));
    let last = lines.last().expect("there are events");
    assert_eq!((&last["type"], &last["added"], &last["complete"]), (&Json::from("summary"), &Json::from(3), &Json::from(true)));
    let state = json(&sandbox.pravo("show --json").exits(0).stdout);
    assert_eq!(state["resources"].as_array().map(Vec::len), Some(3));
    assert_eq!(sandbox.pravo("state list --json").exits(0).stdout, "[\"note\",\"pet\",\"secret\"]\n");
    sandbox.write("main.cue", ROOT.replace("length: 2", "length: \"x\""));
    let failed = sandbox.pravo("plan --json").exits(1);
    let diagnostics = json(&failed.stdout);
    assert_eq!(diagnostics["diagnostics"][0]["severity"], "error");
    assert_eq!(diagnostics["diagnostics"][0]["places"][0]["file"], "main.cue");
}

#[test]
fn exit_codes_tell() {
    let sandbox = Sandbox::initialised(ROOT);
    sandbox.pravo("plan --detailed-exitcode").exits(2);
    sandbox.pravo("apply -auto-approve").exits(0);
    sandbox.pravo("plan -detailed-exitcode").exits(0);
    // A plain field, a meta field or an edge alone is nothing to do.
    sandbox.write("main.cue", format!("{ROOT}plain: 1\n"));
    sandbox.pravo("plan --detailed-exitcode").exits(0);
    sandbox.write("main.cue", ROOT.replace("{length: 2}", "{length: 2, $lifecycle: refresh: \"1h\"}"));
    sandbox.pravo("plan --detailed-exitcode").exits(0);
    sandbox.write("main.cue", ROOT.replace("length: 2", "length: 1"));
    sandbox.pravo("plan --detailed-exitcode").exits(2);
    assert!(sandbox.pravo("plan --help").exits(0).stdout.contains("Example"));
    sandbox.pravo("--version").exits(0);
}

#[test]
fn a_plan_writes_nothing() {
    let sandbox = Sandbox::initialised(ROOT);
    let before = sandbox.files();
    for command in ["plan", "validate", "graph", "show", "state list", "output", "plan --destroy"] {
        sandbox.pravo(command).exits(0);
        assert!(before == sandbox.files(), "{command} wrote something");
    }
}

#[test]
fn plan_files_and_states_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::initialised(ROOT);
    sandbox.pravo("plan --out plan.bin").exits(0);
    sandbox.pravo("apply plan.bin").exits(0);
    for file in ["plan.bin", "pravo.state"] {
        let mode = std::fs::metadata(sandbox.path().join(file)).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[test]
fn another_directory_is_worked_in() {
    let sandbox = Sandbox::new();
    sandbox.write("inner/main.cue", ROOT);
    sandbox.pravo("-C inner init").exits(0);
    sandbox.pravo("-C inner apply --auto-approve").exits(0);
    assert!(sandbox.read("inner/note.txt").is_some_and(|text| text.starts_with("pet: ")));
}

#[test]
fn a_closed_pipe_ends_nothing() {
    let sandbox = Sandbox::initialised(ROOT);
    let binary = pravo_tests::support::sandbox::binary().display().to_string();
    let script = format!("set -o pipefail; {binary} apply --auto-approve | head -n 1 > /dev/null");
    let status = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(sandbox.path())
        .envs(pravo_tests::support::sandbox::environment())
        .status();
    assert!(status.is_ok_and(|status| status.success()));
    assert_eq!(sandbox.pravo("state list").exits(0).stdout, "note\npet\nsecret\n");
}

#[test]
fn an_instance_and_its_resources_leave_together() {
    let sandbox = Sandbox::with(&ROOT.replace("local\"\n)", "local\"\n\ttr \"pravo.dev/providers/test/trace\"\n)").replace(
        "pet:    ",
        "$trace: tr.#Provider & {$source: \"file:./trace.wasm\"}\nthing: $trace.#Resource.trace_object & {name: \"x\"}\npet:    ",
    ));
    sandbox.write("trace.wasm", std::fs::read(pravo_tests::support::guest::component("trace")).expect("the guest is built"));
    sandbox.pravo("init --approve").exits(0);
    sandbox.pravo("apply --auto-approve").exits(0);
    sandbox.write("main.cue", ROOT);
    let plan = sandbox.pravo("plan").exits(0);
    assert!(plan.stdout.contains("  # thing (trace_object) will be destroyed\n"), "{}", plan.stdout);
    assert!(sandbox.pravo("init").exits(0).stdout.contains("test/trace 0.1.0"), "the state still needs the provider");
    assert!(sandbox.pravo("apply --auto-approve").exits(0).stdout.contains("Resources: 0 added, 0 changed, 1 destroyed."));
    assert!(sandbox.pravo("plan").exits(0).stdout.starts_with("No changes."));
    assert!(!sandbox.pravo("init").exits(0).stdout.contains("test/trace"), "nothing needs the provider any more");
}

#[test]
fn a_guard_hides_what_it_lets_in_and_nothing_is_shown_for_it() {
    let sandbox = Sandbox::initialised(&format!("{ROOT}if len(secret.result) > 3 {{long: \"yes\"}}\n"));
    sandbox.pravo("apply --auto-approve").exits(0);
    let output = sandbox.pravo("output").exits(0).stdout;
    assert!(output.contains("long   = (sensitive value)\n") && output.contains("id        = \""), "{output}");
    let secret = sandbox.pravo("output --raw secret.result").exits(0).stdout;
    assert!(!output.contains(&secret), "{output}");
}

#[test]
fn what_is_deprecated_is_told_by_every_plan() {
    let root = ROOT.replace("length: 12", "length: 12, number: true");
    let sandbox = Sandbox::initialised(&root);
    let warning = "secret: the attribute number is deprecated";
    sandbox.pravo("plan").exits(0).says(&[warning, "use `numeric` instead"]);
    sandbox.pravo("apply --auto-approve").exits(0).says(&[warning]);
    let plan = sandbox.pravo("plan").exits(0).says(&[warning]);
    assert!(plan.stdout.contains("No changes."), "{}", plan.stdout);
    sandbox.write("main.cue", ROOT);
    let plan = sandbox.pravo("plan").exits(0);
    assert!(!plan.stderr.contains("deprecated"), "{}", plan.stderr);
}
