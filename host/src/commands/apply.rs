//! `pravo apply` and `pravo destroy`: plan, ask, apply.
//!
//! The plan is made on a plain view, so that a broken specification makes no state file and a question holds no lock. The lock is taken
//! before the apply, which refuses where the state has changed in between.

use std::path::PathBuf;
use std::sync::Arc;

use pravo_diag::Diagnostic;
use pravo_engine::{Applied, ApplyRequest, Observer, Plan};
use serde_json::json;

use super::planning::{Planned, failed_document, make, with_sources};
use crate::args::{Apply, Destroy, Planning};
use crate::exit::{Done, Failure, Outcome};
use crate::observer::{JsonObserver, LineObserver};
use crate::render::document::{Phase, applied_json, write_diagnostics};
use crate::render::paint::{Color, Paint};
use crate::workspace::{Context, Workspace};

/// What both commands take.
pub(super) struct Arguments {
    file: Option<PathBuf>,
    planning: Planning,
    destroy: bool,
    auto_approve: bool,
    json: bool,
    command: &'static str,
}

impl From<Apply> for Arguments {
    fn from(apply: Apply) -> Self {
        let Apply { file, planning, destroy, auto_approve, json } = apply;
        Self { file, planning, destroy, auto_approve, json, command: "apply" }
    }
}

impl From<Destroy> for Arguments {
    fn from(destroy: Destroy) -> Self {
        let Destroy { planning, auto_approve, json } = destroy;
        Self { file: None, planning, destroy: true, auto_approve, json, command: "destroy" }
    }
}

pub(super) async fn run(context: &Context, arguments: &Arguments) -> Outcome {
    let outcome = plan_and_apply(context, arguments).await;
    if let (Err(failure), true) = (&outcome, arguments.json) {
        for diagnostic in write_diagnostics(&failure.diagnostics, &failure.sources, Phase::Apply) {
            context.terminal.line(&json!({ "type": "diagnostic", "diagnostic": diagnostic }).to_string());
        }
    }
    outcome
}

async fn plan_and_apply(context: &Context, arguments: &Arguments) -> Outcome {
    let observer: Arc<dyn Observer> =
        if arguments.json { Arc::new(JsonObserver::new(context.terminal.clone())) } else { Arc::new(LineObserver::new(context.terminal.clone())) };
    let workspace = context.open(&arguments.planning.evaluation)?;
    let planned = match &arguments.file {
        Some(file) => Planned::saved(read(file)?),
        None => match make(context, &workspace, &arguments.planning, arguments.destroy, observer.clone()).await {
            Ok(planned) => planned,
            Err(failure) => {
                if arguments.json {
                    context.terminal.line(&failed_document(&failure).to_string());
                }
                return Err(failure);
            }
        },
    };
    show(context, arguments, &planned);
    if planned.is_refused() {
        return Ok(Done::Failed);
    }
    if !approved(context, arguments, &planned.plan) {
        context.terminal.line(if arguments.destroy { "Destroy cancelled." } else { "Apply cancelled." });
        return Ok(Done::Failed);
    }
    let applied = apply(context, arguments, &workspace, &planned.plan, observer).await?;
    finish(context, arguments, &planned, &applied)
}

fn show(context: &Context, arguments: &Arguments, planned: &Planned) {
    if arguments.json {
        context.terminal.line(&planned.document(arguments.planning.show_sensitive).to_string());
    } else if arguments.file.is_none() {
        planned.show(context, arguments.planning.show_sensitive);
    }
}

/// A plan file asks nothing, nor does a plan that changes nothing.
fn approved(context: &Context, arguments: &Arguments, plan: &Plan) -> bool {
    if arguments.auto_approve || arguments.file.is_some() || plan.is_empty() {
        return true;
    }
    let (question, explanation) = if plan.is_destroy() {
        (
            "Do you really want to destroy all of these resources?",
            "pravo will destroy what is shown above. There is no undo.\nOnly 'yes' will be accepted to confirm.",
        )
    } else {
        ("Do you want to perform these actions?", "pravo will perform the actions described above.\nOnly 'yes' will be accepted to approve.")
    };
    context.terminal.confirm(question, explanation)
}

fn read(file: &std::path::Path) -> Result<Plan, Failure> {
    let bytes = std::fs::read(file).map_err(|error| Failure::file("read the plan", file, &error))?;
    Plan::decode(&bytes).map_err(|error| {
        let help = "make a new one with pravo plan --out";
        Failure::of(Diagnostic::error("plan.file", format!("{}: {error}", file.display())).with_help(help))
    })
}

async fn apply(
    context: &Context,
    arguments: &Arguments,
    workspace: &Workspace,
    plan: &Plan,
    observer: Arc<dyn Observer>,
) -> Result<Applied, Failure> {
    let writer = workspace.store.write(arguments.command)?;
    let view = workspace.view()?;
    let conversations = workspace.conversations();
    let request = ApplyRequest {
        plan,
        conversations: &conversations,
        providers: workspace.providers.clone(),
        state: &*view,
        writer: Arc::from(writer),
        command: arguments.command.to_owned(),
        lock: workspace.lock.clone(),
        observer,
        interrupt: context.interrupt.clone(),
    };
    let applied = pravo_engine::apply(request).await;
    context.terminal.live("");
    applied.map_err(|failure| with_sources(failure.into(), workspace))
}

/// Says what was done, and ends the command.
fn finish(context: &Context, arguments: &Arguments, planned: &Planned, applied: &Applied) -> Outcome {
    let terminal = &context.terminal;
    if arguments.json {
        for diagnostic in write_diagnostics(&applied.errors, &applied.sources, Phase::Apply) {
            terminal.line(&json!({ "type": "diagnostic", "diagnostic": diagnostic }).to_string());
        }
        terminal.line(&applied_json(applied).to_string());
    } else {
        terminal.report(&applied.errors, &applied.sources);
        terminal.line(&summary(applied, planned.plan.is_destroy(), terminal.out));
    }
    let complete = applied.is_complete() && planned.plan.blocked.is_empty();
    Ok(if complete { Done::Success } else { Done::Failed })
}

/// The last line.
fn summary(applied: &Applied, destroy: bool, paint: Paint) -> String {
    let counts = &applied.transaction;
    let id = counts.id;
    let word = if destroy { "Destroy" } else { "Apply" };
    let imported = if counts.imported > 0 { format!("{} imported, ", counts.imported) } else { String::new() };
    let done = if destroy && counts.added == 0 && counts.changed == 0 && counts.imported == 0 {
        format!("{} destroyed", counts.destroyed)
    } else {
        format!("{imported}{} added, {} changed, {} destroyed", counts.added, counts.changed, counts.destroyed)
    };
    if applied.is_complete() {
        let head = paint.paint(Color::Green, &format!("{word} complete!")).into_owned();
        return format!("{head} Resources: {done}. [txn {id}]");
    }
    let mut line = paint.paint(Color::Red, &format!("{word} incomplete!")).into_owned();
    line.push_str(&format!(" Resources: {done}; {} failed, {} skipped. [txn {id}]", applied.failed.len(), applied.skipped.len()));
    let lists = [("failed", &applied.failed), ("skipped", &applied.skipped)];
    for (word, addresses) in lists.into_iter().filter(|(_, addresses)| !addresses.is_empty()).rev() {
        let named: Vec<&str> = addresses.iter().take(20).map(pravo_model::Address::as_str).collect();
        let more = addresses.len().saturating_sub(named.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        line = format!("{word}: {}{more}\n{line}", named.join(", "));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use pravo_model::state::TransactionRecord;

    fn applied(counts: TransactionRecord) -> Applied {
        Applied { transaction: TransactionRecord { id: 7, ..counts }, ..Applied::default() }
    }

    #[test]
    fn the_last_line_counts_what_was_done() {
        let plain = Paint::plain();
        let some = TransactionRecord { added: 1, changed: 2, destroyed: 3, ..TransactionRecord::default() };
        assert_eq!(summary(&applied(some.clone()), false, plain), "Apply complete! Resources: 1 added, 2 changed, 3 destroyed. [txn 7]");
        let imported = TransactionRecord { imported: 1, ..TransactionRecord::default() };
        assert_eq!(summary(&applied(imported), false, plain), "Apply complete! Resources: 1 imported, 0 added, 0 changed, 0 destroyed. [txn 7]");
        let gone = TransactionRecord { destroyed: 3, ..TransactionRecord::default() };
        assert_eq!(summary(&applied(gone), true, plain), "Destroy complete! Resources: 3 destroyed. [txn 7]");
    }

    #[test]
    fn an_incomplete_apply_names_what_failed() {
        let mut failed = applied(TransactionRecord { added: 1, ..TransactionRecord::default() });
        failed.failed = vec!["a".parse().unwrap()];
        failed.skipped = vec!["b".parse().unwrap(), "c".parse().unwrap()];
        failed.errors = vec![Diagnostic::error("x", "y")];
        assert_eq!(
            summary(&failed, false, Paint::plain()),
            "failed: a\nskipped: b, c\nApply incomplete! Resources: 1 added, 0 changed, 0 destroyed; 1 failed, 2 skipped. [txn 7]"
        );
    }
}
