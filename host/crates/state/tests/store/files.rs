//! Files that are no state, or not ours to write.

use std::fs;
use std::path::Path;

use pravo_model::state::{StateError, StateErrorKind, StateStore};
use pravo_state::RedbStore;
use redb::{Database, TableDefinition};

use crate::support::{address, put, store, transact};

const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");

/// Both ways to open it fail in the same way, and leave it as it is.
fn refused(path: &Path, kind: StateErrorKind, part: &str) {
    let before = fs::read(path).ok();
    let store = RedbStore::new(path).unwrap();
    let check = |error: StateError| {
        assert_eq!(error.kind, kind, "{}", error.message);
        assert!(error.message.contains(part), "{part:?} in {:?}", error.message);
        assert!(error.message.contains(&path.display().to_string()), "{:?} names the file", error.message);
    };
    check(store.view().map(drop).unwrap_err());
    check(store.write("test").map(drop).unwrap_err());
    assert!(fs::read(path).ok() == before, "the file was changed");
}

#[test]
fn foreign_files_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pravo.state");
    fs::write(&path, "{\"version\": 4, \"terraform_version\": \"1.11.4\"}").unwrap();
    refused(&path, StateErrorKind::Damaged, "is not a state of pravo: it does not begin as a redb database does");
    fs::write(&path, "").unwrap();
    refused(&path, StateErrorKind::Damaged, "it is empty");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused(&path, StateErrorKind::Damaged, "it is no regular file");
}

#[test]
fn another_database_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("other.redb");
    let database = Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(TableDefinition::<u64, u64>::new("x")).unwrap().insert(1, 1).unwrap();
    transaction.commit().unwrap();
    drop(database);
    let store = RedbStore::new(&path).unwrap();
    for error in [store.view().map(drop).unwrap_err(), store.write("test").map(drop).unwrap_err()] {
        assert_eq!(error.kind, StateErrorKind::Damaged);
        assert!(error.message.ends_with("is not a state of pravo: it is a redb database of another program"), "{}", error.message);
    }
}

#[test]
fn truncated_files_are_refused() {
    let (directory, store) = store();
    transact(&store, (0..50).map(|i| vec![put(&format!("r{i}"), i, &[])]).collect());
    let whole = fs::read(store.path()).unwrap();
    let path = directory.path().join("cut.state");
    for length in [10, 100, 320, 4096, 8192, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let cut = RedbStore::new(&path).unwrap();
        for error in [cut.view().map(drop).unwrap_err(), cut.write("test").map(drop).unwrap_err()] {
            assert_eq!(error.kind, StateErrorKind::Damaged, "{length} bytes: {}", error.message);
        }
        assert_eq!(fs::read(&path).unwrap(), &whole[..length], "{length} bytes: changed");
    }
}

#[test]
fn flipped_bytes_never_end_in_a_panic() {
    let (directory, store) = store();
    transact(&store, (0..40).map(|i| vec![put(&format!("r{i}"), i, &["a"])]).collect());
    let whole = fs::read(store.path()).unwrap();
    let path = directory.path().join("flipped.state");
    let flipped = RedbStore::new(&path).unwrap();
    let mut errors = 0;
    for at in (0..whole.len()).step_by(whole.len() / 400) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&path, &bytes).unwrap();
        let read = || {
            let view = flipped.view()?;
            view.records()?;
            view.dependents(&address("a"))?;
            view.history(pravo_model::state::TransactionId(0), pravo_model::state::TransactionId(9))?;
            view.transactions().map(drop)
        };
        errors += usize::from(read().is_err());
        // The writer works on the same bytes.
        let _ = flipped.write("test").map(drop);
    }
    assert!(errors > 0, "some of the bytes matter");
}

#[test]
fn newer_formats_are_refused() {
    let (_directory, store) = store();
    transact(&store, vec![]);
    let database = Database::open(store.path()).unwrap();
    let transaction = database.begin_write().unwrap();
    let mut table = transaction.open_table(META).unwrap();
    table.insert("format", 2u32.to_le_bytes().as_slice()).unwrap();
    table.insert("written by", b"9.9.9".as_slice()).unwrap();
    drop(table);
    transaction.commit().unwrap();
    drop(database);
    for error in [store.view().map(drop).unwrap_err(), store.write("test").map(drop).unwrap_err()] {
        assert_eq!(error.kind, StateErrorKind::Newer);
        assert!(
            error.message.contains("was written by a newer pravo: it has format 2, and this pravo knows formats up to 1 (written by pravo 9.9.9)"),
            "{}",
            error.message
        );
    }
}

#[test]
fn states_of_format_1_are_read_and_written() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/format-1.state");
    let (_directory, store) = store();
    fs::copy(fixture, store.path()).unwrap();
    let read = |store: &RedbStore| {
        let view = store.view().unwrap();
        assert_eq!(view.records().unwrap(), expected_of_format_1());
        assert_eq!(view.dependents(&address("pet")).unwrap(), [address("note"), address("servers[10]")]);
        assert_eq!(view.intents().unwrap().len(), 1);
        assert_eq!(
            view.record_at(&address("gone"), pravo_model::state::TransactionId(1)).unwrap().map(|record| record.type_name),
            Some("random_pet".to_owned())
        );
        assert_eq!(view.record_at(&address("gone"), pravo_model::state::TransactionId(2)).unwrap(), None);
        view.last_transaction().unwrap().unwrap().id
    };
    assert_eq!(read(&store), 2);
    assert_eq!(transact(&store, vec![]).0, 3);
    assert_eq!(read(&store), 3);
}

fn expected_of_format_1() -> Vec<pravo_model::state::Record> {
    use pravo_model::state::TransactionId;
    let records = [("note", 7, vec!["pet"]), ("pet", 4, vec![]), ("servers[10]", 11, vec!["note", "pet"])];
    let record = |(text, seed, on): (&str, u64, Vec<&str>)| {
        let mut record = crate::support::record(text, seed, &on);
        record.head.has_deposed = !record.deposed.is_empty();
        record.transaction = TransactionId(if text == "note" { 2 } else { 1 });
        record
    };
    records.into_iter().map(record).collect()
}

/// Writes the fixture; run by hand when a format is released: `cargo test -p pravo-state -- --ignored write_the_fixture`.
#[test]
#[ignore = "writes tests/fixtures"]
fn write_the_fixture() {
    let (_directory, store) = store();
    transact(&store, vec![vec![put("pet", 4, &[]), put("gone", 1, &["pet"]), put("servers[10]", 11, &["note", "pet"])]]);
    transact(
        &store,
        vec![vec![put("note", 7, &["pet"]), pravo_model::state::Change::Remove(address("gone"))], vec![crate::support::open("web.new", 3)]],
    );
    fs::copy(store.path(), concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/format-1.state")).unwrap();
}

#[test]
fn directories_that_cannot_be_written_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let missing = RedbStore::new(directory.path().join("no/pravo.state")).unwrap();
    assert!(missing.view().unwrap().heads().unwrap().is_empty());
    let error = missing.write("test").map(drop).unwrap_err();
    assert_eq!((error.kind, error.help.as_str()), (StateErrorKind::System, "The directory of the state must exist."), "{}", error.message);
    // Nobody can make files there, whoever runs the tests.
    let error = RedbStore::new("/proc/pravo.state").unwrap().write("test").map(drop).unwrap_err();
    assert_eq!(error.kind, StateErrorKind::System, "{}", error.message);
    assert!(error.message.starts_with("cannot lock the state /proc/pravo.state: "), "{}", error.message);
}

#[cfg(unix)]
#[test]
fn files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let (directory, store) = store();
    let writer = crate::support::writer(&store);
    let modes: Vec<_> =
        fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().permissions().mode() & 0o777).collect();
    assert_eq!(modes, [0o600, 0o600]);
    drop(writer);
}
