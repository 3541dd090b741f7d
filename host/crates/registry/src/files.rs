//! Files: bounded reading, and replacing in one step.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;

use crate::error::Error;

/// Reads a file of at most `limit` bytes; a longer one gives `limit + 1` bytes, which whoever decodes it refuses.
pub(crate) fn read(path: &Path, limit: usize) -> std::io::Result<Vec<u8>> {
    let file = fs::File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file under another name and renames it, so that nobody sees a part of it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = fs::File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(&beside, path));
    renamed.map_err(|error| {
        // The error is what counts; a left-over file is overwritten by the next try.
        let _ = fs::remove_file(&beside);
        Error::system("write", path)(error)
    })
}

/// Makes a directory that only its owner may enter.
pub(crate) fn make_private(path: &Path) -> Result<(), Error> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(Error::system("make", path))
}
