//! What hostile and broken guests get: each test is a guest, run in the real engine.

mod cache;
mod components;
mod crashes;
mod denied;
mod guest;
mod limits;

use std::sync::Arc;

use pravo_model::capability::Grants;
use pravo_model::provider::{Provider, ProviderFailure, Reply};
use pravo_model::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::{HostOptions, Limits, LoadedComponent, LoadError, WasmHost};
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
