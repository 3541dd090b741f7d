//! Spans, sources and diagnostics as data, and their rendering.
//!
//! Kept true here: a diagnostic is data until the edge. Nothing in this crate prints, and nothing formats a
//! message before somebody shows it. Deliberately absent: error codes that steer control flow (each crate has its own
//! enums for that) and any knowledge of CUE or providers.

mod diagnostic;
mod render;
mod source;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use render::{Style, render, render_all, to_json};
pub use source::{FileId, Position, Source, SourceMap, Span};
