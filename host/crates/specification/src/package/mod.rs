//! Provider packages as CUE text, generated from schemas, and the packages of pravo's own.
//!
//! Kept true here: the text is ordinary CUE that any CUE tool can read, with attributes that say what is hosted: `@host(provider)`,
//! `@host(resource)`, `@host(data)`, `@host(ephemeral)`, `@host(function)` on the structs, `@mark(sensitive)` on fields whose
//! values must not be shown, `@reference()` on fields that are read by where they point. The same schema gives the same text.
//! Only the types that a [`Selection`] names are written: a schema of 1,500 types costs what is used. Deliberately
//! absent: anything that a provider validates itself (ranges, formats, conflicts between attributes).

mod attribute;
mod builtin;
mod provider;
mod selection;
pub(crate) mod writer;

pub use builtin::{META, POLICY, SETTINGS, builtin};
pub(crate) use provider::argument_field;
pub use provider::{package_name, provider_package};
pub use selection::Selection;
pub(crate) use writer::quoted;

#[cfg(test)]
pub(crate) mod tests;
