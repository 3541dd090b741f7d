//! How values become text: Go's `fmt`, as far as data reaches.

use num_bigint::{BigInt, Sign};

use super::super::super::arguments::Result;
use super::super::super::strconv;
use crate::builtin::Failure;
use crate::{Number, Value};

/// A value as `%v` shows it.
pub(super) fn value(out: &mut String, value: &Value) {
    show(out, value, &Verb { letter: 'v', ..Verb::default() });
}

/// Values as `print` shows them: a blank between two that are no strings.
pub(super) fn joined(values: &[&Value]) -> String {
    let mut out = String::new();
    let mut text_before = true;
    for (at, each) in values.iter().enumerate() {
        let text = matches!(each, Value::String(_));
        if at > 0 && !text && !text_before {
            out.push(' ');
        }
        value(&mut out, each);
        text_before = text;
    }
    out
}

/// Values with blanks between them, and a line break.
pub(super) fn line(values: &[&Value]) -> String {
    let mut out = String::new();
    for (at, each) in values.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        value(&mut out, each);
    }
    out.push('\n');
    out
}

/// A verb with its flags.
#[derive(Clone, Default)]
struct Verb {
    letter: char,
    plus: bool,
    minus: bool,
    sharp: bool,
    space: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
    /// Whether the value is a number of the template itself, which has another type than one of the data.
    literal: bool,
}

/// A format, and where it is.
struct Format<'f> {
    rest: std::iter::Peekable<std::str::Chars<'f>>,
    values: &'f [&'f Value],
    literals: &'f [bool],
    next: usize,
    /// Whether some verb said which value it wants.
    reordered: bool,
    /// The largest width or precision.
    budget: usize,
}

/// Values in a format such as `%-5s|%03d`.
pub(super) fn formatted(format: &str, values: &[&Value], literals: &[bool], budget: usize) -> Result<String> {
    let mut out = String::new();
    let mut format = Format { rest: format.chars().peekable(), values, literals, next: 0, reordered: false, budget };
    while let Some(c) = format.rest.next() {
        if c == '%' {
            format.verb(&mut out)?
        } else {
            out.push(c)
        }
        if out.len() > budget {
            return Err(Failure::Limit("the template writes too much".to_owned()));
        }
    }
    if !format.reordered && format.next < values.len() {
        let extra = values.iter().enumerate().skip(format.next).map(|(at, each)| {
            let mut text = String::new();
            value(&mut text, each);
            let literal = literals.get(at) == Some(&true);
            if **each == Value::Null { text } else { format!("{}={text}", type_name(each, literal)) }
        });
        out.push_str(&format!("%!(EXTRA {})", extra.collect::<Vec<_>>().join(", ")));
    }
    Ok(out)
}

impl Format<'_> {
    fn verb(&mut self, out: &mut String) -> Result<()> {
        let mut verb = Verb::default();
        while let Some(flag) = self.rest.next_if(|c| "+-# 0".contains(*c)) {
            match flag {
                '+' => verb.plus = true,
                '-' => verb.minus = true,
                '#' => verb.sharp = true,
                ' ' => verb.space = true,
                _ => verb.zero = true,
            }
        }
        let mut valid = self.index();
        verb.width = self.number(out, "%!(BADWIDTH)", &mut verb.minus)?;
        if self.rest.next_if_eq(&'.').is_some() {
            valid &= self.index();
            verb.precision = Some(self.number(out, "%!(BADPREC)", &mut false)?.unwrap_or(0));
        }
        valid &= self.index();
        verb.zero &= !verb.minus;
        let Some(letter) = self.rest.next() else {
            out.push_str("%!(NOVERB)");
            return Ok(());
        };
        verb.letter = letter;
        // With this verb it asks for the names of fields, which maps show anyway.
        verb.plus &= letter != 'v';
        if letter == '%' {
            out.push('%');
            return Ok(());
        }
        match self.values.get(self.next) {
            _ if !valid => out.push_str(&format!("%!{letter}(BADINDEX)")),
            None => out.push_str(&format!("%!{letter}(MISSING)")),
            Some(value) => {
                verb.literal = self.literals.get(self.next) == Some(&true);
                self.next += 1;
                show(out, value, &verb);
            }
        }
        Ok(())
    }

    /// `[n]`: which value is next. Says whether it exists.
    fn index(&mut self) -> bool {
        if self.rest.next_if_eq(&'[').is_none() {
            return true;
        }
        self.reordered = true;
        let mut digits = String::new();
        for c in self.rest.by_ref() {
            if c == ']' {
                let index = digits.parse::<usize>().ok().and_then(|index| index.checked_sub(1));
                let found = index.filter(|index| *index < self.values.len());
                self.next = found.unwrap_or(self.next);
                return found.is_some();
            }
            digits.push(c);
        }
        false
    }

    /// A width or precision: digits, or `*` for the next value.
    fn number(&mut self, out: &mut String, bad: &str, negative: &mut bool) -> Result<Option<usize>> {
        if self.rest.next_if_eq(&'*').is_some() {
            let value = self.values.get(self.next).copied();
            self.next += 1;
            let number = match value {
                Some(Value::Number(number)) if number.is_integer() => number.to_i64(),
                _ => None,
            };
            let Some(number) = number.filter(|number| number.unsigned_abs() <= 1_000_000) else {
                out.push_str(bad);
                return Ok(None);
            };
            *negative |= number < 0;
            return Ok(Some(number.unsigned_abs() as usize));
        }
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        if digits.is_empty() {
            return Ok(None);
        }
        match digits.parse::<usize>() {
            Ok(number) if number <= self.budget.min(1_000_000) => Ok(Some(number)),
            _ => Err(Failure::Limit("the width is too large".to_owned())),
        }
    }
}

fn type_name(value: &Value, literal: bool) -> &'static str {
    match value {
        Value::Number(Number::Int(_)) if literal => "int",
        Value::Bool(_) => "bool",
        Value::Number(Number::Int(_)) => "int64",
        Value::Number(Number::Big(_)) => "*big.Int",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Bytes(_) => "[]uint8",
        Value::List(_) => "[]interface {}",
        Value::Struct(_) => "map[string]interface {}",
        Value::Null | Value::Partial { .. } | Value::Handle(_) => "<nil>",
    }
}

fn show(out: &mut String, value: &Value, verb: &Verb) {
    match (value, verb.letter) {
        (value, 'T') => pad(out, type_name(value, verb.literal), &Verb { zero: false, ..verb.clone() }),
        (Value::Null, 'v') if verb.sharp => pad(out, "interface {}(nil)", verb),
        (Value::Null, 'v') => pad(out, "<nil>", verb),
        (Value::Bool(value), 'v' | 't') => pad(out, if *value { "true" } else { "false" }, verb),
        (Value::Number(number), _) => match (number.to_integer(), number.is_integer()) {
            (Some(integer), true) => show_integer(out, &integer, verb, value),
            _ => show_float(out, number, verb, value),
        },
        (Value::String(text), _) => show_text(out, text, verb, value),
        (Value::Bytes(bytes), 's' | 'q' | 'x' | 'X') => show_text(out, &String::from_utf8_lossy(bytes), verb, value),
        (Value::Bytes(bytes), _) => {
            let bytes: Vec<Value> = bytes.iter().map(|byte| Value::integer(i64::from(*byte))).collect();
            show_list(out, &bytes, verb, "[]byte");
        }
        (Value::List(elements), _) => show_list(out, elements, verb, "[]interface {}"),
        (Value::Struct(fields), _) => show_map(out, fields, verb),
        _ => bad(out, value, verb),
    }
}

fn bad(out: &mut String, value: &Value, verb: &Verb) {
    if *value == Value::Null {
        out.push_str(&format!("%!{}(<nil>)", verb.letter));
        return;
    }
    out.push_str(&format!("%!{}({}=", verb.letter, type_name(value, verb.literal)));
    show(out, value, &Verb { letter: 'v', ..Verb::default() });
    out.push(')');
}

fn show_list(out: &mut String, elements: &[Value], verb: &Verb, name: &str) {
    let syntax = verb.sharp && verb.letter == 'v';
    out.push_str(if syntax { name } else { "" });
    out.push(if syntax { '{' } else { '[' });
    for (at, element) in elements.iter().enumerate() {
        out.push_str(if at == 0 {
            ""
        } else if syntax {
            ", "
        } else {
            " "
        });
        show(out, element, verb);
    }
    out.push(if syntax { '}' } else { ']' });
}

fn show_map(out: &mut String, fields: &[(std::sync::Arc<str>, Value)], verb: &Verb) {
    let syntax = verb.sharp && verb.letter == 'v';
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by(|(a, _), (b, _)| a.cmp(b));
    out.push_str(if syntax { "map[string]interface {}{" } else { "map[" });
    for (at, (name, value)) in fields.into_iter().enumerate() {
        out.push_str(if at == 0 {
            ""
        } else if syntax {
            ", "
        } else {
            " "
        });
        show(out, &Value::String(name.clone()), verb);
        out.push(':');
        show(out, value, verb);
    }
    out.push(if syntax { '}' } else { ']' });
}

/// Text, filled to the width.
fn pad(out: &mut String, text: &str, verb: &Verb) {
    let missing = verb.width.unwrap_or(0).saturating_sub(text.chars().count());
    let fill = std::iter::repeat_n(if verb.zero { '0' } else { ' ' }, missing);
    if verb.minus {
        out.push_str(text);
        out.extend(fill);
    } else {
        out.extend(fill);
        out.push_str(text);
    }
}

/// A number, filled to the width; zeros stand behind the sign.
fn pad_number(out: &mut String, sign: &str, digits: &str, verb: &Verb) {
    let missing = verb.width.unwrap_or(0).saturating_sub(sign.chars().count() + digits.chars().count());
    if verb.zero && verb.precision.is_none_or(|_| !matches!(verb.letter, 'd' | 'b' | 'o' | 'O' | 'x' | 'X')) {
        let zeros = "0".repeat(missing);
        out.push_str(&format!("{sign}{zeros}{digits}"));
    } else {
        pad(out, &format!("{sign}{digits}"), &Verb { zero: false, ..verb.clone() });
    }
}

fn sign(negative: bool, verb: &Verb) -> &'static str {
    match (negative, verb.plus, verb.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn show_integer(out: &mut String, integer: &BigInt, verb: &Verb, value: &Value) {
    let (radix, prefix) = match verb.letter {
        'v' | 'd' => (10, ""),
        'b' => (2, if verb.sharp { "0b" } else { "" }),
        'o' => (8, if verb.sharp { "0" } else { "" }),
        'O' => (8, "0o"),
        'x' => (16, if verb.sharp { "0x" } else { "" }),
        'X' => (16, if verb.sharp { "0X" } else { "" }),
        'c' | 'q' | 'U' => return show_character(out, integer, verb),
        _ => return bad(out, value, verb),
    };
    let mut digits = integer.magnitude().to_str_radix(radix);
    if verb.letter == 'X' {
        digits = digits.to_uppercase();
    }
    if let Some(precision) = verb.precision {
        digits = if precision == 0 && digits == "0" { String::new() } else { format!("{digits:0>precision$}") };
    }
    pad_number(out, &format!("{}{prefix}", sign(integer.sign() == Sign::Minus, verb)), &digits, verb);
}

fn show_character(out: &mut String, integer: &BigInt, verb: &Verb) {
    let code = u32::try_from(integer).unwrap_or(0xfffd);
    let c = char::from_u32(code).unwrap_or('\u{fffd}');
    let text = match verb.letter {
        'U' if verb.sharp => format!("U+{code:04X} '{c}'"),
        'U' => format!("U+{code:04X}"),
        'q' => strconv::quote(&c.to_string(), '\'', strconv::is_printable),
        _ => c.to_string(),
    };
    pad(out, &text, &Verb { zero: false, ..verb.clone() });
}

fn show_float(out: &mut String, number: &Number, verb: &Verb, value: &Value) {
    let float = number.to_f64();
    if !float.is_finite() && verb.letter == 'v' && !matches!(number, Number::NaN | Number::Infinity(_)) {
        return pad(out, &number.to_string(), verb);
    }
    let (form, precision) = match verb.letter {
        'v' => ('g', verb.precision),
        'g' | 'G' => (verb.letter, verb.precision),
        'e' | 'E' | 'f' | 'F' => (verb.letter, Some(verb.precision.unwrap_or(6))),
        _ => return bad(out, value, verb),
    };
    let text = match float {
        float if float.is_nan() => "NaN".to_owned(),
        float if float.is_infinite() => "Inf".to_owned(),
        float => strconv::float_text(float.abs(), None, precision, form),
    };
    let plus = verb.plus || float == f64::INFINITY;
    let verb = Verb { zero: verb.zero && float.is_finite(), plus, ..verb.clone() };
    pad_number(out, sign(float.is_sign_negative() && !float.is_nan(), &verb), &text, &verb);
}

fn show_text(out: &mut String, text: &str, verb: &Verb, value: &Value) {
    let cut = |text: &str| match verb.precision {
        Some(precision) => text.chars().take(precision).collect(),
        None => text.to_owned(),
    };
    let shown = match verb.letter {
        'v' if verb.sharp => strconv::quote(text, '"', strconv::is_printable),
        'v' | 's' => cut(text),
        'q' if verb.sharp && !text.contains('`') && !text.chars().any(|c| c.is_control() && c != '\t') => {
            format!("`{}`", cut(text))
        }
        'q' if verb.plus => strconv::quote(&cut(text), '"', |c| (' '..='~').contains(&c)),
        'q' => strconv::quote(&cut(text), '"', strconv::is_printable),
        'x' | 'X' => {
            let bytes = text.bytes().take(verb.precision.unwrap_or(usize::MAX));
            let byte = |byte| {
                if verb.letter == 'x' { format!("{byte:02x}") } else { format!("{byte:02X}") }
            };
            bytes.map(byte).collect::<Vec<String>>().join(if verb.space { " " } else { "" })
        }
        _ => return bad(out, value, verb),
    };
    pad(out, &shown, verb);
}
