//! What literals mean, and how values are written as literals.
//!
//! Kept true here: decoding a literal that the parser accepted does not fail; quoting a text and decoding it gives the
//! text back. Numbers keep the digits that were written: `1.50` is 150 with two decimals.

mod quote;
mod text;

use bigdecimal::BigDecimal;
use num_bigint::BigInt;

use super::ast::Interpolation;
pub use quote::{Form, is_plain_label, quote_label};
use text::Quotes;

/// Why a literal has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiteralError {
    /// It is no number.
    #[error("invalid number {0}")]
    Number(String),
    /// `1.2345K` and the like.
    #[error("{0} is not a whole number")]
    Fraction(String),
    /// An exponent that does not fit.
    #[error("the exponent of {0} is too large")]
    Exponent(String),
    /// More digits than a number may have.
    #[error("the number has {0} digits; at most {DIGITS} are possible")]
    TooLong(usize),
    /// Quotation marks that do not fit together, or a foreign character.
    #[error("invalid string literal")]
    Syntax,
    /// The first line of a multi-line string.
    #[error("a multi-line string must begin on the line behind its quotation marks")]
    OpeningLine,
    /// The last line of a multi-line string.
    #[error("the closing quotation marks of a multi-line string must stand on a line of their own")]
    ClosingLine,
    /// A line with less white space than the last.
    #[error("a line of this multi-line string does not start with the white space in front of the closing quotation marks")]
    Indentation,
    /// Half a pair of `\u` escapes.
    #[error("a \\u escape is half of a surrogate pair")]
    Surrogate,
}

/// The value of a string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// `"…"`
    String(String),
    /// `'…'`
    Bytes(Vec<u8>),
}

/// The value of a number literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    /// `1`, `0x1F`, `4Ki`
    Integer(BigInt),
    /// `1.5`, `1e9`; digits and scale as they were written.
    Float(BigDecimal),
}

/// The pieces of an interpolation; one more than it has expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// Of `"…"`.
    Strings(Vec<String>),
    /// Of `'…'`.
    Bytes(Vec<Vec<u8>>),
}

/// The value of a string or bytes literal.
pub fn string(literal: &str) -> Result<Text, LiteralError> {
    let (quotes, start) = Quotes::parse(literal, literal)?;
    let value = quotes.decode(literal.get(start..).unwrap_or(""))?;
    if quotes.is_bytes() { Ok(Text::Bytes(value)) } else { String::from_utf8(value).map(Text::String).map_err(|_| LiteralError::Syntax) }
}

/// The value of a string literal that is no bytes literal.
pub fn plain_string(literal: &str) -> Option<String> {
    match string(literal) {
        Ok(Text::String(text)) => Some(text),
        _ => None,
    }
}

/// The values of the pieces of an interpolation.
pub fn interpolation(node: &Interpolation) -> Result<Pieces, LiteralError> {
    let (Some(first), Some(last)) = (node.pieces.first(), node.pieces.last()) else {
        return Err(LiteralError::Syntax);
    };
    let (quotes, mut start) = Quotes::parse(&first.text, &last.text)?;
    let mut values = Vec::with_capacity(node.pieces.len());
    for piece in &node.pieces {
        values.push(quotes.decode(piece.text.get(start..).unwrap_or(""))?);
        // All but the first begin with the closing parenthesis.
        start = 1;
    }
    if quotes.is_bytes() {
        return Ok(Pieces::Bytes(values));
    }
    let strings: Result<Vec<_>, _> = values.into_iter().map(String::from_utf8).collect();
    strings.map(Pieces::Strings).map_err(|_| LiteralError::Syntax)
}

/// The white space that the lines of a multi-line literal share; `None` for other literals.
pub(super) fn multi_line_indent(first: &str, last: &str) -> Option<String> {
    let (quotes, _) = Quotes::parse(first, last).ok()?;
    quotes.multi_line_indent().map(str::to_owned)
}

/// How many digits a number may be written with.
const DIGITS: usize = 300_000;

/// The value of a number literal, which may have a sign.
pub fn number(literal: &str) -> Result<Number, LiteralError> {
    if literal.len() > DIGITS {
        return Err(LiteralError::TooLong(literal.len()));
    }
    let invalid = || LiteralError::Number(literal.to_owned());
    let (negative, digits) = match literal.as_bytes() {
        [b'-', ..] => (true, literal.get(1..).unwrap_or("")),
        [b'+', ..] => (false, literal.get(1..).unwrap_or("")),
        _ => (false, literal),
    };
    let well_placed = |text: &str| !text.starts_with('_') && !text.ends_with('_') && !text.contains("__");
    for (prefix, radix) in [("0x", 16), ("0X", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = digits.strip_prefix(prefix) {
            if digits.ends_with('_') || digits.contains("__") || digits.starts_with(['+', '-']) {
                return Err(invalid());
            }
            let value = BigInt::parse_bytes(digits.replace('_', "").as_bytes(), radix).ok_or_else(invalid)?;
            return Ok(Number::Integer(if negative { -value } else { value }));
        }
    }
    let (mantissa, multiplier) = split_multiplier(digits);
    let (mantissa, exponent) = match mantissa.split_once(['e', 'E']) {
        Some((mantissa, exponent)) if multiplier.is_none() => (mantissa, Some(exponent)),
        Some(_) => return Err(invalid()),
        None => (mantissa, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits_only = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let fraction_digits = fraction.unwrap_or("");
    let unsigned = exponent.map_or("0", |text| text.strip_prefix(['+', '-']).unwrap_or(text));
    let parts = [whole, fraction_digits, unsigned];
    let empty = whole.is_empty() && fraction_digits.is_empty() || unsigned.is_empty();
    if empty || !parts.iter().all(|text| digits_only(text) && well_placed(text)) {
        return Err(invalid());
    }
    let is_integer = fraction.is_none() && exponent.is_none();
    if is_integer && whole.len() > 1 && whole.starts_with('0') {
        return Err(invalid());
    }
    let plain = format!("{whole}{fraction_digits}").replace('_', "");
    let coefficient = BigInt::parse_bytes(plain.as_bytes(), 10).ok_or_else(invalid)?;
    let coefficient = if negative { -coefficient } else { coefficient };
    let decimals = fraction_digits.bytes().filter(|byte| *byte != b'_').count();
    if let Some(multiplier) = multiplier {
        return multiplied(coefficient, decimals, multiplier, literal);
    }
    if is_integer {
        return Ok(Number::Integer(coefficient));
    }
    let exponent: i64 = match exponent {
        Some(text) => text.replace('_', "").parse().map_err(|_| LiteralError::Exponent(literal.to_owned()))?,
        None => 0,
    };
    // More than the largest exponent that decimals have anywhere in CUE.
    if exponent.unsigned_abs() > 1_000_000_000 {
        return Err(LiteralError::Exponent(literal.to_owned()));
    }
    Ok(Number::Float(BigDecimal::new(coefficient, decimals as i64 - exponent)))
}

/// `4Ki` as `4` and 1024.
fn split_multiplier(digits: &str) -> (&str, Option<u64>) {
    let (rest, base) = match digits.strip_suffix('i') {
        Some(rest) => (rest, 1024_u64),
        None => (digits, 1000),
    };
    for (power, suffix) in [(1, 'K'), (2, 'M'), (3, 'G'), (4, 'T'), (5, 'P')] {
        if let Some(mantissa) = rest.strip_suffix(suffix) {
            return (mantissa, Some(base.pow(power)));
        }
    }
    (digits, None)
}

fn multiplied(coefficient: BigInt, decimals: usize, multiplier: u64, literal: &str) -> Result<Number, LiteralError> {
    let product = coefficient * multiplier;
    let divisor = num_traits::pow(BigInt::from(10), decimals);
    let (quotient, rest) = num_integer::Integer::div_rem(&product, &divisor);
    if rest != BigInt::from(0) {
        return Err(LiteralError::Fraction(literal.to_owned()));
    }
    Ok(Number::Integer(quotient))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(literal: &str) -> String {
        match string(literal) {
            Ok(Text::String(text)) => format!("{text:?}"),
            Ok(Text::Bytes(bytes)) => format!("{bytes:?}"),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn strings_are_decoded() {
        for (literal, expected) in [
            (r#""""#, r#""""#),
            (r#""a\tb\"\\\/""#, r#""a\tb\"\\/""#),
            (r#""\u00e9\U0001F600""#, "\"é😀\""),
            (r#""\ud83d\ude00""#, "\"😀\""),
            (r#""\ud83d""#, "error: a \\u escape is half of a surrogate pair"),
            (r#"'\xff\000a'"#, "[255, 0, 97]"),
            (r##"#"a"b\n\#n"#"##, r#""a\"b\\n\n""#),
            (r##"#"""#"##, r#""\"""#),
            ("\"\"\"\n\t\ta\n\t\t b\n\n\t\tc\n\t\t\"\"\"", r#""a\n b\n\nc""#),
            ("\"\"\"\n\t\"\"\"", r#""""#),
            ("'''\n  x\n  '''", "[120]"),
            (
                "\"\"\"\n\t\ta\n\tb\n\t\t\"\"\"",
                "error: a line of this multi-line string does not start with the white space in front of the closing quotation marks",
            ),
            ("\"\"\"\na\"\"\"", "error: the closing quotation marks of a multi-line string must stand on a line of their own"),
        ] {
            assert_eq!(text(literal), expected, "{literal}");
        }
    }

    #[test]
    fn numbers_are_decoded() {
        for (literal, expected) in [
            ("0", "0"),
            ("1_000", "1000"),
            ("0x1F", "31"),
            ("0b101", "5"),
            ("0o17", "15"),
            ("4Ki", "4096"),
            ("1.5M", "1500000"),
            ("1.2345K", "error: 1.2345K is not a whole number"),
            ("012", "error: invalid number 012"),
            ("1__0", "error: invalid number 1__0"),
            (".5", "5e-1"),
            ("1.50", "150e-2"),
            ("1e3", "1e3"),
            ("1E-3", "1e-3"),
            ("-7", "-7"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("1e99999999999999999999", "error: the exponent of 1e99999999999999999999 is too large"),
        ] {
            let shown = match number(literal) {
                Ok(Number::Integer(value)) => value.to_string(),
                Ok(Number::Float(value)) => {
                    let (digits, scale) = value.into_bigint_and_scale();
                    format!("{digits}e{}", -scale)
                }
                Err(error) => format!("error: {error}"),
            };
            assert_eq!(shown, expected, "{literal}");
        }
    }
}
