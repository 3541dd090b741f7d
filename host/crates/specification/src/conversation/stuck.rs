//! Why nothing goes on: a cycle through resources.

use std::collections::{BTreeMap, BTreeSet};

use pravo_cue::Ask;
use pravo_diag::Diagnostic;
use pravo_model::Address;

use super::Conversation;
use super::registry::EntryId;
use crate::cycle;
use crate::evaluation::{Asked, Evaluation, State};

impl<E: Evaluation> Conversation<E> {
    /// Reports the cycle that keeps everything from going on.
    pub(super) fn explain_stuck(&mut self) {
        let edges = self.waits();
        if let Some(found) = cycle::find(&edges) {
            let text = cycle::text(&found);
            let mut diagnostic = Diagnostic::error("specification.cycle", format!("cycle: {text}"));
            for address in &found {
                if let Some(span) = self.registry.entries.iter().find(|entry| entry.address == **address).map(|entry| entry.span) {
                    diagnostic = diagnostic.at(span, "");
                }
            }
            let help = "each needs a value of the next before it can be planned: give one of them a value that is written in the specification";
            return self.errors.push(diagnostic.with_help(help));
        }
        let waiting: Vec<String> = edges.iter().map(|(from, to)| format!("{from} waits for {}", join(to))).collect();
        let walk = self.walk.waiting().map(|(ask, node)| format!("{} waits for {}", self.evaluation.path(node), self.ask_text(ask)));
        let detail: Vec<String> = waiting.into_iter().chain(walk).take(20).collect();
        self.errors.push(Diagnostic::error("specification.stuck", "the evaluation waits for itself").with_detail(detail.join("\n")));
    }

    /// Who waits for whom.
    fn waits(&self) -> BTreeMap<Address, BTreeSet<Address>> {
        let mut edges: BTreeMap<Address, BTreeSet<Address>> = BTreeMap::new();
        for entry in self.registry.entries.iter().filter(|entry| !entry.done) {
            let mut owners: BTreeSet<Address> = self.owners(&self.evaluation.body_state(entry.node));
            let instance = self.registry.instance(entry.instance).filter(|instance| instance.announced.is_none());
            if let Some(instance) = instance {
                owners.extend(self.owners(&self.evaluation.body_state(instance.node)));
            }
            edges.insert(entry.address.clone(), owners);
        }
        edges
    }

    fn owners(&self, state: &State) -> BTreeSet<Address> {
        let State::Waiting(asks) = state else { return BTreeSet::new() };
        asks.iter()
            .filter(|ask| !self.questions.is_answered(**ask))
            .filter_map(|ask| self.owner(*ask))
            .filter_map(|id| self.registry.entry(id))
            .map(|entry| entry.address.clone())
            .collect()
    }

    fn owner(&self, ask: Ask) -> Option<EntryId> {
        match self.evaluation.asked(ask) {
            Asked::Attribute { owner, .. } => self.registry.by_node.get(&owner).copied(),
            Asked::Call { .. } => None,
        }
    }
}

fn join(addresses: &BTreeSet<Address>) -> String {
    addresses.iter().map(Address::as_str).collect::<Vec<_>>().join(", ")
}
