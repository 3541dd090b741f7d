//! Whatever the changes are, the file holds what a plain map would.

use std::collections::{BTreeMap, BTreeSet};

use pravo_model::Address;
use pravo_model::provider::ProviderBinding;
use pravo_model::state::{Change, Head, HistoryEntry, InstanceRecord, Intent, IntentAction, Record, StateStore, TransactionId};
use proptest::prelude::*;

use crate::support::{address, head, record, store, transact};

const ADDRESSES: [&str; 8] = ["a", "b", "g.x", "g.y", "l[2]", "l[10]", "_h", "\"é-\""];

#[derive(Default)]
struct Plain {
    records: BTreeMap<String, Record>,
    intents: BTreeMap<(String, String), Intent>,
    instances: BTreeMap<String, InstanceRecord>,
    history: BTreeMap<(u64, String), Option<Record>>,
}

fn rename(addresses: &mut [Address], from: &Address, to: &Address) -> Vec<Address> {
    let set: BTreeSet<Address> = addresses.iter().map(|one| if one == from { to.clone() } else { one.clone() }).collect();
    set.into_iter().collect()
}

impl Plain {
    fn apply(&mut self, change: Change, transaction: TransactionId) {
        match change {
            Change::Put(mut record) => {
                record.transaction = transaction;
                record.head.has_deposed = !record.deposed.is_empty();
                let text = record.address.to_string();
                self.history.insert((transaction.0, text.clone()), Some((*record).clone()));
                self.records.insert(text, *record);
            }
            Change::Remove(address) => {
                if self.records.remove(address.as_str()).is_some() {
                    self.history.insert((transaction.0, address.to_string()), None);
                }
            }
            Change::Move { from, to } => self.relocate(&from, &to),
            Change::Head(address, head) => {
                if let Some(record) = self.records.get_mut(address.as_str()) {
                    record.head = Head { has_deposed: record.head.has_deposed, ..*head };
                }
            }
            Change::Open(mut intent) => {
                intent.transaction = transaction;
                self.intents.insert((intent.address.to_string(), intent.deposed.clone().unwrap_or_default()), *intent);
            }
            Change::Close(address, deposed) => {
                self.intents.remove(&(address.to_string(), deposed.unwrap_or_default()));
            }
            Change::PutInstance(address, instance) => {
                self.instances.insert(address.to_string(), *instance);
            }
            Change::RemoveInstance(address) => {
                self.instances.remove(address.as_str());
            }
        }
    }

    fn relocate(&mut self, from: &Address, to: &Address) {
        if from == to {
            return;
        }
        let Some(mut moved) = self.records.remove(from.as_str()) else { return };
        moved.address = to.clone();
        self.records.insert(to.to_string(), moved);
        for ((transaction, text), entry) in std::mem::take(&mut self.history) {
            if text == from.as_str() {
                self.history.insert((transaction, to.to_string()), entry.map(|record| Record { address: to.clone(), ..record }));
            } else {
                self.history.entry((transaction, text)).or_insert(entry);
            }
        }
        for record in self.records.values_mut() {
            record.head.dependencies = rename(&mut record.head.dependencies, from, to);
        }
        for instance in self.instances.values_mut() {
            instance.dependencies = rename(&mut instance.dependencies, from, to);
        }
        let mut intents: Vec<_> = std::mem::take(&mut self.intents).into_iter().collect();
        // What moves replaces what was open at its new address.
        intents.sort_by_key(|((text, _), _)| text == from.as_str());
        for ((text, key), mut intent) in intents {
            let at = if text == from.as_str() { to.to_string() } else { text };
            intent.address = address(&at);
            if let Some(record) = &mut intent.record {
                record.head.dependencies = rename(&mut record.head.dependencies, from, to);
                if record.address == *from {
                    record.address = to.clone();
                }
            }
            self.intents.insert((at, key), intent);
        }
    }

    fn check(&self, view: &dyn pravo_model::state::StateView, last: TransactionId) {
        let records: Vec<Record> = self.records.values().cloned().collect();
        assert_eq!(view.records().unwrap(), records);
        assert_eq!(view.heads().unwrap(), records.iter().map(|record| (record.address.clone(), record.head.clone())).collect::<Vec<_>>());
        for text in ADDRESSES.map(address) {
            assert_eq!(view.record(&text).unwrap(), self.records.get(text.as_str()).cloned());
            let dependents: BTreeSet<Address> =
                records.iter().filter(|record| record.head.dependencies.contains(&text)).map(|record| record.address.clone()).collect();
            assert_eq!(view.dependents(&text).unwrap(), dependents.into_iter().collect::<Vec<_>>(), "dependents of {text}");
            for until in 0..=last.0 {
                let then = self.history.iter().rfind(|((transaction, at), _)| *transaction <= until && at == text.as_str());
                assert_eq!(view.record_at(&text, TransactionId(until)).unwrap(), then.and_then(|(_, entry)| entry.clone()));
            }
        }
        assert_eq!(view.intents().unwrap(), self.intents.values().cloned().collect::<Vec<_>>());
        let instances: Vec<_> = self.instances.iter().map(|(text, instance)| (address(text), instance.clone())).collect();
        assert_eq!(view.instances().unwrap(), instances);
        let entry = |((transaction, text), record): (&(u64, String), &Option<Record>)| HistoryEntry {
            transaction: TransactionId(*transaction),
            address: address(text),
            record: record.clone(),
        };
        for after in 0..=last.0 {
            let expected: Vec<_> = self.history.iter().filter(|((transaction, _), _)| *transaction > after).map(entry).collect();
            assert_eq!(view.history(TransactionId(after), last).unwrap(), expected);
        }
        assert_eq!(view.last_transaction().unwrap().unwrap().id, last.0);
        assert_eq!(view.transactions().unwrap().len() as u64, last.0);
    }
}

fn change() -> impl Strategy<Value = Change> {
    let at = || prop::sample::select(&ADDRESSES[..]);
    let dependencies = || prop::collection::vec(at(), 0..4);
    let key = || prop::option::of(Just("0000beef".to_owned()));
    prop_oneof![
        6 => (at(), 0u64..100, dependencies()).prop_map(|(at, seed, on)| Change::Put(Box::new(record(at, seed, &on)))),
        2 => at().prop_map(|at| Change::Remove(address(at))),
        2 => (at(), at()).prop_map(|(from, to)| Change::Move { from: address(from), to: address(to) }),
        2 => (at(), 0u64..100, dependencies()).prop_map(|(at, seed, on)| Change::Head(address(at), Box::new(head(seed, on.into_iter().map(address).collect())))),
        2 => (at(), 0u64..100, dependencies(), key()).prop_map(|(at, seed, on, deposed)| {
            let action = if deposed.is_some() { IntentAction::DeleteDeposed } else { [IntentAction::Create, IntentAction::Update, IntentAction::Delete][(seed % 3) as usize] };
            let record = (!seed.is_multiple_of(4)).then(|| Box::new(record(at, seed, &on)));
            Change::Open(Box::new(Intent { address: address(at), action, deposed, record, transaction: TransactionId(0) }))
        }),
        2 => (at(), key()).prop_map(|(at, deposed)| Change::Close(address(at), deposed)),
        1 => (at(), dependencies()).prop_map(|(at, on)| {
            let dependencies: BTreeSet<Address> = on.into_iter().map(address).collect();
            let binding = ProviderBinding { package: "p".into(), allow: String::new() };
            Change::PutInstance(address(at), Box::new(InstanceRecord { binding, config: "{}".into(), sensitive: vec![], dependencies: dependencies.into_iter().collect() }))
        }),
        1 => at().prop_map(|at| Change::RemoveInstance(address(at))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_file_holds_what_a_map_would(transactions in prop::collection::vec(prop::collection::vec(prop::collection::vec(change(), 0..6), 1..4), 1..4)) {
        let (_directory, store) = store();
        let mut plain = Plain::default();
        for commits in transactions {
            let id = transact(&store, commits.clone());
            commits.into_iter().flatten().for_each(|change| plain.apply(change, id));
            plain.check(&*store.view().unwrap(), id);
        }
    }
}
