//! `pravo output`

use pravo_engine::{EvaluateRequest, Known, Wanted};
use pravo_model::specification::Output as Field;
use pravo_model::{Path, Value};

use super::planning::with_sources;
use crate::args::Output;
use crate::exit::{Done, Failure, Outcome};
use crate::render::json::redacted;
use crate::render::plan::View;
use crate::render::text::UNKNOWN;
use crate::render::value::{members_text, value_text};
use crate::workspace::Context;

pub(super) async fn run(context: &Context, arguments: &Output) -> Outcome {
    let workspace = context.open(&arguments.evaluation)?;
    let view = workspace.view()?;
    let path = arguments.path.as_deref();
    let conversations = workspace.conversations();
    let wanted = path.map_or(Wanted::All, |path| Wanted::Path(path.to_owned()));
    let providers = workspace.providers.clone();
    let request = EvaluateRequest { conversations: &conversations, providers, state: &*view, known: Known::Records, wanted };
    let mut specification = pravo_engine::evaluate(request).await.map_err(|failure| with_sources(failure.into(), &workspace))?;
    let field = specification.output(path);
    let field = field.map_err(|diagnostics| Failure::new(diagnostics, specification.sources().clone()))?;
    let terminal = &context.terminal;
    if arguments.raw {
        terminal.print(&raw(&field, path.unwrap_or_default())?);
        return Ok(Done::Success);
    }
    let hidden = View { paint: terminal.out, show_sensitive: arguments.show_sensitive }.hidden(&field.sensitive);
    if arguments.json {
        known(&field.value, path.unwrap_or("the specification"))?;
        terminal.line(&redacted(&field.value, &hidden).to_string());
    } else if path.is_none() {
        terminal.print(&members_text(&field.value, &hidden, terminal.out));
    } else {
        terminal.print(&value_text(&field.value, &hidden, terminal.out));
    }
    Ok(Done::Success)
}

/// A scalar as it is. Whoever asks for exactly this path may see it.
fn raw(field: &Field, path: &str) -> Result<String, Failure> {
    match &field.value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        Value::Unknown => known(&field.value, path).map(|()| String::new()),
        Value::Null => Err(Failure::message("output.raw", format!("{path} is null: --raw prints a text, a number or a truth value"))),
        Value::List(_) | Value::Map(_) => {
            Err(Failure::message("output.raw", format!("{path} is a list or a struct: --raw prints a text, a number or a truth value; use --json")))
        }
    }
}

/// JSON has no form for what is not known.
fn known(value: &Value, path: &str) -> Result<(), Failure> {
    if value.is_wholly_known() {
        return Ok(());
    }
    let what = first_unknown(value, Path::root()).filter(|below| !below.steps().is_empty());
    let what = what.map_or_else(|| path.to_owned(), |below| format!("{below} in {path}"));
    Err(Failure::message("output.unknown", format!("{what} is not known yet {UNKNOWN}: run pravo apply first")))
}

fn first_unknown(value: &Value, at: Path) -> Option<Path> {
    use pravo_model::PathStep;
    match value {
        Value::Unknown => Some(at),
        Value::List(elements) => {
            elements.iter().enumerate().find_map(|(index, element)| first_unknown(element, at.then(PathStep::Index(u64::try_from(index).ok()?))))
        }
        Value::Map(entries) => entries.iter().find_map(|(name, value)| first_unknown(value, at.then(PathStep::Attribute(name.clone())))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::json::SENSITIVE;
    use crate::render::marks::Marks;

    fn field(value: Value) -> Field {
        Field { value, sensitive: vec![Path::root()] }
    }

    #[test]
    fn raw_prints_scalars_only() {
        assert_eq!(raw(&field(Value::from("a\n")), "x").unwrap(), "a\n");
        assert_eq!(raw(&field(Value::integer(3)), "x").unwrap(), "3");
        for value in [Value::Null, Value::Unknown, Value::List(vec![])] {
            assert!(raw(&field(value), "x").unwrap_err().diagnostics[0].summary.starts_with('x'));
        }
    }

    #[test]
    fn what_is_not_known_is_named() {
        let value = Value::object([("a", Value::List(vec![Value::from("x"), Value::Unknown]))]);
        let failure = known(&value, "site").unwrap_err();
        assert_eq!(failure.diagnostics[0].summary, "a[1] in site is not known yet (known after apply): run pravo apply first");
    }

    #[test]
    fn what_is_sensitive_is_hidden() {
        let hidden = Marks::new([&Path::root()]);
        assert_eq!(value_text(&Value::from("x"), &hidden, crate::render::paint::Paint::plain()), format!("{SENSITIVE}\n"));
    }
}
