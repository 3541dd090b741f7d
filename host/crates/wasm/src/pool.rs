//! Instances of one provider: a component is single-threaded, so that calls at the same time need several.
//!
//! Kept true here: an instance serves one call at a time; each is configured once, all with the same configuration; an instance
//! is kept only after a call that ended as it should. A trap, an exceeded limit, a cancelled call or a new configuration retires it:
//! its store, with all that the guest held, is dropped. (So a guest's destructors do not run: they could only keep the host waiting.)

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::BoxFuture;
use pravo_model::provider::{FailureKind, Progress, ProviderFailure};
use tokio::sync::Semaphore;
use wasmtime::component::ResourceAny;
use wasmtime::{Store, UpdateDeadline};

use crate::bindings::ProviderWorld;
use crate::bindings::provider::ConfigureOutcome;
use crate::component::Loaded;
use crate::failure::{self, Refused};
use crate::guest::{Call, Guest, Shared};
use crate::limits::Limit;
use crate::meter::{Meter, Metered};

/// One instance, perhaps not yet instantiated.
pub(crate) struct Instance {
    pub(crate) store: Store<Guest>,
    world: Option<ProviderWorld>,
    configured: Option<(u64, ResourceAny)>,
}

/// What a call needs of its instance.
pub(crate) struct Ready<'a> {
    pub(crate) store: &'a mut Store<Guest>,
    pub(crate) world: &'a ProviderWorld,
    /// The configured provider, where the call asked for it.
    pub(crate) configured: Option<ResourceAny>,
}

impl Ready<'_> {
    /// The configured provider.
    pub(crate) fn configured(&self) -> wasmtime::Result<ResourceAny> {
        self.configured.ok_or_else(|| wasmtime::Error::new(Refused("it was not configured".to_owned())))
    }
}

/// What a call does with an instance.
pub(crate) type Run<T> = Box<dyn for<'a> FnOnce(Ready<'a>) -> BoxFuture<'a, wasmtime::Result<T>> + Send>;

#[derive(Clone)]
struct Configuration {
    generation: u64,
    config: Arc<Vec<u8>>,
}

/// The instances of one provider.
pub(crate) struct Pool {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) shared: Arc<Shared>,
    idle: Mutex<Vec<Instance>>,
    permits: Semaphore,
    configuration: Mutex<Option<Configuration>>,
}

impl Pool {
    pub(crate) fn new(loaded: Arc<Loaded>, shared: Arc<Shared>) -> Self {
        let permits = Semaphore::new(shared.limits.size(Limit::Instances).min(Semaphore::MAX_PERMITS));
        Self { loaded, shared, idle: Mutex::default(), permits, configuration: Mutex::default() }
    }

    /// Makes a call that needs no configuration.
    pub(crate) async fn call<T: Send>(&self, operation: &str, run: Run<T>) -> Result<T, ProviderFailure> {
        self.run(operation, None, None, run).await
    }

    /// Makes a call on the configured provider.
    pub(crate) async fn call_configured<T: Send>(&self, operation: &str, progress: Option<Progress>, run: Run<T>) -> Result<T, ProviderFailure> {
        let configuration = self.configuration().clone();
        let Some(configuration) = configuration else {
            return Err(failure::plain(&self.shared, operation, FailureKind::Unavailable, "it was not configured"));
        };
        self.run(operation, progress, Some(configuration), run).await
    }

    /// Configures the provider: this instance now, the others when they are needed.
    pub(crate) async fn configure(&self, config: Vec<u8>) -> Result<ConfigureOutcome, ProviderFailure> {
        let operation = "configure itself";
        let _permit = self.permit(operation).await?;
        let mut instance = self.fresh();
        let bytes = config.clone();
        let run: Run<ConfigureOutcome> =
            Box::new(move |ready| Box::pin(async move { ready.world.pravo_provider_provider().call_configure(ready.store, &bytes).await }));
        let outcome = self.drive(operation, None, None, &mut instance, run).await?;
        let is_error = outcome.diagnostics.iter().any(is_error);
        if let Some(configured) = outcome.configured
            && !is_error
        {
            let generation = {
                let mut current = self.configuration();
                let generation = current.as_ref().map_or(1, |configuration| configuration.generation + 1);
                *current = Some(Configuration { generation, config: Arc::new(config) });
                generation
            };
            instance.configured = Some((generation, configured));
            self.idle().clear();
            self.keep(instance);
        } else if !is_error {
            return Err(failure::invalid(&self.shared, operation, "neither a configured provider nor an error"));
        }
        Ok(outcome)
    }

    async fn run<T: Send>(
        &self,
        operation: &str,
        progress: Option<Progress>,
        configuration: Option<Configuration>,
        run: Run<T>,
    ) -> Result<T, ProviderFailure> {
        let _permit = self.permit(operation).await?;
        let idle = self.idle().pop();
        let mut instance = idle.unwrap_or_else(|| self.fresh());
        let outcome = self.drive(operation, progress, configuration, &mut instance, run).await?;
        self.keep(instance);
        Ok(outcome)
    }

    /// Runs a call within its limits.
    async fn drive<T: Send>(
        &self,
        operation: &str,
        progress: Option<Progress>,
        configuration: Option<Configuration>,
        instance: &mut Instance,
        run: Run<T>,
    ) -> Result<T, ProviderFailure> {
        let meter = Arc::new(Meter::default());
        instance.store.data_mut().call = Call { meter: meter.clone(), progress, ..Call::default() };
        // Due at the next tick: the callback decides whether it is time.
        instance.store.set_epoch_deadline(1);
        let ticking = self.loaded.machine.ticker.run();
        let call = Metered::new(meter, async {
            let ready = instance.ready(&self.loaded, configuration.as_ref()).await?;
            run(ready).await
        });
        let outcome = tokio::time::timeout(self.shared.limits.time(Limit::WallClock), call).await;
        drop(ticking);
        instance.store.data_mut().report_left_out();
        match outcome {
            Ok(Ok(Ok(value))) => Ok(value),
            Ok(Ok(Err(error))) => Err(failure::failure(operation, &error, instance.store.data())),
            Ok(Err(panic)) => {
                Err(failure::plain(&self.shared, operation, FailureKind::Crashed, &format!("pravo itself panicked while it ran it: {panic}")))
            }
            Err(_) => Err(failure::limit(&self.shared, operation, Limit::WallClock)),
        }
    }

    /// A store with all limits set. Nothing of the guest runs yet.
    fn fresh(&self) -> Instance {
        let limits = &self.shared.limits;
        let mut store = Store::new(&self.loaded.machine.engine, Guest::new(self.shared.clone()));
        store.limiter(|guest| &mut guest.memory);
        store.set_hostcall_fuel(limits.size(Limit::Transfer));
        store.set_max_component_handles(limits.size(Limit::Handles));
        let most = limits.time(Limit::CpuTime);
        store.epoch_deadline_callback(move |context| {
            let guest = context.data();
            if guest.call.meter.used() > most { Err(guest.exceeded(Limit::CpuTime)) } else { Ok(UpdateDeadline::Yield(1)) }
        });
        Instance { store, world: None, configured: None }
    }

    async fn permit(&self, operation: &str) -> Result<tokio::sync::SemaphorePermit<'_>, ProviderFailure> {
        // The semaphore is never closed; if it were, no instance could be had.
        self.permits.acquire().await.map_err(|_| failure::plain(&self.shared, operation, FailureKind::Unavailable, "it was stopped"))
    }

    /// Keeps an instance for the next call, unless it is used up or of an older configuration.
    fn keep(&self, mut instance: Instance) {
        let generation = self.configuration().as_ref().map(|configuration| configuration.generation);
        let current = instance.configured.is_none_or(|(own, _)| Some(own) == generation);
        if current && !instance.store.data().memory.is_crowded() {
            instance.store.data_mut().call = Call::default();
            self.idle().push(instance);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Instance>> {
        // Whole instances are moved in and out: a panic leaves nothing half done.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn configuration(&self) -> MutexGuard<'_, Option<Configuration>> {
        self.configuration.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Instance {
    /// Instantiates and configures it, as far as that is still to be done.
    async fn ready(&mut self, loaded: &Loaded, configuration: Option<&Configuration>) -> wasmtime::Result<Ready<'_>> {
        let world = match self.world.take() {
            Some(world) => world,
            None => loaded.world.instantiate_async(&mut self.store).await?,
        };
        let world = self.world.insert(world);
        let Some(configuration) = configuration else {
            return Ok(Ready { store: &mut self.store, world, configured: None });
        };
        let configured = match self.configured {
            Some((generation, configured)) if generation == configuration.generation => configured,
            _ => {
                let outcome = world.pravo_provider_provider().call_configure(&mut self.store, &configuration.config).await?;
                let error = outcome.diagnostics.iter().find(|diagnostic| is_error(diagnostic)).map(|error| error.summary.clone());
                let refused = || {
                    let reason = error.clone().unwrap_or_else(|| "it gave no configured provider".to_owned());
                    wasmtime::Error::new(Refused(format!("it took its configuration once, but not for a further instance: {reason}")))
                };
                let configured = outcome.configured.filter(|_| error.is_none()).ok_or_else(refused)?;
                self.configured = Some((configuration.generation, configured));
                configured
            }
        };
        Ok(Ready { store: &mut self.store, world, configured: Some(configured) })
    }
}

fn is_error(diagnostic: &crate::bindings::types::Diagnostic) -> bool {
    diagnostic.severity == crate::bindings::types::Severity::Error
}
