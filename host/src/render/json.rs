//! Values as JSON: numbers exact, unknowns left out.

use pravo_model::{Path, PathStep, Value};
use serde_json::{Map, Value as Json};

use super::marks::Marks;

/// What stands in the place of a value that must not be shown.
pub const SENSITIVE: &str = "(sensitive value)";

/// A value as JSON. An unknown member of a struct is left out; an unknown element of a list, or an unknown as a whole, is null.
pub fn value_to_json(value: &Value) -> Json {
    redacted(value, &Marks::default())
}

/// A value as JSON with [`SENSITIVE`] in the place of every marked part.
pub fn redacted(value: &Value, hidden: &Marks) -> Json {
    if hidden.here() && !value.is_null() {
        return Json::String(SENSITIVE.to_owned());
    }
    match value {
        Value::Null | Value::Unknown => Json::Null,
        Value::Bool(truth) => Json::Bool(*truth),
        Value::Number(number) => number.to_string().parse().map_or(Json::Null, Json::Number),
        Value::String(text) => Json::String(text.clone()),
        Value::List(elements) => Json::Array(elements.iter().enumerate().map(|(i, element)| redacted(element, hidden.element(i, element))).collect()),
        Value::Map(entries) => {
            let known = entries.iter().filter(|(_, value)| !value.is_unknown());
            Json::Object(known.map(|(name, value)| (name.to_string(), redacted(value, hidden.member(name)))).collect::<Map<_, _>>())
        }
    }
}

/// A path as a list of names, keys and indexes. An element of a set is `{"element": VALUE}`.
pub fn path_to_json(path: &Path) -> Json {
    Json::Array(path.steps().iter().map(step_to_json).collect())
}

fn step_to_json(step: &PathStep) -> Json {
    match step {
        PathStep::Attribute(name) | PathStep::Key(name) => Json::from(name.as_str()),
        PathStep::Index(index) => Json::from(*index),
        PathStep::Element(text) => serde_json::json!({ "element": serde_json::from_str(text).unwrap_or_else(|_| Json::String(text.clone())) }),
    }
}

/// The paths of the unknown parts of a value, as JSON: the topmost ones, in order.
pub fn unknown_paths(value: &Value) -> Json {
    let mut found = Vec::new();
    collect_unknown(value, &mut Vec::new(), &mut found);
    Json::Array(found)
}

fn collect_unknown(value: &Value, path: &mut Vec<Json>, found: &mut Vec<Json>) {
    let mut below = |step: Json, value: &Value| {
        path.push(step);
        collect_unknown(value, path, found);
        path.pop();
    };
    match value {
        Value::Unknown => found.push(Json::Array(path.clone())),
        Value::List(elements) => elements.iter().enumerate().for_each(|(i, element)| below(Json::from(i), element)),
        Value::Map(entries) => entries.iter().for_each(|(name, value)| below(Json::from(name.as_str()), value)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknowns_are_left_out_and_listed() {
        let value = Value::object([
            ("a", Value::Unknown),
            ("b", Value::List(vec![Value::from("x"), Value::Unknown])),
            ("n", Value::Number("12345678901234567890.5".parse().unwrap())),
        ]);
        assert_eq!(value_to_json(&value).to_string(), r#"{"b":["x",null],"n":12345678901234567890.5}"#);
        assert_eq!(unknown_paths(&value).to_string(), r#"[["a"],["b",1]]"#);
    }

    #[test]
    fn marked_parts_are_hidden() {
        let value = Value::object([("a", Value::object([("p", Value::from("secret")), ("q", Value::from("open"))]))]);
        let path = Path(vec![PathStep::Attribute("a".into()), PathStep::Key("p".into())]);
        assert_eq!(redacted(&value, &Marks::new([&path])).to_string(), r#"{"a":{"p":"(sensitive value)","q":"open"}}"#);
    }
}
