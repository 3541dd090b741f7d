//! What a provider has to say: errors and warnings with the attribute that they are about.

use pravo_model::Path;
pub use pravo_model::provider::ProviderDiagnostic as Diagnostic;

use crate::attribute::Mismatch;

/// Makes diagnostics.
pub trait DiagnosticExt: Sized {
    /// An error: what happened, and why and what to do.
    fn error(summary: impl Into<String>, detail: impl Into<String>) -> Self;
    /// A warning.
    fn warning(summary: impl Into<String>, detail: impl Into<String>) -> Self;
    /// About an attribute.
    #[must_use]
    fn at(self, path: Path) -> Self;
    /// About an attribute of the object.
    #[must_use]
    fn at_attribute(self, name: &str) -> Self;
}

impl DiagnosticExt for Diagnostic {
    fn error(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { error: true, summary: summary.into(), detail: detail.into(), path: Path::root() }
    }

    fn warning(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { error: false, summary: summary.into(), detail: detail.into(), path: Path::root() }
    }

    fn at(mut self, path: Path) -> Self {
        self.path = path;
        self
    }

    fn at_attribute(self, name: &str) -> Self {
        self.at(Path::attribute(name))
    }
}

/// Errors and warnings, in order. As the error of a `Result` it has one error at least.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|diagnostic| diagnostic.error)
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl From<Mismatch> for Diagnostics {
    fn from(mismatch: Mismatch) -> Self {
        Diagnostic::error("Unsuitable value", format!("{}.", mismatch.problem)).at(mismatch.path).into()
    }
}

/// What a provider's operations give.
pub type Result<T> = std::result::Result<T, Diagnostics>;
