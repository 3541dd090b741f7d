//! Plan and apply.
//!
//! Kept true here: a plan writes nothing, and an apply makes each step durable before the next one that depends on it starts.
//! What is not reached is sent to no provider, and a provider none of whose resources is reached or due is not started.
//! Everything is done over the traits of the model: this crate knows no CUE, no WebAssembly, no redb, prints nothing and
//! touches no file.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::result_large_err, reason = "a diagnostic is built once, where a run ends")]

mod apply;
mod bulk;
mod calls;
mod check;
mod compatible;
mod deprecated;
mod diagnose;
mod drift;
mod ephemerals;
mod evaluate;
mod failure;
mod fingerprint;
mod functions;
mod ignore;
mod instances;
mod interrupt;
mod observer;
mod plan;
mod pool;
mod proposed;
mod record;
mod replacing;
mod request;
mod shape;
mod stored_value;
mod subject;
mod survey;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod validity;

pub use apply::apply;
pub use drift::drift;
pub use evaluate::evaluate;
pub use failure::{Failure, state_diagnostic};
pub use interrupt::Interrupt;
pub use observer::{Observer, Operation, RunEvent, Silent};
pub use plan::{Plan, PlanFileError, Violation, plan};
pub use request::{
    Applied, ApplyRequest, Conversations, DriftReport, DriftRequest, EvaluateRequest, Known, PlanOptions, PlanRequest, Refresh, Wanted,
};
