//! What the codecs of values share: bounds, errors with a path, the normal form of texts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use unicode_normalization::{UnicodeNormalization, is_nfc_quick};

use crate::{Name, Path, PathStep, Type, Value};

/// Bounds of decoding bytes that come from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of bytes.
    pub bytes: usize,
    /// The deepest nesting.
    pub depth: usize,
    /// The largest number of values, inner ones counted.
    pub count: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 16 << 20, depth: MAX_DEPTH, count: 2_000_000 }
    }
}

/// The deepest nesting that any codec here writes, and by default reads.
pub const MAX_DEPTH: usize = 64;

/// A value that cannot be encoded, or bytes that are no value of the type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", place(.path))]
pub struct CodecError {
    /// Where in the value; the root for the whole.
    pub path: Path,
    /// What is wrong, on one line.
    pub problem: String,
}

fn place(path: &Path) -> String {
    if path.steps().is_empty() { String::new() } else { format!("{path}: ") }
}

impl CodecError {
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self { path: Path::root(), problem: problem.into() }
    }

    /// The error seen from one level above.
    pub(crate) fn below(mut self, step: PathStep) -> Self {
        self.path.0.insert(0, step);
        self
    }
}

/// A text in Unicode's normalisation form C: the form in which values, keys and names are compared.
pub fn normalized(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    match is_nfc_quick(text.chars()) {
        unicode_normalization::IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfc().collect()),
    }
}

/// The attributes of an object type in their order, each with its value, null where it has none.
///
/// # Errors
/// Where the object has an entry that is no attribute of the type.
pub(crate) fn attributes<'a>(
    entries: &'a BTreeMap<Name, Value>,
    kinds: &'a BTreeMap<Name, Type>,
) -> Result<Vec<(&'a Name, &'a Value, &'a Type)>, CodecError> {
    // Both come in the same order.
    let mut set = entries.iter().peekable();
    let attributes = kinds.iter().map(|(name, kind)| {
        let value = set.next_if(|(set, _)| *set == name).map_or(&Value::Null, |(_, value)| value);
        (name, value, kind)
    });
    let attributes = attributes.collect();
    match set.next() {
        Some((name, _)) => Err(CodecError::new(format!("{} is no attribute of the type", excerpt(name)))),
        None => Ok(attributes),
    }
}

/// At most 60 characters of a foreign text, escaped, for messages.
pub(crate) fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("{short:?}{dots}")
}
