//! A root directory and what commands need of it: the specification, its providers, its state.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pravo_diag::{Diagnostic, SourceMap};
use pravo_engine::{Conversations, Interrupt};
use pravo_model::provider::Providers;
use pravo_model::specification::{Settings, Specification};
use pravo_model::state::{StateStore, StateView};
use pravo_specification::load::Tags;
use pravo_specification::{Options, Rejected, Root};
use pravo_state::RedbStore;

use crate::args::Evaluation;
use crate::exit::Failure;
use crate::providers::HostProviders;
use crate::terminal::Terminal;

impl From<Rejected> for Failure {
    fn from(rejected: Rejected) -> Self {
        Self { diagnostics: rejected.diagnostics, sources: rejected.sources }
    }
}

/// Name of the state file where no setting says another.
const STATE: &str = "pravo.state";

/// What a node of an evaluation takes at most, with what belongs to it.
const BYTES_PER_NODE: u64 = 128;

/// What every command gets.
#[derive(Clone)]
pub struct Context {
    /// The streams.
    pub terminal: Arc<Terminal>,
    /// The root directory, absolute.
    pub directory: PathBuf,
    /// The operator's wish to end the run.
    pub interrupt: Interrupt,
}

/// A specification that was read, with its settings, providers and state.
pub struct Workspace {
    root: Arc<Root>,
    /// The `$settings`.
    pub settings: Settings,
    /// The providers.
    pub providers: Arc<HostProviders>,
    /// Where the state lies.
    pub store: Box<dyn StateStore>,
    /// Hash of the lock file.
    pub lock: String,
}

/// How the specification is read.
pub fn options(evaluation: &Evaluation) -> Options {
    let mut limits = pravo_cue::session::Limits::default();
    if let Some(steps) = evaluation.eval_steps {
        limits.steps = steps;
    }
    if let Some(bytes) = evaluation.eval_memory {
        limits.bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        limits.nodes = u32::try_from(bytes / BYTES_PER_NODE).unwrap_or(u32::MAX).min(limits.nodes);
    }
    Options { tags: Tags::parse(evaluation.tags.iter().map(String::as_str)), limits }
}

impl Context {
    /// Reads the specification and what belongs to it. Nothing is written.
    ///
    /// # Errors
    /// Where it is broken, or `pravo init` has to run first.
    pub fn open(&self, evaluation: &Evaluation) -> Result<Workspace, Failure> {
        let root = Root::load(&self.directory, &options(evaluation))?;
        let providers = Arc::new(HostProviders::load(&self.directory, root.requirements())?);
        let settings = root.settings(&|package| providers.schema(package))?;
        check_version(&settings)?;
        let store = self.store(&settings)?;
        let lock = lock_hash(&self.directory);
        Ok(Workspace { root: Arc::new(root), settings, providers, store, lock })
    }

    /// The state that settings name.
    fn store(&self, settings: &Settings) -> Result<Box<dyn StateStore>, Failure> {
        Ok(Box::new(RedbStore::new(self.directory.join(&settings.state))?))
    }

    /// The state alone, for commands that need nothing else. A specification that cannot be read does not hide a state that lies where it
    /// lies by default.
    ///
    /// # Errors
    /// Where the specification is broken, and there is no state in the default place.
    pub fn open_state(&self) -> Result<Box<dyn StateStore>, Failure> {
        match self.settings() {
            Ok(settings) => self.store(&settings),
            Err(_) if self.directory.join(STATE).exists() => self.store(&Settings::default()),
            Err(failure) => Err(failure),
        }
    }

    /// The settings, with the schemas of providers where they are there.
    fn settings(&self) -> Result<Settings, Failure> {
        let root = Root::load(&self.directory, &Options::default())?;
        match HostProviders::load(&self.directory, root.requirements()) {
            Ok(providers) => Ok(root.settings(&|package| providers.schema(package))?),
            Err(_) => Ok(root.settings(&|_| Ok(Arc::default()))?),
        }
    }
}

/// Whether the specification wants this pravo.
fn check_version(settings: &Settings) -> Result<(), Failure> {
    let Some(text) = &settings.pravo else { return Ok(()) };
    let running = env!("CARGO_PKG_VERSION");
    let wrong = |what: String| Failure::of(Diagnostic::error("settings.pravo", what).with_path("$settings.pravo"));
    let constraint: pravo_registry::Constraint = text.parse().map_err(|error| wrong(format!("$settings.pravo: {error}")))?;
    let fits = running.parse().is_ok_and(|version| constraint.allows(&version));
    if fits { Ok(()) } else { Err(wrong(format!("the specification asks for pravo {text}, and this is pravo {running}"))) }
}

/// Hash of the lock file, for the staleness of saved plans.
fn lock_hash(directory: &Path) -> String {
    std::fs::read(directory.join(pravo_registry::lock::FILE)).map_or_else(|_| String::new(), |bytes| pravo_registry::ContentHash::of(&bytes).hex())
}

impl Workspace {
    /// A view of the state.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn view(&self) -> Result<Box<dyn StateView>, Failure> {
        Ok(self.store.view()?)
    }

    /// Begins conversations with the specification as it was read.
    pub fn conversations(&self) -> impl Conversations + use<> {
        let (root, providers) = (self.root.clone(), self.providers.clone());
        move || begin(&root, &providers)
    }

    /// The sources that were read, for diagnostics of a conversation that could not be begun.
    pub fn sources(&self) -> SourceMap {
        self.root.sources().clone()
    }
}

fn begin(root: &Root, providers: &Arc<HostProviders>) -> Result<Box<dyn Specification>, pravo_engine::Failure> {
    let schemas = |package: &str| providers.schema(package);
    root.start(&schemas).map_err(|rejected| pravo_engine::Failure::new(rejected.diagnostics, rejected.sources))
}
