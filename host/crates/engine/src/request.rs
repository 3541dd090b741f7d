//! What the entry points take and give.

use std::sync::Arc;

use pravo_diag::{Diagnostic, SourceMap};
use pravo_model::policy::Policy;
use pravo_model::provider::Providers;
use pravo_model::specification::Specification;
use pravo_model::state::{StateView, StateWriter, Timestamp, TransactionRecord};
use pravo_model::{Address, plan::Drift};

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::plan::Plan;

/// Begins conversations with one specification. A plan is one conversation (more where targets are given or ephemerals turn out
/// to be needed), the apply another: each sees the same files.
pub trait Conversations: Send + Sync {
    /// A new conversation, in which nothing is answered yet.
    ///
    /// # Errors
    /// Where the specification cannot even be begun.
    fn begin(&self) -> Result<Box<dyn Specification + '_>, Failure>;
}

impl<F> Conversations for F
where
    F: Fn() -> Result<Box<dyn Specification>, Failure> + Send + Sync,
{
    fn begin(&self) -> Result<Box<dyn Specification + '_>, Failure> {
        self()
    }
}

/// `-refresh=…`: overrides refresh ages for one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refresh {
    /// As the ages say.
    #[default]
    Aged,
    /// Every record older than its age, reached or not.
    Expired,
    /// Every record.
    All,
    /// None.
    Off,
}

/// What a plan is asked for.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// Which records are read.
    pub refresh: Refresh,
    /// Whether everything is to be deleted.
    pub destroy: bool,
    /// `--target`: nothing else is planned but what these need.
    pub targets: Vec<Address>,
    /// `--exclude`: these and what needs them are left out.
    pub excludes: Vec<Address>,
    /// `--replace`.
    pub replace: Vec<Address>,
    /// `--retry`.
    pub retry: Vec<Address>,
    /// Hash of the lock file: a saved plan is stale where it differs.
    pub lock: String,
    /// The present, to which ages are measured.
    pub now: Timestamp,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            refresh: Refresh::default(),
            destroy: false,
            targets: Vec::new(),
            excludes: Vec::new(),
            replace: Vec::new(),
            retry: Vec::new(),
            lock: String::new(),
            now: Timestamp::now(),
        }
    }
}

/// What `plan` needs.
pub struct PlanRequest<'a> {
    /// The specification.
    pub conversations: &'a dyn Conversations,
    /// The providers.
    pub providers: Arc<dyn Providers>,
    /// The state; nothing is written.
    pub state: &'a dyn StateView,
    /// What is asked for.
    pub options: PlanOptions,
    /// Policies that may refuse the plan.
    pub policies: &'a [Arc<dyn Policy>],
    /// Where events go.
    pub observer: Arc<dyn Observer>,
    /// The operator's wish to end it.
    pub interrupt: Interrupt,
}

/// What `apply` needs. The writer is taken (and with it the lock) before the view, so that nothing changes in between.
pub struct ApplyRequest<'a> {
    /// The plan; fresh or from a file, it is checked against the state all the same.
    pub plan: &'a Plan,
    /// The specification.
    pub conversations: &'a dyn Conversations,
    /// The providers.
    pub providers: Arc<dyn Providers>,
    /// The state as it is under the lock.
    pub state: &'a dyn StateView,
    /// The transaction. It is finished by the apply, also where it fails.
    pub writer: Arc<dyn StateWriter>,
    /// The command, for the log of transactions.
    pub command: String,
    /// Hash of the lock file.
    pub lock: String,
    /// Where events go.
    pub observer: Arc<dyn Observer>,
    /// The operator's wish to end it.
    pub interrupt: Interrupt,
}

/// What an apply did.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// The transaction with its counts: what was done, not what was planned.
    pub transaction: TransactionRecord,
    /// Every error, in the order in which they happened; where there is one, the command fails.
    pub errors: Vec<Diagnostic>,
    /// The sources that the errors point into.
    pub sources: SourceMap,
    /// What failed, sorted.
    pub failed: Vec<Address>,
    /// What was left alone because something that it depends on failed or the operator ended the run, sorted.
    pub skipped: Vec<Address>,
    /// Whether the operator ended it.
    pub interrupted: bool,
}

impl Applied {
    /// Whether everything was done.
    pub fn is_complete(&self) -> bool {
        self.errors.is_empty() && self.skipped.is_empty() && !self.interrupted
    }
}

/// What `drift` needs.
pub struct DriftRequest<'a> {
    /// The specification: it has the configurations of the providers.
    pub conversations: &'a dyn Conversations,
    /// The providers.
    pub providers: Arc<dyn Providers>,
    /// The state.
    pub state: &'a dyn StateView,
    /// Where what differs is recorded (`--accept`), if it is.
    pub accept: Option<Arc<dyn StateWriter>>,
    /// The command, for the log of transactions.
    pub command: String,
    /// Where events go.
    pub observer: Arc<dyn Observer>,
    /// The operator's wish to end it.
    pub interrupt: Interrupt,
}

/// What differs from the records.
#[derive(Clone, Debug, Default)]
pub struct DriftReport {
    /// By address.
    pub drift: Vec<Drift>,
    /// Number of records that were read.
    pub read: u64,
    /// Reads that failed.
    pub errors: Vec<Diagnostic>,
    /// Warnings of providers.
    pub warnings: Vec<Diagnostic>,
    /// The sources that the diagnostics point into.
    pub sources: SourceMap,
    /// The transaction, where it was accepted.
    pub transaction: Option<TransactionRecord>,
}

/// Where the values of computed attributes come from when a specification is evaluated without a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// From the records: `output`, `console`.
    Records,
    /// Nothing is known: `validate`.
    Nothing,
}

/// Which plain fields are read after an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// None: only what resources need is evaluated.
    Nothing,
    /// The value at a CUE path.
    Path(String),
    /// All of them.
    All,
}

/// What `evaluate` needs.
pub struct EvaluateRequest<'a> {
    /// The specification.
    pub conversations: &'a dyn Conversations,
    /// The providers; started for function calls only.
    pub providers: Arc<dyn Providers>,
    /// The state.
    pub state: &'a dyn StateView,
    /// What is known.
    pub known: Known,
    /// What is read afterwards.
    pub wanted: Wanted,
}
