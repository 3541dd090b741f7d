//! Reading what a session has found: for walkers, exporters and functions.

use std::sync::Arc as Shared;

use pravo_diag::{Diagnostic, Span};

use super::data::*;
use super::evaluate::Val;
use super::{LimitExceeded, Session, flag};
use crate::intern::{Label, LabelKind};
use crate::program::{Declared, Operator, Presence};
use crate::{Kinds, Node, Value};

/// Why there is no value.
pub(crate) enum Unread {
    /// It is not known before an answer.
    Pending,
    /// It is an error.
    Bottom(u32),
    /// It is not concrete.
    Open(Kinds),
}

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldClass {
    /// `a`
    Regular,
    /// `_a`
    Hidden,
    /// `#A`
    Definition,
    /// `_#A`
    HiddenDefinition,
    /// An element of a list.
    Element,
}

/// A field of a struct, or an element of a list.
#[derive(Clone, Copy, Debug)]
pub struct Arc {
    /// The label.
    pub label: Label,
    /// What it is.
    pub class: FieldClass,
    /// Whether it is there.
    pub presence: Presence,
    /// Its node.
    pub node: Node,
}

/// What a settled node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// It is not settled: it waits for something.
    Waiting,
    /// An error.
    Bottom,
    /// A concrete scalar.
    Scalar(Value),
    /// A struct; with fields that can still come by an answer if `open_ended`.
    Struct {
        /// Whether fields may come with an answer.
        open_ended: bool,
    },
    /// A list of so many elements; `open` if more may follow.
    List {
        /// How many elements there are.
        length: usize,
        /// Whether more may follow.
        open: bool,
    },
    /// Not known before the apply.
    Pending(Kinds),
    /// Not concrete: kinds and bounds.
    Constraint {
        /// The kinds that it may have.
        kinds: Kinds,
        /// Its bounds.
        bounds: Vec<(Operator, Value)>,
        /// The places of its validators.
        validators: Vec<Span>,
    },
    /// Several ways; with each whether it is the default.
    Disjunction(Vec<(Choice, bool)>),
}

/// A settled node that is concrete, its defaults taken.
pub(crate) enum Concrete {
    /// A scalar.
    Scalar(Value),
    /// A struct: its regular fields in order.
    Struct(Vec<Node>),
    /// A list: its elements in order.
    List(Vec<Node>),
}

/// One way of a [`Shape::Disjunction`].
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// A scalar.
    Scalar(Value),
    /// Some kinds.
    Kinds(Kinds),
    /// A node.
    Node(Node),
}

impl Session {
    /// What a node is. Takes no default.
    pub fn shape(&self, node: Node) -> Shape {
        let node = self.deref(node);
        let data = self.node(node);
        if data.bottom != 0 {
            return Shape::Bottom;
        }
        if let Some(scalar) = data.scalar {
            return Shape::Scalar(self.scalar_value(scalar));
        }
        if data.phase != Phase::Settled {
            return Shape::Waiting;
        }
        if let Some(extra) = &data.extra
            && !extra.alternatives.is_empty()
        {
            let choices = extra.alternatives.iter().map(|(alternative, default)| {
                let choice = match alternative {
                    Alternative::Scalar(scalar) => Choice::Scalar(self.scalar_value(*scalar)),
                    Alternative::Kinds(kinds) => Choice::Kinds(*kinds),
                    Alternative::Node(node) => Choice::Node(self.deref(*node)),
                };
                (choice, *default)
            });
            return Shape::Disjunction(choices.collect());
        }
        if data.flags & flag::PENDING != 0 && !self.is_composite(node) {
            return Shape::Pending(data.kinds);
        }
        if data.kinds == Kinds::STRUCT && !self.is_only_validated(node) {
            return Shape::Struct { open_ended: data.flags & flag::OPEN_ENDED != 0 };
        }
        if data.kinds == Kinds::LIST && !self.is_only_validated(node) {
            let list = data.extra.as_ref().and_then(|extra| extra.list.as_ref());
            let open = list.is_some_and(|list| list.length.is_none());
            return Shape::List { length: self.list_length(node) as usize, open };
        }
        let (bounds, validators) = data.extra.as_ref().map_or((Vec::new(), Vec::new()), |extra| {
            (
                extra.bounds.iter().map(|bound| (bound.operator, self.scalar_value(bound.value))).collect(),
                extra
                    .validators
                    .iter()
                    .filter(|validator| !matches!(validator.core, Some((Check::Equal | Check::NotEqual, _))))
                    .map(|validator| validator.expr)
                    .chain(extra.function.map(|function| function.1))
                    .map(|expr| self.span_of(expr))
                    .collect(),
            )
        });
        Shape::Constraint { kinds: data.kinds, bounds, validators }
    }

    /// A node that is concrete but for what is below it; `None` for everything else, required fields that are missing among it.
    pub(crate) fn concrete(&self, node: Node) -> Option<Concrete> {
        let mut node = self.deref(node);
        for _ in 0..64 {
            let data = self.node(node);
            if data.bottom != 0 {
                return None;
            }
            if let Some(scalar) = data.scalar {
                return Some(Concrete::Scalar(self.scalar_value(scalar)));
            }
            if data.phase != Phase::Settled {
                return None;
            }
            if data.extra.as_ref().is_none_or(|extra| extra.alternatives.is_empty()) {
                break;
            }
            match self.default_of(node)? {
                Alternative::Scalar(scalar) => return Some(Concrete::Scalar(self.scalar_value(scalar))),
                Alternative::Node(default) => node = self.deref(default),
                Alternative::Kinds(_) => return None,
            }
        }
        let data = self.node(node);
        if data.flags & flag::PENDING != 0 && !self.is_composite(node) {
            return None;
        }
        match data.kinds {
            Kinds::STRUCT => {
                let mut fields = self.ordered_arcs(node);
                fields.retain(|arc| self.node(*arc).label.is_regular() && self.node(*arc).presence != Presence::Optional);
                let missing = fields.iter().any(|arc| self.node(*arc).presence == Presence::Required);
                (!missing).then_some(Concrete::Struct(fields))
            }
            Kinds::LIST => {
                let mut elements = self.ordered_arcs(node);
                elements.retain(|arc| self.node(*arc).label.is_index());
                elements.sort_by_key(|arc| self.node(*arc).label.id());
                Some(Concrete::List(elements))
            }
            _ => None,
        }
    }

    /// The text of the label of a field.
    pub(crate) fn label_text_of(&self, field: Node) -> &str {
        self.texts.get(self.node(field).label.text())
    }

    /// The default of a disjunction, if it has one that is decided.
    pub fn default_choice(&self, node: Node) -> Option<Choice> {
        Some(match self.default_of(self.deref(node))? {
            Alternative::Scalar(scalar) => Choice::Scalar(self.scalar_value(scalar)),
            Alternative::Kinds(kinds) => Choice::Kinds(kinds),
            Alternative::Node(node) => Choice::Node(self.deref(node)),
        })
    }

    /// The fields or elements of a node in order, optional fields that are only constraints excluded (see
    /// [`Session::constraints`]). The node of a field is the same in every call.
    pub fn arcs(&self, node: Node) -> Vec<Arc> {
        self.ordered_arcs(node)
            .into_iter()
            .filter_map(|arc| {
                let data = self.node(arc);
                if data.presence == Presence::Optional {
                    return None;
                }
                let class = Self::class(data.label)?;
                Some(Arc { label: data.label, class, presence: data.presence, node: self.deref(arc) })
            })
            .collect()
    }

    fn class(label: Label) -> Option<FieldClass> {
        Some(match label.kind() {
            LabelKind::Regular => FieldClass::Regular,
            LabelKind::Hidden => FieldClass::Hidden,
            LabelKind::Definition => FieldClass::Definition,
            LabelKind::HiddenDefinition => FieldClass::HiddenDefinition,
            LabelKind::Index => FieldClass::Element,
            LabelKind::Anonymous => return None,
        })
    }

    /// How many optional and required fields a struct declares that are not there.
    pub(crate) fn missing_fields(&self, node: Node) -> usize {
        let node = self.deref(node);
        let arcs = &self.node(node).arcs;
        let presence = |label: Label| arcs.iter().map(|arc| self.node(*arc)).find(|arc| arc.label == label).map(|arc| arc.presence);
        let mut missing: Vec<Label> = Vec::new();
        for (literal, ..) in &self.node(node).structs {
            let Some(structure) = self.program.code.structs.get(*literal as usize) else { continue };
            for declared in &structure.declarations {
                if let Declared::Field(field) = declared
                    && field.presence != Presence::Member
                    && field.label.is_regular()
                    && presence(field.label) != Some(Presence::Member)
                    && !missing.contains(&field.label)
                {
                    missing.push(field.label);
                }
            }
        }
        missing.len()
    }

    /// The fields of a node that are only constraints (`a?: …`), made into nodes on demand.
    pub fn constraints(&mut self, node: Node) -> Result<Vec<Arc>, LimitExceeded> {
        let node = self.deref(node);
        let program = Shared::clone(&self.program);
        let mut labels = Vec::new();
        for (literal, ..) in &self.node(node).structs {
            let Some(structure) = program.code.structs.get(*literal as usize) else { continue };
            for declared in &structure.declarations {
                if let Declared::Field(field) = declared
                    && field.presence == Presence::Optional
                    && !labels.contains(&field.label)
                {
                    labels.push(field.label);
                }
            }
        }
        // Those whose labels are computed.
        for arc in &self.node(node).arcs {
            let data = self.node(*arc);
            if data.presence == Presence::Optional && !labels.contains(&data.label) {
                labels.push(data.label);
            }
        }
        let mut out = Vec::new();
        for label in labels {
            let arc = match self.arc(node, label, Presence::Optional) {
                Ok(arc) => arc,
                Err(_) => continue,
            };
            if self.node(arc).presence != Presence::Optional {
                continue;
            }
            self.settle_now(arc)?;
            if let Some(class) = Self::class(label) {
                out.push(Arc { label, class, presence: Presence::Optional, node: self.deref(arc) });
            }
        }
        Ok(out)
    }

    /// The patterns of a node: what they match, and what they ask, as nodes made on demand.
    pub fn patterns(&mut self, node: Node) -> Result<Vec<(Node, Node)>, LimitExceeded> {
        let node = self.deref(node);
        let program = Shared::clone(&self.program);
        let mut out = Vec::new();
        let mut seen = Vec::new();
        for (literal, frame, info) in self.node(node).structs.clone() {
            if seen.contains(&(literal, frame)) {
                continue;
            }
            seen.push((literal, frame));
            let Some(structure) = program.code.structs.get(literal as usize) else { continue };
            for declared in &structure.declarations {
                let Declared::Pattern { pattern, slot } = declared else { continue };
                let made = (|| {
                    let pattern = self.inline_node(*pattern, frame, node)?;
                    let value = self.new_node(node, Label::NONE, Presence::Optional);
                    self.set(value, flag::FORCE_CLOSED);
                    let env = if slot.framed { self.alias_frame(frame, value, Label::NONE) } else { frame };
                    let info = self.optional_info(info);
                    self.add_conjunct(value, Conjunct { expr: slot.value, env, info })?;
                    Ok::<_, Stop>((pattern, value))
                })();
                if let Ok((pattern, value)) = made {
                    self.settle_now(pattern)?;
                    self.settle_now(value)?;
                    out.push((self.deref(pattern), self.deref(value)));
                }
            }
        }
        Ok(out)
    }

    /// Whether further fields may be added to a struct by anybody.
    pub fn is_open(&self, ask: crate::Ask) -> bool {
        self.asks.get(ask.0 as usize).is_some_and(|data| data.answer.is_none())
    }

    /// The arguments of the validators of a node, in their order.
    pub(crate) fn validator_arguments(&self, node: Node) -> Vec<Shared<[Value]>> {
        let extra = self.extra(self.deref(node));
        let called = |validator: &&Validator| !matches!(validator.core, Some((Check::Equal | Check::NotEqual, _)));
        extra.map_or(Vec::new(), |extra| extra.validators.iter().filter(called).map(|validator| Shared::clone(&validator.arguments)).collect())
    }

    /// Whether a node is a struct or, if an error stands in the way of its value, will be one.
    pub fn is_struct(&self, node: Node) -> bool {
        let data = self.node(self.deref(node));
        data.kinds == Kinds::STRUCT && data.flags & flag::STRUCT != 0
    }

    /// The same, also of what only comprehensions that are not decided yet stand in.
    pub(crate) fn is_struct_so_far(&self, node: Node) -> bool {
        let data = self.node(self.deref(node));
        let plain = |literal: u32| {
            let literal = self.program.code.structs.get(literal as usize);
            literal.is_some_and(|literal| !literal.declarations.iter().any(|declared| matches!(declared, Declared::Embedding(_))))
        };
        self.is_struct(node) || (data.kinds.intersects(Kinds::STRUCT) && data.structs.iter().any(|(literal, ..)| plain(*literal)))
    }

    /// Whether a definition or `close` has closed a struct, by what it refers to at least; by `...` or a pattern it may
    /// allow any field all the same.
    pub fn is_closed(&self, node: Node) -> bool {
        let mut stack = vec![self.deref(node)];
        let mut seen = Vec::new();
        while let Some(node) = stack.pop() {
            if self.node(node).kinds != Kinds::STRUCT || seen.contains(&node) {
                continue;
            }
            if self.has_requirements(node) {
                return true;
            }
            if seen.len() < 64 {
                seen.push(node);
                let origins = self.extra(node).map_or(&[][..], |extra| &extra.origins);
                stack.extend(origins.iter().map(|(target, ..)| self.deref(*target)));
            }
        }
        false
    }

    /// Whether a field may be added to a struct.
    pub fn allows_field(&mut self, node: Node, label: Label) -> bool {
        let node = self.deref(node);
        !self.has_requirements(node) || self.allows(node, label)
    }

    /// Whether any regular field may be added.
    pub fn allows_any(&mut self, node: Node) -> bool {
        let unlikely = self.texts.regular("\u{0}no such field");
        self.allows_field(node, unlikely)
    }

    /// Whether bounds, validators or alternatives narrow a node beyond its kinds.
    pub fn is_constrained(&self, node: Node) -> bool {
        let extra = self.extra(self.deref(node));
        extra.is_some_and(|extra| !extra.bounds.is_empty() || !extra.validators.is_empty() || !extra.alternatives.is_empty())
    }

    /// The kinds that a node may have.
    pub fn kinds(&self, node: Node) -> Kinds {
        self.node(self.deref(node)).kinds
    }

    /// The parent of a node.
    pub fn parent(&self, node: Node) -> Option<Node> {
        let parent = self.node(self.deref(node)).parent;
        (parent != NONE).then_some(parent)
    }

    /// The label of a node.
    pub fn label(&self, node: Node) -> Label {
        self.node(node).label
    }

    /// The text of a label, without quotes and without the package of a hidden one.
    pub fn label_name(&self, label: Label) -> String {
        if label.is_index() { label.id().to_string() } else { self.texts.name(label).0.to_owned() }
    }

    /// The import path of the package that a hidden label belongs to.
    pub fn label_package(&self, label: Label) -> String {
        self.texts.name(label).1.to_owned()
    }

    /// A regular label.
    pub fn regular_label(&mut self, text: &str) -> Label {
        self.texts.regular(text)
    }

    /// The label that an identifier names in a package (`_x`, `#X`, `x`).
    pub fn identifier_label(&mut self, name: &str, package: &str) -> Label {
        self.texts.identifier(name, package)
    }

    /// The field of a node, if it is there.
    pub fn field(&self, node: Node, label: Label) -> Option<Node> {
        let node = self.deref(node);
        self.find_arc(node, label).filter(|arc| self.node(*arc).presence == Presence::Member).map(|arc| self.deref(arc))
    }

    /// The regular field of a name, if it is there.
    pub fn member(&self, node: Node, name: &str) -> Option<Node> {
        self.field(node, Label::regular(self.texts.find(name)?))
    }

    /// The hidden fields of a node that are there, in order.
    pub fn hidden_fields(&self, node: Node) -> Vec<Node> {
        let is_hidden = |arc: &Node| self.node(*arc).label.kind() == LabelKind::Hidden;
        if !self.node(self.deref(node)).arcs.iter().any(is_hidden) {
            return Vec::new();
        }
        let arcs = self.ordered_arcs(node).into_iter().filter(|arc| is_hidden(arc) && self.node(*arc).presence == Presence::Member);
        arcs.map(|arc| self.deref(arc)).collect()
    }

    /// Whether a node is a definition, a pattern's or optional field's value, or stands in one: a template.
    pub fn is_template(&self, node: Node) -> bool {
        self.has(self.deref(node), flag::TEMPLATE)
    }

    /// The attributes of a node, as they are written: those of its field, and those in its structs.
    pub fn attributes(&self, node: Node) -> Vec<String> {
        let node = self.deref(node);
        let mut out = Vec::new();
        for list in self.extra(node).map_or(&[][..], |extra| &extra.attributes) {
            out.extend(list.iter().map(|text| self.texts.get(*text).to_string()));
        }
        out
    }

    /// The places of what a node is made of.
    pub fn spans(&self, node: Node) -> Vec<Span> {
        let data = self.node(self.deref(node));
        data.conjuncts.iter().filter(|conjunct| conjunct.expr.0 & DATUM == 0).map(|conjunct| self.span_of(conjunct.expr)).collect()
    }

    /// The code of a node's own error.
    pub fn error_code(&self, node: Node) -> Option<Code> {
        let data = self.node(self.deref(node));
        (data.bottom != 0).then(|| self.code_of(data.bottom))
    }

    /// A node's own error.
    pub fn error(&self, node: Node) -> Option<Diagnostic> {
        let data = self.node(self.deref(node));
        (data.bottom != 0).then(|| self.diagnostic(data.bottom))
    }

    /// The errors that a node's own error is made of: of the branches of a disjunction none of which fits, and of those that were
    /// out before the one that was left failed, there or below.
    pub fn error_parts(&self, node: Node) -> Vec<(Code, Diagnostic)> {
        let bottom = self.node(self.deref(node)).bottom;
        let Some(data) = self.bottom_data(bottom).filter(|_| bottom != 0) else { return Vec::new() };
        let mut out: Vec<(Code, Diagnostic)> = match &data.reason {
            Reason::Disjunction(parts) => parts.iter().map(|part| (self.code_of(*part), self.diagnostic(*part))).collect(),
            _ => Vec::new(),
        };
        let mut at = data.node;
        while data.code.is_final() && at != NONE && out.len() < 64 {
            out.extend(self.branches_before(at).into_iter().map(|diagnostic| (Code::Eval, diagnostic)));
            at = self.node(at).parent;
        }
        out
    }

    /// Why the branches of a node's disjunctions were out that left one.
    fn branches_before(&self, node: Node) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        for (expr, env, chosen) in self.extra(node).map_or(&[][..], |extra| &extra.taken) {
            for branch in self.branches(Conjunct { expr: *expr, env: *env, info: 0 }) {
                if branch.expr != *chosen {
                    let text = format!("conflicting values {} and {}", self.expr_text(branch.expr, Kinds::TOP), self.node(node).kinds);
                    out.push(Diagnostic::error("cue.eval", text).with_path(self.path(node)).at(self.span_of(branch.expr), ""));
                }
            }
        }
        out
    }

    /// The node that a node's own error is about: itself, or what it refers to.
    pub fn error_node(&self, node: Node) -> Option<Node> {
        let data = self.node(self.deref(node));
        self.bottom_data(data.bottom).filter(|_| data.bottom != 0).map(|data| data.node).filter(|node| *node != NONE)
    }

    /// The path that a node's own error names.
    pub fn error_path(&self, node: Node) -> Option<String> {
        let data = self.node(self.deref(node));
        self.bottom_data(data.bottom).filter(|_| data.bottom != 0).map(|data| self.path(self.cycle_place(data)))
    }

    /// The places of a node's own error.
    pub fn error_spans(&self, node: Node) -> Vec<Span> {
        let data = self.node(self.deref(node));
        self.bottom_data(data.bottom).map_or_else(Vec::new, |bottom| bottom.spans.clone())
    }

    /// Every error at and below a node, definitions and hidden fields included, optional fields not.
    pub fn errors(&self, node: Node) -> Vec<(Node, Code)> {
        let mut out = Vec::new();
        if !self.has_errors(node) {
            return out;
        }
        let mut stack = vec![(node, false)];
        while let Some((node, inside)) = stack.pop() {
            let node = self.deref(node);
            let data = self.node(node);
            let refused = self.bottom_data(data.bottom).is_some_and(|data| matches!(data.reason, Reason::NotAllowed(_)));
            // A field that is not allowed is so with all that is in it: that is said once.
            if data.bottom != 0 && !(refused && inside) {
                out.push((node, self.code_of(data.bottom)));
            }
            let fields = self.ordered_arcs(node).into_iter().rev().filter(|arc| self.node(*arc).presence != Presence::Optional);
            stack.extend(fields.map(|arc| (arc, refused)));
        }
        out
    }

    /// Whether there is an error at or below a node: the same, where no order matters.
    fn has_errors(&self, node: Node) -> bool {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            let data = self.node(self.deref(node));
            if data.bottom != 0 {
                return true;
            }
            stack.extend(data.arcs.iter().copied().filter(|arc| self.node(*arc).presence != Presence::Optional));
        }
        false
    }

    /// A concrete scalar, a default taken.
    pub fn scalar(&self, node: Node) -> Option<Value> {
        let node = self.deref(node);
        let data = self.node(node);
        if let Some(scalar) = data.scalar {
            return Some(self.scalar_value(scalar));
        }
        match self.default_of(node)? {
            Alternative::Scalar(scalar) => Some(self.scalar_value(scalar)),
            Alternative::Node(node) if node != NONE => self.scalar(node),
            _ => None,
        }
    }

    /// A settled value as a tree: defaults taken, regular fields only; what is not concrete is [`Value::Partial`].
    /// The first error at or below it, if there is one.
    pub fn tree(&self, node: Node) -> Result<Value, Box<Diagnostic>> {
        self.tree_inner(node, 0)
    }

    fn tree_inner(&self, node: Node, depth: u32) -> Result<Value, Box<Diagnostic>> {
        let node = self.deref(node);
        if depth > 1_000 {
            return Err(Box::new(Diagnostic::error("cue.limit", "the value is nested too deeply").with_path(self.path(node))));
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match self.shape(node) {
            Shape::Bottom => Err(Box::new(self.diagnostic(self.node(node).bottom))),
            Shape::Scalar(value) => Ok(value),
            Shape::Struct { open_ended: true } | Shape::Waiting => Ok(Value::Partial { kinds: self.node(node).kinds, unknown: true }),
            Shape::Struct { .. } => {
                let mut fields = Vec::new();
                for arc in self.arcs(node) {
                    match (arc.class, arc.presence) {
                        (FieldClass::Regular, Presence::Member) => {
                            let value = self.tree_inner(arc.node, depth + 1)?;
                            fields.push((Shared::clone(self.texts.get(arc.label.text())), value));
                        }
                        _ => {}
                    }
                }
                Ok(Value::Struct(fields))
            }
            Shape::List { .. } => {
                let mut elements: Vec<(u32, Value)> = Vec::new();
                for arc in self.arcs(node).into_iter().filter(|arc| arc.class == FieldClass::Element) {
                    elements.push((arc.label.id(), self.tree_inner(arc.node, depth + 1)?));
                }
                elements.sort_by_key(|(index, _)| *index);
                Ok(Value::List(elements.into_iter().map(|(_, value)| value).collect()))
            }
            Shape::Pending(kinds) => Ok(Value::Partial { kinds, unknown: true }),
            Shape::Constraint { kinds, .. } => Ok(Value::Partial { kinds, unknown: false }),
            Shape::Disjunction(_) => match self.default_choice(node) {
                Some(Choice::Scalar(value)) => Ok(value),
                Some(Choice::Node(node)) => self.tree_inner(node, depth + 1),
                _ => Ok(Value::Partial { kinds: self.node(node).kinds, unknown: false }),
            },
        })
    }

    /// A value as a tree for a function: everything below is settled, questions are asked.
    pub(crate) fn value_tree(&mut self, node: Node) -> Run<Result<Value, Unread>> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || match self.value_of(node)? {
            Val::Scalar(scalar) => Ok(Ok(self.scalar_value(scalar))),
            Val::Pending(_) => Ok(Err(Unread::Pending)),
            Val::Bottom(bottom) => Ok(Err(Unread::Bottom(bottom))),
            Val::Node(node) => self.value_tree_of_parts(node),
        })
    }

    /// The same for a node whose own value is looked at already.
    pub(crate) fn value_tree_of_parts(&mut self, node: Node) -> Run<Result<Value, Unread>> {
        let node = self.deref(node);
        if !self.is_composite(node) {
            return Ok(Err(Unread::Open(self.node(node).kinds)));
        }
        if self.has(node, flag::OPEN_ENDED) {
            return Ok(Err(Unread::Pending));
        }
        let list = self.node(node).kinds == Kinds::LIST;
        let mut fields = Vec::new();
        let (mut unread, mut stop) = (None, None);
        for arc in self.ordered_arcs(node) {
            let (label, presence) = (self.node(arc).label, self.node(arc).presence);
            if presence == Presence::Required && label.is_regular() {
                let bottom = self.bottom(Code::Incomplete, arc, Reason::RequiredMissing(label), Vec::new());
                unread = unread.or(Some(Unread::Bottom(bottom)));
            }
            if presence != Presence::Member || !(label.is_index() || label.is_regular()) {
                continue;
            }
            match self.value_tree(arc) {
                Err(Stop::Limit) => return Err(Stop::Limit),
                Err(other) => stop = stop.or(Some(other)),
                Ok(Err(other)) => unread = unread.or(Some(other)),
                Ok(Ok(value)) => fields.push((label, value)),
            }
        }
        if let Some(stop) = stop {
            return Err(stop);
        }
        if let Some(unread) = unread {
            return Ok(Err(unread));
        }
        if list {
            fields.sort_by_key(|(label, _)| label.id());
            return Ok(Ok(Value::List(fields.into_iter().map(|(_, value)| value).collect())));
        }
        let fields = fields.into_iter().map(|(label, value)| (Shared::clone(self.texts.get(label.text())), value));
        Ok(Ok(Value::Struct(fields.collect())))
    }
}
