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

/// Runs everything in a directory.
pub fn run(directory: &Path, options: &Options) -> Report {
    let mut report = Report::default();
    let mut files = Vec::new();
    list(directory, &mut files);
    files.sort();
    for file in &files {
        let name = file.strip_prefix(directory).unwrap_or(file).display().to_string();
        let folder = file.parent().and_then(|parent| parent.strip_prefix(directory).ok());
        let folder = folder.map_or_else(String::new, |folder| folder.display().to_string());
        report.start(&folder, &name);
        if file.file_name().is_some_and(|name| name == "index.tsv") {
            layout::run(file, options, &mut report);
        } else if file.extension().is_some_and(|extension| extension == "txtar") {
            archive_file(file, options, &mut report);
        } else if file.file_name().is_some_and(|name| name == "eval.exit") {
            commands::run(file.parent().unwrap_or(directory), options, &mut report);
        }
    }
    report
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
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() { list(&path, out) } else { out.push(path) }
    }
}
