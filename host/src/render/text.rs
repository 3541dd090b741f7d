//! Values as text for people: quoted strings, brackets, `(known after apply)`, `(sensitive value)`.

use pravo_model::Value;

/// What stands in the place of an unknown.
pub const UNKNOWN: &str = "(known after apply)";

/// The deepest nesting that is written out; deeper parts are shown as an ellipsis.
pub const MAX_DEPTH: usize = 64;

/// A text in double quotes on one line. What could move the cursor is escaped.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() || is_direction(c) => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether a character turns the direction of writing, and could make a diff lie.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A line of a text without its line break, with what could move the cursor escaped.
pub fn plain_line(line: &str) -> String {
    if !line.chars().any(|c| (c.is_control() && c != '\t') || is_direction(c)) {
        return line.to_owned();
    }
    line.chars().map(|c| if (c.is_control() && c != '\t') || is_direction(c) { format!("\\u{:04x}", c as u32) } else { c.to_string() }).collect()
}

/// The name of a member: bare where it is an identifier, else in quotes.
pub fn label(name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$');
    if first && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$')) { name.to_owned() } else { quote(name) }
}

/// A value that fits on one line: a scalar, an unknown, an empty list or map; `None` for others.
pub fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some("null".to_owned()),
        Value::Unknown => Some(UNKNOWN.to_owned()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(quote(text)),
        Value::List(elements) if elements.is_empty() => Some("[]".to_owned()),
        Value::Map(entries) if entries.is_empty() => Some("{}".to_owned()),
        Value::List(_) | Value::Map(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_the_cursor_in_place() {
        assert_eq!(quote("a\"b\\\n\u{1b}[2J\u{202e}é"), "\"a\\\"b\\\\\\n\\u001b[2J\\u202eé\"");
        assert_eq!(plain_line("a\u{1b}b\tc"), "a\\u001bb\tc");
    }

    #[test]
    fn labels_are_bare_where_they_can_be() {
        for (name, expected) in [("a_b", "a_b"), ("$x", "$x"), ("a-b", "\"a-b\""), ("", "\"\""), ("1a", "\"1a\""), ("é", "é")] {
            assert_eq!(label(name), expected);
        }
    }
}
