//! `pravo graph`, and the forms of graphs.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use pravo_model::Address;
use pravo_model::specification::{Answer, Event, Kind};
use serde_json::{Value as Json, json};

use crate::args::{Graph, GraphForm};
use crate::exit::{Done, Failure, Outcome};
use crate::render::document::head;
use crate::render::text::quote;
use crate::workspace::Context;

/// What depends on what.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    /// Every address.
    pub nodes: BTreeSet<Address>,
    /// Pairs: the first depends on the second.
    pub edges: BTreeSet<(Address, Address)>,
}

pub(super) fn run(context: &Context, arguments: &Graph) -> Outcome {
    let workspace = context.open(&arguments.evaluation)?;
    let conversations = workspace.conversations();
    let mut specification = pravo_engine::Conversations::begin(&conversations)?;
    let mut edges = Edges::default();
    loop {
        let progress = specification.advance();
        let progress = progress.map_err(|diagnostics| Failure::new(diagnostics, specification.sources().clone()))?;
        let mut asked = false;
        for event in progress.events {
            match event {
                Event::Question(question) => {
                    asked = true;
                    specification.answer(question.id, Answer::Unknown { sensitive: false, ephemeral: false });
                }
                Event::Body(body) if body.kind != Kind::Ephemeral => {
                    let dependencies = body.references.into_iter().chain(body.depends_on);
                    edges.edges.extend(dependencies.map(|dependency| (body.address.clone(), dependency)));
                    edges.nodes.insert(body.address);
                }
                _ => {}
            }
        }
        if progress.done || (!progress.more && !asked) {
            break;
        }
    }
    context.terminal.print(&text(&edges, arguments.format));
    Ok(Done::Success)
}

/// A graph in one of its forms, lines sorted.
pub(super) fn text(graph: &Edges, form: GraphForm) -> String {
    match form {
        GraphForm::Text => lines(graph),
        GraphForm::Dot => dot(graph),
        GraphForm::Mermaid => mermaid(graph),
        GraphForm::Json => format!("{}\n", document(graph)),
    }
}

fn lines(graph: &Edges) -> String {
    let mut lines: Vec<String> = graph.edges.iter().map(|(from, to)| format!("{from} -> {to}\n")).collect();
    lines.sort();
    lines.concat()
}

fn dot(graph: &Edges) -> String {
    let mut out = String::from("digraph {\n  rankdir = \"LR\"\n");
    for node in &graph.nodes {
        let _ = writeln!(out, "  {}", quote(node.as_str()));
    }
    for (from, to) in &graph.edges {
        let _ = writeln!(out, "  {} -> {}", quote(from.as_str()), quote(to.as_str()));
    }
    out.push_str("}\n");
    out
}

fn mermaid(graph: &Edges) -> String {
    let mut out = String::from("flowchart LR\n");
    let nodes: BTreeSet<&Address> = graph.nodes.iter().chain(graph.edges.iter().flat_map(|(from, to)| [from, to])).collect();
    let numbers: std::collections::BTreeMap<&Address, usize> = nodes.into_iter().enumerate().map(|(number, node)| (node, number)).collect();
    for (node, number) in &numbers {
        let _ = writeln!(out, "  n{number}[\"{}\"]", node.as_str().replace('"', "#quot;"));
    }
    for (from, to) in &graph.edges {
        if let (Some(from), Some(to)) = (numbers.get(from), numbers.get(to)) {
            let _ = writeln!(out, "  n{from} --> n{to}");
        }
    }
    out
}

fn document(graph: &Edges) -> Json {
    let mut document = head("graph");
    document.insert("nodes".into(), json!(graph.nodes));
    let edges: Vec<Json> = graph.edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    document.insert("edges".into(), Json::Array(edges));
    Json::Object(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Edges {
        let address = |text: &str| text.parse::<Address>().unwrap();
        let edges = [("b", "a"), ("web.\"x-y\"", "b")].map(|(from, to)| (address(from), address(to)));
        let nodes = edges.iter().flat_map(|(from, to)| [from.clone(), to.clone()]).chain([address("z")]).collect();
        Edges { nodes, edges: edges.into_iter().collect() }
    }

    #[test]
    fn forms_tell_the_same() {
        assert_eq!(text(&graph(), GraphForm::Text), "b -> a\nweb.\"x-y\" -> b\n");
        assert_eq!(
            text(&graph(), GraphForm::Dot),
            "digraph {\n  rankdir = \"LR\"\n  \"a\"\n  \"b\"\n  \"web.\\\"x-y\\\"\"\n  \"z\"\n  \"b\" -> \"a\"\n  \"web.\\\"x-y\\\"\" -> \"b\"\n}\n"
        );
        assert_eq!(
            text(&graph(), GraphForm::Mermaid),
            "flowchart LR\n  n0[\"a\"]\n  n1[\"b\"]\n  n2[\"web.#quot;x-y#quot;\"]\n  n3[\"z\"]\n  n1 --> n0\n  n2 --> n1\n"
        );
        assert_eq!(document(&graph())["edges"][1]["from"], "web.\"x-y\"");
    }
}
