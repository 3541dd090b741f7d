//! Plan and apply against fakes: a scripted specification, an in-memory provider, an in-memory state.

mod bench;
mod provider;
mod scripted;
mod state;

mod actions;
