//! What the state holds, and the trait of the store.
//!
//! Order of an apply, which the store makes durable step by step: intent → provider call → result → dependents. What
//! [`StateWriter::commit`] acknowledged survives a kill at any moment.

use std::time::SystemTime;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::provider::ProviderBinding;
use crate::specification::Kind;
use crate::{Address, Path};

/// Id of a transaction: every apply is one. Shown as it is; grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TransactionId(pub u64);

impl std::fmt::Display for TransactionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A keyed hash of a configured body, with the type and the provider's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub [u8; 16]);

/// Milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The present.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// What is known of the object of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// As recorded.
    #[default]
    Ready,
    /// Its creation failed half-way: the next plan replaces it.
    Tainted,
    /// A create was cut off before its answer: the object may exist.
    Uncertain,
}

/// What a plan without changes needs of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Of the body that was applied last; `None` where it must be compared by the provider.
    pub fingerprint: Option<Fingerprint>,
    /// When it was last read or written.
    pub read_at: Timestamp,
    /// Status.
    pub status: Status,
    /// Resource or data source.
    pub kind: Kind,
    /// Whether it has deposed objects.
    pub has_deposed: bool,
    /// Direct dependencies, sorted.
    pub dependencies: Vec<Address>,
}

/// An object of a provider as the state holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// The attributes as JSON of the schema version below.
    #[serde(with = "serde_bytes_text")]
    pub attributes: Vec<u8>,
    /// Schema version that wrote them.
    pub schema_version: u64,
    /// The provider's private bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub private: Vec<u8>,
    /// Paths that must not be shown (beside what the schema marks).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive: Vec<Path>,
}

/// JSON text kept verbatim as bytes.
mod serde_bytes_text {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(bytes).map_err(serde::ser::Error::custom)?)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        Ok(String::deserialize(deserializer)?.into_bytes())
    }
}

/// A previous object that a failed replacement left behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deposed {
    /// Eight hexadecimal digits.
    pub key: String,
    /// The object.
    pub object: Object,
}

/// All that the state holds of one resource or data source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its address.
    pub address: Address,
    /// Type in the provider's schema.
    pub type_name: String,
    /// What a plan without changes needs.
    pub head: Head,
    /// Which provider it belongs to.
    pub binding: ProviderBinding,
    /// Address of the provider instance.
    pub instance: Address,
    /// The object; `None` where only deposed ones or an uncertain create are left.
    pub object: Option<Object>,
    /// Previous objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deposed: Vec<Deposed>,
    /// `create_before_destroy` as it was applied last.
    #[serde(default)]
    pub create_before_destroy: bool,
    /// The transaction that wrote it last.
    pub transaction: TransactionId,
}

/// The last configuration of a provider instance, so that it and its resources can leave the specification together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstanceRecord {
    /// Which provider it is.
    pub binding: ProviderBinding,
    /// The attributes that were set, as JSON, without ephemeral values.
    pub config: String,
    /// Paths that must not be shown.
    pub sensitive: Vec<Path>,
    /// Resources that the configuration read.
    pub dependencies: Vec<Address>,
}

/// What is about to be done with an object: written before the provider is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentAction {
    /// A create; also the create half of a replacement.
    Create,
    /// An update in place.
    Update,
    /// A delete of the current object.
    Delete,
    /// A delete of a deposed object.
    DeleteDeposed,
}

/// An open intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// The address.
    pub address: Address,
    /// What is about to be done.
    pub action: IntentAction,
    /// Key of the deposed object that it is about.
    #[serde(default)]
    pub deposed: Option<String>,
    /// The record that a create will belong to: type, binding, dependencies; its object holds the planned identity where the plan knows it.
    pub record: Option<Box<Record>>,
    /// The transaction.
    pub transaction: TransactionId,
}

/// One change of the state. All changes of a commit become durable together or not at all.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Writes a record (its transaction is set by the store) and closes no intent.
    Put(Box<Record>),
    /// Removes a record.
    Remove(Address),
    /// Moves a record, its history and the edges that name it.
    Move {
        /// Old address.
        from: Address,
        /// New address.
        to: Address,
    },
    /// Replaces the head of a record and leaves its object (and `has_deposed`); not a change of the resource, and in no history. Nothing
    /// where there is no record.
    Head(Address, Box<Head>),
    /// Opens an intent.
    Open(Box<Intent>),
    /// Closes the intent of an address: that of the deposed object with a key where one is given, else that of the object itself.
    Close(Address, Option<String>),
    /// Writes the configuration of a provider instance.
    PutInstance(Address, Box<InstanceRecord>),
    /// Removes it.
    RemoveInstance(Address),
}

/// What a transaction did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransactionRecord {
    /// Its id.
    pub id: u64,
    /// The command.
    pub command: String,
    /// When it began.
    pub begun: u64,
    /// When it ended; `None` where it was cut off or still runs.
    pub ended: Option<u64>,
    /// Counts of what was done.
    #[serde(default)]
    pub added: u64,
    /// Updates.
    #[serde(default)]
    pub changed: u64,
    /// Deletions.
    #[serde(default)]
    pub destroyed: u64,
    /// Imports.
    #[serde(default)]
    pub imported: u64,
    /// Failures.
    #[serde(default)]
    pub failed: u64,
}

/// One entry of an address's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The transaction.
    pub transaction: TransactionId,
    /// The address.
    pub address: Address,
    /// The record after it; `None` where it was removed.
    pub record: Option<Record>,
}

/// An error of the store, with what to do.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StateError {
    /// What kind of error it is.
    pub kind: StateErrorKind,
    /// What happened, with the path of the file.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

/// Kinds of errors of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateErrorKind {
    /// Another process holds the lock.
    Locked,
    /// The file is damaged, truncated or not a state.
    Damaged,
    /// A newer pravo wrote it.
    Newer,
    /// The operating system refused: disk full, read-only, missing directory.
    System,
}

/// A consistent view of the state at one moment. Never blocks on a writer.
pub trait StateView: Send + Sync {
    /// Key of the fingerprints of this state; random, made with the file.
    fn key(&self) -> [u8; 32];
    /// The last transaction, if any.
    fn last_transaction(&self) -> Result<Option<TransactionRecord>, StateError>;
    /// Heads of all records in the order of their texts. Cost does not depend on the size of records.
    fn heads(&self) -> Result<Vec<(Address, Head)>, StateError>;
    /// One record.
    fn record(&self, address: &Address) -> Result<Option<Record>, StateError>;
    /// All records.
    fn records(&self) -> Result<Vec<Record>, StateError>;
    /// Addresses with a stored edge to this one, sorted.
    fn dependents(&self, address: &Address) -> Result<Vec<Address>, StateError>;
    /// Open intents.
    fn intents(&self) -> Result<Vec<Intent>, StateError>;
    /// Last configurations of provider instances.
    fn instances(&self) -> Result<Vec<(Address, InstanceRecord)>, StateError>;
    /// All transactions, oldest first.
    fn transactions(&self) -> Result<Vec<TransactionRecord>, StateError>;
    /// What transactions after `after` up to and including `until` wrote, in order.
    fn history(&self, after: TransactionId, until: TransactionId) -> Result<Vec<HistoryEntry>, StateError>;
    /// One record as it was after a transaction.
    fn record_at(&self, address: &Address, transaction: TransactionId) -> Result<Option<Record>, StateError>;
}

/// The one writer of a state, in a transaction of its own.
#[async_trait]
pub trait StateWriter: Send + Sync {
    /// The id of this transaction.
    fn transaction(&self) -> TransactionId;
    /// Makes changes durable; resolves when they are. Calls at the same time share a commit.
    async fn commit(&self, changes: Vec<Change>) -> Result<(), StateError>;
    /// Number of durable commits so far, for benchmarks.
    fn commits(&self) -> u64;
    /// Ends the transaction with its counts and lets the lock go.
    async fn finish(&self, outcome: TransactionRecord) -> Result<(), StateError>;
}

/// The store.
pub trait StateStore: Send + Sync {
    /// A view; of an empty state where there is no file yet (which is not made).
    fn view(&self) -> Result<Box<dyn StateView>, StateError>;
    /// Takes the lock and begins a transaction; makes the file (mode 0600) where there is none.
    fn write(&self, command: &str) -> Result<Box<dyn StateWriter>, StateError>;
}
