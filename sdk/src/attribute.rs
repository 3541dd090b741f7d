//! Rust types that attributes can have.

use std::collections::{BTreeMap, BTreeSet};

use pravo_model::schema::{AttributeKind, Nesting};
use pravo_model::{Number, Path, PathStep, Type, Value};

/// An attribute that may also be unset, or not known before the apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Attr<T> {
    /// Not set.
    #[default]
    Null,
    /// Not known before the apply.
    Unknown,
    /// Known.
    Known(T),
}

impl<T> Attr<T> {
    /// The value, if it is known.
    pub fn known(&self) -> Option<&T> {
        match self {
            Attr::Known(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it is not set.
    pub fn is_null(&self) -> bool {
        matches!(self, Attr::Null)
    }

    /// Whether it is not known.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Attr::Unknown)
    }
}

impl<T> From<T> for Attr<T> {
    fn from(value: T) -> Self {
        Attr::Known(value)
    }
}

impl From<&str> for Attr<String> {
    fn from(text: &str) -> Self {
        Attr::Known(text.to_owned())
    }
}

impl<T> From<Option<T>> for Attr<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Attr::Null, Attr::Known)
    }
}

/// A value that a Rust type cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct Mismatch {
    /// The attribute.
    pub path: Path,
    /// Whether the only reason is that it is not known yet.
    pub unknown: bool,
    /// What is wrong.
    pub problem: String,
}

impl Mismatch {
    /// A value that is not of the type.
    pub fn wrong(problem: impl Into<String>) -> Self {
        Self { path: Path::root(), unknown: false, problem: problem.into() }
    }

    pub(crate) fn below(mut self, step: PathStep) -> Self {
        self.path.0.insert(0, step);
        self
    }
}

/// A Rust type that an attribute can have.
///
/// A type other than [`Attr`] holds no unknown: before the apply a body with an unknown there is not handed to the
/// provider's own checks. A type other than [`Attr`] and [`Option`] holds no null either: it is for required attributes.
pub trait AttributeValue: Sized {
    /// The type in the schema.
    fn kind() -> AttributeKind;
    /// From a value.
    ///
    /// # Errors
    /// Where the value is not of the type.
    fn from_value(value: &Value) -> Result<Self, Mismatch>;
    /// To a value.
    fn to_value(&self) -> Value;
}

fn refuse<T>(value: &Value, wanted: &str) -> Result<T, Mismatch> {
    let unknown = value.is_unknown();
    let problem = match value {
        Value::Unknown => format!("{wanted} is required, the value is not known yet"),
        Value::Null => format!("{wanted} is required, the value is not set"),
        Value::Number(number) if number.is_integer() => format!("the value {number} cannot be represented as a 64-bit integer"),
        Value::Number(number) => format!("the value {number} is not an integer"),
        _ => format!("{wanted} is required"),
    };
    Err(Mismatch { path: Path::root(), unknown, problem })
}

macro_rules! scalar {
    ($type:ty, $kind:expr, $wanted:literal, $value:ident => $from:expr, $this:ident => $to:expr) => {
        impl AttributeValue for $type {
            fn kind() -> AttributeKind {
                AttributeKind::Type($kind)
            }
            fn from_value($value: &Value) -> Result<Self, Mismatch> {
                match $from {
                    Some(value) => Ok(value),
                    None => refuse($value, $wanted),
                }
            }
            fn to_value(&self) -> Value {
                let $this = self;
                $to
            }
        }
    };
}

scalar!(bool, Type::Bool, "a truth value", value => value.as_bool(), this => Value::Bool(*this));
scalar!(String, Type::String, "a text", value => value.as_str().map(str::to_owned), this => Value::string(this.as_str()));
scalar!(Number, Type::Number, "a number", value => number(value).cloned(), this => Value::Number(this.clone()));
scalar!(i64, Type::Number, "a whole number of 64 bits", value => number(value).and_then(Number::as_i64), this => Value::integer(*this));
scalar!(Value, Type::Dynamic, "a value", value => Some(value.clone()), this => this.clone());

fn number(value: &Value) -> Option<&Number> {
    match value {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

/// The kind of a collection of elements of a kind.
fn collection(element: AttributeKind, nesting: Nesting, wrap: fn(Box<Type>) -> Type) -> AttributeKind {
    match element {
        AttributeKind::Nested(Nesting::Single, attributes) => AttributeKind::Nested(nesting, attributes),
        kind => AttributeKind::Type(wrap(Box::new(value_type(kind)))),
    }
}

fn value_type(kind: AttributeKind) -> Type {
    crate::schema::Attribute {
        kind,
        required: false,
        optional: true,
        computed: false,
        sensitive: false,
        write_only: false,
        description: String::new(),
        deprecated: None,
    }
    .value_type()
}

fn elements<T: AttributeValue>(value: &Value, wanted: &str) -> Result<Vec<T>, Mismatch> {
    let Some(elements) = value.as_list() else { return refuse(value, wanted) };
    let elements = elements.iter().zip(0..).map(|(value, index)| T::from_value(value).map_err(|error| error.below(PathStep::Index(index))));
    elements.collect()
}

impl<T: AttributeValue> AttributeValue for Vec<T> {
    fn kind() -> AttributeKind {
        collection(T::kind(), Nesting::List, Type::List)
    }
    fn from_value(value: &Value) -> Result<Self, Mismatch> {
        elements(value, "a list")
    }
    fn to_value(&self) -> Value {
        Value::List(self.iter().map(T::to_value).collect())
    }
}

impl<T: AttributeValue + Ord> AttributeValue for BTreeSet<T> {
    fn kind() -> AttributeKind {
        collection(T::kind(), Nesting::Set, Type::Set)
    }
    fn from_value(value: &Value) -> Result<Self, Mismatch> {
        Ok(elements(value, "a set")?.into_iter().collect())
    }
    fn to_value(&self) -> Value {
        Value::set(self.iter().map(T::to_value).collect())
    }
}

impl<T: AttributeValue> AttributeValue for BTreeMap<String, T> {
    fn kind() -> AttributeKind {
        collection(T::kind(), Nesting::Map, Type::Map)
    }
    fn from_value(value: &Value) -> Result<Self, Mismatch> {
        let Some(entries) = value.as_map() else { return refuse(value, "a map") };
        let entries = entries.iter().map(|(key, value)| {
            let value = T::from_value(value).map_err(|error| error.below(PathStep::Key(key.clone())))?;
            Ok((key.to_string(), value))
        });
        entries.collect()
    }
    fn to_value(&self) -> Value {
        Value::Map(self.iter().map(|(key, value)| (key.into(), value.to_value())).collect())
    }
}

impl<T: AttributeValue> AttributeValue for Option<T> {
    fn kind() -> AttributeKind {
        T::kind()
    }
    fn from_value(value: &Value) -> Result<Self, Mismatch> {
        if value.is_null() { Ok(None) } else { T::from_value(value).map(Some) }
    }
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
}

impl<T: AttributeValue> AttributeValue for Attr<T> {
    fn kind() -> AttributeKind {
        T::kind()
    }
    fn from_value(value: &Value) -> Result<Self, Mismatch> {
        match value {
            Value::Null => Ok(Attr::Null),
            Value::Unknown => Ok(Attr::Unknown),
            value => T::from_value(value).map(Attr::Known),
        }
    }
    fn to_value(&self) -> Value {
        match self {
            Attr::Null => Value::Null,
            Attr::Unknown => Value::Unknown,
            Attr::Known(value) => value.to_value(),
        }
    }
}
