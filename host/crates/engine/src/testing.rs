//! Short ways to write schemas and values in tests.

use pravo_model::schema::{Attribute, AttributeKind, Block, NestedBlock, Nesting};
use pravo_model::{Type, Value};

pub(crate) fn object<K: Into<pravo_model::Name>>(attributes: impl IntoIterator<Item = (K, Value)>) -> Value {
    Value::object(attributes)
}

pub(crate) fn schema<'a>(attributes: impl IntoIterator<Item = (&'a str, Attribute)>) -> Block {
    Block { attributes: attributes.into_iter().map(|(name, attribute)| (name.into(), attribute)).collect(), ..Block::default() }
}

fn plain(kind: AttributeKind) -> Attribute {
    Attribute {
        kind,
        required: false,
        optional: false,
        computed: false,
        sensitive: false,
        write_only: false,
        description: String::new(),
        deprecated: None,
    }
}

pub(crate) fn required(kind: Type) -> Attribute {
    Attribute { required: true, ..plain(AttributeKind::Type(kind)) }
}

pub(crate) fn optional(kind: Type) -> Attribute {
    Attribute { optional: true, ..plain(AttributeKind::Type(kind)) }
}

pub(crate) fn computed(kind: Type) -> Attribute {
    Attribute { computed: true, ..plain(AttributeKind::Type(kind)) }
}

pub(crate) fn both(kind: Type) -> Attribute {
    Attribute { optional: true, computed: true, ..plain(AttributeKind::Type(kind)) }
}

pub(crate) fn write_only(kind: Type) -> Attribute {
    Attribute { optional: true, write_only: true, ..plain(AttributeKind::Type(kind)) }
}

pub(crate) fn nested<'a>(nesting: Nesting, attributes: impl IntoIterator<Item = (&'a str, Attribute)>) -> Attribute {
    let attributes = attributes.into_iter().map(|(name, attribute)| (name.into(), attribute)).collect();
    Attribute { optional: true, ..plain(AttributeKind::Nested(nesting, attributes)) }
}

pub(crate) fn block(nesting: Nesting, block: Block) -> NestedBlock {
    NestedBlock { nesting, block, min_items: 0, max_items: 0 }
}
