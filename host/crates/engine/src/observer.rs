//! What a run tells while it goes on: events as data, in the order in which they happen.
//!
//! Kept true here: the engine prints nothing, and every line of a run can be made from one event. Deliberately
//! absent: wording, colours, and what goes to which stream.

use std::time::Duration;

use pravo_diag::Diagnostic;
use pravo_model::Address;
use serde::{Deserialize, Serialize};

/// What is being done with an object during an apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// A create, also the second half of a replacement that destroys first.
    Create,
    /// An update in place.
    Update,
    /// A delete, also the first half of a replacement that destroys first.
    Delete,
    /// The first half of a replacement that creates first.
    CreateReplacement,
    /// The second half of a replacement that creates first.
    DeletePrevious,
    /// A delete of an object that a failed replacement left behind.
    DeleteDeposed,
    /// The read of a data source.
    Read,
    /// The adoption of an existing object.
    Import,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// A record is about to be read: `pet: Refreshing state... [id=…]`.
    Refreshing {
        /// The resource.
        address: Address,
        /// Its id, where it has one that may be shown.
        id: Option<String>,
    },
    /// A data source is about to be read by a plan.
    Reading {
        /// The data source.
        address: Address,
    },
    /// An operation begins: `pet: Creating...`, `pet: Modifying... [id=…]`.
    Started {
        /// The resource.
        address: Address,
        /// What is done.
        operation: Operation,
        /// Its id, where it has one that may be shown.
        id: Option<String>,
    },
    /// An operation takes long: every ten seconds. `pet: Still creating... [10s elapsed]`.
    Still {
        /// The resource.
        address: Address,
        /// What is done.
        operation: Operation,
        /// Since it began.
        #[serde(serialize_with = "milliseconds")]
        elapsed: Duration,
    },
    /// An operation is done and durable. After [`Operation::CreateReplacement`] nothing is printed:
    /// [`Operation::DeletePrevious`] completes the replacement (`Replacement complete after 0s [id=…]`), with the time since the
    /// replacement began and the id of the new object.
    Completed {
        /// The resource.
        address: Address,
        /// What was done.
        operation: Operation,
        /// Since it began.
        #[serde(serialize_with = "milliseconds")]
        elapsed: Duration,
        /// The id of the object, where it has one that may be shown.
        id: Option<String>,
    },
    /// A provider says how far it is.
    Progress {
        /// The resource.
        address: Address,
        /// A text for people.
        message: String,
    },
    /// An operation failed. The same diagnostics are in the result of the run.
    Failed {
        /// The resource.
        address: Address,
        /// Why.
        diagnostics: Vec<Diagnostic>,
    },
    /// A resource is left alone, because something that it depends on failed.
    Skipped {
        /// The resource.
        address: Address,
        /// What failed.
        because: Address,
    },
    /// A warning of a provider or of the engine during an apply; those of a plan are in its document.
    Warning {
        /// The warning.
        diagnostic: Box<Diagnostic>,
    },
    /// The operator asked for the end: nothing new is started, what is in flight is waited for.
    Stopping,
}

fn milliseconds<S: serde::Serializer>(elapsed: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
}

/// Where events go. Called from several tasks; must not block for long.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn event(&self, event: RunEvent);
}

/// Ignores every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _event: RunEvent) {}
}
