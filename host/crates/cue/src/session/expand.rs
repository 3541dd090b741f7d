//! Joining conjuncts to a node: literals at once, the rest as tasks.

use std::sync::Arc;

use super::data::*;
use super::{FILE, Session};
use crate::intern::Label;
use crate::program::{Declared, Element, Expr, ExprId, FieldDeclaration, LoweredComprehension, Presence, Slot, StructLiteral};
use crate::{Kinds, Node};

impl Session {
    /// Joins everything that a node has got and that was not joined yet, and runs its tasks.
    pub(crate) fn expand(&mut self, node: Node) -> Run<()> {
        loop {
            let data = self.node(node);
            let Some(conjunct) = data.conjuncts.get(data.processed as usize).copied() else { break };
            self.node_mut(node).processed += 1;
            self.join(node, conjunct)?;
        }
        self.join_postponed(node)?;
        if self.node(node).phase == Phase::New {
            self.node_mut(node).phase = Phase::Expanded;
        }
        Ok(())
    }

    /// Joins one conjunct.
    pub(crate) fn join(&mut self, node: Node, conjunct: Conjunct) -> Run<()> {
        self.stats.conjuncts += 1;
        self.step(node, conjunct.expr)?;
        let trace = self.info(conjunct.info).trace;
        if trace != 0 {
            let joined = self.traces.union(self.node(node).trace, trace);
            self.node_mut(node).trace = joined;
        }
        self.note_fresh(node, conjunct.info);
        if conjunct.expr.0 & DATUM != 0 {
            return self.join_datum(node, conjunct);
        }
        if conjunct.expr.0 & FILE != 0 {
            self.note_material(node, conjunct.info);
            return self.join_struct(node, conjunct.expr.0 & !FILE, conjunct);
        }
        let expr = self.program.code.expr(conjunct.expr);
        if expr.is_literal() && !(self.has(node, flag::UNROOTED) && self.is_braces(expr)) {
            self.note_material(node, conjunct.info);
        }
        match expr {
            Expr::Bottom => {
                let spans = vec![self.span_of(conjunct.expr)];
                let bottom = self.bottom(Code::User, node, Reason::Explicit, spans);
                self.fail(node, bottom);
                Ok(())
            }
            Expr::Bad => {
                let spans = vec![self.span_of(conjunct.expr)];
                let bottom = self.bottom(Code::Eval, node, Reason::Compile, spans);
                self.fail(node, bottom);
                Ok(())
            }
            Expr::Null => self.join_scalar(node, Scalar::Null, conjunct.expr),
            Expr::Bool(value) => self.join_scalar(node, Scalar::Bool(value), conjunct.expr),
            Expr::Int(value) => self.join_scalar(node, Scalar::Int(value), conjunct.expr),
            Expr::Number(value) => self.join_scalar(node, Scalar::Number(value), conjunct.expr),
            Expr::Text(value) => self.join_scalar(node, Scalar::Text(value), conjunct.expr),
            Expr::Bytes(value) => self.join_scalar(node, Scalar::Bytes(value), conjunct.expr),
            Expr::Kind(kinds) => {
                if kinds == Kinds::TOP {
                    self.set(node, super::flag::TOP);
                }
                self.join_kinds(node, kinds, conjunct.expr)
            }
            Expr::Struct(_) | Expr::List(_) => self.join_literal(node, conjunct),
            Expr::Unify(operands) => self.join_operands(node, conjunct, operands),
            Expr::Disjunction(_) => self.join_disjunction(node, conjunct),
            Expr::FrameLabel { up } => match self.frame_label(conjunct.env, up) {
                Some(scalar) => self.join_scalar(node, scalar, conjunct.expr),
                None => self.join_kinds(node, Kinds::STRING, conjunct.expr),
            },
            _ => {
                let seen = (conjunct.expr, conjunct.env, self.info(conjunct.info).occurrence);
                let extra = self.extra_mut(node);
                if extra.seen.contains(&seen) {
                    return Ok(());
                }
                extra.seen.push(seen);
                extra.tasks.push(Task::Conjunct(conjunct));
                Ok(())
            }
        }
    }

    /// Whether an expression is one value in braces, which says no more than the value.
    fn is_braces(&self, expr: Expr) -> bool {
        let Expr::Struct(literal) = expr else { return false };
        self.program.code.structs.get(literal as usize).is_some_and(|literal| literal.braces)
    }

    fn join_disjunction(&mut self, node: Node, conjunct: Conjunct) -> Run<()> {
        if let Some(expr) = self.choice(node, conjunct) {
            let info = self.optional_info(conjunct.info);
            return self.join(node, Conjunct { expr, info, ..conjunct });
        }
        let taken = self.extra(node).and_then(|extra| extra.taken.iter().find(|taken| (taken.0, taken.1) == (conjunct.expr, conjunct.env)));
        if let Some((_, _, expr)) = taken.copied() {
            // The branch once more, but maybe by another definition.
            return self.join(node, Conjunct { expr, ..conjunct });
        }
        let extra = self.extra_mut(node);
        let known = extra.disjunctions.iter().map(|other| (other.expr, other.env)).chain(extra.decided.iter().map(|said| (said.expr, said.env)));
        if !known.into_iter().any(|other| other == (conjunct.expr, conjunct.env)) {
            extra.disjunctions.push(conjunct);
        } else if !extra.echoes.contains(&conjunct) && extra.echoes.len() < 1_000 {
            extra.echoes.push(conjunct);
        }
        Ok(())
    }

    fn join_operands(&mut self, node: Node, conjunct: Conjunct, operands: crate::program::Operands) -> Run<()> {
        for index in 0..operands.count {
            let expr = self.program.code.operand(operands, index);
            self.join(node, Conjunct { expr, ..conjunct })?;
        }
        Ok(())
    }

    fn join_literal(&mut self, node: Node, conjunct: Conjunct) -> Run<()> {
        match self.program.code.expr(conjunct.expr) {
            Expr::Struct(literal) => self.join_struct(node, literal, conjunct),
            Expr::List(_) => {
                // Once is enough: what an occurrence requires of an element comes with the element's own structs.
                let seen = (conjunct.expr, conjunct.env, 0);
                let extra = self.extra_mut(node);
                if !extra.seen.contains(&seen) {
                    extra.seen.push(seen);
                    self.join_kinds(node, Kinds::LIST, conjunct.expr)?;
                    self.join_list(node, conjunct)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn join_datum(&mut self, node: Node, conjunct: Conjunct) -> Run<()> {
        let Some(datum) = self.data.get((conjunct.expr.0 & !DATUM) as usize).cloned() else { return Ok(()) };
        match datum {
            Datum::Scalar(scalar) => {
                self.note_material(node, conjunct.info);
                self.join_scalar(node, scalar, conjunct.expr)
            }
            Datum::Value(value) => self.join_value(node, &value, conjunct),
            Datum::Or(..) => self.join_disjunction(node, conjunct),
            Datum::Node(target) => self.join_reference(node, target, conjunct, false),
            Datum::List(elements) => self.join_elements(node, &elements, conjunct),
            Datum::Unknown(kinds) => {
                self.set(node, flag::PENDING);
                self.join_kinds(node, kinds, conjunct.expr)
            }
            Datum::Bottom(bottom) => {
                self.fail(node, bottom);
                Ok(())
            }
        }
    }

    /// Joins a list of nodes.
    fn join_elements(&mut self, node: Node, elements: &[Node], conjunct: Conjunct) -> Run<()> {
        self.note_material(node, conjunct.info);
        self.join_kinds(node, Kinds::LIST, conjunct.expr)?;
        for (index, element) in elements.iter().enumerate() {
            let arc = self.element(node, index as u32)?;
            let expr = self.datum(Datum::Node(*element));
            let info = self.child_info(conjunct.info, arc, node, false);
            self.add_conjunct(arc, Conjunct { expr, env: 0, info })?;
        }
        self.shape_list(node, elements.len() as u32, None, conjunct.expr)
    }

    /// Joins a struct literal: its fields become arcs.
    fn join_struct(&mut self, node: Node, literal: u32, conjunct: Conjunct) -> Run<()> {
        let seen = self.node(node).structs.iter().any(|(other, frame, _)| *other == literal && self.frame(*frame).up == conjunct.env);
        let mut info = conjunct.info;
        if seen {
            // The same fields once more, but maybe by another definition: the arcs must know.
            return self.repeat_evidence(node, literal, conjunct);
        }
        let program = Arc::clone(&self.program);
        let Some(structure) = program.code.structs.get(literal as usize) else { return Ok(()) };
        if let Some(kind) = structure.host {
            info = self.join_host(node, kind, info)?;
        }
        if structure.embeds || structure.grouped {
            info = self.own_info(node, structure, info);
        }
        if structure.embeds {
            self.set(node, flag::EMBEDS);
        }
        let frame = self.push_frame(conjunct.env, node, Label::NONE);
        let structs = &mut self.node_mut(node).structs;
        if structs.is_empty() {
            structs.reserve_exact(1);
        }
        structs.push((literal, frame, info));
        if let Some(attributes) = &structure.attributes {
            self.extra_mut(node).attributes.push(Arc::clone(attributes));
        }
        self.require(node, info);
        // What only constrains fields makes no struct of what is embedded.
        let fields = structure.declarations.iter().any(|declared| match declared {
            Declared::Field(field) => field.label.is_regular() && field.presence != Presence::Optional,
            Declared::Dynamic { presence, .. } => *presence != Presence::Optional,
            Declared::Pattern { .. } | Declared::Embedding(_) | Declared::Comprehension(_) => false,
        });
        if !structure.embeds || fields {
            self.join_kinds(node, Kinds::STRUCT, conjunct.expr)?;
            self.set(node, flag::STRUCT);
        }
        if !structure.constraints.is_empty() {
            self.constrain_existing(node, literal, frame, info)?;
        }
        for (index, declared) in structure.declarations.iter().enumerate() {
            match declared {
                Declared::Field(field) if field.presence == Presence::Optional => {}
                Declared::Field(field) => {
                    let arc = self.arc(node, field.label, field.presence)?;
                    self.give_field(arc, field, frame, info, node)?;
                    if let Some(attributes) = &field.attributes {
                        self.attach(arc, attributes);
                    }
                }
                other => self.join_declared(node, literal, index as u32, other, (frame, info))?,
            }
        }
        Ok(())
    }

    /// Gives an arc the value of a field of a literal.
    fn give_field(&mut self, arc: Node, field: &FieldDeclaration, frame: u32, info: u32, parent: Node) -> Run<()> {
        let info = if field.presence == Presence::Optional { self.optional_info(info) } else { info };
        self.give(arc, field.slot, frame, info, parent, field.presence == Presence::Member)
    }

    /// Gives an arc a value of a literal.
    pub(crate) fn give(&mut self, arc: Node, slot: Slot, frame: u32, info: u32, parent: Node, declared: bool) -> Run<()> {
        let env = if slot.framed { self.alias_frame(frame, arc, self.node(arc).label) } else { frame };
        let info = self.child_info(info, arc, parent, self.node(arc).presence == Presence::Member && declared);
        self.add_conjunct(arc, Conjunct { expr: slot.value, env, info })
    }

    /// Adds a conjunct to a node, and to the nodes that took over its conjuncts before.
    pub(crate) fn add_conjunct(&mut self, node: Node, conjunct: Conjunct) -> Run<()> {
        let node = self.deref(node);
        let data = self.node_mut(node);
        if data.conjuncts.contains(&conjunct) {
            return Ok(());
        }
        data.conjuncts.push(conjunct);
        let (parent, is_new) = (data.parent, data.phase == Phase::New);
        if is_new && self.hosted > 0 && self.has(parent, flag::BODY) && self.node(parent).phase == Phase::Settled && !self.is_only_declared(node) {
            self.want_final(node);
        }
        self.note_fresh(node, conjunct.info);
        let subscribers = self.extra(node).map_or_else(ThinVec::new, |extra| extra.subscribers.clone());
        for (subscriber, info) in subscribers {
            let mapped = self.mapped(conjunct, info);
            self.join_late(subscriber, mapped)?;
        }
        if self.node(node).phase != Phase::New {
            self.reopen(node)?;
        }
        Ok(())
    }

    /// Joins a conjunct to a node that may be settled already.
    fn join_late(&mut self, node: Node, conjunct: Conjunct) -> Run<()> {
        let node = self.deref(node);
        self.join(node, conjunct)?;
        if self.node(node).phase != Phase::New {
            self.reopen(node)?;
        }
        Ok(())
    }

    fn reopen(&mut self, node: Node) -> Run<()> {
        if self.has(node, flag::ON_STACK) {
            return self.expand(node);
        }
        if self.node(node).phase == Phase::Settled {
            self.node_mut(node).phase = Phase::Expanded;
        }
        self.expand(node)?;
        self.enqueue(node);
        Ok(())
    }

    /// The arc of a label, if there is one, whatever its presence.
    pub(crate) fn find_arc(&self, node: Node, label: Label) -> Option<Node> {
        let data = self.node(node);
        if data.arcs.len() > 12
            && let Some(index) = data.extra.as_ref().and_then(|extra| extra.index.as_ref())
        {
            return index.get(&label).and_then(|at| data.arcs.get(*at as usize)).copied();
        }
        data.arcs.iter().copied().find(|arc| self.node(*arc).label == label)
    }

    /// The arc of a label, made if there is none.
    pub(crate) fn arc(&mut self, node: Node, label: Label, presence: Presence) -> Run<Node> {
        if let Some(arc) = self.find_arc(node, label) {
            if presence < self.node(arc).presence {
                self.node_mut(arc).presence = presence;
                if presence == Presence::Member && !self.has(node, flag::TEMPLATE) && !label.is_definition() {
                    self.clear(arc, flag::TEMPLATE);
                }
            }
            return Ok(arc);
        }
        let arc = self.new_node(node, label, presence);
        self.node_mut(node).arcs.push(arc);
        let count = self.node(node).arcs.len();
        if count == 13 {
            let index = self.node(node).arcs.iter().enumerate().map(|(i, arc)| (self.node(*arc).label, i as u32)).collect();
            self.extra_mut(node).index = Some(Box::new(index));
        } else if count > 13
            && let Some(index) = self.extra_mut(node).index.as_mut()
        {
            index.insert(label, count as u32 - 1);
        }
        self.constrain_new(node, arc)?;
        if self.has(node, flag::FINAL) && self.node(node).phase == Phase::Settled {
            self.want_final(arc);
        }
        Ok(arc)
    }

    /// Gives a new arc what optional fields, patterns and open lists say about it.
    fn constrain_new(&mut self, node: Node, arc: Node) -> Run<()> {
        let label = self.node(arc).label;
        if label.is_index() {
            return self.constrain_element(node, arc, label.id());
        }
        let program = Arc::clone(&self.program);
        for at in 0..self.node(node).structs.len() {
            let Some((literal, frame, info)) = self.node(node).structs.get(at).copied() else { break };
            let Some(structure) = program.code.structs.get(literal as usize) else { continue };
            let from = structure.constraints.partition_point(|(other, _)| *other < label);
            for (_, index) in structure.constraints.iter().skip(from).take_while(|(other, _)| *other == label) {
                if let Some(Declared::Field(field)) = structure.declarations.get(*index as usize) {
                    self.give_field(arc, field, frame, info, node)?;
                    if let Some(attributes) = &field.attributes {
                        self.attach(arc, attributes);
                    }
                }
            }
        }
        if !label.is_regular() {
            return Ok(());
        }
        for at in 0..self.extra(node).map_or(0, |extra| extra.patterns.len()) {
            let Some(pattern) = self.extra(node).and_then(|extra| extra.patterns.get(at)).cloned() else { break };
            self.apply_pattern(node, &pattern, arc)?;
        }
        Ok(())
    }

    /// Gives the arcs that are there what the optional fields of a new literal say.
    fn constrain_existing(&mut self, node: Node, literal: u32, frame: u32, info: u32) -> Run<()> {
        let program = Arc::clone(&self.program);
        let Some(structure) = program.code.structs.get(literal as usize) else { return Ok(()) };
        let arcs = self.node(node).arcs.clone();
        for arc in arcs {
            let label = self.node(arc).label;
            let from = structure.constraints.partition_point(|(other, _)| *other < label);
            for (_, index) in structure.constraints.iter().skip(from).take_while(|(other, _)| *other == label) {
                if let Some(Declared::Field(field)) = structure.declarations.get(*index as usize) {
                    self.give_field(arc, field, frame, info, node)?;
                    if let Some(attributes) = &field.attributes {
                        self.attach(arc, attributes);
                    }
                }
            }
        }
        Ok(())
    }

    /// Attaches the attributes of a field.
    pub(crate) fn attach(&mut self, arc: Node, attributes: &Arc<[crate::intern::Text]>) {
        let extra = self.extra_mut(arc);
        if extra.attributes.iter().any(|other| Arc::ptr_eq(other, attributes)) {
            return;
        }
        extra.attributes.push(Arc::clone(attributes));
        if attributes.iter().any(|text| &**self.texts.get(*text) == "@reference()") {
            self.set(arc, flag::REFERENCE);
        }
    }

    /// Settles an element that is read by where it points: what its conjuncts refer to is noted, not joined.
    pub(crate) fn point(&mut self, node: Node) -> Run<()> {
        for conjunct in self.node(node).conjuncts.clone() {
            self.point_at(node, conjunct)?;
        }
        let count = self.node(node).conjuncts.len() as u32;
        self.node_mut(node).processed = count;
        Ok(())
    }

    fn point_at(&mut self, node: Node, conjunct: Conjunct) -> Run<()> {
        if conjunct.expr.0 & (DATUM | FILE) != 0 {
            return self.join(node, conjunct);
        }
        if self.is_reference(conjunct.expr) {
            match self.resolve(conjunct.expr, conjunct.env, node)? {
                super::resolve::Target::Node(target, _) => self.note_origin(node, target, conjunct),
                super::resolve::Target::Bottom(bottom) => self.fail(node, bottom),
                _ => self.set(node, flag::PENDING),
            }
            return Ok(());
        }
        if let Expr::Struct(literal) = self.program.code.expr(conjunct.expr) {
            let program = Arc::clone(&self.program);
            let declarations = program.code.structs.get(literal as usize).map_or(&[][..], |literal| &literal.declarations);
            if let [Declared::Embedding(value)] = declarations {
                let env = self.push_frame(conjunct.env, node, Label::NONE);
                return self.point_at(node, Conjunct { expr: *value, env, ..conjunct });
            }
        }
        match self.program.code.expr(conjunct.expr) {
            Expr::Kind(_) => Ok(()),
            _ => self.join(node, conjunct),
        }
    }

    fn repeat_evidence(&mut self, node: Node, literal: u32, conjunct: Conjunct) -> Run<()> {
        let occurrence = self.info(conjunct.info).occurrence;
        let again = |(other, frame, _): &&(u32, u32, u32)| *other == literal && self.frame(*frame).up == conjunct.env;
        let structs = &self.node(node).structs;
        let known = structs.iter().filter(again).any(|(.., info)| {
            let own = self.info(*info).occurrence;
            own == occurrence || self.is_literal_of(own, occurrence)
        });
        let Some((_, frame, _)) = structs.iter().find(again).copied().filter(|_| !known) else { return Ok(()) };
        let program = Arc::clone(&self.program);
        let Some(structure) = program.code.structs.get(literal as usize) else { return Ok(()) };
        let mut info = conjunct.info;
        if let Some(kind) = structure.host {
            info = self.join_host(node, kind, info)?;
        }
        if structure.embeds || structure.grouped {
            info = self.own_info(node, structure, info);
        }
        self.require(node, info);
        self.node_mut(node).structs.push((literal, frame, info));
        self.constrain_existing(node, literal, frame, info)?;
        for (index, declared) in structure.declarations.iter().enumerate() {
            match declared {
                Declared::Field(field) if field.presence == Presence::Optional => {}
                Declared::Field(field) => {
                    let arc = self.arc(node, field.label, field.presence)?;
                    self.give_field(arc, field, frame, info, node)?;
                }
                other => self.join_declared(node, literal, index as u32, other, (frame, info))?,
            }
        }
        Ok(())
    }

    /// Joins what is no field with a label of its own.
    fn join_declared(&mut self, node: Node, literal: u32, index: u32, declared: &Declared, (frame, info): (u32, u32)) -> Run<()> {
        match declared {
            Declared::Field(_) => {}
            Declared::Dynamic { .. } => {
                self.extra_mut(node).tasks.push(Task::Dynamic { literal, index, env: frame, info });
            }
            Declared::Pattern { pattern, slot } => self.join_pattern(node, *pattern, *slot, frame, info)?,
            Declared::Embedding(value) => {
                let structure = self.program.code.structs.get(literal as usize);
                let embedded = if structure.is_some_and(|structure| structure.braces) {
                    info
                } else {
                    let explicit = structure.is_some_and(|structure| structure.explicit_open);
                    let open = !explicit || matches!(self.program.code.expr(*value), Expr::Open(_));
                    self.embedded_info(info, open)
                };
                self.join(node, Conjunct { expr: *value, env: frame, info: embedded })?;
            }
            Declared::Comprehension(id) => {
                let embedded = self.embedded_info(info, true);
                self.extra_mut(node).tasks.push(Task::Comprehension { id: *id, env: frame, info: embedded });
            }
        }
        Ok(())
    }

    /// The info of a literal that embeds something: an occurrence of its own, but for braces around one value only. The
    /// files of a package share one, as they are one struct: what one embeds does not refuse the fields of another.
    fn own_info(&mut self, node: Node, structure: &StructLiteral, info: u32) -> u32 {
        if structure.braces {
            return info;
        }
        if !structure.grouped {
            return self.embedding_literal(info);
        }
        let grouped = |literal: u32| self.program.code.structs.get(literal as usize).is_some_and(|literal| literal.grouped);
        let around = self.info(info).occurrence;
        let structs = self.node(node).structs.iter().filter(|(literal, ..)| grouped(*literal));
        let other = structs.map(|(.., other)| *other).find(|other| self.is_literal_of(self.info(*other).occurrence, around));
        match other {
            Some(other) => {
                let occurrence = self.info(other).occurrence;
                let data = self.info(info);
                self.new_info(Info { occurrence, ..data })
            }
            None => self.embedding_literal(info),
        }
    }

    fn join_list(&mut self, node: Node, conjunct: Conjunct) -> Run<()> {
        let Expr::List(list) = self.program.code.expr(conjunct.expr) else { return Ok(()) };
        let program = Arc::clone(&self.program);
        let Some(elements) = program.code.lists.get(list as usize) else { return Ok(()) };
        if elements.iter().any(|element| matches!(element, Element::Comprehension(_))) {
            self.extra_mut(node).tasks.push(Task::List(conjunct));
            return Ok(());
        }
        let mut index = 0;
        let mut rest = None;
        for element in elements {
            match element {
                Element::Value(slot) => {
                    let arc = self.element(node, index)?;
                    self.give(arc, *slot, conjunct.env, conjunct.info, node, false)?;
                    index += 1;
                }
                Element::Rest(value) => {
                    rest = Some(value.map(|expr| Conjunct { expr, ..conjunct }));
                }
                Element::Comprehension(_) => {}
            }
        }
        self.shape_list(node, index, rest, conjunct.expr)
    }

    /// An element of a list, made if there is none.
    pub(crate) fn element(&mut self, node: Node, index: u32) -> Run<Node> {
        let arc = self.arc(node, Label::index(index as usize), Presence::Member)?;
        let list = self.extra_mut(node).list.get_or_insert_default();
        list.known = list.known.max(index + 1);
        Ok(arc)
    }

    /// Says how long a list is, and what further elements must be.
    pub(crate) fn shape_list(&mut self, node: Node, count: u32, rest: Option<Option<Conjunct>>, expr: ExprId) -> Run<()> {
        let list = self.extra_mut(node).list.get_or_insert_default();
        let known = list.known;
        let conflict = match (list.length, &rest) {
            (Some(length), None) if length != count => Some(length),
            (Some(length), Some(_)) if length < count => Some(length),
            (None, None) if known > count => Some(known),
            _ => None,
        };
        if let Some(length) = conflict {
            let spans = vec![self.span_of(expr)];
            let bottom = self.bottom(Code::Eval, node, Reason::ListLength(length, count), spans);
            self.fail(node, bottom);
            return Ok(());
        }
        match rest {
            None => list.length = Some(count),
            Some(rest) => {
                list.rests.push((count, rest));
                if let Some(conjunct) = rest {
                    for arc in self.node(node).arcs.clone() {
                        let label = self.node(arc).label;
                        if label.is_index() && label.id() >= count {
                            let info = self.optional_info(conjunct.info);
                            let info = self.child_info(info, arc, node, false);
                            self.add_conjunct(arc, Conjunct { info, ..conjunct })?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn constrain_element(&mut self, node: Node, arc: Node, index: u32) -> Run<()> {
        let Some(list) = self.extra(node).and_then(|extra| extra.list.clone()) else { return Ok(()) };
        if let Some(length) = list.length
            && index >= length
        {
            let bottom = self.bottom(Code::Eval, node, Reason::ListLength(length, index + 1), Vec::new());
            self.fail(node, bottom);
        }
        for (from, rest) in list.rests {
            if let Some(conjunct) = rest
                && index >= from
            {
                let info = self.optional_info(conjunct.info);
                let info = self.child_info(info, arc, node, false);
                self.add_conjunct(arc, Conjunct { info, ..conjunct })?;
            }
        }
        Ok(())
    }

    /// The comprehension of a number.
    pub(crate) fn comprehension_of(program: &crate::program::Program, id: u32) -> Option<&LoweredComprehension> {
        program.code.comprehensions.get(id as usize)
    }
}
