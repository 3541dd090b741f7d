//! What is done with a body whose dependencies are decided: nothing, a read, a plan, or both.

use std::sync::Arc;

use pravo_diag::Diagnostic;
use pravo_model::plan::{Action, Reason};
use pravo_model::specification::{Body, Kind};
use pravo_model::state::{Intent, IntentAction, Record, Status, Timestamp};
use pravo_model::{Address, RefreshAge, Value};

use super::jobs::{Examine, Job};
use super::node::{Decided, Keeping, NodeId, Visited};
use super::planner::Planner;
use crate::failure::Failure;
use crate::instances::{self, Known};
use crate::pool::Slot;
use crate::proposed::placeholder;
use crate::request::Refresh;
use crate::subject::Subject;

/// What the state says of the object of a resource that is to be decided.
struct Standing {
    record: Option<Record>,
    /// Why it is reached, as far as the state alone tells.
    reason: Option<Reason>,
    /// Whether a read decides what a killed run left.
    must_read: bool,
    tainted: bool,
}

impl Planner<'_> {
    /// Decides a body, now or after a job.
    pub(super) fn decide(&mut self, id: NodeId) -> Result<(), Failure> {
        let Some(body) = self.graph.node_mut(id).held.take() else {
            return Ok(());
        };
        let is = |decided: fn(&Decided) -> bool| {
            self.graph.node(id).dependencies.iter().any(|other| self.graph.node(*other).decided.as_ref().is_some_and(decided))
        };
        if is(|decided| matches!(decided, Decided::Failed)) {
            self.settle(id, Decided::Failed);
        } else if is(|decided| matches!(decided, Decided::Blocked)) {
            self.settle(id, Decided::Blocked);
        } else if self.scope.as_ref().is_some_and(|scope| !scope.holds(&body.address)) && body.kind != Kind::Ephemeral {
            let decided = if self.graph.node(id).head.is_some() { Decided::Recorded } else { Decided::Absent };
            self.settle(id, decided);
        } else {
            match body.kind {
                Kind::Resource => self.decide_resource(id, body),
                Kind::Data => self.decide_data(id, body),
                Kind::Ephemeral => self.decide_ephemeral(id, body),
            }
        }
        Ok(())
    }

    fn decide_resource(&mut self, id: NodeId, body: Box<Body>) {
        if self.graph.node(id).head.as_ref().is_some_and(|head| head.kind != body.kind) {
            return self.fail(id, other_kind(&body));
        }
        let options = &self.request.options;
        let node = self.graph.node(id);
        let acting = self.graph.acting_dependency(id);
        let quiet =
            node.head.as_ref().is_some_and(|head| head.status == Status::Ready && head.fingerprint.is_some() && head.fingerprint == node.fingerprint)
                && !self.intents.contains_key(node.stored_address())
                && !options.replace.contains(&body.address)
                && acting.is_none();
        let read_at = node.head.as_ref().map(|head| head.read_at);
        let is_due = read_at.is_some_and(|read_at| self.is_due(&body, read_at, !quiet));
        if quiet && !is_due {
            self.count_unread(id, false);
            return self.settle_recorded(id);
        }
        match self.standing(id, &body) {
            Ok(Some(mut standing)) => {
                if standing.reason.is_none() && options.replace.contains(&body.address) {
                    standing.reason = Some(Reason::Requested);
                }
                let differs = self
                    .graph
                    .node(id)
                    .head
                    .as_ref()
                    .is_some_and(|head| head.fingerprint.is_none() || head.fingerprint != self.graph.node(id).fingerprint);
                if standing.reason.is_none() && differs {
                    standing.reason = Some(Reason::Configuration);
                }
                if standing.reason.is_none() && acting.is_some() {
                    standing.reason = Some(Reason::Dependency);
                }
                self.examine(id, body, standing, is_due);
            }
            Ok(None) => self.settle(id, Decided::Blocked),
            Err(diagnostic) => self.fail(id, diagnostic),
        }
    }

    pub(super) fn fail(&mut self, id: NodeId, diagnostic: Diagnostic) {
        self.errors.push(diagnostic);
        self.settle(id, Decided::Failed);
    }

    /// Whether a record is to be read, by its age and by what was asked for.
    pub(super) fn is_due(&self, body: &Body, read_at: Timestamp, reached: bool) -> bool {
        let options = &self.request.options;
        let expired = match body.meta.refresh.unwrap_or(self.default_age) {
            RefreshAge::Always => true,
            RefreshAge::Never => false,
            RefreshAge::After(age) => u128::from(options.now.0.saturating_sub(read_at.0)) > age.as_millis(),
        };
        match options.refresh {
            Refresh::Off => false,
            Refresh::All => true,
            Refresh::Expired => expired,
            Refresh::Aged => expired && (reached || body.meta.refresh.is_some()),
        }
    }

    pub(super) fn count_unread(&mut self, id: NodeId, reached: bool) {
        if self.request.options.refresh == Refresh::Off || self.graph.node(id).head.is_none() {
            return;
        }
        if reached {
            self.counts.within_age += 1;
        } else {
            self.counts.not_read += 1;
        }
    }

    /// A record that is reached, but young enough.
    pub(super) fn count_aged(&mut self) {
        if self.request.options.refresh != Refresh::Off {
            self.counts.within_age += 1;
        }
    }

    /// A record that nothing reached; only its edges may have changed.
    fn settle_recorded(&mut self, id: NodeId) {
        let edges = self.graph.edges(id);
        if self.graph.node(id).head.as_ref().is_some_and(|head| head.dependencies != edges) {
            self.touched.insert(id);
        }
        self.settle(id, Decided::Recorded);
    }

    /// What the state, and the intents of a killed run, say of a resource; `None` where it is uncertain and stays so.
    fn standing(&mut self, id: NodeId, body: &Body) -> Result<Option<Standing>, Diagnostic> {
        let record = self.load(id)?;
        let intents = self.take_intents(id);
        let address = &body.address;
        let create = intents.iter().find(|intent| intent.action == IntentAction::Create);
        let is_uncertain = record.as_ref().is_some_and(|record| record.head.status == Status::Uncertain);
        if let Some(found) = create.and_then(|intent| identified(intent, record.as_ref(), address)) {
            return Ok(Some(Standing { record: Some(found), reason: Some(Reason::Configuration), must_read: true, tainted: false }));
        }
        if create.is_some() || is_uncertain {
            let retry = self.request.options.retry.contains(address);
            if !retry && body.meta.import.is_none() {
                let uncertain = create.and_then(|intent| uncertain(intent, record.as_ref(), address));
                self.recovered.extend(uncertain);
                self.blocked.push(doubt(address, body));
                return Ok(None);
            }
            let record = record.map(|record| Record { object: None, ..record });
            let reason = if retry { Reason::Retry } else { Reason::New };
            return Ok(Some(Standing { record, reason: Some(reason), must_read: false, tainted: false }));
        }
        let must_read = intents.iter().any(|intent| matches!(intent.action, IntentAction::Update | IntentAction::Delete));
        let Some(found) = record.filter(|record| record.object.is_some() || !record.deposed.is_empty()) else {
            return Ok(Some(Standing { record: None, reason: Some(Reason::New), must_read: false, tainted: false }));
        };
        let tainted = found.head.status == Status::Tainted;
        let reason = if found.object.is_none() {
            Some(Reason::New)
        } else if tainted {
            Some(Reason::Tainted)
        } else {
            must_read.then_some(Reason::Configuration)
        };
        Ok(Some(Standing { record: Some(found), reason, must_read, tainted }))
    }

    /// The open intents of a node; they are closed by the apply.
    pub(super) fn take_intents(&mut self, id: NodeId) -> Vec<Intent> {
        let node = self.graph.node(id);
        let intents: Vec<Intent> = self.intents.get(node.stored_address()).cloned().unwrap_or_default();
        for intent in intents.iter().filter(|intent| intent.action != IntentAction::DeleteDeposed) {
            self.closes.push((node.address.clone(), intent.deposed.clone()));
        }
        intents
    }

    fn examine(&mut self, id: NodeId, body: Box<Body>, standing: Standing, is_due: bool) {
        let Standing { record, reason, must_read, tainted } = standing;
        let Some(known) = self.instances.get(body.instance).cloned() else {
            return self.settle(id, Decided::Failed);
        };
        let subject = match self.subject_at(&body, &known) {
            Ok(subject) => subject,
            Err(diagnostic) => return self.fail(id, diagnostic),
        };
        if body.ephemeral.iter().any(|path| body.config.get(path).is_some_and(|value| !value.is_wholly_known())) {
            self.need_ephemerals(id);
        }
        let slot = self.slot(id, &known);
        let retyped = match self.retyped(&subject, record.as_ref()) {
            Ok(retyped) => retyped,
            Err(diagnostic) => return self.fail(id, diagnostic),
        };
        let has_object = retyped.is_none() && record.as_ref().is_some_and(|record| record.object.is_some());
        let import = if has_object { None } else { body.meta.import.clone() };
        if slot.is_none() && import.is_some() {
            let text = format!(
                "{}: $import needs a provider whose configuration is known, and {} depends on what is known after an apply",
                body.address, known.instance.address
            );
            return self.fail(id, Diagnostic::error("import.provider", text).at(body.span, ""));
        }
        let read = has_object && slot.is_some() && (is_due || must_read);
        if read {
            self.counts.refreshed += 1;
        } else if has_object && slot.is_some() {
            self.count_unread(id, reason.is_some());
        }
        let reason = if slot.is_none() && reason == Some(Reason::Dependency) { Some(Reason::ProviderUnknown) } else { reason };
        let replace = self.request.options.replace.contains(&body.address);
        let examine = Examine { subject, slot, body, record, read, reason, replace, tainted, retyped, import };
        self.enqueue(Some(id), Job::Resource(Box::new(examine)));
    }

    /// The recorded object, where it is of another type or provider than its struct is now.
    fn retyped(&self, subject: &Subject, record: Option<&Record>) -> Result<Option<Value>, Diagnostic> {
        let Some((record, object)) = record.and_then(|record| Some((record, record.object.as_ref()?))) else {
            return Ok(None);
        };
        if *record.type_name == *subject.type_name && record.binding.package == subject.binding.package {
            return Ok(None);
        }
        let binding = Arc::new(record.binding.clone());
        let type_name: Arc<str> = record.type_name.as_str().into();
        let old = Subject::new(&self.shared.pool, &binding, record.head.kind, &type_name, &record.address, None)?;
        Ok(Some(crate::record::restore(&old, object)))
    }

    /// The provider's slot; `None` where its configuration is not known. Where it only waits for ephemerals, they are opened.
    fn slot(&mut self, id: NodeId, known: &Arc<Known>) -> Option<Arc<Slot>> {
        if known.instance.config.is_wholly_known() {
            return Some(instances::slot(&self.shared.pool, known));
        }
        if !known.instance.ephemeral.is_empty() {
            self.need_ephemerals(id);
        }
        None
    }

    /// Everything ephemeral that a node reads is needed: where it was not known before, the conversation begins anew.
    fn need_ephemerals(&mut self, id: NodeId) {
        let mut open = self.graph.node(id).dependencies.clone();
        while let Some(next) = open.pop() {
            let node = self.graph.node(next);
            if node.kind == Kind::Ephemeral && self.needed.insert(node.address.clone()) {
                self.again = true;
                open.extend(&node.dependencies);
            }
        }
    }

    fn decide_data(&mut self, id: NodeId, body: Box<Body>) {
        if self.graph.node(id).head.as_ref().is_some_and(|head| head.kind != body.kind) {
            return self.fail(id, other_kind(&body));
        }
        let Some(known) = self.instances.get(body.instance).cloned() else {
            return self.settle(id, Decided::Failed);
        };
        let (subject, record) = match (self.subject_at(&body, &known), self.load(id)) {
            (Ok(subject), Ok(record)) => (subject, record),
            (Err(diagnostic), _) | (_, Err(diagnostic)) => return self.fail(id, diagnostic),
        };
        let node = self.graph.node(id);
        let fingerprint = node.fingerprint;
        let acting = self.graph.acting_dependency(id).is_some();
        let same = fingerprint.is_some() && node.head.as_ref().is_some_and(|head| head.fingerprint == fingerprint);
        if !acting && same && self.request.options.refresh == Refresh::Off {
            return self.settle_recorded(id);
        }
        let slot = self.slot(id, &known);
        let (true, false, Some(slot)) = (body.config.is_wholly_known(), acting, slot) else {
            let visited = Visited {
                instance_address: known.instance.address.clone(),
                reason: Some(Reason::Deferred),
                action: Action::Read,
                keeping: Keeping::Keep,
                before: record
                    .as_ref()
                    .and_then(|record| record.object.as_ref())
                    .map_or_else(Default::default, |object| crate::record::restore(&subject, object)),
                after: placeholder(subject.shape(), &subject.shape().complete(&body.config)),
                record,
                private: Vec::new(),
                replace_paths: Vec::new(),
                import: None,
                sensitive: body.sensitive.clone(),
                create_before_destroy: false,
                retyped: false,
                subject,
            };
            return self.settle(id, Decided::Visited(Box::new(visited)));
        };
        if record.is_some() {
            self.counts.refreshed += 1;
        }
        let reason = match (&record, same) {
            (None, _) => Some(Reason::New),
            (Some(_), false) => Some(Reason::Configuration),
            (Some(_), true) => None,
        };
        let examine =
            Examine { subject, slot: Some(slot), body, record, read: true, reason, replace: false, tainted: false, retyped: None, import: None };
        self.enqueue(Some(id), Job::Data(Box::new(examine)));
    }

    fn decide_ephemeral(&mut self, id: NodeId, body: Box<Body>) {
        let Some(known) = self.instances.get(body.instance).cloned() else {
            return self.settle(id, Decided::Failed);
        };
        let subject = match self.subject_at(&body, &known) {
            Ok(subject) => subject,
            Err(diagnostic) => return self.fail(id, diagnostic),
        };
        let is_needed = self.needed.contains(&body.address);
        let ready = body.config.is_wholly_known() && self.graph.acting_dependency(id).is_none();
        let slot = if is_needed && ready { self.slot(id, &known) } else { None };
        match slot {
            Some(slot) => self.enqueue(Some(id), Job::Open { subject, slot, body }),
            None => {
                let value = placeholder(subject.shape(), &subject.shape().complete(&body.config));
                self.settle(id, Decided::Ephemeral(Box::new(value), subject));
            }
        }
    }
}

/// The record of a cut-off create whose object can be looked for.
pub(super) fn identified(intent: &Intent, record: Option<&Record>, address: &Address) -> Option<Record> {
    let planned = intent.record.as_deref().filter(|planned| planned.object.is_some())?;
    let deposed = record.map(|record| record.deposed.clone()).unwrap_or_default();
    Some(Record { address: address.clone(), deposed, ..planned.clone() })
}

/// The record of a cut-off create whose object may exist.
pub(super) fn uncertain(intent: &Intent, record: Option<&Record>, address: &Address) -> Option<Record> {
    let mut planned = Record { address: address.clone(), object: None, ..intent.record.as_deref()?.clone() };
    planned.head.status = Status::Uncertain;
    planned.head.fingerprint = None;
    if let Some(record) = record {
        planned.deposed.clone_from(&record.deposed);
        planned.head.has_deposed = !record.deposed.is_empty();
    }
    Some(planned)
}

fn other_kind(body: &Body) -> Diagnostic {
    let (now, was) = match body.kind {
        Kind::Data => ("data source", "resource"),
        Kind::Resource | Kind::Ephemeral => ("resource", "data source"),
    };
    Diagnostic::error("plan.kind", format!("{}: it is a {now} now, but the state records a {was} there", body.address))
        .at(body.span, "")
        .with_help("give it another address, so that the old one leaves the specification")
}

fn doubt(address: &Address, body: &Body) -> Diagnostic {
    doubtful(address).at(body.span, "")
}

/// The error for an uncertain address.
pub(super) fn doubtful(address: &Address) -> Diagnostic {
    let text = format!("{address}: a create was cut off before its answer, so the object may exist");
    Diagnostic::error("state.uncertain", text)
        .with_path(address.to_string())
        .with_help(format!("look for it; adopt it with $import, or go on as if it did not exist with --retry '{address}'"))
}
