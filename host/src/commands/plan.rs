//! `pravo plan`

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use pravo_engine::Observer;

use super::planning::{Planned, failed_document, make};
use crate::args::Plan;
use crate::exit::{Done, Failure, Outcome};
use crate::observer::{LineObserver, QuietObserver};
use crate::workspace::Context;

pub(super) async fn run(context: &Context, arguments: &Plan) -> Outcome {
    let made = plan(context, arguments).await;
    let planned = match made {
        Err(failure) if arguments.json => {
            context.terminal.line(&failed_document(&failure).to_string());
            return Err(failure);
        }
        other => other?,
    };
    if arguments.json {
        context.terminal.line(&planned.document(arguments.planning.show_sensitive).to_string());
    } else {
        planned.show(context, arguments.planning.show_sensitive);
    }
    if planned.is_refused() || !planned.plan.blocked.is_empty() {
        return Ok(Done::Failed);
    }
    if let Some(file) = &arguments.out {
        save(&planned, file)?;
    }
    let difference = arguments.detailed_exitcode && !planned.plan.is_empty();
    Ok(if difference { Done::Difference } else { Done::Success })
}

async fn plan(context: &Context, arguments: &Plan) -> Result<Planned, Failure> {
    let workspace = context.open(&arguments.planning.evaluation)?;
    let observer: Arc<dyn Observer> =
        if arguments.json { Arc::new(QuietObserver::new(context.terminal.clone())) } else { Arc::new(LineObserver::new(context.terminal.clone())) };
    make(context, &workspace, &arguments.planning, arguments.destroy, observer).await
}

/// Writes a plan file with mode 0600: it may hold sensitive values. The file appears as a whole or not at all.
fn save(planned: &Planned, file: &Path) -> Result<(), Failure> {
    let bytes = planned.plan.encode().map_err(|error| Failure::message("plan.file", error.to_string()))?;
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = file.with_file_name(name);
    let written = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&beside)
        .and_then(|mut open| open.write_all(&bytes).and_then(|()| open.sync_all()))
        .and_then(|()| std::fs::rename(&beside, file));
    written.map_err(|error| {
        // Whatever was written of it is of no use.
        let _ = std::fs::remove_file(&beside);
        Failure::file("write the plan", file, &error)
    })
}
