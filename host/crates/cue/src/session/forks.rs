//! Trying branches: a node for each, with the same conjuncts and the choice made.

use super::branches::Branch;
use super::data::*;
use super::defaults::{Leaf, Said};
use super::{Session, flag};
use crate::Node;
use crate::intern::Label;
use crate::program::{ExprId, Presence};

impl Session {
    /// Makes a node for each branch.
    pub(super) fn fork(&mut self, node: Node, disjunction: Conjunct, branches: &[Branch]) {
        let data = self.node(node);
        let (parent, label, presence) = (data.parent, data.label, data.presence);
        let conjuncts = data.conjuncts.clone();
        let keep = data.flags & (flag::TEMPLATE | flag::FORCE_CLOSED | flag::REFERENCE);
        let (choices, family) = self.extra(node).map_or((ThinVec::new(), node), |extra| (extra.choices.clone(), extra.family.unwrap_or(node)));
        let mut live = Vec::new();
        for branch in branches {
            self.stats.branches += 1;
            let fork = self.new_node(parent, label, presence);
            self.node_mut(fork).flags = keep | flag::FORKED;
            self.node_mut(fork).conjuncts.clone_from(&conjuncts);
            let mut own = choices.clone();
            own.push((disjunction.expr, disjunction.env, branch.expr));
            let extra = self.extra_mut(fork);
            extra.choices = own.into();
            extra.family = Some(family);
            live.push((fork, branch.mode));
        }
        self.extra_mut(node).forks = Some(Box::new(Forks { disjunction: (disjunction.expr, disjunction.env), live }));
    }

    /// Whether two frames are the same, but for the fork that they stand in.
    pub(super) fn same_frame(&self, a: u32, b: u32) -> bool {
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

    /// The fork that a node is seen as from inside of it, while its branches are being tried.
    pub(crate) fn own_version(&self, node: Node, at: Node) -> Node {
        if !self.has(at, flag::FORKED) || self.extra(node).is_none_or(|extra| extra.forks.is_none()) {
            return node;
        }
        let family = self.family(node);
        let mut at = at;
        while at != NONE {
            if self.extra(at).is_some_and(|extra| extra.family == Some(family)) {
                return at;
            }
            at = self.node(at).parent;
        }
        node
    }

    /// The fork around a node that an operand may mean by a name, although its frame does not stand in it: what it comes
    /// to belongs to that fork alone.
    pub(crate) fn fork_around(&self, expr: ExprId, env: u32, at: Node) -> Node {
        if !self.has(at, flag::FORKED) {
            return NONE;
        }
        let mut fork = at;
        while fork != NONE && self.extra(fork).is_none_or(|extra| extra.family.is_none()) {
            fork = self.node(fork).parent;
        }
        let mut inside = self.frame(env).node;
        while inside != NONE && inside != fork {
            inside = self.node(inside).parent;
        }
        if inside == fork || !self.program.code.mentions(expr, self.node(fork).label) { NONE } else { fork }
    }

    /// The branch that was chosen for a disjunction, if the node is a fork.
    pub(crate) fn choice(&self, node: Node, conjunct: Conjunct) -> Option<ExprId> {
        for (expr, env, chosen) in &self.extra(node)?.choices {
            if !self.same_disjunction((*expr, *env), (conjunct.expr, conjunct.env)) {
                continue;
            }
            return match (self.made_branches(*expr), self.made_branches(conjunct.expr)) {
                (Some((_, old)), Some((_, new))) => new.get(old.iter().position(|branch| branch == chosen)?).copied(),
                _ => Some(*chosen),
            };
        }
        None
    }

    /// Whether two disjunctions are the same one, met in two forks of a node.
    pub(crate) fn same_disjunction(&self, a: (ExprId, u32), b: (ExprId, u32)) -> bool {
        let same = a.0 == b.0 || matches!((self.made_branches(a.0), self.made_branches(b.0)), (Some((x, _)), Some((y, _))) if x == y);
        same && self.same_frame(a.1, b.1)
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

    /// Tries the forks and keeps those that do not fail. One that is incomplete is kept for nobody either: what it needs
    /// would have to come from outside, and nothing can any more.
    pub(super) fn judge_forks(&mut self, node: Node) -> Run<bool> {
        let Some(forks) = self.extra(node).and_then(|extra| extra.forks.clone()) else { return Ok(false) };
        let mut leaves: Vec<Leaf> = Vec::new();
        let mut known = Vec::new();
        let mut failed = Vec::new();
        let mut stop = None;
        for (fork, mode) in &forks.live {
            match self.error_in(*fork) {
                Err(Stop::Limit) => return Err(Stop::Limit),
                Err(other) => {
                    stop = stop.or(Some(other));
                    continue;
                }
                Ok(0) => {}
                Ok(bottom) => {
                    failed.push(bottom);
                    continue;
                }
            }
            let decided = self.deref(*fork);
            let joined = self.traces.union(self.node(node).trace, self.node(decided).trace);
            self.node_mut(node).trace = joined;
            let (expr, env) = forks.disjunction;
            let chosen = Said { expr, env, mode: *mode, within: None };
            for mut leaf in self.lift(node, self.leaves_of(*fork), chosen) {
                self.unite_keys(&mut leaf, &mut known);
                self.add_leaf(&mut leaves, leaf)?;
            }
        }
        if let Some(stop) = stop {
            return Err(stop);
        }
        if leaves.is_empty() {
            let spans = vec![self.span_of(forks.disjunction.0)];
            let some = |code| failed.iter().any(|bottom| self.code_of(*bottom) == code);
            let code = [Code::Cycle, Code::Incomplete].into_iter().find(|code| some(*code)).unwrap_or(Code::Eval);
            let bottom = self.bottom(code, node, Reason::Disjunction(failed), spans);
            self.fail(node, bottom);
            let extra = self.extra_mut(node);
            extra.disjunctions.clear();
            extra.forks = None;
            return Ok(true);
        }
        self.conclude(node, leaves)
    }

    /// The error at or below a fork for which it is dropped; 0 if there is none.
    fn error_in(&mut self, fork: Node) -> Run<u32> {
        if self.has_final_error(fork, 0)? {
            return Ok(self.error_below(fork));
        }
        Ok(self.member_error(fork))
    }

    /// An error that is not final, in the value itself or in one of its members; what is further down may wait.
    fn member_error(&self, node: Node) -> u32 {
        let node = self.deref(node);
        let members = self.node(node).arcs.iter().filter(|arc| self.node(**arc).presence == Presence::Member);
        let bottoms = std::iter::once(&node).chain(members).map(|at| self.node(self.deref(*at)).bottom);
        bottoms.into_iter().find(|bottom| *bottom != 0).unwrap_or(0)
    }

    /// Whether a node, or something below it, is an error for good.
    pub(crate) fn has_final_error(&mut self, node: Node, _depth: u32) -> Run<bool> {
        let mut stack = vec![node];
        let mut stop = None;
        while let Some(node) = stack.pop() {
            self.step(node, ExprId(0))?;
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

    /// A node is from now on the fork that was chosen.
    pub(crate) fn replace(&mut self, node: Node, fork: Node) -> Run<()> {
        self.node_mut(node).forward = fork;
        self.node_mut(fork).presence = self.node(node).presence;
        let wanted = self.node(node).flags & (flag::FINAL | flag::BODY);
        if wanted != 0 {
            self.want_with(fork, wanted);
        }
        // Who took over conjuncts of a field before now gets the rest.
        for arc in self.node(node).arcs.clone() {
            let label = self.node(arc).label;
            let Some(new) = self.find_arc(fork, label) else { continue };
            let subscribers = self.extra(arc).map_or_else(ThinVec::new, |extra| extra.subscribers.clone());
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
}
