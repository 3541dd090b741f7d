//! The `pravo` binary as a library, so that tests can use its parts.

pub mod render;
