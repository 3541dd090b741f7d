//! The evaluator on small programs.

mod circles;
mod hosted;
mod hostile;
mod language;
mod laws;
mod robust;

use std::sync::Arc;

use pravo_diag::{Diagnostic, SourceMap, Style};

use super::*;
use crate::program::{LoadedPackage, Loader, build};
use crate::syntax::{Options, parse_file};
use crate::{Label, Value};

/// Packages by import path, from texts.
struct Texts(Vec<(&'static str, &'static str)>);

impl Loader for Texts {
    fn package(&mut self, path: &str, sources: &mut SourceMap) -> Result<LoadedPackage, Box<Diagnostic>> {
        let Some((path, text)) = self.0.iter().find(|(other, _)| *other == path) else {
            return Err(Box::new(Diagnostic::error("cue.import", format!("no package {path}"))));
        };
        let file = sources.add(format!("{path}.cue"), *text);
        let parsed = parse_file(sources, file, &Options::default());
        let name = parsed.file.package().map_or_else(String::new, |name| name.name.clone());
        Ok(LoadedPackage::Files { path: (*path).to_owned(), name, files: vec![parsed.file].into() })
    }
}

/// A session over files, with packages to import.
fn start(files: &[&str], packages: Vec<(&'static str, &'static str)>) -> (Session, SourceMap) {
    let mut sources = SourceMap::new();
    let mut parsed = Vec::new();
    for (index, text) in files.iter().enumerate() {
        let file = sources.add(format!("f{index}.cue"), *text);
        let result = parse_file(&sources, file, &Options::default());
        assert!(result.diagnostics.is_empty(), "{}", pravo_diag::render_all(&result.diagnostics, &sources, Style::default()));
        parsed.push(result.file);
    }
    let program = build("", &parsed, &mut Texts(packages), &mut sources);
    assert!(program.diagnostics.is_empty(), "{}", pravo_diag::render_all(&program.diagnostics, &sources, Style::default()));
    (Session::new(Arc::new(program), Limits::default()), sources)
}

/// A value in one line.
fn line(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quote(text),
        Value::Bytes(bytes) => format!("'{}'", String::from_utf8_lossy(bytes)),
        Value::List(elements) => format!("[{}]", elements.iter().map(line).collect::<Vec<_>>().join(", ")),
        Value::Struct(fields) => {
            format!("{{{}}}", fields.iter().map(|(label, value)| format!("{label}: {}", line(value))).collect::<Vec<_>>().join(", "))
        }
        Value::Partial { kinds, unknown: true } => format!("<{kinds}>"),
        Value::Partial { kinds, unknown: false } => kinds.to_string(),
        Value::Handle(_) => "constraint".into(),
    }
}

/// The node of a path of regular, hidden or definition names and indices.
fn at(session: &mut Session, path: &str) -> Node {
    let mut node = session.root();
    for step in path.split('.') {
        let label = match step.parse::<usize>() {
            Ok(index) => Label::index(index),
            Err(_) => session.identifier_label(step, ""),
        };
        node = session.field(node, label).unwrap_or_else(|| panic!("no {step} in {path}"));
    }
    node
}

/// Everything of a program in one line, or its errors.
fn evaluate(files: &[&str]) -> String {
    let (mut session, _) = start(files, Vec::new());
    let root = session.root();
    session.want(root, Want::Final);
    assert_eq!(session.run().unwrap(), Turn::Done);
    let errors = session.errors(root);
    if errors.is_empty() {
        return line(&session.tree(root).unwrap());
    }
    let texts: Vec<String> = errors.iter().filter_map(|(node, _)| session.error(*node)).map(|error| error.summary).collect();
    texts.join("; ")
}
