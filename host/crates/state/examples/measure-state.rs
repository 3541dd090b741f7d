//! Measures the store: 5,000 creations with ten in flight, then what a plan without changes reads of 100,000 records.
//!
//! `cargo run --release -p pravo-state --example measure-state [CREATIONS] [RECORDS]`

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use pravo_model::Address;
use pravo_model::provider::ProviderBinding;
use pravo_model::specification::Kind;
use pravo_model::state::{
    Change, Fingerprint, Head, Intent, IntentAction, Object, Record, StateStore, StateWriter, Status, Timestamp, TransactionId, TransactionRecord,
};
use pravo_state::RedbStore;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const IN_FLIGHT: usize = 10;

/// The i-th of chains of ten.
fn record(i: u64) -> Result<Record> {
    let address = |i: u64| format!("chains.chain_{:05}.step_{}", i / 10, i % 10).parse::<Address>();
    let head = Head {
        fingerprint: Some(Fingerprint([i as u8; 16])),
        read_at: Timestamp::now(),
        status: Status::Ready,
        kind: Kind::Resource,
        has_deposed: false,
        dependencies: if i.is_multiple_of(10) { vec![] } else { vec![address(i - 1)?] },
    };
    let attributes = format!(r#"{{"id":"pet-{i}","keepers":{{"before":"pet-{}"}},"length":2,"prefix":null,"separator":"-"}}"#, i.saturating_sub(1));
    Ok(Record {
        address: address(i)?,
        type_name: "random_pet".to_owned(),
        head,
        binding: ProviderBinding { package: "pravo.dev/providers/hashicorp/random".to_owned(), allow: String::new() },
        instance: "$random".parse()?,
        object: Some(Object { attributes: attributes.into_bytes(), schema_version: 0, private: vec![], sensitive: vec![] }),
        deposed: vec![],
        create_before_destroy: false,
        transaction: TransactionId(0),
    })
}

async fn create(writer: &dyn StateWriter, i: u64) -> Result<()> {
    let record = Box::new(record(i)?);
    let address = record.address.clone();
    let intent = Intent {
        address: address.clone(),
        action: IntentAction::Create,
        deposed: None,
        record: Some(record.clone()),
        transaction: writer.transaction(),
    };
    writer.commit(vec![Change::Open(Box::new(intent))]).await?;
    // Here a provider would be called.
    tokio::task::yield_now().await;
    writer.commit(vec![Change::Put(record), Change::Close(address, None)]).await?;
    Ok(())
}

async fn creations(store: &RedbStore, count: u64) -> Result<()> {
    let writer: Arc<dyn StateWriter> = store.write("measure")?.into();
    let next = Arc::new(AtomicU64::new(0));
    let begun = Instant::now();
    let tasks: Vec<_> = (0..IN_FLIGHT)
        .map(|_| {
            let (writer, next) = (writer.clone(), next.clone());
            tokio::spawn(async move {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count {
                        return Ok::<(), String>(());
                    }
                    create(&*writer, i).await.map_err(|error| error.to_string())?;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await??;
    }
    println!("{count} creations, {IN_FLIGHT} in flight, every step durable: {:.2?}, {} commits", begun.elapsed(), writer.commits());
    writer.finish(TransactionRecord::default()).await?;
    Ok(())
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.trim().parse().ok()).unwrap_or(0)
}

async fn reading(store: &RedbStore, count: u64) -> Result<()> {
    let writer = store.write("measure")?;
    let begun = Instant::now();
    for first in (0..count).step_by(10_000) {
        let changes: Result<Vec<Change>> = (first..count.min(first + 10_000)).map(|i| Ok(Change::Put(Box::new(record(i)?)))).collect();
        writer.commit(changes?).await?;
    }
    writer.finish(TransactionRecord::default()).await?;
    println!("{count} records written in {:.2?}; the file has {} MB", begun.elapsed(), std::fs::metadata(store.path())?.len() >> 20);
    Ok(())
}

fn heads(store: &RedbStore) -> Result<()> {
    let before = resident();
    let begun = Instant::now();
    let view = store.view()?;
    println!("view opened in {:.2?}", begun.elapsed());
    let heads = view.heads()?;
    println!("{} heads read in {:.2?}; memory grew by {} kB", heads.len(), begun.elapsed(), resident().saturating_sub(before));
    let begun = Instant::now();
    if let Some((address, _)) = heads.get(heads.len() / 2) {
        view.record(address)?;
        println!("one record read in {:.2?}", begun.elapsed());
    }
    Ok(())
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |usual: u64| arguments.next().map_or(Ok(usual), |text| text.parse());
    let (count, records) = (number(5_000)?, number(100_000)?);
    if let Some(path) = arguments.next() {
        return heads(&RedbStore::new(path)?);
    }
    let directory = tempfile::tempdir_in(".")?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(creations(&RedbStore::new(directory.path().join("creations.state"))?, count))?;
    let path = directory.path().join("records.state");
    runtime.block_on(reading(&RedbStore::new(&path)?, records))?;
    // Read in a fresh process, as a plan does.
    std::process::Command::new(std::env::current_exe()?).args(["0", "0"]).arg(&path).status()?;
    Ok(())
}
