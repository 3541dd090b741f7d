//! A plan as data: what was found and what will be done.

use serde::{Deserialize, Serialize};

use crate::specification::Kind;
use crate::{Address, Path, Value};

/// What is done with one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Nothing.
    NoOp,
    /// Create it.
    Create,
    /// Read a data source during the apply.
    Read,
    /// Change it in place.
    Update,
    /// Delete, then create.
    DeleteThenCreate,
    /// Create, then delete.
    CreateThenDelete,
    /// Delete it.
    Delete,
    /// Delete a deposed object.
    DeleteDeposed,
    /// Forget the record, leave the object.
    Forget,
}

impl Action {
    /// Whether it is a replacement.
    pub fn is_replace(self) -> bool {
        matches!(self, Action::DeleteThenCreate | Action::CreateThenDelete)
    }
}

/// Why something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Its configuration differs from the record.
    Configuration,
    /// It has no record.
    New,
    /// It left the specification.
    LeftSpecification,
    /// Its creation failed half-way.
    Tainted,
    /// It was named by `--replace`.
    Requested,
    /// Something that it depends on has an action.
    Dependency,
    /// The object differs from its record.
    Drift,
    /// `--destroy` was given.
    Destroy,
    /// A failed replacement left it.
    Deposed,
    /// A data source with unknown inputs or dependencies with actions.
    Deferred,
    /// The configuration of its provider is not known.
    ProviderUnknown,
    /// A create was cut off and `--retry` was given.
    Retry,
}

/// The change of one resource, as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceChange {
    /// Its address.
    pub address: Address,
    /// The address that its record had, where it moves.
    pub previous: Option<Address>,
    /// What it is.
    pub kind: Kind,
    /// Its type.
    pub type_name: String,
    /// The provider package.
    pub provider: String,
    /// What is done.
    pub action: Action,
    /// Why.
    pub reason: Reason,
    /// The id that it is imported by.
    pub import: Option<String>,
    /// Key of the deposed object that it is about.
    pub deposed: Option<String>,
    /// Attributes before; null where there is none.
    pub before: Value,
    /// Attributes after; null where there is none, unknowns where they are known after the apply.
    pub after: Value,
    /// Attributes that force the replacement.
    pub replace_paths: Vec<Path>,
    /// Paths that must not be shown, before or after.
    pub sensitive: Vec<Path>,
}

/// What a read showed to differ from the record.
#[derive(Clone, Debug, PartialEq)]
pub struct Drift {
    /// Its address.
    pub address: Address,
    /// Its type.
    pub type_name: String,
    /// The record.
    pub before: Value,
    /// What is there; null where it is gone.
    pub after: Value,
    /// Paths that must not be shown.
    pub sensitive: Vec<Path>,
}

/// The numbers of the `Graph:` line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphCounts {
    /// P: reached.
    pub planned: u64,
    /// N: addresses in the specification or the state, ephemerals not.
    pub total: u64,
    /// R: records read in this run.
    pub refreshed: u64,
    /// W: due by reach but young enough.
    pub within_age: u64,
    /// K: records not read because nothing reached them.
    pub not_read: u64,
}

impl GraphCounts {
    /// U: unchanged and skipped.
    pub fn unchanged(&self) -> u64 {
        self.total.saturating_sub(self.planned)
    }
}

impl std::fmt::Display for GraphCounts {
    /// `planned P of N[, U unchanged and skipped][, R refreshed][, W within refresh age][, K not read].`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "planned {} of {}", self.planned, self.total)?;
        let parts = [
            (self.unchanged(), "unchanged and skipped"),
            (self.refreshed, "refreshed"),
            (self.within_age, "within refresh age"),
            (self.not_read, "not read"),
        ];
        for (count, name) in parts.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, ", {count} {name}")?;
        }
        f.write_str(".")
    }
}

/// The numbers of the `Plan:` line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// To add.
    pub add: u64,
    /// To change.
    pub change: u64,
    /// To destroy.
    pub destroy: u64,
    /// To import.
    pub import: u64,
}

/// What a plan shows. The order is by address.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanDocument {
    /// Everything reached that has an action, a move or an import, by address.
    pub changes: Vec<ResourceChange>,
    /// What changed outside, by address.
    pub drift: Vec<Drift>,
    /// Counts.
    pub graph: GraphCounts,
    /// Counts.
    pub summary: Summary,
    /// Warnings.
    pub warnings: Vec<pravo_diag::Diagnostic>,
}

impl PlanDocument {
    /// Whether there is an action, a move or an import: `--detailed-exitcode` 2.
    pub fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graph_line_leaves_zeros_out() {
        let counts = GraphCounts { planned: 2, total: 2, refreshed: 1, within_age: 1, not_read: 0 };
        assert_eq!(counts.to_string(), "planned 2 of 2, 1 refreshed, 1 within refresh age.");
        let counts = GraphCounts { planned: 0, total: 2, refreshed: 0, within_age: 0, not_read: 2 };
        assert_eq!(counts.to_string(), "planned 0 of 2, 2 unchanged and skipped, 2 not read.");
        assert_eq!(GraphCounts::default().to_string(), "planned 0 of 0.");
    }
}
