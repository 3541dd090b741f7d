//! Runs conformance data for CUE: archives with assertions in them, archives of standard packages, formatter pairs,
//! and what commands print.
//!
//! Kept true here: an assertion passes only if what it says is so; an expected error must have the code at the place,
//! an expected value is compared part by part. What cannot be read or judged fails. With mutation, every
//! expectation is turned into one that must fail.

pub mod archive;
pub mod attribute;
pub mod collect;
pub mod commands;
pub mod compare;
pub mod evaluate;
pub mod inline;
pub mod isolate;
pub mod layout;
pub mod package;
pub mod permute;
pub mod report;

use std::path::{Path, PathBuf};

use report::Report;

/// What is run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether expectations are turned around.
    pub mutate: bool,
    /// The binary that command goldens are run with.
    pub binary: Option<PathBuf>,
}

/// A file of data.
#[derive(Clone, Debug)]
pub struct File {
    /// Where it lies.
    pub path: PathBuf,
    /// Its name in the directory that is run.
    pub name: String,
    /// The folder that it is counted under.
    pub folder: String,
    form: Form,
}

/// The forms of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Assertions in an archive, inline or as `expect.json`.
    Archive,
    /// Formatter pairs.
    Layout,
    /// What commands print.
    Commands,
}

impl File {
    /// A file, if it has one of the forms.
    pub fn of(directory: &Path, path: &Path) -> Option<Self> {
        let file_name = path.file_name()?.to_str()?;
        let parent = path.parent().unwrap_or(directory);
        let is_first = |name: &str| {
            let earlier = commands::NAMES.iter().take_while(|other| **other != name);
            earlier.into_iter().all(|other| !parent.join(format!("{other}.exit")).exists())
        };
        let form = match file_name {
            "index.tsv" => Form::Layout,
            name if name.ends_with(".txtar") => Form::Archive,
            name if name.strip_suffix(".exit").is_some_and(|name| commands::NAMES.contains(&name) && is_first(name)) => Form::Commands,
            _ => return None,
        };
        let folder = if form == Form::Commands { parent.parent().unwrap_or(parent) } else { parent };
        let shown = |path: &Path| path.strip_prefix(directory).unwrap_or(path).display().to_string();
        let name = if form == Form::Commands { shown(parent) } else { shown(path) };
        Some(Self { path: path.to_owned(), name, folder: shown(folder), form })
    }
}

/// Runs everything in a directory.
pub fn run(directory: &Path, options: &Options) -> Report {
    let mut paths = Vec::new();
    list(directory, &mut paths);
    paths.sort();
    let files: Vec<File> = paths.iter().filter_map(|path| File::of(directory, path)).collect();
    isolate::run(directory, &files, options)
}

/// Runs one file.
pub fn run_file(file: &File, options: &Options, report: &mut Report) {
    report.start(&file.folder, &file.name);
    match file.form {
        Form::Layout => layout::run(&file.path, options, report),
        Form::Archive => archive_file(&file.path, options, report),
        Form::Commands => commands::run(file.path.parent().unwrap_or(Path::new(".")), options, report),
    }
}

/// How many assertions a file has, without running it.
pub fn count(file: &File) -> usize {
    let text = || std::fs::read_to_string(&file.path).unwrap_or_default();
    match file.form {
        Form::Layout => text().lines().skip(1).filter(|line| line.contains('\t')).count(),
        Form::Commands => commands::count(file.path.parent().unwrap_or(Path::new("."))),
        Form::Archive => {
            let archive = archive::Archive::parse(&text());
            if archive.section("expect.json").is_some() { package::count(&archive) } else { inline::count(&archive) }
        }
    }
}

fn archive_file(file: &Path, options: &Options, report: &mut Report) {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return report.fail("", "a readable archive", &error.to_string()),
    };
    let archive = archive::Archive::parse(&text);
    if archive.section("expect.json").is_some() {
        package::run(&archive, options, report);
    } else {
        inline::run(&archive, options, report);
    }
}

fn list(directory: &Path, out: &mut Vec<PathBuf>) {
    if directory.is_file() {
        return out.push(directory.to_owned());
    }
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() { list(&path, out) } else { out.push(path) }
    }
}
