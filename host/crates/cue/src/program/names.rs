//! Scopes: what a name means at a place.

use std::collections::HashMap;

use crate::intern::Label;
use crate::syntax::ast::{Expression, Identifier, Interpolation};

/// What a name stands for. The scope that it is found in says how many frames up.
#[derive(Clone, Copy)]
pub(super) enum Meaning<'a> {
    /// A field of the scope's struct.
    Field(Label),
    /// A field whose label is computed.
    Dynamic(&'a Expression),
    /// A field whose label is an interpolation.
    Interpolated(&'a Interpolation),
    /// The label itself of a field that is not computed.
    Label(Label),
    /// The label itself of a field whose label is computed.
    DynamicLabel(&'a Expression),
    /// The label itself of a field whose label is an interpolation.
    InterpolatedLabel(&'a Interpolation),
    /// A `let`, by number.
    Let(u32),
    /// The node of the frame.
    This,
    /// The label of the frame.
    FrameLabel,
    /// An import, by number in the file.
    Import(usize),
}

/// The names of one frame.
#[derive(Default)]
pub(super) struct Scope<'a> {
    pub names: HashMap<&'a str, Meaning<'a>>,
    /// Aliases and lets that must be used: name, place, used.
    pub watched: Vec<(&'a Identifier, bool)>,
    /// Whether it is the frame of a struct or list (what `self` means).
    pub is_struct: bool,
}

/// The scopes around a place, outermost first.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    pub stack: Vec<Scope<'a>>,
}

impl<'a> Scopes<'a> {
    /// What a name means, and how many frames up.
    pub fn find(&mut self, name: &str) -> Option<(u32, Meaning<'a>)> {
        for (up, scope) in self.stack.iter_mut().rev().enumerate() {
            if let Some(meaning) = scope.names.get(name) {
                if let Some(watched) = scope.watched.iter_mut().find(|(identifier, _)| identifier.name == name) {
                    watched.1 = true;
                }
                return Some((up as u32, *meaning));
            }
        }
        None
    }

    /// How many frames up the nearest struct is.
    pub fn nearest_struct(&self) -> Option<u32> {
        self.stack.iter().rev().position(|scope| scope.is_struct).map(|up| up as u32)
    }

    /// Every name that is visible, for suggestions.
    pub fn visible(&self) -> impl Iterator<Item = &str> {
        self.stack.iter().flat_map(|scope| scope.names.keys().copied())
    }
}

/// The nearest of some names by edit distance, if it is near enough to be a slip.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let length = name.chars().count();
    let limit = 1 + length / 4;
    let is_start = |candidate: &str| length >= 3 && candidate.starts_with(name) || candidate.chars().count() >= 3 && name.starts_with(candidate);
    names
        .filter(|candidate| *candidate != name)
        .map(|candidate| (distance(name, candidate), candidate))
        // Of names of one or two letters nothing is left where one differs.
        .filter(|(distance, candidate)| (*distance <= limit && distance * 2 < length.max(candidate.chars().count())) || is_start(candidate))
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}

fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(100).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(100).enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (slot, y) in row.iter_mut().skip(1).zip(&b) {
            let best = (diagonal + usize::from(x != *y)).min(left + 1).min(*slot + 1);
            diagonal = std::mem::replace(slot, best);
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}
