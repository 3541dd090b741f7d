//! From the parts of an evaluated struct to plain data, with what was found on the way: marks, what was read, what is wrong.

use pravo_cue::{Ask, Node};
use pravo_diag::Diagnostic;

use super::template::placed;
use crate::evaluation::{Evaluation, Part, PartValue};
use crate::raw::{Raw, RawPath, RawStep, path_text};

/// What was found while a struct was read.
#[derive(Default)]
pub(super) struct Findings {
    /// Hosted structs that were read.
    pub(super) owners: Vec<Node>,
    /// Questions that were read.
    pub(super) asks: Vec<Ask>,
    /// Paths that must not be shown.
    pub(super) sensitive: Vec<RawPath>,
    /// Paths that must not be stored, with their nodes.
    pub(super) ephemeral: Vec<(RawPath, Node)>,
    /// Where each part stands.
    pub(super) nodes: Vec<(RawPath, Node)>,
    /// What is wrong.
    pub(super) errors: Vec<Diagnostic>,
}

/// Reads parts.
pub(super) struct PartReader<'e> {
    pub(super) evaluation: &'e dyn Evaluation,
    /// The address or path of the whole, for messages.
    pub(super) name: &'e str,
    /// Whether values that are not concrete are wrong; else they are left out.
    pub(super) concrete: bool,
    pub(super) findings: Findings,
}

impl PartReader<'_> {
    /// The field of a struct as plain data.
    pub(super) fn read(&mut self, part: &Part, path: &mut RawPath) -> Raw {
        self.mark(part, path);
        self.findings.nodes.push((path.clone(), part.node));
        match &part.value {
            PartValue::Null => Raw::Null,
            PartValue::Bool(truth) => Raw::Bool(*truth),
            PartValue::Number(number) => Raw::Number(number.clone()),
            PartValue::String(text) => Raw::String(text.clone()),
            PartValue::Unknown => Raw::Unknown,
            PartValue::Open => Raw::Open,
            PartValue::List(elements) => {
                Raw::List(elements.iter().enumerate().map(|(index, part)| self.below(RawStep::Index(index), part, path)).collect())
            }
            PartValue::Struct(fields) => {
                Raw::Struct(fields.iter().map(|(name, part)| (name.clone(), self.below(RawStep::Field(name.clone()), part, path))).collect())
            }
            PartValue::Bytes => {
                let help = "give a string; base64.Encode of encoding/base64 makes one of bytes";
                self.refuse(part.node, path, "bytes cannot be given to a provider".to_owned(), help);
                Raw::Null
            }
            PartValue::Missing => {
                if self.concrete {
                    self.refuse(part.node, path, "it is required, and not set".to_owned(), "give it a value");
                }
                Raw::Null
            }
            PartValue::Incomplete(text) => {
                if self.concrete {
                    self.refuse(part.node, path, format!("the value is not concrete: {text}"), "give it a value, or leave the field out");
                }
                Raw::Null
            }
            PartValue::Failed => {
                let failure = self.evaluation.failures(part.node);
                self.findings.errors.extend(failure);
                Raw::Null
            }
        }
    }

    fn below(&mut self, step: RawStep, part: &Part, path: &mut RawPath) -> Raw {
        path.push(step);
        let raw = self.read(part, path);
        path.pop();
        raw
    }

    fn mark(&mut self, part: &Part, path: &RawPath) {
        let trace = self.evaluation.trace(part.node);
        let marks = trace.marks_of(&part.value);
        self.findings.owners.extend(trace.owners);
        self.findings.asks.extend(trace.asks);
        let covered = |mut paths: Box<dyn Iterator<Item = &RawPath> + '_>| paths.any(|above| path.starts_with(above));
        if marks.sensitive && !covered(Box::new(self.findings.sensitive.iter())) {
            self.findings.sensitive.push(path.clone());
        }
        if marks.ephemeral && !covered(Box::new(self.findings.ephemeral.iter().map(|(path, _)| path))) {
            self.findings.ephemeral.push((path.clone(), part.node));
        }
    }

    fn refuse(&mut self, node: Node, path: &RawPath, what: String, help: &str) {
        let place = format!("{}.{}", self.name, path_text(path));
        let diagnostic = Diagnostic::error("specification.value", format!("{place}: {what}")).with_path(place).with_help(help);
        self.findings.errors.push(placed(self.evaluation, node, diagnostic));
    }
}
