//! Checks of configured attributes, for `#[pravo(validate = …)]`.

use std::fmt::Display;

use crate::attribute::Attr;

/// Why a configured value is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, on one line.
    pub summary: String,
    /// Why and what to do.
    pub detail: String,
}

impl Problem {
    /// A problem with words of its own.
    pub fn new(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { summary: summary.into(), detail: detail.into() }
    }
}

impl From<String> for Problem {
    fn from(detail: String) -> Self {
        Self::new("Invalid Attribute Value", detail)
    }
}

/// A check of an attribute's type: a function over the value within an [`Attr`], an [`Option`], or the bare value.
pub trait Check<T> {
    /// Checks it.
    ///
    /// # Errors
    /// Where the value is refused.
    fn check(&self, value: &T) -> Result<(), Problem>;
}

impl<T, F: Fn(&T) -> Result<(), Problem>> Check<Attr<T>> for F {
    fn check(&self, value: &Attr<T>) -> Result<(), Problem> {
        value.known().map_or(Ok(()), self)
    }
}

impl<T, F: Fn(&T) -> Result<(), Problem>> Check<Option<T>> for F {
    fn check(&self, value: &Option<T>) -> Result<(), Problem> {
        value.as_ref().map_or(Ok(()), self)
    }
}

/// The least value.
pub fn at_least<T: PartialOrd + Display>(least: T) -> impl Fn(&T) -> Result<(), Problem> {
    move |value| {
        if *value < least { Err(format!("The value must be at least {least}, got: {value}.").into()) } else { Ok(()) }
    }
}

/// The least and the largest value.
pub fn between<T: PartialOrd + Display>(least: T, largest: T) -> impl Fn(&T) -> Result<(), Problem> {
    move |value| {
        if *value < least || *value > largest {
            return Err(format!("The value must be between {least} and {largest}, got: {value}.").into());
        }
        Ok(())
    }
}

/// One of some texts.
pub fn one_of(choices: &'static [&'static str]) -> impl Fn(&String) -> Result<(), Problem> {
    move |value| {
        if choices.contains(&value.as_str()) { Ok(()) } else { Err(format!("The value must be one of {choices:?}, got: {value:?}.").into()) }
    }
}
