//! Compares the product with the real `cue`: `cue-differential [OPTION]… [DIRECTORY|FILE]…`.
//!
//! | option | |
//! |---|---|
//! | `--cue PATH` | the real `cue`; without it, the one that is found in `PATH` |
//! | `--binary PATH` | the product; without it, this program itself, which holds it |
//! | `--count N` | programs that are made for each feature (200); 0 for none |
//! | `--seed S` | what they are made from (1) |
//! | `--errors P` | how many percent of them may be errors (30) |
//! | `--feature NAME`, `--command NAME` | only these; repeatable |
//! | `--keep DIRECTORY` | programs that differ are copied there |
//!
//! Each difference is a line; then there are sums for each feature or folder, and in the last line for all. Where files are named, nothing is
//! generated unless `--count` says so.

#[path = "../conformance_cue/mod.rs"]
#[allow(dead_code)]
mod conformance_cue;
#[path = "../cue_differential/mod.rs"]
mod cue_differential;

use std::path::PathBuf;
use std::process::ExitCode;

use cue_differential::report::{Line, Report};
use cue_differential::tool::Tools;
use cue_differential::{Options, files, generated};

fn main() -> ExitCode {
    if std::env::var_os(conformance_cue::isolate::PRODUCT).is_some() {
        return pravo::main();
    }
    let (tools, options, paths) = match arguments() {
        Ok(parsed) => parsed,
        Err(message) => {
            eprintln!("cue-differential: {message}");
            return ExitCode::from(2);
        }
    };
    let line = |line: &Line| println!("{line}");
    let mut report = Report::default();
    for path in &paths {
        report.add(files(&tools, &options, path, &line));
    }
    if options.count > 0 {
        report.add(generated(&tools, &options, &line));
    }
    print!("\n{}", report.text());
    if report.different() > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn arguments() -> Result<(Tools, Options, Vec<PathBuf>), String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut tools = Tools { cue: PathBuf::from("cue"), own };
    let mut options = Options { count: 200, seed: 1, errors: 30, features: Vec::new(), commands: Vec::new(), keep: None };
    let (mut paths, mut count) = (Vec::new(), None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--cue" => tools.cue = absolute(&value()?)?,
            "--binary" => tools.own = absolute(&value()?)?,
            "--count" => count = Some(number(&value()?)?),
            "--seed" => options.seed = number(&value()?)? as u64,
            "--errors" => options.errors = number(&value()?)?,
            "--feature" => options.features.push(value()?),
            "--command" => options.commands.push(value()?),
            "--keep" => options.keep = Some(absolute(&value()?)?),
            other if other.starts_with('-') => return Err(format!("{other} is no option")),
            path => paths.push(PathBuf::from(path)),
        }
    }
    options.count = count.unwrap_or(if paths.is_empty() { options.count } else { 0 });
    let answered = std::process::Command::new(&tools.cue).arg("version").output();
    let answered = answered.map_err(|error| format!("{} cannot be run: {error}; name it with --cue", tools.cue.display()))?;
    match String::from_utf8_lossy(&answered.stdout).lines().next() {
        Some(version) if version.contains("v0.17.") => Ok((tools, options, paths)),
        version => Err(format!("this is {version:?}; what is compared with is cue v0.17")),
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("{text:?} is no number"))
}

fn absolute(text: &str) -> Result<PathBuf, String> {
    std::path::absolute(text).map_err(|error| error.to_string())
}
