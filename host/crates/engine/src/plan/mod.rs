//! Planning.

mod data;
mod file;

pub use data::{Plan, Violation};
pub use file::PlanFileError;
