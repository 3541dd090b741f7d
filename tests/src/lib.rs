//! Integration tests, conformance runners and page runner.
//!
//! Kept true here: `tests/tests/main.rs` is the one integration binary, since each links wasmtime again; nothing depends on
//! programs that a machine may lack, and nothing reaches the network.

pub mod provider_conformance;
pub mod support;
