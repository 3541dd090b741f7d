//! `pravo state …`

use std::collections::BTreeMap;

use pravo_diag::Diagnostic;
use pravo_model::state::{Change, Record, StateView, TransactionId, TransactionRecord};
use pravo_model::{Address, Value};
use serde_json::{Value as Json, json};

use super::graph::{Edges, text};
use super::show::record_text;
use crate::args::{GraphForm, State};
use crate::exit::{Done, Failure, Outcome};
use crate::records::Schemas;
use crate::render::diff::{Body, write_body};
use crate::render::document::{attributes, head, record_json, state_document};
use crate::render::marks::Marks;
use crate::render::plan::View;
use crate::render::time::utc;
use crate::workspace::Context;

pub(super) async fn run(context: &Context, command: State) -> Outcome {
    match command {
        State::List { addresses, json } => list(context, &addresses, json),
        State::Show { address, at, json, show_sensitive } => show(context, &address, at, json, show_sensitive),
        State::Graph { format } => graph(context, format),
        State::Mv { from, to } => mv(context, &from, &to).await,
        State::Rm { addresses } => rm(context, &addresses).await,
        State::Log { json } => log(context, json),
        State::Diff { from, to, show_sensitive } => diff(context, from, to, show_sensitive),
        State::Pull => pull(context),
    }
}

/// Addresses of the records, those below `wanted` where something is wanted.
fn addresses(view: &dyn StateView, wanted: &[Address]) -> Result<Vec<Address>, Failure> {
    let mut all: Vec<Address> = view.heads()?.into_iter().map(|(address, _)| address).collect();
    all.sort();
    all.retain(|address| wanted.is_empty() || wanted.iter().any(|wanted| wanted.contains(address)));
    Ok(all)
}

fn list(context: &Context, wanted: &[Address], json: bool) -> Outcome {
    let view = context.open_state()?.view()?;
    let found = addresses(&*view, wanted)?;
    if json {
        context.terminal.line(&json!(found).to_string());
    } else {
        context.terminal.print(&found.iter().map(|address| format!("{address}\n")).collect::<String>());
    }
    Ok(Done::Success)
}

fn no_record(address: &Address, when: &str) -> Failure {
    Failure::of(
        Diagnostic::error("state.address", format!("there is no record of {address}{when}")).with_help("pravo state list shows the addresses"),
    )
}

fn show(context: &Context, address: &Address, at: Option<u64>, json: bool, show_sensitive: bool) -> Outcome {
    let view = context.open_state()?.view()?;
    let record = match at {
        None => view.record(address)?,
        Some(transaction) => view.record_at(address, TransactionId(transaction))?,
    };
    let when = at.map_or_else(String::new, |transaction| format!(" after transaction {transaction}"));
    let record = Schemas::new(&context.directory).mark(record.ok_or_else(|| no_record(address, &when))?);
    let shown = View { paint: context.terminal.out, show_sensitive };
    if json {
        let mut document = head("record");
        document.insert("record".into(), record_json(&record, shown));
        context.terminal.line(&Json::Object(document).to_string());
    } else {
        context.terminal.print(&record_text(&record, shown));
    }
    Ok(Done::Success)
}

pub(super) fn graph(context: &Context, format: GraphForm) -> Outcome {
    let view = context.open_state()?.view()?;
    let mut edges = Edges::default();
    for (address, head) in view.heads()? {
        for dependency in head.dependencies {
            edges.edges.insert((address.clone(), dependency));
        }
        edges.nodes.insert(address);
    }
    context.terminal.print(&text(&edges, format));
    Ok(Done::Success)
}

async fn mv(context: &Context, from: &Address, to: &Address) -> Outcome {
    let store = context.open_state()?;
    let found = addresses(&*store.view()?, std::slice::from_ref(from))?;
    if found.is_empty() {
        return Err(no_record(from, ", nor of anything below it"));
    }
    let moves: Vec<(Address, Address)> = found.into_iter().filter_map(|old| Some((old.clone(), old.rebase(from, to)?))).collect();
    let view = store.view()?;
    for (old, new) in &moves {
        if view.record(new)?.is_some() {
            let what = format!("{old} cannot move to {new}: there is a record already");
            return Err(Failure::message("state.address", what));
        }
    }
    let writer = store.write("state mv")?;
    let changes = moves.iter().map(|(from, to)| Change::Move { from: from.clone(), to: to.clone() }).collect();
    finish(&*writer, changes, "state mv").await?;
    for (old, new) in moves {
        context.terminal.line(&format!("{old} has moved to {new}"));
    }
    Ok(Done::Success)
}

async fn rm(context: &Context, wanted: &[Address]) -> Outcome {
    let store = context.open_state()?;
    let view = store.view()?;
    let mut found = Vec::new();
    for address in wanted {
        let below = addresses(&*view, std::slice::from_ref(address))?;
        if below.is_empty() {
            return Err(no_record(address, ", nor of anything below it"));
        }
        found.extend(below);
    }
    found.sort();
    found.dedup();
    let writer = store.write("state rm")?;
    let changes = found.iter().flat_map(|address| [Change::Close(address.clone(), None), Change::Remove(address.clone())]).collect();
    finish(&*writer, changes, "state rm").await?;
    for address in found {
        context.terminal.line(&format!("{address} was forgotten"));
    }
    Ok(Done::Success)
}

/// Writes changes, and ends the transaction also where that fails.
async fn finish(writer: &dyn pravo_model::state::StateWriter, changes: Vec<Change>, command: &str) -> Result<(), Failure> {
    let done = writer.commit(changes).await;
    let failed = u64::from(done.is_err());
    writer.finish(TransactionRecord { id: writer.transaction().0, command: command.to_owned(), failed, ..TransactionRecord::default() }).await?;
    Ok(done?)
}

fn log(context: &Context, json: bool) -> Outcome {
    let mut transactions = context.open_state()?.view()?.transactions()?;
    transactions.reverse();
    if json {
        let mut document = head("log");
        document.insert("transactions".into(), json!(transactions));
        context.terminal.line(&Json::Object(document).to_string());
        return Ok(Done::Success);
    }
    for transaction in transactions {
        context.terminal.line(&log_line(&transaction));
    }
    Ok(Done::Success)
}

fn log_line(transaction: &TransactionRecord) -> String {
    let TransactionRecord { id, command, begun, ended, added, changed, destroyed, imported, failed } = transaction;
    let imported = if *imported > 0 { format!("{imported} imported, ") } else { String::new() };
    let failed = if *failed > 0 { format!(", {failed} failed") } else { String::new() };
    let open = if ended.is_none() { " (cut off, or still running)" } else { "" };
    format!("{id}  {}  {command}  {imported}{added} added, {changed} changed, {destroyed} destroyed{failed}{open}", utc(*begun))
}

/// The records that were written between two transactions, first and last, by address.
fn diff(context: &Context, from: u64, to: u64, show_sensitive: bool) -> Outcome {
    let view = context.open_state()?.view()?;
    if from > to {
        return Err(Failure::message("state.transaction", format!("transaction {from} is later than {to}: name the earlier one first")));
    }
    let (from, to) = (TransactionId(from), TransactionId(to));
    let mut touched: BTreeMap<Address, Option<Record>> = BTreeMap::new();
    for entry in view.history(from, to)? {
        touched.insert(entry.address, entry.record);
    }
    let shown = View { paint: context.terminal.out, show_sensitive };
    let schemas = Schemas::new(&context.directory);
    for (address, after) in touched {
        let before = view.record_at(&address, from)?.map(|record| schemas.mark(record));
        let after = after.map(|record| schemas.mark(record));
        context.terminal.print(&diff_text(&address, before.as_ref(), after.as_ref(), shown));
    }
    Ok(Done::Success)
}

fn diff_text(address: &Address, before: Option<&Record>, after: Option<&Record>, view: View) -> String {
    let (what, record) = match (before, after) {
        (None, Some(record)) => ("was added", record),
        (Some(record), None) => ("was removed", record),
        (Some(_), Some(record)) => ("was changed", record),
        (None, None) => return String::new(),
    };
    let object = |record: Option<&Record>| record.and_then(|record| record.object.as_ref()).map_or(Value::Null, attributes);
    let (old, new) = (object(before), object(after));
    if what == "was changed" && old == new {
        return String::new();
    }
    let objects = [before, after].into_iter().flatten().filter_map(|record| record.object.as_ref());
    let sensitive: Vec<_> = objects.flat_map(|object| object.sensitive.clone()).collect();
    let mut out = format!("  # {address} ({}) {what}\n", record.type_name);
    let hidden = view.hidden(&sensitive);
    write_body(&mut out, Body { before: &old, after: &new, hidden: &hidden, forces: &Marks::default() }, 4, view.paint);
    out.push('\n');
    out
}

fn pull(context: &Context) -> Outcome {
    let view = context.open_state()?.view()?;
    let shown = View { show_sensitive: true, ..View::default() };
    let document = state_document(&view.records()?, view.last_transaction()?.as_ref(), shown);
    let text = serde_json::to_string_pretty(&document).unwrap_or_default();
    context.terminal.line(&text);
    Ok(Done::Success)
}
