//! Diagnostics as data.

use serde::{Deserialize, Serialize};

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The run goes on.
    Warning,
    /// The command fails.
    Error,
}

/// A place that a diagnostic points at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be said of it; may be empty.
    pub message: String,
}

/// Something that went wrong or deserves a warning: what, where, why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A short stable name, such as `cue.eval` or `provider.rejected`.
    pub code: String,
    /// What happened, on one line; what stands after `Error: `.
    pub summary: String,
    /// Why, in as many lines as it needs; may be empty.
    pub detail: String,
    /// The CUE path or the address that it is about; may be empty.
    pub path: String,
    /// The places; the first is the primary one.
    pub labels: Vec<Label>,
    /// What to do; may be empty.
    pub help: String,
}

impl Diagnostic {
    /// An error with a code and a summary.
    pub fn error(code: impl Into<String>, summary: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code: code.into(),
            summary: summary.into(),
            detail: String::new(),
            path: String::new(),
            labels: Vec::new(),
            help: String::new(),
        }
    }

    /// A warning with a code and a summary.
    pub fn warning(code: impl Into<String>, summary: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, summary) }
    }

    /// Adds a place; the first that is added is the primary one.
    #[must_use]
    pub fn at(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Sets why.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Sets what to do.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Sets the CUE path or address.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
