//! Files below the directories that the operator granted.
//!
//! In a component every call goes to the host, which holds the grants. In native tests the calls go to the directory that
//! [`crate::testing::with_root`] names. A relative path starts at the root directory of the specification.

#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(target_arch = "wasm32")]
mod wit;

#[cfg(not(target_arch = "wasm32"))]
use native as backend;
#[cfg(target_arch = "wasm32")]
use wit as backend;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::with_root;

/// What kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// There is nothing at the path.
    NotFound,
    /// Not granted, or not permitted.
    Denied,
    /// There is something at the path.
    AlreadyExists,
    /// A directory is needed.
    NotADirectory,
    /// A directory is in the way.
    IsADirectory,
    /// The directory has entries.
    NotEmpty,
    /// Not a path.
    InvalidPath,
    /// Larger than a limit.
    TooLarge,
    /// A quota is used up.
    Quota,
    /// In use.
    Busy,
    /// Anything else.
    Other,
}

/// Why an operation failed; the message names the path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The kind.
    pub code: ErrorCode,
    /// For people.
    pub message: String,
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileType {
    /// A file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    SymbolicLink,
    /// A device, a socket and the like.
    Other,
}

/// What is known of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub file_type: FileType,
    /// Bytes.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// Makes the file, or truncates it and keeps its mode.
    Truncate,
    /// Writes beside it and renames.
    Atomic,
    /// Makes the file, or adds to its end in one write.
    Append,
    /// Fails where there is something.
    CreateNew,
}

/// What an operation gives.
pub type Result<T> = std::result::Result<T, Error>;

/// The absolute path of the root directory.
pub fn root() -> String {
    backend::root()
}

/// The contents of a file.
///
/// # Errors
/// Where it cannot be read.
pub fn read(path: &str) -> Result<Vec<u8>> {
    backend::read(path)
}

/// Writes a file; `mode` has the permission bits of one that is made, before the umask.
///
/// # Errors
/// Where it cannot be written.
pub fn write(path: &str, contents: &[u8], how: WriteMode, mode: u32) -> Result<()> {
    backend::write(path, contents, how, mode)
}

/// What is at a path; `follow` says whether a link is followed.
///
/// # Errors
/// Where there is nothing, or it cannot be looked at.
pub fn stat(path: &str, follow: bool) -> Result<Metadata> {
    backend::stat(path, follow)
}

/// Makes a directory, with what is missing above it where `recursive`.
///
/// # Errors
/// Where it cannot be made.
pub fn create_directory(path: &str, mode: u32, recursive: bool) -> Result<()> {
    backend::create_directory(path, mode, recursive)
}

/// Removes a file or a link.
///
/// # Errors
/// Where it cannot be removed.
pub fn remove_file(path: &str) -> Result<()> {
    backend::remove_file(path)
}

/// Removes an empty directory.
///
/// # Errors
/// Where it cannot be removed.
pub fn remove_directory(path: &str) -> Result<()> {
    backend::remove_directory(path)
}

/// Renames a file.
///
/// # Errors
/// Where it cannot be renamed.
pub fn rename(old: &str, new: &str) -> Result<()> {
    backend::rename(old, new)
}

/// The names in a directory.
///
/// # Errors
/// Where it cannot be listed.
pub fn list_directory(path: &str) -> Result<Vec<String>> {
    backend::list_directory(path)
}
