//! Decides the white space between tokens.
//!
//! Kept true here: between two tokens, what the layout allows or demands and what stood in the source are brought
//! together once, when the second token is written. A line break in the source is kept where the layout allows one;
//! two or more are one blank line.

use super::columns::Columns;
use crate::syntax::ast::{Comment, CommentGroup, Literal, LiteralKind, Place, Space};
use crate::syntax::literal::multi_line_indent;

/// A set of demands on white space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct White(u32);

#[expect(non_upper_case_globals, reason = "a set of flags that reads as words")]
impl White {
    pub(super) const Nothing: Self = Self(0);
    /// A blank.
    pub(super) const Blank: Self = Self(1);
    /// A tab stop.
    pub(super) const Stop: Self = Self(1 << 1);
    /// No blank.
    pub(super) const NoBlank: Self = Self(1 << 2);
    /// The source has no say.
    pub(super) const NoOverride: Self = Self(1 << 3);
    /// A comma.
    pub(super) const Comma: Self = Self(1 << 4);
    /// A comma only in front of a line break.
    pub(super) const TrailingComma: Self = Self(1 << 5);
    /// A comma only where no line break follows.
    pub(super) const DeclarationComma: Self = Self(1 << 6);
    /// A line break.
    pub(super) const Newline: Self = Self(1 << 7);
    /// A line break that ends all columns.
    pub(super) const FormFeed: Self = Self(1 << 8);
    /// A blank line.
    pub(super) const Section: Self = Self(1 << 9);
    /// One level deeper behind the next line break.
    pub(super) const Indent: Self = Self(1 << 10);
    /// One level back.
    pub(super) const Unindent: Self = Self(1 << 11);
    /// A level that did become deeper.
    const Indented: Self = Self(1 << 12);

    const BREAKS: Self = Self(Self::Newline.0 | Self::FormFeed.0 | Self::Section.0);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl std::ops::BitOr for White {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for White {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// What was written last, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    Nothing,
    Integer,
    /// An operator or bracket.
    Operator(&'static str),
    Other,
}

/// Writes tokens with the white space between them.
pub(super) struct Printer {
    columns: Columns,
    pub(super) allowed: White,
    indents: Vec<White>,
    pub(super) indent: usize,
    column: usize,
    /// How many line breaks were written.
    pub(super) line: usize,
    pub(super) last: Last,
    written: bool,
    space_before: bool,
    /// Whether a brace was opened on this line.
    pub(super) brace_on_line: bool,
    in_comment: bool,
    /// Within a one-line string: line breaks of the source do not count.
    pub(super) one_line: usize,
    /// Whether the white space of the source does not count at all.
    pub(super) made: bool,
}

/// Whether two tokens without a blank between them would be read as others.
fn must_be_apart(last: Last, next: &str) -> bool {
    match last {
        Last::Integer => next == ".",
        Last::Operator(last) => matches!(
            (last, next.as_bytes().first()),
            ("+", Some(b'+'))
                | ("-", Some(b'-'))
                | ("/", Some(b'/' | b'*'))
                | ("<", Some(b'-' | b'='))
                | (">", Some(b'='))
                | ("!", Some(b'=' | b'~'))
                | ("=", Some(b'=' | b'~'))
                | ("&", Some(b'&'))
                | ("|", Some(b'|'))
        ),
        Last::Nothing | Last::Other => false,
    }
}

impl Printer {
    pub(super) fn new() -> Self {
        Self {
            columns: Columns::new(),
            // White space at the start is not kept.
            allowed: White::NoOverride,
            indents: Vec::new(),
            indent: 0,
            column: 1,
            line: 0,
            last: Last::Nothing,
            written: false,
            space_before: false,
            brace_on_line: false,
            in_comment: false,
            one_line: 0,
            made: false,
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.allowed = White::Newline;
        self.write_text("");
        self.columns.finish()
    }

    /// Allows or demands white space in front of the next token.
    pub(super) fn white(&mut self, white: White) {
        self.allowed |= white;
    }

    /// What the source has in front of the next token.
    pub(super) fn space(&mut self, space: Space) {
        let space = if self.one_line > 0 && space >= Space::Newline { Space::Unset } else { space };
        if self.made || space == Space::Unset || self.allowed.has(White::NoOverride) {
            return;
        }
        let mut requested = match space {
            Space::None => self.allowed.without(White::BREAKS),
            Space::Blank => self.allowed.without(White::BREAKS) | White::Blank,
            Space::Newline => self.allowed | White::Newline,
            Space::Section => self.allowed | White::Section,
            Space::Unset | Space::Elided => self.allowed,
        };
        if self.in_comment {
            requested |= White::Newline;
        }
        self.write_white(requested);
        self.allowed = White::Nothing;
    }

    pub(super) fn place(&mut self, place: Place) {
        self.space(place.space);
    }

    /// An operator or bracket.
    pub(super) fn operator(&mut self, text: &'static str) {
        if must_be_apart(self.last, text) && !self.space_before {
            self.allowed |= White::Blank;
        }
        self.last = Last::Operator(text);
        self.write_text(text);
    }

    /// A keyword that has blanks on both sides.
    pub(super) fn keyword(&mut self, text: &str) {
        if self.last != Last::Nothing && !self.space_before {
            self.allowed |= White::Blank;
        }
        self.last = Last::Other;
        self.write_text(text);
        self.allowed = White::Blank;
    }

    /// A name, label, attribute or a word of the language.
    pub(super) fn word(&mut self, text: &str) {
        self.last = Last::Other;
        self.write_text(text);
    }

    /// A literal, in its usual spelling.
    pub(super) fn literal(&mut self, literal: &Literal) {
        let text = match literal.kind {
            LiteralKind::String if self.indent < 6 => indented(&literal.text, self.indent + 1),
            LiteralKind::Integer | LiteralKind::Float => number(&literal.text),
            _ => literal.text.clone(),
        };
        self.last = if literal.kind == LiteralKind::Integer { Last::Integer } else { Last::Other };
        self.write_text(&text);
    }

    fn write_text(&mut self, text: &str) {
        self.write_white(self.allowed);
        self.allowed = White::Nothing;
        self.in_comment = false;
        if text.is_empty() {
            return;
        }
        self.space_before = false;
        self.written = true;
        self.columns.text(text);
        self.column = match text.rfind('\n') {
            Some(at) => text.len() - at,
            None => self.column + text.len(),
        };
    }

    pub(super) fn comments(&mut self, group: &CommentGroup) {
        self.comment_space(group);
        if group.doc && self.written {
            self.white(White::Newline);
        }
        let mut space = group.space;
        for comment in &group.comments {
            if self.column > 1 {
                self.white(White::Stop);
            }
            self.space(space);
            // The comments of a group stand on lines of their own.
            space = if space == Space::Unset { space } else { Space::Newline };
            self.comment(comment);
            if group.doc {
                self.white(White::NoOverride);
            }
        }
    }

    /// The next token of a tree that was made stays on the line.
    pub(super) fn stay(&mut self) {
        if self.made && self.one_line == 0 {
            self.write_white(self.allowed.without(White::BREAKS) | White::Blank);
            self.allowed = White::Nothing;
        }
    }

    /// A space of the source, where the source counts.
    pub(super) fn known(&self, space: Space) -> Space {
        if self.made { Space::Unset } else { space }
    }

    fn comment_space(&mut self, group: &CommentGroup) {
        let space = if group.line { Space::Blank } else { self.known(group.space) };
        match space {
            Space::Unset | Space::Newline | Space::Section => return,
            Space::Blank | Space::Elided => self.allowed |= White::Blank,
            Space::None => {}
        }
        self.allowed = self.allowed.without(White::BREAKS).without(White::DeclarationComma);
    }

    fn comment(&mut self, comment: &Comment) {
        self.last = Last::Other;
        self.write_text(&comment.text);
        self.in_comment = true;
        self.white(White::Newline);
    }

    fn write_white(&mut self, white: White) {
        if white.has(White::Comma) && (white.has(White::BREAKS) || !white.has(White::TrailingComma)) {
            self.write_byte(',');
        }
        if white.has(White::Indent) {
            self.indents.push(white);
        }
        if white.has(White::Unindent) {
            self.unindent();
        }
        if white.has(White::BREAKS) {
            let sections = white.has(White::Section);
            self.deepen(white);
            let form_feed = sections || white.has(White::FormFeed);
            self.break_line(form_feed, if sections { 2 } else { 1 });
        } else if white.has(White::DeclarationComma) {
            self.write_byte(',');
            self.write_byte(' ');
        } else if white.has(White::NoBlank) {
            return;
        } else if white.has(White::Stop) {
            self.columns.stop();
            self.column += 1;
        } else if white.has(White::Blank) {
            self.write_byte(' ');
        } else {
            return;
        }
        self.space_before = true;
    }

    fn write_byte(&mut self, byte: char) {
        self.columns.text(byte.encode_utf8(&mut [0; 4]));
        self.column += 1;
        self.written = true;
    }

    fn break_line(&mut self, form_feed: bool, count: usize) {
        for _ in 0..count {
            if form_feed {
                self.columns.section_break();
            } else {
                self.columns.line_break();
            }
        }
        self.written = true;
        self.line += count;
        self.brace_on_line = false;
        for _ in 0..self.indent {
            self.columns.tab();
        }
        self.column = 1 + self.indent;
    }

    /// Ends a level of indentation.
    pub(super) fn unindent(&mut self) {
        if self.indents.pop().is_some_and(|white| white.has(White::Indented)) {
            self.indent = self.indent.saturating_sub(1);
        }
    }

    /// The first line break within a level makes it deeper.
    fn deepen(&mut self, white: White) {
        if white.has(White::Unindent) {
            return;
        }
        if let Some(last) = self.indents.last_mut()
            && !last.has(White::Indented)
            && last.has(White::Indent)
        {
            *last |= White::Indented;
            self.indent += 1;
        }
    }
}

/// A multi-line string with its lines indented by as many tabs.
fn indented(text: &str, tabs: usize) -> String {
    let wanted = "\t".repeat(tabs);
    match multi_line_indent(text, text) {
        Some(indent) if indent != wanted => text.replace(&format!("\n{indent}"), &format!("\n{wanted}")),
        _ => text.to_owned(),
    }
}

/// A number in its usual spelling: digits on both sides of the point, a small `e`.
fn number(text: &str) -> String {
    if text.starts_with("0x") || text.starts_with("0X") {
        return text.to_owned();
    }
    let mut out = text.replace('E', "e");
    if out.starts_with('.') {
        out.insert(0, '0');
    }
    if let Some(at) = out.find('.')
        && !out.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit)
    {
        out.insert(at + 1, '0');
    }
    out
}
