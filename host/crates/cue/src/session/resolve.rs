//! What references mean: from an expression to a node, and from a node to the conjuncts that join another.

use super::cycles::Detected;
use super::data::*;
use super::{Session, flag};
use crate::intern::{Label, LabelKind};
use crate::program::{Expr, ExprId, Imported, Presence};
use crate::{Kinds, Node};

/// What an expression stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// A node; whether a definition was named on the way.
    Node(Node, bool),
    Scalar(Scalar),
    Pending(Kinds),
    Bottom(u32),
}

impl Session {
    /// The label of a frame as a scalar.
    pub(crate) fn frame_label(&self, env: u32, up: u32) -> Option<Scalar> {
        let frame = self.frame(self.frame_up(env, up));
        self.label_scalar(frame.label)
    }

    /// A label as a scalar.
    pub(crate) fn label_scalar(&self, label: Label) -> Option<Scalar> {
        match label.kind() {
            LabelKind::Index => Some(Scalar::Int(i64::from(label.id()))),
            LabelKind::Anonymous => None,
            _ => Some(Scalar::Text(label.text())),
        }
    }

    /// Whether an expression is resolved rather than computed.
    pub(crate) fn is_reference(&self, expr: ExprId) -> bool {
        matches!(
            self.program.code.expr(expr),
            Expr::Field { .. } | Expr::This { .. } | Expr::Let { .. } | Expr::Import(_) | Expr::Select { .. } | Expr::Index { .. } | Expr::Try(_)
        )
    }

    /// What an expression stands for; anything that is no reference is a node of its own. A node whose branches are
    /// being tried stands, in a branch, for that branch.
    pub(crate) fn resolve(&mut self, expr: ExprId, env: u32, at: Node) -> Run<Target> {
        Ok(match self.resolve_any(expr, env, at)? {
            Target::Node(node, definition) => Target::Node(self.own_version(node, at), definition),
            other => other,
        })
    }

    fn resolve_any(&mut self, expr: ExprId, env: u32, at: Node) -> Run<Target> {
        self.step(at, expr)?;
        match self.program.code.expr(expr) {
            Expr::Field { up, label } => {
                let node = self.frame(self.frame_up(env, up)).node;
                let node = self.deref(node);
                if let Some(arc) = self.find_arc(node, label)
                    && self.node(arc).presence == Presence::Member
                {
                    self.read_owner(arc);
                    return Ok(Target::Node(arc, label.is_definition()));
                }
                self.select(node, label, expr, at)
            }
            Expr::This { up } => Ok(Target::Node(self.frame(self.frame_up(env, up)).node, false)),
            Expr::FrameLabel { up } => Ok(match self.frame_label(env, up) {
                Some(scalar) => Target::Scalar(scalar),
                None => Target::Pending(Kinds::STRING),
            }),
            Expr::Let { up, id } => {
                let frame = self.frame_up(env, up);
                Ok(Target::Node(self.let_node(id, frame), false))
            }
            Expr::Import(index) => match self.program.code.imports.get(index as usize) {
                Some(Imported::Package(package)) => Ok(Target::Node(self.package_root(*package), false)),
                _ => Ok(Target::Bottom(self.bottom_at(Code::Eval, at, Reason::Compile, expr))),
            },
            Expr::Select { base, label } => {
                let (node, definition) = match self.base(base, env, at)? {
                    Target::Node(node, definition) => (node, definition),
                    Target::Pending(_) => return Ok(Target::Pending(Kinds::TOP)),
                    Target::Bottom(bottom) => return Ok(Target::Bottom(bottom)),
                    Target::Scalar(_) => {
                        return Ok(Target::Bottom(self.bottom_at(Code::Eval, at, Reason::Undefined(label), expr)));
                    }
                };
                match self.select(node, label, expr, at)? {
                    Target::Node(node, other) => Ok(Target::Node(node, other || definition)),
                    other => Ok(other),
                }
            }
            Expr::Index { base, index } => self.resolve_index(expr, base, index, env, at),
            Expr::Try(inner) => self.resolve_tried(inner, env, at),
            _ => Ok(Target::Node(self.inline_node(expr, env, at)?, false)),
        }
    }

    fn resolve_index(&mut self, expr: ExprId, base: ExprId, index: ExprId, env: u32, at: Node) -> Run<Target> {
        let base = self.base(base, env, at);
        let index = self.eval(index, env, at);
        let (node, definition) = match base? {
            Target::Node(node, definition) => (node, definition),
            Target::Pending(_) => return Ok(Target::Pending(Kinds::TOP)),
            Target::Bottom(bottom) => return Ok(Target::Bottom(bottom)),
            Target::Scalar(_) => {
                let reason = Reason::Text("invalid operand: a scalar cannot be indexed".into());
                return Ok(Target::Bottom(self.bottom_at(Code::Eval, at, reason, expr)));
            }
        };
        let label = match index? {
            super::evaluate::Val::Scalar(Scalar::Text(text)) => Label::regular(text),
            super::evaluate::Val::Scalar(Scalar::Int(index)) if (0..i64::from(u32::MAX >> 3)).contains(&index) => Label::index(index as usize),
            super::evaluate::Val::Pending(_) => return Ok(Target::Pending(Kinds::TOP)),
            super::evaluate::Val::Bottom(bottom) => return Ok(Target::Bottom(bottom)),
            super::evaluate::Val::Node(node) => {
                let kinds = self.node(node).kinds;
                // `_` is neither a string nor a number yet, and not refused as an operand of the others either.
                let open = self.is_incomplete(node) && (kinds != Kinds::TOP || self.node(node).phase != Phase::Settled);
                let code = if open { Code::Incomplete } else { Code::Eval };
                return Ok(Target::Bottom(self.bottom_at(code, at, Reason::NotConcrete(kinds), expr)));
            }
            super::evaluate::Val::Scalar(_) => {
                let reason = Reason::Text("invalid index: it must be a string or an integer that is not negative".into());
                return Ok(Target::Bottom(self.bottom_at(Code::Eval, at, reason, expr)));
            }
        };
        if label.is_index() {
            self.ensure(node)?;
            let node = self.deref(node);
            if self.node(node).kinds & Kinds::LIST == Kinds::NONE {
                let reason = Reason::Text("invalid index: a struct is indexed by a string".into());
                return Ok(Target::Bottom(self.bottom_at(Code::Eval, at, reason, expr)));
            }
        }
        match self.select(node, label, expr, at)? {
            Target::Node(node, other) => Ok(Target::Node(node, other || definition)),
            other => Ok(other),
        }
    }

    /// The node that something is selected from: hosted fields answered, defaults taken.
    fn base(&mut self, expr: ExprId, env: u32, at: Node) -> Run<Target> {
        match self.resolve(expr, env, at)? {
            Target::Node(node, definition) => Ok(match self.answered(node)? {
                Some(node) => Target::Node(node, definition),
                None => Target::Node(node, definition),
            }),
            other => Ok(other),
        }
    }

    /// The node of an operand that is no reference: one for each expression and frame.
    pub(crate) fn inline_node(&mut self, expr: ExprId, env: u32, at: Node) -> Run<Node> {
        let fork = self.fork_around(expr, env, at);
        if let Some(node) = self.inline.get(&(expr, env, fork)) {
            return Ok(*node);
        }
        let node = self.new_node(at, Label::NONE, Presence::Member);
        self.set(node, flag::FORCE_CLOSED | flag::INLINE | flag::UNROOTED);
        if !self.has(at, flag::TEMPLATE) {
            self.clear(node, flag::TEMPLATE);
        }
        let info = self.inherited_info();
        self.node_mut(node).conjuncts.push(Conjunct { expr, env, info });
        self.inline.insert((expr, env, fork), node);
        if self.recurs(node) {
            self.node_mut(node).conjuncts.clear();
            self.fail_structural(node, expr);
        }
        Ok(node)
    }

    fn let_node(&mut self, id: u32, frame: u32) -> Node {
        if let Some(node) = self.lets.get(&(id, frame)) {
            return *node;
        }
        let parent = self.frame(frame).node;
        let node = self.new_node(parent, Label::NONE, Presence::Member);
        self.set(node, flag::FORCE_CLOSED);
        if !self.has(parent, flag::TEMPLATE) {
            self.clear(node, flag::TEMPLATE);
        }
        let value = self.program.code.lets.get(id as usize).map_or(ExprId(0), |lowered| lowered.value);
        let info = self.inherited_info();
        self.node_mut(node).conjuncts.push(Conjunct { expr: value, env: frame, info });
        self.lets.insert((id, frame), node);
        node
    }

    pub(crate) fn bottom_at(&mut self, code: Code, at: Node, reason: Reason, expr: ExprId) -> u32 {
        let span = self.span_of(expr);
        self.bottom(code, at, reason, vec![span])
    }

    /// `node.label`
    pub(crate) fn select(&mut self, node: Node, label: Label, expr: ExprId, at: Node) -> Run<Target> {
        let mut node = self.deref(node);
        let mut found = None;
        if self.node(node).phase != Phase::Settled {
            match self.ensure_arcs(node) {
                Ok(()) => {}
                Err(Stop::Wait(wait)) => {
                    let now = self.deref(node);
                    found = self.find_arc(now, label).filter(|arc| self.node(*arc).presence == Presence::Member);
                    let choosing = self.extra(now).is_some_and(|extra| !extra.disjunctions.is_empty()) && !self.has(now, flag::ON_STACK);
                    if found.is_none() || choosing {
                        return if found.is_none() && self.never_gains(now, label) {
                            self.absent(now, label, expr, at)
                        } else {
                            Err(Stop::Wait(wait))
                        };
                    }
                }
                Err(stop) => return Err(stop),
            }
            node = self.deref(node);
        }
        if let Some(original) = self.stands_for(node) {
            return self.select(original, label, expr, at);
        }
        if found.is_none() && self.extra(node).is_some_and(|extra| !extra.alternatives.is_empty()) {
            return self.select_decided(node, label, expr, at);
        }
        if found.is_none() {
            found = self.find_arc(node, label).filter(|arc| self.node(*arc).presence == Presence::Member);
        }
        if let Some(arc) = found {
            let bottom = self.node(node).bottom;
            if bottom != 0 && self.code_of(bottom).is_final() {
                return Ok(Target::Bottom(bottom));
            }
            self.read_owner(arc);
            return Ok(Target::Node(arc, label.is_definition()));
        }
        self.absent(node, label, expr, at)
    }

    /// The same of a disjunction: of its default. Without one it is not known which branch is meant, even where all
    /// have the field.
    fn select_decided(&mut self, node: Node, label: Label, expr: ExprId, at: Node) -> Run<Target> {
        match self.default_node(node) {
            Some(default) if default != node => self.select(default, label, expr, at),
            _ if self.default_of(node).is_some() || !self.node(node).kinds.intersects(Kinds::STRUCT | Kinds::LIST) => {
                self.absent(node, label, expr, at)
            }
            _ => {
                let kinds = self.node(node).kinds;
                Ok(Target::Bottom(self.bottom_at(Code::Incomplete, at, Reason::NotConcrete(kinds), expr)))
            }
        }
    }

    /// A field that is not there: an error, or unknown where the struct may still get it by an answer.
    fn absent(&mut self, node: Node, label: Label, expr: ExprId, at: Node) -> Run<Target> {
        let data = self.node(node);
        if data.bottom != 0 {
            let bottom = data.bottom;
            if self.may_change(bottom) {
                return Ok(Target::Bottom(bottom));
            }
            let structural = self.code_of(bottom);
            return Ok(Target::Bottom(if structural.is_final() { bottom } else { self.bottom_at(structural, at, Reason::Undefined(label), expr) }));
        }
        if let Some(code) = self.may_gain(node, label) {
            return Ok(Target::Bottom(self.bottom_at(code, at, Reason::MayChange(label), expr)));
        }
        if data.flags & (flag::PENDING | flag::OPEN_ENDED) != 0 {
            self.read(node);
            return Ok(Target::Pending(Kinds::TOP));
        }
        let scalar = data.scalar.is_some() || !data.kinds.intersects(Kinds::STRUCT | Kinds::LIST);
        if self.find_arc(node, label).is_some_and(|arc| self.node(arc).presence == Presence::Required) {
            return Ok(Target::Bottom(self.bottom_at(Code::Incomplete, at, Reason::RequiredMissing(label), expr)));
        }
        if self.declares(node, label) {
            return Ok(Target::Bottom(self.bottom_at(Code::Incomplete, at, Reason::OptionalReference(label), expr)));
        }
        let is_list = data.kinds == Kinds::LIST;
        let final_ = scalar
            || (is_list && (!label.is_index() || self.extra(node).and_then(|extra| extra.list.as_ref()).is_some_and(|list| list.length.is_some())))
            || (!is_list && self.is_closed_to(node, label));
        let code = if final_ { Code::Eval } else { Code::Incomplete };
        Ok(Target::Bottom(self.bottom_at(code, at, Reason::Undefined(label), expr)))
    }

    /// Lets the conjuncts of a reference's target join a node.
    pub(crate) fn join_reference(&mut self, node: Node, target: Node, conjunct: Conjunct, definition: bool) -> Run<()> {
        let target = self.deref(target);
        if target == node {
            return Ok(());
        }
        let info = self.info(conjunct.info);
        let mut info = match self.detect(node, target, conjunct, info) {
            Detected::Join(info) => info,
            Detected::Same | Detected::Postponed => return Ok(()),
        };
        info.occurrence = self.embedding_of(node, target, conjunct, info.occurrence);
        if self.opened(conjunct) {
            info.occurrence = self.occurrence(info.occurrence, false, Closing::Opened);
        } else if definition {
            info.occurrence = self.definition_occurrence(info.occurrence, target);
        }
        let walked = !self.has(target, flag::TEMPLATE);
        if walked {
            info.via = target;
            self.read_marks(target);
        }
        let base = self.new_info(info);
        self.note_origin(node, target, conjunct);
        if !self.closed(target) {
            self.extra_mut(target).subscribers.push((node, base));
            self.extra_mut(node).sources.push(target);
        }
        let mut index = 0;
        while let Some(other) = self.node(target).conjuncts.get(index).copied() {
            let mapped = self.mapped(other, base);
            let info = self.info(mapped.info);
            if info.hosted == Hosted::Askable {
                self.note_askable(node, info);
            }
            self.join(node, mapped)?;
            index += 1;
        }
        for info in self.extra(target).map_or_else(thin_vec::ThinVec::new, |extra| extra.askable.clone()) {
            self.note_askable(node, info);
        }
        if self.node(target).flags & flag::REFERENCE != 0 {
            self.set(node, flag::REFERENCE);
        }
        Ok(())
    }

    /// Remembers what a node may be asked for by, once for each owner and place.
    fn note_askable(&mut self, node: Node, info: Info) {
        let askable = &mut self.extra_mut(node).askable;
        if !askable.iter().any(|other| (other.owner, other.via) == (info.owner, info.via)) {
            askable.push(info);
        }
    }

    fn opened(&self, conjunct: Conjunct) -> bool {
        conjunct.expr.0 & (DATUM | super::FILE) == 0 && matches!(self.program.code.expr(conjunct.expr), Expr::Open(_))
    }

    /// A conjunct of a target as it joins the node of the reference: from the referrer's occurrence. What closes the
    /// target from further up stays there; what closes it by itself is said by its conjuncts once more.
    pub(crate) fn mapped(&mut self, conjunct: Conjunct, base: u32) -> Conjunct {
        let from = self.info(conjunct.info);
        let mut info = self.info(base);
        if info.hosted == Hosted::No {
            info.hosted = from.hosted;
            info.owner = from.owner;
        }
        if from.trace != 0 {
            info.trace = self.traces.union(info.trace, from.trace);
        }
        let info = if info == self.info(base) { base } else { self.new_info(info) };
        Conjunct { info, ..conjunct }
    }

    /// The info of a conjunct of a field of a node, from that of the node's conjunct.
    pub(crate) fn child_info(&mut self, info: u32, arc: Node, parent: Node, declared: bool) -> u32 {
        let data = self.info(info);
        if data.via == NONE && data.hosted == Hosted::No {
            return info;
        }
        let mut child = data;
        if data.via != NONE {
            let via = self.deref(data.via);
            if via == parent {
                child.via = NONE;
            } else {
                if self.node(via).phase != Phase::Settled && !self.has(via, flag::ON_STACK) && self.find_arc(via, self.node(arc).label).is_none() {
                    // Errors and waits of the original are its own; it is asked for here by name only.
                    let _ = self.ensure_arcs(via);
                }
                let via = self.deref(via);
                child.via = self.find_arc(via, self.node(arc).label).unwrap_or(NONE);
            }
        }
        if self.node(arc).label.is_definition() {
            child.hosted = Hosted::No;
            child.owner = NONE;
        } else if data.hosted != Hosted::No {
            child.hosted = if declared { Hosted::Askable } else { Hosted::Inside };
        }
        if child == data { info } else { self.new_info(child) }
    }

    /// Whether an expression is nothing but another: itself, or the one thing embedded in braces.
    fn is_only(&self, whole: ExprId, part: ExprId) -> bool {
        if whole == part {
            return true;
        }
        if whole.0 & (DATUM | super::FILE) != 0 {
            return false;
        }
        let Expr::Struct(literal) = self.program.code.expr(whole) else { return false };
        match self.program.code.structs.get(literal as usize).map(|literal| literal.declarations.as_slice()) {
            Some([crate::program::Declared::Embedding(value)]) => self.is_only(*value, part),
            _ => false,
        }
    }

    /// Remembers what a conjunct referred to.
    pub(crate) fn note_origin(&mut self, node: Node, target: Node, conjunct: Conjunct) {
        let bare = {
            let data = self.node(node);
            data.conjuncts.len() == 1 && data.conjuncts.first().is_some_and(|only| self.is_only(only.expr, conjunct.expr))
        };
        let expr = conjunct.expr;
        let extra = self.extra_mut(node);
        if extra.origins.len() < 64 {
            extra.origins.reserve_exact(1);
            extra.origins.push((target, bare, expr));
        }
    }
}
