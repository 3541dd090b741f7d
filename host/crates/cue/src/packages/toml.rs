//! `encoding/toml`
//!
//! Tables are sorted by name, values before tables, strings in single quotation marks where they can be: what CUE
//! writes.

use std::sync::Arc;

use super::arguments::{self as args, ANY, BYTES, Result, function, string};
use crate::builtin::{Failure, Function, Package};
use crate::data::{self, Format};
use crate::{Kinds, Number, Value};

const FUNCTIONS: &[Function] = &[
    function("Marshal", &[ANY], Kinds::STRING, |a, _| {
        let mut out = String::new();
        write(&mut out, args::value(a, 0)?, &mut Vec::new(), Place::Top)?;
        string(out)
    }),
    function("Unmarshal", &[BYTES], Kinds::TOP, |a, _| args::decoded(data::decode(Format::Toml, args::bytes(a, 0)?))),
];

pub(super) static TOML: Package = Package { path: "encoding/toml", functions: FUNCTIONS, source: "" };

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Where a table may have a header.
    Top,
    /// Below the header of an array of tables.
    Headed,
    /// Behind an equals sign.
    Inline,
}

/// Whether it is written as a table or an array of tables.
fn is_table(value: &Value) -> bool {
    match value {
        Value::Struct(_) => true,
        Value::List(elements) => !elements.is_empty() && elements.iter().all(|element| matches!(element, Value::Struct(_))),
        _ => false,
    }
}

fn write(out: &mut String, value: &Value, path: &mut Vec<Arc<str>>, place: Place) -> Result<()> {
    match value {
        Value::Null => return Err(Failure::eval("toml: encoding null is not supported")),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Bytes(bytes) => {
            let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
            out.push_str(&format!("[{}]", bytes.join(", ")));
        }
        Value::List(elements) if place != Place::Inline && is_table(value) => {
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    out.push('\n');
                }
                out.push_str(&format!("[[{}]]\n", header(path)));
                write(out, element, path, Place::Headed)?;
            }
        }
        Value::List(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write(out, element, path, Place::Inline)?;
            }
            out.push(']');
        }
        Value::Struct(fields) => write_table(out, fields, path, place)?,
        Value::Partial { .. } | Value::Handle(_) => {
            return Err(Failure::incomplete("a part of the value is not concrete"));
        }
    }
    Ok(())
}

fn write_table(out: &mut String, fields: &[(Arc<str>, Value)], path: &mut Vec<Arc<str>>, place: Place) -> Result<()> {
    // Null is what TOML does not have: such fields are left out.
    let mut fields: Vec<&(Arc<str>, Value)> = fields.iter().filter(|(_, value)| *value != Value::Null).collect();
    fields.sort_by(|(a, _), (b, _)| a.cmp(b));
    if place == Place::Inline {
        out.push('{');
        for (at, (name, value)) in fields.into_iter().enumerate() {
            out.push_str(if at > 0 { ", " } else { "" });
            out.push_str(&format!("{} = ", key(name)));
            write(out, value, path, Place::Inline)?;
        }
        out.push('}');
        return Ok(());
    }
    if place == Place::Top && !path.is_empty() {
        out.push_str(&format!("[{}]\n", header(path)));
    }
    let (tables, values): (Vec<_>, Vec<_>) = fields.into_iter().partition(|(_, value)| is_table(value));
    for (name, value) in &values {
        out.push_str(&format!("{} = ", key(name)));
        write(out, value, path, Place::Inline)?;
        out.push('\n');
    }
    for (at, (name, value)) in tables.into_iter().enumerate() {
        if at > 0 || !values.is_empty() {
            out.push('\n');
        }
        path.push(Arc::clone(name));
        write(out, value, path, Place::Top)?;
        path.pop();
    }
    Ok(())
}

fn header(path: &[Arc<str>]) -> String {
    path.iter().map(|name| key(name)).collect::<Vec<_>>().join(".")
}

fn key(name: &str) -> String {
    if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
        return name.to_owned();
    }
    let mut out = String::new();
    write_string(&mut out, name);
    out
}

fn write_number(out: &mut String, number: &Number) {
    match number {
        Number::Int(value) => out.push_str(&value.to_string()),
        // TOML's integers have 64 bits.
        Number::Big(value) => out.push_str(&format!("'{value}'")),
        Number::NaN => out.push_str("nan"),
        other => {
            let value = other.to_f64();
            out.push_str(&match value {
                value if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.to_owned(),
                value if value.fract() == 0.0 => format!("{value:.1}"),
                value => value.to_string(),
            });
        }
    }
}

fn write_string(out: &mut String, text: &str) {
    let control = |c: char| c != '\t' && (c.is_ascii_control() || c == '\u{7f}');
    if !text.contains(|c| c == '\'' || control(c)) {
        out.push_str(&format!("'{text}'"));
        return;
    }
    out.push('"');
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if control(c) => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}
