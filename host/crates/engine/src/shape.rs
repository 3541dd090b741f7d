//! Objects of a schema: completing a configured body, the empty object, and whether a value has the form of its schema.
//!
//! Kept true here: a completed object has every attribute and nested block of its schema, absent single things as null and
//! absent collections of nested blocks as empty. Recursion follows the schema, whose depth its decoder bounds.

use std::collections::BTreeMap;

use pravo_model::schema::{Attribute, AttributeKind, Block, NestedBlock, Nesting};
use pravo_model::{Name, Type, Value};

/// Attributes and nested blocks of one level: of a block, or of an attribute that has attributes of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape<'a> {
    attributes: &'a BTreeMap<Name, Attribute>,
    blocks: Option<&'a BTreeMap<Name, NestedBlock>>,
}

impl<'a> From<&'a Block> for Shape<'a> {
    fn from(block: &'a Block) -> Self {
        Self { attributes: &block.attributes, blocks: Some(&block.blocks) }
    }
}

impl<'a> From<&'a BTreeMap<Name, Attribute>> for Shape<'a> {
    fn from(attributes: &'a BTreeMap<Name, Attribute>) -> Self {
        Self { attributes, blocks: None }
    }
}

impl<'a> Shape<'a> {
    /// The attributes by name.
    pub(crate) fn attributes(self) -> impl Iterator<Item = (&'a Name, &'a Attribute)> {
        self.attributes.iter()
    }

    /// The nested blocks by name.
    pub(crate) fn blocks(self) -> impl Iterator<Item = (&'a Name, &'a NestedBlock)> {
        self.blocks.into_iter().flatten()
    }

    /// One attribute.
    pub(crate) fn attribute(self, name: &str) -> Option<&'a Attribute> {
        self.attributes.get(name)
    }

    /// One nested block.
    pub(crate) fn block(self, name: &str) -> Option<&'a NestedBlock> {
        self.blocks.and_then(|blocks| blocks.get(name))
    }

    /// A configured body brought to a complete object.
    pub(crate) fn complete(self, config: &Value) -> Value {
        let entries = match config {
            Value::Unknown => return Value::Unknown,
            Value::Map(entries) => Some(entries),
            _ => None,
        };
        let get = |name: &str| entries.and_then(|entries| entries.get(name));
        let attributes = self.attributes().map(|(name, attribute)| {
            let value = get(name).map_or(Value::Null, |value| complete_attribute(&attribute.kind, value));
            (name.clone(), value)
        });
        let blocks = self.blocks().map(|(name, nested)| (name.clone(), complete_block(nested, get(name).unwrap_or(&Value::Null))));
        Value::Map(attributes.chain(blocks).collect())
    }

    /// The object in which nothing is configured.
    pub(crate) fn empty(self) -> Value {
        self.complete(&Value::Map(BTreeMap::new()))
    }
}

fn complete_attribute(kind: &AttributeKind, value: &Value) -> Value {
    match kind {
        AttributeKind::Type(kind) => complete_type(kind, value),
        AttributeKind::Nested(nesting, attributes) if !value.is_null() => {
            each(*nesting, value, |element| if element.is_null() { Value::Null } else { Shape::from(attributes).complete(element) })
        }
        AttributeKind::Nested(..) => Value::Null,
    }
}

fn complete_block(nested: &NestedBlock, value: &Value) -> Value {
    let shape = Shape::from(&nested.block);
    match (nested.nesting, value) {
        (Nesting::Single, Value::Null) => Value::Null,
        (Nesting::Group, Value::Null) => shape.empty(),
        (Nesting::List | Nesting::Set, Value::Null) => Value::List(Vec::new()),
        (Nesting::Map, Value::Null) => Value::Map(BTreeMap::new()),
        (nesting, value) => each(nesting, value, |element| shape.complete(element)),
    }
}

/// Applies a function to the object or to every element of a collection of objects.
pub(crate) fn each(nesting: Nesting, value: &Value, apply: impl Fn(&Value) -> Value) -> Value {
    match (nesting, value) {
        (Nesting::Single | Nesting::Group, value) => apply(value),
        (Nesting::Set, Value::List(elements)) => Value::set(elements.iter().map(apply).collect()),
        (Nesting::List, Value::List(elements)) => Value::List(elements.iter().map(apply).collect()),
        (Nesting::Map, Value::Map(entries)) => Value::Map(entries.iter().map(|(key, element)| (key.clone(), apply(element))).collect()),
        (_, value) => value.clone(),
    }
}

fn complete_type(kind: &Type, value: &Value) -> Value {
    match (kind, value) {
        (Type::Object(attributes), Value::Map(entries)) => Value::Map(
            attributes.iter().map(|(name, kind)| (name.clone(), entries.get(name).map_or(Value::Null, |value| complete_type(kind, value)))).collect(),
        ),
        (Type::List(kind), Value::List(elements)) => Value::List(elements.iter().map(|element| complete_type(kind, element)).collect()),
        (Type::Set(kind), Value::List(elements)) => Value::set(elements.iter().map(|element| complete_type(kind, element)).collect()),
        (Type::Map(kind), Value::Map(entries)) => {
            Value::Map(entries.iter().map(|(key, element)| (key.clone(), complete_type(kind, element))).collect())
        }
        (Type::Tuple(kinds), Value::List(elements)) => {
            Value::List(kinds.iter().zip(elements).map(|(kind, element)| complete_type(kind, element)).collect())
        }
        _ => value.clone(),
    }
}

/// Whether a value has a type; null and unknown have every type.
pub(crate) fn conforms(value: &Value, kind: &Type) -> bool {
    match (kind, value) {
        (_, Value::Null | Value::Unknown) | (Type::Dynamic, _) => true,
        (Type::Bool, Value::Bool(_)) | (Type::Number, Value::Number(_)) | (Type::String, Value::String(_)) => true,
        (Type::List(kind) | Type::Set(kind), Value::List(elements)) => elements.iter().all(|element| conforms(element, kind)),
        (Type::Map(kind), Value::Map(entries)) => entries.values().all(|element| conforms(element, kind)),
        (Type::Tuple(kinds), Value::List(elements)) => {
            kinds.len() == elements.len() && kinds.iter().zip(elements).all(|(kind, element)| conforms(element, kind))
        }
        (Type::Object(attributes), Value::Map(entries)) => {
            attributes.len() == entries.len()
                && attributes.iter().zip(entries).all(|((name, kind), (own, value))| name == own && conforms(value, kind))
        }
        _ => false,
    }
}

/// A part of an object; unknown below an unknown, null below anything else that has no such part.
pub(crate) fn part<'v>(value: &'v Value, name: &str) -> &'v Value {
    match value {
        Value::Unknown => value,
        value => value.attribute(name),
    }
}

/// Replaces every unknown by null.
pub(crate) fn known_part(value: &Value) -> Value {
    match value {
        Value::Unknown => Value::Null,
        Value::List(elements) => Value::List(elements.iter().map(known_part).collect()),
        Value::Map(entries) => Value::Map(entries.iter().map(|(key, value)| (key.clone(), known_part(value))).collect()),
        value => value.clone(),
    }
}

/// Sets the part at a path to null, where there is one.
pub(crate) fn clear(value: &mut Value, steps: &[pravo_model::PathStep]) {
    use pravo_model::PathStep;
    let Some((first, rest)) = steps.split_first() else {
        *value = Value::Null;
        return;
    };
    let inner = match (first, value) {
        (PathStep::Attribute(name) | PathStep::Key(name), Value::Map(entries)) => entries.get_mut(name),
        (PathStep::Index(index), Value::List(elements)) => usize::try_from(*index).ok().and_then(|index| elements.get_mut(index)),
        // An element of a set has no position: the whole set goes.
        (PathStep::Element(_), value) => {
            *value = Value::Null;
            None
        }
        _ => None,
    };
    if let Some(inner) = inner {
        clear(inner, rest);
    }
}

/// The first write-only attribute that is not null in an object of a provider, which is a bug of the provider.
pub(crate) fn write_only_set(shape: Shape<'_>, value: &Value) -> Option<Name> {
    let in_attributes = shape.attributes().find_map(|(name, attribute)| {
        if attribute.write_only && !value.attribute(name).is_null() {
            return Some(name.clone());
        }
        match &attribute.kind {
            AttributeKind::Nested(nesting, attributes) => {
                elements(*nesting, value.attribute(name)).into_iter().find_map(|element| write_only_set(attributes.into(), element))
            }
            AttributeKind::Type(_) => None,
        }
    });
    in_attributes.or_else(|| {
        shape.blocks().find_map(|(name, nested)| {
            let elements = elements(nested.nesting, value.attribute(name));
            elements.into_iter().find_map(|element| write_only_set((&nested.block).into(), element))
        })
    })
}

/// Sets every write-only attribute to null, as a provider does in what it plans.
pub(crate) fn without_write_only(shape: Shape<'_>, value: &Value) -> Value {
    let Value::Map(entries) = value else {
        return value.clone();
    };
    let part = |name: &Name, value: &Value| {
        if let Some(attribute) = shape.attribute(name) {
            return match &attribute.kind {
                _ if attribute.write_only => Value::Null,
                AttributeKind::Nested(nesting, attributes) => each(*nesting, value, |element| without_write_only(attributes.into(), element)),
                AttributeKind::Type(_) => value.clone(),
            };
        }
        match shape.block(name) {
            Some(nested) => each(nested.nesting, value, |element| without_write_only((&nested.block).into(), element)),
            None => value.clone(),
        }
    };
    Value::Map(entries.iter().map(|(name, value)| (name.clone(), part(name, value))).collect())
}

/// The objects of a nested value: itself, or the elements of a collection.
pub(crate) fn elements(nesting: Nesting, value: &Value) -> Vec<&Value> {
    match (nesting, value) {
        (Nesting::Single | Nesting::Group, Value::Map(_)) => vec![value],
        (Nesting::List | Nesting::Set, Value::List(elements)) => elements.iter().collect(),
        (Nesting::Map, Value::Map(entries)) => entries.values().collect(),
        _ => Vec::new(),
    }
}

/// A value for a message: JSON-like, cut.
pub(crate) fn brief(value: &Value) -> String {
    let text = match value {
        Value::Null => "null".to_owned(),
        Value::Unknown => "(known after apply)".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("{text:?}"),
        Value::List(elements) => format!("a list of {}", elements.len()),
        Value::Map(entries) => format!("an object of {}", entries.len()),
    };
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("")),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{block, nested, object, optional, schema};

    #[test]
    fn a_completed_object_has_every_attribute_and_block() {
        let inner = schema([("a", optional(Type::String))]);
        let mut outer = schema([("x", optional(Type::Number)), ("o", optional(Type::Object([("k".into(), Type::Bool)].into())))]);
        outer.blocks = [
            ("single".into(), block(Nesting::Single, inner.clone())),
            ("group".into(), block(Nesting::Group, inner.clone())),
            ("list".into(), block(Nesting::List, inner.clone())),
            ("map".into(), block(Nesting::Map, inner)),
        ]
        .into();
        outer.attributes.insert("n".into(), nested(Nesting::List, [("p", optional(Type::String)), ("q", optional(Type::String))]));
        let config = object([
            ("o", object::<&str>([])),
            ("list", Value::List(vec![object::<&str>([])])),
            ("n", Value::List(vec![object([("p", "1".into())])])),
        ]);
        let expected = object([
            ("x", Value::Null),
            ("o", object([("k", Value::Null)])),
            ("n", Value::List(vec![object([("p", "1".into()), ("q", Value::Null)])])),
            ("single", Value::Null),
            ("group", object([("a", Value::Null)])),
            ("list", Value::List(vec![object([("a", Value::Null)])])),
            ("map", object::<&str>([])),
        ]);
        let complete = Shape::from(&outer).complete(&config);
        assert_eq!(complete, expected);
        assert!(conforms(&complete, &outer.value_type()));
        assert!(!conforms(&config, &outer.value_type()));
    }

    #[test]
    fn clearing_follows_paths() {
        use pravo_model::PathStep;
        let mut value = object([("a", object([("b", "x".into())])), ("c", Value::List(vec!["y".into()]))]);
        clear(&mut value, &[PathStep::Attribute("a".into()), PathStep::Attribute("b".into())]);
        clear(&mut value, &[PathStep::Attribute("c".into()), PathStep::Index(0)]);
        clear(&mut value, &[PathStep::Attribute("z".into()), PathStep::Index(0)]);
        assert_eq!(value, object([("a", object([("b", Value::Null)])), ("c", Value::List(vec![Value::Null]))]));
    }
}
