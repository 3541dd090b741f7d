//! What bad input gets: a clear error on stderr, exit code 1, and nothing changed.

use pravo_tests::support::sandbox::Sandbox;

const HEAD: &str = r#"package demo

import (
	rnd "pravo.dev/providers/hashicorp/random"
	loc "pravo.dev/providers/hashicorp/local"
)

$random: rnd.#Provider
$local:  loc.#Provider

"#;

/// The first line of a body below [`HEAD`].
const LINE: usize = 11;

/// A root that was applied once.
fn applied(body: &str) -> Sandbox {
    let sandbox = Sandbox::initialised(&format!("{HEAD}{body}"));
    sandbox.pravo("apply --auto-approve").exits(0);
    sandbox
}

/// A specification is refused by plan and apply, with these texts on stderr, and nothing changes.
#[track_caller]
fn refused(sandbox: &Sandbox, body: &str, texts: &[&str]) {
    sandbox.write("main.cue", format!("{HEAD}{body}"));
    unchanged(sandbox, &["plan", "apply --auto-approve"], texts);
}

/// Commands are refused with these texts on stderr, and nothing changes.
#[track_caller]
fn unchanged(sandbox: &Sandbox, commands: &[&str], texts: &[&str]) {
    for command in commands {
        let before = sandbox.files();
        let ran = sandbox.pravo(command).exits(1);
        assert!(ran.stderr.contains("\nError: ") || ran.stderr.starts_with("Error: "), "{command}: {}", ran.stderr);
        ran.says(texts);
        assert!(before == sandbox.files(), "{command} changed something");
    }
}

const PET: &str = "pet: $random.#Resource.random_pet & {length: 1}\n";

#[test]
fn a_broken_specification() {
    let sandbox = applied(PET);
    let place = |column: usize| format!("main.cue:{LINE}:{column}");
    refused(&sandbox, "pet: $random.#Resource.random_pet & {length: \n", &["main.cue:"]);
    refused(&sandbox, "a: 1 & 2\n", &[&place(4), "conflicting values", "a: 1 & 2", "^"]);
    refused(&sandbox, "a: nowhere.x\n", &[&place(4), "nowhere"]);
    sandbox.write("main.cue", [0xff, 0xfe, 0x00]);
    unchanged(&sandbox, &["plan", "validate"], &["main.cue"]);
}

#[test]
fn an_unknown_provider_or_type() {
    let sandbox = applied(PET);
    refused(&sandbox, "pet: $random.#Resource.random_pat & {length: 1}\n", &[&format!("main.cue:{LINE}:"), "random_pat"]);
    sandbox.write("main.cue", "package demo\n\nimport no \"pravo.dev/providers/nobody/nothing\"\n\n$no: no.#Provider\n");
    unchanged(&sandbox, &["init", "plan"], &["nobody/nothing"]);
}

#[test]
fn a_missing_or_mistyped_attribute() {
    let sandbox = applied(PET);
    let place = format!("main.cue:{LINE}:");
    refused(&sandbox, "id: $random.#Resource.random_id & {prefix: \"x\"}\n", &["byte_length"]);
    refused(&sandbox, "pet: $random.#Resource.random_pet & {length: \"two\"}\n", &[&place, "length"]);
    refused(&sandbox, "pet: $random.#Resource.random_pet & {lenght: 2}\n", &[&place, "lenght"]);
}

#[test]
fn a_cycle_names_every_address() {
    let sandbox = applied(PET);
    let body = "a: $random.#Resource.random_pet & {prefix: c.id}\nb: $random.#Resource.random_pet & {prefix: a.id}\nc: $random.#Resource.random_pet & {prefix: b.id}\n";
    refused(&sandbox, body, &["Error: cycle: a -> c -> b -> a"]);
    let ordered = "a: $random.#Resource.random_pet & {$depends_on: [b]}\nb: $random.#Resource.random_pet & {$depends_on: [a]}\n";
    refused(&sandbox, ordered, &["Error: cycle: a -> b -> a"]);
}

#[test]
fn a_truncated_or_foreign_state_file() {
    let sandbox = applied(PET);
    let whole = std::fs::read(sandbox.path().join("pravo.state")).expect("there is a state");
    let readers = ["plan", "apply --auto-approve", "state list", "show"];
    let cases: [(&str, Vec<u8>); 4] = [
        ("cut to a half", whole[..whole.len() / 2].to_vec()),
        ("cut to a few bytes", whole[..20].to_vec()),
        ("something else", b"{\"version\": 4, \"resources\": []}\n".repeat(200)),
        ("zeros", vec![0; 8192]),
    ];
    for (what, bytes) in cases {
        sandbox.write("pravo.state", &bytes);
        for command in readers {
            let ran = sandbox.pravo(command).exits(1).says(&["pravo.state"]);
            assert!(!ran.stderr.contains("panicked"), "{what}: {command}: {}", ran.stderr);
            assert!(std::fs::read(sandbox.path().join("pravo.state")).expect("it is still there") == bytes, "{what}: {command} changed the file");
        }
    }
    sandbox.write("pravo.state", whole);
    assert_eq!(sandbox.pravo("state list").exits(0).stdout, "pet\n");
}

#[test]
fn a_tampered_component() {
    let sandbox = component();
    let bytes = std::fs::read(sandbox.path().join("provider.wasm")).expect("there is a component");
    // A custom section at the end changes nothing but the hash.
    let mut tampered = bytes.clone();
    tampered.extend([0, 3, 1, b'x', 0]);
    sandbox.write("provider.wasm", &tampered);
    unchanged(&sandbox, &["plan", "apply --auto-approve", "init --approve"], &["sha256:", "pravo.lock"]);
    sandbox.write("provider.wasm", &bytes);
    sandbox.pravo("plan").exits(0);
    sandbox.write("provider.wasm", &bytes[..bytes.len() / 2]);
    unchanged(&sandbox, &["plan", "apply --auto-approve"], &["provider"]);
    std::fs::remove_file(sandbox.path().join("provider.wasm")).expect("it can be removed");
    unchanged(&sandbox, &["plan", "init --approve"], &["provider.wasm"]);
}

#[test]
fn a_component_with_another_world_version() {
    let sandbox = component();
    let bytes = std::fs::read(sandbox.path().join("provider.wasm")).expect("there is a component");
    let (old, new) = (b"\"world\":\"0.1\"", b"\"world\":\"9.9\"");
    let places: Vec<usize> = (0..bytes.len() - old.len()).filter(|at| bytes[*at..].starts_with(old)).collect();
    assert!(!places.is_empty(), "the manifest states its world");
    let mut other = bytes;
    for at in places {
        other[at..at + new.len()].copy_from_slice(new);
    }
    sandbox.write("provider.wasm", other);
    unchanged(&sandbox, &["init --approve --upgrade"], &["9.9", "0.1"]);
}

/// A root whose provider is a component in a file: the bundled one, written out by `init`'s cache.
fn component() -> Sandbox {
    let source = Sandbox::initialised(&format!("{HEAD}{PET}"));
    let components = source.path().join(".pravo/components");
    let mut found = std::fs::read_dir(components).expect("init fills the cache").filter_map(Result::ok).map(|entry| entry.path());
    let random = found.find(|path| {
        let bytes = std::fs::read(path).unwrap_or_default();
        bytes.windows(16).any(|window| window == b"hashicorp/random")
    });
    let sandbox = Sandbox::with(
        "package demo\n\nimport rnd \"pravo.dev/providers/hashicorp/random\"\n\n$random: rnd.#Provider & {$source: \"file:./provider.wasm\"}\n\npet: $random.#Resource.random_pet & {length: 1}\n",
    );
    sandbox.write("provider.wasm", std::fs::read(random.expect("the component is in the cache")).expect("it can be read"));
    sandbox.pravo("init").exits(1);
    assert!(sandbox.read("pravo.lock").is_none(), "nothing is pinned without approval");
    sandbox.pravo("init --approve").exits(0);
    sandbox
}

#[test]
fn a_full_disk() {
    let sandbox = Sandbox::initialised(&format!("{HEAD}{PET}"));
    let before = sandbox.files();
    // No file may grow beyond a block, and the signal that says so is ignored: every write fails as on a full disk.
    let binary = pravo_tests::support::sandbox::binary().display().to_string();
    let script = format!("trap '' XFSZ; ulimit -f 0; exec {binary} apply --auto-approve");
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(sandbox.path())
        .envs(pravo_tests::support::sandbox::environment())
        .output()
        .expect("bash runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("Error: ") && stderr.contains("pravo.state"), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    let files = |files: Vec<(std::path::PathBuf, Vec<u8>)>| {
        files.into_iter().filter(|(path, _)| !path.to_string_lossy().contains("pravo.state")).collect::<Vec<_>>()
    };
    assert!(files(before) == files(sandbox.files()), "something changed");
    sandbox.pravo("apply --auto-approve").exits(0);
}

#[test]
fn a_read_only_directory() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let sandbox = Sandbox::initialised(&format!("{HEAD}{PET}"));
    let mode = |mode| std::fs::set_permissions(sandbox.path(), std::fs::Permissions::from_mode(mode)).expect("the mode can be set");
    // The superuser may write anywhere: as another user, with a binary that this user can reach.
    let root = std::process::Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    let mut command = if root {
        let copy = sandbox.path().join("pravo-copy");
        std::fs::copy(pravo_tests::support::sandbox::binary(), &copy).expect("the binary can be copied");
        let mut command = std::process::Command::new(copy);
        command
            .uid(65_534)
            .gid(65_534)
            .args(["apply", "--auto-approve"])
            .current_dir(sandbox.path())
            .envs(pravo_tests::support::sandbox::environment());
        command.env("PRAVO_CACHE_DIR", sandbox.path().join("cache"));
        command
    } else {
        sandbox.command("apply --auto-approve")
    };
    for directory in [".pravo", ".pravo/components", ".pravo/schemas"] {
        let path = sandbox.path().join(directory);
        if path.is_dir() {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("the mode can be set");
            for entry in std::fs::read_dir(&path).expect("it can be read").filter_map(Result::ok) {
                let mode = if entry.path().is_dir() { 0o755 } else { 0o644 };
                std::fs::set_permissions(entry.path(), std::fs::Permissions::from_mode(mode)).expect("the mode can be set");
            }
        }
    }
    for file in ["pravo.lock", "main.cue"] {
        std::fs::set_permissions(sandbox.path().join(file), std::fs::Permissions::from_mode(0o644)).expect("the mode can be set");
    }
    mode(0o555);
    let before = sandbox.files();
    let output = command.output().expect("pravo can be started");
    let after = sandbox.files();
    mode(0o755);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("Error: ") && stderr.contains("pravo.state"), "{stderr}");
    assert!(before == after, "something changed");
}

#[test]
fn a_path_outside_the_sandbox() {
    let outside = Sandbox::new();
    let sandbox = applied(PET);
    let file = outside.path().join("file.txt");
    let body = format!("{PET}note: $local.#Resource.local_file & {{filename: \"{}\", content: \"x\"}}\n", file.display());
    sandbox.write("main.cue", format!("{HEAD}{body}"));
    let ran = sandbox.pravo("apply --auto-approve").exits(1);
    let (name, grant) = (file.display().to_string(), "fs");
    ran.says(&["Error: ", &name, grant]);
    assert!(!file.exists(), "a file was written outside");
    // A link inside that leads out is a way out as well.
    std::os::unix::fs::symlink(outside.path(), sandbox.path().join("link")).expect("a link can be made");
    sandbox.write("main.cue", format!("{HEAD}{PET}note: $local.#Resource.local_file & {{filename: \"link/file.txt\", content: \"x\"}}\n"));
    sandbox.pravo("apply --auto-approve").exits(1).says(&["Error: "]);
    assert!(!file.exists(), "a file was written outside");
    assert_eq!(sandbox.pravo("state list").exits(0).stdout, "pet\n");
}

#[test]
fn a_wrong_command_line() {
    let sandbox = applied(PET);
    for (command, text) in [
        ("plan --target nowhere", "nowhere"),
        ("plan --target a..b", "a..b"),
        ("plan --policy nowhere.cue", "nowhere.cue"),
        ("apply nowhere.bin", "nowhere.bin"),
        ("apply main.cue", "plan"),
        ("state show nowhere", "nowhere"),
        ("state mv nowhere there", "nowhere"),
        ("state rm nowhere", "nowhere"),
        ("frobnicate", "frobnicate"),
        ("plan -refresh=sometimes", "sometimes"),
        ("-C nowhere plan", "nowhere"),
    ] {
        let before = sandbox.files();
        sandbox.pravo(command).exits(1).says(&[text]);
        assert!(before == sandbox.files(), "{command} changed something");
    }
}

#[test]
fn no_provider_writes_what_belongs_to_pravo() {
    let sandbox = applied("pet: $random.#Resource.random_pet & {length: 1}\n");
    let before = sandbox.files();
    for name in ["pravo.lock", "pravo.state", "./.pravo/x", "main.cue", "more.cue", "cue.mod/module.cue"] {
        let body =
            format!("pet: $random.#Resource.random_pet & {{length: 1}}\nf: $local.#Resource.local_file & {{filename: \"{name}\", content: \"x\"}}\n");
        sandbox.write("main.cue", format!("{HEAD}{body}"));
        sandbox.pravo("apply --auto-approve").exits(1).says(&["permission denied", "it belongs to pravo", name.trim_start_matches("./")]);
    }
    sandbox.write("main.cue", format!("{HEAD}pet: $random.#Resource.random_pet & {{length: 1}}\n"));
    let names = |files: Vec<(std::path::PathBuf, Vec<u8>)>| files.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(sandbox.files()), names(before));
    sandbox.pravo("plan").exits(0);
}

#[test]
fn a_function_that_fails_points_at_its_argument() {
    let sandbox = applied("pet: $random.#Resource.random_pet & {length: 1}\n");
    sandbox.write("file", "x");
    refused(
        &sandbox,
        "pet: $random.#Resource.random_pet & {length: 1}\nhere: ($local.#Function.direxists & {path: \"file\"}).result\n",
        &["was found, but is not a directory", "main.cue:12"],
    );
}
