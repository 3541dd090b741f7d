//! Whether values are the same.

use super::Session;
use super::data::*;
use super::evaluate::Val;
use crate::Node;
use crate::intern::Label;
use crate::program::{Declared, Expr, ExprId, Presence};

/// Which further fields a permission is about.
#[derive(Clone, Copy, Debug)]
enum Key {
    Optional(Label),
    Pattern(ExprId),
}

/// What literals say of further fields.
#[derive(Debug, Default)]
struct Permissions {
    open: bool,
    /// The fields, what they must be, and in which frame that is said.
    fields: Vec<(Key, ExprId, u32)>,
}

impl Session {
    /// Whether two settled nodes are the same value with the same permissions.
    pub(super) fn identical(&mut self, a: Node, b: Node) -> Run<bool> {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.identical_inside(a, b))
    }

    fn identical_inside(&mut self, a: Node, b: Node) -> Run<bool> {
        let (a, b) = (self.deref(a), self.deref(b));
        if a == b {
            return Ok(true);
        }
        self.step(a, ExprId(0))?;
        let (x, y) = (self.node(a), self.node(b));
        if x.kinds != y.kinds || x.arcs.len() != y.arcs.len() || (x.bottom != 0) != (y.bottom != 0) {
            return Ok(false);
        }
        match (x.scalar, y.scalar) {
            (None, None) => {}
            (Some(p), Some(q)) if self.same(p, q) => {}
            _ => return Ok(false),
        }
        if self.has_requirements(a) != self.has_requirements(b) || !self.same_permissions(a, b) {
            return Ok(false);
        }
        if !self.same_constraints(a, b) || self.list_length(a) != self.list_length(b) {
            return Ok(false);
        }
        let of = |session: &Self, node: Node| session.extra(node).map_or_else(Vec::new, |extra| extra.alternatives.to_vec());
        let (left, right) = (of(self, a), of(self, b));
        if left.len() != right.len() {
            return Ok(false);
        }
        for (value, default) in left {
            let mut found = false;
            for (other, other_default) in &right {
                found |= default == *other_default && self.same_value(value, *other)?;
            }
            if !found {
                return Ok(false);
            }
        }
        let arcs = self.node(a).arcs.clone();
        for arc in arcs {
            let Some(other) = self.find_arc(b, self.node(arc).label) else { return Ok(false) };
            if self.node(arc).presence != self.node(other).presence || !self.identical(arc, other)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether two alternatives are the same.
    pub(super) fn same_value(&mut self, a: Alternative, b: Alternative) -> Run<bool> {
        match (a, b) {
            (Alternative::Node(a), Alternative::Node(b)) => self.identical(a, b),
            (a, b) => Ok(self.same_alternative(a, b)),
        }
    }

    /// Whether two nodes have the same bounds and validators, in any order.
    fn same_constraints(&self, a: Node, b: Node) -> bool {
        let none = Extra::default();
        let (p, q) = (self.extra(a).unwrap_or(&none), self.extra(b).unwrap_or(&none));
        if p.bounds.len() != q.bounds.len() || p.validators.len() != q.validators.len() {
            return false;
        }
        let bound = |x: &Bound| q.bounds.iter().any(|y| x.operator == y.operator && self.same(x.value, y.value));
        let validator = |x: &Validator| {
            q.validators.iter().any(|y| {
                let core = x.core.is_none() && y.core.is_none() || x.expr == y.expr && self.same_frame(x.env, y.env);
                core && x.function == y.function && x.arguments == y.arguments || x.expr == y.expr && x.env == y.env
            })
        };
        p.bounds.iter().all(bound) && p.validators.iter().all(validator)
    }

    /// What the literals of a node say of further fields: whether there may be any, what patterns ask, and optional
    /// fields that are not there.
    fn permissions(&self, node: Node) -> Permissions {
        let mut out = Permissions::default();
        for (literal, frame, _) in &self.node(node).structs {
            let Some(literal) = self.program.code.structs.get(*literal as usize) else { continue };
            out.open |= literal.open;
            for declared in &literal.declarations {
                let (key, slot) = match declared {
                    Declared::Pattern { pattern, slot } => (Key::Pattern(*pattern), slot),
                    Declared::Field(field) if field.presence == Presence::Optional && !self.has_member(node, field.label) => {
                        (Key::Optional(field.label), &field.slot)
                    }
                    _ => continue,
                };
                let permission = (key, slot.value, *frame);
                if !out.fields.iter().any(|other| self.same_permission(*other, permission)) {
                    out.fields.push(permission);
                }
            }
        }
        out
    }

    fn has_member(&self, node: Node, label: Label) -> bool {
        self.find_arc(node, label).is_some_and(|arc| self.node(arc).presence == Presence::Member)
    }

    fn same_permission(&self, a: (Key, ExprId, u32), b: (Key, ExprId, u32)) -> bool {
        let key = match (a.0, b.0) {
            (Key::Optional(x), Key::Optional(y)) => x == y,
            (Key::Pattern(x), Key::Pattern(y)) => self.same_expression((x, a.2), (y, b.2)),
            _ => false,
        };
        key && self.same_expression((a.1, a.2), (b.1, b.2))
    }

    /// Whether two expressions are the same one in the same frame, or literals of the same value.
    fn same_expression(&self, a: (ExprId, u32), b: (ExprId, u32)) -> bool {
        if a.0 == b.0 && self.same_frame(a.1, b.1) {
            return true;
        }
        match (self.program.code.expr(a.0), self.program.code.expr(b.0)) {
            (Expr::Kind(x), Expr::Kind(y)) => x == y,
            (Expr::Text(x), Expr::Text(y)) => x == y,
            (Expr::Int(x), Expr::Int(y)) => x == y,
            (Expr::Bool(x), Expr::Bool(y)) => x == y,
            (Expr::Null, Expr::Null) => true,
            (Expr::Bound { operator: p, operand: x }, Expr::Bound { operator: q, operand: y }) => p == q && self.same_expression((x, a.1), (y, b.1)),
            _ => false,
        }
    }

    fn same_permissions(&self, a: Node, b: Node) -> bool {
        let (x, y) = (self.permissions(a), self.permissions(b));
        let covered = |some: &[(Key, ExprId, u32)], all: &[(Key, ExprId, u32)]| {
            some.iter().all(|one| all.iter().any(|other| self.same_permission(*one, *other)))
        };
        x.open == y.open && covered(&x.fields, &y.fields) && covered(&y.fields, &x.fields)
    }

    /// Whether two nodes are equal as values; the error that stands in the way, if any. All of both must be concrete,
    /// even where a part differs that is.
    pub(crate) fn equal_nodes(&mut self, a: Node, b: Node) -> Run<Result<bool, u32>> {
        let mut incomplete = 0;
        for node in [a, b] {
            let bottom = self.not_comparable(node)?;
            if bottom != 0 && self.code_of(bottom).is_final() {
                return Ok(Err(bottom));
            }
            incomplete = if incomplete == 0 { bottom } else { incomplete };
        }
        if incomplete != 0 {
            return Ok(Err(incomplete));
        }
        let mut stack = vec![(a, b)];
        while let Some((a, b)) = stack.pop() {
            self.step(a, ExprId(0))?;
            match (self.value_of(a)?, self.value_of(b)?) {
                (Val::Scalar(p), Val::Scalar(q)) if self.compare(p, q) == Some(std::cmp::Ordering::Equal) => {}
                (Val::Node(p), Val::Node(q)) => {
                    let (p, q) = (self.deref(p), self.deref(q));
                    let (left, right) = (self.compared_arcs(p), self.compared_arcs(q));
                    if self.node(p).kinds != self.node(q).kinds || left.len() != right.len() {
                        return Ok(Ok(false));
                    }
                    for arc in left {
                        match self.find_arc(q, self.node(arc).label) {
                            Some(other) => stack.push((arc, other)),
                            None => return Ok(Ok(false)),
                        }
                    }
                }
                _ => return Ok(Ok(false)),
            }
        }
        Ok(Ok(true))
    }

    /// The fields and elements that count when values are compared.
    fn compared_arcs(&self, node: Node) -> Vec<Node> {
        let counts = |arc: &Node| {
            let arc = self.node(*arc);
            arc.presence == Presence::Member && (arc.label.is_regular() || arc.label.is_index())
        };
        self.node(node).arcs.iter().copied().filter(counts).collect()
    }

    /// Why a value cannot be compared: a final error if there is one, else what is not concrete, else 0.
    fn not_comparable(&mut self, node: Node) -> Run<u32> {
        let mut stack = vec![node];
        let mut incomplete = 0;
        while let Some(node) = stack.pop() {
            let found = match self.value_of(node)? {
                Val::Scalar(_) | Val::Pending(_) => 0,
                Val::Bottom(bottom) => bottom,
                Val::Node(value) => {
                    let value = self.deref(value);
                    stack.extend(self.compared_arcs(value));
                    let missing = self.node(value).arcs.iter().find(|arc| self.node(**arc).presence == Presence::Required);
                    match missing.map(|arc| self.node(*arc).label) {
                        Some(label) => self.bottom(Code::Incomplete, value, Reason::RequiredMissing(label), Vec::new()),
                        None if self.is_composite(value) => 0,
                        None => {
                            let kinds = self.node(value).kinds;
                            self.bottom(Code::Incomplete, value, Reason::NotConcrete(kinds), Vec::new())
                        }
                    }
                }
            };
            if found != 0 && self.code_of(found).is_final() {
                return Ok(found);
            }
            incomplete = if incomplete == 0 { found } else { incomplete };
        }
        Ok(incomplete)
    }
}
