//! The tables of the state file.
//!
//! A plan without changes reads `HEADS` alone. Edges stand in both directions: from a record to what it depends on in its head, back
//! in `DEPENDENTS`. The history is found by address and by transaction.

use redb::{ReadableTable, Table, TableDefinition, WriteTransaction};

/// Text → bytes: `magic`, `format`, `key`, `written by`. The one table that no format may change.
pub(crate) const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");
/// Address → what a plan without changes needs.
pub(crate) const HEADS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("heads");
/// Address → the rest of the record.
pub(crate) const RECORDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("records");
/// (Dependency, dependent).
pub(crate) const DEPENDENTS: TableDefinition<'_, (&str, &str), ()> = TableDefinition::new("dependents");
/// Id → transaction.
pub(crate) const TRANSACTIONS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("transactions");
/// (Address, transaction) → the record after it, or that it was removed.
pub(crate) const HISTORY: TableDefinition<'_, (&str, u64), &[u8]> = TableDefinition::new("history");
/// (Transaction, address): the same, by transaction.
pub(crate) const WRITTEN: TableDefinition<'_, (u64, &str), ()> = TableDefinition::new("written");
/// (Address, key of the deposed object or nothing) → open intent.
pub(crate) const INTENTS: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("intents");
/// Address of a provider instance → its last configuration.
pub(crate) const INSTANCES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("instances");

/// Names of the entries of `META`.
pub(crate) mod meta {
    pub(crate) const MAGIC: &str = "magic";
    pub(crate) const MAGIC_VALUE: &[u8] = b"pravo.state";
    pub(crate) const FORMAT: &str = "format";
    pub(crate) const KEY: &str = "key";
    pub(crate) const WRITTEN_BY: &str = "written by";
}

/// All tables but `META` and `TRANSACTIONS`, open for one commit.
pub(crate) struct Tables<'t> {
    pub(crate) heads: Table<'t, &'static str, &'static [u8]>,
    pub(crate) records: Table<'t, &'static str, &'static [u8]>,
    pub(crate) dependents: Table<'t, (&'static str, &'static str), ()>,
    pub(crate) history: Table<'t, (&'static str, u64), &'static [u8]>,
    pub(crate) written: Table<'t, (u64, &'static str), ()>,
    pub(crate) intents: Table<'t, (&'static str, &'static str), &'static [u8]>,
    pub(crate) instances: Table<'t, &'static str, &'static [u8]>,
}

impl<'t> Tables<'t> {
    pub(crate) fn open(transaction: &'t WriteTransaction) -> Result<Self, redb::TableError> {
        Ok(Self {
            heads: transaction.open_table(HEADS)?,
            records: transaction.open_table(RECORDS)?,
            dependents: transaction.open_table(DEPENDENTS)?,
            history: transaction.open_table(HISTORY)?,
            written: transaction.open_table(WRITTEN)?,
            intents: transaction.open_table(INTENTS)?,
            instances: transaction.open_table(INSTANCES)?,
        })
    }
}

/// The second halves of the keys of a pair table that begin with a text.
pub(crate) fn seconds(table: &impl ReadableTable<(&'static str, &'static str), ()>, first: &str) -> Result<Vec<String>, redb::StorageError> {
    let mut found = Vec::new();
    for entry in table.range((first, "")..)? {
        let (key, _) = entry?;
        let (at, second) = key.value();
        if at != first {
            break;
        }
        found.push(second.to_owned());
    }
    Ok(found)
}
