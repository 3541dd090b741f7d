//! The two streams of a run, and what is drawn on a terminal.
//!
//! Kept true here: stdout has what was found and done, stderr everything else; lines of the two streams come out in the
//! order in which they were written. Colours and the live line are for terminals only. A reader that went away (`| head`)
//! ends nothing: an apply must not die of it.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pravo_diag::{Diagnostic, SourceMap, Style, render_all};

use crate::render::document::own_first;
use crate::render::paint::Paint;

/// Erases the line that the cursor is on.
const ERASE: &str = "\r\u{1b}[2K";

/// Where a command writes.
#[derive(Debug)]
pub struct Terminal {
    /// Colours of stdout.
    pub out: Paint,
    /// Colours of stderr.
    pub err: Paint,
    /// Whether a live line is drawn on stderr.
    live: bool,
    drawn: Mutex<String>,
    asking: AtomicBool,
}

impl Terminal {
    /// Looks at the streams and the environment once.
    pub fn new(no_color: bool) -> Self {
        let environment = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let color = !no_color && !environment && !dumb;
        let (out, err) = (std::io::stdout().is_terminal(), std::io::stderr().is_terminal());
        Self {
            out: Paint { color: color && out },
            err: Paint { color: color && err },
            live: err && !dumb,
            drawn: Mutex::default(),
            asking: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, String> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, to_stdout: bool, text: &str) {
        let drawn = self.lock();
        if !drawn.is_empty() {
            let _ = std::io::stderr().write_all(ERASE.as_bytes());
        }
        // A stream that is closed loses text and nothing else.
        if to_stdout {
            let mut stdout = std::io::stdout().lock();
            let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        } else {
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
        if !drawn.is_empty() {
            let _ = std::io::stderr().write_all(drawn.as_bytes());
        }
    }

    /// Writes text to stdout as it is.
    pub fn print(&self, text: &str) {
        self.write(true, text);
    }

    /// Writes a line to stdout.
    pub fn line(&self, line: &str) {
        self.write(true, &format!("{line}\n"));
    }

    /// Writes a line to stderr.
    pub fn note(&self, line: &str) {
        self.write(false, &format!("{line}\n"));
    }

    /// Writes diagnostics to stderr, a blank line before each.
    pub fn report(&self, diagnostics: &[Diagnostic], sources: &SourceMap) {
        if !diagnostics.is_empty() {
            let diagnostics: Vec<Diagnostic> = diagnostics.iter().map(|diagnostic| own_first(diagnostic, sources)).collect();
            self.write(false, &render_all(&diagnostics, sources, Style { color: self.err.color }));
        }
    }

    /// Draws the live line, where there is a terminal; an empty text takes it away.
    pub fn live(&self, text: &str) {
        if !self.live {
            return;
        }
        let mut drawn = self.lock();
        if *drawn != text {
            let erase = if drawn.is_empty() { "" } else { ERASE };
            let _ = std::io::stderr().write_all(format!("{erase}{text}").as_bytes());
            text.clone_into(&mut drawn);
        }
    }

    /// Whether a live line is drawn.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// Whether a question is open.
    pub fn is_asking(&self) -> bool {
        self.asking.load(Ordering::Relaxed)
    }

    /// Asks on stderr, and reads one line from stdin. Only `yes` is yes.
    pub fn confirm(&self, question: &str, explanation: &str) -> bool {
        self.live("");
        let bold = self.err.paint(crate::render::paint::Color::Bold, question).into_owned();
        let enter = self.err.paint(crate::render::paint::Color::Bold, "Enter a value:").into_owned();
        let mut text = format!("\n{bold}\n");
        for line in explanation.lines() {
            text.push_str(&format!("  {line}\n"));
        }
        text.push_str(&format!("\n  {enter} "));
        self.write(false, &text);
        let mut answer = String::new();
        self.asking.store(true, Ordering::Relaxed);
        let read = tokio::task::block_in_place(|| std::io::stdin().read_line(&mut answer));
        self.asking.store(false, Ordering::Relaxed);
        if !std::io::stdin().is_terminal() {
            self.write(false, "\n");
        }
        self.write(false, "\n");
        matches!(read, Ok(length) if length > 0) && answer.trim() == "yes"
    }
}
