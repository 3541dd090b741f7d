//! Where a hosted struct got its type from: the instance, the definition that holds its types, the name.

use pravo_cue::Node;
use pravo_diag::Diagnostic;
use pravo_model::Segment;
use pravo_model::specification::Kind;

use crate::evaluation::{Evaluation, Hosted, Label, Origin};
use crate::requirements::PROVIDERS;

/// A type that was selected from an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    /// The struct that holds `#Resource`.
    pub(super) instance: Node,
    /// What it is.
    pub(super) hosted: Hosted,
    /// The type or function.
    pub(super) name: String,
}

/// How many references are followed from a struct to its type.
const MAXIMUM_DEPTH: usize = 64;

fn holder(label: &Label) -> Option<Hosted> {
    match label {
        Label::Other(name) => match name.as_str() {
            "#Resource" => Some(Hosted::Body(Kind::Resource)),
            "#Data" => Some(Hosted::Body(Kind::Data)),
            "#Ephemeral" => Some(Hosted::Body(Kind::Ephemeral)),
            "#Function" => Some(Hosted::Function),
            _ => None,
        },
        Label::Segment(_) => None,
    }
}

/// The template that a node is, where it is one itself: `INSTANCE.#Resource.T`.
fn as_template(evaluation: &dyn Evaluation, node: Node) -> Option<Template> {
    let Label::Segment(Segment::Field(name)) = evaluation.label(node) else { return None };
    let parent = evaluation.parent(node)?;
    let hosted = holder(&evaluation.label(parent))?;
    let instance = evaluation.parent(parent)?;
    (evaluation.hosted(instance) == Some(Hosted::Provider)).then_some(Template { instance, hosted, name })
}

/// Every template that a node's references lead to, without repetition.
pub(super) fn templates(evaluation: &dyn Evaluation, node: Node) -> Vec<(Template, Origin)> {
    let mut found: Vec<(Template, Origin)> = Vec::new();
    let mut seen = vec![node];
    let mut open: Vec<(Node, usize)> = vec![(node, 0)];
    while let Some((node, depth)) = open.pop() {
        for origin in evaluation.origins(node) {
            if let Some(template) = as_template(evaluation, origin.target) {
                if !found.iter().any(|(other, _)| *other == template) {
                    found.push((template, origin));
                }
            } else if depth < MAXIMUM_DEPTH && !seen.contains(&origin.target) {
                seen.push(origin.target);
                open.push((origin.target, depth + 1));
            }
        }
    }
    found
}

/// The import path of the provider package that an instance is of: the generated package says it.
pub(super) fn provider_package(evaluation: &dyn Evaluation, instance: Node) -> Option<String> {
    let attributes = evaluation.attributes(instance).into_iter();
    let path = |text: &str| Some(text.strip_prefix("@provider(\"")?.strip_suffix("\")")?.to_owned());
    attributes.filter_map(|text| path(&text)).find(|package| package.starts_with(PROVIDERS))
}

/// The one template of a resource.
///
/// # Errors
/// Where there are two types or two instances, or none.
pub(super) fn the_template(evaluation: &dyn Evaluation, node: Node) -> Result<Template, Box<Diagnostic>> {
    let mut all = templates(evaluation, node).into_iter();
    let path = evaluation.path(node);
    let Some((first, at)) = all.next() else {
        let summary = format!("{path} takes its type from no provider instance");
        let help = "select the type from an instance: $random: rnd.#Provider, then $random.#Resource.random_pet";
        return Err(Box::new(placed(evaluation, node, Diagnostic::error("specification.type", summary)).with_path(path).with_help(help)));
    };
    if let Some((other, place)) = all.find(|(other, _)| *other != first) {
        let summary = if (other.hosted, &other.name) == (first.hosted, &first.name) {
            let (one, two) = (evaluation.path(first.instance), evaluation.path(other.instance));
            format!("{path} has two provider instances, {one} and {two}")
        } else {
            format!("{path} has two types, {} and {}", first.name, other.name)
        };
        let help = "a resource has one type of one instance; make two resources";
        return Err(Box::new(
            Diagnostic::error("specification.type", summary).with_path(path).at(place.at, "").at(at.at, "the other").with_help(help),
        ));
    }
    if evaluation.is_template(first.instance) {
        let summary = format!("{path} takes its type from {}, which is a template, not a provider instance", evaluation.path(first.instance));
        let help = "make an instance, a field such as $random: rnd.#Provider, and select the type from it";
        return Err(Box::new(Diagnostic::error("specification.type", summary).with_path(path).at(at.at, "").with_help(help)));
    }
    Ok(first)
}

/// A diagnostic at the place of a node.
pub(super) fn placed(evaluation: &dyn Evaluation, node: Node, diagnostic: Diagnostic) -> Diagnostic {
    match evaluation.span(node) {
        Some(span) => diagnostic.at(span, ""),
        None => diagnostic,
    }
}
