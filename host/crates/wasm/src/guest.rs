//! What a guest sees of the world: the data of a store, and everything that is linked to its imports.
//!
//! Kept true here: WASI is linked because every language's standard library imports it, and gives nothing: no arguments, no
//! directories, no sockets, no names, no input; of the environment only granted variables; a clock that stands still and
//! randomness that refuses, unless they are granted. What is printed goes into a bounded tail that is shown when the guest crashes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pravo_model::capability::{Capability, Grants};
use pravo_model::provider::Progress;
use wasmtime::component::{HasSelf, Linker, ResourceTable};
use wasmtime::{Engine, ResourceLimiter};
use wasmtime_wasi::p2::bindings::random::random;
use wasmtime_wasi::{Deterministic, HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::bindings::ProviderWorld;
use crate::failure::Denied;
use crate::files::Files;
use crate::limits::{Exceeded, Limit, Limits};
use crate::log::LogRate;
use crate::meter::Meter;
use crate::tail::Tail;

/// Bytes of randomness that a guest gets in one call.
const MAX_RANDOM: u64 = 1 << 20;

/// Bytes that an element of a table takes.
const TABLE_ELEMENT: usize = 16;

/// Core instances, tables and memories of one component: languages need a handful.
const MAX_CORE_INSTANCES: usize = 200;

/// What all instances of one provider share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Name of the provider in messages.
    pub(crate) name: String,
    pub(crate) grants: Grants,
    pub(crate) limits: Limits,
    pub(crate) files: Arc<Files>,
    pub(crate) log_rate: LogRate,
    stopping: AtomicBool,
}

impl Shared {
    pub(crate) fn new(name: &str, grants: Grants, limits: Limits, files: Files) -> Self {
        let log_rate = LogRate::new(limits.get(Limit::LogRate));
        Self { name: name.to_owned(), grants, limits, files: Arc::new(files), log_rate, stopping: AtomicBool::new(false) }
    }

    /// Tells the guests that the operator wants to end.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}

/// What belongs to one call.
#[derive(Default)]
pub(crate) struct Call {
    pub(crate) meter: Arc<Meter>,
    pub(crate) progress: Option<Progress>,
    /// Bytes of log and progress text.
    pub(crate) logged: u64,
    /// Lines that came too fast.
    pub(crate) left_out: u64,
    /// Bytes written to files.
    pub(crate) written: u64,
    /// Files and directories made.
    pub(crate) made: u64,
}

/// The data of a store.
pub(crate) struct Guest {
    pub(crate) shared: Arc<Shared>,
    pub(crate) call: Call,
    pub(crate) memory: Memory,
    pub(crate) output: Tail,
    wasi: WasiCtx,
    table: ResourceTable,
}

impl Guest {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let output = Tail::default();
        let mut table = ResourceTable::new();
        table.set_max_capacity(shared.limits.size(Limit::Handles));
        let memory = Memory { limit: shared.limits.size(Limit::Memory), used: 0, last: 0, refused: false };
        let wasi = wasi(&shared.grants, &output);
        Self { shared, call: Call::default(), memory, output, wasi, table }
    }

    /// The error that ends a call which exceeded a limit.
    pub(crate) fn exceeded(&self, limit: Limit) -> wasmtime::Error {
        let exceeded: Exceeded = self.shared.limits.exceeded(limit);
        wasmtime::Error::new(exceeded)
    }
}

fn wasi(grants: &Grants, output: &Tail) -> WasiCtx {
    let mut builder = WasiCtxBuilder::new();
    builder.stdout(output.clone()).stderr(output.clone()).max_random_size(MAX_RANDOM);
    builder.allow_tcp(false).allow_udp(false).allow_ip_name_lookup(false);
    for name in &grants.env {
        if let Ok(value) = std::env::var(name.as_str()) {
            builder.env(name.as_str(), value);
        }
    }
    if !grants.clock {
        builder.wall_clock(Standing).monotonic_clock(Standing);
    }
    if !grants.random {
        builder.insecure_random(Deterministic::new(vec![0x5a])).insecure_random_seed(0);
    }
    builder.build()
}

/// A clock that stands still at the beginning of 1970.
struct Standing;

impl HostWallClock for Standing {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl HostMonotonicClock for Standing {
    fn resolution(&self) -> u64 {
        1_000_000_000
    }

    fn now(&self) -> u64 {
        0
    }
}

impl WasiView for Guest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// Real randomness, or a refusal: bytes that are not random would be worse than none.
impl random::Host for Guest {
    fn get_random_bytes(&mut self, length: u64) -> wasmtime::Result<Vec<u8>> {
        self.check_random()?;
        random::Host::get_random_bytes(self.wasi.random(), length)
    }

    fn get_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.check_random()?;
        random::Host::get_random_u64(self.wasi.random())
    }
}

impl Guest {
    fn check_random(&self) -> wasmtime::Result<()> {
        if self.shared.grants.random {
            return Ok(());
        }
        Err(wasmtime::Error::new(Denied { what: "asked for randomness", capability: Capability::Random }))
    }
}

/// Counts the bytes of all linear memories and tables of a store together.
#[derive(Debug)]
pub(crate) struct Memory {
    limit: usize,
    used: usize,
    last: usize,
    /// Whether more was asked for than there is: most guests then abort.
    pub(crate) refused: bool,
}

impl Memory {
    fn grow(&mut self, bytes: usize) -> bool {
        let wanted = self.used.saturating_add(bytes);
        if wanted > self.limit {
            self.refused = true;
            return false;
        }
        self.used = wanted;
        self.last = bytes;
        true
    }

    /// Whether so much is taken that the next call may not have enough; a linear memory never shrinks.
    pub(crate) fn is_crowded(&self) -> bool {
        self.refused || self.used > self.limit / 2
    }

    fn undo(&mut self) {
        self.used = self.used.saturating_sub(self.last);
        self.last = 0;
    }
}

impl ResourceLimiter for Memory {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(maximum.is_none_or(|maximum| desired <= maximum) && self.grow(desired.saturating_sub(current)))
    }

    fn memory_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        self.undo();
        Ok(())
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        let bytes = desired.saturating_sub(current).saturating_mul(TABLE_ELEMENT);
        Ok(maximum.is_none_or(|maximum| desired <= maximum) && self.grow(bytes))
    }

    fn table_grow_failed(&mut self, _: wasmtime::Error) -> wasmtime::Result<()> {
        self.undo();
        Ok(())
    }

    fn instances(&self) -> usize {
        MAX_CORE_INSTANCES
    }

    fn tables(&self) -> usize {
        MAX_CORE_INSTANCES
    }

    fn memories(&self) -> usize {
        MAX_CORE_INSTANCES
    }
}

/// Everything that a provider may import.
pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<Guest>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    linker.allow_shadowing(true);
    random::add_to_linker::<Guest, HasSelf<Guest>>(&mut linker, |guest| guest)?;
    linker.allow_shadowing(false);
    ProviderWorld::add_to_linker::<Guest, HasSelf<Guest>>(&mut linker, |guest| guest)?;
    Ok(linker)
}
