//! Computing: operators, interpolation, and values of nodes as operands.

use std::cmp::Ordering;
use std::sync::Arc;

use super::data::*;
use super::resolve::Target;
use super::scalars::ordered;
use super::{Session, flag};
use crate::intern::Text;
use crate::packages::strings::MAXIMUM_REPEAT;
use crate::program::{Expr, ExprId, Operands, Operator};
use crate::{Kinds, Node};

/// What an operand comes to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Val {
    Scalar(Scalar),
    /// A struct, a list, or something that is not concrete.
    Node(Node),
    /// Not known before an answer that said so.
    Pending(Kinds),
    Bottom(u32),
}

impl Session {
    /// The value of an operand, defaults taken.
    pub(crate) fn eval(&mut self, expr: ExprId, env: u32, at: Node) -> Run<Val> {
        if self.computing > self.limits.depth {
            return Err(self.exceed("levels", u64::from(self.limits.depth), at, expr));
        }
        self.computing += 1;
        let val = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.eval_inner(expr, env, at));
        self.computing -= 1;
        val
    }

    fn eval_inner(&mut self, expr: ExprId, env: u32, at: Node) -> Run<Val> {
        self.step(at, expr)?;
        let scalar = match self.program.code.expr(expr) {
            Expr::Null => Scalar::Null,
            Expr::Bool(value) => Scalar::Bool(value),
            Expr::Int(value) => Scalar::Int(value),
            Expr::Number(value) => Scalar::Number(value),
            Expr::Text(value) => Scalar::Text(value),
            Expr::Bytes(value) => Scalar::Bytes(value),
            Expr::FrameLabel { up } => match self.frame_label(env, up) {
                Some(scalar) => scalar,
                None => return Ok(Val::Pending(Kinds::STRING)),
            },
            Expr::Bottom => return Ok(Val::Bottom(self.bottom_at(Code::User, at, Reason::Explicit, expr))),
            Expr::Bad => return Ok(Val::Bottom(self.bottom_at(Code::Eval, at, Reason::Compile, expr))),
            Expr::Interpolation { pieces, bytes } => return self.interpolate(expr, pieces, bytes, env, at),
            Expr::Not(operand) | Expr::Negate(operand) | Expr::Plus(operand) => return self.unary(expr, operand, env, at),
            Expr::Binary { operator, left, right } => return self.binary(expr, operator, left, right, env, at),
            Expr::Slice(operands) => return self.slice(expr, operands, env, at),
            Expr::Call(operands) => {
                return match self.call(expr, operands, env, at)? {
                    Val::Node(node) => self.value_of(node),
                    other => Ok(other),
                };
            }
            Expr::Open(inner) => return self.eval(inner, env, at),
            _ => {
                return match self.resolve(expr, env, at)? {
                    Target::Node(node, _) => self.value_of(node),
                    Target::Scalar(scalar) => Ok(Val::Scalar(scalar)),
                    Target::Pending(kinds) => Ok(Val::Pending(kinds)),
                    Target::Bottom(bottom) => Ok(Val::Bottom(bottom)),
                };
            }
        };
        Ok(Val::Scalar(scalar))
    }

    /// The value of a node, its default taken.
    pub(crate) fn value_of(&mut self, node: Node) -> Run<Val> {
        let mut node = self.deref(node);
        if let Err(stop) = self.ensure(node) {
            return Err(stop);
        }
        node = self.deref(node);
        if let Some(answered) = self.answered(node)? {
            node = self.deref(answered);
            self.ensure(node)?;
            node = self.deref(node);
        }
        self.read(node);
        let data = self.node(node);
        if data.bottom != 0 {
            return Ok(Val::Bottom(data.bottom));
        }
        if let Some(scalar) = data.scalar {
            return Ok(Val::Scalar(scalar));
        }
        if data.phase != Phase::Settled {
            if self.is_unknown_yet(node) {
                let bottom = self.bottom(Code::Cycle, node, Reason::Cycle, Vec::new());
                return Ok(Val::Bottom(bottom));
            }
            return Ok(Val::Node(node));
        }
        if data.flags & flag::PENDING != 0 && !self.is_composite(node) {
            return Ok(Val::Pending(data.kinds));
        }
        match self.default_of(node) {
            Some(Alternative::Scalar(scalar)) => Ok(Val::Scalar(scalar)),
            Some(Alternative::Node(default)) if default != node => self.value_of(default),
            _ => Ok(Val::Node(node)),
        }
    }

    /// Whether nothing is known of a node that is read within its own evaluation: something has to be computed for it, and
    /// no kind or bound stands beside that, or a disjunction is not decided. What is known makes it a value that is not
    /// concrete instead.
    fn is_unknown_yet(&self, node: Node) -> bool {
        let data = self.node(node);
        let Some(extra) = data.extra.as_deref() else { return false };
        if !data.arcs.is_empty() || !data.structs.is_empty() || extra.list.is_some() {
            return false;
        }
        let undecided = !extra.disjunctions.is_empty() || extra.forks.is_some();
        undecided || (!extra.tasks.is_empty() && data.kinds == Kinds::TOP && extra.bounds.is_empty())
    }

    /// Whether a node is a struct or list for certain.
    pub(crate) fn is_composite(&self, node: Node) -> bool {
        let data = self.node(node);
        data.kinds.is_one()
            && data.kinds.intersects(Kinds::STRUCT | Kinds::LIST)
            && (data.flags & flag::PENDING == 0 || !data.arcs.is_empty())
            && data.extra.as_ref().is_none_or(|extra| extra.alternatives.is_empty())
            && !self.is_only_validated(node)
    }

    /// Whether a validator says that it is a struct or list, but nothing makes it one.
    pub(crate) fn is_only_validated(&self, node: Node) -> bool {
        let data = self.node(node);
        let Some(extra) = data.extra.as_ref() else { return false };
        !extra.validators.is_empty() && extra.list.is_none() && data.flags & flag::STRUCT == 0 && data.arcs.is_empty()
    }

    /// Whether more information could make a node concrete.
    pub(crate) fn is_incomplete(&self, node: Node) -> bool {
        let node = self.deref(node);
        let data = self.node(node);
        data.bottom == 0
            && data.scalar.is_none()
            && !(data.kinds.is_one() && data.kinds.intersects(Kinds::STRUCT | Kinds::LIST) && !self.is_only_validated(node))
            || (data.bottom != 0 && !self.code_of(data.bottom).is_final())
    }

    pub(super) fn not_concrete(&mut self, node: Node, expr: ExprId, at: Node) -> Val {
        let kinds = self.node(node).kinds;
        Val::Bottom(self.bottom_at(Code::Incomplete, at, Reason::NotConcrete(kinds), expr))
    }

    fn interpolate(&mut self, expr: ExprId, pieces: Operands, bytes: bool, env: u32, at: Node) -> Run<Val> {
        let mut out: Vec<u8> = Vec::new();
        let (mut pending, mut bottom, mut stop) = (false, None, None);
        for index in 0..pieces.count {
            let piece = self.program.code.operand(pieces, index);
            self.check_size(out.len(), at, expr)?;
            match self.eval(piece, env, at) {
                Err(Stop::Limit) => return Err(Stop::Limit),
                Err(other) => stop = stop.or(Some(other)),
                Ok(Val::Pending(_)) => pending = true,
                Ok(Val::Bottom(other)) => bottom = bottom.or(Some(other)),
                Ok(Val::Node(node)) => {
                    let composite = self.is_composite(node);
                    let val = if composite {
                        let reason = Reason::Text(format!("invalid interpolation: cannot use a value of type {} here", self.node(node).kinds));
                        Val::Bottom(self.bottom_at(Code::Eval, at, reason, piece))
                    } else {
                        self.not_concrete(node, piece, at)
                    };
                    if let Val::Bottom(other) = val {
                        bottom = bottom.or(Some(other));
                    }
                }
                Ok(Val::Scalar(scalar)) => match scalar {
                    Scalar::Text(text) => out.extend_from_slice(self.texts.get(text).as_bytes()),
                    Scalar::Bytes(data) => out.extend_from_slice(self.bytes_of(data)),
                    Scalar::Int(value) => out.extend_from_slice(value.to_string().as_bytes()),
                    Scalar::Bool(value) => out.extend_from_slice(value.to_string().as_bytes()),
                    Scalar::Null => {
                        let reason = Reason::Text("invalid interpolation: cannot use null here".into());
                        bottom = bottom.or(Some(self.bottom_at(Code::Eval, at, reason, piece)));
                    }
                    Scalar::Number(_) => out.extend_from_slice(self.scalar_text(scalar).as_bytes()),
                },
            }
        }
        if let Some(stop) = stop {
            return Err(stop);
        }
        if let Some(bottom) = bottom {
            return Ok(Val::Bottom(bottom));
        }
        if pending {
            return Ok(Val::Pending(if bytes { Kinds::BYTES } else { Kinds::STRING }));
        }
        self.make(out.len(), at, expr)?;
        Ok(Val::Scalar(if bytes { self.bytes_scalar(Arc::from(out)) } else { Scalar::Text(self.texts.text(&String::from_utf8_lossy(&out))) }))
    }

    fn unary(&mut self, expr: ExprId, operand: ExprId, env: u32, at: Node) -> Run<Val> {
        let kind = self.program.code.expr(expr);
        let wanted = if matches!(kind, Expr::Not(_)) { Kinds::BOOL } else { Kinds::NUMBER };
        let scalar = match self.eval(operand, env, at)? {
            Val::Scalar(scalar) => scalar,
            Val::Pending(kinds) => return Ok(Val::Pending(kinds & wanted)),
            Val::Bottom(bottom) => return Ok(Val::Bottom(bottom)),
            Val::Node(node) if self.node(node).kinds.intersects(wanted) => return Ok(self.not_concrete(node, operand, at)),
            Val::Node(node) => {
                let kinds = self.node(node).kinds;
                let reason = Reason::Text(format!("invalid operation: operator needs {wanted}, found {kinds}"));
                return Ok(Val::Bottom(self.bottom_at(Code::Eval, at, reason, expr)));
            }
        };
        Ok(match (kind, scalar) {
            (Expr::Not(_), Scalar::Bool(value)) => Val::Scalar(Scalar::Bool(!value)),
            (Expr::Negate(_), scalar) if self.number_of(scalar).is_some() => {
                let number = self.number_of(scalar).map_or(crate::Number::NaN, |number| number.negate());
                Val::Scalar(self.number_scalar(number))
            }
            (Expr::Plus(_), scalar) if self.number_of(scalar).is_some() => Val::Scalar(scalar),
            (_, scalar) => {
                let reason = Reason::Text(format!("invalid operation on {}: operator needs {wanted}", self.scalar_text(scalar)));
                Val::Bottom(self.bottom_at(Code::Eval, at, reason, expr))
            }
        })
    }

    fn binary(&mut self, expr: ExprId, operator: Operator, left: ExprId, right: ExprId, env: u32, at: Node) -> Run<Val> {
        if matches!(operator, Operator::Equal | Operator::NotEqual) {
            let bottom = |session: &Self, id: ExprId| matches!(session.program.code.expr(id), Expr::Bottom);
            if bottom(self, right) {
                return self.compare_bottom(left, operator, env, at);
            }
            if bottom(self, left) {
                return self.compare_bottom(right, operator, env, at);
            }
        }
        let a = self.eval(left, env, at);
        if let Ok(Val::Scalar(Scalar::Bool(value))) = a
            && self.program.code.short_circuit.binary_search(&expr).is_ok()
            && ((operator == Operator::And && !value) || (operator == Operator::Or && value))
        {
            return Ok(Val::Scalar(Scalar::Bool(value)));
        }
        if matches!(a, Err(Stop::Limit)) {
            return Err(Stop::Limit);
        }
        if let Ok(Val::Bottom(bottom)) = a
            && self.code_of(bottom) == Code::Structural
        {
            return Ok(Val::Bottom(bottom));
        }
        let b = self.eval(right, env, at)?;
        let a = a?;
        match (a, b) {
            (Val::Bottom(bottom), _) if self.code_of(bottom).is_final() => return Ok(Val::Bottom(bottom)),
            (_, Val::Bottom(bottom)) => {
                return Ok(match a {
                    Val::Bottom(first) if !self.code_of(bottom).is_final() => Val::Bottom(first),
                    _ => Val::Bottom(bottom),
                });
            }
            (Val::Bottom(bottom), _) => return Ok(Val::Bottom(bottom)),
            (Val::Pending(kinds), other) | (other, Val::Pending(kinds)) => {
                return Ok(Val::Pending(self.pending_result(operator, kinds, other)));
            }
            _ => {}
        }
        match (a, b) {
            (Val::Scalar(a), Val::Scalar(b)) => self.binary_scalars(expr, operator, a, b, at),
            _ => self.binary_nodes(expr, operator, (a, left), (b, right), at),
        }
    }

    fn pending_result(&self, operator: Operator, kinds: Kinds, other: Val) -> Kinds {
        let other = match other {
            Val::Scalar(scalar) => self.scalar_kind(scalar),
            Val::Pending(kinds) => kinds,
            Val::Node(node) => self.node(node).kinds,
            Val::Bottom(_) => Kinds::TOP,
        };
        match operator {
            Operator::Add | Operator::Multiply | Operator::Subtract => {
                let both = kinds & other;
                if both.intersects(Kinds::NUMBER) && both == both & Kinds::NUMBER { both } else { kinds | other }
            }
            Operator::Divide => Kinds::FLOAT,
            _ => Kinds::BOOL,
        }
    }

    fn kinds_of(&self, val: Val) -> Kinds {
        match val {
            Val::Scalar(scalar) => self.scalar_kind(scalar),
            Val::Pending(kinds) => kinds,
            Val::Node(node) => self.node(node).kinds,
            Val::Bottom(_) => Kinds::NONE,
        }
    }

    fn binary_nodes(&mut self, expr: ExprId, operator: Operator, a: (Val, ExprId), b: (Val, ExprId), at: Node) -> Run<Val> {
        let composite = |session: &Self, val: Val| matches!(val, Val::Node(node) if session.is_composite(node));
        let concrete = |session: &Self, val: Val| matches!(val, Val::Scalar(_)) || composite(session, val);
        if matches!(operator, Operator::Equal | Operator::NotEqual) && concrete(self, a.0) && concrete(self, b.0) {
            let equal = match (a.0, b.0) {
                (Val::Node(x), Val::Node(y)) => match self.equal_nodes(x, y)? {
                    Ok(equal) => equal,
                    Err(bottom) => return Ok(Val::Bottom(bottom)),
                },
                _ => false,
            };
            return Ok(Val::Scalar(Scalar::Bool(equal == (operator == Operator::Equal))));
        }
        let (x, y) = (self.kinds_of(a.0), self.kinds_of(b.0));
        if !self.may_apply(operator, x, y) {
            return Ok(Val::Bottom(self.bottom_at(Code::Eval, at, Reason::Operands(operator, x, y), expr)));
        }
        for (val, operand) in [a, b] {
            if let Val::Node(node) = val {
                return Ok(self.not_concrete(node, operand, at));
            }
        }
        Ok(Val::Bottom(self.bottom_at(Code::Eval, at, Reason::Operands(operator, x, y), expr)))
    }

    /// Whether some values of these kinds are operands of an operator.
    fn may_apply(&self, operator: Operator, a: Kinds, b: Kinds) -> bool {
        let text = Kinds::STRING | Kinds::BYTES;
        match operator {
            Operator::And | Operator::Or => a.intersects(Kinds::BOOL) && b.intersects(Kinds::BOOL),
            Operator::Equal | Operator::NotEqual => true,
            Operator::Match | Operator::NotMatch => a.intersects(text) && b.intersects(text),
            Operator::Add => (a.intersects(Kinds::NUMBER) && b.intersects(Kinds::NUMBER)) || (a & b).intersects(text),
            Operator::Multiply => {
                (a.intersects(Kinds::NUMBER) && b.intersects(Kinds::NUMBER))
                    || (a.intersects(text) && b.intersects(Kinds::INT))
                    || (b.intersects(text) && a.intersects(Kinds::INT))
            }
            Operator::Subtract | Operator::Divide => a.intersects(Kinds::NUMBER) && b.intersects(Kinds::NUMBER),
            _ => (a.intersects(Kinds::NUMBER) && b.intersects(Kinds::NUMBER)) || (a & b).intersects(text),
        }
    }

    pub(crate) fn binary_scalars(&mut self, expr: ExprId, operator: Operator, a: Scalar, b: Scalar, at: Node) -> Run<Val> {
        let wrong = |session: &mut Self| {
            let reason = Reason::Operands(operator, session.scalar_kind(a), session.scalar_kind(b));
            Ok(Val::Bottom(session.bottom_at(Code::Eval, at, reason, expr)))
        };
        let truth = |value: bool| Ok(Val::Scalar(Scalar::Bool(value)));
        match operator {
            Operator::And | Operator::Or => match (a, b) {
                (Scalar::Bool(a), Scalar::Bool(b)) => truth(if operator == Operator::And { a && b } else { a || b }),
                _ => wrong(self),
            },
            Operator::Equal | Operator::NotEqual => truth((self.compare(a, b) == Some(Ordering::Equal)) == (operator == Operator::Equal)),
            Operator::Match | Operator::NotMatch => self.matches_regex(expr, operator, a, b, at),
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
                if matches!(a, Scalar::Bool(_) | Scalar::Null) || matches!(b, Scalar::Bool(_) | Scalar::Null) {
                    return wrong(self);
                }
                match self.compare(a, b) {
                    Some(ordering) => truth(ordered(operator, ordering)),
                    None => wrong(self),
                }
            }
            _ => self.arithmetic(expr, operator, a, b, at),
        }
    }

    fn matches_regex(&mut self, expr: ExprId, operator: Operator, a: Scalar, b: Scalar, at: Node) -> Run<Val> {
        let Scalar::Text(pattern) = b else {
            let reason = Reason::Operands(operator, self.scalar_kind(a), self.scalar_kind(b));
            return Ok(Val::Bottom(self.bottom_at(Code::Eval, at, reason, expr)));
        };
        if self.regex(pattern).is_none() {
            let reason = Reason::Text(format!("invalid regular expression {}", self.scalar_text(b)));
            return Ok(Val::Bottom(self.bottom_at(Code::Eval, at, reason, expr)));
        }
        if !matches!(a, Scalar::Text(_) | Scalar::Bytes(_)) {
            let reason = Reason::Operands(operator, self.scalar_kind(a), self.scalar_kind(b));
            return Ok(Val::Bottom(self.bottom_at(Code::Eval, at, reason, expr)));
        }
        let bound = Bound { operator, value: b, expr };
        let kept = self.keeps(a, bound);
        Ok(Val::Scalar(Scalar::Bool(kept)))
    }

    fn arithmetic(&mut self, expr: ExprId, operator: Operator, a: Scalar, b: Scalar, at: Node) -> Run<Val> {
        if let (Some(x), Some(y)) = (self.number_of(a), self.number_of(b)) {
            let result = match operator {
                Operator::Add => x.add(&y),
                Operator::Subtract => x.subtract(&y),
                Operator::Multiply => {
                    let bits = x.bits().saturating_add(y.bits());
                    self.check_bits(bits, at, expr)?;
                    self.make((bits / 8) as usize, at, expr)?;
                    x.multiply(&y)
                }
                _ => match x.divide(&y) {
                    Some(result) => result,
                    None => {
                        let reason = Reason::Text("division by zero".into());
                        return Ok(Val::Bottom(self.bottom_at(Code::Eval, at, reason, expr)));
                    }
                },
            };
            return Ok(Val::Scalar(self.number_scalar(result)));
        }
        match (operator, a, b) {
            (Operator::Add, Scalar::Text(x), Scalar::Text(y)) => {
                let text = format!("{}{}", self.texts.get(x), self.texts.get(y));
                self.make(text.len(), at, expr)?;
                Ok(Val::Scalar(Scalar::Text(self.texts.text(&text))))
            }
            (Operator::Add, Scalar::Bytes(x), Scalar::Bytes(y)) => {
                let bytes = [self.bytes_of(x), self.bytes_of(y)].concat();
                self.make(bytes.len(), at, expr)?;
                Ok(Val::Scalar(self.bytes_scalar(Arc::from(bytes))))
            }
            (Operator::Multiply, Scalar::Text(text), Scalar::Int(count)) | (Operator::Multiply, Scalar::Int(count), Scalar::Text(text)) => {
                self.repeat_text(expr, text, count, at)
            }
            (Operator::Multiply, Scalar::Bytes(bytes), Scalar::Int(count)) | (Operator::Multiply, Scalar::Int(count), Scalar::Bytes(bytes)) => {
                let bytes = self.bytes_of(bytes).to_vec();
                let count = match self.repetitions(expr, count, at) {
                    Ok(count) => count,
                    Err(bottom) => return Ok(Val::Bottom(bottom)),
                };
                self.make(bytes.len().saturating_mul(count), at, expr)?;
                Ok(Val::Scalar(self.bytes_scalar(Arc::from(bytes.repeat(count)))))
            }
            _ => {
                let reason = Reason::Operands(operator, self.scalar_kind(a), self.scalar_kind(b));
                Ok(Val::Bottom(self.bottom_at(Code::Eval, at, reason, expr)))
            }
        }
    }

    /// How often something is repeated, or what is wrong with that.
    fn repetitions(&mut self, expr: ExprId, count: i64, at: Node) -> Result<usize, u32> {
        let text = match usize::try_from(count) {
            Ok(_) if count > MAXIMUM_REPEAT => format!("count {count} exceeds limit of {MAXIMUM_REPEAT}"),
            Ok(count) => return Ok(count),
            Err(_) => "cannot convert negative number to uint64".into(),
        };
        Err(self.bottom_at(Code::Eval, at, Reason::Text(text), expr))
    }

    fn repeat_text(&mut self, expr: ExprId, text: Text, count: i64, at: Node) -> Run<Val> {
        let count = match self.repetitions(expr, count, at) {
            Ok(count) => count,
            Err(bottom) => return Ok(Val::Bottom(bottom)),
        };
        let text = Arc::clone(self.texts.get(text));
        self.make(text.len().saturating_mul(count), at, expr)?;
        Ok(Val::Scalar(Scalar::Text(self.texts.text(&text.repeat(count)))))
    }

    /// `x == _|_` and `x != _|_`: whether x is an error.
    fn compare_bottom(&mut self, operand: ExprId, operator: Operator, env: u32, at: Node) -> Run<Val> {
        let val = match self.program.code.expr(operand) {
            Expr::Bottom => return Ok(Val::Scalar(Scalar::Bool(operator == Operator::Equal))),
            _ if self.is_reference(operand) => match self.resolve(operand, env, at)? {
                Target::Bottom(bottom) => Val::Bottom(bottom),
                Target::Scalar(scalar) => Val::Scalar(scalar),
                Target::Pending(kinds) => Val::Pending(kinds),
                Target::Node(node, _) => Val::Node(node),
            },
            _ => self.eval(operand, env, at)?,
        };
        let is_error = match val {
            Val::Node(node) => self.is_error(node)?,
            other => other,
        };
        let is_error = match is_error {
            Val::Bottom(bottom) if self.may_change(bottom) => {
                if operator == Operator::Equal || !self.is_own_absence(bottom, at) {
                    return Ok(Val::Bottom(self.as_cycle(bottom)));
                }
                self.assume_absent(at, operand, env, bottom);
                true
            }
            Val::Bottom(_) => true,
            Val::Pending(_) => return Ok(Val::Pending(Kinds::BOOL)),
            Val::Scalar(_) | Val::Node(_) => self.selects_from_error(operand, env, at)?,
        };
        Ok(Val::Scalar(Scalar::Bool(is_error == (operator == Operator::Equal))))
    }

    /// Whether an operand selects from a value that is written there and has an error, though elsewhere.
    fn selects_from_error(&mut self, operand: ExprId, env: u32, at: Node) -> Run<bool> {
        let (Expr::Select { base, .. } | Expr::Index { base, .. }) = self.program.code.expr(operand) else { return Ok(false) };
        if self.is_reference(base) {
            return Ok(false);
        }
        let node = self.inline_node(base, env, at)?;
        if !self.has_final_error(node, 0)? {
            return Ok(false);
        }
        let bottom = self.error_below(node);
        Ok(self.bottom_data(bottom).is_some_and(|data| !matches!(data.reason, Reason::NotAllowed(_))))
    }

    /// What a node is in comparison with an error: an error where it, or a field of it, is one, or where it is a scalar
    /// that is not concrete.
    fn is_error(&mut self, node: Node) -> Run<Val> {
        self.ensure(node)?;
        let mut node = self.deref(node);
        if let Some(answered) = self.answered(node)? {
            node = self.deref(answered);
            self.ensure(node)?;
            node = self.deref(node);
        }
        self.read(node);
        let data = self.node(node);
        if data.bottom != 0 {
            return Ok(Val::Bottom(data.bottom));
        }
        let composite = data.kinds.intersects(Kinds::STRUCT | Kinds::LIST);
        if data.phase != Phase::Settled && data.scalar.is_none() && data.extra.as_ref().is_some_and(|extra| !extra.tasks.is_empty()) {
            return Ok(if composite { Val::Node(node) } else { Val::Bottom(0) });
        }
        if data.flags & flag::PENDING != 0 && data.scalar.is_none() {
            return Ok(Val::Pending(data.kinds));
        }
        if composite && !data.arcs.is_empty() && data.flags & flag::ON_STACK == 0 {
            return Ok(if self.has_final_error(node, 0)? { Val::Bottom(0) } else { Val::Node(node) });
        }
        let decided = data.scalar.is_some() || composite || data.extra.as_ref().is_some_and(|extra| !extra.alternatives.is_empty());
        Ok(if decided { Val::Node(node) } else { Val::Bottom(0) })
    }

    /// Slices of lists, strings and bytes.
    fn slice(&mut self, expr: ExprId, operands: Operands, env: u32, at: Node) -> Run<Val> {
        let base = self.program.code.operand(operands, 0);
        let base = self.eval(base, env, at)?;
        let mut ends = [None, None];
        for (index, end) in ends.iter_mut().enumerate() {
            let operand = self.program.code.operand(operands, index as u32 + 1);
            if self.program.code.expr(operand) == Expr::Bad {
                continue;
            }
            *end = match self.eval(operand, env, at)? {
                Val::Scalar(Scalar::Int(value)) => Some(value),
                Val::Pending(_) => return Ok(Val::Pending(self.kinds_of(base))),
                Val::Bottom(bottom) => return Ok(Val::Bottom(bottom)),
                Val::Node(node) if self.is_incomplete(node) => return Ok(self.not_concrete(node, operand, at)),
                _ => {
                    let reason = Reason::Text("slice index must be an integer".into());
                    return Ok(Val::Bottom(self.bottom_at(Code::Eval, at, reason, operand)));
                }
            };
        }
        let length = match base {
            Val::Pending(kinds) => return Ok(Val::Pending(kinds)),
            Val::Bottom(bottom) => return Ok(Val::Bottom(bottom)),
            Val::Scalar(Scalar::Text(text)) => self.texts.get(text).len(),
            Val::Scalar(Scalar::Bytes(bytes)) => self.bytes_of(bytes).len(),
            Val::Node(node) if self.node(node).kinds == Kinds::LIST => self.list_length(node) as usize,
            Val::Node(node) if self.is_incomplete(node) => return Ok(self.not_concrete(node, expr, at)),
            _ => {
                let reason = Reason::Text("cannot slice this value: it must be a list, string or bytes".into());
                return Ok(Val::Bottom(self.bottom_at(Code::Eval, at, reason, expr)));
            }
        };
        let (low, high) = (ends[0].unwrap_or(0), ends[1].unwrap_or(length as i64));
        let range = match (usize::try_from(low), usize::try_from(high)) {
            (Ok(low), Ok(high)) if low <= high && high <= length => low..high,
            _ => {
                let reason = Reason::Text(format!("slice bounds out of range [{low}:{high}] with length {length}"));
                return Ok(Val::Bottom(self.bottom_at(Code::Eval, at, reason, expr)));
            }
        };
        match base {
            Val::Scalar(Scalar::Bytes(bytes)) => {
                let part: Arc<[u8]> = Arc::from(self.bytes_of(bytes).get(range).unwrap_or(&[]));
                Ok(Val::Scalar(self.bytes_scalar(part)))
            }
            Val::Scalar(Scalar::Text(text)) => {
                let part = String::from_utf8_lossy(self.texts.get(text).as_bytes().get(range).unwrap_or(&[])).into_owned();
                Ok(Val::Scalar(Scalar::Text(self.texts.text(&part))))
            }
            Val::Node(node) => {
                let elements: Vec<Node> = range.filter_map(|index| self.find_arc(node, crate::intern::Label::index(index))).collect();
                Ok(Val::Node(self.list_of(&elements, at)?))
            }
            _ => Ok(base),
        }
    }

    /// A new list of nodes.
    pub(crate) fn list_of(&mut self, elements: &[Node], at: Node) -> Run<Node> {
        let list = self.new_node(at, crate::intern::Label::NONE, crate::program::Presence::Member);
        self.set(list, flag::FORCE_CLOSED);
        let expr = self.datum(Datum::List(Arc::from(elements)));
        self.node_mut(list).conjuncts.push(Conjunct { expr, env: 0, info: 0 });
        self.ensure(list)?;
        Ok(list)
    }

    /// How many elements a list has.
    pub(crate) fn list_length(&self, node: Node) -> u32 {
        self.extra(node).and_then(|extra| extra.list.as_ref()).map_or(0, |list| list.known.max(list.length.unwrap_or(0)))
    }

    /// Joins what an expression comes to.
    pub(crate) fn join_computed(&mut self, node: Node, conjunct: Conjunct) -> Run<()> {
        let expr = self.program.code.expr(conjunct.expr);
        if self.is_reference(conjunct.expr) {
            return match self.resolve(conjunct.expr, conjunct.env, node)? {
                Target::Node(target, definition) => {
                    let target = self.reference_target(conjunct.expr, target)?;
                    self.join_reference(node, target, conjunct, definition)
                }
                Target::Scalar(scalar) => self.join_scalar(node, scalar, conjunct.expr),
                Target::Pending(kinds) => {
                    self.set(node, flag::PENDING);
                    self.join_kinds(node, kinds, conjunct.expr)
                }
                Target::Bottom(bottom) => {
                    self.fail(node, bottom);
                    Ok(())
                }
            };
        }
        if !matches!(expr, Expr::Try(_) | Expr::Open(_) | Expr::Call(_)) {
            self.note_material(node, conjunct.info);
        }
        match expr {
            Expr::Bound { operator, operand } => self.join_computed_bound(node, conjunct, operator, operand),
            Expr::Open(inner) => self.join_open(node, conjunct, inner),
            Expr::Call(operands) => self.join_call(node, conjunct, operands),
            Expr::Core(_) | Expr::Function(_) => self.join_function(node, conjunct),
            _ => {
                let val = self.eval(conjunct.expr, conjunct.env, node)?;
                self.join_val(node, val, conjunct)
            }
        }
    }

    /// A reference to a field that is asked for joins the original's constraints; what is selected through an answer
    /// stays as it is.
    fn reference_target(&mut self, _expr: ExprId, target: Node) -> Run<Node> {
        Ok(self.deref(target))
    }

    fn join_open(&mut self, node: Node, conjunct: Conjunct, inner: ExprId) -> Run<()> {
        match self.resolve(inner, conjunct.env, node)? {
            Target::Node(target, _) => self.join_reference(node, target, conjunct, true),
            Target::Scalar(scalar) => self.join_scalar(node, scalar, conjunct.expr),
            Target::Pending(_) => {
                self.set(node, flag::PENDING);
                Ok(())
            }
            Target::Bottom(bottom) => {
                self.fail(node, bottom);
                Ok(())
            }
        }
    }

    pub(crate) fn join_val(&mut self, node: Node, val: Val, conjunct: Conjunct) -> Run<()> {
        match val {
            Val::Scalar(scalar) => self.join_scalar(node, scalar, conjunct.expr),
            Val::Node(target) => self.join_reference(node, target, conjunct, false),
            Val::Pending(kinds) => {
                self.set(node, flag::PENDING);
                self.note_material(node, conjunct.info);
                self.join_kinds(node, kinds, conjunct.expr)
            }
            Val::Bottom(bottom) => {
                self.fail(node, bottom);
                Ok(())
            }
        }
    }
}
