//! Moves: a record follows its struct to a new address.
//!
//! Kept true here: a record has one struct and a struct one record. Deliberately absent: chains and swaps, since the old address
//! must have no struct any more.

use pravo_diag::{Diagnostic, Span};
use pravo_model::specification::Body;
use pravo_model::{Address, specification::Group};

use super::node::NodeId;
use super::planner::Planner;
use crate::diagnose::Failed;

impl Planner<'_> {
    /// Finds the record of a struct, under its own address or under the one that `$from` names.
    pub(super) fn claim(&mut self, id: NodeId, body: &Body) -> Result<(), Failed> {
        if let Some(taken) = self.moved_from(&body.address) {
            let (address, span) = (body.address.clone(), body.span);
            let text = still_there(&taken, &address);
            self.errors.push(Diagnostic::error("move.struct", text).at(span, "").with_help(ADVICE));
            return Err(Failed);
        }
        let own = self.heads.remove(&body.address);
        let Some(from) = &body.meta.from else {
            self.graph.node_mut(id).head = own;
            return Ok(());
        };
        let walked = self.graph.find(&from.from).filter(|old| *old != id && self.graph.node(*old).walked);
        if walked.is_some_and(|old| self.graph.node(old).head.is_some()) {
            return self.refuse(still_there(&body.address, &from.from), from.span);
        }
        let old = if from.from == body.address { None } else { self.heads.remove(&from.from) };
        match (own, old) {
            (Some(_), Some(_)) => {
                let text = format!("{}: $from names {}, but the state has records at both addresses", body.address, from.from);
                let advice = format!("pravo state rm {} forgets one of them, without deleting its object; or remove $from", body.address);
                self.errors.push(Diagnostic::error("move.refused", text).at(from.span, "").with_help(advice));
                Err(Failed)
            }
            (own, None) => {
                if own.is_none() && !from.group {
                    self.unmoved.push((id, from.from.clone(), from.span));
                }
                self.graph.node_mut(id).head = own;
                Ok(())
            }
            (None, Some(old)) => {
                let node = self.graph.node_mut(id);
                node.head = Some(old);
                node.previous = Some(from.from.clone());
                self.moved.insert(from.from.clone(), body.address.clone());
                Ok(())
            }
        }
    }

    fn moved_from(&self, address: &Address) -> Option<Address> {
        self.moved.get(address).cloned()
    }

    fn refuse(&mut self, text: String, span: Span) -> Result<(), Failed> {
        self.errors.push(Diagnostic::error("move.refused", text).at(span, "").with_help(ADVICE));
        Err(Failed)
    }

    /// What can only be said when every struct is known: groups whose old address is still in use, and moves that find no record
    /// although one of the same type left the specification.
    pub(super) fn check_moves(&mut self) {
        let groups: Vec<Group> = std::mem::take(&mut self.groups);
        for group in groups {
            let has_record = |address: &Address| group.from.from.contains(address);
            let records = self.heads.keys().chain(self.moved.keys()).any(has_record);
            let walked =
                self.graph.iter().find(|(_, node)| node.walked && !group.address.contains(&node.address) && group.from.from.contains(&node.address));
            if let Some((_, node)) = walked
                && (records || node.head.is_some())
            {
                let text = still_there(&group.address, &node.address.clone());
                self.errors.push(Diagnostic::error("move.refused", text).at(group.from.span, "").with_help(ADVICE));
            }
        }
        for (id, from, span) in std::mem::take(&mut self.unmoved) {
            let Some(type_name) = self.graph.node(id).visited().map(|visited| visited.subject.type_name.to_string()) else {
                continue;
            };
            let left = |address: &&Address| {
                let record = self.request.state.record(address).ok().flatten();
                record.is_some_and(|record| record.type_name == type_name)
            };
            let mut candidates: Vec<&Address> = self.heads.keys().filter(left).collect();
            candidates.sort();
            if let Some(candidate) = candidates.first() {
                let text = format!("{}: $from names {from}, which has no record", self.graph.node(id).address);
                let help = format!("{candidate} left the specification and has the same type: is it the one that moves?");
                self.warnings.push(Diagnostic::warning("move.absent", text).at(span, "").with_help(help));
            }
        }
    }
}

const ADVICE: &str = "remove the struct at the old address, or remove $from to make a second object";

fn still_there(new: &Address, old: &Address) -> String {
    format!("{new}: $from names {old}, which is still in the specification")
}
