//! Files of native tests: below a directory that the test names, one per thread.

use std::cell::RefCell;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::{Error, ErrorCode, FileType, Metadata, Result, WriteMode};

thread_local! {
    static ROOT: RefCell<Option<PathBuf>> = const { RefCell::new(None) };
}

/// Runs something with a root directory.
pub(crate) fn with_root<T>(root: &Path, operation: impl FnOnce() -> T) -> T {
    let before = ROOT.with_borrow_mut(|current| current.replace(root.to_path_buf()));
    let result = operation();
    ROOT.with_borrow_mut(|current| *current = before);
    result
}

/// The place of a path. Without a root every access is denied, as in a component without a grant.
fn place(path: &str) -> Result<PathBuf> {
    if path.is_empty() || path.contains('\0') {
        return Err(Error { code: ErrorCode::InvalidPath, message: format!("{path:?} is no path") });
    }
    ROOT.with_borrow(|root| root.as_ref().map(|root| root.join(path)))
        .ok_or_else(|| Error { code: ErrorCode::Denied, message: format!("{path}: no directory is granted") })
}

fn failure(path: &str, error: &io::Error) -> Error {
    let code = match error.kind() {
        ErrorKind::NotFound => ErrorCode::NotFound,
        ErrorKind::PermissionDenied => ErrorCode::Denied,
        ErrorKind::AlreadyExists => ErrorCode::AlreadyExists,
        ErrorKind::NotADirectory => ErrorCode::NotADirectory,
        ErrorKind::IsADirectory => ErrorCode::IsADirectory,
        ErrorKind::DirectoryNotEmpty => ErrorCode::NotEmpty,
        ErrorKind::FileTooLarge => ErrorCode::TooLarge,
        ErrorKind::QuotaExceeded => ErrorCode::Quota,
        ErrorKind::ResourceBusy => ErrorCode::Busy,
        _ => ErrorCode::Other,
    };
    Error { code, message: format!("{path}: {error}") }
}

fn at<T>(path: &str, operation: impl FnOnce(&Path) -> io::Result<T>) -> Result<T> {
    operation(&place(path)?).map_err(|error| failure(path, &error))
}

pub fn root() -> String {
    ROOT.with_borrow(|root| root.as_ref().map(|root| root.display().to_string()).unwrap_or_default())
}

pub fn read(path: &str) -> Result<Vec<u8>> {
    at(path, |place| fs::read(place))
}

pub fn write(path: &str, contents: &[u8], how: WriteMode, mode: u32) -> Result<()> {
    at(path, |place| {
        if how == WriteMode::Atomic {
            let beside = place.with_added_extension("new");
            open(&beside, WriteMode::Truncate, mode)?.write_all(contents)?;
            return fs::rename(beside, place);
        }
        open(place, how, mode)?.write_all(contents)
    })
}

fn open(place: &Path, how: WriteMode, mode: u32) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    match how {
        WriteMode::Truncate | WriteMode::Atomic => options.write(true).create(true).truncate(true),
        WriteMode::Append => options.append(true).create(true),
        WriteMode::CreateNew => options.write(true).create_new(true),
    };
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(place)
}

pub fn stat(path: &str, follow: bool) -> Result<Metadata> {
    at(path, |place| {
        let metadata = if follow { fs::metadata(place) } else { fs::symlink_metadata(place) }?;
        let kind = metadata.file_type();
        let file_type = if kind.is_file() {
            FileType::Regular
        } else if kind.is_dir() {
            FileType::Directory
        } else if kind.is_symlink() {
            FileType::SymbolicLink
        } else {
            FileType::Other
        };
        #[cfg(unix)]
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777;
        #[cfg(not(unix))]
        let mode = if metadata.permissions().readonly() { 0o444 } else { 0o666 };
        Ok(Metadata { file_type, size: metadata.len(), mode })
    })
}

pub fn create_directory(path: &str, mode: u32, recursive: bool) -> Result<()> {
    at(path, |place| {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(recursive);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
        #[cfg(not(unix))]
        let _ = mode;
        builder.create(place)
    })
}

pub fn remove_file(path: &str) -> Result<()> {
    at(path, |place| fs::remove_file(place))
}

pub fn remove_directory(path: &str) -> Result<()> {
    at(path, |place| fs::remove_dir(place))
}

pub fn rename(old: &str, new: &str) -> Result<()> {
    let new = place(new)?;
    at(old, |place| fs::rename(place, new))
}

pub fn list_directory(path: &str) -> Result<Vec<String>> {
    at(path, |place| fs::read_dir(place)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect())
}
