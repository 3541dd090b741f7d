//! The writing half.

use rmp::encode as write;

use crate::codec::{CodecError, MAX_DEPTH, normalized};
use crate::{Number, PathStep, Type, Value};

/// A value of a type as MessagePack. Attributes that an object lacks are written as null.
///
/// # Errors
/// Where the value does not fit the type or is nested too deep.
pub fn encode(value: &Value, kind: &Type) -> Result<Vec<u8>, CodecError> {
    let mut bytes = Vec::new();
    put(&mut bytes, value, kind, 0)?;
    Ok(bytes)
}

fn put(out: &mut Vec<u8>, value: &Value, kind: &Type, depth: usize) -> Result<(), CodecError> {
    if depth > MAX_DEPTH {
        return Err(CodecError::new(format!("nested more than {MAX_DEPTH} deep")));
    }
    match (value, kind) {
        (Value::Null, _) => out.push(0xc0),
        (Value::Unknown, _) => out.extend([0xd4, 0, 0]),
        (value, Type::Dynamic) => {
            let implied = Type::implied(value);
            array_header(out, 2)?;
            let text = crate::json::encode_type(&implied).to_string();
            write::write_bin(out, text.as_bytes()).map_err(broken)?;
            put(out, value, &implied, depth + 1)?;
        }
        (Value::Bool(truth), Type::Bool) => out.push(if *truth { 0xc3 } else { 0xc2 }),
        (Value::Number(number), Type::Number) => put_number(out, number)?,
        (Value::String(text), Type::String) => put_text(out, text)?,
        (Value::List(elements), Type::List(element) | Type::Set(element)) => {
            array_header(out, elements.len())?;
            for (value, index) in elements.iter().zip(0..) {
                put(out, value, element, depth + 1).map_err(|error| error.below(PathStep::Index(index)))?;
            }
        }
        (Value::List(elements), Type::Tuple(kinds)) if elements.len() == kinds.len() => {
            array_header(out, elements.len())?;
            for ((value, kind), index) in elements.iter().zip(kinds).zip(0..) {
                put(out, value, kind, depth + 1).map_err(|error| error.below(PathStep::Index(index)))?;
            }
        }
        (Value::Map(entries), Type::Map(element)) => {
            map_header(out, entries.len())?;
            for (key, value) in entries {
                put_text(out, key)?;
                put(out, value, element, depth + 1).map_err(|error| error.below(PathStep::Key(key.clone())))?;
            }
        }
        (Value::Map(entries), Type::Object(kinds)) => {
            map_header(out, kinds.len())?;
            for (name, value, kind) in crate::codec::attributes(entries, kinds)? {
                put_text(out, name)?;
                put(out, value, kind, depth + 1).map_err(|error| error.below(PathStep::Attribute(name.clone())))?;
            }
        }
        _ => return Err(CodecError::new(format!("not a {kind}"))),
    }
    Ok(())
}

/// An integer in the shortest form, a binary float where that is exact, else decimal text.
fn put_number(out: &mut Vec<u8>, number: &Number) -> Result<(), CodecError> {
    if let Some(integer) = number.as_i64() {
        return write::write_sint(out, integer).map(drop).map_err(|error| CodecError::new(error.to_string()));
    }
    let float = number.to_f64();
    if !number.is_integer() && Number::from_f64(float).as_ref() == Some(number) {
        return write::write_f64(out, float).map_err(|error| CodecError::new(error.to_string()));
    }
    put_text(out, &number.to_string())
}

fn put_text(out: &mut Vec<u8>, text: &str) -> Result<(), CodecError> {
    write::write_str(out, &normalized(text)).map_err(broken)
}

fn array_header(out: &mut Vec<u8>, length: usize) -> Result<(), CodecError> {
    write::write_array_len(out, length_of(length)?).map(drop).map_err(broken)
}

fn map_header(out: &mut Vec<u8>, length: usize) -> Result<(), CodecError> {
    write::write_map_len(out, length_of(length)?).map(drop).map_err(broken)
}

fn length_of(length: usize) -> Result<u32, CodecError> {
    u32::try_from(length).map_err(|_| CodecError::new("more elements than the encoding can count"))
}

fn broken(error: impl std::fmt::Display) -> CodecError {
    CodecError::new(error.to_string())
}
