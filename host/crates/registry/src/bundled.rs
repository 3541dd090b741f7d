//! The components that pravo brings along. Built from source by this crate's build script, embedded with their hashes.

use crate::package::{ContentHash, Package};

/// An embedded component.
#[derive(Clone, Copy, Debug)]
pub struct Bundled {
    /// `hashicorp/random`.
    pub name: &'static str,
    /// The component.
    pub bytes: &'static [u8],
    hash: &'static str,
}

impl Bundled {
    /// Hash of the bytes, computed when pravo was built.
    pub fn hash(&self) -> ContentHash {
        self.hash.parse().unwrap_or_else(|_| ContentHash::of(self.bytes))
    }
}

include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// All embedded components.
pub fn all() -> &'static [Bundled] {
    BUNDLED
}

/// The embedded component of a package.
pub fn get(package: &Package) -> Option<&'static Bundled> {
    BUNDLED.iter().find(|bundled| bundled.name == package.short())
}
