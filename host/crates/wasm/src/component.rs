//! Components: checked, compiled or taken from the cache, linked, ready to be instantiated.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use pravo_model::capability::Grants;
use pravo_model::provider::Provider;
use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::bindings::ProviderWorldPre;
use crate::cache::Cache;
use crate::engine;
use crate::files::Files;
use crate::guest::{Guest, Shared};
use crate::limits::Limits;
use crate::manifest::{Inspection, LoadError, Manifest, inspect};
use crate::pool::Pool;
use crate::provider::WasmProvider;
use crate::schema::SchemaCell;
use crate::ticker::Ticker;

/// What a host is made with.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// The user's cache directory, [`crate::default_cache_directory`]; without one every component is compiled each time.
    pub cache_directory: Option<PathBuf>,
    /// What providers may use up.
    pub limits: Limits,
    /// The root directory of the specification: relative grants and paths start there.
    pub root_directory: PathBuf,
}

/// Runs providers. Cheap to make: the engine and the cache are opened when the first component is loaded.
pub struct WasmHost {
    options: HostOptions,
    machine: OnceLock<Result<Arc<Machine>, String>>,
    loaded: Mutex<HashMap<String, Weak<Loaded>>>,
}

/// What all components share.
pub(crate) struct Machine {
    pub(crate) engine: Engine,
    pub(crate) ticker: Ticker,
    cache: Option<Cache>,
}

/// A component that is ready to be instantiated.
pub(crate) struct Loaded {
    pub(crate) machine: Arc<Machine>,
    pub(crate) world: ProviderWorldPre<Guest>,
    pub(crate) schema: SchemaCell,
    inspection: Inspection,
}

impl fmt::Debug for WasmHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WasmHost").field("options", &self.options).finish_non_exhaustive()
    }
}

impl WasmHost {
    /// A host.
    pub fn new(options: HostOptions) -> Self {
        Self { options, machine: OnceLock::new(), loaded: Mutex::default() }
    }

    /// Checks a component and makes it ready. Compiles it where the cache does not have it, on all processors: this blocks, up to
    /// seconds for large ones. A component that is loaded already is shared.
    ///
    /// # Errors
    /// Where its hash is not `sha256` (hexadecimal), or it is no component that this host runs.
    pub fn load(&self, bytes: &[u8], sha256: &str) -> Result<LoadedComponent, LoadError> {
        let inspection = inspect(bytes, &self.options.limits)?;
        let found = hexadecimal(&Sha256::digest(bytes));
        if found != sha256.to_ascii_lowercase() {
            return Err(LoadError::Tampered { expected: sha256.chars().take(64).collect(), found });
        }
        // Held while compiling, so that two loads of one component compile it once.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = match loaded.get(&found).and_then(Weak::upgrade) {
            Some(inner) => inner,
            None => {
                let inner = Arc::new(self.prepare(bytes, &found, inspection)?);
                loaded.insert(found, Arc::downgrade(&inner));
                inner
            }
        };
        Ok(LoadedComponent { inner, options: self.options.clone() })
    }

    fn prepare(&self, bytes: &[u8], content_hash: &str, inspection: Inspection) -> Result<Loaded, LoadError> {
        let failed = |error: wasmtime::Error| LoadError::Compile(crate::text::one_line(&format!("{error:#}"), 2_000));
        let machine = self.machine.get_or_init(|| Machine::new(&self.options)).clone().map_err(LoadError::Compile)?;
        let component = machine.component(bytes, content_hash).map_err(failed)?;
        let linker = crate::guest::linker(&machine.engine).map_err(failed)?;
        let world = linker.instantiate_pre(&component).and_then(ProviderWorldPre::new).map_err(failed)?;
        Ok(Loaded { machine, world, schema: SchemaCell::default(), inspection })
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Machine {
    fn new(options: &HostOptions) -> Result<Arc<Self>, String> {
        let engine = engine::new(&options.limits).map_err(|error| format!("{error:#}"))?;
        let ticker = Ticker::new(engine.clone()).map_err(|error| format!("no thread can be started: {error}"))?;
        let cache = options.cache_directory.as_ref().and_then(|directory| {
            Cache::open(directory).inspect_err(|error| tracing::warn!(target: "pravo::wasm", %error, "compiled components are not cached")).ok()
        });
        Ok(Arc::new(Self { engine, ticker, cache }))
    }

    fn component(&self, bytes: &[u8], content_hash: &str) -> wasmtime::Result<Component> {
        let Some(cache) = &self.cache else { return Component::from_binary(&self.engine, bytes) };
        let name = Cache::name(&self.engine, content_hash);
        if let Some(component) = cache.load(&self.engine, &name) {
            return Ok(component);
        }
        let component = Component::from_binary(&self.engine, bytes)?;
        if let Err(error) = component.serialize().map_err(std::io::Error::other).and_then(|compiled| cache.store(&name, &compiled)) {
            tracing::warn!(target: "pravo::wasm", %error, "a compiled component is not cached");
        }
        Ok(component)
    }
}

/// A component that was checked and is ready to run.
#[derive(Clone)]
pub struct LoadedComponent {
    inner: Arc<Loaded>,
    options: HostOptions,
}

impl fmt::Debug for LoadedComponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedComponent").field("inspection", &self.inner.inspection).finish_non_exhaustive()
    }
}

impl LoadedComponent {
    /// What it says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.inner.inspection.manifest
    }

    /// The interfaces that it imports.
    pub fn imports(&self) -> &BTreeSet<String> {
        &self.inner.inspection.imports
    }

    /// A new, unconfigured provider with what it may do. `name` stands in messages. Nothing runs until it is called.
    pub fn provider(&self, name: &str, grants: &Grants) -> Arc<dyn Provider> {
        let files = Files::new(&self.options.root_directory, grants);
        let shared = Shared::new(name, grants.clone(), self.options.limits.clone(), files);
        Arc::new(WasmProvider::new(Pool::new(self.inner.clone(), Arc::new(shared))))
    }
}
