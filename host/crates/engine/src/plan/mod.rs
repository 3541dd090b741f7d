//! Planning.

mod cycle;
mod data;
mod decide;
mod destroy;
mod file;
mod finish;
mod integrate;
mod jobs;
mod moves;
mod node;
mod order;
mod planner;
mod scope;

use std::collections::BTreeSet;

use pravo_diag::{Diagnostic, SourceMap};
use pravo_model::Address;
use pravo_model::specification::Specification;

pub(crate) use data::{Content, Target, Work};
pub use data::{Plan, Violation};
pub use file::PlanFileError;
pub(crate) use planner::record_answer;

pub(crate) use self::jobs::{Shared, read_once};
use self::planner::{Planner, Ran};
use self::scope::{Named, names_group, names_nothing, scope};
use crate::failure::Failure;
use crate::pool::Pool;
use crate::request::PlanRequest;

/// Plans: finds out what is to be done, and writes nothing.
///
/// # Errors
/// Whatever refuses the plan: a broken specification, a provider that rejects it, `prevent_destroy`, a state that cannot be read.
pub async fn plan(request: PlanRequest<'_>) -> Result<Plan, Failure> {
    let shared = Shared::new(Pool::new(request.providers.clone()), request.observer.clone());
    let planned = planned(&request, &shared).await;
    let warnings = shared.ephemerals.close().await;
    let mut plan = planned?;
    plan.document.warnings.extend(warnings);
    for (index, policy) in request.policies.iter().enumerate() {
        let judged = policy.judge(&plan.document);
        plan.violations.extend(judged.into_iter().map(|diagnostic| Violation { policy: index, diagnostic }));
    }
    Ok(plan)
}

async fn planned(request: &PlanRequest<'_>, shared: &std::sync::Arc<Shared>) -> Result<Plan, Failure> {
    let mut needed = BTreeSet::new();
    loop {
        let mut specification = request.conversations.begin()?;
        let sources = specification.sources().clone();
        let mut planner = Planner::new(request, shared, specification.settings())?;
        planner.needed = needed;
        let ran = one(&mut planner, &mut specification, request).await.map_err(|failure| with_sources(failure, &sources))?;
        if ran == Ran::Again {
            needed = std::mem::take(&mut planner.needed);
            continue;
        }
        let inputs = specification.inputs();
        let mut plan = planner.finish().map_err(|failure| with_sources(failure, &sources))?;
        plan.content.inputs = inputs;
        plan.sources = specification.sources().clone();
        return Ok(plan);
    }
}

async fn one<'s>(planner: &mut Planner<'_>, specification: &mut Box<dyn Specification + 's>, request: &'s PlanRequest<'_>) -> Result<Ran, Failure> {
    let options = &request.options;
    let is_limited = !options.targets.is_empty() || !options.excludes.is_empty();
    if is_limited || options.destroy {
        let surveyed = planner.survey(specification.as_mut()).await?;
        if is_limited {
            let edges = planner.edges(&surveyed);
            let named = Named { targets: &options.targets, excludes: &options.excludes, destroy: options.destroy };
            planner.scope = Some(scope(&edges, &named).map_err(|errors| Failure::new(errors, SourceMap::new()))?);
        }
        if options.destroy {
            planner.destroy(surveyed).await?;
            return ended(planner, specification.sources());
        }
        *specification = request.conversations.begin()?;
    }
    if planner.run(specification.as_mut()).await? == Ran::Again {
        return Ok(Ran::Again);
    }
    planner.check_moves();
    planner.plan_left().await?;
    planner.errors.extend(unknown_names(planner, options.replace.iter().chain(&options.retry)));
    ended(planner, specification.sources())
}

fn ended(planner: &mut Planner<'_>, sources: &SourceMap) -> Result<Ran, Failure> {
    if planner.errors.is_empty() { Ok(Ran::Complete) } else { Err(planner.failure(sources)) }
}

fn unknown_names<'n>(planner: &Planner<'_>, names: impl Iterator<Item = &'n Address>) -> Vec<Diagnostic> {
    let known = |name: &Address| planner.graph.find(name).is_some_and(|id| planner.graph.node(id).walked || planner.graph.node(id).head.is_some());
    let groups: Vec<&Address> = planner.graph.ids().map(|id| &planner.graph.node(id).address).collect();
    let refuse = |name: &Address| if groups.iter().any(|address| name.contains(address)) { names_group(name) } else { names_nothing(name) };
    names.filter(|name| !known(name)).map(refuse).collect()
}

fn with_sources(mut failure: Failure, sources: &SourceMap) -> Failure {
    if failure.sources.iter().next().is_none() {
        failure.sources = sources.clone();
    }
    failure
}
