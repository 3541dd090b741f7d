//! From text to tree and back: lexer, parser, literals, syntax tree, formatter.
//!
//! Kept true here: the parser never panics, never recurses deeper than [`MAXIMUM_DEPTH`], and reports several errors
//! of one file in one run; what it skips is a `Bad` node of the tree. Deliberately absent: names are not resolved and
//! nothing is evaluated.

pub mod ast;
pub mod experiments;
pub mod format;
pub mod lexer;
pub mod literal;
mod parser;
mod spans;
#[cfg(test)]
mod tests;
pub mod token;
mod walk;

pub use experiments::{ExperimentError, Experiments, LanguageVersion};
pub use format::{Format, format_expression, format_file, format_made};
pub use parser::{Options, Parsed, ParsedExpression, parse_expression, parse_file};

/// How deep expressions and structs may be nested.
pub const MAXIMUM_DEPTH: usize = 500;

/// How many operators, selectors, calls or labels may follow each other without nesting.
pub const MAXIMUM_CHAIN: usize = 4_000;
