//! In which order fields come out.
//!
//! Every literal of a node says that its fields come in the order in which it declares them; the result is sorted
//! topologically over all of these, the earliest declared first where nothing decides. It is computed from the
//! declarations alone, so that the order of evaluation does not show.

use super::Session;
use super::data::*;
use crate::Node;
use crate::intern::Label;
use crate::program::Declared;

impl Session {
    /// The arcs of a node in order, whatever their class and presence.
    pub(crate) fn ordered_arcs(&self, node: Node) -> Vec<Node> {
        let node = self.deref(node);
        let data = self.node(node);
        if data.structs.len() <= 1 || data.arcs.len() <= 1 {
            return data.arcs.to_vec();
        }
        let edges = self.order_edges(data);
        if edges.iter().all(|(before, after)| before < after) {
            return data.arcs.to_vec();
        }
        let count = data.arcs.len();
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut incoming = vec![0_usize; count];
        for (before, after) in edges {
            if let (Some(edges), Some(slot)) = (next.get_mut(before), incoming.get_mut(after)) {
                edges.push(after);
                *slot += 1;
            }
        }
        self.sort(data, &next, incoming)
    }

    /// Which arc each literal of a node declares before which.
    fn order_edges(&self, data: &NodeData) -> Vec<(usize, usize)> {
        let index = data.extra.as_ref().and_then(|extra| extra.index.as_ref()).filter(|_| data.arcs.len() > 12);
        let labels: Vec<Label> = if index.is_some() { Vec::new() } else { data.arcs.iter().map(|arc| self.node(*arc).label).collect() };
        let position = |label: Label| match index {
            Some(index) => index.get(&label).map(|at| *at as usize),
            None => labels.iter().position(|other| *other == label),
        };
        let mut edges = Vec::with_capacity(data.arcs.len());
        for (literal, ..) in &data.structs {
            let Some(structure) = self.program.code.structs.get(*literal as usize) else { continue };
            let mut last: Option<usize> = None;
            for declared in &structure.declarations {
                let Declared::Field(field) = declared else { continue };
                let Some(at) = position(field.label) else { continue };
                if let Some(last) = last
                    && last != at
                {
                    edges.push((last, at));
                }
                last = Some(at);
            }
        }
        edges
    }

    fn sort(&self, data: &NodeData, next: &[Vec<usize>], mut incoming: Vec<usize>) -> Vec<Node> {
        let count = data.arcs.len();
        let mut ready: std::collections::BTreeSet<usize> = (0..count).filter(|index| incoming.get(*index) == Some(&0)).collect();
        let mut done = vec![false; count];
        let mut out = Vec::with_capacity(count);
        let mut cursor = 0;
        while out.len() < count {
            let at = match ready.pop_first() {
                Some(at) => at,
                None => {
                    // Orders that contradict each other: the earliest goes first.
                    while done.get(cursor) == Some(&true) {
                        cursor += 1;
                    }
                    cursor
                }
            };
            match done.get_mut(at) {
                Some(slot) if !*slot => *slot = true,
                Some(_) => continue,
                None => break,
            }
            out.extend(data.arcs.get(at).copied());
            for other in next.get(at).map_or(&[][..], |edges| edges) {
                if let Some(slot) = incoming.get_mut(*other) {
                    *slot = slot.saturating_sub(1);
                    if *slot == 0 && done.get(*other) == Some(&false) {
                        ready.insert(*other);
                    }
                }
            }
        }
        out
    }
}
