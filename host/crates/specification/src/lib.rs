//! What pravo reads out of CUE: settings, provider instances, resources, meta fields, bodies and edges.

mod body;
mod cycle;
mod literals;
pub mod load;
mod meta;
mod names;
pub mod package;
mod place;
mod raw;
mod rejected;
mod requirements;
mod root;

pub use rejected::Rejected;
pub use requirements::{ProviderRequirement, Written};
pub use root::{Options, Root, Schemas};
