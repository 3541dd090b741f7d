//! What crosses pravo's borders: values, types, schemas, addresses, plans, records and the traits between the parts.
//!
//! Kept true here: everything is plain data or an object-safe trait; whatever comes from outside is decoded with bounds
//! on size, depth and count. Deliberately absent: input and output, CUE, wasmtime, gRPC, redb. The crate builds for
//! `wasm32-wasip2` too, since the provider SDK shares the values and the codec.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

pub mod address;
pub mod capability;
pub mod codec;
pub mod json;
pub mod msgpack;
pub mod number;
pub mod path;
pub mod plan;
pub mod policy;
pub mod provider;
pub mod refresh;
pub mod schema;
pub mod specification;
pub mod state;
pub mod types;
pub mod value;

pub use address::{Address, AddressError, Segment};
pub use number::Number;
pub use path::{Path, PathStep};
pub use refresh::RefreshAge;
pub use types::Type;
pub use value::{Name, Value};
