//! `text/tabwriter`: columns of text.
//!
//! A tab ends a cell; a column reaches over neighbouring lines that have a cell there, and is as wide as the widest of
//! them and one blank. What follows the last tab of a line is in no column.

use super::super::arguments::{self as args, ANY, Result, function, string};
use crate::builtin::{Failure, Function, Host, Package};
use crate::{Kinds, Value};

const FUNCTIONS: &[Function] = &[function("Write", &[ANY], Kinds::STRING, write)];

pub(in super::super) static TABWRITER: Package = Package { path: "text/tabwriter", functions: FUNCTIONS, source: "" };

fn write(a: &[Value], host: &mut dyn Host) -> Result {
    let text = |value: &'_ Value| match value {
        Value::String(text) => Ok(text.to_string()),
        Value::Bytes(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
        other => Err(Failure::eval(format!("tabwriter.Write: unsupported type {}", other.kinds()))),
    };
    let input = match args::value(a, 0)? {
        Value::List(lines) => lines.iter().map(|line| Ok(text(line)? + "\n")).collect::<Result<String>>()?,
        other => text(other)?,
    };
    let mut out = String::new();
    // A form feed ends a line and every column.
    for (at, section) in input.split('\u{c}').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        align(section, &mut out, host)?;
    }
    string(out)
}

fn align(section: &str, out: &mut String, host: &mut dyn Host) -> Result<()> {
    let mut lines: Vec<Vec<&str>> = section.split('\n').map(|line| line.split(['\t', '\u{b}']).collect()).collect();
    if let Some(last) = lines.last_mut()
        && last.last().is_some_and(|cell| cell.is_empty())
    {
        // Nothing follows the last tab of the text.
        last.pop();
    }
    let widths = widths(&lines);
    let padded = widths.iter().flatten().sum();
    args::check_size(host, section.len().saturating_add(padded))?;
    for (at, (line, widths)) in lines.iter().zip(&widths).enumerate() {
        if at > 0 {
            out.push('\n');
        }
        for (column, cell) in line.iter().enumerate() {
            out.push_str(cell);
            if let Some(width) = widths.get(column) {
                out.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.chars().count())));
            }
        }
    }
    Ok(())
}

/// How wide each cell of each line is that is in a column.
fn widths(lines: &[Vec<&str>]) -> Vec<Vec<usize>> {
    let mut widths: Vec<Vec<usize>> = vec![Vec::new(); lines.len()];
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    for column in 0..columns {
        let mut at = 0;
        while at < lines.len() {
            // Lines that have a cell here, and one behind it.
            let block: Vec<usize> = lines
                .iter()
                .skip(at)
                .take_while(|line| line.len() > column + 1)
                .map(|line| line.get(column).map_or(0, |cell| cell.chars().count()) + 1)
                .collect();
            let width = block.iter().copied().max().unwrap_or(0);
            for line in widths.iter_mut().skip(at).take(block.len()) {
                line.push(width);
            }
            at += block.len() + 1;
        }
    }
    widths
}
