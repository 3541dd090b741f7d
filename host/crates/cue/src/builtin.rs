//! What a function of a standard package is to the evaluator.
//!
//! A function gets its arguments evaluated, defaults taken, and gives a value or a [`Failure`]. Arguments whose
//! parameter allows only concrete kinds are concrete all the way down, else the evaluator has already answered
//! "incomplete" (or, where the argument is unknown, "unknown with the kind of the result"). A function that returns
//! bool and is a [`Function::validator`] may also be unified with a value: it then takes the value as its first
//! argument, `"abc" & strings.MinRunes(2)`.

use crate::{Kinds, Node, Value};

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// More information could still give a result.
    Incomplete(String),
    /// It is an error for good.
    Eval(String),
    /// A limit of the session.
    Limit(String),
}

impl Failure {
    /// An error for good.
    pub fn eval(message: impl Into<String>) -> Self {
        Self::Eval(message.into())
    }

    /// An error that more information could resolve.
    pub fn incomplete(message: impl Into<String>) -> Self {
        Self::Incomplete(message.into())
    }
}

/// What a value must be, unified with a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Free of errors that are for good.
    Consistent,
    /// That, and required fields are there; else more information could help.
    Present,
    /// That, and all of it is concrete; else it is an error for good.
    Concrete,
}

/// What more a list or struct may get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Openness {
    /// Whether elements or fields of any name may be added.
    pub open: bool,
    /// How many optional and required fields it has that are not there.
    pub constraints: usize,
}

/// What a function may ask the evaluator.
pub trait Host {
    /// Whether a value satisfies a constraint ([`Value::Handle`]): the error if it does not.
    fn accepts(&mut self, constraint: Node, value: &Value, demand: Demand) -> Result<(), Failure>;
    /// What more an argument may get.
    fn openness(&mut self, argument: usize) -> Openness;
    /// Whether the function runs as a validator, of its first argument.
    fn validates(&self) -> bool;
    /// Whether two things that are not concrete are the same.
    fn alike(&mut self, a: Node, b: Node) -> bool;
    /// The value `*null | _`.
    fn null_by_default(&mut self) -> Value;
    /// Whether x comes before y by a comparator `{T: _, x: T, y: T, less: bool}`.
    fn less(&mut self, comparator: Node, x: &Value, y: &Value) -> Result<bool, Failure>;
    /// The bytes that values of this call may still take.
    fn budget(&self) -> usize;
}

/// One parameter of a function.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The kinds that it takes.
    pub kinds: Kinds,
    /// Whether the argument may be a constraint: it is passed as [`Value::Handle`].
    pub constraint: bool,
    /// Whether it may be left out (only at the end).
    pub optional: bool,
    /// Whether fields or elements that are not concrete are passed, as [`Value::Handle`].
    pub loose: bool,
}

impl Parameter {
    /// A concrete argument.
    pub const fn new(kinds: Kinds) -> Self {
        Self { kinds, constraint: false, optional: false, loose: false }
    }

    /// A constraint.
    pub const fn constraint() -> Self {
        Self { kinds: Kinds::TOP, constraint: true, optional: false, loose: false }
    }

    /// A list or struct, parts of which need not be concrete.
    pub const fn loose(kinds: Kinds) -> Self {
        Self { kinds, constraint: false, optional: false, loose: true }
    }

    /// The same, but it may be left out.
    pub const fn optional(self) -> Self {
        Self { optional: true, ..self }
    }
}

/// The code of a function.
pub type Code = fn(&[Value], &mut dyn Host) -> Result<Value, Failure>;

/// A function of a standard package.
#[derive(Clone, Copy)]
pub struct Function {
    /// Its name in the package.
    pub name: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The kinds that its result may have.
    pub result: Kinds,
    /// Whether it may be unified with a value.
    pub validator: bool,
    /// What it does.
    pub code: Code,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Function({})", self.name)
    }
}

/// A standard package: functions, and everything else as CUE text.
#[derive(Clone, Copy, Debug)]
pub struct Package {
    /// The import path, such as `strings` or `encoding/json`.
    pub path: &'static str,
    /// The functions.
    pub functions: &'static [Function],
    /// Constants and definitions, as CUE text without imports; may be empty.
    pub source: &'static str,
}
