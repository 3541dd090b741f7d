//! Schemas of providers: what resources, data sources, ephemerals and functions take and give.
//!
//! The serialised form is versioned by [`ProviderSchema::format`], so that it can grow without a new WIT version.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Name, Type};

/// The format version that this crate writes.
pub const SCHEMA_FORMAT: u32 = 1;

/// All that a provider offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderSchema {
    /// Version of this serialised form, [`SCHEMA_FORMAT`].
    pub format: u32,
    /// Version of the provider itself, as semver text.
    pub version: String,
    /// What the provider's own configuration takes.
    #[serde(default)]
    pub provider: Block,
    /// Managed resources by type name.
    #[serde(default)]
    pub resources: BTreeMap<String, ResourceSchema>,
    /// Data sources by type name.
    #[serde(default)]
    pub data_sources: BTreeMap<String, ResourceSchema>,
    /// Ephemeral resources by type name.
    #[serde(default)]
    pub ephemerals: BTreeMap<String, ResourceSchema>,
    /// Functions by name.
    #[serde(default)]
    pub functions: BTreeMap<String, FunctionSchema>,
}

/// Schema of one resource, data source or ephemeral.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceSchema {
    /// Version of the stored form; grows when old states need an upgrade.
    #[serde(default)]
    pub version: u64,
    /// The attributes.
    pub block: Block,
    /// Whether `read` and `plan` take more than one object in a call.
    #[serde(default)]
    pub bulk: bool,
    /// Attributes that identify the real object, if the provider tells them; all are attributes of the block too.
    #[serde(default)]
    pub identity: Vec<String>,
    /// Whether the provider is asked before a deletion.
    #[serde(default)]
    pub plans_destroy: bool,
}

/// Attributes and nested blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Attributes by name.
    #[serde(default)]
    pub attributes: BTreeMap<Name, Attribute>,
    /// Nested blocks by name (Terraform's older style).
    #[serde(default)]
    pub blocks: BTreeMap<Name, NestedBlock>,
    /// Documentation, Markdown.
    #[serde(default)]
    pub description: String,
    /// Why it should no longer be used, if so.
    #[serde(default)]
    pub deprecated: Option<String>,
}

/// How many of a nested thing there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nesting {
    /// One or none.
    Single,
    /// One, made of nulls where it is not configured (blocks only).
    Group,
    /// In order.
    List,
    /// Without order.
    Set,
    /// By text.
    Map,
}

/// A nested block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NestedBlock {
    /// How many there are.
    pub nesting: Nesting,
    /// What each holds.
    pub block: Block,
    /// The least number.
    #[serde(default)]
    pub min_items: u64,
    /// The largest number; 0 for any.
    #[serde(default)]
    pub max_items: u64,
}

/// What values an attribute takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttributeKind {
    /// A value of a type.
    Type(Type),
    /// Objects with attributes of their own schema.
    Nested(Nesting, BTreeMap<Name, Attribute>),
}

/// One attribute. Required, optional, computed, or optional and computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    /// What values it takes.
    pub kind: AttributeKind,
    /// Must be configured.
    #[serde(default)]
    pub required: bool,
    /// May be configured.
    #[serde(default)]
    pub optional: bool,
    /// Set by the provider where it is not configured.
    #[serde(default)]
    pub computed: bool,
    /// Hidden when shown.
    #[serde(default)]
    pub sensitive: bool,
    /// Given to the provider, never stored; takes ephemeral values.
    #[serde(default)]
    pub write_only: bool,
    /// Documentation, Markdown.
    #[serde(default)]
    pub description: String,
    /// Why it should no longer be used, if so.
    #[serde(default)]
    pub deprecated: Option<String>,
}

/// Signature of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionSchema {
    /// Named parameters in order.
    pub parameters: Vec<Parameter>,
    /// Type of the result.
    pub result: Type,
    /// Documentation, Markdown.
    #[serde(default)]
    pub description: String,
}

/// One parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: Type,
    /// Whether null is passed on.
    #[serde(default)]
    pub allow_null: bool,
    /// Documentation, Markdown.
    #[serde(default)]
    pub description: String,
}

impl Attribute {
    /// The type of its values.
    pub fn value_type(&self) -> Type {
        match &self.kind {
            AttributeKind::Type(kind) => kind.clone(),
            AttributeKind::Nested(nesting, attributes) => {
                let object = Type::Object(attributes.iter().map(|(name, attribute)| (name.clone(), attribute.value_type())).collect());
                nested_type(*nesting, object)
            }
        }
    }
}

fn nested_type(nesting: Nesting, object: Type) -> Type {
    match nesting {
        Nesting::Single | Nesting::Group => object,
        Nesting::List => Type::List(Box::new(object)),
        Nesting::Set => Type::Set(Box::new(object)),
        Nesting::Map => Type::Map(Box::new(object)),
    }
}

impl Block {
    /// The object type of its values: every attribute and every nested block. Nested blocks in which a dynamic attribute
    /// lies are dynamic themselves where they are lists or maps (plugin protocol, implied types).
    pub fn value_type(&self) -> Type {
        let attributes = self.attributes.iter().map(|(name, attribute)| (name.clone(), attribute.value_type()));
        let blocks = self.blocks.iter().map(|(name, nested)| {
            let dynamic = matches!(nested.nesting, Nesting::List | Nesting::Map) && nested.block.has_dynamic();
            let object = if dynamic { Type::Dynamic } else { nested_type(nested.nesting, nested.block.value_type()) };
            (name.clone(), object)
        });
        Type::Object(attributes.chain(blocks).collect())
    }

    fn has_dynamic(&self) -> bool {
        self.attributes.values().any(|attribute| mentions_dynamic(&attribute.value_type()))
            || self.blocks.values().any(|nested| nested.block.has_dynamic())
    }
}

fn mentions_dynamic(kind: &Type) -> bool {
    match kind {
        Type::Dynamic => true,
        Type::List(element) | Type::Set(element) | Type::Map(element) => mentions_dynamic(element),
        Type::Tuple(elements) => elements.iter().any(mentions_dynamic),
        Type::Object(attributes) => attributes.values().any(mentions_dynamic),
        Type::Bool | Type::Number | Type::String => false,
    }
}

impl ProviderSchema {
    /// The schema of a type of a kind.
    pub fn get(&self, kind: crate::specification::Kind, type_name: &str) -> Option<&ResourceSchema> {
        use crate::specification::Kind;
        match kind {
            Kind::Resource => self.resources.get(type_name),
            Kind::Data => self.data_sources.get(type_name),
            Kind::Ephemeral => self.ephemerals.get(type_name),
        }
    }
}
