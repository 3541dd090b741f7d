//! Patterns of file names: `*`, `?`, `[a-z]` and, but on Windows, `\` before a character without meaning.

use super::super::arguments::Result;
use super::system::{Paths, System};
use crate::builtin::Failure;

/// A part of a pattern that one character matches.
enum Step {
    Any,
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    Literal(char),
    /// The rest of the pattern, which is malformed. That matters only where matching comes so far.
    Malformed,
}

/// Whether a pattern matches a whole name.
pub(super) fn matches(pattern: &str, name: &str, paths: Paths) -> Result<bool> {
    let pieces = parse(pattern, paths)?;
    let name: Vec<char> = name.chars().collect();
    let separator = paths.separator();
    // Which positions of the name can be reached: time and memory are bounded by the product of the lengths.
    let mut reached = vec![false; name.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for (star, steps) in &pieces {
        if !reached.contains(&true) {
            return Ok(false);
        }
        if steps.iter().any(|step| matches!(step, Step::Malformed)) {
            return Err(Failure::eval("syntax error in pattern"));
        }
        if *star {
            for at in 0..name.len() {
                if reached.get(at) == Some(&true)
                    && name.get(at) != Some(&separator)
                    && let Some(next) = reached.get_mut(at + 1)
                {
                    *next = true;
                }
            }
        }
        for step in steps {
            let mut next = vec![false; name.len() + 1];
            for (at, c) in name.iter().enumerate() {
                if reached.get(at) == Some(&true)
                    && accepts(step, *c, separator)
                    && let Some(slot) = next.get_mut(at + 1)
                {
                    *slot = true;
                }
            }
            reached = next;
        }
    }
    Ok(reached.last() == Some(&true))
}

fn accepts(step: &Step, c: char, separator: char) -> bool {
    match step {
        Step::Any => c != separator,
        Step::Literal(own) => *own == c,
        Step::Malformed => false,
        Step::Class { negated, ranges } => ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated,
    }
}

/// Pieces of a pattern, each behind a star or not.
fn parse(pattern: &str, paths: Paths) -> Result<Vec<(bool, Vec<Step>)>> {
    let mut pieces = vec![(false, Vec::new())];
    let mut characters = pattern.chars().peekable();
    let escapes = paths.0 != System::Windows;
    while let Some(c) = characters.next() {
        let step = match c {
            '*' if characters.peek() == Some(&'*') => {
                return Err(Failure::eval("'**' is not supported in patterns as of yet"));
            }
            '*' => {
                pieces.push((true, Vec::new()));
                continue;
            }
            '?' => Step::Any,
            '[' => class(&mut characters, escapes).unwrap_or(Step::Malformed),
            '\\' if escapes => characters.next().map_or(Step::Malformed, Step::Literal),
            c => Step::Literal(c),
        };
        let malformed = matches!(step, Step::Malformed);
        if let Some((_, steps)) = pieces.last_mut() {
            steps.push(step);
        }
        if malformed {
            break;
        }
    }
    Ok(pieces)
}

type Characters<'t> = std::iter::Peekable<std::str::Chars<'t>>;

fn class(characters: &mut Characters<'_>, escapes: bool) -> Option<Step> {
    let negated = characters.next_if_eq(&'^').is_some();
    let mut ranges = Vec::new();
    while ranges.is_empty() || characters.next_if_eq(&']').is_none() {
        let low = member(characters, escapes)?;
        let high = if characters.next_if_eq(&'-').is_some() { member(characters, escapes)? } else { low };
        ranges.push((low, high));
    }
    Some(Step::Class { negated, ranges })
}

/// A character of a class; the class goes on behind it.
fn member(characters: &mut Characters<'_>, escapes: bool) -> Option<char> {
    let c = match characters.next()? {
        '-' | ']' => return None,
        '\\' if escapes => characters.next()?,
        c => c,
    };
    characters.peek().map(|_| c)
}
