//! Values written as literals.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::syntax::lexer::{is_digit, is_letter};

/// How a text is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    bytes: bool,
    /// Tabs in front of the lines of a text that has line breaks; on one line where it is `None`.
    indent: Option<usize>,
}

/// Whether a character can be written as it is.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    use GeneralCategoryGroup as G;
    matches!(c.general_category_group(), G::Letter | G::Mark | G::Number | G::Punctuation | G::Symbol) && !matches!(u32::from(c), 0xE000..=0xF8FF)
}

impl Form {
    /// `"…"` on one line.
    pub const STRING: Self = Self { bytes: false, indent: None };
    /// `'…'` on one line.
    pub const BYTES: Self = Self { bytes: true, indent: None };

    /// Over several lines where the text has line breaks, indented with tabs.
    #[must_use]
    pub const fn with_indent(self, tabs: usize) -> Self {
        Self { indent: Some(tabs), ..self }
    }

    /// The literal of a string.
    pub fn quote(self, text: &str) -> String {
        self.quote_bytes(text.as_bytes())
    }

    /// The literal of bytes; in a string, what is no UTF-8 is replaced.
    pub fn quote_bytes(self, value: &[u8]) -> String {
        let indent = self.indent.filter(|_| value.contains(&b'\n')).map(|tabs| "\t".repeat(tabs));
        let mark = if self.bytes { '\'' } else { '"' };
        let marks = mark.to_string().repeat(if indent.is_some() { 3 } else { 1 });
        let hashes = if indent.is_some() { "#".repeat(hashes_needed(value, &marks)) } else { String::new() };
        let mut out = format!("{hashes}{marks}");
        if let Some(indent) = &indent {
            out.push('\n');
            if value.first().is_some_and(|byte| *byte != b'\n') {
                out.push_str(indent);
            }
        }
        self.escape_into(&mut out, value, indent.as_deref(), &hashes);
        if let Some(indent) = &indent {
            out.push('\n');
            out.push_str(indent);
        }
        out.push_str(&marks);
        out.push_str(&hashes);
        out
    }

    /// The inside of a literal, without quotation marks; over several lines with that many tabs in front of each.
    pub fn escaped(self, value: &[u8], indent: Option<usize>) -> String {
        let mut out = String::new();
        self.escape_into(&mut out, value, indent.map(|tabs| "\t".repeat(tabs)).as_deref(), "");
        out
    }

    fn escape_into(self, out: &mut String, value: &[u8], indent: Option<&str>, hashes: &str) {
        for chunk in value.utf8_chunks() {
            let mut characters = chunk.valid().chars().peekable();
            while let Some(c) = characters.next() {
                match indent {
                    Some(indent) if c == '\n' => {
                        out.push('\n');
                        // An empty line has no white space; what is no UTF-8 starts a line as well.
                        let more = characters.peek().copied().or((!chunk.invalid().is_empty()).then_some('x'));
                        if more.is_some_and(|next| next != '\n') {
                            out.push_str(indent);
                        }
                    }
                    _ => self.escape_character(out, c, indent.is_some(), hashes),
                }
            }
            if self.bytes {
                for byte in chunk.invalid() {
                    out.push_str(&format!("\\{hashes}x{byte:02x}"));
                }
            } else if !chunk.invalid().is_empty() {
                out.extend(chunk.invalid().iter().map(|_| '\u{fffd}'));
            }
        }
    }

    fn escape_character(self, out: &mut String, c: char, multi_line: bool, hashes: &str) {
        let mark = if self.bytes { '\'' } else { '"' };
        if c == '\\' || c == mark && !multi_line {
            out.push('\\');
            out.push_str(hashes);
            out.push(c);
            return;
        }
        if is_printable(c) {
            out.push(c);
            return;
        }
        out.push('\\');
        out.push_str(hashes);
        let name = match c {
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\u{c}' => 'f',
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            '\u{b}' => 'v',
            _ => {
                let code = u32::from(c);
                out.push_str(&match code {
                    ..0x20 if self.bytes => format!("x{code:02x}"),
                    ..0x10000 => format!("u{code:04x}"),
                    _ => format!("U{code:08x}"),
                });
                return;
            }
        };
        out.push(name);
    }
}

/// How many `#` a multi-line literal needs so that nothing in it looks like its end.
fn hashes_needed(value: &[u8], marks: &str) -> usize {
    let text = String::from_utf8_lossy(value);
    let mark = marks.chars().next().unwrap_or('"');
    let mut needed = 0;
    let mut rest: &str = &text;
    while let Some(at) = rest.find(marks) {
        rest = rest.get(at..).unwrap_or("").trim_start_matches(mark);
        let behind = rest.trim_start_matches('#');
        needed = needed.max(rest.len() - behind.len() + 1);
        rest = behind;
    }
    needed
}

/// Whether a name can be written as a label of a regular field without quotation marks.
pub fn is_plain_label(name: &str) -> bool {
    let mut characters = name.chars();
    let starts = characters.next().is_some_and(|c| is_letter(c) || c == '$');
    starts && characters.all(|c| is_letter(c) || is_digit(c) || c == '_' || c == '$')
}

/// A regular field's name as a label, in quotation marks where it needs them.
pub fn quote_label(name: &str) -> String {
    if is_plain_label(name) { name.to_owned() } else { Form::STRING.quote(name) }
}
