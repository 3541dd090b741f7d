//! `pravo fmt`

use std::io::Read as _;
use std::path::{Path, PathBuf};

use pravo_cue::syntax::{Format, Options, format_file, parse_file};
use pravo_diag::SourceMap;

use crate::args::Fmt;
use crate::exit::{Done, Failure, Outcome};
use crate::workspace::Context;

/// The largest file that is read.
const MAX_BYTES: u64 = 64 << 20;

pub(super) fn run(context: &Context, arguments: &Fmt) -> Outcome {
    let here = [PathBuf::from(".")];
    let named = if arguments.files.is_empty() { here.as_slice() } else { arguments.files.as_slice() };
    let mut differing = false;
    let mut failure = Failure::default();
    let mut files = Vec::new();
    for path in named {
        if path.as_os_str() == "-" {
            return stdin(context, arguments);
        }
        collect(path, &mut files)?;
    }
    for file in files {
        match one(context, arguments, &file) {
            Ok(differs) => differing |= differs,
            // Every file that cannot be read is told, not only the first.
            Err(more) => merge(&mut failure, more),
        }
    }
    if !failure.diagnostics.is_empty() {
        return Err(failure);
    }
    Ok(if arguments.check && differing { Done::Failed } else { Done::Success })
}

/// Adds the diagnostics of another file.
fn merge(all: &mut Failure, more: Failure) {
    if all.diagnostics.is_empty() {
        *all = more;
        return;
    }
    let Failure { diagnostics, sources } = more;
    let shifted: Vec<_> = sources.iter().map(|(id, source)| (id, all.sources.add(source.path(), source.text().clone()))).collect();
    for mut diagnostic in diagnostics {
        for label in &mut diagnostic.labels {
            if let Some((_, new)) = shifted.iter().find(|(old, _)| *old == label.span.file) {
                label.span.file = *new;
            }
        }
        all.diagnostics.push(diagnostic);
    }
}

/// Formats a file in its place. Whether it differed.
fn one(context: &Context, arguments: &Fmt, file: &Path) -> Result<bool, Failure> {
    let text = read(file)?;
    let formatted = formatted(file, &text, arguments.simplify)?;
    if formatted == text {
        return Ok(false);
    }
    if !arguments.check {
        std::fs::write(file, formatted).map_err(|error| Failure::file("write", file, &error))?;
    }
    context.terminal.line(&shown(file).display().to_string());
    Ok(true)
}

fn shown(file: &Path) -> &Path {
    file.strip_prefix(".").unwrap_or(file)
}

fn stdin(context: &Context, arguments: &Fmt) -> Outcome {
    let path = Path::new("-");
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MAX_BYTES).read_to_string(&mut text);
    read.map_err(|error| Failure::file("read", path, &error))?;
    let formatted = formatted(path, &text, arguments.simplify)?;
    if arguments.check {
        return Ok(if formatted == text { Done::Success } else { Done::Failed });
    }
    context.terminal.print(&formatted);
    Ok(Done::Success)
}

fn formatted(path: &Path, text: &str, simplify: bool) -> Result<String, Failure> {
    let mut sources = SourceMap::new();
    let id = sources.add(shown(path), text);
    let parsed = parse_file(&sources, id, &Options::default());
    if parsed.diagnostics.iter().any(pravo_diag::Diagnostic::is_error) {
        return Err(Failure::new(parsed.diagnostics, sources));
    }
    Ok(format_file(&parsed.file, text, Format { simplify }))
}

fn read(file: &Path) -> Result<String, Failure> {
    let size = std::fs::metadata(file).map_err(|error| Failure::file("read", file, &error))?.len();
    if size > MAX_BYTES {
        return Err(Failure::message("file", format!("{} has {size} bytes; at most {MAX_BYTES} are read", file.display())));
    }
    std::fs::read_to_string(file).map_err(|error| Failure::file("read", file, &error))
}

/// The `.cue` files of a path, sorted; hidden directories and `cue.mod` are left alone.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    // A pattern for everything below a directory, which a directory stands for as well.
    let path = match path.file_name() {
        Some(name) if name == "..." => path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        _ => path,
    };
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut open = vec![path.to_owned()];
    let mut found = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).map_err(|error| Failure::file("read", &directory, &error))? {
            let entry = entry.map_err(|error| Failure::file("read", &directory, &error))?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(|error| Failure::file("read", &directory, &error))?);
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if kind.is_dir() && !hidden && entry.file_name() != "cue.mod" {
                open.push(path);
            } else if kind.is_file() && !hidden && path.extension().is_some_and(|extension| extension == "cue") {
                found.push(path);
            }
        }
    }
    found.sort();
    files.append(&mut found);
    Ok(())
}
