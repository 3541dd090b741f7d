//! `text/template`: Go's templates over values.
//!
//! A template is read ([`lex`], [`parse`]) and then executed ([`execute`]); [`print`] is how values become text. Bounded:
//! how deep actions nest, how many steps an execution takes, how much it writes. Deliberately absent: methods and
//! functions as values, which data does not have.

mod execute;
mod lex;
mod parse;
mod print;

use super::super::arguments::{self as args, ANY, Result, STRING, function, string};
use super::super::html;
use crate::builtin::{Function, Host, Package};
use crate::{Kinds, Value};

const S: Kinds = Kinds::STRING;

const FUNCTIONS: &[Function] = &[
    function("Execute", &[STRING, ANY], S, |a, host| {
        let templates = parse::parse(args::text(a, 0)?)?;
        let budget = host.budget();
        string(execute::execute(&templates, args::value(a, 1)?, budget)?)
    }),
    function("HTMLEscape", &[STRING], S, |a, host| escaped(a, host, escape_html)),
    function("JSEscape", &[STRING], S, |a, host| escaped(a, host, escape_js)),
];

pub(in super::super) static TEMPLATE: Package = Package { path: "text/template", functions: FUNCTIONS, source: "" };

fn escaped(a: &[Value], host: &mut dyn Host, escape: fn(&str) -> String) -> Result {
    let text = args::text(a, 0)?;
    args::check_size(host, text.len().saturating_mul(6))?;
    string(escape(text))
}

/// Text for HTML; a zero, which HTML cannot have, is replaced.
fn escape_html(text: &str) -> String {
    html::escape(text).replace('\0', "\u{fffd}")
}

/// Text for a string of JavaScript, which may stand in HTML.
fn escape_js(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '\'' | '"' => {
                out.push('\\');
                out.push(c);
            }
            '<' | '>' | '&' | '=' => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c if c < ' ' => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c if c.is_ascii() || super::super::strconv::is_printable(c) => out.push(c),
            c => out.push_str(&format!("\\u{:04X}", u32::from(c))),
        }
    }
    out
}
