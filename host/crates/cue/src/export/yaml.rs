//! Values as YAML.
//!
//! Two blanks a level, fields in the value's order. A string stands without quotation marks where every reader of YAML
//! 1.1 and 1.2 takes it for a string; over several lines as a literal block where that keeps every character.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::json::NotConcrete;
use crate::{Number, Value};

/// How many bytes a name may have that stands before its colon.
const LONGEST_KEY: usize = 128;

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
fn members(out: &mut String, fields: &[(std::sync::Arc<str>, Value)], depth: usize, first_indented: bool) -> Result<(), NotConcrete> {
    for (at, (name, value)) in fields.iter().enumerate() {
        if at > 0 || first_indented {
            indent(out, depth);
        }
        if name.contains('\n') || name.len() > LONGEST_KEY {
            long_key(out, name, value, depth)?;
            continue;
        }
        key(out, name);
        out.push(':');
        nested(out, value, depth)?;
    }
    Ok(())
}

/// A name that does not fit before a colon.
fn long_key(out: &mut String, name: &str, value: &Value, depth: usize) -> Result<(), NotConcrete> {
    out.push_str("? ");
    string(out, name, depth);
    out.push('\n');
    indent(out, depth);
    out.push_str(": ");
    match value {
        Value::Struct(fields) if !fields.is_empty() => members(out, fields, depth + 1, false),
        Value::List(elements) if !elements.is_empty() => items(out, elements, depth + 1, false),
        other => {
            scalar(out, other, depth)?;
            out.push('\n');
            Ok(())
        }
    }
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
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::String(text) => string(out, text, depth),
        // Bytes of several lines are written like a text of several lines, although their base64 has one.
        Value::Bytes(bytes) if std::str::from_utf8(bytes).is_ok_and(|text| text.contains('\n')) => {
            out.push_str("!!binary ");
            block(out, &STANDARD.encode(bytes), depth);
        }
        Value::Bytes(bytes) => out.push_str(format!("!!binary {}", STANDARD.encode(bytes)).trim_end()),
        Value::Struct(_) => out.push_str("{}"),
        Value::List(_) => out.push_str("[]"),
        Value::Partial { .. } | Value::Handle(_) => return Err(NotConcrete::Open),
    }
    Ok(())
}

/// A number; one that is no integer by kind ends in a point at least.
fn number_text(number: &Number) -> String {
    let text = number.data_text();
    if text.len() < number.to_string().len() { format!("{text}.") } else { text.replace('e', "E") }
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
    let printable = text.chars().all(|c| matches!(c, '\n' | '\t') || is_printable(c));
    printable && !text.contains(['\u{2028}', '\u{2029}']) && !text.contains(" \n") && !text.ends_with(' ')
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
    } else if text.ends_with("\n\n") || text == "\n" {
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
    let breaks = text.contains(['\u{2028}', '\u{2029}']);
    !breaks && !indicator && !dash && !documents && !spaced && !marks
}

/// Whether a plain text would be read as something else than a string, by a reader of YAML 1.1 or 1.2.
fn is_other(text: &str) -> bool {
    let words = ["y", "yes", "n", "no", "t", "f", "on", "off", "true", "false"];
    let lower = text.to_ascii_lowercase();
    let cased = lower == text || text.chars().all(|c| !c.is_ascii_lowercase()) || is_title(text);
    if words.contains(&lower.as_str()) && cased || text == ".Nan" {
        return true;
    }
    crate::data::yaml_kind(text) != "str" || is_time(text) || is_like_time(text)
}

fn is_title(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_ascii_uppercase()) && characters.all(|c| c.is_ascii_lowercase())
}

/// The times that readers of YAML know.
fn is_time(text: &str) -> bool {
    let layouts = ["2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999", "2006-1-2"];
    let year = text.bytes().take_while(u8::is_ascii_digit).count();
    year == 4 && layouts.iter().any(|layout| crate::packages::is_time(layout, text))
}

/// What may be a time, or a number of base 60 or 16, for some reader: digits and signs around one that times have.
fn is_like_time(text: &str) -> bool {
    let sign = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | ':' | '.' | ' ' | '\t');
    if let Some(digits) = text.strip_prefix("0x") {
        return !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let text = text.strip_suffix(['z', 'Z']).unwrap_or(text);
    let middle = |at: usize, c: char| {
        let (before, after) = (text.get(..at).unwrap_or(""), text.get(at + 1..).unwrap_or(""));
        let split = matches!(c, '-' | ':' | 't' | 'T') && !before.is_empty() && !after.is_empty();
        split && before.chars().all(sign) && after.chars().all(sign)
    };
    text.char_indices().any(|(at, c)| middle(at, c))
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
