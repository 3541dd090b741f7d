//! Values in plan files: the one stored form that has unknowns.

use std::collections::BTreeMap;

use pravo_model::Value;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize)]
enum Written<'v> {
    Null,
    Unknown,
    Bool(bool),
    Number(String),
    String(&'v str),
    List(Vec<Written<'v>>),
    Map(BTreeMap<&'v str, Written<'v>>),
}

#[derive(Deserialize)]
enum Read {
    Null,
    Unknown,
    Bool(bool),
    Number(String),
    String(String),
    List(Vec<Read>),
    Map(BTreeMap<String, Read>),
}

impl<'v> From<&'v Value> for Written<'v> {
    fn from(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Unknown => Self::Unknown,
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Number(number) => Self::Number(number.to_string()),
            Value::String(text) => Self::String(text),
            Value::List(elements) => Self::List(elements.iter().map(Self::from).collect()),
            Value::Map(entries) => Self::Map(entries.iter().map(|(key, value)| (key.as_str(), Self::from(value))).collect()),
        }
    }
}

fn restore(read: Read) -> Result<Value, pravo_model::number::NumberError> {
    Ok(match read {
        Read::Null => Value::Null,
        Read::Unknown => Value::Unknown,
        Read::Bool(truth) => Value::Bool(truth),
        Read::Number(text) => Value::Number(text.parse()?),
        Read::String(text) => Value::String(text),
        Read::List(elements) => Value::List(elements.into_iter().map(restore).collect::<Result<_, _>>()?),
        Read::Map(entries) => Value::Map(entries.into_iter().map(|(key, value)| Ok((key.into(), restore(value)?))).collect::<Result<_, _>>()?),
    })
}

pub(crate) fn serialize<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    Written::from(value).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    restore(Read::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}
