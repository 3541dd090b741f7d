//! The operator's wish to end a run.
//!
//! The first raise starts nothing new and waits for what is in flight; the second shortens that wait.

use std::sync::Arc;

use tokio::sync::watch;

/// A handle that is shared between whoever hears the operator and the run.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<watch::Sender<u8>>);

impl Default for Interrupt {
    fn default() -> Self {
        Self::new()
    }
}

impl Interrupt {
    /// Nobody wishes anything yet.
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }

    /// One more wish to end.
    pub fn raise(&self) {
        self.0.send_modify(|level| *level = level.saturating_add(1));
    }

    /// How often it was raised.
    pub fn level(&self) -> u8 {
        *self.0.borrow()
    }

    /// Waits until it was raised at least that often.
    pub async fn reached(&self, level: u8) {
        let mut receiver = self.0.subscribe();
        // The sender lives in `self`, so that waiting cannot end early.
        let _ = receiver.wait_for(|now| *now >= level).await;
    }
}
