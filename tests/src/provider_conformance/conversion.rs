//! The conversions of Terraform's language, as a CUE author writes them.

use serde_json::Value as Json;

use pravo_model::Type;
use pravo_model::schema::{ProviderSchema, ResourceSchema};

use super::case::Case;

/// What the arguments of a case are of.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    attributes: Vec<(String, Type)>,
    parameters: Vec<(String, Type)>,
}

impl Kinds {
    /// Of the type or function of a case.
    pub fn of(case: &Case, schema: &ProviderSchema) -> Self {
        let types = match case.kind.as_str() {
            "data" => &schema.data_sources,
            "ephemeral" => &schema.ephemerals,
            _ => &schema.resources,
        };
        let attributes =
            |found: &ResourceSchema| found.block.attributes.iter().map(|(name, attribute)| (name.to_string(), attribute.value_type())).collect();
        let function = schema.functions.get(&case.type_name);
        let parameters = function.map(|function| function.parameters.iter().map(|one| (one.name.clone(), one.kind.clone())).collect());
        Self { attributes: types.get(&case.type_name).map(attributes).unwrap_or_default(), parameters: parameters.unwrap_or_default() }
    }

    /// The type of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&Type> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, kind)| kind)
    }

    /// The name and type of a parameter; one that the function does not have gets a name of its own.
    pub fn parameter(&self, index: usize) -> (String, Option<&Type>) {
        match self.parameters.get(index) {
            Some((name, kind)) => (name.clone(), Some(kind)),
            None => (format!("argument_{index}"), None),
        }
    }
}

/// The type of an element or entry.
pub fn element<'t>(kind: Option<&'t Type>, name: &str) -> Option<&'t Type> {
    match kind? {
        Type::List(element) | Type::Set(element) | Type::Map(element) => Some(element),
        Type::Object(attributes) => attributes.get(name),
        _ => None,
    }
}

/// A scalar as CUE, converted to the type that is asked for where Terraform converts; whether it needs `encoding/json`.
pub fn scalar(json: &Json, kind: Option<&Type>) -> (String, bool) {
    match (json, kind) {
        (Json::Number(_) | Json::Bool(_), Some(Type::String)) => (format!("\"\\({json})\""), false),
        (Json::String(_), Some(Type::Number | Type::Bool)) => (format!("json.Unmarshal({json})"), true),
        _ => (json.to_string(), false),
    }
}
