//! Derive macros of the provider SDK.
