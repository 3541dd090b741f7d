//! Schemas for the tests of this crate.

use std::collections::BTreeMap;
use std::sync::Arc;

use pravo_model::Type;
use pravo_model::provider::{FailureKind, ProviderFailure};
use pravo_model::schema::{Attribute, AttributeKind, Block, FunctionSchema, NestedBlock, Nesting, Parameter, ProviderSchema, ResourceSchema};

/// `name type marks`, with the marks `!` required, `?` optional, `=` computed, `*` sensitive, `w` write-only.
pub(crate) fn attribute(text: &str) -> (pravo_model::Name, Attribute) {
    let [name, kind, marks] = text.split(' ').collect::<Vec<_>>()[..] else { panic!("{text}") };
    let has = |mark: char| marks.contains(mark);
    let attribute = Attribute {
        kind: AttributeKind::Type(value_type(kind)),
        required: has('!'),
        optional: has('?'),
        computed: has('='),
        sensitive: has('*'),
        write_only: has('w'),
        description: String::new(),
        deprecated: None,
    };
    (name.into(), attribute)
}

fn value_type(text: &str) -> Type {
    match text.split_once('(') {
        None => match text {
            "string" => Type::String,
            "number" => Type::Number,
            "bool" => Type::Bool,
            _ => Type::Dynamic,
        },
        Some((outer, inner)) => {
            let inner = Box::new(value_type(inner.strip_suffix(')').unwrap()));
            match outer {
                "map" => Type::Map(inner),
                "set" => Type::Set(inner),
                _ => Type::List(inner),
            }
        }
    }
}

pub(crate) fn block(attributes: &[&str]) -> Block {
    Block { attributes: attributes.iter().map(|text| attribute(text)).collect(), ..Block::default() }
}

fn types<const N: usize>(all: [(&str, Block); N]) -> BTreeMap<String, ResourceSchema> {
    all.into_iter().map(|(name, block)| (name.to_owned(), ResourceSchema { block, ..ResourceSchema::default() })).collect()
}

fn function(name: &str, parameters: &[(&str, Type)], result: Type) -> (String, FunctionSchema) {
    let parameters =
        parameters.iter().map(|(name, kind)| Parameter { name: (*name).into(), kind: kind.clone(), allow_null: false, description: String::new() });
    (name.to_owned(), FunctionSchema { parameters: parameters.collect(), result, description: String::new() })
}

/// What the tests know of `hashicorp/random`.
pub(crate) fn random() -> ProviderSchema {
    ProviderSchema {
        format: 1,
        version: "3.9.0".into(),
        resources: types([
            ("random_pet", block(&["id string =", "keepers map(string) ?", "length number ?=", "prefix string ?", "separator string ?="])),
            ("random_id", block(&["id string =", "byte_length number !", "hex string =", "prefix string ?"])),
            ("random_password", block(&["id string =", "length number !", "result string =*"])),
        ]),
        ephemerals: types([("random_password", block(&["length number !", "result string =*"]))]),
        ..ProviderSchema::default()
    }
}

/// What the tests know of `hashicorp/local`.
pub(crate) fn local() -> ProviderSchema {
    ProviderSchema {
        format: 1,
        version: "2.9.0".into(),
        resources: types([
            ("local_file", block(&["id string =", "filename string !", "content string ?", "file_permission string ?="])),
            ("local_sensitive_file", block(&["id string =", "filename string !", "content string ?*"])),
        ]),
        data_sources: types([("local_file", block(&["id string =", "filename string !", "content string ="]))]),
        functions: [function("direxists", &[("path", Type::String)], Type::Bool)].into(),
        ..ProviderSchema::default()
    }
}

/// A provider with everything: configuration, nested blocks, write-only attributes.
pub(crate) fn cloud() -> ProviderSchema {
    let mut server = block(&["id string =", "name string !", "tags map(string) ?", "zones set(string) ?", "secret string ?w", "any dynamic ?"]);
    let mut disks = [attribute("size number !"), attribute("device string =")].into_iter().collect::<BTreeMap<_, _>>();
    disks.insert("labels".into(), attribute("labels map(string) ?").1);
    let (_, mut nested) = attribute("disks string ?");
    nested.kind = AttributeKind::Nested(Nesting::List, disks);
    server.attributes.insert("disks".into(), nested);
    let rule = NestedBlock { nesting: Nesting::Set, block: block(&["port number !", "comment string ?"]), min_items: 0, max_items: 2 };
    server.blocks.insert("rule".into(), rule);
    ProviderSchema {
        format: 1,
        version: "1.0.0".into(),
        provider: block(&["region string ?", "token string ?*"]),
        resources: types([("cloud_server", server)]),
        data_sources: types([("cloud_image", block(&["id string =", "name string !", "versions list(string) ="]))]),
        ephemerals: types([("cloud_token", block(&["name string ?", "value string ="]))]),
        functions: [function("join", &[("left", Type::String), ("right", Type::String)], Type::String)].into(),
    }
}

/// The schemas by package.
pub(crate) fn schemas(package: &str) -> Result<Arc<ProviderSchema>, ProviderFailure> {
    match package.rsplit('/').next() {
        Some("random") => Ok(Arc::new(random())),
        Some("local") => Ok(Arc::new(local())),
        Some("cloud") => Ok(Arc::new(cloud())),
        _ => Err(ProviderFailure {
            kind: FailureKind::Unavailable,
            message: format!("{package} is not locked; run pravo init"),
            detail: String::new(),
        }),
    }
}
