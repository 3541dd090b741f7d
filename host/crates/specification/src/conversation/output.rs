//! Outputs: plain values of the specification at CUE paths.
//!
//! Kept true here: definitions, hidden fields, provider instances and fields that start with `$` are no outputs; ephemeral
//! values are neither.

use pravo_cue::Node;
use pravo_diag::Diagnostic;
use pravo_model::specification::Output;
use pravo_model::{Address, Path, PathStep, Segment};

use super::Conversation;
use super::reading::{Findings, PartReader};
use super::template::placed;
use crate::evaluation::{Evaluation, Hosted, Label, Part, PartValue, State};
use crate::names::suggestion;
use crate::raw::{RawPath, RawStep};

/// Which outputs will be read.
#[derive(Default)]
pub(super) struct Wanted {
    open: Vec<Vec<Segment>>,
}

impl Wanted {
    /// Adds a path; nothing for all.
    pub(super) fn add(&mut self, path: Option<&str>) -> Result<(), Vec<Diagnostic>> {
        self.open.push(segments(path)?);
        Ok(())
    }
}

fn segments(path: Option<&str>) -> Result<Vec<Segment>, Vec<Diagnostic>> {
    let Some(path) = path else { return Ok(Vec::new()) };
    let address: Address =
        path.parse().map_err(|error: pravo_model::AddressError| vec![Diagnostic::error("specification.output", error.to_string())])?;
    Ok(address.segments())
}

impl<E: Evaluation> Conversation<E> {
    /// Asks the evaluation for the outputs that will be read.
    pub(super) fn want_outputs(&mut self) {
        for path in self.wanted.open.clone() {
            if let Some(node) = self.find(&path).0 {
                self.want_below(node);
            }
        }
    }

    fn want_below(&mut self, node: Node) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if self.wanted_nodes.contains(&node) {
                // It was asked for; its fields may have come since.
            } else if self.evaluation.want_answers(node) {
                self.wanted_nodes.insert(node);
            }
            if !matches!(self.evaluation.state(node), State::Scalar | State::Unknown) {
                open.extend(self.evaluation.children(node).into_iter().filter(|(label, child)| self.is_output(label, *child)).map(|(_, node)| node));
            }
        }
    }

    fn is_output(&self, label: &Label, node: Node) -> bool {
        match label {
            Label::Segment(Segment::Field(name)) => !name.starts_with('$') && self.evaluation.hosted(node) != Some(Hosted::Provider),
            Label::Segment(Segment::Index(_)) => true,
            Label::Segment(Segment::Hidden(..)) | Label::Other(_) => false,
        }
    }

    /// The node at a path, or the last one on the way with the segment that is missing.
    fn find(&self, path: &[Segment]) -> (Option<Node>, Option<(Node, Segment)>) {
        let mut node = self.evaluation.root();
        for segment in path {
            let children = self.evaluation.children(node);
            match children.into_iter().find(|(label, _)| matches!(label, Label::Segment(other) if other == segment)) {
                Some((_, next)) => node = next,
                None => return (None, Some((node, segment.clone()))),
            }
        }
        (Some(node), None)
    }

    pub(super) fn read_output(&mut self, path: Option<&str>) -> Result<Output, Vec<Diagnostic>> {
        let segments = segments(path)?;
        let node = match self.find(&segments) {
            (Some(node), _) => node,
            (None, missing) => return Err(vec![self.no_such_field(path.unwrap_or_default(), missing)]),
        };
        if segments.is_empty() {
            return self.read_at(node, "", false);
        }
        self.read_at(node, path.unwrap_or_default(), true)
    }

    fn read_at(&mut self, node: Node, name: &str, concrete: bool) -> Result<Output, Vec<Diagnostic>> {
        let part = self.evaluation.value(node);
        let part = self.without_hidden(part);
        let mut reader = PartReader { evaluation: &self.evaluation, name, concrete, findings: Findings::default() };
        let raw = reader.read(&part, &mut Vec::new());
        let findings = reader.findings;
        let mut errors = findings.errors;
        for (path, node) in findings.ephemeral {
            let summary =
                format!("{name}{}{} is ephemeral, so it is no output", if path.is_empty() { "" } else { "." }, crate::raw::path_text(&path));
            errors.push(placed(&self.evaluation, node, Diagnostic::error("specification.ephemeral", summary)));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut sensitive: Vec<Path> = findings.sensitive.iter().map(plain_path).collect();
        sensitive.sort();
        Ok(Output { value: raw.into_value(), sensitive })
    }

    /// Leaves out what is no output: provider instances, fields that start with `$`, ephemeral values that were not asked for.
    fn without_hidden(&self, part: Part) -> Part {
        let value = match part.value {
            PartValue::Struct(fields) => {
                let shown = |name: &str, part: &Part| {
                    !name.starts_with('$')
                        && self.evaluation.hosted(part.node) != Some(Hosted::Provider)
                        && !matches!(part.value, PartValue::Incomplete(_) | PartValue::Missing)
                        && !self.evaluation.trace(part.node).marks_of(&part.value).ephemeral
                };
                PartValue::Struct(
                    fields.into_iter().filter(|(name, part)| shown(name, part)).map(|(name, part)| (name, self.without_hidden(part))).collect(),
                )
            }
            PartValue::List(elements) => PartValue::List(elements.into_iter().map(|part| self.without_hidden(part)).collect()),
            value => value,
        };
        Part { node: part.node, value }
    }

    fn no_such_field(&self, path: &str, missing: Option<(Node, Segment)>) -> Diagnostic {
        let diagnostic = Diagnostic::error("specification.output", format!("there is no field {path}"));
        let Some((node, Segment::Field(name))) = missing else { return diagnostic };
        let fields: Vec<String> = self
            .evaluation
            .children(node)
            .into_iter()
            .filter_map(|(label, _)| match label {
                Label::Segment(Segment::Field(name)) => Some(name),
                _ => None,
            })
            .collect();
        diagnostic.with_help(suggestion(&name, fields.iter().map(String::as_str)))
    }
}

fn plain_path(path: &RawPath) -> Path {
    let step = |step: &RawStep| match step {
        RawStep::Field(name) => PathStep::Attribute(name.into()),
        RawStep::Index(index) => PathStep::Index(*index as u64),
    };
    Path(path.iter().map(step).collect())
}
