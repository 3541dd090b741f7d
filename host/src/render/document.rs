//! The JSON documents: plan, state, records, events. Their form is described in the reference, and has a version.

use pravo_diag::{Diagnostic, SourceMap, to_json};
use pravo_engine::{Applied, RunEvent};
use pravo_model::Value;
use pravo_model::plan::{Action, Drift, PlanDocument, ResourceChange};
use pravo_model::state::{Deposed, Object, Record, TransactionRecord};
use serde_json::{Value as Json, json};

use super::json::{path_to_json, redacted, unknown_paths};
use super::plan::View;

/// Version of the documents: a change that breaks readers makes it grow.
pub const FORMAT_VERSION: &str = "1";

/// The parts that every document begins with.
pub fn head(kind: &str) -> serde_json::Map<String, Json> {
    let mut map = serde_json::Map::new();
    map.insert("format_version".into(), FORMAT_VERSION.into());
    map.insert("pravo_version".into(), env!("CARGO_PKG_VERSION").into());
    map.insert("type".into(), kind.into());
    map
}

/// A plan as a document.
pub fn plan_document(plan: &PlanDocument, diagnostics: Vec<Json>, view: View) -> Json {
    let mut document = head("plan");
    let paths = |paths: &[pravo_model::Path]| Json::Array(paths.iter().map(path_to_json).collect());
    let changes = plan.changes.iter().map(|change| change_json(change, view, &paths)).collect();
    let drift = plan.drift.iter().map(|drift| drift_json(drift, view, &paths)).collect();
    let (summary, graph) = (plan.summary, plan.graph);
    document.insert("changes".into(), Json::Array(changes));
    document.insert("drift".into(), Json::Array(drift));
    document.insert("summary".into(), json!({ "add": summary.add, "change": summary.change, "destroy": summary.destroy, "import": summary.import }));
    document.insert(
        "graph".into(),
        json!({
            "planned": graph.planned, "total": graph.total, "unchanged": graph.unchanged(), "refreshed": graph.refreshed,
            "within_refresh_age": graph.within_age, "not_read": graph.not_read,
        }),
    );
    document.insert("diagnostics".into(), Json::Array(diagnostics));
    Json::Object(document)
}

fn change_json(change: &ResourceChange, view: View, paths: &dyn Fn(&[pravo_model::Path]) -> Json) -> Json {
    let hidden = view.hidden(&change.sensitive);
    let mut object = json!({
        "address": change.address,
        "kind": change.kind,
        "type": change.type_name,
        "provider": change.provider,
        "action": action_name(change.action),
        "reason": change.reason,
        "before": redacted(&change.before, &hidden),
        "after": redacted(&change.after, &hidden),
        "after_unknown": unknown_paths(&change.after),
        "replace_paths": paths(&change.replace_paths),
        "sensitive": paths(&change.sensitive),
    });
    if let Json::Object(map) = &mut object {
        let optional = [
            ("previous_address", change.previous.as_ref().map(|previous| json!(previous))),
            ("import", change.import.as_ref().map(|id| json!({ "id": id, "values": redacted(&change.before, &hidden) }))),
            ("deposed", change.deposed.as_ref().map(|key| json!(key))),
        ];
        map.extend(optional.into_iter().filter_map(|(name, value)| value.map(|value| (name.to_owned(), value))));
    }
    object
}

/// The name of an action in documents and policies.
fn action_name(action: Action) -> &'static str {
    match action {
        Action::NoOp => "no-op",
        Action::Create => "create",
        Action::Read => "read",
        Action::Update => "update",
        Action::DeleteThenCreate => "delete-then-create",
        Action::CreateThenDelete => "create-then-delete",
        Action::Delete => "delete",
        Action::DeleteDeposed => "delete-deposed",
        Action::Forget => "forget",
    }
}

fn drift_json(drift: &Drift, view: View, paths: &dyn Fn(&[pravo_model::Path]) -> Json) -> Json {
    let hidden = view.hidden(&drift.sensitive);
    json!({
        "address": drift.address,
        "type": drift.type_name,
        "action": if drift.after.is_null() { "deleted" } else { "changed" },
        "before": redacted(&drift.before, &hidden),
        "after": redacted(&drift.after, &hidden),
        "sensitive": paths(&drift.sensitive),
    })
}

/// What differs from the records, as a document.
pub fn drift_document(drift: &[Drift], read: u64, diagnostics: Vec<Json>, view: View) -> Json {
    let mut document = head("drift");
    let paths = |paths: &[pravo_model::Path]| Json::Array(paths.iter().map(path_to_json).collect());
    document.insert("drift".into(), Json::Array(drift.iter().map(|drift| drift_json(drift, view, &paths)).collect()));
    document.insert("read".into(), read.into());
    document.insert("diagnostics".into(), Json::Array(diagnostics));
    Json::Object(document)
}

/// What a command was doing when something was to be said, where the code does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Planning.
    Plan,
    /// Applying.
    Apply,
}

/// Diagnostics as JSON objects with resolved places and the phase in which they arose.
pub fn write_diagnostics(diagnostics: &[Diagnostic], sources: &SourceMap, during: Phase) -> Vec<Json> {
    let objects = diagnostics.iter().map(|diagnostic| {
        let mut object = serde_json::to_value(to_json(&own_first(diagnostic, sources), sources)).unwrap_or(Json::Null);
        if let Json::Object(map) = &mut object {
            map.insert("phase".into(), phase(&diagnostic.code, during).into());
        }
        object
    });
    objects.collect()
}

/// The diagnostic with the places in files before those in generated packages: what somebody can change comes first.
pub fn own_first(diagnostic: &Diagnostic, sources: &SourceMap) -> Diagnostic {
    let mut diagnostic = diagnostic.clone();
    let generated = |span| sources.locate(span).is_some_and(|(source, _)| source.path().starts_with("pravo.dev"));
    diagnostic.labels.sort_by_key(|label| generated(label.span));
    diagnostic
}

/// The phase that a diagnostic belongs to. Its code begins with what was done; what is told by nobody else was found while evaluating.
fn phase(code: &str, during: Phase) -> &'static str {
    match (code.split('.').next().unwrap_or_default(), during) {
        ("import" | "upgrade", _) => "plan",
        // Also what is only validated, evaluated or called now, because something in it was not known before.
        ("apply", _) | (_, Phase::Apply) => "apply",
        ("provider" | "engine" | "state" | "plan" | "read" | "configure" | "ephemeral", Phase::Plan) => "plan",
        _ => "validate",
    }
}

/// An event of a run as one object.
pub fn event_json(event: &RunEvent) -> Json {
    let mut object = serde_json::Map::new();
    object.insert("type".into(), "event".into());
    if let Ok(Json::Object(fields)) = serde_json::to_value(event) {
        object.extend(fields);
    }
    if let (RunEvent::Failed { diagnostics, .. }, Some(place)) = (event, object.get_mut("diagnostics")) {
        *place = Json::Array(write_diagnostics(diagnostics, &SourceMap::new(), Phase::Apply));
    }
    Json::Object(object)
}

/// The last line of `apply --json`.
pub fn applied_json(applied: &Applied) -> Json {
    let transaction = &applied.transaction;
    json!({
        "type": "summary",
        "transaction": transaction.id,
        "added": transaction.added,
        "changed": transaction.changed,
        "destroyed": transaction.destroyed,
        "imported": transaction.imported,
        "failed": applied.failed,
        "skipped": applied.skipped,
        "interrupted": applied.interrupted,
        "complete": applied.is_complete(),
    })
}

/// An object's attributes as a value: for showing only, without its schema.
pub fn attributes(object: &Object) -> Value {
    serde_json::from_slice::<Json>(&object.attributes).map_or(Value::Null, |json| json_to_value(&json, 0))
}

/// JSON as a value; what is nested too deep becomes null.
fn json_to_value(json: &Json, depth: usize) -> Value {
    if depth > 256 {
        return Value::Null;
    }
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => number.to_string().parse().map_or(Value::Null, Value::Number),
        Json::String(text) => Value::String(text.clone()),
        Json::Array(elements) => Value::List(elements.iter().map(|element| json_to_value(element, depth + 1)).collect()),
        Json::Object(entries) => Value::Map(entries.iter().map(|(name, value)| (name.into(), json_to_value(value, depth + 1))).collect()),
    }
}

/// A record as JSON.
pub fn record_json(record: &Record, view: View) -> Json {
    let object = |object: &Object| redacted(&attributes(object), &view.hidden(&object.sensitive));
    let deposed = record.deposed.iter().map(|Deposed { key, object: old }| json!({ "key": key, "values": object(old) })).collect::<Vec<_>>();
    let sensitive = record.object.iter().flat_map(|object| object.sensitive.iter().map(path_to_json)).collect::<Vec<_>>();
    json!({
        "address": record.address,
        "kind": record.head.kind,
        "type": record.type_name,
        "provider": record.binding.package,
        "instance": record.instance,
        "status": record.head.status,
        "schema_version": record.object.as_ref().map(|object| object.schema_version),
        "values": record.object.as_ref().map(object),
        "sensitive": sensitive,
        "depends_on": record.head.dependencies,
        "deposed": deposed,
        "read_at": record.head.read_at,
        "transaction": record.transaction,
    })
}

/// The state as a document.
pub fn state_document(records: &[Record], last: Option<&TransactionRecord>, view: View) -> Json {
    let mut document = head("state");
    document.insert("transaction".into(), last.map_or(Json::Null, |last| last.id.into()));
    document.insert("resources".into(), Json::Array(records.iter().map(|record| record_json(record, view)).collect()));
    Json::Object(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_phase_is_told_by_code_and_command() {
        for (code, during, expected) in [
            ("validate.rejected", Phase::Plan, "validate"),
            ("plan.rejected", Phase::Plan, "plan"),
            ("import.rejected", Phase::Apply, "plan"),
            ("apply.rejected", Phase::Apply, "apply"),
            ("provider.crashed", Phase::Plan, "plan"),
            ("provider.crashed", Phase::Apply, "apply"),
            ("cue.eval", Phase::Plan, "validate"),
            ("function.rejected", Phase::Plan, "validate"),
            ("validate.rejected", Phase::Apply, "apply"),
        ] {
            assert_eq!(phase(code, during), expected, "{code}");
        }
    }
}
