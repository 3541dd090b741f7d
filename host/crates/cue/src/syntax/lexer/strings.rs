//! Strings: where they end, which escapes they have, and how multi-line strings are indented.

use super::Lexer;
use crate::syntax::ast::Space;
use crate::syntax::token::{Token, TokenKind};

/// How the string that is being read is quoted.
#[derive(Clone, Debug)]
pub(super) struct Quote {
    mark: u8,
    marks: usize,
    hashes: usize,
    start: usize,
    /// The white space that all lines of a multi-line string share so far.
    indent: Option<String>,
}

impl<'a> Lexer<'a> {
    fn count(&mut self, byte: u8, limit: usize) -> usize {
        let start = self.at;
        while self.at - start < limit && self.eat(byte) {}
        self.at - start
    }

    /// A string whose quotation mark is next; `hashes` stand in front of it. Also whether a line break behind it is a
    /// comma.
    pub(super) fn string(&mut self, hashes: usize) -> (TokenKind, bool) {
        let kind = self.string_kind(hashes);
        (kind, kind == TokenKind::String)
    }

    fn string_kind(&mut self, hashes: usize) -> TokenKind {
        let start = self.at - hashes;
        let mark = self.byte().unwrap_or(b'"');
        let mut quote = Quote { mark, marks: 1, hashes, start, indent: None };
        match self.count(mark, 3) {
            // `""`, or a raw string that starts with a quotation mark.
            2 if self.count(b'#', hashes) == hashes => TokenKind::String,
            3 if hashes > 0 && self.count(b'#', hashes) == hashes => TokenKind::String,
            3 => {
                quote.marks = 3;
                if self.byte() == Some(b'\r') {
                    self.at += 1;
                }
                if !self.eat(b'\n') {
                    self.error(start, self.at, "a multi-line string must begin on the line behind its quotation marks");
                    return TokenKind::String;
                }
                self.string_body(quote, true)
            }
            _ => self.string_body(quote, false),
        }
    }

    /// Goes on with the string around an interpolation whose closing parenthesis was the last token.
    pub fn resume_interpolation(&mut self) -> Token<'a> {
        let start = self.at.saturating_sub(1);
        let kind = match self.quotes.pop() {
            Some(quote) => self.string_body(quote, false),
            None => TokenKind::String,
        };
        self.insert_comma = kind == TokenKind::String;
        let text = self.slice(start, self.at, kind);
        Token { kind, start: start as u32, end: self.at as u32, space: Space::None, after_comma: false, text }
    }

    /// Reads up to the closing quotation marks or to `\(`.
    fn string_body(&mut self, mut quote: Quote, at_line_start: bool) -> TokenKind {
        let multi_line = quote.marks == 3;
        let mut line_start = at_line_start.then_some(self.at);
        loop {
            let byte = match self.byte() {
                Some(byte) if multi_line || byte != b'\n' => byte,
                _ => {
                    self.error(quote.start, self.at, "this string is not terminated");
                    return TokenKind::String;
                }
            };
            if (!multi_line || line_start.is_some()) && self.closes(&quote) {
                self.check_indent(&quote, line_start);
                self.at += quote.marks + quote.hashes;
                return TokenKind::String;
            }
            let at = self.at;
            self.advance();
            match (byte, line_start) {
                (b'\r', _) if multi_line => continue,
                (b'\n', _) => {
                    if let Some(start) = line_start.filter(|start| *start < at) {
                        self.note_indent(&mut quote, start, at);
                    }
                    line_start = Some(self.at);
                    continue;
                }
                (b' ' | b'\t', Some(_)) => {}
                (_, Some(start)) => {
                    if multi_line {
                        self.note_indent(&mut quote, start, at);
                    }
                    line_start = None;
                }
                _ => {}
            }
            if byte == b'\\' && self.escape(&quote) {
                self.at += 1;
                self.quotes.push(quote);
                return TokenKind::Interpolation;
            }
        }
    }

    fn closes(&self, quote: &Quote) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        let (Some(marks), Some(hashes)) = (rest.get(..quote.marks), rest.get(quote.marks..quote.marks + quote.hashes)) else {
            return false;
        };
        marks.iter().all(|byte| *byte == quote.mark) && hashes.iter().all(|byte| *byte == b'#')
    }

    fn note_indent(&self, quote: &mut Quote, start: usize, end: usize) {
        let white = self.text.get(start..end).unwrap_or("").trim_end_matches('\r');
        quote.indent = Some(match &quote.indent {
            None => white.to_owned(),
            Some(indent) => {
                let shared = indent.bytes().zip(white.bytes()).take_while(|(a, b)| a == b).count();
                white.get(..shared).unwrap_or("").to_owned()
            }
        });
    }

    fn check_indent(&mut self, quote: &Quote, line_start: Option<usize>) {
        let (Some(indent), Some(start)) = (&quote.indent, line_start) else {
            return;
        };
        if !indent.starts_with(self.text.get(start..self.at).unwrap_or("")) {
            let end = self.at + quote.marks;
            let message = "a line of this multi-line string does not start with the white space in front of the closing quotation marks";
            self.error(quote.start, end, message);
        }
    }

    /// Reads what follows a `\`, and says whether it is an interpolation, whose `(` is then next.
    fn escape(&mut self, quote: &Quote) -> bool {
        let start = self.at - 1;
        if self.count(b'#', quote.hashes) < quote.hashes {
            return false;
        }
        let bytes = quote.mark == b'\'';
        let (digits, base, skip) = match self.byte() {
            Some(b'(') => return true,
            Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'\\' | b'/') => {
                self.at += 1;
                return false;
            }
            Some(byte) if byte == quote.mark => {
                self.at += 1;
                return false;
            }
            Some(b'0'..=b'7') if bytes => (3, 8, 0),
            Some(b'x') if bytes => (2, 16, 1),
            Some(b'u') => (4, 16, 1),
            Some(b'U') => (8, 16, 1),
            Some(b'0'..=b'7' | b'x') => {
                self.error(start, self.at + 1, "octal and hexadecimal escapes are allowed in bytes ('…') only; use \\u");
                return false;
            }
            _ => {
                self.error(start, self.at, "unknown escape sequence; write \\\\ for a backslash");
                return false;
            }
        };
        self.at += skip;
        let mut value: u32 = 0;
        for _ in 0..digits {
            let Some(digit) = self.byte().and_then(|byte| char::from(byte).to_digit(base)) else {
                self.error(start, self.at, format!("this escape sequence needs {digits} digits"));
                return false;
            };
            value = value.wrapping_mul(base).wrapping_add(digit);
            self.at += 1;
        }
        if value > if base == 8 { 255 } else { 0x0010_ffff } {
            self.error(start, self.at, "this escape sequence is no Unicode code point");
        }
        false
    }
}
