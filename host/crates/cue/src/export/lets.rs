//! Lets of the sources, for values that are not evaluated and refer to them.
//!
//! Kept true here: a `let` is shown in the struct that declares it, and only where something that is shown refers to it. Deliberately
//! absent: where two lets of the same name are shown inside each other, neither gets another name.

use pravo_diag::Span;

use crate::syntax::ast::*;
use crate::syntax::{Options, parse_file};

/// The lets of every struct that has some.
#[derive(Debug, Default)]
pub(super) struct Lets {
    scopes: Vec<Scope>,
}

#[derive(Debug)]
struct Scope {
    /// The struct; `None` for a file.
    span: Option<Span>,
    /// Names and values.
    lets: Vec<(String, Expression)>,
}

impl Lets {
    /// Those of files.
    pub fn of(files: &[File]) -> Self {
        let mut lets = Self::default();
        for file in files {
            lets.declarations(None, file.body());
        }
        lets
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.scopes.is_empty()
    }

    /// The lets that a text refers to and that are declared in structs at these places, or in files; with those that they refer to, in the
    /// order of the sources.
    pub fn used(&self, spans: Option<&[Span]>, text: &str) -> Vec<(&str, &Expression)> {
        let here = |scope: &&Scope| match (spans, scope.span) {
            (None, None) => true,
            (Some(spans), Some(span)) => spans.contains(&span),
            _ => false,
        };
        let all: Vec<&(String, Expression)> = self.scopes.iter().filter(here).flat_map(|scope| &scope.lets).collect();
        if all.is_empty() {
            return Vec::new();
        }
        let mut wanted = undeclared(text);
        let mut used = vec![false; all.len()];
        while let Some(name) = wanted.pop() {
            for ((declared, value), used) in all.iter().zip(used.iter_mut()) {
                if *declared == name && !std::mem::replace(used, true) {
                    let value = crate::syntax::format_expression(value, "", crate::syntax::Format::default());
                    wanted.extend(undeclared(&format!("value: {value}\n")));
                }
            }
        }
        all.into_iter().zip(used).filter(|(_, used)| *used).map(|((name, value), _)| (name.as_str(), value)).collect()
    }

    fn declarations<'d>(&mut self, span: Option<Span>, declarations: impl Iterator<Item = &'d Declaration>) {
        let mut lets = Vec::new();
        for declaration in declarations {
            match declaration {
                Declaration::Let(binding) => {
                    self.expression(&binding.value);
                    lets.push((binding.name.name.clone(), binding.value.clone()));
                }
                Declaration::Field(field) => self.expression(&field.value),
                Declaration::Embedding(embedding) => self.expression(&embedding.value),
                Declaration::Comprehension(comprehension) => self.expression(&comprehension.value),
                _ => {}
            }
        }
        if !lets.is_empty() {
            self.scopes.push(Scope { span, lets });
        }
    }

    fn expression(&mut self, expression: &Expression) {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match expression {
            Expression::Struct(node) => self.declarations(Some(node.span), node.declarations.iter()),
            Expression::List(node) => node.elements.iter().for_each(|element| self.expression(element)),
            Expression::Ellipsis(node) => node.value.iter().for_each(|value| self.expression(value)),
            Expression::Comprehension(node) => self.expression(&node.value),
            Expression::Alias(node) => self.expression(&node.value),
            Expression::Parenthesised(node) => self.expression(&node.inner),
            Expression::Selector(node) => self.expression(&node.operand),
            Expression::Call(node) => node.arguments.iter().for_each(|argument| self.expression(argument)),
            Expression::Unary(node) => self.expression(&node.operand),
            Expression::Binary(node) => node.operands().into_iter().for_each(|operand| self.expression(operand)),
            _ => {}
        });
    }
}

/// The names that a text refers to and does not declare.
fn undeclared(text: &str) -> Vec<String> {
    let mut sources = pravo_diag::SourceMap::new();
    let file = sources.add("value", text);
    super::definition::undeclared(parse_file(&sources, file, &Options::default()).file)
}
