//! Attributes and nested blocks as fields.
//!
//! Required attributes are `name!:`, purely optional ones `name?:`, computed and optional-computed ones regular fields,
//! so that they can always be read. `null` means unset, so every attribute but a required one takes it.

use std::collections::BTreeMap;

use pravo_model::schema::{Attribute, AttributeKind, Block, NestedBlock, Nesting};
use pravo_model::{Name, Type};

use super::writer::{Writer, label, quoted};

/// How deep nested structs are written out; below it, anything goes and the provider judges. Real schemas stay below 30.
const MAXIMUM_DEPTH: usize = 60;

/// All attributes and nested blocks of a block.
pub(super) fn block(writer: &mut Writer, block: &Block, depth: usize) {
    attributes(writer, &block.attributes, depth);
    for (name, nested) in &block.blocks {
        nested_block(writer, name, nested, depth);
    }
}

fn attributes(writer: &mut Writer, attributes: &BTreeMap<Name, Attribute>, depth: usize) {
    for (name, attribute) in attributes {
        writer.doc(&attribute.description);
        let (mark, nullable) = match attribute {
            Attribute { required: true, .. } => ("!", false),
            Attribute { computed: true, .. } => ("", true),
            _ => ("?", true),
        };
        let anything = matches!(attribute.kind, AttributeKind::Type(Type::Dynamic));
        let head = format!("{}{mark}: {}", label(name), if nullable && !anything { "null | " } else { "" });
        let tail = marks(attribute);
        match &attribute.kind {
            AttributeKind::Type(kind) => writer.line(&format!("{head}{}{tail}", type_text(kind, depth))),
            AttributeKind::Nested(nesting, inner) => {
                nested(writer, &head, *nesting, &tail, depth, &|writer| self::attributes(writer, inner, depth + 1));
            }
        }
    }
}

fn marks(attribute: &Attribute) -> String {
    let mut out = String::new();
    if attribute.sensitive {
        out.push_str(" @mark(sensitive)");
    }
    if let Some(reason) = &attribute.deprecated {
        out.push_str(&deprecated(reason));
    }
    out
}

/// The attribute that marks something as deprecated, with a blank in front.
pub(super) fn deprecated(reason: &str) -> String {
    format!(" @deprecated({})", quoted(reason))
}

fn nested_block(writer: &mut Writer, name: &str, nested_block: &NestedBlock, depth: usize) {
    writer.doc(&nested_block.block.description);
    let required = nested_block.min_items > 0;
    let head = format!("{}{}: {}", label(name), if required { "!" } else { "?" }, if required { "" } else { "null | " });
    let tail = nested_block.block.deprecated.as_deref().map(deprecated).unwrap_or_default();
    nested(writer, &head, nested_block.nesting, &tail, depth, &|writer| block(writer, &nested_block.block, depth + 1));
}

fn nested(writer: &mut Writer, head: &str, nesting: Nesting, tail: &str, depth: usize, body: &dyn Fn(&mut Writer)) {
    let (open, close) = match nesting {
        Nesting::Single | Nesting::Group => ("{", "}"),
        Nesting::List | Nesting::Set => ("[...{", "}]"),
        Nesting::Map => ("{[string]: {", "}}"),
    };
    if depth >= MAXIMUM_DEPTH {
        writer.line(&format!("{head}_{tail}"));
        return;
    }
    writer.open(&format!("{head}{open}"));
    body(writer);
    writer.close(&format!("{close}{tail}"));
}

/// A type as a CUE expression, to stand behind `null |` or `:`.
pub(super) fn type_text(kind: &Type, depth: usize) -> String {
    if depth >= MAXIMUM_DEPTH {
        return "_".to_owned();
    }
    match kind {
        Type::Bool => "bool".to_owned(),
        Type::Number => "number".to_owned(),
        Type::String => "string".to_owned(),
        Type::Dynamic => "_".to_owned(),
        Type::List(element) | Type::Set(element) => format!("[...{}]", element_text(element, depth)),
        Type::Map(element) => format!("{{[string]: {}}}", element_text(element, depth)),
        Type::Tuple(elements) => {
            let elements: Vec<String> = elements.iter().map(|element| element_text(element, depth)).collect();
            format!("[{}]", elements.join(", "))
        }
        Type::Object(attributes) => {
            let fields: Vec<String> =
                attributes.iter().map(|(name, attribute)| format!("{}?: {}", label(name), element_text(attribute, depth))).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

fn element_text(kind: &Type, depth: usize) -> String {
    match kind {
        Type::Dynamic => "_".to_owned(),
        kind => format!("null | {}", type_text(kind, depth + 1)),
    }
}
