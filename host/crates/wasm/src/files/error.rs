//! What went wrong with a file, in the words of the operating system's C library (and of Go, whose programs people know).

use std::io;

use pravo_model::capability::{Access, Capability, FileGrant};

use crate::bindings::files::ErrorCode;
use crate::limits::Exceeded;

/// An error about a path, as the guest gets it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct FileError {
    pub(crate) code: ErrorCode,
    /// `open f.txt: no such file or directory`.
    pub(crate) message: String,
}

/// Part of an operation that failed: `open`, `write`.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) verb: &'static str,
    pub(crate) error: Fault,
}

/// How it failed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The operating system, or the sandbox, said so.
    System(io::Error),
    /// The host says so.
    Host(ErrorCode, String),
}

/// Names the part of an operation that an error belongs to.
pub(crate) trait During<T> {
    fn during(self, verb: &'static str) -> Result<T, Step>;
}

impl<T> During<T> for io::Result<T> {
    fn during(self, verb: &'static str) -> Result<T, Step> {
        self.map_err(|error| Step { verb, error: Fault::System(error) })
    }
}

impl Step {
    pub(crate) fn host(verb: &'static str, code: ErrorCode, text: impl Into<String>) -> Self {
        Self { verb, error: Fault::Host(code, text.into()) }
    }

    /// Whether a link, or `..`, led out of a granted directory.
    pub(crate) fn is_escape(&self) -> bool {
        // The sandbox makes this error itself: it has no number of the operating system.
        matches!(&self.error, Fault::System(error) if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none())
    }

    pub(crate) fn is_not_found(&self) -> bool {
        matches!(&self.error, Fault::System(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// The error about a path.
    pub(crate) fn about(self, path: &str) -> FileError {
        let (code, text) = match self.error {
            Fault::System(error) => (code(&error), words(&error)),
            Fault::Host(code, text) => (code, text),
        };
        FileError { code, message: format!("{} {path}: {text}", self.verb) }
    }
}

/// The refusal of a path outside the grants. `wanted` is what would allow it.
pub(crate) fn denied(verb: &str, path: &str, wanted: FileGrant) -> FileError {
    let what = match wanted.access {
        Access::Read => "may not be read",
        Access::Write => "may not be written",
    };
    let allow = Capability::Fs(wanted).allow_text();
    FileError { code: ErrorCode::Denied, message: format!("{verb} {path}: permission denied: it {what} by this provider; allow it with {allow}") }
}

/// A file that is larger than what may cross the border.
pub(crate) fn too_large(verb: &'static str, exceeded: Exceeded) -> Step {
    Step::host(verb, ErrorCode::TooLarge, format!("file too large: {exceeded}"))
}

fn code(error: &io::Error) -> ErrorCode {
    match error.kind() {
        io::ErrorKind::NotFound => ErrorCode::NotFound,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => ErrorCode::Denied,
        io::ErrorKind::AlreadyExists => ErrorCode::AlreadyExists,
        io::ErrorKind::NotADirectory => ErrorCode::NotADirectory,
        io::ErrorKind::IsADirectory => ErrorCode::IsADirectory,
        io::ErrorKind::DirectoryNotEmpty => ErrorCode::NotEmpty,
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename => ErrorCode::InvalidPath,
        io::ErrorKind::FileTooLarge => ErrorCode::TooLarge,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorCode::Quota,
        io::ErrorKind::ResourceBusy | io::ErrorKind::ExecutableFileBusy => ErrorCode::Busy,
        _ => ErrorCode::Other,
    }
}

/// `No such file or directory (os error 2)` without its number, beginning with a small letter.
fn words(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut characters = text.chars();
    characters.next().map(|first| first.to_lowercase().chain(characters).collect()).unwrap_or_default()
}
