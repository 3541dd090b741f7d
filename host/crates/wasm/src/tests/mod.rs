//! What hostile and broken guests get: each test is a guest, run in the real engine.
//!
//! | a guest | what it gets | where |
//! |---|---|---|
//! | loops, in a function or at its start; fills memory; floods host calls | the CPU limit | [`limits`] |
//! | sleeps for ever | the wall clock | [`limits`] |
//! | grows memory or tables, declares too much | the memory limit; one that copes goes on, in a fresh instance | [`limits`] |
//! | recurses | the stack limit | [`limits`] |
//! | leaks handles, its own and the host's | the handle limit | [`limits`] |
//! | returns too much, logs too much or too long | the transfer and log limits | [`limits`] |
//! | fills the disk with bytes, files, directories; reads a huge file | the written, files and transfer limits | [`limits`] |
//! | needs many instances; shares the processor with eleven others | waits; keeps its own CPU time | [`limits`] |
//! | traps, exits, prints escape sequences | a crash with a safe tail; the next call is fresh, others go on | [`crashes`] |
//! | answers bytes, depths, counts, schemas that make no sense | an invalid answer | [`crashes`], [`components`] |
//! | is cancelled, is configured again | its instance is dropped | [`crashes`] |
//! | asks for randomness, time, variables, arguments, directories, names, sockets | a refusal, or nothing | [`denied`] |
//! | names paths outside, absolute, with `..`, NUL, slashes; through links, hard links, races, pipes | a refusal that names the grant | `files::tests` |
//! | writes where it may read, removes what it was granted | a refusal | `files::tests` |
//! | imports what is not offered, or not stated; lies in its manifest | is not loaded | [`components`] |
//! | is a core module, native code, cut off, changed, too large, of another world, a compile bomb | is not loaded, or compiled in bounded time | [`components`] |
//! | finds a poisoned, foreign, open cache | is compiled anew | [`cache`] |
//!
//! Not here, since this world has no network: what would need addresses, redirects and bodies.

mod cache;
mod components;
mod crashes;
mod denied;
mod frozen;
mod guest;
mod limits;

use std::sync::Arc;

use pravo_model::Value;
use pravo_model::capability::Grants;
use pravo_model::provider::{Provider, ProviderFailure, Reply};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::{HostOptions, Limits, LoadError, LoadedComponent, WasmHost};
use guest::GuestText;

/// A host with a root directory and no cache.
pub struct Bench {
    pub root: TempDir,
    pub host: WasmHost,
}

impl Bench {
    pub fn new(limits: Limits) -> Self {
        let root = tempfile::tempdir().unwrap();
        let host = WasmHost::new(HostOptions { cache_directory: None, limits, root_directory: root.path().to_owned() });
        Self { root, host }
    }

    pub fn load(&self, bytes: &[u8]) -> Result<LoadedComponent, LoadError> {
        self.host.load(bytes, &hash(bytes))
    }

    pub fn provider(&self, guest: &GuestText, grants: &str) -> Arc<dyn Provider> {
        let grants: Grants = serde_json::from_str(grants).unwrap();
        self.load(&guest.component()).unwrap_or_else(|error| panic!("{error}")).provider("test/guest", &grants)
    }
}

pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Calls the function `f` of a guest.
pub async fn call(provider: &Arc<dyn Provider>) -> Result<Reply<Value>, ProviderFailure> {
    provider.call_function("f", &[]).await
}
