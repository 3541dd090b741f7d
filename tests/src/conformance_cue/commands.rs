//! What commands print and how they end.

use std::path::Path;
use std::process::Command;

use super::Options;
use super::report::Report;

/// The golden's name and the command line of this tool.
const COMMANDS: &[(&str, &[&str])] = &[
    ("eval", &["eval"]),
    ("eval-a", &["eval", "--all"]),
    ("export", &["eval", "--out", "json"]),
    ("export-yaml", &["eval", "--out", "yaml"]),
    ("def", &["eval", "--out", "def"]),
    ("vet", &["validate"]),
    ("vet-c", &["validate", "--concrete"]),
];

/// Runs the commands of one package.
pub fn run(directory: &Path, options: &Options, report: &mut Report) {
    let Some(binary) = &options.binary else {
        return report.fail("", "a binary to run (--binary PATH)", "none");
    };
    let arguments = std::fs::read_to_string(directory.join("args")).unwrap_or_default();
    for (name, words) in COMMANDS {
        let read = |suffix: &str| std::fs::read_to_string(directory.join(format!("{name}.{suffix}")));
        let (Ok(exit), Ok(stdout)) = (read("exit"), read("stdout")) else {
            continue;
        };
        let output = Command::new(binary).args(*words).args(arguments.lines()).current_dir(directory.join("in")).output();
        let output = match output {
            Ok(output) => output,
            Err(error) => {
                report.fail(name, "a run", &error.to_string());
                continue;
            }
        };
        let mut wanted = exit.trim() == "0";
        if options.mutate {
            wanted = !wanted;
        }
        let got = output.status.success();
        let exit = if got == wanted { Ok(()) } else { Err(format!("{:?}: {}", output.status.code(), String::from_utf8_lossy(&output.stderr))) };
        report.judge(&format!("{name} exit"), if wanted { "success" } else { "failure" }, exit);
        let mut stdout = stdout;
        if options.mutate {
            stdout.push_str("not there\n");
        }
        let got = String::from_utf8_lossy(&output.stdout);
        let printed = if got == stdout { Ok(()) } else { Err(got.into_owned()) };
        report.judge(&format!("{name} output"), &stdout, printed);
    }
}
