//! `pravo eval`

use pravo_cue::export::cue::{Options, evaluated};
use pravo_cue::export::values::{Unfit, concrete};
use pravo_cue::export::{definition, json, yaml};
use pravo_diag::Diagnostic;

use crate::args::{Eval, EvalForm};
use crate::cue::{Data, Evaluated, Loaded};
use crate::exit::{Done, Failure, Outcome};
use crate::workspace::{Context, options};

pub(super) fn run(context: &Context, arguments: &Eval) -> Outcome {
    let loaded = Loaded::read(&context.directory, &arguments.files, &options(&arguments.evaluation), Data::Merged)?;
    let several = loaded.len() > 1;
    let mut printed = Printer { context, arguments, several, count: 0 };
    for package in loaded {
        printed.package(package)?;
    }
    Ok(Done::Success)
}

/// Prints values one after the other.
struct Printer<'a> {
    context: &'a Context,
    arguments: &'a Eval,
    several: bool,
    count: usize,
}

impl Printer<'_> {
    fn package(&mut self, loaded: Loaded) -> Result<(), Failure> {
        if self.arguments.out == EvalForm::Def && self.arguments.expressions.is_empty() {
            let (files, bare) = (loaded.files.clone(), loaded.has_data);
            let mut found = loaded.evaluate(&[])?;
            refuse(&found)?;
            for tree in found.trees()? {
                self.separate();
                self.context.terminal.print(&definition(&files, &tree, bare));
            }
            return Ok(());
        }
        let files = loaded.files.clone();
        let mut found = loaded.evaluate(&self.arguments.expressions)?;
        refuse(&found)?;
        if self.arguments.out == EvalForm::Json
            && let Some(text) = found.json()
        {
            self.separate();
            self.context.terminal.print(&text);
            if !self.several {
                // The process ends; the system frees all memory at once.
                std::mem::forget(found);
            }
            return Ok(());
        }
        for (index, tree) in found.trees()?.into_iter().enumerate() {
            let text = match self.arguments.out {
                EvalForm::Cue | EvalForm::Def => evaluated(&tree, Options { all: self.arguments.all }, &files),
                EvalForm::Json | EvalForm::Yaml => {
                    let value = concrete(&tree).map_err(|unfit| found.open_failure(&tree).unwrap_or_else(|| unfit_failure(&found, &unfit)))?;
                    let text = if self.arguments.out == EvalForm::Json { json::pretty(&value).ok() } else { yaml::document(&value).ok() };
                    text.ok_or_else(|| Failure::message("cue.export", "a value has no form in JSON"))?
                }
            };
            self.separate();
            if let (EvalForm::Cue | EvalForm::Def, Some(expression), true) =
                (self.arguments.out, self.arguments.expressions.get(index), self.arguments.expressions.len() > 1)
            {
                self.context.terminal.line(&format!("// {expression}"));
            }
            self.context.terminal.print(&text);
            if !text.ends_with('\n') && !text.is_empty() {
                self.context.terminal.print("\n");
            }
        }
        Ok(())
    }

    /// What stands between two values.
    fn separate(&mut self) {
        self.count += 1;
        if self.count == 1 {
            return;
        }
        match self.arguments.out {
            EvalForm::Yaml => self.context.terminal.line("---"),
            EvalForm::Cue | EvalForm::Def if self.several => self.context.terminal.line("// ---"),
            _ => {}
        }
    }
}

/// Ends the command where something is wrong for good.
fn refuse(evaluated: &Evaluated) -> Result<(), Failure> {
    let wrong: Vec<Diagnostic> = evaluated.wrong();
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
