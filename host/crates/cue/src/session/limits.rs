//! What a session may cost.
//!
//! Everything that grows with the work is counted: steps in time, and the tables in memory. The tables are measured
//! now and then, by how much they have room for, so that a limit holds before the memory is asked for many times over.

use pravo_diag::Span;

use super::data::*;
use super::{FILE, Session};
use crate::Node;
use crate::program::ExprId;

/// Bounds on what a session may do.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps: conjuncts that are unified and expressions that are computed.
    pub steps: u64,
    /// Nodes.
    pub nodes: u32,
    /// Branches of disjunctions that are tried.
    pub branches: u64,
    /// Bytes of the session's tables, texts and numbers included.
    pub bytes: usize,
    /// Nodes inside each other.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 50_000_000, nodes: 8_000_000, branches: 250_000, bytes: 1 << 30, depth: 5_000 }
    }
}

/// How many bits an integer may have: some 300,000 digits.
pub const INTEGER_BITS: u64 = 1 << 20;

/// How many bytes one text may take.
pub const VALUE_BYTES: usize = 256 << 20;

/// How many steps there are between two looks at the memory.
const MEASURE: u64 = 256;

/// What a session did, as counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Nodes that were made.
    pub nodes: u64,
    /// Conjuncts that were unified.
    pub conjuncts: u64,
    /// Steps.
    pub steps: u64,
    /// Branches of disjunctions that were tried.
    pub branches: u64,
    /// Times that a node was parked.
    pub parked: u64,
}

/// A limit was exceeded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "evaluation needs more than the limit of {limit} {what} (at {path}; so far {} steps, {} nodes, {} branches)",
    stats.steps, stats.nodes, stats.branches
)]
pub struct LimitExceeded {
    /// What of.
    pub what: &'static str,
    /// How much was allowed.
    pub limit: u64,
    /// Where.
    pub path: String,
    /// The place of what was evaluated.
    pub span: Option<Span>,
    /// What was done until then.
    pub stats: Stats,
}

impl Session {
    /// Counts a step of the work on a node.
    pub(crate) fn step(&mut self, at: Node, expr: ExprId) -> Run<()> {
        self.stats.steps += 1;
        if self.stats.steps > self.limits.steps {
            return Err(self.exceed("steps", self.limits.steps, at, expr));
        }
        if self.nodes.len() > self.limits.nodes as usize {
            return Err(self.exceed("nodes", u64::from(self.limits.nodes), at, expr));
        }
        if self.stats.branches > self.limits.branches {
            return Err(self.exceed("branches of disjunctions", self.limits.branches, at, expr));
        }
        if self.node(at).level > self.limits.depth {
            return Err(self.exceed("levels", u64::from(self.limits.depth), at, expr));
        }
        if self.stats.steps % MEASURE == 0 && self.held() > self.limits.bytes {
            return Err(self.exceed("bytes", self.limits.bytes as u64, at, expr));
        }
        Ok(())
    }

    /// Counts bytes that are about to be made, twice, for there is a copy while they are made.
    pub(crate) fn make(&mut self, bytes: usize, at: Node, expr: ExprId) -> Run<()> {
        self.check_size(bytes, at, expr)?;
        self.made = self.made.saturating_add(bytes.saturating_mul(2));
        if self.made > self.limits.bytes {
            return Err(self.exceed("bytes", self.limits.bytes as u64, at, expr));
        }
        Ok(())
    }

    /// Refuses texts and bytes that are too large to work with.
    pub(crate) fn check_size(&mut self, bytes: usize, at: Node, expr: ExprId) -> Run<()> {
        if bytes > VALUE_BYTES {
            return Err(self.exceed("bytes of one value", VALUE_BYTES as u64, at, expr));
        }
        Ok(())
    }

    /// Refuses integers that are too large to work with.
    pub(crate) fn check_bits(&mut self, bits: u64, at: Node, expr: ExprId) -> Run<()> {
        if bits > INTEGER_BITS {
            return Err(self.exceed("bits of an integer", INTEGER_BITS, at, expr));
        }
        Ok(())
    }

    /// The bytes that the values of a call may still take.
    pub(crate) fn budget(&self) -> usize {
        let nodes = (self.limits.nodes as usize).saturating_sub(self.nodes.len());
        self.limits.bytes.saturating_sub(self.held()).min(VALUE_BYTES).min(nodes.saturating_mul(size_of::<NodeData>()))
    }

    /// The limit that a value is beyond whose parts are this deep inside each other.
    pub(crate) fn too_deep(&mut self, node: Node, depth: usize) -> Option<LimitExceeded> {
        if depth <= self.limits.depth as usize {
            return None;
        }
        self.exceed("levels", u64::from(self.limits.depth), node, ExprId(DATUM));
        Some(self.limit_error())
    }

    pub(crate) fn exceed(&mut self, what: &'static str, limit: u64, at: Node, expr: ExprId) -> Stop {
        if self.exceeded.is_none() {
            let path = shortened(self.path(at));
            let span = (expr.0 & (DATUM | FILE) == 0).then(|| self.program.code.span(expr));
            self.exceeded = Some(LimitExceeded { what, limit, path, span, stats: self.stats });
        }
        Stop::Limit
    }

    /// The limit that was exceeded.
    pub(crate) fn limit_error(&self) -> LimitExceeded {
        self.exceeded.clone().unwrap_or_else(|| LimitExceeded {
            what: "steps",
            limit: self.limits.steps,
            path: String::new(),
            span: None,
            stats: self.stats,
        })
    }

    /// How many bytes the tables take, about.
    fn held(&self) -> usize {
        // What a conjunct leaves behind besides itself: its entries in lists of the nodes.
        const CONJUNCT: usize = 3 * size_of::<Conjunct>();
        const MAP_ENTRY: usize = 48;
        let maps = self.lets.len() + self.inline.len() + self.alias_frames.len() + self.embeddings.len() + self.ask_numbers.len();
        let tables = [
            self.nodes.capacity() * size_of::<NodeData>(),
            self.nodes.len() * 4 * size_of::<Node>(),
            self.extras * size_of::<Extra>(),
            self.stats.conjuncts as usize * CONJUNCT,
            self.frames.capacity() * size_of::<Frame>(),
            self.infos.capacity() * size_of::<Info>(),
            self.occurrences.capacity() * size_of::<Occurrence>(),
            self.references.capacity() * size_of::<Reference>(),
            self.data.capacity() * size_of::<Datum>(),
            self.numbers.capacity() * size_of::<crate::Number>(),
            self.bottoms.capacity() * size_of::<BottomData>(),
            self.texts.len() * 2 * MAP_ENTRY,
            self.queue.capacity() * 2 * size_of::<Node>(),
            maps * MAP_ENTRY,
        ];
        tables.iter().fold(self.made, |sum, bytes| sum.saturating_add(*bytes))
    }
}

/// A path without its middle, where it is long.
fn shortened(path: String) -> String {
    const ENDS: usize = 60;
    if path.len() <= 3 * ENDS {
        return path;
    }
    let head: String = path.chars().take(ENDS).collect();
    let tail: Vec<char> = path.chars().rev().take(ENDS).collect();
    format!("{head} … {}", tail.into_iter().rev().collect::<String>())
}
