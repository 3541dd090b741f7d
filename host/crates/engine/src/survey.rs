//! A conversation without a plan: answers come from the records, or nothing is known.
//!
//! Used where a specification is only looked at: `output`, `validate`, `drift`, what is destroyed, and which addresses a target
//! takes along. No provider is started but for function calls, and for data sources that have no record yet where that is asked for.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pravo_diag::Diagnostic;
use pravo_model::specification::{Answer, Body, Event, Instance, InstanceId, Kind, QuestionId, QuestionKind, Specification};
use pravo_model::state::StateView;
use pravo_model::{Address, Path};

use crate::failure::{Failure, state_diagnostic};
use crate::functions::{self, Call, Functions};
use crate::plan::{Shared, read_once, record_answer};
use crate::pool::Pool;
use crate::request::Known;
use crate::subject::Subject;

/// What a survey hands on as it is found.
pub(crate) enum Found {
    Instance(Instance),
    Body(Box<Body>),
}

/// A survey in progress.
pub(crate) struct Survey<'a> {
    state: &'a dyn StateView,
    pool: &'a Pool,
    known: Known,
    functions: Functions,
    calls: Vec<Call>,
    ephemerals: HashSet<Address>,
    reads: Option<Reads<'a>>,
    waiting: Vec<(QuestionId, Address, Path)>,
    answers: Vec<(QuestionId, Answer)>,
    errors: Vec<Diagnostic>,
}

/// What reading data sources needs.
struct Reads<'a> {
    shared: &'a Shared,
    instances: HashMap<InstanceId, Instance>,
    data: HashMap<Address, Body>,
}

impl<'a> Survey<'a> {
    pub(crate) fn new(state: &'a dyn StateView, pool: &'a Pool, known: Known) -> Self {
        Self {
            state,
            pool,
            known,
            functions: Functions::new(state.key(), &[]),
            calls: Vec::new(),
            ephemerals: HashSet::new(),
            reads: None,
            waiting: Vec::new(),
            answers: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Also reads data sources that have no record and whose values are asked for: whether a resource is there may hang on them.
    #[must_use]
    pub(crate) fn reading(self, shared: &'a Shared) -> Self {
        Self { reads: Some(Reads { shared, instances: HashMap::new(), data: HashMap::new() }), ..self }
    }

    /// Goes through a conversation to its end.
    pub(crate) async fn run(mut self, specification: &mut dyn Specification, mut found: impl FnMut(Found)) -> Result<(), Failure> {
        loop {
            let progress = match specification.advance() {
                Ok(progress) => progress,
                Err(diagnostics) => {
                    self.errors.extend(diagnostics);
                    return Err(Failure::new(self.errors, specification.sources().clone()));
                }
            };
            for event in progress.events {
                self.event(event, &mut found);
            }
            self.call_functions().await;
            if self.answers.is_empty() && !progress.more {
                self.read_waiting().await;
            }
            if self.answers.is_empty() && !progress.more {
                self.give_up_waiting();
            }
            if self.answers.is_empty() && !progress.more {
                break;
            }
            for (question, answer) in self.answers.drain(..) {
                specification.answer(question, answer);
            }
        }
        if self.errors.is_empty() { Ok(()) } else { Err(Failure::new(self.errors, specification.sources().clone())) }
    }

    fn event(&mut self, event: Event, found: &mut impl FnMut(Found)) {
        match event {
            Event::Instance(instance) => {
                if let Some(reads) = &mut self.reads {
                    reads.instances.insert(instance.id, (*instance).clone());
                }
                found(Found::Instance(*instance));
            }
            Event::Group(_) => {}
            Event::Body(body) => {
                if body.kind == Kind::Ephemeral {
                    self.ephemerals.insert(body.address.clone());
                }
                if let (Kind::Data, Some(reads)) = (body.kind, &mut self.reads) {
                    reads.data.insert(body.address.clone(), (*body).clone());
                }
                found(Found::Body(body));
            }
            Event::Question(question) => match question.kind {
                QuestionKind::Attribute { owner, path } => match self.recorded(&owner, &path) {
                    Some(answer) => self.answers.push((question.id, answer)),
                    None => self.waiting.push((question.id, owner, path)),
                },
                QuestionKind::Call { binding, function, arguments, at } => {
                    let call = Call { binding, function, arguments, at };
                    match self.functions.ask(question.id, &call) {
                        Ok(answer) => self.answers.push((question.id, answer)),
                        Err(true) => self.calls.push(call),
                        Err(false) => {}
                    }
                }
            },
        }
    }

    fn recorded(&mut self, owner: &Address, path: &Path) -> Option<Answer> {
        if self.known == Known::Nothing {
            return None;
        }
        let record = match self.state.record(owner) {
            Ok(record) => record?,
            Err(error) => {
                self.errors.push(state_diagnostic(&error));
                return Some(Answer::Failed);
            }
        };
        match record_answer(self.pool, &record, path) {
            Ok(answer) => Some(answer),
            Err(diagnostic) => {
                self.errors.push(diagnostic);
                Some(Answer::Failed)
            }
        }
    }

    /// Reads what is waited for and can be read now: what stands on resources may be deferred, and is not.
    async fn read_waiting(&mut self) {
        let Some(reads) = &self.reads else { return };
        let mut left = Vec::new();
        for (question, owner, path) in std::mem::take(&mut self.waiting) {
            let mut diagnostics = Vec::new();
            match reads.read(&owner, &mut diagnostics).await {
                Some((subject, value)) => {
                    let sensitive = subject.is_sensitive(&path);
                    let value = value.get(&path).cloned().unwrap_or_default();
                    self.answers.push((question, Answer::Known { value, sensitive, ephemeral: false }));
                }
                None => left.push((question, owner, path)),
            }
            self.errors.extend(diagnostics.into_iter().filter(Diagnostic::is_error));
        }
        self.waiting = left;
    }

    /// What has no record is unknown, once nothing else can be found out: by then it is known whether it is ephemeral.
    fn give_up_waiting(&mut self) {
        for (question, owner, _) in std::mem::take(&mut self.waiting) {
            let ephemeral = self.ephemerals.contains(&owner);
            self.answers.push((question, Answer::Unknown { sensitive: false, ephemeral }));
        }
    }

    async fn call_functions(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            let mut diagnostics = Vec::new();
            let result = functions::call(self.pool, &call, &mut diagnostics).await;
            self.errors.extend(diagnostics.into_iter().filter(Diagnostic::is_error));
            let (answers, _) = self.functions.done(&call, result);
            self.answers.extend(answers);
        }
    }
}

impl Reads<'_> {
    async fn read(&self, owner: &Address, diagnostics: &mut Vec<Diagnostic>) -> Option<(Subject, pravo_model::Value)> {
        let body = self.data.get(owner)?;
        let instance = self.instances.get(&body.instance)?;
        let mut dependencies = body.references.iter().chain(&body.depends_on).chain(&instance.dependencies);
        if !body.config.is_wholly_known() || !instance.config.is_wholly_known() || !dependencies.all(|address| self.data.contains_key(address)) {
            return None;
        }
        let pool = &self.shared.pool;
        let binding = Arc::new(instance.binding.clone());
        let subject = Subject::new(pool, &binding, body.kind, &body.type_name, owner, Some(body.span)).ok()?;
        let slot = pool.slot(&binding, Some(instance.config.clone()), &instance.address, Some(instance.span));
        let value = read_once(self.shared, &subject, &slot, &body.config, diagnostics).await.ok()?;
        Some((subject, value))
    }
}
