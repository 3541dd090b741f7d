//! A state in memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use pravo_model::Address;
use pravo_model::state::*;

#[derive(Clone, Default)]
pub(super) struct Contents {
    pub(super) records: BTreeMap<String, Record>,
    pub(super) intents: Vec<Intent>,
    pub(super) instances: BTreeMap<String, InstanceRecord>,
    pub(super) transactions: Vec<TransactionRecord>,
    pub(super) next: u64,
    /// How many records were read, with how many heads.
    pub(super) reads: Arc<AtomicU64>,
    /// Changes that were committed.
    pub(super) changes: u64,
    pub(super) commits: u64,
    /// Stands for a state whose key is made anew by every process until it has a file.
    pub(super) key: u8,
    /// The commit from which on every one fails.
    pub(super) full_after: Option<u64>,
}

#[derive(Clone, Default)]
pub(super) struct MemoryState(pub(super) Arc<Mutex<Contents>>);

impl MemoryState {
    pub(super) fn view(&self) -> Contents {
        self.0.lock().unwrap().clone()
    }
}

impl StateView for Contents {
    fn key(&self) -> [u8; 32] {
        [self.key; 32]
    }

    fn last_transaction(&self) -> Result<Option<TransactionRecord>, StateError> {
        Ok(self.transactions.last().cloned())
    }

    fn heads(&self) -> Result<Vec<(Address, Head)>, StateError> {
        Ok(self.records.values().map(|record| (record.address.clone(), record.head.clone())).collect())
    }

    fn record(&self, address: &Address) -> Result<Option<Record>, StateError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        Ok(self.records.get(address.as_str()).cloned())
    }

    fn records(&self) -> Result<Vec<Record>, StateError> {
        Ok(self.records.values().cloned().collect())
    }

    fn dependents(&self, address: &Address) -> Result<Vec<Address>, StateError> {
        Ok(self.records.values().filter(|record| record.head.dependencies.contains(address)).map(|record| record.address.clone()).collect())
    }

    fn intents(&self) -> Result<Vec<Intent>, StateError> {
        Ok(self.intents.clone())
    }

    fn instances(&self) -> Result<Vec<(Address, InstanceRecord)>, StateError> {
        Ok(self.instances.iter().map(|(address, record)| (address.parse().unwrap(), record.clone())).collect())
    }

    fn transactions(&self) -> Result<Vec<TransactionRecord>, StateError> {
        Ok(self.transactions.clone())
    }

    fn history(&self, _: TransactionId, _: TransactionId) -> Result<Vec<HistoryEntry>, StateError> {
        Ok(Vec::new())
    }

    fn record_at(&self, address: &Address, _: TransactionId) -> Result<Option<Record>, StateError> {
        self.record(address)
    }
}

pub(super) struct Writer {
    state: MemoryState,
    transaction: TransactionId,
}

impl MemoryState {
    pub(super) fn writer(&self) -> Arc<Writer> {
        let mut contents = self.0.lock().unwrap();
        contents.next += 1;
        Arc::new(Writer { state: self.clone(), transaction: TransactionId(contents.next) })
    }
}

impl Contents {
    fn write(&mut self, change: Change, transaction: TransactionId) {
        match change {
            Change::Put(record) => {
                assert!(record.head.has_deposed != record.deposed.is_empty(), "the head tells of deposed objects");
                self.records.insert(record.address.to_string(), Record { transaction, ..*record });
            }
            Change::Remove(address) => _ = self.records.remove(address.as_str()),
            Change::Move { from, to } => {
                let mut record = self.records.remove(from.as_str()).expect("a record that moves exists");
                record.address = to.clone();
                assert!(self.records.insert(to.to_string(), record).is_none());
                for record in self.records.values_mut() {
                    record.head.dependencies.iter_mut().filter(|dependency| **dependency == from).for_each(|dependency| *dependency = to.clone());
                }
            }
            Change::Head(address, head) => self.records.get_mut(address.as_str()).expect("a head has a record").head = *head,
            Change::Open(intent) => self.intents.push(*intent),
            Change::Close(address, key) => self.intents.retain(|intent| intent.address != address || intent.deposed != key),
            Change::PutInstance(address, record) => _ = self.instances.insert(address.to_string(), *record),
            Change::RemoveInstance(address) => _ = self.instances.remove(address.as_str()),
        }
    }
}

#[async_trait]
impl StateWriter for Writer {
    fn transaction(&self) -> TransactionId {
        self.transaction
    }

    async fn commit(&self, changes: Vec<Change>) -> Result<(), StateError> {
        let mut contents = self.state.0.lock().unwrap();
        contents.commits += 1;
        if contents.full_after.is_some_and(|full| contents.commits > full) {
            return Err(StateError { kind: StateErrorKind::System, message: "no space left".to_owned(), help: String::new() });
        }
        contents.changes += changes.len() as u64;
        changes.into_iter().for_each(|change| contents.write(change, self.transaction));
        Ok(())
    }

    fn commits(&self) -> u64 {
        self.state.0.lock().unwrap().commits
    }

    async fn finish(&self, outcome: TransactionRecord) -> Result<(), StateError> {
        self.state.0.lock().unwrap().transactions.push(outcome);
        Ok(())
    }
}
