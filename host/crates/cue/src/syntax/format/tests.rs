//! Tests of the layout.

use pravo_diag::SourceMap;

use super::*;
use crate::syntax::{Options, parse_file};

fn format(text: &str, simplify: bool) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add("test.cue", text);
    let parsed = parse_file(&sources, file, &Options::default());
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    format_file(&parsed.file, text, Format { simplify })
}

#[test]
fn layout() {
    for (text, expected) in [
        ("a:1\nbcd:   2 @x()\n", "a:   1\nbcd: 2 @x()\n"),
        ("a: {b:1,c:2}", "a: {b: 1, c: 2}\n"),
        ("a: {\nb:1,c:2}", "a: {\n\tb: 1, c: 2\n}\n"),
        ("a: {\n\n\nb: 1\n\n\nc: 2\n}\n", "a: {\n\n\tb: 1\n\n\tc: 2\n}\n"),
        ("a: b:   c: 1", "a: b: c: 1\n"),
        ("a: [1,2,3,]", "a: [1, 2, 3]\n"),
        ("a: [\n1,\n2]", "a: [\n\t1,\n\t2]\n"),
        ("a: [\n1\n2\n]", "a: [\n\t1\n\t2\n]\n"),
        ("a: 1+2*3", "a: 1 + 2*3\n"),
        ("a: f(1+2, 3)", "a: f(1+2, 3)\n"),
        ("a: x[1+2]\nb: (1+2)*3", "a: x[1+2]\nb: (1 + 2) * 3\n"),
        ("a: < -5", "a: < -5\n"),
        ("a: 1 | *2", "a: 1 | *2\n"),
        ("a: 1 |\n2", "a: 1 |\n\t2\n"),
        ("if a {b: 1}\nfor k,v in x {(k): v}", "if a {b: 1}\nfor k, v in x {(k): v}\n"),
        ("let x=1", "let x = 1\n"),
        ("// c\na: 1 // d\n// e\n", "// c\na: 1 // d\n\n// e\n"),
        ("a: .5 + 1. + 1E3", "a: 0.5 + 1.0 + 1e3\n"),
        ("a: \"\"\"\n  x\n   y\n  \"\"\"", "a: \"\"\"\n\tx\n\t y\n\t\"\"\"\n"),
        ("import \"b\"\nimport (\"c\")\na: b", "import \"b\"\n\nimport (\"c\")\n\na: b\n"),
        ("package  x\n\n\na: 1", "package x\n\na: 1\n"),
    ] {
        let once = format(text, false);
        assert_eq!(once, expected, "{text}");
        assert_eq!(format(&once, false), once, "{text}: not stable");
    }
}

#[test]
fn simplification() {
    for (text, expected) in [
        ("\"a\": 1\n\"b-c\": 2", "a:     1\n\"b-c\": 2\n"),
        ("\"a\": 1\nb: c: a", "\"a\": 1\nb: c: a\n"),
        ("a: {b: 1}", "a: b: 1\n"),
        ("a: {[string]: _, b: 1}", "a: {b: 1\n\t...\n}\n"),
        ("\"a\": 1\n\"\\(a)\": 2", "\"a\":    1\n\"\\(a)\": 2\n"),
    ] {
        assert_eq!(format(text, true), expected, "{text}");
    }
}
