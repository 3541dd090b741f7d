//! The values of the tables as bytes (format 1).
//!
//! Heads stand apart from records and are compact, since a plan without changes reads nothing else: a dependency is written as the
//! length that it shares with the record's own address, and the rest.

use std::collections::HashMap;

use pravo_model::provider::ProviderBinding;
use pravo_model::specification::Kind;
use pravo_model::state::{
    Deposed, Fingerprint, Head, InstanceRecord, Intent, IntentAction, Object, Record, Status, Timestamp, TransactionId, TransactionRecord,
};
use pravo_model::{Address, Path, PathStep};

use crate::codec::{Broken, Decoder, Encoder};

/// Texts that stand for addresses already made, so that 100,000 heads share what they name.
pub(crate) type Known<'a> = HashMap<&'a str, Address>;

pub(crate) fn address(text: &str) -> Result<Address, Broken> {
    text.parse().map_err(|_| Broken("an address cannot be read"))
}

fn read_address(decoder: &mut Decoder<'_>) -> Result<Address, Broken> {
    address(decoder.text()?)
}

fn shared_length(one: &str, other: &str) -> usize {
    let shared = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    (0..=shared).rev().find(|at| other.is_char_boundary(*at)).unwrap_or(0)
}

const HAS_FINGERPRINT: u8 = 1;
const HAS_DEPOSED: u8 = 2;

fn write_head(encoder: &mut Encoder, owner: &str, head: &Head) {
    let status = match head.status {
        Status::Ready => 0,
        Status::Tainted => 1,
        Status::Uncertain => 2,
    };
    let kind = match head.kind {
        Kind::Resource => 0,
        Kind::Data => 1,
        Kind::Ephemeral => 2,
    };
    let flags = if head.fingerprint.is_some() { HAS_FINGERPRINT } else { 0 } | if head.has_deposed { HAS_DEPOSED } else { 0 };
    encoder.byte(flags | status << 2 | kind << 4);
    if let Some(Fingerprint(bytes)) = head.fingerprint {
        encoder.raw(&bytes);
    }
    encoder.number(head.read_at.0);
    encoder.list(&head.dependencies, |encoder, dependency| {
        let text = dependency.as_str();
        let shared = shared_length(owner, text);
        encoder.number(shared as u64);
        encoder.text(text.get(shared..).unwrap_or_default());
    });
}

fn read_head(decoder: &mut Decoder<'_>, owner: &str, known: &Known<'_>) -> Result<Head, Broken> {
    let flags = decoder.byte()?;
    let status = match flags >> 2 & 3 {
        0 => Status::Ready,
        1 => Status::Tainted,
        2 => Status::Uncertain,
        _ => return Err(Broken("a status is unknown")),
    };
    let kind = match flags >> 4 {
        0 => Kind::Resource,
        1 => Kind::Data,
        2 => Kind::Ephemeral,
        _ => return Err(Broken("a kind is unknown")),
    };
    let fingerprint = match flags & HAS_FINGERPRINT {
        0 => None,
        _ => Some(Fingerprint(decoder.raw(16)?.try_into().map_err(|_| Broken("a fingerprint is cut off"))?)),
    };
    let read_at = Timestamp(decoder.number()?);
    let mut text = String::new();
    let dependencies = decoder.list(|decoder| {
        let shared = usize::try_from(decoder.number()?).unwrap_or(usize::MAX);
        text.clear();
        text.push_str(owner.get(..shared).ok_or(Broken("a dependency cannot be read"))?);
        text.push_str(decoder.text()?);
        match known.get(text.as_str()) {
            Some(dependency) => Ok(dependency.clone()),
            None => address(&text),
        }
    })?;
    Ok(Head { fingerprint, read_at, status, kind, has_deposed: flags & HAS_DEPOSED != 0, dependencies })
}

pub(crate) fn head_bytes(owner: &Address, head: &Head) -> Vec<u8> {
    let mut encoder = Encoder::default();
    write_head(&mut encoder, owner.as_str(), head);
    encoder.finish()
}

pub(crate) fn head(owner: &str, bytes: &[u8], known: &Known<'_>) -> Result<Head, Broken> {
    let mut decoder = Decoder::new(bytes);
    let head = read_head(&mut decoder, owner, known)?;
    decoder.finish().map(|()| head)
}

fn write_path(encoder: &mut Encoder, path: &Path) {
    encoder.list(path.steps(), |encoder, step| match step {
        PathStep::Attribute(name) => {
            encoder.byte(0);
            encoder.text(name);
        }
        PathStep::Key(key) => {
            encoder.byte(1);
            encoder.text(key);
        }
        PathStep::Index(index) => {
            encoder.byte(2);
            encoder.number(*index);
        }
        PathStep::Element(element) => {
            encoder.byte(3);
            encoder.text(element);
        }
    });
}

fn read_path(decoder: &mut Decoder<'_>) -> Result<Path, Broken> {
    let steps = decoder.list(|decoder| {
        Ok(match decoder.byte()? {
            0 => PathStep::Attribute(decoder.text()?.into()),
            1 => PathStep::Key(decoder.text()?.into()),
            2 => PathStep::Index(decoder.number()?),
            3 => PathStep::Element(decoder.text()?.to_owned()),
            _ => return Err(Broken("a path step is unknown")),
        })
    })?;
    Ok(Path(steps))
}

fn write_object(encoder: &mut Encoder, object: &Object) {
    encoder.bytes(&object.attributes);
    encoder.number(object.schema_version);
    encoder.bytes(&object.private);
    encoder.list(&object.sensitive, write_path);
}

fn read_object(decoder: &mut Decoder<'_>) -> Result<Object, Broken> {
    Ok(Object {
        attributes: decoder.bytes()?.to_vec(),
        schema_version: decoder.number()?,
        private: decoder.bytes()?.to_vec(),
        sensitive: decoder.list(read_path)?,
    })
}

fn write_binding(encoder: &mut Encoder, binding: &ProviderBinding) {
    encoder.text(&binding.package);
    encoder.text(&binding.allow);
}

fn read_binding(decoder: &mut Decoder<'_>) -> Result<ProviderBinding, Broken> {
    Ok(ProviderBinding { package: decoder.text()?.to_owned(), allow: decoder.text()?.to_owned() })
}

fn write_body(encoder: &mut Encoder, record: &Record) {
    encoder.text(&record.type_name);
    write_binding(encoder, &record.binding);
    encoder.text(record.instance.as_str());
    encoder.option(record.object.as_ref(), write_object);
    encoder.list(&record.deposed, |encoder, deposed| {
        encoder.text(&deposed.key);
        write_object(encoder, &deposed.object);
    });
    encoder.byte(record.create_before_destroy.into());
    encoder.number(record.transaction.0);
}

fn read_body(decoder: &mut Decoder<'_>, address: Address, head: Head) -> Result<Record, Broken> {
    Ok(Record {
        address,
        head,
        type_name: decoder.text()?.to_owned(),
        binding: read_binding(decoder)?,
        instance: read_address(decoder)?,
        object: decoder.option(read_object)?,
        deposed: decoder.list(|decoder| Ok(Deposed { key: decoder.text()?.to_owned(), object: read_object(decoder)? }))?,
        create_before_destroy: decoder.flag()?,
        transaction: TransactionId(decoder.number()?),
    })
}

/// A record without its head and address, which the tables hold elsewhere.
pub(crate) fn body_bytes(record: &Record) -> Vec<u8> {
    let mut encoder = Encoder::default();
    write_body(&mut encoder, record);
    encoder.finish()
}

pub(crate) fn body(address: Address, head: Head, bytes: &[u8]) -> Result<Record, Broken> {
    let mut decoder = Decoder::new(bytes);
    let record = read_body(&mut decoder, address, head)?;
    decoder.finish().map(|()| record)
}

fn write_record(encoder: &mut Encoder, record: &Record) {
    write_head(encoder, record.address.as_str(), &record.head);
    write_body(encoder, record);
}

fn read_record(decoder: &mut Decoder<'_>, address: Address) -> Result<Record, Broken> {
    let head = read_head(decoder, address.as_str(), &Known::new())?;
    read_body(decoder, address, head)
}

/// An entry of the history: what an address became.
pub(crate) fn entry_bytes(record: Option<&Record>) -> Vec<u8> {
    let mut encoder = Encoder::default();
    encoder.option(record, write_record);
    encoder.finish()
}

pub(crate) fn entry(address: Address, bytes: &[u8]) -> Result<Option<Record>, Broken> {
    let mut decoder = Decoder::new(bytes);
    let record = decoder.option(|decoder| read_record(decoder, address))?;
    decoder.finish().map(|()| record)
}

pub(crate) fn intent_bytes(intent: &Intent) -> Vec<u8> {
    let mut encoder = Encoder::default();
    encoder.byte(match intent.action {
        IntentAction::Create => 0,
        IntentAction::Update => 1,
        IntentAction::Delete => 2,
        IntentAction::DeleteDeposed => 3,
    });
    encoder.option(intent.deposed.as_deref(), Encoder::text);
    encoder.option(intent.record.as_deref(), |encoder, record| {
        encoder.text(record.address.as_str());
        write_record(encoder, record);
    });
    encoder.number(intent.transaction.0);
    encoder.finish()
}

pub(crate) fn intent(address: Address, bytes: &[u8]) -> Result<Intent, Broken> {
    let mut decoder = Decoder::new(bytes);
    let action = match decoder.byte()? {
        0 => IntentAction::Create,
        1 => IntentAction::Update,
        2 => IntentAction::Delete,
        3 => IntentAction::DeleteDeposed,
        _ => return Err(Broken("an intent is unknown")),
    };
    let deposed = decoder.option(|decoder| decoder.text().map(str::to_owned))?;
    let record = decoder.option(|decoder| {
        let address = read_address(decoder)?;
        read_record(decoder, address).map(Box::new)
    })?;
    let intent = Intent { address, action, deposed, record, transaction: TransactionId(decoder.number()?) };
    decoder.finish().map(|()| intent)
}

pub(crate) fn instance_bytes(instance: &InstanceRecord) -> Vec<u8> {
    let mut encoder = Encoder::default();
    write_binding(&mut encoder, &instance.binding);
    encoder.text(&instance.config);
    encoder.list(&instance.sensitive, write_path);
    encoder.list(&instance.dependencies, |encoder, dependency| encoder.text(dependency.as_str()));
    encoder.finish()
}

pub(crate) fn instance(bytes: &[u8]) -> Result<InstanceRecord, Broken> {
    let mut decoder = Decoder::new(bytes);
    let instance = InstanceRecord {
        binding: read_binding(&mut decoder)?,
        config: decoder.text()?.to_owned(),
        sensitive: decoder.list(read_path)?,
        dependencies: decoder.list(read_address)?,
    };
    decoder.finish().map(|()| instance)
}

pub(crate) fn transaction_bytes(record: &TransactionRecord) -> Vec<u8> {
    let mut encoder = Encoder::default();
    encoder.text(&record.command);
    encoder.number(record.begun);
    encoder.option(record.ended, Encoder::number);
    for count in [record.added, record.changed, record.destroyed, record.imported, record.failed] {
        encoder.number(count);
    }
    encoder.finish()
}

pub(crate) fn transaction(id: u64, bytes: &[u8]) -> Result<TransactionRecord, Broken> {
    let mut decoder = Decoder::new(bytes);
    let record = TransactionRecord {
        id,
        command: decoder.text()?.to_owned(),
        begun: decoder.number()?,
        ended: decoder.option(Decoder::number)?,
        added: decoder.number()?,
        changed: decoder.number()?,
        destroyed: decoder.number()?,
        imported: decoder.number()?,
        failed: decoder.number()?,
    };
    decoder.finish().map(|()| record)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn heads_are_small() {
        let owner: Address = "chains.chain_00001.step_4".parse().unwrap();
        let head = Head {
            fingerprint: Some(Fingerprint([1; 16])),
            read_at: Timestamp(1_800_000_000_000),
            status: Status::Ready,
            kind: Kind::Resource,
            has_deposed: false,
            dependencies: vec!["chains.chain_00001.step_3".parse().unwrap()],
        };
        let bytes = head_bytes(&owner, &head);
        assert!(bytes.len() <= 28, "{} bytes", bytes.len());
        assert_eq!(super::head(owner.as_str(), &bytes, &Known::new()), Ok(head));
    }

    #[test]
    fn what_is_shared_ends_between_characters() {
        assert_eq!(shared_length("aé", "aè"), 1);
        assert_eq!(shared_length("aé", "aéx"), 3);
        assert_eq!(shared_length("", "a"), 0);
    }

    proptest! {
        #[test]
        fn foreign_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let at: Address = "a".parse().unwrap();
            let _ = head("a.é", &bytes, &Known::new());
            let _ = entry(at.clone(), &bytes);
            let _ = intent(at, &bytes);
            let _ = instance(&bytes);
            let _ = transaction(1, &bytes);
        }
    }
}
