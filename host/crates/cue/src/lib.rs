//! The CUE language: parser, formatter, evaluator, standard packages, modules and export.
pub mod builtin;
pub mod data;
pub mod export;
mod intern;
mod kinds;
mod map;
mod number;
pub mod packages;
pub mod program;
pub mod session;
pub mod syntax;
mod value;

pub use intern::{Label, LabelKind, Text, is_identifier};
pub use kinds::Kinds;
pub(crate) use map::{Map, Set};
pub use number::{IntegerDivision, Number};
pub use value::Value;

/// A node of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u32);

/// A question of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ask(pub u32);
