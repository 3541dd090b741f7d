//! Builds the bundled providers as components and embeds them.
//!
//! A nested cargo with a target directory and an environment of its own builds `providers-wasm/*` for `wasm32-wasip2`.
//! `PRAVO_COMPONENTS=DIR` takes `DIR/random.wasm` and `DIR/local.wasm` as they are instead, `PRAVO_WASM_CARGO=PROGRAM` is called in
//! cargo's place where the target needs another toolchain.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

/// Crate, file, provider.
const PROVIDERS: [(&str, &str, &str); 2] = [("provider-local", "local", "hashicorp/local"), ("provider-random", "random", "hashicorp/random")];
/// What the components are made of.
const SOURCES: [&str; 6] = ["providers-wasm", "sdk", "host/crates/model", "host/crates/diag", "wit", "Cargo.lock"];

const MISSING: &str = "the bundled providers cannot be built: this Rust toolchain has no target wasm32-wasip2.
Add it with `rustup target add wasm32-wasip2`; where rustup cannot download, run `make`, which uses Debian's toolchain,
set PRAVO_WASM_CARGO to a program that is called like cargo and can build for that target,
or set PRAVO_COMPONENTS to a directory with random.wasm and local.wasm";

fn main() {
    if let Err(error) = run() {
        println!("cargo::error={}", error.to_string().replace('\n', "\\n"));
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    for variable in ["PRAVO_COMPONENTS", "PRAVO_WASM_CARGO"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let directory = match env::var_os("PRAVO_COMPONENTS") {
        Some(directory) => PathBuf::from(directory),
        None => build(&out)?,
    };
    let mut list = String::from("const BUNDLED: &[Bundled] = &[\n");
    for (crate_name, file, provider) in PROVIDERS {
        let named = directory.join(format!("{file}.wasm"));
        let built = directory.join(format!("{}.wasm", crate_name.replace('-', "_")));
        let path = if named.exists() { named } else { built };
        let bytes = fs::read(&path).map_err(|error| format!("cannot read the component {}: {error}", path.display()))?;
        println!("cargo::rerun-if-changed={}", path.display());
        let embedded = out.join(format!("{file}.wasm"));
        fs::write(&embedded, &bytes)?;
        let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        list += &format!("    Bundled {{ name: {provider:?}, bytes: include_bytes!({:?}), hash: \"sha256:{hash}\" }},\n", embedded);
    }
    fs::write(out.join("bundled.rs"), list + "];\n")?;
    Ok(())
}

/// Builds all providers; gives the directory in which they are.
fn build(out: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?);
    let workspace = manifest.ancestors().nth(3).ok_or("the workspace is not where it should be")?.to_owned();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", workspace.join(source).display());
    }
    // OUT_DIR is <target>/<profile>/build/<crate>/out: beside the profiles, one build serves them all.
    let target = out.ancestors().nth(4).ok_or("OUT_DIR is not where it should be")?.join("components");
    let own = env::var_os("PRAVO_WASM_CARGO");
    if own.is_none() && !has_target() {
        return Err(MISSING.into());
    }
    let mut command = Command::new(own.as_deref().unwrap_or("cargo".as_ref()));
    for (name, _) in env::vars_os() {
        if is_foreign(&name.to_string_lossy()) {
            command.env_remove(name);
        }
    }
    command.current_dir(&workspace).args(["build", "--locked", "--profile", "component", "--target", "wasm32-wasip2", "--target-dir"]).arg(&target);
    for (crate_name, ..) in PROVIDERS {
        command.args(["--package", crate_name]);
    }
    let status = command.status().map_err(|error| format!("cannot run {}: {error}", command.get_program().display()))?;
    if !status.success() {
        return Err(format!(
            "the bundled providers cannot be built: {} ended with {status}; its messages stand above",
            command.get_program().display()
        )
        .into());
    }
    Ok(target.join("wasm32-wasip2/component"))
}

/// Whether a variable is about the build that runs this script, and not about the machine.
fn is_foreign(name: &str) -> bool {
    let of_the_machine = ["CARGO_HOME", "CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTRY_", "CARGO_REGISTRIES_", "CARGO_SOURCE_", "CARGO_TERM_"];
    let prefixes = ["RUSTC", "RUSTFLAGS", "CARGO", "TARGET", "HOST", "PROFILE", "OPT_LEVEL", "DEBUG", "OUT_DIR", "NUM_JOBS", "MAKEFLAGS"];
    prefixes.iter().any(|prefix| name.starts_with(prefix)) && !of_the_machine.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether the compiler has the target's standard library.
fn has_target() -> bool {
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", "wasm32-wasip2"]).output();
    output.is_ok_and(|output| output.status.success() && Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}
