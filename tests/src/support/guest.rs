//! Components that the tests bring along, built once per run from `tests/guests/NAME`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

use super::sandbox::{binary, repository};

/// The path of a guest's component, built where it is not there or older than its sources.
///
/// # Panics
/// Where it cannot be built.
pub fn component(name: &'static str) -> &'static Path {
    static BUILT: OnceLock<Mutex<BTreeMap<&'static str, &'static Path>>> = OnceLock::new();
    let mut built = BUILT.get_or_init(Mutex::default).lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    built.entry(name).or_insert_with(|| Box::leak(build(name).into_boxed_path()))
}

fn build(name: &str) -> PathBuf {
    let target = binary().parent().and_then(Path::parent).expect("the binary lies in a target directory").join("guests");
    let cargo = std::env::var_os("PRAVO_WASM_CARGO").or_else(|| std::env::var_os("CARGO")).unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    for (variable, _) in std::env::vars_os() {
        let text = variable.to_string_lossy();
        if text.starts_with("RUSTC") || text.starts_with("CARGO") && text != "CARGO_HOME" || text == "RUSTFLAGS" {
            command.env_remove(&variable);
        }
    }
    let package = format!("guest-{name}");
    command.args(["build", "--quiet", "--locked", "--profile", "component", "--target", "wasm32-wasip2", "--package", &package]);
    let status = command.arg("--target-dir").arg(&target).current_dir(repository()).status().expect("cargo runs");
    assert!(status.success(), "the guest {name} could not be built; is the target wasm32-wasip2 installed? `make setup` adds it");
    target.join("wasm32-wasip2/component").join(format!("guest_{name}.wasm"))
}
