//! What a policy says of a plan that it is unified with.

use std::collections::HashSet;

use pravo_diag::Diagnostic;

use crate::evaluation::{Evaluation, Label, Reply, State};

/// Every violation: conflicts, `error(…)`, and what cannot be decided before the apply.
pub(super) fn violations(evaluation: &mut dyn Evaluation) -> Vec<Diagnostic> {
    if let Err(error) = settle(evaluation) {
        return vec![error];
    }
    let mut found = Vec::new();
    let mut open = vec![evaluation.root()];
    let mut seen = HashSet::new();
    while let Some(node) = open.pop() {
        if !seen.insert(node) {
            continue;
        }
        for opening in evaluation.openings(node) {
            let summary = format!("{} cannot be decided before apply: a guard needs a value that is not known yet", name(evaluation.path(node)));
            found.push(Diagnostic::error("policy.undecided", summary).at(opening.at, "").with_path(evaluation.path(node)));
        }
        let children = evaluation.children(node).into_iter().filter(|(label, _)| matches!(label, Label::Segment(_)));
        let children: Vec<_> = children.map(|(_, node)| node).collect();
        match evaluation.state(node) {
            State::Failed { last: true } => found.extend(failures(evaluation, node)),
            State::Unknown if evaluation.is_constrained(node) => {
                let path = evaluation.path(node);
                let diagnostic = Diagnostic::error("policy.undecided", format!("{path} cannot be decided before apply")).with_path(path);
                found.push(match evaluation.span(node) {
                    Some(span) => diagnostic.at(span, ""),
                    None => diagnostic,
                });
            }
            _ => {}
        }
        open.extend(children.into_iter().rev());
    }
    found.dedup();
    found
}

fn name(path: String) -> String {
    if path.is_empty() { "the policy".to_owned() } else { path }
}

/// Evaluates everything. Nothing is known before the apply but what the plan says.
fn settle(evaluation: &mut dyn Evaluation) -> Result<(), Diagnostic> {
    let mut wanted = HashSet::new();
    let mut open = vec![evaluation.root()];
    loop {
        while let Some(node) = open.pop() {
            if wanted.insert(node) {
                evaluation.want(node, true);
            }
        }
        evaluation.run()?;
        for ask in evaluation.new_asks() {
            evaluation.answer(ask, Reply { value: None, sensitive: false, ephemeral: false });
        }
        evaluation.run()?;
        let children = wanted.iter().flat_map(|node| evaluation.children(*node));
        open.extend(children.filter(|(label, node)| matches!(label, Label::Segment(_)) && !wanted.contains(node)).map(|(_, node)| node));
        if open.is_empty() {
            return Ok(());
        }
    }
}

fn failures(evaluation: &dyn Evaluation, node: pravo_cue::Node) -> Vec<Diagnostic> {
    let hidden = evaluation.trace(node).all_marks().sensitive;
    let violation = |failure: Diagnostic| {
        let failure = Diagnostic { code: "policy.violation".to_owned(), ..failure };
        if !hidden {
            return failure;
        }
        // The message may hold the value.
        let summary = format!("{} is refused; what it says is hidden, for it was made from a (sensitive value)", name(failure.path.clone()));
        Diagnostic { summary, detail: String::new(), ..failure }
    };
    evaluation.failures(node).into_iter().map(violation).collect()
}
