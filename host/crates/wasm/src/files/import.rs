//! The import `pravo:provider/files`: operations run on threads that may block, so that a call that waits for a disk can be given up.

use crate::bindings::files::{Error, Host, Metadata, WriteMode};
use crate::guest::Guest;
use crate::limits::Limit;

use super::Files;
use super::error::FileError;

type Outcome<T> = wasmtime::Result<Result<T, Error>>;

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        Error { code: error.code, message: error.message }
    }
}

impl Guest {
    /// Runs an operation where it may block.
    async fn on_files<T: Send + 'static>(&mut self, run: impl FnOnce(&Files) -> Result<T, FileError> + Send + 'static) -> Outcome<T> {
        let files = self.shared.files.clone();
        let outcome = tokio::task::spawn_blocking(move || run(&files)).await.map_err(wasmtime::Error::new)?;
        Ok(outcome.map_err(Error::from))
    }

    /// Counts what is about to be written.
    fn count_written(&mut self, contents: &[u8]) -> wasmtime::Result<()> {
        let bytes = u64::try_from(contents.len()).unwrap_or(u64::MAX);
        self.call.written = self.call.written.saturating_add(bytes);
        if self.call.written > self.shared.limits.get(Limit::Written) { Err(self.exceeded(Limit::Written)) } else { Ok(()) }
    }

    /// Counts what was made. The one that goes beyond the limit is there already.
    fn count_made(&mut self, outcome: Outcome<u64>) -> Outcome<()> {
        let outcome = outcome?;
        self.call.made = self.call.made.saturating_add(*outcome.as_ref().unwrap_or(&0));
        if self.call.made > self.shared.limits.get(Limit::Files) {
            return Err(self.exceeded(Limit::Files));
        }
        Ok(outcome.map(|_| ()))
    }
}

impl Host for Guest {
    fn root(&mut self) -> wasmtime::Result<String> {
        Ok(self.shared.files.root())
    }

    async fn read(&mut self, path: String) -> Outcome<Vec<u8>> {
        let limits = self.shared.limits.clone();
        self.on_files(move |files| files.read(&path, &limits)).await
    }

    async fn write(&mut self, path: String, contents: Vec<u8>, how: WriteMode, mode: u32) -> Outcome<()> {
        self.count_written(&contents)?;
        let outcome = self.on_files(move |files| files.write(&path, &contents, how, mode)).await;
        self.count_made(outcome)
    }

    async fn stat(&mut self, path: String, follow: bool) -> Outcome<Metadata> {
        self.on_files(move |files| files.stat(&path, follow)).await
    }

    async fn create_directory(&mut self, path: String, mode: u32, recursive: bool) -> Outcome<()> {
        let outcome = self.on_files(move |files| files.create_directory(&path, mode, recursive)).await;
        self.count_made(outcome)
    }

    async fn remove_file(&mut self, path: String) -> Outcome<()> {
        self.on_files(move |files| files.remove_file(&path)).await
    }

    async fn remove_directory(&mut self, path: String) -> Outcome<()> {
        self.on_files(move |files| files.remove_directory(&path)).await
    }

    async fn rename(&mut self, old: String, new: String) -> Outcome<()> {
        self.on_files(move |files| files.rename(&old, &new)).await
    }

    async fn list_directory(&mut self, path: String) -> Outcome<Vec<String>> {
        self.on_files(move |files| files.list_directory(&path)).await
    }
}
