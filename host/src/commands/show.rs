//! `pravo show`: a saved plan, or the state.

use pravo_diag::Diagnostic;
use pravo_engine::Plan;
use pravo_model::state::{Record, Status};

use super::planning::Planned;
use crate::args::Show;
use crate::exit::{Done, Failure, Outcome};
use crate::records::Schemas;
use crate::render::document::{attributes, state_document};
use crate::render::paint::{Color, Paint};
use crate::render::plan::View;
use crate::render::value::members_text;
use crate::workspace::Context;

pub(super) fn run(context: &Context, arguments: &Show) -> Outcome {
    match &arguments.file {
        Some(file) => plan(context, arguments, file),
        None => state(context, arguments),
    }
}

fn plan(context: &Context, arguments: &Show, file: &std::path::Path) -> Outcome {
    let bytes = std::fs::read(file).map_err(|error| Failure::file("read the plan", file, &error))?;
    let plan = Plan::decode(&bytes).map_err(|error| Failure::of(Diagnostic::error("plan.file", format!("{}: {error}", file.display()))))?;
    let planned = Planned::saved(plan);
    if arguments.json {
        context.terminal.line(&planned.document(arguments.show_sensitive).to_string());
    } else {
        planned.show(context, arguments.show_sensitive);
    }
    Ok(Done::Success)
}

fn state(context: &Context, arguments: &Show) -> Outcome {
    let view = context.open_state()?.view()?;
    let schemas = Schemas::new(&context.directory);
    let records: Vec<Record> = view.records()?.into_iter().map(|record| schemas.mark(record)).collect();
    let shown = View { paint: context.terminal.out, show_sensitive: arguments.show_sensitive };
    if arguments.json {
        context.terminal.line(&state_document(&records, view.last_transaction()?.as_ref(), shown).to_string());
        return Ok(Done::Success);
    }
    let texts: Vec<String> = records.iter().map(|record| record_text(record, shown)).collect();
    if texts.is_empty() {
        context.terminal.line("The state is empty.");
    }
    context.terminal.print(&texts.join("\n"));
    Ok(Done::Success)
}

/// A record: its header, and its attributes.
pub(super) fn record_text(record: &Record, view: View) -> String {
    let status = match record.head.status {
        Status::Ready => "",
        Status::Tainted => ", tainted",
        Status::Uncertain => ", uncertain: the object may exist",
    };
    let header = format!("# {} ({}{status})", record.address, record.type_name);
    let mut text = format!("{}\n", view.paint.paint(Color::Bold, &header));
    if let Some(object) = &record.object {
        text.push_str(&members_text(&attributes(object), &view.hidden(&object.sensitive), view.paint));
    }
    for deposed in &record.deposed {
        text.push_str(&deposed_text(&deposed.key, view.paint));
    }
    text
}

fn deposed_text(key: &str, paint: Paint) -> String {
    format!("{}\n", paint.paint(Color::Dim, &format!("# and a deposed object, {key}")))
}
