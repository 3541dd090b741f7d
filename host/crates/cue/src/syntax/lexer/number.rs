//! Numbers: where they end and whether they are well formed. Their values are decoded elsewhere.

use super::Lexer;
use crate::syntax::token::TokenKind;

fn digit_value(byte: Option<u8>) -> u32 {
    match byte {
        Some(b'_') => 0,
        Some(byte) => char::from(byte).to_digit(16).unwrap_or(16),
        None => 16,
    }
}

impl Lexer<'_> {
    /// Digits of a base and `_` between them; how many bytes.
    fn mantissa(&mut self, base: u32) -> usize {
        let start = self.at;
        let mut last = 0;
        while digit_value(self.byte()) < base {
            let byte = self.byte().unwrap_or(0);
            if last == b'_' && byte == b'_' {
                self.error(self.at, self.at + 1, "only one '_' may stand between two digits of a number");
            }
            last = byte;
            self.at += 1;
        }
        if last == b'_' {
            self.error(self.at - 1, self.at, "'_' must stand between two digits of a number");
        }
        self.at - start
    }

    /// A number. With `fraction`, a leading `.` has been read.
    pub(super) fn number(&mut self, fraction: bool) -> TokenKind {
        if fraction {
            self.mantissa(10);
            self.exponent(TokenKind::Float)
        } else if self.byte() == Some(b'0') {
            self.zero()
        } else {
            self.mantissa(10);
            self.fraction()
        }
    }

    fn zero(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        let base = match self.byte() {
            Some(b'x' | b'X') => Some((16, "hexadecimal")),
            Some(b'o') => Some((8, "octal")),
            Some(b'b') => Some((2, "binary")),
            _ => None,
        };
        if let Some((base, name)) = base {
            self.at += 1;
            if self.mantissa(base) == 0 {
                self.error(start, self.at, format!("a {name} number needs digits behind its prefix"));
            }
            return TokenKind::Integer;
        }
        let digits = self.byte().is_some_and(|byte| byte.is_ascii_digit()) && self.mantissa(10) > 0;
        let range = self.byte() == Some(b'.') && self.byte_after() == Some(b'.');
        if !range && matches!(self.byte(), Some(b'.' | b'e' | b'E')) {
            return self.fraction();
        }
        if digits {
            self.error(start, self.at, "an integer cannot start with 0; octal numbers start with 0o");
        }
        if range { TokenKind::Integer } else { self.exponent(TokenKind::Integer) }
    }

    fn fraction(&mut self) -> TokenKind {
        if self.byte() != Some(b'.') {
            return self.exponent(TokenKind::Integer);
        }
        if self.byte_after() == Some(b'.') {
            return TokenKind::Integer;
        }
        self.at += 1;
        self.mantissa(10);
        self.exponent(TokenKind::Float)
    }

    fn exponent(&mut self, kind: TokenKind) -> TokenKind {
        match self.byte() {
            Some(b'K' | b'M' | b'G' | b'T' | b'P') => {
                self.at += 1;
                self.eat(b'i');
                TokenKind::Integer
            }
            Some(b'e' | b'E') => {
                self.at += 1;
                if !self.eat(b'-') {
                    self.eat(b'+');
                }
                if digit_value(self.byte()) >= 10 {
                    self.error(self.at, self.at + 1, "an exponent needs digits");
                }
                self.mantissa(10);
                TokenKind::Float
            }
            _ => kind,
        }
    }
}
