//! Evaluates the CUE files that are named, as one package and prints the value, the counts, and what each stage took.

use std::fmt::Write as _;
use std::sync::Arc;

use pravo_cue::program::{LoadedPackage, Loader, build};
use pravo_cue::session::{Limits, Session, Want};
use pravo_cue::{Value, session::quote};
use pravo_diag::{Diagnostic, SourceMap, Style};

struct Standard;

impl Loader for Standard {
    fn package(&mut self, path: &str, _: &mut SourceMap) -> Result<LoadedPackage, Box<Diagnostic>> {
        let found = pravo_cue::packages::package(path).map(LoadedPackage::Standard);
        found.ok_or_else(|| Box::new(Diagnostic::error("cue.import", format!("package \"{path}\" is not available here"))))
    }
}

/// The peak of the memory in use, where the system tells.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.map_or_else(String::new, |line| line.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))
}

fn write(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => {
            let _ = write!(out, "{value}");
        }
        Value::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Value::String(text) => out.push_str(&quote(text)),
        Value::Bytes(bytes) => {
            let _ = write!(out, "'{}'", String::from_utf8_lossy(bytes));
        }
        Value::List(elements) if elements.is_empty() => out.push_str("[]"),
        Value::List(elements) => {
            out.push_str("[\n");
            for (index, element) in elements.iter().enumerate() {
                let _ = write!(out, "{}", " ".repeat(indent + 4));
                write(out, element, indent + 4);
                out.push_str(if index + 1 < elements.len() { ",\n" } else { "\n" });
            }
            let _ = write!(out, "{}]", " ".repeat(indent));
        }
        Value::Struct(fields) if fields.is_empty() => out.push_str("{}"),
        Value::Struct(fields) => {
            out.push_str("{\n");
            for (index, (label, field)) in fields.iter().enumerate() {
                let _ = write!(out, "{}{}: ", " ".repeat(indent + 4), quote(label));
                write(out, field, indent + 4);
                out.push_str(if index + 1 < fields.len() { ",\n" } else { "\n" });
            }
            let _ = write!(out, "{}}}", " ".repeat(indent));
        }
        Value::Partial { kinds, unknown } => {
            let _ = write!(out, "<{kinds}{}>", if *unknown { " unknown" } else { "" });
        }
        Value::Handle(_) => out.push_str("<constraint>"),
    }
}

fn main() -> std::process::ExitCode {
    let mut sources = SourceMap::new();
    let (mut files, mut start) = (Vec::new(), std::time::Instant::now());
    let mut stage = |name: &str| {
        eprintln!("{name:10} {:9.1} ms   peak {}", start.elapsed().as_secs_f64() * 1e3, peak());
        start = std::time::Instant::now();
    };
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{path}: {error}");
                return std::process::ExitCode::FAILURE;
            }
        };
        let file = sources.add(&path, text);
        let parsed = pravo_cue::syntax::parse_file(&sources, file, &pravo_cue::syntax::Options::default());
        eprint!("{}", pravo_diag::render_all(&parsed.diagnostics, &sources, Style::default()));
        files.push(parsed.file);
    }
    stage("parse");
    let program = build("", &files, &mut Standard, &mut sources);
    eprint!("{}", pravo_diag::render_all(&program.diagnostics, &sources, Style::default()));
    drop(files);
    stage("lower");
    let mut session = Session::new(Arc::new(program), Limits::default());
    let root = session.root();
    session.want(root, Want::Final);
    match session.run() {
        Ok(turn) => eprintln!("{turn:?} {:?}", session.stats()),
        Err(limit) => eprintln!("{limit}"),
    }
    stage("evaluate");
    for (node, _) in session.errors(root).into_iter().take(20) {
        if let Some(diagnostic) = session.error(node) {
            failed = true;
            eprint!("\n{}", pravo_diag::render(&diagnostic, &sources, Style::default()));
        }
    }
    match session.tree(root) {
        Ok(value) => {
            let mut out = String::new();
            write(&mut out, &value, 0);
            println!("{out}");
        }
        Err(_) => failed = true,
    }
    stage("export");
    if failed { std::process::ExitCode::FAILURE } else { std::process::ExitCode::SUCCESS }
}
