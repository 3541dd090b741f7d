//! Plan and apply.
