//! What the integration tests share.

pub mod links;
pub mod page;
pub mod sandbox;
