//! The evaluator behind [`Evaluation`]: a session of `pravo-cue`.
//!
//! Kept true here: the only place that knows the session's types; it draws no conclusions.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use pravo_cue::session::{Answer, FieldArc, FieldClass, Limits, Marks, Outcome, Question, Session, Shape, Want};
use pravo_cue::{Ask, Kinds, LabelKind, Node, Value as CueValue, program};
use pravo_diag::{Diagnostic, FileId, SourceMap, Span};
use pravo_model::specification::Kind;
use pravo_model::{Segment, Value};

use crate::convert::{from_cue, number_from_cue, to_cue};
use crate::evaluation::{Asked, Evaluation, Hosted, Label, Opening, Origin, Part, PartValue, Reply, State, Trace};
use crate::load::Package;
use crate::raw::RawStep;

/// The packages that are generated or brought along.
const OWN_DOMAIN: &str = "pravo.dev/";

/// How deep a body is read.
const DEPTH: u32 = 1_000;

/// A session over the packages of a root.
pub(crate) struct Evaluator {
    session: Session,
    /// How many questions were told.
    told: u32,
    /// The import path of the root.
    root_path: String,
    /// Files that are generated: nobody wrote what stands there.
    generated: HashSet<FileId>,
}

struct Packages(BTreeMap<String, Package>);

impl program::Loader for Packages {
    fn package(&mut self, path: &str, _: &mut SourceMap) -> Result<program::LoadedPackage, Box<Diagnostic>> {
        if let Some(package) = self.0.get(path) {
            let canonical = path.split_once(':').map_or(path, |(path, _)| path).to_owned();
            return Ok(program::LoadedPackage::Files { path: canonical, name: package.name.clone(), files: Arc::clone(&package.files) });
        }
        match pravo_cue::packages::package(path) {
            Some(standard) => Ok(program::LoadedPackage::Standard(standard)),
            None => Err(Box::new(Diagnostic::error("cue.import", format!("there is no standard package {path:?}")))),
        }
    }
}

impl Evaluator {
    /// Builds the program of a root and begins its evaluation.
    ///
    /// # Errors
    /// What is wrong with the program as it is written.
    pub(crate) fn new(root: &Package, imported: Vec<Package>, sources: &mut SourceMap, limits: &Limits) -> Result<Self, Vec<Diagnostic>> {
        let made = imported.iter().filter(|package| package.import_path.starts_with(OWN_DOMAIN));
        let generated = made.flat_map(|package| package.files.iter()).map(|file| file.span.file).collect();
        let mut packages = Packages(imported.into_iter().map(|package| (package.import_path.clone(), package)).collect());
        let program = program::build(&root.import_path, &root.files, &mut packages, sources);
        if program.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(program.diagnostics);
        }
        let session = Session::new(std::sync::Arc::new(program), *limits);
        Ok(Self { session, told: 0, root_path: root.import_path.clone(), generated })
    }

    fn is_own(&self, span: Span) -> bool {
        !self.generated.contains(&span.file)
    }

    fn own_spans(&self, node: Node) -> impl Iterator<Item = Span> + '_ {
        self.session.spans(node).into_iter().filter(|span| self.is_own(*span))
    }

    fn convert_label(&self, node: Node) -> Label {
        let label = self.session.label(node);
        match label.kind() {
            LabelKind::Regular => Label::Segment(Segment::Field(self.session.label_name(label))),
            LabelKind::Index => Label::Segment(Segment::Index(u64::from(label.id()))),
            LabelKind::Hidden => {
                let package = self.session.label_package(label);
                let foreign = Some(package).filter(|package| *package != self.root_path);
                Label::Segment(Segment::Hidden(self.session.label_name(label), foreign))
            }
            LabelKind::Definition | LabelKind::HiddenDefinition | LabelKind::Anonymous => Label::Other(self.session.label_name(label)),
        }
    }

    /// A value with the nodes that its parts are in.
    fn part(&self, node: Node, value: CueValue) -> Part {
        let value = match value {
            CueValue::Null => PartValue::Null,
            CueValue::Bool(truth) => PartValue::Bool(truth),
            CueValue::Number(number) => number_from_cue(&number).map_or(PartValue::Failed, PartValue::Number),
            CueValue::String(text) => PartValue::String(text.to_string()),
            CueValue::Bytes(_) => PartValue::Bytes,
            CueValue::List(elements) => {
                let nodes = self.parts_of(node);
                let elements = elements.into_iter().enumerate().map(|(index, value)| {
                    let below = nodes.iter().find(|(step, _)| *step == RawStep::Index(index)).map_or(node, |(_, node)| *node);
                    self.part(below, value)
                });
                PartValue::List(elements.collect())
            }
            CueValue::Struct(fields) => {
                let nodes = self.parts_of(node);
                let fields = fields.into_iter().map(|(name, value)| {
                    let below =
                        nodes.iter().find(|(step, _)| matches!(step, RawStep::Field(field) if **field == *name)).map_or(node, |(_, node)| *node);
                    (name.to_string(), self.part(below, value))
                });
                let missing =
                    self.session.arcs(node).into_iter().filter(|arc| arc.class == FieldClass::Regular && arc.presence == program::Presence::Required);
                let missing = missing.map(|arc| (self.session.label_name(arc.label), Part { node: arc.node, value: PartValue::Missing }));
                PartValue::Struct(fields.chain(missing).collect())
            }
            CueValue::Partial { unknown: true, kinds } => self.unknown_part(node, kinds),
            CueValue::Partial { unknown: false, kinds } => PartValue::Incomplete(kinds.to_string()),
            CueValue::Handle(_) => PartValue::Failed,
        };
        Part { node, value }
    }

    fn unknown_part(&self, node: Node, kinds: Kinds) -> PartValue {
        match self.session.shape(node) {
            Shape::Struct { .. } | Shape::List { .. } => PartValue::Open,
            _ if kinds == Kinds::STRUCT || kinds == Kinds::LIST => PartValue::Open,
            _ => PartValue::Unknown,
        }
    }

    fn parts_of(&self, node: Node) -> Vec<(RawStep, Node)> {
        let arcs = self.session.arcs(node).into_iter();
        arcs.filter_map(|arc| match arc.class {
            FieldClass::Regular => Some((RawStep::Field(self.session.label_name(arc.label)), arc.node)),
            FieldClass::Element => Some((RawStep::Index(arc.label.id() as usize), arc.node)),
            _ => None,
        })
        .collect()
    }

    /// A value as others read it: fields of hosted structs with their answers.
    fn answered_part(&self, node: Node) -> Part {
        let node = self.session.answered_node(node);
        let value = match self.session.shape(node) {
            Shape::Struct { open_ended: false } => {
                let arcs = self.session.arcs(node).into_iter();
                let fields = arcs.filter(|arc| arc.class == FieldClass::Regular && arc.presence == program::Presence::Member);
                PartValue::Struct(fields.map(|arc| (self.session.label_name(arc.label), self.answered_part(arc.node))).collect())
            }
            Shape::List { .. } => {
                let arcs = self.session.arcs(node).into_iter();
                PartValue::List(arcs.filter(|arc| arc.class == FieldClass::Element).map(|arc| self.answered_part(arc.node)).collect())
            }
            Shape::Bottom if self.session.error_code(node).is_some_and(|code| !code.is_final()) => PartValue::Incomplete("incomplete".to_owned()),
            Shape::Bottom => PartValue::Failed,
            Shape::Struct { open_ended: true } => PartValue::Open,
            Shape::Pending(_) | Shape::Waiting => PartValue::Unknown,
            _ => match self.session.tree(node) {
                Ok(value) => return self.part(node, value),
                Err(_) => PartValue::Failed,
            },
        };
        Part { node, value }
    }

    /// A part of a body: what the specification says, without the answers to the body's own questions. What only the template declares is
    /// left out.
    fn configured_part(&self, node: Node, depth: u32) -> Part {
        let session = &self.session;
        let below = |arc: &FieldArc| {
            if depth >= DEPTH || session.is_only_declared(arc.node) { None } else { Some(self.configured_part(arc.node, depth + 1)) }
        };
        let value = match session.shape(node) {
            Shape::Struct { open_ended: true } => PartValue::Open,
            Shape::Struct { .. } => {
                let mut fields = Vec::new();
                let mut missing = Vec::new();
                for arc in session.arcs(node).into_iter().filter(|arc| arc.class == FieldClass::Regular) {
                    match arc.presence {
                        program::Presence::Member if session.is_reference_list(arc.node) => {}
                        program::Presence::Member => fields.extend(below(&arc).map(|part| (session.label_name(arc.label), part))),
                        program::Presence::Required => {
                            missing.push((session.label_name(arc.label), Part { node: arc.node, value: PartValue::Missing }));
                        }
                        program::Presence::Optional => {}
                    }
                }
                fields.append(&mut missing);
                PartValue::Struct(fields)
            }
            Shape::List { .. } => {
                let mut elements: Vec<FieldArc> = session.arcs(node).into_iter().filter(|arc| arc.class == FieldClass::Element).collect();
                elements.sort_by_key(|arc| arc.label.id());
                let unknown = |arc: &FieldArc| Part { node: arc.node, value: self.unknown_part(arc.node, Kinds::TOP) };
                PartValue::List(elements.iter().map(|arc| below(arc).unwrap_or_else(|| unknown(arc))).collect())
            }
            _ => match session.tree(node) {
                Ok(value) => return self.part(node, value),
                Err(_) => PartValue::Incomplete(session.kinds(node).to_string()),
            },
        };
        Part { node, value }
    }

    fn path_steps(&self, path: &[pravo_cue::Label]) -> Vec<RawStep> {
        let step = |label: &pravo_cue::Label| match label.kind() {
            LabelKind::Index => RawStep::Index(label.id() as usize),
            _ => RawStep::Field(self.session.label_name(*label)),
        };
        path.iter().map(step).collect()
    }
}

fn converted(trace: &pravo_cue::session::Trace) -> Trace {
    let asks = trace.asks.iter().chain(&trace.guards).copied().collect();
    Trace { owners: trace.owners.clone(), asks, marks: trace.marks, guard_marks: trace.guard_marks }
}

impl Evaluation for Evaluator {
    fn root(&self) -> Node {
        self.session.root()
    }

    fn want(&mut self, node: Node, whole: bool) {
        self.session.want(node, if whole { Want::Final } else { Want::Value });
    }

    fn want_body(&mut self, node: Node) {
        self.session.want(node, Want::Body);
    }

    fn want_answers(&mut self, node: Node) -> bool {
        // A limit that is exceeded here is reported by the next run.
        let _ = self.session.want_answer(node);
        let answered = self.session.answered_node(node);
        !matches!(self.session.shape(answered), Shape::Waiting)
    }

    fn run(&mut self) -> Result<(), Diagnostic> {
        self.session.run().map(|_| ()).map_err(|limit| {
            let help = "raise it with --eval-steps or --eval-memory, or make the specification smaller";
            let diagnostic = Diagnostic::error("cue.limit", limit.to_string()).with_path(limit.path.clone()).with_help(help);
            match limit.span {
                Some(span) => diagnostic.at(span, ""),
                None => diagnostic,
            }
        })
    }

    fn new_asks(&mut self) -> Vec<Ask> {
        let mut asks = Vec::new();
        while self.session.question(Ask(self.told)).is_some() {
            asks.push(Ask(self.told));
            self.told += 1;
        }
        asks
    }

    fn asked(&self, ask: Ask) -> Asked {
        match self.session.question(ask) {
            Some(Question::Attribute { owner, path, .. }) => Asked::Attribute { owner, path: self.path_steps(&path) },
            Some(Question::Call { template, arguments }) => {
                let arguments = match arguments {
                    CueValue::Struct(fields) => fields.into_iter().map(|(name, value)| (name.to_string(), from_cue(value))).collect(),
                    _ => Vec::new(),
                };
                Asked::Call { call: template, arguments }
            }
            None => Asked::Attribute { owner: self.session.root(), path: Vec::new() },
        }
    }

    fn answer(&mut self, ask: Ask, reply: Reply) {
        let marks = Marks { sensitive: reply.sensitive, ephemeral: reply.ephemeral };
        let answer = match reply.value {
            Some(Value::Unknown) | None => Answer::Unknown,
            Some(value) => Answer::Known(to_cue(value)),
        };
        self.session.answer(ask, answer, marks);
    }

    fn waiters(&self, ask: Ask) -> Vec<Node> {
        self.session.waiters(ask)
    }

    fn label(&self, node: Node) -> Label {
        self.convert_label(node)
    }

    fn parent(&self, node: Node) -> Option<Node> {
        self.session.parent(node)
    }

    fn children(&self, node: Node) -> Vec<(Label, Node)> {
        let arcs = self.session.arcs(node).into_iter();
        arcs.filter(|arc| arc.presence == program::Presence::Member).map(|arc| (self.convert_label(arc.node), arc.node)).collect()
    }

    fn field(&self, node: Node, name: &str) -> Option<Node> {
        self.session.member(node, name)
    }

    fn hidden(&self, node: Node) -> Vec<Node> {
        self.session.hidden_fields(node)
    }

    fn is_template(&self, node: Node) -> bool {
        self.session.is_template(node)
    }

    fn hosted(&self, node: Node) -> Option<Hosted> {
        Some(match self.session.host_kind(node)? {
            "provider" => Hosted::Provider,
            "resource" => Hosted::Body(Kind::Resource),
            "data" => Hosted::Body(Kind::Data),
            "ephemeral" => Hosted::Body(Kind::Ephemeral),
            "function" => Hosted::Function,
            "unknown" => Hosted::Unknown,
            _ => return None,
        })
    }

    fn origins(&self, node: Node) -> Vec<Origin> {
        let origins = self.session.origins(node).into_iter();
        origins.map(|origin| Origin { target: origin.target, bare: origin.bare, at: origin.at }).collect()
    }

    fn pointers(&self, node: Node) -> Vec<(Span, Option<Node>)> {
        let elements = self.session.arcs(node).into_iter().filter(|arc| arc.class == FieldClass::Element);
        let pointer = |node: Node| {
            let origin = self.session.origins(node).into_iter().next();
            let span = origin.map(|origin| origin.at).or_else(|| self.session.span(node)).unwrap_or(Span::new(pravo_diag::FileId(u32::MAX), 0, 0));
            (span, origin.map(|origin| origin.target))
        };
        elements.map(|arc| pointer(arc.node)).collect()
    }

    fn is_pointers(&self, node: Node) -> bool {
        self.session.is_reference_list(node)
    }

    fn openings(&self, node: Node) -> Vec<Opening> {
        let open = self.session.open_comprehensions(node).into_iter();
        open.map(|open| {
            let waits = open.asks.iter().copied().filter(|ask| self.session.is_open(*ask)).collect();
            Opening { at: open.at, waits, asks: open.asks }
        })
        .collect()
    }

    fn state(&self, node: Node) -> State {
        match self.session.shape(node) {
            Shape::Waiting => State::Waiting(self.session.waits_for(node)),
            Shape::Bottom => State::Failed { last: self.session.error_code(node).is_none_or(|code| code.is_final()) },
            Shape::Struct { .. } => State::Struct,
            Shape::List { .. } => State::List,
            Shape::Pending(_) => State::Unknown,
            Shape::Scalar(_) | Shape::Constraint { .. } | Shape::Disjunction(_) => State::Scalar,
        }
    }

    fn is_constrained(&self, node: Node) -> bool {
        self.session.is_constrained(node)
    }

    fn body_state(&self, owner: Node) -> State {
        match self.session.unfinished(owner) {
            Some(Outcome::Waiting(asks)) => State::Waiting(asks),
            Some(Outcome::Bottom(_)) => State::Failed { last: true },
            _ => match self.session.shape(owner) {
                Shape::Struct { open_ended: true } => State::Unknown,
                _ => self.state(owner),
            },
        }
    }

    fn body(&self, owner: Node) -> Part {
        match self.session.unfinished(owner) {
            Some(_) => Part { node: owner, value: PartValue::Failed },
            None => match self.configured_part(owner, 0) {
                Part { value: PartValue::Unknown, node } => Part { node, value: PartValue::Open },
                part => part,
            },
        }
    }

    fn value(&self, node: Node) -> Part {
        self.answered_part(node)
    }

    fn trace(&self, node: Node) -> Trace {
        converted(self.session.trace(node))
    }

    fn presence(&self, owner: Node) -> Trace {
        converted(self.session.presence_trace(owner))
    }

    fn value_span(&self, node: Node) -> Option<Span> {
        self.own_spans(node).next().or_else(|| self.span(node))
    }

    fn span(&self, node: Node) -> Option<Span> {
        let mut at = Some(node);
        while let Some(node) = at {
            let span = self.session.span(node).filter(|span| self.is_own(*span)).or_else(|| self.own_spans(node).next());
            if span.is_some() {
                return span;
            }
            at = self.session.parent(node);
        }
        self.session.span(node)
    }

    fn attributes(&self, node: Node) -> Vec<String> {
        self.session.attributes(node)
    }

    fn path(&self, node: Node) -> String {
        self.session.path(node)
    }

    fn failures(&self, node: Node) -> Vec<Diagnostic> {
        if let Some(error) = self.session.error(node) {
            return vec![error];
        }
        match self.session.configured(node) {
            Outcome::Bottom(errors) => errors,
            _ => Vec::new(),
        }
    }
}
