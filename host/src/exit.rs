//! How a command ends: the one place where results become exit codes.

use std::process::ExitCode;

use pravo_diag::{Diagnostic, SourceMap};

/// The exit code of a process that a signal ended at once.
pub const INTERRUPTED: i32 = 130;

/// The end of a command that did what it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// 0.
    Success,
    /// 2: `--detailed-exitcode` with something to do, `drift` with a difference.
    Difference,
    /// 1, and everything was said already: an incomplete apply, a declined question, a check that found something.
    Failed,
}

/// The end of a command that could not: 1.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// Why.
    pub diagnostics: Vec<Diagnostic>,
    /// The sources that the diagnostics point into.
    pub sources: SourceMap,
}

impl Failure {
    /// From diagnostics with their sources.
    pub fn new(diagnostics: Vec<Diagnostic>, sources: SourceMap) -> Self {
        Self { diagnostics, sources }
    }

    /// From one diagnostic without places.
    pub fn of(diagnostic: Diagnostic) -> Self {
        Self { diagnostics: vec![diagnostic], sources: SourceMap::new() }
    }

    /// From a text; `code` is the stable name.
    pub fn message(code: &str, summary: impl Into<String>) -> Self {
        Self::of(Diagnostic::error(code, summary))
    }

    /// A file that could not be read or written.
    pub fn file(what: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::message("file", format!("cannot {what} {}: {}", path.display(), reason(error)))
    }
}

/// The words of the operating system, without its number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

impl From<pravo_engine::Failure> for Failure {
    fn from(failure: pravo_engine::Failure) -> Self {
        Self { diagnostics: failure.diagnostics, sources: failure.sources }
    }
}

impl From<pravo_model::state::StateError> for Failure {
    fn from(error: pravo_model::state::StateError) -> Self {
        Self::of(pravo_engine::state_diagnostic(&error))
    }
}

impl From<pravo_model::provider::ProviderFailure> for Failure {
    fn from(failure: pravo_model::provider::ProviderFailure) -> Self {
        Self::of(Diagnostic::error("provider", failure.message).with_detail(failure.detail))
    }
}

/// What a command gives.
pub type Outcome = Result<Done, Failure>;

/// The exit code of an outcome.
pub fn code(outcome: &Outcome) -> ExitCode {
    match outcome {
        Ok(Done::Success) => ExitCode::SUCCESS,
        Ok(Done::Difference) => ExitCode::from(2),
        Ok(Done::Failed) | Err(_) => ExitCode::FAILURE,
    }
}
