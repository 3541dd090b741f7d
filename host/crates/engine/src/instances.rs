//! Provider instances of a conversation, and those that only the state knows.

use std::collections::HashMap;
use std::sync::Arc;

use pravo_model::provider::{ProviderBinding, Providers};
use pravo_model::specification::{Instance, InstanceId};
use pravo_model::state::InstanceRecord;
use pravo_model::{Address, Value, json};

use crate::pool::{Pool, Slot};
use crate::shape::{Shape, clear};

/// One instance of the specification.
pub(crate) struct Known {
    pub(crate) instance: Instance,
    pub(crate) binding: Arc<ProviderBinding>,
    /// Hash of the provider, for fingerprints.
    pub(crate) hash: Arc<str>,
}

/// All instances.
#[derive(Default)]
pub(crate) struct Instances {
    known: HashMap<InstanceId, Arc<Known>>,
    by_address: HashMap<Address, InstanceId>,
    stored: HashMap<Address, InstanceRecord>,
}

impl Instances {
    /// With what the state remembers.
    pub(crate) fn new(stored: Vec<(Address, InstanceRecord)>) -> Self {
        Self { stored: stored.into_iter().collect(), ..Self::default() }
    }

    /// An instance was found in the specification.
    pub(crate) fn add(&mut self, instance: Instance, hash: Arc<str>) {
        self.by_address.insert(instance.address.clone(), instance.id);
        let binding = Arc::new(instance.binding.clone());
        self.known.insert(instance.id, Arc::new(Known { instance, binding, hash }));
    }

    pub(crate) fn get(&self, id: InstanceId) -> Option<&Arc<Known>> {
        self.known.get(&id)
    }

    /// Whether the specification or the state knows an instance at an address.
    pub(crate) fn has(&self, address: &Address) -> bool {
        self.by_address.contains_key(address) || self.stored.contains_key(address)
    }

    /// The instance at an address of the specification.
    pub(crate) fn at(&self, address: &Address) -> Option<&Arc<Known>> {
        self.get(*self.by_address.get(address)?)
    }

    /// The slot that a record's object is reached through: the instance's of the specification where its configuration is
    /// known, else its last configuration, else any instance of the same provider package.
    pub(crate) fn slot_for_record(&self, pool: &Pool, address: &Address, binding: &ProviderBinding) -> Option<Arc<Slot>> {
        let fits = |known: &&Arc<Known>| known.binding.package == binding.package && known.instance.config.is_wholly_known();
        if let Some(known) = self.at(address).filter(fits) {
            return Some(slot(pool, known));
        }
        let stored = |address: &Address, record: &InstanceRecord| {
            let config = restore(pool.providers(), record)?;
            Some(pool.slot(&record.binding, Some(config), address, None))
        };
        if let Some(record) = self.stored.get(address).filter(|record| record.binding.package == binding.package) {
            return stored(address, record);
        }
        let mut known: Vec<&Arc<Known>> = self.known.values().filter(fits).collect();
        known.sort_by_key(|known| known.instance.id);
        if let [only] = known.as_slice() {
            return Some(slot(pool, only));
        }
        None
    }

    /// Configurations that the state does not have as they are now; those that are not known yet are left out.
    pub(crate) fn changed(&self, pool: &Pool) -> Vec<(Address, InstanceRecord)> {
        let mut changed: Vec<(Address, InstanceRecord)> = self
            .known
            .values()
            .filter_map(|known| Some((known.instance.address.clone(), record(pool.providers(), &known.instance)?)))
            .filter(|(address, record)| self.stored.get(address) != Some(record))
            .collect();
        changed.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
        changed
    }

    /// Addresses of instances that only the state knows.
    pub(crate) fn left(&self) -> Vec<Address> {
        let mut left: Vec<Address> = self.stored.keys().filter(|address| !self.by_address.contains_key(*address)).cloned().collect();
        left.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        left
    }
}

/// The slot of an instance whose configuration is known.
pub(crate) fn slot(pool: &Pool, known: &Known) -> Arc<Slot> {
    pool.slot(&known.binding, Some(known.instance.config.clone()), &known.instance.address, Some(known.instance.span))
}

/// The configuration as the state keeps it; `None` where it is not known yet.
fn record(providers: &dyn Providers, instance: &Instance) -> Option<InstanceRecord> {
    let mut config = instance.config.clone();
    instance.ephemeral.iter().for_each(|path| clear(&mut config, path.steps()));
    if !config.is_wholly_known() {
        return None;
    }
    let schema = providers.schema(&instance.binding.package).ok()?;
    let complete = Shape::from(&schema.provider).complete(&config);
    let bytes = json::encode_bytes(&complete, &schema.provider.value_type()).ok()?;
    Some(InstanceRecord {
        binding: instance.binding.clone(),
        config: String::from_utf8(bytes).ok()?,
        sensitive: instance.sensitive.clone(),
        dependencies: instance.dependencies.clone(),
    })
}

/// A stored configuration as a value in which what is not set is left out.
fn restore(providers: &dyn Providers, record: &InstanceRecord) -> Option<Value> {
    let schema = providers.schema(&record.binding.package).ok()?;
    let config = json::decode_bytes(record.config.as_bytes(), &schema.provider.value_type()).ok()?;
    match config {
        Value::Map(entries) => Some(Value::Map(entries.into_iter().filter(|(_, value)| !value.is_null()).collect())),
        _ => None,
    }
}
