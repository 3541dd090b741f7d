//! How much processor time a call really used.
//!
//! Epochs tick in wall time: on a busy machine ten calls on two cores would all seem to take five times as long as they do.
//! So the processor time of the thread is read whenever a call's future is polled; what other tasks use in between does not count.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

/// The processor time of one call. Shared between the poller and the callback that is run on the same thread within a poll.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// Nanoseconds of finished polls.
    finished: AtomicU64,
    /// The thread's processor time when the current poll began.
    began: AtomicU64,
}

impl Meter {
    /// What was used until now; to be asked from within the call.
    pub(crate) fn used(&self) -> Duration {
        let current = thread_time().saturating_sub(self.began.load(Ordering::Relaxed));
        Duration::from_nanos(self.finished.load(Ordering::Relaxed).saturating_add(current))
    }
}

/// Nanoseconds of processor time that this thread has used.
#[cfg(unix)]
fn thread_time() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(time.tv_nsec).unwrap_or_default())
}

/// Where threads do not tell their processor time, wall time stands in for it.
#[cfg(not(unix))]
fn thread_time() -> u64 {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    u64::try_from(START.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// A future whose processor time is measured, and whose panics end it and nothing else.
pub(crate) struct Metered<F> {
    future: Pin<Box<F>>,
    meter: Arc<Meter>,
}

impl<F: Future> Metered<F> {
    /// Measures a future.
    pub(crate) fn new(meter: Arc<Meter>, future: F) -> Self {
        Self { future: Box::pin(future), meter }
    }
}

impl<F: Future> Future for Metered<F> {
    /// The error is the text of a panic.
    type Output = Result<F::Output, String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let began = thread_time();
        self.meter.began.store(began, Ordering::Relaxed);
        // Whatever a panic leaves behind belongs to the call's store, which is dropped with it.
        let polled = catch_unwind(AssertUnwindSafe(|| self.future.as_mut().poll(context)));
        self.meter.finished.fetch_add(thread_time().saturating_sub(began), Ordering::Relaxed);
        match polled {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic_text(panic.as_ref()))),
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("unknown panic").to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn burn(time: Duration) {
        let start = thread_time();
        while thread_time() - start < u64::try_from(time.as_nanos()).unwrap() {
            std::hint::black_box(0);
        }
    }

    #[tokio::test(flavor = "current_thread")]
    async fn only_the_calls_own_time_counts() {
        let meter = Arc::new(Meter::default());
        let call = Metered::new(meter.clone(), async {
            burn(Duration::from_millis(20));
            tokio::task::yield_now().await;
            tokio::time::sleep(Duration::from_millis(60)).await;
            burn(Duration::from_millis(20));
        });
        let other = async {
            for _ in 0..4 {
                burn(Duration::from_millis(20));
                tokio::task::yield_now().await;
            }
        };
        let start = Instant::now();
        let (outcome, ()) = tokio::join!(call, other);
        outcome.unwrap();
        let used = Duration::from_nanos(meter.finished.load(Ordering::Relaxed));
        assert!(start.elapsed() >= Duration::from_millis(100));
        assert!((Duration::from_millis(40)..Duration::from_millis(60)).contains(&used), "{used:?}");
    }

    #[tokio::test]
    async fn a_panic_ends_the_call_only() {
        let outcome = Metered::new(Arc::default(), async { panic!("of {}", "host") }).await;
        assert_eq!(outcome, Err::<(), _>("of host".to_owned()));
    }
}
