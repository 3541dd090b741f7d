//! The schema of a provider, decoded once and with bounds, and the types that follow from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use pravo_model::provider::ProviderFailure;
use pravo_model::schema::{Attribute, AttributeKind, Block, ProviderSchema, ResourceSchema, SCHEMA_FORMAT};
use pravo_model::specification::Kind;
use pravo_model::{Name, Type};
use serde::Deserialize;
use tokio::sync::OnceCell;

/// The deepest nesting of a schema.
const MAX_DEPTH: usize = 64;

/// The largest number of attributes, blocks, types and functions of a schema together.
const MAX_ENTRIES: usize = 500_000;

/// The longest name, in bytes.
const MAX_NAME: usize = 256;

/// A schema with the types of its blocks.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) schema: Arc<ProviderSchema>,
    pub(crate) provider: Type,
    types: BTreeMap<(Kind, String), Type>,
}

/// The schema of a component: asked once.
#[derive(Debug, Default)]
pub(crate) struct SchemaCell(OnceCell<Arc<Known>>);

impl SchemaCell {
    /// The schema; asked with `ask` if it is not known yet. A failure is not remembered.
    pub(crate) async fn get(&self, ask: impl Future<Output = Result<Arc<Known>, ProviderFailure>>) -> Result<Arc<Known>, ProviderFailure> {
        self.0.get_or_try_init(|| ask).await.cloned()
    }
}

impl Known {
    /// The type of the objects of a type name.
    pub(crate) fn object(&self, kind: Kind, type_name: &str) -> Option<&Type> {
        // A borrowed pair cannot be looked up in a map of owned ones.
        self.types.get(&(kind, type_name.to_owned()))
    }

    /// Decodes a schema.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let Format { format } = read(bytes)?;
        if format != SCHEMA_FORMAT {
            return Err(format!("a schema of format {format}, but this pravo reads format {SCHEMA_FORMAT}"));
        }
        let schema: ProviderSchema = read(bytes)?;
        check(&schema)?;
        let mut types = BTreeMap::new();
        for (kind, schemas) in [(Kind::Resource, &schema.resources), (Kind::Data, &schema.data_sources), (Kind::Ephemeral, &schema.ephemerals)] {
            types.extend(schemas.iter().map(|(name, resource)| ((kind, name.clone()), resource.block.value_type())));
        }
        Ok(Self { provider: schema.provider.value_type(), types, schema: Arc::new(schema) })
    }
}

fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
    let mut deserializer = rmp_serde::Deserializer::from_read_ref(bytes);
    deserializer.set_max_depth(MAX_DEPTH * 4);
    T::deserialize(&mut deserializer).map_err(|error| format!("a schema that cannot be decoded: {error}"))
}

/// Counts and checks names, so that what is built on a schema need not.
fn check(schema: &ProviderSchema) -> Result<(), String> {
    let mut count = 0;
    check_block(&schema.provider, 0, &mut count)?;
    for schemas in [&schema.resources, &schema.data_sources, &schema.ephemerals] {
        for (name, resource) in schemas {
            check_name(name, &mut count)?;
            check_resource(name, resource, &mut count)?;
        }
    }
    for (name, function) in &schema.functions {
        check_name(name, &mut count)?;
        for parameter in &function.parameters {
            check_name(&parameter.name, &mut count)?;
        }
    }
    Ok(())
}

fn check_resource(type_name: &str, resource: &ResourceSchema, count: &mut usize) -> Result<(), String> {
    check_block(&resource.block, 0, count)?;
    match resource.identity.iter().find(|name| !resource.block.attributes.contains_key(name.as_str())) {
        Some(name) => Err(format!("a schema in which {type_name} is identified by {name:?}, which is no attribute of it")),
        None => Ok(()),
    }
}

fn check_block(block: &Block, depth: usize, count: &mut usize) -> Result<(), String> {
    check_attributes(&block.attributes, depth, count)?;
    for (name, nested) in &block.blocks {
        check_name(name, count)?;
        check_block(&nested.block, deeper(depth)?, count)?;
    }
    Ok(())
}

fn check_attributes(attributes: &BTreeMap<Name, Attribute>, depth: usize, count: &mut usize) -> Result<(), String> {
    for (name, attribute) in attributes {
        check_name(name, count)?;
        if attribute.required && (attribute.optional || attribute.computed) {
            return Err(format!("a schema in which the attribute {name:?} is required, and optional or computed too"));
        }
        if let AttributeKind::Nested(_, nested) = &attribute.kind {
            check_attributes(nested, deeper(depth)?, count)?;
        }
    }
    Ok(())
}

fn deeper(depth: usize) -> Result<usize, String> {
    if depth >= MAX_DEPTH { Err(format!("a schema that is nested more than {MAX_DEPTH} deep")) } else { Ok(depth + 1) }
}

fn check_name(name: &str, count: &mut usize) -> Result<(), String> {
    *count += 1;
    if *count > MAX_ENTRIES {
        return Err(format!("a schema with more than {MAX_ENTRIES} entries"));
    }
    if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(format!(
            "a schema with the name {:?}, which is empty, too long or holds control characters",
            name.chars().take(40).collect::<String>()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pravo_model::schema::{NestedBlock, Nesting};

    use super::*;

    fn encoded(schema: &ProviderSchema) -> Vec<u8> {
        rmp_serde::to_vec_named(schema).unwrap()
    }

    fn with_block(block: Block) -> ProviderSchema {
        let resources = BTreeMap::from([("x_y".to_owned(), ResourceSchema { block, ..ResourceSchema::default() })]);
        ProviderSchema { format: SCHEMA_FORMAT, version: "1.0.0".into(), resources, ..ProviderSchema::default() }
    }

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

    #[test]
    fn a_schema_comes_back() {
        let block = Block {
            attributes: BTreeMap::from([("a".into(), attribute(AttributeKind::Type(Type::List(Box::new(Type::String)))))]),
            ..Block::default()
        };
        let schema = with_block(block);
        let known = Known::decode(&encoded(&schema)).unwrap();
        assert_eq!(*known.schema, schema);
        assert_eq!(known.object(Kind::Resource, "x_y").unwrap().to_string(), "object(a: list(string))");
        assert!(known.object(Kind::Data, "x_y").is_none());
    }

    #[test]
    fn foreign_bytes_are_refused() {
        let schema = with_block(Block::default());
        let good = encoded(&schema);
        for end in 0..good.len() {
            assert!(Known::decode(&good[..end]).is_err(), "cut at {end}");
        }
        let newer = Known::decode(&encoded(&ProviderSchema { format: 2, ..schema })).unwrap_err();
        assert!(newer.contains("format 2"), "{newer}");
        // A list of a list of a list …, and lengths that are not there.
        assert!(Known::decode(&[0x91; 100_000]).is_err());
        assert!(Known::decode(&[0xdf, 0xff, 0xff, 0xff, 0xff]).is_err());
    }

    #[test]
    fn nesting_and_names_are_bounded() {
        let mut block = Block::default();
        for _ in 0..20 {
            block = Block {
                blocks: BTreeMap::from([("b".into(), NestedBlock { nesting: Nesting::List, block, min_items: 0, max_items: 0 })]),
                ..Block::default()
            };
        }
        assert!(Known::decode(&encoded(&with_block(block.clone()))).is_ok());
        for _ in 0..60 {
            block = Block {
                blocks: BTreeMap::from([("b".into(), NestedBlock { nesting: Nesting::List, block, min_items: 0, max_items: 0 })]),
                ..Block::default()
            };
        }
        assert!(Known::decode(&encoded(&with_block(block))).is_err());
        for name in ["", "a\nb", &"x".repeat(300)] {
            let block = Block { attributes: BTreeMap::from([(name.into(), attribute(AttributeKind::Type(Type::Bool)))]), ..Block::default() };
            assert!(Known::decode(&encoded(&with_block(block))).is_err(), "{name:?}");
        }
    }
}
