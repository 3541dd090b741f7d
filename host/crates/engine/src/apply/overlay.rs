//! The records as they are while an apply goes on: what was written in this run over what the state held before.

use std::collections::HashMap;

use pravo_diag::Diagnostic;
use pravo_model::Address;
use pravo_model::state::{Head, Record, StateView};

use crate::failure::state_diagnostic;

/// A view of the state with the changes of this run.
pub(super) struct Overlay<'a> {
    state: &'a dyn StateView,
    /// New addresses of records to the ones that the view knows.
    previous: HashMap<Address, Address>,
    moved: HashMap<Address, Address>,
    heads: HashMap<Address, Head>,
    written: HashMap<Address, Option<Record>>,
}

impl<'a> Overlay<'a> {
    pub(super) fn new(state: &'a dyn StateView, moves: &[(Address, Address)]) -> Self {
        Self {
            state,
            previous: moves.iter().map(|(from, to)| (to.clone(), from.clone())).collect(),
            moved: moves.iter().cloned().collect(),
            heads: HashMap::new(),
            written: HashMap::new(),
        }
    }

    /// A record was written or removed.
    pub(super) fn write(&mut self, address: &Address, record: Option<Record>) {
        self.written.insert(address.clone(), record);
    }

    /// A head was written.
    pub(super) fn head(&mut self, address: &Address, head: Head) {
        self.heads.insert(address.clone(), head);
    }

    /// The record of an address as it is now.
    pub(super) fn get(&self, address: &Address) -> Result<Option<Record>, Diagnostic> {
        if let Some(written) = self.written.get(address) {
            return Ok(written.clone());
        }
        if self.moved.contains_key(address) {
            return Ok(None);
        }
        let stored = self.previous.get(address).unwrap_or(address);
        let record = self.state.record(stored).map_err(|error| state_diagnostic(&error))?;
        Ok(record.map(|record| {
            let head = self.heads.get(address).cloned().unwrap_or_else(|| record.head.clone());
            Record { address: address.clone(), head, ..record }
        }))
    }

    /// Every provider instance that a record belongs to.
    pub(super) fn instances(&self) -> Result<Vec<Address>, Diagnostic> {
        let stored = self.state.records().map_err(|error| state_diagnostic(&error))?;
        let kept = stored.into_iter().filter(|record| {
            let now = self.moved.get(&record.address).unwrap_or(&record.address);
            !self.written.contains_key(now)
        });
        Ok(kept.chain(self.written.values().flatten().cloned()).map(|record| record.instance).collect())
    }
}
