//! `uuid`

use num_bigint::{BigInt, BigUint, Sign};
use sha1::Digest;

use super::arguments::{self as args, BYTES, INT, Result, STRING, boolean, function, int, string};
use crate::builtin::{Failure, Function, Host, Package};
use crate::{Kinds, Value};

const S: Kinds = Kinds::STRING;
const I: Kinds = Kinds::INT;

const FUNCTIONS: &[Function] = &[
    function("FromInt", &[INT], S, from_int),
    function("MD5", &[STRING, BYTES], S, |a, _| named::<md5::Md5>(a, 3)),
    function("Parse", &[STRING], S, |a, _| string(text(parse(args::text(a, 0)?)?))),
    function("SHA1", &[STRING, BYTES], S, |a, _| named::<sha1::Sha1>(a, 5)),
    function("ToInt", &[STRING], I, |a, _| {
        // The number that the characters are, as bytes.
        int(BigInt::from_bytes_be(Sign::Plus, args::text(a, 0)?.as_bytes()))
    }),
    function("URN", &[STRING], S, |a, _| string(format!("urn:uuid:{}", text(parse(args::text(a, 0)?)?)))),
    function("Valid", &[STRING], Kinds::BOOL, |a, _| parse(args::text(a, 0)?).and_then(|_| boolean(true))),
    function("Variant", &[STRING], I, |a, _| {
        let [.., byte, _, _, _, _, _, _, _] = parse(args::text(a, 0)?)?;
        int(match byte {
            byte if byte & 0xc0 == 0x80 => 1,
            byte if byte & 0xe0 == 0xc0 => 3,
            byte if byte & 0xe0 == 0xe0 => 4,
            _ => 2,
        })
    }),
    function("Version", &[STRING], I, |a, _| {
        let [_, _, _, _, _, _, byte, ..] = parse(args::text(a, 0)?)?;
        int(i64::from(byte >> 4))
    }),
];

pub(super) static UUID: Package = Package {
    path: "uuid",
    functions: FUNCTIONS,
    source: "\
ns: {
	DNS:  \"6ba7b810-9dad-11d1-80b4-00c04fd430c8\"
	URL:  \"6ba7b811-9dad-11d1-80b4-00c04fd430c8\"
	OID:  \"6ba7b812-9dad-11d1-80b4-00c04fd430c8\"
	X500: \"6ba7b814-9dad-11d1-80b4-00c04fd430c8\"
	Nil:  \"00000000-0000-0000-0000-000000000000\"
}
variants: {
	Invalid:   0
	RFC4122:   1
	Reserved:  2
	Microsoft: 3
	Future:    4
}
",
};

/// Reads `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, also without dashes, in braces, or behind `urn:uuid:`.
fn parse(input: &str) -> Result<[u8; 16]> {
    let invalid = || Failure::eval(format!("invalid UUID {input:?}"));
    let plain = match input.len() {
        36 => input,
        45 => input.get(..9).filter(|start| start.eq_ignore_ascii_case("urn:uuid:")).and_then(|_| input.get(9..)).ok_or_else(invalid)?,
        38 => input.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).ok_or_else(invalid)?,
        32 => input,
        _ => return Err(invalid()),
    };
    let dashes: Vec<usize> = plain.bytes().enumerate().filter(|(_, byte)| *byte == b'-').map(|(at, _)| at).collect();
    if plain.len() == 36 && dashes != [8, 13, 18, 23] || plain.len() == 32 && !dashes.is_empty() {
        return Err(invalid());
    }
    let digits: Option<Vec<u32>> = plain.chars().filter(|c| *c != '-').map(|c| c.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len() == 32).ok_or_else(invalid)?;
    let mut out = [0; 16];
    for (byte, pair) in out.iter_mut().zip(digits.chunks(2)) {
        *byte = pair.iter().fold(0, |value, digit| value * 16 + *digit) as u8;
    }
    Ok(out)
}

fn text(bytes: [u8; 16]) -> String {
    let mut out = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        out.push_str(&format!("{byte:02x}"));
    }
    out
}

fn from_int(a: &[Value], _: &mut dyn Host) -> Result {
    let number: BigUint = args::big(a, 0)?.magnitude().clone();
    let bytes = number.to_bytes_be();
    let mut out = [0; 16];
    let start = out.len().checked_sub(bytes.len()).ok_or_else(|| Failure::eval("the number needs more than 16 bytes"))?;
    for (slot, byte) in out.iter_mut().skip(start).zip(bytes) {
        *slot = byte;
    }
    string(text(out))
}

/// A name within a name space, hashed.
fn named<D: Digest>(a: &[Value], version: u8) -> Result {
    let space = parse(args::text(a, 0)?)?;
    let hash = D::new().chain_update(space).chain_update(args::bytes(a, 1)?).finalize();
    let mut out = [0; 16];
    for (slot, byte) in out.iter_mut().zip(hash) {
        *slot = byte;
    }
    let [_, _, _, _, _, _, seventh, _, ninth, ..] = &mut out;
    *seventh = *seventh & 0x0f | version << 4;
    *ninth = *ninth & 0x3f | 0x80;
    string(text(out))
}
