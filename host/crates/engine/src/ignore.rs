//! `ignore_changes`: applied to the configured body, so that the provider never hears of what is ignored.

use std::collections::BTreeMap;

use pravo_model::schema::AttributeKind;
use pravo_model::specification::IgnoreChanges;
use pravo_model::{Name, Value};

use crate::shape::{Shape, each};

/// The body with ignored attributes taken from the record; both are complete objects. Nothing is ignored where there is
/// no record or no body.
pub(crate) fn ignore_changes(shape: Shape<'_>, ignore: &IgnoreChanges, prior: &Value, config: &Value) -> Value {
    let (Value::Map(before), Value::Map(entries)) = (prior, config) else {
        return config.clone();
    };
    match ignore {
        IgnoreChanges::None => config.clone(),
        IgnoreChanges::All => configurable(shape, prior),
        IgnoreChanges::Names(names) => {
            let mut entries: BTreeMap<Name, Value> = entries.clone();
            for name in names {
                if let (Some(prior), Some(value)) = (before.get(name.as_str()), entries.get_mut(name.as_str())) {
                    *value = prior.clone();
                }
            }
            Value::Map(entries)
        }
    }
}

/// The record as a configuration: what only the provider sets is null.
fn configurable(shape: Shape<'_>, prior: &Value) -> Value {
    let Value::Map(entries) = prior else {
        return prior.clone();
    };
    let part = |name: &Name, value: &Value| {
        if let Some(attribute) = shape.attribute(name) {
            return match &attribute.kind {
                _ if attribute.computed && !attribute.optional => Value::Null,
                AttributeKind::Nested(nesting, attributes) => each(*nesting, value, |element| configurable(attributes.into(), element)),
                AttributeKind::Type(_) => value.clone(),
            };
        }
        match shape.block(name) {
            Some(nested) => each(nested.nesting, value, |element| configurable((&nested.block).into(), element)),
            None => value.clone(),
        }
    };
    Value::Map(entries.iter().map(|(name, value)| (name.clone(), part(name, value))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{computed, object, optional, schema};
    use pravo_model::Type;

    #[test]
    fn ignored_attributes_come_from_the_record() {
        let sample = schema([("a", optional(Type::String)), ("b", optional(Type::String)), ("id", computed(Type::String))]);
        let body = |a: &str, b: &str, id: Value| object([("a", a.into()), ("b", b.into()), ("id", id)]);
        let (prior, config) = (body("1", "1", "x".into()), body("2", "2", Value::Null));
        for (ignore, prior, expected) in [
            (IgnoreChanges::None, &prior, body("2", "2", Value::Null)),
            (IgnoreChanges::Names(vec!["a".into()]), &prior, body("1", "2", Value::Null)),
            (IgnoreChanges::Names(vec!["nothing".into()]), &prior, body("2", "2", Value::Null)),
            (IgnoreChanges::All, &prior, body("1", "1", Value::Null)),
            (IgnoreChanges::All, &Value::Null, body("2", "2", Value::Null)),
        ] {
            assert_eq!(ignore_changes((&sample).into(), &ignore, prior, &config), expected, "{ignore:?}");
        }
    }
}
