//! What a schema marks as sensitive, as paths of a value.

use std::collections::BTreeMap;

use pravo_model::schema::{Attribute, AttributeKind, Block, Nesting};
use pravo_model::{Name, Path, PathStep, Value};

/// Paths of the parts of an object that its schema marks. Bounded by the value and the schema, which their decoders bound.
pub fn marked(block: &Block, object: &Value) -> Vec<Path> {
    let mut found = Vec::new();
    in_block(block, object, &Path::root(), &mut found);
    found
}

fn in_block(block: &Block, object: &Value, at: &Path, found: &mut Vec<Path>) {
    in_attributes(&block.attributes, object, at, found);
    for (name, nested) in &block.blocks {
        let at = at.then(PathStep::Attribute(name.clone()));
        for (step, element) in elements(nested.nesting, object.attribute(name)) {
            let at = step.map_or_else(|| at.clone(), |step| at.then(step));
            in_block(&nested.block, element, &at, found);
        }
    }
}

fn in_attributes(attributes: &BTreeMap<Name, Attribute>, object: &Value, at: &Path, found: &mut Vec<Path>) {
    for (name, attribute) in attributes {
        let at = at.then(PathStep::Attribute(name.clone()));
        if attribute.sensitive || attribute.write_only {
            found.push(at);
        } else if let AttributeKind::Nested(nesting, inner) = &attribute.kind {
            for (step, element) in elements(*nesting, object.attribute(name)) {
                let at = step.map_or_else(|| at.clone(), |step| at.then(step));
                in_attributes(inner, element, &at, found);
            }
        }
    }
}

/// The objects of a nested thing, with their steps.
fn elements(nesting: Nesting, value: &Value) -> Vec<(Option<PathStep>, &Value)> {
    match (nesting, value) {
        (Nesting::Single | Nesting::Group, value) => vec![(None, value)],
        (_, Value::List(elements)) => {
            let index = |index: usize| u64::try_from(index).ok().map(PathStep::Index);
            elements.iter().enumerate().map(|(at, element)| (index(at), element)).collect()
        }
        (_, Value::Map(entries)) => entries.iter().map(|(key, element)| (Some(PathStep::Key(key.clone())), element)).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pravo_model::Type;

    fn attribute(kind: AttributeKind, sensitive: bool) -> Attribute {
        Attribute {
            kind,
            required: false,
            optional: true,
            computed: false,
            sensitive,
            write_only: false,
            description: String::new(),
            deprecated: None,
        }
    }

    #[test]
    fn marks_are_found_in_every_element() {
        let text = || AttributeKind::Type(Type::String);
        let inner = BTreeMap::from([("open".into(), attribute(text(), false)), ("secret".into(), attribute(text(), true))]);
        let block = Block {
            attributes: BTreeMap::from([
                ("token".into(), attribute(text(), true)),
                ("users".into(), attribute(AttributeKind::Nested(Nesting::List, inner), false)),
            ]),
            ..Block::default()
        };
        let user = || Value::object([("open", Value::from("o")), ("secret", Value::from("s"))]);
        let object = Value::object([("users", Value::List(vec![user(), user()]))]);
        let paths: Vec<String> = marked(&block, &object).iter().map(ToString::to_string).collect();
        assert_eq!(paths, ["token", "users[0].secret", "users[1].secret"]);
    }
}
