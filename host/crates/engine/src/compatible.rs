//! Whether what became of an object agrees with what was planned: unknown parts may become anything, known parts stay.

use pravo_model::schema::{AttributeKind, Nesting};
use pravo_model::{Path, PathStep, Type, Value};

use crate::shape::{Shape, brief, conforms};
use crate::validity::Problem;

/// Everything in which `actual` contradicts `planned`; both are complete objects or null.
pub(crate) fn assert_object_compatible(shape: Shape<'_>, planned: &Value, actual: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    if planned.is_null() != actual.is_null() {
        let message = if actual.is_null() { "the object is absent, but was planned" } else { "the object is present, but was planned to be absent" };
        problems.push(Problem::new(&Path::root(), message));
    } else if !planned.is_null() {
        object(shape, planned, actual, &Path::root(), &mut problems);
    }
    problems
}

fn object(shape: Shape<'_>, planned: &Value, actual: &Value, path: &Path, problems: &mut Vec<Problem>) {
    if planned.is_unknown() {
        return;
    }
    for (name, attribute) in shape.attributes() {
        let (planned, actual) = (planned.attribute(name), actual.attribute(name));
        if attribute.write_only || planned == actual {
            continue;
        }
        let path = path.then(PathStep::Attribute(name.clone()));
        if attribute.sensitive {
            let mut hidden = Vec::new();
            value(&attribute.value_type(), planned, actual, &path, &mut hidden);
            if !hidden.is_empty() {
                problems.push(Problem::new(&path, "the value differs from the planned one (sensitive)"));
            }
            continue;
        }
        match &attribute.kind {
            AttributeKind::Type(kind) => value(kind, planned, actual, &path, problems),
            AttributeKind::Nested(nesting, attributes) => nested(*nesting, attributes.into(), planned, actual, &path, problems),
        }
    }
    for (name, block) in shape.blocks() {
        let path = path.then(PathStep::Attribute(name.clone()));
        nested(block.nesting, (&block.block).into(), planned.attribute(name), actual.attribute(name), &path, problems);
    }
}

fn nested(nesting: Nesting, shape: Shape<'_>, planned: &Value, actual: &Value, path: &Path, problems: &mut Vec<Problem>) {
    match (nesting, planned, actual) {
        (_, Value::Unknown, _) | (_, Value::Null, Value::Null) => {}
        (_, Value::Null, _) | (_, _, Value::Null) => problems.push(Problem::new(path, presence(planned, actual))),
        (Nesting::Single | Nesting::Group, planned, actual) => object(shape, planned, actual, path, problems),
        (Nesting::List, Value::List(planned), Value::List(actual)) if planned.len() == actual.len() => {
            for (index, (planned, actual)) in planned.iter().zip(actual).enumerate() {
                object(shape, planned, actual, &path.then(PathStep::Index(index as u64)), problems);
            }
        }
        (Nesting::Map, Value::Map(planned), Value::Map(actual)) if planned.keys().eq(actual.keys()) => {
            for ((key, planned), actual) in planned.iter().zip(actual.values()) {
                object(shape, planned, actual, &path.then(PathStep::Key(key.clone())), problems);
            }
        }
        (Nesting::Set, Value::List(planned), Value::List(actual)) => {
            let fits = |planned: &Value, actual: &Value| {
                let mut none = Vec::new();
                object(shape, planned, actual, path, &mut none);
                none.is_empty()
            };
            set(planned, actual, path, problems, fits);
        }
        _ => problems.push(Problem::new(path, "the number of elements or the keys differ from the planned ones")),
    }
}

fn presence(planned: &Value, actual: &Value) -> String {
    format!("it was planned as {}, but is {}", brief(planned), brief(actual))
}

fn value(kind: &Type, planned: &Value, actual: &Value, path: &Path, problems: &mut Vec<Problem>) {
    match (kind, planned, actual) {
        (_, Value::Unknown, actual) if conforms(actual, kind) => {}
        (_, planned, actual) if planned == actual => {}
        (Type::List(kind), Value::List(planned), Value::List(actual)) if planned.len() == actual.len() => {
            for (index, (planned, actual)) in planned.iter().zip(actual).enumerate() {
                value(kind, planned, actual, &path.then(PathStep::Index(index as u64)), problems);
            }
        }
        (Type::Tuple(kinds), Value::List(planned), Value::List(actual)) if planned.len() == actual.len() => {
            for (index, ((kind, planned), actual)) in kinds.iter().zip(planned).zip(actual).enumerate() {
                value(kind, planned, actual, &path.then(PathStep::Index(index as u64)), problems);
            }
        }
        (Type::Map(kind), Value::Map(planned), Value::Map(actual)) if planned.keys().eq(actual.keys()) => {
            for ((key, planned), actual) in planned.iter().zip(actual.values()) {
                value(kind, planned, actual, &path.then(PathStep::Key(key.clone())), problems);
            }
        }
        (Type::Object(kinds), Value::Map(planned), Value::Map(actual)) => {
            for (name, kind) in kinds {
                let (planned, actual) = (planned.get(name).unwrap_or(&Value::Null), actual.get(name).unwrap_or(&Value::Null));
                value(kind, planned, actual, &path.then(PathStep::Attribute(name.clone())), problems);
            }
        }
        (Type::Set(kind), Value::List(planned), Value::List(actual)) => {
            let fits = |planned: &Value, actual: &Value| {
                let mut none = Vec::new();
                value(kind, planned, actual, path, &mut none);
                none.is_empty()
            };
            set(planned, actual, path, problems, fits);
        }
        // A value that brings its type along may hold unknowns anywhere.
        (Type::Dynamic, planned, actual) if !planned.is_wholly_known() => {
            let kind = Type::implied(planned);
            if matches!(kind, Type::Tuple(_) | Type::Object(_)) {
                value(&kind, planned, actual, path, problems);
            }
        }
        _ => problems.push(Problem::new(path, presence(planned, actual))),
    }
}

/// Every planned element must fit an actual one and the other way round; unknown elements may become equal to others.
fn set(planned: &[Value], actual: &[Value], path: &Path, problems: &mut Vec<Problem>, fits: impl Fn(&Value, &Value) -> bool) {
    let has_unknown = planned.iter().any(Value::is_unknown);
    let missing = planned.iter().filter(|element| !element.is_unknown()).any(|planned| !actual.iter().any(|actual| fits(planned, actual)));
    let extra = !has_unknown && actual.iter().any(|actual| !planned.iter().any(|planned| fits(planned, actual)));
    if missing || extra || actual.len() > planned.len() {
        problems.push(Problem::new(path, "the elements of the set differ from the planned ones"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{block, both, object, optional, schema};
    use pravo_model::schema::Block;

    fn sample() -> Block {
        let mut sample = schema([
            ("name", optional(Type::String)),
            ("tags", both(Type::Map(Box::new(Type::String)))),
            ("set", both(Type::Set(Box::new(Type::String)))),
            ("any", both(Type::Dynamic)),
        ]);
        sample.blocks.insert("disk".into(), block(Nesting::List, schema([("size", both(Type::Number))])));
        sample
    }

    fn check(planned: &[(&str, Value)], actual: &[(&str, Value)], wrong: &[&str]) {
        let sample = sample();
        let shape = Shape::from(&sample);
        let complete = |entries: &[(&str, Value)]| shape.complete(&object(entries.iter().cloned()));
        let problems = assert_object_compatible(shape, &complete(planned), &complete(actual));
        let paths: Vec<String> = problems.iter().map(|problem| problem.path.to_string()).collect();
        assert_eq!(paths, wrong, "{problems:?}");
    }

    #[test]
    fn unknown_parts_may_become_anything_of_their_type() {
        let list = |elements: &[Value]| Value::List(elements.to_vec());
        check(&[("name", Value::Unknown)], &[("name", "a".into())], &[]);
        check(&[("name", Value::Unknown)], &[], &[]);
        check(&[("name", Value::Unknown)], &[("name", 1.into())], &["name"]);
        check(&[("tags", object([("a", Value::Unknown)]))], &[("tags", object([("a", "x".into())]))], &[]);
        check(&[("set", list(&["a".into(), Value::Unknown]))], &[("set", list(&["a".into()]))], &[]);
        check(&[("any", object([("a", Value::Unknown)]))], &[("any", object([("a", 1.into())]))], &[]);
        check(&[("disk", list(&[object([("size", Value::Unknown)])]))], &[("disk", list(&[object([("size", 4.into())])]))], &[]);
    }

    #[test]
    fn known_parts_stay() {
        let list = |elements: &[Value]| Value::List(elements.to_vec());
        check(&[("name", "a".into())], &[("name", "b".into())], &["name"]);
        check(&[("name", "a".into())], &[], &["name"]);
        check(&[("tags", object([("a", "x".into())]))], &[("tags", object([("b", "x".into())]))], &["tags"]);
        check(&[("set", list(&["a".into()]))], &[("set", list(&["b".into()]))], &["set"]);
        check(&[("set", list(&[Value::Unknown]))], &[("set", list(&["a".into(), "b".into()]))], &["set"]);
        check(&[("any", object([("a", Value::Unknown), ("b", 1.into())]))], &[("any", object([("a", 1.into()), ("b", 2.into())]))], &["any.b"]);
        check(&[("disk", list(&[object::<&str>([])]))], &[], &["disk"]);
    }
}
