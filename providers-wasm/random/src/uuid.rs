//! `random_uuid`, `random_uuid4`, `random_uuid7`.

use std::cell::Cell;
use std::time::{SystemTime, UNIX_EPOCH};

use pravo_sdk::{Attr, Context, Diagnostic, DiagnosticExt, Diagnostics, Resource, Result};

use crate::encoding::{from_hexadecimal, hexadecimal};
use crate::entropy;
use crate::keepers::{self, Keepers};

macro_rules! uuid {
    ($(#[$documentation:meta])* $name:ident, $type_name:literal, $make:expr, $parse:expr) => {
        $(#[$documentation])*
        #[derive(Resource)]
        #[pravo(name = $type_name)]
        pub struct $name {
            /// Arbitrary texts; a change makes a new result.
            #[pravo(optional, replace = keepers::replaces)]
            keepers: Keepers,
            /// The UUID.
            #[pravo(computed, keep_prior)]
            result: Attr<String>,
            /// The UUID.
            #[pravo(computed, keep_prior)]
            id: Attr<String>,
        }

        impl $name {
            fn of(keepers: Keepers, bytes: [u8; 16]) -> Self {
                let text = format(bytes);
                Self { keepers, result: text.clone().into(), id: text.into() }
            }
        }

        impl Resource for $name {
            type Configuration = ();

            fn create(planned: Self, _: &Context<'_, ()>) -> Result<Self> {
                Ok(Self::of(planned.keepers, $make?))
            }

            fn import(id: &str, _: &Context<'_, ()>) -> Result<Self> {
                let parse: fn(&str) -> Option<[u8; 16]> = $parse;
                parse(id).map(|bytes| Self::of(Attr::Null, bytes)).ok_or_else(|| no_uuid(id))
            }
        }
    };
}

uuid! {
    /// 16 random bytes in the form of a UUID.
    Uuid, "random_uuid", entropy::array(), strict
}

uuid! {
    /// A random UUID of version 4 (RFC 9562).
    Uuid4, "random_uuid4", entropy::array().map(|bytes| tagged(bytes, 4)), lenient
}

uuid! {
    /// A UUID of version 7 (RFC 9562): its first bits are the time.
    Uuid7, "random_uuid7", version_7(), lenient
}

fn no_uuid(id: &str) -> Diagnostics {
    let detail = format!("There was an error during the parsing of the UUID: {id:?} is none.");
    Diagnostic::error("Import Random UUID Error", detail).into()
}

/// 8-4-4-4-12 digits.
fn format(bytes: [u8; 16]) -> String {
    let mut text = hexadecimal(&bytes);
    for place in [20, 16, 12, 8] {
        text.insert(place, '-');
    }
    text
}

/// With the bits of a version and of the variant.
fn tagged(bytes: [u8; 16], version: u128) -> [u8; 16] {
    let bits = u128::from_be_bytes(bytes) & !(0xf << 76 | 0x3 << 62);
    (bits | version << 76 | 0x2 << 62).to_be_bytes()
}

/// The time in milliseconds, twelve bits of its fraction, the rest random; later calls give larger ones.
fn version_7() -> Result<[u8; 16]> {
    thread_local! {
        static LAST: Cell<u64> = const { Cell::new(0) };
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let milliseconds = u64::try_from(now.as_millis()).unwrap_or_default();
    let time = milliseconds << 12 | u64::from(now.subsec_nanos() % 1_000_000) >> 8;
    let time = time.max(LAST.get() + 1);
    LAST.set(time);
    let random = u128::from_be_bytes(entropy::array()?) & (u128::MAX >> 66);
    let bits = u128::from(time >> 12) << 80 | u128::from(time & 0xfff) << 64 | random;
    Ok(tagged(bits.to_be_bytes(), 7))
}

/// The 36 characters, letters of any case.
fn strict(text: &str) -> Option<[u8; 16]> {
    let parts: Vec<&str> = text.split('-').collect();
    if parts.iter().map(|part| part.len()).ne([8, 4, 4, 4, 12]) {
        return None;
    }
    from_hexadecimal(&parts.concat())?.try_into().ok()
}

/// The 36 characters, also with `urn:uuid:` before or a character on either side, or the bare digits.
fn lenient(text: &str) -> Option<[u8; 16]> {
    match text.len() {
        32 => from_hexadecimal(text)?.try_into().ok(),
        38 => strict(text.get(1..37)?),
        45 => {
            let (prefix, uuid) = text.split_at_checked(9)?;
            prefix.eq_ignore_ascii_case("urn:uuid:").then(|| strict(uuid))?
        }
        _ => strict(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_variants_are_in_place() {
        assert_eq!(format(tagged([0xff; 16], 4)), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(format(tagged([0; 16], 7)), "00000000-0000-7000-8000-000000000000");
        let (first, second) = (version_7().unwrap(), version_7().unwrap());
        assert!(first < second);
    }

    #[test]
    fn ids_are_read_in_all_their_forms() {
        let text = "f47ac10b-58cc-4372-a567-0e02b2c3d479";
        let bytes = strict(text);
        assert_eq!(bytes.map(format).as_deref(), Some(text));
        for form in ["urn:uuid:F47AC10B-58CC-4372-A567-0E02B2C3D479", "{f47ac10b-58cc-4372-a567-0e02b2c3d479}", "f47ac10b58cc4372a5670e02b2c3d479"] {
            assert_eq!(lenient(form), bytes, "{form}");
            assert_eq!(strict(form), None, "{form}");
        }
        for form in ["", "f47ac10b-58cc-4372-a567-0e02b2c3d47", "g47ac10b-58cc-4372-a567-0e02b2c3d479", "f47ac10b5-8cc-4372-a567-0e02b2c3d479"] {
            assert_eq!(lenient(form), None, "{form}");
        }
    }
}
