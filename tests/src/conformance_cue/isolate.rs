//! One file of data in a process of its own, so that a crash or a hang of one ends none of the others.
//!
//! Kept true here: a file whose process does not come to an end in time, or not by itself, fails with every assertion in it. The process
//! is this program once more, told by its environment what it is for.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::report::{Counts, Report};
use super::{File, Options, count, run_file};

/// Set in a process that runs one file.
pub const PART: &str = "CUE_CONFORMANCE_PART";

/// Set in a process that is the product: what stands on its command line is meant for it.
pub const PRODUCT: &str = "CUE_CONFORMANCE_PRODUCT";

/// How long one file may take.
const TIME: Duration = Duration::from_secs(120);

/// What stands in front of the counts that a process ends with.
const MARK: &str = "\u{1}counts";

/// How many KiB of memory one file may take.
const MEMORY: u64 = 12 << 20;

/// Runs one file here, and prints what came of it for the process above.
pub fn part(directory: &Path, file: &Path, options: &Options) {
    let mut report = Report::default();
    if let Some(file) = File::of(directory, file) {
        run_file(&file, options, &mut report);
    }
    for line in &report.lines {
        println!("{line}");
    }
    let Counts { passed, failed, todo, places, wrong_places } = report.total();
    println!("{MARK} {passed} {failed} {todo} {places} {wrong_places}");
}

/// Runs files, each in a process of its own, two at a time.
pub fn run(directory: &Path, files: &[File], options: &Options) -> Report {
    let next = AtomicUsize::new(0);
    let reports: Mutex<Vec<Option<Report>>> = Mutex::new(files.iter().map(|_| None).collect());
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(8);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let report = one(directory, file, options);
                    let mut reports = reports.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    if let Some(slot) = files.iter().position(|other| std::ptr::eq(other, file)).and_then(|at| reports.get_mut(at)) {
                        *slot = Some(report);
                    }
                }
            });
        }
    });
    let reports = reports.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut all = Report::default();
    reports.into_iter().flatten().for_each(|report| all.add(report));
    all
}

fn one(directory: &Path, file: &File, options: &Options) -> Report {
    let mut report = Report::default();
    report.start(&file.folder, &file.name);
    let outcome = output(directory, file, options);
    let counted = outcome.as_ref().ok().and_then(|text| text.rsplit_once(MARK));
    match counted.and_then(|(lines, counts)| Some((lines, numbers(counts)?))) {
        Some((lines, counts)) => report.take(counts, lines.lines().map(str::to_owned)),
        None => {
            let why = outcome.err().unwrap_or_else(|| "the run ended before it came to its sum".to_owned());
            for _ in 0..count(file).max(1) {
                report.fail("", "a run of the file that comes to an end", &why);
            }
        }
    }
    report
}

fn numbers(text: &str) -> Option<Counts> {
    let mut numbers = text.split_whitespace().map(str::parse);
    let mut number = || numbers.next()?.ok();
    Some(Counts { passed: number()?, failed: number()?, todo: number()?, places: number()?, wrong_places: number()? })
}

/// What the process for a file writes, or why it came to no end.
fn output(directory: &Path, file: &File, options: &Options) -> Result<String, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    // Where memory runs out, the process ends by itself.
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"")).arg(own).env(PART, "1");
    if options.mutate {
        command.arg("--mutate");
    }
    if let Some(binary) = &options.binary {
        command.arg("--binary").arg(binary);
    }
    command.arg(directory).arg(&file.path).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let reader = std::thread::spawn(move || read(stdout));
    let errors = std::thread::spawn(move || read(stderr));
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begun.elapsed() > TIME => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it took more than {} s", TIME.as_secs()));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(error) => return Err(error.to_string()),
        }
    };
    let text = reader.join().unwrap_or_default();
    if status.success() {
        return Ok(text);
    }
    let errors = errors.join().unwrap_or_default();
    Err(format!("{status}: {}", errors.lines().rev().take(3).collect::<Vec<_>>().join(" ")))
}

fn read(stream: Option<impl std::io::Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        let _ = stream.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
