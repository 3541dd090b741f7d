//! `pravo validate`

use pravo_engine::{EvaluateRequest, Known, Wanted};

use super::planning::with_sources;
use crate::args::Validate;
use crate::cue::Loaded;
use crate::exit::{Done, Failure, Outcome};
use crate::render::document::{Phase, head, write_diagnostics};
use crate::workspace::{Context, options};

pub(super) async fn run(context: &Context, arguments: &Validate) -> Outcome {
    let checked = check(context, arguments).await;
    if arguments.json {
        let mut document = head("validate");
        let diagnostics = checked.as_ref().err().map(|failure| write_diagnostics(&failure.diagnostics, &failure.sources, Phase::Plan)).unwrap_or_default();
        document.insert("valid".into(), checked.is_ok().into());
        document.insert("diagnostics".into(), diagnostics.into());
        context.terminal.line(&serde_json::Value::Object(document).to_string());
    }
    checked?;
    if !arguments.json {
        context.terminal.line("The specification is valid.");
    }
    Ok(Done::Success)
}

async fn check(context: &Context, arguments: &Validate) -> Result<(), Failure> {
    if !arguments.files.is_empty() || arguments.concrete {
        return plain(context, arguments);
    }
    let workspace = context.open(&arguments.evaluation)?;
    let view = workspace.view()?;
    let conversations = workspace.conversations();
    let (providers, wanted) = (workspace.providers.clone(), Wanted::All);
    let request = EvaluateRequest { conversations: &conversations, providers, state: &*view, known: Known::Nothing, wanted };
    pravo_engine::evaluate(request).await.map(|_| ()).map_err(|failure| with_sources(failure.into(), &workspace))
}

/// Files as CUE alone.
fn plain(context: &Context, arguments: &Validate) -> Result<(), Failure> {
    let loaded = Loaded::read(&context.directory, &arguments.files, options(&arguments.evaluation))?;
    let evaluated = loaded.evaluate(&[])?;
    let wrong = evaluated.wrong(arguments.concrete);
    if wrong.is_empty() { Ok(()) } else { Err(Failure::new(wrong, evaluated.sources().clone())) }
}
