//! Runs conformance data for CUE: `cue-conformance [--mutate] [--binary PATH] DIRECTORY…`.

#[path = "../conformance_cue/mod.rs"]
mod conformance_cue;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
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
    if directories.is_empty() {
        eprintln!("usage: cue-conformance [--mutate] [--binary PATH] DIRECTORY…");
        return ExitCode::from(2);
    }
    if options.binary.is_none() {
        // The binary that was built beside this one.
        let own = std::env::current_exe().ok();
        options.binary = own.as_deref().and_then(Path::parent).map(|folder| folder.join("pravo")).filter(|path| path.exists());
    }
    // A stack of its own, so that deep values do not depend on the shell's limits.
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(move || {
        let mut failed = false;
        for directory in &directories {
            let report = conformance_cue::run(directory, &options);
            let total = report.total();
            failed |= if options.mutate { total.passed > 0 } else { total.failed > 0 };
            print!("{}", report.text());
        }
        failed
    });
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(false)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
