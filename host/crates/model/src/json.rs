//! Values as JSON: the form in which records are stored and old states are read (plugin protocol, JSON values).
//!
//! Kept true here: numbers are exact at any size (JSON text to [`Number`] and back, never through a binary float), texts
//! are in normalisation form C, sets in canonical order. Unknown has no JSON form: it is an error.
//! The types of the protocol have a JSON form of their own, [`encode_type`].

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::codec::{CodecError, MAX_DEPTH, excerpt, normalized};
use crate::{Name, Number, PathStep, Type, Value};

/// A value as JSON text. Every attribute of an object type is written, null where it is not set.
///
/// # Errors
/// Where something is unknown, does not fit the type or is nested too deep.
pub fn encode_bytes(value: &Value, kind: &Type) -> Result<Vec<u8>, CodecError> {
    let mut text = Vec::new();
    put(&mut text, value, kind, 0)?;
    Ok(text)
}

/// A value of a type from JSON. As lenient as the protocol asks: a text where a number or a truth value stands, numbers and
/// truth values from their texts, null for what is missing in an object. An attribute that the type does not have is an error.
///
/// # Errors
/// Where the JSON is no value of the type.
pub fn decode(json: &Json, kind: &Type) -> Result<Value, CodecError> {
    decode_at(json, kind, 0)
}

/// As [`decode`], from text.
///
/// # Errors
/// As [`decode`], and where the text is no JSON.
pub fn decode_bytes(text: &[u8], kind: &Type) -> Result<Value, CodecError> {
    let json: Json = serde_json::from_slice(text).map_err(|error| CodecError::new(format!("not JSON: {error}")))?;
    decode(&json, kind)
}

fn put(out: &mut Vec<u8>, value: &Value, kind: &Type, depth: usize) -> Result<(), CodecError> {
    check_depth(depth)?;
    match (value, kind) {
        (Value::Null, _) => out.extend(b"null"),
        (Value::Unknown, _) => return Err(CodecError::new("a value that is not known cannot be stored")),
        (value, Type::Dynamic) => {
            let implied = Type::implied(value);
            out.extend(b"{\"value\":");
            put(out, value, &implied, depth + 1)?;
            out.extend(b",\"type\":");
            put_json(out, &encode_type(&implied))?;
            out.push(b'}');
        }
        (Value::Bool(truth), Type::Bool) => out.extend(if *truth { &b"true"[..] } else { b"false" }),
        // All digits, no exponent.
        (Value::Number(number), Type::Number) => out.extend(number.to_string().into_bytes()),
        (Value::String(text), Type::String) => put_json(out, &normalized(text))?,
        (Value::List(elements), Type::List(element) | Type::Set(element)) => {
            put_elements(out, elements.iter().map(|value| (value, &**element)), depth)?;
        }
        (Value::List(elements), Type::Tuple(kinds)) if elements.len() == kinds.len() => put_elements(out, elements.iter().zip(kinds), depth)?,
        (Value::Map(entries), Type::Map(element)) => {
            put_entries(out, entries.iter().map(|(key, value)| (key, value, &**element)), depth, PathStep::Key)?;
        }
        (Value::Map(entries), Type::Object(kinds)) => {
            put_entries(out, crate::codec::attributes(entries, kinds)?.into_iter(), depth, PathStep::Attribute)?;
        }
        _ => return Err(CodecError::new(format!("not a {kind}"))),
    }
    Ok(())
}

fn put_json(out: &mut Vec<u8>, value: &(impl serde::Serialize + ?Sized)) -> Result<(), CodecError> {
    serde_json::to_writer(out, value).map_err(|error| CodecError::new(error.to_string()))
}

fn put_elements<'a>(out: &mut Vec<u8>, elements: impl Iterator<Item = (&'a Value, &'a Type)>, depth: usize) -> Result<(), CodecError> {
    out.push(b'[');
    for ((value, kind), index) in elements.zip(0..) {
        if index > 0 {
            out.push(b',');
        }
        put(out, value, kind, depth + 1).map_err(|error| error.below(PathStep::Index(index)))?;
    }
    out.push(b']');
    Ok(())
}

fn put_entries<'a>(
    out: &mut Vec<u8>,
    entries: impl Iterator<Item = (&'a Name, &'a Value, &'a Type)>,
    depth: usize,
    step: fn(Name) -> PathStep,
) -> Result<(), CodecError> {
    out.push(b'{');
    for (index, (name, value, kind)) in entries.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        put_json(out, &normalized(name))?;
        out.push(b':');
        put(out, value, kind, depth + 1).map_err(|error| error.below(step(name.clone())))?;
    }
    out.push(b'}');
    Ok(())
}

fn decode_at(json: &Json, kind: &Type, depth: usize) -> Result<Value, CodecError> {
    check_depth(depth)?;
    match (json, kind) {
        (Json::Null, _) => Ok(Value::Null),
        (json, Type::Dynamic) => decode_dynamic(json, depth),
        (Json::Bool(truth), Type::Bool) => Ok(Value::Bool(*truth)),
        (Json::String(text), Type::Bool) if text == "true" || text == "false" => Ok(Value::Bool(text == "true")),
        (Json::Number(number), Type::Number) => parse_number(&number.to_string()),
        (Json::String(text), Type::Number) => parse_number(text),
        (Json::String(text), Type::String) => Ok(Value::String(normalized(text).into_owned())),
        (Json::Number(number), Type::String) => {
            let number = number.to_string();
            Ok(Value::String(number.parse::<Number>().map_or(number, |number| number.to_string())))
        }
        (Json::Bool(truth), Type::String) => Ok(Value::String(truth.to_string())),
        (Json::Array(elements), Type::List(element)) => Ok(Value::List(decode_elements(elements, |_| element, depth)?)),
        (Json::Array(elements), Type::Set(element)) => Ok(Value::set(decode_elements(elements, |_| element, depth)?)),
        (Json::Array(elements), Type::Tuple(kinds)) if elements.len() == kinds.len() => {
            Ok(Value::List(decode_elements(elements, |index| kinds.get(index).unwrap_or(&Type::Dynamic), depth)?))
        }
        (Json::Object(entries), Type::Map(element)) => {
            let entries = entries.iter().map(|(key, json)| {
                let value = decode_at(json, element, depth + 1).map_err(|error| error.below(PathStep::Key(key.into())))?;
                Ok((normalized(key).into_owned().into(), value))
            });
            Ok(Value::Map(entries.collect::<Result<_, _>>()?))
        }
        (Json::Object(entries), Type::Object(kinds)) => decode_object(entries, kinds, depth),
        _ => Err(CodecError::new(format!("a {kind} is required, here is {}", describe(json)))),
    }
}

fn decode_elements<'a>(elements: &[Json], kind: impl Fn(usize) -> &'a Type, depth: usize) -> Result<Vec<Value>, CodecError> {
    let elements = elements
        .iter()
        .enumerate()
        .map(|(index, json)| decode_at(json, kind(index), depth + 1).map_err(|error| error.below(PathStep::Index(index as u64))));
    elements.collect()
}

fn decode_object(entries: &Map<String, Json>, kinds: &BTreeMap<Name, Type>, depth: usize) -> Result<Value, CodecError> {
    if let Some(name) = entries.keys().find(|name| !kinds.contains_key(&*normalized(name))) {
        return Err(CodecError::new(format!("{} is no attribute of the type", excerpt(name))));
    }
    let attributes = kinds.iter().map(|(name, kind)| {
        let value = match entries.get(name.as_str()) {
            Some(json) => decode_at(json, kind, depth + 1).map_err(|error| error.below(PathStep::Attribute(name.clone())))?,
            None => Value::Null,
        };
        Ok((name.clone(), value))
    });
    Ok(Value::Map(attributes.collect::<Result<_, _>>()?))
}

fn decode_dynamic(json: &Json, depth: usize) -> Result<Value, CodecError> {
    let wrapped = json.as_object().and_then(|object| Some((object.get("value")?, object.get("type")?)));
    let Some((value, kind)) = wrapped else {
        return Err(CodecError::new(format!("an object with value and type is required, here is {}", describe(json))));
    };
    decode_at(value, &decode_type(kind)?, depth + 1)
}

fn parse_number(text: &str) -> Result<Value, CodecError> {
    let number = text.parse::<Number>().map_err(|error| CodecError::new(error.to_string()))?;
    Ok(Value::Number(number))
}

fn describe(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a truth value",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    }
}

fn check_depth(depth: usize) -> Result<(), CodecError> {
    if depth > MAX_DEPTH {
        return Err(CodecError::new(format!("nested more than {MAX_DEPTH} deep")));
    }
    Ok(())
}

/// A type in the protocol's JSON form: `"string"`, `["list","string"]`, `["object",{"a":"number"}]`, `["tuple",[…]]`.
pub fn encode_type(kind: &Type) -> Json {
    let pair = |name: &str, inner: Json| Json::Array(vec![Json::String(name.to_owned()), inner]);
    match kind {
        Type::Bool => Json::String("bool".to_owned()),
        Type::Number => Json::String("number".to_owned()),
        Type::String => Json::String("string".to_owned()),
        Type::Dynamic => Json::String("dynamic".to_owned()),
        Type::List(element) => pair("list", encode_type(element)),
        Type::Set(element) => pair("set", encode_type(element)),
        Type::Map(element) => pair("map", encode_type(element)),
        Type::Tuple(elements) => pair("tuple", Json::Array(elements.iter().map(encode_type).collect())),
        Type::Object(attributes) => {
            pair("object", Json::Object(attributes.iter().map(|(name, kind)| (name.as_str().to_owned(), encode_type(kind))).collect()))
        }
    }
}

/// A type from the protocol's JSON form. Optional attributes of objects are taken as attributes.
///
/// # Errors
/// Where the JSON is no type.
pub fn decode_type(json: &Json) -> Result<Type, CodecError> {
    decode_type_at(json, 0)
}

/// As [`decode_type`], from text.
///
/// # Errors
/// As [`decode_type`], and where the text is no JSON.
pub fn decode_type_bytes(text: &[u8]) -> Result<Type, CodecError> {
    let json: Json = serde_json::from_slice(text).map_err(|error| CodecError::new(format!("a type that is not JSON: {error}")))?;
    decode_type(&json)
}

fn decode_type_at(json: &Json, depth: usize) -> Result<Type, CodecError> {
    check_depth(depth)?;
    let wrong = || CodecError::new(format!("{} is no type", excerpt(&json.to_string())));
    let inner = |json| decode_type_at(json, depth + 1);
    match json {
        Json::String(name) => match name.as_str() {
            "bool" => Ok(Type::Bool),
            "number" => Ok(Type::Number),
            "string" => Ok(Type::String),
            "dynamic" => Ok(Type::Dynamic),
            _ => Err(wrong()),
        },
        Json::Array(parts) => match parts.as_slice() {
            [Json::String(name), element] if name == "list" => Ok(Type::List(Box::new(inner(element)?))),
            [Json::String(name), element] if name == "set" => Ok(Type::Set(Box::new(inner(element)?))),
            [Json::String(name), element] if name == "map" => Ok(Type::Map(Box::new(inner(element)?))),
            [Json::String(name), Json::Array(elements)] if name == "tuple" => Ok(Type::Tuple(elements.iter().map(inner).collect::<Result<_, _>>()?)),
            [Json::String(name), Json::Object(attributes)] | [Json::String(name), Json::Object(attributes), Json::Array(_)] if name == "object" => {
                let attributes = attributes.iter().map(|(name, kind)| Ok((normalized(name).into_owned().into(), inner(kind)?)));
                Ok(Type::Object(attributes.collect::<Result<_, _>>()?))
            }
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(attributes: &[(&str, Type)]) -> Type {
        Type::Object(attributes.iter().map(|(name, kind)| ((*name).into(), kind.clone())).collect())
    }

    #[test]
    fn numbers_keep_every_digit() {
        for text in ["9223372036854775807", "9223372036854775808", "0.1", "-12345678901234567890.123456789", "100"] {
            let value = decode_bytes(text.as_bytes(), &Type::Number).unwrap();
            assert_eq!(encode_bytes(&value, &Type::Number).unwrap(), text.as_bytes());
        }
        assert_eq!(encode_bytes(&decode_bytes(b"1e3", &Type::Number).unwrap(), &Type::Number).unwrap(), b"1000");
    }

    #[test]
    fn reading_is_lenient_where_the_protocol_is() {
        for (json, kind, expected) in [
            ("\"1.50\"", Type::Number, Value::Number("1.5".parse().unwrap())),
            ("1.50", Type::String, "1.5".into()),
            ("true", Type::String, "true".into()),
            ("\"false\"", Type::Bool, Value::Bool(false)),
            ("{\"a\":1}", object(&[("a", Type::Number), ("b", Type::Bool)]), Value::object([("a", Value::integer(1)), ("b", Value::Null)])),
            ("[2,1,2]", Type::Set(Box::new(Type::Number)), Value::List(vec![Value::integer(1), Value::integer(2)])),
            ("\"e\\u0301\"", Type::String, "é".into()),
            ("{\"value\":[1],\"type\":[\"list\",\"number\"]}", Type::Dynamic, Value::List(vec![Value::integer(1)])),
        ] {
            assert_eq!(decode_bytes(json.as_bytes(), &kind), Ok(expected), "{json}");
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error_with_its_place() {
        let kind = object(&[("a", Type::List(Box::new(Type::Number)))]);
        let error = decode_bytes(b"{\"a\":[1,true]}", &kind).unwrap_err();
        assert_eq!(error.to_string(), "a[1]: a number is required, here is a truth value");
        assert_eq!(decode_bytes(b"{\"b\":1}", &kind).unwrap_err().to_string(), "\"b\" is no attribute of the type");
        assert_eq!(
            encode_bytes(&Value::object([("a", Value::Unknown)]), &kind).unwrap_err().to_string(),
            "a: a value that is not known cannot be stored"
        );
        assert!(decode_bytes(b"\"yes\"", &Type::Bool).is_err());
        assert!(decode_bytes(b"[", &Type::Bool).is_err());
    }

    #[test]
    fn types_have_the_form_of_the_protocol() {
        for text in [
            "\"string\"",
            "[\"list\",\"bool\"]",
            "[\"map\",[\"set\",\"number\"]]",
            "[\"tuple\",[\"string\",\"dynamic\"]]",
            "[\"object\",{\"a\":\"number\",\"b\":[\"list\",\"string\"]}]",
        ] {
            assert_eq!(encode_type(&decode_type_bytes(text.as_bytes()).unwrap()).to_string(), text);
        }
        let optional = decode_type_bytes(b"[\"object\",{\"a\":\"number\"},[\"a\"]]").unwrap();
        assert_eq!(optional, object(&[("a", Type::Number)]));
        for text in ["\"text\"", "[\"list\"]", "[\"tuple\",{}]", "1", "[\"capsule\",\"x\"]"] {
            assert!(decode_type_bytes(text.as_bytes()).is_err(), "{text}");
        }
    }
}
