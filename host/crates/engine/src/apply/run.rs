//! The conversation of an apply: bodies become steps, and results answer the questions.
//!
//! Kept true here: a step starts once everything that it needs is done and durable, and its body is known; steps of one address
//! never run side by side; what depends on a failure is skipped, and the rest goes on.

mod answers;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pravo_diag::Diagnostic;
use pravo_model::plan::Action;
use pravo_model::specification::{Answer, Body, Event, Instance, Kind, QuestionId, Specification};
use pravo_model::state::{Change, Head, Status};
use pravo_model::{Address, Path, Value};
use tokio::task::JoinSet;

use super::overlay::Overlay;
use super::step::{self, Did, Done, Job, Shared};
use crate::diagnose::Failed;
use crate::ephemerals::Ephemerals;
use crate::fingerprint::{self, fingerprint};
use crate::functions::{self, Call, Functions};
use crate::instances::{self, Instances};
use crate::observer::RunEvent;
use crate::plan::{Content, Work};
use crate::request::{Applied, ApplyRequest};
use crate::subject::Subject;

/// How long a second wish to end still waits for what is in flight.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// How a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Waiting,
    Running,
    Done,
    Failed,
    Skipped,
}

struct StepState {
    standing: Standing,
    needs: usize,
    dependents: Vec<usize>,
}

/// What a made or read object answers with.
struct Made {
    subject: Subject,
    value: Value,
    sensitive: Vec<Path>,
    ephemeral: bool,
}

/// What comes back from beside the evaluation.
enum Finished {
    Step(Box<Done>),
    Call(Call, Option<Value>, Vec<Diagnostic>),
    Open(Subject, Result<Value, Failed>, Vec<Diagnostic>),
}

pub(super) struct Applier<'a> {
    request: &'a ApplyRequest<'a>,
    content: &'a Content,
    pub(super) shared: Arc<Shared>,
    pub(super) ephemerals: Arc<Ephemerals>,
    key: [u8; 32],
    pub(super) overlay: Overlay<'a>,
    pub(super) instances: Instances,
    /// Targets by address, without deposed objects.
    targets: HashMap<Address, usize>,
    /// The step that makes, changes or reads a target.
    main: HashMap<usize, usize>,
    steps: Vec<StepState>,
    bodies: HashMap<usize, Box<Body>>,
    made: HashMap<Address, Made>,
    /// Owners whose questions cannot be answered.
    lost: HashSet<Address>,
    asked: HashMap<Address, Vec<(QuestionId, Path)>>,
    answers: Vec<(QuestionId, Answer)>,
    ready: VecDeque<usize>,
    busy: HashSet<Address>,
    replacing: HashMap<usize, (Instant, Option<String>)>,
    /// Ephemerals that wait for steps.
    opening: Vec<(Box<Body>, Vec<usize>)>,
    /// Heads whose fingerprint could not be told by the plan.
    unsettled: HashMap<Address, Head>,
    settled: Vec<Change>,
    functions: Functions,
    calls: Vec<Call>,
    jobs: JoinSet<Finished>,
    pub(super) applied: Applied,
    fatal: bool,
    stopping: bool,
}

impl<'a> Applier<'a> {
    pub(super) fn new(request: &'a ApplyRequest<'a>, shared: Arc<Shared>, instances: Instances) -> Self {
        let content = &request.plan.content;
        let mut steps: Vec<StepState> =
            content.steps.iter().map(|step| StepState { standing: Standing::Waiting, needs: step.needs.len(), dependents: Vec::new() }).collect();
        let mut main = HashMap::new();
        for (index, step) in content.steps.iter().enumerate() {
            for need in &step.needs {
                if let Some(needed) = steps.get_mut(*need) {
                    needed.dependents.push(index);
                }
            }
            if matches!(step.work, Work::Create | Work::Update | Work::Read) {
                main.insert(step.target, index);
            }
        }
        let targets = content.targets.iter().enumerate().filter(|(_, target)| target.action != Action::DeleteDeposed);
        let key = request.state.key();
        let unsettled = unsettled(content, &key);
        Self {
            request,
            content,
            shared,
            ephemerals: Arc::default(),
            key,
            overlay: Overlay::new(request.state, &content.moves),
            instances,
            targets: targets.map(|(index, target)| (target.address.clone(), index)).collect(),
            main,
            ready: steps.iter().enumerate().filter(|(_, step)| step.needs == 0).map(|(index, _)| index).collect(),
            steps,
            bodies: HashMap::new(),
            made: HashMap::new(),
            lost: HashSet::new(),
            asked: HashMap::new(),
            answers: Vec::new(),
            busy: HashSet::new(),
            replacing: HashMap::new(),
            opening: Vec::new(),
            unsettled,
            settled: Vec::new(),
            functions: Functions::new(content.key, &content.calls),
            calls: Vec::new(),
            jobs: JoinSet::new(),
            applied: Applied::default(),
            fatal: false,
            stopping: false,
        }
    }

    /// Whether the specification has to be looked at again.
    pub(super) fn needs_conversation(&self) -> bool {
        !self.content.steps.is_empty() || !self.unsettled.is_empty()
    }

    /// Takes all steps.
    pub(super) async fn run(&mut self, specification: &mut dyn Specification) {
        let mut evaluates = true;
        loop {
            let mut more = false;
            if evaluates {
                match specification.advance() {
                    Ok(progress) => {
                        progress.events.into_iter().for_each(|event| self.event(event));
                        more = progress.more;
                    }
                    Err(diagnostics) => {
                        self.applied.errors.extend(diagnostics);
                        evaluates = false;
                    }
                }
            }
            self.start();
            let answered = !self.answers.is_empty();
            for (question, answer) in self.answers.drain(..) {
                specification.answer(question, answer);
            }
            if evaluates && (answered || more) {
                continue;
            }
            if self.jobs.is_empty() {
                if evaluates && self.give_up_waiting() {
                    continue;
                }
                break;
            }
            self.wait().await;
        }
        self.skip_the_rest();
        if !self.settled.is_empty() {
            let settled = std::mem::take(&mut self.settled);
            if let Err(error) = self.shared.writer.commit(settled).await {
                self.applied.errors.push(crate::failure::state_diagnostic(&error));
            }
        }
        self.applied.sources = specification.sources().clone();
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Instance(instance) => self.instance(*instance),
            Event::Body(body) => self.body(body),
            Event::Group(_) => {}
            Event::Question(question) => self.question(question),
        }
    }

    fn instance(&mut self, instance: Instance) {
        match self.shared.pool.providers().hash(&instance.binding.package) {
            Ok(hash) => self.instances.add(instance, hash.into()),
            Err(failure) => self.applied.errors.push(Diagnostic::error("provider.unavailable", failure.message).with_detail(failure.detail)),
        }
    }

    fn body(&mut self, body: Box<Body>) {
        if body.kind == Kind::Ephemeral {
            return self.ephemeral(body);
        }
        match self.targets.get(&body.address) {
            Some(target) => {
                let target = *target;
                if body.reads_failed {
                    return self.give_up(target, &body.address);
                }
                self.bodies.insert(target, body);
            }
            None => {
                if let Some(head) = self.unsettled.remove(&body.address)
                    && let Some(fingerprint) = self.fingerprint(&body)
                {
                    let head = Head { fingerprint: Some(fingerprint), ..head };
                    self.settled.push(Change::Head(body.address.clone(), Box::new(head)));
                }
            }
        }
    }

    fn fingerprint(&self, body: &Body) -> Option<pravo_model::state::Fingerprint> {
        let known = self.instances.get(body.instance)?;
        let subject = Subject::new(&self.shared.pool, &known.binding, body.kind, &body.type_name, &body.address, None).ok()?;
        let parts = fingerprint::Subject {
            kind: body.kind,
            type_name: &body.type_name,
            provider_hash: &known.hash,
            instance: known.instance.address.as_str(),
            shape: subject.shape(),
            config: &body.config,
            ephemeral: &body.ephemeral,
        };
        fingerprint(&self.key, &parts, &mut Vec::new())
    }

    /// Starts whatever can be started.
    fn start(&mut self) {
        if self.fatal || self.stopping {
            return;
        }
        self.open();
        for call in std::mem::take(&mut self.calls) {
            let shared = Arc::clone(&self.shared);
            self.jobs.spawn(async move {
                let mut diagnostics = Vec::new();
                let result = functions::call(&shared.pool, &call, &mut diagnostics).await;
                Finished::Call(call, result, diagnostics)
            });
        }
        let mut later = VecDeque::new();
        while let Ok(permit) = Arc::clone(&self.shared.calling).try_acquire_owned()
            && let Some(step) = self.ready.pop_front()
        {
            if self.steps.get(step).is_none_or(|state| state.standing != Standing::Waiting) {
                continue;
            }
            match self.job(step) {
                Ok(Some(job)) => {
                    self.busy.insert(job.target.address.clone());
                    if let Some(state) = self.steps.get_mut(step) {
                        state.standing = Standing::Running;
                    }
                    let shared = Arc::clone(&self.shared);
                    self.jobs.spawn(async move { Finished::Step(Box::new(step::run(shared, job, permit).await)) });
                }
                Ok(None) => later.push_back(step),
                Err(diagnostic) => {
                    self.applied.errors.extend(diagnostic);
                    self.failed(step);
                }
            }
        }
        later.append(&mut self.ready);
        self.ready = later;
    }

    /// The job of a step; `None` where its body is not known yet, or another step of its address is running.
    fn job(&mut self, index: usize) -> Result<Option<Job>, Option<Diagnostic>> {
        let step = self.content.steps.get(index).ok_or(None)?;
        let target = self.content.targets.get(step.target).ok_or(None)?;
        let makes = matches!(step.work, Work::Create | Work::Update | Work::Read);
        if self.busy.contains(&target.address) || makes && !self.bodies.contains_key(&step.target) {
            return Ok(None);
        }
        let record = self.overlay.get(&target.address).map_err(Some)?;
        let pool = &self.shared.pool;
        let type_name: Arc<str> = target.type_name.as_str().into();
        if !makes {
            // The object that goes may be of another type than the one that comes.
            let binding = Arc::new(record.as_ref().map_or(&target.binding, |record| &record.binding).clone());
            let type_name: Arc<str> = record.as_ref().map_or(target.type_name.as_str(), |record| record.type_name.as_str()).into();
            let subject = Subject::new(pool, &binding, target.kind, &type_name, &target.address, None).map_err(Some)?;
            let instance = record.as_ref().map_or(&target.instance, |record| &record.instance);
            let slot = self.instances.slot_for_record(&self.shared.pool, instance, &binding);
            let Some(slot) = slot else {
                let text = format!("{}: the configuration of its provider instance {instance} is not known", target.address);
                return Err(Some(Diagnostic::error("provider.instance", text)));
            };
            let replacing = self.replacing.get(&step.target).cloned();
            let work = step.work.clone();
            return Ok(Some(Job { step: index, work, target: target.clone(), subject, slot, body: None, fingerprint: None, record, replacing }));
        }
        let Some(body) = self.bodies.get(&step.target) else {
            return Ok(None);
        };
        let known = self.instances.get(body.instance).cloned().ok_or(None)?;
        if !known.instance.config.is_wholly_known() {
            let text = format!("{}: the configuration of its provider {} is still not known", target.address, known.instance.address);
            return Err(Some(
                Diagnostic::error("apply.unknown", text)
                    .at(known.instance.span, "")
                    .with_help("apply what it depends on as well: see --target and --exclude"),
            ));
        }
        let subject = Subject::new(pool, &known.binding, target.kind, &type_name, &target.address, Some(body.span)).map_err(Some)?;
        let fingerprint = self.fingerprint(body);
        let slot = instances::slot(&self.shared.pool, &known);
        let body = self.bodies.remove(&step.target);
        Ok(Some(Job { step: index, work: step.work.clone(), target: target.clone(), subject, slot, body, fingerprint, record, replacing: None }))
    }

    async fn wait(&mut self) {
        let interrupt = self.request.interrupt.clone();
        if self.stopping {
            tokio::select! {
                finished = self.jobs.join_next() => self.take(finished),
                () = interrupt.reached(2) => self.last_wait().await,
            }
            return;
        }
        tokio::select! {
            finished = self.jobs.join_next() => self.take(finished),
            () = interrupt.reached(1) => {
                self.stopping = true;
                self.applied.interrupted = true;
                self.shared.observer.event(RunEvent::Stopping);
                self.shared.pool.stop().await;
            }
        }
    }

    /// The operator asked twice: what does not end soon is left to the next run, whose intents are open.
    async fn last_wait(&mut self) {
        let deadline = tokio::time::Instant::now() + LAST_WAIT;
        while !self.jobs.is_empty() {
            match tokio::time::timeout_at(deadline, self.jobs.join_next()).await {
                Ok(finished) => self.take(finished),
                Err(_) => {
                    self.jobs.shutdown().await;
                    for (index, step) in self.steps.iter_mut().enumerate().filter(|(_, step)| step.standing == Standing::Running) {
                        step.standing = Standing::Failed;
                        let target = self.content.steps.get(index).and_then(|step| self.content.targets.get(step.target));
                        if let Some(target) = target {
                            let text = format!("{}: cut off; the next run finds out what became of it", target.address);
                            self.applied.errors.push(Diagnostic::error("apply.cut_off", text));
                            self.applied.failed.push(target.address.clone());
                        }
                    }
                }
            }
        }
    }

    fn take(&mut self, finished: Option<Result<Finished, tokio::task::JoinError>>) {
        match finished {
            None => {}
            Some(Err(error)) => {
                self.fatal = true;
                let text = format!("an internal error ended a step: {error}");
                self.applied.errors.push(Diagnostic::error("engine.job", text).with_help("this is a bug of pravo; report it"));
            }
            Some(Ok(Finished::Step(done))) => self.step_done(*done),
            Some(Ok(Finished::Call(call, result, diagnostics))) => {
                self.diagnostics(diagnostics);
                let (answers, contradiction) = self.functions.done(&call, result);
                self.applied.errors.extend(contradiction);
                self.answers.extend(answers);
            }
            Some(Ok(Finished::Open(subject, value, diagnostics))) => {
                self.diagnostics(diagnostics);
                match value {
                    Ok(value) => self.make(Made { subject, value, sensitive: Vec::new(), ephemeral: true }),
                    Err(Failed) => self.lose(&subject.address().clone()),
                }
            }
        }
    }

    fn diagnostics(&mut self, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            if diagnostic.is_error() {
                self.applied.errors.push(diagnostic);
            } else {
                self.shared.observer.event(RunEvent::Warning { diagnostic: Box::new(diagnostic) });
            }
        }
    }

    fn step_done(&mut self, done: Done) {
        let Done { step, address, result, record, value, deposed, began, diagnostics, fatal } = done;
        self.busy.remove(&address);
        self.diagnostics(diagnostics);
        self.fatal |= fatal;
        if let Some(record) = record {
            self.overlay.write(&address, record);
        }
        let counts = &mut self.applied.transaction;
        match result {
            Err(Failed) => {
                counts.failed += 1;
                return self.failed(step);
            }
            Ok(Did::Added) => counts.added += 1,
            Ok(Did::Changed) => counts.changed += 1,
            Ok(Did::Destroyed) => counts.destroyed += 1,
            Ok(Did::Read | Did::Nothing) => {}
        }
        let target = self.content.steps.get(step).map(|step| step.target);
        if let (Some(value), Some(target)) = (value, target.and_then(|index| self.content.targets.get(index))) {
            let binding = Arc::new(target.binding.clone());
            let type_name: Arc<str> = target.type_name.as_str().into();
            if let Ok(subject) = Subject::new(&self.shared.pool, &binding, target.kind, &type_name, &address, None) {
                if deposed.is_some() {
                    let id = subject.id(&value);
                    self.replacing.extend(self.content.steps.get(step).map(|step| (step.target, (began, id))));
                }
                let sensitive = self.overlay.get(&address).ok().flatten().and_then(|record| record.object).map(|object| object.sensitive);
                self.make(Made { subject, value, sensitive: sensitive.unwrap_or_default(), ephemeral: false });
            }
        }
        self.release(step);
    }

    fn release(&mut self, step: usize) {
        let Some(state) = self.steps.get_mut(step) else {
            return;
        };
        state.standing = Standing::Done;
        for dependent in state.dependents.clone() {
            if let Some(dependent_state) = self.steps.get_mut(dependent) {
                dependent_state.needs = dependent_state.needs.saturating_sub(1);
                if dependent_state.needs == 0 && dependent_state.standing == Standing::Waiting {
                    self.ready.push_back(dependent);
                }
            }
        }
    }

    fn address(&self, step: usize) -> Option<&'a Address> {
        let target = self.content.steps.get(step)?.target;
        self.content.targets.get(target).map(|target| &target.address)
    }

    fn is_main(&self, step: usize) -> bool {
        self.content.steps.get(step).is_some_and(|one| self.main.get(&one.target) == Some(&step))
    }

    /// A step failed: whatever waits for it is skipped.
    fn failed(&mut self, step: usize) {
        if let Some(state) = self.steps.get_mut(step) {
            state.standing = Standing::Failed;
        }
        let Some(failed) = self.address(step) else {
            return;
        };
        self.applied.failed.push(failed.clone());
        if self.is_main(step) {
            self.lose(failed);
        }
        self.skip_dependents(step, failed);
    }

    /// What a target reads has failed, and no step told so: a function, or an ephemeral. Its own steps are skipped, too.
    fn give_up(&mut self, target: usize, address: &Address) {
        let Some(step) = self.main.get(&target).copied() else {
            return;
        };
        let Some(state) = self.steps.get_mut(step).filter(|state| state.standing == Standing::Waiting) else {
            return;
        };
        state.standing = Standing::Skipped;
        self.applied.skipped.push(address.clone());
        self.lose(address);
        self.skip_dependents(step, address);
    }

    fn skip_dependents(&mut self, step: usize, failed: &Address) {
        let mut open: Vec<usize> = self.steps.get(step).map(|state| state.dependents.clone()).unwrap_or_default();
        while let Some(next) = open.pop() {
            let Some(state) = self.steps.get_mut(next).filter(|state| state.standing == Standing::Waiting) else {
                continue;
            };
            state.standing = Standing::Skipped;
            open.extend(&state.dependents);
            self.skipped(next, failed);
        }
    }

    fn skipped(&mut self, step: usize, because: &Address) {
        let Some(address) = self.address(step) else {
            return;
        };
        if self.is_main(step) {
            self.lose(address);
        }
        if address != because && !self.applied.skipped.contains(address) {
            self.applied.skipped.push(address.clone());
            self.shared.observer.event(RunEvent::Skipped { address: address.clone(), because: because.clone() });
        }
    }

    /// What was never started, for the operator ended the run, the evaluation failed, or what it reads was lost.
    fn skip_the_rest(&mut self) {
        let waiting: Vec<usize> =
            self.steps.iter().enumerate().filter(|(_, step)| step.standing == Standing::Waiting).map(|(index, _)| index).collect();
        for step in waiting {
            if let Some(state) = self.steps.get_mut(step) {
                state.standing = Standing::Skipped;
            }
            if let Some(address) = self.address(step)
                && !self.applied.skipped.contains(address)
            {
                self.applied.skipped.push(address.clone());
            }
        }
        if !self.applied.skipped.is_empty() && self.applied.errors.is_empty() && !self.applied.interrupted {
            let names: Vec<&str> = self.applied.skipped.iter().take(10).map(Address::as_str).collect();
            let text = format!("the evaluation gave no configuration for {}", names.join(", "));
            self.applied.errors.push(Diagnostic::error("engine.stuck", text).with_help("this is a bug of pravo; report it with the specification"));
        }
    }
}

/// Heads of records without actions whose fingerprints the plan could not tell, or told with another key than the state's.
fn unsettled(content: &Content, key: &[u8; 32]) -> HashMap<Address, Head> {
    let foreign = fingerprint::plan_key(key) != content.key;
    let heads = content.heads.iter().map(|(address, head)| (address, head));
    let puts = content.puts.iter().map(|record| (&record.address, &record.head));
    let open = |head: &Head| (foreign || head.fingerprint.is_none()) && head.status == Status::Ready;
    heads.chain(puts).filter(|(_, head)| open(head)).map(|(address, head)| (address.clone(), head.clone())).collect()
}
