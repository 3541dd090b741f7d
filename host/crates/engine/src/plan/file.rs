//! Plan files: a version, then the plan. Only this version of the format is read: a plan is made and applied by one pravo.

use pravo_diag::Diagnostic;
use pravo_model::plan::{Action, Drift, GraphCounts, PlanDocument, Reason, ResourceChange, Summary};
use pravo_model::specification::Kind;
use pravo_model::{Address, Path, Value};
use serde::{Deserialize, Serialize};

use super::data::{Content, Plan};
use crate::stored_value;

const MAGIC: &[u8] = b"pravo plan 1\n";

/// Why a plan file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanFileError {
    /// It does not begin as one.
    #[error("it is not a plan file of this version of pravo; make a new one with pravo plan --out")]
    Foreign,
    /// It begins as one, but its contents are damaged.
    #[error("the plan file is damaged ({0}); make a new one with pravo plan --out")]
    Damaged(String),
}

#[derive(Serialize, Deserialize)]
struct File {
    changes: Vec<StoredChange>,
    drift: Vec<StoredDrift>,
    graph: GraphCounts,
    summary: Summary,
    blocked: Vec<Diagnostic>,
    content: Content,
}

#[derive(Serialize, Deserialize)]
struct StoredChange {
    address: Address,
    previous: Option<Address>,
    kind: Kind,
    type_name: String,
    provider: String,
    action: Action,
    reason: Reason,
    import: Option<String>,
    deposed: Option<String>,
    #[serde(with = "stored_value")]
    before: Value,
    #[serde(with = "stored_value")]
    after: Value,
    replace_paths: Vec<Path>,
    sensitive: Vec<Path>,
}

#[derive(Serialize, Deserialize)]
struct StoredDrift {
    address: Address,
    type_name: String,
    #[serde(with = "stored_value")]
    before: Value,
    #[serde(with = "stored_value")]
    after: Value,
    sensitive: Vec<Path>,
}

impl From<ResourceChange> for StoredChange {
    fn from(change: ResourceChange) -> Self {
        let ResourceChange { address, previous, kind, type_name, provider, action, reason, import, deposed, before, after, replace_paths, sensitive } =
            change;
        Self { address, previous, kind, type_name, provider, action, reason, import, deposed, before, after, replace_paths, sensitive }
    }
}

impl From<StoredChange> for ResourceChange {
    fn from(change: StoredChange) -> Self {
        let StoredChange { address, previous, kind, type_name, provider, action, reason, import, deposed, before, after, replace_paths, sensitive } =
            change;
        Self { address, previous, kind, type_name, provider, action, reason, import, deposed, before, after, replace_paths, sensitive }
    }
}

impl Plan {
    /// The bytes of a plan file. It may hold secrets: whoever writes it lets nobody else read it (mode 0600).
    ///
    /// # Errors
    /// Where a value is nested too deeply to be written.
    pub fn encode(&self) -> Result<Vec<u8>, PlanFileError> {
        let document = self.document.clone();
        let drift = document.drift.into_iter().map(|Drift { address, type_name, before, after, sensitive }| StoredDrift {
            address,
            type_name,
            before,
            after,
            sensitive,
        });
        let file = File {
            changes: document.changes.into_iter().map(StoredChange::from).collect(),
            drift: drift.collect(),
            graph: document.graph,
            summary: document.summary,
            blocked: self.blocked.clone(),
            content: self.content.clone(),
        };
        let mut bytes = MAGIC.to_vec();
        rmp_serde::encode::write_named(&mut bytes, &file).map_err(|error| PlanFileError::Damaged(error.to_string()))?;
        Ok(bytes)
    }

    /// Reads a plan file.
    ///
    /// # Errors
    /// Where it is foreign or damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, PlanFileError> {
        let bytes = bytes.strip_prefix(MAGIC).ok_or(PlanFileError::Foreign)?;
        let file: File = rmp_serde::from_slice(bytes).map_err(|error| PlanFileError::Damaged(error.to_string()))?;
        let steps = file.content.steps.len();
        let fits = |index: &usize| *index < steps;
        if !file.content.steps.iter().all(|step| step.target < file.content.targets.len() && step.needs.iter().all(fits)) {
            return Err(PlanFileError::Damaged("a step names what is not there".to_owned()));
        }
        let drift = file.drift.into_iter().map(|StoredDrift { address, type_name, before, after, sensitive }| Drift {
            address,
            type_name,
            before,
            after,
            sensitive,
        });
        let document = PlanDocument {
            changes: file.changes.into_iter().map(ResourceChange::from).collect(),
            drift: drift.collect(),
            graph: file.graph,
            summary: file.summary,
            warnings: Vec::new(),
        };
        Ok(Self { document, blocked: file.blocked, content: file.content, ..Self::default() })
    }
}
