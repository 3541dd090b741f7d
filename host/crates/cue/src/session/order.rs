//! In which order fields come out.
//!
//! Kept true here: the order is computed from the declarations alone, so that the order of evaluation does not show. Every struct literal of
//! a node has a place: that of its own fields, or of the first reference that led to it. Literals are taken in the order of their places.
//! Fields come in the order of their declarations; those of a literal come behind those of the literal in front of it, unless the two are
//! operands of `&` or of different files. The result is sorted topologically over all of this. Where nothing decides, and where orders
//! contradict each other, names are compared.
//!
//! Nodes that are made alike have one order: it is found once and kept by what it depends on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex, PoisonError};

use super::data::*;
use super::{FILE, Session};
use crate::intern::Label;
use crate::program::{Declared, Expr, ExprId};
use crate::{Kinds, Map, Node, Set};

/// How many orders are kept.
const KEPT: usize = 4_096;

/// The orders that were found: where each arc stands, by the labels, literals and references that decide it.
#[derive(Debug, Default)]
pub(crate) struct Orders(Mutex<Map<Box<[u32]>, Arc<[u32]>>>);

impl Orders {
    fn get(&self, key: &[u32]) -> Option<Arc<[u32]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn keep(&self, key: Vec<u32>, order: &[usize]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key.into(), order.iter().map(|at| *at as u32).collect());
    }
}

/// A struct literal of a node.
struct Part {
    literal: u32,
    /// File and offset; what stands nowhere comes last.
    file: u32,
    place: (u32, u32),
    explicit: bool,
    dynamic: bool,
}

/// What must come before what, by numbers of arcs.
struct Graph {
    next: Vec<Vec<usize>>,
    edges: Set<(usize, usize)>,
    /// The part that declared an arc last.
    part: Vec<Option<usize>>,
}

/// The labels of computed fields, by the expressions of their values.
type Computed = Map<ExprId, std::collections::VecDeque<usize>>;

impl Session {
    /// The arcs of a node in order, whatever their class and presence.
    pub(crate) fn ordered_arcs(&self, node: Node) -> Vec<Node> {
        let data = self.node(self.deref(node));
        if data.arcs.len() <= 1 || data.kinds == Kinds::LIST || !self.is_mixed(data) {
            return data.arcs.to_vec();
        }
        self.in_order(data, &data.arcs)
    }

    /// The arcs of a node and nodes of fields that are only constraints, in order.
    pub fn ordered_with(&self, node: Node, constraints: &[Node]) -> Vec<Node> {
        let data = self.node(self.deref(node));
        let mut arcs = data.arcs.to_vec();
        // A field may be among the arcs already, as one that is only a constraint.
        let known: Set<Label> = arcs.iter().map(|arc| self.node(*arc).label).collect();
        arcs.extend(constraints.iter().copied().filter(|node| !known.contains(&self.node(*node).label)));
        self.in_order(data, &arcs)
    }

    fn in_order(&self, data: &NodeData, arcs: &[Node]) -> Vec<Node> {
        let computed = self.computed(data);
        if !computed.is_empty() {
            return self.find_order(data, arcs, computed).into_iter().filter_map(|at| arcs.get(at).copied()).collect();
        }
        let key = self.order_key(data, arcs);
        if let Some(order) = self.orders.get(&key) {
            return order.iter().filter_map(|at| arcs.get(*at as usize).copied()).collect();
        }
        let order = self.find_order(data, arcs, computed);
        self.orders.keep(key, &order);
        order.into_iter().filter_map(|at| arcs.get(at).copied()).collect()
    }

    /// All that an order depends on where no field is computed: how many arcs there are and their labels, the literals with the
    /// references that led to them, the node's own expressions.
    fn order_key(&self, data: &NodeData, arcs: &[Node]) -> Vec<u32> {
        let mut key = Vec::with_capacity(2 + arcs.len() + 2 * data.structs.len() + data.conjuncts.len());
        key.push(arcs.len() as u32);
        key.extend(arcs.iter().map(|arc| self.node(*arc).label.number()));
        key.push(data.structs.len() as u32);
        for (literal, _, info) in &data.structs {
            key.push(*literal);
            key.push(self.first_reference(self.info(*info).references).map_or(u32::MAX, |expr| expr.0));
        }
        key.extend(data.conjuncts.iter().map(|conjunct| conjunct.expr.0).filter(|expr| expr & (DATUM | FILE) == 0));
        key
    }

    fn find_order(&self, data: &NodeData, arcs: &[Node], mut computed: Computed) -> Vec<usize> {
        let mut position: Map<Label, usize> = Map::default();
        position.reserve(arcs.len());
        for (index, arc) in arcs.iter().enumerate() {
            position.entry(self.node(*arc).label).or_insert(index);
        }
        let parts = self.parts(data, &position, &computed);
        let count = arcs.len();
        let mut graph = Graph { next: vec![Vec::new(); count], edges: Set::default(), part: vec![None; count] };
        self.chain(&parts, &position, &mut computed, &mut graph);
        graph.chain_the_rest();
        let names: Vec<&str> = arcs.iter().map(|arc| self.name_of(self.node(*arc).label)).collect();
        sorted(&graph.next, &names)
    }

    /// Whether the order of a node's arcs is not simply that of one literal.
    fn is_mixed(&self, data: &NodeData) -> bool {
        let deferred = |literal: u32| self.program.code.structs.get(literal as usize).is_some_and(|structure| structure.deferred);
        data.structs.len() > 1 || data.structs.iter().any(|(literal, ..)| deferred(*literal))
    }

    fn name_of(&self, label: Label) -> &str {
        if label.is_index() { "" } else { self.texts.get(label.text()) }
    }

    /// The arcs that computed fields gave, in the order in which they came.
    fn computed(&self, data: &NodeData) -> Computed {
        let mut values: Computed = Map::default();
        for (literal, ..) in &data.structs {
            let Some(structure) = self.program.code.structs.get(*literal as usize).filter(|structure| structure.deferred) else { continue };
            for declared in &structure.declarations {
                if let Declared::Dynamic { slot, .. } = declared {
                    values.entry(slot.value).or_default();
                }
            }
        }
        if !values.is_empty() {
            for (index, arc) in data.arcs.iter().enumerate() {
                for conjunct in &self.node(*arc).conjuncts {
                    if let Some(arcs) = values.get_mut(&conjunct.expr) {
                        arcs.push_back(index);
                    }
                }
            }
        }
        values.retain(|_, arcs| !arcs.is_empty());
        values
    }

    /// The literals of a node in the order of their places.
    fn parts(&self, data: &NodeData, position: &Map<Label, usize>, computed: &Computed) -> Vec<Part> {
        let operands = self.operands_of(data);
        let part = |(literal, _, info): &(u32, u32, u32)| {
            let structure = self.program.code.structs.get(*literal as usize);
            let mut span = structure.map_or_else(|| self.span_of(ExprId(u32::MAX)), |structure| structure.span);
            let mut dynamic = false;
            for declared in structure.map_or(&[][..], |structure| &structure.declarations) {
                match declared {
                    Declared::Field(field) if position.contains_key(&field.label) && !dynamic => span = field.span,
                    Declared::Dynamic { label, slot, .. } if computed.contains_key(&slot.value) => {
                        dynamic = true;
                        span = self.span_of(*label);
                    }
                    _ => {}
                }
            }
            let mut explicit = operands.literals.contains(literal);
            if let Some(reference) = self.first_reference(self.info(*info).references) {
                span = self.span_of(reference);
                explicit |= operands.references.contains(&reference);
            }
            Part { literal: *literal, file: span.file.0, place: (span.file.0, span.start), explicit, dynamic }
        };
        let mut parts: Vec<Part> = data.structs.iter().map(part).collect();
        parts.sort_by_key(|part| (part.place, part.dynamic));
        parts
    }

    /// The reference that was followed first on the way to a conjunct.
    fn first_reference(&self, references: u32) -> Option<ExprId> {
        let mut at = references;
        let mut found = None;
        // Every step goes to an older entry of the table.
        while at != 0 {
            let reference = self.references.get(at as usize)?;
            found = Some(reference.expr);
            if reference.next >= at {
                break;
            }
            at = reference.next;
        }
        found
    }

    /// The operands of `&` among a node's own conjuncts and what is embedded in its literals.
    fn operands_of(&self, data: &NodeData) -> Operands {
        let mut open: Vec<ExprId> = data.conjuncts.iter().map(|conjunct| conjunct.expr).filter(|expr| expr.0 & (DATUM | FILE) == 0).collect();
        for (literal, ..) in &data.structs {
            let structure = self.program.code.structs.get(*literal as usize).filter(|structure| structure.embeds);
            for declared in structure.map_or(&[][..], |structure| &structure.declarations) {
                if let Declared::Embedding(expr) = declared {
                    open.push(*expr);
                }
            }
        }
        let mut out = Operands::default();
        while let Some(expr) = open.pop() {
            let Expr::Unify(operands) = self.program.code.expr(expr) else { continue };
            for operand in self.program.code.operands(operands) {
                let operand = ExprId(*operand);
                match self.program.code.expr(operand) {
                    Expr::Struct(literal) => drop(out.literals.insert(literal)),
                    Expr::Unify(_) => open.push(operand),
                    _ => drop(out.references.insert(operand)),
                }
            }
        }
        out
    }

    /// Chains the fields of the parts: those of one part behind each other, and behind those of the group in front of it.
    fn chain(&self, parts: &[Part], position: &Map<Label, usize>, computed: &mut Computed, graph: &mut Graph) {
        let mut previous: Vec<usize> = Vec::new();
        let mut previous_file = None;
        for group in groups(parts) {
            let explicit = group.len() > 1 || group.iter().any(|at| parts.get(*at).is_some_and(|part| part.explicit));
            let file = group.first().and_then(|at| parts.get(*at)).map(|part| part.file);
            if previous_file.is_some() && previous_file != file {
                previous.clear();
            }
            let mut next = Vec::new();
            for at in group {
                let Some(part) = parts.get(at) else { continue };
                let before = self.chain_part((at, part, explicit), parts, position, computed, (previous.clone(), graph));
                next.extend(before);
            }
            previous = next;
            previous_file = file;
        }
    }

    /// Chains the fields of one part; what those of the next group come behind.
    fn chain_part(
        &self,
        (number, part, explicit): (usize, &Part, bool),
        parts: &[Part],
        position: &Map<Label, usize>,
        computed: &mut Computed,
        (mut previous, graph): (Vec<usize>, &mut Graph),
    ) -> Vec<usize> {
        let structure = self.program.code.structs.get(part.literal as usize);
        for declared in structure.map_or(&[][..], |structure| &structure.declarations) {
            let at = match declared {
                Declared::Field(field) => position.get(&field.label).copied(),
                Declared::Dynamic { slot, .. } => computed.get_mut(&slot.value).and_then(std::collections::VecDeque::pop_front),
                _ => None,
            };
            let Some(at) = at else { continue };
            let declared_by = graph.part.get(at).copied().flatten();
            let same_file = declared_by.and_then(|other| parts.get(other)).is_some_and(|other| other.file == part.file);
            if declared_by == Some(number) || same_file && !explicit {
                continue;
            }
            if let Some(slot) = graph.part.get_mut(at) {
                *slot = Some(number);
            }
            previous.iter().for_each(|before| graph.edge(*before, at));
            previous = vec![at];
        }
        previous
    }
}

/// The operands of `&`.
#[derive(Default)]
struct Operands {
    literals: Set<u32>,
    references: Set<ExprId>,
}

/// Parts at one place go together, and so do neighbours that are operands of `&` in one file.
fn groups(parts: &[Part]) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let first = batches.last().and_then(|batch| batch.first()).and_then(|first| parts.get(*first));
        match batches.last_mut() {
            Some(batch) if first.is_some_and(|first| first.place == part.place) && !part.dynamic => batch.push(at),
            _ => batches.push(vec![at]),
        }
    }
    let mut out: Vec<Vec<usize>> = Vec::new();
    let explicit = |batch: &[usize]| batch.len() > 1 || batch.iter().any(|at| parts.get(*at).is_some_and(|part| part.explicit));
    let file = |batch: &[usize]| batch.first().and_then(|at| parts.get(*at)).map(|part| part.file);
    for batch in batches {
        match out.last_mut() {
            Some(last) if explicit(&batch) && explicit(last) && file(&batch) == file(last) => last.extend(batch),
            _ => out.push(batch),
        }
    }
    out
}

impl Graph {
    fn edge(&mut self, from: usize, to: usize) {
        if self.edges.insert((from, to))
            && let Some(next) = self.next.get_mut(from)
        {
            next.push(to);
        }
    }

    /// Arcs that no literal declares, those of data, keep the order in which they came.
    fn chain_the_rest(&mut self) {
        let rest: Vec<usize> = self.part.iter().enumerate().filter(|(_, part)| part.is_none()).map(|(at, _)| at).collect();
        rest.windows(2).for_each(|pair| {
            if let [from, to] = pair {
                self.edge(*from, *to);
            }
        });
    }
}

/// Sorts topologically; of what may come next, the least name does. What waits for itself comes together, by names.
fn sorted(next: &[Vec<usize>], names: &[&str]) -> Vec<usize> {
    let order = sorted_without_circles(next, names);
    if order.len() == next.len() { order } else { sorted_with_circles(next, names) }
}

/// The same; what waits for itself, and what waits for that, is left out.
fn sorted_without_circles(next: &[Vec<usize>], names: &[&str]) -> Vec<usize> {
    let mut waiting = vec![0_usize; next.len()];
    for to in next.iter().flatten() {
        waiting.iter_mut().skip(*to).take(1).for_each(|count| *count += 1);
    }
    let name = |at: usize| names.get(at).copied().unwrap_or("");
    let free = waiting.iter().enumerate().filter(|(_, count)| **count == 0);
    let mut ready: BinaryHeap<Reverse<(&str, usize)>> = free.map(|(at, _)| Reverse((name(at), at))).collect();
    let mut out = Vec::with_capacity(next.len());
    while let Some(Reverse((_, at))) = ready.pop() {
        out.push(at);
        for to in next.get(at).into_iter().flatten() {
            let Some(count) = waiting.get_mut(*to) else { continue };
            *count -= 1;
            if *count == 0 {
                ready.push(Reverse((name(*to), *to)));
            }
        }
    }
    out
}

fn sorted_with_circles(next: &[Vec<usize>], names: &[&str]) -> Vec<usize> {
    let components = components(next);
    let mut of = vec![0; next.len()];
    for (number, members) in components.iter().enumerate() {
        for member in members {
            if let Some(slot) = of.get_mut(*member) {
                *slot = number;
            }
        }
    }
    let mut members = components;
    let name = |at: &usize| names.get(*at).copied().unwrap_or("");
    members.iter_mut().for_each(|members| members.sort_by_key(|at| (name(at), *at)));
    let mut outgoing: Vec<Set<usize>> = vec![Set::default(); members.len()];
    let mut waiting = vec![0_usize; members.len()];
    for (from, edges) in next.iter().enumerate() {
        for to in edges {
            let (Some(from), Some(to)) = (of.get(from).copied(), of.get(*to).copied()) else { continue };
            if from != to && outgoing.get_mut(from).is_some_and(|edges| edges.insert(to)) {
                waiting.iter_mut().skip(to).take(1).for_each(|count| *count += 1);
            }
        }
    }
    let key = |number: usize| members.get(number).map_or(("", 0), |members| members.first().map_or(("", 0), |at| (name(at), *at)));
    let mut ready: BinaryHeap<Reverse<((&str, usize), usize)>> = BinaryHeap::new();
    ready.extend(waiting.iter().enumerate().filter(|(_, count)| **count == 0).map(|(number, _)| Reverse((key(number), number))));
    let mut out = Vec::with_capacity(next.len());
    while let Some(Reverse((_, number))) = ready.pop() {
        out.extend(members.get(number).into_iter().flatten().copied());
        for to in outgoing.get(number).into_iter().flatten() {
            let Some(count) = waiting.get_mut(*to) else { continue };
            *count -= 1;
            if *count == 0 {
                ready.push(Reverse((key(*to), *to)));
            }
        }
    }
    out
}

/// The strongly connected components: one for each node where nothing waits for itself.
fn components(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let finished = finish_order(next);
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); next.len()];
    for (from, edges) in next.iter().enumerate() {
        for to in edges {
            if let Some(edges) = back.get_mut(*to) {
                edges.push(from);
            }
        }
    }
    let mut seen = vec![false; next.len()];
    let mut out = Vec::new();
    for root in finished.into_iter().rev() {
        let mut members = Vec::new();
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            match seen.get_mut(at) {
                Some(slot) if !*slot => *slot = true,
                _ => continue,
            }
            members.push(at);
            open.extend(back.get(at).into_iter().flatten().copied());
        }
        if !members.is_empty() {
            out.push(members);
        }
    }
    out
}

/// Every node, those that can be reached from it in front of it.
fn finish_order(next: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; next.len()];
    let mut out = Vec::with_capacity(next.len());
    for root in 0..next.len() {
        let mut open = vec![(root, 0)];
        while let Some((at, edge)) = open.pop() {
            if edge == 0 {
                match seen.get_mut(at) {
                    Some(slot) if !*slot => *slot = true,
                    _ => continue,
                }
            }
            match next.get(at).and_then(|edges| edges.get(edge)) {
                Some(to) => {
                    open.push((at, edge + 1));
                    if seen.get(*to) == Some(&false) {
                        open.push((*to, 0));
                    }
                }
                None => out.push(at),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::sorted;

    #[test]
    fn circles_come_together_by_name() {
        let names = ["c", "a", "b", "d"];
        assert_eq!(sorted(&[vec![3], vec![2], vec![], vec![]], &names), [1, 2, 0, 3]);
        // a and b wait for each other, c for them.
        assert_eq!(sorted(&[vec![], vec![2], vec![1, 0], vec![]], &names), [1, 2, 0, 3]);
        assert_eq!(sorted(&[], &[]), Vec::<usize>::new());
    }
}
