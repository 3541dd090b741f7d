//! What the integration tests share.

pub mod guest;
pub mod links;
pub mod page;
pub mod sandbox;
