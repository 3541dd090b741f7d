//! Deciding disjunctions.
//!
//! Branches are dropped by what is known without evaluating them: kinds, literal scalars, literal discriminator
//! fields, and fields that a closed branch refuses. One that is left joins the node itself. Only where several are
//! left is each tried on a node of its own (a *fork*: the same conjuncts, with the choice made), and those that fail
//! or repeat another are dropped.

use std::sync::Arc;

use super::data::*;
use super::resolve::Target;
use super::{FILE, Session, flag};
use crate::intern::Label;
use crate::program::{DEFAULT, Declared, Expr, ExprId, Presence};
use crate::{Kinds, Node};

/// One branch: its expression and whether it is marked as default.
#[derive(Clone, Copy, Debug)]
struct Branch {
    expr: ExprId,
    default: bool,
}

impl Session {
    /// Decides the disjunctions of a node as far as it goes; whether something joined the node.
    pub(crate) fn settle_disjunctions(&mut self, node: Node) -> Run<bool> {
        let Some(extra) = self.extra(node) else { return Ok(false) };
        if extra.disjunctions.is_empty() {
            return Ok(false);
        }
        if self.node(node).bottom != 0 && self.code_of(self.node(node).bottom).is_final() {
            self.extra_mut(node).disjunctions.clear();
            return Ok(false);
        }
        if extra.forks.is_none() {
            let disjunctions = extra.disjunctions.clone();
            let mut groups = Vec::new();
            for disjunction in disjunctions {
                let branches = self.branches(disjunction);
                let marked = branches.iter().any(|branch| branch.default);
                let mut left = Vec::new();
                for branch in &branches {
                    if !self.conflicts(node, branch.expr, disjunction)? {
                        left.push(*branch);
                    }
                }
                match left.as_slice() {
                    [] => {
                        self.no_branch(node, disjunction, &branches);
                        return Ok(true);
                    }
                    [only] => {
                        let extra = self.extra_mut(node);
                        extra.disjunctions.retain(|other| *other != disjunction);
                        extra.decided.push((disjunction.expr, disjunction.env));
                        let info = self.optional_info(disjunction.info);
                        self.join(
                            node,
                            Conjunct {
                                expr: only.expr,
                                info,
                                ..disjunction
                            },
                        )?;
                        return Ok(true);
                    }
                    _ => groups.push((disjunction, left, marked)),
                }
            }
            if self.has(node, flag::PENDING) && self.node(node).scalar.is_none() {
                let mut kinds = self.node(node).kinds;
                for (_, left, _) in &groups {
                    kinds = kinds & left.iter().fold(Kinds::NONE, |all, branch| all | self.branch_kinds(branch.expr));
                }
                self.node_mut(node).kinds = kinds;
                self.extra_mut(node).disjunctions.clear();
                return Ok(false);
            }
            if let Some(joined) = self.decide_scalars(node, &groups)? {
                return Ok(joined);
            }
            let Some((disjunction, left, marked)) = groups.into_iter().next() else { return Ok(false) };
            if self.extra(node).is_some_and(|extra| extra.choices.len() > 100) {
                let bottom = self.bottom_at(Code::Structural, node, Reason::Structural, disjunction.expr);
                self.fail(node, bottom);
                self.extra_mut(node).disjunctions.clear();
                return Ok(true);
            }
            self.fork(node, disjunction, &left, marked);
        }
        self.judge_forks(node)
    }

    /// The branches of a disjunction, nested ones taken apart.
    fn branches(&self, disjunction: Conjunct) -> Vec<Branch> {
        let mut out = Vec::new();
        if disjunction.expr.0 & DATUM != 0 {
            if let Some(Datum::Or(_, nodes)) = self.data.get((disjunction.expr.0 & !DATUM) as usize) {
                out.extend(nodes.iter().map(|expr| Branch { expr: *expr, default: false }));
            }
            return out;
        }
        self.collect_branches(disjunction.expr, &mut out);
        out
    }

    fn collect_branches(&self, expr: ExprId, out: &mut Vec<Branch>) {
        let Expr::Disjunction(operands) = self.program.code.expr(expr) else { return };
        for operand in self.program.code.operands(operands) {
            let (operand, marked) = (ExprId(operand & !DEFAULT), operand & DEFAULT != 0);
            if matches!(self.program.code.expr(operand), Expr::Disjunction(_)) {
                let mut inner = Vec::new();
                self.collect_branches(operand, &mut inner);
                let inner_marked = inner.iter().any(|branch| branch.default);
                let outer_marked = self.program.code.operands(operands).iter().any(|other| other & DEFAULT != 0);
                for branch in inner {
                    let default = if outer_marked { marked && (branch.default || !inner_marked) } else { branch.default };
                    out.push(Branch { default, ..branch });
                }
            } else {
                out.push(Branch { expr: operand, default: marked });
            }
        }
    }

    fn no_branch(&mut self, node: Node, disjunction: Conjunct, branches: &[Branch]) {
        let mut failed = Vec::new();
        let found = match self.node(node).scalar {
            Some(scalar) => self.scalar_text(scalar),
            None => self.node(node).kinds.to_string(),
        };
        for branch in branches {
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

    /// What kinds a branch may have, as far as its expression says.
    fn branch_kinds(&self, expr: ExprId) -> Kinds {
        if expr.0 & DATUM != 0 {
            return Kinds::TOP;
        }
        match self.program.code.expr(expr) {
            Expr::Null => Kinds::NULL,
            Expr::Bool(_) => Kinds::BOOL,
            Expr::Int(_) => Kinds::INT,
            Expr::Number(number) => self.scalar_kind(Scalar::Number(number)),
            Expr::Text(_) => Kinds::STRING,
            Expr::Interpolation { bytes, .. } => if bytes { Kinds::BYTES } else { Kinds::STRING },
            Expr::Bytes(_) => Kinds::BYTES,
            Expr::Kind(kinds) => kinds,
            Expr::List(_) => Kinds::LIST,
            Expr::Struct(literal) => match self.program.code.structs.get(literal as usize) {
                Some(literal) if !literal.embeds => Kinds::STRUCT,
                _ => Kinds::TOP,
            },
            Expr::Unify(operands) => self
                .program
                .code
                .operands(operands)
                .iter()
                .fold(Kinds::TOP, |kinds, operand| kinds & self.branch_kinds(ExprId(*operand))),
            _ => Kinds::TOP,
        }
    }

    /// Whether a branch cannot be unified with the node, by what is known cheaply.
    fn conflicts(&mut self, node: Node, expr: ExprId, disjunction: Conjunct) -> Run<bool> {
        if !self.branch_kinds(expr).intersects(self.node(node).kinds) {
            return Ok(true);
        }
        if expr.0 & DATUM != 0 {
            return match self.data.get((expr.0 & !DATUM) as usize).cloned() {
                Some(Datum::Node(target)) => self.conflicts_node(node, target, false),
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
                    Ok(Target::Node(target, definition)) => self.conflicts_node(node, target, definition),
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

    fn conflicts_node(&mut self, node: Node, target: Node, definition: bool) -> Run<bool> {
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
        if !data.kinds.intersects(self.node(node).kinds) {
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
        let closed = definition || self.has_requirements(target);
        Ok(closed && self.node(target).kinds == Kinds::STRUCT && self.refuses_fields_of(target, node))
    }

    /// Decides disjunctions of literal scalars and kinds without forks.
    fn decide_scalars(&mut self, node: Node, groups: &[(Conjunct, Vec<Branch>, bool)]) -> Run<Option<bool>> {
        let data = self.node(node);
        if !data.arcs.is_empty() || !data.structs.is_empty() || data.scalar.is_some() || data.bottom != 0 {
            return Ok(None);
        }
        let base = data.kinds;
        if data.extra.as_ref().is_some_and(|extra| !extra.bounds.is_empty() || !extra.validators.is_empty()) {
            return Ok(None);
        }
        let mut all: Vec<(Alternative, bool)> = vec![(Alternative::Kinds(base), true)];
        let any_marked = groups.iter().any(|(_, _, marked)| *marked);
        for (_, branches, marked) in groups {
            let mut next: Vec<(Alternative, bool)> = Vec::new();
            for (old, default) in &all {
                for branch in branches {
                    let Some(simple) = self.simple(branch.expr) else { return Ok(None) };
                    let Some(met) = self.meet(*old, simple) else { continue };
                    let default = *default && (branch.default || !marked);
                    match next.iter_mut().find(|(other, _)| self.same_alternative(*other, met)) {
                        Some(other) => other.1 |= default,
                        None => next.push((met, default)),
                    }
                }
            }
            all = next;
        }
        if !any_marked {
            all.iter_mut().for_each(|alternative| alternative.1 = false);
        }
        self.conclude(node, all).map(Some)
    }

    fn simple(&self, expr: ExprId) -> Option<Alternative> {
        if expr.0 & DATUM != 0 {
            return None;
        }
        Some(match self.program.code.expr(expr) {
            Expr::Null => Alternative::Scalar(Scalar::Null),
            Expr::Bool(value) => Alternative::Scalar(Scalar::Bool(value)),
            Expr::Int(value) => Alternative::Scalar(Scalar::Int(value)),
            Expr::Number(value) => Alternative::Scalar(Scalar::Number(value)),
            Expr::Text(value) => Alternative::Scalar(Scalar::Text(value)),
            Expr::Bytes(value) => Alternative::Scalar(Scalar::Bytes(value)),
            Expr::Kind(kinds) => Alternative::Kinds(kinds),
            _ => return None,
        })
    }

    fn meet(&self, a: Alternative, b: Alternative) -> Option<Alternative> {
        match (a, b) {
            (Alternative::Kinds(a), Alternative::Kinds(b)) => (a.intersects(b)).then_some(Alternative::Kinds(a & b)),
            (Alternative::Scalar(a), Alternative::Scalar(b)) => self.same(a, b).then_some(Alternative::Scalar(a)),
            (Alternative::Kinds(kinds), Alternative::Scalar(scalar)) | (Alternative::Scalar(scalar), Alternative::Kinds(kinds)) => {
                kinds.intersects(self.scalar_kind(scalar)).then_some(Alternative::Scalar(scalar))
            }
            _ => None,
        }
    }

    fn same_alternative(&self, a: Alternative, b: Alternative) -> bool {
        match (a, b) {
            (Alternative::Kinds(a), Alternative::Kinds(b)) => a == b,
            (Alternative::Scalar(a), Alternative::Scalar(b)) => self.same(a, b),
            _ => false,
        }
    }

    /// Takes over what is left.
    fn conclude(&mut self, node: Node, all: Vec<(Alternative, bool)>) -> Run<bool> {
        let decided: Vec<_> = self.extra_mut(node).disjunctions.drain(..).collect();
        let expr = decided.first().map_or(ExprId(0), |conjunct| conjunct.expr);
        let extra = self.extra_mut(node);
        extra.decided.extend(decided.iter().map(|conjunct| (conjunct.expr, conjunct.env)));
        extra.forks = None;
        match all.as_slice() {
            [] => {
                let spans = vec![self.span_of(expr)];
                let bottom = self.bottom(Code::Eval, node, Reason::Disjunction(Vec::new()), spans);
                self.fail(node, bottom);
                return Ok(true);
            }
            [(Alternative::Scalar(scalar), _)] => self.join_scalar(node, *scalar, expr)?,
            [(Alternative::Kinds(kinds), _)] => self.join_kinds(node, *kinds, expr)?,
            [(Alternative::Node(only), _)] => {
                self.replace(node, *only)?;
                return Ok(false);
            }
            _ => {
                let kinds = all.iter().fold(Kinds::NONE, |kinds, (alternative, _)| {
                    kinds
                        | match alternative {
                            Alternative::Scalar(scalar) => self.scalar_kind(*scalar),
                            Alternative::Kinds(kinds) => *kinds,
                            Alternative::Node(node) => self.node(*node).kinds,
                        }
                });
                self.node_mut(node).kinds = kinds;
                self.extra_mut(node).alternatives = all;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A node is from now on the fork that was chosen.
    pub(crate) fn replace(&mut self, node: Node, fork: Node) -> Run<()> {
        self.node_mut(node).forward = fork;
        self.node_mut(fork).presence = self.node(node).presence;
        if self.has(node, flag::FINAL) {
            self.want_final(fork);
        }
        // Who took over conjuncts of a field before now gets the rest.
        for arc in self.node(node).arcs.clone() {
            let label = self.node(arc).label;
            let Some(new) = self.find_arc(fork, label) else { continue };
            let subscribers = self.extra(arc).map_or_else(Vec::new, |extra| extra.subscribers.clone());
            self.node_mut(arc).forward = new;
            for (subscriber, info) in subscribers {
                for conjunct in self.node(new).conjuncts.clone() {
                    let mapped = self.mapped(conjunct, info);
                    self.add_conjunct(subscriber, mapped)?;
                }
            }
            self.wake(arc);
        }
        Ok(())
    }

    /// Makes a node for each branch.
    fn fork(&mut self, node: Node, disjunction: Conjunct, branches: &[Branch], marked: bool) {
        let data = self.node(node);
        let (parent, label, presence) = (data.parent, data.label, data.presence);
        let conjuncts = data.conjuncts.clone();
        let keep = data.flags & (flag::TEMPLATE | flag::FORCE_CLOSED | flag::REFERENCE);
        let (mut choices, family) = self.extra(node).map_or((Vec::new(), node), |extra| (extra.choices.clone(), extra.family.unwrap_or(node)));
        choices.extend(self.extra(node).map_or_else(Vec::new, |extra| extra.decided.iter().map(|(expr, env)| (*expr, *env, None)).collect()));
        choices.retain(|choice| choice.2.is_some());
        let mut live = Vec::new();
        for branch in branches {
            self.stats.branches += 1;
            let fork = self.new_node(parent, label, presence);
            self.node_mut(fork).flags = keep;
            self.node_mut(fork).conjuncts.clone_from(&conjuncts);
            let mut own = choices.clone();
            own.push((disjunction.expr, disjunction.env, Some(branch.expr)));
            let extra = self.extra_mut(fork);
            extra.choices = own;
            extra.family = Some(family);
            live.push((fork, branch.default));
        }
        self.extra_mut(node).forks = Some(Box::new(Forks { live, marked }));
    }

    /// Whether two frames are the same, but for the fork that they stand in.
    fn same_frame(&self, a: u32, b: u32) -> bool {
        self.same_frame_at(a, b, 0)
    }

    fn same_frame_at(&self, a: u32, b: u32, depth: u32) -> bool {
        let (mut a, mut b) = (a, b);
        for _ in 0..10_000 {
            if a == b {
                return true;
            }
            let (x, y) = (self.frame(a), self.frame(b));
            if x.label != y.label || x.node == NONE || y.node == NONE || !self.corresponds(x, y, depth) {
                return false;
            }
            (a, b) = (x.up, y.up);
        }
        false
    }

    /// Whether two nodes are versions of the same, or the same place in operands of versions of the same.
    fn corresponds(&self, first: Frame, second: Frame, depth: u32) -> bool {
        let (mut a, mut b) = (first.node, second.node);
        loop {
            if self.family(a) == self.family(b) {
                return true;
            }
            let (x, y) = (self.node(a), self.node(b));
            if x.label != y.label || x.parent == NONE || y.parent == NONE {
                return false;
            }
            if x.label == Label::NONE {
                return match (x.conjuncts.first(), y.conjuncts.first()) {
                    // The frames around are compared anyway.
                    (Some(p), Some(q)) if (p.env, q.env) == (first.up, second.up) => p.expr == q.expr,
                    (Some(p), Some(q)) => p.expr == q.expr && depth < 16 && self.same_frame_at(p.env, q.env, depth + 1),
                    _ => false,
                };
            }
            (a, b) = (x.parent, y.parent);
        }
    }

    pub(crate) fn family(&self, node: Node) -> Node {
        self.extra(node).and_then(|extra| extra.family).unwrap_or(node)
    }

    /// The branch that was chosen for a disjunction, if the node is a fork.
    pub(crate) fn choice(&self, node: Node, conjunct: Conjunct) -> Option<ExprId> {
        let extra = self.extra(node)?;
        for (expr, env, chosen) in &extra.choices {
            if *expr == conjunct.expr && self.same_frame(*env, conjunct.env) {
                return *chosen;
            }
            if let (Some((a, old)), Some((b, new))) = (self.made_branches(*expr), self.made_branches(conjunct.expr))
                && a == b
                && self.same_frame(*env, conjunct.env)
            {
                let at = old.iter().position(|branch| Some(*branch) == *chosen)?;
                return new.get(at).copied();
            }
        }
        None
    }

    /// The branches of a disjunction that a call made, and the call.
    fn made_branches(&self, expr: ExprId) -> Option<(ExprId, &[ExprId])> {
        if expr.0 & DATUM == 0 {
            return None;
        }
        match self.data.get((expr.0 & !DATUM) as usize) {
            Some(Datum::Or(call, branches)) => Some((*call, branches)),
            _ => None,
        }
    }

    /// Tries the forks and keeps those that do not fail.
    fn judge_forks(&mut self, node: Node) -> Run<bool> {
        let Some(forks) = self.extra(node).and_then(|extra| extra.forks.clone()) else { return Ok(false) };
        let mut all: Vec<(Alternative, bool)> = Vec::new();
        let mut failed = Vec::new();
        let mut stop = None;
        let mut any_default = forks.marked;
        for (fork, default) in &forks.live {
            match self.has_final_error(*fork, 0) {
                Err(Stop::Limit) => return Err(Stop::Limit),
                Err(other) => {
                    stop = stop.or(Some(other));
                    continue;
                }
                Ok(true) => {
                    failed.push(self.error_below(*fork));
                    continue;
                }
                Ok(false) => {}
            }
            let fork = self.deref(*fork);
            let joined = self.traces.union(self.node(node).trace, self.node(fork).trace);
            self.node_mut(node).trace = joined;
            let inner = self.extra(fork).map_or_else(Vec::new, |extra| extra.alternatives.clone());
            let inner_marked = inner.iter().any(|(_, default)| *default);
            any_default |= inner_marked;
            if inner.is_empty() {
                let alternative = self.as_alternative(fork);
                self.add_alternative(&mut all, alternative, *default || !forks.marked)?;
            }
            for (alternative, inner_default) in inner {
                let default = if forks.marked { *default && (inner_default || !inner_marked) } else { inner_default };
                self.add_alternative(&mut all, alternative, default)?;
            }
        }
        if let Some(stop) = stop {
            return Err(stop);
        }
        if !any_default {
            all.iter_mut().for_each(|alternative| alternative.1 = false);
        } else if !forks.marked {
            // An unmarked branch is no default beside one that has a default of its own.
            for (fork, _) in &forks.live {
                let fork = self.deref(*fork);
                if self.extra(fork).is_none_or(|extra| extra.alternatives.is_empty()) {
                    let alternative = self.as_alternative(fork);
                    if let Some(found) = all.iter_mut().find(|(other, _)| *other == alternative) {
                        found.1 = false;
                    }
                }
            }
        }
        if all.is_empty() {
            let expr = self.extra(node).and_then(|extra| extra.disjunctions.first().copied()).map_or(ExprId(0), |first| first.expr);
            let spans = vec![self.span_of(expr)];
            let bottom = self.bottom(Code::Eval, node, Reason::Disjunction(failed), spans);
            self.fail(node, bottom);
            let extra = self.extra_mut(node);
            extra.disjunctions.clear();
            extra.forks = None;
            return Ok(true);
        }
        self.conclude(node, all)
    }

    fn as_alternative(&self, fork: Node) -> Alternative {
        let data = self.node(fork);
        let plain = data.arcs.is_empty() && data.structs.is_empty();
        let simple = data.extra.as_ref().is_none_or(|extra| extra.bounds.is_empty() && extra.validators.is_empty() && extra.list.is_none());
        match data.scalar {
            Some(scalar) if plain => Alternative::Scalar(scalar),
            None if plain && simple && data.bottom == 0 && data.flags & (flag::PENDING | flag::STRUCT) == 0 && !data.kinds.is_empty() && data.kinds != Kinds::STRUCT && data.kinds != Kinds::LIST => {
                Alternative::Kinds(data.kinds)
            }
            _ => Alternative::Node(fork),
        }
    }

    fn add_alternative(&mut self, all: &mut Vec<(Alternative, bool)>, alternative: Alternative, default: bool) -> Run<()> {
        for index in 0..all.len() {
            let Some((other, _)) = all.get(index).copied() else { break };
            let same = match (other, alternative) {
                (Alternative::Node(a), Alternative::Node(b)) => self.identical(a, b)?,
                (a, b) => self.same_alternative(a, b),
            };
            if same {
                if let Some(other) = all.get_mut(index) {
                    other.1 |= default;
                }
                return Ok(());
            }
        }
        all.push((alternative, default));
        Ok(())
    }

    /// The default of a settled node, if it is decided.
    pub(crate) fn default_of(&self, node: Node) -> Option<Alternative> {
        let alternatives = &self.extra(node)?.alternatives;
        let mut defaults = alternatives.iter().filter(|(_, default)| *default);
        match (defaults.next(), defaults.next()) {
            (Some((only, _)), None) => Some(*only),
            _ => None,
        }
    }

    /// The node that is the default.
    pub(crate) fn default_node(&self, node: Node) -> Option<Node> {
        match self.default_of(node) {
            Some(Alternative::Node(node)) => Some(self.deref(node)),
            _ => None,
        }
    }

    /// Whether a node, or something below it, is an error for good.
    pub(crate) fn has_final_error(&mut self, node: Node, _depth: u32) -> Run<bool> {
        let mut stack = vec![node];
        let mut stop = None;
        let mut count = 0_u32;
        while let Some(node) = stack.pop() {
            count += 1;
            if count > 5_000_000 {
                break;
            }
            match self.ensure_arcs(node) {
                Ok(()) => {}
                Err(Stop::Limit) => return Err(Stop::Limit),
                Err(other) => {
                    let at = self.deref(node);
                    let bottom = self.node(at).bottom;
                    if bottom != 0 && self.code_of(bottom).is_final() {
                        return Ok(true);
                    }
                    if !self.has(at, flag::ON_STACK) {
                        stop = stop.or(Some(other));
                    }
                    continue;
                }
            }
            let node = self.deref(node);
            let data = self.node(node);
            if data.bottom != 0 && self.code_of(data.bottom).is_final() {
                return Ok(true);
            }
            stack.extend(data.arcs.iter().rev().filter(|arc| {
                let arc = self.node(**arc);
                arc.presence == Presence::Member && arc.flags & flag::ON_STACK == 0
            }));
        }
        match stop {
            Some(stop) => Err(stop),
            None => Ok(false),
        }
    }

    /// The first final error at or below a node.
    pub(crate) fn error_below(&self, node: Node) -> u32 {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            let node = self.deref(node);
            let data = self.node(node);
            if data.bottom != 0 {
                return data.bottom;
            }
            stack.extend(data.arcs.iter().rev());
        }
        0
    }

    /// Whether two settled nodes are the same value with the same permissions.
    fn identical(&mut self, a: Node, b: Node) -> Run<bool> {
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
            use super::evaluate::Val;
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

    /// Whether an expression is the struct of a file.
    pub(crate) fn is_file(expr: ExprId) -> bool {
        expr.0 & DATUM == 0 && expr.0 & FILE != 0
    }
}
