//! What is said where no branch of a disjunction fits: what is wrong with each, and which came closest.
//!
//! Kept true here: nothing is computed before a disjunction has failed for good.

use super::Session;
use super::branches::Branch;
use super::data::*;
use super::resolve::Target;
use crate::intern::Label;
use crate::program::{Declared, ExprId, Presence};
use crate::{Kinds, Node};
use pravo_diag::Span;

/// What a branch says about a field.
struct Said {
    label: Label,
    value: Option<Scalar>,
    kinds: Kinds,
    spans: Vec<Span>,
}

impl Session {
    /// No branch fits: an error that has one for each of them.
    pub(super) fn no_branch(&mut self, node: Node, disjunction: Conjunct, branches: &[Branch]) {
        let mut failed = Vec::new();
        let found = match self.node(node).scalar {
            Some(scalar) => self.scalar_text(scalar),
            None => self.node(node).kinds.to_string(),
        };
        for branch in branches {
            if let Some(bottom) = self.conflicting_field(node, branch.expr, disjunction) {
                failed.push(bottom);
                continue;
            }
            let text = self.expr_text(branch.expr, Kinds::TOP);
            let mut spans = vec![self.span_of(branch.expr)];
            spans.extend(self.conflict_spans(node, branch.expr));
            failed.push(self.bottom(Code::Eval, node, Reason::Conflict(found.clone(), text), spans));
        }
        let spans = vec![self.span_of(disjunction.expr)];
        let bottom = self.bottom(Code::Eval, node, Reason::Disjunction(failed), spans);
        self.fail(node, bottom);
        self.extra_mut(node).disjunctions.clear();
    }

    /// The field by which a branch that is a struct is out: one that tells branches apart where there is one.
    fn conflicting_field(&mut self, node: Node, expr: ExprId, disjunction: Conjunct) -> Option<u32> {
        if self.node(node).kinds != Kinds::STRUCT || expr.0 & DATUM != 0 {
            return None;
        }
        let (said, closed) = self.said_by(node, expr, disjunction)?;
        let mut nearest = None;
        for said in said {
            let Some(arc) = self.find_arc(node, said.label) else { continue };
            let own = self.node(self.deref(arc)).scalar;
            let Some(own) = own.filter(|own| said.value.is_none_or(|value| !self.same(*own, value))) else { continue };
            if said.value.is_none() && said.kinds.intersects(self.scalar_kind(own)) {
                continue;
            }
            let text = said.value.map_or_else(|| said.kinds.to_string(), |value| self.scalar_text(value));
            let reason = Reason::Conflict(self.scalar_text(own), text);
            let spans: Vec<Span> = said.spans.into_iter().chain(self.conflict_spans(arc, ExprId(DATUM))).collect();
            let tells_apart = said.value.is_some();
            if nearest.is_none() || tells_apart {
                nearest = Some((arc, reason, spans));
            }
            if tells_apart {
                break;
            }
        }
        if let (None, Some(target)) = (&nearest, closed) {
            let arcs = self.node(node).arcs.to_vec();
            let refused = arcs.into_iter().find(|arc| !self.allows(target, self.node(*arc).label))?;
            let first = self.node(refused).conjuncts.first().copied();
            let spans = first.map_or_else(Vec::new, |conjunct| vec![self.field_span(refused, conjunct)]);
            nearest = Some((refused, Reason::NotAllowed(self.node(refused).label), spans));
        }
        let (arc, reason, spans) = nearest?;
        Some(self.bottom(Code::Eval, arc, reason, spans))
    }

    /// What a branch says about fields, and the node that refuses others.
    fn said_by(&mut self, node: Node, expr: ExprId, disjunction: Conjunct) -> Option<(Vec<Said>, Option<Node>)> {
        if let crate::program::Expr::Struct(literal) = self.program.code.expr(expr) {
            let program = std::sync::Arc::clone(&self.program);
            let declared = program.code.structs.get(literal as usize)?.declarations.iter().filter_map(|declared| match declared {
                Declared::Field(field) if field.presence != Presence::Optional => Some(field),
                _ => None,
            });
            let said = declared.filter_map(|field| {
                let (value, kinds) = match self.simple(field.slot.value)? {
                    Alternative::Scalar(scalar) => (Some(scalar), self.scalar_kind(scalar)),
                    Alternative::Kinds(kinds) => (None, kinds),
                    Alternative::Node(_) => return None,
                };
                Some(Said { label: field.label, value, kinds, spans: vec![self.span_of(field.slot.value)] })
            });
            return Some((said.collect(), None));
        }
        if !self.is_reference(expr) {
            return None;
        }
        let Ok(Target::Node(target, definition)) = self.resolve(expr, disjunction.env, node) else { return None };
        let target = self.deref(target);
        let arcs = self.node(target).arcs.to_vec();
        let said = arcs.into_iter().filter(|arc| self.node(*arc).presence != Presence::Optional).map(|arc| {
            let data = self.node(self.deref(arc));
            Said { label: self.node(arc).label, value: data.scalar, kinds: data.kinds, spans: self.spans(arc) }
        });
        let said: Vec<Said> = said.collect();
        Some((said, (definition || self.has_requirements(target)).then_some(target)))
    }

    /// The branch that came closest: a wrong scalar in a place that tells branches apart is far off, a field that is not allowed is nearer,
    /// a value of the right kind is nearest.
    pub(super) fn closest(&self, failed: &[u32]) -> Option<u32> {
        let concrete =
            |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '-')) || matches!(text, "true" | "false" | "null");
        let nearness = |bottom: &u32| {
            let Some(data) = self.bottom_data(*bottom) else { return (0, 0) };
            let kind = match &data.reason {
                Reason::Conflict(a, b) if concrete(a) && concrete(b) => 0,
                Reason::NotAllowed(_) => 1,
                Reason::OutOfBound(..) => 3,
                _ => 2,
            };
            (kind, self.node(data.node).level)
        };
        // Of equally near ones the first.
        failed.iter().rev().max_by_key(|bottom| nearness(bottom)).copied()
    }

    /// The value and what it might have been, where all branches are values and none is this one.
    pub(super) fn unlike_all(&self, data: &BottomData) -> Option<(&str, Vec<&str>)> {
        let Reason::Disjunction(failed) = &data.reason else { return None };
        let mut value = None;
        let mut others = Vec::new();
        for bottom in failed {
            let part = self.bottom_data(*bottom).filter(|part| part.node == data.node)?;
            let Reason::Conflict(own, other) = &part.reason else { return None };
            if other.starts_with(['{', '[', '_']) || *value.get_or_insert(own.as_str()) != own.as_str() {
                return None;
            }
            others.push(other.as_str());
        }
        value.map(|value| (value, others))
    }

    /// What is said where no branch fits.
    pub(super) fn failed_branches(&self, data: &BottomData, closest: u32) -> String {
        let Reason::Disjunction(failed) = &data.reason else { return String::new() };
        if let Some((value, others)) = self.unlike_all(data) {
            let (shown, more) = others.split_at(others.len().min(SHOWN));
            let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            return format!("{value} is none of {}{more}", shown.join(", "));
        }
        let why = self.with_place(closest, data.node);
        format!("none of the {} branches fits; the closest fails with: {why}", failed.len())
    }

    /// Why the other branches do not fit.
    pub(super) fn other_branches(&self, data: &BottomData, closest: Option<u32>) -> String {
        let (Reason::Disjunction(failed), Some(closest)) = (&data.reason, closest) else { return String::new() };
        if self.unlike_all(data).is_some() {
            return String::new();
        }
        let others = failed.iter().filter(|bottom| **bottom != closest).take(SHOWN);
        others.map(|bottom| format!("another branch fails with: {}\n", self.with_place(*bottom, data.node))).collect()
    }

    fn with_place(&self, bottom: u32, about: Node) -> String {
        let why = self.bottom_text(bottom);
        let place = self.bottom_data(bottom).filter(|data| data.node != about).map(|data| self.path(data.node));
        place.filter(|place| !place.is_empty()).map_or_else(|| why.clone(), |place| format!("{place}: {why}"))
    }
}

/// How many branches are told.
const SHOWN: usize = 8;
