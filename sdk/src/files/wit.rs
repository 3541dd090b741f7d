//! Files through the host.

use super::{Error, ErrorCode, FileType, Metadata, Result, WriteMode};
use crate::guest::bindings::pravo::provider::files as host;

fn failure(error: host::Error) -> Error {
    let code = match error.code {
        host::ErrorCode::NotFound => ErrorCode::NotFound,
        host::ErrorCode::Denied => ErrorCode::Denied,
        host::ErrorCode::AlreadyExists => ErrorCode::AlreadyExists,
        host::ErrorCode::NotADirectory => ErrorCode::NotADirectory,
        host::ErrorCode::IsADirectory => ErrorCode::IsADirectory,
        host::ErrorCode::NotEmpty => ErrorCode::NotEmpty,
        host::ErrorCode::InvalidPath => ErrorCode::InvalidPath,
        host::ErrorCode::TooLarge => ErrorCode::TooLarge,
        host::ErrorCode::Quota => ErrorCode::Quota,
        host::ErrorCode::Busy => ErrorCode::Busy,
        host::ErrorCode::Other => ErrorCode::Other,
    };
    Error { code, message: error.message }
}

pub fn root() -> String {
    host::root()
}

pub fn read(path: &str) -> Result<Vec<u8>> {
    host::read(path).map_err(failure)
}

pub fn write(path: &str, contents: &[u8], how: WriteMode, mode: u32) -> Result<()> {
    let how = match how {
        WriteMode::Truncate => host::WriteMode::Truncate,
        WriteMode::Atomic => host::WriteMode::Atomic,
        WriteMode::Append => host::WriteMode::Append,
        WriteMode::CreateNew => host::WriteMode::CreateNew,
    };
    host::write(path, contents, how, mode).map_err(failure)
}

pub fn stat(path: &str, follow: bool) -> Result<Metadata> {
    let metadata = host::stat(path, follow).map_err(failure)?;
    let file_type = match metadata.file_type {
        host::FileType::Regular => FileType::Regular,
        host::FileType::Directory => FileType::Directory,
        host::FileType::SymbolicLink => FileType::SymbolicLink,
        host::FileType::Other => FileType::Other,
    };
    Ok(Metadata { file_type, size: metadata.size, mode: metadata.mode })
}

pub fn create_directory(path: &str, mode: u32, recursive: bool) -> Result<()> {
    host::create_directory(path, mode, recursive).map_err(failure)
}

pub fn remove_file(path: &str) -> Result<()> {
    host::remove_file(path).map_err(failure)
}

pub fn remove_directory(path: &str) -> Result<()> {
    host::remove_directory(path).map_err(failure)
}

pub fn rename(old: &str, new: &str) -> Result<()> {
    host::rename(old, new).map_err(failure)
}

pub fn list_directory(path: &str) -> Result<Vec<String>> {
    host::list_directory(path).map_err(failure)
}
