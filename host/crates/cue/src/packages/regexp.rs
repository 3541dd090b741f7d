//! `regexp`, in the syntax of RE2.

use std::sync::Arc;

use regex::Regex;

use super::arguments::{self as args, INT, Result, STRING, boolean, function, string, strings};
use crate::builtin::{Failure, Function, Host, Package};
use crate::{Kinds, Value};

const S: Kinds = Kinds::STRING;
const L: Kinds = Kinds::LIST;

const FUNCTIONS: &[Function] = &[
    function("Find", &[STRING, STRING], S, |a, _| {
        let found = compile(args::text(a, 0)?)?;
        string(found.find(args::text(a, 1)?).ok_or_else(no_match)?.as_str())
    }),
    function("FindAll", &[STRING, STRING, INT], L, |a, _| {
        let pattern = compile(args::text(a, 0)?)?;
        let found: Vec<&str> = pattern.find_iter(args::text(a, 1)?).take(limit(a)?).map(|found| found.as_str()).collect();
        if found.is_empty() { Err(no_match()) } else { strings(found) }
    }),
    function("FindAllNamedSubmatch", &[STRING, STRING, INT], L, |a, _| all(a, named)),
    function("FindAllSubmatch", &[STRING, STRING, INT], L, |a, _| all(a, groups)),
    function("FindNamedSubmatch", &[STRING, STRING], Kinds::STRUCT, |a, _| first(a, named)),
    function("FindSubmatch", &[STRING, STRING], L, |a, _| first(a, groups)),
    function("Match", &[STRING, STRING], Kinds::BOOL, |a, _| boolean(compile(args::text(a, 0)?)?.is_match(args::text(a, 1)?))),
    function("QuoteMeta", &[STRING], S, |a, _| string(quote(args::text(a, 0)?))),
    function("ReplaceAll", &[STRING, STRING, STRING], S, |a, host| replace(a, host, true)),
    function("ReplaceAllLiteral", &[STRING, STRING, STRING], S, |a, host| replace(a, host, false)),
    function("Valid", &[STRING], Kinds::BOOL, |a, _| compile(args::text(a, 0)?).and_then(|_| boolean(true))),
];

pub(super) static REGEXP: Package = Package { path: "regexp", functions: FUNCTIONS, source: "" };

fn no_match() -> Failure {
    Failure::eval("no match")
}

/// Compiles a pattern. Size and time are bounded; backtracking does not exist in this syntax.
pub fn compile(pattern: &str) -> Result<Regex> {
    let error = |error: regex::Error| {
        let text = error.to_string();
        let last = text.lines().last().unwrap_or("").trim_start_matches("error: ").to_owned();
        Failure::eval(format!("error parsing regexp {pattern:?}: {last}"))
    };
    regex::RegexBuilder::new(&translate(pattern)?).size_limit(4 << 20).nest_limit(200).build().map_err(error)
}

/// Where RE2 and the syntax of the library differ: classes such as `\d`, `\w`, `\s` and `\b` are ASCII in RE2, `\Q…\E`
/// quotes, `\z` is the end, `\C` and look-around do not exist, and `[` within brackets is itself.
fn translate(pattern: &str) -> Result<String> {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut characters = pattern.chars().peekable();
    let mut in_class = false;
    let mut class_start = false;
    while let Some(c) = characters.next() {
        let starts = std::mem::take(&mut class_start);
        match c {
            '\\' => match characters.next() {
                Some('Q') if !in_class => quoted(&mut characters, &mut out),
                Some(kind @ ('d' | 'D' | 's' | 'S' | 'w' | 'W')) => out.push_str(ascii_class(kind, in_class)),
                Some(kind @ ('b' | 'B')) if !in_class => {
                    out.push_str(if kind == 'b' { "(?-u:\\b)" } else { "(?-u:\\B)" });
                }
                Some('C') => {
                    return Err(Failure::eval(format!("error parsing regexp {pattern:?}: \\C is not supported")));
                }
                Some(digit @ '1'..='9') => {
                    return Err(Failure::eval(format!("error parsing regexp: invalid escape sequence: `\\{digit}`")));
                }
                Some(kind @ ('<' | '>')) => out.push(kind),
                Some(other) => {
                    out.push('\\');
                    out.push(other);
                }
                None => out.push('\\'),
            },
            '[' if !in_class => {
                in_class = true;
                class_start = true;
                out.push('[');
                if characters.peek() == Some(&'^') {
                    characters.next();
                    out.push('^');
                }
            }
            '[' if characters.peek() == Some(&':') => out.push('['),
            '[' => out.push_str("\\["),
            ']' if in_class && starts => out.push_str("\\]"),
            ']' => {
                // The end of a class such as [:alpha:] within brackets.
                in_class = in_class && out.ends_with(':') && out.rfind("[:").is_some_and(|at| at + 2 < out.len());
                out.push(']');
            }
            '{' if !in_class => {
                // RE2 repeats at most a thousand times.
                let digits = characters.clone().take_while(|c| *c != '}').collect::<String>();
                let too_many = |part: &str| part.parse::<u64>().is_ok_and(|count| count > 1_000);
                if digits.split(',').any(too_many) {
                    let message = format!("error parsing regexp: invalid repeat count: `{{{digits}}}`");
                    return Err(Failure::eval(message));
                }
                out.push(c);
            }
            '&' | '~' | '-' if in_class && out.ends_with(c) && c != '-' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    Ok(out)
}

fn quoted(characters: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
    let mut text = String::new();
    while let Some(c) = characters.next() {
        if c == '\\' && characters.peek() == Some(&'E') {
            characters.next();
            break;
        }
        text.push(c);
    }
    out.push_str(&regex::escape(&text));
}

fn ascii_class(kind: char, in_class: bool) -> &'static str {
    match (kind, in_class) {
        ('d', false) => "[0-9]",
        ('D', false) => "[^0-9]",
        ('s', false) => "[\\t\\n\\f\\r ]",
        ('S', false) => "[^\\t\\n\\f\\r ]",
        ('w', false) => "[0-9A-Za-z_]",
        ('W', false) => "[^0-9A-Za-z_]",
        ('d', true) => "0-9",
        ('D', true) => "[^0-9]",
        ('s', true) => "\\t\\n\\f\\r ",
        ('S', true) => "[^\\t\\n\\f\\r ]",
        ('w', true) => "0-9A-Za-z_",
        _ => "[^0-9A-Za-z_]",
    }
}

fn limit(a: &[Value]) -> Result<usize> {
    Ok(usize::try_from(args::integer(a, 2)?).unwrap_or(usize::MAX))
}

fn groups(_: &Regex, captures: &regex::Captures<'_>) -> Value {
    let group = |group: Option<regex::Match<'_>>| Value::string(group.map_or("", |group| group.as_str()));
    Value::List(captures.iter().map(group).collect())
}

fn named(pattern: &Regex, captures: &regex::Captures<'_>) -> Value {
    let mut fields: Vec<(Arc<str>, Value)> = Vec::new();
    for name in pattern.capture_names().flatten() {
        let text = captures.name(name).map_or("", |group| group.as_str());
        fields.push((name.into(), Value::string(text)));
    }
    // As the members of a map: by name.
    fields.sort_by(|(a, _), (b, _)| a.cmp(b));
    Value::Struct(fields)
}

type Convert = fn(&Regex, &regex::Captures<'_>) -> Value;

fn first(a: &[Value], convert: Convert) -> Result {
    let pattern = compile(args::text(a, 0)?)?;
    let captures = pattern.captures(args::text(a, 1)?).ok_or_else(no_match)?;
    Ok(convert(&pattern, &captures))
}

fn all(a: &[Value], convert: Convert) -> Result {
    let pattern = compile(args::text(a, 0)?)?;
    let found = pattern.captures_iter(args::text(a, 1)?).take(limit(a)?);
    let found: Vec<Value> = found.map(|captures| convert(&pattern, &captures)).collect();
    if found.is_empty() { Err(no_match()) } else { Ok(Value::List(found)) }
}

fn quote(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn replace(a: &[Value], host: &mut dyn Host, expand: bool) -> Result {
    let pattern = compile(args::text(a, 0)?)?;
    let (text, by) = (args::text(a, 1)?, args::text(a, 2)?);
    args::check_size(host, text.len().saturating_add((text.len() + 1).saturating_mul(by.len())))?;
    if expand { string(pattern.replace_all(text, by).into_owned()) } else { string(pattern.replace_all(text, regex::NoExpand(by)).into_owned()) }
}
