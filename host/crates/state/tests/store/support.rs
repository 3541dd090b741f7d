//! Records to store, and a runtime to wait with.

use std::future::Future;

use pravo_model::provider::ProviderBinding;
use pravo_model::specification::Kind;
use pravo_model::state::{
    Change, Deposed, Fingerprint, Head, Intent, IntentAction, Object, Record, StateStore, StateWriter, Status, Timestamp, TransactionId,
    TransactionRecord,
};
use pravo_model::{Address, Path, PathStep};
use pravo_state::RedbStore;

pub fn address(text: &str) -> Address {
    text.parse().unwrap()
}

pub fn object(seed: u64) -> Object {
    Object {
        attributes: format!("{{\"id\":\"id-{seed}\",\"length\":{seed}}}").into_bytes(),
        schema_version: seed % 3,
        private: vec![seed as u8; (seed % 5) as usize],
        sensitive: if seed.is_multiple_of(2) {
            vec![]
        } else {
            vec![Path(vec![PathStep::Attribute("tags".into()), PathStep::Key("k".into()), PathStep::Index(seed), PathStep::Element("1".into())])]
        },
    }
}

pub fn head(seed: u64, dependencies: Vec<Address>) -> Head {
    let mut dependencies = dependencies;
    dependencies.sort();
    dependencies.dedup();
    Head {
        fingerprint: (!seed.is_multiple_of(3)).then_some(Fingerprint([seed as u8; 16])),
        read_at: Timestamp(seed * 1_000_003),
        status: [Status::Ready, Status::Tainted, Status::Uncertain][(seed % 3) as usize],
        kind: if seed.is_multiple_of(4) { Kind::Data } else { Kind::Resource },
        has_deposed: false,
        dependencies,
    }
}

pub fn record(text: &str, seed: u64, dependencies: &[&str]) -> Record {
    Record {
        address: address(text),
        type_name: "random_pet".into(),
        head: head(seed, dependencies.iter().map(|text| address(text)).collect()),
        binding: ProviderBinding {
            package: "pravo.dev/providers/hashicorp/random".into(),
            allow: if seed.is_multiple_of(7) { "{\"fs\":[]}".into() } else { String::new() },
        },
        instance: address("$random"),
        object: (!seed.is_multiple_of(5)).then(|| object(seed)),
        deposed: if seed.is_multiple_of(4) { vec![Deposed { key: format!("{seed:08x}"), object: object(seed + 1) }] } else { vec![] },
        create_before_destroy: seed.is_multiple_of(2),
        transaction: TransactionId(0),
    }
}

pub fn put(text: &str, seed: u64, dependencies: &[&str]) -> Change {
    Change::Put(Box::new(record(text, seed, dependencies)))
}

pub fn open(text: &str, seed: u64) -> Change {
    Change::Open(Box::new(Intent {
        address: address(text),
        action: IntentAction::Create,
        deposed: None,
        record: Some(Box::new(record(text, seed, &[]))),
        transaction: TransactionId(0),
    }))
}

pub fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// Runs one transaction of several commits.
pub fn transact(store: &RedbStore, commits: Vec<Vec<Change>>) -> TransactionId {
    let writer = store.write("test").unwrap();
    for changes in commits {
        wait(writer.commit(changes)).unwrap();
    }
    wait(writer.finish(TransactionRecord::default())).unwrap();
    writer.transaction()
}

pub fn store() -> (tempfile::TempDir, RedbStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = RedbStore::new(directory.path().join("pravo.state")).unwrap();
    (directory, store)
}

pub fn writer(store: &RedbStore) -> Box<dyn StateWriter> {
    store.write("pravo apply").unwrap()
}
