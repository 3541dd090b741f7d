//! One change, applied to the tables. Cost depends on the change and its neighbours in the graph, never on how many records there are
//! (only a move also looks through the few open intents and instances).

use pravo_model::Address;
use pravo_model::state::{Change, Head, InstanceRecord, Intent, Record, TransactionId};
use redb::ReadableTable;

use crate::encode::{self, Known};
use crate::error::Failure;
use crate::tables::{Tables, seconds};

impl Tables<'_> {
    /// Applies a change of a transaction.
    pub(crate) fn apply(&mut self, change: Change, transaction: TransactionId) -> Result<(), Failure> {
        match change {
            Change::Put(record) => self.put(*record, transaction),
            Change::Remove(address) => self.remove(&address, transaction),
            Change::Move { from, to } => self.relocate(&from, &to),
            Change::Head(address, head) => self.head(&address, *head),
            Change::Open(intent) => self.open_intent(*intent, transaction),
            Change::Close(address, deposed) => {
                self.intents.remove((address.as_str(), deposed.as_deref().unwrap_or_default()))?;
                Ok(())
            }
            Change::PutInstance(address, instance) => {
                self.instances.insert(address.as_str(), encode::instance_bytes(&instance).as_slice())?;
                Ok(())
            }
            Change::RemoveInstance(address) => {
                self.instances.remove(address.as_str())?;
                Ok(())
            }
        }
    }

    fn stored_head(&self, address: &Address) -> Result<Option<Head>, Failure> {
        let Some(bytes) = self.heads.get(address.as_str())? else { return Ok(None) };
        encode::head(address.as_str(), bytes.value(), &Known::new()).map(Some).map_err(Failure::broken("the head", address.as_str()))
    }

    fn write_head(&mut self, address: &Address, old: Option<&Head>, new: &Head) -> Result<(), Failure> {
        let before = old.map_or(&[][..], |head| head.dependencies.as_slice());
        for gone in before.iter().filter(|dependency| !new.dependencies.contains(dependency)) {
            self.dependents.remove((gone.as_str(), address.as_str()))?;
        }
        for added in new.dependencies.iter().filter(|dependency| !before.contains(dependency)) {
            self.dependents.insert((added.as_str(), address.as_str()), ())?;
        }
        self.heads.insert(address.as_str(), encode::head_bytes(address, new).as_slice())?;
        Ok(())
    }

    fn note(&mut self, address: &Address, transaction: TransactionId, record: Option<&Record>) -> Result<(), Failure> {
        self.history.insert((address.as_str(), transaction.0), encode::entry_bytes(record).as_slice())?;
        self.written.insert((transaction.0, address.as_str()), ())?;
        Ok(())
    }

    fn put(&mut self, mut record: Record, transaction: TransactionId) -> Result<(), Failure> {
        record.transaction = transaction;
        record.head.has_deposed = !record.deposed.is_empty();
        let old = self.stored_head(&record.address)?;
        self.write_head(&record.address, old.as_ref(), &record.head)?;
        self.records.insert(record.address.as_str(), encode::body_bytes(&record).as_slice())?;
        self.note(&record.address, transaction, Some(&record))
    }

    fn remove(&mut self, address: &Address, transaction: TransactionId) -> Result<(), Failure> {
        let Some(head) = self.stored_head(address)? else { return Ok(()) };
        self.forget(address, &head)?;
        self.note(address, transaction, None)
    }

    fn forget(&mut self, address: &Address, head: &Head) -> Result<(), Failure> {
        for dependency in &head.dependencies {
            self.dependents.remove((dependency.as_str(), address.as_str()))?;
        }
        self.heads.remove(address.as_str())?;
        self.records.remove(address.as_str())?;
        Ok(())
    }

    fn head(&mut self, address: &Address, mut head: Head) -> Result<(), Failure> {
        let Some(old) = self.stored_head(address)? else { return Ok(()) };
        head.has_deposed = old.has_deposed;
        self.write_head(address, Some(&old), &head)
    }

    fn open_intent(&mut self, mut intent: Intent, transaction: TransactionId) -> Result<(), Failure> {
        intent.transaction = transaction;
        let key = intent.deposed.clone().unwrap_or_default();
        self.intents.insert((intent.address.as_str(), key.as_str()), encode::intent_bytes(&intent).as_slice())?;
        Ok(())
    }

    fn relocate(&mut self, from: &Address, to: &Address) -> Result<(), Failure> {
        let Some(head) = self.stored_head(from)?.filter(|_| from != to) else { return Ok(()) };
        let body = self.records.get(from.as_str())?.map(|bytes| bytes.value().to_vec()).unwrap_or_default();
        self.forget(from, &head)?;
        if let Some(replaced) = self.stored_head(to)? {
            self.forget(to, &replaced)?;
        }
        self.write_head(to, None, &head)?;
        self.records.insert(to.as_str(), body.as_slice())?;
        self.relocate_history(from, to)?;
        for dependent in seconds(&self.dependents, from.as_str())? {
            self.relocate_edge(&dependent, from, to)?;
        }
        self.relocate_intents(from, to)?;
        self.relocate_instances(from, to)
    }

    fn relocate_history(&mut self, from: &Address, to: &Address) -> Result<(), Failure> {
        let mut entries = Vec::new();
        for entry in self.history.range((from.as_str(), 0)..=(from.as_str(), u64::MAX))? {
            let (key, bytes) = entry?;
            entries.push((key.value().1, bytes.value().to_vec()));
        }
        for (transaction, bytes) in entries {
            let record = encode::entry(from.clone(), &bytes).map_err(Failure::broken("the history", from.as_str()))?;
            self.history.remove((from.as_str(), transaction))?;
            self.written.remove((transaction, from.as_str()))?;
            let moved = record.map(|record| Record { address: to.clone(), ..record });
            self.note(to, TransactionId(transaction), moved.as_ref())?;
        }
        Ok(())
    }

    fn relocate_edge(&mut self, dependent: &str, from: &Address, to: &Address) -> Result<(), Failure> {
        let dependent = encode::address(dependent).map_err(Failure::broken("an edge", dependent))?;
        let Some(old) = self.stored_head(&dependent)? else { return Ok(()) };
        let mut head = old.clone();
        rename(&mut head.dependencies, from, to);
        self.write_head(&dependent, Some(&old), &head)
    }

    fn relocate_intents(&mut self, from: &Address, to: &Address) -> Result<(), Failure> {
        let mut intents: Vec<(String, Intent)> = Vec::new();
        for entry in self.intents.iter()? {
            let (key, bytes) = entry?;
            let (address, deposed) = key.value();
            let address = encode::address(address).map_err(Failure::broken("an intent", address))?;
            let intent = encode::intent(address.clone(), bytes.value()).map_err(Failure::broken("the intent", address.as_str()))?;
            intents.push((deposed.to_owned(), intent));
        }
        // What moves comes last: it replaces what was open at its new address.
        intents.sort_by_key(|(_, intent)| intent.address == *from);
        for (deposed, old) in intents {
            let mut new = old.clone();
            if new.address == *from {
                new.address = to.clone();
            }
            if let Some(record) = &mut new.record {
                rename(&mut record.head.dependencies, from, to);
                if record.address == *from {
                    record.address = to.clone();
                }
            }
            if new != old {
                self.intents.remove((old.address.as_str(), deposed.as_str()))?;
                self.intents.insert((new.address.as_str(), deposed.as_str()), encode::intent_bytes(&new).as_slice())?;
            }
        }
        Ok(())
    }

    fn relocate_instances(&mut self, from: &Address, to: &Address) -> Result<(), Failure> {
        let mut changed: Vec<(String, InstanceRecord)> = Vec::new();
        for entry in self.instances.iter()? {
            let (key, bytes) = entry?;
            let mut instance = encode::instance(bytes.value()).map_err(Failure::broken("the provider instance", key.value()))?;
            if instance.dependencies.contains(from) {
                rename(&mut instance.dependencies, from, to);
                changed.push((key.value().to_owned(), instance));
            }
        }
        for (address, instance) in changed {
            self.instances.insert(address.as_str(), encode::instance_bytes(&instance).as_slice())?;
        }
        Ok(())
    }
}

/// Replaces one address in a sorted list.
fn rename(addresses: &mut Vec<Address>, from: &Address, to: &Address) {
    if addresses.contains(from) {
        addresses.retain(|address| address != from && address != to);
        addresses.push(to.clone());
        addresses.sort();
    }
}
