//! Components where they lie: the bundle, files, directory mirrors.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use semver::Version;

use crate::bundled::{self, Bundled};
use crate::error::{Error, origin};
use crate::files;
use crate::manifest::{MAX_COMPONENT, Manifest};
use crate::package::{ContentHash, Package, Source};

/// Name of the file in a directory mirror, `DIR/<namespace>/<name>/<version>/provider.wasm`.
pub const MIRRORED: &str = "provider.wasm";
/// The largest number of versions of one provider that a directory is searched for.
const MAX_VERSIONS: usize = 10_000;

/// The bytes of a component.
#[derive(Clone, Debug)]
pub enum Component {
    /// Embedded.
    Bundled(&'static Bundled),
    /// Read from a file.
    Read(Arc<[u8]>),
}

impl Component {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Component::Bundled(bundled) => bundled.bytes,
            Component::Read(bytes) => bytes,
        }
    }

    /// Their hash.
    pub fn hash(&self) -> ContentHash {
        match self {
            Component::Bundled(bundled) => bundled.hash(),
            Component::Read(bytes) => ContentHash::of(bytes),
        }
    }
}

/// Where a component lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Bundled,
    Directory { version: Version, path: PathBuf },
    File { written: String, path: PathBuf },
}

impl Place {
    pub(crate) fn source(&self) -> Source {
        match self {
            Place::Bundled => Source::Bundled,
            Place::Directory { .. } => Source::Directory,
            Place::File { written, .. } => Source::File(written.clone()),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Bundled => f.write_str(&origin(&Source::Bundled)),
            Place::Directory { path, .. } => path.display().fmt(f),
            Place::File { written, .. } => f.write_str(written),
        }
    }
}

/// Reads the bytes of a component.
pub(crate) fn bytes(package: &Package, place: &Place) -> Result<Component, Error> {
    match place {
        Place::Bundled => {
            bundled::get(package).map(Component::Bundled).ok_or_else(|| Error::not_initialised(package, "this pravo does not bundle it"))
        }
        Place::Directory { path, .. } | Place::File { path, .. } => {
            let bytes = files::read(path, MAX_COMPONENT).map_err(Error::system("read the component", path))?;
            Ok(Component::Read(bytes.into()))
        }
    }
}

/// Reads the manifest of a component and checks that it is what it should be.
pub(crate) fn manifest(package: &Package, place: &Place, component: &Component) -> Result<Manifest, Error> {
    let manifest = Manifest::read(component.bytes()).map_err(|error| Error::Manifest { package: package.clone(), from: place.to_string(), error })?;
    let mismatch = |found: String, expected: String| Error::Mismatch { package: package.clone(), from: place.to_string(), found, expected };
    if manifest.package != *package {
        return Err(mismatch(format!("provider {}", manifest.package.short()), package.short()));
    }
    if let Place::Directory { version, .. } = place
        && manifest.version.cmp_precedence(version).is_ne()
    {
        return Err(mismatch(format!("version {}", manifest.version), version.to_string()));
    }
    Ok(manifest)
}

/// All versions of a package in directory mirrors, ascending; of a version that is in several the first directory counts.
pub(crate) fn versions(directories: &[PathBuf], package: &Package) -> Result<Vec<(Version, PathBuf)>, Error> {
    let mut found: Vec<(Version, PathBuf)> = Vec::new();
    for directory in directories {
        for (version, path) in versions_in(&directory.join(package.namespace()).join(package.name()))? {
            if !found.iter().any(|(known, _)| *known == version) {
                found.push((version, path));
            }
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found)
}

fn versions_in(directory: &Path) -> Result<Vec<(Version, PathBuf)>, Error> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::system("read", directory)(error)),
    };
    let mut found = Vec::new();
    for entry in entries.take(MAX_VERSIONS) {
        let entry = entry.map_err(Error::system("read", directory))?;
        let version = entry.file_name().to_str().and_then(|name| Version::parse(name).ok());
        let path = entry.path().join(MIRRORED);
        if let Some(version) = version.filter(|_| path.is_file()) {
            found.push((version, path));
        }
    }
    Ok(found)
}
