//! Whether a resource exists must be known when planning.
//!
//! What a comprehension would yield is not evaluated where its guard is unknown, nor a field whose label is; their syntax has
//! to tell whether there are resources in them: fields whose values select a type, or unify with a definition that does.

use std::collections::HashSet;

use pravo_cue::syntax::ast::{Clause, Comprehension, Declaration, Expression, Field, Label, SelectorName};
use pravo_diag::{Diagnostic, Span};

use super::Conversation;
use crate::evaluation::{Evaluation, Opening};
use crate::literals;
use crate::load::Package;

impl<E: Evaluation> Conversation<E> {
    /// Refuses a comprehension around a resource, or a label above one, that hangs on something unknown.
    pub(super) fn presence(&mut self, opening: &Opening) {
        let mut search = Search { packages: &self.packages, seen: HashSet::new() };
        let Some(names) = search.resources_at(opening.at) else { return };
        let mut asks: Vec<String> = opening.asks.iter().map(|ask| self.ask_text(*ask)).collect();
        asks.sort();
        asks.dedup();
        let what = if asks.is_empty() { "a value".to_owned() } else { asks.join(", ") };
        let names = names.join(", ");
        let summary = format!("whether {names} exists must be known when planning, but it depends on {what}, which is known only after the apply");
        let help = "let the guard depend on something that is written in the specification, or apply what it depends on first (--target)";
        self.errors.push(Diagnostic::error("specification.presence", summary).with_path(names).at(opening.at, "").with_help(help));
    }
}

/// Looks for resources in the syntax. The depth of a tree is bounded by the parser; definitions are entered once.
struct Search<'p> {
    packages: &'p [Package],
    seen: HashSet<String>,
}

impl<'p> Search<'p> {
    /// The names of the resources that what hangs on a place may yield; `None` where there are none.
    fn resources_at(&mut self, at: Span) -> Option<Vec<String>> {
        let files = self.packages.iter().flat_map(|package| package.files.iter()).filter(|file| file.span.file == at.file);
        let declarations: Vec<&Declaration> = files.flat_map(|file| file.body()).collect();
        let mut names = Vec::new();
        match declarations.into_iter().find_map(|declaration| find_in_declaration(declaration, at))? {
            Hanging::Comprehension(comprehension) => {
                self.yields(&comprehension.value, &mut names);
                if let Some(fallback) = &comprehension.fallback {
                    self.declarations(&fallback.body.declarations, &mut names);
                }
            }
            Hanging::Field(field) => self.yields(&field.value, &mut names),
        }
        (!names.is_empty()).then_some(names)
    }

    fn yields(&mut self, value: &'p Expression, names: &mut Vec<String>) {
        match value {
            Expression::Struct(inner) => self.declarations(&inner.declarations, names),
            other if self.is_resource(other) => names.push("a resource".to_owned()),
            _ => {}
        }
    }

    fn declarations(&mut self, declarations: &'p [Declaration], names: &mut Vec<String>) {
        for declaration in declarations {
            match declaration {
                Declaration::Field(field) if self.is_resource(&field.value) => {
                    names.push(literals::name(&field.label).unwrap_or_else(|| "a resource".to_owned()));
                }
                Declaration::Embedding(embedding) if self.is_resource(&embedding.value) => names.push("a resource".to_owned()),
                Declaration::Comprehension(inner) => self.yields(&inner.value, names),
                _ => {}
            }
        }
    }

    /// Whether a value is a resource or holds one.
    fn is_resource(&mut self, value: &'p Expression) -> bool {
        match value {
            Expression::Parenthesised(inner) => self.is_resource(&inner.inner),
            Expression::Alias(alias) => self.is_resource(&alias.value),
            Expression::Struct(inner) => {
                let mut names = Vec::new();
                self.declarations(&inner.declarations, &mut names);
                !names.is_empty()
            }
            Expression::List(list) => list.elements.iter().any(|element| self.is_resource(element)),
            Expression::Comprehension(inner) => self.is_resource(&inner.value),
            Expression::Unary(unary) => self.is_resource(&unary.operand),
            Expression::Binary(binary) => binary.operands().into_iter().any(|operand| self.is_resource(operand)),
            Expression::Identifier(name) => self.is_definition_of_resources(&name.name),
            Expression::Index(index) => selects_type(&index.operand),
            Expression::Selector(selector) => {
                selects_type(&selector.operand)
                    || matches!(&selector.name, SelectorName::Identifier(name) if self.is_definition_of_resources(&name.name))
            }
            _ => false,
        }
    }

    fn is_definition_of_resources(&mut self, name: &str) -> bool {
        if !name.trim_start_matches('_').starts_with('#') || !self.seen.insert(name.to_owned()) {
            return false;
        }
        let files: Vec<_> = self.packages.iter().flat_map(|package| package.files.iter()).collect();
        let bodies = files.into_iter().flat_map(|file| file.body()).filter_map(|declaration| match declaration {
            Declaration::Field(field) if literals::name(&field.label).as_deref() == Some(name) => Some(&field.value),
            _ => None,
        });
        let found = bodies.collect::<Vec<_>>().into_iter().any(|body| self.is_resource(body));
        self.seen.remove(name);
        found
    }
}

/// Whether an expression ends in `.#Resource` or the like.
fn selects_type(expression: &Expression) -> bool {
    match expression {
        Expression::Selector(selector) => {
            matches!(&selector.name, SelectorName::Identifier(name) if matches!(name.name.as_str(), "#Resource" | "#Data" | "#Ephemeral"))
        }
        _ => false,
    }
}

/// What may not be there.
enum Hanging<'p> {
    Comprehension(&'p Comprehension),
    /// A field with a computed label.
    Field(&'p Field),
}

fn covers(span: Span, at: Span) -> bool {
    span.start <= at.start && at.end <= span.end
}

fn find_in_declaration(declaration: &Declaration, at: Span) -> Option<Hanging<'_>> {
    match declaration {
        Declaration::Comprehension(inner) => find_in_comprehension(inner, at),
        Declaration::Field(field) if is_computed_at(&field.label, at) => Some(Hanging::Field(field)),
        Declaration::Field(field) => find(&field.value, at),
        Declaration::Embedding(embedding) => find(&embedding.value, at),
        Declaration::Let(binding) => find(&binding.value, at),
        _ => None,
    }
}

fn is_computed_at(label: &Label, at: Span) -> bool {
    match label {
        Label::Interpolation(inner) => inner.span == at,
        Label::Parenthesised(inner) => covers(inner.span, at),
        Label::Alias(inner) => is_computed_at(&inner.label, at),
        Label::Identifier(_) | Label::Literal(_) | Label::Pattern(_) => false,
    }
}

/// The innermost comprehension around a place: of one and the same, or of its clauses.
fn find_in_comprehension(comprehension: &Comprehension, at: Span) -> Option<Hanging<'_>> {
    if !covers(comprehension.span, at) {
        return None;
    }
    let clause = comprehension.clauses.iter().any(|clause| match clause {
        Clause::For(clause) => covers(clause.span, at),
        Clause::If(clause) => covers(clause.span, at),
        Clause::Let(clause) => covers(clause.span, at),
        Clause::Try(clause) => covers(clause.span, at),
    });
    if clause || comprehension.span == at {
        return Some(Hanging::Comprehension(comprehension));
    }
    find(&comprehension.value, at)
}

fn find(expression: &Expression, at: Span) -> Option<Hanging<'_>> {
    if !covers(expression.span(), at) {
        return None;
    }
    match expression {
        Expression::Struct(inner) => inner.declarations.iter().find_map(|declaration| find_in_declaration(declaration, at)),
        Expression::List(list) => list.elements.iter().find_map(|element| find(element, at)),
        Expression::Comprehension(inner) => find_in_comprehension(inner, at),
        Expression::Parenthesised(inner) => find(&inner.inner, at),
        Expression::Alias(alias) => find(&alias.value, at),
        Expression::Unary(unary) => find(&unary.operand, at),
        Expression::Binary(binary) => binary.operands().into_iter().find_map(|operand| find(operand, at)),
        Expression::Selector(selector) => find(&selector.operand, at),
        Expression::Index(index) => find(&index.operand, at).or_else(|| find(&index.index, at)),
        Expression::Call(call) => call.arguments.iter().find_map(|argument| find(argument, at)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pravo_cue::syntax::{Options, parse_file};
    use pravo_diag::SourceMap;

    fn found(text: &str) -> Option<Vec<String>> {
        let mut sources = SourceMap::new();
        let id = sources.add("main.cue", text);
        let parsed = parse_file(&sources, id, &Options::default());
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        let start = text.find("if ").or_else(|| text.find("(y)").map(|at| at + 1)).unwrap() as u32;
        let length = if text.contains("if ") { 2 } else { 1 };
        let packages = [Package { import_path: String::new(), name: String::new(), files: vec![parsed.file].into() }];
        Search { packages: &packages, seen: HashSet::new() }.resources_at(Span::new(id, start, start + length))
    }

    #[test]
    fn resources_are_found_by_their_types() {
        let cases = [
            ("if c {note: $p.#Resource.x & {n: 1}}", Some("note")),
            ("a: b: {if c {web: {server: $p.#Data.x}}}", Some("web")),
            ("if c {site: #Site}\n#Site: {page: $p.#Resource.x}", Some("site")),
            ("a: [if c {$p.#Resource.x & {n: 1}}]", Some("a resource")),
            ("for x in y {if c {(x): $p.#Resource.x}}", Some("a resource")),
            ("a: {(y): b: $p.#Resource.x}", Some("b")),
            ("a: {(y): $p.#Resource.x}", Some("a resource")),
            ("a: {(y): \"tag\"}", None),
            ("if c {greeting: \"hi \\(pet.id)\"}", None),
            ("if c {size: #Sizes.small}\n#Sizes: {small: 1}", None),
            ("if c {n: #N}\n#N: {n?: #N}", None),
        ];
        for (text, expected) in cases {
            assert_eq!(found(text).map(|names| names.join(" ")).as_deref(), expected, "{text}");
        }
    }
}
