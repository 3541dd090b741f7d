//! What differs between the records and the infrastructure.
//!
//! Kept true here: nothing is changed but, where it is accepted, what is recorded. A record that is accepted loses its
//! fingerprint, so that the next plan compares it with its configuration.

use std::collections::HashMap;
use std::sync::Arc;

use pravo_diag::Diagnostic;
use pravo_model::plan::Drift;
use pravo_model::provider::CurrentObject;
use pravo_model::specification::{Body, Kind};
use pravo_model::state::{Change, Record, Timestamp, TransactionRecord};
use pravo_model::{Address, Value};
use tokio::task::JoinSet;

use crate::calls::Calls;
use crate::diagnose::Failed;
use crate::failure::Failure;
use crate::instances::{self, Instances};
use crate::observer::{Observer, RunEvent};
use crate::pool::{Pool, Slot};
use crate::record;
use crate::request::{DriftReport, DriftRequest, Known};
use crate::subject::Subject;
use crate::survey::{Found, Survey};

/// One record that is read.
struct Read {
    subject: Subject,
    slot: Arc<Slot>,
    record: Record,
    /// The configured body, for a data source.
    config: Option<Value>,
}

/// What a read found: the recorded object and the present one.
type Compared = (Read, Result<(Value, CurrentObject), Failed>, Vec<Diagnostic>);

/// Reads every record and compares.
///
/// # Errors
/// Where the specification or the state cannot be read.
pub async fn drift(request: DriftRequest<'_>) -> Result<DriftReport, Failure> {
    let begun = Timestamp::now();
    let found = compare(&request).await;
    let (mut report, changes) = match found {
        Ok(found) => found,
        Err(failure) => {
            finish(&request, begun, &mut DriftReport::default()).await?;
            return Err(failure);
        }
    };
    if let Some(writer) = &request.accept {
        if !changes.is_empty()
            && let Err(error) = writer.commit(changes).await
        {
            report.errors.push(crate::failure::state_diagnostic(&error));
        }
        finish(&request, begun, &mut report).await?;
    }
    Ok(report)
}

async fn finish(request: &DriftRequest<'_>, begun: Timestamp, report: &mut DriftReport) -> Result<(), Failure> {
    let Some(writer) = &request.accept else {
        return Ok(());
    };
    let transaction = TransactionRecord {
        id: writer.transaction().0,
        command: request.command.clone(),
        begun: begun.0,
        ended: Some(Timestamp::now().0),
        ..TransactionRecord::default()
    };
    writer.finish(transaction.clone()).await?;
    report.transaction = Some(transaction);
    Ok(())
}

async fn compare(request: &DriftRequest<'_>) -> Result<(DriftReport, Vec<Change>), Failure> {
    let pool = Pool::new(Arc::clone(&request.providers));
    let mut specification = request.conversations.begin()?;
    let mut instances = Instances::new(request.state.instances()?);
    let mut data: HashMap<Address, Body> = HashMap::new();
    Survey::new(request.state, &pool, Known::Records)
        .run(specification.as_mut(), |found| match found {
            Found::Instance(instance) => instances.add(instance, Arc::from("")),
            Found::Body(body) if body.kind == Kind::Data => _ = data.insert(body.address.clone(), *body),
            Found::Body(_) => {}
        })
        .await?;
    let parallelism = specification.settings().parallelism.max(1);
    let mut report = DriftReport { sources: specification.sources().clone(), ..DriftReport::default() };
    let mut changes = Vec::new();
    let mut waiting = reads(request, &pool, &instances, &data, &mut report)?.into_iter();
    let mut reads: JoinSet<Compared> = JoinSet::new();
    loop {
        while reads.len() < parallelism
            && let Some(read) = waiting.next()
        {
            reads.spawn(run(Arc::clone(&pool), Arc::clone(&request.observer), read));
        }
        let interrupt = request.interrupt.clone();
        let compared = tokio::select! {
            compared = reads.join_next() => compared,
            () = interrupt.reached(1) => {
                pool.stop().await;
                return Err(Failure::interrupted());
            }
        };
        match compared {
            None => break,
            Some(Err(error)) => report.errors.push(Diagnostic::error("engine.job", format!("an internal error ended a read: {error}"))),
            Some(Ok(compared)) => note(compared, &mut report, &mut changes),
        }
    }
    report.drift.sort_by_cached_key(|drift| drift.address.segments());
    Ok((report, changes))
}

/// Everything that is to be read.
fn reads(
    request: &DriftRequest<'_>,
    pool: &Pool,
    instances: &Instances,
    data: &HashMap<Address, Body>,
    report: &mut DriftReport,
) -> Result<Vec<Read>, Failure> {
    let mut reads = Vec::new();
    for record in request.state.records()?.into_iter().filter(|record| record.object.is_some()) {
        let kind = record.head.kind;
        let body = data.get(&record.address);
        // A data source that left the specification, or whose configuration is not known, has nothing to be read by.
        if kind == Kind::Data && body.is_none_or(|body| !body.config.is_wholly_known()) {
            continue;
        }
        let binding = Arc::new(record.binding.clone());
        let type_name: Arc<str> = record.type_name.as_str().into();
        let subject = match Subject::new(pool, &binding, kind, &type_name, &record.address, body.map(|body| body.span)) {
            Ok(subject) => subject,
            Err(diagnostic) => {
                report.errors.push(diagnostic);
                continue;
            }
        };
        let known = body.and_then(|body| instances.get(body.instance)).filter(|known| known.instance.config.is_wholly_known());
        let slot = match known {
            Some(known) => Some(instances::slot(pool, known)),
            None => instances.slot_for_record(pool, &record.instance, &record.binding),
        };
        match slot {
            Some(slot) => reads.push(Read { subject, slot, config: body.map(|body| body.config.clone()), record }),
            None => {
                let text = format!("{}: the configuration of its provider instance {} is not known", record.address, record.instance);
                report.errors.push(Diagnostic::error("provider.instance", text));
            }
        }
    }
    Ok(reads)
}

async fn run(pool: Arc<Pool>, observer: Arc<dyn Observer>, read: Read) -> Compared {
    let mut diagnostics = Vec::new();
    let compared = current(&pool, &*observer, &read, &mut diagnostics).await;
    (read, compared, diagnostics)
}

async fn current(pool: &Pool, observer: &dyn Observer, read: &Read, diagnostics: &mut Vec<Diagnostic>) -> Result<(Value, CurrentObject), Failed> {
    let subject = &read.subject;
    let object = read.record.object.as_ref().ok_or(Failed)?;
    let provider = pool.get(&read.slot, diagnostics).await?;
    let mut calls = Calls { provider: &provider, subject, diagnostics };
    if let Some(config) = &read.config {
        observer.event(RunEvent::Reading { address: subject.address().clone() });
        let value = calls.read_data(config).await?;
        return Ok((record::restore(subject, object), CurrentObject { value, private: Vec::new() }));
    }
    let recorded = calls.upgrade(object).await?;
    observer.event(RunEvent::Refreshing { address: subject.address().clone(), id: subject.id(&recorded) });
    let current = calls.read(CurrentObject { value: recorded.clone(), private: object.private.clone() }).await?;
    Ok((recorded, current))
}

fn note(compared: Compared, report: &mut DriftReport, changes: &mut Vec<Change>) {
    let (Read { subject, record, .. }, compared, diagnostics) = compared;
    let (errors, warnings): (Vec<_>, Vec<_>) = diagnostics.into_iter().partition(Diagnostic::is_error);
    report.errors.extend(errors);
    report.warnings.extend(warnings);
    let Ok((recorded, current)) = compared else {
        return;
    };
    report.read += 1;
    if current.value == recorded {
        let mut head = record.head.clone();
        head.read_at = Timestamp::now();
        changes.push(Change::Head(record.address.clone(), Box::new(head)));
        return;
    }
    let old = record.object.as_ref().map(|object| object.sensitive.clone()).unwrap_or_default();
    match accepted(&subject, &record, &current, &old) {
        Ok(change) => changes.push(change),
        Err(diagnostic) => report.errors.push(diagnostic),
    }
    let mut sensitive = old;
    sensitive.extend(subject.sensitive(&recorded));
    sensitive.extend(subject.sensitive(&current.value));
    sensitive.sort();
    sensitive.dedup();
    report.drift.push(Drift {
        address: record.address.clone(),
        type_name: record.type_name.clone(),
        before: recorded,
        after: current.value,
        sensitive,
    });
}

/// The record as it is once the drift is accepted.
fn accepted(subject: &Subject, record: &Record, current: &CurrentObject, sensitive: &[pravo_model::Path]) -> Result<Change, Diagnostic> {
    let mut new = record.clone();
    new.head.fingerprint = None;
    new.head.read_at = Timestamp::now();
    if current.value.is_null() {
        if record.deposed.is_empty() {
            return Ok(Change::Remove(record.address.clone()));
        }
        new.object = None;
    } else {
        new.object = Some(record::store(subject, current, sensitive)?);
    }
    Ok(Change::Put(Box::new(new)))
}
