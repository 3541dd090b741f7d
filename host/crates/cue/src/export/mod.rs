//! Values as text: JSON, YAML and CUE.
//!
//! Everything here starts from a [`tree::Tree`], so that nothing depends on how a value came to be; only
//! [`definition`] starts from the sources.

pub mod cue;
mod definition;
pub mod json;
mod lets;
mod snapshot;
#[cfg(test)]
mod tests;
pub mod tree;
pub mod values;
pub mod yaml;

pub use definition::definition;
pub use snapshot::tree as tree_of;
