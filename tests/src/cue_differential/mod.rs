//! Compares the product with the real `cue`, on files and on generated programs.
//!
//! Kept true here: both tools run in the same directory with the same arguments; what they print and how they end is compared byte for
//! byte, and of what fails the paths of the errors. Texts of errors are never compared. A generated program that `cue` refuses counts only
//! until [`Options::errors`] percent of a feature's programs are of that kind; then another is drawn.

pub mod case;
pub mod generate;
pub mod paths;
pub mod report;
pub mod tool;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use case::Case;
use generate::{FEATURES, Feature};
use report::{Line, Report};
use tool::{COMMANDS, Compared, Tools};

/// What is compared.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many programs are made for each feature.
    pub count: usize,
    /// What they are made from.
    pub seed: u64,
    /// How many percent of them may be errors.
    pub errors: usize,
    /// The names of the features; all where there are none.
    pub features: Vec<String>,
    /// The names of the commands; all where there are none.
    pub commands: Vec<String>,
    /// Where programs that differ are kept.
    pub keep: Option<PathBuf>,
}

impl Options {
    fn commands(&self) -> Vec<&'static tool::Command> {
        COMMANDS.iter().filter(|command| self.commands.is_empty() || self.commands.iter().any(|name| name == command.name)).collect()
    }

    fn features(&self) -> Vec<&'static Feature> {
        FEATURES.iter().filter(|feature| self.features.is_empty() || self.features.iter().any(|name| name == feature.name)).collect()
    }
}

/// How many tools run at a time.
const WORKERS: usize = 2;

/// Compares generated programs.
pub fn generated(tools: &Tools, options: &Options, line: &(dyn Fn(&Line) + Sync)) -> Report {
    let mut report = Report::default();
    for feature in options.features() {
        report.add(one_feature(tools, options, feature, line));
    }
    report
}

/// How many programs are drawn for each that is wanted, at most.
const DRAWN: usize = 8;

fn one_feature(tools: &Tools, options: &Options, feature: &Feature, line: &(dyn Fn(&Line) + Sync)) -> Report {
    let (next, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let allowed = options.count * options.errors / 100;
    let report = Mutex::new(Report::default());
    let done = || report.lock().unwrap_or_else(std::sync::PoisonError::into_inner).programs(feature.name) >= options.count;
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while !done() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= options.count * DRAWN {
                        break;
                    }
                    let Ok(case) = Case::of(feature.name, number, &feature.program(options.seed, number as u64)) else { break };
                    let fails = tools.refuses(&case);
                    if fails && refused.fetch_add(1, Ordering::Relaxed) >= allowed {
                        continue;
                    }
                    let found = compared(tools, options, &case, fails, line);
                    report.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(found);
                }
            });
        }
    });
    report.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Compares files: `.cue` files for themselves, archives as the package that they hold.
pub fn files(tools: &Tools, options: &Options, path: &Path, line: &(dyn Fn(&Line) + Sync)) -> Report {
    let mut paths = Vec::new();
    case::list(path, &mut paths);
    paths.sort();
    let next = AtomicUsize::new(0);
    let report = Mutex::new(Report::default());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(file) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(case) = Case::read(path, file) else { continue };
                    let fails = tools.refuses(&case);
                    let found = compared(tools, options, &case, fails, line);
                    report.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(found);
                }
            });
        }
    });
    report.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn compared(tools: &Tools, options: &Options, case: &Case, fails: bool, line: &(dyn Fn(&Line) + Sync)) -> Report {
    let mut report = Report::default();
    report.program(&case.group, fails);
    let mut differs = false;
    for command in options.commands() {
        for Compared { what, difference } in tools.compare(case, command) {
            report.judged(&case.group, difference.is_none());
            if let Some(difference) = difference {
                differs = true;
                line(&Line { case: case.name.clone(), command: command.name, what, difference });
            }
        }
    }
    if let (true, Some(keep)) = (differs, &options.keep) {
        case.keep(keep);
    }
    report
}
