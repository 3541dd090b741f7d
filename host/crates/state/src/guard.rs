//! Panics inside the database, which damaged pages can cause, become errors.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::error::Failure;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs something on foreign bytes; a panic is an error, and is not printed.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |information| {
            if !GUARDED.get() {
                previous(information);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    // What the closure works on is dropped by every caller after a failure.
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(outer);
    result.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned()).or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Failure::Panic(text.unwrap_or_else(|| "no message".to_owned()).chars().take(300).collect()))
    })
}
