//! `pravo validate`

use pravo_engine::{EvaluateRequest, Known, Wanted};

use super::planning::with_sources;
use crate::args::Validate;
use crate::cue::{Data, Loaded};
use crate::exit::{Done, Failure, Outcome};
use crate::render::document::{Phase, head, write_diagnostics};
use crate::workspace::{Context, options};

pub(super) async fn run(context: &Context, arguments: &Validate) -> Outcome {
    let checked = check(context, arguments).await;
    if arguments.json {
        let mut document = head("validate");
        let diagnostics =
            checked.as_ref().err().map(|failure| write_diagnostics(&failure.diagnostics, &failure.sources, Phase::Plan)).unwrap_or_default();
        document.insert("valid".into(), checked.is_ok().into());
        document.insert("diagnostics".into(), diagnostics.into());
        context.terminal.line(&serde_json::Value::Object(document).to_string());
    }
    let what = checked?;
    if !arguments.json && what == Checked::Specification {
        context.terminal.line("The specification is valid.");
    }
    Ok(if what == Checked::Open { Done::Failed } else { Done::Success })
}

/// What was checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Checked {
    /// A specification, with its providers.
    Specification,
    /// Plain CUE.
    Plain,
    /// Plain CUE that is not complete, which was told already.
    Open,
}

async fn check(context: &Context, arguments: &Validate) -> Result<Checked, Failure> {
    let read = || Loaded::read(&context.directory, &arguments.files, &options(&arguments.evaluation), Data::Apart);
    if !arguments.files.is_empty() || arguments.concrete.is_some() {
        return plain(context, arguments, read()?);
    }
    // What cannot be read as plain CUE may lack `pravo init`, which the specification's own way says better.
    match read() {
        Ok(loaded) if loaded.iter().all(|loaded| !loaded.is_specification) => return plain(context, arguments, loaded),
        _ => {}
    }
    let workspace = context.open(&arguments.evaluation)?;
    let view = workspace.view()?;
    let conversations = workspace.conversations();
    let (providers, wanted) = (workspace.providers.clone(), Wanted::All);
    let request = EvaluateRequest { conversations: &conversations, providers, state: &*view, known: Known::Nothing, wanted };
    let checked = pravo_engine::evaluate(request).await.map_err(|failure| with_sources(failure.into(), &workspace));
    checked.map(|_| Checked::Specification)
}

/// Packages and files as CUE alone. Where nothing says whether all must be concrete, what is not is told in one sentence, and is a failure.
fn plain(context: &Context, arguments: &Validate, loaded: Vec<Loaded>) -> Result<Checked, Failure> {
    let mut open = false;
    for package in loaded {
        let mut evaluated = package.evaluate(&[])?;
        let mut wrong = evaluated.wrong();
        let unfinished = if arguments.concrete == Some(false) { Vec::new() } else { evaluated.unfinished()? };
        if wrong.is_empty() && arguments.concrete.is_none() {
            open |= !unfinished.is_empty();
        } else {
            wrong.extend(unfinished);
        }
        if !wrong.is_empty() {
            return Err(Failure::new(wrong, evaluated.sources().clone()));
        }
    }
    if open && !arguments.json {
        context.terminal.note("Not every value is concrete: --concrete tells which, and --concrete=false accepts them.");
    }
    Ok(if open { Checked::Open } else { Checked::Plain })
}
