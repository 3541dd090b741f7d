//! Whether values are the same.

use super::Session;
use super::data::*;
use super::evaluate::Val;
use crate::Node;
use crate::program::Presence;

impl Session {
    /// Whether two settled nodes are the same value with the same permissions.
    pub(super) fn identical(&mut self, a: Node, b: Node) -> Run<bool> {
        let (a, b) = (self.deref(a), self.deref(b));
        if a == b {
            return Ok(true);
        }
        let (x, y) = (self.node(a), self.node(b));
        if x.kinds != y.kinds || x.arcs.len() != y.arcs.len() || (x.bottom != 0) != (y.bottom != 0) {
            return Ok(false);
        }
        match (x.scalar, y.scalar) {
            (None, None) => {}
            (Some(p), Some(q)) if self.same(p, q) => {}
            _ => return Ok(false),
        }
        if self.has_requirements(a) != self.has_requirements(b) || self.constraint_sources(a) != self.constraint_sources(b) {
            return Ok(false);
        }
        let none = Extra::default();
        let (p, q) = (x.extra.as_deref().unwrap_or(&none), y.extra.as_deref().unwrap_or(&none));
        if p.bounds != q.bounds || p.alternatives.len() != q.alternatives.len() || p.validators.len() != q.validators.len() {
            return Ok(false);
        }
        if p.alternatives.iter().zip(&q.alternatives).any(|(m, n)| m != n) || self.list_length(a) != self.list_length(b) {
            return Ok(false);
        }
        for arc in x.arcs.clone() {
            let Some(other) = self.find_arc(b, self.node(arc).label) else { return Ok(false) };
            if self.node(arc).presence != self.node(other).presence || !self.identical(arc, other)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The literals of a node that have optional fields, patterns or `...`.
    fn constraint_sources(&self, node: Node) -> Vec<u32> {
        let mut out: Vec<u32> = self
            .node(node)
            .structs
            .iter()
            .map(|(literal, ..)| *literal)
            .filter(|literal| {
                self.program
                    .code
                    .structs
                    .get(*literal as usize)
                    .is_some_and(|literal| literal.open || literal.patterns || !literal.constraints.is_empty())
            })
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Whether two nodes are equal as values; the error that stands in the way, if any.
    pub(crate) fn equal_nodes(&mut self, a: Node, b: Node) -> Run<Result<bool, u32>> {
        let mut stack = vec![(a, b)];
        let mut equal = true;
        while let Some((a, b)) = stack.pop() {
            let (x, y) = (self.value_of(a)?, self.value_of(b)?);
            match (x, y) {
                (Val::Bottom(bottom), _) | (_, Val::Bottom(bottom)) => return Ok(Err(bottom)),
                (Val::Scalar(p), Val::Scalar(q)) => equal &= self.compare(p, q) == Some(std::cmp::Ordering::Equal),
                (Val::Node(p), Val::Node(q)) => {
                    let (p, q) = (self.deref(p), self.deref(q));
                    let regular = |session: &Self, node: Node| -> Vec<Node> {
                        session
                            .node(node)
                            .arcs
                            .iter()
                            .copied()
                            .filter(|arc| {
                                let arc = session.node(*arc);
                                arc.presence == Presence::Member && (arc.label.is_regular() || arc.label.is_index())
                            })
                            .collect()
                    };
                    let (left, right) = (regular(self, p), regular(self, q));
                    if self.node(p).kinds != self.node(q).kinds || left.len() != right.len() {
                        equal = false;
                        continue;
                    }
                    for arc in left {
                        match self.find_arc(q, self.node(arc).label) {
                            Some(other) => stack.push((arc, other)),
                            None => equal = false,
                        }
                    }
                }
                _ => equal = false,
            }
        }
        Ok(Ok(equal))
    }
}
