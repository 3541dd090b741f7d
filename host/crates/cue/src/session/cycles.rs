//! Structures that contain themselves.
//!
//! A reference is *cyclic* where it leads to an ancestor, or to a node that the conjunct which it stands in came
//! through before. Such a conjunct may add to a node, but it is no reason for the node to be there: a node all of
//! whose conjuncts are cyclic is a structural cycle. So `a: b: a` is one, and `a: b?: a` is none, for nothing makes
//! `b` a member. What stands in an optional place (optional fields, patterns, further elements of lists, branches)
//! may go round once more before it counts, for it may come to its end there.
//!
//! Kept true: every reference appears in the history of the conjuncts that come through it, and a conjunct that is
//! cyclic stays so; thus a structure that repeats itself ends. Plain depth is no cycle; that is what
//! [`super::Limits`] are for.

use super::data::*;
use super::{Session, flag};
use crate::Node;
use crate::program::ExprId;

/// How often an operand may be evaluated within itself. A function that calls itself is no cycle as long as it ends.
const RECURSION: u32 = 128;

/// How many aliases of aliases are followed.
const ALIASES: u32 = 16;

/// How many nodes are looked at for the place of a cycle.
const LOOK_BELOW: u32 = 1_000;

/// What becomes of a reference.
pub(crate) enum Detected {
    /// It joins, with this.
    Join(Info),
    /// It says nothing new.
    Same,
    /// It waits for something that is not cyclic.
    Postponed,
}

impl Session {
    /// Judges a reference from a node to a target.
    pub(crate) fn detect(&mut self, node: Node, target: Node, conjunct: Conjunct, mut info: Info) -> Detected {
        if self.has_ancestor(node, target) {
            return self.cyclic_by_ancestor(node, target, conjunct, info);
        }
        let fresh = self.has(node, flag::FRESH);
        if fresh && info.cycle == Cycle::Maybe {
            return Detected::Join(info);
        }
        let (mut steps, mut again) = (0, 0);
        let mut at = info.references;
        while let Some(reference) = self.references.get(at as usize).copied().filter(|_| at != 0) {
            at = reference.next;
            let same_node = self.same_place(reference.at, node);
            if self.same_place(reference.target, target) {
                if same_node {
                    return Detected::Same;
                }
                if info.cycle == Cycle::Optional && fresh {
                    if reference.level == self.node(node).level {
                        return Detected::Same;
                    }
                    info.cycle = Cycle::Maybe;
                    info.references = 0;
                    return Detected::Join(info);
                }
                if reference.expr != conjunct.expr && fresh && self.has(node, flag::MATERIAL) && !self.feeds_itself(node, target) {
                    continue;
                }
                return self.cyclic_by_history(node, target, conjunct, info);
            }
            if reference.expr == conjunct.expr && self.has(target, flag::UNROOTED) {
                again += 1;
                if again > RECURSION {
                    self.fail_structural(node, conjunct.expr);
                    return Detected::Same;
                }
                if same_node {
                    if self.call_of(reference.target) != self.call_of(target) {
                        // The same part of different calls: one reads the result of the other.
                        continue;
                    }
                    steps += 1;
                    if steps > RECURSION {
                        self.fail_structural(node, conjunct.expr);
                        return Detected::Same;
                    }
                    if steps > 1 {
                        continue;
                    }
                    let around = self.frame(conjunct.env).node;
                    let through = self.node(reference.target).parent;
                    if self.same_place(around, node) || (through != NONE && self.same_place(around, through)) {
                        continue;
                    }
                    if info.cycle == Cycle::Cyclic {
                        // Once more the same: that says nothing new where something else makes the value.
                        if !self.has(node, flag::MATERIAL) {
                            self.fail_structural(node, conjunct.expr);
                        }
                        return Detected::Same;
                    }
                    return self.cyclic_by_history(node, target, conjunct, info);
                }
                let within = self.node(target).parent;
                if self.has(reference.target, flag::UNROOTED)
                    && within != NONE
                    && self.has(within, flag::INLINE)
                    && self.has(within, flag::CYCLIC_ANCESTOR)
                {
                    return self.cyclic_by_ancestor(node, target, conjunct, info);
                }
            }
        }
        let level = self.node(node).level;
        self.references.push(Reference { target, at: node, expr: conjunct.expr, level, next: info.references });
        info.references = self.references.len() as u32 - 1;
        Detected::Join(info)
    }

    /// The operand that a node is in: where a function is used by `(f & {…}).out`, that use.
    fn call_of(&self, node: Node) -> Option<ExprId> {
        let mut at = node;
        while at != NONE {
            let data = self.node(at);
            if data.flags & flag::INLINE != 0 {
                return data.conjuncts.first().map(|conjunct| conjunct.expr);
            }
            at = data.parent;
        }
        None
    }

    /// Whether an operand that is being evaluated refers to a disjunction that is not decided yet.
    fn feeds_itself(&self, node: Node, target: Node) -> bool {
        self.has(node, flag::INLINE)
            && self.node(target).phase != Phase::Settled
            && self.extra(target).is_some_and(|extra| !extra.disjunctions.is_empty() || extra.forks.is_some())
    }

    /// Whether a node is below another, forks counted as the node that they are versions of.
    fn has_ancestor(&self, node: Node, ancestor: Node) -> bool {
        let mut at = self.node(node).parent;
        while at != NONE {
            if self.same_place(at, ancestor) || self.is_alias_of(at, ancestor) {
                return true;
            }
            at = self.node(at).parent;
        }
        false
    }

    /// Whether a node has nothing but a reference to another, which is then the same value in two places.
    fn is_alias_of(&self, node: Node, other: Node) -> bool {
        let mut at = node;
        for _ in 0..ALIASES {
            let data = self.node(at);
            let [only] = data.conjuncts.as_slice() else { return false };
            let Some((target, _, expr)) = self.extra(at).and_then(|extra| extra.origins.first().copied()) else { return false };
            if expr != only.expr || self.has(target, flag::UNROOTED) {
                return false;
            }
            if self.same_place(target, other) {
                return true;
            }
            at = self.deref(target);
        }
        false
    }

    /// Whether two nodes are the same, or versions of the same.
    pub(crate) fn same_place(&self, a: Node, b: Node) -> bool {
        if a == b {
            return true;
        }
        if a == NONE || b == NONE {
            return false;
        }
        let (a, b) = (self.deref(a), self.deref(b));
        a == b || self.family(a) == self.family(b)
    }

    fn cyclic_by_ancestor(&mut self, node: Node, target: Node, conjunct: Conjunct, mut info: Info) -> Detected {
        info.cycle = Cycle::Cyclic;
        self.set(node, flag::CYCLIC | flag::CYCLIC_ANCESTOR);
        if self.has(node, flag::MATERIAL) {
            return Detected::Join(info);
        }
        self.note_origin(node, target, conjunct);
        self.postpone(node, conjunct)
    }

    fn cyclic_by_history(&mut self, node: Node, target: Node, conjunct: Conjunct, mut info: Info) -> Detected {
        info.cycle = Cycle::Cyclic;
        self.set(node, flag::CYCLIC);
        if self.has(node, flag::FRESH) || self.has(node, flag::MATERIAL) {
            return Detected::Join(info);
        }
        self.note_origin(node, target, conjunct);
        self.postpone(node, conjunct)
    }

    fn postpone(&mut self, node: Node, conjunct: Conjunct) -> Detected {
        let extra = self.extra_mut(node);
        if !extra.cyclic.contains(&conjunct) {
            extra.cyclic.push(conjunct);
        }
        Detected::Postponed
    }

    /// Notes that a conjunct joins a node.
    pub(crate) fn note_fresh(&mut self, node: Node, info: u32) {
        if matches!(self.info(info).cycle, Cycle::No | Cycle::Optional) {
            self.set(node, flag::FRESH);
        }
    }

    /// Notes that a conjunct which is no reference joins a node.
    pub(crate) fn note_material(&mut self, node: Node, info: u32) {
        if self.info(info).cycle != Cycle::Cyclic {
            self.set(node, flag::MATERIAL);
        }
    }

    /// Whether a node is there only by what is cyclic.
    fn is_only_cyclic(&self, node: Node) -> bool {
        let flags = self.node(node).flags;
        (flags & flag::CYCLIC_ANCESTOR != 0 && flags & flag::MATERIAL == 0) || (flags & flag::CYCLIC != 0 && flags & flag::FRESH == 0)
    }

    /// Lets cyclic references join that have waited, where something stands beside them by now.
    pub(crate) fn join_postponed(&mut self, node: Node) -> Run<()> {
        let waiting = |session: &Self| session.extra(node).is_some_and(|extra| !extra.cyclic.is_empty());
        while waiting(self) && self.has(node, flag::MATERIAL) {
            for conjunct in std::mem::take(&mut self.extra_mut(node).cyclic) {
                let extra = self.extra_mut(node);
                extra.seen.retain(|seen| (seen.0, seen.1) != (conjunct.expr, conjunct.env));
                self.join(node, conjunct)?;
            }
        }
        Ok(())
    }

    /// Whether an operand is evaluated within itself too often.
    pub(crate) fn recurs(&self, node: Node) -> bool {
        let Some(expr) = self.node(node).conjuncts.first().map(|conjunct| conjunct.expr) else {
            return false;
        };
        let mut count = 0;
        let mut at = self.node(node).parent;
        while at != NONE && count <= RECURSION {
            let data = self.node(at);
            if data.flags & flag::INLINE != 0 && data.conjuncts.first().is_some_and(|conjunct| conjunct.expr == expr) {
                count += 1;
            }
            at = data.parent;
        }
        count > RECURSION
    }

    /// Whether a node is no field of the result: the value of an operand or of a `let`, or below one.
    fn is_unnamed(&self, node: Node) -> bool {
        let data = self.node(node);
        data.flags & flag::UNROOTED != 0 || (data.label == crate::intern::Label::NONE && data.parent != NONE)
    }

    /// What an operand or a `let` that is nothing but a reference to what stands around it means: as a value it is a
    /// structural cycle, but what is selected from it is selected from the original.
    pub(crate) fn stands_for(&self, node: Node) -> Option<Node> {
        let data = self.node(node);
        let cyclic = data.flags & (flag::CYCLIC_ANCESTOR | flag::MATERIAL) == flag::CYCLIC_ANCESTOR;
        if !cyclic || data.bottom == 0 || self.code_of(data.bottom) != Code::Structural || !data.arcs.is_empty() || !self.is_unnamed(node) {
            return None;
        }
        let (original, bare, _) = self.extra(node)?.origins.first().copied()?;
        let original = self.deref(original);
        (bare && self.node(original).level < data.level).then_some(original)
    }

    /// Makes a node that is there only by what is cyclic an error.
    pub(crate) fn judge_cycle(&mut self, node: Node) {
        let first = self.extra_mut(node).cyclic.first().map(|conjunct| conjunct.expr);
        self.extra_mut(node).cyclic.clear();
        if self.is_only_cyclic(node) {
            self.fail_structural(node, first.unwrap_or(ExprId(0)));
        }
    }

    pub(crate) fn fail_structural(&mut self, node: Node, expr: ExprId) {
        let spans = if expr.0 == 0 { Vec::new() } else { vec![self.span_of(expr)] };
        let bottom = self.bottom(Code::Structural, node, Reason::Structural, spans);
        self.fail(node, bottom);
    }

    /// The node that a structural cycle is reported at: where its reference is written. A field that is nothing but a
    /// reference to another is that field, an operand is where it stands, and a use of what is cyclic by itself is that.
    pub(crate) fn cycle_place(&self, bottom: &BottomData) -> Node {
        let Some(span) = bottom.spans.first().copied().filter(|_| bottom.code == Code::Structural) else { return bottom.node };
        let mut node = bottom.node;
        while node != NONE && self.has(node, flag::UNROOTED) {
            node = self.node(node).parent;
        }
        if node == NONE {
            return bottom.node;
        }
        let origins = self.extra(bottom.node).map_or(&[][..], |extra| &extra.origins);
        if let Some((target, ..)) = origins.iter().find(|(_, _, expr)| self.span_of(*expr) == span)
            && !self.is_within(bottom.node, self.deref(*target))
            && let Some(own) = self.cycle_below(self.deref(*target), span)
        {
            return own;
        }
        self.shared_place(node, span)
    }

    fn is_within(&self, node: Node, around: Node) -> bool {
        let mut at = node;
        while at != NONE {
            if self.same_place(at, around) {
                return true;
            }
            at = self.node(at).parent;
        }
        false
    }

    /// A structural cycle of a reference, at or below a node.
    fn cycle_below(&self, node: Node, span: pravo_diag::Span) -> Option<Node> {
        let mut stack = vec![node];
        for _ in 0..LOOK_BELOW {
            let node = self.deref(stack.pop()?);
            let data = self.node(node);
            let own = self.bottom_data(data.bottom).filter(|own| data.bottom != 0 && own.code == Code::Structural);
            if own.is_some_and(|own| self.deref(own.node) == node && own.spans.first() == Some(&span)) {
                return Some(node);
            }
            stack.extend(data.arcs.iter().rev());
        }
        None
    }

    /// The place of a node where fields that are nothing but references to others are followed, at every level.
    fn shared_place(&self, node: Node, span: pravo_diag::Span) -> Node {
        let mut way = Vec::new();
        let mut at = node;
        while at != NONE && way.len() < 10_000 {
            way.push(at);
            at = self.node(at).parent;
        }
        let mut place = NONE;
        for step in way.into_iter().rev() {
            let moved = place != NONE && place != self.node(step).parent;
            let step = if moved { self.find_arc(self.deref(place), self.node(step).label).unwrap_or(step) } else { step };
            place = self.follow_sharing(step, span);
        }
        place
    }

    fn follow_sharing(&self, node: Node, span: pravo_diag::Span) -> Node {
        let mut at = node;
        for _ in 0..ALIASES {
            let [only] = self.node(at).conjuncts.as_slice() else { break };
            let Some((target, _, expr)) = self.extra(at).and_then(|extra| extra.origins.first().copied()) else { break };
            if expr != only.expr || self.span_of(expr) == span || self.is_unnamed(target) {
                break;
            }
            at = self.deref(target);
        }
        at
    }

    /// The info of what is computed for the running task: it has the task's history.
    pub(crate) fn inherited_info(&mut self) -> u32 {
        let running = self.info(self.running);
        if running.references == 0 && running.cycle != Cycle::Cyclic {
            return 0;
        }
        let cycle = if running.cycle == Cycle::Cyclic { Cycle::Cyclic } else { Cycle::No };
        let info = Info { references: running.references, cycle, ..self.info(0) };
        self.new_info(info)
    }

    /// The info of a conjunct in an optional place.
    pub(crate) fn optional_info(&mut self, info: u32) -> u32 {
        let data = self.info(info);
        if data.cycle != Cycle::No {
            return info;
        }
        self.new_info(Info { cycle: Cycle::Optional, ..data })
    }
}
