//! Text from a guest, made safe to show: bounded, without control characters that a terminal would obey.

use std::fmt::Write;

/// What is left of a text that is too long.
const CUT: &str = "… (cut)";

/// The text with control characters escaped, line feeds and tabs kept, at most `limit` bytes of it.
pub(crate) fn printable(text: &str, limit: usize) -> String {
    escape(text, limit, |c| c == '\n' || c == '\t')
}

/// As [`printable`], but the end of a text that is too long is kept. The text itself must be of bounded length.
pub(crate) fn printable_end(text: &str, limit: usize) -> String {
    let shown = printable(text, usize::MAX);
    let mut start = shown.len().saturating_sub(limit);
    while !shown.is_char_boundary(start) {
        start += 1;
    }
    shown.get(start..).unwrap_or_default().to_owned()
}

/// The text with all control characters escaped, at most `limit` bytes of it.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    escape(text.trim_end(), limit, |_| false)
}

fn escape(text: &str, limit: usize, keep: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len().min(limit));
    for c in text.chars() {
        if shown.len() >= limit {
            shown.push_str(CUT);
            break;
        }
        if (c.is_control() || is_direction(c)) && !keep(c) {
            // Writing to a text cannot fail.
            let _ = write!(shown, "{}", c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Characters that change the direction of what follows: they make a text look like another one.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_remains() {
        assert_eq!(printable("a\x1b[31mred\r\nb\tc\u{9b}x\u{202e}", 100), "a\\u{1b}[31mred\\r\nb\tc\\u{9b}x\\u{202e}");
        assert_eq!(one_line("a\nb\n", 100), "a\\nb");
        assert_eq!(one_line("ünïcode", 100), "ünïcode");
    }

    #[test]
    fn what_is_too_long_is_cut() {
        assert_eq!(printable(&"x".repeat(50), 10), "xxxxxxxxxx… (cut)");
        assert_eq!(printable("0123456789", 10), "0123456789");
        assert_eq!(printable_end("ab\x1bcüe", 4), "cüe");
        assert_eq!(printable_end("abcüe", 3), "üe");
        assert_eq!(printable_end("abcüe", 2), "e");
    }
}
