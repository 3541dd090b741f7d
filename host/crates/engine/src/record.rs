//! Records: made from objects, and read back without a provider.
//!
//! Kept true here: reading one attribute of a record decodes that attribute and nothing else. A record that an older
//! schema wrote is brought up to date by its provider elsewhere; here such a record is read as far as it fits.

use std::collections::HashMap;

use pravo_diag::Diagnostic;
use pravo_model::provider::CurrentObject;
use pravo_model::state::{Object, Record};
use pravo_model::{Address, Path, PathStep, Type, Value};
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::subject::Subject;
use pravo_model::json;

/// An object as the state holds it. Values are wholly known.
///
/// # Errors
/// Where the value does not have the type of the schema, a bug of the provider.
pub(crate) fn store(subject: &Subject, object: &CurrentObject, sensitive: &[Path]) -> Result<Object, Diagnostic> {
    let attributes = json::encode_bytes(&object.value, subject.value_type())
        .map_err(|error| subject.place.bug(subject.package(), &format!("its object cannot be stored: {error}"), &[]))?;
    Ok(Object { attributes, schema_version: subject.schema().version, private: object.private.clone(), sensitive: sensitive.to_vec() })
}

/// A stored object as it is, without asking its provider: what no longer fits the schema is null.
pub(crate) fn restore(subject: &Subject, object: &Object) -> Value {
    let entries: HashMap<String, &RawValue> = serde_json::from_slice(&object.attributes).unwrap_or_default();
    match subject.value_type() {
        Type::Object(kinds) => Value::Map(
            kinds
                .iter()
                .map(|(name, kind)| {
                    let value = entries.get(name.as_str()).and_then(|raw| json::decode_bytes(raw.get().as_bytes(), kind).ok()).unwrap_or_default();
                    (name.clone(), value)
                })
                .collect(),
        ),
        _ => Value::Null,
    }
}

/// One attribute of a stored object, or a part of it; null where it is not there.
pub(crate) fn attribute(subject: &Subject, object: &Object, path: &Path) -> Value {
    let Some((PathStep::Attribute(name) | PathStep::Key(name), rest)) = path.steps().split_first() else {
        return restore(subject, object);
    };
    let shape = subject.shape();
    let kind = match (shape.attribute(name), shape.block(name)) {
        (Some(attribute), _) => attribute.value_type(),
        (None, Some(_)) => match subject.value_type() {
            Type::Object(kinds) => kinds.get(name).cloned().unwrap_or(Type::Dynamic),
            _ => Type::Dynamic,
        },
        (None, None) => return Value::Null,
    };
    let raw = entry(&object.attributes, name);
    let value = raw.and_then(|raw| json::decode_bytes(raw.get().as_bytes(), &kind).ok()).unwrap_or_default();
    value.get(&Path(rest.to_vec())).cloned().unwrap_or_default()
}

/// One entry of a JSON object; those in front of it are passed over, those behind it are not looked at.
fn entry<'a>(json: &'a [u8], name: &str) -> Option<&'a RawValue> {
    struct Only<'n, 'de>(&'n str, &'n mut Option<&'de RawValue>);

    impl<'de> Visitor<'de> for Only<'_, 'de> {
        type Value = ();

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            while let Some(name) = entries.next_key::<Name<'de>>()? {
                if name.0 == self.0 {
                    *self.1 = Some(entries.next_value()?);
                    return Ok(());
                }
                entries.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }

    /// A name, borrowed where nothing in it is escaped.
    #[derive(serde::Deserialize)]
    struct Name<'a>(#[serde(borrow)] std::borrow::Cow<'a, str>);

    let mut found = None;
    // What is left behind the entry is an error to the reader, and none to us.
    let _ = serde_json::Deserializer::from_slice(json).deserialize_map(Only(name, &mut found));
    found
}

/// A hash of all that a plan may rest on in a record: not of its fingerprint, its edges and its times.
pub(crate) fn stamp(record: &Record) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(record.type_name.as_bytes());
    part(record.binding.package.as_bytes());
    part(format!("{:?}", record.head.status).as_bytes());
    let objects = record.object.iter().chain(record.deposed.iter().map(|deposed| &deposed.object));
    for object in objects {
        part(&object.attributes);
        part(&object.private);
        part(&object.schema_version.to_le_bytes());
    }
    part(&[u8::from(record.object.is_some())]);
    record.deposed.iter().for_each(|deposed| part(deposed.key.as_bytes()));
    let mut short = [0; 16];
    short.iter_mut().zip(hasher.finalize().as_bytes()).for_each(|(to, from)| *to = *from);
    short
}

/// Eight hexadecimal digits that no other deposed object of the record has.
pub(crate) fn deposed_key(address: &Address, record: &Record) -> String {
    let mut round = record.deposed.len() as u64;
    loop {
        let mut hasher = blake3::Hasher::new();
        hasher.update(address.as_str().as_bytes());
        hasher.update(&round.to_le_bytes());
        hasher.update(&record.head.read_at.0.to_le_bytes());
        let key: String = hasher.finalize().to_hex().chars().take(8).collect();
        if record.deposed.iter().all(|deposed| deposed.key != key) {
            return key;
        }
        round += 1;
    }
}
