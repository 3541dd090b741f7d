//! What the host offers beside files. In native tests a log line goes to standard error, and nobody asks to stop.

/// How important a log line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Every step.
    Trace,
    /// For the provider's author.
    Debug,
    /// For who runs it.
    Info,
    /// Something is odd.
    Warn,
    /// Something failed.
    Error,
}

/// Writes a line to the host's log.
pub fn log(level: Level, message: &str) {
    #[cfg(target_arch = "wasm32")]
    {
        use crate::guest::bindings::pravo::provider::host;
        let level = match level {
            Level::Trace => host::Level::Trace,
            Level::Debug => host::Level::Debug,
            Level::Info => host::Level::Info,
            Level::Warn => host::Level::Warn,
            Level::Error => host::Level::Error,
        };
        host::log(level, message);
    }
    #[cfg(not(target_arch = "wasm32"))]
    eprintln!("{level:?}: {message}");
}

/// Tells people how far the running operation is.
pub fn progress(message: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::guest::bindings::pravo::provider::host::progress(message);
    #[cfg(not(target_arch = "wasm32"))]
    eprintln!("{message}");
}

/// Whether the operator asked to end what is done soon.
pub fn stopping() -> bool {
    #[cfg(target_arch = "wasm32")]
    return crate::guest::bindings::pravo::provider::host::stopping();
    #[cfg(not(target_arch = "wasm32"))]
    false
}
