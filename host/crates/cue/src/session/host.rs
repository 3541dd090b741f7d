//! Questions and answers: what the evaluator does not know and somebody else does.
//!
//! A struct with `@host(kind)` marks a template; a node that one of its conjuncts comes from is *hosted*, and the owner
//! of its fields, unless it only repeats another node (then that one stays the owner). A field that the template
//! declares and that is not concrete by its own conjuncts is asked for when somebody else reads it; the owner's own
//! body is never filled with answers to its own questions.

use std::sync::Arc;

use pravo_diag::{Diagnostic, Span};

use super::data::*;
use super::{LimitExceeded, Session, flag};
use crate::intern::{Label, Text};
use crate::program::{Declared, Presence};
use crate::{Ask, Kinds, Map, Node, Value};

/// In place of a question: asking failed.
const FAILED: Ask = Ask(u32::MAX);

/// How far a node is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Its value and its fields, but nothing below.
    Value,
    /// Everything below it too.
    Final,
    /// Of a hosted node: everything below it that is part of its body. What only the template declares is evaluated when it is read.
    Body,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// There is nothing left to do.
    Done,
    /// Questions are open ([`Session::open_asks`]), and nothing can go on without answers.
    Stuck,
}

/// A question.
#[derive(Clone, Debug)]
pub enum Question {
    /// What an attribute of a hosted node is.
    Attribute {
        /// The hosted node.
        owner: Node,
        /// The attribute: field names and indices.
        path: Vec<Label>,
        /// What its own conjuncts say.
        bound: Kinds,
        /// Where it was asked.
        at: Option<Span>,
    },
    /// What a function gives.
    Call {
        /// The hosted node.
        template: Node,
        /// The arguments: all fields but the result.
        arguments: Value,
    },
}

/// An answer, final for the session.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The value.
    Known(Value),
    /// It is not known before the apply.
    Unknown,
    /// Finding it failed.
    Failed(Box<Diagnostic>),
}

/// Marks that spread with values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks {
    /// Not to be shown.
    pub sensitive: bool,
    /// Not to be kept.
    pub ephemeral: bool,
}

impl Marks {
    /// The marks of both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self { sensitive: self.sensitive || other.sensitive, ephemeral: self.ephemeral || other.ephemeral }
    }
}

/// What a node came to.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It waits for these questions.
    Waiting(Vec<Ask>),
    /// A value, in which [`Value::Partial`] stands for what is not concrete or not known.
    Value(Value),
    /// Not known before the apply, as a whole.
    Pending(Kinds),
    /// The errors at and below it.
    Bottom(Vec<Diagnostic>),
}

/// What a value was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Trace {
    /// The hosted nodes whose parts were read, sorted.
    pub owners: Vec<Node>,
    /// The questions whose answers are in it, sorted.
    pub asks: Vec<Ask>,
    /// The questions that decided whether it is there, sorted.
    pub guards: Vec<Ask>,
    /// What must be kept in mind.
    pub marks: Marks,
    /// The marks of what decided whether it is there; of a struct, whether some of its fields are.
    pub guard_marks: Marks,
}

/// A reference that a node's conjuncts came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// What it referred to.
    pub target: Node,
    /// Whether the reference is all that the node is.
    pub bare: bool,
    /// Where it stands.
    pub at: Span,
}

/// A comprehension whose guard or source waits for an unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenComprehension {
    /// Its place.
    pub at: Span,
    /// The questions that it waits for or that answered unknown.
    pub asks: Vec<Ask>,
    /// The labels that it would add, if they are known.
    pub labels: Option<Vec<Label>>,
}

/// A question as data.
#[derive(Debug)]
pub(crate) struct AskData {
    pub owner: Node,
    pub path: Vec<Label>,
    pub bound: Kinds,
    pub at: Option<Span>,
    pub call: Option<Value>,
    /// What the arguments of a call were made from.
    pub read: u32,
    pub answer: Option<Answer>,
    pub marks: Marks,
    pub waiters: Vec<Node>,
}

/// Sets of what was read, each kept once.
#[derive(Debug)]
pub(crate) struct Traces {
    sets: Vec<Arc<Trace>>,
    numbers: Map<Arc<Trace>, u32>,
    unions: Map<(u32, u32), u32>,
}

impl Default for Traces {
    fn default() -> Self {
        Self { sets: vec![Arc::default()], numbers: Map::default(), unions: Map::default() }
    }
}

fn merge<T: Ord + Copy>(a: &[T], b: &[T]) -> Vec<T> {
    let mut out = [a, b].concat();
    out.sort_unstable();
    out.dedup();
    out
}

impl Traces {
    pub fn get(&self, number: u32) -> &Trace {
        const UNMARKED: Marks = Marks { sensitive: false, ephemeral: false };
        static NONE: Trace = Trace { owners: Vec::new(), asks: Vec::new(), guards: Vec::new(), marks: UNMARKED, guard_marks: UNMARKED };
        self.sets.get(number as usize).map_or(&NONE, |set| set)
    }

    pub fn number(&mut self, trace: Trace) -> u32 {
        if trace == Trace::default() {
            return 0;
        }
        if let Some(number) = self.numbers.get(&trace) {
            return *number;
        }
        let number = self.sets.len() as u32;
        let trace = Arc::new(trace);
        self.sets.push(Arc::clone(&trace));
        self.numbers.insert(trace, number);
        number
    }

    pub fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(number) = self.unions.get(&key) {
            return *number;
        }
        let (x, y) = (self.get(a), self.get(b));
        let joined = Trace {
            owners: merge(&x.owners, &y.owners),
            asks: merge(&x.asks, &y.asks),
            guards: merge(&x.guards, &y.guards),
            marks: x.marks.with(y.marks),
            guard_marks: x.guard_marks.with(y.guard_marks),
        };
        let number = self.number(joined);
        self.unions.insert(key, number);
        number
    }

    /// The same without owners.
    pub fn without_owners(&mut self, number: u32) -> u32 {
        let trace = self.get(number);
        if trace.owners.is_empty() {
            return number;
        }
        let bare = Trace { owners: Vec::new(), ..trace.clone() };
        self.number(bare)
    }

    /// The same as what decided whether something is there.
    pub fn as_guard(&mut self, number: u32) -> u32 {
        if number == 0 {
            return 0;
        }
        let trace = self.get(number);
        let guard = Trace { guards: merge(&trace.asks, &trace.guards), asks: Vec::new(), ..trace.clone() };
        self.number(guard)
    }

    /// The same with all marks as those of a guard.
    pub fn with_guard_marks(&mut self, number: u32) -> u32 {
        let trace = self.get(number);
        if trace.marks == Marks::default() {
            return number;
        }
        let guard = Trace { marks: Marks::default(), guard_marks: trace.guard_marks.with(trace.marks), ..trace.clone() };
        self.number(guard)
    }
}

impl Session {
    /// Notes that the running task has read a node. What a part of a hosted node was made from is that node's
    /// business: its reader depends on the hosted node alone, and keeps the questions and marks.
    pub(crate) fn read(&mut self, node: Node) {
        let trace = self.node(node).trace;
        let trace = if trace != 0 && self.hosted != 0 && self.stands_in_resource(node) { self.traces.without_owners(trace) } else { trace };
        self.reading = self.traces.union(self.reading, trace);
    }

    pub(crate) fn stands_in_resource(&self, node: Node) -> bool {
        let mut at = node;
        while at != NONE {
            let data = self.node(at);
            if data.flags & flag::HOSTED != 0 && data.flags & flag::TEMPLATE == 0 {
                return true;
            }
            at = data.parent;
        }
        false
    }

    /// Notes the marks of a node whose conjuncts join the running task's.
    pub(crate) fn read_marks(&mut self, node: Node) {
        if self.hosted == 0 {
            return;
        }
        // The template's attributes come with what is joined first.
        match self.ensure(node) {
            Ok(()) | Err(_) => {}
        }
        let Trace { marks, guard_marks, .. } = *self.traces.get(self.node(self.deref(node)).trace);
        if marks.with(guard_marks) != Marks::default() {
            let number = self.traces.number(Trace { marks, guard_marks, ..Trace::default() });
            self.reading = self.traces.union(self.reading, number);
        }
    }

    /// Notes that the running task has read a part of a hosted node, if it has.
    pub(crate) fn read_owner(&mut self, node: Node) {
        if self.hosted == 0 {
            return;
        }
        let mut at = node;
        while at != NONE {
            let data = self.node(at);
            if data.flags & flag::HOSTED != 0 && data.flags & flag::TEMPLATE == 0 {
                let owner = self.extra(at).and_then(|extra| extra.owner).unwrap_or(at);
                let number = self.traces.number(Trace { owners: vec![owner], ..Trace::default() });
                self.reading = self.traces.union(self.reading, number);
            }
            at = self.node(at).parent;
        }
    }

    /// Joins the struct of a hosted template: the info of its fields.
    pub(crate) fn join_host(&mut self, node: Node, kind: Text, info: u32) -> Run<u32> {
        self.hosted += 1;
        self.set(node, flag::HOSTED);
        let data = self.info(info);
        let owner = if data.via == NONE { node } else { self.owner_of(data.via)? };
        let extra = self.extra_mut(node);
        extra.host = Some(kind);
        if extra.owner.is_none() {
            extra.owner = Some(owner);
            extra.presence = data.trace;
        }
        Ok(self.new_info(Info { owner, hosted: Hosted::Inside, ..data }))
    }

    fn owner_of(&mut self, via: Node) -> Run<Node> {
        let via = self.deref(via);
        if self.node(via).phase == Phase::New {
            match self.ensure(via) {
                Err(Stop::Limit) => return Err(Stop::Limit),
                Ok(()) | Err(Stop::Wait(_)) => {}
            }
        }
        let via = self.deref(via);
        Ok(self.extra(via).and_then(|extra| extra.owner).unwrap_or(via))
    }

    /// The owners and places of what templates declare for a node, where it may be asked for: its own, and those that references brought.
    fn askable(&self, node: Node) -> Vec<Info> {
        if self.hosted == 0 {
            return Vec::new();
        }
        let raw = self.node(node).conjuncts.iter().map(|conjunct| self.info(conjunct.info));
        let mut found: Vec<Info> = raw.filter(|info| info.hosted == Hosted::Askable).collect();
        found.extend(self.extra(node).into_iter().flat_map(|extra| &extra.askable));
        found
    }

    /// Whether a node stands in its owner, or in a repetition of the owner that is no part of another hosted node.
    fn is_own(&self, node: Node, owner: Node) -> bool {
        let owner = self.deref(owner);
        let mut at = node;
        while at != NONE {
            let here = self.deref(at);
            if here == owner {
                return true;
            }
            if self.has(here, flag::HOSTED) && self.extra(here).and_then(|extra| extra.owner).map(|other| self.deref(other)) == Some(owner) {
                return !self.stands_in_hosted(self.node(at).parent);
            }
            at = self.node(at).parent;
        }
        false
    }

    fn stands_in_hosted(&self, node: Node) -> bool {
        let mut at = node;
        while at != NONE {
            if self.has(self.deref(at), flag::HOSTED) {
                return true;
            }
            at = self.node(at).parent;
        }
        false
    }

    /// Whether a settled node has a value of its own, so that nothing is asked.
    fn has_value(&self, node: Node) -> bool {
        let data = self.node(node);
        data.scalar.is_some()
            || (data.bottom != 0 && self.code_of(data.bottom).is_final())
            || data.flags & flag::PENDING != 0
            || (self.is_composite(node) && !self.is_declared_only(node))
    }

    /// Whether a composite node has nothing but what the template says, and that is an open list.
    fn is_declared_only(&self, node: Node) -> bool {
        let data = self.node(node);
        data.kinds == Kinds::LIST
            && data.extra.as_ref().and_then(|extra| extra.list.as_ref()).is_none_or(|list| list.length.is_none() && list.known == 0)
    }

    /// For a field of a hosted node that is read by others: the node with its answer.
    pub(crate) fn answered(&mut self, node: Node) -> Run<Option<Node>> {
        let node = self.deref(node);
        if !self.askable(node).iter().any(|info| self.is_own(node, info.owner)) {
            return Ok(None);
        }
        if self.node(node).phase != Phase::Settled {
            self.ensure_arcs(node)?;
        }
        let node = self.deref(node);
        if self.has_value(node) {
            return Ok(None);
        }
        if let Some(shadow) = self.extra(node).and_then(|extra| extra.shadow) {
            return Ok(Some(shadow));
        }
        let data = self.node(node);
        let (parent, label) = (data.parent, data.label);
        let shadow = self.new_node(parent, label, Presence::Member);
        self.set(shadow, flag::FORCE_CLOSED);
        let conjuncts = self.node(node).conjuncts.clone();
        for conjunct in conjuncts {
            let info = self.info(conjunct.info);
            let via = if info.via == NONE { node } else { info.via };
            let info = self.new_info(Info { via, ..info });
            self.node_mut(shadow).conjuncts.push(Conjunct { info, ..conjunct });
        }
        self.extra_mut(shadow).family = Some(node);
        self.extra_mut(node).shadow = Some(shadow);
        Ok(Some(shadow))
    }

    /// Asks for a node that is not concrete, if the template says so; whether an answer joined it.
    pub(crate) fn ask_if_needed(&mut self, node: Node) -> Run<bool> {
        let asked = self.extra(node).map_or(&[][..], |extra| &extra.asked);
        if self.hosted == 0 || asked.contains(&FAILED) || (asked.is_empty() && self.has_value(node)) {
            return Ok(false);
        }
        if self.is_composite(node) && !self.is_declared_only(node) {
            return Ok(false);
        }
        let askable = self.askable(node);
        let shadow_of = self.extra(node).and_then(|extra| extra.family);
        let is_shadow = shadow_of.is_some_and(|of| self.extra(of).and_then(|extra| extra.shadow) == Some(node));
        let has_own = askable.iter().any(|info| self.is_own(node, info.owner));
        for info in &askable {
            // What a template says of itself, where this node is made from it.
            if has_own && self.has(self.deref(info.owner), flag::TEMPLATE) {
                continue;
            }
            let is_mine = is_shadow || !self.is_own(node, info.owner);
            if is_mine && !askable.iter().any(|other| self.brings(*other, *info) && !self.brings(*info, *other)) {
                let original = if info.via == NONE { node } else { self.deref(info.via) };
                let path = self.path_below(info.owner, original);
                if self.ask_once(node, info.owner, path)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether what a node may be asked for by came along with something else that it refers to: then that asks.
    fn brings(&self, one: Info, other: Info) -> bool {
        let via = if one.via == NONE { None } else { self.extra(self.deref(one.via)) };
        via.is_some_and(|extra| extra.askable.iter().any(|info| (info.owner, info.via) == (other.owner, other.via)))
    }

    /// Asks, unless the answer joined already; whether one joined it now.
    fn ask_once(&mut self, node: Node, owner: Node, path: Vec<Label>) -> Run<bool> {
        let Some(ask) = self.ask(node, owner, path)? else { return Ok(true) };
        if self.extra(node).is_some_and(|extra| extra.asked.contains(&ask)) {
            return Ok(false);
        }
        let answer = self.asks.get(ask.0 as usize).and_then(|data| data.answer.clone());
        match answer {
            None => Err(Stop::Wait(Wait::Answer(ask))),
            Some(answer) => {
                self.take_answer(node, ask, answer)?;
                Ok(true)
            }
        }
    }

    fn path_below(&self, owner: Node, node: Node) -> Vec<Label> {
        let mut path = Vec::new();
        let mut at = node;
        let owner = self.deref(owner);
        while at != NONE && self.deref(at) != owner {
            let repeats = self.extra(self.deref(at)).and_then(|extra| extra.owner).map(|other| self.deref(other)) == Some(owner);
            if repeats {
                break;
            }
            let data = self.node(at);
            if data.label != Label::NONE {
                path.push(data.label);
            }
            at = data.parent;
        }
        path.reverse();
        path
    }

    /// The question for an attribute, or for the call of a function. `None` where the node has become pending.
    fn ask(&mut self, node: Node, owner: Node, path: Vec<Label>) -> Run<Option<Ask>> {
        if let Some(ask) = self.ask_numbers.get(&(owner, path.clone())) {
            return Ok(Some(*ask));
        }
        let function = self.host_kind(owner) == Some("function");
        let call = if function {
            match self.call_arguments(owner, path.first().copied())? {
                Ok(arguments) => Some(arguments),
                Err(super::read::Unread::Bottom(bottom)) => {
                    self.fail(node, bottom);
                    self.extra_mut(node).asked.push(FAILED);
                    return Ok(None);
                }
                Err(super::read::Unread::Pending) => {
                    self.set(node, flag::PENDING);
                    self.extra_mut(node).alternatives.clear();
                    let joined = self.traces.union(self.node(node).trace, self.reading);
                    self.node_mut(node).trace = joined;
                    return Ok(None);
                }
                Err(super::read::Unread::Open(kinds)) => {
                    let bottom = self.bottom(Code::Incomplete, node, Reason::NotConcrete(kinds), Vec::new());
                    self.fail(node, bottom);
                    self.extra_mut(node).asked.push(FAILED);
                    return Ok(None);
                }
            }
        } else {
            None
        };
        let ask = Ask(self.asks.len() as u32);
        let at = self.span(node);
        let bound = self.node(node).kinds;
        self.asks.push(AskData {
            owner,
            path: path.clone(),
            bound,
            at,
            read: if call.is_some() { self.reading } else { 0 },
            call,
            answer: None,
            marks: Marks::default(),
            waiters: Vec::new(),
        });
        self.ask_numbers.insert((owner, path), ask);
        self.open_asks += 1;
        Ok(Some(ask))
    }

    fn call_arguments(&mut self, owner: Node, result: Option<Label>) -> Run<Result<Value, super::read::Unread>> {
        self.ensure_arcs(owner)?;
        let owner = self.deref(owner);
        let mut fields = Vec::new();
        let mut reading = self.reading;
        for arc in self.ordered_arcs(owner) {
            let data = self.node(arc);
            let label = data.label;
            if !label.is_regular() || Some(label) == result || data.presence == Presence::Optional {
                continue;
            }
            if data.presence == Presence::Required {
                let bottom = self.bottom(Code::Incomplete, arc, Reason::RequiredMissing(label), Vec::new());
                return Ok(Err(super::read::Unread::Bottom(bottom)));
            }
            match self.value_tree(arc)? {
                Ok(value) => fields.push((Arc::clone(self.texts.get(label.text())), value)),
                Err(unread) => {
                    reading = self.traces.union(reading, self.node(self.deref(arc)).trace);
                    self.reading = self.traces.union(self.reading, reading);
                    return Ok(Err(unread));
                }
            }
            reading = self.traces.union(reading, self.node(self.deref(arc)).trace);
        }
        self.reading = self.traces.union(self.reading, reading);
        Ok(Ok(Value::Struct(fields)))
    }

    fn take_answer(&mut self, node: Node, ask: Ask, answer: Answer) -> Run<()> {
        let (marks, owner, arguments) = self.asks.get(ask.0 as usize).map_or((Marks::default(), NONE, 0), |data| (data.marks, data.owner, data.read));
        let read = self.traces.number(Trace { owners: vec![owner], asks: vec![ask], marks, ..Trace::default() });
        let read = self.traces.union(read, arguments);
        let joined = self.traces.union(self.node(node).trace, read);
        self.node_mut(node).trace = joined;
        self.extra_mut(node).asked.push(ask);
        let datum = match answer {
            Answer::Known(value) => Datum::Value(value),
            Answer::Unknown => Datum::Unknown(Kinds::TOP),
            Answer::Failed(diagnostic) => {
                let bottom = self.bottom(Code::Eval, node, Reason::Failed(diagnostic), Vec::new());
                Datum::Bottom(bottom)
            }
        };
        let expr = self.datum(datum);
        let info = self.new_info(Info { occurrence: 0, references: 0, via: NONE, owner: NONE, trace: read, cycle: Cycle::No, hosted: Hosted::No });
        let conjunct = Conjunct { expr, env: 0, info };
        if self.extra(node).is_none_or(|extra| extra.alternatives.is_empty()) {
            self.node_mut(node).conjuncts.push(conjunct);
            return Ok(());
        }
        // The disjunctions are decided anew with the answer beside them.
        let data = self.node(node);
        let (parent, label, presence, trace) = (data.parent, data.label, data.presence, data.trace);
        let flags = data.flags & (flag::TEMPLATE | flag::FORCE_CLOSED | flag::REFERENCE);
        let mut conjuncts = data.conjuncts.clone();
        conjuncts.push(conjunct);
        let (choices, family, asked) =
            self.extra(node).map_or((ThinVec::new(), None, ThinVec::new()), |extra| (extra.choices.clone(), extra.family, extra.asked.clone()));
        let decided = self.new_node(parent, label, presence);
        let data = self.node_mut(decided);
        data.flags = flags;
        data.conjuncts = conjuncts;
        data.trace = trace;
        let extra = self.extra_mut(decided);
        extra.choices = choices;
        extra.family = Some(family.unwrap_or(node));
        extra.asked = asked;
        self.replace(node, decided)
    }

    /// Wants a node.
    pub fn want(&mut self, node: Node, want: Want) {
        match want {
            Want::Value => self.enqueue(self.deref(node)),
            Want::Final => self.want_final(node),
            Want::Body => self.want_with(node, flag::BODY),
        }
    }

    /// Wants a field of a hosted node with its answer, as others read it.
    pub fn want_answer(&mut self, node: Node) -> Result<(), LimitExceeded> {
        match self.answered(node) {
            Ok(Some(shadow)) => self.want_final(shadow),
            Ok(None) => self.want_final(node),
            Err(Stop::Wait(_)) => self.enqueue(node),
            Err(Stop::Limit) => return self.run().map(|_| ()),
        }
        Ok(())
    }

    /// The node that others read in place of a field of a hosted node; the node itself for all others.
    pub fn answered_node(&self, node: Node) -> Node {
        let node = self.deref(node);
        self.extra(node).and_then(|extra| extra.shadow).map_or(node, |shadow| self.deref(shadow))
    }

    /// A question.
    pub fn question(&self, ask: Ask) -> Option<Question> {
        let data = self.asks.get(ask.0 as usize)?;
        Some(match &data.call {
            Some(arguments) => Question::Call { template: data.owner, arguments: arguments.clone() },
            None => Question::Attribute { owner: data.owner, path: data.path.clone(), bound: data.bound, at: data.at },
        })
    }

    /// The questions without an answer, in the order in which they were raised.
    pub fn open_asks(&self) -> Vec<Ask> {
        (0..self.asks.len() as u32).map(Ask).filter(|ask| self.is_open(*ask)).collect()
    }

    /// The nodes that wait for the answer to a question themselves.
    pub fn waiters(&self, ask: Ask) -> Vec<Node> {
        self.asks.get(ask.0 as usize).map_or_else(Vec::new, |data| data.waiters.clone())
    }

    /// The open questions that a node waits for, directly or by others.
    pub fn waits_for(&self, node: Node) -> Vec<Ask> {
        let mut seen = crate::Set::default();
        let mut out = Vec::new();
        let mut stack = vec![self.deref(node)];
        while let Some(node) = stack.pop() {
            if !seen.insert(node) {
                continue;
            }
            for other in self.waiting_on(node) {
                match other {
                    Ok(other) => stack.push(other),
                    Err(ask) if self.is_open(ask) => out.push(ask),
                    Err(_) => {}
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Answers a question, once.
    pub fn answer(&mut self, ask: Ask, answer: Answer, marks: Marks) {
        let Some(data) = self.asks.get_mut(ask.0 as usize) else { return };
        if data.answer.is_some() {
            return;
        }
        data.answer = Some(answer);
        data.marks = marks;
        let waiters = std::mem::take(&mut data.waiters);
        self.open_asks -= 1;
        for waiter in waiters {
            self.enqueue(waiter);
        }
    }

    /// What a node came to, everything below it included.
    pub fn outcome(&self, node: Node) -> Outcome {
        self.outcome_of(self.answered_node(node), false)
    }

    /// The body of a hosted node: its own conjuncts, without the answers to its own questions; what only the template
    /// declares is left out.
    pub fn configured(&self, owner: Node) -> Outcome {
        self.outcome_of(self.deref(owner), true)
    }

    /// What the body of a hosted node waits for, or the errors in it; `None` where it is evaluated as far as it can be.
    pub fn unfinished(&self, owner: Node) -> Option<Outcome> {
        self.unfinished_of(self.deref(owner), true)
    }

    fn unfinished_of(&self, node: Node, configured: bool) -> Option<Outcome> {
        let mut waiting = Vec::new();
        let mut errors = Vec::new();
        let mut unsettled = false;
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            let node = self.deref(node);
            let data = self.node(node);
            if data.phase != Phase::Settled && data.bottom == 0 {
                unsettled = true;
                waiting.extend(self.waits_for(node));
            }
            if data.bottom != 0 {
                errors.push(self.diagnostic(data.bottom));
            }
            stack.extend(
                data.arcs
                    .iter()
                    .rev()
                    .filter(|arc| {
                        let arc = self.node(**arc);
                        arc.presence == Presence::Member && !arc.label.is_definition() && arc.flags & flag::REFERENCE == 0
                    })
                    .filter(|arc| !(configured && (self.is_nested_owner(**arc) || self.is_only_declared(**arc)))),
            );
        }
        if !errors.is_empty() {
            return Some(Outcome::Bottom(errors));
        }
        if unsettled {
            waiting.sort_unstable();
            waiting.dedup();
            return Some(Outcome::Waiting(waiting));
        }
        None
    }

    fn outcome_of(&self, node: Node, configured: bool) -> Outcome {
        if let Some(unfinished) = self.unfinished_of(node, configured) {
            return unfinished;
        }
        match self.body(node, configured, 0) {
            Some(Value::Partial { kinds, unknown: true }) => Outcome::Pending(kinds),
            Some(value) => Outcome::Value(value),
            None => Outcome::Value(Value::Struct(Vec::new())),
        }
    }

    fn is_nested_owner(&self, node: Node) -> bool {
        let node = self.deref(node);
        self.has(node, flag::HOSTED) && self.extra(node).and_then(|extra| extra.owner) == Some(node)
    }

    /// Whether a field of a hosted node is there only because the template declares it: it is no part of the body.
    pub fn is_only_declared(&self, node: Node) -> bool {
        let node = self.deref(node);
        let from_template = |conjunct: &Conjunct| self.info(conjunct.info).hosted != Hosted::No;
        !self.has_value(node) && self.node(node).conjuncts.iter().all(from_template)
    }

    /// A value as a tree; `None` for what only a template declares.
    fn body(&self, node: Node, configured: bool, depth: u32) -> Option<Value> {
        let node = self.deref(node);
        let data = self.node(node);
        if configured && depth > 0 && self.is_only_declared(node) {
            return None;
        }
        if depth > 1_000 {
            return None;
        }
        Some(match self.shape(node) {
            super::Shape::Struct { open_ended: true } => Value::Partial { kinds: data.kinds, unknown: true },
            super::Shape::Struct { .. } => {
                let mut fields = Vec::new();
                for arc in self.arcs(node) {
                    if arc.class == super::FieldClass::Regular
                        && arc.presence == Presence::Member
                        && !self.has(arc.node, flag::REFERENCE)
                        && let Some(value) = self.body(arc.node, configured, depth + 1)
                    {
                        fields.push((Arc::clone(self.texts.get(arc.label.text())), value));
                    }
                }
                Value::Struct(fields)
            }
            super::Shape::List { .. } => {
                let mut elements: Vec<(u32, Value)> = self
                    .arcs(node)
                    .into_iter()
                    .filter(|arc| arc.class == super::FieldClass::Element)
                    .map(|arc| {
                        let value = self.body(arc.node, configured, depth + 1);
                        (arc.label.id(), value.unwrap_or(Value::Partial { kinds: Kinds::TOP, unknown: true }))
                    })
                    .collect();
                elements.sort_by_key(|(index, _)| *index);
                Value::List(elements.into_iter().map(|(_, value)| value).collect())
            }
            _ => self.tree(node).unwrap_or(Value::Partial { kinds: data.kinds, unknown: false }),
        })
    }

    /// What a node's value was made from, what is below it not included.
    pub fn trace(&self, node: Node) -> &Trace {
        self.traces.get(self.node(self.deref(node)).trace)
    }

    /// What decided whether a hosted node is there.
    pub fn presence_trace(&self, node: Node) -> &Trace {
        self.traces.get(self.extra(self.deref(node)).map_or(0, |extra| extra.presence))
    }

    /// What everything at and below a node was made from.
    pub fn trace_all(&mut self, node: Node) -> Trace {
        let mut total = 0;
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            let node = self.deref(node);
            total = self.traces.union(total, self.node(node).trace);
            stack.extend(self.node(node).arcs.iter().copied().filter(|arc| {
                let arc = self.node(*arc);
                arc.presence == Presence::Member && !arc.label.is_definition()
            }));
        }
        self.traces.get(total).clone()
    }

    /// The references that a node's conjuncts came through.
    pub fn origins(&self, node: Node) -> Vec<Origin> {
        let node = self.deref(node);
        self.extra(node).map_or_else(Vec::new, |extra| {
            extra.origins.iter().map(|(target, bare, expr)| Origin { target: self.deref(*target), bare: *bare, at: self.span_of(*expr) }).collect()
        })
    }

    /// The kind of the hosted template that a node is made from.
    pub fn host_kind(&self, node: Node) -> Option<&str> {
        let node = self.deref(node);
        let kind = self.extra(node)?.host?;
        Some(self.texts.get(kind))
    }

    /// The owner of a hosted node: itself, or the node that it repeats.
    pub fn owner(&self, node: Node) -> Option<Node> {
        self.extra(self.deref(node)).and_then(|extra| extra.owner).map(|owner| self.deref(owner))
    }

    /// Whether a node's elements are read by where they point only.
    pub fn is_reference_list(&self, node: Node) -> bool {
        self.has(self.deref(node), flag::REFERENCE)
    }

    pub(crate) fn note_open(&mut self, node: Node, comprehension: u32) {
        let span = Self::comprehension_of(&self.program, comprehension).map(|comprehension| comprehension.span);
        if let Some(span) = span {
            self.note_open_at(node, span);
        }
    }

    pub(crate) fn note_open_at(&mut self, node: Node, span: Span) {
        let trace = self.reading;
        self.extra_mut(node).open.push((span, trace));
    }

    /// The comprehensions and computed labels of a node that hang on something unknown or wait for an answer.
    pub fn open_comprehensions(&self, node: Node) -> Vec<OpenComprehension> {
        let node = self.deref(node);
        let mut out = Vec::new();
        let Some(extra) = self.extra(node) else { return out };
        for (at, trace) in &extra.open {
            out.push(OpenComprehension { at: *at, asks: self.traces.get(*trace).asks.clone(), labels: None });
        }
        for task in &extra.tasks {
            match task {
                Task::Comprehension { id, .. } => {
                    let Some(comprehension) = Self::comprehension_of(&self.program, *id) else { continue };
                    out.push(OpenComprehension { at: comprehension.span, asks: self.waits_for(node), labels: comprehension.labels.clone() });
                }
                Task::Dynamic { literal, index, .. } => {
                    let Some(Declared::Dynamic { label, .. }) = Self::declaration(&self.program, *literal, *index) else { continue };
                    let at = self.span_of(*label);
                    out.push(OpenComprehension { at, asks: self.waits_for(node), labels: None });
                }
                Task::Conjunct(_) | Task::Pattern { .. } | Task::List(_) => {}
            }
        }
        out
    }
}
