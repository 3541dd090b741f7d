//! From a tree to a concrete value.

use super::tree::{Class, Content, Problem, Tree};
use crate::Value;

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
                    Some(crate::syntax::ast::Constraint::Required) => return Err(Unfit::Open(join(path, &field.name))),
                    Some(crate::syntax::ast::Constraint::Optional) => {}
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
