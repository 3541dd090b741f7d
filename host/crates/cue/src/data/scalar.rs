//! Scalars of YAML: what kind they are and which value they have.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use saphyr_parser::ScalarStyle;

use crate::syntax::literal;
use crate::{Number, Value};

/// A scalar.
pub(super) struct Scalar {
    /// Nothing for a number that can only be a name: a whole one that YAML takes for a float.
    pub(super) value: Option<Value>,
    /// The name that it gives a field: strings their text, others as they are spelled in CUE.
    pub(super) label: Option<Arc<str>>,
    /// Whether it is the key `<<`.
    pub(super) merge: bool,
}

const NAMESPACE: &str = "tag:yaml.org,2002:";

/// Reads a scalar; `tag` is its full tag, if it has one.
pub(super) fn read(text: &str, style: ScalarStyle, tag: Option<&str>) -> Result<Scalar, String> {
    let explicit = tag.filter(|tag| !matches!(*tag, "" | "!")).map(|tag| tag.strip_prefix(NAMESPACE).unwrap_or(tag));
    let kind = match explicit {
        Some(kind) => kind,
        None if style != ScalarStyle::Plain => "str",
        None if text == "<<" => "merge",
        // Octal numbers of YAML 1.1 with digits that are not octal: a reader of numbers would take them for decimal.
        None => Some(resolve(text)).filter(|kind| *kind != "float" || !is_any_octal(text)).unwrap_or("str"),
    };
    let scalar = |value, label: &str| Scalar { value: Some(value), label: Some(label.into()), merge: false };
    Ok(match kind {
        "merge" if text == "<<" => Scalar { value: Some(Value::string(text)), label: None, merge: true },
        "str" | "timestamp" => scalar(Value::string(text), text),
        "binary" => {
            let bytes = STANDARD.decode(text.replace(['\n', '\r'], "")).map_err(|_| "!!binary value is not base64")?;
            scalar(Value::Bytes(bytes.into()), text)
        }
        "bool" => {
            let value = matches!(text, "true" | "True" | "TRUE");
            scalar(Value::Bool(value), if value { "true" } else { "false" })
        }
        "null" => scalar(Value::Null, "null"),
        "int" | "float" => number(text, kind)?,
        other => return Err(format!("values with the tag {other:?} are not supported")),
    })
}

fn number(text: &str, kind: &str) -> Result<Scalar, String> {
    let bytes = text.as_bytes();
    let octal = matches!(bytes, [b'0', b'0'..=b'9', ..]);
    let spelled = if octal { format!("0o{}", text.get(1..).unwrap_or("")) } else { text.to_owned() };
    let number = literal::number(&spelled).map_err(|error| format!("cannot read {spelled:?} as !!{kind}: {error}"))?;
    let (value, integer) = match number {
        literal::Number::Integer(value) => (Number::from(value), true),
        literal::Number::Float(value) => (Number::from(value), false),
    };
    if kind == "int" && !integer {
        return Err(format!("cannot read {spelled:?} as !!int: it is not an integer"));
    }
    let whole = kind == "float" && !spelled.contains(['.', 'e', 'E', 'i', 'I', 'n', 'N']);
    let label = if whole { format!("number & {spelled}") } else { spelled };
    // A name cannot be an expression.
    let label = (!label.starts_with('-')).then(|| label.into());
    // CUE makes an expression of it that it cannot read.
    Ok(Scalar { value: (!whole).then_some(Value::Number(value)), label, merge: false })
}

/// What a plain scalar without a tag is.
pub(crate) fn resolve(text: &str) -> &'static str {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return "null",
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => return "bool",
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf" | "-.INF" => {
            return "float";
        }
        _ => {}
    }
    let plain = text.replace('_', "");
    match text.as_bytes().first() {
        Some(b'.') if is_float(&plain) => "float",
        Some(b'0'..=b'9' | b'+' | b'-') if is_integer(&plain) => "int",
        Some(b'0'..=b'9' | b'+' | b'-') if is_float(&plain) => "float",
        _ => "str",
    }
}

/// Whether it is an integer of 64 bits, as Go reads one: a leading zero is octal.
fn is_integer(plain: &str) -> bool {
    let negative = plain.starts_with('-');
    let digits = plain.strip_prefix(['+', '-']).unwrap_or(plain);
    let lower = digits.to_ascii_lowercase();
    let prefixed = [("0x", 16), ("0b", 2), ("0o", 8)].into_iter().find_map(|(prefix, radix)| Some((lower.strip_prefix(prefix)?, radix)));
    let (digits, radix) = match prefixed {
        Some(found) => found,
        None if lower.len() > 1 && lower.starts_with('0') => (lower.get(1..).unwrap_or(""), 8),
        None => (lower.as_str(), 10),
    };
    if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
        return false;
    }
    let limit = if negative { 1_u64 << 63 } else { u64::MAX };
    let signed = plain.starts_with('+');
    u64::from_str_radix(digits, radix).is_ok_and(|value| value <= limit && !(signed && value > i64::MAX as u64))
}

/// Whether it is a float in the style of YAML 1.2 that a binary number of 64 bits can hold.
fn is_float(plain: &str) -> bool {
    let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(plain);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let some = !whole.is_empty() || !fraction.is_empty();
    let exponent = exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent));
    some && digits(whole) && digits(fraction) && exponent && plain.parse::<f64>().is_ok_and(f64::is_finite)
}

fn is_any_octal(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
}
