//! The `pravo` binary as the integration tests run it: built by the very `cargo test` that builds them, so that no other set of features
//! makes a second wasmtime.

fn main() -> std::process::ExitCode {
    pravo::main()
}
