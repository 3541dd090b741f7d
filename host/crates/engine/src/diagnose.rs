//! What providers say, as diagnostics.

use pravo_diag::{Diagnostic, Span};
use pravo_model::provider::{Called, FailureKind, ProviderDiagnostic, ProviderFailure};
use pravo_model::{Address, Path};

use crate::validity::Problem;

/// What a call is about: where its diagnostics point.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) address: Address,
    pub(crate) span: Option<Span>,
}

/// What a provider is asked to do: the first part of the codes of its diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Configure,
    Validate,
    Upgrade,
    Read,
    Import,
    Plan,
    Apply,
    Ephemeral,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::Configure => "configure",
            Phase::Validate => "validate",
            Phase::Upgrade => "upgrade",
            Phase::Read => "read",
            Phase::Import => "import",
            Phase::Plan => "plan",
            Phase::Apply => "apply",
            Phase::Ephemeral => "ephemeral",
        }
    }
}

/// Something failed, and the reason is in the diagnostics that were handed along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed;

impl Place {
    pub(crate) fn new(address: &Address, span: Option<Span>) -> Self {
        Self { address: address.clone(), span }
    }

    /// The CUE path of a part.
    fn path(&self, path: &Path) -> String {
        match path.steps().first() {
            None => self.address.to_string(),
            Some(pravo_model::PathStep::Attribute(_) | pravo_model::PathStep::Key(_)) => format!("{}.{path}", self.address),
            Some(_) => format!("{}{path}", self.address),
        }
    }

    fn locate(&self, diagnostic: Diagnostic, path: &Path) -> Diagnostic {
        let diagnostic = diagnostic.with_path(self.path(path));
        match self.span {
            Some(span) => diagnostic.at(span, ""),
            None => diagnostic,
        }
    }

    /// A diagnostic of the provider.
    pub(crate) fn said(&self, phase: Phase, said: ProviderDiagnostic) -> Diagnostic {
        let summary = if said.summary.is_empty() { "the provider gave no reason".to_owned() } else { said.summary };
        let diagnostic = if said.error {
            Diagnostic::error(format!("{}.rejected", phase.name()), summary)
        } else {
            Diagnostic::warning(format!("{}.warning", phase.name()), summary)
        };
        self.locate(diagnostic.with_detail(said.detail), &said.path)
    }

    /// A call that failed.
    pub(crate) fn failed(&self, failure: &ProviderFailure) -> Diagnostic {
        let code = match failure.kind {
            FailureKind::Unavailable => "provider.unavailable",
            FailureKind::Crashed => "provider.crashed",
            FailureKind::TimedOut => "provider.timed_out",
            FailureKind::Limit => "provider.limit",
            FailureKind::Invalid => "provider.invalid",
            _ => "provider.cancelled",
        };
        let diagnostic = Diagnostic::error(code, format!("{}: {}", self.address, failure.message)).with_detail(failure.detail.clone());
        self.locate(diagnostic, &Path::root())
    }

    /// Something configured that should no longer be used.
    pub(crate) fn deprecated(&self, path: &Path, what: &str, reason: &str) -> Diagnostic {
        self.locate(Diagnostic::warning("plan.deprecated", format!("{}: {what}", self.address)).with_detail(reason), path)
    }

    /// What is wrong with a configured body.
    pub(crate) fn misconfigured(&self, problem: &Problem) -> Diagnostic {
        self.locate(Diagnostic::error("validate.invalid", format!("{}: {}", self.address, problem.message)), &problem.path)
    }

    /// A provider that broke the protocol.
    pub(crate) fn bug(&self, package: &str, what: &str, problems: &[Problem]) -> Diagnostic {
        let lines: Vec<String> = problems
            .iter()
            .map(|problem| if problem.path.steps().is_empty() { problem.message.clone() } else { format!("{}: {}", problem.path, problem.message) })
            .collect();
        let path = problems.first().map_or_else(Path::root, |problem| problem.path.clone());
        let diagnostic = Diagnostic::error("provider.contradiction", format!("{}: {what}", self.address))
            .with_detail(lines.join("\n"))
            .with_help(format!("this is a bug of the provider {package}; report it to its authors"));
        self.locate(diagnostic, &path)
    }

    /// The value of a reply, its diagnostics handed along; the failure where there is an error.
    pub(crate) fn taken<T>(&self, phase: Phase, called: Called<T>, diagnostics: &mut Vec<Diagnostic>) -> Result<Option<T>, Failed> {
        match called {
            Err(failure) => {
                diagnostics.push(self.failed(&failure));
                Err(Failed)
            }
            Ok(reply) => {
                let failed = reply.has_errors();
                diagnostics.extend(reply.diagnostics.into_iter().map(|said| self.said(phase, said)));
                if failed { Err(Failed) } else { Ok(reply.value) }
            }
        }
    }

    /// The value of a reply that must have one.
    pub(crate) fn required<T>(
        &self,
        package: &str,
        phase: Phase,
        what: &str,
        called: Called<T>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<T, Failed> {
        match self.taken(phase, called, diagnostics)? {
            Some(value) => Ok(value),
            None => {
                diagnostics.push(self.bug(package, &format!("the provider {what} without a result"), &[]));
                Err(Failed)
            }
        }
    }
}
