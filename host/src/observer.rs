//! Hears the events of a run, and writes them: as lines with a live line below, or as JSON, one object a line.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pravo_diag::SourceMap;
use pravo_engine::{Observer, RunEvent};
use serde_json::json;

use crate::render::document::{Phase, event_json, write_diagnostics};
use crate::render::paint::Color;
use crate::render::run::{RunLine, run_line};
use crate::terminal::Terminal;

/// Writes lines.
#[derive(Debug)]
pub struct LineObserver {
    terminal: Arc<Terminal>,
    flight: Mutex<Flight>,
}

/// What is in flight, for the live line.
#[derive(Debug, Default)]
struct Flight {
    running: BTreeMap<String, String>,
    reads: u64,
    finished: u64,
}

impl LineObserver {
    /// To a terminal.
    pub fn new(terminal: Arc<Terminal>) -> Self {
        Self { terminal, flight: Mutex::default() }
    }

    fn follow(&self, event: &RunEvent) {
        if !self.terminal.is_live() {
            return;
        }
        let mut flight = self.flight.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            RunEvent::Started { address, .. } => {
                flight.running.insert(address.to_string(), String::new());
            }
            RunEvent::Progress { address, message } => {
                let message = crate::render::text::plain_line(message.lines().next().unwrap_or_default());
                flight.running.insert(address.to_string(), message);
            }
            RunEvent::Completed { address, .. } | RunEvent::Failed { address, .. } => {
                flight.running.remove(address.as_str());
                flight.finished += 1;
            }
            RunEvent::Refreshing { .. } | RunEvent::Reading { .. } => flight.reads += 1,
            RunEvent::Still { .. } | RunEvent::Skipped { .. } | RunEvent::Warning { .. } | RunEvent::Stopping => {}
        }
        let text = flight.text();
        drop(flight);
        self.terminal.live(&self.terminal.err.paint(Color::Dim, &text));
    }
}

impl Flight {
    /// One short line: what runs, with what the provider says, and what is done.
    fn text(&self) -> String {
        let Some((address, message)) = self.running.iter().next() else {
            return if self.finished == 0 && self.reads > 0 { format!("{} read", self.reads) } else { String::new() };
        };
        let more = match self.running.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let message = if message.is_empty() { String::new() } else { format!(": {message}") };
        let line = format!("{} done, running {address}{more}{message}", self.finished);
        line.chars().take(78).collect()
    }
}

impl Observer for LineObserver {
    fn event(&self, event: RunEvent) {
        match run_line(&event) {
            Some(RunLine::Done(line)) => self.terminal.line(&line),
            Some(RunLine::Looked(line)) => self.terminal.note(&line),
            None => {}
        }
        if let RunEvent::Warning { diagnostic } = &event {
            self.terminal.report(std::slice::from_ref(&**diagnostic), &SourceMap::new());
        }
        self.follow(&event);
    }
}

/// Writes JSON to stdout, one object a line.
#[derive(Debug)]
pub struct JsonObserver {
    terminal: Arc<Terminal>,
}

impl JsonObserver {
    /// To a terminal's stdout.
    pub fn new(terminal: Arc<Terminal>) -> Self {
        Self { terminal }
    }
}

impl Observer for JsonObserver {
    fn event(&self, event: RunEvent) {
        match &event {
            RunEvent::Warning { diagnostic } => {
                for object in write_diagnostics(std::slice::from_ref(&**diagnostic), &SourceMap::new(), Phase::Apply) {
                    self.terminal.line(&json!({ "type": "diagnostic", "diagnostic": object }).to_string());
                }
            }
            event => self.terminal.line(&event_json(event).to_string()),
        }
    }
}

/// Writes only what is looked at, to stderr: for commands whose stdout is a document.
#[derive(Debug)]
pub struct QuietObserver {
    lines: LineObserver,
}

impl QuietObserver {
    /// To a terminal's stderr.
    pub fn new(terminal: Arc<Terminal>) -> Self {
        Self { lines: LineObserver::new(terminal) }
    }
}

impl Observer for QuietObserver {
    fn event(&self, event: RunEvent) {
        if matches!(event, RunEvent::Refreshing { .. } | RunEvent::Reading { .. } | RunEvent::Stopping) {
            self.lines.event(event);
        }
    }
}
