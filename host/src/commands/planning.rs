//! What `plan`, `apply` and `destroy` share: making a plan, and showing it with its warnings and violations.

use std::path::Path;
use std::sync::Arc;

use pravo_diag::SourceMap;
use pravo_engine::{Observer, Plan, PlanOptions, PlanRequest, Refresh};
use pravo_model::policy::Policy;
use serde_json::Value as Json;

use crate::args::{Planning, RefreshArgument};
use crate::exit::Failure;
use crate::render::document::{Phase, plan_document, write_diagnostics};
use crate::render::plan::{View, plan_text};
use crate::workspace::{Context, Workspace};

/// A plan with what it was judged by.
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The sources of each policy.
    policies: Vec<SourceMap>,
}

/// The sources of a policy under the path that it was named by; generated ones keep theirs.
fn named(sources: &SourceMap, policy: &Path) -> SourceMap {
    let directory = if policy.is_dir() { policy } else { policy.parent().unwrap_or(Path::new("")) };
    let mut out = SourceMap::new();
    for (_, source) in sources.iter() {
        let own = !source.path().starts_with("pravo.dev");
        out.add(if own { directory.join(source.path()) } else { source.path().to_owned() }, source.text().clone());
    }
    out
}

/// What the engine is asked for.
fn options(planning: &Planning, destroy: bool, workspace: &Workspace) -> PlanOptions {
    PlanOptions {
        refresh: match planning.refresh {
            RefreshArgument::True => Refresh::Aged,
            RefreshArgument::Expired => Refresh::Expired,
            RefreshArgument::All => Refresh::All,
            RefreshArgument::False => Refresh::Off,
        },
        destroy,
        targets: planning.targets.clone(),
        excludes: planning.excludes.clone(),
        replace: planning.replace.clone(),
        retry: planning.retry.clone(),
        lock: workspace.lock.clone(),
        ..PlanOptions::default()
    }
}

/// Makes a plan. Nothing is written.
///
/// # Errors
/// Where the specification, a policy or a provider refuses.
pub async fn make(
    context: &Context,
    workspace: &Workspace,
    planning: &Planning,
    destroy: bool,
    observer: Arc<dyn Observer>,
) -> Result<Planned, Failure> {
    let (mut policies, mut places): (Vec<Arc<dyn Policy>>, Vec<SourceMap>) = (Vec::new(), Vec::new());
    for path in &planning.policies {
        let loaded =
            pravo_specification::policy::load(path).map_err(|rejected| Failure::new(rejected.diagnostics, named(&rejected.sources, path)))?;
        places.push(named(loaded.sources(), path));
        policies.push(Arc::from(loaded));
    }
    let view = workspace.view()?;
    let conversations = workspace.conversations();
    let request = PlanRequest {
        conversations: &conversations,
        providers: workspace.providers.clone(),
        state: &*view,
        options: options(planning, destroy, workspace),
        policies: &policies,
        observer,
        interrupt: context.interrupt.clone(),
    };
    let plan = pravo_engine::plan(request).await;
    context.terminal.live("");
    Ok(Planned { plan: plan.map_err(|failure| with_sources(failure.into(), workspace))?, policies: places })
}

/// The sources of the workspace, where a failure came without any.
pub fn with_sources(mut failure: Failure, workspace: &Workspace) -> Failure {
    if failure.sources.iter().next().is_none() {
        failure.sources = workspace.sources();
    }
    failure
}

impl Planned {
    /// From a plan file, which no policy judges again.
    pub fn saved(plan: Plan) -> Self {
        Self { plan, policies: Vec::new() }
    }

    /// Whether the plan must not be applied, or not all of it.
    pub fn is_refused(&self) -> bool {
        !self.plan.violations.is_empty()
    }

    /// Shows the plan on stdout, and on stderr what is to be said of it.
    pub fn show(&self, context: &Context, show_sensitive: bool) {
        let view = View { paint: context.terminal.out, show_sensitive };
        context.terminal.print(&plan_text(&self.plan.document, view));
        self.report(context);
    }

    /// Warnings, what is blocked, and violations, on stderr.
    fn report(&self, context: &Context) {
        let terminal = &context.terminal;
        terminal.report(&self.plan.document.warnings, &self.plan.sources);
        if self.plan.is_partial() {
            terminal.note("\nNote: --target or --exclude was given; this plan is not about the whole specification.");
        }
        terminal.report(&self.plan.blocked, &self.plan.sources);
        for violation in &self.plan.violations {
            if let Some(sources) = self.policies.get(violation.policy) {
                terminal.report(std::slice::from_ref(&violation.diagnostic), sources);
            }
        }
    }

    /// The plan as a JSON document.
    pub fn document(&self, show_sensitive: bool) -> Json {
        let mut diagnostics = write_diagnostics(&self.plan.document.warnings, &self.plan.sources, Phase::Plan);
        diagnostics.extend(write_diagnostics(&self.plan.blocked, &self.plan.sources, Phase::Plan));
        for violation in &self.plan.violations {
            if let Some(sources) = self.policies.get(violation.policy) {
                diagnostics.extend(write_diagnostics(std::slice::from_ref(&violation.diagnostic), sources, Phase::Plan));
            }
        }
        plan_document(&self.plan.document, diagnostics, View { show_sensitive, ..View::default() })
    }
}

/// The document of a plan that failed.
pub fn failed_document(failure: &Failure) -> Json {
    plan_document(
        &pravo_model::plan::PlanDocument::default(),
        write_diagnostics(&failure.diagnostics, &failure.sources, Phase::Plan),
        View::default(),
    )
}
