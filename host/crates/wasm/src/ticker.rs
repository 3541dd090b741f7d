//! The clock that interrupts guests: one thread that advances the engine's epoch while calls are running, and sleeps otherwise.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use wasmtime::Engine;

/// Time between two ticks: how much later than its limit a call is ended.
const TICK: Duration = Duration::from_millis(10);

struct Inner {
    engine: Engine,
    running: Mutex<usize>,
    began: Condvar,
}

impl Inner {
    fn running(&self) -> MutexGuard<'_, usize> {
        // A counter has no state that a panic could leave half changed.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ticks while at least one [`Ticking`] lives; ends when it is dropped.
pub(crate) struct Ticker(Arc<Inner>);

/// Keeps the ticker ticking.
pub(crate) struct Ticking(Arc<Inner>);

impl Ticker {
    /// Starts the thread.
    pub(crate) fn new(engine: Engine) -> std::io::Result<Self> {
        let inner = Arc::new(Inner { engine, running: Mutex::new(0), began: Condvar::new() });
        let weak = Arc::downgrade(&inner);
        std::thread::Builder::new().name("epochs".to_owned()).stack_size(64 << 10).spawn(move || tick(&weak))?;
        Ok(Self(inner))
    }

    /// Ticks as long as the answer lives.
    pub(crate) fn run(&self) -> Ticking {
        *self.0.running() += 1;
        self.0.began.notify_one();
        Ticking(self.0.clone())
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        *self.0.running() -= 1;
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.began.notify_one();
    }
}

fn tick(weak: &Weak<Inner>) {
    while let Some(inner) = weak.upgrade() {
        let running = inner.running();
        if *running == 0 {
            // Woken now and then to see whether the ticker is gone.
            drop(inner.began.wait_timeout(running, Duration::from_secs(1)));
            continue;
        }
        drop(running);
        inner.engine.increment_epoch();
        drop(inner);
        std::thread::sleep(TICK);
    }
}
