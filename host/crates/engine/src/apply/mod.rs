//! Applying a plan.

mod overlay;
mod run;
mod stale;
mod step;

use std::sync::Arc;

use pravo_diag::Diagnostic;
use pravo_model::Address;
use pravo_model::specification::Specification;
use pravo_model::state::{Change, Timestamp, TransactionRecord};
use tokio::sync::Semaphore;

use self::run::Applier;
use self::step::Shared;
use crate::failure::{Failure, state_diagnostic};
use crate::instances::Instances;
use crate::observer::{Operation, RunEvent};
use crate::plan::Content;
use crate::pool::Pool;
use crate::request::{Applied, ApplyRequest};

/// Applies a plan. Whatever fails of it is in the result; the transaction is finished in any case.
///
/// # Errors
/// Where nothing was begun: the plan is stale or refused, or the state cannot be written.
pub async fn apply(request: ApplyRequest<'_>) -> Result<Applied, Failure> {
    let begun = Timestamp::now();
    let applied = begin(&request).await;
    let counts = applied.as_ref().map(|applied| applied.transaction.clone()).unwrap_or_default();
    let transaction = TransactionRecord {
        id: request.writer.transaction().0,
        command: request.command.clone(),
        begun: begun.0,
        ended: Some(Timestamp::now().0),
        ..counts
    };
    let finished = request.writer.finish(transaction.clone()).await;
    let mut applied = applied?;
    applied.transaction = transaction;
    if let Err(error) = finished {
        applied.errors.push(state_diagnostic(&error));
    }
    Ok(applied)
}

async fn begin(request: &ApplyRequest<'_>) -> Result<Applied, Failure> {
    let plan = request.plan;
    let content = &plan.content;
    if let Some(violation) = plan.violations.first() {
        let text = format!("the plan violates a policy: {}", violation.diagnostic.summary);
        return Err(Failure::of(Diagnostic::error("policy.violation", text)));
    }
    let mut specification = request.conversations.begin()?;
    if let Some(stale) = stale::check(content, request.state, &request.lock, &specification.inputs())? {
        return Err(Failure::of(stale));
    }
    let mut applied = steps(request, specification.as_mut()).await?;
    applied.failed.sort();
    applied.failed.dedup();
    applied.skipped.sort();
    applied.errors.extend(plan.blocked.iter().cloned());
    Ok(applied)
}

async fn steps(request: &ApplyRequest<'_>, specification: &mut dyn Specification) -> Result<Applied, Failure> {
    let content = &request.plan.content;
    let shared = Arc::new(Shared {
        pool: Pool::new(Arc::clone(&request.providers)),
        observer: Arc::clone(&request.observer),
        writer: Arc::clone(&request.writer),
        calling: Arc::new(Semaphore::new(specification.settings().parallelism.clamp(1, Semaphore::MAX_PERMITS))),
    });
    let instances = Instances::new(request.state.instances()?);
    let mut applier = Applier::new(request, Arc::clone(&shared), instances);
    keep(request, &mut applier).await?;
    if applier.needs_conversation() {
        applier.run(specification).await;
    }
    for diagnostic in applier.ephemerals.close().await {
        shared.observer.event(RunEvent::Warning { diagnostic: Box::new(diagnostic) });
    }
    if !content.steps.is_empty() || !content.removes.is_empty() {
        let changes = instance_changes(content, &applier, &shared.pool);
        let committed = match changes {
            Ok(changes) if changes.is_empty() => Ok(()),
            Ok(changes) => request.writer.commit(changes).await.map_err(|error| state_diagnostic(&error)),
            Err(diagnostic) => Err(diagnostic),
        };
        applier.applied.errors.extend(committed.err());
    }
    Ok(applier.applied)
}

/// Writes what a plan found out, in one commit, before any step.
async fn keep(request: &ApplyRequest<'_>, applier: &mut Applier<'_>) -> Result<(), Failure> {
    let content = &request.plan.content;
    let moves = content.moves.iter().map(|(from, to)| Change::Move { from: from.clone(), to: to.clone() });
    let removes = content.removes.iter().map(|address| Change::Remove(address.clone()));
    let puts = content.puts.iter().map(|record| Change::Put(Box::new(record.clone())));
    let heads = content.heads.iter().map(|(address, head)| Change::Head(address.clone(), Box::new(head.clone())));
    let closes = content.closes.iter().map(|(address, key)| Change::Close(address.clone(), key.clone()));
    let instances = content.instances.iter().map(|(address, record)| Change::PutInstance(address.clone(), Box::new(record.clone())));
    let changes: Vec<Change> = moves.chain(removes).chain(puts).chain(heads).chain(closes).chain(instances).collect();
    for address in &content.removes {
        applier.overlay.write(address, None);
    }
    for record in &content.puts {
        applier.overlay.write(&record.address, Some(record.clone()));
    }
    for (address, head) in &content.heads {
        applier.overlay.head(address, head.clone());
    }
    if !changes.is_empty() {
        request.writer.commit(changes).await?;
    }
    for (address, id) in &content.imports {
        applier.applied.transaction.imported += 1;
        let completed =
            RunEvent::Completed { address: address.clone(), operation: Operation::Import, elapsed: Default::default(), id: Some(id.clone()) };
        request.observer.event(completed);
    }
    Ok(())
}

/// Configurations that became known in the apply, and those that no record needs any more.
fn instance_changes(content: &Content, applier: &Applier<'_>, pool: &Pool) -> Result<Vec<Change>, Diagnostic> {
    let changed = applier.instances.changed(pool).into_iter().filter(|one| !content.instances.contains(one));
    let mut changes: Vec<Change> = changed.map(|(address, record)| Change::PutInstance(address, Box::new(record))).collect();
    let left: Vec<Address> = applier.instances.left();
    // Without a conversation every instance looks as if it had left.
    if !left.is_empty() && !content.steps.is_empty() {
        let used = applier.overlay.instances()?;
        changes.extend(left.into_iter().filter(|address| !used.contains(address)).map(Change::RemoveInstance));
    }
    Ok(changes)
}
