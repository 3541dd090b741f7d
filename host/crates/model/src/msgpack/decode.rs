//! The reading half: a cursor over bytes that nobody vouches for.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rmp::Marker;

use super::{MAX_REFINEMENTS, REFINED_UNKNOWN};
use crate::codec::{CodecError, Limits, excerpt, normalized};
use crate::{Name, Number, PathStep, Type, Value};

/// A value of a type from MessagePack.
///
/// # Errors
/// Where the bytes are no value of the type, or exceed a limit.
pub fn decode(bytes: &[u8], kind: &Type, limits: Limits) -> Result<Value, CodecError> {
    read(bytes, kind, limits, false)
}

/// As [`decode`], but objects have no entries for attributes that are null, so that a wide object of which little is set is small.
/// [`Value::attribute`] and [`super::encode`] take a missing attribute for null.
///
/// # Errors
/// As [`decode`].
pub fn decode_sparse(bytes: &[u8], kind: &Type, limits: Limits) -> Result<Value, CodecError> {
    read(bytes, kind, limits, true)
}

fn read(bytes: &[u8], kind: &Type, limits: Limits, is_sparse: bool) -> Result<Value, CodecError> {
    if bytes.len() > limits.bytes {
        return Err(CodecError::new(format!("{} bytes, more than the limit of {}", bytes.len(), limits.bytes)));
    }
    let mut reader = Reader { rest: bytes, count: limits.count, depth: limits.depth, is_sparse };
    let value = reader.value(kind, 0)?;
    if !reader.rest.is_empty() {
        return Err(CodecError::new(format!("{} bytes too many after the value", reader.rest.len())));
    }
    Ok(value)
}

struct Reader<'a> {
    rest: &'a [u8],
    /// How many more values may come.
    count: usize,
    depth: usize,
    /// Whether null attributes are left out. Not within dynamic values: what they have is their type.
    is_sparse: bool,
}

impl<'a> Reader<'a> {
    fn value(&mut self, kind: &Type, depth: usize) -> Result<Value, CodecError> {
        if depth > self.depth {
            return Err(CodecError::new(format!("nested more than {} deep", self.depth)));
        }
        self.count = self.count.checked_sub(1).ok_or_else(|| CodecError::new("more values than the limit"))?;
        let marker = Marker::from_u8(self.byte()?);
        if marker == Marker::Null {
            return Ok(Value::Null);
        }
        if let Some(length) = self.extension_length(marker)? {
            return self.unknown(length);
        }
        match kind {
            Type::Bool => match marker {
                Marker::True => Ok(Value::Bool(true)),
                Marker::False => Ok(Value::Bool(false)),
                _ => Err(unexpected(marker, kind)),
            },
            Type::Number => self.number(marker),
            Type::String => Ok(Value::String(normalized(self.text(marker, kind)?).into_owned())),
            Type::List(element) => Ok(Value::List(self.elements(marker, kind, element, depth)?)),
            Type::Set(element) => Ok(Value::set(self.elements(marker, kind, element, depth)?)),
            Type::Tuple(kinds) => self.tuple(marker, kind, kinds, depth),
            Type::Map(element) => self.map(marker, kind, element, depth),
            Type::Object(kinds) => self.object(marker, kind, kinds, depth),
            Type::Dynamic => self.dynamic(marker, kind, depth),
        }
    }

    fn number(&mut self, marker: Marker) -> Result<Value, CodecError> {
        let integer = match marker {
            Marker::FixPos(integer) => i64::from(integer),
            Marker::FixNeg(integer) => i64::from(integer),
            Marker::U8 => i64::from(u8::from_be_bytes(self.array()?)),
            Marker::U16 => i64::from(u16::from_be_bytes(self.array()?)),
            Marker::U32 => i64::from(u32::from_be_bytes(self.array()?)),
            Marker::U64 => {
                let integer = u64::from_be_bytes(self.array()?);
                return Ok(Value::Number(i64::try_from(integer).map_or_else(|_| Number::from_decimal(integer.into()), Number::from)));
            }
            Marker::I8 => i64::from(i8::from_be_bytes(self.array()?)),
            Marker::I16 => i64::from(i16::from_be_bytes(self.array()?)),
            Marker::I32 => i64::from(i32::from_be_bytes(self.array()?)),
            Marker::I64 => i64::from_be_bytes(self.array()?),
            Marker::F32 => return float(f64::from(f32::from_be_bytes(self.array()?))),
            Marker::F64 => return float(f64::from_be_bytes(self.array()?)),
            _ => {
                let text = self.text(marker, &Type::Number)?;
                return text.parse().map(Value::Number).map_err(|error| CodecError::new(format!("{error}")));
            }
        };
        Ok(Value::integer(integer))
    }

    /// A text, or bytes that are one.
    fn text(&mut self, marker: Marker, kind: &Type) -> Result<&'a str, CodecError> {
        let length = match marker {
            Marker::FixStr(length) => usize::from(length),
            Marker::Str8 | Marker::Bin8 => self.length(1)?,
            Marker::Str16 | Marker::Bin16 => self.length(2)?,
            Marker::Str32 | Marker::Bin32 => self.length(4)?,
            _ => return Err(unexpected(marker, kind)),
        };
        std::str::from_utf8(self.take(length)?).map_err(|_| CodecError::new("a text that is not UTF-8"))
    }

    fn elements(&mut self, marker: Marker, kind: &Type, element: &Type, depth: usize) -> Result<Vec<Value>, CodecError> {
        let length = self.array_length(marker, kind)?;
        let mut elements = Vec::new();
        for index in 0..length {
            elements.push(self.value(element, depth + 1).map_err(|error| error.below(PathStep::Index(index as u64)))?);
        }
        Ok(elements)
    }

    fn tuple(&mut self, marker: Marker, kind: &Type, kinds: &[Type], depth: usize) -> Result<Value, CodecError> {
        let length = self.array_length(marker, kind)?;
        if length != kinds.len() {
            return Err(CodecError::new(format!("a tuple of {} elements is required, here are {length}", kinds.len())));
        }
        let elements = kinds.iter().zip(0..).map(|(kind, index)| self.value(kind, depth + 1).map_err(|error| error.below(PathStep::Index(index))));
        Ok(Value::List(elements.collect::<Result<_, _>>()?))
    }

    fn map(&mut self, marker: Marker, kind: &Type, element: &Type, depth: usize) -> Result<Value, CodecError> {
        let mut entries = BTreeMap::new();
        for _ in 0..self.map_length(marker, kind)? {
            let key = Name::from(self.key()?);
            let value = self.value(element, depth + 1).map_err(|error| error.below(PathStep::Key(key.clone())))?;
            if entries.contains_key(&key) {
                return Err(CodecError::new(format!("the key {} is there twice", excerpt(&key))));
            }
            entries.insert(key, value);
        }
        Ok(Value::Map(entries))
    }

    fn object(&mut self, marker: Marker, kind: &Type, kinds: &BTreeMap<Name, Type>, depth: usize) -> Result<Value, CodecError> {
        let length = self.map_length(marker, kind)?;
        if length != kinds.len() {
            return Err(CodecError::new(format!("an object with {} attributes is required, here are {length}", kinds.len())));
        }
        // Attributes come in order where the other side kept them so: then nothing is looked up or sorted.
        let mut expected = kinds.iter();
        let mut is_sorted = true;
        let mut last = None;
        let mut attributes: Vec<(Name, Value)> = Vec::with_capacity(length);
        for _ in 0..length {
            let name = self.key_text()?;
            let (name, kind) = expected
                .next()
                .filter(|(next, _)| next.as_str() == name)
                .or_else(|| kinds.get_key_value(&*name))
                .ok_or_else(|| CodecError::new(format!("{} is no attribute of the type", excerpt(&name))))?;
            let value = self.value(kind, depth + 1).map_err(|error| error.below(PathStep::Attribute(name.clone())))?;
            is_sorted &= last.is_none_or(|last| last < name);
            last = Some(name);
            attributes.push((name.clone(), value));
        }
        let mut attributes = if is_sorted { attributes } else { unique(attributes)? };
        if self.is_sparse {
            attributes.retain(|(_, value)| !value.is_null());
        }
        Ok(Value::Map(attributes.into_iter().collect()))
    }

    fn dynamic(&mut self, marker: Marker, kind: &Type, depth: usize) -> Result<Value, CodecError> {
        if self.array_length(marker, kind)? != 2 {
            return Err(CodecError::new("a dynamic value must be its type and itself"));
        }
        let marker = Marker::from_u8(self.byte()?);
        let kind = crate::json::decode_type_bytes(self.text(marker, kind)?.as_bytes())?;
        let is_sparse = std::mem::replace(&mut self.is_sparse, false);
        let value = self.value(&kind, depth + 1);
        self.is_sparse = is_sparse;
        value
    }

    fn key(&mut self) -> Result<String, CodecError> {
        self.key_text().map(Cow::into_owned)
    }

    fn key_text(&mut self) -> Result<Cow<'a, str>, CodecError> {
        let marker = Marker::from_u8(self.byte()?);
        Ok(normalized(self.text(marker, &Type::String)?))
    }

    fn unknown(&mut self, length: usize) -> Result<Value, CodecError> {
        let [kind] = self.array::<1>()?;
        let refined = i8::from_be_bytes([kind]) == REFINED_UNKNOWN;
        if length > if refined { MAX_REFINEMENTS } else { 1 } {
            return Err(CodecError::new(format!("an unknown extension type {kind} of {length} bytes")));
        }
        self.take(length)?;
        Ok(Value::Unknown)
    }

    fn extension_length(&mut self, marker: Marker) -> Result<Option<usize>, CodecError> {
        Ok(Some(match marker {
            Marker::FixExt1 => 1,
            Marker::FixExt2 => 2,
            Marker::FixExt4 => 4,
            Marker::FixExt8 => 8,
            Marker::FixExt16 => 16,
            Marker::Ext8 => self.length(1)?,
            Marker::Ext16 => self.length(2)?,
            Marker::Ext32 => self.length(4)?,
            _ => return Ok(None),
        }))
    }

    fn array_length(&mut self, marker: Marker, kind: &Type) -> Result<usize, CodecError> {
        let length = match marker {
            Marker::FixArray(length) => usize::from(length),
            Marker::Array16 => self.length(2)?,
            Marker::Array32 => self.length(4)?,
            _ => return Err(unexpected(marker, kind)),
        };
        self.plausible(length, 1)
    }

    fn map_length(&mut self, marker: Marker, kind: &Type) -> Result<usize, CodecError> {
        let length = match marker {
            Marker::FixMap(length) => usize::from(length),
            Marker::Map16 => self.length(2)?,
            Marker::Map32 => self.length(4)?,
            _ => return Err(unexpected(marker, kind)),
        };
        self.plausible(length, 2)
    }

    /// Refuses a length that the rest of the input cannot hold.
    fn plausible(&self, length: usize, least: usize) -> Result<usize, CodecError> {
        if length > self.rest.len() / least {
            return Err(CodecError::new(format!("{length} elements are announced, only {} bytes follow", self.rest.len())));
        }
        Ok(length)
    }

    fn length(&mut self, bytes: usize) -> Result<usize, CodecError> {
        Ok(self.take(bytes)?.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
    }

    fn byte(&mut self) -> Result<u8, CodecError> {
        self.array().map(|[byte]| byte)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        let (head, rest) = self.rest.split_first_chunk().ok_or_else(truncated)?;
        self.rest = rest;
        Ok(*head)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], CodecError> {
        let (head, rest) = self.rest.split_at_checked(length).ok_or_else(truncated)?;
        self.rest = rest;
        Ok(head)
    }
}

/// The attributes; an error where one is there twice.
fn unique(attributes: Vec<(Name, Value)>) -> Result<Vec<(Name, Value)>, CodecError> {
    let mut names: Vec<&Name> = attributes.iter().map(|(name, _)| name).collect();
    names.sort();
    if let Some(twice) = names.windows(2).find_map(|pair| pair.first().filter(|first| Some(*first) == pair.get(1))) {
        return Err(CodecError::new(format!("the attribute {} is there twice", excerpt(twice))));
    }
    Ok(attributes)
}

fn float(float: f64) -> Result<Value, CodecError> {
    Number::from_f64(float).map(Value::Number).ok_or_else(|| CodecError::new(format!("the number {float} is not finite")))
}

fn truncated() -> CodecError {
    CodecError::new("the bytes end too early")
}

fn unexpected(marker: Marker, kind: &Type) -> CodecError {
    CodecError::new(format!("a {kind} is required, here is {marker:?}"))
}
