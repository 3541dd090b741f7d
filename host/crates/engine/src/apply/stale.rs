//! Whether a plan still fits the state and the specification that it was made from.

use pravo_diag::Diagnostic;
use pravo_model::specification::Input;
use pravo_model::state::{StateError, StateView};

use crate::plan::Content;
use crate::record;

const HELP: &str = "make a new plan: what it rests on has changed since it was made";

fn stale(why: &str) -> Diagnostic {
    Diagnostic::error("plan.stale", format!("the plan is stale: {why}")).with_help(HELP)
}

/// Why the plan must not be applied, if so.
pub(super) fn check(content: &Content, state: &dyn StateView, lock: &str, inputs: &[Input]) -> Result<Option<Diagnostic>, StateError> {
    if content.lock != lock {
        return Ok(Some(stale("the lock file changed")));
    }
    if content.inputs != inputs {
        return Ok(Some(stale(&changed_input(&content.inputs, inputs))));
    }
    for (address, stamp) in &content.basis.records {
        match state.record(address)? {
            None => return Ok(Some(stale(&format!("the record of {address} is gone")))),
            Some(now) if record::stamp(&now) != *stamp => return Ok(Some(stale(&format!("the record of {address} changed")))),
            Some(_) => {}
        }
    }
    for address in &content.basis.absent {
        if state.record(address)?.is_some() {
            return Ok(Some(stale(&format!("{address} has a record now"))));
        }
    }
    for (address, known) in &content.basis.dependents {
        if let Some(new) = state.dependents(address)?.into_iter().find(|dependent| !known.contains(dependent)) {
            return Ok(Some(stale(&format!("{new} depends on {address} now"))));
        }
    }
    Ok(None)
}

fn changed_input(planned: &[Input], now: &[Input]) -> String {
    let differs = |one: &&Input, others: &[Input]| !others.contains(one);
    let changed = planned.iter().find(|input| differs(input, now)).or_else(|| now.iter().find(|input| differs(input, planned)));
    match changed.map(|input| input.name.as_str()) {
        Some(name) => match name.strip_prefix("tag:") {
            Some(tag) => format!("the tag {tag} has another value"),
            None => format!("{name} changed"),
        },
        None => "the order of the inputs changed".to_owned(),
    }
}
