//! The grammar of what is granted: directories, hosts, environment variables. Every one is normalised when it is made.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest path, in bytes.
const MAX_TEXT: usize = 4096;

/// A text that names no capability.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no {what}: {reason}")]
pub struct CapabilityError {
    /// What was expected: `path of a grant`, `host`, ….
    pub what: &'static str,
    /// The text, cut.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

impl CapabilityError {
    pub(super) fn new(what: &'static str, text: &str, reason: impl Into<String>) -> Self {
        Self { what, text: text.chars().take(80).collect(), reason: reason.into() }
    }
}

/// How a directory may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Files may be read.
    Read,
    /// Files may be read, written, made and removed.
    Write,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
        })
    }
}

/// Path of a granted directory: absolute, or relative to the root directory of the specification; `.` is that directory.
/// Normalised: no empty or `.` steps, `..` only in front.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GrantPath(String);

impl GrantPath {
    /// The root directory of the specification.
    pub fn root() -> Self {
        Self(".".to_owned())
    }

    /// The normalised text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `other` is this directory or lies below it, judged by the text alone. Relative and absolute paths never contain each other.
    pub fn contains(&self, other: &GrantPath) -> bool {
        match self.0.as_str() {
            "." => !other.0.starts_with('/') && other.0.split('/').next() != Some(".."),
            "/" => other.0.starts_with('/'),
            // Steps of `..` are no directories below one another: `..` contains `../a`, but not `../..`.
            path => match other.0.strip_prefix(path) {
                Some(rest) => rest.is_empty() || (rest.starts_with('/') && !rest.starts_with("/..")) || is_hidden_name(rest),
                None => false,
            },
        }
    }
}

/// Whether the rest of a path starts with a name such as `..data`, which is no parent step.
fn is_hidden_name(rest: &str) -> bool {
    rest.strip_prefix('/').and_then(|rest| rest.split('/').next()).is_some_and(|name| name.len() > 2 && name.starts_with(".."))
}

impl FromStr for GrantPath {
    type Err = CapabilityError;

    fn from_str(text: &str) -> Result<Self, CapabilityError> {
        let error = |reason: &str| CapabilityError::new("path of a grant", text, reason);
        if text.is_empty() || text.len() > MAX_TEXT || text.chars().any(char::is_control) {
            return Err(error("it is empty, too long or holds control characters"));
        }
        let absolute = text.starts_with('/');
        let mut steps: Vec<&str> = Vec::new();
        for step in text.split('/').filter(|step| !step.is_empty() && *step != ".") {
            if step == ".." && (absolute || steps.last().is_some_and(|last| *last != "..")) {
                return Err(error("\"..\" may stand only in front of a relative path; write the directory itself"));
            }
            steps.push(step);
        }
        let joined = steps.join("/");
        Ok(Self(match (absolute, joined.is_empty()) {
            (true, _) => format!("/{joined}"),
            (false, true) => ".".to_owned(),
            (false, false) => joined,
        }))
    }
}

impl TryFrom<String> for GrantPath {
    type Error = CapabilityError;

    fn try_from(text: String) -> Result<Self, CapabilityError> {
        text.parse()
    }
}

impl From<GrantPath> for String {
    fn from(path: GrantPath) -> Self {
        path.0
    }
}

impl fmt::Display for GrantPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == "." { f.write_str("the root directory") } else { f.write_str(&self.0) }
    }
}

/// A directory and how it may be used.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileGrant {
    /// The directory.
    pub path: GrantPath,
    /// How it may be used.
    pub access: Access,
}

impl FileGrant {
    /// Whether whoever has this may also do what `other` says.
    pub fn covers(&self, other: &FileGrant) -> bool {
        self.access >= other.access && self.path.contains(&other.path)
    }
}

/// A host of the network, `api.example.com` or `api.example.com:8443`; without a port it stands for the usual one of each scheme.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Host {
    name: String,
    port: Option<u16>,
}

impl Host {
    /// The name in lower case, or an address; one of IPv6 stands in brackets.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The port, where one was written.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Whether whoever may reach this may also reach `other`: the same name, and the same port or no port here.
    pub fn covers(&self, other: &Host) -> bool {
        self.name == other.name && (self.port.is_none() || self.port == other.port)
    }
}

impl FromStr for Host {
    type Err = CapabilityError;

    fn from_str(text: &str) -> Result<Self, CapabilityError> {
        let error = |reason: &str| CapabilityError::new("host", text, reason);
        let (name, port) = match text.rfind(']') {
            Some(_) => match text.rsplit_once("]:") {
                Some((address, port)) => (format!("{address}]"), Some(port)),
                None => (text.to_owned(), None),
            },
            None => match text.split_once(':') {
                Some((name, port)) => (name.to_owned(), Some(port)),
                None => (text.to_owned(), None),
            },
        };
        let port = match port {
            Some(digits) => Some(digits.parse::<u16>().ok().filter(|port| *port > 0).ok_or_else(|| error("a port is a number from 1 to 65535"))?),
            None => None,
        };
        let name = name.to_ascii_lowercase();
        if let Some(address) = name.strip_prefix('[') {
            let address = address.strip_suffix(']').and_then(|address| address.parse::<std::net::Ipv6Addr>().ok());
            let address = address.ok_or_else(|| error("brackets hold an IPv6 address"))?;
            return Ok(Self { name: format!("[{address}]"), port });
        }
        let label = |label: &str| {
            !label.is_empty()
                && label.len() <= 63
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        };
        if name.len() > 253 || !name.split('.').all(label) {
            return Err(error("write host or host:port, without scheme, path or wildcard (names beyond ASCII in their xn-- form)"));
        }
        Ok(Self { name, port })
    }
}

impl TryFrom<String> for Host {
    type Error = CapabilityError;

    fn try_from(text: String) -> Result<Self, CapabilityError> {
        text.parse()
    }
}

impl From<Host> for String {
    fn from(host: Host) -> Self {
        host.to_string()
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Name of an environment variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Variable(String);

impl Variable {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Variable {
    type Err = CapabilityError;

    fn from_str(text: &str) -> Result<Self, CapabilityError> {
        let fits = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !text.starts_with(|c: char| c.is_ascii_digit());
        if text.is_empty() || text.len() > 256 || !fits {
            return Err(CapabilityError::new("environment variable", text, "a name has letters, digits and _, and no digit in front"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for Variable {
    type Error = CapabilityError;

    fn try_from(text: String) -> Result<Self, CapabilityError> {
        text.parse()
    }
}

impl From<Variable> for String {
    fn from(variable: Variable) -> Self {
        variable.0
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised() {
        for (text, normal) in
            [(".", "."), ("./", "."), ("./a//b/", "a/b"), ("/", "/"), ("/etc/./app", "/etc/app"), ("../a", "../a"), ("..data", "..data")]
        {
            assert_eq!(text.parse::<GrantPath>().unwrap().as_str(), normal, "{text:?}");
        }
        for text in ["", "a/../b", "/..", "../a/..", "a\0b", "a\nb"] {
            assert!(text.parse::<GrantPath>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_directory_contains_what_lies_below() {
        let contains = |outer: &str, inner: &str| outer.parse::<GrantPath>().unwrap().contains(&inner.parse().unwrap());
        for (outer, inner) in [(".", "."), (".", "a/b"), (".", "..data"), ("/", "/etc"), ("/etc", "/etc/app"), ("a", "a/..b"), ("..", "../a")] {
            assert!(contains(outer, inner), "{outer} contains {inner}");
        }
        for (outer, inner) in
            [(".", "/etc"), (".", ".."), (".", "../a"), ("/etc", "/etcetera"), ("/etc/app", "/etc"), ("..", "../.."), ("..", "../../a"), ("/", "a")]
        {
            assert!(!contains(outer, inner), "{outer} does not contain {inner}");
        }
    }

    #[test]
    fn hosts_are_exact() {
        for (text, normal) in [
            ("API.example.com", "api.example.com"),
            ("a:1", "a:1"),
            ("[::1]:8080", "[::1]:8080"),
            ("[0:0::1]", "[::1]"),
            ("127.0.0.1:80", "127.0.0.1:80"),
        ] {
            assert_eq!(text.parse::<Host>().unwrap().to_string(), normal, "{text:?}");
        }
        for text in ["", "*", "*.example.com", "https://a", "a/b", "a:0", "a:65536", "a:", "::1", "[::1", "[x]", "a..b", "-a", "a b", "user@a", "a."]
        {
            assert!(text.parse::<Host>().is_err(), "{text:?}");
        }
        let covers = |a: &str, b: &str| a.parse::<Host>().unwrap().covers(&b.parse().unwrap());
        assert!(covers("a.b", "a.b:443") && covers("a.b:1", "a.b:1") && !covers("a.b:1", "a.b") && !covers("a.b", "b") && !covers("b", "a.b"));
    }

    #[test]
    fn variables_have_names() {
        assert!("AWS_REGION_2".parse::<Variable>().is_ok());
        for text in ["", "2A", "A-B", "A=B", "é", "*"] {
            assert!(text.parse::<Variable>().is_err(), "{text:?}");
        }
    }
}
