//! `.pravo/`: components and schemas by content hash. Safe to delete; `pravo init` fills it again.
//!
//! Kept true here: whatever is read back is checked against the hash in its name or its head, and a broken entry is a miss, never
//! a wrong answer. Compiled code is not kept here but by the host of the components, in the same directory.

use std::path::{Path, PathBuf};

use pravo_model::schema::{ProviderSchema, SCHEMA_FORMAT};
use serde::{Deserialize as _, Serialize as _};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::files;
use crate::manifest::MAX_COMPONENT;
use crate::package::ContentHash;

/// Name of the directory in the root.
pub const DIRECTORY: &str = ".pravo";
/// The largest encoded schema.
const MAX_SCHEMA: usize = 256 << 20;
/// The deepest nesting in an encoded schema.
const MAX_DEPTH: usize = 256;

/// The cache of one root.
#[derive(Clone, Debug)]
pub struct Cache {
    directory: PathBuf,
}

impl Cache {
    /// The cache of a root; nothing is made yet.
    pub fn new(root: &Path) -> Self {
        Self { directory: root.join(DIRECTORY) }
    }

    /// The directory, `.pravo`.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where the component with a hash lies.
    pub fn component_path(&self, hash: ContentHash) -> PathBuf {
        self.directory.join("components").join(format!("{}.wasm", hash.hex()))
    }

    /// Where the schema of the component with a hash lies.
    pub fn schema_path(&self, hash: ContentHash) -> PathBuf {
        self.directory.join("schemas").join(format!("{}.msgpack", hash.hex()))
    }

    /// Stores a component, if it is not there.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn store_component(&self, hash: ContentHash, bytes: &[u8]) -> Result<(), Error> {
        if self.component(hash).is_some_and(|found| found.is_ok()) {
            return Ok(());
        }
        self.store(&self.component_path(hash), &[bytes])
    }

    /// A component; `None` where it is not there, the hash of what lies there where it is another.
    pub fn component(&self, hash: ContentHash) -> Option<Result<Vec<u8>, ContentHash>> {
        let bytes = files::read(&self.component_path(hash), MAX_COMPONENT).ok()?;
        let found = ContentHash::of(&bytes);
        Some(if found == hash { Ok(bytes) } else { Err(found) })
    }

    /// Stores the schema that the component with a hash told.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn store_schema(&self, hash: ContentHash, schema: &ProviderSchema) -> Result<(), Error> {
        let path = self.schema_path(hash);
        let mut bytes = Vec::new();
        schema
            .serialize(&mut rmp_serde::Serializer::new(&mut bytes))
            .map_err(|error| Error::system("encode", &path)(std::io::Error::other(error)))?;
        self.store(&path, &[&Sha256::digest(&bytes), &bytes])
    }

    /// The schema of the component with a hash; `None` where it is not there or does not fit this pravo.
    pub fn schema(&self, hash: ContentHash) -> Option<ProviderSchema> {
        let bytes = files::read(&self.schema_path(hash), MAX_SCHEMA).ok()?;
        let (head, body) = bytes.split_at_checked(32)?;
        if head != Sha256::digest(body).as_slice() {
            return None;
        }
        let mut decoder = rmp_serde::Deserializer::new(body);
        decoder.set_max_depth(MAX_DEPTH);
        let schema = ProviderSchema::deserialize(&mut decoder).ok()?;
        (schema.format == SCHEMA_FORMAT && decoder.get_ref().is_empty()).then_some(schema)
    }

    /// Whether a schema is there, without reading it.
    pub fn has_schema(&self, hash: ContentHash) -> bool {
        self.schema_path(hash).is_file()
    }

    fn store(&self, path: &Path, parts: &[&[u8]]) -> Result<(), Error> {
        files::make_private(path.parent().unwrap_or(&self.directory))?;
        let ignore = self.directory.join(".gitignore");
        if !ignore.exists() {
            files::replace(&ignore, b"*\n")?;
        }
        files::replace(path, &parts.concat())
    }
}
