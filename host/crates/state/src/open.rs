//! Opening the file: for the writer, for readers beside it, and making it.
//!
//! Kept true here: a reader changes nothing, not even the repair flag of a file whose writer was killed: it works on a repaired copy
//! in memory until the next writer repairs the file. The file appears under its name only when it is complete.

use std::fs::{self, File, OpenOptions};
use std::path::Path;
use std::time::{Duration, Instant};

use pravo_model::state::StateError;
use redb::backends::{FileBackend, InMemoryBackend};
use redb::{Builder, ConcurrencyMode, Database, DatabaseError, ReadOnlyDatabase, ReadableDatabase as _, StorageBackend, TableError};

use crate::error::{Failure, system};
use crate::guard::guarded;
use crate::header::is_there;
use crate::lock;
use crate::tables::{META, TRANSACTIONS, Tables};
use crate::upgrade::{FORMAT, Header, STEPS, upgrade, write_header};

/// Memory for pages.
const CACHE_BYTES: usize = 64 << 20;
/// How long a reader waits while writers come and go.
const PATIENCE: Duration = Duration::from_secs(5);

/// A file that is open for reading.
pub(crate) enum Readable {
    /// The file, shared with a writer.
    File(ReadOnlyDatabase),
    /// A repaired or upgraded copy.
    Copy(Database),
}

impl Readable {
    pub(crate) fn begin(&self) -> Result<redb::ReadTransaction, Failure> {
        Ok(match self {
            Readable::File(database) => database.begin_read()?,
            Readable::Copy(database) => database.begin_read()?,
        })
    }
}

fn builder() -> Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE_BYTES).set_concurrency_mode(ConcurrencyMode::SingleWriter);
    builder
}

/// Opens a state for reading; `None` where there is no file.
pub(crate) fn read(path: &Path) -> Result<Option<(Readable, Header)>, StateError> {
    if !is_there(path)? {
        return Ok(None);
    }
    let until = Instant::now() + PATIENCE;
    let opened = loop {
        match guarded(|| Ok(builder().open_read_only(path)?)) {
            Ok(database) => break Readable::File(database),
            // Its writer was killed, or an upgrade or repair is under way.
            Err(Failure::Redb(redb::Error::RepairAborted)) => match lock::pause_writers(path) {
                Some(_paused) => break guarded(|| copy(path)).map_err(|failure| failure.about(path))?,
                None if Instant::now() < until => std::thread::sleep(Duration::from_millis(20)),
                None => return Err(Failure::Redb(redb::Error::DatabaseAlreadyOpen).about(path)),
            },
            Err(failure) => return Err(failure.about(path)),
        }
    };
    guarded(|| check_readable(opened, path)).map(Some).map_err(|failure| failure.about(path))
}

fn check_readable(opened: Readable, path: &Path) -> Result<(Readable, Header), Failure> {
    let header = {
        let transaction = opened.begin()?;
        let table = transaction.open_table(META).map_err(foreign)?;
        Header::read(&table, FORMAT)?
    };
    if header.format == FORMAT {
        return Ok((opened, header));
    }
    let copy = copy(path)?;
    if let Readable::Copy(database) = &copy {
        prepare(database)?;
    }
    Ok((copy, Header { format: FORMAT, ..header }))
}

/// A table that is not there or of another type: the file is of somebody else.
fn foreign(error: TableError) -> Failure {
    match error {
        TableError::Storage(error) => error.into(),
        _ => Failure::Foreign("it is a redb database of another program"),
    }
}

/// A copy of the file in memory, repaired where it needs it.
fn copy(path: &Path) -> Result<Readable, Failure> {
    let bytes = fs::read(path).map_err(redb::Error::Io)?;
    let memory = InMemoryBackend::new();
    let fill = || {
        memory.set_len(bytes.len() as u64)?;
        memory.write(0, &bytes)
    };
    fill().map_err(redb::Error::Io)?;
    let mut builder = builder();
    builder.set_concurrency_mode(ConcurrencyMode::ExclusiveWriter);
    match builder.create_with_backend(memory) {
        Ok(database) => Ok(Readable::Copy(database)),
        Err(DatabaseError::Storage(redb::StorageError::Corrupted(reason))) => Err(redb::Error::Corrupted(reason).into()),
        Err(error) => Err(error.into()),
    }
}

/// Opens a state for writing, under the lock; makes it, with the given key, where there is no file.
pub(crate) fn write(path: &Path, new_key: [u8; 32]) -> Result<Database, StateError> {
    if !is_there(path)? {
        create(path, new_key)?;
    }
    guarded(|| {
        let database = builder().open(path)?;
        prepare(&database)?;
        Ok(database)
    })
    .map_err(|failure| failure.about(path))
}

/// Checks whose file it is and upgrades it where it is older.
pub(crate) fn prepare(database: &Database) -> Result<(), Failure> {
    let newest = {
        let transaction = database.begin_read()?;
        let table = transaction.open_table(META).map_err(foreign)?;
        Header::read(&table, FORMAT)?.format == FORMAT
    };
    if !newest {
        let transaction = database.begin_write()?;
        upgrade(&transaction, STEPS, FORMAT)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Makes all tables in an empty database.
pub(crate) fn initialise(database: &Database, key: [u8; 32]) -> Result<(), Failure> {
    let transaction = database.begin_write()?;
    write_header(&transaction, &Header { format: FORMAT, key })?;
    Tables::open(&transaction)?;
    transaction.open_table(TRANSACTIONS)?;
    transaction.commit()?;
    Ok(())
}

fn create(path: &Path, key: [u8; 32]) -> Result<(), StateError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    let made = make(&beside, key).and_then(|()| fs::rename(&beside, path).map_err(|error| redb::Error::Io(error).into()));
    if let Err(failure) = made {
        // The failure is what counts; a file that stays is overwritten next time.
        let _ = fs::remove_file(&beside);
        return Err(match failure {
            Failure::Redb(redb::Error::Io(error)) => system("make", path, &error),
            other => other.about(path),
        });
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(directory).and_then(|directory| directory.sync_all()).map_err(|error| system("make", path, &error))
}

fn make(path: &Path, key: [u8; 32]) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(redb::Error::Io)?;
    let database = builder().create_with_backend(FileBackend::new(file)?)?;
    initialise(&database, key)?;
    Ok(database.close()?)
}
