//! From tokens to a tree.
//!
//! Kept true here: every loop makes progress; nesting and chains are bounded; after an error the parser goes on behind
//! the next comma, at most one error is reported for each line, and after ten it gives up. What is inside brackets is
//! `Bad` where it could not be read, never guessed.

mod comments;
mod declarations;
mod expressions;
mod file;

use pravo_diag::{Diagnostic, FileId, SourceMap, Span};

use super::ast::*;
use super::experiments::{Experiments, LanguageVersion};
use super::lexer::Lexer;
use super::token::{Token, TokenKind};
use super::{MAXIMUM_CHAIN, MAXIMUM_DEPTH};
use comments::CommentState;

/// How a text is to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The language version of the module that the file is in.
    pub version: LanguageVersion,
}

/// A file's tree, and what was wrong.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree; whole where there are no diagnostics.
    pub file: File,
    /// What was wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// An expression's tree, and what was wrong.
#[derive(Clone, Debug)]
pub struct ParsedExpression {
    /// The tree; whole where there are no diagnostics.
    pub expression: Expression,
    /// What was wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file. An id that is not in the map is read as an empty file.
pub fn parse_file(sources: &SourceMap, file: FileId, options: &Options) -> Parsed {
    let text = sources.get(file).map_or("", |source| source.text());
    Parser::new(text, file, *options).file()
}

/// Reads a single expression, such as the argument of a command.
pub fn parse_expression(sources: &SourceMap, file: FileId, options: &Options) -> ParsedExpression {
    let text = sources.get(file).map_or("", |source| source.text());
    Parser::new(text, file, *options).whole_expression()
}

/// Errors after which the parser gives up.
const MAXIMUM_ERRORS: usize = 10;

struct Parser<'a> {
    text: &'a str,
    file: FileId,
    lexer: Lexer<'a>,
    options: Options,
    experiments: Experiments,
    token: Token<'a>,
    peeked: Option<Token<'a>>,
    /// Where the last token that was written ended.
    last_end: u32,
    comments: CommentState,
    errors: Vec<(u32, u32, String, String)>,
    last_error_line: Option<u32>,
    gave_up: bool,
    depth: usize,
    /// Where the parser last went on after an error, and how often without progress.
    synchronised: (u32, u32),
    line_starts: Vec<u32>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, file: FileId, options: Options) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1));
        let token = Token { kind: TokenKind::Illegal, start: 0, end: 0, space: Space::None, after_comma: false, text: "".into() };
        let mut parser = Self {
            text,
            file,
            lexer: Lexer::new(text),
            options,
            experiments: Experiments::of(options.version),
            token,
            peeked: None,
            last_end: 0,
            comments: CommentState::new(),
            errors: Vec::new(),
            last_error_line: None,
            gave_up: false,
            depth: 0,
            synchronised: (0, 0),
            line_starts,
        };
        parser.next();
        parser
    }

    fn line(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|start| *start <= offset) as u32
    }

    fn span(&self, start: u32, end: u32) -> Span {
        Span::new(self.file, start, end.max(start))
    }

    /// From an offset to the end of the last token.
    fn span_from(&self, start: u32) -> Span {
        self.span(start, self.last_end)
    }

    fn place(&self) -> Place {
        Place { offset: self.token.start, space: self.token.space }
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    fn next_raw(&mut self) {
        if self.token.space != Space::Elided && !self.at(TokenKind::Comment) {
            self.last_end = self.token.end;
        }
        self.token = match self.peeked.take() {
            Some(token) => token,
            None => self.lexer.token(),
        };
        self.take_lexical_errors();
        if self.gave_up && !self.at(TokenKind::EndOfFile) {
            self.token = Token { kind: TokenKind::EndOfFile, text: "".into(), ..self.token.clone() };
        }
    }

    fn take_lexical_errors(&mut self) {
        for error in std::mem::take(&mut self.lexer.errors) {
            if self.errors.len() <= MAXIMUM_ERRORS {
                self.last_error_line = Some(self.line(error.start));
                self.errors.push((error.start, error.end, error.message, String::new()));
            }
        }
    }

    /// The kind of the token behind this one.
    fn peek(&mut self) -> TokenKind {
        if self.peeked.is_none() {
            self.peeked = Some(self.lexer.token());
        }
        self.peeked.as_ref().map_or(TokenKind::EndOfFile, |token| token.kind)
    }

    fn comment_group(&mut self, previous_line: u32, blank_lines: u32) -> (CommentGroup, u32) {
        let mut end_line = self.line(self.token.start);
        let space = match end_line.saturating_sub(previous_line) {
            0 => Space::Blank,
            1 => Space::Newline,
            _ => Space::Section,
        };
        let mut comments = Vec::new();
        while self.at(TokenKind::Comment) && self.line(self.token.start) <= end_line + blank_lines {
            end_line = self.line(self.token.start);
            comments.push(Comment { span: self.span(self.token.start, self.token.end), text: self.token.text.clone().into_owned() });
            self.next_raw();
        }
        (CommentGroup { doc: false, line: false, position: 0, space, comments }, end_line)
    }

    /// Goes to the next token that is no comment, and puts the comments between where they belong.
    fn next(&mut self) {
        self.comments.flush_lead();
        // In front of the first token there is no line.
        let is_first = self.at(TokenKind::Illegal) && self.token.end == 0;
        let mut previous_line = if is_first { 0 } else { self.line(self.token.start) };
        self.next_raw();
        self.comments.token();
        if !self.at(TokenKind::Comment) {
            return;
        }
        let mut current_line = self.line(self.token.start);
        let mut group = None;
        if previous_line == current_line {
            let (mut first, end_line) = self.comment_group(previous_line, 0);
            first.line = self.line(self.token.start) != end_line;
            group = Some(first);
        }
        let mut end_line = None;
        while self.at(TokenKind::Comment) {
            if let Some(group) = group.take() {
                self.comments.add(group);
            }
            let (next, end) = self.comment_group(previous_line, 1);
            group = Some(next);
            end_line = Some(end);
            previous_line = current_line;
            current_line = self.line(self.token.start);
        }
        let Some(mut group) = group else {
            return;
        };
        let leads = end_line.is_some_and(|line| line + 1 == self.line(self.token.start));
        if leads && !self.at(TokenKind::EndOfFile) {
            group.doc = true;
            self.comments.set_lead(group);
        } else {
            self.comments.add(group);
        }
    }

    fn error(&mut self, start: u32, end: u32, message: impl Into<String>) {
        self.error_with_help(start, end, message, "");
    }

    /// Reports an error, unless it is likely a consequence of one on the same line.
    fn error_with_help(&mut self, start: u32, end: u32, message: impl Into<String>, help: &str) {
        if self.gave_up {
            return;
        }
        let line = self.line(start);
        if self.last_error_line == Some(line) && !self.errors.is_empty() {
            return;
        }
        self.last_error_line = Some(line);
        self.errors.push((start, end, message.into(), help.to_owned()));
        if self.errors.len() > MAXIMUM_ERRORS {
            self.give_up();
        }
    }

    fn give_up(&mut self) {
        self.gave_up = true;
        self.peeked = None;
        self.token = Token { kind: TokenKind::EndOfFile, text: "".into(), ..self.token.clone() };
    }

    /// Enters a construct that may be nested; `false` where it is nested too deep, and the parser has given up.
    fn enter(&mut self) -> bool {
        self.depth += 1;
        if self.depth <= MAXIMUM_DEPTH {
            return true;
        }
        let message = format!("this is nested deeper than {MAXIMUM_DEPTH} levels");
        self.last_error_line = None;
        let (start, end) = (self.token.start, self.token.end);
        self.error_with_help(start, end, message, "give inner parts names of their own and refer to them");
        self.give_up();
        false
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Counts a link of a chain such as `a.b.c`; `false` where it is too long, and the parser has given up.
    fn link(&mut self, length: &mut usize) -> bool {
        *length += 1;
        if *length <= MAXIMUM_CHAIN {
            return true;
        }
        let message = format!("more than {MAXIMUM_CHAIN} operators follow each other here");
        self.last_error_line = None;
        let (start, end) = (self.token.start, self.token.end);
        self.error_with_help(start, end, message, "split the expression into several fields");
        self.give_up();
        false
    }

    fn error_expected(&mut self, what: &str) {
        let found = match self.token.kind {
            _ if self.token.is_line_break() => "a line break".to_owned(),
            kind if kind.has_text() => format!("{} {}", kind.name(), shorten(&self.token.text)),
            kind => kind.name().to_owned(),
        };
        let (start, end) = (self.token.start, self.token.end);
        let help = match self.token.kind {
            TokenKind::Func => "func is a reserved word",
            _ => "",
        };
        self.error_with_help(start, end, format!("expected {what}, found {found}"), help);
    }

    /// Goes on behind a token of a kind; where there is none, reports it and skips what is there.
    fn expect(&mut self, kind: TokenKind) -> Option<Place> {
        let place = self.place();
        let found = self.at(kind);
        if !found {
            self.error_expected(kind.name());
        }
        self.next();
        found.then_some(place)
    }

    fn expect_closing(&mut self, kind: TokenKind, context: &str) -> Place {
        if !self.at(kind) && self.token.is_line_break() {
            let at = self.token.start;
            let message = format!("missing ',' before the line break in {context}");
            self.error_with_help(at, at, message, "end the line with a comma");
            self.next();
        }
        let place = self.place();
        self.expect(kind).unwrap_or(place)
    }

    fn expect_comma(&mut self) {
        use TokenKind as T;
        match self.token.kind {
            T::Comma => self.next(),
            T::RightParenthesis | T::RightBrace | T::EndOfFile => {}
            _ => {
                self.error_expected("','");
                self.synchronise();
            }
        }
    }

    /// Whether a comma is here, or should be; `false` where one of `follow` is.
    fn at_comma(&mut self, context: &str, follow: &[TokenKind]) -> bool {
        if self.at(TokenKind::Comma) {
            return true;
        }
        if follow.contains(&self.token.kind) {
            return false;
        }
        let (start, end) = (self.token.start, self.token.end);
        let message = format!("missing ',' in {context}");
        let help = "separate declarations, elements and arguments with commas or line breaks";
        self.error_with_help(start, end, message, help);
        true
    }

    /// Goes on behind a comma. Where it was missing, what may begin something else is not lost.
    fn skip_comma(&mut self) {
        use TokenKind as T;
        if !matches!(self.token.kind, T::Identifier | T::String | T::Integer | T::Float) {
            self.next();
        }
    }

    /// Skips to the next comma after an error.
    fn synchronise(&mut self) {
        loop {
            match self.token.kind {
                TokenKind::EndOfFile => return,
                TokenKind::Comma => {
                    let (at, count) = self.synchronised;
                    if at == self.token.start && count < 10 {
                        self.synchronised = (at, count + 1);
                        return;
                    }
                    if at < self.token.start {
                        self.synchronised = (self.token.start, 0);
                        return;
                    }
                }
                _ => {}
            }
            self.next();
        }
    }

    fn diagnostics(&mut self) -> Vec<Diagnostic> {
        self.take_lexical_errors();
        let mut errors = std::mem::take(&mut self.errors);
        errors.sort_by_key(|(start, ..)| *start);
        errors
            .into_iter()
            .map(|(start, end, message, help)| Diagnostic::error("cue.syntax", message).at(self.span(start, end), "").with_help(help))
            .collect()
    }
}

/// The start of a text that may be long.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text.to_owned(),
    }
}
