//! Reading: one consistent moment, however long it is looked at.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use pravo_model::Address;
use pravo_model::state::{Head, HistoryEntry, InstanceRecord, Intent, Record, StateError, StateView, TransactionId, TransactionRecord};
use redb::{ReadTransaction, ReadableTable as _, ReadableTableMetadata as _};

use crate::encode::{self, Known};
use crate::error::Failure;
use crate::guard::guarded;
use crate::open::{self, Readable};
use crate::tables::{DEPENDENTS, HEADS, HISTORY, INSTANCES, INTENTS, RECORDS, TRANSACTIONS, WRITTEN, seconds};

/// A view of a file.
pub(crate) struct View {
    transaction: ReadTransaction,
    /// Kept open as long as the transaction.
    _opened: Readable,
    key: [u8; 32],
    path: PathBuf,
}

/// Opens a view; of an empty state with the given key where there is no file.
pub(crate) fn open(path: &Path, new_key: [u8; 32]) -> Result<Box<dyn StateView>, StateError> {
    let Some((opened, header)) = open::read(path)? else { return Ok(Box::new(Empty(new_key))) };
    let transaction = guarded(|| opened.begin()).map_err(|failure| failure.about(path))?;
    Ok(Box::new(View { transaction, _opened: opened, key: header.key, path: path.to_owned() }))
}

impl View {
    fn guarded<T>(&self, run: impl FnOnce() -> Result<T, Failure>) -> Result<T, StateError> {
        guarded(run).map_err(|failure| failure.about(&self.path))
    }

    fn read_heads(&self) -> Result<Vec<(Address, Head)>, Failure> {
        let table = self.transaction.open_table(HEADS)?;
        let mut addresses = Vec::with_capacity(usize::try_from(table.len()?).unwrap_or(0).min(1 << 20));
        for entry in table.iter()? {
            addresses.push(address("the head", entry?.0.value())?);
        }
        let known: Known<'_> = addresses.iter().map(|address| (address.as_str(), address.clone())).collect();
        let mut heads = Vec::with_capacity(addresses.len());
        // The pages are in memory by now: a second walk is cheaper than copies.
        for (entry, address) in table.iter()?.zip(&addresses) {
            let head = encode::head(address.as_str(), entry?.1.value(), &known).map_err(Failure::broken("the head", address.as_str()))?;
            heads.push((address.clone(), head));
        }
        Ok(heads)
    }

    fn read_record(&self, address: &Address) -> Result<Option<Record>, Failure> {
        let Some(head) = self.transaction.open_table(HEADS)?.get(address.as_str())? else { return Ok(None) };
        let broken = || Failure::broken("the record", address.as_str());
        let head = encode::head(address.as_str(), head.value(), &Known::new()).map_err(broken())?;
        let body = self.transaction.open_table(RECORDS)?.get(address.as_str())?;
        let body = body.ok_or(crate::codec::Broken("it has a head and no body")).map_err(broken())?;
        encode::body(address.clone(), head, body.value()).map(Some).map_err(broken())
    }

    fn read_records(&self) -> Result<Vec<Record>, Failure> {
        let mut heads: HashMap<Address, Head> = self.read_heads()?.into_iter().collect();
        let mut records = Vec::with_capacity(heads.len());
        for entry in self.transaction.open_table(RECORDS)?.iter()? {
            let (key, bytes) = entry?;
            let address = address("the record", key.value())?;
            let broken = || Failure::broken("the record", key.value());
            let head = heads.remove(&address).ok_or(crate::codec::Broken("it has a body and no head")).map_err(broken())?;
            records.push(encode::body(address, head, bytes.value()).map_err(broken())?);
        }
        Ok(records)
    }

    fn read_history(&self, after: u64, until: u64) -> Result<Vec<HistoryEntry>, Failure> {
        let Some(first) = after.checked_add(1).filter(|first| *first <= until) else { return Ok(Vec::new()) };
        let history = self.transaction.open_table(HISTORY)?;
        let mut entries = Vec::new();
        for entry in self.transaction.open_table(WRITTEN)?.range((first, "")..)? {
            let (key, ()) = {
                let (key, value) = entry?;
                (key, value.value())
            };
            let (transaction, text) = key.value();
            if transaction > until {
                break;
            }
            let address = address("the history", text)?;
            let Some(bytes) = history.get((text, transaction))? else { continue };
            let record = encode::entry(address.clone(), bytes.value()).map_err(Failure::broken("the history", text))?;
            entries.push(HistoryEntry { transaction: TransactionId(transaction), address, record });
        }
        Ok(entries)
    }
}

fn address(table: &'static str, text: &str) -> Result<Address, Failure> {
    encode::address(text).map_err(Failure::broken(table, text))
}

impl StateView for View {
    fn key(&self) -> [u8; 32] {
        self.key
    }

    fn last_transaction(&self) -> Result<Option<TransactionRecord>, StateError> {
        self.guarded(|| {
            let table = self.transaction.open_table(TRANSACTIONS)?;
            let last = table.last()?;
            last.map(|(id, bytes)| encode::transaction(id.value(), bytes.value()).map_err(Failure::broken("the transaction", id.value().to_string())))
                .transpose()
        })
    }

    fn heads(&self) -> Result<Vec<(Address, Head)>, StateError> {
        self.guarded(|| self.read_heads())
    }

    fn record(&self, address: &Address) -> Result<Option<Record>, StateError> {
        self.guarded(|| self.read_record(address))
    }

    fn records(&self) -> Result<Vec<Record>, StateError> {
        self.guarded(|| self.read_records())
    }

    fn dependents(&self, address: &Address) -> Result<Vec<Address>, StateError> {
        self.guarded(|| {
            let texts = seconds(&self.transaction.open_table(DEPENDENTS)?, address.as_str())?;
            let mut dependents = texts.iter().map(|text| self::address("the edge", text)).collect::<Result<Vec<_>, _>>()?;
            dependents.sort();
            Ok(dependents)
        })
    }

    fn intents(&self) -> Result<Vec<Intent>, StateError> {
        self.guarded(|| {
            let mut intents = Vec::new();
            for entry in self.transaction.open_table(INTENTS)?.iter()? {
                let (key, bytes) = entry?;
                let (text, _) = key.value();
                intents.push(encode::intent(address("the intent", text)?, bytes.value()).map_err(Failure::broken("the intent", text))?);
            }
            Ok(intents)
        })
    }

    fn instances(&self) -> Result<Vec<(Address, InstanceRecord)>, StateError> {
        self.guarded(|| {
            let mut instances = Vec::new();
            for entry in self.transaction.open_table(INSTANCES)?.iter()? {
                let (key, bytes) = entry?;
                let instance = encode::instance(bytes.value()).map_err(Failure::broken("the provider instance", key.value()))?;
                instances.push((address("the provider instance", key.value())?, instance));
            }
            Ok(instances)
        })
    }

    fn transactions(&self) -> Result<Vec<TransactionRecord>, StateError> {
        self.guarded(|| {
            let mut transactions = Vec::new();
            for entry in self.transaction.open_table(TRANSACTIONS)?.iter()? {
                let (id, bytes) = entry?;
                transactions
                    .push(encode::transaction(id.value(), bytes.value()).map_err(Failure::broken("the transaction", id.value().to_string()))?);
            }
            Ok(transactions)
        })
    }

    fn history(&self, after: TransactionId, until: TransactionId) -> Result<Vec<HistoryEntry>, StateError> {
        self.guarded(|| self.read_history(after.0, until.0))
    }

    fn record_at(&self, address: &Address, transaction: TransactionId) -> Result<Option<Record>, StateError> {
        self.guarded(|| {
            let history = self.transaction.open_table(HISTORY)?;
            let last = history.range((address.as_str(), 0)..=(address.as_str(), transaction.0))?.next_back();
            let Some((_, bytes)) = last.transpose()? else { return Ok(None) };
            encode::entry(address.clone(), bytes.value()).map_err(Failure::broken("the history", address.as_str()))
        })
    }
}

/// The view where there is no file.
struct Empty([u8; 32]);

impl StateView for Empty {
    fn key(&self) -> [u8; 32] {
        self.0
    }

    fn last_transaction(&self) -> Result<Option<TransactionRecord>, StateError> {
        Ok(None)
    }

    fn heads(&self) -> Result<Vec<(Address, Head)>, StateError> {
        Ok(Vec::new())
    }

    fn record(&self, _: &Address) -> Result<Option<Record>, StateError> {
        Ok(None)
    }

    fn records(&self) -> Result<Vec<Record>, StateError> {
        Ok(Vec::new())
    }

    fn dependents(&self, _: &Address) -> Result<Vec<Address>, StateError> {
        Ok(Vec::new())
    }

    fn intents(&self) -> Result<Vec<Intent>, StateError> {
        Ok(Vec::new())
    }

    fn instances(&self) -> Result<Vec<(Address, InstanceRecord)>, StateError> {
        Ok(Vec::new())
    }

    fn transactions(&self) -> Result<Vec<TransactionRecord>, StateError> {
        Ok(Vec::new())
    }

    fn history(&self, _: TransactionId, _: TransactionId) -> Result<Vec<HistoryEntry>, StateError> {
        Ok(Vec::new())
    }

    fn record_at(&self, _: &Address, _: TransactionId) -> Result<Option<Record>, StateError> {
        Ok(None)
    }
}
