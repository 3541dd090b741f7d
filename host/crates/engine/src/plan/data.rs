//! A plan as data: what it shows, what it rests on, and the steps that an apply takes.

use pravo_diag::{Diagnostic, SourceMap};
use pravo_model::plan::{Action, PlanDocument, Reason};
use pravo_model::provider::ProviderBinding;
use pravo_model::specification::{Input, Kind};
use pravo_model::state::{Head, InstanceRecord, Record};
use pravo_model::{Address, Value};
use serde::{Deserialize, Serialize};

use crate::stored_value;

/// A violation of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Which policy of the request, from 0: its sources are what the diagnostic points into.
    pub policy: usize,
    /// What is violated.
    pub diagnostic: Diagnostic,
}

/// A plan. What an apply takes from it is opaque: it is made by `plan` or [`Plan::decode`] only.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What is shown.
    pub document: PlanDocument,
    /// Violations of policies; a plan with one must not be applied, and `apply` refuses it. In no plan file.
    pub violations: Vec<Violation>,
    /// Addresses that cannot be planned, such as uncertain ones: the rest may be applied, but the command fails.
    pub blocked: Vec<Diagnostic>,
    /// The sources that warnings and `blocked` point into; in no plan file.
    pub sources: SourceMap,
    pub(crate) content: Content,
}

impl Plan {
    /// Whether there is no action, no move and no import.
    pub fn is_empty(&self) -> bool {
        !self.document.has_changes()
    }

    /// Whether an apply has anything to write: also edges, fingerprints, what was read and what drifted.
    pub fn records_something(&self) -> bool {
        let content = &self.content;
        !(content.steps.is_empty()
            && content.moves.is_empty()
            && content.closes.is_empty()
            && content.puts.is_empty()
            && content.removes.is_empty()
            && content.heads.is_empty()
            && content.instances.is_empty())
    }

    /// Whether it is not about the whole specification (`--target`, `--exclude`).
    pub fn is_partial(&self) -> bool {
        self.content.partial
    }

    /// Whether it deletes everything (`--destroy`).
    pub fn is_destroy(&self) -> bool {
        self.content.destroy
    }

    /// The inputs that it was made from.
    pub fn inputs(&self) -> &[Input] {
        &self.content.inputs
    }
}

/// What a plan file holds beside what is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Content {
    pub(crate) destroy: bool,
    pub(crate) partial: bool,
    pub(crate) lock: String,
    pub(crate) inputs: Vec<Input>,
    /// Derived from the key that fingerprints were made with.
    pub(crate) key: [u8; 32],
    pub(crate) basis: Basis,
    /// Records that move, old and new.
    pub(crate) moves: Vec<(Address, Address)>,
    /// Intents of a killed run that are decided.
    pub(crate) closes: Vec<(Address, Option<String>)>,
    /// Records as they were read, imported or recovered.
    pub(crate) puts: Vec<Record>,
    /// Records whose objects are gone, and data sources that left the specification.
    pub(crate) removes: Vec<Address>,
    /// Heads that differ: fingerprints, edges, read times.
    pub(crate) heads: Vec<(Address, Head)>,
    /// Configurations of provider instances that differ.
    pub(crate) instances: Vec<(Address, InstanceRecord)>,
    /// Addresses whose objects are adopted, with their ids: their records are among `puts`.
    pub(crate) imports: Vec<(Address, String)>,
    pub(crate) targets: Vec<Target>,
    pub(crate) steps: Vec<Step>,
    /// Keyed hashes of function calls and of their results: an apply must get the same.
    pub(crate) calls: Vec<([u8; 16], [u8; 16])>,
    /// Ephemerals that something reached needs.
    pub(crate) ephemerals: Vec<Address>,
}

/// What a plan rests on: it is stale where one of these changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Basis {
    /// Stamps of the records that were read or will be written.
    pub(crate) records: Vec<(Address, [u8; 16])>,
    /// Addresses without a record that will have one.
    pub(crate) absent: Vec<Address>,
    /// Stored dependents of records that are destroyed or replaced, sorted.
    pub(crate) dependents: Vec<(Address, Vec<Address>)>,
}

/// One address with an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Target {
    pub(crate) address: Address,
    pub(crate) kind: Kind,
    pub(crate) type_name: String,
    pub(crate) binding: ProviderBinding,
    pub(crate) instance: Address,
    pub(crate) action: Action,
    pub(crate) reason: Reason,
    #[serde(with = "stored_value")]
    pub(crate) after: Value,
    /// What it will depend on, sorted.
    pub(crate) dependencies: Vec<Address>,
    /// The provider's private bytes: of the plan, or of the object that is deleted.
    pub(crate) private: Vec<u8>,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Work {
    Create,
    Update,
    Delete,
    DeleteDeposed(String),
    Read,
}

/// One step of an apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Step {
    /// Index of its target.
    pub(crate) target: usize,
    pub(crate) work: Work,
    /// Indexes of the steps that must be done before.
    pub(crate) needs: Vec<usize>,
}
