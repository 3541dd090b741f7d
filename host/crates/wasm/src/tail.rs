//! What a guest prints: swallowed, all but the end, which is shown when it crashes.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// Bytes that are kept.
const KEPT: usize = 16 << 10;

/// Bytes that are taken at once.
const PERMIT: usize = 64 << 10;

/// The end of what was printed to standard output and standard error.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    /// The text so far; forgets it.
    pub(crate) fn take(&self) -> String {
        let bytes: Vec<u8> = self.bytes().drain(..).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn bytes(&self) -> MutexGuard<'_, VecDeque<u8>> {
        // Bytes have no state that a panic could leave half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, printed: &[u8]) {
        let printed = printed.get(printed.len().saturating_sub(KEPT)..).unwrap_or(printed);
        let mut bytes = self.bytes();
        let excess = (bytes.len() + printed.len()).saturating_sub(KEPT);
        bytes.drain(..excess);
        bytes.extend(printed);
    }
}

#[async_trait]
impl Pollable for Tail {
    async fn ready(&mut self) {}
}

impl OutputStream for Tail {
    fn write(&mut self, printed: Bytes) -> StreamResult<()> {
        self.push(&printed);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(PERMIT)
    }
}

impl tokio::io::AsyncWrite for Tail {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, printed: &[u8]) -> Poll<std::io::Result<usize>> {
        self.push(printed);
        Poll::Ready(Ok(printed.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl IsTerminal for Tail {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Tail {
    fn async_stream(&self) -> Box<dyn tokio::io::AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let tail = Tail::default();
        for i in 0..10_000 {
            tail.push(format!("{i:05} ").as_bytes());
        }
        let text = tail.take();
        assert_eq!(text.len(), KEPT);
        assert!(text.ends_with("09998 09999 "));
        tail.push(&vec![b'x'; 10 * KEPT]);
        assert_eq!(tail.take(), "x".repeat(KEPT));
        assert_eq!(tail.take(), "");
    }
}
