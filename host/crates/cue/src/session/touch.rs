//! What unfinished work may still add.
//!
//! A comprehension that waits touches only the fields that its body declares. So a reader of other fields need not
//! wait for it, and a field that no unfinished work declares is absent for good. Where a field that unfinished work
//! declares is read all the same, because the two wait for each other, that is a cycle and no absence.

use super::data::*;
use super::evaluate::Val;
use super::{Session, flag};
use crate::Node;
use crate::intern::Label;
use crate::program::{DEFAULT, Declared, Expr, ExprId, Program};

/// A field that was taken as absent: by whom, and how it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assumed {
    at: Node,
    operand: ExprId,
    env: u32,
    bottom: u32,
}

/// How deep the bodies of comprehensions are looked into.
const LOOK: u32 = 32;

impl Session {
    /// Whether an error is that of a field that may still be added.
    pub(crate) fn may_change(&self, bottom: u32) -> bool {
        self.bottom_data(bottom).is_some_and(|data| matches!(data.reason, Reason::MayChange(_)))
    }

    /// Whether it is the node itself that found the field absent, and a conditional that may add it: then the absence may
    /// be assumed. What another node found, or what waits for a value, is part of a longer circle.
    pub(crate) fn is_own_absence(&self, bottom: u32, at: Node) -> bool {
        self.bottom_data(bottom).is_some_and(|data| data.code == Code::Cycle && data.node == at)
    }

    /// The error of a comparison with a field that may still be added.
    pub(crate) fn as_cycle(&mut self, bottom: u32) -> u32 {
        match self.bottom_data(bottom).cloned() {
            Some(data) if data.code == Code::Incomplete => self.bottom(Code::Cycle, data.node, data.reason, data.spans),
            _ => bottom,
        }
    }

    /// Takes a field as absent that may still be added: as long as it stays absent, that is how things are.
    pub(crate) fn assume_absent(&mut self, at: Node, operand: ExprId, env: u32, bottom: u32) {
        self.assumed.push(Assumed { at, operand, env, bottom });
    }

    /// Makes the nodes errors that took a field as absent which is there by now.
    pub(crate) fn check_assumed(&mut self) -> Result<(), super::LimitExceeded> {
        for assumed in std::mem::take(&mut self.assumed) {
            let reading = std::mem::replace(&mut self.reading, 0);
            let now = self.presence_of(assumed.operand, assumed.env, assumed.at);
            self.reading = reading;
            match now {
                Ok(true) => self.fail(assumed.at, assumed.bottom),
                Ok(false) | Err(Stop::Wait(_)) => {}
                Err(Stop::Limit) => return Err(self.limit_error()),
            }
        }
        Ok(())
    }

    fn presence_of(&mut self, operand: ExprId, env: u32, at: Node) -> Run<bool> {
        Ok(match self.eval(operand, env, at)? {
            Val::Bottom(_) => false,
            Val::Node(node) => !self.is_incomplete(node),
            Val::Scalar(_) | Val::Pending(_) => true,
        })
    }

    /// Whether some unfinished task of a node may add to what is below it at a path.
    pub(crate) fn touches(&self, node: Node, path: &[Label]) -> bool {
        let Some(extra) = self.extra(node) else { return false };
        extra.tasks.iter().any(|task| match task {
            Task::Comprehension { id, .. } => comprehension_touches(&self.program, *id, path, LOOK),
            _ => true,
        })
    }

    /// Whether a node cannot get a field of this label any more, although it is not settled.
    pub(crate) fn never_gains(&self, node: Node, label: Label) -> bool {
        let data = self.node(node);
        if data.phase == Phase::New || (data.processed as usize) < data.conjuncts.len() || !self.closed(node) {
            return false;
        }
        let Some(extra) = &data.extra else { return true };
        extra.disjunctions.is_empty()
            && extra.cyclic.is_empty()
            && extra.sources.iter().all(|source| self.closed(*source))
            && !self.touches(node, &[label])
    }

    /// Whether what waits may yet add a field of this label, and what it is to read it before: a cycle where a
    /// conditional adds it, at the node or further up, incomplete where something else is not known yet.
    pub(crate) fn may_gain(&self, node: Node, label: Label) -> Option<Code> {
        let mut path = vec![label];
        let mut at = node;
        let mut found = None;
        loop {
            let data = self.node(at);
            for task in data.extra.iter().flat_map(|extra| &extra.tasks) {
                match task {
                    Task::Comprehension { id, .. } if comprehension_touches(&self.program, *id, &path, LOOK) => return Some(Code::Cycle),
                    Task::Conjunct(_) if at == node => found = Some(Code::Incomplete),
                    _ => {}
                }
            }
            if data.parent == NONE || data.flags & flag::INLINE != 0 {
                return found;
            }
            path.insert(0, data.label);
            at = data.parent;
        }
    }
}

/// Whether a comprehension may add to what is at a path.
fn comprehension_touches(program: &Program, id: u32, path: &[Label], look: u32) -> bool {
    let Some(comprehension) = program.code.comprehensions.get(id as usize) else { return true };
    value_touches(program, comprehension.value, path, look)
        || comprehension.fallback.is_some_and(|fallback| value_touches(program, fallback, path, look))
}

/// Whether a value may add to what is below it at a path.
fn value_touches(program: &Program, value: ExprId, path: &[Label], look: u32) -> bool {
    let Some((first, rest)) = path.split_first() else { return true };
    let literal = match program.code.expr(value) {
        Expr::Struct(literal) => literal,
        Expr::Disjunction(operands) | Expr::Unify(operands) if look > 0 => {
            let operands = program.code.operands(operands).iter().map(|operand| ExprId(operand & !DEFAULT));
            return operands.into_iter().any(|operand| value_touches(program, operand, path, look - 1));
        }
        other => return !is_scalar(other),
    };
    let Some(literal) = program.code.structs.get(literal as usize).filter(|_| look > 0) else { return true };
    literal.declarations.iter().any(|declared| match declared {
        Declared::Field(field) => field.label == *first && value_touches(program, field.slot.value, rest, look - 1),
        Declared::Pattern { slot, .. } => !rest.is_empty() && value_touches(program, slot.value, rest, look - 1),
        Declared::Embedding(value) => value_touches(program, *value, path, look - 1),
        Declared::Comprehension(id) => comprehension_touches(program, *id, path, look - 1),
        Declared::Dynamic { slot, .. } => value_touches(program, slot.value, rest, look - 1),
    })
}

/// Whether an expression has no fields for certain.
fn is_scalar(expr: Expr) -> bool {
    matches!(expr, Expr::Null | Expr::Bool(_) | Expr::Int(_) | Expr::Number(_) | Expr::Text(_) | Expr::Bytes(_))
}
