//! The WebAssembly provider host on wasmtime: runs providers that are not trusted.
//!
//! Kept true here: a component can compute, and do nothing else unless it was granted; whatever it uses up is limited, and a
//! limit that is exceeded fails one call of one provider; compiled code comes from this machine's own compiler only. wasmtime
//! appears in no other crate. Deliberately absent: where components come from and who approved what (the registry), and whether a
//! provider's answers are consistent (the engine).
//!
//! A [`WasmHost`] loads components; a [`LoadedComponent`] gives providers, each with its own grants, pool of instances and configuration.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod bindings;
mod cache;
mod component;
mod convert;
mod engine;
mod failure;
mod files;
mod guest;
mod limits;
mod log;
mod manifest;
mod meter;
mod pool;
mod provider;
mod schema;
mod tail;
mod text;
mod ticker;

#[cfg(test)]
mod tests;

pub use cache::default_cache_directory;
pub use component::{HostOptions, LoadedComponent, WasmHost};
pub use limits::{Exceeded, Limit, LimitError, Limits};
pub use manifest::{Inspection, LoadError, Manifest, WORLD, inspect};
