//! `pravo drift`

use std::sync::Arc;

use pravo_engine::DriftRequest;

use super::planning::with_sources;
use crate::args::Drift;
use crate::exit::{Done, Outcome};
use crate::observer::QuietObserver;
use crate::render::document::{Phase, drift_document, write_diagnostics};
use crate::render::plan::{View, write_drift};
use crate::workspace::Context;

pub(super) async fn run(context: &Context, arguments: &Drift) -> Outcome {
    let terminal = &context.terminal;
    let workspace = context.open(&arguments.evaluation)?;
    let accept = if arguments.accept { Some(Arc::from(workspace.store.write("drift --accept")?)) } else { None };
    let view = workspace.view()?;
    let conversations = workspace.conversations();
    let request = DriftRequest {
        conversations: &conversations,
        providers: workspace.providers.clone(),
        state: &*view,
        accept,
        command: "drift --accept".to_owned(),
        observer: Arc::new(QuietObserver::new(terminal.clone())),
        interrupt: context.interrupt.clone(),
    };
    let report = pravo_engine::drift(request).await;
    terminal.live("");
    let report = report.map_err(|failure| with_sources(failure.into(), &workspace))?;
    let shown = View { paint: terminal.out, show_sensitive: arguments.show_sensitive };
    if arguments.json {
        let mut diagnostics = write_diagnostics(&report.warnings, &report.sources, Phase::Plan);
        diagnostics.extend(write_diagnostics(&report.errors, &report.sources, Phase::Plan));
        terminal.line(&drift_document(&report.drift, report.read, diagnostics, shown).to_string());
    } else {
        let mut text = String::new();
        write_drift(&mut text, &report.drift, shown);
        terminal.print(&text);
    }
    terminal.report(&report.warnings, &report.sources);
    terminal.report(&report.errors, &report.sources);
    if !report.errors.is_empty() {
        return Ok(Done::Failed);
    }
    if !arguments.json {
        terminal.line(&last_line(report.drift.len(), report.read, report.transaction.as_ref().map(|transaction| transaction.id)));
    }
    Ok(if report.drift.is_empty() || arguments.accept { Done::Success } else { Done::Difference })
}

fn last_line(differing: usize, read: u64, accepted: Option<u64>) -> String {
    let records = |count: u64| if count == 1 { "1 record".to_owned() } else { format!("{count} records") };
    match (differing, accepted) {
        (0, _) => format!("No drift. {} {} the infrastructure.", records(read), if read == 1 { "matches" } else { "match" }),
        (some, Some(id)) => format!("Drift of {} was recorded. [txn {id}]", records(some as u64)),
        (1, None) => format!("Drift: 1 of {} differs from the infrastructure.", records(read)),
        (some, None) => format!("Drift: {some} of {} differ from the infrastructure.", records(read)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts() {
        assert_eq!(last_line(0, 2, None), "No drift. 2 records match the infrastructure.");
        assert_eq!(last_line(0, 1, None), "No drift. 1 record matches the infrastructure.");
        assert_eq!(last_line(1, 2, None), "Drift: 1 of 2 records differs from the infrastructure.");
        assert_eq!(last_line(2, 2, Some(4)), "Drift of 2 records was recorded. [txn 4]");
    }
}
