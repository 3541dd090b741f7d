//! Whether what a provider planned is allowed: it may fill in what it computes, and nothing else.

use pravo_model::schema::{Attribute, AttributeKind, NestedBlock, Nesting};
use pravo_model::{Path, PathStep, Value};

use crate::shape::{Shape, brief};

/// A place where a provider broke the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) path: Path,
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(path: &Path, message: impl Into<String>) -> Self {
        Self { path: path.clone(), message: message.into() }
    }
}

/// Everything that is wrong with a plan; all three are complete objects or null, `config` as it was sent.
pub(crate) fn assert_plan_valid(shape: Shape<'_>, prior: &Value, config: &Value, planned: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    if planned.is_null() != config.is_null() {
        problems.push(Problem::new(&Path::root(), "it planned an object where none is configured, or none where one is"));
    } else {
        Check { problems: &mut problems }.object(shape, prior, config, planned, &Path::root());
    }
    problems
}

struct Check<'p> {
    problems: &'p mut Vec<Problem>,
}

impl Check<'_> {
    fn problem(&mut self, path: &Path, message: impl Into<String>) {
        self.problems.push(Problem::new(path, message));
    }

    fn object(&mut self, shape: Shape<'_>, prior: &Value, config: &Value, planned: &Value, path: &Path) {
        for (name, attribute) in shape.attributes() {
            let (config, planned) = (config.attribute(name), planned.attribute(name));
            if planned == config && (planned.is_null() || !attribute.write_only) {
                continue;
            }
            let path = path.then(PathStep::Attribute(name.clone()));
            self.attribute(attribute, prior.attribute(name), config, planned, &path);
        }
        for (name, nested) in shape.blocks() {
            let path = path.then(PathStep::Attribute(name.clone()));
            self.block(nested, prior.attribute(name), config.attribute(name), planned.attribute(name), &path);
        }
    }

    fn attribute(&mut self, attribute: &Attribute, prior: &Value, config: &Value, planned: &Value, path: &Path) {
        if planned == config || (planned == prior && !prior.is_null() && !config.is_null()) {
            if attribute.write_only && !planned.is_null() {
                self.problem(path, "a write-only attribute must be null in a plan");
            }
            return;
        }
        let is_computed_only = attribute.computed && !attribute.optional;
        if attribute.write_only {
            if !planned.is_null() {
                self.problem(path, "a write-only attribute must be null in a plan");
            }
        } else if is_computed_only || attribute.computed && config.is_null() {
        } else if let (AttributeKind::Nested(nesting, attributes), false) = (&attribute.kind, config.is_null()) {
            self.nested(*nesting, attributes.into(), prior, config, planned, path);
        } else {
            let message = match (config, attribute.sensitive) {
                (Value::Null, true) => "it is not configured, but planned with a value (sensitive)".to_owned(),
                (_, true) => "the planned value differs from the configured one (sensitive)".to_owned(),
                (Value::Null, false) => format!("it is not configured, but planned as {}", brief(planned)),
                (config, false) => {
                    format!("the planned value {} is neither the configured {} nor the recorded {}", brief(planned), brief(config), brief(prior))
                }
            };
            self.problem(path, message);
        }
    }

    fn nested(&mut self, nesting: Nesting, shape: Shape<'_>, prior: &Value, config: &Value, planned: &Value, path: &Path) {
        match (nesting, config, planned) {
            (_, _, Value::Null) => self.problem(path, "it is configured, but planned as null"),
            (_, Value::Unknown, _) => self.problem(path, "an unknown configured value must be planned as unknown"),
            (_, _, Value::Unknown) => self.problem(path, "it is configured, but planned as unknown"),
            (Nesting::Single | Nesting::Group, config, planned) => self.object(shape, prior, config, planned, path),
            (Nesting::List, Value::List(configured), Value::List(elements)) if configured.len() == elements.len() => {
                for (index, (config, planned)) in configured.iter().zip(elements).enumerate() {
                    let prior = prior.as_list().and_then(|prior| prior.get(index)).unwrap_or(&Value::Null);
                    self.element(shape, prior, config, planned, &path.then(PathStep::Index(index as u64)));
                }
            }
            (Nesting::Map, Value::Map(configured), Value::Map(entries)) if configured.keys().eq(entries.keys()) => {
                for ((key, config), planned) in configured.iter().zip(entries.values()) {
                    self.element(shape, prior.attribute(key), config, planned, &path.then(PathStep::Key(key.clone())));
                }
            }
            // Elements of sets cannot be told apart: only their number must be plausible.
            (Nesting::Set, Value::List(configured), Value::List(elements)) if elements.len() <= configured.len() => {}
            _ => self.problem(path, "the planned number of elements or the keys differ from the configured ones"),
        }
    }

    fn element(&mut self, shape: Shape<'_>, prior: &Value, config: &Value, planned: &Value, path: &Path) {
        match (config, planned) {
            (config, planned) if config == planned => {}
            (_, Value::Unknown) => self.problem(path, "an element must not be unknown as a whole"),
            (Value::Null, _) | (_, Value::Null) => self.problem(path, "an element is null on one side only"),
            (config, planned) => self.object(shape, prior, config, planned, path),
        }
    }

    fn block(&mut self, nested: &NestedBlock, prior: &Value, config: &Value, planned: &Value, path: &Path) {
        let shape = Shape::from(&nested.block);
        match (nested.nesting, config, planned) {
            (_, config, planned) if config == planned => {}
            (Nesting::Single, Value::Null, _) => self.problem(path, "a block is not configured, but planned"),
            (_, _, Value::Null) => self.problem(path, "a block must be planned as it is configured, or empty, not null"),
            (_, Value::Unknown, _) => self.problem(path, "unknown blocks must be planned as unknown"),
            (_, _, Value::Unknown) => self.problem(path, "blocks are configured, but planned as unknown"),
            (Nesting::Set, Value::List(_), Value::List(elements)) => {
                if elements.iter().any(Value::is_unknown) {
                    self.problem(path, "an element must not be unknown as a whole");
                }
            }
            (nesting, config, planned) => self.nested(nesting, shape, prior, config, planned, path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{block, both, computed, nested, object, optional, schema, write_only};
    use pravo_model::Type;
    use pravo_model::schema::Block;

    fn sample() -> Block {
        let mut sample = schema([
            ("name", optional(Type::String)),
            ("id", computed(Type::String)),
            ("size", both(Type::Number)),
            ("secret", write_only(Type::String)),
        ]);
        let inner = || [("key", optional(Type::String)), ("made", computed(Type::String))];
        sample.attributes.insert("list".into(), nested(Nesting::List, inner()));
        sample.blocks.insert("disk".into(), block(Nesting::List, schema(inner())));
        sample
    }

    fn check(prior: &[(&str, Value)], config: &[(&str, Value)], planned: &[(&str, Value)], wrong: &[&str]) {
        let sample = sample();
        let shape = Shape::from(&sample);
        let complete = |entries: &[(&str, Value)]| shape.complete(&object(entries.iter().cloned()));
        let prior = if prior.is_empty() { Value::Null } else { complete(prior) };
        let problems = assert_plan_valid(shape, &prior, &complete(config), &complete(planned));
        let paths: Vec<String> = problems.iter().map(|problem| problem.path.to_string()).collect();
        assert_eq!(paths, wrong, "{problems:?}");
    }

    #[test]
    fn a_provider_may_fill_in_what_it_computes() {
        let key = |key: &str, made: Value| object([("key", key.into()), ("made", made)]);
        check(&[], &[("name", "a".into())], &[("name", "a".into()), ("id", Value::Unknown), ("size", 1.into())], &[]);
        check(&[("name", "A".into())], &[("name", "a".into())], &[("name", "A".into())], &[]);
        let list = |made: Value| vec![("list", Value::List(vec![key("k", made.clone())])), ("disk", Value::List(vec![key("k", made)]))];
        check(&[], &list(Value::Null), &list(Value::Unknown), &[]);
    }

    #[test]
    fn a_provider_may_not_change_what_is_configured() {
        check(&[], &[("name", "a".into())], &[("name", "b".into())], &["name"]);
        check(&[], &[], &[("name", "b".into())], &["name"]);
        check(&[], &[("size", 1.into())], &[("size", 2.into())], &["size"]);
        check(&[], &[("secret", "s".into())], &[("secret", "s".into())], &["secret"]);
        check(&[], &[("list", Value::List(vec![]))], &[("list", Value::Null)], &["list"]);
        let one = || Value::List(vec![object([("key", "k".into())])]);
        check(&[], &[("disk", one())], &[], &["disk"]);
        check(&[], &[("disk", one())], &[("disk", Value::Unknown)], &["disk"]);
        check(&[], &[("disk", Value::Unknown)], &[("disk", one())], &["disk"]);
        let other = Value::List(vec![object([("key", "x".into())])]);
        check(&[], &[("disk", one())], &[("disk", other)], &["disk[0].key"]);
    }
}
