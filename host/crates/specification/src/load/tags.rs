//! Tags: values for `@tag(name)` fields, and names for `@if(…)` in front of a package clause.

use std::collections::{BTreeMap, BTreeSet};

use pravo_cue::syntax::ast::{Attribute, Binary, BinaryOperator, Comments, Declaration, Expression, Field, File, Place};
use pravo_cue::syntax::{self, Options};
use pravo_diag::{Diagnostic, SourceMap};

use crate::names::suggestion;
use crate::package::quoted;

/// What `-t` gave: `name=value` sets a field, `name` alone chooses files (and sets a boolean or shorthand field).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    /// Values by name; absent for a name alone.
    pub values: BTreeMap<String, Option<String>>,
}

impl Tags {
    /// From command line arguments, `name=value` or `name`.
    pub fn parse<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Self {
        let split = |argument: &str| match argument.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (argument.to_owned(), None),
        };
        Self { values: arguments.into_iter().map(split).collect() }
    }
}

/// Puts the values of tags into the fields that ask for them, and keeps count of the names.
pub(super) struct Injector<'t> {
    tags: &'t Tags,
    used: BTreeSet<String>,
    known: BTreeSet<String>,
    errors: Vec<Diagnostic>,
}

/// How deep fields with tags are looked for; the parser bounds the tree.
impl<'t> Injector<'t> {
    pub(super) fn new(tags: &'t Tags) -> Self {
        Self { tags, used: BTreeSet::new(), known: BTreeSet::new(), errors: Vec::new() }
    }

    /// Whether a file takes part, by its attributes in front of the package clause.
    pub(super) fn takes_part(&mut self, file: &File) -> bool {
        file.leading_attributes().all(|attribute| match attribute.name() {
            "ignore" => false,
            "if" => self.condition(attribute),
            _ => true,
        })
    }

    fn condition(&mut self, attribute: &Attribute) -> bool {
        match parse_condition(attribute.body()) {
            Some(condition) => condition.holds(&mut |name| {
                let set = self.tags.values.get(name).is_some_and(|value| value.is_none());
                self.known.insert(name.to_owned());
                if set {
                    self.used.insert(name.to_owned());
                }
                set
            }),
            None => {
                let help = "a condition is made of names, !, &&, || and parentheses: @if(prod && !test)";
                let error = Diagnostic::error("cue.tag", format!("{} is no condition", attribute.text)).at(attribute.span, "");
                self.errors.push(error.with_help(help));
                false
            }
        }
    }

    /// Puts values into the fields of a file.
    pub(super) fn inject(&mut self, file: &mut File, sources: &mut SourceMap, options: &Options) {
        for declaration in &mut file.declarations {
            self.declaration(declaration, sources, options);
        }
    }

    fn declaration(&mut self, declaration: &mut Declaration, sources: &mut SourceMap, options: &Options) {
        if let Declaration::Field(field) = declaration {
            self.field(field, sources, options);
        }
    }

    fn field(&mut self, field: &mut Field, sources: &mut SourceMap, options: &Options) {
        if let Expression::Struct(inner) = &mut field.value {
            for declaration in &mut inner.declarations {
                self.declaration(declaration, sources, options);
            }
        }
        let tags: Vec<Attribute> = field.attributes.iter().filter(|attribute| attribute.name() == "tag").cloned().collect();
        for attribute in tags {
            let request = Request::parse(attribute.body());
            self.known.extend(request.short.iter().cloned().chain([request.name.clone()]));
            let Some(text) = self.value(&request) else {
                continue;
            };
            match literal(&text, &request, sources, options) {
                Some(value) => unify(field, value),
                None => {
                    let summary = format!("the tag {} takes a value of type {}, not {text:?}", request.name, request.kind);
                    self.errors
                        .push(Diagnostic::error("cue.tag", summary).at(attribute.span, "the tag").with_help("change -t or the type of the tag"));
                }
            }
        }
    }

    fn value(&mut self, request: &Request) -> Option<String> {
        if let Some(Some(value)) = self.tags.values.get(&request.name) {
            self.used.insert(request.name.clone());
            return Some(value.clone());
        }
        if request.kind == "bool" && self.tags.values.contains_key(&request.name) {
            self.used.insert(request.name.clone());
            return Some("true".to_owned());
        }
        let short = request.short.iter().find(|short| self.tags.values.get(*short).is_some_and(Option::is_none))?;
        self.used.insert(short.clone());
        Some(short.clone())
    }

    /// What is wrong: bad conditions and values, and names that no file asks for.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        for name in self.tags.values.keys().filter(|name| !self.used.contains(*name) && !self.known.contains(*name)) {
            let help = suggestion(name, self.known.iter().map(String::as_str));
            self.errors.push(Diagnostic::error("cue.tag", format!("no field has @tag({name}), and no file @if({name})")).with_help(help));
        }
        self.errors
    }
}

/// `@tag(name,short=a|b,type=int)`
struct Request {
    name: String,
    short: Vec<String>,
    kind: String,
}

impl Request {
    fn parse(body: &str) -> Self {
        let mut parts = body.split(',').map(str::trim);
        let mut request = Request { name: parts.next().unwrap_or_default().to_owned(), short: Vec::new(), kind: "string".to_owned() };
        for part in parts {
            match part.split_once('=') {
                Some(("short", names)) => request.short = names.split('|').map(|name| name.trim().to_owned()).collect(),
                Some(("type", kind)) => request.kind = kind.trim().to_owned(),
                _ => {}
            }
        }
        request
    }
}

/// A value with the type of the tag, as a literal of a source of its own.
fn literal(text: &str, request: &Request, sources: &mut SourceMap, options: &Options) -> Option<Expression> {
    let written = match request.kind.as_str() {
        "string" => quoted(text),
        // All that may stand for a truth value elsewhere, too.
        "bool" => match text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => "true".to_owned(),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => "false".to_owned(),
            _ => return None,
        },
        // A number as CUE writes it: `0x10`, `1Ki`, but not `007`.
        "int" | "number" => match syntax::literal::number(text.strip_prefix(['-', '+']).unwrap_or(text)).ok()? {
            syntax::literal::Number::Float(_) if request.kind == "int" => return None,
            _ => text.to_owned(),
        },
        _ => return None,
    };
    let file = sources.add(format!("-t {}", request.name), written);
    let parsed = syntax::parse_expression(sources, file, options);
    parsed.diagnostics.is_empty().then_some(parsed.expression)
}

/// Unifies a value with what a field says.
pub(super) fn unify(field: &mut Field, value: Expression) {
    let span = value.span();
    let left = std::mem::replace(&mut field.value, value.clone());
    let binary = Binary { span, left, place: Place::default(), operator: BinaryOperator::Unification, right: value, comments: Comments::default() };
    field.value = Expression::Binary(Box::new(binary));
}

#[derive(Debug, PartialEq)]
enum Condition {
    Name(String),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

impl Condition {
    fn holds(&self, is_set: &mut dyn FnMut(&str) -> bool) -> bool {
        match self {
            Condition::Name(name) => is_set(name),
            Condition::Not(inner) => !inner.holds(is_set),
            // Every part is looked at: a name that is asked for is a name that is known.
            Condition::All(parts) => parts.iter().filter(|part| !part.holds(is_set)).count() == 0,
            Condition::Any(parts) => parts.iter().filter(|part| part.holds(is_set)).count() > 0,
        }
    }
}

/// How deep a condition may be nested.
const MAXIMUM_DEPTH: usize = 32;

fn parse_condition(text: &str) -> Option<Condition> {
    let (condition, rest) = any(text, 0)?;
    rest.trim().is_empty().then_some(condition)
}

fn any(text: &str, depth: usize) -> Option<(Condition, &str)> {
    let (first, mut rest) = all(text, depth)?;
    let mut parts = vec![first];
    while let Some(after) = rest.trim_start().strip_prefix("||") {
        let (part, left) = all(after, depth)?;
        parts.push(part);
        rest = left;
    }
    Some((Condition::Any(parts), rest))
}

fn all(text: &str, depth: usize) -> Option<(Condition, &str)> {
    let (first, mut rest) = operand(text, depth)?;
    let mut parts = vec![first];
    while let Some(after) = rest.trim_start().strip_prefix("&&") {
        let (part, left) = operand(after, depth)?;
        parts.push(part);
        rest = left;
    }
    Some((Condition::All(parts), rest))
}

fn operand(text: &str, depth: usize) -> Option<(Condition, &str)> {
    if depth > MAXIMUM_DEPTH {
        return None;
    }
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('!') {
        let (inner, rest) = operand(rest, depth + 1)?;
        return Some((Condition::Not(Box::new(inner)), rest));
    }
    if let Some(rest) = text.strip_prefix('(') {
        let (inner, rest) = any(rest, depth + 1)?;
        return Some((inner, rest.trim_start().strip_prefix(')')?));
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    (!name.is_empty()).then(|| (Condition::Name(name.to_owned()), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_combine_names() {
        let cases =
            [("prod", true), ("!prod", false), ("prod && test", false), ("prod || test", true), ("!(prod && test)", true), (" test||prod ", true)];
        for (text, expected) in cases {
            assert_eq!(parse_condition(text).unwrap().holds(&mut |name| name == "prod"), expected, "{text}");
        }
        for text in ["", "a &", "(a", "a b", "a)"] {
            assert_eq!(parse_condition(text), None, "{text}");
        }
        assert_eq!(parse_condition(&"!".repeat(1000)), None);
    }
}
