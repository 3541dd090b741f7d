//! The nodes of a plan: every address in the specification or the state.
//!
//! Kept true here: a node is small, since there is one for every address; its body is held only until it is decided, and what
//! a decision needs beside the record lies behind a pointer that only visited nodes have.

use std::collections::HashMap;

use pravo_model::plan::{Action, Reason};
use pravo_model::specification::{Body, IgnoreChanges, Kind, QuestionId};
use pravo_model::state::{Fingerprint, Head, Record};
use pravo_model::{Address, Path, Value};

use crate::subject::Subject;

/// Number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

/// One address.
pub(crate) struct Node {
    pub(crate) address: Address,
    pub(crate) kind: Kind,
    /// Whether it is a struct of the specification.
    pub(crate) walked: bool,
    /// What the state says of it, under whatever address.
    pub(crate) head: Option<Head>,
    /// The address that its record has in the state, where it moves.
    pub(crate) previous: Option<Address>,
    /// What its body reads and names, and what its provider's configuration reads.
    pub(crate) dependencies: Vec<NodeId>,
    pub(crate) fingerprint: Option<Fingerprint>,
    /// Dependencies that are not decided yet.
    pub(crate) waiting: u32,
    /// Nodes that wait for this one.
    pub(crate) waiters: Vec<NodeId>,
    /// Questions that wait for this one.
    pub(crate) questions: Vec<(QuestionId, Path)>,
    pub(crate) held: Option<Box<Body>>,
    pub(crate) decided: Option<Decided>,
}

/// What became of a node.
pub(crate) enum Decided {
    /// It is as it is recorded.
    Recorded,
    /// It has no object, and gets none in this plan.
    Absent,
    /// Its record is removed without a call: a data source that left, or a doubtful create that is given up.
    Forgotten,
    /// It was visited: read, planned, or both.
    Visited(Box<Visited>),
    /// An ephemeral, opened or not.
    Ephemeral(Box<Value>, Subject),
    /// It cannot be planned, and the plan fails.
    Failed,
    /// It cannot be planned, and the plan goes on without it.
    Blocked,
}

/// What becomes of a record before any step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// It stays as it is, or only its head changes.
    Keep,
    /// It is written as it was read, imported or recovered.
    Put,
    /// Its object is gone, and so is it.
    Remove,
}

/// A visited node.
pub(crate) struct Visited {
    pub(crate) subject: Subject,
    /// The address of its provider instance.
    pub(crate) instance_address: Address,
    /// Whether it counts as reached, with the reason.
    pub(crate) reason: Option<Reason>,
    pub(crate) action: Action,
    /// The record as it will stand before any step.
    pub(crate) record: Option<Record>,
    /// What is done with that record before any step.
    pub(crate) keeping: Keeping,
    pub(crate) before: Value,
    pub(crate) after: Value,
    pub(crate) private: Vec<u8>,
    pub(crate) replace_paths: Vec<Path>,
    pub(crate) import: Option<String>,
    /// Paths that the configuration makes sensitive.
    pub(crate) sensitive: Vec<Path>,
    pub(crate) create_before_destroy: bool,
    /// The recorded object is of another type or provider: it is always destroyed first.
    pub(crate) retyped: bool,
}

impl Node {
    fn new(address: Address, kind: Kind) -> Self {
        Self {
            address,
            kind,
            walked: false,
            head: None,
            previous: None,
            dependencies: Vec::new(),
            fingerprint: None,
            waiting: 0,
            waiters: Vec::new(),
            questions: Vec::new(),
            held: None,
            decided: None,
        }
    }

    /// The address that the state knows it under.
    pub(crate) fn stored_address(&self) -> &Address {
        self.previous.as_ref().unwrap_or(&self.address)
    }

    /// What was visited.
    pub(crate) fn visited(&self) -> Option<&Visited> {
        match &self.decided {
            Some(Decided::Visited(visited)) => Some(visited),
            _ => None,
        }
    }

    /// Whether something is done with it.
    pub(crate) fn has_action(&self) -> bool {
        self.visited().is_some_and(|visited| visited.action != Action::NoOp)
    }
}

/// All nodes, found by address.
#[derive(Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    index: HashMap<Address, NodeId>,
}

impl Graph {
    /// The node of an address, made where there is none yet.
    pub(crate) fn enter(&mut self, address: &Address, kind: Kind) -> NodeId {
        if let Some(id) = self.index.get(address) {
            return *id;
        }
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node::new(address.clone(), kind));
        self.index.insert(address.clone(), id);
        id
    }

    /// The node of an address.
    pub(crate) fn find(&self, address: &Address) -> Option<NodeId> {
        self.index.get(address).copied()
    }

    /// A node.
    #[expect(clippy::indexing_slicing, reason = "ids come from this graph only, and nodes are never removed")]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// A node.
    #[expect(clippy::indexing_slicing, reason = "ids come from this graph only, and nodes are never removed")]
    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// Every node in the order in which they were met.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index as u32), node))
    }

    /// The ids of all nodes.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Direct dependencies with ephemerals replaced by what they depend on: what is stored, and what steps wait for.
    pub(crate) fn real_dependencies(&self, id: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut open: Vec<NodeId> = self.node(id).dependencies.clone();
        while let Some(next) = open.pop() {
            if next == id || !seen.insert(next) {
                continue;
            }
            let node = self.node(next);
            if node.kind == Kind::Ephemeral {
                open.extend(&node.dependencies);
            } else {
                found.push(next);
            }
        }
        found
    }

    /// The addresses of the real dependencies, sorted as texts.
    pub(crate) fn edges(&self, id: NodeId) -> Vec<Address> {
        let node = self.node(id);
        let mut edges: Vec<Address> = if node.dependencies.iter().any(|id| self.node(*id).kind == Kind::Ephemeral) {
            self.real_dependencies(id).into_iter().map(|id| self.node(id).address.clone()).collect()
        } else {
            node.dependencies.iter().map(|id| self.node(*id).address.clone()).collect()
        };
        edges.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        edges
    }

    /// The first thing that a node depends on that has an action.
    pub(crate) fn acting_dependency(&self, id: NodeId) -> Option<NodeId> {
        let dependencies = &self.node(id).dependencies;
        let has_ephemeral = dependencies.iter().any(|id| self.node(*id).kind == Kind::Ephemeral);
        if has_ephemeral {
            self.real_dependencies(id).into_iter().find(|id| self.node(*id).has_action())
        } else {
            dependencies.iter().copied().find(|id| self.node(*id).has_action())
        }
    }
}

/// What a body asks of its resource beside its attributes, kept while it is examined.
pub(crate) fn ignores(body: &Body) -> &IgnoreChanges {
    &body.meta.ignore_changes
}
