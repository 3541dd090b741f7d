//! `strings`
//!
//! Characters are code points; white space and letter case are Unicode's.

use super::arguments::{self as args, BYTES, INT, LIST, Result, STRING, boolean, function, int, string, strings};
use crate::builtin::{Failure, Function, Host, Package};
use crate::{Kinds, Value};

const S: Kinds = Kinds::STRING;
const B: Kinds = Kinds::BOOL;
const I: Kinds = Kinds::INT;
const L: Kinds = Kinds::LIST;

/// How often something may be repeated.
pub(crate) const MAXIMUM_REPEAT: i64 = 1_000_000;

const FUNCTIONS: &[Function] = &[
    function("ByteAt", &[BYTES, INT], I, byte_at),
    function("ByteSlice", &[BYTES, INT, INT], Kinds(Kinds::BYTES.0 | Kinds::STRING.0), byte_slice),
    function("Compare", &[STRING, STRING], I, |a, _| int(args::text(a, 0)?.cmp(args::text(a, 1)?) as i64)),
    function("Contains", &[STRING, STRING], B, |a, _| boolean(args::text(a, 0)?.contains(args::text(a, 1)?))),
    function("ContainsAny", &[STRING, STRING], B, |a, _| boolean(args::text(a, 0)?.contains(any_of(args::text(a, 1)?)))),
    function("Count", &[STRING, STRING], I, count),
    function("Fields", &[STRING], L, |a, _| strings(args::text(a, 0)?.split_whitespace())),
    function("HasPrefix", &[STRING, STRING], B, |a, _| boolean(args::text(a, 0)?.starts_with(args::text(a, 1)?))),
    function("HasSuffix", &[STRING, STRING], B, |a, _| boolean(args::text(a, 0)?.ends_with(args::text(a, 1)?))),
    function("Index", &[STRING, STRING], I, |a, _| position(args::text(a, 0)?.find(args::text(a, 1)?))),
    function("IndexAny", &[STRING, STRING], I, |a, _| position(args::text(a, 0)?.find(any_of(args::text(a, 1)?)))),
    function("Join", &[LIST, STRING], S, |a, host| {
        let parts = args::texts(a, 0)?;
        let separator = args::text(a, 1)?;
        let size = parts.iter().map(|part| part.len() + separator.len()).sum();
        args::check_size(host, size)?;
        string(parts.join(separator))
    }),
    function("LastIndex", &[STRING, STRING], I, |a, _| position(args::text(a, 0)?.rfind(args::text(a, 1)?))),
    function("LastIndexAny", &[STRING, STRING], I, |a, _| position(args::text(a, 0)?.rfind(any_of(args::text(a, 1)?)))),
    function("MaxRunes", &[STRING, INT], B, |a, _| boolean(characters(a)? <= args::integer(a, 1)?)),
    function("MinRunes", &[STRING, INT], B, |a, _| boolean(characters(a)? >= args::integer(a, 1)?)),
    function("Repeat", &[STRING, INT], S, repeat),
    function("Replace", &[STRING, STRING, STRING, INT], S, replace),
    function("Runes", &[STRING], L, |a, _| Ok(Value::List(args::text(a, 0)?.chars().map(|c| Value::integer(i64::from(u32::from(c)))).collect()))),
    function("SliceRunes", &[STRING, INT, INT], S, slice_runes),
    function("Split", &[STRING, STRING], L, |a, _| strings(split(args::text(a, 0)?, args::text(a, 1)?, -1, false))),
    function("SplitAfter", &[STRING, STRING], L, |a, _| strings(split(args::text(a, 0)?, args::text(a, 1)?, -1, true))),
    function("SplitAfterN", &[STRING, STRING, INT], L, |a, _| strings(split(args::text(a, 0)?, args::text(a, 1)?, args::integer(a, 2)?, true))),
    function("SplitN", &[STRING, STRING, INT], L, |a, _| strings(split(args::text(a, 0)?, args::text(a, 1)?, args::integer(a, 2)?, false))),
    function("ToCamel", &[STRING], S, |a, _| string(words(args::text(a, 0)?, |c| simple_case(c, c.to_lowercase())))),
    function("ToLower", &[STRING], S, |a, _| string(args::text(a, 0)?.chars().map(|c| simple_case(c, c.to_lowercase())).collect::<String>())),
    function("ToTitle", &[STRING], S, |a, _| string(words(args::text(a, 0)?, |c| simple_case(c, c.to_uppercase())))),
    function("ToUpper", &[STRING], S, |a, _| string(args::text(a, 0)?.chars().map(|c| simple_case(c, c.to_uppercase())).collect::<String>())),
    function("Trim", &[STRING, STRING], S, |a, _| string(args::text(a, 0)?.trim_matches(any_of(args::text(a, 1)?)))),
    function("TrimLeft", &[STRING, STRING], S, |a, _| string(args::text(a, 0)?.trim_start_matches(any_of(args::text(a, 1)?)))),
    function("TrimPrefix", &[STRING, STRING], S, |a, _| {
        let text = args::text(a, 0)?;
        string(text.strip_prefix(args::text(a, 1)?).unwrap_or(text))
    }),
    function("TrimRight", &[STRING, STRING], S, |a, _| string(args::text(a, 0)?.trim_end_matches(any_of(args::text(a, 1)?)))),
    function("TrimSpace", &[STRING], S, |a, _| string(args::text(a, 0)?.trim())),
    function("TrimSuffix", &[STRING, STRING], S, |a, _| {
        let text = args::text(a, 0)?;
        string(text.strip_suffix(args::text(a, 1)?).unwrap_or(text))
    }),
];

pub(super) static STRINGS: Package = Package { path: "strings", functions: FUNCTIONS, source: "" };

fn any_of(set: &str) -> impl Fn(char) -> bool + Copy + '_ {
    move |c| set.contains(c)
}

/// The other case of a letter where it is one letter, too.
fn simple_case(c: char, mut changed: impl Iterator<Item = char>) -> char {
    match (changed.next(), changed.next()) {
        (Some(other), None) => other,
        // Letters whose full mapping has several characters, but which have a simple one as well.
        (Some('i'), Some('\u{307}')) => 'i',
        _ => match c {
            '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => char::from_u32(u32::from(c) + 8).unwrap_or(c),
            '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => char::from_u32(u32::from(c) + 9).unwrap_or(c),
            c => c,
        },
    }
}

/// Changes the first character of each word.
fn words(text: &str, change: impl Fn(char) -> char) -> String {
    let mut previous = ' ';
    let next = |c: char| {
        let starts = previous.is_whitespace();
        previous = c;
        if starts { change(c) } else { c }
    };
    text.chars().map(next).collect()
}

fn position(at: Option<usize>) -> Result {
    int(at.map_or(-1, |at| at as i64))
}

fn characters(a: &[Value]) -> Result<i64> {
    Ok(args::text(a, 0)?.chars().count() as i64)
}

/// Where a slice begins and ends, checked.
pub(super) fn range(start: i64, end: i64, length: usize) -> Result<std::ops::Range<usize>> {
    match (usize::try_from(start), usize::try_from(end)) {
        (Ok(start), Ok(end)) if start <= end && end <= length => Ok(start..end),
        _ => Err(Failure::eval("index out of range")),
    }
}

fn byte_at(a: &[Value], _: &mut dyn Host) -> Result {
    let at = usize::try_from(args::integer(a, 1)?).ok();
    let byte = at.and_then(|at| args::bytes(a, 0).ok()?.get(at).copied());
    int(byte.ok_or_else(|| Failure::eval("index out of range"))?)
}

fn byte_slice(a: &[Value], _: &mut dyn Host) -> Result {
    let bytes = args::bytes(a, 0)?;
    let range = range(args::integer(a, 1)?, args::integer(a, 2)?, bytes.len())?;
    Ok(Value::Bytes(bytes.get(range).unwrap_or(&[]).into()))
}

fn slice_runes(a: &[Value], _: &mut dyn Host) -> Result {
    let characters: Vec<char> = args::text(a, 0)?.chars().collect();
    let range = range(args::integer(a, 1)?, args::integer(a, 2)?, characters.len())?;
    string(characters.get(range).unwrap_or(&[]).iter().collect::<String>())
}

fn count(a: &[Value], _: &mut dyn Host) -> Result {
    let (text, part) = (args::text(a, 0)?, args::text(a, 1)?);
    if part.is_empty() {
        return int(text.chars().count() as i64 + 1);
    }
    int(text.matches(part).count() as i64)
}

fn repeat(a: &[Value], host: &mut dyn Host) -> Result {
    let text = args::text(a, 0)?;
    let count = args::integer(a, 1)?;
    if count < 0 {
        return Err(Failure::eval("negative count"));
    }
    if count > MAXIMUM_REPEAT {
        return Err(Failure::eval(format!("count {count} exceeds limit of {MAXIMUM_REPEAT}")));
    }
    let count = count as usize;
    args::check_size(host, text.len().saturating_mul(count))?;
    string(text.repeat(count))
}

fn replace(a: &[Value], host: &mut dyn Host) -> Result {
    let (text, old, new) = (args::text(a, 0)?, args::text(a, 1)?, args::text(a, 2)?);
    let limit = usize::try_from(args::integer(a, 3)?).unwrap_or(usize::MAX);
    args::check_size(host, text.len() + (text.len() + 1).min(limit).saturating_mul(new.len()))?;
    string(text.replacen(old, new, limit))
}

/// Splits into at most `limit` pieces (negative: all), which may keep the separator.
fn split(text: &str, separator: &str, limit: i64, keep: bool) -> Vec<String> {
    let Ok(limit) = usize::try_from(if limit < 0 { i64::MAX } else { limit }) else {
        return Vec::new();
    };
    if limit == 0 {
        return Vec::new();
    }
    if separator.is_empty() {
        let mut out: Vec<String> = Vec::new();
        let mut rest = text.chars();
        while out.len() + 1 < limit
            && let Some(c) = rest.next()
        {
            out.push(c.to_string());
        }
        if !rest.as_str().is_empty() {
            out.push(rest.as_str().to_owned());
        }
        return out;
    }
    let mut pieces: Vec<String> = text.splitn(limit, separator).map(str::to_owned).collect();
    if keep {
        let last = pieces.len().saturating_sub(1);
        pieces.iter_mut().take(last).for_each(|piece| piece.push_str(separator));
    }
    pieces
}
