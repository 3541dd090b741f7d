//! Data and what it is read as.

use super::{Format, decode};
use crate::Value;
use crate::export::json;

fn check(format: Format, source: &str, expected: &str) {
    let text = match decode(format, source.as_bytes()) {
        Ok(values) => {
            let text = |value: &Value| json::compact(value).unwrap_or_else(|_| "open".to_owned());
            values.iter().map(text).collect::<Vec<_>>().join(" ; ")
        }
        Err(error) => format!("error at {}:{}", error.line, error.column),
    };
    assert_eq!(text, expected, "{format:?} {source:?}");
}

#[test]
fn json_values() {
    for (source, expected) in [
        ("{\"a\": [1, 2.50, null, true]}", r#"{"a":[1,2.50,null,true]}"#),
        ("{\"a\":1,\"a\":2}", r#"{"a":1,"a":2}"#),
        (r#""\u00e9\ud83d\ude00\n""#, "\"é😀\\n\""),
        ("-0", "0"),
        ("1E400", "1E+400"),
        ("01", "error at 1:2"),
        ("[1,]", "error at 1:4"),
        ("{\n  \"a\" 1}", "error at 2:7"),
        ("1 2", "error at 1:3"),
        ("nul", "error at 1:1"),
        (r#""\ud800""#, "error at 1:8"),
        ("\"a", "error at 1:2"),
        ("", "error at 1:1"),
    ] {
        check(Format::Json, source, expected);
    }
    check(Format::JsonLines, "1\n{}\n \"a\"", "1 ; {} ; \"a\"");
    check(Format::JsonLines, "", "");
}

#[test]
fn yaml_values() {
    for (source, expected) in [
        ("a: 1\nb: [yes, True, ~, x]\n", r#"{"a":1,"b":["yes",true,null,"x"]}"#),
        (
            "a: 089\nb: 010\nc: 2020-01-01\nd: 1e3\ne: 1.\nf: 1e400\ng: 0o17\nh: +5",
            r#"{"a":"089","b":8,"c":"2020-01-01","d":1E+3,"e":1,"f":"1e400","g":15,"h":5}"#,
        ),
        ("1: a\n0777: b\ntrue: c\n1.50: d\nnull: e", r#"{"1":"a","0o777":"b","true":"c","1.50":"d","null":"e"}"#),
        ("base: &b {x: 1, z: 0}\nd:\n  z: 3\n  <<: *b\n  y: 2\n  x: 4", r#"{"base":{"x":1,"z":0},"d":{"z":0,"x":4,"y":2}}"#),
        ("a: &x {v: 1}\nb: &y {v: 2, w: 3}\nc:\n  <<: [*x, *y]", r#"{"a":{"v":1},"b":{"v":2,"w":3},"c":{"v":1,"w":3}}"#),
        ("!!str 5", r#""5""#),
        ("!!float 3.5", "3.5"),
        ("!!binary aGk=", r#""aGk=""#),
        ("a: 1\n---\nb: 2\n", r#"{"a":1} ; {"b":2}"#),
        ("# nothing", ""),
        ("---\n", "null"),
        ("a: 1\na: 2", r#"{"a":1,"a":2}"#),
        ("a: |\n  x\n   y\nb: >\n  x\n  y\n", r#"{"a":"x\n y\n","b":"x y\n"}"#),
        ("18446744073709551615", "18446744073709551615"),
        ("a: 123456789012345678901234567890", "error at 1:4"),
        ("a: |\n  x\n  y", r#"{"a":"x\ny"}"#),
        ("a: |\n  x\n# c", r#"{"a":"x\n"}"#),
        ("a: [1", "error at 2:1"),
        ("a: .inf", "error at 1:4"),
        ("a: 1__0", "error at 1:4"),
        ("!foo 1", "error at 1:1"),
        ("&a [*a]", "error at 1:5"),
        ("? [1]\n: 2", "error at 1:3"),
        ("-1: a", "error at 1:1"),
    ] {
        check(Format::Yaml, source, expected);
    }
}

#[test]
fn toml_values() {
    for (source, expected) in [
        ("b = 1\na = +1.5\nc = 0xdead\n[z.y]\nq = 1_000", r#"{"b":1,"a":1.5,"c":57005,"z":{"y":{"q":1000}}}"#),
        ("[[r]]\nx = 1\n[[r]]\n[r.s]\ny = 2", r#"{"r":[{"x":1},{"s":{"y":2}}]}"#),
        ("a = 1979-05-27T07:32:00.50Z\nb = 07:32:00\nc = 1979-05-27", r#"{"a":"1979-05-27T07:32:00.50Z","b":"07:32:00","c":"1979-05-27"}"#),
        ("a = 1979-05-27 07:32:00Z", "error at 1:5"),
        ("a = inf", "error at 1:5"),
        ("a = 1\na = 2", "error at 2:1"),
        ("", "{}"),
    ] {
        check(Format::Toml, source, expected);
    }
}

#[test]
fn csv_rows() {
    for (source, expected) in [
        ("a,b\n\nc,\"d \"\"e\"\"\n\"\r\n", r#"[["a","b"],["c","d \"e\"\n"]]"#),
        ("a\r", r#"[["a"]]"#),
        (",", r#"[["",""]]"#),
        ("", "[]"),
        ("a,b\nc", "error at 2:1"),
        ("a\"b", "error at 1:2"),
        ("\"a\"b", "error at 1:4"),
        ("\"a", "error at 1:2"),
    ] {
        check(Format::Csv, source, expected);
    }
}

#[test]
fn depth_and_aliases_are_bounded() {
    for format in [Format::Json, Format::Yaml, Format::Toml] {
        let start = if format == Format::Toml { "a = " } else { "" };
        let deep = format!("{start}{}{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(decode(format, deep.as_bytes()).is_err(), "{format:?}");
    }
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    assert!(decode(Format::Yaml, bomb.as_bytes()).is_err());
}

#[test]
fn names_and_endings() {
    for (name, format) in Format::NAMES {
        assert_eq!(Format::named(name), Some(*format));
    }
    assert_eq!(Format::of_extension("yml"), Some(Format::Yaml));
    assert_eq!(Format::of_extension("cue"), None);
}
