//! Which alternatives of disjunctions are the default.
//!
//! A value that is left is a *leaf*: it came about by one branch of each disjunction of its node. A disjunction says
//! of each branch that it is the default, that it is not (another is), or nothing (no branch is marked). A leaf is the
//! default if some disjunction says so and none denies it. A disjunction whose default is in no leaf says nothing. What
//! a disjunction inside a branch says counts as said by the one around. All of this looks at the set of all leaves of a
//! node only, so that neither order nor grouping shows: what is said is kept apart until all leaves are known.

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
    /// The disjunction in whose branch it stands, if that is not decided by it alone.
    pub within: Option<(ExprId, u32)>,
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

/// What names a disjunction.
type Key = (ExprId, u32);

fn key(said: &Said) -> Key {
    (said.expr, said.env)
}

/// Where a disjunction says nothing of some leaves that it marks in others, these are no default.
fn deny_unmarked(ways: &mut [Vec<Said>], of: Key) {
    let marked = ways.iter().flatten().any(|said| key(said) == of && said.mode != Mode::Maybe);
    for said in ways.iter_mut().flatten().filter(|said| marked && key(said) == of && said.mode == Mode::Maybe) {
        said.mode = Mode::Not;
    }
}

/// Whether some leaf has a disjunction's default.
fn is_heard(ways: &[Vec<Said>], of: Key) -> bool {
    ways.iter().flatten().any(|said| key(said) == of && said.mode == Mode::Is)
}

/// The keys of what is said that satisfy a condition, each once.
fn keys(ways: &[Vec<Said>], wanted: impl Fn(&Said) -> bool) -> Vec<Key> {
    let mut out = Vec::new();
    for said in ways.iter().flatten().filter(|said| wanted(said)) {
        if !out.contains(&key(said)) {
            out.push(key(said));
        }
    }
    out
}

/// Lets the disjunctions around say what those inside their branches say, the innermost first.
fn fold_nested(ways: &mut [Vec<Said>]) {
    loop {
        let around: Vec<Key> = ways.iter().flatten().filter_map(|said| said.within).collect();
        let ready = keys(ways, |said| said.within.is_some() && !around.contains(&key(said)));
        if ready.is_empty() {
            return;
        }
        for of in ready {
            deny_unmarked(ways, of);
            let heard = is_heard(ways, of);
            for way in ways.iter_mut() {
                let (inner, mut rest): (Vec<Said>, Vec<Said>) = way.drain(..).partition(|said| key(said) == of && said.within.is_some());
                for said in inner.into_iter().filter(|_| heard) {
                    for outer in rest.iter_mut().filter(|outer| Some(key(outer)) == said.within) {
                        outer.mode = outer.mode.and(said.mode);
                    }
                }
                *way = rest;
            }
        }
    }
}

/// The values of leaves, and which are the default.
pub(crate) fn conclusion(leaves: &[Leaf]) -> Vec<(Alternative, bool)> {
    let mut ways: Vec<Vec<Said>> = leaves.iter().flat_map(|leaf| leaf.ways.iter().cloned()).collect();
    fold_nested(&mut ways);
    let all = keys(&ways, |said| said.within.is_none());
    all.iter().for_each(|of| deny_unmarked(&mut ways, *of));
    let heard: Vec<Key> = all.into_iter().filter(|of| is_heard(&ways, *of)).collect();
    let is_default = |way: &Vec<Said>| {
        let said = way.iter().filter(|said| said.within.is_none() && heard.contains(&key(said)));
        said.fold(Mode::Maybe, |mode, said| mode.and(said.mode)) == Mode::Is
    };
    let mut rest = ways.iter();
    let mut out = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let default = rest.by_ref().take(leaf.ways.len()).fold(false, |default, way| default | is_default(way));
        out.push((leaf.value, default));
    }
    out
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
    /// branch say is said within this one.
    pub(crate) fn lift(&self, node: Node, leaves: Vec<Leaf>, chosen: Said) -> Vec<Leaf> {
        let outer: Vec<Key> = self.extra(node).map_or_else(Vec::new, |extra| {
            let pending = extra.disjunctions.iter().map(|conjunct| (conjunct.expr, conjunct.env));
            pending.chain(extra.decided.iter().map(key)).collect()
        });
        let known = |of: Key| outer.iter().copied().find(|other| self.same_disjunction(*other, of));
        let mut out = leaves;
        for way in out.iter_mut().flat_map(|leaf| &mut leaf.ways) {
            for said in way.iter_mut() {
                let within = said.within.map_or(key(&chosen), |within| known(within).unwrap_or(within));
                match known(key(said)) {
                    Some((expr, env)) => *said = Said { expr, env, within: None, ..*said },
                    None => said.within = Some(within),
                }
            }
            way.push(chosen);
        }
        out
    }

    /// Names what forks of one node say by the same keys.
    pub(crate) fn unite_keys(&self, leaf: &mut Leaf, known: &mut Vec<Key>) {
        for said in leaf.ways.iter_mut().flatten() {
            for of in [Some(key(said)), said.within].into_iter().flatten() {
                if !known.contains(&of) && !known.iter().any(|other| self.same_disjunction(*other, of)) {
                    known.push(of);
                }
            }
            let united =
                |of: Key| if known.contains(&of) { of } else { known.iter().copied().find(|other| self.same_disjunction(*other, of)).unwrap_or(of) };
            (said.expr, said.env) = united(key(said));
            said.within = said.within.map(united);
        }
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
