//! A specification in evaluation: the walk, the bodies, the questions.
//!
//! Kept true here: a body is given away once everything in it is evaluated as far as it can be, after its instance; nothing is given
//! away once an error was found; a question is asked once; when nothing goes on and no answer is owed, there is a cycle.
//! Deliberately absent: input and output, and anything about records and providers' processes.

mod bodies;
mod instances;
mod output;
mod pointers;
mod presence;
mod questions;
mod reading;
mod registry;
mod stuck;
mod template;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use instances::plain;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pravo_cue::{Ask, Node};
use pravo_diag::{Diagnostic, FileId, SourceMap, Span};
use pravo_model::schema::ProviderSchema;
use pravo_model::specification::{Answer, Event, Group, Input, Output, Progress, QuestionId, Settings, Specification};

use crate::evaluation::{Evaluation, Origin};
use crate::load::Package;
use crate::requirements::ProviderRequirement;
use registry::{EntryId, Registry};
use walk::{Visit, Walk};

/// How many events one call gives at most, about.
const BATCH: usize = 1_000;

/// What a conversation starts with, beside its evaluation.
pub(crate) struct Start {
    pub(crate) sources: SourceMap,
    pub(crate) inputs: Vec<Input>,
    pub(crate) settings: Settings,
    pub(crate) schemas: HashMap<String, Arc<ProviderSchema>>,
    pub(crate) requirements: Vec<ProviderRequirement>,
    pub(crate) packages: Arc<Vec<Package>>,
}

/// A specification in evaluation.
pub(crate) struct Conversation<E> {
    evaluation: E,
    sources: SourceMap,
    inputs: Vec<Input>,
    settings: Settings,
    schemas: HashMap<String, Arc<ProviderSchema>>,
    requirements: Vec<ProviderRequirement>,
    /// The packages of the specification, for what only their syntax tells.
    packages: Arc<Vec<Package>>,
    registry: Registry,
    walk: Walk,
    /// Names of types, shared.
    names: HashMap<String, Arc<str>>,
    /// Bodies that may be complete.
    open_bodies: Vec<EntryId>,
    /// Bodies that wait for an answer.
    waiting_bodies: HashMap<Ask, Vec<EntryId>>,
    /// Bodies that wait for their instance, for a group or for the walk.
    held_bodies: Vec<EntryId>,
    open_instances: Vec<u32>,
    /// Groups whose `$from` is not read yet.
    open_groups: usize,
    /// Resources below a struct that repeats another.
    copies: Vec<(Node, Node, Origin)>,
    questions: questions::Questions,
    wanted: output::Wanted,
    wanted_nodes: HashSet<Node>,
    errors: Vec<Diagnostic>,
    events: Vec<Event>,
    /// For what has no place.
    nowhere: Span,
}

impl<E: Evaluation> Conversation<E> {
    pub(crate) fn new(evaluation: E, start: Start) -> Self {
        let Start { sources, inputs, settings, schemas, requirements, packages } = start;
        let mut walk = Walk::default();
        walk.frontier.push(Visit { node: evaluation.root(), outer: None, group: None, copy: None, depth: 0 });
        Self {
            evaluation,
            sources,
            inputs,
            settings,
            schemas,
            requirements,
            packages,
            registry: Registry::default(),
            walk,
            names: HashMap::new(),
            open_bodies: Vec::new(),
            waiting_bodies: HashMap::new(),
            held_bodies: Vec::new(),
            open_instances: Vec::new(),
            open_groups: 0,
            copies: Vec::new(),
            questions: questions::Questions::default(),
            wanted: output::Wanted::default(),
            wanted_nodes: HashSet::new(),
            errors: Vec::new(),
            events: Vec::new(),
            nowhere: Span::new(FileId(u32::MAX), 0, 0),
        }
    }

    /// Goes on until a batch is full or nothing is left to do without an answer.
    fn go_on(&mut self) -> Result<bool, Diagnostic> {
        loop {
            if !self.walk.is_idle() {
                self.walk()?;
                continue;
            }
            self.check_copies();
            self.want_outputs();
            self.evaluation.run()?;
            if !self.errors.is_empty() || !self.walk.is_idle() {
                if self.errors.is_empty() {
                    continue;
                }
                return Ok(false);
            }
            self.finish_groups();
            let mut worked = self.finish_instances();
            worked |= self.finish_bodies();
            self.ask();
            if self.events.len() >= BATCH {
                return Ok(true);
            }
            if !worked {
                return Ok(false);
            }
        }
    }

    /// Whether nothing is left.
    fn is_done(&self) -> bool {
        self.walk.is_idle()
            && !self.walk.is_waiting()
            && self.open_bodies.is_empty()
            && self.waiting_bodies.is_empty()
            && self.held_bodies.is_empty()
            && self.open_instances.is_empty()
            && !self.questions.are_open()
    }

    fn advance_once(&mut self) -> Result<Progress, Vec<Diagnostic>> {
        let more = self.go_on().map_err(|error| vec![error])?;
        let done = !more && self.is_done();
        if done {
            self.check_leaves();
        } else if !more && self.errors.is_empty() && self.events.is_empty() && !self.questions.are_owed() {
            self.explain_stuck();
        }
        if self.errors.is_empty() {
            return Ok(Progress { events: std::mem::take(&mut self.events), more, done });
        }
        let mut errors = std::mem::take(&mut self.errors);
        errors.sort_by_key(|error| error.labels.first().map(|label| (label.span.file, label.span.start)));
        errors.dedup();
        Err(errors)
    }

    /// Reports plain values that failed.
    fn check_leaves(&mut self) {
        for node in std::mem::take(&mut self.walk.leaves) {
            if let crate::evaluation::State::Failed { last: true } = self.evaluation.state(node) {
                self.errors.extend(self.evaluation.failures(node));
            }
        }
    }
}

impl<E: Evaluation> Specification for Conversation<E> {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn sources(&self) -> &SourceMap {
        &self.sources
    }

    fn advance(&mut self) -> Result<Progress, Vec<Diagnostic>> {
        self.advance_once()
    }

    fn answer(&mut self, question: QuestionId, answer: Answer) {
        self.take_answer(question, answer);
    }

    fn want_output(&mut self, path: Option<&str>) -> Result<(), Vec<Diagnostic>> {
        self.wanted.add(path)
    }

    fn output(&mut self, path: Option<&str>) -> Result<Output, Vec<Diagnostic>> {
        self.read_output(path)
    }

    fn inputs(&self) -> Vec<Input> {
        self.inputs.clone()
    }
}

impl<E: Evaluation> Conversation<E> {
    /// Reads the `$from` of groups, as far as they are evaluated, and tells of them.
    fn finish_groups(&mut self) {
        for index in self.open_groups..self.registry.groups.len() {
            let Some(group) = self.registry.groups.get(index).cloned() else { break };
            match self.group_move(&group) {
                Ok(None) => return,
                Ok(Some(moved)) => {
                    if let Some(moved) = &moved {
                        self.events.push(Event::Group(Group { address: group.address.clone(), from: moved.clone() }));
                    }
                    if let Some(group) = self.registry.groups.get_mut(index) {
                        group.moved = Some(moved);
                    }
                }
                Err(errors) => {
                    self.errors.extend(errors);
                    if let Some(group) = self.registry.groups.get_mut(index) {
                        group.moved = Some(None);
                    }
                }
            }
            self.open_groups = index + 1;
        }
    }
}
