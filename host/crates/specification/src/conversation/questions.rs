//! Questions and answers: what the evaluation asks is told outside under addresses, and the answers are brought back.

use std::collections::{HashMap, HashSet};

use pravo_cue::{Ask, Node};
use pravo_diag::Diagnostic;
use pravo_model::provider::ProviderBinding;
use pravo_model::specification::{Answer, CallPlace, Event, Question, QuestionId, QuestionKind};
use pravo_model::{Path, Value};

use super::Conversation;
use super::registry::EntryId;
use super::template::{placed, provider_package, templates};
use crate::evaluation::{Asked, Evaluation, Hosted, Reply};
use crate::package::argument_field;
use crate::place::place;
use crate::raw::{Raw, RawStep, path_text};

/// What is asked.
#[derive(Default)]
pub(super) struct Questions {
    /// By their numbers.
    asks: Vec<Ask>,
    /// Raised, not told yet: the owner may not have been visited.
    raised: Vec<Ask>,
    /// Told, not answered.
    open: HashMap<QuestionId, Option<EntryId>>,
    /// Answered.
    answered: HashSet<Ask>,
    /// Answered with a failure.
    failed: HashSet<Ask>,
    /// Owners whose bodies were given away: their questions are owed an answer.
    given: HashSet<EntryId>,
}

impl Questions {
    /// Whether a question has no answer yet.
    pub(super) fn are_open(&self) -> bool {
        !self.open.is_empty() || !self.raised.is_empty()
    }

    /// Whether a question can be answered from outside: a function call, or an attribute of a body that was given away.
    pub(super) fn are_owed(&self) -> bool {
        self.open.values().any(|owner| owner.is_none_or(|owner| self.given.contains(&owner)))
    }

    pub(super) fn give(&mut self, owner: EntryId) {
        self.given.insert(owner);
    }

    /// Whether a question was answered with a failure.
    pub(super) fn has_failed(&self, ask: Ask) -> bool {
        self.failed.contains(&ask)
    }

    /// Whether a question has its answer.
    pub(super) fn is_answered(&self, ask: Ask) -> bool {
        self.answered.contains(&ask)
    }
}

impl<E: Evaluation> Conversation<E> {
    /// Tells the questions that were raised.
    pub(super) fn ask(&mut self) {
        let mut raised = std::mem::take(&mut self.questions.raised);
        raised.extend(self.evaluation.new_asks());
        for ask in raised {
            match self.evaluation.asked(ask) {
                Asked::Attribute { owner, path } => self.ask_attribute(ask, owner, &path),
                Asked::Call { call, arguments } => self.ask_call(ask, call, arguments),
            }
        }
    }

    fn ask_attribute(&mut self, ask: Ask, owner: Node, path: &[RawStep]) {
        if let Some(id) = self.registry.by_node.get(&owner).copied() {
            let Some(entry) = self.registry.entry(id) else { return };
            let path = self.registry.block(entry).map(|block| place(block, path).path).unwrap_or_else(|| plain_path(path));
            let kind = QuestionKind::Attribute { owner: entry.address.clone(), path };
            return self.tell(ask, Some(id), kind);
        }
        match self.evaluation.hosted(owner) {
            Some(Hosted::Unknown) => self.reply(ask, Reply { value: None, sensitive: false, ephemeral: false }),
            Some(Hosted::Provider) if !self.evaluation.is_template(owner) => {
                self.reply(ask, Reply { value: Some(Value::Null), sensitive: false, ephemeral: false });
            }
            _ if self.walk.is_waiting() && !self.evaluation.is_template(owner) => self.questions.raised.push(ask),
            _ => self.refuse_template(ask, owner, path),
        }
    }

    fn refuse_template(&mut self, ask: Ask, owner: Node, path: &[RawStep]) {
        let template = self.evaluation.path(owner);
        let reader = self.evaluation.waiters(ask).into_iter().next();
        let reference = reader.and_then(|reader| self.evaluation.origins(reader).into_iter().find(|origin| self.is_within(origin.target, owner)));
        let attribute = reference.map_or_else(|| format!("{template}.{}", path_text(path)), |reference| self.evaluation.path(reference.target));
        let summary = format!("{attribute} is read, but {template} is a template: nothing is made of it, so it has no such value");
        let help = "read the attribute of a resource that is made from the template";
        let diagnostic = Diagnostic::error("specification.template", summary).with_path(template).with_help(help);
        self.errors.push(match (reference, reader) {
            (Some(reference), _) => diagnostic.at(reference.at, ""),
            (None, Some(reader)) => placed(&self.evaluation, reader, diagnostic),
            (None, None) => diagnostic,
        });
    }

    fn is_within(&self, node: Node, owner: Node) -> bool {
        let mut at = Some(node);
        while let Some(here) = at.filter(|here| *here != owner) {
            at = self.evaluation.parent(here);
        }
        at.is_some()
    }

    fn ask_call(&mut self, ask: Ask, call: Node, arguments: Vec<(String, Raw)>) {
        match self.call(call, arguments) {
            Ok(kind) => self.tell(ask, None, kind),
            Err(error) => self.errors.push(*error),
        }
    }

    fn call(&self, call: Node, mut arguments: Vec<(String, Raw)>) -> Result<QuestionKind, Box<Diagnostic>> {
        let path = self.evaluation.path(call);
        let refuse =
            |summary: String| Box::new(placed(&self.evaluation, call, Diagnostic::error("specification.call", summary)).with_path(path.clone()));
        let found = templates(&self.evaluation, call);
        let Some((template, _)) = found.first() else {
            return Err(refuse(format!("{path} takes its function from no provider instance")));
        };
        let package = provider_package(&self.evaluation, template.instance);
        let schema = package.as_ref().and_then(|package| self.schemas.get(package));
        let (Some(package), Some(function)) = (package, schema.and_then(|schema| schema.functions.get(&template.name))) else {
            return Err(refuse(format!("{path}: there is no function {:?}", template.name)));
        };
        let mut values = Vec::with_capacity(function.parameters.len());
        for parameter in &function.parameters {
            let field = argument_field(function, &parameter.name);
            let raw = arguments.iter().position(|(name, _)| *name == field).map_or(Raw::Null, |at| arguments.swap_remove(at).1);
            let value = raw.into_typed(&parameter.kind).map_err(|mismatch| {
                let place = if mismatch.path.is_empty() { String::new() } else { format!(" at {}", path_text(&mismatch.path)) };
                refuse(format!("{path}: the parameter {}{place} is a {}, not a {}", parameter.name, mismatch.expected, mismatch.found))
            })?;
            values.push(value);
        }
        let allow = self.instance_of(template.instance).and_then(|id| self.registry.instance(id)).map(|instance| self.allow(instance));
        let binding = ProviderBinding { package, allow: allow.transpose().map_err(|mut errors| Box::new(errors.remove(0)))?.unwrap_or_default() };
        let at = CallPlace { path, span: self.evaluation.span(call) };
        Ok(QuestionKind::Call { binding, function: template.name.clone(), arguments: values, at })
    }

    fn tell(&mut self, ask: Ask, owner: Option<EntryId>, kind: QuestionKind) {
        let id = QuestionId(u32::try_from(self.questions.asks.len()).unwrap_or(u32::MAX));
        self.questions.asks.push(ask);
        self.questions.open.insert(id, owner);
        self.events.push(Event::Question(Question { id, kind }));
    }

    /// Brings an answer back.
    pub(super) fn take_answer(&mut self, question: QuestionId, answer: Answer) {
        let Some(ask) = self.questions.asks.get(question.0 as usize).copied() else { return };
        if self.questions.open.remove(&question).is_none() {
            return;
        }
        let reply = match answer {
            Answer::Known { value, sensitive, ephemeral } => Reply { value: Some(value), sensitive, ephemeral },
            Answer::Unknown { sensitive, ephemeral } => Reply { value: None, sensitive, ephemeral },
            Answer::Failed => {
                self.questions.failed.insert(ask);
                Reply { value: None, sensitive: false, ephemeral: false }
            }
        };
        self.reply(ask, reply);
    }

    fn reply(&mut self, ask: Ask, reply: Reply) {
        self.evaluation.answer(ask, reply);
        self.questions.answered.insert(ask);
        self.walk.answered(ask);
        self.open_bodies.extend(self.waiting_bodies.remove(&ask).into_iter().flatten());
    }

    /// What is asked, as `pet.id`.
    pub(super) fn ask_text(&self, ask: Ask) -> String {
        match self.evaluation.asked(ask) {
            Asked::Attribute { owner, path } => {
                let owner = match self.registry.by_node.get(&owner).and_then(|id| self.registry.entry(*id)) {
                    Some(entry) => entry.address.to_string(),
                    None => self.evaluation.path(owner),
                };
                format!("{owner}.{}", path_text(&path))
            }
            Asked::Call { call, .. } => format!("{}.result", self.evaluation.path(call)),
        }
    }
}

fn plain_path(path: &[RawStep]) -> Path {
    use pravo_model::PathStep;
    let step = |step: &RawStep| match step {
        RawStep::Field(name) => PathStep::Attribute(name.into()),
        RawStep::Index(index) => PathStep::Index(*index as u64),
    };
    Path(path.iter().map(step).collect())
}
