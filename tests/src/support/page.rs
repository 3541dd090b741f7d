//! Pages of documentation as tests: their blocks are run and what they print is compared.
//!
//! | block | meaning |
//! |---|---|
//! | `cue file=NAME` | writes the file; other `cue` blocks are only shown |
//! | `sh run [exit=N]` | runs in bash, without `-e`, stdout and stderr in one pipe; the exit code is N, else 0 |
//! | `text out` | what the commands since the last `sh run` block printed |
//!
//! All blocks of a page share one directory, which is empty at first. In expected output `<word>` stands for anything on the line;
//! blank lines at both ends and a missing last line break do not count.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a block does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Writes a file.
    File(String),
    /// Runs a script that must end with this exit code.
    Run(i32),
    /// Compares what the last script printed.
    Output,
}

/// A block that does something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it does.
    pub action: Action,
    /// Its text.
    pub text: String,
    /// The line of its fence, from 1.
    pub line: usize,
}

/// A page of documentation.
#[derive(Clone, Debug)]
pub struct Page {
    /// Where it lies.
    pub path: PathBuf,
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
}

/// A block that did not do what the page says.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Page and line.
    pub place: String,
    /// What is wrong, with a diff where output differs.
    pub message: String,
}

/// Reads the blocks of a page.
///
/// # Errors
/// Where a fence is not closed, an information string is wrong, or an `out` block follows no `run` block.
pub fn parse(text: &str) -> Result<Vec<Block>, String> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else { continue };
        let ticks = 3 + info.chars().take_while(|c| *c == '`').count();
        let fence = "`".repeat(ticks);
        let indent = line.len() - line.trim_start().len();
        let action = action(info.trim_start_matches('`')).map_err(|message| format!("line {}: {message}", index + 1))?;
        let mut text = String::new();
        let closed = lines.by_ref().any(|(_, line)| {
            if line.trim() == fence {
                return true;
            }
            let cut = line.char_indices().take_while(|(at, c)| *at < indent && c.is_whitespace()).count();
            text.push_str(&line[cut..]);
            text.push('\n');
            false
        });
        if !closed {
            return Err(format!("line {}: the block is not closed", index + 1));
        }
        if let Some(action) = action {
            if action == Action::Output && !matches!(blocks.last(), Some(Block { action: Action::Run(_), .. })) {
                return Err(format!("line {}: `text out` follows no `sh run`", index + 1));
            }
            blocks.push(Block { action, text, line: index + 1 });
        }
    }
    Ok(blocks)
}

/// What an information string asks for.
fn action(info: &str) -> Result<Option<Action>, String> {
    let mut words = info.split_whitespace();
    let language = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    match (language, rest.as_slice()) {
        (_, [file]) if file.starts_with("file=") => {
            let name = &file["file=".len()..];
            let sound = !name.is_empty() && !name.starts_with('/') && !name.split('/').any(|part| part == "..");
            if sound { Ok(Some(Action::File(name.to_owned()))) } else { Err(format!("{name:?} is no file below the page's directory")) }
        }
        ("sh", ["run"]) => Ok(Some(Action::Run(0))),
        ("sh", ["run", exit]) => {
            let code = exit.strip_prefix("exit=").and_then(|code| code.parse().ok());
            code.map(|code| Some(Action::Run(code))).ok_or_else(|| format!("{exit:?} is not exit=N"))
        }
        ("text", ["out"]) => Ok(Some(Action::Output)),
        (_, []) => Ok(None),
        _ => Err(format!("the block's head {info:?} is not known")),
    }
}

/// Whether printed output is as expected.
pub fn matches(expected: &str, printed: &str) -> bool {
    let expected: Vec<&str> = trimmed(expected);
    let printed: Vec<&str> = trimmed(printed);
    expected.len() == printed.len() && expected.iter().zip(&printed).all(|(expected, printed)| line_matches(expected, printed))
}

/// The lines without blank ones at both ends.
fn trimmed(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().map(|line| line.trim_end_matches('\r')).collect();
    let blank = |line: &&str| line.trim().is_empty();
    let start = lines.iter().position(|line| !blank(line)).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !blank(line)).map_or(start, |last| last + 1);
    lines[start..end].to_vec()
}

/// Whether a line is as expected: `<word>` stands for anything.
fn line_matches(expected: &str, printed: &str) -> bool {
    let parts = fixed_parts(expected);
    let [first, rest @ ..] = parts.as_slice() else { return false };
    let Some(mut remaining) = printed.strip_prefix(first) else { return false };
    let Some((last, middle)) = rest.split_last() else { return remaining.is_empty() };
    for part in middle {
        let Some(at) = remaining.find(part) else { return false };
        remaining = &remaining[at + part.len()..];
    }
    remaining.ends_with(last)
}

/// The texts between the placeholders.
fn fixed_parts(expected: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut from) = (0, 0);
    while let Some(open) = expected[from..].find('<').map(|at| from + at) {
        let Some(close) = expected[open..].find('>').map(|at| open + at) else { break };
        let word = &expected[open + 1..close];
        if !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
            parts.push(&expected[start..open]);
            start = close + 1;
            from = start;
        } else {
            from = open + 1;
        }
    }
    parts.push(&expected[start..]);
    parts
}

impl Page {
    /// Reads a page.
    ///
    /// # Errors
    /// Where it cannot be read or its blocks are malformed.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let fail = |message: String| Failure { place: path.display().to_string(), message };
        let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        Ok(Self { path: path.to_owned(), blocks: parse(&text).map_err(fail)? })
    }

    /// Runs the page in a directory with `environment` (an empty one, `pravo` on the PATH). Stops at the first failure: what follows rests on it.
    ///
    /// # Errors
    /// The failure, with page, line and what differs.
    pub fn run(&self, directory: &Path, environment: &[(String, String)]) -> Result<(), Failure> {
        let mut printed = String::new();
        for block in &self.blocks {
            let fail = |message: String| Failure { place: format!("{}:{}", self.path.display(), block.line), message };
            match &block.action {
                Action::File(name) => {
                    let file = directory.join(name);
                    let parent = file.parent().map_or(Ok(()), std::fs::create_dir_all);
                    parent.and_then(|()| std::fs::write(&file, &block.text)).map_err(|error| fail(format!("{name}: {error}")))?;
                }
                Action::Run(code) => {
                    let (status, output) = bash(&block.text, directory, environment).map_err(|error| fail(error.to_string()))?;
                    printed = output;
                    if status != *code {
                        return Err(fail(format!("exit code {status}, expected {code}; it printed:\n{printed}")));
                    }
                }
                Action::Output if matches(&block.text, &printed) => {}
                Action::Output => return Err(fail(format!("the output differs (- expected, + printed):\n{}", difference(&block.text, &printed)))),
            }
        }
        Ok(())
    }
}

/// Runs a script with both streams in one pipe; 128 + signal where it was killed.
fn bash(script: &str, directory: &Path, environment: &[(String, String)]) -> std::io::Result<(i32, String)> {
    use std::io::Read as _;
    let (mut reader, writer) = std::io::pipe()?;
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-c", script]).current_dir(directory).env_remove("BASH_ENV");
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let mut child = command.spawn()?;
    // The command holds the last writing ends: without them the pipe ends with the script.
    drop(command);
    let mut output = Vec::new();
    reader.read_to_end(&mut output)?;
    let status = child.wait()?;
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    let code = status.code().unwrap_or_else(|| 128 + signal.unwrap_or(0));
    Ok((code, String::from_utf8_lossy(&output).into_owned()))
}

/// The lines that differ.
fn difference(expected: &str, printed: &str) -> String {
    let (expected, printed) = (trimmed(expected), trimmed(printed));
    let mut out = String::new();
    for index in 0..expected.len().max(printed.len()) {
        match (expected.get(index), printed.get(index)) {
            (Some(expected), Some(printed)) if line_matches(expected, printed) => {
                let _ = writeln!(out, "  {printed}");
            }
            (expected, printed) => {
                for (sign, line) in [("-", expected), ("+", printed)] {
                    if let Some(line) = line {
                        let _ = writeln!(out, "{sign} {line}");
                    }
                }
            }
        }
    }
    out
}

/// Every page below a directory, sorted.
///
/// # Errors
/// Where the directory cannot be read.
pub fn pages_below(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_match_anything_on_their_line() {
        for (expected, printed, same) in [
            ("a <id> b", "a x y b", true),
            ("[txn <id>]", "[txn 12]", true),
            ("<a><b>", "x", true),
            ("<h1>blue</h1>", "<h1>blue</h1>", true),
            ("a <id> b", "a x c", false),
            ("x [id=<pet>]", "x [id=]", true),
            ("a <id> a", "a a", false),
            ("a", "ab", false),
            ("a < b > c", "a < b > c", true),
            ("\n\na\n", "a", true),
            ("a\n\nb", "a\nb", false),
            ("", "\n", true),
        ] {
            assert_eq!(matches(expected, printed), same, "{expected:?} {printed:?}");
        }
    }

    #[test]
    fn blocks_are_found_by_their_heads() {
        let page = "x\n```cue\na: 1\n```\n```cue file=d/main.cue\nb: 1\n\n```\n```sh run exit=2\nfalse\n```\n```text out\n```\n```sh\nshown\n```\n";
        let blocks = parse(page).unwrap();
        let actions: Vec<_> = blocks.iter().map(|block| (block.action.clone(), block.text.as_str(), block.line)).collect();
        assert_eq!(actions, [(Action::File("d/main.cue".into()), "b: 1\n\n", 5), (Action::Run(2), "false\n", 9), (Action::Output, "", 12)]);
    }

    #[test]
    fn malformed_pages_are_refused() {
        for page in ["```text out\n```", "```sh run\n", "```sh run exit=x\n```", "```cue file=../x\n```", "```cue file=/x\n```", "```sh rum\n```"] {
            assert!(parse(page).is_err(), "{page:?}");
        }
    }

    #[test]
    fn streams_come_in_the_order_of_writing() {
        let directory = tempfile::tempdir().unwrap();
        let blocks = parse("```sh run exit=3\necho a; echo b >&2; echo c; echo \"$X\"\n(exit 3)\n```\n```text out\na\nb\nc\ny\n```\n").unwrap();
        let page = Page { path: "p.md".into(), blocks };
        page.run(directory.path(), &[("X".into(), "y".into())]).unwrap();
    }

    #[test]
    fn failures_name_line_and_difference() {
        let directory = tempfile::tempdir().unwrap();
        let run = |text: &str| Page { path: "p.md".into(), blocks: parse(text).unwrap() }.run(directory.path(), &[]).unwrap_err();
        let failure = run("```sh run\necho a; echo b\n```\n```text out\na\nc\n```\n");
        assert_eq!(failure.place, "p.md:4");
        assert!(failure.message.contains("  a\n- c\n+ b\n"), "{}", failure.message);
        assert!(run("```sh run\nfalse\n```\n").message.starts_with("exit code 1, expected 0"));
    }
}
