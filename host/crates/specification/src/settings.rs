//! The `$settings` field of a root.

use pravo_diag::{Diagnostic, Span};
use pravo_model::Segment;
use pravo_model::specification::Settings;

use crate::evaluation::{Evaluation, Label, State};
use crate::names::suggestion;
use crate::raw::Raw;

/// Where a setting stands.
type Place<'a> = &'a dyn Fn(&[&str]) -> Option<Span>;

/// The settings of a root: the defaults where there is no `$settings`.
///
/// # Errors
/// Where a setting is unknown, not concrete, or of the wrong type.
pub(crate) fn settings(evaluation: &mut dyn Evaluation) -> Result<Settings, Vec<Diagnostic>> {
    let root = evaluation.root();
    evaluation.want(root, false);
    evaluation.run().map_err(|error| vec![error])?;
    let find = |evaluation: &dyn Evaluation, node, name: &str| {
        let children = evaluation.children(node).into_iter();
        children.filter(|(label, _)| matches!(label, Label::Segment(Segment::Field(field)) if field == name)).map(|(_, node)| node).next()
    };
    let Some(node) = find(evaluation, root, "$settings") else {
        return match evaluation.state(root) {
            State::Failed { last: true } => Err(evaluation.failures(root)),
            _ => Ok(Settings::default()),
        };
    };
    evaluation.want(node, true);
    evaluation.run().map_err(|error| vec![error])?;
    if let State::Failed { last: true } = evaluation.state(node) {
        return Err(evaluation.failures(node));
    }
    let raw = crate::conversation::plain(&evaluation.value(node));
    let place = |path: &[&str]| {
        let node = path.iter().try_fold(node, |node, name| find(evaluation, node, name)).unwrap_or(node);
        evaluation.span(node)
    };
    let mut reader = Reader { place: &place, errors: Vec::new() };
    let settings = reader.settings(&raw);
    if reader.errors.is_empty() { Ok(settings) } else { Err(reader.errors) }
}

struct Reader<'a> {
    place: Place<'a>,
    errors: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn error(&mut self, path: &[&str], summary: String, help: String) {
        let diagnostic = Diagnostic::error("specification.settings", summary).with_path(format!("$settings.{}", path.join("."))).with_help(help);
        self.errors.push(match (self.place)(path) {
            Some(span) => diagnostic.at(span, ""),
            None => diagnostic,
        });
    }

    fn fields<'r>(&mut self, path: &[&str], raw: &'r Raw, known: &[&str]) -> &'r [(String, Raw)] {
        let Raw::Struct(fields) = raw else {
            self.error(path, format!("{} is a struct, not a {}", name(path), raw.kind()), String::new());
            return &[];
        };
        for (field, _) in fields.iter().filter(|(field, _)| !known.contains(&field.as_str())) {
            let inner: Vec<&str> = path.iter().copied().chain([field.as_str()]).collect();
            self.error(&inner, format!("{} has no field {field:?}", name(path)), suggestion(field, known.iter().copied()));
        }
        fields
    }

    fn settings(&mut self, raw: &Raw) -> Settings {
        let mut settings = Settings::default();
        for (field, raw) in self.fields(&[], raw, &["refresh", "parallelism", "state", "pravo"]) {
            match (field.as_str(), raw) {
                ("refresh", Raw::String(text)) => match text.parse() {
                    Ok(age) => settings.refresh = age,
                    Err(error) => self.error(&["refresh"], format!("$settings.refresh: {error}"), String::new()),
                },
                ("parallelism", Raw::Number(number)) => match number.as_i64().and_then(|number| usize::try_from(number).ok()) {
                    Some(parallelism) if (1..=1_000).contains(&parallelism) => settings.parallelism = parallelism,
                    _ => self.error(&["parallelism"], format!("$settings.parallelism is a number from 1 to 1000, not {number}"), String::new()),
                },
                ("pravo", Raw::String(text)) => settings.pravo = Some(text.clone()),
                ("state", raw) => self.state(raw, &mut settings),
                ("refresh" | "parallelism" | "pravo", raw) => {
                    let kind = if field == "parallelism" { "number" } else { "string" };
                    let help = "settings are written in the specification, or set by a tag: they cannot depend on a resource".to_owned();
                    self.error(&[field], format!("$settings.{field} is a {kind}, and concrete; this is {}", raw.kind()), help);
                }
                _ => {}
            }
        }
        settings
    }

    fn state(&mut self, raw: &Raw, settings: &mut Settings) {
        for (_, raw) in self.fields(&["state"], raw, &["redb"]).to_vec().into_iter().filter(|(name, _)| name == "redb") {
            for (_, raw) in self.fields(&["state", "redb"], &raw, &["path"]).iter().filter(|(name, _)| name == "path") {
                match raw {
                    Raw::String(path) if !path.is_empty() => settings.state.clone_from(path),
                    raw => self.error(&["state", "redb", "path"], format!("$settings.state.redb.path is a path, not {}", raw.kind()), String::new()),
                }
            }
        }
    }
}

fn name(path: &[&str]) -> String {
    std::iter::once("$settings").chain(path.iter().copied()).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fields: Vec<(&str, Raw)>) -> Result<Settings, Vec<String>> {
        let mut reader = Reader { place: &|_| None, errors: Vec::new() };
        let raw = Raw::Struct(fields.into_iter().map(|(name, raw)| (name.to_owned(), raw)).collect());
        let settings = reader.settings(&raw);
        if reader.errors.is_empty() { Ok(settings) } else { Err(reader.errors.into_iter().map(|error| error.summary).collect()) }
    }

    fn text(text: &str) -> Raw {
        Raw::String(text.into())
    }

    #[test]
    fn settings_are_read() {
        let path = Raw::Struct(vec![("redb".into(), Raw::Struct(vec![("path".into(), text("x.state"))]))]);
        let settings =
            read(vec![("refresh", text("15m")), ("parallelism", Raw::Number(4.into())), ("state", path), ("pravo", text(">=0.1"))]).unwrap();
        assert_eq!((settings.refresh.to_string().as_str(), settings.parallelism, settings.state.as_str()), ("15m", 4, "x.state"));
        assert_eq!(read(vec![]), Ok(Settings::default()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            (("refresh", text("soon")), "$settings.refresh: \"soon\" is not a refresh age"),
            (("refresh", Raw::Unknown), "$settings.refresh is a string, and concrete; this is unknown"),
            (("parallelism", Raw::Number(0.into())), "$settings.parallelism is a number from 1 to 1000, not 0"),
            (("paralelism", Raw::Number(1.into())), "$settings has no field \"paralelism\""),
            (("state", Raw::Struct(vec![("s3".into(), Raw::Null)])), "$settings.state has no field \"s3\""),
        ];
        for (field, expected) in cases {
            let errors = read(vec![field]).unwrap_err();
            assert!(errors.len() == 1 && errors[0].starts_with(expected), "{errors:?}");
        }
    }
}
