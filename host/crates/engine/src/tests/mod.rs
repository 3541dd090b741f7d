//! Plan and apply against fakes: a scripted specification, an in-memory provider, an in-memory state.

mod bench;
mod provider;
mod scripted;
mod state;

mod actions;
mod data;
mod destroy;
mod failures;
mod lifecycle;
mod moves;
mod plans;
mod providers;
mod recovery;
mod refreshes;
mod scale;
