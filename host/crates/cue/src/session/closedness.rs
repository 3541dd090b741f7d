//! Which fields a node may have.
//!
//! Every occurrence of a definition that a struct of the node stands in is a *requirement*: each field must be backed
//! by evidence that the occurrence accepts, which is a conjunct of the field, or `...`, from inside the occurrence, or
//! from a literal that the occurrence is embedded in, but not from an operand beside it. So `{#A, b: 1} & {#A, c: 1}`
//! refuses both b and c. There is no closed flag: what may be added is computed from where things came from.

use super::data::*;
use super::{FILE, Session, flag};
use crate::intern::Label;
use crate::program::{Declared, Expr, ExprId, Presence};
use crate::{Kinds, Node};

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

    /// The occurrence of a reference that is embedded by itself: what a literal embeds twice it embeds once.
    pub(crate) fn embedding_of(&mut self, node: Node, target: Node, conjunct: Conjunct, occurrence: u32) -> u32 {
        let data = self.occurrence_data(occurrence);
        if !data.embedded || data.closing != Closing::No {
            return occurrence;
        }
        let around = self.node(node).structs.iter().find(|(_, frame, _)| *frame == conjunct.env);
        let literal = around.and_then(|(literal, ..)| self.program.code.structs.get(*literal as usize));
        let embeds = |declared: &Declared| matches!(declared, Declared::Embedding(value) if *value == conjunct.expr);
        if literal.is_none_or(|literal| !literal.declarations.iter().any(embeds)) {
            return occurrence;
        }
        *self.embeddings.entry((data.parent, target)).or_insert(occurrence)
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

    /// Whether a definition that is referred to from an occurrence would accept evidence from another.
    pub(super) fn would_accept(&self, occurrence: u32, evidence: u32) -> bool {
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
        for requirement in self.inherited_requirements(node) {
            self.extra_mut(node).requirements.push(requirement);
        }
        let Some(extra) = self.extra(node).filter(|extra| !extra.requirements.is_empty()) else { return };
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
            if refused && data.conjuncts.iter().all(|conjunct| self.info(conjunct.info).cycle == Cycle::Cyclic) {
                let expr = data.conjuncts.first().map_or(ExprId(0), |conjunct| conjunct.expr);
                self.fail_structural(arc, expr);
                continue;
            }
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

    /// What the occurrences that close the node above require of this one, too: a literal that embeds a definition may
    /// add fields to it, and is closed with it at every level. A definition that speaks of the field itself, or that has
    /// `...` there, says by that what it requires.
    fn inherited_requirements(&self, node: Node) -> Vec<u32> {
        let mut inherited = Vec::new();
        for requirement in self.requirements_above(node) {
            let own = self.extra(node).is_some_and(|extra| extra.requirements.contains(&requirement));
            if !own && self.closes_below(requirement, node) {
                inherited.push(requirement);
            }
        }
        inherited
    }

    /// The requirements of the node above, its own and those that it inherits.
    fn requirements_above(&self, node: Node) -> Vec<u32> {
        let mut path = vec![node];
        let mut at = self.node(node).parent;
        let mut required = Vec::new();
        while at != NONE {
            required.extend(self.extra(at).map_or(&[][..], |extra| &extra.requirements).iter().copied());
            if self.node(at).phase == Phase::Settled {
                break;
            }
            path.push(at);
            at = self.node(at).parent;
        }
        required.retain(|requirement| self.occurrence_data(*requirement).closing == Closing::Recursive);
        // What does not reach a node on the way does not reach the one below it.
        while let Some(at) = path.pop().filter(|at| *at != node) {
            required.retain(|requirement| {
                self.extra(at).is_some_and(|extra| extra.requirements.contains(requirement)) || self.closes_below(*requirement, at)
            });
        }
        required
    }

    /// Whether what closes the parent of a node closes the node, too.
    fn closes_below(&self, requirement: u32, node: Node) -> bool {
        let data = self.node(node);
        let inside = |evidence: u32| self.is_above(requirement, evidence);
        let occurrences = || data.conjuncts.iter().map(|conjunct| (conjunct.expr, self.info(conjunct.info).occurrence));
        if occurrences().any(|(_, evidence)| inside(evidence)) || self.open_evidence(data.parent).into_iter().any(inside) {
            return false;
        }
        let mut accepted = occurrences().filter(|(_, evidence)| self.accepts_evidence(requirement, *evidence)).peekable();
        if accepted.peek().is_none() {
            if !Self::is_subject(data.label) {
                return false;
            }
            // What is refused is refused with everything in it; what `...` lets in is nobody's affair.
            return !self.open_evidence(data.parent).into_iter().any(|evidence| self.accepts_evidence(requirement, evidence));
        }
        if data.flags & flag::TOP == 0 {
            return true;
        }
        // `_` allows everything below it; so does one that came by a reference.
        let mut tops = occurrences().filter(|(expr, _)| self.is_top(*expr)).peekable();
        tops.peek().is_some() && accepted.all(|(expr, _)| !self.is_top(expr))
    }

    fn is_top(&self, expr: ExprId) -> bool {
        expr.0 & (DATUM | FILE) == 0 && matches!(self.program.code.expr(expr), Expr::Kind(kinds) if kinds == Kinds::TOP)
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

    /// Whether the node is closed and refuses a label; by what is said of itself, and not by what is embedded above.
    pub(crate) fn is_closed_to(&mut self, node: Node, label: Label) -> bool {
        if !self.has_requirements(node) || !Self::is_subject(label) {
            return false;
        }
        let evidence = self.evidence_for(node, label);
        match self.extra(node).filter(|extra| !extra.requirements.is_empty()) {
            Some(extra) => extra.requirements.iter().any(|requirement| {
                !evidence.iter().any(|evidence| self.accepts_evidence(*requirement, *evidence)) && !self.is_inherited(*requirement, node)
            }),
            // Of a definition only what is a struct by what is said so far.
            None => evidence.is_empty() && !self.node(node).structs.is_empty(),
        }
    }

    /// Whether a requirement of a node is only what closes the node above.
    fn is_inherited(&self, requirement: u32, node: Node) -> bool {
        let parent = self.node(node).parent;
        let above = self.extra(parent).is_some_and(|extra| extra.requirements.contains(&requirement));
        parent != NONE && above && self.closes_below(requirement, node)
    }

    pub(crate) fn has_requirements(&self, node: Node) -> bool {
        self.extra(node).is_some_and(|extra| !extra.requirements.is_empty()) || self.is_definition(node)
    }

    /// Whether a node is closed by what stands in it, and not only by what closes the nodes above.
    pub(crate) fn closes_itself(&self, node: Node) -> bool {
        let Some(extra) = self.extra(node).filter(|extra| !extra.requirements.is_empty()) else { return false };
        let above = self.requirements_above(node);
        extra.requirements.iter().all(|requirement| !above.contains(requirement))
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
        let evidence = self.evidence_for(node, label);
        let requirements = self.extra(node).map_or_else(ThinVec::new, |extra| extra.requirements.clone());
        if requirements.is_empty() && self.is_definition(node) {
            return !evidence.is_empty();
        }
        requirements.iter().all(|requirement| evidence.iter().any(|evidence| self.accepts_evidence(*requirement, *evidence)))
    }

    /// Where it is said that a node may have a field of a label.
    fn evidence_for(&mut self, node: Node, label: Label) -> Vec<u32> {
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
        evidence
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
