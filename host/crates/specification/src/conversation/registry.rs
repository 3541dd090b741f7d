//! Everything that the walk found: resources, provider instances, aliases, groups.

use std::collections::HashMap;
use std::sync::Arc;

use pravo_cue::Node;
use pravo_diag::Span;
use pravo_model::Address;
use pravo_model::schema::{Block, ProviderSchema};
use pravo_model::specification::{Kind, Move};

/// Number of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct EntryId(pub(super) u32);

/// A resource, data source or ephemeral.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) node: Node,
    pub(super) address: Address,
    pub(super) kind: Kind,
    pub(super) type_name: Arc<str>,
    /// Index of its instance.
    pub(super) instance: u32,
    /// The resource in whose body it is nested.
    pub(super) outer: Option<EntryId>,
    /// The innermost group with a `$from` around it.
    pub(super) group: Option<u32>,
    pub(super) span: Span,
    /// Its body was given away.
    pub(super) done: bool,
}

/// A provider instance.
#[derive(Clone, Debug)]
pub(super) struct InstanceEntry {
    pub(super) node: Node,
    pub(super) address: Address,
    pub(super) package: Arc<str>,
    pub(super) schema: Arc<ProviderSchema>,
    pub(super) span: Span,
    /// What the configuration reads, once it is announced.
    pub(super) announced: Option<Vec<EntryId>>,
}

/// A group with a `$from`.
#[derive(Clone, Debug)]
pub(super) struct GroupEntry {
    pub(super) address: Address,
    /// The field.
    pub(super) from: Node,
    /// What it says, once it is known; `None` inside where it is null.
    pub(super) moved: Option<Option<Move>>,
}

/// All of them.
#[derive(Default)]
pub(super) struct Registry {
    pub(super) entries: Vec<Entry>,
    pub(super) by_node: HashMap<Node, EntryId>,
    pub(super) nested: HashMap<EntryId, Vec<EntryId>>,
    pub(super) instances: Vec<InstanceEntry>,
    pub(super) instance_by_node: HashMap<Node, u32>,
    pub(super) aliases: HashMap<Node, Node>,
    pub(super) groups: Vec<GroupEntry>,
}

impl Registry {
    pub(super) fn add(&mut self, entry: Entry) -> EntryId {
        let id = EntryId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        self.by_node.insert(entry.node, id);
        if let Some(outer) = entry.outer {
            self.nested.entry(outer).or_default().push(id);
        }
        self.entries.push(entry);
        id
    }

    pub(super) fn entry(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(id.0 as usize)
    }

    pub(super) fn instance(&self, id: u32) -> Option<&InstanceEntry> {
        self.instances.get(id as usize)
    }

    /// The schema of an entry's type.
    pub(super) fn block(&self, entry: &Entry) -> Option<&Block> {
        let schema = &self.instance(entry.instance)?.schema;
        schema.get(entry.kind, &entry.type_name).map(|schema| &schema.block)
    }

    /// The addresses of entries, sorted, without repetition.
    pub(super) fn addresses(&self, mut ids: Vec<EntryId>) -> Vec<Address> {
        ids.sort_unstable();
        ids.dedup();
        let mut addresses: Vec<Address> = ids.into_iter().filter_map(|id| self.entry(id)).map(|entry| entry.address.clone()).collect();
        addresses.sort();
        addresses.dedup();
        addresses
    }
}
