//! One step of an apply: the plan repeated and compared, the intent, the call, the result.
//!
//! Kept true here: the intent is durable before the provider is called, and the result before the step is done. A call that
//! ended without an answer leaves its intent open: the next run finds out what became of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pravo_diag::Diagnostic;
use pravo_model::plan::Action;
use pravo_model::provider::{ApplyRequest, Called, CurrentObject, FailureKind, Provider};
use pravo_model::specification::{Body, IgnoreChanges};
use pravo_model::state::{Change, Deposed, Fingerprint, Head, Intent, IntentAction, Object, Record, StateWriter, Status, Timestamp, TransactionId};
use pravo_model::{Address, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::calls::{Calls, Outcome, Verdict, Wish};
use crate::compatible::assert_object_compatible;
use crate::diagnose::{Failed, Phase};
use crate::failure::state_diagnostic;
use crate::observer::{Observer, Operation, RunEvent};
use crate::plan::{Target, Work};
use crate::pool::{Pool, Slot};
use crate::record;
use crate::shape::{conforms, known_part, write_only_set};
use crate::subject::Subject;
use crate::validity::Problem;

/// How often a long operation says that it still goes on.
const STILL: Duration = Duration::from_secs(10);

/// What all steps of an apply share.
pub(super) struct Shared {
    pub(super) pool: Arc<Pool>,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) writer: Arc<dyn StateWriter>,
    /// A permit for each step that may call a provider.
    pub(super) calling: Arc<Semaphore>,
}

/// A step that is ready.
pub(super) struct Job {
    pub(super) step: usize,
    pub(super) work: Work,
    pub(super) target: Target,
    pub(super) subject: Subject,
    pub(super) slot: Arc<Slot>,
    /// The body, where something is made or read.
    pub(super) body: Option<Box<Body>>,
    pub(super) fingerprint: Option<Fingerprint>,
    /// The record as it is now.
    pub(super) record: Option<Record>,
    /// Since when the replacement goes on, and the id of the new object.
    pub(super) replacing: Option<(Instant, Option<String>)>,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Did {
    Added,
    Changed,
    Destroyed,
    Read,
    Nothing,
}

/// A finished step.
pub(super) struct Done {
    pub(super) step: usize,
    pub(super) address: Address,
    pub(super) result: Result<Did, Failed>,
    /// The record as it is now; `None` where the step did not change it.
    pub(super) record: Option<Option<Record>>,
    /// The object, where something was made or read.
    pub(super) value: Option<Value>,
    /// Key of the object that a create deposed.
    pub(super) deposed: Option<String>,
    pub(super) began: Instant,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The state cannot be written: nothing more may be started.
    pub(super) fatal: bool,
}

/// A step in progress.
struct Run<'a> {
    shared: &'a Shared,
    job: &'a Job,
    /// Held from before the intent until the provider has been called, so that there are never more open intents than places; not
    /// while the result becomes durable: other steps begin meanwhile.
    permit: Option<OwnedSemaphorePermit>,
    done: Done,
}

/// Takes a step. The permit is given back when the provider has been called for the last time.
pub(super) async fn run(shared: Arc<Shared>, job: Job, permit: OwnedSemaphorePermit) -> Done {
    let done = Done {
        step: job.step,
        address: job.target.address.clone(),
        result: Err(Failed),
        record: None,
        value: None,
        deposed: None,
        began: Instant::now(),
        diagnostics: Vec::new(),
        fatal: false,
    };
    let mut run = Run { shared: &shared, job: &job, permit: Some(permit), done };
    let result = match &job.work {
        Work::Create => run.create().await,
        Work::Update => run.update().await,
        Work::Read => run.read_data().await,
        Work::Delete if job.target.action != Action::CreateThenDelete => run.delete_current().await,
        Work::Delete => run.delete_previous().await,
        Work::DeleteDeposed(key) => run.delete_deposed(key, Operation::DeleteDeposed).await,
    };
    let mut done = run.done;
    done.result = result;
    if result.is_err() {
        let errors = done.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).cloned().collect();
        shared.observer.event(RunEvent::Failed { address: done.address.clone(), diagnostics: errors });
    }
    done
}

impl<'a> Run<'a> {
    fn event(&self, event: RunEvent) {
        self.shared.observer.event(event);
    }

    fn bug(&mut self, what: &str, problems: &[Problem]) -> Failed {
        let subject = &self.job.subject;
        self.done.diagnostics.push(subject.place.bug(subject.package(), what, problems));
        Failed
    }

    async fn commit(&mut self, changes: Vec<Change>) -> Result<(), Failed> {
        self.shared.writer.commit(changes).await.map_err(|error| {
            self.done.diagnostics.push(state_diagnostic(&error));
            self.done.fatal = true;
            Failed
        })
    }

    fn started(&self, operation: Operation, id: Option<String>) {
        self.event(RunEvent::Started { address: self.done.address.clone(), operation, id });
    }

    fn completed(&self, operation: Operation, began: Instant, id: Option<String>) {
        self.event(RunEvent::Completed { address: self.done.address.clone(), operation, elapsed: began.elapsed(), id });
    }

    /// The body, complete; an error where something in it is still unknown.
    fn config(&mut self) -> Result<(&'a Body, Value), Failed> {
        let job = self.job;
        let Some(body) = job.body.as_deref() else {
            return Err(Failed);
        };
        if !body.config.is_wholly_known() {
            let text = format!("{}: a part of its configuration is still not known", body.address);
            self.done.diagnostics.push(
                Diagnostic::error("apply.unknown", text).at(body.span, "").with_help("apply what it depends on as well: see --target and --exclude"),
            );
            return Err(Failed);
        }
        Ok((body, self.job.subject.shape().complete(&body.config)))
    }

    /// Plans again with what is known now, and compares with what was shown.
    async fn plan_again(
        &mut self,
        provider: &Arc<dyn Provider>,
        prior: &Value,
        private: &[u8],
        ignore: &IgnoreChanges,
    ) -> Result<(Outcome, Value), Failed> {
        let (body, config) = self.config()?;
        let written = body.config.clone();
        let subject = &self.job.subject;
        let mut calls = Calls { provider, subject, diagnostics: &mut self.done.diagnostics };
        calls.validate(&written).await?;
        let wish = Wish { prior, private, config: &config, ignore, replace: false, tainted: false };
        let outcome = calls.plan(&wish).await?;
        if outcome.verdict == Verdict::NoOp {
            return Ok((outcome, config));
        }
        if outcome.verdict == Verdict::Replace {
            let paths: Vec<Problem> = outcome.replace_paths.iter().map(|path| Problem::new(path, "it forces a replacement")).collect();
            return Err(self.turned_into_replacement(&paths));
        }
        let problems = assert_object_compatible(subject.shape(), &self.job.target.after, &outcome.planned);
        if problems.is_empty() { Ok((outcome, config)) } else { Err(self.bug("the provider planned something else than what was shown", &problems)) }
    }

    fn turned_into_replacement(&mut self, paths: &[Problem]) -> Failed {
        let text = format!(
            "{}: provider produced inconsistent final plan: with what is known now it must be replaced, but an update was planned",
            self.done.address
        );
        let detail: Vec<String> = paths.iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect();
        self.done.diagnostics.push(
            Diagnostic::error("apply.replacement", text)
                .with_detail(detail.join("\n"))
                .with_help("run pravo plan again: what the change depends on is known now"),
        );
        Failed
    }

    /// A record for what is being made, with everything but its object.
    fn new_record(&self, body: &Body) -> Record {
        let target = &self.job.target;
        let deposed = self.job.record.as_ref().map(|record| record.deposed.clone()).unwrap_or_default();
        Record {
            address: target.address.clone(),
            type_name: target.type_name.clone(),
            head: Head {
                fingerprint: None,
                read_at: Timestamp::now(),
                status: Status::Ready,
                kind: target.kind,
                has_deposed: !deposed.is_empty(),
                dependencies: target.dependencies.clone(),
            },
            binding: target.binding.clone(),
            instance: target.instance.clone(),
            object: None,
            deposed,
            create_before_destroy: target.action == Action::CreateThenDelete || body.meta.create_before_destroy,
            transaction: TransactionId(0),
        }
    }

    /// The identity of an object that is about to be created, where the plan knows it.
    fn identity(&self, planned: &Value) -> Option<Object> {
        let identity = &self.job.subject.schema().identity;
        let is_known = |name: &String| !matches!(planned.attribute(name), Value::Null | Value::Unknown);
        if identity.is_empty() || !identity.iter().all(is_known) {
            return None;
        }
        let object = CurrentObject { value: known_part(planned), private: Vec::new() };
        record::store(&self.job.subject, &object, &[]).ok()
    }

    async fn create(&mut self) -> Result<Did, Failed> {
        let job = self.job;
        let provider = self.shared.pool.get(&job.slot, &mut self.done.diagnostics).await?;
        let private: &[u8] = if job.target.action.is_replace() { &job.target.private } else { &[] };
        let (outcome, config) = self.plan_again(&provider, &Value::Null, private, &IgnoreChanges::None).await?;
        let Some(body) = job.body.as_deref() else {
            return Err(Failed);
        };
        let mut base = self.new_record(body);
        let mut changes = Vec::new();
        let creates_first = job.target.action == Action::CreateThenDelete;
        if creates_first && let Some((record, object)) = job.record.as_ref().and_then(|record| Some((record, record.object.clone()?))) {
            let key = record::deposed_key(&record.address, record);
            base.deposed.push(Deposed { key: key.clone(), object });
            base.head.has_deposed = true;
            let waiting = Record {
                object: None,
                deposed: base.deposed.clone(),
                head: Head { has_deposed: true, fingerprint: None, ..record.head.clone() },
                ..record.clone()
            };
            self.done.deposed = Some(key);
            self.done.record = Some(Some(waiting.clone()));
            changes.push(Change::Put(Box::new(waiting)));
        }
        let intended = Record { object: self.identity(&outcome.planned), ..base.clone() };
        changes.push(self.open(IntentAction::Create, None, Some(intended)));
        self.commit(changes).await?;
        let operation = if creates_first { Operation::CreateReplacement } else { Operation::Create };
        let request = ApplyRequest { prior: Value::Null, planned: outcome.planned.clone(), config, private: outcome.private };
        let called = self.call(&provider, operation, None, &request).await;
        let (object, failed) = self.answer(called, &outcome.planned)?;
        let Some(object) = object else {
            return self.nothing_made(creates_first).await;
        };
        base.head.status = if failed { Status::Tainted } else { Status::Ready };
        self.made(base, object, failed, operation, Did::Added).await
    }

    fn open(&self, action: IntentAction, deposed: Option<String>, record: Option<Record>) -> Change {
        Change::Open(Box::new(Intent {
            address: self.done.address.clone(),
            action,
            deposed,
            record: record.map(Box::new),
            transaction: self.shared.writer.transaction(),
        }))
    }

    fn close(&self, deposed: Option<String>) -> Change {
        Change::Close(self.done.address.clone(), deposed)
    }

    /// A create failed and left nothing: the previous object is the current one again.
    async fn nothing_made(&mut self, creates_first: bool) -> Result<Did, Failed> {
        let mut changes = vec![self.close(None)];
        if creates_first && let Some(record) = &self.job.record {
            changes.push(Change::Put(Box::new(record.clone())));
            self.done.record = Some(Some(record.clone()));
            self.done.deposed = None;
        }
        self.commit(changes).await?;
        Err(Failed)
    }

    /// Records what was made; a partial result too.
    async fn made(&mut self, base: Record, object: CurrentObject, failed: bool, operation: Operation, did: Did) -> Result<Did, Failed> {
        let job = self.job;
        let sensitive = job.body.as_ref().map(|body| body.sensitive.clone()).unwrap_or_default();
        let stored = match record::store(&job.subject, &object, &sensitive) {
            Ok(stored) => stored,
            Err(diagnostic) => {
                self.done.diagnostics.push(diagnostic);
                return Err(Failed);
            }
        };
        let mut record = Record { object: Some(stored), ..base };
        record.head.fingerprint = if failed { None } else { job.fingerprint };
        record.head.read_at = Timestamp::now();
        let changes = vec![Change::Put(Box::new(record.clone())), self.close(None)];
        let id = job.subject.id(&object.value);
        if let Err(Failed) = self.commit(changes).await {
            let text =
                format!("{}: it was done{}, but could not be recorded", self.done.address, id.map(|id| format!(" (id {id})")).unwrap_or_default());
            self.done
                .diagnostics
                .push(Diagnostic::error("state.lost", text).with_help("adopt the object with $import once the state can be written"));
            return Err(Failed);
        }
        self.done.record = Some(Some(record));
        if failed {
            return Err(Failed);
        }
        self.completed(operation, self.done.began, id);
        self.done.value = Some(object.value);
        Ok(did)
    }

    /// Calls the provider, and says every ten seconds that it still goes on.
    async fn call(
        &mut self,
        provider: &Arc<dyn Provider>,
        operation: Operation,
        id: Option<String>,
        request: &ApplyRequest,
    ) -> Called<CurrentObject> {
        self.started(operation, id);
        self.done.began = Instant::now();
        let observer = Arc::clone(&self.shared.observer);
        let address = self.done.address.clone();
        let progress = {
            let (observer, address) = (Arc::clone(&observer), address.clone());
            Arc::new(move |message: &str| observer.event(RunEvent::Progress { address: address.clone(), message: message.to_owned() }))
        };
        let call = provider.apply(&self.job.subject.type_name, request, progress);
        tokio::pin!(call);
        let mut interval = tokio::time::interval_at(tokio::time::Instant::now() + STILL, STILL);
        loop {
            tokio::select! {
                called = &mut call => {
                    self.permit = None;
                    return called;
                }
                _ = interval.tick() => observer.event(RunEvent::Still { address: address.clone(), operation, elapsed: self.done.began.elapsed() }),
            }
        }
    }

    /// What a call of `apply` came to: the object, if any, and whether it failed all the same. A call without an answer is
    /// an error, and leaves its intent open.
    fn answer(&mut self, called: Called<CurrentObject>, planned: &Value) -> Result<(Option<CurrentObject>, bool), Failed> {
        let subject = &self.job.subject;
        let reply = match called {
            Ok(reply) => reply,
            Err(failure) => {
                let mut diagnostic = subject.place.failed(&failure);
                if failure.kind == FailureKind::Unavailable {
                    self.done.diagnostics.push(diagnostic);
                    return Ok((None, true));
                }
                diagnostic.help = format!("what became of {} is not known: the next run looks for it", subject.address());
                self.done.diagnostics.push(diagnostic);
                return Err(Failed);
            }
        };
        let mut failed = reply.has_errors();
        self.done.diagnostics.extend(reply.diagnostics.into_iter().map(|said| subject.place.said(Phase::Apply, said)));
        let Some(mut object) = reply.value.filter(|object| !object.value.is_null()) else {
            if !failed {
                self.bug("the provider applied a plan without a result", &[]);
            }
            return Ok((None, true));
        };
        if !conforms(&object.value, subject.value_type()) {
            self.bug("the provider gave an object that does not have the type of its schema", &[]);
            return Ok((None, true));
        }
        let mut problems = Vec::new();
        if let Some(name) = write_only_set(subject.shape(), &object.value) {
            problems.push(Problem::new(&pravo_model::Path::attribute(name), "a write-only attribute must be null"));
        }
        if !object.value.is_wholly_known() {
            problems.push(Problem::new(&pravo_model::Path::root(), "it holds unknowns after the apply"));
            object.value = known_part(&object.value);
        } else if !failed {
            problems.extend(assert_object_compatible(subject.shape(), planned, &object.value));
        }
        if !problems.is_empty() {
            self.bug("the provider gave another object than it planned", &problems);
            failed = true;
        }
        object.value = crate::shape::without_write_only(subject.shape(), &object.value);
        Ok((Some(object), failed))
    }

    /// The current object in the form of the current schema.
    async fn prior(&mut self, provider: &Arc<dyn Provider>, object: &Object) -> Result<Value, Failed> {
        Calls { provider, subject: &self.job.subject, diagnostics: &mut self.done.diagnostics }.upgrade(object).await
    }

    async fn update(&mut self) -> Result<Did, Failed> {
        let job = self.job;
        let Some((record, object)) = job.record.as_ref().and_then(|record| Some((record, record.object.as_ref()?))) else {
            self.done.diagnostics.push(Diagnostic::error("apply.record", format!("{}: it has no record to update", self.done.address)));
            return Err(Failed);
        };
        let provider = self.shared.pool.get(&job.slot, &mut self.done.diagnostics).await?;
        let prior = self.prior(&provider, object).await?;
        let Some(body) = job.body.as_deref() else {
            return Err(Failed);
        };
        let (outcome, config) = self.plan_again(&provider, &prior, &object.private, &body.meta.ignore_changes).await?;
        let base = Record {
            object: record.object.clone(),
            head: Head { status: record.head.status, ..self.new_record(body).head },
            ..self.new_record(body)
        };
        if outcome.verdict == Verdict::NoOp {
            let current = CurrentObject { value: prior, private: object.private.clone() };
            return self.unchanged(base, current).await;
        }
        let opened = self.open(IntentAction::Update, None, None);
        self.commit(vec![opened]).await?;
        let id = job.subject.id(&prior);
        let request = ApplyRequest { prior: prior.clone(), planned: outcome.planned.clone(), config, private: outcome.private };
        let called = self.call(&provider, Operation::Update, id, &request).await;
        let (new, failed) = self.answer(called, &outcome.planned)?;
        match new {
            Some(new) => self.made(base, new, failed, Operation::Update, Did::Changed).await,
            None => {
                // The record stays, but no longer as if its configuration were applied.
                let mut record = record.clone();
                record.head.fingerprint = None;
                let changes = vec![Change::Put(Box::new(record.clone())), self.close(None)];
                self.commit(changes).await?;
                self.done.record = Some(Some(record));
                Err(Failed)
            }
        }
    }

    /// An update that turned out to change nothing: only what is known of it is recorded.
    async fn unchanged(&mut self, base: Record, current: CurrentObject) -> Result<Did, Failed> {
        let record = Record { head: Head { fingerprint: self.job.fingerprint, ..base.head.clone() }, ..base };
        self.commit(vec![Change::Put(Box::new(record.clone()))]).await?;
        self.done.record = Some(Some(record));
        self.done.value = Some(current.value);
        Ok(Did::Nothing)
    }

    async fn read_data(&mut self) -> Result<Did, Failed> {
        let job = self.job;
        let provider = self.shared.pool.get(&job.slot, &mut self.done.diagnostics).await?;
        let (body, _) = self.config()?;
        let config = body.config.clone();
        let base = Record { deposed: Vec::new(), ..self.new_record(body) };
        self.started(Operation::Read, None);
        let value = Calls { provider: &provider, subject: &job.subject, diagnostics: &mut self.done.diagnostics }.read_data(&config).await?;
        let object = CurrentObject { value, private: Vec::new() };
        self.made(base, object, false, Operation::Read, Did::Read).await
    }

    async fn delete_current(&mut self) -> Result<Did, Failed> {
        let job = self.job;
        let Some((record, object)) = job.record.as_ref().and_then(|record| Some((record, record.object.clone()?))) else {
            return Ok(Did::Nothing);
        };
        let private = if job.target.action == Action::Delete { job.target.private.clone() } else { object.private.clone() };
        let rest =
            (!record.deposed.is_empty()).then(|| Record { object: None, head: Head { fingerprint: None, ..record.head.clone() }, ..record.clone() });
        let kept = |object: Object| Record { object: Some(object), head: Head { fingerprint: None, ..record.head.clone() }, ..record.clone() };
        self.delete(&object, private, Operation::Delete, IntentAction::Delete, None, rest, &kept).await
    }

    async fn delete_previous(&mut self) -> Result<Did, Failed> {
        let key = self.job.record.as_ref().and_then(|record| record.deposed.last()).map(|deposed| deposed.key.clone());
        match key {
            Some(key) => self.delete_deposed(&key, Operation::DeletePrevious).await,
            None => Ok(Did::Nothing),
        }
    }

    async fn delete_deposed(&mut self, key: &str, operation: Operation) -> Result<Did, Failed> {
        let job = self.job;
        let found = job.record.as_ref().and_then(|record| Some((record, record.deposed.iter().find(|deposed| deposed.key == key)?)));
        let Some((record, deposed)) = found else {
            return Ok(Did::Nothing);
        };
        let others: Vec<Deposed> = record.deposed.iter().filter(|deposed| deposed.key != key).cloned().collect();
        let rest = (record.object.is_some() || !others.is_empty() || record.head.status == Status::Uncertain).then(|| Record {
            head: Head { has_deposed: !others.is_empty(), ..record.head.clone() },
            deposed: others.clone(),
            ..record.clone()
        });
        let kept = |object: Object| {
            let mut record = record.clone();
            record.deposed.iter_mut().filter(|deposed| deposed.key == key).for_each(|deposed| deposed.object = object.clone());
            record
        };
        let object = deposed.object.clone();
        let private = object.private.clone();
        self.delete(&object, private, operation, IntentAction::DeleteDeposed, Some(key.to_owned()), rest, &kept).await
    }

    /// Deletes an object: `rest` is the record without it, `kept` the record with what a failed delete left.
    #[expect(clippy::too_many_arguments, reason = "the parts of a delete that differ between current and deposed objects")]
    async fn delete(
        &mut self,
        object: &Object,
        private: Vec<u8>,
        operation: Operation,
        intent: IntentAction,
        key: Option<String>,
        rest: Option<Record>,
        kept: &(dyn Fn(Object) -> Record + Sync),
    ) -> Result<Did, Failed> {
        let job = self.job;
        let provider = self.shared.pool.get(&job.slot, &mut self.done.diagnostics).await?;
        let prior = self.prior(&provider, object).await?;
        let opened = self.open(intent, key.clone(), None);
        self.commit(vec![opened]).await?;
        let id = job.subject.id(&prior);
        let request = ApplyRequest { prior, planned: Value::Null, config: Value::Null, private };
        let called = self.call(&provider, operation, id.clone(), &request).await;
        let place = &job.subject.place;
        let reply = match called {
            Ok(reply) => reply,
            Err(failure) => {
                self.done.diagnostics.push(place.failed(&failure));
                return Err(Failed);
            }
        };
        let failed = reply.has_errors();
        self.done.diagnostics.extend(reply.diagnostics.into_iter().map(|said| place.said(Phase::Apply, said)));
        let left = reply.value.filter(|left| !left.value.is_null() && left.value.is_wholly_known());
        if failed || left.is_some() {
            return self.not_deleted(left, failed, key, kept).await;
        }
        let record = match &rest {
            Some(record) => Change::Put(Box::new(record.clone())),
            None => Change::Remove(self.done.address.clone()),
        };
        let changes = vec![record, self.close(key)];
        self.commit(changes).await?;
        self.done.record = Some(rest);
        match (&job.replacing, operation) {
            (Some((began, new)), Operation::DeletePrevious) => self.completed(operation, *began, new.clone()),
            _ => self.completed(operation, self.done.began, id),
        }
        Ok(Did::Destroyed)
    }

    /// A delete that failed: what is left of the object is recorded.
    async fn not_deleted(
        &mut self,
        left: Option<CurrentObject>,
        failed: bool,
        key: Option<String>,
        kept: &(dyn Fn(Object) -> Record + Sync),
    ) -> Result<Did, Failed> {
        if !failed {
            self.bug("the provider deleted an object, but says that it is still there", &[]);
        }
        let mut changes = vec![self.close(key)];
        let stored = left.and_then(|left| record::store(&self.job.subject, &left, &[]).ok());
        if let Some(stored) = stored {
            let record = kept(stored);
            changes.push(Change::Put(Box::new(record.clone())));
            self.done.record = Some(Some(record));
        }
        self.commit(changes).await?;
        Err(Failed)
    }
}
