//! The host interface: log lines, progress, and whether to stop.
//!
//! Kept true here: what is passed on is one line of bounded length without control characters; a call that writes more than the
//! log limit fails, and lines that come faster than the rate are counted and left out.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::bindings::host::{Host, Level};
use crate::bindings::types;
use crate::guest::Guest;
use crate::limits::Limit;
use crate::text::one_line;

/// The longest line, in bytes.
const MAX_LINE: usize = 8 << 10;

/// Counts lines in windows of a second.
#[derive(Debug)]
pub(crate) struct LogRate {
    limit: u64,
    window: Mutex<(Instant, u64)>,
}

impl LogRate {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, window: Mutex::new((Instant::now(), 0)) }
    }

    /// Whether one more line may pass.
    fn pass(&self, now: Instant) -> bool {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(window.0) >= Duration::from_secs(1) {
            *window = (now, 0);
        }
        window.1 += 1;
        window.1 <= self.limit
    }
}

impl Guest {
    /// Counts a line; `None` where it is left out.
    fn line(&mut self, message: &str) -> wasmtime::Result<Option<String>> {
        let bytes = u64::try_from(message.len()).unwrap_or(u64::MAX);
        self.call.logged = self.call.logged.saturating_add(bytes).saturating_add(1);
        if self.call.logged > self.shared.limits.get(Limit::Log) {
            return Err(self.exceeded(Limit::Log));
        }
        if !self.shared.log_rate.pass(Instant::now()) {
            self.call.left_out += 1;
            return Ok(None);
        }
        Ok(Some(one_line(message, MAX_LINE)))
    }

    /// Says how many lines of the call were left out.
    pub(crate) fn report_left_out(&mut self) {
        let left_out = std::mem::take(&mut self.call.left_out);
        if left_out > 0 {
            let (provider, variable) = (&self.shared.name, Limit::LogRate.variable());
            tracing::warn!(target: "provider", %provider, left_out, "log lines came too fast and were left out; raise the rate with {variable}");
        }
    }
}

impl Host for Guest {
    fn log(&mut self, level: Level, message: String) -> wasmtime::Result<()> {
        let Some(message) = self.line(&message)? else { return Ok(()) };
        let provider = &self.shared.name;
        match level {
            Level::Trace => tracing::trace!(target: "provider", %provider, "{message}"),
            Level::Debug => tracing::debug!(target: "provider", %provider, "{message}"),
            Level::Info => tracing::info!(target: "provider", %provider, "{message}"),
            Level::Warn => tracing::warn!(target: "provider", %provider, "{message}"),
            Level::Error => tracing::error!(target: "provider", %provider, "{message}"),
        }
        Ok(())
    }

    fn progress(&mut self, message: String) -> wasmtime::Result<()> {
        if let Some(message) = self.line(&message)?
            && let Some(progress) = &self.call.progress
        {
            progress(&message);
        }
        Ok(())
    }

    fn stopping(&mut self) -> wasmtime::Result<bool> {
        Ok(self.shared.is_stopping())
    }
}

impl types::Host for Guest {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_passes_as_many_lines_as_the_rate() {
        let rate = LogRate::new(3);
        let start = Instant::now();
        let passed = |at: Instant| (0..10).filter(|_| rate.pass(at)).count();
        assert_eq!(passed(start), 3);
        assert_eq!(passed(start + Duration::from_millis(900)), 0);
        assert_eq!(passed(start + Duration::from_millis(1_100)), 3);
    }
}
