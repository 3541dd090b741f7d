//! Compiled components on disk.
//!
//! A compiled component is native code: whoever can write one into the cache runs it with the user's rights. Kept true here:
//!
//! - the cache lies in the user's own cache directory, never in the project, so that a checkout cannot bring code along;
//! - its directory belongs to the user and nobody else may enter it; else it is not used;
//! - beside each entry stands a keyed hash of its name and content; the key lies in the same private directory. An entry that was copied from elsewhere,
//!   cut off or changed is a miss;
//! - entries are replaced by rename and never written in place, so that a mapped one does not change under the engine's feet;
//! - an entry's name is a hash of the component's content and of all that makes wasmtime's code compatible.
//!
//! Deliberately absent: any way to load compiled code from a path or bytes that this cache did not write.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use wasmtime::Engine;
use wasmtime::component::Component;

/// Entries that are kept; beyond it the ones that were not used for longest go.
const MAX_ENTRIES: usize = 64;

/// The user's cache directory for pravo: `PRAVO_CACHE_DIR`, else `pravo` in `XDG_CACHE_HOME`, else `.cache/pravo` in the home
/// directory; `None` where there is none of them.
pub fn default_cache_directory() -> Option<PathBuf> {
    directory_from(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
}

fn directory_from(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    // Relative values of the last two would put native code wherever the command happens to run: not used.
    variable("PRAVO_CACHE_DIR")
        .or_else(|| variable("XDG_CACHE_HOME").filter(|path| path.is_absolute()).map(|path| path.join("pravo")))
        .or_else(|| variable("HOME").filter(|path| path.is_absolute()).map(|path| path.join(".cache/pravo")))
}

/// The cache of compiled components.
#[derive(Debug)]
pub(crate) struct Cache {
    directory: PathBuf,
    key: [u8; 32],
}

impl Cache {
    /// Opens, or makes, the part of the cache directory that is for compiled components.
    ///
    /// # Errors
    /// Where it cannot be made, or others could write to it.
    pub(crate) fn open(cache_directory: &Path) -> io::Result<Self> {
        let directory = cache_directory.join("compiled");
        private_directory(&directory)?;
        let key = read_or_make_key(&directory)?;
        Ok(Self { directory, key })
    }

    /// The name of an entry.
    pub(crate) fn name(engine: &Engine, content_hash: &str) -> String {
        let mut hasher = NameHasher(blake3::Hasher::new());
        content_hash.hash(&mut hasher);
        engine.precompile_compatibility_hash().hash(&mut hasher);
        hasher.0.finalize().to_hex().to_string()
    }

    /// The compiled component, if there is one that this cache wrote.
    pub(crate) fn load(&self, engine: &Engine, name: &str) -> Option<Component> {
        let path = self.entry(name, "cwasm");
        match self.verify(name, &path) {
            Ok(true) => {}
            Ok(false) => {
                tracing::warn!(target: "pravo::wasm", path = %path.display(), "a compiled component was changed or is not of this cache: compiling anew");
                return None;
            }
            Err(error) => {
                tracing::debug!(target: "pravo::wasm", path = %path.display(), %error, "no compiled component");
                return None;
            }
        }
        match load_compiled(engine, &path) {
            Ok(component) => Some(component),
            Err(error) => {
                tracing::debug!(target: "pravo::wasm", path = %path.display(), %error, "a compiled component does not fit");
                None
            }
        }
    }

    /// Keeps a compiled component.
    ///
    /// # Errors
    /// Where it cannot be written; nothing is left behind then.
    pub(crate) fn store(&self, name: &str, compiled: &[u8]) -> io::Result<()> {
        let mut hasher = self.hasher(name);
        hasher.update(compiled);
        // The hash first: an entry without its hash would be a miss for ever, a hash without entry is one once.
        self.replace(&self.entry(name, "mac"), hasher.finalize().to_hex().as_bytes())?;
        self.replace(&self.entry(name, "cwasm"), compiled)?;
        self.evict();
        Ok(())
    }

    fn entry(&self, name: &str, extension: &str) -> PathBuf {
        self.directory.join(format!("{name}.{extension}"))
    }

    fn hasher(&self, name: &str) -> blake3::Hasher {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(name.as_bytes());
        hasher
    }

    fn verify(&self, name: &str, path: &Path) -> io::Result<bool> {
        let file = File::open(path)?;
        if !is_private_file(&file.metadata()?) {
            return Ok(false);
        }
        let mut expected = String::new();
        File::open(self.entry(name, "mac"))?.take(64).read_to_string(&mut expected)?;
        let mut hasher = self.hasher(name);
        hasher.update_reader(&file)?;
        // The comparison of two hashes takes the same time whatever they are.
        let intact = blake3::Hash::from_hex(&expected).is_ok_and(|expected| expected == hasher.finalize());
        if intact {
            // So that what is used is not evicted; a failure costs a compilation later.
            drop(file.set_modified(SystemTime::now()));
        }
        Ok(intact)
    }

    fn replace(&self, path: &Path, contents: &[u8]) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.directory)?;
        file.write_all(contents)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    }

    /// Removes what was not used for longest. Failures do not matter: the next one tries again.
    fn evict(&self) {
        let Ok(entries) = fs::read_dir(&self.directory) else { return };
        let mut found: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                (path.extension()? == "cwasm").then_some(())?;
                Some((path.metadata().ok()?.modified().ok()?, path))
            })
            .collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        for (_, path) in found.iter().skip(MAX_ENTRIES) {
            drop(fs::remove_file(path));
            drop(fs::remove_file(path.with_extension("mac")));
        }
    }
}

/// Maps a compiled component.
#[allow(unsafe_code)]
fn load_compiled(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
    // SAFETY: the file must hold what `Component::serialize` of this wasmtime gave, and must not change while it is mapped. Its
    // keyed hash was just compared with the one that was written with it, by a holder of the key; key, hash and entry lie in a
    // directory that belongs to the user and that nobody else can enter (checked when the cache was opened), so nobody but the
    // user can have made or can change them. This program replaces entries by rename and never writes to an existing one. That
    // the code fits this engine is compared by wasmtime itself, which refuses other versions and settings.
    unsafe { Component::deserialize_file(engine, path) }
}

struct NameHasher(blake3::Hasher);

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        // Never asked: the name is the whole hash.
        self.0.finalize().as_bytes().iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
    }
}

/// Makes a directory for the user alone, or checks that it is one.
fn private_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)?;
    let metadata = fs::symlink_metadata(directory)?;
    if !metadata.is_dir() {
        return Err(io::Error::other(format!("{} is not a directory", directory.display())));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other(format!("{} belongs to somebody else", directory.display())));
        }
        if metadata.mode() & 0o077 != 0 {
            return Err(io::Error::other(format!("{} is open to others: chmod 700 it, or remove it", directory.display())));
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_private_file(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.is_file() && metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_private_file(metadata: &fs::Metadata) -> bool {
    metadata.is_file()
}

fn read_or_make_key(directory: &Path) -> io::Result<[u8; 32]> {
    let path = directory.join("key");
    if let Some(key) = read_key(&path)? {
        return Ok(key);
    }
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(&key)?;
    file.as_file().sync_all()?;
    // Whoever comes first wins: two processes must agree on the key.
    match file.persist_noclobber(&path) {
        Ok(_) => Ok(key),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            read_key(&path)?.ok_or_else(|| io::Error::other(format!("{} vanished", path.display())))
        }
        Err(error) => Err(error.error),
    }
}

fn read_key(path: &Path) -> io::Result<Option<[u8; 32]>> {
    let mut file = match OpenOptions::new().read(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut key = [0; 32];
    if !is_private_file(&file.metadata()?) || file.read_exact(&mut key).is_err() {
        return Err(io::Error::other(format!("{} is no key of this user: remove it", path.display())));
    }
    Ok(Some(key))
}
