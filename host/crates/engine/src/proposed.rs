//! The merge of a record and a configured body that a provider is asked to plan.
//!
//! Kept true here: configured values win, computed values that are not configured keep what the record has. The same rules, with
//! a record that is wholly unknown, make the placeholder of a data source that is read during the apply.

use pravo_model::Value;
use pravo_model::schema::{Attribute, AttributeKind, NestedBlock, Nesting};

use crate::shape::{Shape, part};

/// The merge of both; `config` is a complete object.
pub(crate) fn proposed_new(shape: Shape<'_>, prior: &Value, config: &Value) -> Value {
    match (prior, config) {
        (_, Value::Null | Value::Unknown) => prior.clone(),
        (Value::Null, _) => merge(shape, &shape.empty(), config),
        _ => merge(shape, prior, config),
    }
}

/// What a data source, or a resource whose provider cannot be asked, is known to be before the apply: computed attributes that
/// are not configured are unknown.
pub(crate) fn placeholder(shape: Shape<'_>, config: &Value) -> Value {
    proposed_new(shape, &Value::Unknown, config)
}

fn merge(shape: Shape<'_>, prior: &Value, config: &Value) -> Value {
    let attributes = shape.attributes().map(|(name, attribute)| {
        let value = merge_attribute(attribute, part(prior, name), part(config, name));
        (name.clone(), value)
    });
    let blocks = shape.blocks().map(|(name, nested)| (name.clone(), merge_block(nested, part(prior, name), part(config, name))));
    Value::Map(attributes.chain(blocks).collect())
}

fn merge_attribute(attribute: &Attribute, prior: &Value, config: &Value) -> Value {
    if attribute.computed && config.is_null() {
        if let AttributeKind::Nested(nesting, attributes) = &attribute.kind
            && attribute.optional
            && was_configured(*nesting, attributes.into(), prior)
        {
            return Value::Null;
        }
        return prior.clone();
    }
    match &attribute.kind {
        AttributeKind::Nested(nesting, attributes) => merge_nested(*nesting, attributes.into(), prior, config, false),
        AttributeKind::Type(_) => config.clone(),
    }
}

/// Whether an object of a record holds something that only a configuration sets.
fn was_configured(nesting: Nesting, shape: Shape<'_>, prior: &Value) -> bool {
    crate::shape::elements(nesting, prior)
        .into_iter()
        .any(|element| shape.attributes().any(|(name, attribute)| !attribute.computed && !element.attribute(name).is_null()))
}

fn merge_block(nested: &NestedBlock, prior: &Value, config: &Value) -> Value {
    merge_nested(nested.nesting, (&nested.block).into(), prior, config, true)
}

fn merge_nested(nesting: Nesting, shape: Shape<'_>, prior: &Value, config: &Value, is_block: bool) -> Value {
    let inner = |prior: &Value, config: &Value| {
        if is_block { proposed_new(shape, prior, config) } else { merge_object(shape, prior, config) }
    };
    match (nesting, config) {
        (_, Value::Unknown | Value::Null) => config.clone(),
        (Nesting::Single | Nesting::Group, config) => inner(prior, config),
        (Nesting::List, Value::List(elements)) => {
            let prior_at = |index: usize| prior.as_list().and_then(|prior| prior.get(index));
            let merged = elements.iter().enumerate().map(|(index, element)| match (prior, prior_at(index)) {
                (Value::Unknown, _) => inner(&Value::Unknown, element),
                (_, Some(prior)) => inner(prior, element),
                (_, None) => element.clone(),
            });
            Value::List(merged.collect())
        }
        (Nesting::Map, Value::Map(entries)) => {
            Value::Map(entries.iter().map(|(key, element)| (key.clone(), inner(part(prior, key), element))).collect())
        }
        (Nesting::Set, Value::List(elements)) => {
            let mut unused: Vec<&Value> = prior.as_list().unwrap_or_default().iter().collect();
            let mut merged = Vec::with_capacity(elements.len());
            for element in elements {
                let found = unused.iter().position(|prior| could_come_from(shape, prior, element));
                let prior = found.map_or(&Value::Null, |index| unused.remove(index));
                merged.push(inner(prior, element));
            }
            Value::set(merged)
        }
        (_, config) => config.clone(),
    }
}

/// Nested attributes: an object that is not configured is null, and a missing record is null too.
fn merge_object(shape: Shape<'_>, prior: &Value, config: &Value) -> Value {
    match config {
        Value::Null | Value::Unknown => config.clone(),
        config => merge(shape, prior, config),
    }
}

/// Whether an element of a set in the record may be what became of a configured element: they differ at most in
/// computed attributes that are not configured.
fn could_come_from(shape: Shape<'_>, prior: &Value, config: &Value) -> bool {
    if prior == config {
        return true;
    }
    if prior.as_map().is_none() || config.as_map().is_none() {
        return false;
    }
    let attributes = shape.attributes().all(|(name, attribute)| {
        let (prior, config) = (prior.attribute(name), config.attribute(name));
        prior == config
            || attribute.computed && config.is_null()
            || match &attribute.kind {
                AttributeKind::Nested(nesting, attributes) => nested_could_come_from(*nesting, attributes.into(), prior, config),
                AttributeKind::Type(_) => false,
            }
    });
    attributes
        && shape.blocks().all(|(name, nested)| {
            let (prior, config) = (prior.attribute(name), config.attribute(name));
            prior == config || nested_could_come_from(nested.nesting, (&nested.block).into(), prior, config)
        })
}

fn nested_could_come_from(nesting: Nesting, shape: Shape<'_>, prior: &Value, config: &Value) -> bool {
    match (nesting, prior, config) {
        (Nesting::Set, ..) => false,
        (Nesting::Single | Nesting::Group, prior, config) => could_come_from(shape, prior, config),
        (Nesting::List, Value::List(prior), Value::List(config)) => {
            prior.len() == config.len() && prior.iter().zip(config).all(|(prior, config)| could_come_from(shape, prior, config))
        }
        (Nesting::Map, Value::Map(prior), Value::Map(config)) => {
            prior.len() == config.len()
                && prior.iter().all(|(key, prior)| config.get(key).is_some_and(|config| could_come_from(shape, prior, config)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{block, both, computed, nested, object, optional, schema};
    use pravo_model::Type;
    use pravo_model::schema::Block;

    fn sample() -> Block {
        let mut sample = schema([("name", optional(Type::String)), ("id", computed(Type::String)), ("size", both(Type::Number))]);
        let inner = || [("key", optional(Type::String)), ("made", computed(Type::String))];
        sample.attributes.insert("list".into(), nested(Nesting::List, inner()));
        sample.attributes.insert("set".into(), nested(Nesting::Set, inner()));
        let mut kept = nested(Nesting::Single, inner());
        kept.computed = true;
        sample.attributes.insert("kept".into(), kept);
        sample.blocks.insert("disk".into(), block(Nesting::List, schema(inner())));
        sample
    }

    fn check(prior: Value, config: Value, expected: &[(&str, Value)]) {
        let sample = sample();
        let shape = Shape::from(&sample);
        let complete = |value: &Value| if value.is_null() { Value::Null } else { shape.complete(value) };
        let proposed = proposed_new(shape, &complete(&prior), &complete(&config));
        for (name, expected) in expected {
            assert_eq!(proposed.attribute(name), expected, "{name}");
        }
    }

    fn pair(key: impl Into<Value>, made: impl Into<Value>) -> Value {
        object([("key", key.into()), ("made", made.into())])
    }

    #[test]
    fn configured_values_win_and_computed_ones_stay() {
        let prior = object([("name", "a".into()), ("id", "1".into()), ("size", 3.into())]);
        check(prior.clone(), object([("name", "b".into())]), &[("name", "b".into()), ("id", "1".into()), ("size", 3.into())]);
        check(prior.clone(), object([("size", Value::Unknown)]), &[("name", Value::Null), ("size", Value::Unknown)]);
        check(Value::Null, object([("name", "b".into())]), &[("name", "b".into()), ("id", Value::Null), ("disk", Value::List(vec![]))]);
    }

    #[test]
    fn lists_match_by_index_and_sets_by_what_is_configured() {
        let prior = object([
            ("list", Value::List(vec![pair("a", "1")])),
            ("set", Value::List(vec![pair("a", "1"), pair("b", "2")])),
            ("disk", Value::List(vec![pair("a", "1")])),
        ]);
        let configured = |keys: &[&str]| Value::List(keys.iter().map(|key| object([("key", (*key).into())])).collect());
        let config = object([("list", configured(&["x", "y"])), ("set", configured(&["b", "c"])), ("disk", configured(&["a", "b"]))]);
        check(
            prior,
            config,
            &[
                ("list", Value::List(vec![pair("x", "1"), pair("y", Value::Null)])),
                ("set", Value::set(vec![pair("b", "2"), pair("c", Value::Null)])),
                ("disk", Value::List(vec![pair("a", "1"), pair("b", Value::Null)])),
            ],
        );
    }

    #[test]
    fn a_computed_nested_attribute_goes_once_its_configuration_does() {
        check(object([("kept", pair("a", "1"))]), object::<&str>([]), &[("kept", Value::Null)]);
        check(object([("kept", pair(Value::Null, "1"))]), object::<&str>([]), &[("kept", pair(Value::Null, "1"))]);
    }

    #[test]
    fn a_placeholder_is_unknown_where_it_is_computed() {
        let sample = sample();
        let shape = Shape::from(&sample);
        let config = shape.complete(&object([("name", "a".into()), ("list", Value::List(vec![object([("key", "k".into())])]))]));
        let value = placeholder(shape, &config);
        assert_eq!(value.attribute("id"), &Value::Unknown);
        assert_eq!(value.attribute("name"), &Value::from("a"));
        assert_eq!(value.attribute("list"), &Value::List(vec![pair("k", Value::Unknown)]));
        assert_eq!(value.attribute("disk"), &Value::List(vec![]));
    }
}
