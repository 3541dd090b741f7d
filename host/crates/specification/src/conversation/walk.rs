//! The walk: which structs are resources, which are aliases, groups or copies.
//!
//! Kept true here: regular and hidden fields are visited, templates are not; a struct is visited once; what appears later,
//! because a guard waited for an answer, is visited then.

use std::collections::{HashMap, HashSet};

use pravo_cue::{Ask, Node};
use pravo_diag::{Diagnostic, Span};
use pravo_model::{Address, Segment};

use super::Conversation;
use super::registry::{Entry, EntryId, GroupEntry, InstanceEntry};
use super::template::{placed, provider_package, the_template};
use crate::evaluation::{Evaluation, Hosted, Label, Origin, State};

/// A node to visit, with what is known from above it.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    pub(super) node: Node,
    pub(super) outer: Option<EntryId>,
    pub(super) group: Option<u32>,
    /// The nearest struct above it that holds everything that another holds.
    pub(super) copy: Option<(Node, Origin)>,
    pub(super) depth: u32,
}

/// How far the walk is.
#[derive(Default)]
pub(super) struct Walk {
    /// To be visited.
    pub(super) frontier: Vec<Visit>,
    /// Visits that wait for an answer, by question.
    parked: HashMap<Ask, Vec<Visit>>,
    /// What of a node was visited, where more of it may come.
    watched: HashMap<Node, HashSet<Node>>,
    /// Plain values, to see whether they fail.
    pub(super) leaves: Vec<Node>,
}

/// How many nodes are visited at once.
const BATCH: usize = 1_000;
/// The deepest address.
const MAXIMUM_DEPTH: u32 = 250;

impl Walk {
    /// Whether everything that can be visited without an answer was visited.
    pub(super) fn is_idle(&self) -> bool {
        self.frontier.is_empty()
    }

    /// Whether something may still be found once an answer comes.
    pub(super) fn is_waiting(&self) -> bool {
        !self.parked.is_empty()
    }

    /// Whether something at or below a node may still be found once an answer comes.
    pub(super) fn is_waiting_below(&self, node: Node, evaluation: &dyn Evaluation) -> bool {
        self.parked.values().flatten().any(|visit| {
            let mut at = Some(visit.node);
            while let Some(here) = at.filter(|here| *here != node) {
                at = evaluation.parent(here);
            }
            at.is_some()
        })
    }

    /// What waits for answers, with the questions.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (Ask, Node)> + '_ {
        self.parked.iter().flat_map(|(ask, visits)| visits.iter().map(|visit| (*ask, visit.node)))
    }

    fn park(&mut self, asks: &[Ask], visit: &Visit) {
        if let Some(ask) = asks.first() {
            self.parked.entry(*ask).or_default().push(visit.clone());
        }
    }

    /// Visits again what waited for an answer.
    pub(super) fn answered(&mut self, ask: Ask) {
        self.frontier.extend(self.parked.remove(&ask).into_iter().flatten());
    }
}

impl<E: Evaluation> Conversation<E> {
    /// Visits a batch.
    ///
    /// # Errors
    /// Where the evaluation exceeds a limit.
    pub(super) fn walk(&mut self) -> Result<(), Diagnostic> {
        let start = self.walk.frontier.len().saturating_sub(BATCH);
        let batch = self.walk.frontier.split_off(start);
        for visit in &batch {
            self.evaluation.want(visit.node, false);
        }
        self.evaluation.run()?;
        for visit in batch {
            self.visit(&visit);
        }
        Ok(())
    }

    fn visit(&mut self, visit: &Visit) {
        match self.evaluation.state(visit.node) {
            // What is there already is there for good, also where more may come.
            State::Waiting(_) if !self.evaluation.openings(visit.node).is_empty() => self.visit_struct(visit),
            State::Waiting(asks) => self.walk.park(&asks, visit),
            State::Failed { last } => {
                if last {
                    self.errors.extend(self.evaluation.failures(visit.node));
                }
            }
            State::Scalar | State::Unknown => {
                self.evaluation.want(visit.node, true);
                self.walk.leaves.push(visit.node);
            }
            State::Struct | State::List => self.visit_struct(visit),
        }
    }

    fn visit_struct(&mut self, visit: &Visit) {
        let node = visit.node;
        let copied = match self.identity(node) {
            Identity::Own => None,
            Identity::Alias(target) => {
                self.registry.aliases.insert(node, target);
                return;
            }
            Identity::Copy(origin) => Some(origin),
        };
        if visit.depth >= MAXIMUM_DEPTH {
            let summary = format!("{} is nested deeper than {MAXIMUM_DEPTH} levels", self.evaluation.path(node));
            self.errors.push(placed(&self.evaluation, node, Diagnostic::error("specification.depth", summary)));
            return;
        }
        let copy = copied.map(|origin| (node, origin)).or(visit.copy);
        let visit = &Visit { copy, ..visit.clone() };
        match self.evaluation.hosted(node) {
            Some(Hosted::Provider) => self.found_instance(node),
            Some(Hosted::Body(_)) => self.found_body(visit),
            Some(Hosted::Function | Hosted::Unknown) => self.walk.leaves.push(node),
            None => self.descend(visit),
        }
    }

    /// Visits the fields of a plain struct or the elements of a list.
    fn descend(&mut self, visit: &Visit) {
        let mut below = Visit { depth: visit.depth + 1, ..visit.clone() };
        let children = self.evaluation.children(visit.node);
        let is_root = visit.node == self.evaluation.root();
        let from = children.iter().find(|(label, _)| is_field(label, "$from") && !is_root).map(|(_, node)| *node);
        if let (Some(from), Some(address)) = (from, self.address(visit.node)) {
            self.evaluation.want(from, true);
            below.group = u32::try_from(self.registry.groups.len()).ok();
            self.registry.groups.push(GroupEntry { address, from, moved: None });
        }
        let plain = |label: &Label| !(is_field(label, "$settings") && is_root || is_field(label, "$from") && !is_root);
        let nodes = children.into_iter().filter(|(label, _)| matches!(label, Label::Segment(_)) && plain(label)).map(|(_, node)| node);
        self.visit_below(visit, &below, nodes.collect());
    }

    /// Visits children that were not visited before, and comes back where more may follow.
    fn visit_below(&mut self, visit: &Visit, below: &Visit, children: Vec<Node>) {
        let openings = self.evaluation.openings(visit.node);
        for opening in openings.iter().filter(|opening| opening.waits.is_empty()) {
            self.presence(opening);
        }
        let waits: Vec<Ask> = openings.into_iter().flat_map(|opening| opening.waits).collect();
        let seen = self.walk.watched.remove(&visit.node).unwrap_or_default();
        let new = children.iter().filter(|node| !seen.contains(node));
        self.walk.frontier.extend(new.map(|node| Visit { node: *node, ..below.clone() }));
        if !waits.is_empty() {
            self.walk.watched.insert(visit.node, children.into_iter().collect());
            self.walk.park(&waits, visit);
        }
    }

    fn found_body(&mut self, visit: &Visit) {
        let node = visit.node;
        if let Some(id) = self.registry.by_node.get(&node).copied() {
            return self.visit_nested(visit, id);
        }
        let template = match the_template(&self.evaluation, node) {
            Ok(template) => template,
            Err(error) => return self.errors.push(*error),
        };
        let (Hosted::Body(kind), Some(address)) = (template.hosted, self.address(node)) else { return };
        self.found_instance(template.instance);
        let Some(instance) = self.instance_of(template.instance) else { return };
        let span = self.evaluation.span(node).unwrap_or(self.nowhere);
        let type_name = self.names.entry(template.name).or_insert_with_key(|name| name.as_str().into()).clone();
        let entry = Entry { node, address, kind, type_name, instance, outer: visit.outer, group: visit.group, span, done: false };
        let id = self.registry.add(entry);
        self.evaluation.want_body(node);
        self.open_bodies.push(id);
        if let Some((root, origin)) = visit.copy {
            self.evaluation.want(origin.target, false);
            self.copies.push((node, root, origin));
        }
        self.visit_nested(visit, id);
    }

    /// Visits the hidden fields of a body: resources there are nested.
    fn visit_nested(&mut self, visit: &Visit, id: EntryId) {
        let below = Visit { outer: Some(id), depth: visit.depth + 1, ..visit.clone() };
        let hidden = self.evaluation.hidden(visit.node).into_iter();
        self.walk.frontier.extend(hidden.map(|node| Visit { node, ..below.clone() }));
    }

    /// Registers a provider instance, once.
    fn found_instance(&mut self, node: Node) {
        if self.instance_of(node).is_some() {
            return;
        }
        let path = self.evaluation.path(node);
        let Some(package) = provider_package(&self.evaluation, node) else {
            let summary = format!("{path} is of no provider package");
            let help = "import pravo.dev/providers/NAMESPACE/NAME and write $name: NAME.#Provider";
            return self.errors.push(placed(&self.evaluation, node, Diagnostic::error("specification.instance", summary)).with_help(help));
        };
        let (Some(schema), Some(address)) = (self.schemas.get(&package).cloned(), self.address(node)) else {
            let summary = format!("there is no schema for {package}");
            return self
                .errors
                .push(placed(&self.evaluation, node, Diagnostic::error("specification.instance", summary)).with_help("run pravo init"));
        };
        let id = u32::try_from(self.registry.instances.len()).unwrap_or(u32::MAX);
        let span = self.evaluation.span(node).unwrap_or(self.nowhere);
        let package = package.as_str().into();
        self.registry.instances.push(InstanceEntry { node, address, package, schema, span, announced: None });
        self.registry.instance_by_node.insert(node, id);
        self.evaluation.want(node, true);
        self.open_instances.push(id);
    }

    /// The instance of a node, aliases followed.
    pub(super) fn instance_of(&self, node: Node) -> Option<u32> {
        self.registry.instance_by_node.get(&node).copied()
    }

    /// The address of a walked node.
    pub(super) fn address(&self, node: Node) -> Option<Address> {
        let mut segments = Vec::new();
        let mut node = node;
        while let Some(parent) = self.evaluation.parent(node) {
            match self.evaluation.label(node) {
                Label::Segment(segment) => segments.push(segment),
                Label::Other(_) => return None,
            }
            node = parent;
        }
        segments.reverse();
        Address::from_segments(&segments).ok()
    }
}

fn is_field(label: &Label, name: &str) -> bool {
    matches!(label, Label::Segment(Segment::Field(field)) if field == name)
}

/// What a struct is beside another that it refers to.
enum Identity {
    /// A struct of its own.
    Own,
    /// Another name for a walked one.
    Alias(Node),
    /// It holds everything that a walked one holds.
    Copy(Origin),
}

impl<E: Evaluation> Conversation<E> {
    fn identity(&self, node: Node) -> Identity {
        let origins = self.evaluation.origins(node);
        let mut walked = origins.into_iter().filter(|origin| origin.target != node && !self.evaluation.is_template(origin.target)).peekable();
        match walked.peek().copied() {
            None => Identity::Own,
            Some(origin) if walked.all(|origin| origin.bare) => Identity::Alias(origin.target),
            Some(origin) => Identity::Copy(origin),
        }
    }

    /// Refuses the resources that repeat one of a walked struct. Those that were added beside what is repeated are fine.
    pub(super) fn check_copies(&mut self) {
        let mut refused = HashSet::new();
        for (node, root, origin) in std::mem::take(&mut self.copies) {
            let outer = self.registry.by_node.get(&node).and_then(|id| self.registry.entry(*id)?.outer);
            if outer.and_then(|outer| self.registry.entry(outer)).is_some_and(|outer| refused.contains(&outer.node)) {
                continue;
            }
            let mut labels = Vec::new();
            let mut at = node;
            while at != root {
                labels.push(self.evaluation.label(at));
                let Some(parent) = self.evaluation.parent(at) else { break };
                at = parent;
            }
            let child =
                |node: Node, label: &Label| self.evaluation.children(node).into_iter().find(|(other, _)| other == label).map(|(_, node)| node);
            let original = labels.iter().rev().try_fold(origin.target, child);
            if let Some(original) = original.filter(|original| matches!(self.evaluation.hosted(*original), Some(Hosted::Body(_)))) {
                refused.insert(node);
                self.refuse_copy(node, original, origin.at);
            }
        }
    }

    fn refuse_copy(&mut self, copy: Node, target: Node, at: Span) {
        let (copy, target) = (self.evaluation.path(copy), self.evaluation.path(target));
        let summary = format!("{copy} copies {target}; make it a definition");
        let help = format!(
            "a copy would make a second object; move the body of {target} into a definition (#Name: …) and use it in both places, or refer to {target} alone"
        );
        self.errors.push(Diagnostic::error("specification.copy", summary).with_path(copy).at(at, "").with_help(help));
    }
}
