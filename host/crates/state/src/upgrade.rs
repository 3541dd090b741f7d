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
