//! Compares what a step did with what the real provider did.

use serde_json::{Map, Value as Json};

use super::matchers::{Context, difference};

/// What a step did, in the words of the cases.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// `create`, `update`, `replace`, `no-op`, `delete`, `read`, `open`, `call` or `error`.
    pub action: String,
    /// Errors, as diagnostics of the product.
    pub errors: Vec<Json>,
    /// Warnings, likewise.
    pub warnings: Vec<Json>,
    /// The other facts, under the names of the cases.
    pub facts: Map<String, Json>,
    /// Everything that the product printed.
    pub text: String,
}

/// What is in `expect` but not compared as a fact of the same name.
const HANDLED: [&str; 8] = ["action", "phase", "error_contains", "error_path", "errors", "warnings", "crash", "planned_action"];

/// The first difference between an outcome and what is expected. With `core`, only success or failure and what is stored count.
pub fn judge(expect: &Map<String, Json>, outcome: &Outcome, before: &Json, core: bool) -> Result<(), String> {
    let expected_action = expect.get("action").and_then(Json::as_str).unwrap_or_default();
    let failed = outcome.action == "error";
    if (expected_action == "error") != failed || (!core && expected_action != outcome.action) {
        return Err(format!("expected {expected_action}, got {}: {}", outcome.action, last_lines(&outcome.text)));
    }
    if expected_action == "error" && !core && !expect.contains_key("crash") {
        judge_errors(expect, outcome)?;
    }
    if !core && !failed {
        judge_count("warnings", expect.get("warnings"), &outcome.warnings)?;
    }
    for (name, expected) in expect.iter().filter(|(name, _)| !HANDLED.contains(&name.as_str())) {
        if core && !matches!(name.as_str(), "values" | "after" | "files") {
            continue;
        }
        judge_fact(name, expected, outcome, before)?;
    }
    Ok(())
}

fn judge_fact(name: &str, expected: &Json, outcome: &Outcome, before: &Json) -> Result<(), String> {
    let Some(got) = outcome.facts.get(name) else {
        return Err(format!("{name}: expected {expected}, the product says nothing of it"));
    };
    let context = Context { object: got, before };
    let mut got = got.clone();
    if name == "files" {
        forget_texts(expected, &mut got);
    }
    match difference(name, expected, &got, before, &context) {
        None => Ok(()),
        Some(difference) => Err(difference),
    }
}

/// Texts of files that the case does not tell, and what the runner may not read, are not compared.
fn forget_texts(expected: &Json, got: &mut Json) {
    let Some(files) = got.as_object_mut() else { return };
    for (name, file) in files {
        for part in ["text", "sha1"] {
            if expected[name.as_str()].get(part).is_none()
                && let Some(file) = file.as_object_mut()
            {
                file.remove(part);
            }
        }
    }
}

fn judge_errors(expect: &Map<String, Json>, outcome: &Outcome) -> Result<(), String> {
    let words = expect.get("error_contains").and_then(Json::as_str).unwrap_or_default().to_lowercase();
    let about = path_text(expect.get("error_path"));
    let phase = expect.get("phase").and_then(Json::as_str).unwrap_or_default();
    let fits = |error: &&Json| {
        let text = format!("{} {} {}", error["summary"], error["detail"], error["help"]).to_lowercase();
        let text = text.replace("\\n", " ").replace("\\\"", "\"");
        let squeezed = text.split_whitespace().collect::<Vec<_>>().join(" ");
        squeezed.contains(&words.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let Some(_) = outcome.errors.iter().find(fits) else {
        return Err(format!("no error contains {words:?}: {}", last_lines(&outcome.text)));
    };
    let right_place = |error: &&Json| about.is_empty() || error["path"].as_str().is_some_and(|path| path.ends_with(&about));
    if !outcome.errors.iter().filter(fits).any(|error| right_place(&error)) {
        let paths: Vec<&Json> = outcome.errors.iter().map(|error| &error["path"]).collect();
        return Err(format!("no error about {about:?} contains {words:?}, but about {paths:?}"));
    }
    if let Some(error) = outcome.errors.iter().filter(fits).find(|error| error.get("phase").is_some_and(|got| got != phase)) {
        return Err(format!("the error belongs to the phase {phase:?}, got {}", error["phase"]));
    }
    judge_count("errors", expect.get("errors"), &outcome.errors)
}

fn judge_count(what: &str, expected: Option<&Json>, got: &[Json]) -> Result<(), String> {
    let expected = expected.and_then(Json::as_array).map_or(0, Vec::len);
    if expected == got.len() {
        return Ok(());
    }
    let summaries: Vec<&Json> = got.iter().map(|one| &one["summary"]).collect();
    Err(format!("expected {expected} {what}, got {}: {summaries:?}", got.len()))
}

/// `["a", "b", 0]` as the end of a CUE path: `.a.b[0]`.
fn path_text(path: Option<&Json>) -> String {
    let steps = path.and_then(Json::as_array).cloned().unwrap_or_default();
    let texts = steps.iter().map(|step| match step {
        Json::String(name) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => format!(".{name}"),
        Json::String(name) => format!(".{}", Json::String(name.clone())),
        index => format!("[{index}]"),
    });
    texts.collect()
}

fn last_lines(text: &str) -> String {
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    all[all.len().saturating_sub(4)..].join(" / ").chars().take(600).collect()
}
