//! Lines of CUE with indentation, labels and documentation.

use std::fmt::Write as _;

/// Text under construction.
#[derive(Default)]
pub(super) struct Writer {
    text: String,
    depth: usize,
}

/// Names that mean something else where they are written bare: keywords, and predeclared identifiers that a field of
/// the same name would hide from the types beside it.
pub(super) const RESERVED: &[&str] = &[
    "package",
    "import",
    "for",
    "in",
    "if",
    "let",
    "try",
    "else",
    "otherwise",
    "fallback",
    "true",
    "false",
    "null",
    "bool",
    "int",
    "float",
    "string",
    "bytes",
    "number",
    "uint",
    "rune",
    "self",
];

/// A label as text: bare where that is safe, else in quotes.
pub(super) fn label(name: &str) -> String {
    let mut bytes = name.bytes();
    let bare = matches!(bytes.next(), Some(b'a'..=b'z' | b'A'..=b'Z')) && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if bare && !RESERVED.contains(&name) { name.to_owned() } else { quoted(name) }
}

/// A text as a CUE string literal on one line.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

impl Writer {
    /// One line at the current depth.
    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.text.push('\t');
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A line that opens a struct or a list; what follows stands one deeper.
    pub(super) fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    /// A line that closes what [`Writer::open`] opened.
    pub(super) fn close(&mut self, text: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.line(text);
    }

    /// Documentation as comments.
    pub(super) fn doc(&mut self, text: &str) {
        for line in text.trim().lines() {
            let line = line.trim_end().replace(|c: char| c.is_control() && c != '\t', " ");
            self.line(format!("// {line}").trim_end());
        }
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_would_hide_a_type_are_quoted() {
        for (name, expected) in [("id", "id"), ("string", "\"string\""), ("for", "\"for\""), ("_x", "\"_x\""), ("a-b", "\"a-b\""), ("", "\"\"")] {
            assert_eq!(label(name), expected);
        }
    }

    #[test]
    fn documentation_cannot_leave_its_comment() {
        let mut writer = Writer::default();
        writer.doc("one\r\n\n two\u{2}x\n");
        assert_eq!(writer.finish(), "// one\n//\n//  two x\n");
    }
}
