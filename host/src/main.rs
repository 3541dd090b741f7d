//! The `pravo` binary.

fn main() -> std::process::ExitCode {
    pravo::main()
}
