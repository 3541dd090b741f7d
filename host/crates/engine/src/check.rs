//! What is checked of a body before a provider sees it: names, types, what is required, what only the provider sets.

use pravo_model::schema::{Attribute, AttributeKind, NestedBlock, Nesting};
use pravo_model::{Path, PathStep, Value};

use crate::shape::{Shape, conforms};
use crate::validity::Problem;

/// Everything that is wrong with a configured body (not completed: what is not set is absent or null).
pub(crate) fn check_config(shape: Shape<'_>, config: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    object(shape, config, &Path::root(), &mut problems);
    problems
}

fn object(shape: Shape<'_>, config: &Value, path: &Path, problems: &mut Vec<Problem>) {
    let entries = match config {
        Value::Map(entries) => entries,
        Value::Unknown => return,
        _ => return problems.push(Problem::new(path, "it must be an object")),
    };
    for name in entries.keys().filter(|name| shape.attribute(name).is_none() && shape.block(name).is_none()) {
        problems.push(Problem::new(&path.then(PathStep::Attribute(name.clone())), format!("there is no attribute {name:?}")));
    }
    for (name, attribute) in shape.attributes() {
        let value = config.attribute(name);
        if attribute.required || !value.is_null() {
            check_attribute(name, attribute, value, &path.then(PathStep::Attribute(name.clone())), problems);
        }
    }
    for (name, nested) in shape.blocks() {
        check_block(name, nested, config.attribute(name), &path.then(PathStep::Attribute(name.clone())), problems);
    }
}

fn check_attribute(name: &str, attribute: &Attribute, value: &Value, path: &Path, problems: &mut Vec<Problem>) {
    match value {
        Value::Null if attribute.required => problems.push(Problem::new(path, format!("{name} is required"))),
        Value::Null => {}
        _ if !attribute.required && !attribute.optional => {
            problems.push(Problem::new(path, format!("{name} is set by the provider and cannot be configured")));
        }
        value => match &attribute.kind {
            AttributeKind::Type(kind) if !lenient(value, kind) => problems.push(Problem::new(path, format!("{name} must be of type {kind}"))),
            AttributeKind::Type(_) => {}
            AttributeKind::Nested(nesting, attributes) => elements(*nesting, attributes.into(), value, path, problems),
        },
    }
}

/// Objects may leave attributes out here; everything else must have its type.
fn lenient(value: &Value, kind: &pravo_model::Type) -> bool {
    use pravo_model::Type;
    match (kind, value) {
        (Type::Object(kinds), Value::Map(entries)) => entries.iter().all(|(name, value)| kinds.get(name).is_some_and(|kind| lenient(value, kind))),
        (Type::List(kind) | Type::Set(kind), Value::List(elements)) => elements.iter().all(|element| lenient(element, kind)),
        (Type::Map(kind), Value::Map(entries)) => entries.values().all(|element| lenient(element, kind)),
        (kind, value) => conforms(value, kind),
    }
}

fn check_block(name: &str, nested: &NestedBlock, value: &Value, path: &Path, problems: &mut Vec<Problem>) {
    let count = match (nested.nesting, value) {
        (_, Value::Unknown) => return,
        (_, Value::Null) => 0,
        (Nesting::Single | Nesting::Group, _) => 1,
        (_, Value::List(elements)) => elements.len() as u64,
        (_, Value::Map(entries)) => entries.len() as u64,
        _ => 1,
    };
    if count < nested.min_items {
        problems.push(Problem::new(path, format!("at least {} of {name} must be configured", nested.min_items)));
    }
    if nested.max_items > 0 && count > nested.max_items {
        problems.push(Problem::new(path, format!("at most {} of {name} may be configured", nested.max_items)));
    }
    if !value.is_null() {
        elements(nested.nesting, (&nested.block).into(), value, path, problems);
    }
}

fn elements(nesting: Nesting, shape: Shape<'_>, value: &Value, path: &Path, problems: &mut Vec<Problem>) {
    match (nesting, value) {
        (_, Value::Unknown) => {}
        (Nesting::Single | Nesting::Group, value) => object(shape, value, path, problems),
        (Nesting::List | Nesting::Set, Value::List(elements)) => {
            for (index, element) in elements.iter().enumerate().filter(|(_, element)| !element.is_null()) {
                object(shape, element, &path.then(PathStep::Index(index as u64)), problems);
            }
        }
        (Nesting::Map, Value::Map(entries)) => {
            for (key, element) in entries.iter().filter(|(_, element)| !element.is_null()) {
                object(shape, element, &path.then(PathStep::Key(key.clone())), problems);
            }
        }
        _ => problems.push(Problem::new(path, "it must be a collection of objects")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{block, computed, nested, object, optional, required, schema};
    use pravo_model::Type;

    #[test]
    fn bodies_are_checked_before_a_provider_sees_them() {
        let mut sample = schema([("name", required(Type::String)), ("size", optional(Type::Number)), ("id", computed(Type::String))]);
        sample.attributes.insert("inner".into(), nested(Nesting::List, [("key", required(Type::String))]));
        let mut disk = block(Nesting::List, schema([("size", optional(Type::Number))]));
        disk.max_items = 1;
        sample.blocks.insert("disk".into(), disk);
        let list = |elements: &[Value]| Value::List(elements.to_vec());
        let empty = || object::<&str>([]);
        for (config, wrong) in [
            (object([("name", "a".into())]), vec![]),
            (object([("name", Value::Unknown), ("disk", Value::Unknown)]), vec![]),
            (empty(), vec!["name: name is required"]),
            (object([("name", 1.into())]), vec!["name: name must be of type string"]),
            (object([("name", "a".into()), ("id", "x".into())]), vec!["id: id is set by the provider and cannot be configured"]),
            (object([("name", "a".into()), ("sise", 1.into())]), vec!["sise: there is no attribute \"sise\""]),
            (object([("name", "a".into()), ("inner", list(&[empty()]))]), vec!["inner[0].key: key is required"]),
            (object([("name", "a".into()), ("disk", list(&[empty(), empty()]))]), vec!["disk: at most 1 of disk may be configured"]),
        ] {
            let problems: Vec<String> =
                check_config((&sample).into(), &config).iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect();
            assert_eq!(problems, wrong);
        }
    }
}
