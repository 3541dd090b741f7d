//! What a path below a body means in its schema.
//!
//! A path ends at the first set, for an element of a set is named by its value: a mark inside a set covers the whole set.

use std::collections::BTreeMap;

use pravo_model::schema::{Attribute, AttributeKind, Block, Nesting};
use pravo_model::{Name, Path, PathStep, Type};

use crate::raw::RawStep;

/// A path below a body, in its schema.
pub(crate) struct Place<'s> {
    /// The path in the typed value; it ends at the first set.
    pub(crate) path: Path,
    /// The innermost attribute on the way, if the path gets to one.
    pub(crate) attribute: Option<&'s Attribute>,
    /// Whether an attribute on the way is write-only.
    pub(crate) write_only: bool,
}

#[derive(Clone, Copy)]
enum Fields<'s> {
    Block(&'s Block),
    Attributes(&'s BTreeMap<Name, Attribute>),
}

#[derive(Clone, Copy)]
enum Level<'s> {
    /// An object.
    Fields(Fields<'s>),
    /// Objects.
    Nested(Nesting, Fields<'s>),
    /// A value of a type.
    Type(&'s Type),
}

/// Finds out what a path below a body means.
pub(crate) fn place<'s>(block: &'s Block, raw: &[RawStep]) -> Place<'s> {
    let mut place = Place { path: Path::root(), attribute: None, write_only: false };
    let mut level = Level::Fields(Fields::Block(block));
    for step in raw {
        let Some((next, step)) = descend(level, step, &mut place) else { break };
        place.path.0.push(step);
        level = next;
    }
    place
}

/// One step down; `None` where the path ends.
fn descend<'s>(level: Level<'s>, step: &RawStep, place: &mut Place<'s>) -> Option<(Level<'s>, PathStep)> {
    match (level, step) {
        (Level::Nested(Nesting::Set, _), _) | (Level::Type(Type::Set(_)), _) => None,
        (Level::Nested(Nesting::Single | Nesting::Group, fields), step) => descend(Level::Fields(fields), step, place),
        (Level::Fields(fields), RawStep::Field(name)) => Some((field(fields, name, place), PathStep::Attribute(name.into()))),
        (Level::Nested(Nesting::Map, fields), RawStep::Field(name)) => Some((Level::Fields(fields), PathStep::Key(name.into()))),
        (Level::Nested(_, fields), RawStep::Index(index)) => Some((Level::Fields(fields), PathStep::Index(*index as u64))),
        (Level::Type(kind), RawStep::Index(index)) => {
            let kind = match kind {
                Type::List(kind) => kind,
                Type::Tuple(kinds) => kinds.get(*index).unwrap_or(&Type::Dynamic),
                _ => &Type::Dynamic,
            };
            Some((Level::Type(kind), PathStep::Index(*index as u64)))
        }
        (Level::Type(Type::Map(kind)), RawStep::Field(name)) => Some((Level::Type(kind), PathStep::Key(name.into()))),
        (Level::Type(kind), RawStep::Field(name)) => {
            let kind = match kind {
                Type::Object(kinds) => kinds.get(name.as_str()).unwrap_or(&Type::Dynamic),
                _ => &Type::Dynamic,
            };
            Some((Level::Type(kind), PathStep::Attribute(name.into())))
        }
        (Level::Fields(_), RawStep::Index(_)) | (Level::Nested(..), RawStep::Field(_)) => None,
    }
}

fn field<'s>(fields: Fields<'s>, name: &str, place: &mut Place<'s>) -> Level<'s> {
    let attribute = match fields {
        Fields::Block(block) => match block.blocks.get(name) {
            Some(nested) => return Level::Nested(nested.nesting, Fields::Block(&nested.block)),
            None => block.attributes.get(name),
        },
        Fields::Attributes(attributes) => attributes.get(name),
    };
    let Some(attribute) = attribute else {
        return Level::Type(&Type::Dynamic);
    };
    place.attribute = Some(attribute);
    place.write_only |= attribute.write_only;
    match &attribute.kind {
        AttributeKind::Type(kind) => Level::Type(kind),
        AttributeKind::Nested(nesting, attributes) => Level::Nested(*nesting, Fields::Attributes(attributes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pravo_model::schema::NestedBlock;

    fn attribute(kind: AttributeKind, write_only: bool) -> Attribute {
        Attribute {
            kind,
            required: false,
            optional: true,
            computed: false,
            sensitive: false,
            write_only,
            description: String::new(),
            deprecated: None,
        }
    }

    #[test]
    fn names_are_attributes_or_keys_and_sets_end_a_path() {
        let text = || attribute(AttributeKind::Type(Type::String), false);
        let mut block = Block::default();
        block.attributes.insert("tags".into(), attribute(AttributeKind::Type(Type::Map(Box::new(Type::String))), true));
        block.attributes.insert("disks".into(), attribute(AttributeKind::Nested(Nesting::List, [("size".into(), text())].into()), false));
        block.attributes.insert("zones".into(), attribute(AttributeKind::Type(Type::Set(Box::new(Type::String))), false));
        let rule = NestedBlock { nesting: Nesting::Set, block: Block::default(), min_items: 0, max_items: 0 };
        block.blocks.insert("rule".into(), rule);
        let name = |text: &str| PathStep::Attribute(text.into());
        let cases = [
            ("tags.a", vec![name("tags"), PathStep::Key("a".into())], true),
            ("disks.0.size", vec![name("disks"), PathStep::Index(0), name("size")], false),
            ("zones.0", vec![name("zones")], false),
            ("rule.1.port", vec![name("rule")], false),
        ];
        for (text, expected, write_only) in cases {
            let steps: Vec<RawStep> = text.split('.').map(|step| step.parse().map_or_else(|_| RawStep::Field(step.into()), RawStep::Index)).collect();
            let place = place(&block, &steps);
            assert_eq!((place.path, place.write_only), (Path(expected), write_only), "{text}");
        }
    }
}
