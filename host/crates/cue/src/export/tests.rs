//! Values as text.

use super::tree::{Class, Constraint, Content, Field, Tree};
use super::{cue, json, values, yaml};
use crate::syntax::ast::{Constraint as Mark, UnaryOperator};
use crate::{Kinds, Value};

fn scalar(value: Value) -> Tree {
    Tree::of(Content::Scalar(value))
}

fn field(name: &str, value: Tree) -> Field {
    Field { name: name.into(), class: Class::of(name), foreign: false, constraint: None, value, docs: Vec::new(), attributes: Vec::new() }
}

fn structure(fields: Vec<Field>) -> Tree {
    Tree { fields, ..Tree::of(Content::Struct) }
}

fn bound(operator: UnaryOperator, value: i64) -> Constraint {
    Constraint::Bound { operator, operand: Box::new(scalar(Value::integer(value))) }
}

fn sample() -> Tree {
    let list = Content::List { elements: vec![scalar(Value::integer(1)), structure(vec![field("x", scalar(Value::Bool(true)))])], rest: None };
    structure(vec![
        field("a", scalar(Value::string("text"))),
        field("b-c", structure(vec![field("n", scalar(Value::Null)), field("lines", scalar(Value::string("x\ny\n")))])),
        field("list", Tree::of(list)),
        field("_hidden", scalar(Value::integer(2))),
        field("empty", structure(Vec::new())),
    ])
}

#[test]
fn cue_is_laid_out() {
    assert_eq!(
        cue::evaluated(&sample(), cue::Options::default(), &[]),
        "a: \"text\"\n\"b-c\": {\n    n: null\n    lines: \"\"\"\n        x\n        y\n\n        \"\"\"\n}\nlist: [1, {\n    x: true\n}]\nempty: {}\n"
    );
    assert!(cue::evaluated(&sample(), cue::Options { all: true }, &[]).contains("_hidden: 2\n"));
}

#[test]
fn constraints_are_named() {
    use UnaryOperator as U;
    for (kinds, constraints, expected) in [
        (Kinds::INT, vec![bound(U::GreaterOrEqual, 0), bound(U::LessOrEqual, 255)], "uint8"),
        (Kinds::INT, vec![bound(U::GreaterOrEqual, 0), bound(U::LessOrEqual, 9)], "uint & <=9"),
        (Kinds::INT, vec![bound(U::Greater, 3)], "int & >3"),
        (Kinds::NUMBER, vec![bound(U::Greater, 3), bound(U::Less, 9)], ">3 & <9"),
    ] {
        let tree = structure(vec![field("a", Tree::of(Content::Constraints { kinds, constraints }))]);
        assert_eq!(cue::evaluated(&tree, cue::Options::default(), &[]), format!("a: {expected}\n"));
    }
    let mut optional = field("a", Tree::of(Content::Kinds(Kinds(Kinds::INT.0 | Kinds::STRING.0))));
    optional.constraint = Some(Mark::Optional);
    assert_eq!(cue::evaluated(&structure(vec![optional]), cue::Options { all: true }, &[]), "a?: (int | string)\n");
}

#[test]
fn json_and_yaml() {
    let value = values::concrete(&sample()).expect("a concrete value");
    assert_eq!(json::compact(&value).expect("JSON"), r#"{"a":"text","b-c":{"n":null,"lines":"x\ny\n"},"list":[1,{"x":true}],"empty":{}}"#);
    assert_eq!(
        yaml::document(&value).expect("YAML"),
        "a: text\nb-c:\n  \"n\": null\n  lines: |\n    x\n    y\nlist:\n  - 1\n  - x: true\nempty: {}\n"
    );
    assert!(values::concrete(&structure(vec![field("a", Tree::of(Content::Kinds(Kinds::INT)))])).is_err());
}

#[test]
fn strings_that_yaml_would_take_for_something_else_are_quoted() {
    for (text, expected) in [
        ("plain text", "plain text\n"),
        ("", "\"\"\n"),
        ("yes", "\"yes\"\n"),
        ("12", "\"12\"\n"),
        ("1e3", "\"1e3\"\n"),
        ("2020-01-02", "\"2020-01-02\"\n"),
        ("# no comment", "'# no comment'\n"),
        ("a: b", "'a: b'\n"),
        ("it's: x", "'it''s: x'\n"),
        ("tab\t", "\"tab\\t\"\n"),
        ("a\nb", "|-\n  a\n  b\n"),
        ("a\n\n", "|+\n  a\n\n"),
        ("a \nb", "\"a \\nb\"\n"),
    ] {
        assert_eq!(yaml::document(&Value::string(text)).expect("YAML"), expected, "{text:?}");
    }
}

#[test]
fn a_package_is_one_file() {
    let mut sources = pravo_diag::SourceMap::new();
    let mut files = Vec::new();
    for text in [
        "package x\nimport \"strings\"\nlet y = \"q\"\na: {b: 1, c: strings.ToUpper(y)}\n",
        "package x\n// doc\nd: [1, 2]\na: b: int\nlet unused = 1\n",
    ] {
        let file = sources.add("x.cue", text);
        files.push(crate::syntax::parse_file(&sources, file, &Default::default()).file);
    }
    let tree = structure(Vec::new());
    assert_eq!(
        super::definition(&files, &tree, false),
        "package x\n\nimport \"strings\"\n\nlet y = \"q\"\n\n// doc\nd: [1, 2]\na: {\n\tb: 1\n\tc: strings.ToUpper(y)\n}\n"
    );
}
