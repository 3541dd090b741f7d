//! What pravo reads out of CUE: settings, provider instances, resources, meta fields, bodies and edges.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod body;
mod conversation;
mod convert;
mod cycle;
mod evaluation;
#[cfg(test)]
mod fixtures;
mod literals;
pub mod load;
mod meta;
mod names;
pub mod package;
mod place;
pub mod policy;
mod raw;
mod rejected;
mod requirements;
mod root;
mod session;
mod settings;

pub use rejected::Rejected;
pub use requirements::{ProviderRequirement, Written};
pub use root::{Options, Root, Schemas};
