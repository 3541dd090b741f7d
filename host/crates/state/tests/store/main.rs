//! Tests of the store through its public border.

mod crash;
mod files;
mod laws;
mod sharing;
mod support;
