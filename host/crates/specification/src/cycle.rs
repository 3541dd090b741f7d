//! Cycles through resources.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A cycle in a graph, as its nodes in order, the smallest node of it first; `None` where there is none. Linear but for
/// the search around each node that is left when everything that cannot be on a cycle is taken away.
pub(crate) fn find<N: Ord>(edges: &BTreeMap<N, BTreeSet<N>>) -> Option<Vec<&N>> {
    let core = core(edges);
    let mut cycle = core.iter().find_map(|&node| around(node, edges, &core))?;
    let smallest = cycle.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(at, _)| at);
    cycle.rotate_left(smallest);
    Some(cycle)
}

/// The text of a cycle: `a -> b -> a`.
pub(crate) fn text<N: std::fmt::Display>(cycle: &[N]) -> String {
    let mut names: Vec<String> = cycle.iter().map(N::to_string).collect();
    names.extend(names.first().cloned());
    names.join(" -> ")
}

/// What is left when nodes that lead nowhere are taken away, again and again: cycles and what leads to them.
fn core<N: Ord>(edges: &BTreeMap<N, BTreeSet<N>>) -> BTreeSet<&N> {
    let mut before: BTreeMap<&N, Vec<&N>> = BTreeMap::new();
    let mut open: BTreeMap<&N, usize> = BTreeMap::new();
    for (node, next) in edges {
        open.insert(node, next.iter().filter(|n| edges.contains_key(n)).count());
        for n in next {
            before.entry(n).or_default().push(node);
        }
    }
    let mut ends: Vec<&N> = open.iter().filter(|(_, count)| **count == 0).map(|(node, _)| *node).collect();
    while let Some(end) = ends.pop() {
        open.remove(end);
        for node in before.get(end).into_iter().flatten() {
            if let Some(count) = open.get_mut(node) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    ends.push(node);
                }
            }
        }
    }
    open.into_keys().collect()
}

/// The shortest way from a node back to it.
fn around<'g, N: Ord>(start: &'g N, edges: &'g BTreeMap<N, BTreeSet<N>>, core: &BTreeSet<&'g N>) -> Option<Vec<&'g N>> {
    let mut from: BTreeMap<&N, &N> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for next in edges.get(node).into_iter().flatten().filter(|next| core.contains(next)) {
            if next == start {
                let mut cycle = vec![node];
                while let Some(previous) = cycle.last().filter(|last| **last != start).and_then(|last| from.get(last)) {
                    cycle.push(previous);
                }
                cycle.reverse();
                return Some(cycle);
            }
            if !from.contains_key(next) {
                from.insert(next, node);
                queue.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(graph: &[(&'static str, &'static str)]) -> Option<String> {
        let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (from, to) in graph {
            edges.entry(from).or_default().insert(to);
        }
        find(&edges).map(|cycle| text(&cycle))
    }

    #[test]
    fn a_cycle_starts_with_its_smallest_node() {
        assert_eq!(cycle(&[("c", "a"), ("a", "b"), ("b", "c")]).as_deref(), Some("a -> b -> c -> a"));
        assert_eq!(cycle(&[("a", "a")]).as_deref(), Some("a -> a"));
        assert_eq!(cycle(&[("a", "z"), ("z", "y"), ("y", "z"), ("y", "x")]).as_deref(), Some("y -> z -> y"));
        assert_eq!(cycle(&[("a", "b"), ("b", "c"), ("a", "c")]), None);
        assert_eq!(cycle(&[]), None);
    }
}
