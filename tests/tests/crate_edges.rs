//! The crates depend on each other along the arrows of ARCHITECTURE.md, and on nothing else; a library that belongs to one crate
//! is seen by no other.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use pravo_tests::support::sandbox::repository;
use serde_json::Value;

/// Each crate with the ones of the workspace that it may depend on.
const ALLOWED: [(&str, &[&str]); 14] = [
    ("pravo-diag", &[]),
    ("pravo-model", &["pravo-diag"]),
    ("pravo-cue", &["pravo-diag"]),
    ("pravo-specification", &["pravo-diag", "pravo-model", "pravo-cue"]),
    ("pravo-engine", &["pravo-diag", "pravo-model"]),
    ("pravo-state", &["pravo-diag", "pravo-model"]),
    ("pravo-wasm", &["pravo-diag", "pravo-model"]),
    ("pravo-registry", &["pravo-diag", "pravo-model"]),
    ("pravo-sdk-macros", &[]),
    ("pravo-sdk", &["pravo-sdk-macros", "pravo-model", "pravo-diag"]),
    ("provider-random", &["pravo-sdk"]),
    ("provider-local", &["pravo-sdk"]),
    ("pravo", &["pravo-diag", "pravo-model", "pravo-cue", "pravo-specification", "pravo-engine", "pravo-state", "pravo-wasm", "pravo-registry"]),
    (
        "pravo-tests",
        &[
            "pravo",
            "pravo-diag",
            "pravo-model",
            "pravo-cue",
            "pravo-specification",
            "pravo-engine",
            "pravo-state",
            "pravo-wasm",
            "pravo-registry",
            "pravo-sdk",
        ],
    ),
];

/// Libraries that one crate hides from the others.
const OWNED: [(&str, &str); 4] = [("wasmtime", "pravo-wasm"), ("wasmtime-wasi", "pravo-wasm"), ("redb", "pravo-state"), ("clap", "pravo")];

fn packages() -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(["metadata", "--format-version", "1", "--no-deps", "--offline"]).current_dir(repository()).output();
    let output = output.expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages = metadata["packages"].as_array().expect("there are packages").iter();
    packages
        .map(|package| {
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            // Tests of a crate may use what its code may not.
            let ordinary = dependencies.filter(|dependency| dependency["kind"].as_str() != Some("dev"));
            (text(&package["name"]), ordinary.map(|dependency| text(&dependency["name"])).collect())
        })
        .collect()
}

#[test]
fn crates_depend_along_the_arrows() {
    let packages = packages();
    let own: BTreeSet<&String> = packages.keys().collect();
    let mut wrong = Vec::new();
    for (package, dependencies) in &packages {
        let allowed = ALLOWED.iter().find(|(name, _)| name == package).map(|(_, allowed)| *allowed);
        // Components for tests stand on the SDK, as those of third parties do.
        let allowed = allowed.unwrap_or(&["pravo-sdk"]);
        let edges = dependencies.iter().filter(|name| own.contains(name) && !allowed.contains(&name.as_str()));
        wrong.extend(edges.map(|edge| format!("{package} -> {edge}")));
    }
    assert!(wrong.is_empty(), "edges that ARCHITECTURE.md does not have: {}", wrong.join(", "));
    for (package, _) in ALLOWED {
        assert!(packages.contains_key(package), "{package} is gone: this list is old");
    }
}

#[test]
fn libraries_stay_in_their_crate() {
    let packages = packages();
    for (library, owner) in OWNED {
        let users: Vec<&String> =
            packages.iter().filter(|(name, dependencies)| *name != owner && dependencies.contains(library)).map(|(name, _)| name).collect();
        assert!(users.is_empty(), "{library} belongs to {owner}, and is used by {users:?}");
    }
}
