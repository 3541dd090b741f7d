//! A body as it was written, before a schema gives it types.
//!
//! Kept true here: plain data, without a session behind it, so that the rules of bodies and meta fields are tested
//! without an evaluator. Deliberately absent: bytes (no attribute takes them; whoever reads a body refuses them).

use pravo_model::codec::normalized;
use pravo_model::{Number, Path, PathStep, Type, Value};

/// A value of a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Raw {
    /// `null`
    Null,
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    String(String),
    /// A list.
    List(Vec<Raw>),
    /// A struct, in its order.
    Struct(Vec<(String, Raw)>),
    /// A value that is known only after the apply.
    Unknown,
    /// A struct or list of which it is known only after the apply what is in it.
    Open,
}

/// One step below a body, before the schema says whether a name is an attribute or a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum RawStep {
    /// A field.
    Field(String),
    /// An element.
    Index(usize),
}

/// A path below a body.
pub(crate) type RawPath = Vec<RawStep>;

/// A path as text, for messages: `tags."a-b"[0]`.
pub(crate) fn path_text(path: &[RawStep]) -> String {
    let steps = path.iter().map(|step| match step {
        RawStep::Field(name) => PathStep::Attribute(name.into()),
        RawStep::Index(index) => PathStep::Index(*index as u64),
    });
    Path(steps.collect()).to_string()
}

impl Raw {
    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Raw::Null => "null",
            Raw::Bool(_) => "bool",
            Raw::Number(_) => "number",
            Raw::String(_) => "string",
            Raw::List(_) => "list",
            Raw::Struct(_) => "struct",
            Raw::Unknown | Raw::Open => "unknown",
        }
    }

    /// The path of the first part that is unknown, if there is one.
    pub(crate) fn first_unknown(&self) -> Option<RawPath> {
        fn find(raw: &Raw, path: &mut RawPath) -> bool {
            match raw {
                Raw::Unknown | Raw::Open => true,
                Raw::List(elements) => elements.iter().enumerate().any(|(index, element)| step(RawStep::Index(index), element, path)),
                Raw::Struct(fields) => fields.iter().any(|(name, value)| step(RawStep::Field(name.clone()), value, path)),
                _ => false,
            }
        }
        fn step(step: RawStep, raw: &Raw, path: &mut RawPath) -> bool {
            path.push(step);
            let found = find(raw, path);
            if !found {
                path.pop();
            }
            found
        }
        let mut path = Vec::new();
        find(self, &mut path).then_some(path)
    }

    /// Whether the presence of something in it is unknown.
    fn has_open(&self) -> bool {
        match self {
            Raw::Open => true,
            Raw::List(elements) => elements.iter().any(Raw::has_open),
            Raw::Struct(fields) => fields.iter().any(|(_, value)| value.has_open()),
            _ => false,
        }
    }

    /// The value that it has by itself.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Raw::Null => Value::Null,
            Raw::Bool(truth) => Value::Bool(truth),
            Raw::Number(number) => Value::Number(number),
            Raw::String(text) => Value::String(normalized(&text).into_owned()),
            Raw::List(elements) => Value::List(elements.into_iter().map(Raw::into_value).collect()),
            Raw::Struct(fields) => Value::Map(fields.into_iter().map(|(name, value)| (name.into(), value.into_value())).collect()),
            Raw::Unknown | Raw::Open => Value::Unknown,
        }
    }

    /// The value with the type of a schema.
    ///
    /// # Errors
    /// Where the value is of another type: where, and what.
    pub(crate) fn into_typed(self, kind: &Type) -> Result<Value, Mismatch> {
        if self.has_open() {
            return Ok(Value::Unknown);
        }
        typed(self, kind, &mut Vec::new())
    }
}

/// A value of another type than the schema's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mismatch {
    /// Where, below the value.
    pub(crate) path: RawPath,
    /// What the schema says.
    pub(crate) expected: String,
    /// What it is.
    pub(crate) found: String,
}

fn mismatch<T>(path: &RawPath, expected: impl Into<String>, found: impl Into<String>) -> Result<T, Mismatch> {
    Err(Mismatch { path: path.clone(), expected: expected.into(), found: found.into() })
}

fn typed(raw: Raw, kind: &Type, path: &mut RawPath) -> Result<Value, Mismatch> {
    match (raw, kind) {
        (Raw::Null, _) => Ok(Value::Null),
        (Raw::Unknown | Raw::Open, _) => Ok(Value::Unknown),
        (Raw::String(text), Type::String) => Ok(Value::String(normalized(&text).into_owned())),
        (Raw::Bool(truth), Type::Bool) => Ok(Value::Bool(truth)),
        (Raw::Number(number), Type::Number) => Ok(Value::Number(number)),
        (raw, Type::Dynamic) => Ok(raw.into_value()),
        (Raw::List(elements), Type::List(kind)) => Ok(Value::List(typed_elements(elements, |_| Some(kind), path)?)),
        (Raw::List(elements), Type::Set(kind)) => Ok(Value::set(typed_elements(elements, |_| Some(kind), path)?)),
        (Raw::List(elements), Type::Tuple(kinds)) if elements.len() == kinds.len() => {
            Ok(Value::List(typed_elements(elements, |index| kinds.get(index), path)?))
        }
        (Raw::List(elements), Type::Tuple(kinds)) => {
            mismatch(path, format!("a list of {} elements", kinds.len()), format!("one of {}", elements.len()))
        }
        (Raw::Struct(fields), Type::Map(kind)) => {
            let mut entries = std::collections::BTreeMap::new();
            for (name, value) in fields {
                let value = below(RawStep::Field(name.clone()), path, |path| typed(value, kind, path))?;
                entries.insert(normalized(&name).into(), value);
            }
            Ok(Value::Map(entries))
        }
        (Raw::Struct(fields), Type::Object(kinds)) => {
            let mut entries: std::collections::BTreeMap<pravo_model::Name, Value> = kinds.keys().map(|name| (name.clone(), Value::Null)).collect();
            for (name, value) in fields {
                let Some(kind) = kinds.get(name.as_str()) else {
                    path.push(RawStep::Field(name.clone()));
                    return mismatch(path, format!("one of the attributes {}", kinds.keys().cloned().collect::<Vec<_>>().join(", ")), name);
                };
                let value = below(RawStep::Field(name.clone()), path, |path| typed(value, kind, path))?;
                entries.insert(name.into(), value);
            }
            Ok(Value::Map(entries))
        }
        (raw, kind) => mismatch(path, kind.to_string(), raw.kind()),
    }
}

fn typed_elements<'a>(elements: Vec<Raw>, kind: impl Fn(usize) -> Option<&'a Type>, path: &mut RawPath) -> Result<Vec<Value>, Mismatch> {
    let mut values = Vec::with_capacity(elements.len());
    for (index, element) in elements.into_iter().enumerate() {
        let kind = kind(index).unwrap_or(&Type::Dynamic);
        values.push(below(RawStep::Index(index), path, |path| typed(element, kind, path))?);
    }
    Ok(values)
}

/// Goes one step down. An error keeps the path as it was where it happened.
pub(crate) fn below<T, E>(step: RawStep, path: &mut RawPath, body: impl FnOnce(&mut RawPath) -> Result<T, E>) -> Result<T, E> {
    path.push(step);
    let result = body(path);
    path.pop();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Raw {
        Raw::String(text.into())
    }

    fn list(elements: impl IntoIterator<Item = Raw>) -> Raw {
        Raw::List(elements.into_iter().collect())
    }

    fn fields<const N: usize>(fields: [(&str, Raw); N]) -> Raw {
        Raw::Struct(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    #[test]
    fn sets_are_brought_into_canonical_order() {
        let set = Type::Set(Box::new(Type::String));
        let value = list([text("b"), text("a"), text("b"), Raw::Unknown]).into_typed(&set).unwrap();
        assert_eq!(value, Value::List(vec![Value::Unknown, "a".into(), "b".into()]));
    }

    #[test]
    fn objects_are_completed_and_closed() {
        let object = Type::Object([("a".into(), Type::String), ("b".into(), Type::Number)].into());
        let value = fields([("a", text("x"))]).into_typed(&object).unwrap();
        assert_eq!(value, Value::object([("a", Value::from("x")), ("b", Value::Null)]));
        let error = fields([("c", Raw::Null)]).into_typed(&object).unwrap_err();
        assert_eq!((path_text(&error.path).as_str(), error.expected.as_str()), ("c", "one of the attributes a, b"));
    }

    #[test]
    fn uncertain_presence_makes_the_whole_unknown() {
        let map = Type::Map(Box::new(Type::Map(Box::new(Type::String))));
        assert_eq!(fields([("a", Raw::Open), ("b", fields([("c", text("d"))]))]).into_typed(&map), Ok(Value::Unknown));
        let value = fields([("b", fields([("c", Raw::Unknown)]))]).into_typed(&map).unwrap();
        assert_eq!(value, Value::object([("b", Value::object([("c", Value::Unknown)]))]));
    }

    #[test]
    fn a_wrong_type_is_found_where_it_is() {
        let kind = Type::List(Box::new(Type::Map(Box::new(Type::Number))));
        let error = list([fields([]), fields([("x-y", text("1"))])]).into_typed(&kind).unwrap_err();
        assert_eq!((path_text(&error.path).as_str(), error.expected.as_str(), error.found.as_str()), ("[1].\"x-y\"", "number", "string"));
        assert!(list([]).into_typed(&Type::Tuple(vec![Type::Bool])).is_err());
    }

    #[test]
    fn the_first_unknown_is_named() {
        let raw = fields([("a", list([Raw::Null, fields([("b", Raw::Unknown)])])), ("c", Raw::Unknown)]);
        assert_eq!(path_text(&raw.first_unknown().unwrap()), "a[1].b");
        assert_eq!(fields([("a", list([]))]).first_unknown(), None);
    }
}
