//! `$depends_on`: where its elements point, whatever their values are.

use std::collections::HashSet;

use pravo_cue::Node;
use pravo_diag::{Diagnostic, Span};

use super::Conversation;
use super::registry::{Entry, EntryId};
use crate::evaluation::{Evaluation, Hosted, Label, State};

/// How many names are followed from one to the next.
const MAXIMUM_DEPTH: u32 = 64;

/// What a pointer leads to.
enum Target {
    /// These resources.
    Entries(Vec<EntryId>),
    /// It cannot be told before an answer comes.
    Held,
    /// Nothing that can be depended on.
    Nothing,
}

impl<E: Evaluation> Conversation<E> {
    /// What `$depends_on` of a body names; `None` where a group in it may still grow.
    ///
    /// # Errors
    /// Elements that are no references to resources.
    pub(super) fn depends_on(&self, id: EntryId, entry: &Entry) -> Result<Option<Vec<EntryId>>, Vec<Diagnostic>> {
        let Some(list) = self.evaluation.field(entry.node, "$depends_on") else { return Ok(Some(Vec::new())) };
        match self.evaluation.state(list) {
            State::Waiting(_) => return Ok(None),
            State::Failed { .. } => return Err(self.evaluation.failures(list)),
            State::Unknown | State::Struct | State::List | State::Scalar => {}
        }
        let mut found = Vec::new();
        let mut errors = Vec::new();
        let mut held = false;
        for (span, target) in self.evaluation.pointers(list) {
            match target.map(|target| self.target(target, 0)) {
                Some(Target::Entries(more)) => found.extend(more),
                Some(Target::Held) => held = true,
                Some(Target::Nothing) | None => errors.push(refuse(entry, span)),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        found.retain(|other| *other != id);
        found.sort_unstable();
        found.dedup();
        Ok((!held).then_some(found))
    }

    /// What a plain value refers to: `x: pet.id`.
    fn behind(&self, node: Node, depth: u32) -> Target {
        if depth >= MAXIMUM_DEPTH {
            return Target::Nothing;
        }
        let targets: Vec<Node> = self.evaluation.origins(node).into_iter().map(|origin| origin.target).collect();
        let mut found = Vec::new();
        for target in targets {
            match self.target(target, depth + 1) {
                Target::Entries(more) => found.extend(more),
                Target::Held => return Target::Held,
                Target::Nothing => return Target::Nothing,
            }
        }
        if found.is_empty() { Target::Nothing } else { Target::Entries(found) }
    }

    /// The nearest node around one that refers to something, itself included.
    fn named(&self, node: Node) -> Node {
        let mut at = Some(node);
        while let Some(here) = at.filter(|here| self.evaluation.origins(*here).is_empty()) {
            at = self.evaluation.parent(here);
        }
        at.unwrap_or(node)
    }

    fn target(&self, node: Node, depth: u32) -> Target {
        let Some(node) = self.original(node) else { return Target::Nothing };
        let mut above = Some(node);
        while let Some(at) = above {
            if let Some(id) = self.registry.by_node.get(&at) {
                return Target::Entries(vec![*id]);
            }
            // What is written in the list itself, and gone through: `for x in [pet, web] {x.id}`.
            if self.evaluation.is_pointers(at) {
                return self.behind(self.named(node), depth);
            }
            above = self.evaluation.parent(at);
        }
        if self.evaluation.is_template(node) {
            return Target::Nothing;
        }
        if self.walk.is_waiting_below(node, &self.evaluation) {
            return Target::Held;
        }
        let found = self.below(node);
        if found.is_empty() { self.behind(node, depth) } else { Target::Entries(found) }
    }

    /// The node that another name of it stands for.
    fn original(&self, node: Node) -> Option<Node> {
        let mut node = node;
        for _ in 0..MAXIMUM_DEPTH {
            let mut labels = Vec::new();
            let mut at = node;
            let alias = loop {
                if let Some(target) = self.registry.aliases.get(&at) {
                    break Some(*target);
                }
                labels.push(self.evaluation.label(at));
                match self.evaluation.parent(at) {
                    Some(parent) => at = parent,
                    None => break None,
                }
            };
            let Some(target) = alias else { return Some(node) };
            let child =
                |node: Node, label: &Label| self.evaluation.children(node).into_iter().find(|(other, _)| other == label).map(|(_, node)| node);
            // A part that is not there (an attribute that is not set) stands for its owner.
            let mut original = target;
            for label in labels.iter().rev() {
                match child(original, label) {
                    Some(next) => original = next,
                    None => break,
                }
            }
            node = original;
        }
        None
    }

    /// Every resource at or below a node, aliases followed.
    fn below(&self, node: Node) -> Vec<EntryId> {
        let mut found = Vec::new();
        let mut seen = HashSet::from([node]);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if let Some(id) = self.registry.by_node.get(&node) {
                found.push(*id);
                found.extend(self.nested(*id));
                continue;
            }
            if let Some(target) = self.registry.aliases.get(&node) {
                open.extend(Some(*target).filter(|target| seen.insert(*target)));
                continue;
            }
            if self.evaluation.hosted(node).is_some_and(|hosted| !matches!(hosted, Hosted::Body(_))) {
                continue;
            }
            let children = self.evaluation.children(node).into_iter().filter(|(label, _)| matches!(label, Label::Segment(_)));
            open.extend(children.map(|(_, node)| node).filter(|node| seen.insert(*node)));
        }
        found
    }

    fn nested(&self, id: EntryId) -> Vec<EntryId> {
        let mut found = Vec::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let nested = self.registry.nested.get(&id).into_iter().flatten();
            open.extend(nested.clone());
            found.extend(nested);
        }
        found
    }
}

fn refuse(entry: &Entry, span: Span) -> Diagnostic {
    let summary = format!("{}: an element of $depends_on refers to no resource", entry.address);
    let help = "elements are references to resources, data sources, their attributes, or groups of them: $depends_on: [pet, web.server]";
    Diagnostic::error("specification.depends_on", summary).with_path(format!("{}.$depends_on", entry.address)).at(span, "").with_help(help)
}
