//! Which of the paths that a provider names really force a replacement.
//!
//! Providers name paths that did not change, on creates too, and in changing order: the filter keeps those that differ.

use pravo_model::schema::AttributeKind;
use pravo_model::{Path, PathStep, Value};

use crate::shape::Shape;

/// The paths that count, sorted, without repetition; the error is a path that leads nowhere, a bug of the provider.
pub(crate) fn requires_replace(shape: Shape<'_>, prior: &Value, planned: &Value, paths: &[Path]) -> Result<Vec<Path>, Path> {
    if prior.is_null() {
        return Ok(Vec::new());
    }
    let mut kept = Vec::new();
    for path in paths {
        // Elements of sets have no positions: the set as a whole counts.
        let steps: Vec<PathStep> = path.steps().iter().take_while(|step| !matches!(step, PathStep::Element(_))).cloned().collect();
        let path = Path(steps);
        let (before, after) = (prior.get(&path), planned.get(&path));
        if before.is_none() && after.is_none() && !leads_into_schema(shape, &path) {
            return Err(path);
        }
        let (before, after) = (before.unwrap_or(&Value::Null), after.unwrap_or(&Value::Null));
        if before != after || !before.is_wholly_known() || !after.is_wholly_known() || is_write_only(shape, &path) {
            kept.push(path);
        }
    }
    kept.sort();
    kept.dedup();
    Ok(kept)
}

fn leads_into_schema(shape: Shape<'_>, path: &Path) -> bool {
    match path.steps().first() {
        Some(PathStep::Attribute(name)) => shape.attribute(name).is_some() || shape.block(name).is_some(),
        _ => false,
    }
}

fn is_write_only(shape: Shape<'_>, path: &Path) -> bool {
    let mut shape = Some(shape);
    let mut write_only = false;
    for step in path.steps() {
        let (PathStep::Attribute(name), Some(current)) = (step, shape) else {
            continue;
        };
        if let Some(attribute) = current.attribute(name) {
            write_only |= attribute.write_only;
            shape = match &attribute.kind {
                AttributeKind::Nested(_, attributes) => Some(attributes.into()),
                AttributeKind::Type(_) => None,
            };
        } else {
            shape = current.block(name).map(|nested| (&nested.block).into());
        }
    }
    write_only
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{object, optional, schema, write_only};
    use pravo_model::Type;

    #[test]
    fn only_what_differs_forces_a_replacement() {
        let sample = schema([("a", optional(Type::String)), ("b", optional(Type::String)), ("w", write_only(Type::String))]);
        let prior = object([("a", "1".into()), ("b", "1".into()), ("w", Value::Null)]);
        let planned = object([("a", "1".into()), ("b", "2".into()), ("w", Value::Null)]);
        let paths = |names: &[&str]| names.iter().map(|name| Path::attribute(*name)).collect::<Vec<_>>();
        let filter = |prior: &Value, planned: &Value, names: &[&str]| requires_replace((&sample).into(), prior, planned, &paths(names));
        assert_eq!(filter(&prior, &planned, &["b", "a", "b"]), Ok(paths(&["b"])));
        assert_eq!(filter(&prior, &planned, &["w"]), Ok(paths(&["w"])));
        assert_eq!(filter(&Value::Null, &planned, &["b"]), Ok(vec![]));
        assert_eq!(filter(&prior, &planned, &["zzz"]), Err(Path::attribute("zzz")));
        let unknown = object([("a", Value::Unknown), ("b", "1".into()), ("w", Value::Null)]);
        assert_eq!(filter(&prior, &unknown, &["a"]), Ok(paths(&["a"])));
    }
}
