//! Which fields a node may have.
//!
//! Every occurrence of a definition that a struct of the node stands in is a *requirement*: each field must be backed
//! by evidence that the occurrence accepts, which is a conjunct of the field, or `...`, from inside the occurrence, or
//! from a literal that the occurrence is embedded in, but not from an operand beside it. So `{#A, b: 1} & {#A, c: 1}`
//! refuses both b and c. There is no closed flag: what may be added is computed from where things came from.

use super::data::*;
use super::{Session, flag};
use crate::Node;
use crate::intern::Label;
use crate::program::{Declared, Presence};

impl Session {
    /// A new occurrence.
    pub(crate) fn occurrence(&mut self, parent: u32, embedded: bool, closing: Closing) -> u32 {
        let id = self.occurrences.len() as u32;
        let above = self.occurrences.get(parent as usize).copied();
        let nearest = if closing == Closing::No { above.map_or(0, |above| above.nearest) } else { id };
        let depth = above.map_or(0, |above| above.depth) + 1;
        self.occurrences.push(Occurrence { parent, embedded, closing, nearest, depth });
        id
    }

    fn occurrence_data(&self, id: u32) -> Occurrence {
        self.occurrences.get(id as usize).copied().unwrap_or(Occurrence { parent: 0, embedded: false, closing: Closing::No, nearest: 0, depth: 0 })
    }

    /// The info of a literal that embeds something: an occurrence of its own.
    pub(crate) fn embedding_literal(&mut self, info: u32) -> u32 {
        let data = self.info(info);
        let occurrence = self.occurrence(data.occurrence, false, Closing::No);
        self.new_info(Info { occurrence, ..data })
    }

    /// Whether an occurrence is that of a literal in another.
    pub(crate) fn is_literal_of(&self, own: u32, around: u32) -> bool {
        let data = self.occurrence_data(own);
        own != 0 && data.parent == around && data.closing == Closing::No && !data.embedded
    }

    /// The occurrence of a definition that is referred to; by the same target from the same place it is one.
    pub(crate) fn definition_occurrence(&mut self, parent: u32, target: Node) -> u32 {
        if let Some(occurrence) = self.definitions.get(&(parent, target)) {
            return *occurrence;
        }
        let occurrence = self.occurrence(parent, false, Closing::Recursive);
        self.definitions.insert((parent, target), occurrence);
        occurrence
    }

    /// The info of what is embedded in a literal; whether the literal may add to it.
    pub(crate) fn embedded_info(&mut self, info: u32, open: bool) -> u32 {
        let data = self.info(info);
        let occurrence = self.occurrence(data.occurrence, open, Closing::No);
        self.new_info(Info { occurrence, ..data })
    }

    /// Adds what the occurrences around a literal require of the node.
    pub(crate) fn require(&mut self, node: Node, info: u32) {
        let mut at = self.occurrence_data(self.info(info).occurrence).nearest;
        let mut required = Vec::new();
        while at != 0 {
            let data = self.occurrence_data(at);
            match data.closing {
                Closing::Recursive => required.push(at),
                Closing::Once(only) if self.deref(only) == self.deref(node) => required.push(at),
                Closing::Opened => required.clear(),
                Closing::Once(_) | Closing::No => {}
            }
            at = if data.parent == 0 { 0 } else { self.occurrence_data(data.parent).nearest };
        }
        if required.is_empty() {
            return;
        }
        let extra = self.extra_mut(node);
        for occurrence in required {
            if !extra.requirements.contains(&occurrence) {
                extra.requirements.push(occurrence);
            }
        }
    }

    fn is_above(&self, above: u32, below: u32) -> bool {
        let limit = self.occurrence_data(above).depth;
        let mut at = below;
        loop {
            if at == above {
                return true;
            }
            let data = self.occurrence_data(at);
            if at == 0 || data.depth <= limit {
                return false;
            }
            at = data.parent;
        }
    }

    /// Whether no conjunct of a node came from an occurrence that a referrer is outside of.
    pub(crate) fn stands_around(&self, target: Node, base: u32) -> bool {
        self.node(target).conjuncts.iter().all(|conjunct| {
            let occurrence = self.info(conjunct.info).occurrence;
            occurrence == 0 || self.is_above(occurrence, base)
        })
    }

    /// An occurrence as seen from a reference. The occurrences on the way to it are made anew below the referrer's, so
    /// that what accepted what still does; those that the referrer is inside of require their fields anyway and do
    /// not close once more.
    pub(crate) fn map_occurrence(&mut self, occurrence: u32, base: u32) -> u32 {
        let mut path = Vec::new();
        let mut at = occurrence;
        let mut mapped = loop {
            if at == 0 {
                break base;
            }
            if let Some(mapped) = self.map.get(&(at, base)) {
                break *mapped;
            }
            path.push(at);
            at = self.occurrence_data(at).parent;
        };
        while let Some(at) = path.pop() {
            let data = self.occurrence_data(at);
            let closing = if self.is_above(at, base) { Closing::No } else { data.closing };
            mapped = self.occurrence(mapped, data.embedded, closing);
            self.map.insert((at, base), mapped);
        }
        mapped
    }

    /// Whether a definition that is referred to from an occurrence would accept evidence from another.
    fn would_accept(&self, occurrence: u32, evidence: u32) -> bool {
        occurrence != evidence && !self.is_above(occurrence, evidence) && self.accepts_evidence(occurrence, evidence)
    }

    /// Whether evidence from one occurrence is accepted by a requirement.
    fn accepts_evidence(&self, requirement: u32, evidence: u32) -> bool {
        let (mut low, mut other) = (requirement, evidence);
        let mut child = None;
        while low != other {
            let (a, b) = (self.occurrence_data(low), self.occurrence_data(other));
            if a.depth >= b.depth {
                child = Some(low);
                low = a.parent;
            } else {
                other = b.parent;
            }
        }
        match child {
            None => true,
            Some(child) => self.occurrence_data(child).embedded,
        }
    }

    /// Whether a label may be refused at all.
    fn is_subject(label: Label) -> bool {
        label.is_regular()
    }

    /// Marks the arcs that nothing allows.
    pub(crate) fn check_closedness(&mut self, node: Node) {
        let Some(extra) = self.extra(node) else { return };
        if extra.requirements.is_empty() {
            return;
        }
        let requirements = extra.requirements.clone();
        let open: Vec<u32> = self.open_evidence(node);
        for arc in self.node(node).arcs.clone() {
            let data = self.node(arc);
            if data.presence != Presence::Member || !Self::is_subject(data.label) {
                continue;
            }
            let refused = requirements.iter().any(|requirement| {
                !open.iter().any(|evidence| self.accepts_evidence(*requirement, *evidence))
                    && !data.conjuncts.iter().any(|conjunct| self.accepts_evidence(*requirement, self.info(conjunct.info).occurrence))
            });
            if refused {
                let label = data.label;
                let mut spans = Vec::new();
                for conjunct in data.conjuncts.iter().take(3) {
                    spans.push(self.field_span(arc, *conjunct));
                }
                let bottom = self.bottom(Code::Eval, arc, Reason::NotAllowed(label), spans);
                self.fail(arc, bottom);
            }
        }
    }

    /// The occurrences whose literals in a node have `...`.
    fn open_evidence(&self, node: Node) -> Vec<u32> {
        self.node(node)
            .structs
            .iter()
            .filter(|(literal, ..)| self.program.code.structs.get(*literal as usize).is_some_and(|literal| literal.open))
            .map(|(_, _, info)| self.info(*info).occurrence)
            .collect()
    }

    /// Whether some struct in the node declares a field of this label, as optional or required.
    pub(crate) fn declares(&self, node: Node, label: Label) -> bool {
        self.node(node).structs.iter().any(|(literal, ..)| {
            self.program
                .code
                .structs
                .get(*literal as usize)
                .is_some_and(|literal| literal.constraints.binary_search_by_key(&label, |(other, _)| *other).is_ok())
        })
    }

    /// Whether the node is closed and refuses a label.
    pub(crate) fn is_closed_to(&mut self, node: Node, label: Label) -> bool {
        self.has_requirements(node) && !self.allows(node, label)
    }

    pub(crate) fn has_requirements(&self, node: Node) -> bool {
        self.extra(node).is_some_and(|extra| !extra.requirements.is_empty()) || self.is_definition(node)
    }

    /// Whether the node is a definition or a part of one.
    pub(crate) fn is_definition(&self, node: Node) -> bool {
        let mut at = node;
        while at != NONE {
            let data = self.node(at);
            if data.label.is_definition() {
                return true;
            }
            at = data.parent;
        }
        false
    }

    /// Whether a field of this label may be added.
    pub(crate) fn allows(&mut self, node: Node, label: Label) -> bool {
        let node = self.deref(node);
        if !Self::is_subject(label) {
            return true;
        }
        let mut evidence = self.open_evidence(node);
        let structs = self.node(node).structs.clone();
        for (literal, _, info) in structs {
            let declared = self.program.code.structs.get(literal as usize).is_some_and(|structure| {
                structure.constraints.binary_search_by_key(&label, |(other, _)| *other).is_ok()
                    || structure.declarations.iter().any(|declared| matches!(declared, Declared::Field(field) if field.label == label))
            });
            if declared {
                evidence.push(self.info(info).occurrence);
            }
        }
        if let Some(arc) = self.find_arc(node, label) {
            let conjuncts = self.node(arc).conjuncts.clone();
            evidence.extend(conjuncts.iter().map(|conjunct| self.info(conjunct.info).occurrence));
        }
        if label.is_regular() {
            for at in 0..self.extra(node).map_or(0, |extra| extra.patterns.len()) {
                let Some(pattern) = self.extra(node).and_then(|extra| extra.patterns.get(at)).cloned() else { break };
                if self.matches(&pattern.matcher, label) {
                    evidence.push(self.info(pattern.info).occurrence);
                }
            }
        }
        let requirements = self.extra(node).map_or_else(ThinVec::new, |extra| extra.requirements.clone());
        if requirements.is_empty() && self.is_definition(node) {
            return !evidence.is_empty();
        }
        requirements.iter().all(|requirement| evidence.iter().any(|evidence| self.accepts_evidence(*requirement, *evidence)))
    }

    /// Whether the node has fields that another node would refuse, if it were closed and referred to from an
    /// occurrence.
    pub(crate) fn refuses_fields_of(&mut self, closed: Node, node: Node, occurrence: u32) -> bool {
        if self.has(closed, flag::EMBEDS) && self.node(closed).structs.is_empty() {
            return false;
        }
        let mut labels = Vec::new();
        for arc in &self.node(node).arcs {
            let data = self.node(*arc);
            if data.presence != Presence::Member || !Self::is_subject(data.label) {
                continue;
            }
            let backed = |conjunct: &Conjunct| self.would_accept(occurrence, self.info(conjunct.info).occurrence);
            if !data.conjuncts.iter().any(backed) {
                labels.push(data.label);
            }
        }
        labels.into_iter().any(|label| !self.allows(closed, label))
    }
}
