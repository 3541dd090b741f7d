//! The two tools and their commands.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::case::Case;
use super::paths;
use crate::conformance_cue::isolate::PRODUCT;

/// A command of both tools.
#[derive(Debug)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    cue: &'static [&'static str],
    own: &'static [&'static str],
    form: Form,
}

#[derive(Debug, PartialEq, Eq)]
enum Form {
    /// Prints values.
    Values,
    /// Checks: nothing is printed but errors.
    Check,
    /// Formats standard input.
    Layout,
}

/// The commands that are compared.
pub const COMMANDS: &[Command] = &[
    Command { name: "eval", cue: &["eval"], own: &["eval"], form: Form::Values },
    Command { name: "eval-a", cue: &["eval", "-a"], own: &["eval", "--all"], form: Form::Values },
    Command { name: "export", cue: &["export"], own: &["eval", "--out", "json"], form: Form::Values },
    Command { name: "export-yaml", cue: &["export", "--out", "yaml"], own: &["eval", "--out", "yaml"], form: Form::Values },
    Command { name: "def", cue: &["def"], own: &["eval", "--out", "def"], form: Form::Values },
    Command { name: "vet", cue: &["vet"], own: &["validate", "--json"], form: Form::Check },
    Command { name: "vet-c", cue: &["vet", "-c"], own: &["validate", "--concrete", "--json"], form: Form::Check },
    Command { name: "fmt", cue: &["fmt", "-"], own: &["fmt", "-"], form: Form::Layout },
    Command { name: "fmt-s", cue: &["fmt", "-s", "-"], own: &["fmt", "--simplify", "-"], form: Form::Layout },
];

/// Something that was compared.
#[derive(Clone, Debug)]
pub struct Compared {
    /// What it is.
    pub what: &'static str,
    /// How it differs, if it does.
    pub difference: Option<String>,
}

/// The two programs.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The real `cue`.
    pub cue: PathBuf,
    /// The product.
    pub own: PathBuf,
}

/// What a run came to.
struct Ended {
    success: bool,
    stdout: String,
    stderr: String,
}

/// How long a run may take.
const TIME: Duration = Duration::from_secs(60);

/// How much of a text is shown.
const SHOWN: usize = 300;

impl Tools {
    /// Whether `cue` refuses a program.
    pub fn refuses(&self, case: &Case) -> bool {
        !self.run(&self.cue, &["eval"], case, None).success
    }

    /// Runs a command with both tools.
    pub fn compare(&self, case: &Case, command: &Command) -> Vec<Compared> {
        if command.form == Form::Layout {
            return case.sources.iter().map(|source| self.layout(case, command, source)).collect();
        }
        let theirs = self.run(&self.cue, command.cue, case, None);
        let ours = self.run(&self.own, command.own, case, None);
        let mut compared = vec![Compared { what: "exit", difference: exit(&ours, &theirs) }];
        match (&command.form, ours.success || theirs.success) {
            (Form::Values, true) => compared.push(Compared { what: "stdout", difference: texts(&ours.stdout, &theirs.stdout) }),
            (Form::Check, false) => {
                let (ours, theirs) = (paths::of_document(&ours.stdout).unwrap_or_default(), paths::of_cue(&theirs.stderr));
                let difference = (ours != theirs).then(|| format!("ours {ours:?}, cue {theirs:?}"));
                compared.push(Compared { what: "paths", difference });
            }
            _ => {}
        }
        compared
    }

    fn layout(&self, case: &Case, command: &Command, source: &Path) -> Compared {
        let theirs = self.run(&self.cue, command.cue, case, Some(source));
        let ours = self.run(&self.own, command.own, case, Some(source));
        let difference = exit(&ours, &theirs).or_else(|| if theirs.success { texts(&ours.stdout, &theirs.stdout) } else { None });
        Compared { what: "layout", difference }
    }

    /// Runs a tool to its end, or for as long as it may take.
    fn run(&self, tool: &Path, words: &[&str], case: &Case, input: Option<&Path>) -> Ended {
        let mut command = std::process::Command::new("timeout");
        command.arg(format!("{}s", TIME.as_secs())).arg(tool).args(words).current_dir(&case.directory);
        if input.is_none() {
            command.args(case.arguments.iter().map(OsString::from));
        }
        command.env(PRODUCT, "1").env("NO_COLOR", "1").env("CUE_REGISTRY", "none").stdout(Stdio::piped()).stderr(Stdio::piped());
        let stdin = match input.map(std::fs::File::open) {
            Some(Ok(file)) => Stdio::from(file),
            _ => Stdio::null(),
        };
        match command.stdin(stdin).output() {
            Ok(output) => Ended {
                success: output.status.success(),
                stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
                stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            },
            Err(error) => Ended { success: false, stdout: String::new(), stderr: error.to_string() },
        }
    }
}

fn exit(ours: &Ended, theirs: &Ended) -> Option<String> {
    let first = |ended: &Ended| if ended.success { "succeeds".to_owned() } else { format!("fails: {}", shown(&ended.stderr)) };
    (ours.success != theirs.success).then(|| format!("ours {}; cue {}", first(ours), first(theirs)))
}

/// The lines around the first difference.
fn texts(ours: &str, theirs: &str) -> Option<String> {
    if ours == theirs {
        return None;
    }
    let same = ours.lines().zip(theirs.lines()).take_while(|(ours, theirs)| ours == theirs).count();
    let rest = |text: &str| shown(&text.lines().skip(same).take(4).collect::<Vec<_>>().join("\n"));
    Some(format!("line {}: ours {:?}, cue {:?}", same + 1, rest(ours), rest(theirs)))
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text.trim_end().to_owned(),
    }
}
