//! From a tree to a concrete value.

use pravo_diag::Span;

use super::tree::{Class, Content, Problem, Tree};
use crate::Value;
use crate::syntax::ast::Constraint;

/// Why a value cannot be exported.
#[derive(Clone, Debug, PartialEq)]
pub enum Unfit {
    /// An error, at a path.
    Problem(String, Problem),
    /// Something that is not concrete, at a path.
    Open(String),
}

/// The concrete value of a tree, defaults taken: regular fields only.
pub fn concrete(tree: &Tree) -> Result<Value, Unfit> {
    at(tree, "")
}

fn join(path: &str, name: &str) -> String {
    let name = crate::syntax::literal::quote_label(name);
    if path.is_empty() { name } else { format!("{path}.{name}") }
}

fn at(tree: &Tree, path: &str) -> Result<Value, Unfit> {
    let tree = tree.decided();
    Ok(match &tree.content {
        Content::Scalar(value) => value.clone(),
        Content::List { elements, .. } => {
            let element = |(index, element)| at(element, &format!("{path}[{index}]"));
            Value::List(elements.iter().enumerate().map(element).collect::<Result<_, _>>()?)
        }
        Content::Struct => {
            let mut fields = Vec::new();
            for field in tree.fields.iter().filter(|field| field.class == Class::Regular) {
                match field.constraint {
                    None => fields.push((field.name.clone(), at(&field.value, &join(path, &field.name))?)),
                    Some(Constraint::Required) => return Err(Unfit::Open(join(path, &field.name))),
                    Some(Constraint::Optional) => {}
                }
            }
            Value::Struct(fields)
        }
        Content::Bottom(problem) => return Err(Unfit::Problem(path.to_owned(), problem.clone())),
        Content::Kinds(_) | Content::Constraints { .. } | Content::Disjunction { .. } => {
            return Err(Unfit::Open(path.to_owned()));
        }
    })
}

/// Something that is not concrete.
#[derive(Clone, Debug, PartialEq)]
pub struct Unfinished {
    /// Its path.
    pub path: String,
    /// Why, as a sentence without the path.
    pub message: String,
    /// Where it was declared.
    pub spans: Vec<Span>,
}

/// Everything that is not concrete at and below a value, definitions and optional fields left out.
pub fn unfinished(tree: &Tree) -> Vec<Unfinished> {
    let mut out = Vec::new();
    collect(tree, "", 0, &mut out);
    out
}

/// How deep is looked; the tree is no deeper.
const MAXIMUM_DEPTH: usize = 1_000;

fn collect(tree: &Tree, path: &str, depth: usize, out: &mut Vec<Unfinished>) {
    if depth > MAXIMUM_DEPTH {
        return;
    }
    let tree = tree.decided();
    let mut add = |message: String, spans: &[Span]| out.push(Unfinished { path: path.to_owned(), message, spans: spans.to_vec() });
    match &tree.content {
        Content::Scalar(_) | Content::Struct => {}
        Content::List { elements, .. } => {
            for (index, element) in elements.iter().enumerate() {
                collect(element, &format!("{path}[{index}]"), depth + 1, out);
            }
        }
        Content::Bottom(problem) if problem.code.is_incomplete() => add(problem.message.clone(), &problem.spans),
        Content::Bottom(_) => {}
        Content::Kinds(_) | Content::Constraints { .. } | Content::Disjunction { .. } => {
            add(format!("the value is not concrete: {}", super::cue::value(tree)), &tree.spans);
        }
    }
    for field in &tree.fields {
        let inside = if field.class == Class::Regular { join(path, &field.name) } else { dotted(path, &field.name) };
        match (field.class, field.constraint) {
            (Class::Definition | Class::HiddenDefinition, _) | (_, Some(Constraint::Optional)) => {}
            (_, Some(Constraint::Required)) => {
                let message = "the field is required but not present".to_owned();
                out.push(Unfinished { path: inside, message, spans: field.value.spans.clone() });
            }
            (_, None) => collect(&field.value, &inside, depth + 1, out),
        }
    }
}

fn dotted(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
