//! How a call failed, in words for people.
//!
//! Every message names the provider and what it was doing; a limit comes with its value and how to raise it, a refusal with the
//! grant that would allow it, a crash with the end of what the guest printed.

use std::fmt;

use pravo_model::capability::Capability;
use pravo_model::provider::{FailureKind, ProviderFailure};
use wasmtime::Trap;
use wasmtime_wasi::I32Exit;
use wasmtime_wasi::ResourceTableError;

use crate::guest::{Guest, Shared};
use crate::limits::{Exceeded, Limit};
use crate::text::{one_line, printable, printable_end};

/// The longest detail, in bytes.
const MAX_DETAIL: usize = 32 << 10;

/// Something that the guest was not granted and cannot go on without.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) struct Denied {
    /// What it did.
    pub(crate) what: &'static str,
    /// What would allow it.
    pub(crate) capability: Capability,
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it {}, which it was not granted; allow it with {}", self.what, self.capability.allow_text())
    }
}

/// A provider that does not take its configuration, or never got one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refused(pub(crate) String);

/// Makes the failure of a call out of what ended it.
pub(crate) fn failure(operation: &str, error: &wasmtime::Error, guest: &Guest) -> ProviderFailure {
    let shared = &guest.shared;
    let (kind, what) = classify(error, guest);
    let printed = printable_end(guest.output.take().trim_end(), MAX_DETAIL);
    // The causes, with the guest's backtrace among them, and without the host's.
    let causes: Vec<_> = error.chain().map(|cause| cause.to_string()).collect();
    let trace = printable(causes.join("\n").trim_end(), MAX_DETAIL);
    let detail = if printed.is_empty() { trace } else { format!("it printed at last:\n{printed}\n\n{trace}") };
    ProviderFailure { kind, message: message(shared, operation, &what), detail }
}

/// A failure that is not of the guest's making, or without a guest.
pub(crate) fn plain(shared: &Shared, operation: &str, kind: FailureKind, what: &str) -> ProviderFailure {
    ProviderFailure { kind, message: message(shared, operation, what), detail: String::new() }
}

/// An answer that makes no sense.
pub(crate) fn invalid(shared: &Shared, operation: &str, what: &str) -> ProviderFailure {
    let what = format!("it gave an invalid answer: {}; this is a bug of the provider", one_line(what, 2_000));
    plain(shared, operation, FailureKind::Invalid, &what)
}

/// A limit that was exceeded.
pub(crate) fn limit(shared: &Shared, operation: &str, limit: Limit) -> ProviderFailure {
    let kind = if limit == Limit::WallClock { FailureKind::TimedOut } else { FailureKind::Limit };
    plain(shared, operation, kind, &shared.limits.exceeded(limit).to_string())
}

fn message(shared: &Shared, operation: &str, what: &str) -> String {
    format!("the provider {} failed to {operation}: {what}", shared.name)
}

fn classify(error: &wasmtime::Error, guest: &Guest) -> (FailureKind, String) {
    let limited = |limit: Limit| (FailureKind::Limit, guest.shared.limits.exceeded(limit).to_string());
    if let Some(exceeded) = error.downcast_ref::<Exceeded>() {
        return (FailureKind::Limit, exceeded.to_string());
    }
    if let Some(denied) = error.downcast_ref::<Denied>() {
        return (FailureKind::Denied, denied.to_string());
    }
    if let Some(Refused(reason)) = error.downcast_ref::<Refused>() {
        return (FailureKind::Unavailable, one_line(reason, 2_000));
    }
    if matches!(error.downcast_ref::<Trap>(), Some(Trap::StackOverflow)) {
        return limited(Limit::Stack);
    }
    if matches!(error.downcast_ref::<ResourceTableError>(), Some(ResourceTableError::Full)) {
        return limited(Limit::Handles);
    }
    // wasmtime gives these two no type of their own; the tests trip both, so that another wording is noticed.
    let root = error.root_cause().to_string();
    if root.contains("fuel allocated for hostcalls") {
        return limited(Limit::Transfer);
    }
    if root.contains("store handle limit exceeded") {
        return limited(Limit::Handles);
    }
    if guest.memory.refused {
        return limited(Limit::Memory);
    }
    if let Some(I32Exit(status)) = error.downcast_ref::<I32Exit>() {
        return (FailureKind::Crashed, format!("it ended itself with status {status}; this is a bug of the provider"));
    }
    (FailureKind::Crashed, format!("it crashed ({}); this is a bug of the provider", one_line(&root, 500)))
}
