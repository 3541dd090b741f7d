//! Values as YAML.
//!
//! Two blanks a level, fields in the value's order. A string stands without quotation marks where every reader of YAML
//! 1.1 and 1.2 takes it for a string; over several lines as a literal block where that keeps every character.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::json::NotConcrete;
use crate::{Number, Value};

/// A value as YAML; ends in a line break.
pub fn document(value: &Value) -> Result<String, NotConcrete> {
    let mut out = String::new();
    match value {
        Value::Struct(fields) if !fields.is_empty() => members(&mut out, fields, 0, true)?,
        Value::List(elements) if !elements.is_empty() => items(&mut out, elements, 0, true)?,
        other => {
            scalar(&mut out, other, 0)?;
            out.push('\n');
        }
    }
    Ok(out)
}

fn indent(out: &mut String, depth: usize) {
    (0..depth).for_each(|_| out.push_str("  "));
}

/// The fields of a struct; the first is already indented where it follows a dash.
fn members(
    out: &mut String,
    fields: &[(std::sync::Arc<str>, Value)],
    depth: usize,
    first_indented: bool,
) -> Result<(), NotConcrete> {
    for (at, (name, value)) in fields.iter().enumerate() {
        if at > 0 || first_indented {
            indent(out, depth);
        }
        key(out, name);
        out.push(':');
        nested(out, value, depth)?;
    }
    Ok(())
}

/// What stands behind a colon.
fn nested(out: &mut String, value: &Value, depth: usize) -> Result<(), NotConcrete> {
    match value {
        Value::Struct(fields) if !fields.is_empty() => {
            out.push('\n');
            members(out, fields, depth + 1, true)
        }
        Value::List(elements) if !elements.is_empty() => {
            out.push('\n');
            items(out, elements, depth + 1, true)
        }
        other => {
            out.push(' ');
            scalar(out, other, depth)?;
            out.push('\n');
            Ok(())
        }
    }
}

fn items(out: &mut String, elements: &[Value], depth: usize, first_indented: bool) -> Result<(), NotConcrete> {
    for (at, element) in elements.iter().enumerate() {
        if at > 0 || first_indented {
            indent(out, depth);
        }
        out.push_str("- ");
        match element {
            Value::Struct(fields) if !fields.is_empty() => members(out, fields, depth + 1, false)?,
            Value::List(elements) if !elements.is_empty() => items(out, elements, depth + 1, false)?,
            other => {
                scalar(out, other, depth)?;
                out.push('\n');
            }
        }
    }
    Ok(())
}

fn key(out: &mut String, name: &str) {
    line(out, name);
}

fn scalar(out: &mut String, value: &Value, depth: usize) -> Result<(), NotConcrete> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(Number::NaN) => out.push_str(".nan"),
        Value::Number(Number::Infinity(negative)) => out.push_str(if *negative { "-.inf" } else { "+.inf" }),
        Value::Number(number) => out.push_str(&number.to_string().replace('e', "E")),
        Value::String(text) => string(out, text, depth),
        Value::Bytes(bytes) => out.push_str(format!("!!binary {}", STANDARD.encode(bytes)).trim_end()),
        Value::Struct(_) => out.push_str("{}"),
        Value::List(_) => out.push_str("[]"),
        Value::Partial { .. } | Value::Handle(_) => return Err(NotConcrete::Open),
    }
    Ok(())
}

fn string(out: &mut String, text: &str, depth: usize) {
    if text.contains('\n') && fits_block(text) { block(out, text, depth) } else { line(out, text) }
}

/// A string on one line: plain, else in single quotation marks, else in double ones.
fn line(out: &mut String, text: &str) {
    if text.is_empty() || is_other(text) || !text.chars().all(is_printable) {
        double_quoted(out, text);
    } else if is_plain(text) {
        out.push_str(text);
    } else {
        out.push('\'');
        out.push_str(&text.replace('\'', "''"));
        out.push('\'');
    }
}

/// Whether a literal block keeps a text as it is.
fn fits_block(text: &str) -> bool {
    let printable = text.chars().all(|c| c == '\n' || is_printable(c));
    printable && !text.contains(" \n") && !text.ends_with(' ') && text.chars().any(|c| c != '\n' && c != ' ')
}

fn is_printable(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

fn block(out: &mut String, text: &str, depth: usize) {
    out.push('|');
    if text.starts_with([' ', '\n']) {
        out.push('2');
    }
    if !text.ends_with('\n') {
        out.push('-');
    } else if text.ends_with("\n\n") {
        out.push('+');
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            indent(out, depth + 1);
            out.push_str(line);
        }
    }
}

/// Whether the signs in a string on one line have no meaning of their own.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    let indicator = matches!(first, '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`');
    let second = text.chars().nth(1);
    let dash = matches!(first, '-' | '?' | ':') && second.is_none_or(|c| c == ' ');
    let documents = text.starts_with("---") || text.starts_with("...");
    let spaced = text.starts_with(' ') || text.ends_with(' ');
    let marks = text.contains(": ") || text.ends_with(':') || text.contains(" #");
    !indicator && !dash && !documents && !spaced && !marks
}

/// Whether a plain text would be read as something else than a string.
fn is_other(text: &str) -> bool {
    let words = ["y", "yes", "n", "no", "t", "f", "on", "off", "true", "false", "null", "~", "<<", "="];
    let lower = text.to_ascii_lowercase();
    if words.contains(&lower.as_str()) && (lower == text || text.chars().all(|c| !c.is_ascii_lowercase()) || is_title(text)) {
        return true;
    }
    is_number(&lower) || is_date(text)
}

fn is_title(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_ascii_uppercase()) && characters.all(|c| c.is_ascii_lowercase())
}

fn is_number(lower: &str) -> bool {
    let unsigned = lower.strip_prefix(['-', '+']).unwrap_or(lower);
    if matches!(unsigned, ".inf" | ".nan") {
        return true;
    }
    let digits = unsigned.replace('_', "");
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(rest) = digits.strip_prefix(prefix) {
            return !rest.is_empty() && rest.chars().all(|c| c.is_digit(radix));
        }
    }
    let starts = digits.starts_with(|c: char| c.is_ascii_digit()) || digits.starts_with('.') && digits.len() > 1;
    let sexagesimal = digits.contains(':') && digits.split(':').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
    starts && (digits.parse::<f64>().is_ok() || sexagesimal)
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (0..4).all(digit) && bytes.get(4) == Some(&b'-') && digit(5) && (bytes.get(6) == Some(&b'-') || bytes.get(7) == Some(&b'-'))
}

fn double_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0' => out.push_str("\\0"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            '\u{85}' => out.push_str("\\N"),
            '\u{a0}' => out.push_str("\\_"),
            '\u{2028}' => out.push_str("\\L"),
            '\u{2029}' => out.push_str("\\P"),
            c if is_printable(c) => out.push(c),
            c => {
                let code = u32::from(c);
                out.push_str(&match code {
                    ..0x100 => format!("\\x{code:02X}"),
                    ..0x10000 => format!("\\u{code:04X}"),
                    _ => format!("\\U{code:08X}"),
                });
            }
        }
    }
    out.push('"');
}
