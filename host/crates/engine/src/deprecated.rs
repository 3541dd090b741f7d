//! Warnings about what the schema of a provider deprecates: a type that is used, an attribute or nested block that is configured.
//!
//! Kept true here: every plan warns, also of what it does not reach; a value that is not known yet warns of nothing, since it
//! may turn out not to be set. Whether a type deprecates anything is found out once for each instance and type.

use pravo_diag::Diagnostic;
use pravo_model::schema::{AttributeKind, Block, Nesting};
use pravo_model::{Path, PathStep, Value};

use crate::diagnose::Place;
use crate::shape::Shape;

/// Whether a block or something in it is deprecated.
pub(crate) fn deprecates(block: &Block) -> bool {
    block.deprecated.is_some() || holds(block.into())
}

fn holds(shape: Shape<'_>) -> bool {
    let attribute = shape.attributes().any(|(_, attribute)| {
        attribute.deprecated.is_some() || matches!(&attribute.kind, AttributeKind::Nested(_, attributes) if holds(attributes.into()))
    });
    attribute || shape.blocks().any(|(_, nested)| nested.block.deprecated.is_some() || holds((&nested.block).into()))
}

/// The warnings about what is configured of a block; `name` says what the block is.
pub(crate) fn warnings(place: &Place, name: &str, block: &Block, config: &Value) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if let Some(reason) = &block.deprecated {
        found.push((Path::root(), format!("{name} is deprecated"), reason.as_str()));
    }
    object(block.into(), config, &Path::root(), &mut found);
    found.into_iter().map(|(path, what, reason)| place.deprecated(&path, &what, reason)).collect()
}

type Found<'s> = Vec<(Path, String, &'s str)>;

fn object<'s>(shape: Shape<'s>, value: &Value, path: &Path, found: &mut Found<'s>) {
    let is_set = |value: &Value| !value.is_null() && !value.is_unknown();
    for (name, attribute) in shape.attributes() {
        let value = value.attribute(name);
        if !is_set(value) {
            continue;
        }
        let path = path.then(PathStep::Attribute(name.clone()));
        if let Some(reason) = &attribute.deprecated {
            found.push((path.clone(), format!("the attribute {name} is deprecated"), reason));
        }
        if let AttributeKind::Nested(nesting, attributes) = &attribute.kind {
            below(*nesting, attributes.into(), value, &path, found);
        }
    }
    for (name, nested) in shape.blocks() {
        let (value, path) = (value.attribute(name), path.then(PathStep::Attribute(name.clone())));
        if !is_set(value) || matches!(value, Value::List(elements) if elements.is_empty()) {
            continue;
        }
        if let Some(reason) = &nested.block.deprecated {
            found.push((path.clone(), format!("the block {name} is deprecated"), reason));
        }
        below(nested.nesting, (&nested.block).into(), value, &path, found);
    }
}

fn below<'s>(nesting: Nesting, shape: Shape<'s>, value: &Value, path: &Path, found: &mut Found<'s>) {
    match (nesting, value) {
        (Nesting::Single | Nesting::Group, value) => object(shape, value, path, found),
        (Nesting::List | Nesting::Set, Value::List(elements)) => {
            for (index, element) in elements.iter().enumerate() {
                object(shape, element, &path.then(PathStep::Index(index as u64)), found);
            }
        }
        (Nesting::Map, Value::Map(entries)) => {
            for (key, element) in entries {
                object(shape, element, &path.then(PathStep::Key(key.clone())), found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use pravo_model::Type;
    use pravo_model::schema::{Attribute, NestedBlock};

    use super::*;

    fn attribute(deprecated: Option<&str>) -> Attribute {
        Attribute {
            kind: AttributeKind::Type(Type::String),
            required: false,
            optional: true,
            computed: false,
            sensitive: false,
            write_only: false,
            description: String::new(),
            deprecated: deprecated.map(str::to_owned),
        }
    }

    #[test]
    fn what_is_configured_and_deprecated_is_told() {
        let mut rule = Block::default();
        rule.attributes.insert("old".into(), attribute(Some("use new")));
        rule.attributes.insert("new".into(), attribute(None));
        let mut block = Block::default();
        block.attributes.insert("name".into(), attribute(None));
        assert!(!deprecates(&block));
        block.blocks.insert("rule".into(), NestedBlock { nesting: Nesting::List, block: rule, min_items: 0, max_items: 0 });
        assert!(deprecates(&block));
        block.deprecated = Some("use another".into());
        let text = |old: Value| Value::object([("rule", Value::List(vec![Value::object([("new", "x".into())]), Value::object([("old", old)])]))]);
        let place = Place::new(&"a.b".parse().unwrap(), None);
        let said = |config: &Value| -> Vec<(String, String)> {
            warnings(&place, "the type t", &block, config).into_iter().map(|warning| (warning.summary, warning.path)).collect()
        };
        let whole = ("a.b: the type t is deprecated".to_owned(), "a.b".to_owned());
        assert_eq!(said(&text("x".into())), [whole.clone(), ("a.b: the attribute old is deprecated".to_owned(), "a.b.rule[1].old".to_owned())]);
        assert_eq!(said(&text(Value::Unknown)), std::slice::from_ref(&whole));
        assert_eq!(said(&Value::Unknown), [whole]);
    }
}
