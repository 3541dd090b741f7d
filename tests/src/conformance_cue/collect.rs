//! Finds the assertions of a file, and the paths that they are about.

use pravo_cue::syntax::ast::{Declaration, Expression, Field, File, Label, Struct};
use pravo_cue::syntax::literal;
use pravo_diag::Span;

use super::attribute::Directive;

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A field, by its name without quotation marks; whether it was written as an identifier.
    Field(String, bool),
    /// An element.
    Index(usize),
}

/// A path as text.
pub fn path_text(path: &[Step]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            Step::Field(name, identifier) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(&if *identifier { name.clone() } else { literal::quote_label(name) });
            }
            Step::Index(index) => out.push_str(&format!("[{index}]")),
        }
    }
    out
}

/// An assertion.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// What it is about.
    pub path: Vec<Step>,
    /// What it says.
    pub directive: Directive,
    /// From where the lines of its places are counted.
    pub base: Span,
    /// Whether it is a declaration in a struct, not an attribute of a field.
    pub declaration: bool,
    /// The number of its file.
    pub file: usize,
}

/// The step that a label is; `None` for dynamic labels and patterns.
pub fn step(label: &Label) -> Option<Step> {
    match label {
        Label::Identifier(name) => Some(Step::Field(name.name.clone(), true)),
        Label::Literal(literal) => {
            let text = literal::plain_string(&literal.text).unwrap_or_else(|| literal.text.clone());
            Some(Step::Field(text, false))
        }
        Label::Alias(alias) => step(&alias.label),
        Label::Interpolation(_) | Label::Parenthesised(_) | Label::Pattern(_) => None,
    }
}

/// The assertions of a file.
pub fn file(number: usize, file: &File) -> Vec<Assertion> {
    let mut out = Vec::new();
    let mut collector = Collector { file: number, out: &mut out };
    for declaration in file.body() {
        match declaration {
            Declaration::Attribute(attribute) if attribute.name() == "test" => {
                collector.add(&[], attribute.body(), attribute.span, true);
            }
            Declaration::Field(field) => collector.field(field, &[]),
            _ => {}
        }
    }
    out
}

struct Collector<'a> {
    file: usize,
    out: &'a mut Vec<Assertion>,
}

impl Collector<'_> {
    fn add(&mut self, path: &[Step], body: &str, base: Span, declaration: bool) {
        let directive = Directive::parse(body);
        self.out.push(Assertion { path: path.to_vec(), directive, base, declaration, file: self.file });
    }

    fn field(&mut self, field: &Field, parent: &[Step]) {
        let Some(step) = step(&field.label) else {
            return;
        };
        let path: Vec<Step> = parent.iter().cloned().chain([step]).collect();
        for attribute in field.attributes.iter().filter(|attribute| attribute.name() == "test") {
            self.add(&path, attribute.body(), field.span, false);
        }
        let value = match &field.value {
            Expression::Alias(alias) => &alias.value,
            value => value,
        };
        if let Expression::Struct(node) = value {
            self.structure(node, &path);
        }
    }

    fn structure(&mut self, node: &Struct, path: &[Step]) {
        for declaration in &node.declarations {
            match declaration {
                Declaration::Attribute(attribute) if attribute.name() == "test" => {
                    self.add(path, attribute.body(), node.span, true);
                }
                Declaration::Field(field) => self.field(field, path),
                _ => {}
            }
        }
    }
}
