//! `pravo.lock`: which component every provider package is, and what it may do. Kept in version control.
//!
//! Kept true here: the text depends on the contents alone (sorted, no times, no machine's paths), a broken file names line and
//! column, and a file that this pravo does not know in full is refused, for it grants capabilities.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use pravo_model::capability::{Grants, Needs};
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::files;
use crate::package::{ContentHash, Package, Source};
use crate::resolve::Requirement;

/// Name of the file in the root.
pub const FILE: &str = "pravo.lock";
/// The format that this pravo writes.
const FORMAT: u64 = 1;
/// The largest lock file.
const MAX_BYTES: u64 = 4 << 20;
const HEAD: &str = "# Written by pravo init: the providers of this specification, and what they may do. Keep it in version control.\n";

/// One provider package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// The package.
    pub package: Package,
    /// Where it comes from.
    pub source: Source,
    /// Its version.
    pub version: Version,
    /// Hash of its bytes.
    pub hash: ContentHash,
    /// What its manifest needs.
    #[serde(default, skip_serializing_if = "Needs::is_empty")]
    pub needs: Needs,
    /// What was approved.
    #[serde(default, skip_serializing_if = "Grants::is_empty")]
    pub approved: Grants,
}

/// The lock file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Lock {
    providers: Vec<Locked>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: u64,
    #[serde(default, rename = "provider")]
    providers: Vec<Locked>,
}

#[derive(Deserialize)]
struct Format {
    format: u64,
}

impl Lock {
    /// From entries, in any order; of several of one package the last one counts.
    pub fn new(entries: impl IntoIterator<Item = Locked>) -> Self {
        let providers: std::collections::BTreeMap<Package, Locked> = entries.into_iter().map(|entry| (entry.package.clone(), entry)).collect();
        Self { providers: providers.into_values().collect() }
    }

    /// The entries, sorted by package.
    pub fn providers(&self) -> &[Locked] {
        &self.providers
    }

    /// The entry of a package.
    pub fn get(&self, package: &Package) -> Option<&Locked> {
        self.providers.binary_search_by(|entry| entry.package.cmp(package)).ok().and_then(|at| self.providers.get(at))
    }

    /// The entries of packages that are not asked for.
    pub fn unasked<'l>(&'l self, requirements: &'l [Requirement]) -> impl Iterator<Item = &'l Locked> {
        self.providers.iter().filter(|locked| !requirements.iter().any(|requirement| requirement.package == locked.package.to_string()))
    }

    /// Reads the lock file of a root; `None` where there is none.
    ///
    /// # Errors
    /// Where it cannot be read, is broken or newer.
    pub fn read(root: &Path) -> Result<Option<Self>, Error> {
        let path = root.join(FILE);
        let file = match fs::File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::system("read", path)(error)),
        };
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(Error::system("read", &path))?;
        let broken = |line, column, reason: String| Error::Lock { path: path.clone(), line, column, reason };
        if bytes.len() as u64 > MAX_BYTES {
            return Err(broken(1, 1, format!("it has more than {MAX_BYTES} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes().get(..valid).unwrap_or_default()).into_owned();
            let (line, column) = position(&text, valid);
            broken(line, column, "it is not UTF-8".to_owned())
        })?;
        Self::parse(&text, &path).map(Some)
    }

    /// Reads the text of a lock file; the path is for messages.
    ///
    /// # Errors
    /// Where it is broken or newer.
    pub fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let broken = |error: toml::de::Error| {
            let (line, column) = position(text, error.span().map_or(0, |span| span.start));
            Error::Lock { path: path.to_owned(), line, column, reason: error.message().to_owned() }
        };
        let Format { format } = toml::from_str(text).map_err(broken)?;
        if format > FORMAT {
            return Err(Error::NewerLock { path: path.to_owned(), format, known: FORMAT });
        }
        let document: Document = toml::from_str(text).map_err(broken)?;
        let mut packages: Vec<&Package> = document.providers.iter().map(|entry| &entry.package).collect();
        packages.sort();
        if let Some([twice, _]) = packages.array_windows().find(|[one, other]| one == other) {
            let at = text.rfind(&format!("{twice}\"")).unwrap_or(0);
            let (line, column) = position(text, at);
            return Err(Error::Lock { path: path.to_owned(), line, column, reason: format!("{twice} is there twice") });
        }
        Ok(Self::new(document.providers))
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let document = Document { format: FORMAT, providers: self.providers.clone() };
        // Plain data: writing it cannot fail.
        format!("{HEAD}{}", toml::to_string(&document).unwrap_or_default())
    }

    /// Writes the lock file of a root, if it differs. Returns whether it did.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn write(&self, root: &Path) -> Result<bool, Error> {
        let path: PathBuf = root.join(FILE);
        let text = self.text();
        if fs::read(&path).is_ok_and(|present| present == text.as_bytes()) {
            return Ok(false);
        }
        files::replace(&path, text.as_bytes())?;
        Ok(true)
    }
}

/// Line and column from 1, in characters.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
