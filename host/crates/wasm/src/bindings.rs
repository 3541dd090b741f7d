//! The generated bindings of the world `pravo:provider@0.1.0`.
//!
//! One module for each released version of the world; the capabilities are enforced beneath them, in [`crate::files`] and
//! [`crate::guest`], so that no version can forget one.
#![allow(missing_docs, clippy::all, clippy::pedantic)]

wasmtime::component::bindgen!({
    path: "../../../wit/provider/v0_1",
    world: "provider-world",
    imports: {
        "pravo:provider/host": trappable,
        "pravo:provider/files.root": trappable,
        default: async | trappable,
    },
    exports: { default: async },
});

pub(crate) use exports::pravo::provider::provider;
pub(crate) use pravo::provider::{files, host, types};
