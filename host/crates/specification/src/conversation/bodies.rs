//! Bodies: configured attributes in the types of the schema, meta fields, edges, marks.

use pravo_cue::Ask;
use pravo_diag::{Diagnostic, Span};
use pravo_model::specification::{Body, Event, InstanceId, Kind, Meta, Move};

use super::Conversation;
use super::instances::plain;
use super::reading::{Findings, PartReader};
use super::registry::{Entry, EntryId, GroupEntry};
use crate::body;
use crate::evaluation::{Evaluation, PartValue, State};
use crate::meta::{Places, group_from, meta};
use crate::place::place;
use crate::raw::{Raw, RawPath, RawStep, path_text};

/// What became of a body.
enum Finished {
    Done,
    Waiting(Vec<Ask>),
    Held,
    Refused,
}

impl<E: Evaluation> Conversation<E> {
    /// Gives away the bodies that are evaluated as far as they can be. Whether there was one.
    pub(super) fn finish_bodies(&mut self) -> bool {
        let mut worked = false;
        let mut open = std::mem::take(&mut self.open_bodies);
        open.append(&mut self.held_bodies);
        let mut open = open.into_iter();
        for id in open.by_ref() {
            match self.finish_body(id) {
                Finished::Done => worked = true,
                Finished::Refused => {}
                Finished::Held => self.held_bodies.push(id),
                Finished::Waiting(asks) => match asks.first() {
                    Some(ask) => self.waiting_bodies.entry(*ask).or_default().push(id),
                    None => self.held_bodies.push(id),
                },
            }
            if self.events.len() >= super::BATCH {
                break;
            }
        }
        self.open_bodies.extend(open);
        worked
    }

    fn finish_body(&mut self, id: EntryId) -> Finished {
        let Some(entry) = self.registry.entry(id).cloned() else { return Finished::Refused };
        match self.evaluation.body_state(entry.node) {
            State::Waiting(asks) => return Finished::Waiting(asks),
            State::Failed { .. } => {
                self.errors.extend(self.evaluation.failures(entry.node));
                return Finished::Refused;
            }
            _ => {}
        }
        let announced = self.registry.instance(entry.instance).is_some_and(|instance| instance.announced.is_some());
        if !announced || self.group_is_open(&entry) {
            return Finished::Held;
        }
        let depends_on = match self.depends_on(id, &entry) {
            Ok(Some(found)) => found,
            Ok(None) => return Finished::Held,
            Err(errors) => {
                self.errors.extend(errors);
                return Finished::Refused;
            }
        };
        match self.read_body(id, &entry) {
            Ok(mut body) => {
                body.depends_on = self.registry.addresses(depends_on);
                self.events.push(Event::Body(Box::new(body)));
                self.questions.give(id);
                if let Some(entry) = self.registry.entries.get_mut(id.0 as usize) {
                    entry.done = true;
                }
                Finished::Done
            }
            Err(errors) => {
                self.errors.extend(errors);
                Finished::Refused
            }
        }
    }

    fn read_body(&mut self, id: EntryId, entry: &Entry) -> Result<Body, Vec<Diagnostic>> {
        let name = entry.address.to_string();
        let part = self.evaluation.body(entry.node);
        let Some(block) = self.registry.block(entry) else {
            return Err(vec![Diagnostic::error("specification.type", format!("{name}: there is no type {}", entry.type_name)).at(entry.span, "")]);
        };
        let fields = match part.value {
            PartValue::Struct(fields) => fields,
            PartValue::Open => return Err(vec![self.open_body(entry, part.node)]),
            _ => Vec::new(),
        };
        let around = self.evaluation.trace(entry.node);
        let marks = around.marks.with(self.evaluation.presence(entry.node).all_marks());
        if marks.sensitive || marks.ephemeral {
            return Err(vec![self.hidden_presence(entry, marks.sensitive)]);
        }
        let findings = Findings { owners: around.owners, ..Findings::default() };
        let mut reader = PartReader { evaluation: &self.evaluation, name: &name, concrete: true, findings };
        let mut raw: Vec<(String, Raw)> = Vec::with_capacity(fields.len());
        for (field, part) in fields.iter().filter(|(field, _)| field != "$depends_on") {
            raw.push((field.clone(), reader.read(part, &mut vec![RawStep::Field(field.clone())])));
        }
        let mut findings = reader.findings;
        let mut errors = std::mem::take(&mut findings.errors);
        let places = BodyPlaces { conversation: self, findings: &findings, span: entry.span };
        let meta = meta(&entry.address, block, &raw, &places).unwrap_or_else(|more| {
            errors.extend(more);
            Meta::default()
        });
        let (sensitive, ephemeral) = self.marks(entry, &findings, &mut errors);
        let config = match body::configured(block, raw) {
            Ok(config) => config,
            Err(mismatches) => {
                self.mismatches(&name, entry.span, &findings, mismatches);
                return Err(errors);
            }
        };
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut references = self.dependencies(&findings, Some(id));
        references.extend(self.registry.nested.get(&id).into_iter().flatten());
        Ok(Body {
            address: entry.address.clone(),
            kind: entry.kind,
            type_name: entry.type_name.clone(),
            instance: InstanceId(entry.instance),
            config,
            sensitive,
            ephemeral,
            meta: self.with_group_move(entry, meta),
            references: self.registry.addresses(references),
            depends_on: Vec::new(),
            reads_failed: findings.asks.iter().any(|ask| self.questions.has_failed(*ask)),
            span: entry.span,
        })
    }

    /// The marks of a body as paths of the schema; an ephemeral value where it would be stored is an error.
    fn marks(&self, entry: &Entry, findings: &Findings, errors: &mut Vec<Diagnostic>) -> (Vec<pravo_model::Path>, Vec<pravo_model::Path>) {
        let Some(block) = self.registry.block(entry) else { return Default::default() };
        let attributes = findings.sensitive.iter().filter(|path| !is_meta(path));
        let mut sensitive: Vec<pravo_model::Path> = attributes.map(|path| place(block, path).path).collect();
        sensitive.sort();
        sensitive.dedup();
        let mut ephemeral = Vec::new();
        for (path, node) in &findings.ephemeral {
            let place = place(block, path);
            if is_meta(path) || (entry.kind != Kind::Ephemeral && !place.write_only) {
                let summary = format!("{}.{}: an ephemeral value would be stored here", entry.address, path_text(path));
                let help = "ephemeral values go to provider configurations, other ephemerals and write-only attributes";
                let span = self.evaluation.span(*node).unwrap_or(entry.span);
                errors.push(Diagnostic::error("specification.ephemeral", summary).with_path(entry.address.to_string()).at(span, "").with_help(help));
            }
            ephemeral.push(place.path);
        }
        ephemeral.sort();
        ephemeral.dedup();
        (sensitive, ephemeral)
    }

    /// Whether a resource exists, and how it is called, is seen by everybody.
    fn hidden_presence(&self, entry: &Entry, sensitive: bool) -> Diagnostic {
        let what = if sensitive { "a sensitive value" } else { "an ephemeral value" };
        // The address itself may be the secret.
        let summary = format!("the address of a {} or its presence is made from {what}", entry.type_name);
        let help = "addresses are shown and stored: let labels and guards around resources depend on other values";
        Diagnostic::error("specification.presence", summary).at(entry.span, "").with_help(help)
    }

    fn open_body(&self, entry: &Entry, node: pravo_cue::Node) -> Diagnostic {
        let openings = self.evaluation.openings(node);
        let mut asks: Vec<String> = openings.iter().flat_map(|opening| &opening.asks).map(|ask| self.ask_text(*ask)).collect();
        asks.sort();
        asks.dedup();
        let what = if asks.is_empty() { "a value".to_owned() } else { asks.join(", ") };
        let summary = format!(
            "which attributes {} has must be known when planning, but it depends on {what}, which is known only after the apply",
            entry.address
        );
        let help = "let an attribute be null where it is not set, in place of leaving it out: x: [if c {1}, null][0]";
        let at = openings.first().map_or(entry.span, |opening| opening.at);
        Diagnostic::error("specification.presence", summary).with_path(entry.address.to_string()).at(at, "").with_help(help)
    }

    fn group_is_open(&self, entry: &Entry) -> bool {
        entry.group.and_then(|group| self.registry.groups.get(group as usize)).is_some_and(|group| group.moved.is_none())
    }

    /// The move of a group, brought to a resource below it; its own wins.
    fn with_group_move(&self, entry: &Entry, mut meta: Meta) -> Meta {
        let group = entry.group.and_then(|group| self.registry.groups.get(group as usize));
        if meta.from.is_none()
            && let Some(group) = group
            && let Some(Some(moved)) = &group.moved
            && let Some(from) = entry.address.rebase(&group.address, &moved.from)
        {
            meta.from = Some(Move { from, ..moved.clone() });
        }
        if entry.kind == Kind::Ephemeral {
            meta.from = None;
        }
        meta
    }

    /// What the `$from` of a group says; `None` outside where it is not evaluated yet.
    pub(super) fn group_move(&self, group: &GroupEntry) -> Result<Option<Option<Move>>, Vec<Diagnostic>> {
        match self.evaluation.state(group.from) {
            State::Waiting(_) => return Ok(None),
            State::Failed { .. } => return Err(self.evaluation.failures(group.from)),
            _ => {}
        }
        let part = self.evaluation.value(group.from);
        let nodes = vec![(vec![RawStep::Field("$from".to_owned())], group.from)];
        let findings = Findings { nodes, ..Findings::default() };
        let places = BodyPlaces { conversation: self, findings: &findings, span: self.nowhere };
        group_from(&group.address, &plain(&part), &places).map(Some)
    }
}

fn is_meta(path: &RawPath) -> bool {
    matches!(path.first(), Some(RawStep::Field(name)) if name.starts_with('$'))
}

struct BodyPlaces<'c, E> {
    conversation: &'c Conversation<E>,
    findings: &'c Findings,
    span: Span,
}

impl<E: Evaluation> Places for BodyPlaces<'_, E> {
    fn span(&self, path: &[RawStep]) -> Span {
        self.conversation.span_of(self.findings, path).unwrap_or(self.span)
    }

    fn unknowns(&self, path: &[RawStep]) -> Vec<String> {
        let Some(node) = self.conversation.node_of(self.findings, path) else { return Vec::new() };
        let mut asks: Vec<String> = self.conversation.evaluation.trace(node).asks.into_iter().map(|ask| self.conversation.ask_text(ask)).collect();
        asks.sort();
        asks.dedup();
        asks
    }
}
