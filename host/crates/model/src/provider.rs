//! What a provider does: one trait for WebAssembly components, Terraform's binary providers and in-memory fakes.
//!
//! The vocabulary is Terraform's: *prior* is the record, *config* the configured body, *proposed* the merge of both,
//! *planned* what the provider says will be, *new* what became of it. Objects are complete: every attribute of the schema is
//! present, null where it is not set; an absent object is [`Value::Null`].

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::schema::ProviderSchema;
use crate::specification::Kind;
use crate::{Path, Value};

/// A diagnostic of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderDiagnostic {
    /// Whether the operation failed; else it is a warning.
    pub error: bool,
    /// What happened, on one line.
    pub summary: String,
    /// Why and what to do; may be empty.
    pub detail: String,
    /// The attribute that it is about; the root for the whole object.
    pub path: Path,
}

/// How a call failed other than by diagnostics of the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The provider could not be loaded or started.
    Unavailable,
    /// It crashed: a trap or a dead process.
    Crashed,
    /// It took longer than the wall-clock limit.
    TimedOut,
    /// It used more than a limit allows.
    Limit,
    /// It asked for what it was not granted, and could not go on.
    Denied,
    /// It answered nonsense: undecodable bytes, a wrong type, a wrong number of results.
    Invalid,
    /// It was cancelled by the operator.
    Cancelled,
}

/// A failed call. After it the provider's instance is gone; the next call gets a fresh one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct ProviderFailure {
    /// How it failed.
    pub kind: FailureKind,
    /// Names the provider, and the limit with its value and how to raise it where it is one.
    pub message: String,
    /// The tail of what it printed, a backtrace and the like; may be empty.
    pub detail: String,
}

/// A value with the provider's diagnostics; there may be a value beside errors (a partial result).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply<T> {
    /// The result.
    pub value: Option<T>,
    /// Errors and warnings.
    pub diagnostics: Vec<ProviderDiagnostic>,
}

impl<T> Reply<T> {
    /// A result without diagnostics.
    pub fn of(value: T) -> Self {
        Self { value: Some(value), diagnostics: Vec::new() }
    }

    /// Whether one of the diagnostics is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.error)
    }
}

/// What a call of a provider gives.
pub type Called<T> = Result<Reply<T>, ProviderFailure>;

/// What is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// The provider's own configuration.
    Provider,
    /// The body of a resource, a data source or an ephemeral.
    Body(Kind, &'a str),
}

/// A stored object in the form in which it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    /// Resource type.
    pub type_name: String,
    /// Schema version that wrote it.
    pub version: u64,
    /// The attributes as JSON, verbatim.
    pub json: Vec<u8>,
}

/// An object as it is now: the request to read it, and the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentObject {
    /// The attributes; null in an answer where the object is gone.
    pub value: Value,
    /// The provider's private bytes.
    pub private: Vec<u8>,
}

/// A request to plan one resource. `proposed` and `config` are null for a deletion, `prior` for a creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRequest {
    /// The record, as read.
    pub prior: Value,
    /// The configured body; may hold unknowns.
    pub config: Value,
    /// The merge of both.
    pub proposed: Value,
    /// The record's private bytes.
    pub private: Vec<u8>,
}

/// A planned resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedObject {
    /// What it will be; may hold unknowns.
    pub planned: Value,
    /// Attributes whose change needs a replacement.
    pub requires_replace: Vec<Path>,
    /// Private bytes for the apply.
    pub private: Vec<u8>,
}

/// A request to apply a plan of one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplyRequest {
    /// The record; null for a creation.
    pub prior: Value,
    /// The plan; null for a deletion.
    pub planned: Value,
    /// The configured body, wholly known; null for a deletion.
    pub config: Value,
    /// The plan's private bytes; for a deletion the record's.
    pub private: Vec<u8>,
}

/// An opened ephemeral.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedEphemeral {
    /// The attributes, wholly known.
    pub value: Value,
    /// Private bytes for renewing and closing.
    pub private: Vec<u8>,
    /// After how many milliseconds it wants to be renewed.
    pub renew_after: Option<u64>,
}

/// Where progress of a call goes: a text for people.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// A provider: a component, a process or a fake. All methods may be called at the same time; an implementation holds as many
/// single-threaded instances as it needs. Methods other than `schema`, `validate`, `upgrade`, `call_function` and `configure`
/// need a `configure` that succeeded before.
#[async_trait]
pub trait Provider: Send + Sync {
    /// What it offers.
    async fn schema(&self) -> Result<Arc<ProviderSchema>, ProviderFailure>;

    /// Checks a configured object (may hold unknowns).
    async fn validate(&self, subject: Subject<'_>, config: &Value) -> Called<()>;

    /// Configures it; all its instances, present and future, get this configuration.
    async fn configure(&self, config: &Value) -> Called<()>;

    /// Brings a stored object to the current schema version; also asked where the versions are equal.
    async fn upgrade(&self, stored: &StoredObject) -> Called<Value>;

    /// Reads objects of one type; as many answers as requests, in the same order. More than one only for a `bulk` type.
    async fn read(&self, type_name: &str, objects: &[CurrentObject]) -> Result<Vec<Reply<CurrentObject>>, ProviderFailure>;

    /// Plans resources of one type; as many answers as requests, in the same order. More than one only for a `bulk` type.
    async fn plan(&self, type_name: &str, requests: &[PlanRequest]) -> Result<Vec<Reply<PlannedObject>>, ProviderFailure>;

    /// Applies a plan: creates, updates or deletes. A value beside errors is a partial result, and is recorded.
    async fn apply(&self, type_name: &str, request: &ApplyRequest, progress: Progress) -> Called<CurrentObject>;

    /// Finds an existing object by its id.
    async fn import(&self, type_name: &str, id: &str) -> Called<CurrentObject>;

    /// Reads a data source.
    async fn read_data(&self, type_name: &str, config: &Value) -> Called<Value>;

    /// Opens an ephemeral.
    async fn open(&self, type_name: &str, config: &Value) -> Called<OpenedEphemeral>;

    /// Renews an ephemeral; the answer's value is unchanged and ignored.
    async fn renew(&self, type_name: &str, private: &[u8]) -> Called<OpenedEphemeral>;

    /// Closes an ephemeral.
    async fn close(&self, type_name: &str, private: &[u8]) -> Called<()>;

    /// Calls a function with arguments in the order of its parameters.
    async fn call_function(&self, name: &str, arguments: &[Value]) -> Called<Value>;

    /// Asks it to end what it does soon; advisory.
    async fn stop(&self);
}

/// Which provider an instance needs: enough to find the code and to run it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProviderBinding {
    /// The provider package, `pravo.dev/providers/<namespace>/<name>`.
    pub package: String,
    /// What the instance's `$allow` says, canonical JSON; empty for the grants of the lock file as they are.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub allow: String,
}

/// Gives providers. A provider that is never started costs nothing.
#[async_trait]
pub trait Providers: Send + Sync {
    /// The schema of a package, from the cache.
    ///
    /// # Errors
    /// Where the package is not locked or cached.
    fn schema(&self, package: &str) -> Result<Arc<ProviderSchema>, ProviderFailure>;

    /// The content hash of a package from the lock file, for fingerprints.
    fn hash(&self, package: &str) -> Result<String, ProviderFailure>;

    /// A new, unconfigured provider.
    async fn start(&self, binding: &ProviderBinding) -> Result<Arc<dyn Provider>, ProviderFailure>;
}
