//! `encoding/json`

use std::sync::Arc;

use super::arguments::{self as args, ANY, BYTES, CONSTRAINT, LIST, Result, STRING, boolean, function, string};
use crate::builtin::{Failure, Function, Package};
use crate::export::json as export;
use crate::syntax::literal;
use crate::{Kinds, Number, Value};

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
        let stream = serde_json::Deserializer::from_str(args::utf8(a, 0)?).into_iter::<serde_json::Value>();
        let values: std::result::Result<Vec<_>, _> = stream.collect();
        let values: Result<Vec<Value>> = values.map_err(invalid)?.iter().map(from_json).collect();
        Ok(Value::List(values?))
    }),
    function("Valid", &[BYTES], Kinds::BOOL, |a, _| {
        boolean(serde_json::from_str::<serde::de::IgnoredAny>(args::utf8(a, 0)?).is_ok())
    }),
    function("Validate", &[BYTES, CONSTRAINT], Kinds::BOOL, |a, host| {
        let value = unmarshal(args::utf8(a, 0)?)?;
        host.accepts(args::constraint(a, 1)?, &value)?;
        boolean(true)
    }),
];

pub(super) static JSON: Package = Package { path: "encoding/json", functions: FUNCTIONS, source: "" };

fn invalid(error: serde_json::Error) -> Failure {
    Failure::eval(format!("json: invalid JSON: {error}"))
}

fn marshal(value: &Value) -> Result<String> {
    export::compact(value).map_err(|error| match error {
        export::NotConcrete::Open => Failure::incomplete("a part of the value is not concrete"),
        export::NotConcrete::NotRepresentable(what) => Failure::eval(format!("json: {what} cannot be written as JSON")),
    })
}

/// The value of a JSON text.
pub(super) fn unmarshal(text: &str) -> Result {
    from_json(&serde_json::from_str(text).map_err(invalid)?)
}

/// A JSON value as CUE reads it. The reader bounds how deep it is.
pub(super) fn from_json(value: &serde_json::Value) -> Result {
    Ok(match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => match literal::number(&number.to_string()) {
            Ok(literal::Number::Integer(value)) => Value::Number(Number::from(value)),
            Ok(literal::Number::Float(value)) => Value::Number(Number::from(value)),
            Err(error) => return Err(Failure::eval(error.to_string())),
        },
        serde_json::Value::String(text) => Value::string(text.as_str()),
        serde_json::Value::Array(elements) => Value::List(elements.iter().map(from_json).collect::<Result<_>>()?),
        serde_json::Value::Object(members) => {
            let field = |(name, value): (&String, &serde_json::Value)| Ok((Arc::from(name.as_str()), from_json(value)?));
            Value::Struct(members.iter().map(field).collect::<Result<_>>()?)
        }
    })
}

/// The same text without white space, or laid out with a prefix and an indentation.
fn reformat(text: &str, layout: Option<(&str, &str)>) -> Result<String> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(invalid)?;
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
