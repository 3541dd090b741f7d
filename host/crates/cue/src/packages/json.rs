//! `encoding/json`

use super::arguments::{self as args, ANY, BYTES, CONSTRAINT, LIST, Result, STRING, boolean, function, string};
use crate::builtin::{Demand, Failure, Function, Package};
use crate::data::{self, DecodeError, Format};
use crate::export::json as export;
use crate::{Kinds, Value};

const S: Kinds = Kinds::STRING;

const FUNCTIONS: &[Function] = &[
    function("Compact", &[BYTES], S, |a, _| string(reformat(args::utf8(a, 0)?, None)?)),
    function("HTMLEscape", &[BYTES], S, |a, _| string(html_escape(args::utf8(a, 0)?))),
    function("Indent", &[BYTES, STRING, STRING], S, |a, host| {
        let (text, prefix, indent) = (args::utf8(a, 0)?, args::text(a, 1)?, args::text(a, 2)?);
        args::check_size(host, text.len().saturating_mul(prefix.len() + 1))?;
        string(reformat(text, Some((prefix, indent)))?)
    }),
    function("Marshal", &[ANY], S, |a, _| string(marshal(args::value(a, 0)?)?)),
    function("MarshalStream", &[LIST], S, |a, _| {
        let lines: Result<Vec<String>> = args::list(a, 0)?.iter().map(|value| Ok(marshal(value)? + "\n")).collect();
        string(lines?.concat())
    }),
    function("Unmarshal", &[BYTES], Kinds::TOP, |a, _| unmarshal(args::utf8(a, 0)?)),
    function("UnmarshalStream", &[BYTES], Kinds::TOP, |a, _| {
        let values = data::decode(Format::JsonLines, args::utf8(a, 0)?.as_bytes());
        Ok(Value::List(values.map_err(invalid)?))
    }),
    function("Valid", &[BYTES], Kinds::BOOL, |a, _| boolean(data::check_json(args::utf8(a, 0)?).is_ok())),
    function("Validate", &[BYTES, CONSTRAINT], Kinds::BOOL, |a, host| {
        let value = unmarshal(args::utf8(a, 0)?)?;
        host.accepts(args::constraint(a, 1)?, &value, Demand::Present)?;
        boolean(true)
    }),
];

pub(super) static JSON: Package = Package { path: "encoding/json", functions: FUNCTIONS, source: "" };

fn invalid(error: DecodeError) -> Failure {
    Failure::eval(format!("json: invalid JSON: {error}"))
}

fn marshal(value: &Value) -> Result<String> {
    export::compact(value).map_err(args::not_json)
}

/// The value of a JSON text.
pub(super) fn unmarshal(text: &str) -> Result {
    args::decoded(data::decode(Format::Json, text.as_bytes()))
}

/// The same text without white space, or laid out with a prefix and an indentation.
fn reformat(text: &str, layout: Option<(&str, &str)>) -> Result<String> {
    data::check_json(text).map_err(invalid)?;
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut characters = text.trim_matches([' ', '\t', '\r', '\n']).chars().peekable();
    let line = |out: &mut String, depth: usize| {
        if let Some((prefix, indent)) = layout {
            out.push('\n');
            out.push_str(prefix);
            (0..depth).for_each(|_| out.push_str(indent));
        }
    };
    while let Some(c) = characters.next() {
        match c {
            '"' => copy_string(&mut characters, &mut out),
            ' ' | '\t' | '\r' | '\n' => {}
            '{' | '[' => {
                out.push(c);
                while characters.peek().is_some_and(|c| c.is_ascii_whitespace()) {
                    characters.next();
                }
                if matches!(characters.peek(), Some('}' | ']')) {
                    out.extend(characters.next());
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(if layout.is_some() { ": " } else { ":" }),
            _ => out.push(c),
        }
    }
    if layout.is_some() {
        // White space behind the value is kept.
        let rest = text.len() - text.trim_end_matches([' ', '\t', '\r', '\n']).len();
        out.push_str(text.get(text.len() - rest..).unwrap_or(""));
    }
    Ok(out)
}

fn copy_string(characters: &mut impl Iterator<Item = char>, out: &mut String) {
    out.push('"');
    while let Some(c) = characters.next() {
        out.push(c);
        match c {
            '"' => return,
            '\\' => out.extend(characters.next()),
            _ => {}
        }
    }
}

fn html_escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out
}
