//! Values as trees, as they come in and go out: answers, arguments and results of functions, exports.
//!
//! Deliberately absent: references, constraints with an environment, anything that needs a session.

use std::sync::Arc;

use crate::{Kinds, Node, Number};

/// A value. All but [`Value::Partial`] and [`Value::Handle`] is concrete.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// An integer or decimal number.
    Number(Number),
    /// A text.
    String(Arc<str>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A list.
    List(Vec<Value>),
    /// A struct: its regular fields in order.
    Struct(Vec<(Arc<str>, Value)>),
    /// Not concrete: which kinds it may have, and whether it waits for an unknown.
    Partial {
        /// The kinds that it may have.
        kinds: Kinds,
        /// Whether it depends on something that is not known before the apply.
        unknown: bool,
    },
    /// A constraint that a function asks the evaluator about (see [`crate::builtin::Host`]).
    Handle(Node),
}

impl Value {
    /// A text.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// An integer.
    pub fn integer(value: i64) -> Self {
        Self::Number(Number::Int(value))
    }

    /// The kinds that it has or may have.
    pub fn kinds(&self) -> Kinds {
        match self {
            Self::Null => Kinds::NULL,
            Self::Bool(_) => Kinds::BOOL,
            Self::Number(number) => {
                if number.is_integer() {
                    Kinds::INT
                } else {
                    Kinds::FLOAT
                }
            }
            Self::String(_) => Kinds::STRING,
            Self::Bytes(_) => Kinds::BYTES,
            Self::List(_) => Kinds::LIST,
            Self::Struct(_) => Kinds::STRUCT,
            Self::Partial { kinds, .. } => *kinds,
            Self::Handle(_) => Kinds::TOP,
        }
    }

    /// Whether nothing in it is left open.
    pub fn is_concrete(&self) -> bool {
        match self {
            Self::Partial { .. } | Self::Handle(_) => false,
            Self::List(elements) => elements.iter().all(Self::is_concrete),
            Self::Struct(fields) => fields.iter().all(|(_, value)| value.is_concrete()),
            _ => true,
        }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The field of a struct.
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Struct(fields) => fields.iter().find(|(label, _)| &**label == name).map(|(_, value)| value),
            _ => None,
        }
    }
}
