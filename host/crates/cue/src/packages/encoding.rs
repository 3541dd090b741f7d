//! `encoding/base64` and `encoding/hex`

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::arguments::{self as args, ANY, BYTES, INT, Result, STRING, function, int, string};
use crate::builtin::{Failure, Function, Host, Package};
use crate::{Kinds, Value};

const R: Kinds = Kinds(Kinds::BYTES.0 | Kinds::STRING.0);

const BASE64_FUNCTIONS: &[Function] = &[
    function("Decode", &[ANY, STRING], R, |a, _| {
        check_encoding(a)?;
        // Line breaks are not data.
        let text = args::text(a, 1)?.replace(['\n', '\r'], "");
        let bytes = STANDARD.decode(text).map_err(|error| Failure::eval(format!("illegal base64 data: {error}")))?;
        Ok(Value::Bytes(bytes.into()))
    }),
    function("DecodedLen", &[ANY, INT], Kinds::INT, |a, _| {
        check_encoding(a)?;
        int(args::integer(a, 1)? / 4 * 3)
    }),
    function("Encode", &[ANY, BYTES], Kinds::STRING, |a, _| {
        check_encoding(a)?;
        string(STANDARD.encode(args::bytes(a, 1)?))
    }),
    function("EncodedLen", &[ANY, INT], Kinds::INT, |a, _| {
        check_encoding(a)?;
        let length = args::integer(a, 1)?;
        int(length.checked_add(2).map_or(0, |length| length / 3).saturating_mul(4))
    }),
];

pub(super) static BASE64: Package = Package { path: "encoding/base64", functions: BASE64_FUNCTIONS, source: "" };

/// Only the standard encoding exists; it is called null.
fn check_encoding(a: &[Value]) -> Result<()> {
    match args::value(a, 0)? {
        Value::Null => Ok(()),
        _ => Err(Failure::eval("base64: unsupported encoding")),
    }
}

const HEX_FUNCTIONS: &[Function] = &[
    function("Decode", &[STRING], R, decode),
    function("DecodedLen", &[INT], Kinds::INT, |a, _| int(args::integer(a, 0)? / 2)),
    function("Dump", &[BYTES], Kinds::STRING, |a, _| string(dump(args::bytes(a, 0)?))),
    function("Encode", &[BYTES], Kinds::STRING, |a, _| string(args::bytes(a, 0)?.iter().map(|byte| format!("{byte:02x}")).collect::<String>())),
    function("EncodedLen", &[INT], Kinds::INT, |a, _| int(args::integer(a, 0)?.wrapping_mul(2))),
];

pub(super) static HEX: Package = Package { path: "encoding/hex", functions: HEX_FUNCTIONS, source: "" };

fn decode(a: &[Value], _: &mut dyn Host) -> Result {
    let text = args::text(a, 0)?;
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(16)).collect();
    let digits = digits.ok_or_else(|| Failure::eval("encoding/hex: invalid byte"))?;
    if digits.len() % 2 != 0 {
        return Err(Failure::eval("encoding/hex: odd length hex string"));
    }
    let byte = |pair: &[u32]| pair.iter().fold(0, |byte, digit| byte * 16 + *digit) as u8;
    Ok(Value::Bytes(digits.chunks(2).map(byte).collect::<Vec<u8>>().into()))
}

/// Offset, sixteen bytes in two groups, and their characters.
fn dump(bytes: &[u8]) -> String {
    let mut out = String::new();
    for (row, chunk) in bytes.chunks(16).enumerate() {
        out.push_str(&format!("{:08x}  ", row * 16));
        for at in 0..16 {
            match chunk.get(at) {
                Some(byte) => out.push_str(&format!("{byte:02x} ")),
                None => out.push_str("   "),
            }
            if at == 7 {
                out.push(' ');
            }
        }
        out.push_str(" |");
        out.extend(chunk.iter().map(|byte| if (32..=126).contains(byte) { char::from(*byte) } else { '.' }));
        out.push_str("|\n");
    }
    out
}
