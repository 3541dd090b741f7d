//! Records as they may be shown: with the marks of their schemas, which the state does not hold.
//!
//! Kept true here: where a schema is not at hand, nothing of an object is shown.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path as FilePath;
use std::sync::Arc;

use pravo_model::schema::ProviderSchema;
use pravo_model::state::{Object, Record};
use pravo_model::{Path, PathStep};
use pravo_registry::{Cache, Lock, Package};

use crate::render::document::attributes;
use crate::render::sensitive::marked;

/// Schemas of the providers that a root has.
pub struct Schemas {
    lock: Option<Lock>,
    cache: Cache,
    known: RefCell<BTreeMap<String, Option<Arc<ProviderSchema>>>>,
}

impl Schemas {
    /// Those of a root; nothing is read yet but the lock file.
    pub fn new(root: &FilePath) -> Self {
        Self { lock: Lock::read(root).ok().flatten(), cache: Cache::new(root), known: RefCell::default() }
    }

    fn get(&self, package: &str) -> Option<Arc<ProviderSchema>> {
        let mut known = self.known.borrow_mut();
        known.entry(package.to_owned()).or_insert_with(|| self.read(package)).clone()
    }

    fn read(&self, package: &str) -> Option<Arc<ProviderSchema>> {
        let package: Package = package.parse().ok()?;
        let locked = self.lock.as_ref()?.get(&package)?;
        self.cache.schema(locked.hash).map(Arc::new)
    }

    /// The record with everything marked that must not be shown.
    pub fn mark(&self, mut record: Record) -> Record {
        let schema = self.get(&record.binding.package);
        let block = schema.as_ref().and_then(|schema| schema.get(record.head.kind, &record.type_name)).map(|schema| &schema.block);
        let objects = record.object.iter_mut().chain(record.deposed.iter_mut().map(|deposed| &mut deposed.object));
        for object in objects {
            let more = match block {
                Some(block) => marked(block, &attributes(object)),
                None => every_attribute(object),
            };
            object.sensitive.extend(more);
            object.sensitive.sort();
            object.sensitive.dedup();
        }
        record
    }
}

fn every_attribute(object: &Object) -> Vec<Path> {
    let value = attributes(object);
    let names = value.as_map().into_iter().flat_map(|entries| entries.keys().cloned());
    names.map(|name| Path(vec![PathStep::Attribute(name.into())])).collect()
}
