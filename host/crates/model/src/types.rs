//! Types of attribute values, as Terraform's protocol knows them (`facts` of the plugin protocol: cty types).

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Name, Value};

/// The type of an attribute value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Type {
    /// `true` or `false`.
    Bool,
    /// A number of any size.
    Number,
    /// A text, NFC-normalised.
    String,
    /// A value that brings its type along.
    Dynamic,
    /// Elements in order.
    List(Box<Type>),
    /// Elements without order or repetition; held as a [`Value::List`] in canonical order.
    Set(Box<Type>),
    /// Texts to elements.
    Map(Box<Type>),
    /// Elements of a type each.
    Tuple(Vec<Type>),
    /// Attributes of a type each.
    Object(BTreeMap<Name, Type>),
}

impl Type {
    /// The type that a value has by itself: objects for maps and tuples for lists, as no schema says otherwise; [`Type::Dynamic`] for null and unknown.
    pub fn implied(value: &Value) -> Type {
        match value {
            Value::Null | Value::Unknown => Type::Dynamic,
            Value::Bool(_) => Type::Bool,
            Value::Number(_) => Type::Number,
            Value::String(_) => Type::String,
            Value::List(elements) => Type::Tuple(elements.iter().map(Type::implied).collect()),
            Value::Map(entries) => Type::Object(entries.iter().map(|(key, value)| (key.clone(), Type::implied(value))).collect()),
        }
    }
}

impl fmt::Display for Type {
    /// As Terraform's documentation writes it: `list(string)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Number => f.write_str("number"),
            Type::String => f.write_str("string"),
            Type::Dynamic => f.write_str("dynamic"),
            Type::List(element) => write!(f, "list({element})"),
            Type::Set(element) => write!(f, "set({element})"),
            Type::Map(element) => write!(f, "map({element})"),
            Type::Tuple(elements) => {
                f.write_str("tuple(")?;
                for (i, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Type::Object(attributes) => {
                f.write_str("object(")?;
                for (i, (name, attribute)) in attributes.iter().enumerate() {
                    write!(f, "{}{name}: {attribute}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
        }
    }
}
