//! Why a plan cannot go on: a cycle through resources, with every address on it.

use std::collections::HashMap;

use pravo_diag::Diagnostic;
use pravo_model::Address;

use super::node::{Graph, NodeId};

/// The error for a conversation in which everything waits.
pub(crate) fn explain(graph: &Graph) -> Diagnostic {
    let waits =
        |id: NodeId| -> Vec<NodeId> { graph.node(id).dependencies.iter().copied().filter(|other| graph.node(*other).decided.is_none()).collect() };
    if let Some(cycle) = find(graph.ids().filter(|id| graph.node(*id).decided.is_none()), waits) {
        let addresses: Vec<Address> = cycle.into_iter().map(|id| graph.node(id).address.clone()).collect();
        return diagnostic(&addresses);
    }
    let mut waiting: Vec<String> = graph
        .iter()
        .filter(|(_, node)| node.decided.is_none() && (node.held.is_some() || !node.questions.is_empty()))
        .map(|(_, node)| node.address.to_string())
        .collect();
    waiting.sort();
    waiting.truncate(10);
    Diagnostic::error("engine.stuck", format!("the evaluation cannot go on: it waits for {}", waiting.join(", ")))
        .with_help("this is a bug of pravo; report it with the specification")
}

/// `cycle: a -> b -> a`, starting with the smallest address.
pub(crate) fn diagnostic(cycle: &[Address]) -> Diagnostic {
    let smallest = cycle.iter().enumerate().min_by(|a, b| a.1.cmp(b.1)).map_or(0, |(index, _)| index);
    let turned = cycle.iter().cycle().skip(smallest).take(cycle.len() + 1);
    let text: Vec<&str> = turned.map(Address::as_str).collect();
    Diagnostic::error("engine.cycle", format!("cycle: {}", text.join(" -> ")))
        .with_help("a resource cannot depend on itself: remove one of the references or an entry of $depends_on")
}

/// A cycle in a graph, in the order of its edges. Iterative: chains may be as long as the specification.
fn find(nodes: impl Iterator<Item = NodeId>, edges: impl Fn(NodeId) -> Vec<NodeId>) -> Option<Vec<NodeId>> {
    let mut finished: HashMap<NodeId, bool> = HashMap::new();
    for start in nodes {
        if finished.contains_key(&start) {
            continue;
        }
        let mut path = vec![start];
        let mut open = vec![edges(start)];
        finished.insert(start, false);
        while let Some(next) = open.last_mut() {
            match next.pop() {
                None => {
                    open.pop();
                    if let Some(id) = path.pop() {
                        finished.insert(id, true);
                    }
                }
                Some(id) => match finished.get(&id) {
                    Some(true) => {}
                    Some(false) => {
                        let from = path.iter().position(|other| *other == id).unwrap_or(0);
                        return path.get(from..).map(<[NodeId]>::to_vec);
                    }
                    None => {
                        finished.insert(id, false);
                        path.push(id);
                        open.push(edges(id));
                    }
                },
            }
        }
    }
    None
}
