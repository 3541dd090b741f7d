//! Values as text: JSON, YAML and CUE.
//!
//! Everything here starts from a [`tree::Tree`], so that nothing depends on how a value came to be.

pub mod json;
pub mod tree;
