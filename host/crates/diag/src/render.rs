//! Text and JSON of diagnostics.
//!
//! The text form is `Error: summary`, then for each place `  --> file:line:column`, the source line and a caret, then
//! the detail and the advice. Control characters of foreign texts are shown escaped, so that a message cannot
//! move the cursor.

use std::fmt::Write as _;

use crate::{Diagnostic, Label, Severity, SourceMap};

/// How text is rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether ANSI colours are used.
    pub color: bool,
}

const RED: &str = "\u{1b}[1;31m";
const YELLOW: &str = "\u{1b}[1;33m";
const BLUE: &str = "\u{1b}[1;34m";
const BOLD: &str = "\u{1b}[1m";
const RESET: &str = "\u{1b}[0m";

impl Style {
    fn paint(self, color: &str, text: &str) -> String {
        if self.color { format!("{color}{text}{RESET}") } else { text.to_owned() }
    }
}

/// Escapes control characters except the line break and the tab.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\n' && c != '\t' {
            let _ = write!(out, "{}", c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// One diagnostic as text, ending in a line break, without a blank line in front.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, style: Style) -> String {
    let (word, color) = match diagnostic.severity {
        Severity::Error => ("Error", RED),
        Severity::Warning => ("Warning", YELLOW),
    };
    let mut out = format!("{} {}\n", style.paint(color, &format!("{word}:")), style.paint(BOLD, &clean(&diagnostic.summary)));
    let shown_in_summary = diagnostic.path.is_empty() || diagnostic.summary.contains(&diagnostic.path);
    if !shown_in_summary {
        let _ = writeln!(out, "  {} {}", style.paint(BLUE, "at"), clean(&diagnostic.path));
    }
    for label in &diagnostic.labels {
        render_label(&mut out, label, sources, style, color);
    }
    for line in clean(&diagnostic.detail).lines() {
        let _ = writeln!(out, "{}", if line.is_empty() { String::new() } else { format!("  {line}") });
    }
    for (i, line) in clean(&diagnostic.help).lines().enumerate() {
        let head = if i == 0 { style.paint(BLUE, "  help:") } else { "       ".to_owned() };
        let _ = writeln!(out, "{head} {line}");
    }
    out
}

fn render_label(out: &mut String, label: &Label, sources: &SourceMap, style: Style, color: &str) {
    let Some((source, position)) = sources.locate(label.span) else {
        return;
    };
    let line = source.line(position.line);
    let number = position.line.to_string();
    let gutter = " ".repeat(number.len());
    let arrow = style.paint(BLUE, "-->");
    let _ = writeln!(out, "{gutter} {arrow} {}:{}:{}", source.path().display(), position.line, position.column);
    let bar = style.paint(BLUE, "|");
    let _ = writeln!(out, "{} {bar} {}", style.paint(BLUE, &number), clean(line));
    let before = line.get(..position.column as usize - 1).unwrap_or(line);
    let pad: String = clean(before).chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let length = (label.span.end.saturating_sub(label.span.start) as usize).min(line.len().saturating_sub(before.len()));
    let covered = line.get(before.len()..before.len() + length).map_or(length, |text| text.chars().count());
    let carets = style.paint(color, &"^".repeat(covered.max(1)));
    let message = if label.message.is_empty() { String::new() } else { format!(" {}", clean(&label.message)) };
    let _ = writeln!(out, "{gutter} {bar} {pad}{carets}{message}");
}

/// Several diagnostics as text: a blank line before each.
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap, style: Style) -> String {
    diagnostics.iter().map(|diagnostic| format!("\n{}", render(diagnostic, sources, style))).collect()
}

#[derive(serde::Serialize)]
struct JsonPlace<'a> {
    file: String,
    line: u32,
    column: u32,
    message: &'a str,
}

#[derive(serde::Serialize)]
struct JsonDiagnostic<'a> {
    severity: Severity,
    code: &'a str,
    summary: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    detail: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    path: &'a str,
    places: Vec<JsonPlace<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    help: &'a str,
}

/// One diagnostic as a serialisable JSON object with resolved places.
pub fn to_json<'a>(diagnostic: &'a Diagnostic, sources: &SourceMap) -> impl serde::Serialize + use<'a> {
    let places = diagnostic.labels.iter().filter_map(|label| {
        let (source, position) = sources.locate(label.span)?;
        let file = source.path().display().to_string();
        Some(JsonPlace { file, line: position.line, column: position.column, message: &label.message })
    });
    JsonDiagnostic {
        severity: diagnostic.severity,
        code: &diagnostic.code,
        summary: &diagnostic.summary,
        detail: &diagnostic.detail,
        path: &diagnostic.path,
        places: places.collect(),
        help: &diagnostic.help,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    #[test]
    fn an_error_shows_place_caret_and_advice() {
        let mut sources = SourceMap::new();
        let file = sources.add("main.cue", "a: 1\n\tb: \"x\" & 2\n");
        let diagnostic = Diagnostic::error("cue.eval", "conflicting values \"x\" and 2")
            .with_path("b")
            .at(Span::new(file, 9, 12), "this")
            .with_help("make them equal");
        assert_eq!(
            render(&diagnostic, &sources, Style::default()),
            "Error: conflicting values \"x\" and 2\n  at b\n  --> main.cue:2:5\n2 | \tb: \"x\" & 2\n  | \t   ^^^ this\n  help: make them equal\n"
        );
    }

    #[test]
    fn control_characters_cannot_move_the_cursor() {
        let diagnostic = Diagnostic::error("x", "a\u{1b}[2Jb\r");
        assert_eq!(render(&diagnostic, &SourceMap::new(), Style::default()), "Error: a\\u{1b}[2Jb\\r\n");
    }
}
