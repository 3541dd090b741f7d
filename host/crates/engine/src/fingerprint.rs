//! The fingerprint of a configured body: what a plan compares instead of asking a provider.
//!
//! Kept true here: equal bodies of one type and provider instance have equal fingerprints, whatever was written as null or left out;
//! meta fields, write-only and ephemeral values are in no fingerprint; a body with unknowns has none. The hash is keyed with the
//! state's own key, so that a fingerprint tells nothing about a secret.

use std::collections::BTreeMap;

use pravo_model::schema::{AttributeKind, Nesting};
use pravo_model::specification::Kind;
use pravo_model::state::Fingerprint;
use pravo_model::{Name, Path, Type, Value};

use crate::shape::{Shape, clear};

/// What a fingerprint is made of.
pub(crate) struct Subject<'a> {
    pub(crate) kind: Kind,
    pub(crate) type_name: &'a str,
    pub(crate) provider_hash: &'a str,
    /// Address of the provider instance: what it makes and finds may differ from what another instance of the provider does.
    pub(crate) instance: &'a str,
    pub(crate) shape: Shape<'a>,
    pub(crate) config: &'a Value,
    pub(crate) ephemeral: &'a [Path],
}

/// The fingerprint; `None` where the body holds unknowns.
pub(crate) fn fingerprint(key: &[u8; 32], subject: &Subject<'_>, buffer: &mut Vec<u8>) -> Option<Fingerprint> {
    buffer.clear();
    let mut writer = Writer { buffer };
    writer.text(match subject.kind {
        Kind::Resource => "resource",
        Kind::Data => "data",
        Kind::Ephemeral => "ephemeral",
    });
    writer.text(subject.type_name);
    writer.text(subject.provider_hash);
    writer.text(subject.instance);
    if subject.ephemeral.is_empty() {
        writer.object(subject.shape, subject.config)?;
    } else {
        let mut config = subject.config.clone();
        subject.ephemeral.iter().for_each(|path| clear(&mut config, path.steps()));
        writer.object(subject.shape, &config)?;
    }
    let hash = blake3::keyed_hash(key, buffer);
    let mut short = [0; 16];
    short.copy_from_slice(hash.as_bytes().get(..16)?);
    Some(Fingerprint(short))
}

/// A key of a plan's own, which tells nothing about the state's: a plan of a state that does not exist yet is made with another
/// key than the state will have.
pub(crate) fn plan_key(key: &[u8; 32]) -> [u8; 32] {
    blake3::derive_key("pravo plan", key)
}

/// A keyed hash of any value that may hold unknowns, for telling values apart without storing them.
pub(crate) fn digest(key: &[u8; 32], parts: &[&str], values: &[Value]) -> [u8; 16] {
    let mut buffer = Vec::new();
    let mut writer = Writer { buffer: &mut buffer };
    parts.iter().for_each(|part| writer.text(part));
    values.iter().for_each(|value| writer.any(value));
    let mut short = [0; 16];
    short.iter_mut().zip(blake3::keyed_hash(key, &buffer).as_bytes()).for_each(|(to, from)| *to = *from);
    short
}

/// Writes values unambiguously: a tag, a length, the contents.
struct Writer<'b> {
    buffer: &'b mut Vec<u8>,
}

impl Writer<'_> {
    fn tag(&mut self, tag: u8, length: usize) {
        self.buffer.push(tag);
        self.buffer.extend_from_slice(&(length as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.tag(b's', text.len());
        self.buffer.extend_from_slice(text.as_bytes());
    }

    /// An object of a schema: nulls are left out, since null means not set.
    fn object(&mut self, shape: Shape<'_>, value: &Value) -> Option<()> {
        let entries = match value {
            Value::Unknown => return None,
            Value::Map(entries) => entries,
            value => return self.known(value),
        };
        self.buffer.push(b'{');
        for (name, value) in entries.iter().filter(|(_, value)| !value.is_null()) {
            if let Some(attribute) = shape.attribute(name) {
                if attribute.write_only {
                    continue;
                }
                self.text(name);
                match &attribute.kind {
                    AttributeKind::Nested(nesting, attributes) => self.nested(*nesting, attributes.into(), value)?,
                    AttributeKind::Type(kind) => self.typed(kind, value)?,
                }
            } else if let Some(nested) = shape.block(name) {
                if is_empty(value) {
                    continue;
                }
                self.text(name);
                self.nested(nested.nesting, (&nested.block).into(), value)?;
            } else {
                self.text(name);
                self.known(value)?;
            }
        }
        self.buffer.push(b'}');
        Some(())
    }

    fn nested(&mut self, nesting: Nesting, shape: Shape<'_>, value: &Value) -> Option<()> {
        match (nesting, value) {
            (Nesting::Single | Nesting::Group, value) => self.object(shape, value),
            (Nesting::List | Nesting::Set, Value::List(elements)) => {
                self.tag(b'[', elements.len());
                elements.iter().try_for_each(|element| self.object(shape, element))
            }
            (Nesting::Map, Value::Map(entries)) => {
                self.tag(b'<', entries.len());
                entries.iter().try_for_each(|(key, element)| {
                    self.text(key);
                    self.object(shape, element)
                })
            }
            (_, value) => self.known(value),
        }
    }

    /// A value of a type: in objects nulls are left out too, in maps they are elements.
    fn typed(&mut self, kind: &Type, value: &Value) -> Option<()> {
        match (kind, value) {
            (Type::Object(kinds), Value::Map(entries)) => {
                self.buffer.push(b'{');
                for (name, value) in entries.iter().filter(|(_, value)| !value.is_null()) {
                    self.text(name);
                    self.typed(kinds.get(name).unwrap_or(&Type::Dynamic), value)?;
                }
                self.buffer.push(b'}');
                Some(())
            }
            (Type::List(kind) | Type::Set(kind), Value::List(elements)) => {
                self.tag(b'[', elements.len());
                elements.iter().try_for_each(|element| self.typed(kind, element))
            }
            (Type::Map(kind), Value::Map(entries)) => self.map(entries, |writer, value| writer.typed(kind, value)),
            (_, value) => self.known(value),
        }
    }

    fn map(&mut self, entries: &BTreeMap<Name, Value>, mut element: impl FnMut(&mut Self, &Value) -> Option<()>) -> Option<()> {
        self.tag(b'<', entries.len());
        entries.iter().try_for_each(|(key, value)| {
            self.text(key);
            element(self, value)
        })
    }

    fn known(&mut self, value: &Value) -> Option<()> {
        if !value.is_wholly_known() {
            return None;
        }
        self.any(value);
        Some(())
    }

    fn any(&mut self, value: &Value) {
        match value {
            Value::Null => self.buffer.push(b'n'),
            Value::Unknown => self.buffer.push(b'u'),
            Value::Bool(truth) => self.buffer.extend_from_slice(&[b'b', u8::from(*truth)]),
            Value::Number(number) => match number.as_i64() {
                Some(integer) => {
                    self.buffer.push(b'i');
                    self.buffer.extend_from_slice(&integer.to_le_bytes());
                }
                None => {
                    self.buffer.push(b'd');
                    self.text(&number.to_string());
                }
            },
            Value::String(text) => self.text(text),
            Value::List(elements) => {
                self.tag(b'[', elements.len());
                elements.iter().for_each(|element| self.any(element));
            }
            Value::Map(entries) => {
                self.tag(b'<', entries.len());
                for (key, value) in entries {
                    self.text(key);
                    self.any(value);
                }
            }
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::List(elements) => elements.is_empty(),
        Value::Map(_) | Value::Unknown | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        Value::Null => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{block, nested, object, optional, schema, write_only};

    fn of(config: Value, ephemeral: &[Path]) -> Option<Fingerprint> {
        let mut sample = schema([
            ("a", optional(Type::String)),
            ("b", optional(Type::Map(Box::new(Type::String)))),
            ("w", write_only(Type::String)),
            ("o", optional(Type::Object([("k".into(), Type::Bool)].into()))),
        ]);
        sample.attributes.insert("n".into(), nested(Nesting::Single, [("p", optional(Type::String)), ("w", write_only(Type::String))]));
        sample.blocks.insert("disk".into(), block(Nesting::List, schema([("size", optional(Type::Number))])));
        let shape = Shape::from(&sample);
        let subject = Subject { kind: Kind::Resource, type_name: "t", provider_hash: "h", instance: "$i", shape, config: &config, ephemeral };
        fingerprint(&[7; 32], &subject, &mut Vec::new())
    }

    #[test]
    fn what_is_not_set_does_not_count() {
        let plain = of(object([("a", "1".into())]), &[]);
        assert!(plain.is_some());
        for same in [
            object([("a", "1".into()), ("b", Value::Null)]),
            object([("a", "1".into()), ("w", "secret".into())]),
            object([("a", "1".into()), ("w", Value::Unknown)]),
            object([("a", "1".into()), ("disk", Value::List(vec![]))]),
        ] {
            assert_eq!(of(same.clone(), &[]), plain, "{same:?}");
        }
        let inner = |extra: Value| of(object([("n", object([("p", "x".into()), ("w", extra)]))]), &[]);
        assert_eq!(inner("1".into()), inner("2".into()));
        let with_object = |k: Value| of(object([("o", object([("k", k)]))]), &[]);
        assert_eq!(with_object(Value::Null), of(object([("o", object::<&str>([]))]), &[]));
    }

    #[test]
    fn what_is_set_counts() {
        let bodies = [
            object::<&str>([]),
            object([("a", "1".into())]),
            object([("a", "2".into())]),
            object([("b", object([("a", "1".into())]))]),
            object([("b", object([("a", Value::Null)]))]),
            object([("b", object::<&str>([]))]),
            object([("disk", Value::List(vec![object::<&str>([])]))]),
        ];
        let all: std::collections::HashSet<_> = bodies.iter().map(|body| of(body.clone(), &[]).unwrap()).collect();
        assert_eq!(all.len(), bodies.len());
    }

    #[test]
    fn unknowns_have_no_fingerprint_and_ephemerals_are_in_none() {
        assert_eq!(of(object([("a", Value::Unknown)]), &[]), None);
        let path = [Path::attribute("a")];
        assert_eq!(of(object([("a", Value::Unknown)]), &path), of(object([("a", "x".into())]), &path));
        assert_eq!(of(object([("a", "x".into())]), &path), of(object::<&str>([]), &[]));
    }
}
