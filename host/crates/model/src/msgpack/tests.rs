use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{decode, encode};
use crate::codec::Limits;
use crate::{Number, Type, Value};

fn list(element: Type) -> Type {
    Type::List(Box::new(element))
}

fn map(element: Type) -> Type {
    Type::Map(Box::new(element))
}

fn object(attributes: &[(&str, Type)]) -> Type {
    Type::Object(attributes.iter().map(|(name, kind)| ((*name).into(), kind.clone())).collect())
}

fn number(text: &str) -> Value {
    Value::Number(text.parse().unwrap())
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    hexadecimal.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

fn read(hexadecimal: &str, kind: &Type) -> Result<Value, String> {
    decode(&bytes(hexadecimal), kind, Limits::default()).map_err(|error| error.to_string())
}

#[test]
fn the_protocol_s_vectors() {
    for (value, kind, expected) in [
        ("x".into(), Type::String, "a1 78"),
        (number("5"), Type::Number, "05"),
        (number("-1"), Type::Number, "ff"),
        (number("200"), Type::Number, "cc c8"),
        (number("1.5"), Type::Number, "cb 3f f8 00 00 00 00 00 00"),
        (number("0.1"), Type::Number, "a3 30 2e 31"),
        (number("9223372036854775808"), Type::Number, "b3 39 32 32 33 33 37 32 30 33 36 38 35 34 37 37 35 38 30 38"),
        (Value::Null, Type::Number, "c0"),
        (Value::object([("a", "x".into()), ("b", Value::Null)]), object(&[("a", Type::String), ("b", Type::Bool)]), "82 a1 61 a1 78 a1 62 c0"),
        (Value::List(vec!["x".into()]), list(Type::String), "91 a1 78"),
        (Value::Map(BTreeMap::new()), map(Type::String), "80"),
        ("x".into(), Type::Dynamic, "92 c4 08 22 73 74 72 69 6e 67 22 a1 78"),
        (Value::Unknown, Type::String, "d4 00 00"),
        (Value::Unknown, Type::Dynamic, "d4 00 00"),
        (Value::Bool(true), Type::Bool, "c3"),
    ] {
        assert_eq!(encode(&value, &kind).unwrap(), bytes(expected), "{value:?}");
        assert_eq!(read(expected, &kind), Ok(value));
    }
}

#[test]
fn other_forms_are_read_too() {
    for (hexadecimal, kind, expected) in [
        ("c7 03 0c 81 01 c2", Type::String, Value::Unknown),
        ("d7 0c 82 01 c2 02 a3 61 62 63", Type::String, Value::Unknown),
        ("d4 07 00", Type::String, Value::Unknown),
        ("ca 3f c0 00 00", Type::Number, number("1.5")),
        ("cf ff ff ff ff ff ff ff ff", Type::Number, number("18446744073709551615")),
        ("d3 ff ff ff ff ff ff ff ff", Type::Number, number("-1")),
        ("a2 31 30", Type::Number, number("10")),
        ("c4 01 78", Type::String, "x".into()),
        ("a3 65 cc 81", Type::String, "é".into()),
        ("93 02 01 02", Type::Set(Box::new(Type::Number)), Value::List(vec![number("1"), number("2")])),
        ("92 c4 08 22 73 74 72 69 6e 67 22 c0", Type::Dynamic, Value::Null),
    ] {
        assert_eq!(read(hexadecimal, &kind), Ok(expected), "{hexadecimal}");
    }
}

#[test]
fn nonsense_is_refused() {
    let pair = object(&[("a", Type::Number), ("b", Type::Number)]);
    for (hexadecimal, kind, expected) in [
        ("", Type::Bool, "the bytes end too early"),
        ("a2 78", Type::String, "the bytes end too early"),
        ("c3 c3", Type::Bool, "1 bytes too many after the value"),
        ("05", Type::Bool, "a bool is required, here is FixPos(5)"),
        ("a1 ff", Type::String, "a text that is not UTF-8"),
        ("81 a1 61 01", pair.clone(), "an object with 2 attributes is required, here are 1"),
        ("82 a1 61 01 a1 61 02", pair.clone(), "the attribute \"a\" is there twice"),
        ("82 a1 61 01 a1 63 02", pair.clone(), "\"c\" is no attribute of the type"),
        ("82 a1 61 c3 a1 62 02", pair, "a: a number is required, here is True"),
        ("82 a1 61 01 a1 61 02", map(Type::Number), "the key \"a\" is there twice"),
        ("dd ff ff ff ff", list(Type::Bool), "4294967295 elements are announced, only 0 bytes follow"),
        ("df ff ff ff ff 00", map(Type::Bool), "4294967295 elements are announced, only 1 bytes follow"),
        ("d5 00 00 00", Type::String, "an unknown extension type 0 of 2 bytes"),
        ("c9 ff ff ff ff 0c", Type::String, "an unknown extension type 12 of 4294967295 bytes"),
        ("cb 7f f0 00 00 00 00 00 00", Type::Number, "the number inf is not finite"),
        ("cb 7f f8 00 00 00 00 00 00", Type::Number, "the number NaN is not finite"),
        ("91 01", Type::Tuple(vec![]), "a tuple of 0 elements is required, here are 1"),
        ("92 c4 01 22 c0", Type::Dynamic, "a type that is not JSON: EOF while parsing a string at line 1 column 1"),
    ] {
        assert_eq!(read(hexadecimal, &kind), Err(expected.to_owned()), "{hexadecimal}");
    }
}

#[test]
fn depth_size_and_count_are_bounded() {
    let mut nested = vec![0x92, 0xc4, 0x09];
    nested.extend(b"\"dynamic\"");
    let mut deep = nested.repeat(100_000);
    deep.push(0xc0);
    let error = decode(&deep, &Type::Dynamic, Limits::default()).unwrap_err();
    assert_eq!(error.problem, "nested more than 64 deep");

    let many = [&[0xdc, 0x03, 0xe8][..], &[0xc0; 1000]].concat();
    assert!(decode(&many, &list(Type::Bool), Limits::default()).is_ok());
    let error = decode(&many, &list(Type::Bool), Limits { count: 1000, ..Limits::default() }).unwrap_err();
    assert_eq!(error.problem, "more values than the limit");
    let error = decode(&many, &list(Type::Bool), Limits { bytes: 1000, ..Limits::default() }).unwrap_err();
    assert_eq!(error.problem, "1003 bytes, more than the limit of 1000");

    let mut value = Value::Null;
    let mut kind = Type::Bool;
    for _ in 0..100 {
        (value, kind) = (Value::List(vec![value]), list(kind));
    }
    assert_eq!(encode(&value, &kind).unwrap_err().problem, "nested more than 64 deep");
}

fn any_number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("finite", Number::from_f64),
        "-?[0-9]{1,40}(\\.[0-9]{1,40})?".prop_filter_map("number", |text| text.parse().ok()),
    ]
}

/// A type with values of it.
fn any_typed() -> impl Strategy<Value = (Type, Value)> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(|truth| (Type::Bool, Value::Bool(truth))),
        any_number().prop_map(|number| (Type::Number, Value::Number(number))),
        any::<String>().prop_map(|text| (Type::String, Value::String(crate::codec::normalized(&text).into_owned()))),
        Just((Type::String, Value::Null)),
        Just((Type::Number, Value::Unknown)),
        any_number().prop_map(|number| (Type::Dynamic, Value::Number(number))),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|elements| {
                let (kinds, values) = elements.into_iter().unzip();
                (Type::Tuple(kinds), Value::List(values))
            }),
            prop::collection::btree_map("[a-z]{1,3}", inner.clone(), 0..5).prop_map(|entries| {
                let kinds = entries.iter().map(|(name, (kind, _))| (name.into(), kind.clone())).collect();
                (Type::Object(kinds), Value::Map(entries.into_iter().map(|(name, (_, value))| (name.into(), value)).collect()))
            }),
            (inner.clone(), 0..4usize).prop_map(|((kind, value), count)| (list(kind), Value::List(vec![value; count]))),
            (inner.clone(), "[a-z]{0,3}").prop_map(|((kind, value), key)| (map(kind), Value::Map([(key.into(), value)].into()))),
            inner.prop_map(|(kind, value)| (Type::Set(Box::new(kind)), Value::set(vec![value]))),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded((kind, value) in any_typed()) {
        let bytes = encode(&value, &kind).unwrap();
        prop_assert_eq!(decode(&bytes, &kind, Limits::default()), Ok(value.clone()));
        if value.is_wholly_known() {
            let json = crate::json::encode_bytes(&value, &kind).unwrap();
            prop_assert_eq!(crate::json::decode_bytes(&json, &kind), Ok(value));
        }
    }

    #[test]
    fn arbitrary_bytes_give_a_value_or_an_error((kind, value) in any_typed(), junk in any::<Vec<u8>>(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        if let Ok(value) = decode(&junk, &kind, Limits::default()) {
            prop_assert!(encode(&value, &kind).is_ok());
        }
        let mut bytes = encode(&value, &kind).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = decode(&bytes, &kind, Limits::default());
        bytes.truncate(at);
        prop_assert!(decode(&bytes, &kind, Limits::default()).is_err());
    }
}
