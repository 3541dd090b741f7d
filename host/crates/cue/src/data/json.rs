//! JSON, strictly as RFC 8259 has it.
//!
//! Why not the library that the rest of the project uses: it keeps one of two members with the same name, and CUE
//! unifies them; and errors need their place.

use std::sync::Arc;

use super::{DecodeError, MAXIMUM_DEPTH};
use crate::syntax::literal;
use crate::{Number, Value};

/// The one value of a text.
pub(super) fn decode(text: &str) -> Result<Value, DecodeError> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.blanks();
    if reader.at < text.len() { Err(reader.error("something follows the JSON value")) } else { Ok(value) }
}

/// Whether a text is one JSON value.
pub(crate) fn check(text: &str) -> Result<(), DecodeError> {
    // A lone half of a surrogate pair is the one thing that JSON allows and that has no value.
    decode(text).map(drop).or_else(|error| if error.message == LONE_SURROGATE { Ok(()) } else { Err(error) })
}

/// The values of a text, with blanks between them.
pub(super) fn stream(text: &str) -> Result<Vec<Value>, DecodeError> {
    let mut reader = Reader { text, at: 0 };
    let mut values = Vec::new();
    loop {
        reader.blanks();
        if reader.at >= text.len() {
            return Ok(values);
        }
        values.push(reader.value(0)?);
    }
}

const LONE_SURROGATE: &str = "the string has half of a surrogate pair, which is no character";

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn error(&self, message: impl Into<String>) -> DecodeError {
        DecodeError::at(message, self.text, self.at)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes a byte if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<Value, DecodeError> {
        self.blanks();
        match self.peek() {
            None => Err(self.error("the JSON text ends where a value should be")),
            Some(b'{' | b'[') if depth >= MAXIMUM_DEPTH => {
                Err(self.error(format!("lists and objects are nested deeper than {MAXIMUM_DEPTH} levels")))
            }
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Value::String(self.string()?.into())),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                for (word, value) in [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))] {
                    if self.rest().starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.error("a JSON value should be here"))
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, DecodeError> {
        self.at += 1;
        let mut fields = Vec::new();
        self.blanks();
        if self.take(b'}') {
            return Ok(Value::Struct(fields));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(self.error("the name of a member should be here, in quotation marks"));
            }
            let name: Arc<str> = self.string()?.into();
            self.blanks();
            if !self.take(b':') {
                return Err(self.error("a colon should be here"));
            }
            fields.push((name, self.value(depth + 1)?));
            self.blanks();
            if self.take(b'}') {
                return Ok(Value::Struct(fields));
            }
            if !self.take(b',') {
                return Err(self.error("a comma or a closing brace should be here"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, DecodeError> {
        self.at += 1;
        let mut elements = Vec::new();
        self.blanks();
        if self.take(b']') {
            return Ok(Value::List(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            self.blanks();
            if self.take(b']') {
                return Ok(Value::List(elements));
            }
            if !self.take(b',') {
                return Err(self.error("a comma or a closing bracket should be here"));
            }
        }
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at > start
    }

    fn number(&mut self) -> Result<Value, DecodeError> {
        let start = self.at;
        self.take(b'-');
        let mut valid = self.take(b'0') || self.digits();
        if self.take(b'.') {
            valid &= self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            let _sign = self.take(b'+') || self.take(b'-');
            valid &= self.digits();
        }
        if !valid || matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.error("this is not how JSON spells a number"));
        }
        let number = literal::number(self.text.get(start..self.at).unwrap_or(""));
        Ok(Value::Number(match number.map_err(|error| self.error(error.to_string()))? {
            literal::Number::Integer(value) => Number::from(value),
            literal::Number::Float(value) => Number::from(value),
        }))
    }

    fn string(&mut self) -> Result<String, DecodeError> {
        self.at += 1;
        let mut out = String::new();
        let mut lone = None;
        loop {
            let rest = self.rest();
            let plain = rest.find(|c: char| c == '"' || c == '\\' || u32::from(c) < 0x20);
            let plain = plain.ok_or_else(|| self.error("the string has no end"))?;
            out.push_str(rest.get(..plain).unwrap_or(""));
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return lone.map_or(Ok(out), Err);
                }
                Some(b'\\') => match self.escape()? {
                    Some(c) => out.push(c),
                    None => lone = lone.or_else(|| Some(self.error(LONE_SURROGATE))),
                },
                _ => {
                    return Err(self.error("a control character in a string must be written as an escape"));
                }
            }
        }
    }

    /// An escape; `None` for half of a surrogate pair.
    fn escape(&mut self) -> Result<Option<char>, DecodeError> {
        let code = self.text.as_bytes().get(self.at + 1).copied();
        let plain = match code {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.code_unit()?;
                if let 0xd800..0xdc00 = first
                    && self.rest().starts_with("\\u")
                {
                    let back = self.at;
                    let second = self.code_unit()?;
                    if let 0xdc00..0xe000 = second {
                        return Ok(char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)));
                    }
                    self.at = back;
                }
                return Ok(char::from_u32(first));
            }
            _ => return Err(self.error("JSON has no such escape")),
        };
        self.at += 2;
        Ok(Some(plain))
    }

    /// `\uXXXX`
    fn code_unit(&mut self) -> Result<u32, DecodeError> {
        let digits = self.text.get(self.at + 2..self.at + 6).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.error("\\u needs four hexadecimal digits"))?;
        self.at += 6;
        Ok(unit)
    }
}
