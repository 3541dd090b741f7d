//! Values as MessagePack: what crosses the border to providers, components and binary ones alike (plugin protocol, msgpack values).
//!
//! Kept true here: every value is encoded against its [`Type`] in the one form that Terraform writes, and decoding never
//! trusts a length: nothing is allocated beyond what the input's size allows, depth and count are bounded, repeated keys,
//! trailing bytes and foreign extension types are errors. Refinements of unknowns are read and dropped, never written.

mod decode;
mod encode;

pub use decode::{decode, decode_sparse};
pub use encode::encode;

/// The extension type of an unknown with refinements.
const REFINED_UNKNOWN: i8 = 12;

/// The most bytes that the refinements of an unknown may have.
const MAX_REFINEMENTS: usize = 1024;

#[cfg(test)]
mod tests;
