//! Writing: one thread that commits whatever waits.
//!
//! Kept true here: a commit that was acknowledged is on the disk; changes of one call become durable together, in the order of the
//! calls; a call that comes while a commit runs shares the next one with all that came. After a failed commit nothing more is
//! written: every later call gets the same error.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use pravo_model::state::{Change, StateError, StateErrorKind, StateWriter, Timestamp, TransactionId, TransactionRecord};
use redb::{Database, ReadableDatabase as _, ReadableTable as _};
use tokio::sync::oneshot;

use crate::encode;
use crate::error::{Failure, again};
use crate::guard::guarded;
use crate::lock::Lock;
use crate::tables::{TRANSACTIONS, Tables};

/// How many calls share a commit at most.
const MAX_BATCH: usize = 4096;

/// How long the first call of a commit waits for others in a busy run: less than many disks take, and many commits become one.
const GATHER: Duration = Duration::from_millis(2);

type Reply = oneshot::Sender<Result<(), StateError>>;

enum Message {
    Commit(Vec<Change>, Reply),
    Finish(TransactionRecord, Reply),
}

/// The handle of the writing thread.
pub(crate) struct Writer {
    transaction: TransactionId,
    commits: Arc<AtomicU64>,
    path: PathBuf,
    /// `None` once it is being dropped.
    sender: Option<Sender<Message>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Begins a transaction on an open database.
    pub(crate) fn begin(database: Database, lock: Option<Lock>, path: PathBuf, command: &str) -> Result<Self, StateError> {
        let last = guarded(|| {
            let transaction = database.begin_read()?;
            let table = transaction.open_table(TRANSACTIONS)?;
            Ok(table.last()?.map_or(0, |(id, _)| id.value()))
        });
        let last = last.map_err(|failure| failure.about(&path))?;
        let begun =
            TransactionRecord { id: last.saturating_add(1), command: command.to_owned(), begun: Timestamp::now().0, ..TransactionRecord::default() };
        let transaction = TransactionId(begun.id);
        let commits = Arc::new(AtomicU64::new(0));
        let (sender, receiver) = mpsc::channel();
        let thread = Thread { database: Some(database), lock, path: path.clone(), begun, is_begun: false, commits: commits.clone(), failed: None };
        let spawned = std::thread::Builder::new().name("pravo-state".to_owned()).spawn(move || thread.run(&receiver));
        let thread = spawned.map_err(|error| crate::error::system("write", &path, &error))?;
        Ok(Self { transaction, commits, path, sender: Some(sender), thread: Mutex::new(Some(thread)) })
    }

    async fn send(&self, message: impl FnOnce(Reply) -> Message) -> Result<(), StateError> {
        let ended = || StateError {
            kind: StateErrorKind::System,
            message: format!("the transaction on the state {} has ended already", self.path.display()),
            help: String::new(),
        };
        let (reply, answer) = oneshot::channel();
        let sender = self.sender.as_ref().ok_or_else(ended)?;
        sender.send(message(reply)).map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.sender = None;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // The lock is let go when this returns. The thread does not panic; should it, there is nothing left to do.
        let _ = thread.map(JoinHandle::join);
    }
}

#[async_trait]
impl StateWriter for Writer {
    fn transaction(&self) -> TransactionId {
        self.transaction
    }

    async fn commit(&self, changes: Vec<Change>) -> Result<(), StateError> {
        self.send(|reply| Message::Commit(changes, reply)).await
    }

    fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    async fn finish(&self, outcome: TransactionRecord) -> Result<(), StateError> {
        self.send(|reply| Message::Finish(outcome, reply)).await
    }
}

/// What the writing thread owns.
struct Thread {
    database: Option<Database>,
    lock: Option<Lock>,
    path: PathBuf,
    begun: TransactionRecord,
    is_begun: bool,
    commits: Arc<AtomicU64>,
    failed: Option<StateError>,
}

impl Thread {
    fn run(mut self, receiver: &Receiver<Message>) {
        let mut is_busy = false;
        while let Ok(first) = receiver.recv() {
            let mut changes = Vec::new();
            let mut replies = Vec::new();
            let mut finish = None;
            for message in std::iter::once(first).chain(gathered(receiver, is_busy)).take(MAX_BATCH) {
                match message {
                    Message::Commit(more, reply) => {
                        changes.extend(more);
                        replies.push(reply);
                    }
                    Message::Finish(outcome, reply) => {
                        finish = Some((outcome, reply));
                        break;
                    }
                }
            }
            is_busy = replies.len() > 1;
            if !replies.is_empty() {
                let result = self.commit(changes, None);
                for reply in replies {
                    // Whoever does not wait any more does not want to know.
                    let _ = reply.send(result.as_ref().map_err(again).copied());
                }
            }
            if let Some((outcome, reply)) = finish {
                let result = self.finish(outcome);
                let _ = reply.send(result);
                return;
            }
        }
        self.close();
    }

    fn commit(&mut self, changes: Vec<Change>, ended: Option<&TransactionRecord>) -> Result<(), StateError> {
        if let Some(failed) = &self.failed {
            return Err(again(failed));
        }
        let Some(database) = &self.database else { return Ok(()) };
        let begun = (!self.is_begun).then_some(&self.begun);
        let id = TransactionId(self.begun.id);
        let committed = guarded(|| commit(database, changes, id, ended.or(begun)));
        match committed {
            Ok(()) => {
                self.is_begun = true;
                self.commits.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Err(failure) => {
                let error = failure.about(&self.path);
                self.failed = Some(again(&error));
                Err(error)
            }
        }
    }

    fn finish(&mut self, outcome: TransactionRecord) -> Result<(), StateError> {
        let ended = outcome.ended.unwrap_or_else(|| Timestamp::now().0);
        let record =
            TransactionRecord { id: self.begun.id, command: self.begun.command.clone(), begun: self.begun.begun, ended: Some(ended), ..outcome };
        let result = self.commit(Vec::new(), Some(&record));
        self.close();
        result
    }

    /// Closes the file, then lets the lock go.
    fn close(&mut self) {
        if let Some(database) = self.database.take() {
            // Everything acknowledged is durable already; a file that was not closed is repaired when it is opened.
            let _ = guarded(|| Ok(database.close()?));
        }
        if let Some(lock) = self.lock.take() {
            lock.release();
        }
    }
}

/// What waits already; where several shared the last commit, also what comes within a moment.
fn gathered(receiver: &Receiver<Message>, is_busy: bool) -> impl Iterator<Item = Message> {
    let until = Instant::now() + if is_busy { GATHER } else { Duration::ZERO };
    std::iter::from_fn(move || receiver.recv_timeout(until.saturating_duration_since(Instant::now())).ok())
}

fn commit(database: &Database, changes: Vec<Change>, id: TransactionId, record: Option<&TransactionRecord>) -> Result<(), Failure> {
    let transaction = database.begin_write()?;
    if !changes.is_empty() {
        let mut tables = Tables::open(&transaction)?;
        for change in changes {
            tables.apply(change, id)?;
        }
    }
    if let Some(record) = record {
        transaction.open_table(TRANSACTIONS)?.insert(id.0, encode::transaction_bytes(record).as_slice())?;
    }
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io;

    use pravo_model::state::{Head, InstanceRecord, Status};
    use redb::StorageBackend;
    use redb::backends::InMemoryBackend;

    use super::*;
    use crate::open::initialise;

    /// A disk with an end.
    #[derive(Debug)]
    struct Small(InMemoryBackend, u64);

    impl StorageBackend for Small {
        fn len(&self) -> io::Result<u64> {
            self.0.len()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.0.read(offset, out)
        }

        fn set_len(&self, len: u64) -> io::Result<()> {
            if len > self.1 { Err(io::ErrorKind::StorageFull.into()) } else { self.0.set_len(len) }
        }

        fn sync_data(&self) -> io::Result<()> {
            self.0.sync_data()
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.0.write(offset, data)
        }
    }

    fn instance(i: u32) -> Change {
        let record = InstanceRecord {
            binding: pravo_model::provider::ProviderBinding { package: "p".repeat(2_000), allow: String::new() },
            config: "{}".to_owned(),
            sensitive: vec![],
            dependencies: vec![],
        };
        Change::PutInstance(format!("i{i}").parse().unwrap(), Box::new(record))
    }

    #[test]
    fn a_full_disk_is_told_and_nothing_is_written_after_it() {
        let database = Database::builder().create_with_backend(Small(InMemoryBackend::new(), 300_000)).unwrap();
        initialise(&database, [0; 32]).unwrap();
        let writer = Writer::begin(database, None, "the.state".into(), "test").unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let errors: Vec<StateError> = (0..1000).filter_map(|i| runtime.block_on(writer.commit(vec![instance(i)])).err()).collect();
        assert!(errors.len() > 500 && writer.commits() > 10, "{} errors, {} commits", errors.len(), writer.commits());
        for error in &errors {
            assert_eq!(error.kind, StateErrorKind::System);
            assert!(error.message.starts_with("cannot use the state the.state: "), "{}", error.message);
            assert!(error.help.starts_with("The disk is full"), "{}", error.help);
        }
        assert_eq!(writer.commits() + errors.len() as u64, 1000);
        assert!(runtime.block_on(writer.finish(TransactionRecord::default())).is_err());
    }

    #[test]
    fn a_head_without_a_record_is_nothing() {
        let database = Database::builder().create_with_backend(InMemoryBackend::new()).unwrap();
        initialise(&database, [0; 32]).unwrap();
        let head = Head {
            fingerprint: None,
            read_at: Timestamp(0),
            status: Status::Ready,
            kind: pravo_model::specification::Kind::Data,
            has_deposed: false,
            dependencies: vec![],
        };
        commit(&database, vec![Change::Head("a".parse().unwrap(), Box::new(head))], TransactionId(1), None).unwrap();
        let transaction = database.begin_read().unwrap();
        assert!(transaction.open_table(crate::tables::HEADS).unwrap().first().unwrap().is_none());
    }
}
