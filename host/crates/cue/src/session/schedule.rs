//! When what is done: settling nodes, parking and waking, cycles.

use super::data::*;
use super::host::Turn;
use super::{LimitExceeded, Session, flag};
use crate::program::Declared;
use crate::{Map, Node, Set};

/// How deep settling recurses before it queues.
const DEPTH: u32 = 400;

/// The parked nodes.
#[derive(Debug, Default)]
pub(crate) struct Parked {
    /// Those that were parked since circles were looked for.
    fresh: Vec<Node>,
    /// All others, the oldest first; with some that are not parked any more.
    all: Vec<Node>,
    /// How many of them there may be before those are forgotten.
    limit: usize,
    /// Whether there may be a circle among the old ones.
    circles: bool,
}

impl Session {
    /// Puts a node on the queue.
    pub(crate) fn enqueue(&mut self, node: Node) {
        if !self.has(node, flag::QUEUED) {
            self.set(node, flag::QUEUED);
            self.queue.push(node);
        }
    }

    /// Settles a node. `Err` says what it waits for; it is tried again when that has happened.
    pub(crate) fn ensure(&mut self, node: Node) -> Run<()> {
        let node = self.deref(node);
        if self.has(node, flag::FROZEN) {
            return Ok(());
        }
        self.attempt(node)
    }

    fn attempt(&mut self, node: Node) -> Run<()> {
        let data = self.node(node);
        if data.phase == Phase::Settled {
            return Ok(());
        }
        let early = |session: &Self| {
            if session.node(node).scalar.is_some() { Ok(()) } else { Err(Stop::Wait(Wait::Settled(node))) }
        };
        if data.flags & flag::ON_STACK != 0 {
            // What is asked while a choice is made must not depend on what the choice is made for.
            let choosing = data.extra.as_ref().is_some_and(|extra| !extra.disjunctions.is_empty());
            return if choosing { Err(Stop::Wait(Wait::Settled(node))) } else { early(self) };
        }
        if data.flags & flag::PARKED != 0 && !self.may_go_on(node) {
            return early(self);
        }
        if self.depth >= DEPTH {
            self.enqueue(node);
            return early(self);
        }
        self.depth += 1;
        self.set(node, flag::ON_STACK);
        let reading = std::mem::replace(&mut self.reading, 0);
        let result = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.advance(node));
        self.reading = reading;
        self.clear(node, flag::ON_STACK);
        self.depth -= 1;
        match result {
            Ok(()) => {
                self.wake(node);
                self.shed(node);
                // What it was replaced by may have to be settled yet.
                if self.node(node).forward == NONE { Ok(()) } else { self.ensure(node) }
            }
            Err(Stop::Limit) => Err(Stop::Limit),
            Err(Stop::Wait(wait)) => {
                self.park(node, wait);
                early(self)
            }
        }
    }

    /// The same, for readers of fields: a scalar is not enough.
    pub(crate) fn ensure_arcs(&mut self, node: Node) -> Run<()> {
        self.ensure(node)?;
        let node = self.deref(node);
        let data = self.node(node);
        if data.phase == Phase::Settled || data.flags & flag::FROZEN != 0 {
            return Ok(());
        }
        Err(Stop::Wait(Wait::Settled(node)))
    }

    fn park(&mut self, node: Node, wait: Wait) {
        self.stats.parked += 1;
        let extra = self.extra_mut(node);
        if !extra.waits.contains(&wait) {
            extra.waits.push(wait);
        }
        let waits = extra.waits.clone();
        if !self.has(node, flag::PARKED) {
            self.set(node, flag::PARKED);
            self.parked.fresh.push(node);
        }
        for wait in waits {
            match wait {
                Wait::Settled(other) => self.add_waiter(other, node),
                Wait::Closed(other) => {
                    let mut at = self.node(other).parent;
                    while at != NONE && self.node(at).phase != Phase::Settled {
                        self.add_waiter(at, node);
                        at = self.node(at).parent;
                    }
                }
                Wait::Answer(ask) => {
                    if let Some(data) = self.asks.get_mut(ask.0 as usize)
                        && !data.waiters.contains(&node)
                    {
                        data.waiters.push(node);
                    }
                }
            }
        }
    }

    fn add_waiter(&mut self, node: Node, waiter: Node) {
        let extra = self.extra_mut(node);
        if extra.waiters.last() != Some(&waiter) {
            extra.waiters.push(waiter);
        }
    }

    /// Queues what waits for a node.
    pub(crate) fn wake(&mut self, node: Node) {
        let Some(extra) = self.node_mut(node).extra.as_deref_mut() else { return };
        if extra.waiters.is_empty() {
            return;
        }
        for waiter in std::mem::take(&mut extra.waiters) {
            self.enqueue(waiter);
        }
    }

    /// Gives back what a node needed only while it was settled.
    fn shed(&mut self, node: Node) {
        let data = self.node_mut(node);
        if data.extra.as_ref().is_some_and(|extra| extra.is_bare()) {
            data.extra = None;
        }
    }

    fn is_over(&self, wait: Wait) -> bool {
        match wait {
            Wait::Settled(node) => {
                let node = self.deref(node);
                let data = self.node(node);
                data.phase == Phase::Settled || data.scalar.is_some() || data.flags & flag::FROZEN != 0
            }
            Wait::Closed(node) => self.closed(node),
            Wait::Answer(ask) => self.asks.get(ask.0 as usize).is_none_or(|data| data.answer.is_some()),
        }
    }

    fn may_go_on(&self, node: Node) -> bool {
        self.extra(node).is_none_or(|extra| extra.waits.iter().any(|wait| self.is_over(*wait)))
    }

    /// Whether nothing can be added to a node from outside any more.
    pub(crate) fn closed(&self, node: Node) -> bool {
        self.closed_but(node, &mut Vec::new())
    }

    /// The same, where nodes that are being looked at already (a circle of references) are taken as closed.
    fn closed_but(&self, node: Node, seen: &mut Vec<Node>) -> bool {
        let mut node = node;
        let mut path = Vec::new();
        loop {
            let data = self.node(node);
            path.insert(0, data.label);
            if data.flags & flag::FORCE_CLOSED != 0 || data.parent == NONE {
                return true;
            }
            let parent = self.node(data.parent);
            if parent.phase == Phase::Settled {
                return true;
            }
            if parent.phase == Phase::New || (parent.processed as usize) < parent.conjuncts.len() {
                return false;
            }
            if let Some(extra) = &parent.extra
                && parent.flags & flag::ASSUME_CLOSED == 0
            {
                if !extra.disjunctions.is_empty() {
                    return false;
                }
                if !extra.sources.is_empty() && !seen.contains(&data.parent) {
                    if seen.len() > 200 {
                        return false;
                    }
                    seen.push(data.parent);
                    if extra.sources.iter().any(|source| !self.closed_but(*source, seen)) {
                        return false;
                    }
                }
                if self.touches(data.parent, &path) {
                    return false;
                }
            }
            node = data.parent;
        }
    }

    /// Settles the parent if it can be, so that nothing can be added to a node any more.
    fn close(&mut self, node: Node) -> Run<()> {
        if self.closed(node) {
            return Ok(());
        }
        let parent = self.node(node).parent;
        if parent != NONE && !self.has(parent, flag::ON_STACK) {
            match self.ensure(parent) {
                Err(Stop::Limit) => return Err(Stop::Limit),
                Ok(()) | Err(Stop::Wait(_)) => {}
            }
        }
        Ok(())
    }

    /// One attempt to settle a node.
    fn advance(&mut self, node: Node) -> Run<()> {
        self.step(node, crate::program::ExprId(0))?;
        self.clear(node, flag::PARKED);
        if let Some(extra) = self.node_mut(node).extra.as_deref_mut() {
            extra.waits.clear();
        }
        self.close(node)?;
        let parent = self.node(node).parent;
        if parent != NONE && self.has(parent, flag::REFERENCE) && self.node(node).label.is_index() {
            let reading = std::mem::replace(&mut self.reading, 0);
            let pointed = self.point(node);
            let read = std::mem::replace(&mut self.reading, reading);
            pointed?;
            let joined = self.traces.union(self.node(node).trace, read);
            self.node_mut(node).trace = joined;
            self.settled(node);
            return Ok(());
        }
        for _ in 0..10_000 {
            self.expand(node)?;
            match self.run_tasks(node) {
                Err(Stop::Wait(_)) if self.waits_for_itself(node) && self.decide_one(node)? => continue,
                other => other?,
            }
            if !self.closed(node) {
                self.close(node)?;
                if !self.closed(node) {
                    return Err(Stop::Wait(Wait::Closed(node)));
                }
            }
            self.close_sources(node)?;
            if self.is_unfinished(node) {
                continue;
            }
            if self.settle_disjunctions(node)? {
                continue;
            }
            if self.node(node).forward != NONE {
                self.node_mut(node).phase = Phase::Settled;
                return Ok(());
            }
            if self.ask_if_needed(node)? {
                if self.node(node).forward != NONE {
                    self.node_mut(node).phase = Phase::Settled;
                    return Ok(());
                }
                continue;
            }
            self.finish(node)?;
            if self.is_unfinished(node) {
                continue;
            }
            self.settled(node);
            return Ok(());
        }
        Err(self.exceed("rounds for one value", 10_000, node, crate::program::ExprId(0)))
    }

    fn is_unfinished(&self, node: Node) -> bool {
        let data = self.node(node);
        (data.processed as usize) < data.conjuncts.len()
            || data.extra.as_ref().is_some_and(|extra| !extra.tasks.is_empty() || (!extra.cyclic.is_empty() && data.flags & flag::MATERIAL != 0))
    }

    fn close_sources(&mut self, node: Node) -> Run<()> {
        let sources = match self.node_mut(node).extra.as_deref_mut() {
            Some(extra) if !extra.sources.is_empty() => extra.sources.clone(),
            _ => return Ok(()),
        };
        for source in sources {
            self.close(source)?;
            if !self.closed(source) {
                return Err(Stop::Wait(Wait::Closed(source)));
            }
        }
        self.extra_mut(node).sources.clear();
        Ok(())
    }

    fn settled(&mut self, node: Node) {
        // Also of what failed: its message may hold the value.
        self.mark_attributes(node);
        self.node_mut(node).phase = Phase::Settled;
        if let Some(extra) = self.node_mut(node).extra.as_deref_mut() {
            extra.seen = ThinVec::new();
            extra.tasks = ThinVec::new();
            extra.waits = ThinVec::new();
            extra.cyclic = ThinVec::new();
        }
        self.want_below(node);
    }

    /// Runs the tasks of a node until none can go on.
    fn run_tasks(&mut self, node: Node) -> Run<()> {
        loop {
            let mut progress = self.run_pass(node, false)?;
            progress |= self.run_pass(node, true)?;
            let Some(extra) = self.extra(node) else { return Ok(()) };
            if extra.tasks.is_empty() {
                return Ok(());
            }
            if progress {
                continue;
            }
            let late = extra.tasks.iter().all(|task| matches!(task, Task::Comprehension { .. } | Task::Dynamic { .. } | Task::Pattern { .. }));
            if late && !self.has(node, flag::ASSUME_CLOSED) && self.waits_below(node) {
                self.set(node, flag::ASSUME_CLOSED);
                self.extra_mut(node).waits.clear();
                continue;
            }
            let wait = extra.waits.last().copied().unwrap_or(Wait::Settled(node));
            return Err(Stop::Wait(wait));
        }
    }

    /// Whether some task waits for the value of the node itself.
    fn waits_for_itself(&self, node: Node) -> bool {
        self.extra(node).is_some_and(|extra| extra.waits.iter().any(|wait| matches!(wait, Wait::Settled(other) if self.deref(*other) == node)))
    }

    /// Whether some task waits for a part of the node itself.
    fn waits_below(&self, node: Node) -> bool {
        self.extra(node).is_some_and(|extra| {
            extra.waits.iter().any(|wait| match wait {
                Wait::Settled(other) | Wait::Closed(other) => {
                    let mut at = *other;
                    while at != NONE && at != node {
                        at = self.node(at).parent;
                    }
                    at == node
                }
                Wait::Answer(_) => false,
            })
        })
    }

    fn run_pass(&mut self, node: Node, late: bool) -> Run<bool> {
        let mut progress = false;
        let mut index = 0;
        while let Some(task) = self.extra(node).and_then(|extra| extra.tasks.get(index)).copied() {
            let is_late = matches!(task, Task::Comprehension { .. } | Task::Dynamic { .. });
            if is_late != late {
                index += 1;
                continue;
            }
            let reading = std::mem::replace(&mut self.reading, 0);
            let running = std::mem::replace(&mut self.running, task.info());
            let result = self.run_task(node, task);
            self.running = running;
            let read = std::mem::replace(&mut self.reading, reading);
            match result {
                Ok(()) => {
                    progress = true;
                    let read = self.own_reading(task, read);
                    if read != 0 {
                        let joined = self.traces.union(self.node(node).trace, read);
                        self.node_mut(node).trace = joined;
                    }
                    let extra = self.extra_mut(node);
                    if let Some(at) = extra.tasks.iter().position(|other| *other == task) {
                        extra.tasks.remove(at);
                    }
                }
                Err(Stop::Limit) => return Err(Stop::Limit),
                Err(Stop::Wait(wait)) => {
                    let extra = self.extra_mut(node);
                    if !extra.waits.contains(&wait) {
                        extra.waits.push(wait);
                    }
                    index += 1;
                }
            }
        }
        Ok(progress)
    }

    /// What a task has read, as the node's own: what came from a part of a hosted node was read by that one.
    fn own_reading(&mut self, task: Task, read: u32) -> u32 {
        if read == 0 || self.hosted == 0 {
            return read;
        }
        let (Task::Conjunct(Conjunct { info, .. }) | Task::List(Conjunct { info, .. }) | Task::Comprehension { info, .. }) = task else {
            return read;
        };
        let via = self.info(info).via;
        if via != NONE && self.stands_in_resource(via) { self.traces.without_owners(read) } else { read }
    }

    /// A declaration of a struct literal, by its index.
    pub(crate) fn declaration(program: &crate::program::Program, literal: u32, index: u32) -> Option<&Declared> {
        program.code.structs.get(literal as usize).and_then(|literal| literal.declarations.get(index as usize))
    }

    fn run_task(&mut self, node: Node, task: Task) -> Run<()> {
        match task {
            Task::Conjunct(conjunct) => self.join_computed(node, conjunct),
            Task::Comprehension { id, env, info } => self.run_comprehension(node, id, env, info),
            Task::Dynamic { literal, index, env, info } => self.join_dynamic(node, literal, index, env, info),
            Task::Pattern { pattern, slot, env, info } => self.join_computed_pattern(node, pattern, slot, env, info),
            Task::List(conjunct) => self.join_computed_list(node, conjunct),
        }
    }

    /// Wants a node and everything below it settled.
    pub(crate) fn want_final(&mut self, node: Node) {
        self.want_with(node, flag::FINAL);
    }

    /// Wants a node, and below it what the flags say.
    pub(crate) fn want_with(&mut self, node: Node, flags: u32) {
        let node = self.deref(node);
        if self.node(node).flags & flags == flags {
            return;
        }
        self.set(node, flags);
        if self.node(node).phase == Phase::Settled {
            self.want_below(node);
        } else {
            self.enqueue(node);
        }
    }

    /// Wants what is wanted below a node.
    fn want_below(&mut self, node: Node) {
        let flags = self.node(node).flags;
        if flags & (flag::FINAL | flag::BODY) == 0 {
            return;
        }
        for arc in self.node(node).arcs.clone().into_iter().rev() {
            if flags & flag::FINAL != 0 || !self.is_only_declared(arc) {
                self.want_final(arc);
            }
        }
    }

    /// Does all that can be done.
    pub fn run(&mut self) -> Result<Turn, LimitExceeded> {
        loop {
            while let Some(node) = self.queue.pop() {
                self.clear(node, flag::QUEUED);
                let node = self.deref(node);
                if let Err(Stop::Limit) = self.attempt(node) {
                    return Err(self.limit_error());
                }
                let node = self.deref(node);
                if self.node(node).phase != Phase::Settled {
                    self.want_below(node);
                }
            }
            if !self.thaw() {
                break;
            }
        }
        if self.open_asks > 0 {
            return Ok(Turn::Stuck);
        }
        self.check_assumed()?;
        Ok(Turn::Done)
    }

    /// Settles one node as far as it goes without questions; for tools that look at single values.
    pub(crate) fn settle_now(&mut self, node: Node) -> Result<(), LimitExceeded> {
        self.enqueue(node);
        self.run().map(|_| ())
    }

    /// Lets what waits in a circle read what there is. Whether something was found.
    fn thaw(&mut self) -> bool {
        let fresh = std::mem::take(&mut self.parked.fresh);
        let fresh: Vec<Node> = fresh.into_iter().filter(|node| self.has(*node, flag::PARKED)).collect();
        let known = self.open_asks > 0 && !self.parked.circles && self.lead_to_answers(&fresh);
        self.parked.all.extend(fresh);
        self.compact_parked();
        if known || self.parked.all.is_empty() {
            return false;
        }
        let stuck = self.stuck();
        self.parked.circles = self.release(stuck);
        self.parked.circles
    }

    /// Forgets what is not parked any more, where that is much.
    fn compact_parked(&mut self) {
        if self.parked.all.len() < self.parked.limit {
            return;
        }
        let mut seen = Set::default();
        let all = std::mem::take(&mut self.parked.all);
        self.parked.all = all.into_iter().filter(|node| self.has(*node, flag::PARKED) && seen.insert(*node)).collect();
        self.parked.limit = (2 * self.parked.all.len()).max(1_000);
    }

    /// Whether each of these nodes waits, directly or not, for an answer from outside.
    fn lead_to_answers(&self, nodes: &[Node]) -> bool {
        let mut leading = Set::default();
        nodes.iter().all(|node| {
            let mut seen = Set::default();
            let mut stack = vec![*node];
            while let Some(at) = stack.pop() {
                if !seen.insert(at) {
                    continue;
                }
                let waits = self.waiting_on(at);
                if waits.iter().any(|wait| match wait {
                    Ok(other) => leading.contains(other),
                    Err(ask) => self.is_open(*ask),
                }) {
                    leading.insert(*node);
                    leading.insert(at);
                    return true;
                }
                stack.extend(waits.into_iter().flatten());
            }
            false
        })
    }

    /// The parked nodes that no answer can help, the oldest first.
    fn stuck(&self) -> Vec<Node> {
        let parked = self.parked.all.iter().copied().filter(|node| self.has(*node, flag::PARKED));
        if self.open_asks == 0 {
            return parked.collect();
        }
        let parked: Vec<Node> = parked.filter(|node| !self.is_near_answer(*node)).collect();
        let mut marks = Map::default();
        for node in &parked {
            self.waits_for_answer(*node, &mut marks);
        }
        parked.into_iter().filter(|node| marks.get(node) != Some(&true)).collect()
    }

    /// Whether a parked node waits for an answer itself, or for a parked node that does: most do, and are told without a search.
    fn is_near_answer(&self, node: Node) -> bool {
        let waits = |node: Node| self.extra(node).filter(|_| self.has(node, flag::PARKED)).map_or(&[][..], |extra| &extra.waits);
        let asks = |wait: &Wait| matches!(wait, Wait::Answer(ask) if self.is_open(*ask));
        waits(node).iter().any(|wait| asks(wait) || matches!(wait, Wait::Settled(other) if waits(self.deref(*other)).iter().any(asks)))
    }

    /// Lets the oldest of these read what there is. Whether there was one.
    fn release(&mut self, stuck: Vec<Node>) -> bool {
        let mut forced = false;
        for node in &stuck {
            let waits = self.extra(*node).map_or_else(ThinVec::new, |extra| extra.waits.clone());
            for wait in waits {
                if let Wait::Closed(other) = wait
                    && !self.has(other, flag::FORCE_CLOSED)
                    && self.extra(*node).is_none_or(|extra| extra.tasks.is_empty())
                {
                    self.set(other, flag::FORCE_CLOSED);
                    forced = true;
                    self.enqueue(*node);
                }
            }
            if forced {
                return true;
            }
        }
        for node in stuck {
            let waits = self.extra(node).map_or_else(ThinVec::new, |extra| extra.waits.clone());
            for wait in waits {
                match wait {
                    Wait::Settled(other) => {
                        let other = self.deref(other);
                        if self.has(other, flag::FROZEN) {
                            continue;
                        }
                        self.set(other, flag::FROZEN);
                        self.enqueue(node);
                        return true;
                    }
                    Wait::Closed(other) => {
                        if self.has(other, flag::FORCE_CLOSED) {
                            continue;
                        }
                        self.set(other, flag::FORCE_CLOSED);
                        self.enqueue(node);
                        return true;
                    }
                    Wait::Answer(_) => {}
                }
            }
        }
        false
    }

    /// Whether a parked node waits, directly or not, for an answer from outside.
    fn waits_for_answer(&self, node: Node, marks: &mut Map<Node, bool>) -> bool {
        let mut stack = vec![(node, false)];
        let mut order = Vec::new();
        while let Some((node, done)) = stack.pop() {
            if done {
                order.push(node);
                let result = self.waiting_on(node).iter().any(|other| match other {
                    Ok(other) => marks.get(other) == Some(&true),
                    Err(ask) => self.is_open(*ask),
                });
                marks.insert(node, result || marks.get(&node) == Some(&true));
                continue;
            }
            if marks.contains_key(&node) {
                continue;
            }
            marks.insert(node, false);
            stack.push((node, true));
            for other in self.waiting_on(node) {
                if let Ok(other) = other {
                    stack.push((other, false));
                }
            }
        }
        // A circle may lead to an answer by a node that was seen later: go over it until nothing changes.
        let mut changed = true;
        while changed {
            changed = false;
            for node in &order {
                if marks.get(node) != Some(&true)
                    && self.waiting_on(*node).iter().any(|other| matches!(other, Ok(other) if marks.get(other) == Some(&true)))
                {
                    marks.insert(*node, true);
                    changed = true;
                }
            }
        }
        marks.get(&node) == Some(&true)
    }

    /// What a parked node waits for: nodes, or questions.
    pub(crate) fn waiting_on(&self, node: Node) -> Vec<Result<Node, crate::Ask>> {
        let mut out = Vec::new();
        let Some(extra) = self.extra(node) else { return out };
        if !self.has(node, flag::PARKED) {
            return out;
        }
        for wait in &extra.waits {
            match wait {
                Wait::Settled(other) => out.push(Ok(self.deref(*other))),
                Wait::Closed(other) => {
                    let mut at = self.node(*other).parent;
                    while at != NONE && self.node(at).phase != Phase::Settled {
                        out.push(Ok(at));
                        at = self.node(at).parent;
                    }
                    let sources = self.node(*other).extra.as_ref().map_or(&[][..], |extra| &extra.sources);
                    out.extend(sources.iter().map(|source| Ok(self.node(*source).parent)).filter(|other| *other != Ok(NONE)));
                }
                Wait::Answer(ask) => out.push(Err(*ask)),
            }
        }
        out
    }
}

impl Session {
    /// What is decided when everything about a node is known.
    fn finish(&mut self, node: Node) -> Run<()> {
        let data = self.node(node);
        if data.kinds == crate::Kinds::TOP
            && data.scalar.is_none()
            && data.flags & flag::EMBEDS != 0
            && data.flags & flag::PENDING == 0
            && data.bottom == 0
            && self.only_embeds_nothing(node)
        {
            self.node_mut(node).kinds = crate::Kinds::STRUCT;
        }
        if self.has(node, flag::CYCLIC) {
            self.judge_cycle(node);
        }
        self.check_closedness(node);
        self.check_validators(node)
    }

    /// Whether a node is a struct because nothing that it embeds says otherwise.
    fn only_embeds_nothing(&self, node: Node) -> bool {
        let data = self.node(node);
        !data.structs.is_empty()
            && (data.flags & flag::TOP == 0 || self.has_comprehension(node))
            && data.extra.as_ref().is_none_or(|extra| extra.alternatives.is_empty() && extra.bounds.is_empty() && extra.list.is_none())
            && !self.embeds_top(node)
    }

    /// Whether some literal of a node has a comprehension: braces around `_` alone are `_`.
    fn has_comprehension(&self, node: Node) -> bool {
        self.node(node).structs.iter().any(|(literal, ..)| {
            let literal = self.program.code.structs.get(*literal as usize);
            literal.is_some_and(|literal| literal.declarations.iter().any(|declared| matches!(declared, Declared::Comprehension(_))))
        })
    }

    /// Whether some embedding is `_` itself, which leaves the kind open.
    fn embeds_top(&self, node: Node) -> bool {
        self.node(node).structs.iter().any(|(literal, ..)| {
            self.program.code.structs.get(*literal as usize).is_some_and(|literal| {
                literal.declarations.iter().any(|declared| {
                    matches!(declared, Declared::Embedding(value)
                        if matches!(self.program.code.expr(*value), crate::program::Expr::Kind(kinds) if kinds == crate::Kinds::TOP))
                })
            })
        })
    }

    /// Attributes that mark a value, such as `@mark(sensitive)`.
    fn mark_attributes(&mut self, node: Node) {
        let Some(extra) = self.extra(node) else { return };
        if extra.attributes.is_empty() {
            return;
        }
        let mut marks = super::Marks::default();
        for text in extra.attributes.iter().flat_map(|list| list.iter()) {
            match &**self.texts.get(*text) {
                "@mark(sensitive)" => marks.sensitive = true,
                "@mark(ephemeral)" => marks.ephemeral = true,
                _ => {}
            }
        }
        if marks != super::Marks::default() {
            let number = self.traces.number(super::Trace { marks, ..super::Trace::default() });
            let joined = self.traces.union(self.node(node).trace, number);
            self.node_mut(node).trace = joined;
        }
    }
}
