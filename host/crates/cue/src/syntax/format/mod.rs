//! The usual layout of CUE.
//!
//! Kept true here: what is written can be read again and means the same; all comments are kept; formatting twice
//! changes nothing. The layout follows the source where the source may choose (line breaks between elements and
//! operands, blank lines) and is fixed elsewhere. Where `cue fmt` writes something sound, this writes the same bytes.

mod columns;
mod declarations;
mod expressions;
pub(crate) use expressions::{binary_text, unary_text};
mod printer;
mod simplify;
#[cfg(test)]
mod tests;

use super::ast::{CommentGroup, Comments, Declaration, Expression, File, Space, Struct};
use printer::{Last, Printer, White};

/// How a file is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Format {
    /// Whether quotation marks and braces that are not needed go.
    pub simplify: bool,
}

/// Lays out a file. `text` is what the file was read from; it is empty for a tree that was made.
pub fn format_file(file: &File, text: &str, format: Format) -> String {
    let mut simplified;
    let mut file = file;
    if format.simplify {
        simplified = file.clone();
        simplify::simplify(&mut simplified.declarations);
        file = &simplified;
    }
    let mut formatter = Formatter::new(text, format);
    formatter.file(file);
    formatter.printer.finish()
}

/// Lays out a file as if its tree had been made: its own line breaks and blanks do not count.
pub fn format_made(file: &File) -> String {
    let mut formatter = Formatter::new("", Format::default());
    formatter.printer.made = true;
    formatter.file(file);
    formatter.printer.finish()
}

/// Lays out a single expression; no line break at the end.
pub fn format_expression(expression: &Expression, text: &str, format: Format) -> String {
    let mut formatter = Formatter::new(text, format);
    formatter.expression(expression);
    let out = formatter.printer.finish();
    out.trim_end_matches('\n').to_owned()
}

/// Where a walk is: the comments of the node that are still to come, and how it is separated from others.
#[derive(Clone, Copy)]
struct Frame<'a> {
    comments: &'a [CommentGroup],
    position: i8,
    /// Between the parts of this node: a line break, or a blank where it is on one line.
    separator: White,
    /// Between this node and its siblings.
    outer_separator: White,
}

/// Walks a tree in the order of what is written.
struct Formatter<'a> {
    text: &'a str,
    format: Format,
    printer: Printer,
    stack: Vec<Frame<'a>>,
    current: Frame<'a>,
}

impl<'a> Formatter<'a> {
    fn new(text: &'a str, format: Format) -> Self {
        let current = Frame { comments: &[], position: 0, separator: White::Newline, outer_separator: White::Newline };
        Self { text, format, printer: Printer::new(), stack: Vec::new(), current }
    }

    /// Whether the text of a span is on one line; not so where it was not read from the text.
    fn on_one_line(&self, start: u32, end: u32) -> bool {
        let text = self.text.get(start as usize..end as usize);
        text.is_some_and(|text| !text.is_empty() && !text.contains('\n'))
    }

    fn white(&mut self, white: White) {
        self.printer.white(white);
    }

    /// An operator; it counts as a part of the node.
    fn operator(&mut self, text: &'static str) {
        self.printer.operator(text);
        self.step();
    }

    fn keyword(&mut self, text: &str) {
        self.printer.keyword(text);
        self.step();
    }

    fn word(&mut self, text: &str) {
        self.printer.word(text);
        self.step();
    }

    fn step(&mut self) {
        self.current.position = self.current.position.saturating_add(1);
    }

    /// Enters something that has no comments of its own.
    fn enter_part(&mut self) {
        self.stack.push(self.current);
        self.current = Frame { comments: &[], position: 0, separator: self.current.separator, outer_separator: self.current.separator };
    }

    /// Enters a node, with the comments in front of it.
    fn enter(&mut self, comments: &'a Comments) {
        self.enter_part();
        self.current.comments = comments.groups();
        self.visit_comments(0);
    }

    fn enter_struct(&mut self, node: &'a Struct) {
        self.enter_part();
        let short = node.declarations.len() <= 1 && self.current.separator != White::Blank;
        if short && self.on_one_line(node.span.start, node.span.end) {
            self.current.separator = White::Blank;
        }
        self.current.comments = node.comments.groups();
        self.visit_comments(0);
    }

    /// Leaves what was entered last, with the comments that are left.
    fn leave(&mut self) {
        self.visit_comments(i8::MAX);
        if let Some(frame) = self.stack.pop() {
            self.current = frame;
        }
        self.next_part();
    }

    /// Goes to the next part of a node, with the comments between.
    fn next_part(&mut self) {
        self.step();
        self.visit_comments(self.current.position);
    }

    fn visit_comments(&mut self, until: i8) {
        let mut first = true;
        while let Some((group, rest)) = self.current.comments.split_first() {
            if group.position > until {
                return;
            }
            self.current.comments = rest;
            if !first {
                self.white(White::Section);
            }
            first = false;
            self.printer.comments(group);
        }
    }

    /// A line break that ends all columns, unless the node is on one line.
    fn form_feed(&self) -> White {
        if self.current.separator == White::Blank { White::Blank } else { White::FormFeed }
    }

    fn file(&mut self, file: &'a File) {
        self.enter(&file.comments);
        self.declarations(&file.declarations);
        self.leave();
    }
}

/// Whether a node begins a line in the source, or is not from a source.
fn begins_line(space: Space) -> bool {
    space == Space::Unset || space >= Space::Newline
}

fn declaration_comments(declaration: &Declaration) -> &[CommentGroup] {
    match declaration {
        Declaration::Package(node) => node.comments.groups(),
        Declaration::Import(node) => node.comments.groups(),
        Declaration::Attribute(node) => node.comments.groups(),
        Declaration::Field(node) => node.comments.groups(),
        Declaration::Let(node) => node.comments.groups(),
        Declaration::Embedding(node) => node.comments.groups(),
        Declaration::Comprehension(node) => node.comments.groups(),
        Declaration::Ellipsis(node) => node.comments.groups(),
        Declaration::Bad(node) => node.comments.groups(),
        Declaration::Comments(_) => &[],
    }
}
