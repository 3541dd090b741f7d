//! Comprehensions, computed labels and patterns.

use std::sync::Arc;

use super::data::*;
use super::evaluate::Val;
use super::{Session, flag};
use crate::intern::Label;
use crate::program::{Declared, Element, Expr, ExprId, LoweredClause, Operator, Presence, Slot};
use crate::{Kinds, Node};

/// What the clauses came to.
pub(crate) enum Yield {
    /// The frames of each round.
    Frames(Vec<u32>),
    /// Not known before an answer.
    Pending,
    Bottom(u32),
}

impl Session {
    /// Runs the clauses: the frames that the body is evaluated in.
    fn clauses(&mut self, node: Node, id: u32, env: u32) -> Run<Yield> {
        let program = Arc::clone(&self.program);
        let Some(comprehension) = program.code.comprehensions.get(id as usize) else { return Ok(Yield::Frames(Vec::new())) };
        let mut frames = vec![env];
        let (mut pending, mut stop, mut bottom) = (false, None, None);
        for clause in &comprehension.clauses {
            let mut next = Vec::new();
            for frame in frames {
                match self.clause(node, *clause, frame, &mut next) {
                    Ok(None) => {}
                    Ok(Some(Val::Bottom(other))) => {
                        bottom = bottom.or(Some(other));
                    }
                    Ok(Some(_)) => pending = true,
                    Err(Stop::Limit) => return Err(Stop::Limit),
                    Err(other) => stop = stop.or(Some(other)),
                }
            }
            frames = next;
        }
        if let Some(stop) = stop {
            return Err(stop);
        }
        if let Some(bottom) = bottom {
            return Ok(Yield::Bottom(bottom));
        }
        if pending {
            return Ok(Yield::Pending);
        }
        if frames.is_empty() && comprehension.fallback.is_some() {
            return Ok(Yield::Frames(Vec::new()));
        }
        Ok(Yield::Frames(frames))
    }

    /// One clause in one frame; what stops it, if anything.
    fn clause(&mut self, node: Node, clause: LoweredClause, frame: u32, next: &mut Vec<u32>) -> Run<Option<Val>> {
        match clause {
            LoweredClause::If(condition) => match self.eval(condition, frame, node)? {
                Val::Scalar(Scalar::Bool(true)) => next.push(frame),
                Val::Scalar(Scalar::Bool(false)) => {}
                Val::Node(other) if self.is_incomplete(other) => {
                    let kinds = self.node(other).kinds;
                    let code = if kinds.intersects(Kinds::BOOL) { Code::Incomplete } else { Code::Eval };
                    return Ok(Some(Val::Bottom(self.bottom_at(code, node, Reason::NotConcrete(kinds), condition))));
                }
                Val::Scalar(_) | Val::Node(_) => {
                    let reason = Reason::Text("the condition of an if clause must be true or false".into());
                    return Ok(Some(Val::Bottom(self.bottom_at(Code::Eval, node, reason, condition))));
                }
                other => return Ok(Some(other)),
            },
            LoweredClause::Let(value) => {
                let target = self.inline_node(value, frame, node)?;
                next.push(self.alias_frame(frame, target, Label::NONE));
            }
            LoweredClause::Try(body) => {
                if self.succeeds(body, frame, node)? {
                    next.push(frame);
                }
            }
            LoweredClause::TryLet(value) => {
                if self.succeeds(value, frame, node)? {
                    let target = self.inline_node(value, frame, node)?;
                    next.push(self.alias_frame(frame, target, Label::NONE));
                }
            }
            LoweredClause::For { source } => return self.for_clause(node, source, frame, next),
        }
        Ok(None)
    }

    fn for_clause(&mut self, node: Node, source: ExprId, frame: u32, next: &mut Vec<u32>) -> Run<Option<Val>> {
        let over = match self.eval(source, frame, node)? {
            Val::Node(over) => over,
            Val::Pending(kinds) => return Ok(Some(Val::Pending(kinds))),
            Val::Bottom(bottom) => return Ok(Some(Val::Bottom(bottom))),
            Val::Scalar(scalar) => {
                let reason = Reason::Text(format!("cannot range over {}: it must be a list or a struct", self.scalar_text(scalar)));
                return Ok(Some(Val::Bottom(self.bottom_at(Code::Eval, node, reason, source))));
            }
        };
        self.ensure_arcs(over)?;
        let over = self.deref(over);
        if self.node(over).bottom != 0 {
            return Ok(Some(Val::Bottom(self.node(over).bottom)));
        }
        if self.has(over, flag::OPEN_ENDED) {
            return Ok(Some(Val::Pending(Kinds::TOP)));
        }
        let kinds = self.node(over).kinds;
        if !self.is_composite(over) {
            let code = if kinds.intersects(Kinds::STRUCT | Kinds::LIST) { Code::Incomplete } else { Code::Eval };
            let reason = Reason::Text(format!("cannot range over a value of type {kinds}: it must be a list or a struct"));
            return Ok(Some(Val::Bottom(self.bottom_at(code, node, reason, source))));
        }
        if self.node(over).phase != Phase::Settled {
            let pending = |extra: &Extra| {
                let length = extra.list.as_ref().and_then(|list| list.length);
                length.is_none() && extra.tasks.iter().any(|task| matches!(task, Task::List(_)))
            };
            if kinds == Kinds::LIST && self.extra(over).is_some_and(pending) {
                let reason = Reason::Text("cannot range over a list that is being made".into());
                return Ok(Some(Val::Bottom(self.bottom_at(Code::Incomplete, node, reason, source))));
            }
            self.set(over, flag::COUNTED);
        }
        for arc in self.ordered_arcs(over) {
            let data = self.node(arc);
            let label = data.label;
            if data.presence == Presence::Required {
                let bottom = self.bottom_at(Code::Incomplete, node, Reason::RequiredMissing(label), source);
                return Ok(Some(Val::Bottom(bottom)));
            }
            if data.presence == Presence::Optional || !(label.is_regular() || label.is_index()) {
                continue;
            }
            self.step(node, source)?;
            next.push(self.alias_frame(frame, arc, label));
        }
        Ok(None)
    }

    /// Runs a comprehension of a struct.
    pub(crate) fn run_comprehension(&mut self, node: Node, id: u32, env: u32, info: u32) -> Run<()> {
        let program = Arc::clone(&self.program);
        let Some(comprehension) = program.code.comprehensions.get(id as usize) else { return Ok(()) };
        match self.clauses(node, id, env)? {
            Yield::Pending => {
                self.set(node, flag::OPEN_ENDED);
                self.note_material(node, info);
                self.note_open(node, id);
                Ok(())
            }
            Yield::Bottom(bottom) => {
                self.fail(node, bottom);
                Ok(())
            }
            Yield::Frames(frames) => {
                // A guard hides the fields that it lets in; what is gone through gives labels, too, and hides the struct.
                if !comprehension.clauses.iter().any(|clause| matches!(clause, LoweredClause::For { .. })) {
                    self.reading = self.traces.with_guard_marks(self.reading);
                }
                let info = self.guarded(info);
                if frames.is_empty() && !comprehension.clauses.is_empty() {
                    return match comprehension.fallback {
                        Some(fallback) => self.join(node, Conjunct { expr: fallback, env, info }),
                        None => Ok(()),
                    };
                }
                for frame in frames {
                    self.join(node, Conjunct { expr: comprehension.value, env: frame, info })?;
                }
                Ok(())
            }
        }
    }

    /// Joins a list literal with comprehensions.
    pub(crate) fn join_computed_list(&mut self, node: Node, conjunct: Conjunct) -> Run<()> {
        let Expr::List(list) = self.program.code.expr(conjunct.expr) else { return Ok(()) };
        let program = Arc::clone(&self.program);
        let Some(elements) = program.code.lists.get(list as usize) else { return Ok(()) };
        let mut out: Vec<(Slot, u32)> = Vec::new();
        let mut rest = None;
        let (mut stop, mut pending) = (None, false);
        for element in elements {
            match element {
                Element::Value(slot) => out.push((*slot, conjunct.env)),
                Element::Rest(value) => rest = Some(value.map(|expr| Conjunct { expr, ..conjunct })),
                Element::Comprehension(id) => {
                    let Some(comprehension) = program.code.comprehensions.get(*id as usize) else { continue };
                    match self.clauses(node, *id, conjunct.env) {
                        Err(Stop::Limit) => return Err(Stop::Limit),
                        Err(other) => stop = stop.or(Some(other)),
                        Ok(Yield::Pending) => {
                            pending = true;
                            self.note_open(node, *id);
                        }
                        Ok(Yield::Bottom(bottom)) => {
                            self.fail(node, bottom);
                            return Ok(());
                        }
                        Ok(Yield::Frames(frames)) => {
                            if frames.is_empty()
                                && let Some(fallback) = comprehension.fallback
                            {
                                out.push((Slot { value: fallback, framed: false }, conjunct.env));
                            }
                            out.extend(frames.into_iter().map(|frame| (Slot { value: comprehension.value, framed: false }, frame)));
                        }
                    }
                }
            }
        }
        if let Some(stop) = stop {
            return Err(stop);
        }
        if pending {
            self.set(node, flag::OPEN_ENDED | flag::PENDING);
            return Ok(());
        }
        let info = self.guarded(conjunct.info);
        let count = out.len() as u32;
        for (index, (slot, env)) in out.into_iter().enumerate() {
            let arc = self.element(node, index as u32)?;
            self.give(arc, slot, env, info, node, false)?;
        }
        self.shape_list(node, count, rest, conjunct.expr)
    }

    /// The info of what the running task lets in: made from what decided about it, too.
    fn guarded(&mut self, info: u32) -> u32 {
        if self.reading == 0 {
            return info;
        }
        let data = self.info(info);
        let guard = self.traces.as_guard(self.reading);
        let trace = self.traces.union(data.trace, guard);
        self.new_info(Info { trace, ..data })
    }

    /// Joins a field whose label is computed: a declaration of a struct literal.
    pub(crate) fn join_dynamic(&mut self, node: Node, literal: u32, index: u32, env: u32, info: u32) -> Run<()> {
        let program = Arc::clone(&self.program);
        let Some(Declared::Dynamic { label, presence, slot, attributes }) = Self::declaration(&program, literal, index) else { return Ok(()) };
        let (label, presence) = (*label, *presence);
        let text = match self.eval(label, env, node)? {
            Val::Scalar(Scalar::Text(text)) => text,
            Val::Pending(_) => {
                self.set(node, flag::OPEN_ENDED);
                self.note_open_at(node, self.span_of(label));
                return Ok(());
            }
            Val::Bottom(bottom) => {
                self.fail(node, bottom);
                return Ok(());
            }
            Val::Node(other) if self.is_incomplete(other) => {
                let kinds = self.node(other).kinds;
                let bottom = self.bottom_at(Code::Incomplete, node, Reason::NotConcrete(kinds), label);
                self.fail(node, bottom);
                return Ok(());
            }
            _ => {
                let reason = Reason::Text("a computed label must be a string".into());
                let bottom = self.bottom_at(Code::Eval, node, reason, label);
                self.fail(node, bottom);
                return Ok(());
            }
        };
        let arc_label = Label::regular(text);
        if presence == Presence::Member && self.has(node, flag::COUNTED) && self.find_arc(node, arc_label).is_none() {
            let text = format!("adding field {} is not allowed: the fields were gone through already", self.texts.get(text));
            let bottom = self.bottom_at(Code::Eval, node, Reason::Text(text), label);
            self.fail(node, bottom);
            return Ok(());
        }
        let info = self.guarded(info);
        let arc = self.arc(node, arc_label, presence)?;
        self.give(arc, *slot, env, info, node, presence == Presence::Member)?;
        if let Some(attributes) = attributes {
            self.attach(arc, attributes);
        }
        Ok(())
    }

    /// Joins a pattern; one that must be computed becomes a task.
    pub(crate) fn join_pattern(&mut self, node: Node, pattern: ExprId, slot: Slot, env: u32, info: u32) -> Run<()> {
        let matcher = match self.program.code.expr(pattern) {
            Expr::Kind(kinds) => {
                if !kinds.intersects(Kinds::STRING) {
                    return Ok(());
                }
                Matcher::All
            }
            Expr::Text(text) => Matcher::Text(text),
            Expr::Bound { operator: operator @ (Operator::Match | Operator::NotMatch), operand } => match self.program.code.expr(operand) {
                Expr::Text(text) => match self.regex(text) {
                    Some(regex) => Matcher::Regex(regex, operator == Operator::Match),
                    None => {
                        self.extra_mut(node).tasks.push(Task::Pattern { pattern, slot, env, info });
                        return Ok(());
                    }
                },
                _ => {
                    self.extra_mut(node).tasks.push(Task::Pattern { pattern, slot, env, info });
                    return Ok(());
                }
            },
            _ => {
                self.extra_mut(node).tasks.push(Task::Pattern { pattern, slot, env, info });
                return Ok(());
            }
        };
        self.add_pattern(node, Pattern { matcher, slot, env, info })
    }

    pub(crate) fn join_computed_pattern(&mut self, node: Node, pattern: ExprId, slot: Slot, env: u32, info: u32) -> Run<()> {
        let target = self.inline_node(pattern, env, node)?;
        self.ensure(target)?;
        let target = self.deref(target);
        let bottom = self.node(target).bottom;
        if bottom != 0 {
            self.fail(node, bottom);
            return Ok(());
        }
        self.add_pattern(node, Pattern { matcher: Matcher::Node(target), slot, env, info })
    }

    fn add_pattern(&mut self, node: Node, pattern: Pattern) -> Run<()> {
        let extra = self.extra_mut(node);
        let same = |other: &Pattern| other.slot == pattern.slot && other.env == pattern.env && other.info == pattern.info;
        if extra.patterns.iter().any(same) {
            return Ok(());
        }
        extra.patterns.push(pattern.clone());
        for arc in self.node(node).arcs.clone() {
            self.apply_pattern(node, &pattern, arc)?;
        }
        Ok(())
    }

    /// Gives an arc a pattern's value, if it matches.
    pub(crate) fn apply_pattern(&mut self, node: Node, pattern: &Pattern, arc: Node) -> Run<()> {
        let label = self.node(arc).label;
        if label.is_regular() && self.matches(&pattern.matcher, label) {
            let info = self.optional_info(pattern.info);
            self.give(arc, pattern.slot, pattern.env, info, node, false)?;
        }
        Ok(())
    }

    /// Whether a pattern covers a label.
    pub(crate) fn matches(&mut self, matcher: &Matcher, label: Label) -> bool {
        let text = label.text();
        match matcher {
            Matcher::All => true,
            Matcher::Text(other) => *other == text,
            Matcher::Regex(regex, positive) => regex.is_match(self.texts.get(text)) == *positive,
            Matcher::Node(node) => self.admits(*node, Scalar::Text(text)),
        }
    }

    /// Whether a settled node admits a scalar.
    pub(crate) fn admits(&mut self, node: Node, scalar: Scalar) -> bool {
        let node = self.deref(node);
        let data = self.node(node);
        if data.bottom != 0 || !data.kinds.intersects(self.scalar_kind(scalar)) {
            return false;
        }
        if let Some(own) = data.scalar {
            return self.same(own, scalar);
        }
        let Some(extra) = self.extra(node) else { return true };
        let (bounds, validators, alternatives) = (extra.bounds.clone(), extra.validators.clone(), extra.alternatives.clone());
        if bounds.into_iter().any(|bound| !self.keeps(scalar, bound)) {
            return false;
        }
        if !validators.iter().all(|validator| self.validates(validator, scalar, node)) {
            return false;
        }
        alternatives.is_empty()
            || alternatives.iter().any(|(alternative, _)| match alternative {
                Alternative::Scalar(other) => self.same(*other, scalar),
                Alternative::Kinds(kinds) => kinds.intersects(self.scalar_kind(scalar)),
                Alternative::Node(other) => self.admits(*other, scalar),
            })
    }
}
