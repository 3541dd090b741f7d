//! The one integration binary.

mod crate_edges;
mod pages;
