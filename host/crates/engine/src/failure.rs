//! How a run fails as a whole.

use pravo_diag::{Diagnostic, SourceMap};
use pravo_model::state::{StateError, StateErrorKind};

/// A run that was refused or cannot go on. Nothing was changed by a plan; what an apply had done is in its own result.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// Why, at least one error.
    pub diagnostics: Vec<Diagnostic>,
    /// The sources that the diagnostics point into.
    pub sources: SourceMap,
    /// Whether the operator ended it.
    pub interrupted: bool,
}

impl Failure {
    /// From diagnostics without repetitions, in the order in which they came.
    pub fn new(diagnostics: Vec<Diagnostic>, sources: SourceMap) -> Self {
        let mut unique: Vec<Diagnostic> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for diagnostic in diagnostics {
            if seen.insert(format!("{diagnostic:?}")) {
                unique.push(diagnostic);
            }
        }
        Self { diagnostics: unique, sources, interrupted: false }
    }

    /// From one diagnostic without places.
    pub fn of(diagnostic: Diagnostic) -> Self {
        Self::new(vec![diagnostic], SourceMap::new())
    }

    /// The operator ended it.
    pub fn interrupted() -> Self {
        let diagnostic = Diagnostic::error("engine.interrupted", "interrupted: nothing was changed");
        Self { interrupted: true, ..Self::of(diagnostic) }
    }
}

/// An error of the store as a diagnostic.
pub fn state_diagnostic(error: &StateError) -> Diagnostic {
    let code = match error.kind {
        StateErrorKind::Locked => "state.locked",
        StateErrorKind::Damaged => "state.damaged",
        StateErrorKind::Newer => "state.newer",
        StateErrorKind::System => "state.system",
    };
    Diagnostic::error(code, error.message.clone()).with_help(error.help.clone())
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Self {
        Self::of(state_diagnostic(&error))
    }
}
