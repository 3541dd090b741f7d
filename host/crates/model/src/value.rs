//! Attribute values.

use std::collections::BTreeMap;

use crate::{Number, Path, PathStep};

/// The name of an attribute or the key of a map. Every object of a type has the same names: short ones are copied, long ones shared.
pub type Name = smol_str::SmolStr;

/// A value of an attribute, or an object of attributes. Its [`crate::Type`] is known from the schema and not part of it.
///
/// Serialisation is by codec only ([`crate::provider`] bytes, state JSON): never by derive, since unknown has no
/// place in most formats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// Not set.
    #[default]
    Null,
    /// Not known before the apply.
    Unknown,
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    String(String),
    /// A list, a tuple, or a set in canonical order ([`Value`]'s own order, without repetitions).
    List(Vec<Value>),
    /// A map or an object.
    Map(BTreeMap<Name, Value>),
}

impl Value {
    /// A text.
    pub fn string(text: impl Into<String>) -> Self {
        Self::String(text.into())
    }

    /// An integer.
    pub fn integer(integer: i64) -> Self {
        Self::Number(integer.into())
    }

    /// An object from attributes.
    pub fn object<K: Into<Name>>(attributes: impl IntoIterator<Item = (K, Value)>) -> Self {
        Self::Map(attributes.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Whether it is unknown as a whole.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Value::Unknown)
    }

    /// Whether nothing in it is unknown.
    pub fn is_wholly_known(&self) -> bool {
        match self {
            Value::Unknown => false,
            Value::List(elements) => elements.iter().all(Value::is_wholly_known),
            Value::Map(entries) => entries.values().all(Value::is_wholly_known),
            _ => true,
        }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The entries, if it is a map or an object.
    pub fn as_map(&self) -> Option<&BTreeMap<Name, Value>> {
        match self {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The elements, if it is a list, a tuple or a set.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Value::List(elements) => Some(elements),
            _ => None,
        }
    }

    /// The attribute of an object; null where it is not set or `self` is no object.
    pub fn attribute(&self, name: &str) -> &Value {
        const NULL: &Value = &Value::Null;
        self.as_map().and_then(|entries| entries.get(name)).unwrap_or(NULL)
    }

    /// The part at a path: `None` where the path leads nowhere; unknown below an unknown.
    pub fn get(&self, path: &Path) -> Option<&Value> {
        let mut value = self;
        for step in path.steps() {
            value = match (value, step) {
                (Value::Unknown, _) => return Some(value),
                (Value::Map(entries), PathStep::Attribute(key) | PathStep::Key(key)) => entries.get(key)?,
                (Value::List(elements), PathStep::Index(index)) => elements.get(usize::try_from(*index).ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Brings a list into the canonical order of a set.
    pub fn set(mut elements: Vec<Value>) -> Self {
        elements.sort();
        elements.dedup_by(|a, b| a == b && a.is_wholly_known());
        Self::List(elements)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Value {
    fn from(integer: i64) -> Self {
        Self::integer(integer)
    }
}
