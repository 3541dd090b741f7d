//! The transactional state store on redb: one file, one writer, any number of readers.
//!
//! Kept true here: what [`StateWriter::commit`](pravo_model::state::StateWriter::commit) acknowledged survives a kill at any moment;
//! all changes of a call are there or none; readers, in this process or another, see one commit and block nobody; the bytes of the
//! file are foreign: whatever they are, the answer is a value or a [`StateError`], never a panic. Deliberately absent: what a record
//! means (the engine's), and any use of redb outside of this crate.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::path::{Path, PathBuf};

use pravo_model::state::{StateError, StateStore, StateView, StateWriter};

mod change;
mod codec;
mod encode;
mod error;
mod guard;
mod header;
mod lock;
mod open;
mod tables;
mod upgrade;
mod view;
mod writer;

/// The state in a file.
#[derive(Debug)]
pub struct RedbStore {
    path: PathBuf,
    /// The key that the file gets should this make it; the view of an empty state answers it too.
    new_key: [u8; 32],
}

impl RedbStore {
    /// The store of a file. Nothing is opened or made yet.
    ///
    /// # Errors
    /// Where the system has no randomness.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, StateError> {
        let path = path.into();
        let mut new_key = [0; 32];
        getrandom::fill(&mut new_key).map_err(|error| error::system("make a key for", &path, &std::io::Error::other(error.to_string())))?;
        Ok(Self { path, new_key })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl StateStore for RedbStore {
    fn view(&self) -> Result<Box<dyn StateView>, StateError> {
        view::open(&self.path, self.new_key)
    }

    fn write(&self, command: &str) -> Result<Box<dyn StateWriter>, StateError> {
        let lock = lock::Lock::take(&self.path, command)?;
        let database = open::write(&self.path, self.new_key)?;
        Ok(Box::new(writer::Writer::begin(database, Some(lock), self.path.clone(), command)?))
    }
}
