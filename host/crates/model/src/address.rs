//! Addresses: CUE paths of the structs that are resources.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// One step of an [`Address`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    /// An element of a list, from 0.
    Index(u64),
    /// A regular field, without quotes.
    Field(String),
    /// A hidden field `_x`, with the import path of its package where that is another than the root's.
    Hidden(String, Option<String>),
}

/// The CUE path of a resource, a data source, an ephemeral, a group or a provider instance: `pet`, `web."a-b"`, `servers[0]`, `note._pet`.
///
/// The text is canonical: equal addresses have equal texts. The order is by segment, and list indexes are compared as numbers.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Address(Arc<str>);

/// A text that is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an address: {reason}; an address is a CUE path such as web.server, web.\"a-b\" or servers[0]")]
pub struct AddressError {
    /// The text, cut.
    pub text: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// The largest number of segments.
const MAX_SEGMENTS: usize = 256;

fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    let body = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
    matches!(chars.next(), Some(c) if body(c) && !c.is_numeric()) && chars.all(body) && !text.starts_with('_')
}

/// Writes a label as a CUE path does: bare where it is an identifier, else quoted.
pub(crate) fn write_label(f: &mut fmt::Formatter<'_>, label: &str) -> fmt::Result {
    use fmt::Write as _;
    if is_identifier(label) {
        return f.write_str(label);
    }
    f.write_char('"')?;
    for c in label.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            c if c.is_control() => write!(f, "\\u{:04x}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

struct Segments<'a>(&'a [Segment]);

impl fmt::Display for Segments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Field(_) | Segment::Hidden(..) if i > 0 => f.write_str(".")?,
                _ => {}
            }
            match segment {
                Segment::Index(_) => {}
                Segment::Field(name) => write_label(f, name)?,
                Segment::Hidden(name, None) => f.write_str(name)?,
                Segment::Hidden(name, Some(package)) => write!(f, "{name}({package})")?,
            }
        }
        Ok(())
    }
}

impl Address {
    /// From segments, at least one.
    ///
    /// # Errors
    /// Where there is none, or too many.
    pub fn from_segments(segments: &[Segment]) -> Result<Self, AddressError> {
        let text = Segments(segments).to_string();
        if segments.is_empty() || segments.len() > MAX_SEGMENTS {
            let reason = if segments.is_empty() { "it is empty" } else { "it has too many segments" };
            return Err(AddressError { text: text.chars().take(80).collect(), reason });
        }
        Ok(Self(text.into()))
    }

    /// The canonical text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The segments.
    pub fn segments(&self) -> Vec<Segment> {
        parse(&self.0).unwrap_or_default()
    }

    /// Whether `self` is `other` or an ancestor of it.
    pub fn contains(&self, other: &Address) -> bool {
        match other.0.strip_prefix(&*self.0) {
            Some(rest) => rest.is_empty() || rest.starts_with(['.', '[']),
            None => false,
        }
    }

    /// `self` with the prefix `from` replaced by `to`; `None` where `from` does not contain it.
    pub fn rebase(&self, from: &Address, to: &Address) -> Option<Address> {
        if !from.contains(self) {
            return None;
        }
        Some(Self(format!("{}{}", to.0, self.0.get(from.0.len()..)?).into()))
    }
}

/// Whether a text is canonical as it stands: ASCII identifiers and indexes. Most are, and need no segments.
fn is_plain(mut rest: &[u8]) -> bool {
    let mut segments = 0;
    loop {
        let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')).count();
        match rest.split_at_checked(length) {
            Some(([first, ..], tail)) if first.is_ascii_alphabetic() || *first == b'$' => rest = tail,
            _ => return false,
        }
        segments += 1;
        while let [b'[', tail @ ..] = rest {
            let digits = tail.iter().take_while(|b| b.is_ascii_digit()).count();
            match tail.split_at_checked(digits) {
                Some(([b'0', _, ..], _)) | None => return false,
                Some((_, [b']', tail @ ..])) if (1..=18).contains(&digits) => rest = tail,
                Some(_) => return false,
            }
            segments += 1;
        }
        match rest {
            [] => return segments <= MAX_SEGMENTS,
            [b'.', tail @ ..] => rest = tail,
            _ => return false,
        }
    }
}

fn parse(text: &str) -> Result<Vec<Segment>, &'static str> {
    let mut segments = Vec::new();
    let mut rest = text;
    while !rest.is_empty() || segments.is_empty() {
        if segments.len() >= MAX_SEGMENTS {
            return Err("it has too many segments");
        }
        if let Some(after) = rest.strip_prefix('[') {
            let (digits, after) = after.split_once(']').ok_or("a bracket is not closed")?;
            if !digits.bytes().all(|b| b.is_ascii_digit()) || (digits.len() > 1 && digits.starts_with('0')) {
                return Err("an index is a number from 0");
            }
            segments.push(Segment::Index(digits.parse().map_err(|_| "an index is a number from 0")?));
            rest = after;
            continue;
        }
        if !segments.is_empty() {
            rest = rest.strip_prefix('.').ok_or("segments are separated by dots")?;
        }
        let (segment, after) = parse_label(rest)?;
        segments.push(segment);
        rest = after;
    }
    Ok(segments)
}

fn parse_label(rest: &str) -> Result<(Segment, &str), &'static str> {
    if let Some(quoted) = rest.strip_prefix('"') {
        let (name, after) = unquote(quoted)?;
        return Ok((Segment::Field(name), after));
    }
    let end = rest.find(['.', '[', '(']).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    if name.starts_with('_') && is_identifier(name.trim_start_matches('_')) || name.len() > 1 && name.bytes().all(|b| b == b'_') {
        if let Some(package) = after.strip_prefix('(') {
            let (package, after) = package.split_once(')').ok_or("a parenthesis is not closed")?;
            return Ok((Segment::Hidden(name.to_owned(), Some(package.to_owned())), after));
        }
        return Ok((Segment::Hidden(name.to_owned(), None), after));
    }
    if name.starts_with('_') || is_identifier(name) {
        let segment = if name.starts_with('_') { Segment::Hidden(name.to_owned(), None) } else { Segment::Field(name.to_owned()) };
        return Ok((segment, after));
    }
    Err("a label that is no identifier stands in double quotes")
}

fn unquote(quoted: &str) -> Result<(String, &str), &'static str> {
    let mut name = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((name, quoted.get(at + 1..).unwrap_or(""))),
            '\\' => match chars.next().map(|(_, c)| c) {
                Some(c @ ('"' | '\\')) => name.push(c),
                Some('n') => name.push('\n'),
                Some('t') => name.push('\t'),
                Some('r') => name.push('\r'),
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                    let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    name.push(code.ok_or("\\u takes four hexadecimal digits")?);
                }
                _ => return Err("an escape in a quoted label is unknown"),
            },
            c => name.push(c),
        }
    }
    Err("a quote is not closed")
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if is_plain(text.as_bytes()) {
            return Ok(Self(text.into()));
        }
        let error = |reason| AddressError { text: text.chars().take(80).collect(), reason };
        let segments = parse(text).map_err(error)?;
        Self::from_segments(&segments)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialOrd for Address {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Address {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.0 == other.0 {
            return Ordering::Equal;
        }
        // Most addresses differ in plain identifiers: only brackets and quotes need the segments.
        self.segments().cmp(&other.segments())
    }
}

impl Serialize for Address {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_canonical() {
        for text in ["pet", "web.server", "web.\"a-b\"", "servers[0]", "note._pet", "a[0][1].b", "x._y(example.com/p)", "$random", "\"_a\".b", "_a"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        assert_eq!("\"a\".b".parse::<Address>().unwrap().to_string(), "a.b");
        for text in ["", ".", "a.", "a..b", "a-b", "[x]", "a[01]", "a[", "\"a", "a\"b\"", "1a"] {
            assert!(text.parse::<Address>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn plain_texts_are_what_the_segments_say() {
        let pieces = ["a", "b2", "$r", "_h", "9", ".", "..", "[", "]", "[0]", "[10]", "[01]", "[]", "\"q\"", "é", "-"];
        for one in pieces {
            for two in pieces {
                for three in pieces {
                    let text = format!("{one}{two}{three}");
                    if is_plain(text.as_bytes()) {
                        let segments = parse(&text).unwrap();
                        assert_eq!(Segments(&segments).to_string(), text);
                    }
                }
            }
        }
        assert!(is_plain(b"web.servers[10].x") && !is_plain("a.".repeat(300).trim_end_matches('.').as_bytes()));
    }

    #[test]
    fn indexes_sort_as_numbers() {
        let mut addresses: Vec<Address> = ["s[10]", "s[9]", "s", "s.a", "a.b"].iter().map(|s| s.parse().unwrap()).collect();
        addresses.sort();
        let texts: Vec<_> = addresses.iter().map(Address::as_str).collect();
        assert_eq!(texts, ["a.b", "s", "s[9]", "s[10]", "s.a"]);
    }

    #[test]
    fn rebase_moves_what_lies_below() {
        let a = |text: &str| text.parse::<Address>().unwrap();
        assert_eq!(a("old.a[0]").rebase(&a("old"), &a("new.x")), Some(a("new.x.a[0]")));
        assert_eq!(a("older.a").rebase(&a("old"), &a("new")), None);
    }
}
