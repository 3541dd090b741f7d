//! What a plan does with providers: jobs that run beside the evaluation, and what they bring back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pravo_diag::Diagnostic;
use pravo_model::plan::Reason;
use pravo_model::provider::CurrentObject;
use pravo_model::specification::{Body, Kind};
use pravo_model::state::Record;
use pravo_model::{Address, Value};

use super::node::{NodeId, ignores};
use crate::calls::{Calls, Outcome, Verdict, Wish};
use crate::diagnose::Failed;
use crate::ephemerals::Ephemerals;
use crate::functions::{self, Call};
use crate::ignore::ignore_changes;
use crate::observer::{Observer, RunEvent};
use crate::pool::{Pool, Slot};
use crate::proposed::placeholder;
use crate::record;
use crate::shape::without_write_only;
use crate::subject::Subject;

/// What all jobs of a plan share.
pub(crate) struct Shared {
    pub(crate) pool: Arc<Pool>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) ephemerals: Ephemerals,
    /// What was read before the conversation was begun anew: nothing is read twice.
    reads: Mutex<HashMap<Address, CurrentObject>>,
}

impl Shared {
    pub(crate) fn new(pool: Arc<Pool>, observer: Arc<dyn Observer>) -> Arc<Self> {
        Arc::new(Self { pool, observer, ephemerals: Ephemerals::default(), reads: Mutex::new(HashMap::new()) })
    }

    fn known_read(&self, address: &Address) -> Option<CurrentObject> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).get(address).cloned()
    }

    fn remember(&self, address: &Address, object: &CurrentObject) {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).insert(address.clone(), object.clone());
    }
}

/// A resource or a data source to be looked at.
pub(crate) struct Examine {
    pub(crate) subject: Subject,
    /// `None` where the provider's configuration is not known yet.
    pub(crate) slot: Option<Arc<Slot>>,
    pub(crate) body: Box<Body>,
    pub(crate) record: Option<Record>,
    /// Whether the object is to be read.
    pub(crate) read: bool,
    /// Why it is planned; where there is no reason, it is read only, unless the read differs.
    pub(crate) reason: Option<Reason>,
    /// Whether a replacement is asked for.
    pub(crate) replace: bool,
    pub(crate) tainted: bool,
    /// The recorded object, where it is of another type or provider and must go.
    pub(crate) retyped: Option<Value>,
    /// The id to adopt an object by.
    pub(crate) import: Option<String>,
}

/// Work beside the evaluation.
pub(crate) enum Job {
    Resource(Box<Examine>),
    Data(Box<Examine>),
    Open {
        subject: Subject,
        slot: Arc<Slot>,
        body: Box<Body>,
    },
    /// Read what is to be deleted, and ask whether it may be.
    Destroy {
        subject: Subject,
        slot: Option<Arc<Slot>>,
        record: Box<Record>,
        read: bool,
    },
    Call(Call),
}

/// What was found out about a resource or a data source.
pub(crate) struct Examined {
    /// The recorded object in the form of the current schema; null where there is none.
    pub(crate) recorded: Value,
    /// The object as it was read or imported; `None` where it was not.
    pub(crate) current: Option<CurrentObject>,
    pub(crate) reason: Option<Reason>,
    pub(crate) outcome: Option<Outcome>,
}

/// What a job brings back.
pub(crate) enum Done {
    Resource(Box<Examine>, Result<Examined, Failed>),
    Data(Box<Examine>, Result<Value, Failed>),
    Open(Subject, Result<Value, Failed>),
    Destroy { subject: Subject, record: Box<Record>, found: Result<Destroyable, Failed> },
    Call(Call, Option<Value>),
}

/// An object that is to be deleted.
pub(crate) struct Destroyable {
    pub(crate) recorded: Value,
    pub(crate) current: Option<CurrentObject>,
    pub(crate) private: Vec<u8>,
}

/// A finished job with its diagnostics.
pub(crate) struct Finished {
    pub(crate) node: Option<NodeId>,
    pub(crate) done: Done,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Does a job.
pub(crate) async fn run(shared: Arc<Shared>, node: Option<NodeId>, job: Job) -> Finished {
    let mut diagnostics = Vec::new();
    let done = match job {
        Job::Resource(examine) => {
            let examined = examine_resource(&shared, &examine, &mut diagnostics).await;
            Done::Resource(examine, examined)
        }
        Job::Data(examine) => {
            let value = read_data(&shared, &examine, &mut diagnostics).await;
            Done::Data(examine, value)
        }
        Job::Open { subject, slot, body } => {
            let value = shared.ephemerals.open(&shared.pool, &slot, &subject, &body.config, &mut diagnostics).await;
            Done::Open(subject, value)
        }
        Job::Destroy { subject, slot, record, read } => {
            let found = examine_destroy(&shared, &subject, slot.as_deref(), &record, read, &mut diagnostics).await;
            Done::Destroy { subject, record, found }
        }
        Job::Call(call) => {
            let result = functions::call(&shared.pool, &call, &mut diagnostics).await;
            Done::Call(call, result)
        }
    };
    Finished { node, done, diagnostics }
}

async fn read_data(shared: &Shared, examine: &Examine, diagnostics: &mut Vec<Diagnostic>) -> Result<Value, Failed> {
    let slot = examine.slot.as_ref().ok_or(Failed)?;
    read_once(shared, &examine.subject, slot, &examine.body.config, diagnostics).await
}

/// Reads a data source, unless this run has read it.
pub(crate) async fn read_once(
    shared: &Shared,
    subject: &Subject,
    slot: &Slot,
    config: &Value,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Value, Failed> {
    if let Some(known) = shared.known_read(subject.address()) {
        return Ok(known.value);
    }
    let provider = shared.pool.get(slot, diagnostics).await?;
    shared.observer.event(RunEvent::Reading { address: subject.address().clone() });
    let value = Calls { provider: &provider, subject, diagnostics }.read_data(config).await?;
    shared.remember(subject.address(), &CurrentObject { value: value.clone(), private: Vec::new() });
    Ok(value)
}

async fn examine_resource(shared: &Shared, examine: &Examine, diagnostics: &mut Vec<Diagnostic>) -> Result<Examined, Failed> {
    let subject = &examine.subject;
    let Some(slot) = &examine.slot else {
        return Ok(examine_offline(examine));
    };
    let provider = shared.pool.get(slot, diagnostics).await?;
    let mut calls = Calls { provider: &provider, subject, diagnostics };
    let object = examine.record.as_ref().filter(|_| examine.retyped.is_none()).and_then(|record| record.object.as_ref());
    let mut recorded = Value::Null;
    let mut private = Vec::new();
    if let Some(object) = object {
        recorded = calls.upgrade(object).await?;
        private.clone_from(&object.private);
    }
    let current = current(shared, examine, &mut calls, &recorded, &private).await?;
    let mut reason = examine.reason;
    let mut prior = recorded.clone();
    if let Some(current) = &current {
        if reason.is_none() && current.value != recorded {
            reason = Some(Reason::Drift);
        }
        prior = current.value.clone();
        private.clone_from(&current.private);
    }
    if reason.is_none() {
        return Ok(Examined { recorded, current, reason, outcome: None });
    }
    calls.validate(&examine.body.config).await?;
    let config = subject.shape().complete(&examine.body.config);
    let wish = Wish {
        prior: &prior,
        private: &private,
        config: &config,
        ignore: ignores(&examine.body),
        replace: examine.replace,
        tainted: examine.tainted && !prior.is_null(),
    };
    let outcome = calls.plan(&wish).await?;
    Ok(Examined { recorded, current, reason, outcome: Some(outcome) })
}

/// The object as it is now, where it is to be read or adopted.
async fn current(
    shared: &Shared,
    examine: &Examine,
    calls: &mut Calls<'_>,
    recorded: &Value,
    private: &[u8],
) -> Result<Option<CurrentObject>, Failed> {
    let address = examine.subject.address();
    if let Some(known) = shared.known_read(address) {
        return Ok(Some(known));
    }
    let read = if let Some(id) = &examine.import {
        calls.import(id).await?
    } else if examine.read && !recorded.is_null() {
        shared.observer.event(RunEvent::Refreshing { address: address.clone(), id: examine.subject.id(recorded) });
        calls.read(CurrentObject { value: recorded.clone(), private: private.to_vec() }).await?
    } else {
        return Ok(None);
    };
    shared.remember(address, &read);
    Ok(Some(read))
}

/// A plan without the provider: what it computes is unknown.
fn examine_offline(examine: &Examine) -> Examined {
    let subject = &examine.subject;
    let shape = subject.shape();
    let object = examine.record.as_ref().filter(|_| examine.retyped.is_none()).and_then(|record| record.object.as_ref());
    let recorded = object.map_or(Value::Null, |object| record::restore(subject, object));
    if examine.reason.is_none() {
        return Examined { recorded, current: None, reason: None, outcome: None };
    }
    let config = shape.complete(&examine.body.config);
    let tainted_or_asked = (examine.tainted || examine.replace) && !recorded.is_null();
    let (verdict, config) = if recorded.is_null() {
        (Verdict::Create, config)
    } else if tainted_or_asked {
        (Verdict::Replace, config)
    } else {
        (Verdict::Update, ignore_changes(shape, ignores(&examine.body), &recorded, &config))
    };
    let planned = without_write_only(shape, &placeholder(shape, &config));
    let outcome = Outcome { verdict, planned, private: Vec::new(), replace_paths: Vec::new() };
    Examined { recorded, current: None, reason: examine.reason, outcome: Some(outcome) }
}

/// What is to be deleted: brought to the current schema, read where that is due, and asked for where the type wants to be.
async fn examine_destroy(
    shared: &Shared,
    subject: &Subject,
    slot: Option<&Slot>,
    record: &Record,
    read: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Destroyable, Failed> {
    let Some(object) = &record.object else {
        return Ok(Destroyable { recorded: Value::Null, current: None, private: Vec::new() });
    };
    let is_current = object.schema_version == subject.schema().version;
    let asks = subject.schema().plans_destroy && subject.kind == Kind::Resource;
    let slot = match slot {
        Some(slot) if read || asks || !is_current => slot,
        _ => return Ok(Destroyable { recorded: record::restore(subject, object), current: None, private: object.private.clone() }),
    };
    let provider = shared.pool.get(slot, diagnostics).await?;
    let mut calls = Calls { provider: &provider, subject, diagnostics };
    let recorded = calls.upgrade(object).await?;
    let mut current = CurrentObject { value: recorded.clone(), private: object.private.clone() };
    let mut was_read = false;
    if read {
        shared.observer.event(RunEvent::Refreshing { address: subject.address().clone(), id: subject.id(&recorded) });
        current = calls.read(current).await?;
        was_read = true;
    }
    let mut private = current.private.clone();
    if asks && !current.value.is_null() {
        private = calls.plan_destroy(&current.value, &current.private).await?;
    }
    Ok(Destroyable { recorded, current: was_read.then_some(current), private })
}
