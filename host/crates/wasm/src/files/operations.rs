//! What can be done with files.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, DirBuilder, File, Metadata, OpenOptions, Permissions};
use pravo_model::capability::Access;

use super::error::{During, FileError, Step, too_large};
use super::{Files, Last};
use crate::bindings::files::{self, ErrorCode, FileType, WriteMode};
use crate::limits::{Limit, Limits};

/// Entries of a directory that are listed.
const MAX_ENTRIES: usize = 100_000;

/// Permission bits that a guest can ask for.
const MODE: u32 = 0o777;

impl Files {
    /// The contents of a file.
    pub(crate) fn read(&self, path: &str, limits: &Limits) -> Result<Vec<u8>, FileError> {
        self.at("open", path, Access::Read, Last::Followed, |directory, relative| {
            let file = directory.open_with(relative, &options(OpenOptions::new().read(true))).during("open")?;
            check_regular("read", &file, path)?;
            let most = limits.get(Limit::Transfer);
            let mut contents = Vec::new();
            file.take(most.saturating_add(1)).read_to_end(&mut contents).during("read")?;
            if u64::try_from(contents.len()).is_ok_and(|length| length > most) {
                return Err(too_large("read", limits.exceeded(Limit::Transfer)));
            }
            Ok(contents)
        })
    }

    /// Writes a file; gives how many were made.
    pub(crate) fn write(&self, path: &str, contents: &[u8], how: WriteMode, mode: u32) -> Result<u64, FileError> {
        if path.ends_with('/') {
            let refused = |_: &Dir, _: &Path| Err(Step { verb: "open", error: super::error::Fault::System(io::ErrorKind::IsADirectory.into()) });
            return self.at("open", path, Access::Write, Last::Followed, refused).map_err(|error| is_a_directory(error, path));
        }
        if how == WriteMode::Atomic {
            return self.write_atomically(path, contents, mode);
        }
        self.at("open", path, Access::Write, Last::Followed, |directory, relative| {
            let (mut file, made) = open_to_write(directory, relative, how, mode)?;
            check_regular("open", &file, path)?;
            file.write_all(contents).during("write")?;
            Ok(made)
        })
    }

    fn write_atomically(&self, path: &str, contents: &[u8], mode: u32) -> Result<u64, FileError> {
        // A link keeps being a link: what is replaced is what it leads to.
        let target = self.at("open", path, Access::Write, Last::Followed, |directory, relative| match directory.canonicalize(relative) {
            Ok(target) => open_holder(directory, &target),
            Err(error) if error.kind() == io::ErrorKind::NotFound => open_holder(directory, relative),
            Err(error) => Err(error).during("open"),
        });
        let (holder, name) = target?;
        replace(&holder, &name, contents, mode).map_err(|step| step.about(path))
    }

    /// What is known of a file.
    pub(crate) fn stat(&self, path: &str, follow: bool) -> Result<files::Metadata, FileError> {
        let (verb, last) = if follow { ("stat", Last::Followed) } else { ("lstat", Last::Itself) };
        self.at(verb, path, Access::Read, last, |directory, relative| {
            let metadata = if follow { directory.metadata(relative) } else { directory.symlink_metadata(relative) }.during(verb)?;
            if path.ends_with('/') && !metadata.is_dir() {
                return Err(Step::host(verb, ErrorCode::NotADirectory, "not a directory"));
            }
            Ok(describe(&metadata))
        })
    }

    /// Makes a directory; gives how many were made.
    pub(crate) fn create_directory(&self, path: &str, mode: u32, recursive: bool) -> Result<u64, FileError> {
        if !recursive {
            return self.at("mkdir", path, Access::Write, Last::Itself, |directory, relative| {
                directory.create_dir_with(relative, &directory_builder(mode)).during("mkdir").map(|()| 1)
            });
        }
        let mut made = 0;
        for part in prefixes(path) {
            match self.stat(part, true) {
                Ok(metadata) if metadata.file_type == FileType::Directory => continue,
                Ok(_) => return Err(Step::host("mkdir", ErrorCode::NotADirectory, "not a directory").about(part)),
                // Above the granted directory nothing can be seen, and nothing has to be made.
                Err(error) if error.code == ErrorCode::Denied && part != path => continue,
                Err(_) => {}
            }
            match self.create_directory(part, mode, false) {
                Ok(count) => made += count,
                // Somebody else was faster.
                Err(error) if error.code == ErrorCode::AlreadyExists && self.is_directory(part) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(made)
    }

    fn is_directory(&self, path: &str) -> bool {
        self.stat(path, true).is_ok_and(|metadata| metadata.file_type == FileType::Directory)
    }

    /// Removes a file or a link.
    pub(crate) fn remove_file(&self, path: &str) -> Result<(), FileError> {
        if path.ends_with('/') {
            return Err(Step::host("remove", ErrorCode::NotADirectory, "not a directory").about(path));
        }
        let (holder, name) = self.parent("remove", path, Access::Write)?;
        holder.remove_file(name).during("remove").map_err(|step| step.about(path))
    }

    /// Removes an empty directory.
    pub(crate) fn remove_directory(&self, path: &str) -> Result<(), FileError> {
        let (holder, name) = self.parent("remove", path, Access::Write)?;
        holder.remove_dir(name).during("remove").map_err(|step| step.about(path))
    }

    /// Renames a file or a directory.
    pub(crate) fn rename(&self, old: &str, new: &str) -> Result<(), FileError> {
        let (old_holder, old_name) = self.parent("rename", old, Access::Write)?;
        let (new_holder, new_name) = self.parent("rename", new, Access::Write)?;
        old_holder.rename(old_name, &new_holder, new_name).during("rename").map_err(|step| step.about(&format!("{old} {new}")))
    }

    /// The names in a directory, in order.
    pub(crate) fn list_directory(&self, path: &str) -> Result<Vec<String>, FileError> {
        self.at("open", path, Access::Read, Last::Followed, |directory, relative| {
            let mut names = Vec::new();
            for entry in directory.read_dir(relative).during("open")? {
                let name = entry.during("read")?.file_name();
                names.push(name.to_string_lossy().into_owned());
                if names.len() > MAX_ENTRIES {
                    return Err(Step::host("read", ErrorCode::TooLarge, format!("the directory has more than {MAX_ENTRIES} entries")));
                }
            }
            names.sort_unstable();
            Ok(names)
        })
    }
}

/// Writing to a name that ends in a slash fails as it does everywhere, unless the directory above is missing or denied.
fn is_a_directory(error: FileError, path: &str) -> FileError {
    if error.code == ErrorCode::IsADirectory { Step::host("open", ErrorCode::IsADirectory, "is a directory").about(path) } else { error }
}

/// A path and all above it, the highest first: `a`, `a/b`, `a/b/c`.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.char_indices().filter(|(at, c)| *c == '/' && *at > 0).map(|(at, _)| at);
    let whole = (!path.ends_with('/') || path.len() == 1).then_some(path.len());
    ends.chain(whole).filter_map(move |end| path.get(..end)).filter(|part| !part.ends_with('/') || part.len() == 1)
}

/// Options under which no open blocks.
fn options(options: &mut OpenOptions) -> OpenOptions {
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(options, i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default());
    options.clone()
}

fn with_mode(options: &mut OpenOptions, mode: u32) -> &mut OpenOptions {
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::mode(options, mode & MODE);
    options
}

fn directory_builder(mode: u32) -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    cap_std::fs::DirBuilderExt::mode(&mut builder, mode & MODE);
    builder
}

/// Opens a file to be written, and tells whether it was made.
fn open_to_write(directory: &Dir, relative: &Path, how: WriteMode, mode: u32) -> Result<(File, u64), Step> {
    let base = || {
        let mut options = OpenOptions::new();
        match how {
            WriteMode::Append => options.append(true),
            WriteMode::CreateNew => options.write(true).create_new(true),
            WriteMode::Truncate | WriteMode::Atomic => options.write(true).truncate(true),
        };
        options
    };
    if how != WriteMode::CreateNew {
        match directory.open_with(relative, &options(&mut base())).during("open") {
            Ok(file) => return Ok((file, 0)),
            Err(step) if step.is_not_found() => {}
            Err(step) => return Err(step),
        }
    }
    let mut create = base();
    if how != WriteMode::CreateNew {
        create.create(true);
    }
    directory.open_with(relative, &options(with_mode(&mut create, mode))).during("open").map(|file| (file, 1))
}

fn check_regular(verb: &'static str, file: &File, path: &str) -> Result<(), Step> {
    let metadata = file.metadata().during(verb)?;
    if metadata.is_dir() {
        return Err(Step::host(verb, ErrorCode::IsADirectory, "is a directory"));
    }
    if !metadata.is_file() {
        return Err(Step::host(verb, ErrorCode::Other, "it is not a regular file, and only such are read and written"));
    }
    if path.ends_with('/') {
        return Err(Step::host("open", ErrorCode::NotADirectory, "not a directory"));
    }
    Ok(())
}

/// The directory that holds a name, opened, and the name.
fn open_holder(directory: &Dir, relative: &Path) -> Result<(Dir, PathBuf), Step> {
    let name = relative.file_name().ok_or_else(|| Step::host("open", ErrorCode::IsADirectory, "is a directory"))?;
    let parent = relative.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    Ok((directory.open_dir(parent).during("open")?, PathBuf::from(name)))
}

/// Writes beside a name and renames, with the mode of what is there; gives how many files were made.
fn replace(holder: &Dir, name: &Path, contents: &[u8], mode: u32) -> Result<u64, Step> {
    let existing = match holder.symlink_metadata(name) {
        Ok(metadata) if metadata.is_dir() => return Err(Step::host("open", ErrorCode::IsADirectory, "is a directory")),
        Ok(metadata) if !metadata.is_file() => {
            return Err(Step::host("open", ErrorCode::Other, "it is not a regular file, and only such are read and written"));
        }
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).during("open"),
    };
    let beside = beside(name.as_os_str()).during("open")?;
    let mut create = OpenOptions::new();
    create.write(true).create_new(true);
    let mut file = holder.open_with(&beside, &options(with_mode(&mut create, mode))).during("open")?;
    let written = write_beside(&mut file, contents, existing.as_ref().map(Metadata::permissions))
        .and_then(|()| holder.rename(&beside, holder, name).during("rename"));
    if written.is_err() {
        // What is left of the attempt; the first error counts.
        drop(holder.remove_file(&beside));
    }
    written.map(|()| u64::from(existing.is_none()))
}

fn write_beside(file: &mut File, contents: &[u8], permissions: Option<Permissions>) -> Result<(), Step> {
    file.write_all(contents).during("write")?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions).during("chmod")?;
    }
    file.sync_data().during("sync")
}

/// A name beside another one that nothing has.
fn beside(name: &OsStr) -> io::Result<PathBuf> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let short: String = name.to_string_lossy().chars().take(40).collect();
    Ok(PathBuf::from(format!(".{short}.{:016x}.tmp", u64::from_le_bytes(random))))
}

fn describe(metadata: &Metadata) -> files::Metadata {
    let file_type = if metadata.is_symlink() {
        FileType::SymbolicLink
    } else if metadata.is_dir() {
        FileType::Directory
    } else if metadata.is_file() {
        FileType::Regular
    } else {
        FileType::Other
    };
    #[cfg(unix)]
    let mode = cap_std::fs::MetadataExt::mode(metadata) & 0o7777;
    #[cfg(not(unix))]
    let mode = if metadata.permissions().readonly() { 0o444 } else { 0o644 };
    files::Metadata { file_type, size: metadata.len(), mode }
}
