//! Two runs at once: one writer at a time, and readers that never wait.

use std::io::Write as _;
use std::process::Stdio;

use pravo_tests::support::sandbox::Sandbox;

const ROOT: &str = r#"package demo

import rnd "pravo.dev/providers/hashicorp/random"

$random: rnd.#Provider

pet: $random.#Resource.random_pet & {length: 1}
"#;

#[test]
fn a_second_writer_is_told_who_holds_the_lock_and_readers_go_on() {
    let sandbox = Sandbox::initialised(ROOT);
    sandbox.pravo("apply --auto-approve").exits(0);
    let holder = pravo_state::RedbStore::new(sandbox.path().join("pravo.state")).expect("there is randomness");
    let writer = pravo_model::state::StateStore::write(&holder, "a long apply").expect("the lock is free");
    sandbox.write("main.cue", ROOT.replace("length: 1", "length: 2"));
    let refused = sandbox.pravo("apply --auto-approve").exits(1);
    refused.says(&["a long apply", &std::process::id().to_string()]);
    // Readers see the state as of the last finished step.
    assert_eq!(sandbox.pravo("state list").exits(0).stdout, "pet\n");
    assert!(sandbox.pravo("show").exits(0).stdout.contains("# pet (random_pet)"));
    assert!(sandbox.pravo("plan").exits(0).stdout.contains("Plan: 1 to add, 0 to change, 1 to destroy."));
    drop(writer);
    sandbox.pravo("apply --auto-approve").exits(0);
}

#[test]
fn the_lock_dies_with_its_holder() {
    let sandbox = Sandbox::initialised(ROOT);
    sandbox.pravo("apply --auto-approve").exits(0);
    let holder = pravo_state::RedbStore::new(sandbox.path().join("pravo.state")).expect("there is randomness");
    drop(pravo_model::state::StateStore::write(&holder, "killed").expect("the lock is free"));
    sandbox.pravo("apply --auto-approve").exits(0);
}

#[test]
fn a_question_holds_no_lock_and_an_old_answer_is_refused() {
    let sandbox = Sandbox::initialised(ROOT);
    let mut asking =
        sandbox.command("apply").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("pravo can be started");
    // The plan is on stdout before the question is asked.
    let mut plan = std::io::BufReader::new(asking.stdout.take().expect("stdout is a pipe"));
    let mut line = String::new();
    while !line.starts_with("Graph:") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut plan, &mut line).expect("it prints a plan") > 0, "it ended before its plan");
    }
    sandbox.pravo("apply --auto-approve").exits(0);
    asking.stdin.take().expect("stdin is a pipe").write_all(b"yes\n").expect("it listens");
    let output = asking.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("stale"), "{stderr}");
    assert_eq!(sandbox.pravo("state log").exits(0).stdout.matches("1 added").count(), 1);
}
