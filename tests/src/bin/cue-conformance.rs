//! Runs conformance data for CUE: `cue-conformance [--mutate] [--binary PATH] DIRECTORY…`.
//!
//! The product is part of this program: without `--binary`, commands run this program again, which then is the product. Each file of data
//! runs in a process of its own (see [`isolate`]).

#[path = "../conformance_cue/mod.rs"]
mod conformance_cue;

use std::path::PathBuf;
use std::process::ExitCode;

use conformance_cue::isolate;

fn main() -> ExitCode {
    if std::env::var_os(isolate::PRODUCT).is_some() {
        return pravo::main();
    }
    let mut options = conformance_cue::Options::default();
    let mut directories = Vec::new();
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--mutate") => options.mutate = true,
            Some("--binary") => options.binary = arguments.next().map(PathBuf::from),
            _ => directories.push(PathBuf::from(argument)),
        }
    }
    if options.binary.is_none() {
        options.binary = std::env::current_exe().ok();
    }
    if let (Some(_), [directory, file]) = (std::env::var_os(isolate::PART), directories.as_slice()) {
        let (directory, file) = (directory.clone(), file.clone());
        // A stack of its own, so that deep values do not depend on the shell's limits.
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(move || isolate::part(&directory, &file, &options));
        return if thread.is_ok_and(|thread| thread.join().is_ok()) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    if directories.is_empty() {
        eprintln!("usage: cue-conformance [--mutate] [--binary PATH] DIRECTORY…");
        return ExitCode::from(2);
    }
    let mut failed = false;
    for directory in &directories {
        let report = conformance_cue::run(directory, &options);
        let total = report.total();
        failed |= if options.mutate { total.passed > 0 } else { total.failed > 0 };
        print!("{}", report.text());
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
