//! Comma-separated values as RFC 4180 has them, with the strictness of Go's reader, which CUE uses: every row has as
//! many fields as the first, empty lines are no rows, and a quotation mark stands only around a field.
//!
//! Why not a library: those that there are accept stray quotation marks.

use super::DecodeError;
use crate::Value;

/// The rows of a text.
pub(super) fn decode(text: &str) -> Result<Value, DecodeError> {
    // A carriage return at the very end is dropped like one before a line break.
    let text = text.strip_suffix('\r').unwrap_or(text).replace("\r\n", "\n");
    let mut reader = Reader { text: &text, at: 0 };
    let mut rows = Vec::new();
    let mut width = None;
    while reader.at < text.len() {
        if reader.take('\n') {
            continue;
        }
        let start = reader.at;
        let row = reader.row()?;
        if *width.get_or_insert(row.len()) != row.len() {
            return Err(DecodeError::at("this row has another number of fields than the first", &text, start));
        }
        rows.push(Value::List(row));
    }
    Ok(Value::List(rows))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        self.at += usize::from(found) * c.len_utf8();
        found
    }

    fn row(&mut self) -> Result<Vec<Value>, DecodeError> {
        let mut row = Vec::new();
        loop {
            row.push(if self.take('"') { self.quoted()? } else { self.bare()? });
            if !self.take(',') {
                self.take('\n');
                return Ok(row);
            }
        }
    }

    fn bare(&mut self) -> Result<Value, DecodeError> {
        let rest = self.rest();
        let field = rest.get(..rest.find([',', '\n']).unwrap_or(rest.len())).unwrap_or("");
        if let Some(quote) = field.find('"') {
            return Err(DecodeError::at("a quotation mark in a field without quotation marks", self.text, self.at + quote));
        }
        self.at += field.len();
        Ok(Value::string(field))
    }

    fn quoted(&mut self) -> Result<Value, DecodeError> {
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let Some(quote) = rest.find('"') else {
                return Err(DecodeError::at("the quoted field has no end", self.text, self.at));
            };
            out.push_str(rest.get(..quote).unwrap_or(""));
            self.at += quote + 1;
            if self.take('"') {
                out.push('"');
            } else if self.rest().is_empty() || self.rest().starts_with([',', '\n']) {
                return Ok(Value::string(out));
            } else {
                return Err(DecodeError::at("a quotation mark within a quoted field must be doubled", self.text, self.at));
            }
        }
    }
}

/// Rows as a text.
pub(crate) fn encode<'t>(rows: impl IntoIterator<Item = &'t [String]>) -> String {
    let mut out = String::new();
    for row in rows {
        for (at, field) in row.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            if needs_quotes(field) {
                out.push('"');
                out.push_str(&field.replace('"', "\"\""));
                out.push('"');
            } else {
                out.push_str(field);
            }
        }
        out.push('\n');
    }
    out
}

/// Fields that a reader would not give back as they are; `\.` ends the data for a database.
fn needs_quotes(field: &str) -> bool {
    field == "\\." || field.contains(['\n', '\r', '"', ',']) || field.starts_with(char::is_whitespace)
}
