//! wasmtime's settings.
//!
//! Kept true here: what providers do not need is off (memory64, multiple memories, relaxed instructions), floats are the same
//! everywhere, and every loop of a guest meets an epoch.

use std::num::NonZeroUsize;

use wasmtime::{Config, Engine};

use crate::limits::{Limit, Limits};

/// Stack that host functions have beneath a guest whose own stack is used up.
const HOST_STACK: usize = 2 << 20;

/// Address space reserved for a linear memory; a larger one moves when it grows.
const MEMORY_RESERVATION: u64 = 256 << 20;

/// Frames shown of a trap's backtrace.
const BACKTRACE_FRAMES: usize = 20;

/// Makes the engine; no code is compiled or loaded by this.
pub(crate) fn new(limits: &Limits) -> wasmtime::Result<Engine> {
    let stack = limits.size(Limit::Stack);
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .wasm_relaxed_simd(false)
        .cranelift_nan_canonicalization(true)
        .max_wasm_stack(stack)
        .async_stack_size(stack.saturating_add(HOST_STACK))
        .memory_reservation(MEMORY_RESERVATION)
        .wasm_backtrace_max_frames(NonZeroUsize::new(BACKTRACE_FRAMES))
        .parallel_compilation(true);
    Engine::new(&config)
}
