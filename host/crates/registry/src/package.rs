//! Names: provider packages, sources, content hashes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// In front of every provider package's name.
const PREFIX: &str = "pravo.dev/providers/";

/// A text that does not follow its grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no {what}: {reason}")]
pub struct NameError {
    what: &'static str,
    text: String,
    reason: String,
}

impl NameError {
    pub(crate) fn new(what: &'static str, text: &str, reason: impl Into<String>) -> Self {
        Self { what, text: text.chars().take(120).collect(), reason: reason.into() }
    }
}

/// A provider package, `pravo.dev/providers/<namespace>/<name>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Package {
    namespace: String,
    name: String,
}

impl Package {
    /// The namespace, `hashicorp`.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name, `random`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `hashicorp/random`: how a manifest and people name it.
    pub fn short(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// From `hashicorp/random`.
    ///
    /// # Errors
    /// Where it is not of that form. Both parts are safe as names of directories.
    pub fn from_short(text: &str) -> Result<Self, NameError> {
        let label = |label: &str| {
            label.len() <= 100
                && label.starts_with(|c: char| c.is_ascii_lowercase())
                && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
        };
        match text.split_once('/') {
            Some((namespace, name)) if label(namespace) && label(name) => Ok(Self { namespace: namespace.to_owned(), name: name.to_owned() }),
            _ => Err(NameError::new("provider", text, "write <namespace>/<name> in lower-case letters, digits, - and _, such as hashicorp/random")),
        }
    }
}

impl FromStr for Package {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let short = text.strip_prefix(PREFIX);
        let short = short.ok_or_else(|| NameError::new("provider package", text, format!("write {PREFIX}<namespace>/<name>")))?;
        Self::from_short(short)
    }
}

impl TryFrom<String> for Package {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<Package> for String {
    fn from(package: Package) -> Self {
        package.to_string()
    }
}

impl fmt::Display for Package {
    /// The import path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}/{}", self.namespace, self.name)
    }
}

/// Where a provider comes from, as the lock file and `$source` write it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Source {
    /// Within pravo itself.
    Bundled,
    /// A directory mirror, `DIR/<namespace>/<name>/<version>/provider.wasm`. Which one is the machine's affair, so it is not written.
    Directory,
    /// A component file; the path is as written, relative to the root.
    File(String),
}

/// The forms that are offered, for messages.
pub(crate) const OFFERED: &str =
    "bundled, file:./path/to/component.wasm, or no $source at all with the component in a provider directory (--provider-dir)";

impl FromStr for Source {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match text {
            "bundled" => return Ok(Source::Bundled),
            "directory" => return Ok(Source::Directory),
            _ => {}
        }
        if let Some(path) = text.strip_prefix("file:") {
            if path.is_empty() || path.len() > 4096 || path.chars().any(char::is_control) {
                return Err(NameError::new("source", text, "a path follows file:, such as file:./provider.wasm"));
            }
            return Ok(Source::File(path.to_owned()));
        }
        let scheme = text.split_once(':').map_or(text, |(scheme, _)| scheme);
        let reason = if matches!(scheme, "oci" | "terraform") {
            format!("{scheme}: is not offered by this version of pravo; it offers {OFFERED}")
        } else {
            format!("pravo offers {OFFERED}")
        };
        Err(NameError::new("source", text, reason))
    }
}

impl TryFrom<String> for Source {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<Source> for String {
    fn from(source: Source) -> Self {
        source.to_string()
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Bundled => f.write_str("bundled"),
            Source::Directory => f.write_str("directory"),
            Source::File(path) => write!(f, "file:{path}"),
        }
    }
}

/// Hash of a component's bytes, `sha256:<64 hexadecimal digits>`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digits alone: safe as the name of a file.
    pub fn hex(&self) -> String {
        use fmt::Write as _;
        self.0.iter().fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

impl FromStr for ContentHash {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let error = || NameError::new("content hash", text, "write sha256: and 64 lower-case hexadecimal digits");
        let digits = text.strip_prefix("sha256:").filter(|digits| digits.len() == 64).ok_or_else(error)?;
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.as_bytes().chunks(2)) {
            let fits = pair.iter().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(b));
            let pair = std::str::from_utf8(pair).ok().filter(|_| fits).ok_or_else(error)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| error())?;
        }
        Ok(Self(hash))
    }
}

impl TryFrom<String> for ContentHash {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> Self {
        hash.to_string()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_import_paths() {
        let package: Package = "pravo.dev/providers/hashicorp/random".parse().unwrap();
        assert_eq!((package.short().as_str(), package.to_string().as_str()), ("hashicorp/random", "pravo.dev/providers/hashicorp/random"));
        for text in [
            "",
            "hashicorp/random",
            "pravo.dev/providers/random",
            "pravo.dev/providers/a/b/c",
            "pravo.dev/providers/../x",
            "pravo.dev/providers/A/b",
            "pravo.dev/providers/a/",
        ] {
            assert!(text.parse::<Package>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn sources_say_what_is_offered() {
        for text in ["bundled", "directory", "file:./a.wasm", "file:/opt/a.wasm"] {
            assert_eq!(text.parse::<Source>().unwrap().to_string(), text);
        }
        let error = |text: &str| text.parse::<Source>().unwrap_err().to_string();
        assert!(error("oci://ghcr.io/a/b:1").contains("oci: is not offered by this version of pravo; it offers bundled, file:"));
        assert!(error("terraform://registry.terraform.io/hashicorp/aws").contains("is not offered"));
        assert!(error("file:").contains("a path follows file:"));
        assert!(error("https://x").contains("pravo offers bundled"));
    }

    #[test]
    fn hashes_have_one_form() {
        let hash = ContentHash::of(b"abc");
        assert_eq!(hash.to_string(), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        for text in ["", "sha256:", "md5:00", &hash.to_string().to_uppercase(), &hash.to_string().replace("ba", "é")] {
            assert!(text.parse::<ContentHash>().is_err(), "{text:?}");
        }
    }
}
