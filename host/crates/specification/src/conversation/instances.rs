//! Provider instances: their configuration, what it reads, what they are allowed.

use pravo_cue::Node;
use pravo_diag::{Diagnostic, Span};
use pravo_model::capability::Allow;
use pravo_model::provider::ProviderBinding;
use pravo_model::specification::{Event, Instance, InstanceId};

use super::Conversation;
use super::reading::{Findings, PartReader};
use super::registry::{EntryId, InstanceEntry};
use crate::body;
use crate::evaluation::{Evaluation, Part, PartValue, State};
use crate::place::place;
use crate::raw::{Mismatch, Raw, RawStep, path_text};

impl<E: Evaluation> Conversation<E> {
    /// Announces the instances whose configuration is evaluated as far as it can be. Whether there was one.
    pub(super) fn finish_instances(&mut self) -> bool {
        let mut worked = false;
        for id in std::mem::take(&mut self.open_instances) {
            let Some(instance) = self.registry.instance(id).cloned() else { continue };
            match self.evaluation.body_state(instance.node) {
                State::Waiting(_) => self.open_instances.push(id),
                State::Failed { .. } => self.errors.extend(self.evaluation.failures(instance.node)),
                _ => {
                    worked = true;
                    self.announce(id, &instance);
                }
            }
        }
        worked
    }

    fn announce(&mut self, id: u32, instance: &InstanceEntry) {
        let part = self.evaluation.body(instance.node);
        let fields = match part.value {
            PartValue::Struct(fields) => fields,
            _ => Vec::new(),
        };
        let name = instance.address.to_string();
        let mut reader = PartReader { evaluation: &self.evaluation, name: &name, concrete: true, findings: Findings::default() };
        let mut config = Vec::new();
        for (field, part) in &fields {
            let mut path = vec![RawStep::Field(field.clone())];
            if !field.starts_with('$') {
                config.push((field.clone(), reader.read(part, &mut path)));
            }
        }
        let findings = reader.findings;
        self.errors.extend(findings.errors.iter().cloned());
        let config = match body::configured(&instance.schema.provider, config) {
            Ok(config) => config,
            Err(mismatches) => return self.mismatches(&name, instance.span, &findings, mismatches),
        };
        let allow = match self.allow(instance) {
            Ok(allow) => allow,
            Err(errors) => return self.errors.extend(errors),
        };
        self.check_literals(instance, &fields);
        let dependencies = self.dependencies(&findings, None);
        let block = &instance.schema.provider;
        let announced = Instance {
            id: InstanceId(id),
            address: instance.address.clone(),
            binding: ProviderBinding { package: instance.package.to_string(), allow },
            config,
            ephemeral: findings.ephemeral.iter().map(|(path, _)| place(block, path).path).collect(),
            sensitive: findings.sensitive.iter().map(|path| place(block, path).path).collect(),
            dependencies: self.registry.addresses(dependencies.clone()),
            span: instance.span,
        };
        if let Some(entry) = self.registry.instances.get_mut(id as usize) {
            entry.announced = Some(dependencies);
        }
        self.events.push(Event::Instance(Box::new(announced)));
    }

    /// Refuses a `$version` or `$source` that was not read from the syntax: the package was chosen without it.
    fn check_literals(&mut self, instance: &InstanceEntry, fields: &[(String, Part)]) {
        let requirement = self.requirements.iter().find(|requirement| *requirement.package == *instance.package);
        for (name, part) in fields {
            let written = match (name.as_str(), requirement) {
                ("$version", Some(requirement)) => &requirement.versions,
                ("$source", Some(requirement)) => &requirement.sources,
                _ => continue,
            };
            if let PartValue::String(text) = &part.value
                && !written.iter().any(|written| written.value == *text)
            {
                let summary = format!("{}.{name} comes from elsewhere; it must be a literal beside #Provider", instance.address);
                let help = format!("write {name}: {text:?} in the struct that unifies with #Provider");
                let span = self.evaluation.value_span(part.node).unwrap_or(instance.span);
                self.errors.push(Diagnostic::error("specification.literal", summary).at(span, "").with_help(help));
            }
        }
    }

    /// What `$allow` of an instance says, in canonical form.
    pub(super) fn allow(&self, instance: &InstanceEntry) -> Result<String, Vec<Diagnostic>> {
        let part = self.evaluation.body(instance.node);
        let PartValue::Struct(fields) = part.value else { return Ok(String::new()) };
        let Some((_, part)) = fields.iter().find(|(name, _)| name == "$allow") else { return Ok(String::new()) };
        let json = json(part).to_string();
        let allow = Allow::parse(&json).map_err(|error| {
            vec![Diagnostic::error("specification.allow", error.to_string()).with_path(instance.address.to_string()).at(instance.span, "")]
        })?;
        Ok(allow.canonical())
    }

    /// The resources that were read, and those that the instances that were read depend on.
    pub(super) fn dependencies(&self, findings: &Findings, own: Option<EntryId>) -> Vec<EntryId> {
        let mut found: Vec<EntryId> = Vec::new();
        for owner in &findings.owners {
            if let Some(id) = self.registry.by_node.get(owner) {
                found.push(*id);
            } else if let Some(instance) = self.instance_of(*owner).and_then(|id| self.registry.instance(id)) {
                found.extend(instance.announced.iter().flatten());
            }
        }
        found.retain(|id| Some(*id) != own);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Reports values of another type than the schema's.
    pub(super) fn mismatches(&mut self, name: &str, at: Span, findings: &Findings, mismatches: Vec<Mismatch>) {
        for mismatch in mismatches {
            let place = format!("{name}.{}", path_text(&mismatch.path));
            let summary = format!("{place}: the provider takes {}, this is {}", mismatch.expected, mismatch.found);
            let span = self.span_of(findings, &mismatch.path).unwrap_or(at);
            self.errors.push(Diagnostic::error("specification.value", summary).with_path(place).at(span, ""));
        }
    }

    /// Where the value at a path stands, or what is around it.
    pub(super) fn span_of(&self, findings: &Findings, path: &[RawStep]) -> Option<Span> {
        let node = self.node_of(findings, path)?;
        self.evaluation.value_span(node)
    }

    /// The node at a path, or of what is around it.
    pub(super) fn node_of(&self, findings: &Findings, path: &[RawStep]) -> Option<Node> {
        (0..=path.len()).rev().find_map(|length| {
            let above = path.get(..length)?;
            findings.nodes.iter().find(|(path, _)| path == above).map(|(_, node)| *node)
        })
    }
}

fn json(part: &Part) -> serde_json::Value {
    use serde_json::Value;
    match &part.value {
        PartValue::Bool(truth) => Value::Bool(*truth),
        PartValue::String(text) => Value::String(text.clone()),
        PartValue::List(elements) => Value::Array(elements.iter().map(json).collect()),
        PartValue::Struct(fields) => Value::Object(fields.iter().map(|(name, part)| (name.clone(), json(part))).collect()),
        _ => Value::Null,
    }
}

/// The plain data of a part, without judging it.
pub(crate) fn plain(part: &Part) -> Raw {
    match &part.value {
        PartValue::Bool(truth) => Raw::Bool(*truth),
        PartValue::Number(number) => Raw::Number(number.clone()),
        PartValue::String(text) => Raw::String(text.clone()),
        PartValue::List(elements) => Raw::List(elements.iter().map(plain).collect()),
        PartValue::Struct(fields) => Raw::Struct(fields.iter().map(|(name, part)| (name.clone(), plain(part))).collect()),
        PartValue::Unknown => Raw::Unknown,
        PartValue::Open => Raw::Open,
        PartValue::Null | PartValue::Bytes | PartValue::Missing | PartValue::Incomplete(_) | PartValue::Failed => Raw::Null,
    }
}
