//! Providers that are started: each once per distinct package, grants and configuration, when it is first needed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pravo_diag::{Diagnostic, Span};
use pravo_model::provider::{Provider, ProviderBinding, Providers, Subject};
use pravo_model::schema::ProviderSchema;
use pravo_model::specification::Kind;
use pravo_model::{Address, Type, Value};
use tokio::sync::OnceCell;

use crate::bulk::Bulk;
use crate::check::check_config;
use crate::diagnose::{Failed, Phase, Place};
use crate::shape::Shape;

/// What a provider is found by: its package and grants, and its complete configuration.
type Key = (ProviderBinding, Option<Value>);
type Started = Result<Arc<dyn Provider>, Vec<Diagnostic>>;

/// A provider with one configuration, started or not.
pub(crate) struct Slot {
    place: Place,
    binding: ProviderBinding,
    /// What is set; `None` where it is not configured, for functions.
    config: Option<Value>,
    started: OnceCell<Started>,
}

/// All providers of a run.
pub(crate) struct Pool {
    providers: Arc<dyn Providers>,
    slots: Mutex<HashMap<Key, Arc<Slot>>>,
    types: Mutex<Types>,
}

/// The types of bodies, each derived from its schema once.
type Types = HashMap<(SchemaId, Kind, Arc<str>), Arc<Type>>;

/// A schema by where it lies: it is loaded once, and held as long as the pool.
#[derive(Clone)]
struct SchemaId(Arc<ProviderSchema>);

impl PartialEq for SchemaId {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SchemaId {}

impl std::hash::Hash for SchemaId {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl Pool {
    pub(crate) fn new(providers: Arc<dyn Providers>) -> Arc<Self> {
        Arc::new(Self { providers, slots: Mutex::default(), types: Mutex::default() })
    }

    /// Schemas and hashes.
    pub(crate) fn providers(&self) -> &dyn Providers {
        &*self.providers
    }

    /// The type of the objects of a type, made once; `None` where the schema does not have it.
    pub(crate) fn value_type(&self, schema: &Arc<ProviderSchema>, kind: Kind, type_name: &Arc<str>) -> Option<Arc<Type>> {
        let key = (SchemaId(Arc::clone(schema)), kind, Arc::clone(type_name));
        let mut types = self.types.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = types.get(&key) {
            return Some(Arc::clone(found));
        }
        let made = Arc::new(schema.get(kind, type_name)?.block.value_type());
        types.insert(key, Arc::clone(&made));
        Some(made)
    }

    /// The slot of a configuration; nothing is started yet.
    pub(crate) fn slot(&self, binding: &ProviderBinding, config: Option<Value>, address: &Address, span: Option<Span>) -> Arc<Slot> {
        // Configurations that differ in what is written as null or left out are equal.
        let complete = |config: &Value| match self.providers.schema(&binding.package) {
            Ok(schema) => Shape::from(&schema.provider).complete(config),
            Err(_) => config.clone(),
        };
        let key = (binding.clone(), config.as_ref().map(complete));
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots
            .entry(key)
            .or_insert_with(|| Arc::new(Slot { place: Place::new(address, span), binding: binding.clone(), config, started: OnceCell::new() }));
        Arc::clone(slot)
    }

    /// The provider of a slot, started and configured.
    pub(crate) async fn get(&self, slot: &Slot, diagnostics: &mut Vec<Diagnostic>) -> Result<Arc<dyn Provider>, Failed> {
        let started = slot.started.get_or_init(|| self.start(slot)).await;
        started.as_ref().map(Arc::clone).map_err(|errors| {
            diagnostics.extend(errors.iter().cloned());
            Failed
        })
    }

    /// A provider for function calls, which need no configuration: any that is started, else one of its own.
    pub(crate) async fn for_functions(&self, binding: &ProviderBinding, diagnostics: &mut Vec<Diagnostic>) -> Result<Arc<dyn Provider>, Failed> {
        let started = {
            let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.values().filter(|slot| slot.binding == *binding).find_map(|slot| slot.started.get()?.as_ref().ok().cloned())
        };
        if let Some(provider) = started {
            return Ok(provider);
        }
        let Ok(address) = "$functions".parse::<Address>() else {
            return Err(Failed);
        };
        let slot = self.slot(binding, None, &address, None);
        self.get(&slot, diagnostics).await
    }

    async fn start(&self, slot: &Slot) -> Started {
        let mut diagnostics = Vec::new();
        match self.start_configured(slot, &mut diagnostics).await {
            Ok(provider) => Ok(provider),
            Err(Failed) => Err(diagnostics),
        }
    }

    async fn start_configured(&self, slot: &Slot, diagnostics: &mut Vec<Diagnostic>) -> Result<Arc<dyn Provider>, Failed> {
        let place = &slot.place;
        let failed = |failure, diagnostics: &mut Vec<Diagnostic>| {
            diagnostics.push(place.failed(&failure));
            Failed
        };
        let schema = self.providers.schema(&slot.binding.package).map_err(|failure| failed(failure, diagnostics))?;
        let provider = self.providers.start(&slot.binding).await.map_err(|failure| failed(failure, diagnostics))?;
        let provider = Bulk::wrap(provider, &schema);
        let Some(config) = &slot.config else {
            return Ok(provider);
        };
        let shape = Shape::from(&schema.provider);
        let problems = check_config(shape, config);
        if !problems.is_empty() {
            diagnostics.extend(problems.iter().map(|problem| place.misconfigured(problem)));
            return Err(Failed);
        }
        let config = shape.complete(config);
        place.taken(Phase::Configure, provider.validate(Subject::Provider, &config).await, diagnostics)?;
        place.taken(Phase::Configure, provider.configure(&config).await, diagnostics)?;
        Ok(provider)
    }

    /// Asks every started provider to end what it does soon.
    pub(crate) async fn stop(&self) {
        let started: Vec<Arc<dyn Provider>> = {
            let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.values().filter_map(|slot| slot.started.get()?.as_ref().ok().cloned()).collect()
        };
        futures::future::join_all(started.iter().map(|provider| provider.stop())).await;
    }
}
