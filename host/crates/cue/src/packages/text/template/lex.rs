//! From text to tokens.

use super::super::super::arguments::Result;
use crate::builtin::Failure;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// Text outside of actions.
    Text(&'t str),
    /// `{{`
    Open,
    /// `}}`
    Close,
    /// White space within an action.
    Space,
    Assign,
    Declare,
    Pipe,
    Comma,
    LeftParen,
    RightParen,
    /// A name without a sign before it.
    Word(&'t str),
    /// `.`
    Dot,
    /// The name behind a dot.
    Field(&'t str),
    /// `$` and a name, which may be empty.
    Variable(&'t str),
    /// A number as written.
    Number(&'t str),
    /// A character as written, with its quotation marks.
    Character(&'t str),
    /// A string as written, with its quotation marks.
    Quoted(&'t str),
}

const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// The tokens of a template.
pub(super) fn lex(text: &str) -> Result<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        let (before, after) = (rest.get(..at).unwrap_or(""), rest.get(at + 2..).unwrap_or(""));
        let trim = after.strip_prefix('-').filter(|after| after.starts_with(SPACE));
        let before = if trim.is_some() { before.trim_end_matches(SPACE) } else { before };
        if !before.is_empty() {
            tokens.push(Token::Text(before));
        }
        let inside = trim.unwrap_or(after);
        // A comment may follow the trim marker and its blank.
        let comment = trim.and_then(|inside| inside.get(1..)).unwrap_or(inside).strip_prefix("/*");
        rest = match comment {
            Some(comment) => skip_comment(comment)?,
            None => action(inside, &mut tokens)?,
        };
    }
    if !rest.is_empty() {
        tokens.push(Token::Text(rest));
    }
    Ok(tokens)
}

/// What follows the end of an action, if it is here.
fn after_close(rest: &str) -> Option<&str> {
    if let Some(trimmed) = rest.strip_prefix(SPACE).and_then(|rest| rest.strip_prefix("-}}")) {
        return Some(trimmed.trim_start_matches(SPACE));
    }
    rest.strip_prefix("}}")
}

fn skip_comment(comment: &str) -> Result<&str> {
    let (_, rest) = comment.split_once("*/").ok_or_else(|| Failure::eval("template: unclosed comment"))?;
    after_close(rest).ok_or_else(|| Failure::eval("template: comment ends before closing delimiter"))
}

fn is_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// The tokens of an action; gives what follows it.
fn action<'t>(mut rest: &'t str, tokens: &mut Vec<Token<'t>>) -> Result<&'t str> {
    let mut depth = 0_usize;
    tokens.push(Token::Open);
    loop {
        if let Some(after) = after_close(rest) {
            if depth > 0 {
                return Err(Failure::eval("template: unclosed left paren"));
            }
            tokens.push(Token::Close);
            return Ok(after);
        }
        let Some(first) = rest.chars().next() else {
            return Err(Failure::eval("template: unclosed action"));
        };
        let (token, length) = token(first, rest)?;
        match token {
            Token::LeftParen => depth += 1,
            Token::RightParen => {
                let outer = depth.checked_sub(1);
                depth = outer.ok_or_else(|| Failure::eval("template: unexpected right paren"))?;
            }
            _ => {}
        }
        tokens.push(token);
        rest = rest.get(length..).unwrap_or("");
    }
}

/// The token at the beginning, and how long it is.
fn token(first: char, rest: &str) -> Result<(Token<'_>, usize)> {
    let name = |from: usize| {
        let tail = rest.get(from..).unwrap_or("");
        tail.get(..tail.find(|c| !is_name(c)).unwrap_or(tail.len())).unwrap_or("")
    };
    Ok(match first {
        c if SPACE.contains(&c) => {
            // The blank of a closing trim marker belongs to that.
            let run = rest.len() - rest.trim_start_matches(SPACE).len();
            let marked = rest.get(run..).is_some_and(|after| after.starts_with("-}}"));
            (Token::Space, if marked { (run - 1).max(1) } else { run })
        }
        '=' => (Token::Assign, 1),
        ':' if rest.starts_with(":=") => (Token::Declare, 2),
        '|' => (Token::Pipe, 1),
        ',' => (Token::Comma, 1),
        '(' => (Token::LeftParen, 1),
        ')' => (Token::RightParen, 1),
        '"' => quoted(rest, '"', true).map(|text| (Token::Quoted(text), text.len()))?,
        '`' => quoted(rest, '`', false).map(|text| (Token::Quoted(text), text.len()))?,
        '\'' => quoted(rest, '\'', true).map(|text| (Token::Character(text), text.len()))?,
        '$' => {
            let name = name(1);
            terminated(rest, 1 + name.len())?;
            (Token::Variable(name), 1 + name.len())
        }
        '.' if !rest.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) => {
            let name = name(1);
            terminated(rest, 1 + name.len())?;
            (if name.is_empty() { Token::Dot } else { Token::Field(name) }, 1 + name.len())
        }
        '.' | '+' | '-' | '0'..='9' => number(rest).map(|text| (Token::Number(text), text.len()))?,
        c if is_name(c) => {
            let name = name(0);
            terminated(rest, name.len())?;
            (Token::Word(name), name.len())
        }
        c => {
            return Err(Failure::eval(format!("template: unexpected {c:?} in an action")));
        }
    })
}

/// Whether something may follow a name here.
fn terminated(rest: &str, length: usize) -> Result<()> {
    let after = rest.get(length..).unwrap_or("");
    match after.chars().next() {
        None | Some(' ' | '\t' | '\r' | '\n' | '.' | ',' | '|' | ':' | ')' | '(') => Ok(()),
        Some(_) if after.starts_with("}}") => Ok(()),
        Some(c) => Err(Failure::eval(format!("template: bad character {c:?} behind a name"))),
    }
}

fn quoted(rest: &str, mark: char, escapes: bool) -> Result<&str> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' if escapes => break,
            _ if escaped => escaped = false,
            '\\' if escapes => escaped = true,
            c if c == mark => return Ok(rest.get(..at + 1).unwrap_or(rest)),
            _ => {}
        }
    }
    Err(Failure::eval("template: unterminated quoted string"))
}

/// A number; the parser looks whether it is one.
fn number(rest: &str) -> Result<&str> {
    let bytes = rest.as_bytes();
    let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    while let Some(byte) = bytes.get(at) {
        let signed = matches!(byte, b'+' | b'-') && matches!(bytes.get(at.wrapping_sub(1)), Some(b'e' | b'E' | b'p' | b'P'));
        let hexadecimal = rest.trim_start_matches(['+', '-']).starts_with(['x', 'X']);
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || signed && !hexadecimal) {
            break;
        }
        at += 1;
    }
    Ok(rest.get(..at).unwrap_or(rest))
}
