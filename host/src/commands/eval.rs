//! `pravo eval`

use pravo_cue::export::cue::{Options, evaluated};
use pravo_cue::export::values::{Unfit, concrete};
use pravo_cue::export::{definition, json, yaml};
use pravo_diag::Diagnostic;

use crate::args::{Eval, EvalForm};
use crate::cue::{Evaluated, Loaded};
use crate::exit::{Done, Failure, Outcome};
use crate::workspace::{Context, options};

pub(super) fn run(context: &Context, arguments: &Eval) -> Outcome {
    let loaded = Loaded::read(&context.directory, &arguments.files, options(&arguments.evaluation))?;
    if arguments.out == EvalForm::Def && arguments.expressions.is_empty() {
        let text = definition(&loaded.files);
        let mut checked = loaded.evaluate(&[])?;
        refuse(&mut checked)?;
        context.terminal.print(&text.unwrap_or_default());
        return Ok(Done::Success);
    }
    let mut found = loaded.evaluate(&arguments.expressions)?;
    refuse(&mut found)?;
    if arguments.out == EvalForm::Json
        && let Some(text) = found.json()
    {
        context.terminal.print(&text);
        // The process ends; the system frees all memory at once.
        std::mem::forget(found);
        return Ok(Done::Success);
    }
    for tree in found.trees()? {
        let text = match arguments.out {
            EvalForm::Cue | EvalForm::Def => evaluated(&tree, Options { all: arguments.all }),
            EvalForm::Json | EvalForm::Yaml => {
                let value = concrete(&tree).map_err(|unfit| unfit_failure(&found, &unfit))?;
                let text = if arguments.out == EvalForm::Json { json::pretty(&value).ok() } else { yaml::document(&value).ok() };
                text.ok_or_else(|| Failure::message("cue.export", "a value has no form in JSON"))?
            }
        };
        context.terminal.print(&text);
        if !text.ends_with('\n') && !text.is_empty() {
            context.terminal.print("\n");
        }
    }
    Ok(Done::Success)
}

/// Ends the command where something is wrong for good.
fn refuse(evaluated: &mut Evaluated) -> Result<(), Failure> {
    let wrong: Vec<Diagnostic> = evaluated.wrong(false);
    if wrong.is_empty() { Ok(()) } else { Err(Failure::new(wrong, evaluated.sources().clone())) }
}

fn unfit_failure(evaluated: &Evaluated, unfit: &Unfit) -> Failure {
    match unfit {
        Unfit::Problem(path, problem) => evaluated.failure(path, problem),
        Unfit::Open(path) => {
            let what = if path.is_empty() { "the value" } else { path };
            Failure::message("cue.incomplete", format!("{what} is not concrete: this form has no place for constraints"))
        }
    }
}
