//! Values as JSON.
//!
//! Fields are in the value's order; strings escape what JSON demands and what is dangerous in HTML, as CUE does; bytes
//! are base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::session::{Concrete, Session};
use crate::{Node, Number, Value};

/// Why a value cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotConcrete {
    /// Something in it is not concrete.
    Open,
    /// A value that JSON does not have.
    NotRepresentable(String),
}

/// JSON on one line without blanks.
pub fn compact(value: &Value) -> Result<String, NotConcrete> {
    let mut out = String::new();
    write(&mut out, value, None, false)?;
    Ok(out)
}

/// A settled node of a session as [`pretty`] writes its value, without a tree between; `None` where something in it is not
/// concrete: what and why, a tree tells.
pub fn pretty_node(session: &Session, node: Node) -> Option<String> {
    let mut out = String::new();
    write_node(&mut out, session, node, 0)?;
    out.push('\n');
    Some(out)
}

/// JSON over several lines, each level indented by four blanks; ends in a line break.
pub fn pretty(value: &Value) -> Result<String, NotConcrete> {
    let mut out = String::new();
    write(&mut out, value, Some(0), false)?;
    out.push('\n');
    Ok(out)
}

fn line(out: &mut String, depth: Option<usize>) {
    if let Some(depth) = depth {
        out.push('\n');
        (0..depth).for_each(|_| out.push_str("    "));
    }
}

fn write(out: &mut String, value: &Value, depth: Option<usize>, html: bool) -> Result<(), NotConcrete> {
    let inner = depth.map(|depth| depth + 1);
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => write_number(out, number)?,
        Value::String(text) => write_string(out, text, html),
        Value::Bytes(bytes) => write_string(out, &STANDARD.encode(bytes), html),
        Value::List(elements) if elements.is_empty() => out.push_str("[]"),
        Value::List(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, inner);
                write(out, element, inner, html)?;
            }
            line(out, depth);
            out.push(']');
        }
        Value::Struct(fields) if fields.is_empty() => out.push_str("{}"),
        Value::Struct(fields) => {
            out.push('{');
            for (at, (name, value)) in fields.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, inner);
                write_string(out, name, html);
                out.push_str(if depth.is_some() { ": " } else { ":" });
                write(out, value, inner, html)?;
            }
            line(out, depth);
            out.push('}');
        }
        Value::Partial { .. } | Value::Handle(_) => return Err(NotConcrete::Open),
    }
    Ok(())
}

/// The deepest value that is written from a session.
const MAXIMUM_DEPTH: usize = 400;

fn write_node(out: &mut String, session: &Session, node: Node, depth: usize) -> Option<()> {
    if depth > MAXIMUM_DEPTH {
        return None;
    }
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || match session.concrete(node)? {
        Concrete::Scalar(value) => write(out, &value, None, false).ok(),
        Concrete::List(elements) => {
            let each = |out: &mut String, element: Node| write_node(out, session, element, depth + 1);
            write_all(out, ('[', ']'), elements, depth, each)
        }
        Concrete::Struct(fields) => write_all(out, ('{', '}'), fields, depth, |out, field| {
            write_string(out, session.label_text_of(field), false);
            out.push_str(": ");
            write_node(out, session, field, depth + 1)
        }),
    })
}

fn write_all(
    out: &mut String,
    (open, close): (char, char),
    parts: Vec<Node>,
    depth: usize,
    mut each: impl FnMut(&mut String, Node) -> Option<()>,
) -> Option<()> {
    out.push(open);
    let some = !parts.is_empty();
    for (at, part) in parts.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        line(out, Some(depth + 1));
        each(out, part)?;
    }
    if some {
        line(out, Some(depth));
    }
    out.push(close);
    Some(())
}

fn write_number(out: &mut String, number: &Number) -> Result<(), NotConcrete> {
    if matches!(number, Number::NaN | Number::Infinity(_)) {
        return Err(NotConcrete::NotRepresentable(number.to_string()));
    }
    out.push_str(&number.data_text().replace('e', "E"));
    Ok(())
}

/// A string of JSON.
pub(crate) fn write_string(out: &mut String, text: &str, html: bool) {
    out.push('"');
    let mut rest = text;
    // What needs no escape goes over as a whole.
    while let Some(at) = rest.find(|c: char| needs_escape(c, html)) {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = from.chars();
        if let Some(c) = chars.next() {
            write_escape(out, c);
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn needs_escape(c: char, html: bool) -> bool {
    match c {
        '"' | '\\' | '\u{2028}' | '\u{2029}' => true,
        '<' | '>' | '&' => html,
        _ => u32::from(c) < 0x20,
    }
}

fn write_escape(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        _ => out.push_str(&format!("\\u{:04x}", u32::from(c))),
    }
}
