//! `strconv`

use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::arguments::{self as args, ANY, BOOL, INT, NUMBER, Result, STRING, boolean, from_float, function, int, string};
use crate::builtin::{Failure, Function, Host, Package};
use crate::syntax::literal;
use crate::{Kinds, Number, Value};

const S: Kinds = Kinds::STRING;
const B: Kinds = Kinds::BOOL;
const I: Kinds = Kinds::INT;

const FUNCTIONS: &[Function] = &[
    function("Atoi", &[STRING], I, |a, _| int(parse_integer(args::text(a, 0)?, 10)?)),
    function("FormatBool", &[BOOL], S, |a, _| string(if args::value(a, 0)? == &Value::Bool(true) { "true" } else { "false" })),
    function("FormatFloat", &[NUMBER, ANY, INT, INT], S, format_float),
    function("FormatInt", &[INT, INT], S, format_integer),
    function("FormatUint", &[INT, INT], S, format_integer),
    function("IsGraphic", &[INT], B, |a, _| boolean(character(a)?.is_some_and(|c| is_printable(c) || is_space(c)))),
    function("IsPrint", &[INT], B, |a, _| boolean(character(a)?.is_some_and(is_printable))),
    function("ParseBool", &[STRING], B, |a, _| match args::text(a, 0)? {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => boolean(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => boolean(false),
        other => Err(Failure::eval(format!("strconv.ParseBool: parsing {other:?}: invalid syntax"))),
    }),
    function("ParseFloat", &[STRING, INT], Kinds::NUMBER, parse_float),
    function("ParseInt", &[STRING, INT, INT], I, |a, _| {
        let value = parse_integer(args::text(a, 0)?, args::integer(a, 1)?)?;
        let bits = args::integer(a, 2)?;
        // -2^(bits-1) needs one bit less than its magnitude has.
        let magnitude = if value.is_negative() { &value + 1 } else { value.clone() };
        fits(value, bits, magnitude.bits() as i64 + 1)
    }),
    function("ParseNumber", &[STRING], Kinds::NUMBER, |a, _| {
        let text = args::text(a, 0)?;
        match literal::number(text) {
            Ok(literal::Number::Integer(value)) => int(value),
            Ok(literal::Number::Float(value)) => Ok(Value::Number(Number::from(value))),
            Err(error) => Err(Failure::eval(format!("strconv.ParseNumber: parsing {text:?}: {error}"))),
        }
    }),
    function("ParseUint", &[STRING, INT, INT], I, |a, _| {
        let value = parse_integer(args::text(a, 0)?, args::integer(a, 1)?)?;
        if value.is_negative() {
            return Err(Failure::eval("value out of range"));
        }
        let needed = value.bits() as i64;
        fits(value, args::integer(a, 2)?, needed)
    }),
    function("Quote", &[STRING], S, |a, _| string(quote(args::text(a, 0)?, '"', |c| is_printable(c)))),
    function("QuoteRune", &[INT], S, |a, _| quote_character(a, is_printable)),
    function("QuoteRuneToASCII", &[INT], S, |a, _| quote_character(a, |c| c.is_ascii() && is_printable(c))),
    function("QuoteRuneToGraphic", &[INT], S, |a, _| quote_character(a, |c| is_printable(c) || is_space(c))),
    function("QuoteToASCII", &[STRING], S, |a, _| string(quote(args::text(a, 0)?, '"', |c| c.is_ascii() && is_printable(c)))),
    function("QuoteToGraphic", &[STRING], S, |a, _| string(quote(args::text(a, 0)?, '"', |c| is_printable(c) || is_space(c)))),
    function("Unquote", &[STRING], S, |a, _| match literal::string(args::text(a, 0)?) {
        Ok(literal::Text::String(text)) => string(text),
        Ok(literal::Text::Bytes(bytes)) => string(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(Failure::eval(error.to_string())),
    }),
];

pub(super) static STRCONV: Package = Package { path: "strconv", functions: FUNCTIONS, source: "IntSize: 64\n" };

fn parse_integer(text: &str, base: i64) -> Result<BigInt> {
    let invalid = || Failure::eval(format!("parsing {text:?}: invalid syntax"));
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixed = |marks: [&str; 2]| marks.iter().find_map(|mark| digits.strip_prefix(*mark));
    let (base, digits) = match base {
        0 => {
            let prefixes = [(16, ["0x", "0X"]), (8, ["0o", "0O"]), (2, ["0b", "0B"])];
            let found = prefixes.into_iter().find_map(|(base, marks)| prefixed(marks).map(|rest| (base, rest, true)));
            let octal = digits.strip_prefix('0').filter(|rest| !rest.is_empty()).map(|rest| (8, rest, true));
            let (base, rest, underscore_first) = found.or(octal).unwrap_or((10, digits, false));
            // One `_` may stand between digits, and behind the prefix.
            let well_placed = !rest.ends_with('_') && !rest.contains("__") && (underscore_first || !rest.starts_with('_'));
            if !well_placed {
                return Err(invalid());
            }
            (base, rest.replace('_', ""))
        }
        2..=62 => (base as u32, digits.to_owned()),
        _ => return Err(Failure::eval(format!("invalid base {base}"))),
    };
    let digits: Option<Vec<u8>> = digits.bytes().map(|byte| digit(byte, base)).collect();
    let digits = digits.filter(|digits| !digits.is_empty()).ok_or_else(invalid)?;
    let value = BigInt::from_radix_be(Sign::Plus, &digits, base).ok_or_else(invalid)?;
    Ok(if negative { -value } else { value })
}

/// The value of a digit; above base 36 capital letters are digits of their own.
fn digit(byte: u8, base: u32) -> Option<u8> {
    let value = match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'z' => byte - b'a' + 10,
        b'A'..=b'Z' if base <= 36 => byte - b'A' + 10,
        b'A'..=b'Z' => byte - b'A' + 36,
        _ => return None,
    };
    (u32::from(value) < base).then_some(value)
}

fn fits(value: BigInt, bits: i64, needed: i64) -> Result {
    if bits < 0 || bits > 0 && needed > bits {
        return Err(Failure::eval(format!("{value}: value out of range")));
    }
    int(value)
}

/// Digits without the underscores that stand between digits; `None` if some stand elsewhere.
fn without_underscores(text: &str, first_needs_digit: bool) -> Option<String> {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_hexdigit);
    let placed = |at: usize| (is_digit(at.checked_sub(1)) || at == 0 && !first_needs_digit) && is_digit(Some(at + 1));
    let all = bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || placed(at));
    all.then(|| text.replace('_', ""))
}

/// `1.8p1`, the digits behind `0x`.
fn parse_hexadecimal(text: &str) -> Option<f64> {
    let text = without_underscores(text, false)?;
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mantissa = BigInt::parse_bytes(digits.as_bytes(), 16)?.to_f64()?;
    let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exponent = exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 });
    let shift = exponent.saturating_sub(4 * fraction.len() as i64).clamp(-100_000, 100_000);
    Some(libm::ldexp(mantissa, shift as i32))
}

fn parse_float(a: &[Value], _: &mut dyn Host) -> Result {
    let text = args::text(a, 0)?;
    let invalid = || Failure::eval(format!("strconv.ParseFloat: parsing {text:?}: invalid syntax"));
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let magnitude = parse_hexadecimal(digits).ok_or_else(invalid)?;
        let magnitude = if args::integer(a, 1)? == 32 { f64::from(magnitude as f32) } else { magnitude };
        if magnitude.is_infinite() {
            return Err(Failure::eval(format!("strconv.ParseFloat: parsing {text:?}: value out of range")));
        }
        return from_float(if text.starts_with('-') { -magnitude } else { magnitude });
    }
    let text = &without_underscores(text, true).ok_or_else(invalid)?;
    if text.is_empty() || text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace) {
        return Err(invalid());
    }
    let value: f64 =
        if args::integer(a, 1)? == 32 { text.parse::<f32>().map(f64::from).map_err(|_| invalid())? } else { text.parse().map_err(|_| invalid())? };
    if value.is_infinite() && !text.to_ascii_lowercase().contains("inf") {
        return Err(Failure::eval(format!("strconv.ParseFloat: parsing {text:?}: value out of range")));
    }
    from_float(value)
}

fn format_integer(a: &[Value], _: &mut dyn Host) -> Result {
    let (value, base) = (args::big(a, 0)?, args::integer(a, 1)?);
    let digits = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    match base {
        2..=36 => string(value.to_str_radix(base as u32)),
        37..=62 => {
            let (sign, values) = value.to_radix_be(base as u32);
            let text: String = values.iter().filter_map(|digit| digits.get(usize::from(*digit))).map(|digit| char::from(*digit)).collect();
            string(if sign == num_bigint::Sign::Minus { format!("-{text}") } else { text })
        }
        _ => Err(Failure::eval(format!("invalid base {base}"))),
    }
}

fn format_float(a: &[Value], host: &mut dyn Host) -> Result {
    let form = match args::value(a, 1)? {
        Value::String(text) if text.len() == 1 => char::from(text.as_bytes().first().copied().unwrap_or(b'g')),
        Value::String(_) => return Err(Failure::eval("expected single character string")),
        Value::Number(number) => match number.to_i64().and_then(|code| u8::try_from(code).ok()) {
            Some(code) => char::from(code),
            None => return Err(Failure::eval("format value out of range [0, 255]")),
        },
        _ => return Err(Failure::eval("the format is a string of one character")),
    };
    let value = args::float(a, 0)?;
    let single = match args::integer(a, 3)? {
        32 => true,
        64 => false,
        bits => return Err(Failure::eval(format!("invalid bit size {bits}"))),
    };
    let precision = usize::try_from(args::integer(a, 2)?).ok();
    args::check_size(host, precision.unwrap_or(0))?;
    if !value.is_finite() {
        return string(if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "+Inf"
        } else {
            "-Inf"
        });
    }
    string(float_text(value, single.then_some(value as f32), precision, form))
}

/// A finite number in one of Go's forms; `single` is the number in 32 bits, if it is one.
pub(super) fn float_text(value: f64, single: Option<f32>, precision: Option<usize>, form: char) -> String {
    match form {
        'f' | 'F' => fixed(value, single, precision),
        'e' | 'E' => scientific(value, single, precision, form),
        'g' | 'G' => general(value, single, precision, form),
        'b' => binary(value, single),
        'x' | 'X' => hexadecimal(value, precision, form),
        _ => format!("%{form}"),
    }
}

/// Sign, mantissa and exponent of a binary number: the mantissa is an integer.
fn parts(value: f64) -> (&'static str, u64, i32) {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    (if value.is_sign_negative() { "-" } else { "" }, mantissa, exponent)
}

/// `4503599627370496p-52`
fn binary(value: f64, single: Option<f32>) -> String {
    match single {
        None => {
            let (sign, mantissa, exponent) = parts(value);
            format!("{sign}{mantissa}p{exponent:+}")
        }
        Some(single) => {
            let bits = single.to_bits();
            let fraction = bits & ((1 << 23) - 1);
            let exponent = (bits >> 23 & 0xff) as i32;
            let (mantissa, exponent) = if exponent == 0 { (fraction, -149) } else { (fraction | 1 << 23, exponent - 150) };
            format!("{}{mantissa}p{exponent:+}", if single.is_sign_negative() { "-" } else { "" })
        }
    }
}

/// `0x1.8p+01`
fn hexadecimal(value: f64, precision: Option<usize>, form: char) -> String {
    let (sign, mantissa, exponent) = parts(value);
    let mut exponent = if mantissa == 0 { 0 } else { exponent + 52 };
    let mut mantissa = mantissa;
    // The first digit is one.
    while mantissa != 0 && mantissa >> 52 == 0 {
        mantissa <<= 1;
        exponent -= 1;
    }
    if let Some(precision) = precision.filter(|precision| *precision < 13) {
        let dropped = 52 - precision * 4;
        let (rest, half) = (mantissa & ((1 << dropped) - 1), 1_u64 << (dropped - 1));
        mantissa >>= dropped;
        if rest > half || rest == half && mantissa & 1 == 1 {
            mantissa += 1;
        }
        mantissa <<= dropped;
        if mantissa >> 53 != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let digits = format!("{:013x}", mantissa & ((1 << 52) - 1));
    let fraction = match precision {
        Some(precision) => format!("{digits:0<precision$}").get(..precision).unwrap_or("").to_owned(),
        None => digits.trim_end_matches('0').to_owned(),
    };
    let point = if fraction.is_empty() { "" } else { "." };
    let power = if exponent < 0 { '-' } else { '+' };
    let text = format!("{sign}0x{}{point}{fraction}p{power}{:02}", mantissa >> 52, exponent.abs());
    if form == 'X' { text.to_uppercase() } else { text }
}

fn fixed(value: f64, single: Option<f32>, precision: Option<usize>) -> String {
    match (precision, single) {
        (Some(precision), None) => format!("{value:.precision$}"),
        (Some(precision), Some(single)) => format!("{single:.precision$}"),
        (None, None) => format!("{value}"),
        (None, Some(single)) => format!("{single}"),
    }
}

/// `d.ddde±dd`
fn scientific(value: f64, single: Option<f32>, precision: Option<usize>, form: char) -> String {
    let text = match (precision, single) {
        (Some(precision), None) => format!("{value:.precision$e}"),
        (Some(precision), Some(single)) => format!("{single:.precision$e}"),
        (None, None) => format!("{value:e}"),
        (None, Some(single)) => format!("{single:e}"),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{form}{sign}{:02}", exponent.abs())
}

fn general(value: f64, single: Option<f32>, precision: Option<usize>, form: char) -> String {
    let e = if form == 'G' { 'E' } else { 'e' };
    let digits = precision.map(|precision| precision.max(1));
    let text = scientific(value, single, digits.map(|digits| digits - 1), e);
    let (mantissa, exponent) = text.split_once(e).unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let significant: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = significant.trim_end_matches('0');
    let limit = match digits {
        // The shortest form changes at a fixed size.
        None => 6,
        Some(digits) => digits as i32,
    };
    if exponent < -4 || exponent >= limit {
        let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}{e}{sign}{:02}", exponent.abs());
    }
    let decimals = (significant.len() as i32 - 1 - exponent).max(0) as usize;
    fixed(value, single, Some(decimals))
}

fn character(a: &[Value]) -> Result<Option<char>> {
    Ok(u32::try_from(args::integer(a, 0)?).ok().and_then(char::from_u32))
}

/// Letters, marks, numbers, punctuation, symbols and the blank.
pub(super) fn is_printable(c: char) -> bool {
    use GeneralCategoryGroup as G;
    c == ' ' || matches!(c.general_category_group(), G::Letter | G::Mark | G::Number | G::Punctuation | G::Symbol)
}

fn is_space(c: char) -> bool {
    c.general_category() == GeneralCategory::SpaceSeparator
}

fn quote_character(a: &[Value], keep: fn(char) -> bool) -> Result {
    let c = character(a)?.unwrap_or(char::REPLACEMENT_CHARACTER);
    string(quote(c.encode_utf8(&mut [0; 4]), '\'', keep))
}

pub(super) fn quote(text: &str, mark: char, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::from(mark);
    for c in text.chars() {
        match c {
            _ if c == mark || c == '\\' => {
                out.push('\\');
                out.push(c);
            }
            _ if keep(c) => out.push(c),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            _ => {
                let code = u32::from(c);
                out.push_str(&match code {
                    ..0x20 | 0x7f => format!("\\x{code:02x}"),
                    ..0x10000 => format!("\\u{code:04x}"),
                    _ => format!("\\U{code:08x}"),
                });
            }
        }
    }
    out.push(mark);
    out
}
