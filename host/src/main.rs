//! The `pravo` binary.
fn main() {}
