//! Values, paths and diagnostics on their way across the border.
//!
//! Kept true here: what comes from a guest is decoded against the type that the schema gives it, within bounds, and texts for
//! people are made printable.

use pravo_model::provider::{ProviderDiagnostic, Reply};
use pravo_model::{Path, PathStep, Type, Value};
use pravo_model::{codec, msgpack};

use crate::bindings::types;
use crate::text::{one_line, printable};

/// The most diagnostics of one answer that are passed on.
const MAX_DIAGNOSTICS: usize = 1_000;

/// The longest summary and detail, in bytes.
const MAX_SUMMARY: usize = 4 << 10;
const MAX_DETAIL: usize = 64 << 10;

/// The longest path, in steps.
const MAX_STEPS: usize = 200;

/// Encodes a value for a guest.
///
/// # Errors
/// Where it is not of the type.
pub(crate) fn encode(value: &Value, kind: &Type) -> Result<Vec<u8>, String> {
    msgpack::encode(value, kind).map_err(|error| error.to_string())
}

/// Decodes a value from a guest.
///
/// # Errors
/// Where the bytes are not one value of the type.
pub(crate) fn decode(bytes: &[u8], kind: &Type) -> Result<Value, String> {
    // How many bytes there may be was checked when they crossed the border.
    msgpack::decode(bytes, kind, codec::Limits { bytes: bytes.len(), ..codec::Limits::default() }).map_err(|error| error.to_string())
}

/// Decodes the value of an outcome.
pub(crate) fn outcome(outcome: types::Outcome, kind: &Type) -> Result<Reply<Value>, String> {
    let value = outcome.value.map(|bytes| decode(&bytes, kind)).transpose()?;
    Ok(Reply { value, diagnostics: diagnostics(outcome.diagnostics) })
}

/// Diagnostics for people.
pub(crate) fn diagnostics(diagnostics: Vec<types::Diagnostic>) -> Vec<ProviderDiagnostic> {
    // Errors are never among what is left out.
    let (errors, warnings): (Vec<_>, Vec<_>) = if diagnostics.len() > MAX_DIAGNOSTICS {
        diagnostics.into_iter().partition(|diagnostic| diagnostic.severity == types::Severity::Error)
    } else {
        (diagnostics, Vec::new())
    };
    errors.into_iter().chain(warnings).take(MAX_DIAGNOSTICS).map(diagnostic).collect()
}

fn diagnostic(diagnostic: types::Diagnostic) -> ProviderDiagnostic {
    ProviderDiagnostic {
        error: diagnostic.severity == types::Severity::Error,
        summary: one_line(&diagnostic.summary, MAX_SUMMARY),
        detail: printable(&diagnostic.detail, MAX_DETAIL),
        path: path(diagnostic.path),
    }
}

/// A path.
pub(crate) fn path(steps: Vec<types::PathStep>) -> Path {
    let step = |step| match step {
        types::PathStep::Attribute(name) => PathStep::Attribute(name.into()),
        types::PathStep::Key(key) => PathStep::Key(key.into()),
        types::PathStep::Index(index) => PathStep::Index(index),
        types::PathStep::Element(text) => PathStep::Element(text),
    };
    Path(steps.into_iter().take(MAX_STEPS).map(step).collect())
}
