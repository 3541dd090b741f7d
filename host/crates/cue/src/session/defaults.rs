//! Which alternatives of disjunctions are the default.
//!
//! A value that is left is a *leaf*: it came about by one branch of each disjunction of its node. A disjunction says
//! of each branch that it is the default, that it is not (another is), or nothing (no branch is marked). A leaf is the
//! default if some disjunction says so and none denies it. A disjunction whose default is in no leaf says nothing. What
//! a disjunction inside a branch says counts as said by the one around. All of this looks at the set of leaves only, so
//! that neither order nor grouping shows.

use super::Session;
use super::data::*;
use crate::Node;
use crate::program::ExprId;

/// What a disjunction says of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// Another branch is the default.
    Not,
    /// No branch is marked.
    Maybe,
    /// It is the default.
    Is,
}

impl Mode {
    /// What two disjunctions say together.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Not, _) | (_, Self::Not) => Self::Not,
            (Self::Is, _) | (_, Self::Is) => Self::Is,
            _ => Self::Maybe,
        }
    }
}

/// What one disjunction says of a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Said {
    pub expr: ExprId,
    pub env: u32,
    pub mode: Mode,
}

/// A value that is left, and what the disjunctions say of each way to it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Leaf {
    pub value: Alternative,
    pub ways: Vec<Vec<Said>>,
}

/// How many ways to one value are kept apart.
const WAYS: usize = 64;

/// Adds ways to a leaf, each once.
pub(crate) fn add_ways(leaf: &mut Leaf, ways: Vec<Vec<Said>>) {
    for way in ways {
        if leaf.ways.len() < WAYS && !leaf.ways.contains(&way) {
            leaf.ways.push(way);
        }
    }
}

/// The disjunctions that some leaf has as its default.
fn heard(leaves: &[Leaf]) -> Vec<(ExprId, u32)> {
    let mut out = Vec::new();
    for said in leaves.iter().flat_map(|leaf| &leaf.ways).flatten() {
        let key = (said.expr, said.env);
        if said.mode == Mode::Is && !out.contains(&key) {
            out.push(key);
        }
    }
    out
}

/// What some of the disjunctions say of a leaf together.
fn together<'a>(way: impl Iterator<Item = &'a Said>, heard: &[(ExprId, u32)]) -> Mode {
    way.fold(Mode::Maybe, |mode, said| if heard.contains(&(said.expr, said.env)) { mode.and(said.mode) } else { mode })
}

/// The values of leaves, and which are the default.
pub(crate) fn conclusion(leaves: &[Leaf]) -> Vec<(Alternative, bool)> {
    let heard = heard(leaves);
    leaves.iter().map(|leaf| (leaf.value, leaf.ways.iter().any(|way| together(way.iter(), &heard) == Mode::Is))).collect()
}

/// Where nothing is said of some leaves by a disjunction that marks others, these are no default.
pub(crate) fn deny_unmarked(leaves: &mut [Leaf], (expr, env): (ExprId, u32)) {
    let own = |said: &Said| said.expr == expr && said.env == env;
    let marked = leaves.iter().flat_map(|leaf| &leaf.ways).flatten().any(|said| own(said) && said.mode != Mode::Maybe);
    if !marked {
        return;
    }
    for said in leaves.iter_mut().flat_map(|leaf| &mut leaf.ways).flatten() {
        if own(said) && said.mode == Mode::Maybe {
            said.mode = Mode::Not;
        }
    }
}

impl Session {
    /// The leaves of a fork: its own, or itself.
    pub(crate) fn leaves_of(&self, fork: Node) -> Vec<Leaf> {
        match self.extra(fork) {
            Some(extra) if !extra.leaves.is_empty() => extra.leaves.to_vec(),
            Some(extra) => vec![Leaf { value: self.as_alternative(self.deref(fork)), ways: vec![extra.decided.to_vec()] }],
            None => vec![Leaf { value: self.as_alternative(self.deref(fork)), ways: vec![Vec::new()] }],
        }
    }

    /// The leaves of a fork as those of the node that chose a branch of a disjunction: what disjunctions inside the
    /// branch say is said by this one.
    pub(crate) fn lift(&self, node: Node, leaves: Vec<Leaf>, chosen: Said) -> Vec<Leaf> {
        let outer: Vec<(ExprId, u32)> = self.extra(node).map_or_else(Vec::new, |extra| {
            let pending = extra.disjunctions.iter().map(|conjunct| (conjunct.expr, conjunct.env));
            pending.chain(extra.decided.iter().map(|said| (said.expr, said.env))).collect()
        });
        let heard = heard(&leaves);
        let mut out = leaves;
        for leaf in &mut out {
            for way in &mut leaf.ways {
                let mut lifted = Vec::with_capacity(way.len() + 1);
                let mut inner = Vec::new();
                for said in way.iter() {
                    match outer.iter().find(|(expr, env)| self.same_disjunction((*expr, *env), (said.expr, said.env))) {
                        Some((expr, env)) => lifted.push(Said { expr: *expr, env: *env, ..*said }),
                        None => inner.push(*said),
                    }
                }
                let mode = chosen.mode.and(together(inner.iter(), &heard));
                lifted.push(Said { mode, ..chosen });
                *way = lifted;
            }
        }
        out
    }

    /// The default of a settled node, if it is decided.
    pub(crate) fn default_of(&self, node: Node) -> Option<Alternative> {
        let alternatives = &self.extra(node)?.alternatives;
        let mut defaults = alternatives.iter().filter(|(_, default)| *default);
        match (defaults.next(), defaults.next()) {
            (Some((only, _)), None) => Some(*only),
            _ => None,
        }
    }

    /// The node that is the default.
    pub(crate) fn default_node(&self, node: Node) -> Option<Node> {
        match self.default_of(node) {
            Some(Alternative::Node(node)) => Some(self.deref(node)),
            _ => None,
        }
    }
}
