//! A specification that was refused before a conversation began.

use pravo_diag::{Diagnostic, SourceMap};

/// What is wrong, with the sources that the diagnostics point into.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// What is wrong; at least one error.
    pub diagnostics: Vec<Diagnostic>,
    /// The sources.
    pub sources: SourceMap,
}

impl From<Diagnostic> for Rejected {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostics: vec![diagnostic], sources: SourceMap::new() }
    }
}
