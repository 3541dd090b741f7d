//! The `pravo` binary as a library, so that tests can use its parts.

pub mod args;
pub mod exit;
pub mod observer;
pub mod render;
pub mod terminal;
