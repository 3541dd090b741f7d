//! Deciding disjunctions.
//!
//! Branches are dropped by what is known without evaluating them: kinds, literal scalars, literal discriminator
//! fields, and fields that a closed branch refuses. One that is left joins the node itself. Only where several are
//! left is each tried on a node of its own (a *fork*: the same conjuncts, with the choice made), and those that fail
//! or repeat another are dropped.

use super::branches::Branch;
use super::data::*;
use super::defaults::{Leaf, Mode, Said, add_ways, conclusion};
use super::{FILE, Session, flag};
use crate::program::{Expr, ExprId};
use crate::{Kinds, Node};

/// A disjunction and the branches of it that are left.
struct Group {
    disjunction: Conjunct,
    left: Vec<Branch>,
}

impl Session {
    /// Decides the disjunctions of a node as far as it goes; whether something joined the node.
    pub(crate) fn settle_disjunctions(&mut self, node: Node) -> Run<bool> {
        let Some(extra) = self.extra(node) else { return Ok(false) };
        if extra.disjunctions.is_empty() {
            return Ok(false);
        }
        if self.node(node).bottom != 0 && self.code_of(self.node(node).bottom).is_final() {
            self.extra_mut(node).disjunctions.clear();
            return Ok(false);
        }
        if extra.forks.is_none() {
            let Some(groups) = self.groups(node)? else { return Ok(true) };
            if self.has(node, flag::PENDING) && self.node(node).scalar.is_none() {
                let mut kinds = self.node(node).kinds;
                for group in &groups {
                    kinds = kinds & group.left.iter().fold(Kinds::NONE, |all, branch| all | self.branch_kinds(branch.expr));
                }
                self.node_mut(node).kinds = kinds;
                self.extra_mut(node).disjunctions.clear();
                return Ok(false);
            }
            if let Some(joined) = self.decide_scalars(node, &groups)? {
                return Ok(joined);
            }
            let Some(Group { disjunction, left }) = groups.into_iter().next() else { return Ok(false) };
            if self.extra(node).is_some_and(|extra| extra.choices.len() > 100) {
                let bottom = self.bottom_at(Code::Structural, node, Reason::Structural, disjunction.expr);
                self.fail(node, bottom);
                self.extra_mut(node).disjunctions.clear();
                return Ok(true);
            }
            self.fork(node, disjunction, &left);
        }
        self.judge_forks(node)
    }

    /// Whether a disjunction of a node has one branch left by what is known while something else still waits; if so,
    /// the branch joins.
    pub(crate) fn decide_one(&mut self, node: Node) -> Run<bool> {
        let waiting = self.extra(node).is_some_and(|extra| !extra.disjunctions.is_empty() && extra.forks.is_none());
        Ok(waiting && self.groups(node)?.is_none())
    }

    /// The disjunctions of a node with the branches that are left, several each; `None` where one was decided.
    fn groups(&mut self, node: Node) -> Run<Option<Vec<Group>>> {
        let disjunctions = self.extra(node).map_or_else(ThinVec::new, |extra| extra.disjunctions.clone());
        let mut groups = Vec::new();
        for disjunction in disjunctions {
            let branches = self.branches(disjunction);
            let mut left = Vec::new();
            for branch in &branches {
                if !self.conflicts(node, branch.expr, disjunction)? {
                    left.push(*branch);
                }
            }
            match left.as_slice() {
                [] => {
                    self.no_branch(node, disjunction, &branches);
                    return Ok(None);
                }
                [only] => {
                    let said = Said { expr: disjunction.expr, env: disjunction.env, mode: only.mode, within: None };
                    let extra = self.extra_mut(node);
                    extra.disjunctions.retain(|other| *other != disjunction);
                    extra.decided.push(said);
                    extra.taken.push((disjunction.expr, disjunction.env, only.expr));
                    let same = |other: &Conjunct| (other.expr, other.env) == (disjunction.expr, disjunction.env);
                    let echoes: Vec<Conjunct> = extra.echoes.iter().copied().filter(same).collect();
                    for conjunct in [disjunction].into_iter().chain(echoes) {
                        let info = self.optional_info(conjunct.info);
                        self.join(node, Conjunct { expr: only.expr, info, ..conjunct })?;
                    }
                    return Ok(None);
                }
                _ => groups.push(Group { disjunction, left }),
            }
        }
        Ok(Some(groups))
    }

    /// Decides disjunctions of literal scalars and kinds without forks.
    fn decide_scalars(&mut self, node: Node, groups: &[Group]) -> Run<Option<bool>> {
        let data = self.node(node);
        if !data.arcs.is_empty() || !data.structs.is_empty() || data.scalar.is_some() || data.bottom != 0 {
            return Ok(None);
        }
        let base = data.kinds;
        if data.extra.as_ref().is_some_and(|extra| !extra.bounds.is_empty() || !extra.validators.is_empty()) {
            return Ok(None);
        }
        let decided = self.extra(node).map_or_else(Vec::new, |extra| extra.decided.to_vec());
        let mut all = vec![Leaf { value: Alternative::Kinds(base), ways: vec![decided] }];
        for Group { disjunction, left } in groups {
            let mut next: Vec<Leaf> = Vec::new();
            for old in &all {
                for branch in left {
                    let Some(simple) = self.simple(branch.expr) else { return Ok(None) };
                    let Some(met) = self.meet(old.value, simple) else { continue };
                    let said = Said { expr: disjunction.expr, env: disjunction.env, mode: branch.mode, within: None };
                    let ways = old.ways.iter().map(|way| way.iter().copied().chain([said]).collect()).collect();
                    match next.iter_mut().find(|other| self.same_alternative(other.value, met)) {
                        Some(other) => add_ways(other, ways),
                        None => next.push(Leaf { value: met, ways }),
                    }
                }
            }
            all = next;
        }
        self.conclude(node, all).map(Some)
    }

    pub(super) fn simple(&self, expr: ExprId) -> Option<Alternative> {
        if expr.0 & DATUM != 0 {
            return None;
        }
        Some(match self.program.code.expr(expr) {
            Expr::Null => Alternative::Scalar(Scalar::Null),
            Expr::Bool(value) => Alternative::Scalar(Scalar::Bool(value)),
            Expr::Int(value) => Alternative::Scalar(Scalar::Int(value)),
            Expr::Number(value) => Alternative::Scalar(Scalar::Number(value)),
            Expr::Text(value) => Alternative::Scalar(Scalar::Text(value)),
            Expr::Bytes(value) => Alternative::Scalar(Scalar::Bytes(value)),
            Expr::Kind(kinds) => Alternative::Kinds(kinds),
            _ => return None,
        })
    }

    fn meet(&self, a: Alternative, b: Alternative) -> Option<Alternative> {
        match (a, b) {
            (Alternative::Kinds(a), Alternative::Kinds(b)) => (a.intersects(b)).then_some(Alternative::Kinds(a & b)),
            (Alternative::Scalar(a), Alternative::Scalar(b)) => self.same(a, b).then_some(Alternative::Scalar(a)),
            (Alternative::Kinds(kinds), Alternative::Scalar(scalar)) | (Alternative::Scalar(scalar), Alternative::Kinds(kinds)) => {
                kinds.intersects(self.scalar_kind(scalar)).then_some(Alternative::Scalar(scalar))
            }
            _ => None,
        }
    }

    pub(super) fn same_alternative(&self, a: Alternative, b: Alternative) -> bool {
        match (a, b) {
            (Alternative::Kinds(a), Alternative::Kinds(b)) => a == b,
            (Alternative::Scalar(a), Alternative::Scalar(b)) => self.same(a, b),
            _ => false,
        }
    }

    /// Takes over what is left.
    pub(super) fn conclude(&mut self, node: Node, leaves: Vec<Leaf>) -> Run<bool> {
        let extra = self.extra_mut(node);
        let first = extra.disjunctions.first().map_or(ExprId(0), |conjunct| conjunct.expr);
        let decided = std::mem::take(&mut extra.disjunctions);
        let done = decided.iter().map(|conjunct| Said { expr: conjunct.expr, env: conjunct.env, mode: Mode::Maybe, within: None });
        extra.decided.extend(done);
        extra.forks = None;
        let all = conclusion(&leaves);
        if extra.family.is_some() {
            extra.leaves = leaves.into();
        }
        match all.as_slice() {
            [] => {
                let spans = vec![self.span_of(first)];
                let bottom = self.bottom(Code::Eval, node, Reason::Disjunction(Vec::new()), spans);
                self.fail(node, bottom);
                return Ok(true);
            }
            [(Alternative::Scalar(scalar), _)] => self.join_scalar(node, *scalar, first)?,
            [(Alternative::Kinds(kinds), _)] => self.join_kinds(node, *kinds, first)?,
            [(Alternative::Node(only), _)] => {
                self.replace(node, *only)?;
                return Ok(false);
            }
            _ => {
                let kinds = all.iter().fold(Kinds::NONE, |kinds, (alternative, _)| {
                    kinds
                        | match alternative {
                            Alternative::Scalar(scalar) => self.scalar_kind(*scalar),
                            Alternative::Kinds(kinds) => *kinds,
                            Alternative::Node(node) => self.node(*node).kinds,
                        }
                });
                self.node_mut(node).kinds = kinds;
                self.extra_mut(node).alternatives = all.into();
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn as_alternative(&self, fork: Node) -> Alternative {
        let data = self.node(fork);
        let braces = |(literal, ..): &(u32, u32, u32)| self.program.code.structs.get(*literal as usize).is_some_and(|literal| literal.braces);
        let plain = data.arcs.is_empty() && (data.scalar.is_some() || data.structs.iter().all(braces));
        let simple = data.extra.as_ref().is_none_or(|extra| extra.bounds.is_empty() && extra.validators.is_empty() && extra.list.is_none());
        match data.scalar {
            Some(scalar) if plain => Alternative::Scalar(scalar),
            None if plain
                && simple
                && data.bottom == 0
                && data.flags & (flag::PENDING | flag::STRUCT) == 0
                && !data.kinds.is_empty()
                && data.kinds != Kinds::STRUCT
                && data.kinds != Kinds::LIST =>
            {
                Alternative::Kinds(data.kinds)
            }
            _ => Alternative::Node(fork),
        }
    }

    /// Adds a leaf; one of the same value gets its ways.
    pub(super) fn add_leaf(&mut self, all: &mut Vec<Leaf>, leaf: Leaf) -> Run<()> {
        for index in 0..all.len() {
            let Some(other) = all.get(index).map(|other| other.value) else { break };
            if self.same_value(other, leaf.value)? {
                if let Some(other) = all.get_mut(index) {
                    add_ways(other, leaf.ways);
                }
                return Ok(());
            }
        }
        all.push(leaf);
        Ok(())
    }

    /// Whether an expression is the struct of a file.
    pub(crate) fn is_file(expr: ExprId) -> bool {
        expr.0 & DATUM == 0 && expr.0 & FILE != 0
    }
}
