//! The branches of a disjunction, and which of them are out by what is known without evaluating them.

use std::sync::Arc;

use super::data::*;
use super::defaults::Mode;
use super::resolve::Target;
use super::{Session, flag};
use crate::program::{DEFAULT, Declared, Expr, ExprId, Presence};
use crate::{Kinds, Node};

/// One branch: its expression, and what it says of the default.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    pub expr: ExprId,
    pub mode: Mode,
}

impl Session {
    /// The branches of a disjunction, nested ones taken apart.
    pub(super) fn branches(&self, disjunction: Conjunct) -> Vec<Branch> {
        let mut out = Vec::new();
        if disjunction.expr.0 & DATUM != 0 {
            if let Some(Datum::Or(_, nodes)) = self.data.get((disjunction.expr.0 & !DATUM) as usize) {
                out.extend(nodes.iter().map(|expr| Branch { expr: *expr, mode: Mode::Maybe }));
            }
            return out;
        }
        self.collect_branches(disjunction.expr, &mut out);
        out
    }

    fn collect_branches(&self, expr: ExprId, out: &mut Vec<Branch>) {
        let Expr::Disjunction(operands) = self.program.code.expr(expr) else { return };
        let operands = self.program.code.operands(operands);
        let some_marked = operands.iter().any(|operand| operand & DEFAULT != 0);
        let first = out.len();
        for operand in operands {
            let (operand, marked) = (ExprId(operand & !DEFAULT), operand & DEFAULT != 0);
            let mode = match (some_marked, marked) {
                (false, _) => Mode::Maybe,
                (true, true) => Mode::Is,
                (true, false) => Mode::Not,
            };
            if matches!(self.program.code.expr(operand), Expr::Disjunction(_)) {
                let mut inner = Vec::new();
                self.collect_branches(operand, &mut inner);
                out.extend(inner.into_iter().map(|branch| Branch { mode: mode.and(branch.mode), ..branch }));
            } else {
                out.push(Branch { expr: operand, mode });
            }
        }
        let own = out.get_mut(first..).unwrap_or(&mut []);
        if own.iter().any(|branch| branch.mode != Mode::Maybe) {
            own.iter_mut().filter(|branch| branch.mode == Mode::Maybe).for_each(|branch| branch.mode = Mode::Not);
        }
    }

    /// What kinds a branch may have, as far as its expression says.
    pub(super) fn branch_kinds(&self, expr: ExprId) -> Kinds {
        if expr.0 & DATUM != 0 {
            return Kinds::TOP;
        }
        match self.program.code.expr(expr) {
            Expr::Null => Kinds::NULL,
            Expr::Bool(_) => Kinds::BOOL,
            Expr::Int(_) => Kinds::INT,
            Expr::Number(number) => self.scalar_kind(Scalar::Number(number)),
            Expr::Text(_) => Kinds::STRING,
            Expr::Interpolation { bytes, .. } => {
                if bytes {
                    Kinds::BYTES
                } else {
                    Kinds::STRING
                }
            }
            Expr::Bytes(_) => Kinds::BYTES,
            Expr::Kind(kinds) => kinds,
            Expr::List(_) => Kinds::LIST,
            Expr::Struct(literal) => match self.program.code.structs.get(literal as usize) {
                Some(literal) if !literal.embeds => Kinds::STRUCT,
                _ => Kinds::TOP,
            },
            Expr::Unify(operands) => {
                self.program.code.operands(operands).iter().fold(Kinds::TOP, |kinds, operand| kinds & self.branch_kinds(ExprId(*operand)))
            }
            _ => Kinds::TOP,
        }
    }

    /// Whether a branch cannot be unified with the node, by what is known cheaply.
    pub(super) fn conflicts(&mut self, node: Node, expr: ExprId, disjunction: Conjunct) -> Run<bool> {
        if !self.branch_kinds(expr).intersects(self.node(node).kinds) {
            return Ok(true);
        }
        if expr.0 & DATUM != 0 {
            return match self.data.get((expr.0 & !DATUM) as usize).cloned() {
                Some(Datum::Node(target)) => self.conflicts_node(node, target, None),
                Some(Datum::Scalar(scalar)) => Ok(self.refuses_scalar(node, scalar)),
                Some(Datum::Value(value)) => Ok(!value.kinds().intersects(self.node(node).kinds)),
                _ => Ok(false),
            };
        }
        let scalar = match self.program.code.expr(expr) {
            Expr::Null => Scalar::Null,
            Expr::Bool(value) => Scalar::Bool(value),
            Expr::Int(value) => Scalar::Int(value),
            Expr::Number(value) => Scalar::Number(value),
            Expr::Text(value) => Scalar::Text(value),
            Expr::Bytes(value) => Scalar::Bytes(value),
            Expr::Bottom => return Ok(true),
            Expr::Struct(literal) => return self.conflicts_literal(node, literal),
            Expr::Unify(operands) => {
                for index in 0..operands.count {
                    let operand = self.program.code.operand(operands, index);
                    if self.conflicts(node, operand, disjunction)? {
                        return Ok(true);
                    }
                }
                return Ok(false);
            }
            Expr::Bound { operator, operand } => {
                let value = match self.program.code.expr(operand) {
                    Expr::Int(value) => Scalar::Int(value),
                    Expr::Number(value) => Scalar::Number(value),
                    Expr::Text(value) => Scalar::Text(value),
                    _ => return Ok(false),
                };
                return Ok(match self.node(node).scalar {
                    Some(scalar) => !self.keeps(scalar, Bound { operator, value, expr }),
                    None => false,
                });
            }
            _ if self.is_reference(expr) => {
                return match self.resolve(expr, disjunction.env, node) {
                    Ok(Target::Node(target, definition)) => self.conflicts_node(node, target, Some((definition, disjunction))),
                    Ok(Target::Bottom(bottom)) => Ok(self.code_of(bottom).is_final()),
                    Ok(_) | Err(Stop::Wait(_)) => Ok(false),
                    Err(Stop::Limit) => Err(Stop::Limit),
                };
            }
            _ => return Ok(false),
        };
        Ok(self.refuses_scalar(node, scalar))
    }

    fn refuses_scalar(&mut self, node: Node, scalar: Scalar) -> bool {
        if let Some(own) = self.node(node).scalar {
            return !self.same(own, scalar);
        }
        let Some(extra) = self.extra(node) else { return false };
        let bounds = extra.bounds.clone();
        bounds.into_iter().any(|bound| !self.keeps(scalar, bound))
    }

    fn conflicts_literal(&mut self, node: Node, literal: u32) -> Run<bool> {
        let program = Arc::clone(&self.program);
        let Some(structure) = program.code.structs.get(literal as usize) else { return Ok(false) };
        for declared in &structure.declarations {
            let Declared::Field(field) = declared else { continue };
            if field.presence == Presence::Optional {
                continue;
            }
            let Some(arc) = self.find_arc(node, field.label) else { continue };
            let other = match self.program.code.expr(field.slot.value) {
                Expr::Null => Scalar::Null,
                Expr::Bool(value) => Scalar::Bool(value),
                Expr::Int(value) => Scalar::Int(value),
                Expr::Number(value) => Scalar::Number(value),
                Expr::Text(value) => Scalar::Text(value),
                Expr::Kind(kinds) => {
                    let known = self.peek(arc)?.map(|scalar| self.scalar_kind(scalar));
                    if known.is_some_and(|known| !known.intersects(kinds)) {
                        return Ok(true);
                    }
                    continue;
                }
                _ => continue,
            };
            if self.peek(arc)?.is_some_and(|scalar| !self.same(scalar, other)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The scalar of an arc, if it is known by now.
    fn peek(&mut self, arc: Node) -> Run<Option<Scalar>> {
        match self.ensure(arc) {
            Err(Stop::Limit) => return Err(Stop::Limit),
            Ok(()) | Err(Stop::Wait(_)) => {}
        }
        Ok(self.node(self.deref(arc)).scalar)
    }

    fn conflicts_node(&mut self, node: Node, target: Node, reference: Option<(bool, Conjunct)>) -> Run<bool> {
        match self.ensure(target) {
            Err(Stop::Limit) => return Err(Stop::Limit),
            Ok(()) | Err(Stop::Wait(_)) => {}
        }
        let target = self.deref(target);
        if target == node {
            return Ok(false);
        }
        let data = self.node(target);
        if data.bottom != 0 && self.code_of(data.bottom).is_final() && data.phase == Phase::Settled {
            return Ok(true);
        }
        // A struct only because it embeds nothing: with something beside it, it is what that is.
        let nothing = data.kinds == Kinds::STRUCT && data.flags & flag::EMBEDS != 0 && data.flags & flag::STRUCT == 0;
        if !nothing && !data.kinds.intersects(self.node(node).kinds) {
            return Ok(true);
        }
        if let Some(scalar) = data.scalar {
            return Ok(self.refuses_scalar(node, scalar));
        }
        if data.phase != Phase::Settled || data.extra.as_ref().is_some_and(|extra| !extra.alternatives.is_empty()) {
            return Ok(false);
        }
        for arc in self.node(node).arcs.clone() {
            let label = self.node(arc).label;
            let Some(other) = self.find_arc(target, label) else { continue };
            let other_data = self.node(other);
            let (scalar, kinds) = (other_data.scalar, other_data.kinds);
            let known = match scalar.is_some() || other_data.phase != Phase::New {
                true => scalar,
                false => {
                    match self.ensure(other) {
                        Err(Stop::Limit) => return Err(Stop::Limit),
                        Ok(()) | Err(Stop::Wait(_)) => {}
                    }
                    self.node(self.deref(other)).scalar
                }
            };
            if known.is_none() && kinds == Kinds::TOP {
                continue;
            }
            if let Some(own) = self.peek(arc)? {
                let differs = match known {
                    Some(other) => !self.same(own, other),
                    None => !self.node(self.deref(other)).kinds.intersects(self.scalar_kind(own)),
                };
                if differs {
                    return Ok(true);
                }
            }
        }
        let Some((definition, disjunction)) = reference else { return Ok(false) };
        let closed = definition || self.closes_itself(target);
        let occurrence = self.info(disjunction.info).occurrence;
        if !closed || self.node(target).kinds != Kinds::STRUCT || self.may_get_evidence(node, disjunction, occurrence) {
            return Ok(false);
        }
        Ok(self.refuses_fields_of(target, node, occurrence))
    }

    /// Whether something that is still open may back fields of a node besides a disjunction, in the eyes of a definition
    /// that is referred to from an occurrence.
    fn may_get_evidence(&self, node: Node, disjunction: Conjunct, occurrence: u32) -> bool {
        let backs = |info: u32| self.would_accept(occurrence, self.info(info).occurrence);
        self.extra(node).is_some_and(|extra| {
            extra.tasks.iter().any(|task| backs(task.info())) || extra.disjunctions.iter().any(|other| *other != disjunction && backs(other.info))
        })
    }
}
