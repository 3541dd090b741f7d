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

/// The names of the goldens.
pub const NAMES: &[&str] = &["eval", "eval-a", "export", "export-yaml", "def", "vet", "vet-c"];

/// How many assertions the goldens of a package are: exit code and output of each command.
pub fn count(directory: &Path) -> usize {
    2 * NAMES.iter().filter(|name| directory.join(format!("{name}.exit")).exists()).count()
}

/// How long one command may take.
const TIME: std::time::Duration = std::time::Duration::from_secs(30);

/// Runs the commands of one package.
pub fn run(directory: &Path, options: &Options, report: &mut Report) {
    let Some(binary) = &options.binary else {
        return report.fail("", "a binary to run (--binary PATH)", "none");
    };
    let arguments = std::fs::read_to_string(directory.join("args")).unwrap_or_default();
    for (name, words) in COMMANDS {
        let read = |suffix: &str| std::fs::read_to_string(directory.join(format!("{name}.{suffix}")));
        let Ok(exit) = read("exit") else { continue };
        let stdout = read("stdout").unwrap_or_default();
        let mut command = Command::new(binary);
        command.args(*words).args(arguments.lines()).current_dir(directory.join("in")).env_remove(super::isolate::PART);
        command.env(super::isolate::PRODUCT, "1").env("NO_COLOR", "1").stdin(std::process::Stdio::null());
        let output = match finished(command) {
            Ok(output) => output,
            Err(error) => {
                report.fail(&format!("{name} exit"), "a run that comes to an end", &error);
                report.fail(&format!("{name} output"), "a run that comes to an end", &error);
                continue;
            }
        };
        // With mutation, no way to end is right.
        let wanted = if options.mutate { None } else { Some(exit.trim() == "0") };
        let ended = if Some(output.status.success()) == wanted {
            Ok(())
        } else {
            Err(format!("{:?}: {}", output.status.code(), String::from_utf8_lossy(&output.stderr)))
        };
        report.judge(
            &format!("{name} exit"),
            match wanted {
                Some(true) => "success",
                Some(false) => "failure",
                None => "neither success nor failure",
            },
            ended,
        );
        let mut stdout = stdout;
        if options.mutate {
            stdout.push_str("not there\n");
        }
        let got = String::from_utf8_lossy(&output.stdout);
        let printed = if got == stdout { Ok(()) } else { Err(got.into_owned()) };
        report.judge(&format!("{name} output"), &stdout, printed);
    }
}

/// Runs a command to its end, or for as long as it may take.
fn finished(mut command: Command) -> Result<std::process::Output, String> {
    use std::process::Stdio;
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
    let id = child.id();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let _ = sender.send(child.wait_with_output());
    });
    match receiver.recv_timeout(TIME) {
        Ok(output) => output.map_err(|error| error.to_string()),
        Err(_) => {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
            Err(format!("it took more than {} s", TIME.as_secs()))
        }
    }
}
