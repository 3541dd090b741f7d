//! Unifying scalars, kinds and bounds.

use std::cmp::Ordering;
use std::sync::Arc;

use pravo_diag::{FileId, Span};

use super::data::*;
use super::{FILE, Session, flag};
use crate::intern::Label;
use crate::program::{Expr, ExprId, Operator};
use crate::{Kinds, Node, Number, Value};

impl Session {
    /// The place of an expression or of a file's struct.
    pub(crate) fn span_of(&self, expr: ExprId) -> Span {
        if expr.0 & DATUM != 0 {
            return Span::new(FileId(u32::MAX), 0, 0);
        }
        if expr.0 & FILE != 0 {
            return self.program.code.structs.get((expr.0 & !FILE) as usize).map_or(Span::new(FileId(u32::MAX), 0, 0), |literal| literal.span);
        }
        self.program.code.span(expr)
    }

    /// Makes a node an error; the first final one stays.
    pub(crate) fn fail(&mut self, node: Node, bottom: u32) {
        let old = self.node(node).bottom;
        if old == 0 || (!self.code_of(old).is_final() && self.code_of(bottom).is_final()) {
            self.node_mut(node).bottom = bottom;
        }
    }

    /// The kind of a scalar.
    pub(crate) fn scalar_kind(&self, scalar: Scalar) -> Kinds {
        match scalar {
            Scalar::Null => Kinds::NULL,
            Scalar::Bool(_) => Kinds::BOOL,
            Scalar::Int(_) => Kinds::INT,
            Scalar::Number(number) => match self.numbers.get(number as usize) {
                Some(number) if number.is_integer() => Kinds::INT,
                _ => Kinds::FLOAT,
            },
            Scalar::Text(_) => Kinds::STRING,
            Scalar::Bytes(_) => Kinds::BYTES,
        }
    }

    /// A number as a scalar.
    pub(crate) fn number_scalar(&mut self, number: Number) -> Scalar {
        if let Number::Int(value) = number {
            return Scalar::Int(value);
        }
        self.numbers.push(number);
        Scalar::Number(self.numbers.len() as u32 - 1)
    }

    /// The number of a scalar that is one.
    pub(crate) fn number_of(&self, scalar: Scalar) -> Option<Number> {
        match scalar {
            Scalar::Int(value) => Some(Number::Int(value)),
            Scalar::Number(number) => self.numbers.get(number as usize).cloned(),
            _ => None,
        }
    }

    /// Bytes as a scalar.
    pub(crate) fn bytes_scalar(&mut self, bytes: Arc<[u8]>) -> Scalar {
        self.bytes.push(bytes);
        Scalar::Bytes(self.bytes.len() as u32 - 1)
    }

    pub(crate) fn bytes_of(&self, bytes: u32) -> &[u8] {
        self.bytes.get(bytes as usize).map_or(&[], |bytes| bytes)
    }

    /// Whether two scalars are the same value of the same kind.
    pub(crate) fn same(&self, a: Scalar, b: Scalar) -> bool {
        match (a, b) {
            (Scalar::Number(x), Scalar::Number(y)) => {
                x == y || (self.scalar_kind(a) == self.scalar_kind(b) && self.numbers.get(x as usize) == self.numbers.get(y as usize))
            }
            (Scalar::Bytes(x), Scalar::Bytes(y)) => self.bytes_of(x) == self.bytes_of(y),
            _ => a == b,
        }
    }

    /// Compares two scalars, numbers by value whatever their kinds.
    pub(crate) fn compare(&self, a: Scalar, b: Scalar) -> Option<Ordering> {
        match (a, b) {
            (Scalar::Text(x), Scalar::Text(y)) => Some(self.texts.get(x).as_bytes().cmp(self.texts.get(y).as_bytes())),
            (Scalar::Bytes(x), Scalar::Bytes(y)) => Some(self.bytes_of(x).cmp(self.bytes_of(y))),
            (Scalar::Null, Scalar::Null) => Some(Ordering::Equal),
            (Scalar::Bool(x), Scalar::Bool(y)) => Some(x.cmp(&y)),
            (Scalar::Int(x), Scalar::Int(y)) => Some(x.cmp(&y)),
            _ => self.number_of(a)?.compare(&self.number_of(b)?),
        }
    }

    /// A scalar as a value.
    pub(crate) fn scalar_value(&self, scalar: Scalar) -> Value {
        match scalar {
            Scalar::Null => Value::Null,
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::Int(value) => Value::Number(Number::Int(value)),
            Scalar::Number(number) => Value::Number(self.numbers.get(number as usize).cloned().unwrap_or(Number::NaN)),
            Scalar::Text(text) => Value::String(Arc::clone(self.texts.get(text))),
            Scalar::Bytes(bytes) => Value::Bytes(self.bytes.get(bytes as usize).cloned().unwrap_or_else(|| Arc::from(&[][..]))),
        }
    }

    /// A scalar from a value that is one.
    pub(crate) fn value_scalar(&mut self, value: &Value) -> Option<Scalar> {
        Some(match value {
            Value::Null => Scalar::Null,
            Value::Bool(value) => Scalar::Bool(*value),
            Value::Number(number) => self.number_scalar(number.clone()),
            Value::String(text) => {
                self.made += text.len();
                Scalar::Text(self.texts.text(text))
            }
            Value::Bytes(bytes) => {
                self.made += bytes.len();
                self.bytes_scalar(Arc::clone(bytes))
            }
            _ => return None,
        })
    }

    /// Unifies a node with a scalar.
    pub(crate) fn join_scalar(&mut self, node: Node, scalar: Scalar, expr: ExprId) -> Run<()> {
        if let Some(old) = self.node(node).scalar {
            if !self.same(old, scalar) {
                let reason = Reason::Conflict(self.scalar_text(old), self.scalar_text(scalar));
                let spans = self.conflict_spans(node, expr);
                let bottom = self.bottom(Code::Eval, node, reason, spans);
                self.fail(node, bottom);
            }
            return Ok(());
        }
        let kind = self.scalar_kind(scalar);
        self.join_kinds(node, kind, expr)?;
        if self.node(node).bottom == 0 || !self.code_of(self.node(node).bottom).is_final() {
            self.node_mut(node).scalar = Some(scalar);
            self.check_bounds(node);
            self.wake(node);
        }
        Ok(())
    }

    /// The places of what conflicts in a node.
    pub(crate) fn conflict_spans(&self, node: Node, expr: ExprId) -> Vec<Span> {
        let mut spans = Vec::new();
        if expr.0 & DATUM == 0 {
            spans.push(self.span_of(expr));
        }
        for conjunct in self.node(node).conjuncts.iter().take(8) {
            if conjunct.expr != expr && conjunct.expr.0 & (DATUM | FILE) == 0 {
                self.operand_spans(conjunct.expr, &mut spans);
            }
        }
        spans
    }

    /// The places of what is joined with `&`.
    fn operand_spans(&self, expr: ExprId, out: &mut Vec<Span>) {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            if expr.0 & (DATUM | FILE) != 0 {
                continue;
            }
            match self.program.code.expr(expr) {
                Expr::Unify(operands) if out.len() < 32 => open.extend(self.program.code.operands(operands).iter().rev().map(|id| ExprId(*id))),
                _ => out.push(self.span_of(expr)),
            }
        }
    }

    /// Narrows the kinds of a node.
    pub(crate) fn join_kinds(&mut self, node: Node, kinds: Kinds, expr: ExprId) -> Run<()> {
        let old = self.node(node).kinds;
        let new = old & kinds;
        if new.is_empty() && !old.is_empty() {
            let left = match self.node(node).scalar {
                Some(scalar) => self.scalar_text(scalar),
                None => old.to_string(),
            };
            let reason = Reason::Conflict(left, self.expr_text(expr, kinds));
            let spans = self.conflict_spans(node, expr);
            let bottom = self.bottom(Code::Eval, node, reason, spans);
            self.fail(node, bottom);
            return Ok(());
        }
        self.node_mut(node).kinds = new;
        Ok(())
    }

    /// Adds a bound.
    pub(crate) fn join_bound(&mut self, node: Node, bound: Bound) -> Run<()> {
        let kinds = match bound.operator {
            Operator::Match | Operator::NotMatch => Kinds::STRING | Kinds::BYTES,
            Operator::Equal | Operator::NotEqual => Kinds::TOP,
            _ => {
                let kind = self.scalar_kind(bound.value);
                if kind.intersects(Kinds::NUMBER) { Kinds::NUMBER } else { kind }
            }
        };
        let kinds = match (bound.operator, bound.value) {
            (Operator::NotEqual, Scalar::Null) => Kinds(Kinds::TOP.0 & !Kinds::NULL.0),
            (Operator::Equal | Operator::NotEqual, value) => {
                let kind = self.scalar_kind(value);
                if kind.intersects(Kinds::NUMBER) { Kinds::NUMBER } else { kind }
            }
            _ => kinds,
        };
        self.join_kinds(node, kinds, bound.expr)?;
        let extra = self.extra_mut(node);
        if !extra.bounds.iter().any(|other| other.expr == bound.expr && other.value == bound.value) {
            extra.bounds.push(bound);
            self.simplify_bounds(node);
        }
        self.check_bounds(node);
        Ok(())
    }

    /// Drops the bounds that the one added last makes superfluous, or that one.
    fn simplify_bounds(&mut self, node: Node) {
        let Some(extra) = self.extra(node) else { return };
        let bounds = extra.bounds.clone();
        let Some((last, others)) = bounds.split_last() else { return };
        let mut keep = Vec::with_capacity(bounds.len());
        let mut wanted = true;
        for other in others {
            if wanted && self.implies(*other, *last) {
                wanted = false;
            }
            if !wanted || !self.implies(*last, *other) {
                keep.push(*other);
            }
        }
        if wanted {
            keep.push(*last);
        }
        self.extra_mut(node).bounds = keep.into();
    }

    /// Whether everything that keeps one bound keeps another.
    fn implies(&mut self, a: Bound, b: Bound) -> bool {
        use Operator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, Match, NotEqual, NotMatch};
        if matches!((a.operator, b.operator), (Match | NotMatch, NotEqual)) {
            return !self.keeps(b.value, a);
        }
        let Some(ordering) = self.compare(a.value, b.value) else { return false };
        match (a.operator, b.operator) {
            (Greater, Greater | GreaterOrEqual) | (GreaterOrEqual, GreaterOrEqual) => ordering != Ordering::Less,
            (GreaterOrEqual, Greater) => ordering == Ordering::Greater,
            (Less, Less | LessOrEqual) | (LessOrEqual, LessOrEqual) => ordering != Ordering::Greater,
            (LessOrEqual, Less) => ordering == Ordering::Less,
            (NotEqual, NotEqual) | (Equal, Equal) | (Match, Match) | (NotMatch, NotMatch) => ordering == Ordering::Equal,
            (Equal, NotEqual) => ordering != Ordering::Equal,
            (Greater, NotEqual) => ordering != Ordering::Less,
            (GreaterOrEqual, NotEqual) => ordering == Ordering::Greater,
            (Less, NotEqual) => ordering != Ordering::Greater,
            (LessOrEqual, NotEqual) => ordering == Ordering::Less,
            _ => false,
        }
    }

    /// Whether a scalar keeps a bound.
    pub(crate) fn keeps(&mut self, scalar: Scalar, bound: Bound) -> bool {
        match bound.operator {
            Operator::Match | Operator::NotMatch => {
                let Scalar::Text(pattern) = bound.value else { return true };
                let Some(regex) = self.regex(pattern) else { return true };
                let found = match scalar {
                    Scalar::Text(text) => regex.is_match(self.texts.get(text)),
                    Scalar::Bytes(bytes) => regex.is_match(&String::from_utf8_lossy(self.bytes_of(bytes))),
                    _ => return false,
                };
                found == (bound.operator == Operator::Match)
            }
            Operator::Equal => self.compare(scalar, bound.value) == Some(Ordering::Equal),
            Operator::NotEqual => self.compare(scalar, bound.value) != Some(Ordering::Equal),
            operator => self.compare(scalar, bound.value).is_some_and(|ordering| ordered(operator, ordering)),
        }
    }

    fn check_bounds(&mut self, node: Node) {
        let Some(extra) = self.extra(node) else { return };
        if extra.bounds.is_empty() {
            return;
        }
        let bounds = extra.bounds.clone();
        if let Some(scalar) = self.node(node).scalar {
            for bound in bounds {
                if !self.keeps(scalar, bound) {
                    let reason = Reason::OutOfBound(scalar, bound.operator, bound.value);
                    let spans = self.conflict_spans(node, bound.expr);
                    let bottom = self.bottom(Code::Eval, node, reason, spans);
                    self.fail(node, bottom);
                    return;
                }
            }
            return;
        }
        if let Some((low, high)) = self.contradiction(node, &bounds) {
            let text = |session: &Self, bound: Bound| format!("{}{}", bound.operator.text(), session.scalar_text(bound.value));
            let reason = Reason::Text(format!("incompatible bounds {} and {}", text(self, low), text(self, high)));
            let spans = vec![self.span_of(low.expr), self.span_of(high.expr)];
            let bottom = self.bottom(Code::Eval, node, reason, spans);
            self.fail(node, bottom);
        }
    }

    /// Two bounds that nothing can keep both.
    fn contradiction(&self, node: Node, bounds: &[Bound]) -> Option<(Bound, Bound)> {
        let integer = self.node(node).kinds & Kinds::NUMBER == Kinds::INT;
        for low in bounds.iter().filter(|bound| matches!(bound.operator, Operator::Greater | Operator::GreaterOrEqual)) {
            for high in bounds.iter().filter(|bound| matches!(bound.operator, Operator::Less | Operator::LessOrEqual)) {
                let Some(ordering) = self.compare(low.value, high.value) else { continue };
                let strict = low.operator == Operator::Greater || high.operator == Operator::Less;
                if ordering == Ordering::Greater || (ordering == Ordering::Equal && strict) {
                    return Some((*low, *high));
                }
                if integer && self.no_integer_between(*low, *high) {
                    return Some((*low, *high));
                }
            }
        }
        None
    }

    fn no_integer_between(&self, low: Bound, high: Bound) -> bool {
        let edge = |bound: Bound, up: bool| -> Option<num_bigint::BigInt> {
            let number = self.number_of(bound.value)?;
            let strict = matches!(bound.operator, Operator::Greater | Operator::Less);
            if let Some(integer) = number.to_integer() {
                return Some(if !strict {
                    integer
                } else if up {
                    integer + 1
                } else {
                    integer - 1
                });
            }
            let decimal = number.to_decimal()?;
            let mode = if up { bigdecimal::RoundingMode::Ceiling } else { bigdecimal::RoundingMode::Floor };
            if decimal.as_bigint_and_exponent().1 < -400 {
                return None;
            }
            let whole = decimal.with_scale_round(0, mode);
            let exact = whole == decimal;
            let (integer, _) = whole.as_bigint_and_exponent();
            Some(if strict && exact { if up { integer + 1 } else { integer - 1 } } else { integer })
        };
        match (edge(low, true), edge(high, false)) {
            (Some(low), Some(high)) => low > high,
            _ => false,
        }
    }

    /// A compiled regular expression; `None` where it is none.
    pub(crate) fn regex(&mut self, pattern: crate::intern::Text) -> Option<Arc<regex::Regex>> {
        if let Some(regex) = self.regexes.get(&pattern) {
            return regex.clone();
        }
        let compiled = regex::RegexBuilder::new(self.texts.get(pattern)).size_limit(4 << 20).build().ok().map(Arc::new);
        self.regexes.insert(pattern, compiled.clone());
        compiled
    }

    /// Unifies a node with a value.
    pub(crate) fn join_value(&mut self, node: Node, value: &Value, conjunct: Conjunct) -> Run<()> {
        match value {
            Value::List(elements) => {
                self.note_material(node, conjunct.info);
                self.join_kinds(node, Kinds::LIST, conjunct.expr)?;
                for (index, element) in elements.iter().enumerate() {
                    let arc = self.element(node, index as u32)?;
                    self.give_value(arc, element, conjunct, node)?;
                }
                self.shape_list(node, elements.len() as u32, None, conjunct.expr)
            }
            Value::Struct(fields) => {
                self.set(node, flag::STRUCT);
                self.note_material(node, conjunct.info);
                self.join_kinds(node, Kinds::STRUCT, conjunct.expr)?;
                for (label, field) in fields {
                    let label = Label::regular(self.texts.text(label));
                    let arc = self.arc(node, label, crate::program::Presence::Member)?;
                    self.give_value(arc, field, conjunct, node)?;
                }
                Ok(())
            }
            Value::Partial { kinds, unknown } => {
                if *unknown {
                    self.set(node, flag::PENDING);
                }
                self.join_kinds(node, *kinds, conjunct.expr)
            }
            Value::Handle(target) => self.join_reference(node, *target, conjunct, false),
            scalar => match self.value_scalar(scalar) {
                Some(scalar) => {
                    self.note_material(node, conjunct.info);
                    self.join_scalar(node, scalar, conjunct.expr)
                }
                None => Ok(()),
            },
        }
    }

    fn give_value(&mut self, arc: Node, value: &Value, conjunct: Conjunct, parent: Node) -> Run<()> {
        let datum = match self.value_scalar(value) {
            Some(scalar) => Datum::Scalar(scalar),
            None => Datum::Value(value.clone()),
        };
        let expr = self.datum(datum);
        let info = self.child_info(conjunct.info, arc, parent, false);
        self.add_conjunct(arc, Conjunct { expr, env: 0, info })
    }
}

/// Whether an ordering satisfies an operator.
pub(crate) fn ordered(operator: Operator, ordering: Ordering) -> bool {
    match operator {
        Operator::Less => ordering == Ordering::Less,
        Operator::LessOrEqual => ordering != Ordering::Greater,
        Operator::Greater => ordering == Ordering::Greater,
        Operator::GreaterOrEqual => ordering != Ordering::Less,
        Operator::Equal => ordering == Ordering::Equal,
        Operator::NotEqual => ordering != Ordering::Equal,
        _ => false,
    }
}
