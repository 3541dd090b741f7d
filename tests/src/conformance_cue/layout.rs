//! Pairs of a file and its usual layout.

use std::path::Path;

use pravo_cue::syntax::{Format, LanguageVersion, Options as ParseOptions, format_file, parse_file};
use pravo_diag::SourceMap;

use super::Options;
use super::report::Report;

/// Runs every pair of an index.
pub fn run(index: &Path, options: &Options, report: &mut Report) {
    let directory = index.parent().unwrap_or(Path::new("."));
    let rows = match std::fs::read_to_string(index) {
        Ok(rows) => rows,
        Err(error) => return report.fail("", "a readable index", &error.to_string()),
    };
    for row in rows.lines().skip(1) {
        let mut columns = row.split('\t');
        let (Some(name), Some(flags)) = (columns.next(), columns.next()) else {
            continue;
        };
        report.judge(name, &format!("the golden layout ({flags})"), pair(directory, name, flags, options));
    }
}

fn pair(directory: &Path, name: &str, flags: &str, options: &Options) -> Result<(), String> {
    let read = |suffix: &str| std::fs::read_to_string(directory.join(format!("{name}.{suffix}.cue"))).map_err(|error| error.to_string());
    let (input, mut golden) = (read("input")?, read("golden")?);
    if options.mutate {
        golden.push_str("\n// not there\n");
    }
    let version = flags.split(',').find_map(|flag| LanguageVersion::parse(flag.strip_prefix("version=")?));
    let mut sources = SourceMap::new();
    let file = sources.add(name, input.as_str());
    let parsed = parse_file(&sources, file, &ParseOptions { version: version.unwrap_or_default() });
    if let Some(diagnostic) = parsed.diagnostics.first() {
        return Err(diagnostic.summary.clone());
    }
    let format = Format { simplify: flags.split(',').any(|flag| flag == "simplify") };
    let got = format_file(&parsed.file, &input, format);
    let difference = got.lines().zip(golden.lines()).enumerate().find(|(_, (got, wanted))| got != wanted);
    match difference {
        _ if got == golden => Ok(()),
        Some((at, (got, wanted))) => Err(format!("line {}: {got:?} (expected {wanted:?})", at + 1)),
        None => Err("another number of lines".to_owned()),
    }
}
