//! The one integration binary: each more would link wasmtime again.

mod bad_input;
mod commands;
mod concurrency;
mod crate_edges;
mod misbehaviour;
mod pages;
