//! `html`

use super::arguments::{self as args, STRING, function, string};
use crate::Kinds;
use crate::builtin::{Function, Package};

const FUNCTIONS: &[Function] = &[
    function("Escape", &[STRING], Kinds::STRING, |a, host| {
        let text = args::text(a, 0)?;
        args::check_size(host, text.len().saturating_mul(5))?;
        string(escape(text))
    }),
    function("Unescape", &[STRING], Kinds::STRING, |a, _| string(unescape(args::text(a, 0)?))),
];

pub(super) static HTML: Package = Package { path: "html", functions: FUNCTIONS, source: "" };

/// Text for HTML. Quotation marks are numbers, for these are shorter and known to every reader.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&#39;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&#34;"),
            c => out.push(c),
        }
    }
    out
}

/// Text of HTML. A hexadecimal reference without digits is a character that does not exist.
fn unescape(text: &str) -> String {
    let text = text.replace("&#x;", "\u{fffd}").replace("&#X;", "\u{fffd}");
    htmlize::unescape(&text).into_owned()
}
