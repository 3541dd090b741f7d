//! Functions of a provider; `#[pravo_sdk::function]` makes them from Rust functions.

use pravo_model::schema::{FunctionSchema, Parameter};
use pravo_model::{Path, PathStep, Value};

use crate::attribute::AttributeValue;
use crate::diagnostics::{Diagnostic, DiagnosticExt, Diagnostics};
use crate::object::Field;

/// Why a function gives no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionError {
    /// Which argument is to blame, from 0; none for the call as a whole.
    pub argument: Option<u64>,
    /// What is wrong and what to do.
    pub text: String,
}

impl FunctionError {
    /// An error of the call as a whole.
    pub fn new(text: impl Into<String>) -> Self {
        Self { argument: None, text: text.into() }
    }

    /// An error about one argument.
    pub fn argument(argument: u64, text: impl Into<String>) -> Self {
        Self { argument: Some(argument), text: text.into() }
    }
}

impl From<FunctionError> for Diagnostics {
    fn from(error: FunctionError) -> Self {
        let path = Path(error.argument.map(PathStep::Index).into_iter().collect());
        Diagnostic::error("Error in function call", error.text).at(path).into()
    }
}

/// What a function gives.
pub type Result<T> = std::result::Result<T, FunctionError>;

/// A result type of a function.
pub trait Answer {
    /// The type of the value.
    type Value: AttributeValue;
}

impl<T: AttributeValue> Answer for Result<T> {
    type Value = T;
}

/// A function with its signature.
pub struct FunctionDefinition {
    pub(crate) name: &'static str,
    pub(crate) schema: FunctionSchema,
    pub(crate) call: fn(&[Value]) -> Result<Value>,
}

/// What the macro registers.
#[doc(hidden)]
pub fn define<A: Answer>(
    name: &'static str,
    description: &str,
    parameters: Vec<Parameter>,
    call: fn(&[Value]) -> Result<Value>,
) -> FunctionDefinition {
    let result = Field::new::<A::Value>("result").attribute.value_type();
    FunctionDefinition { name, schema: FunctionSchema { parameters, result, description: description.to_owned() }, call }
}

/// A parameter. Null is passed on to a type that can hold it.
#[doc(hidden)]
pub fn parameter<T: AttributeValue>(name: &'static str) -> Parameter {
    let kind = Field::new::<T>(name).attribute.value_type();
    Parameter { name: name.to_owned(), kind, allow_null: T::from_value(&Value::Null).is_ok(), description: String::new() }
}

/// One argument of a call.
#[doc(hidden)]
pub fn argument<T: AttributeValue>(arguments: &[Value], index: usize) -> Result<T> {
    let value = arguments.get(index).unwrap_or(&Value::Null);
    T::from_value(value).map_err(|mismatch| FunctionError::argument(index as u64, mismatch.problem))
}

/// The result of a call.
#[doc(hidden)]
pub fn answer<T: AttributeValue>(result: Result<T>) -> Result<Value> {
    result.map(|value| value.to_value())
}
