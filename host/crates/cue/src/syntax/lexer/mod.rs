//! From text to tokens.
//!
//! Kept true here: every call makes progress or answers the end of the file; commas that follow from line breaks are
//! tokens of their own with [`Space::Elided`]; white space in front of a token is counted from the token before it.
//! The inside of an interpolation is tokenised by the caller, who calls [`Lexer::resume_interpolation`] when it has
//! seen the closing parenthesis: only a parser knows which one that is.

mod attribute;
mod number;
mod strings;

use std::borrow::Cow;

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::ast::Space;
use super::token::{Token, TokenKind};
use strings::Quote;

/// Something that is wrong with the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexicalError {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// What.
    pub message: String,
}

/// Reads tokens from a text.
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    lines: u32,
    blanks: u32,
    insert_comma: bool,
    next_after_comma: bool,
    quotes: Vec<Quote>,
    /// What was wrong so far; the caller may take them.
    pub errors: Vec<LexicalError>,
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Whether an identifier may start with it.
pub(crate) fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || !c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Letter
}

/// Whether it is a digit within an identifier.
pub(crate) fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || !c.is_ascii() && c.general_category() == GeneralCategory::DecimalNumber
}

fn is_identifier_part(c: char) -> bool {
    is_letter(c) || is_digit(c) || c == '_' || c == '$'
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of a text. A byte order mark at the start is skipped.
    pub fn new(text: &'a str) -> Self {
        let mut lexer = Self {
            text,
            at: if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 },
            lines: 0,
            blanks: 0,
            insert_comma: false,
            next_after_comma: false,
            quotes: Vec::new(),
            errors: Vec::new(),
        };
        if let Some(at) = text.find('\0') {
            lexer.error(at, at + 1, "a NUL character is not allowed in CUE");
        }
        if let Some(at) = text.get(lexer.at..).and_then(|rest| rest.find(BYTE_ORDER_MARK)) {
            let at = at + lexer.at;
            lexer.error(at, at + BYTE_ORDER_MARK.len_utf8(), "a byte order mark is only allowed at the start of a file");
        }
        lexer
    }

    fn error(&mut self, start: usize, end: usize, message: impl Into<String>) {
        self.errors.push(LexicalError { start: start as u32, end: end as u32, message: message.into() });
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn byte_after(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at + 1).copied()
    }

    fn character(&self) -> Option<char> {
        match self.byte()? {
            byte if byte.is_ascii() => Some(char::from(byte)),
            _ => self.text.get(self.at..)?.chars().next(),
        }
    }

    fn advance(&mut self) {
        if let Some(c) = self.character() {
            self.at += c.len_utf8();
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.byte() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_white_space(&mut self) {
        loop {
            match self.byte() {
                Some(b' ' | b'\t') => self.blanks += 1,
                Some(b'\n') => {
                    self.lines += 1;
                    if self.insert_comma {
                        return;
                    }
                }
                Some(b'\r') => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    fn skip_identifier(&mut self) {
        while self.character().is_some_and(is_identifier_part) {
            self.advance();
        }
    }

    /// A comma that follows from the line break, the comment or the end of the file at `start`.
    fn elided_comma(&mut self, start: usize) -> Token<'a> {
        self.insert_comma = false;
        Token { kind: TokenKind::Comma, start: start as u32, end: start as u32, space: Space::Elided, after_comma: false, text: Cow::Borrowed("\n") }
    }

    /// The next token; [`TokenKind::EndOfFile`] for ever once the text is used up.
    pub fn token(&mut self) -> Token<'a> {
        self.skip_white_space();
        let start = self.at;
        let comment = self.byte() == Some(b'/') && self.byte_after() == Some(b'/');
        if self.insert_comma && (comment || matches!(self.byte(), None | Some(b'\n'))) {
            let comma = self.elided_comma(start);
            if comment || self.byte().is_none() {
                return comma;
            }
            // The line break is counted already.
            self.at += 1;
            self.skip_white_space();
            // A comma or colon on the next line continues this one, as in JSON.
            if !matches!(self.byte(), Some(b',' | b':')) {
                return comma;
            }
            return self.token_at(self.at);
        }
        self.token_at(start)
    }

    fn token_at(&mut self, start: usize) -> Token<'a> {
        let space = match (self.lines, self.blanks) {
            (2.., _) => Space::Section,
            (1, _) => Space::Newline,
            (0, 1..) => Space::Blank,
            (0, 0) => Space::None,
        };
        let (kind, insert_comma) = self.scan();
        self.insert_comma = insert_comma;
        let after_comma = kind != TokenKind::Comment && std::mem::take(&mut self.next_after_comma);
        if kind == TokenKind::Comma {
            self.next_after_comma = true;
        }
        self.lines = 0;
        self.blanks = 0;
        let text = self.slice(start, self.at, kind);
        Token { kind, start: start as u32, end: self.at as u32, space, after_comma, text }
    }

    fn slice(&self, start: usize, end: usize, kind: TokenKind) -> Cow<'a, str> {
        let text = self.text.get(start..end).unwrap_or("");
        let strip = matches!(kind, TokenKind::Comment | TokenKind::String | TokenKind::Interpolation);
        if strip && text.contains('\r') { Cow::Owned(text.replace('\r', "")) } else { Cow::Borrowed(text) }
    }

    /// Reads one token, and says whether a line break behind it is a comma.
    fn scan(&mut self) -> (TokenKind, bool) {
        let Some(c) = self.character() else {
            return (TokenKind::EndOfFile, false);
        };
        match c {
            '0'..='9' => (self.number(false), true),
            '_' => (self.underscore(), true),
            '#' => self.hash(),
            '$' => (self.name(), true),
            '"' | '\'' => self.string(0),
            '@' => (self.attribute(), true),
            _ if is_letter(c) => (self.name(), true),
            _ => self.punctuation(c),
        }
    }

    fn name(&mut self) -> TokenKind {
        let start = self.at;
        self.advance();
        self.skip_identifier();
        let text = self.text.get(start..self.at).unwrap_or("");
        TokenKind::keyword(text).unwrap_or(TokenKind::Identifier)
    }

    fn underscore(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        if self.byte() == Some(b'|') && self.byte_after() == Some(b'_') {
            self.at += 2;
            return TokenKind::Bottom;
        }
        if self.eat(b'#') {
            if self.character().is_some_and(is_digit) {
                return TokenKind::Identifier;
            }
            self.skip_identifier();
            return TokenKind::Identifier;
        }
        self.skip_identifier();
        if self.text.get(start..self.at) == Some("__") && self.eat(b'#') {
            self.skip_identifier();
            self.error(start, self.at, "an identifier cannot start with '__#'");
            return TokenKind::Illegal;
        }
        TokenKind::Identifier
    }

    /// `#Definition`, `#"raw string"#` or `#` alone.
    fn hash(&mut self) -> (TokenKind, bool) {
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or("");
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        if matches!(rest.as_bytes().get(hashes), Some(b'"' | b'\'')) {
            self.at += hashes;
            return self.string(hashes);
        }
        self.at += 1;
        if hashes > 1 {
            self.at = start + hashes;
            self.error(start, self.at, "'#' in a row are only allowed in front of a raw string");
            return (TokenKind::Illegal, self.insert_comma);
        }
        if !self.character().is_some_and(is_digit) {
            self.skip_identifier();
        }
        (TokenKind::Identifier, true)
    }

    fn punctuation(&mut self, c: char) -> (TokenKind, bool) {
        use TokenKind as T;
        let start = self.at;
        self.advance();
        let kind = match c {
            ':' => T::Colon,
            ',' => T::Comma,
            ';' => return (T::Semicolon, true),
            '?' => return (T::Option, true),
            '~' => T::Tilde,
            '.' => return self.period(start),
            '(' => T::LeftParenthesis,
            ')' => return (T::RightParenthesis, true),
            '[' => T::LeftBracket,
            ']' => return (T::RightBracket, true),
            '{' => T::LeftBrace,
            '}' => return (T::RightBrace, true),
            '+' => T::Plus,
            '-' => T::Minus,
            '*' => T::Star,
            '/' if self.byte() == Some(b'/') => {
                let rest = self.text.get(self.at..).unwrap_or("");
                self.at += rest.find('\n').unwrap_or(rest.len());
                T::Comment
            }
            '/' => T::Slash,
            '<' if self.eat(b'-') => T::Arrow,
            '<' if self.eat(b'=') => T::LessOrEqual,
            '<' => T::Less,
            '>' if self.eat(b'=') => T::GreaterOrEqual,
            '>' => T::Greater,
            '=' if self.eat(b'~') => T::Match,
            '=' if self.eat(b'=') => T::Equal,
            '=' => T::Bind,
            '!' if self.eat(b'~') => T::NotMatch,
            '!' if self.eat(b'=') => T::NotEqual,
            '!' => T::Not,
            '&' if self.eat(b'&') => T::LogicalAnd,
            '&' => T::And,
            '|' if self.eat(b'|') => T::LogicalOr,
            '|' => T::Or,
            _ => {
                if c != BYTE_ORDER_MARK && c != '\0' {
                    self.error(start, self.at, format!("illegal character {c:?}"));
                }
                return (T::Illegal, self.insert_comma);
            }
        };
        (kind, false)
    }

    fn period(&mut self, start: usize) -> (TokenKind, bool) {
        if self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            return (self.number(true), true);
        }
        if !self.eat(b'.') {
            return (TokenKind::Period, false);
        }
        if self.eat(b'.') {
            return (TokenKind::Ellipsis, true);
        }
        self.error(start, self.at, "'..' is not CUE; use '.' to select or '...' to leave open");
        (TokenKind::Illegal, false)
    }
}
