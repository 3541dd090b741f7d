//! The providers of a root: what the lock file pins, run by the WebAssembly host.
//!
//! Kept true here: a component is loaded when it is first started and never before, its schema comes from the cache, and what
//! it may do is what the lock file approved, narrowed by `$allow`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use pravo_diag::Diagnostic;
use pravo_model::capability::{Allow, Grants};
use pravo_model::provider::{FailureKind, Provider, ProviderBinding, ProviderFailure, Providers};
use pravo_model::schema::ProviderSchema;
use pravo_model::state::{StateError, StateView};
use pravo_registry::{Cache, Lock, Options, Requirement, Resolved};
use pravo_specification::{ProviderRequirement, Root};
use pravo_wasm::{HostOptions, Limits, LoadedComponent, WasmHost};

use crate::exit::Failure;

/// A host for the components of a root directory.
///
/// # Errors
/// Where a limit in the environment cannot be read.
pub fn wasm_host(root: &Path) -> Result<WasmHost, Failure> {
    let limits = Limits::from_environment(std::env::vars()).map_err(|error| Failure::message("provider.limits", error.to_string()))?;
    Ok(WasmHost::new(HostOptions { cache_directory: pravo_wasm::default_cache_directory(), limits, root_directory: root.to_owned() }))
}

/// What the registry is asked for beside what the specification imports: packages whose records the state still has, as the lock
/// file pins them.
pub fn left(state: &dyn StateView, lock: &Lock, imported: &[Requirement]) -> Result<Vec<Requirement>, StateError> {
    let unasked: BTreeSet<String> = lock.unasked(imported).map(|locked| locked.package.to_string()).collect();
    let mut left: BTreeMap<String, Requirement> = BTreeMap::new();
    for (_, instance) in state.instances()? {
        let ProviderBinding { package, allow } = instance.binding;
        if unasked.contains(&package) {
            let requirement = left.entry(package.clone()).or_default();
            requirement.package = package;
            requirement.allows.extend(Some(allow).filter(|allow| !allow.is_empty()));
        }
    }
    Ok(left.into_values().collect())
}

/// What the registry is asked for.
pub fn requirements(found: &[ProviderRequirement]) -> Vec<Requirement> {
    let requirement = |found: &ProviderRequirement| Requirement {
        package: found.package.clone(),
        sources: found.sources.iter().map(|source| source.value.clone()).collect(),
        versions: found.versions.iter().map(|version| version.value.clone()).collect(),
        allows: found.allows.iter().map(|allow| allow.value.canonical()).collect(),
    };
    found.iter().map(requirement).collect()
}

/// An error of the registry as the end of a command, with the import that it is about.
pub fn import_failure(error: &pravo_registry::Error, root: &Root) -> Failure {
    let mut failure = registry_failure(error);
    let requirement = error.package().and_then(|package| root.requirements().iter().find(|found| found.package == package));
    if let Some(place) = requirement.and_then(|found| found.imports.first()) {
        failure.diagnostics = failure.diagnostics.into_iter().map(|diagnostic| diagnostic.at(*place, "")).collect();
        failure.sources = root.sources().clone();
    }
    failure
}

/// An error of the registry as the end of a command.
pub fn registry_failure(error: &pravo_registry::Error) -> Failure {
    let (code, help) = (registry_code(error), error.help());
    let diagnostic = Diagnostic::error(code, error.to_string()).with_help(help);
    Failure::of(diagnostic)
}

fn registry_code(error: &pravo_registry::Error) -> &'static str {
    use pravo_registry::Error;
    match error {
        Error::NotInitialised { .. } => "init.needed",
        Error::NotApproved { .. } => "init.not_approved",
        Error::Tampered { .. } => "provider.tampered",
        Error::Unknown { .. } => "provider.unknown",
        _ => "provider.registry",
    }
}

/// The providers that a root may start.
pub struct HostProviders {
    host: Arc<WasmHost>,
    cache: Cache,
    /// By name, or why one cannot be had that only the state may need.
    packages: BTreeMap<String, Result<Package, String>>,
}

/// One provider package.
struct Package {
    resolved: Resolved,
    schema: OnceLock<Arc<ProviderSchema>>,
    loaded: Arc<OnceLock<LoadedComponent>>,
}

impl HostProviders {
    /// What the lock file and the cache of a root have for its requirements.
    ///
    /// # Errors
    /// Where `pravo init` has to run first, or what is there does not fit.
    pub fn load(root: &Path, found: &[ProviderRequirement]) -> Result<Self, Failure> {
        let options = Options { root: root.to_owned(), ..Options::default() };
        let loaded = pravo_registry::load(&requirements(found), &options).map_err(|error| registry_failure(&error))?;
        let imported = loaded.required.into_iter().map(|resolved| (resolved.locked.package.to_string(), Ok(Package::new(resolved))));
        let left =
            loaded.left.into_iter().map(|(package, resolved)| (package.to_string(), resolved.map(Package::new).map_err(|error| error.to_string())));
        Ok(Self { host: Arc::new(wasm_host(root)?), cache: Cache::new(root), packages: imported.chain(left).collect() })
    }

    fn package(&self, package: &str) -> Result<&Package, ProviderFailure> {
        match self.packages.get(package) {
            Some(Ok(found)) => Ok(found),
            Some(Err(why)) => Err(unavailable(format!("{why}; the state has records of it: run pravo init"))),
            None => Err(unavailable(format!("provider {package}: it is not in pravo.lock: import it in the specification and run pravo init"))),
        }
    }
}

fn unavailable(message: String) -> ProviderFailure {
    ProviderFailure { kind: FailureKind::Unavailable, message, detail: String::new() }
}

/// Loads a component where it is not loaded yet. Blocks.
fn loaded(host: &WasmHost, package: &Package) -> Result<LoadedComponent, ProviderFailure> {
    if let Some(loaded) = package.loaded.get() {
        return Ok(loaded.clone());
    }
    let locked = &package.resolved.locked;
    let loaded = host
        .load(package.resolved.component.bytes(), &locked.hash.hex())
        .map_err(|error| unavailable(format!("provider {}: {error}", locked.package.short())))?;
    Ok(package.loaded.get_or_init(|| loaded).clone())
}

impl Package {
    fn new(resolved: Resolved) -> Self {
        Self { resolved, schema: OnceLock::new(), loaded: Arc::default() }
    }
}

/// What an instance may do.
fn grants(resolved: &Resolved, allow: &str) -> Result<Grants, ProviderFailure> {
    let locked = &resolved.locked;
    let name = locked.package.short();
    let allow =
        if allow.is_empty() { Allow::default() } else { Allow::parse(allow).map_err(|error| unavailable(format!("provider {name}: {error}")))? };
    allow.effective(&locked.needs, &locked.approved).map_err(|beyond| {
        unavailable(format!("provider {name} asks for capabilities that were not approved: {beyond}; run pravo init to approve them"))
    })
}

#[async_trait]
impl Providers for HostProviders {
    fn schema(&self, package: &str) -> Result<Arc<ProviderSchema>, ProviderFailure> {
        let found = self.package(package)?;
        if let Some(schema) = found.schema.get() {
            return Ok(schema.clone());
        }
        let schema = self.cache.schema(found.resolved.locked.hash);
        let schema = schema.ok_or_else(|| unavailable(format!("provider {package}: its schema is not in the cache: run pravo init")))?;
        Ok(found.schema.get_or_init(|| Arc::new(schema)).clone())
    }

    fn hash(&self, package: &str) -> Result<String, ProviderFailure> {
        Ok(self.package(package)?.resolved.locked.hash.hex())
    }

    async fn start(&self, binding: &ProviderBinding) -> Result<Arc<dyn Provider>, ProviderFailure> {
        let package = self.package(&binding.package)?;
        let grants = grants(&package.resolved, &binding.allow)?;
        let name = package.resolved.locked.package.short();
        // Loading may compile: the scheduler's threads go on with something else.
        let loaded = tokio::task::block_in_place(|| loaded(&self.host, package))?;
        Ok(loaded.provider(&name, &grants))
    }
}
