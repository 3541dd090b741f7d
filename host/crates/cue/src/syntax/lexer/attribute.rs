//! Attributes, which are one token each: `@name(…)` with balanced brackets.

use super::Lexer;
use crate::syntax::token::TokenKind;

impl Lexer<'_> {
    /// An attribute whose `@` is next.
    pub(super) fn attribute(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        self.skip_identifier();
        // Line breaks count as white space in here.
        self.insert_comma = false;
        if self.token().kind == TokenKind::LeftParenthesis {
            self.attribute_body(start);
        } else {
            self.error(start, self.at, "an attribute needs a body in parentheses, as in @name()");
        }
        TokenKind::Attribute
    }

    fn attribute_body(&mut self, start: usize) {
        use TokenKind as T;
        let mut open = vec![T::RightParenthesis];
        while let Some(wanted) = open.last().copied() {
            let token = self.token();
            match token.kind {
                T::LeftParenthesis => open.push(T::RightParenthesis),
                T::LeftBracket => open.push(T::RightBracket),
                T::LeftBrace => open.push(T::RightBrace),
                T::RightParenthesis | T::RightBracket | T::RightBrace if token.kind == wanted => {
                    open.pop();
                }
                T::RightParenthesis | T::RightBracket | T::RightBrace => {
                    let message = format!("{} in an attribute where {} is open", token.kind.name(), wanted.name());
                    self.error(token.start as usize, token.end as usize, message);
                }
                T::EndOfFile => {
                    self.error(start, self.at, format!("{} is missing in this attribute", wanted.name()));
                    return;
                }
                T::Interpolation => {
                    self.error(token.start as usize, token.end as usize, "interpolation is not allowed in an attribute");
                    self.quotes.pop();
                    self.skip_interpolation();
                }
                _ => {}
            }
        }
    }

    /// Goes behind an interpolation that should not be there.
    fn skip_interpolation(&mut self) {
        let mut open = 1;
        while let Some(byte) = self.byte() {
            match byte {
                b'\n' => return,
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {}
            }
            self.advance();
            if open == 0 {
                return;
            }
        }
    }
}
