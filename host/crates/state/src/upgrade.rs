//! Format versions of the state file.
//!
//! A file of a newer format is refused; one of an older format is upgraded step by step in one transaction, so that it is of one format
//! whenever it is cut off. Every released format has a fixture that a test opens.

use redb::WriteTransaction;

use crate::error::Failure;
use crate::tables::{META, meta};

/// The format that this pravo writes.
pub(crate) const FORMAT: u32 = 1;

/// Brings the tables from the format before `to` to the format `to`.
pub(crate) struct Step {
    pub(crate) to: u32,
    pub(crate) run: fn(&WriteTransaction) -> Result<(), Failure>,
}

/// The steps, ascending. None yet: format 1 is the first.
pub(crate) const STEPS: &[Step] = &[];

/// What `META` says of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) format: u32,
    pub(crate) key: [u8; 32],
}

impl Header {
    /// Reads it from an open `META` table; refuses foreign and newer files.
    pub(crate) fn read(table: &impl redb::ReadableTable<&'static str, &'static [u8]>, newest: u32) -> Result<Self, Failure> {
        let get = |name: &str| Ok::<_, Failure>(table.get(name)?.map(|bytes| bytes.value().to_vec()));
        if get(meta::MAGIC)?.as_deref() != Some(meta::MAGIC_VALUE) {
            return Err(Failure::Foreign("it is a redb database of another program"));
        }
        let format = get(meta::FORMAT)?.and_then(|bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?)));
        let format = format.ok_or(Failure::Foreign("it names no format"))?;
        if format > newest {
            let by = get(meta::WRITTEN_BY)?.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| "of an unknown version".to_owned());
            return Err(Failure::Newer { format, known: newest, by: by.chars().take(40).collect() });
        }
        let key = get(meta::KEY)?.and_then(|bytes| bytes.try_into().ok()).ok_or(Failure::Foreign("it has no key"))?;
        Ok(Self { format, key })
    }
}

/// Writes the header of a new file, or of one that was upgraded.
pub(crate) fn write_header(transaction: &WriteTransaction, header: &Header) -> Result<(), Failure> {
    let mut table = transaction.open_table(META)?;
    table.insert(meta::MAGIC, meta::MAGIC_VALUE)?;
    table.insert(meta::FORMAT, header.format.to_le_bytes().as_slice())?;
    table.insert(meta::KEY, header.key.as_slice())?;
    table.insert(meta::WRITTEN_BY, env!("CARGO_PKG_VERSION").as_bytes())?;
    Ok(())
}

/// Runs the steps that a file needs, within a transaction that the caller commits. Returns whether there were any.
pub(crate) fn upgrade(transaction: &WriteTransaction, steps: &[Step], newest: u32) -> Result<bool, Failure> {
    let mut header = {
        let table = transaction.open_table(META)?;
        Header::read(&table, newest)?
    };
    if header.format == newest {
        return Ok(false);
    }
    for step in steps.iter().filter(|step| step.to > header.format) {
        (step.run)(transaction)?;
    }
    header.format = newest;
    write_header(transaction, &header)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use redb::backends::InMemoryBackend;
    use redb::{Database, ReadableDatabase as _, ReadableTable as _, TableDefinition};

    use super::*;

    const RESULT: TableDefinition<'_, &str, u32> = TableDefinition::new("result");

    fn header_of(database: &Database, newest: u32) -> Result<Header, Failure> {
        Header::read(&database.begin_read()?.open_table(META)?, newest)
    }

    fn note(transaction: &WriteTransaction, step: u32) -> Result<(), Failure> {
        let mut table = transaction.open_table(RESULT)?;
        let before = table.get("steps")?.map_or(0, |steps| steps.value());
        table.insert("steps", before * 10 + step)?;
        Ok(())
    }

    const THREE: &[Step] = &[
        Step { to: 2, run: |transaction| note(transaction, 2) },
        Step { to: 3, run: |transaction| note(transaction, 3) },
        Step { to: 4, run: |transaction| note(transaction, 4) },
    ];

    fn old(format: u32) -> Database {
        let database = Database::builder().create_with_backend(InMemoryBackend::new()).unwrap();
        let transaction = database.begin_write().unwrap();
        write_header(&transaction, &Header { format, key: [7; 32] }).unwrap();
        transaction.commit().unwrap();
        database
    }

    #[test]
    fn an_older_file_takes_the_steps_that_it_needs_in_order() {
        for (format, steps) in [(1, Some(234)), (2, Some(34)), (4, None)] {
            let database = old(format);
            let transaction = database.begin_write().unwrap();
            assert_eq!(upgrade(&transaction, THREE, 4).unwrap(), steps.is_some());
            transaction.commit().unwrap();
            assert_eq!(header_of(&database, 4).unwrap(), Header { format: 4, key: [7; 32] });
            let taken = database.begin_read().unwrap().open_table(RESULT).ok().map(|table| table.get("steps").unwrap().unwrap().value());
            assert_eq!(taken, steps);
        }
    }

    #[test]
    fn an_upgrade_that_is_cut_off_leaves_the_old_format() {
        let database = old(1);
        let transaction = database.begin_write().unwrap();
        upgrade(&transaction, THREE, 4).unwrap();
        drop(transaction);
        assert_eq!(header_of(&database, 4).unwrap().format, 1);
        assert!(database.begin_read().unwrap().open_table(RESULT).is_err());
    }

    #[test]
    fn a_newer_file_is_refused_with_who_wrote_it() {
        let error = header_of(&old(9), FORMAT).unwrap_err();
        assert!(matches!(&error, Failure::Newer { format: 9, known: FORMAT, by } if by == env!("CARGO_PKG_VERSION")), "{error}");
    }

    #[test]
    fn the_steps_lead_to_the_format() {
        assert!(STEPS.is_sorted_by(|one, other| one.to < other.to));
        assert_eq!(STEPS.last().map_or(1, |step| step.to), FORMAT);
    }
}
