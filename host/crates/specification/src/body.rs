//! A body with the types of its schema.
//!
//! Kept true here: what is not configured is absent at the top and null below it; `null` means not configured; sets are canonical.
//! The number of nested blocks is checked here, since neither CUE nor the provider does it. Deliberately absent: everything
//! that CUE has checked before with the generated package, and meta fields.

use std::collections::BTreeMap;

use pravo_model::schema::{Attribute, AttributeKind, Block, NestedBlock, Nesting};
use pravo_model::{Name, Value};

use crate::raw::{Mismatch, Raw, RawPath, RawStep, below};

/// The configured attributes of a resource, brought to the types of the schema. Fields that start with `$` are not looked at.
///
/// # Errors
/// Every value of another type.
pub(crate) fn configured(block: &Block, fields: Vec<(String, Raw)>) -> Result<Value, Vec<Mismatch>> {
    let mut entries = BTreeMap::new();
    let mut mismatches = Vec::new();
    for (name, raw) in fields.into_iter().filter(|(name, _)| !name.starts_with('$')) {
        let mut path = vec![RawStep::Field(name.clone())];
        match member(block, &name, raw, &mut path) {
            Ok(Value::Null) => {}
            Ok(value) => drop(entries.insert(Name::from(name), value)),
            Err(mismatch) => mismatches.push(mismatch),
        }
    }
    if mismatches.is_empty() { Ok(Value::Map(entries)) } else { Err(mismatches) }
}

fn member(block: &Block, name: &str, raw: Raw, path: &mut RawPath) -> Result<Value, Mismatch> {
    if let Some(attribute) = block.attributes.get(name) {
        return attribute_value(attribute, raw, path);
    }
    match block.blocks.get(name) {
        Some(nested) => nested_block(nested, raw, path),
        None => Err(Mismatch { path: path.clone(), expected: "an attribute of the type".to_owned(), found: name.to_owned() }),
    }
}

fn attribute_value(attribute: &Attribute, raw: Raw, path: &mut RawPath) -> Result<Value, Mismatch> {
    match &attribute.kind {
        AttributeKind::Type(kind) => raw.into_typed(kind).map_err(|mismatch| under(path, mismatch)),
        AttributeKind::Nested(nesting, attributes) => collection(*nesting, raw, path, &|raw, path| {
            object(raw, path, attributes.keys(), &|name, raw, path| match attributes.get(name) {
                Some(attribute) => attribute_value(attribute, raw, path),
                None => unknown_member(name, path),
            })
        }),
    }
}

fn nested_block(nested: &NestedBlock, raw: Raw, path: &mut RawPath) -> Result<Value, Mismatch> {
    let value = collection(nested.nesting, raw, path, &|raw, path| {
        let block = &nested.block;
        object(raw, path, block.attributes.keys().chain(block.blocks.keys()), &|name, raw, path| member(block, name, raw, path))
            .map(|value| complete_blocks(block, value))
    })?;
    let count = match &value {
        Value::List(elements) => elements.len() as u64,
        _ => return Ok(value),
    };
    if count < nested.min_items {
        return Err(Mismatch { path: path.clone(), expected: format!("at least {} elements", nested.min_items), found: count.to_string() });
    }
    if nested.max_items > 0 && count > nested.max_items {
        return Err(Mismatch { path: path.clone(), expected: format!("at most {} elements", nested.max_items), found: count.to_string() });
    }
    Ok(value)
}

/// Nested blocks that are not configured are empty collections, not null, as the plugin protocol has it.
fn complete_blocks(block: &Block, mut value: Value) -> Value {
    if let Value::Map(entries) = &mut value {
        for (name, nested) in &block.blocks {
            let entry = entries.entry(name.clone()).or_default();
            if entry.is_null() {
                *entry = absent_block(nested);
            }
        }
    }
    value
}

fn absent_block(nested: &NestedBlock) -> Value {
    match nested.nesting {
        Nesting::Single => Value::Null,
        Nesting::List | Nesting::Set => Value::List(Vec::new()),
        Nesting::Map => Value::Map(BTreeMap::new()),
        Nesting::Group => {
            let nulls = nested.block.attributes.keys().map(|name| (name.clone(), Value::Null)).collect();
            complete_blocks(&nested.block, Value::Map(nulls))
        }
    }
}

type Convert<'a> = &'a dyn Fn(Raw, &mut RawPath) -> Result<Value, Mismatch>;

fn collection(nesting: Nesting, raw: Raw, path: &mut RawPath, element: Convert<'_>) -> Result<Value, Mismatch> {
    match (nesting, raw) {
        (_, Raw::Null) => Ok(Value::Null),
        (_, Raw::Unknown | Raw::Open) => Ok(Value::Unknown),
        (Nesting::Single | Nesting::Group, raw) => element(raw, path),
        (Nesting::List | Nesting::Set, Raw::List(elements)) => {
            let mut values = Vec::with_capacity(elements.len());
            for (index, raw) in elements.into_iter().enumerate() {
                values.push(below(RawStep::Index(index), path, |path| element(raw, path))?);
            }
            Ok(if nesting == Nesting::Set { Value::set(values) } else { Value::List(values) })
        }
        (Nesting::Map, Raw::Struct(fields)) => {
            let mut entries = BTreeMap::new();
            for (name, raw) in fields {
                let value = below(RawStep::Field(name.clone()), path, |path| element(raw, path))?;
                entries.insert(Name::from(name), value);
            }
            Ok(Value::Map(entries))
        }
        (nesting, raw) => {
            let expected = if nesting == Nesting::Map { "struct" } else { "list" };
            Err(Mismatch { path: path.clone(), expected: expected.to_owned(), found: raw.kind().to_owned() })
        }
    }
}

type ConvertMember<'a> = &'a dyn Fn(&str, Raw, &mut RawPath) -> Result<Value, Mismatch>;

fn object<'a>(raw: Raw, path: &mut RawPath, names: impl Iterator<Item = &'a Name>, member: ConvertMember<'_>) -> Result<Value, Mismatch> {
    let fields = match raw {
        Raw::Struct(fields) => fields,
        Raw::Null => return Ok(Value::Null),
        Raw::Unknown | Raw::Open => return Ok(Value::Unknown),
        raw => return Err(Mismatch { path: path.clone(), expected: "struct".to_owned(), found: raw.kind().to_owned() }),
    };
    let mut entries: BTreeMap<Name, Value> = names.map(|name| (name.clone(), Value::Null)).collect();
    for (name, raw) in fields {
        let value = below(RawStep::Field(name.clone()), path, |path| member(&name, raw, path))?;
        entries.insert(name.into(), value);
    }
    Ok(Value::Map(entries))
}

fn unknown_member(name: &str, path: &RawPath) -> Result<Value, Mismatch> {
    Err(Mismatch { path: path.clone(), expected: "an attribute of the type".to_owned(), found: name.to_owned() })
}

fn under(path: &RawPath, mut mismatch: Mismatch) -> Mismatch {
    mismatch.path.splice(0..0, path.iter().cloned());
    mismatch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::path_text;
    use pravo_model::Type;
    use pravo_model::schema::Attribute;

    fn attribute(kind: AttributeKind) -> Attribute {
        Attribute {
            kind,
            required: false,
            optional: true,
            computed: false,
            sensitive: false,
            write_only: false,
            description: String::new(),
            deprecated: None,
        }
    }

    fn schema() -> Block {
        let text = || attribute(AttributeKind::Type(Type::String));
        let mut rule = Block::default();
        rule.attributes.insert("port".into(), attribute(AttributeKind::Type(Type::Number)));
        rule.attributes.insert("protocol".into(), text());
        rule.blocks.insert("peer".into(), NestedBlock { nesting: Nesting::Set, block: Block::default(), min_items: 0, max_items: 0 });
        let mut block = Block::default();
        block.attributes.insert("name".into(), text());
        block.attributes.insert("disk".into(), attribute(AttributeKind::Nested(Nesting::List, [("size".into(), text())].into())));
        block.blocks.insert("rule".into(), NestedBlock { nesting: Nesting::Set, block: rule, min_items: 1, max_items: 2 });
        block
    }

    fn rule(port: i64) -> Raw {
        Raw::Struct(vec![("port".into(), Raw::Number(port.into()))])
    }

    #[test]
    fn nested_blocks_are_completed_and_sets_sorted() {
        let fields = vec![("name".to_owned(), Raw::Null), ("$from".to_owned(), Raw::Null), ("rule".to_owned(), Raw::List(vec![rule(2), rule(1)]))];
        let expected = |port: i64| Value::object([("port", Value::integer(port)), ("protocol", Value::Null), ("peer", Value::List(vec![]))]);
        assert_eq!(configured(&schema(), fields), Ok(Value::object([("rule", Value::List(vec![expected(1), expected(2)]))])));
    }

    #[test]
    fn the_number_of_blocks_is_checked() {
        let error = configured(&schema(), vec![("rule".into(), Raw::List(vec![]))]).unwrap_err();
        assert_eq!(error[0].expected, "at least 1 elements");
        let error = configured(&schema(), vec![("rule".into(), Raw::List(vec![rule(1), rule(2), rule(3)]))]).unwrap_err();
        assert_eq!(error[0].expected, "at most 2 elements");
        assert_eq!(configured(&schema(), vec![("rule".into(), Raw::Open)]), Ok(Value::object([("rule", Value::Unknown)])));
    }

    #[test]
    fn every_mismatch_is_reported_with_its_path() {
        let disk = Raw::List(vec![Raw::Struct(vec![("size".into(), Raw::Bool(true))])]);
        let errors = configured(&schema(), vec![("disk".into(), disk), ("nam".into(), Raw::Null)]).unwrap_err();
        let texts: Vec<String> = errors.iter().map(|error| path_text(&error.path)).collect();
        assert_eq!(texts, ["disk[0].size", "nam"]);
    }
}
