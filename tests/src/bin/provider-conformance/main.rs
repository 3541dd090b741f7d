//! `provider-conformance DIR [FILTER]`: drives recorded cases of real providers through the bundled components, in the whole product.

use std::path::Path;
use std::process::ExitCode;

use pravo_tests::provider_conformance::{case, run_all, sums};
use pravo_tests::support::{guest, sandbox};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(directory) = arguments.first() else {
        eprintln!("usage: provider-conformance DIR [FILTER]\n\nRuns every case in the .json files below DIR whose name contains FILTER.");
        return ExitCode::from(2);
    };
    let mut cases = match case::read_all(Path::new(directory)) {
        Ok(cases) => cases,
        Err(error) => {
            eprintln!("Error: {error}");
            return ExitCode::from(2);
        }
    };
    if let Some(filter) = arguments.get(1) {
        cases.retain(|case| case.name.contains(filter.as_str()));
    }
    let verdicts = run_all(&cases, sandbox::binary(), guest::component("trace"));
    for (case, result) in &verdicts {
        if let Err(error) = result {
            println!("FAIL {} [{}]: {error}", case.name, case.tags.join(","));
        }
    }
    for (name, (passed, all)) in sums(&verdicts) {
        println!("{name}: {passed} of {all}");
    }
    let passed = verdicts.iter().filter(|(_, result)| result.is_ok()).count();
    println!("passed {passed} failed {} of {}", verdicts.len() - passed, verdicts.len());
    if passed == verdicts.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
