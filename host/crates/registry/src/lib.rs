//! Where providers come from, the lock file and the cache.
//!
//! ```text
//! pravo init:      resolve(requirements, Lock::read(root)?, options) → Resolved::unapproved / approve → store(resolved, root)
//!                  → start each component once → Cache::store_schema
//! other commands:  load(requirements, options) → component bytes, needs and approved grants; Cache::schema
//! ```
//!
//! Kept true here: no byte of a component reaches anybody unless its hash is the one in `pravo.lock`, and no capability is granted that
//! was not approved there. Deliberately absent: running components (the schema is stored by whoever does), prompts, the network.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

pub mod bundled;
pub mod cache;
pub mod component;
pub mod constraint;
mod error;
mod files;
pub mod lock;
pub mod manifest;
pub mod package;
pub mod resolve;

pub use cache::Cache;
pub use component::Component;
pub use constraint::Constraint;
pub use error::Error;
pub use lock::{Lock, Locked};
pub use manifest::{Manifest, ManifestError};
pub use package::{ContentHash, Package, Source};
pub use resolve::{Loaded, Options, Requirement, Resolved, load, resolve, store};
