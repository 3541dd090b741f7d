//! Tokens.

use std::borrow::Cow;

use super::ast::{BinaryOperator, Space, UnaryOperator};

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is named after what it is")]
pub enum TokenKind {
    Illegal,
    EndOfFile,
    Comment,
    Attribute,
    Identifier,
    Integer,
    Float,
    String,
    /// The start of a string with an interpolation, up to `\(`.
    Interpolation,
    Bottom,
    Plus,
    Minus,
    Star,
    Slash,
    And,
    Or,
    LogicalAnd,
    LogicalOr,
    Bind,
    Equal,
    Less,
    Greater,
    Not,
    Arrow,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
    Match,
    NotMatch,
    LeftParenthesis,
    LeftBracket,
    LeftBrace,
    Comma,
    Period,
    Ellipsis,
    RightParenthesis,
    RightBracket,
    RightBrace,
    Semicolon,
    Colon,
    Option,
    Tilde,
    If,
    Else,
    For,
    In,
    Let,
    Try,
    Fallback,
    Otherwise,
    Func,
    True,
    False,
    Null,
}

use TokenKind as T;

impl TokenKind {
    /// The keyword that an identifier is, if it is one.
    pub fn keyword(text: &str) -> Option<Self> {
        Some(match text {
            "if" => T::If,
            "else" => T::Else,
            "for" => T::For,
            "in" => T::In,
            "let" => T::Let,
            "try" => T::Try,
            "fallback" => T::Fallback,
            "otherwise" => T::Otherwise,
            "func" => T::Func,
            "true" => T::True,
            "false" => T::False,
            "null" => T::Null,
            _ => return None,
        })
    }

    /// Whether it is a keyword.
    pub fn is_keyword(self) -> bool {
        matches!(self, T::If | T::Else | T::For | T::In | T::Let | T::Try | T::Fallback | T::Otherwise | T::Func | T::True | T::False | T::Null)
    }

    /// Whether its text says more than its kind.
    pub fn has_text(self) -> bool {
        matches!(self, T::Identifier | T::Integer | T::Float | T::String | T::Interpolation) || self.is_keyword()
    }

    /// How it is written, or what it is called in a message.
    pub fn name(self) -> &'static str {
        match self {
            T::Illegal => "illegal character",
            T::EndOfFile => "end of file",
            T::Comment => "comment",
            T::Attribute => "attribute",
            T::Identifier => "identifier",
            T::Integer => "integer",
            T::Float => "number",
            T::String => "string",
            T::Interpolation => "interpolation",
            T::Bottom => "'_|_'",
            T::Plus => "'+'",
            T::Minus => "'-'",
            T::Star => "'*'",
            T::Slash => "'/'",
            T::And => "'&'",
            T::Or => "'|'",
            T::LogicalAnd => "'&&'",
            T::LogicalOr => "'||'",
            T::Bind => "'='",
            T::Equal => "'=='",
            T::Less => "'<'",
            T::Greater => "'>'",
            T::Not => "'!'",
            T::Arrow => "'<-'",
            T::NotEqual => "'!='",
            T::LessOrEqual => "'<='",
            T::GreaterOrEqual => "'>='",
            T::Match => "'=~'",
            T::NotMatch => "'!~'",
            T::LeftParenthesis => "'('",
            T::LeftBracket => "'['",
            T::LeftBrace => "'{'",
            T::Comma => "','",
            T::Period => "'.'",
            T::Ellipsis => "'...'",
            T::RightParenthesis => "')'",
            T::RightBracket => "']'",
            T::RightBrace => "'}'",
            T::Semicolon => "';'",
            T::Colon => "':'",
            T::Option => "'?'",
            T::Tilde => "'~'",
            T::If => "'if'",
            T::Else => "'else'",
            T::For => "'for'",
            T::In => "'in'",
            T::Let => "'let'",
            T::Try => "'try'",
            T::Fallback => "'fallback'",
            T::Otherwise => "'otherwise'",
            T::Func => "'func'",
            T::True => "'true'",
            T::False => "'false'",
            T::Null => "'null'",
        }
    }

    /// The binary operator that it is, with its precedence from 1 (loosest) to 7.
    pub fn binary(self) -> Option<(BinaryOperator, u8)> {
        Some(match self {
            T::Or => (BinaryOperator::Disjunction, 1),
            T::And => (BinaryOperator::Unification, 2),
            T::LogicalOr => (BinaryOperator::Or, 3),
            T::LogicalAnd => (BinaryOperator::And, 4),
            T::Equal => (BinaryOperator::Equal, 5),
            T::NotEqual => (BinaryOperator::NotEqual, 5),
            T::Less => (BinaryOperator::Less, 5),
            T::LessOrEqual => (BinaryOperator::LessOrEqual, 5),
            T::Greater => (BinaryOperator::Greater, 5),
            T::GreaterOrEqual => (BinaryOperator::GreaterOrEqual, 5),
            T::Match => (BinaryOperator::Match, 5),
            T::NotMatch => (BinaryOperator::NotMatch, 5),
            T::Plus => (BinaryOperator::Add, 6),
            T::Minus => (BinaryOperator::Subtract, 6),
            T::Star => (BinaryOperator::Multiply, 7),
            T::Slash => (BinaryOperator::Divide, 7),
            _ => return None,
        })
    }

    /// The unary operator that it is. `==` is one with struct comparison only.
    pub fn unary(self) -> Option<UnaryOperator> {
        Some(match self {
            T::Plus => UnaryOperator::Plus,
            T::Minus => UnaryOperator::Minus,
            T::Not => UnaryOperator::Not,
            T::Star => UnaryOperator::Default,
            T::Less => UnaryOperator::Less,
            T::LessOrEqual => UnaryOperator::LessOrEqual,
            T::Greater => UnaryOperator::Greater,
            T::GreaterOrEqual => UnaryOperator::GreaterOrEqual,
            T::NotEqual => UnaryOperator::NotEqual,
            T::Equal => UnaryOperator::Equal,
            T::Match => UnaryOperator::Match,
            T::NotMatch => UnaryOperator::NotMatch,
            _ => return None,
        })
    }
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Its kind.
    pub kind: TokenKind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The white space in front.
    pub space: Space,
    /// Whether a comma that was written stands in front.
    pub after_comma: bool,
    /// The text; carriage returns of multi-line strings and comments are left out. `"\n"` for a comma that follows
    /// from a line break.
    pub text: Cow<'a, str>,
}

impl Token<'_> {
    /// Whether it is a comma that follows from a line break.
    pub fn is_line_break(&self) -> bool {
        self.kind == TokenKind::Comma && self.space == Space::Elided
    }
}
