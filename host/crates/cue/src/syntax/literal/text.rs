//! Quotation marks and escapes.

use super::LiteralError;

/// How a literal is quoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Quotes<'a> {
    mark: u8,
    hashes: usize,
    /// The white space in front of the closing marks of a multi-line literal.
    indent: Option<&'a str>,
}

const HIGH_SURROGATES: std::ops::Range<u32> = 0xD800..0xDC00;
const LOW_SURROGATES: std::ops::Range<u32> = 0xDC00..0xE000;

/// What stands next in a literal.
enum Item {
    /// A character, written out in UTF-8.
    Character(u32),
    /// A byte of a bytes literal.
    Byte(u8),
    /// The closing marks.
    Quote,
    /// `\(`
    Expression,
}

impl<'a> Quotes<'a> {
    /// The quotes of a literal whose first and last piece these are, and where the text begins in the first.
    pub(super) fn parse(first: &'a str, last: &'a str) -> Result<(Self, usize), LiteralError> {
        let rest = first.trim_start_matches('#');
        let hashes = first.len() - rest.len();
        let mark = match rest.as_bytes() {
            [mark @ (b'"' | b'\''), ..] => *mark,
            _ => return Err(LiteralError::Syntax),
        };
        let multi_line = matches!(rest.as_bytes(), [_, a, b, c, ..] if *a == mark && *b == mark && *c != b'#');
        let marks = if multi_line { 3 } else { 1 };
        let quote = first.get(..hashes + marks).unwrap_or("");
        let closing: String = quote.chars().rev().collect();
        let Some(before) = last.strip_suffix(closing.as_str()) else {
            return Err(LiteralError::Syntax);
        };
        if !multi_line {
            return Ok((Self { mark, hashes, indent: None }, quote.len()));
        }
        let mut start = quote.len();
        start += usize::from(first.as_bytes().get(start) == Some(&b'\r'));
        if first.as_bytes().get(start) != Some(&b'\n') {
            return Err(LiteralError::OpeningLine);
        }
        start += 1;
        let indent = before.rsplit('\n').next().unwrap_or("");
        if !before.contains('\n') || !indent.chars().all(char::is_whitespace) {
            return Err(LiteralError::ClosingLine);
        }
        let quotes = Self { mark, hashes, indent: Some(indent) };
        let body = first.get(start..).unwrap_or("");
        let skipped = quotes_indent(&quotes, body)?;
        Ok((quotes, start + skipped))
    }

    pub(super) fn is_bytes(&self) -> bool {
        self.mark == b'\''
    }

    pub(super) fn multi_line_indent(&self) -> Option<&str> {
        self.indent
    }

    fn marks(&self) -> usize {
        if self.indent.is_some() { 3 } else { 1 }
    }

    /// Whether the closing marks are next.
    fn closes(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let (Some(marks), Some(hashes)) = (bytes.get(..self.marks()), bytes.get(self.marks()..self.marks() + self.hashes)) else {
            return false;
        };
        marks.iter().all(|byte| *byte == self.mark) && hashes.iter().all(|byte| *byte == b'#')
    }

    /// Decodes a piece that ends in the closing marks or in `\(`.
    pub(super) fn decode(&self, piece: &str) -> Result<Vec<u8>, LiteralError> {
        let mut out = Vec::with_capacity(piece.len());
        let mut rest = piece;
        let mut line_break_last = false;
        loop {
            match rest.as_bytes() {
                [] => return Err(LiteralError::Syntax),
                [b'\r', ..] => {
                    rest = rest.get(1..).unwrap_or("");
                    continue;
                }
                [b'\n', ..] => {
                    rest = rest.get(1..).unwrap_or("");
                    rest = rest.get(quotes_indent(self, rest)?..).unwrap_or("");
                    out.push(b'\n');
                    line_break_last = true;
                    continue;
                }
                _ => {}
            }
            let (item, tail) = self.item(rest)?;
            rest = tail;
            match item {
                Item::Quote => {
                    if line_break_last {
                        out.pop();
                    }
                    return Ok(out);
                }
                Item::Expression => return Ok(out),
                Item::Byte(byte) => out.push(byte),
                Item::Character(code) => {
                    let (code, tail) = self.join_surrogates(code, rest)?;
                    rest = tail;
                    out.extend(code.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            line_break_last = false;
        }
    }

    fn join_surrogates<'t>(&self, code: u32, rest: &'t str) -> Result<(char, &'t str), LiteralError> {
        if !HIGH_SURROGATES.contains(&code) {
            return char::from_u32(code).map(|c| (c, rest)).ok_or(LiteralError::Surrogate);
        }
        match self.item(rest) {
            Ok((Item::Character(low), rest)) if LOW_SURROGATES.contains(&low) => {
                let joined = 0x10000 + (code - HIGH_SURROGATES.start) * 0x400 + (low - LOW_SURROGATES.start);
                char::from_u32(joined).map(|c| (c, rest)).ok_or(LiteralError::Surrogate)
            }
            _ => Err(LiteralError::Surrogate),
        }
    }

    fn item<'t>(&self, text: &'t str) -> Result<(Item, &'t str), LiteralError> {
        let Some(c) = text.chars().next() else {
            return Err(LiteralError::Syntax);
        };
        let tail = text.get(c.len_utf8()..).unwrap_or("");
        if self.closes(text) {
            let behind = text.get(self.marks() + self.hashes..).unwrap_or("");
            if behind.is_empty() {
                return Ok((Item::Quote, ""));
            }
            // Marks within a line of a multi-line literal are text.
            if self.indent.is_none() {
                return Err(LiteralError::Syntax);
            }
        }
        let escape = tail.strip_prefix(&"#".repeat(self.hashes)).filter(|_| c == '\\');
        match escape {
            Some(escape) => self.escape(escape),
            None if c == '\0' => Err(LiteralError::Syntax),
            None => Ok((Item::Character(u32::from(c)), tail)),
        }
    }

    fn escape<'t>(&self, text: &'t str) -> Result<(Item, &'t str), LiteralError> {
        let Some(c) = text.chars().next() else {
            return Err(LiteralError::Syntax);
        };
        let tail = text.get(c.len_utf8()..).unwrap_or("");
        let simple = match c {
            'a' => Some(0x07),
            'b' => Some(0x08),
            'f' => Some(0x0c),
            'n' => Some(0x0a),
            'r' => Some(0x0d),
            't' => Some(0x09),
            'v' => Some(0x0b),
            '/' | '\\' => Some(u32::from(c)),
            _ if u32::from(c) == u32::from(self.mark) => Some(u32::from(c)),
            _ => None,
        };
        if let Some(code) = simple {
            return Ok((Item::Character(code), tail));
        }
        let digits = |text: &'t str, count: usize, radix: u32| -> Result<(u32, &'t str), LiteralError> {
            let digits = text.get(..count).ok_or(LiteralError::Syntax)?;
            if !digits.chars().all(|c| c.is_digit(radix)) {
                return Err(LiteralError::Syntax);
            }
            let value = u32::from_str_radix(digits, radix).map_err(|_| LiteralError::Syntax)?;
            Ok((value, text.get(count..).unwrap_or("")))
        };
        match c {
            '(' if tail.is_empty() => Ok((Item::Expression, "")),
            'u' => digits(tail, 4, 16).map(|(code, tail)| (Item::Character(code), tail)),
            'U' => match digits(tail, 8, 16)? {
                (code @ ..=0x0010_ffff, tail) => Ok((Item::Character(code), tail)),
                _ => Err(LiteralError::Syntax),
            },
            'x' if self.is_bytes() => digits(tail, 2, 16).map(|(code, tail)| (Item::Byte(code as u8), tail)),
            '0'..='7' if self.is_bytes() => match digits(text, 3, 8)? {
                (code @ ..=0xff, tail) => Ok((Item::Byte(code as u8), tail)),
                _ => Err(LiteralError::Syntax),
            },
            _ => Err(LiteralError::Syntax),
        }
    }
}

/// How many bytes of white space at the start of a line are not part of the text.
fn quotes_indent(quotes: &Quotes<'_>, line: &str) -> Result<usize, LiteralError> {
    match quotes.indent {
        None => Err(LiteralError::Syntax),
        Some(indent) if line.starts_with(indent) => Ok(indent.len()),
        Some(_) if line.starts_with('\n') || line.starts_with("\r\n") => Ok(0),
        Some(_) => Err(LiteralError::Indentation),
    }
}
