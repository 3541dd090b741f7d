//! What people read: diffs, plans, the lines of a run, diagnostics, JSON documents.
//!
//! Kept true here: rendering takes data and gives text; only the terminal and the commands write to streams. Texts of providers
//! and files are escaped where they could move the cursor.

pub mod diff;
pub mod document;
pub mod json;
pub mod marks;
pub mod paint;
pub mod plan;
pub mod run;
pub mod sensitive;
pub mod text;
pub mod time;
pub mod value;
