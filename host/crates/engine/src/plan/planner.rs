//! The conversation of a plan: bodies are decided as they become complete, and what was decided answers the questions.
//!
//! Kept true here: a body is decided once everything that it depends on is; each question is answered once; what runs beside
//! the evaluation is bounded by the parallelism. Memory is bounded by what is in flight: a body that is as recorded is dropped at once.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use pravo_diag::{Diagnostic, SourceMap};
use pravo_model::plan::{Drift, GraphCounts};
use pravo_model::specification::{
    Answer, Body, Event, Group, Instance, InstanceId, Kind, Question, QuestionId, QuestionKind, Settings, Specification,
};
use pravo_model::state::{Head, Intent, Record};
use pravo_model::{Address, Path, RefreshAge};
use tokio::task::JoinSet;

use super::jobs::{self, Finished, Job, Shared};
use super::node::{Decided, Graph, NodeId};
use super::scope::Scope;
use crate::deprecated::warnings;
use crate::diagnose::Place;
use crate::failure::{Failure, state_diagnostic};
use crate::fingerprint::{self, fingerprint};
use crate::functions::{Call, Functions};
use crate::instances::{Instances, Known};
use crate::pool::Pool;
use crate::record;
use crate::request::PlanRequest;
use crate::subject::Subject;

/// How a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ran {
    Complete,
    /// More ephemerals are needed than were known of: another conversation opens them.
    Again,
}

pub(crate) struct Planner<'a> {
    pub(super) request: &'a PlanRequest<'a>,
    pub(super) shared: Arc<Shared>,
    pub(super) key: [u8; 32],
    pub(super) default_age: RefreshAge,
    parallelism: usize,
    pub(super) graph: Graph,
    /// Heads that no struct has claimed yet.
    pub(super) heads: HashMap<Address, Head>,
    /// Open intents of a run that was killed.
    pub(super) intents: HashMap<Address, Vec<Intent>>,
    pub(super) instances: Instances,
    subjects: HashMap<(InstanceId, Kind, Arc<str>), Subject>,
    hashes: HashMap<String, Arc<str>>,
    pub(super) ready: VecDeque<NodeId>,
    queue: VecDeque<(Option<NodeId>, Job)>,
    jobs: JoinSet<Finished>,
    answers: Vec<(QuestionId, Answer)>,
    pub(super) functions: Functions,
    pub(super) scope: Option<Scope>,
    /// Ephemerals that something reached needs.
    pub(super) needed: BTreeSet<Address>,
    pub(super) again: bool,
    pub(super) groups: Vec<Group>,
    /// Records that move, old to new.
    pub(super) moved: HashMap<Address, Address>,
    /// Resources whose `$from` names an address without a record, and that have no record themselves.
    pub(super) unmoved: Vec<(NodeId, Address, pravo_diag::Span)>,
    /// Intents that the apply closes.
    pub(super) closes: Vec<(Address, Option<String>)>,
    /// Records that a killed run left uncertain.
    pub(super) recovered: Vec<Record>,
    /// Records that are removed without a call: data sources that left, and uncertain creates that are given up.
    pub(super) forgotten: Vec<Address>,
    pub(super) counts: GraphCounts,
    /// Stamps of records that were read.
    pub(super) stamps: HashMap<Address, [u8; 16]>,
    /// Nodes whose head is to be written anew.
    pub(super) touched: HashSet<NodeId>,
    pub(super) drift: Vec<Drift>,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
    pub(super) blocked: Vec<Diagnostic>,
    buffer: Vec<u8>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(request: &'a PlanRequest<'a>, shared: &Arc<Shared>, settings: &Settings) -> Result<Self, Failure> {
        let state = request.state;
        let key = state.key();
        let mut intents: HashMap<Address, Vec<Intent>> = HashMap::new();
        for intent in state.intents()? {
            intents.entry(intent.address.clone()).or_default().push(intent);
        }
        Ok(Self {
            request,
            shared: Arc::clone(shared),
            key,
            default_age: settings.refresh,
            parallelism: settings.parallelism.max(1),
            graph: Graph::default(),
            heads: state.heads()?.into_iter().collect(),
            intents,
            instances: Instances::new(state.instances()?),
            subjects: HashMap::new(),
            hashes: HashMap::new(),
            ready: VecDeque::new(),
            queue: VecDeque::new(),
            jobs: JoinSet::new(),
            answers: Vec::new(),
            functions: Functions::new(fingerprint::plan_key(&key), &[]),
            scope: None,
            needed: BTreeSet::new(),
            again: false,
            groups: Vec::new(),
            moved: HashMap::new(),
            unmoved: Vec::new(),
            closes: Vec::new(),
            recovered: Vec::new(),
            forgotten: Vec::new(),
            counts: GraphCounts::default(),
            stamps: HashMap::new(),
            touched: HashSet::new(),
            drift: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
            blocked: Vec::new(),
            buffer: Vec::new(),
        })
    }

    /// Goes through the conversation to its end.
    pub(super) async fn run(&mut self, specification: &mut dyn Specification) -> Result<Ran, Failure> {
        loop {
            let progress = match specification.advance() {
                Ok(progress) => progress,
                Err(diagnostics) => {
                    let mut all = std::mem::take(&mut self.errors);
                    all.extend(diagnostics);
                    return Err(Failure::new(all, specification.sources().clone()));
                }
            };
            let found = !progress.events.is_empty();
            for event in progress.events {
                self.event(event);
            }
            self.settle_all()?;
            if self.again {
                // What is being read is kept for the next conversation.
                while self.jobs.join_next().await.is_some() {}
                return Ok(Ran::Again);
            }
            let answered = !self.answers.is_empty();
            for (question, answer) in self.answers.drain(..) {
                specification.answer(question, answer);
            }
            if answered || progress.more {
                continue;
            }
            if self.in_flight() {
                self.wait().await?;
                continue;
            }
            if progress.done && self.is_settled() {
                break;
            }
            // Asked once more without anything new, the specification tells the cycle that it is in.
            if !self.release_dangling(progress.done) && !found {
                return Err(self.stuck(specification.sources()));
            }
        }
        if self.errors.is_empty() { Ok(Ran::Complete) } else { Err(self.failure(specification.sources())) }
    }

    pub(super) fn failure(&mut self, sources: &SourceMap) -> Failure {
        Failure::new(std::mem::take(&mut self.errors), sources.clone())
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Instance(instance) => self.announce(*instance),
            Event::Body(body) => self.body(body),
            Event::Group(group) => self.groups.push(group),
            Event::Question(question) => self.question(question),
        }
    }

    /// A provider instance was found.
    pub(super) fn announce(&mut self, instance: Instance) {
        let hash = match self.hash(&instance.binding.package) {
            Ok(hash) => hash,
            Err(diagnostic) => {
                self.errors.push(diagnostic.at(instance.span, ""));
                Arc::from("")
            }
        };
        if let Ok(schema) = self.shared.pool.providers().schema(&instance.binding.package) {
            let place = Place::new(&instance.address, Some(instance.span));
            self.warnings.extend(warnings(&place, &format!("the provider {}", instance.binding.package), &schema.provider, &instance.config));
        }
        self.instances.add(instance, hash);
    }

    fn hash(&mut self, package: &str) -> Result<Arc<str>, Diagnostic> {
        if let Some(hash) = self.hashes.get(package) {
            return Ok(Arc::clone(hash));
        }
        let hash = self.shared.pool.providers().hash(package);
        let hash: Arc<str> = hash.map_err(|failure| Diagnostic::error("provider.unavailable", failure.message).with_detail(failure.detail))?.into();
        self.hashes.insert(package.to_owned(), Arc::clone(&hash));
        Ok(hash)
    }

    fn question(&mut self, question: Question) {
        match question.kind {
            QuestionKind::Attribute { owner, path } => {
                let id = self.graph.enter(&owner, Kind::Resource);
                if self.graph.node(id).decided.is_some() {
                    let answer = self.answer(id, &path);
                    self.answers.push((question.id, answer));
                } else {
                    self.graph.node_mut(id).questions.push((question.id, path));
                }
            }
            QuestionKind::Call { binding, function, arguments, at } => {
                let call = Call { binding, function, arguments, at };
                match self.functions.ask(question.id, &call) {
                    Ok(answer) => self.answers.push((question.id, answer)),
                    Err(true) => self.queue.push_back((None, Job::Call(call))),
                    Err(false) => {}
                }
            }
        }
    }

    fn body(&mut self, body: Box<Body>) {
        let id = self.graph.enter(&body.address, body.kind);
        let Some(known) = self.instances.get(body.instance).cloned() else {
            let text = format!("{}: its provider instance was not announced", body.address);
            self.errors.push(Diagnostic::error("engine.instance", text).at(body.span, ""));
            return self.settle(id, Decided::Failed);
        };
        let node = self.graph.node_mut(id);
        node.walked = true;
        node.kind = body.kind;
        let shape_owner = match self.subject(&body, &known) {
            Ok(subject) => subject,
            Err(diagnostic) => {
                self.errors.push(diagnostic);
                return self.settle(id, Decided::Failed);
            }
        };
        if shape_owner.deprecates {
            let (place, name) = (Place::new(&body.address, Some(body.span)), format!("the type {}", body.type_name));
            self.warnings.extend(warnings(&place, &name, &shape_owner.schema().block, &body.config));
        }
        if body.kind != Kind::Ephemeral {
            let subject = fingerprint::Subject {
                kind: body.kind,
                type_name: &body.type_name,
                provider_hash: &known.hash,
                instance: known.instance.address.as_str(),
                shape: shape_owner.shape(),
                config: &body.config,
                ephemeral: &body.ephemeral,
            };
            self.graph.node_mut(id).fingerprint = fingerprint(&self.key, &subject, &mut self.buffer);
            if self.claim(id, &body).is_err() {
                return self.settle(id, Decided::Failed);
            }
        }
        self.connect(id, &body, &known);
        let node = self.graph.node_mut(id);
        node.held = Some(body);
        if node.waiting == 0 {
            self.ready.push_back(id);
        }
    }

    fn connect(&mut self, id: NodeId, body: &Body, known: &Known) {
        let addresses = body.references.iter().chain(&body.depends_on).chain(&known.instance.dependencies);
        let mut dependencies: Vec<NodeId> = addresses.map(|address| self.graph.enter(address, Kind::Resource)).filter(|other| *other != id).collect();
        dependencies.sort_unstable();
        dependencies.dedup();
        let mut waiting = 0;
        for dependency in &dependencies {
            let other = self.graph.node_mut(*dependency);
            if other.decided.is_none() {
                other.waiters.push(id);
                waiting += 1;
            }
        }
        let node = self.graph.node_mut(id);
        node.dependencies = dependencies;
        node.waiting = waiting;
    }

    /// The body's type at no particular place; made once per instance and type.
    fn subject(&mut self, body: &Body, known: &Known) -> Result<Subject, Diagnostic> {
        let key = (body.instance, body.kind, Arc::clone(&body.type_name));
        if let Some(subject) = self.subjects.get(&key) {
            return Ok(subject.clone());
        }
        let subject = Subject::new(&self.shared.pool, &known.binding, body.kind, &body.type_name, &body.address, Some(body.span))?;
        self.subjects.insert(key, subject.clone());
        Ok(subject)
    }

    /// The body's type at its place.
    pub(super) fn subject_at(&mut self, body: &Body, known: &Known) -> Result<Subject, Diagnostic> {
        Ok(self.subject(body, known)?.at(&body.address, Some(body.span)))
    }

    fn settle_all(&mut self) -> Result<(), Failure> {
        loop {
            while let Some(id) = self.ready.pop_front() {
                self.decide(id)?;
            }
            self.start_jobs();
            while let Some(finished) = self.jobs.try_join_next() {
                self.finished(finished)?;
            }
            if self.ready.is_empty() {
                return Ok(());
            }
        }
    }

    pub(super) fn reply(&mut self, question: QuestionId, answer: Answer) {
        self.answers.push((question, answer));
    }

    pub(super) fn enqueue(&mut self, node: Option<NodeId>, job: Job) {
        // What is decided before a new conversation is decided again in it.
        if !self.again {
            self.queue.push_back((node, job));
        }
    }

    fn start_jobs(&mut self) {
        while self.jobs.len() < self.parallelism
            && let Some((node, job)) = self.queue.pop_front()
        {
            self.jobs.spawn(jobs::run(Arc::clone(&self.shared), node, job));
        }
    }

    fn in_flight(&self) -> bool {
        !self.jobs.is_empty() || !self.queue.is_empty()
    }

    /// Waits for the next job to end.
    async fn wait(&mut self) -> Result<(), Failure> {
        self.start_jobs();
        let interrupt = self.request.interrupt.clone();
        let finished = tokio::select! {
            finished = self.jobs.join_next() => finished,
            () = interrupt.reached(1) => {
                self.shared.pool.stop().await;
                self.jobs.abort_all();
                return Err(Failure::interrupted());
            }
        };
        match finished {
            Some(finished) => self.finished(finished),
            None => Ok(()),
        }
    }

    /// Waits for all jobs, when the conversation is over.
    pub(super) async fn wait_for_all(&mut self) -> Result<(), Failure> {
        while self.in_flight() {
            self.wait().await?;
        }
        Ok(())
    }

    fn finished(&mut self, finished: Result<Finished, tokio::task::JoinError>) -> Result<(), Failure> {
        match finished {
            Ok(finished) => self.integrate(finished),
            Err(error) => {
                let diagnostic = Diagnostic::error("engine.job", format!("an internal error ended a provider call: {error}"));
                Err(Failure::of(diagnostic.with_help("this is a bug of pravo; report it")))
            }
        }
    }

    /// Decides a node: answers who asked, and releases who waited.
    pub(super) fn settle(&mut self, id: NodeId, decided: Decided) {
        let node = self.graph.node_mut(id);
        if node.decided.is_some() {
            return;
        }
        node.decided = Some(decided);
        node.held = None;
        let questions = std::mem::take(&mut node.questions);
        let waiters = std::mem::take(&mut node.waiters);
        for (question, path) in questions {
            let answer = self.answer(id, &path);
            self.answers.push((question, answer));
        }
        for waiter in waiters {
            let node = self.graph.node_mut(waiter);
            node.waiting = node.waiting.saturating_sub(1);
            if node.waiting == 0 && node.held.is_some() {
                self.ready.push_back(waiter);
            }
        }
    }

    fn answer(&mut self, id: NodeId, path: &Path) -> Answer {
        let node = self.graph.node(id);
        let unknown = |sensitive, ephemeral| Answer::Unknown { sensitive, ephemeral };
        match &node.decided {
            Some(Decided::Visited(visited)) => {
                let sensitive =
                    visited.subject.is_sensitive(path) || visited.sensitive.iter().any(|hidden| hidden.contains(path) || path.contains(hidden));
                match visited.after.get(path).cloned().unwrap_or_default() {
                    pravo_model::Value::Unknown => unknown(sensitive, false),
                    value => Answer::Known { value, sensitive, ephemeral: false },
                }
            }
            Some(Decided::Ephemeral(value, subject)) => {
                let sensitive = subject.is_sensitive(path);
                match value.get(path).cloned().unwrap_or_default() {
                    pravo_model::Value::Unknown => unknown(sensitive, true),
                    value => Answer::Known { value, sensitive, ephemeral: true },
                }
            }
            Some(Decided::Recorded) => match self.load(id) {
                Ok(Some(record)) => self.answer_recorded(&record, path),
                Ok(None) => unknown(false, false),
                Err(diagnostic) => {
                    self.errors.push(diagnostic);
                    Answer::Failed
                }
            },
            Some(Decided::Absent | Decided::Forgotten | Decided::Blocked) => unknown(false, false),
            Some(Decided::Failed) | None => Answer::Failed,
        }
    }

    fn answer_recorded(&mut self, record: &Record, path: &Path) -> Answer {
        match record_answer(&self.shared.pool, record, path) {
            Ok(answer) => answer,
            Err(diagnostic) => {
                self.errors.push(diagnostic);
                Answer::Failed
            }
        }
    }

    /// The record of a node as the state has it, under the node's address; the plan rests on it from now on.
    pub(super) fn load(&mut self, id: NodeId) -> Result<Option<Record>, Diagnostic> {
        let node = self.graph.node(id);
        if node.head.is_none() {
            return Ok(None);
        }
        let stored = node.stored_address().clone();
        let address = node.address.clone();
        let record = self.request.state.record(&stored).map_err(|error| state_diagnostic(&error))?;
        Ok(record.map(|record| {
            self.stamps.entry(stored).or_insert_with(|| record::stamp(&record));
            Record { address, ..record }
        }))
    }

    fn is_settled(&self) -> bool {
        self.ready.is_empty()
            && self.graph.iter().all(|(_, node)| node.decided.is_some() || !node.walked && node.waiters.is_empty() && node.questions.is_empty())
    }

    /// Nodes that are named but never walked cannot be waited for once the specification is done.
    fn release_dangling(&mut self, done: bool) -> bool {
        if !done {
            return false;
        }
        let is_dangling = |id: &NodeId| {
            let node = self.graph.node(*id);
            !node.walked && node.decided.is_none() && !(node.waiters.is_empty() && node.questions.is_empty())
        };
        let dangling: Vec<NodeId> = self.graph.ids().filter(is_dangling).collect();
        dangling.iter().for_each(|id| self.settle(*id, Decided::Absent));
        !dangling.is_empty()
    }

    /// Nothing can go on: earlier errors are the reason, or a cycle.
    fn stuck(&mut self, sources: &SourceMap) -> Failure {
        if !self.errors.is_empty() {
            return self.failure(sources);
        }
        Failure::new(vec![super::cycle::explain(&self.graph)], sources.clone())
    }
}

/// An answer from a record.
pub(crate) fn record_answer(pool: &Pool, record: &Record, path: &Path) -> Result<Answer, Diagnostic> {
    let binding = Arc::new(record.binding.clone());
    let type_name: Arc<str> = record.type_name.as_str().into();
    let subject = Subject::new(pool, &binding, record.head.kind, &type_name, &record.address, None)?;
    let Some(object) = &record.object else {
        return Ok(Answer::Unknown { sensitive: subject.is_sensitive(path), ephemeral: false });
    };
    let sensitive = subject.is_sensitive(path) || object.sensitive.iter().any(|hidden| hidden.contains(path) || path.contains(hidden));
    Ok(Answer::Known { value: record::attribute(&subject, object, path), sensitive, ephemeral: false })
}
