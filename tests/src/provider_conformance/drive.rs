//! Drives one case through the product, step by step.

use serde_json::{Map, Value as Json, json};

use pravo_model::Address;
use pravo_model::provider::ProviderBinding;
use pravo_model::specification::Kind;
use pravo_model::state::{Change, Head, Object, Record, StateStore, Status, Timestamp, TransactionId, TransactionRecord};

use super::case::{Case, Step};
use super::judge::{Outcome, judge};
use super::product::{Answer, Product};
use super::source::{expand, mentions_unknown};

/// The address of the object of every case.
const OBJECT: &str = "it";

/// Runs a case; the first difference, with the step's number.
///
/// # Errors
/// Where a step differs.
pub fn drive(case: &Case, product: &Product<'_>) -> Result<(), String> {
    let mut before = Json::Null;
    for (number, step) in case.steps.iter().enumerate() {
        let at = |error: String| format!("step {} ({}): {error}", number + 1, step.op);
        match step.op.as_str() {
            "outside" => product.shell(&step.shell).map_err(at)?,
            "state" => before = store(case, product, step).map_err(at)?,
            _ => {
                let outcome = run(case, product, number, step).map_err(at)?;
                let expect = expand(&Json::Object(step.expect.clone()), product.path());
                if let Some(imported) = outcome.facts.get("imported") {
                    before = imported.clone();
                }
                judge(expect.as_object().unwrap_or(&Map::new()), &outcome, &before, case.is("core")).map_err(at)?;
                before = recorded(product)?["values"].clone();
            }
        }
    }
    Ok(())
}

fn run(case: &Case, product: &Product<'_>, number: usize, step: &Step) -> Result<Outcome, String> {
    if step.op != "destroy" {
        product.configure(number, step)?;
    }
    let mut outcome = match (step.op.as_str(), case.kind.as_str()) {
        ("destroy", _) => destroy(product, step)?,
        ("call" | "open", _) => through_sink(product, step)?,
        _ => plan_and_apply(product, step)?,
    };
    if step.expect.contains_key("files") {
        outcome.facts.insert("files".to_owned(), product.files()?);
    }
    Ok(outcome)
}

/// Takes over what an answer says, once: a failed apply tells its errors as an event and again in the summary.
fn sort_diagnostics(outcome: &mut Outcome, answer: &Answer) {
    for diagnostic in answer.diagnostics() {
        let list = if diagnostic["severity"] == "error" { &mut outcome.errors } else { &mut outcome.warnings };
        let same = |known: &Json| ["summary", "detail", "path"].iter().all(|part| known[*part] == diagnostic[*part]);
        if !list.iter().any(same) {
            list.push(diagnostic);
        }
    }
    outcome.text.push_str(&answer.text);
}

/// The change of the object in a plan.
fn change(plan: &Json) -> Json {
    let changes = plan["changes"].as_array().cloned().unwrap_or_default();
    changes.into_iter().find(|change| change["address"] == OBJECT && change["deposed"].is_null()).unwrap_or_default()
}

fn named(action: &Json) -> String {
    match action.as_str() {
        Some("delete-then-create" | "create-then-delete") => "replace".to_owned(),
        Some(action) => action.to_owned(),
        None => "no-op".to_owned(),
    }
}

fn plan_and_apply(product: &Product<'_>, step: &Step) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let file = product.plan_file();
    let planned = product.run(&["plan", "--json", "--show-sensitive", "-refresh=all", "--out", &file])?;
    sort_diagnostics(&mut outcome, &planned);
    let plan = planned.document("plan");
    if !planned.succeeded {
        outcome.action = "error".to_owned();
        after(product, &mut outcome)?;
        return Ok(outcome);
    }
    plan_facts(&mut outcome, &plan);
    outcome.action = named(&change(&plan)["action"]);
    let deferred = outcome.action == "read";
    // A plan without an action does not tell what is recorded: applying it changes nothing but the record.
    if step.op == "plan" && (!step.expect.contains_key("prior") || outcome.facts.contains_key("prior") || outcome.action != "no-op") {
        return Ok(outcome);
    }
    let applied = product.run(&["apply", "--json", &file])?;
    sort_diagnostics(&mut outcome, &applied);
    if !applied.succeeded && step.op != "plan" {
        let planned_action = std::mem::replace(&mut outcome.action, "error".to_owned());
        outcome.facts.insert("planned_action".to_owned(), planned_action.into());
        return after(product, &mut outcome).map(|()| outcome);
    }
    let record = recorded(product)?;
    outcome.facts.insert("values".to_owned(), record["values"].clone());
    outcome.facts.entry("prior").or_insert_with(|| record["values"].clone());
    if step.op == "read" {
        outcome.action = "read".to_owned();
        outcome.facts.insert("read_during".to_owned(), if deferred { "apply" } else { "plan" }.into());
    }
    Ok(outcome)
}

fn plan_facts(outcome: &mut Outcome, plan: &Json) {
    let change = change(plan);
    let list = |part: &Json| if part.is_null() { json!([]) } else { part.clone() };
    outcome.facts.insert("unknown_after_plan".to_owned(), list(&change["after_unknown"]));
    outcome.facts.insert("planned".to_owned(), change["after"].clone());
    outcome.facts.insert("replace_paths".to_owned(), list(&change["replace_paths"]));
    if !change["import"].is_null() {
        outcome.facts.insert("imported".to_owned(), change["import"]["values"].clone());
    }
    if !change["before"].is_null() {
        outcome.facts.insert("prior".to_owned(), change["before"].clone());
    }
    let drift = plan["drift"].as_array().cloned().unwrap_or_default();
    if let Some(drift) = drift.iter().find(|drift| drift["address"] == OBJECT) {
        outcome.facts.insert("drift".to_owned(), drift["action"].clone());
        outcome.facts.insert("prior".to_owned(), drift["after"].clone());
    }
}

/// The object after a failed step.
fn after(product: &Product<'_>, outcome: &mut Outcome) -> Result<(), String> {
    let record = recorded(product)?;
    let status = match record["status"].as_str() {
        None => "absent",
        Some("tainted") => "tainted",
        Some(_) => "kept",
    };
    outcome.facts.insert("after".to_owned(), status.into());
    outcome.facts.insert("values".to_owned(), record["values"].clone());
    Ok(())
}

/// The record of the object; null where there is none.
fn recorded(product: &Product<'_>) -> Result<Json, String> {
    let shown = product.run(&["show", "--json", "--show-sensitive"])?;
    let resources = shown.documents.first().map(|document| document["resources"].clone()).unwrap_or_default();
    let resources = resources.as_array().cloned().unwrap_or_default();
    Ok(resources.into_iter().find(|record| record["address"] == OBJECT).unwrap_or_default())
}

fn destroy(product: &Product<'_>, step: &Step) -> Result<Outcome, String> {
    let refresh = if step.refresh { "-refresh=all" } else { "-refresh=false" };
    let destroyed = product.run(&["destroy", "--auto-approve", "--json", refresh])?;
    let mut outcome = Outcome::default();
    sort_diagnostics(&mut outcome, &destroyed);
    let deleted = change(&destroyed.document("plan"))["action"] == "delete";
    outcome.action = match (destroyed.succeeded, deleted) {
        (false, _) => "error",
        (true, true) => "delete",
        (true, false) => "no-op",
    }
    .to_owned();
    Ok(outcome)
}

/// Ephemerals and function calls leave no record: an object of the `trace` provider, whose body reads them, tells what they gave.
fn through_sink(product: &Product<'_>, step: &Step) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let file = product.plan_file();
    let planned = product.run(&["plan", "--json", "--show-sensitive", "--out", &file])?;
    sort_diagnostics(&mut outcome, &planned);
    let applied = if planned.succeeded { Some(product.run(&["apply", "--json", &file])?) } else { None };
    if let Some(applied) = &applied {
        sort_diagnostics(&mut outcome, applied);
    }
    let unknown =
        planned.document("plan")["changes"].as_array().and_then(|changes| changes.iter().find(|change| change["address"] == "sink").cloned());
    if step.op == "call" {
        let waited = unknown.is_some_and(|change| change["after_unknown"].to_string().contains("\"input"));
        outcome.facts.insert("called_during".to_owned(), if waited { "apply" } else { "plan" }.into());
    } else {
        let waited = mentions_unknown(&Json::Object(step.config.clone()));
        let phases: &[&str] = if waited { &["apply"] } else { &["plan", "apply"] };
        outcome.facts.insert("opened_during".to_owned(), json!(phases.get(..if applied.is_some() { 2 } else { 1 }).unwrap_or(phases)));
    }
    if !applied.is_some_and(|applied| applied.succeeded) {
        outcome.action = "error".to_owned();
        return Ok(outcome);
    }
    outcome.action = step.op.clone();
    let shown = product.run(&["show", "--json", "--show-sensitive"])?;
    let resources = shown.documents.first().map(|document| document["resources"].clone()).unwrap_or_default();
    let sink = resources.as_array().and_then(|all| all.iter().find(|record| record["address"] == "sink")).cloned().unwrap_or_default();
    let text = sink["values"]["output"].as_str().unwrap_or_default().to_owned();
    let value: Json = serde_json::from_str(&text).unwrap_or(Json::String(text));
    if step.op == "call" {
        outcome.facts.insert("result".to_owned(), value);
    } else {
        outcome.facts.insert("values".to_owned(), with_unset(value, step.expect.get("values").unwrap_or(&Json::Null)));
    }
    Ok(outcome)
}

/// CUE leaves attributes that are not set out where Terraform says null.
fn with_unset(mut value: Json, expected: &Json) -> Json {
    if let (Some(attributes), Some(expected)) = (value.as_object_mut(), expected.as_object()) {
        for name in expected.keys() {
            attributes.entry(name.clone()).or_insert(Json::Null);
        }
    }
    value
}

/// Puts an object into the state as an older version of the provider left it.
fn store(case: &Case, product: &Product<'_>, step: &Step) -> Result<Json, String> {
    let attributes = step.attributes.clone().or_else(|| step.attributes_flat.clone()).unwrap_or_default();
    let attributes = expand(&Json::Object(attributes), product.path());
    let address: Address = OBJECT.parse().map_err(|error| format!("{error}"))?;
    let instance: Address = "$under".parse().map_err(|error| format!("{error}"))?;
    let head =
        Head { fingerprint: None, read_at: Timestamp(0), status: Status::Ready, kind: Kind::Resource, has_deposed: false, dependencies: Vec::new() };
    let record = Record {
        address,
        type_name: case.type_name.clone(),
        head,
        binding: ProviderBinding { package: format!("pravo.dev/providers/hashicorp/{}", case.provider), allow: String::new() },
        instance,
        object: Some(Object {
            attributes: attributes.to_string().into_bytes(),
            schema_version: step.schema_version,
            private: Vec::new(),
            sensitive: Vec::new(),
        }),
        deposed: Vec::new(),
        create_before_destroy: false,
        transaction: TransactionId(0),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let state = pravo_state::RedbStore::new(product.state_file()).map_err(|error| error.to_string())?;
        let writer = state.write("recorded case").map_err(|error| error.to_string())?;
        writer.commit(vec![Change::Put(Box::new(record))]).await.map_err(|error| error.to_string())?;
        writer.finish(TransactionRecord::default()).await.map_err(|error| error.to_string())
    })?;
    Ok(attributes)
}
