//! Other orders of the fields of a struct.

use pravo_cue::export::tree::Tree;
use pravo_cue::syntax::ast::{Declaration, Expression, File};

use super::collect::{Assertion, Step, step};
use super::compare::show;

/// A value as text that does not depend on the order of fields.
pub fn canonical(tree: &Tree) -> String {
    fn sorted(tree: &Tree) -> Tree {
        let mut tree = tree.clone();
        for field in &mut tree.fields {
            field.value = sorted(&field.value);
        }
        tree.fields.sort_by(|a, b| a.name.cmp(&b.name).then(a.constraint.is_some().cmp(&b.constraint.is_some())));
        tree
    }
    let mut text = show(&sorted(tree));
    // Messages of errors may name either side first.
    while let Some(at) = text.find("_|_ (") {
        let code = text.get(at + 5..).and_then(|rest| rest.split(':').next()).unwrap_or("").to_owned();
        let end = text.get(at..).and_then(|rest| rest.find(')')).map_or(text.len(), |end| at + end + 1);
        text.replace_range(at..end, &format!("error {code}"));
    }
    text
}

/// The declarations of the struct at a path, in the file of an assertion.
fn body<'f>(declarations: &'f mut Vec<Declaration>, path: &[Step]) -> Option<&'f mut Vec<Declaration>> {
    let Some((first, rest)) = path.split_first() else {
        return Some(declarations);
    };
    for declaration in declarations {
        if let Declaration::Field(field) = declaration
            && step(&field.label).as_ref() == Some(first)
        {
            let value = match &mut field.value {
                Expression::Alias(alias) => &mut alias.value,
                value => value,
            };
            if let Expression::Struct(node) = value
                && let Some(found) = body(&mut node.declarations, rest)
            {
                return Some(found);
            }
        }
    }
    None
}

fn marked(declarations: &[Declaration], all: bool) -> Vec<usize> {
    let is_marked = |declaration: &Declaration| match declaration {
        Declaration::Field(field) => {
            all || field.attributes.iter().any(|attribute| attribute.name() == "test" && attribute.body().starts_with("permute"))
        }
        Declaration::Embedding(_) | Declaration::Comprehension(_) => all,
        _ => false,
    };
    declarations.iter().enumerate().filter(|(_, declaration)| is_marked(declaration)).map(|(at, _)| at).collect()
}

/// How many fields are to be permuted.
pub fn fields(files: &[File], assertion: &Assertion, parent: &[Step]) -> usize {
    let Some(mut file) = files.get(assertion.file).cloned() else {
        return 0;
    };
    body(&mut file.declarations, parent).map_or(0, |body| marked(body, assertion.declaration).len())
}

/// Orders of so many things: all of up to four, else reversed, rotated, and some that swap neighbours.
pub fn orders(count: usize) -> Vec<Vec<usize>> {
    if count < 2 {
        return Vec::new();
    }
    if count <= 4 {
        let mut out = vec![Vec::new()];
        for at in 0..count {
            let mut next = Vec::new();
            for order in &out {
                for place in 0..=order.len() {
                    let mut order: Vec<usize> = order.clone();
                    order.insert(place, at);
                    next.push(order);
                }
            }
            out = next;
        }
        return out;
    }
    let identity: Vec<usize> = (0..count).collect();
    let mut out = vec![identity.iter().rev().copied().collect::<Vec<_>>()];
    for by in 1..count {
        let mut order = identity.clone();
        order.rotate_left(by);
        out.push(order);
    }
    for at in 1..count {
        let mut order = identity.clone();
        order.swap(at - 1, at);
        out.push(order);
    }
    out
}

/// Puts the marked fields in another order.
pub fn apply(files: &mut [File], assertion: &Assertion, parent: &[Step], order: &[usize]) {
    let Some(body) = files.get_mut(assertion.file).and_then(|file| body(&mut file.declarations, parent)) else {
        return;
    };
    let places = marked(body, assertion.declaration);
    let old: Vec<Declaration> = places.iter().filter_map(|at| body.get(*at).cloned()).collect();
    for (place, from) in places.iter().zip(order) {
        if let (Some(slot), Some(declaration)) = (body.get_mut(*place), old.get(*from)) {
            *slot = declaration.clone();
        }
    }
}
