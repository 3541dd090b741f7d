//! Archives of standard packages, with the expected value as JSON.

use pravo_cue::export::tree::{Class, Content, Field, Tree};
use pravo_cue::syntax::ast::Constraint as Mark;
use pravo_cue::syntax::{Format, Options as ParseOptions, format_expression, literal, parse_expression};
use pravo_cue::{Number, Value};
use pravo_diag::SourceMap;
use serde_json::Value as Json;

use super::Options;
use super::archive::Archive;
use super::compare::{self, show};
use super::evaluate;
use super::report::Report;

/// Compares every field of the expectation.
pub fn run(archive: &Archive, options: &Options, report: &mut Report) {
    let expected: Json = match serde_json::from_str(archive.section("expect.json").unwrap_or("")) {
        Ok(expected) => expected,
        Err(error) => return report.fail("", "a readable expectation", &error.to_string()),
    };
    let evaluated = evaluate::archive(archive);
    let mut comparison = Comparison { options, report };
    match evaluated {
        Ok(evaluated) => comparison.fields(&expected, Some(&evaluated.tree), ""),
        Err(error) => {
            comparison.report.fail("", "a value", &error);
            comparison.fields(&expected, None, "");
        }
    }
}

/// How many fields the expectation has.
pub fn count(archive: &Archive) -> usize {
    fn fields(node: &Json) -> usize {
        let list = |key: &str| node.get(key).and_then(Json::as_array).into_iter().flatten();
        let own: usize = list("fields").map(|field| 1 + field.get("value").map_or(0, fields)).sum();
        own + list("elements").map(fields).sum::<usize>()
    }
    serde_json::from_str(archive.section("expect.json").unwrap_or("")).map_or(1, |expected| fields(&expected))
}

struct Comparison<'a> {
    options: &'a Options,
    report: &'a mut Report,
}

impl Comparison<'_> {
    fn fields(&mut self, expected: &Json, tree: Option<&Tree>, path: &str) {
        for field in expected.get("fields").and_then(Json::as_array).into_iter().flatten() {
            self.field(field, tree, path);
        }
        for (at, element) in expected.get("elements").and_then(Json::as_array).into_iter().flatten().enumerate() {
            let found = tree.and_then(|tree| match &tree.decided().content {
                Content::List { elements, .. } => elements.get(at),
                _ => None,
            });
            self.fields(element, found, &format!("{path}[{at}]"));
        }
    }

    fn field(&mut self, expected: &Json, tree: Option<&Tree>, parent: &str) {
        let name = expected.get("name").and_then(Json::as_str).unwrap_or("");
        let plain = literal::plain_string(name).unwrap_or_else(|| name.to_owned());
        let path = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
        let class = match expected.get("class").and_then(Json::as_str) {
            Some("hidden") => Class::Hidden,
            Some("definition") => Class::Definition,
            Some("hidden definition") => Class::HiddenDefinition,
            _ => Class::Regular,
        };
        let mark = match expected.get("constraint").and_then(Json::as_str) {
            Some("optional") => Some(Mark::Optional),
            Some("required") => Some(Mark::Required),
            _ => None,
        };
        let is_field = |field: &&Field| *field.name == *plain && field.class == class && field.constraint == mark;
        let found = tree.and_then(|tree| tree.decided().fields.iter().find(is_field));
        let value = expected.get("value");
        let mutated = value.filter(|_| self.options.mutate).map(turned_around);
        let verdict = match (found, mutated.as_ref().or(value)) {
            (None, _) => Err("no such field".to_owned()),
            (Some(_), None) if self.options.mutate => Err("a constraint".to_owned()),
            (Some(_), None) => Ok(()),
            (Some(found), Some(value)) => self.node(value, &found.value),
        };
        let short = value.map_or_else(|| "a constraint".to_owned(), Json::to_string);
        self.report.judge(&path, &short, verdict);
        if let Some(value) = value {
            self.fields(value, found.map(|found| &found.value), &path);
        }
    }

    /// Compares a node, without the fields in it, which are assertions of their own.
    fn node(&self, expected: &Json, tree: &Tree) -> Result<(), String> {
        let is_default = expected.get("default") == Some(&Json::Bool(true));
        let undecided = matches!(&tree.content, Content::Disjunction { defaults, .. } if *defaults > 0);
        if is_default != undecided && expected.get("error").is_none() && expected.get("incomplete").is_none() {
            return Err(format!("{} (default: {undecided})", show(tree)));
        }
        let tree = if is_default { tree.decided() } else { tree };
        if let Some(error) = expected.get("error").and_then(Json::as_str) {
            return wrong(error, expected, tree);
        }
        if let Some(source) = expected.get("incomplete").and_then(Json::as_str) {
            return incomplete(source, tree);
        }
        let kind = expected.get("kind").and_then(Json::as_str).unwrap_or("");
        let same = match (kind, &tree.content) {
            ("struct", Content::Struct) => no_more(expected, tree),
            ("list", Content::List { elements, rest }) => list(expected, elements, rest.is_some()),
            ("null", Content::Scalar(Value::Null)) => Ok(()),
            (_, Content::Scalar(value)) => scalar(kind, expected.get("value"), value),
            _ => Err(String::new()),
        };
        same.map_err(|got| if got.is_empty() { show(tree) } else { got })
    }
}

/// An expectation that no value meets.
fn turned_around(expected: &Json) -> Json {
    let mut out = expected.clone();
    if let Json::Object(node) = &mut out {
        node.remove("fields");
        for key in ["kind", "error"] {
            if let Some(value) = node.get_mut(key) {
                *value = format!("no such {key}").into();
            }
        }
        if let Some(source) = node.get_mut("incomplete") {
            *source = "no_such_reference & 1".into();
        }
    }
    out
}

fn no_more(expected: &Json, tree: &Tree) -> Result<(), String> {
    let count = expected.get("fields").and_then(Json::as_array).map_or(0, Vec::len);
    if tree.fields.len() == count { Ok(()) } else { Err(format!("{} fields: {}", tree.fields.len(), show(tree))) }
}

fn list(expected: &Json, elements: &[Tree], open: bool) -> Result<(), String> {
    let wanted = expected.get("elements").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let wanted_open = expected.get("open") == Some(&Json::Bool(true));
    let broken = elements.iter().any(|element| compare::problem(element).is_some());
    if wanted.len() != elements.len() || wanted_open != open && !broken {
        return Err(format!("{} elements, open: {open}", elements.len()));
    }
    let quiet = Options::default();
    let mut report = Report::default();
    let comparison = Comparison { options: &quiet, report: &mut report };
    wanted.iter().zip(elements).try_for_each(|(wanted, element)| comparison.node(wanted, element))
}

fn scalar(kind: &str, expected: Option<&Json>, value: &Value) -> Result<(), String> {
    let same = match (kind, expected, value) {
        ("bool", Some(Json::Bool(wanted)), Value::Bool(value)) => wanted == value,
        ("string", Some(Json::String(wanted)), Value::String(value)) => **wanted == **value,
        ("bytes", Some(Json::String(wanted)), Value::Bytes(value)) => decode(wanted).as_deref() == Some(&**value),
        ("int" | "float", Some(Json::String(wanted)), Value::Number(number)) => same_number(kind, wanted, number),
        _ => false,
    };
    if same { Ok(()) } else { Err(String::new()) }
}

fn same_number(kind: &str, wanted: &str, number: &Number) -> bool {
    match (wanted.trim_start_matches('-'), number) {
        ("nan", Number::NaN) => return true,
        ("infinity", Number::Infinity(negative)) => return *negative == wanted.starts_with('-'),
        ("nan" | "infinity", _) | (_, Number::NaN | Number::Infinity(_)) => return false,
        _ => {}
    }
    if number.is_integer() != (kind == "int") {
        return false;
    }
    let wanted = match literal::number(&wanted.replace("e+", "e")) {
        Ok(literal::Number::Integer(value)) => Number::from(value),
        Ok(literal::Number::Float(value)) => Number::from(value),
        Err(_) => return false,
    };
    if number.compare(&wanted) == Some(std::cmp::Ordering::Equal) {
        return true;
    }
    let (a, b) = (number.to_f64(), wanted.to_f64());
    kind == "float" && (a - b).abs() <= 1e-14 * b.abs().max(f64::MIN_POSITIVE)
}

/// Base64.
fn decode(text: &str) -> Option<Vec<u8>> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        bits = bits << 6 | alphabet.iter().position(|letter| *letter == byte)? as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}

fn wrong(wanted: &str, expected: &Json, tree: &Tree) -> Result<(), String> {
    // Where fields stand beside an error for good, these are compared, not the node.
    if expected.get("fields").is_some() {
        return Ok(());
    }
    match compare::problem(tree) {
        Some(problem) if wanted == if problem.code.is_incomplete() { "incomplete" } else { "eval" } => Ok(()),
        Some(problem) => Err(format!("an error with code {}: {}", problem.code.name(), problem.message)),
        None => Err(show(tree)),
    }
}

fn incomplete(source: &str, tree: &Tree) -> Result<(), String> {
    let mut sources = SourceMap::new();
    let file = sources.add("expectation", source);
    let parsed = parse_expression(&sources, file, &ParseOptions::default());
    if compare::equal(&parsed.expression, tree).is_ok() {
        return Ok(());
    }
    let normal = format_expression(&parsed.expression, source, Format::default());
    match tree.problem() {
        Some(problem) if problem.code.is_incomplete() => match &problem.source {
            Some(source) if source.split_whitespace().eq(normal.split_whitespace()) => Ok(()),
            // Another text of the same expression cannot be told from here; that it is incomplete can.
            _ => Err(show(tree)),
        },
        _ => Err(show(tree)),
    }
}
