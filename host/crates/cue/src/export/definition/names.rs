//! What the names in the files of a package mean, as far as writing them anew needs it.
//!
//! Kept true here: every identifier that stands for a value is looked up once, in the scopes around it; identifiers are told apart by
//! their places.

use std::collections::{HashMap, HashSet};

use pravo_diag::Span;

use crate::syntax::ast::*;
use crate::syntax::literal;

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A field, or anything else that keeps its name.
    Field,
    /// A `let` declaration, by the place of its name.
    Let(Span),
    /// The alias of a pattern's label, by the place of its name.
    Pattern(Span),
    /// The alias of a field's value, by the place of its name.
    Value(Span),
    /// An imported package: its path, and its local name where that differs from the path's own.
    Import(String, String),
}

/// The meanings of all names.
#[derive(Default)]
pub(super) struct Names {
    meanings: HashMap<Span, Meaning>,
    /// Every name of a field, of a reference or behind a dot.
    pub used: HashSet<String>,
    scopes: Vec<HashMap<String, Meaning>>,
    /// Names that nothing declares, in the order of their first places.
    undeclared: Vec<String>,
}

impl Names {
    /// Looks at all files of a package.
    pub fn of(files: &[File]) -> Self {
        let mut names = Self::default();
        let mut package = HashMap::new();
        for file in files.iter().filter(|file| file.package().is_some()) {
            for declaration in file.body() {
                if let Declaration::Field(field) = declaration {
                    declare_label(&field.label, &mut package);
                }
            }
        }
        for file in files {
            let mut scope = if file.package().is_some() { package.clone() } else { HashMap::new() };
            scope.retain(|_, meaning| *meaning == Meaning::Field);
            for spec in file.imports() {
                let path = literal::plain_string(&spec.path.text).unwrap_or_default();
                let own = own_name(&path).to_owned();
                let local = spec.name.as_ref().map_or(own, |name| name.name.clone());
                scope.insert(local.clone(), Meaning::Import(path, local));
            }
            names.scopes = vec![scope];
            let body: Vec<&Declaration> = file.body().collect();
            names.declarations(&body, HashMap::new());
        }
        names
    }

    /// What an identifier means; `None` where it is predeclared.
    pub fn meaning(&self, identifier: &Identifier) -> Option<&Meaning> {
        self.meanings.get(&identifier.span)
    }

    fn declarations(&mut self, declarations: &[&Declaration], mut scope: HashMap<String, Meaning>) {
        for declaration in declarations {
            match declaration {
                Declaration::Field(field) => {
                    declare_label(&field.label, &mut scope);
                    if let Some(alias) = &field.alias {
                        scope.insert(alias.field.name.clone(), Meaning::Field);
                    }
                }
                Declaration::Let(binding) => {
                    scope.insert(binding.name.name.clone(), Meaning::Let(binding.name.span));
                }
                _ => {}
            }
        }
        self.scopes.push(scope);
        for declaration in declarations {
            self.declaration(declaration);
        }
        self.scopes.pop();
    }

    fn declaration(&mut self, declaration: &Declaration) {
        match declaration {
            Declaration::Field(field) => self.field(field),
            Declaration::Let(binding) => self.expression(&binding.value),
            Declaration::Embedding(embedding) => self.expression(&embedding.value),
            Declaration::Comprehension(comprehension) => self.comprehension(comprehension),
            Declaration::Ellipsis(ellipsis) => ellipsis.value.iter().for_each(|value| self.expression(value)),
            _ => {}
        }
    }

    fn field(&mut self, field: &Field) {
        let mut scope = HashMap::new();
        let label = match &field.label {
            Label::Alias(alias) => {
                scope.insert(alias.name.name.clone(), Meaning::Field);
                &alias.label
            }
            label => label,
        };
        match label {
            Label::Identifier(name) => self.use_name(&name.name),
            Label::Literal(text) => self.use_name(&literal::plain_string(&text.text).unwrap_or_else(|| text.text.clone())),
            Label::Interpolation(interpolation) => interpolation.expressions.iter().for_each(|inner| self.expression(inner)),
            Label::Parenthesised(inner) => self.expression(&inner.inner),
            Label::Pattern(list) => {
                for element in &list.elements {
                    match element {
                        Expression::Alias(alias) => {
                            scope.insert(alias.name.name.clone(), Meaning::Pattern(alias.name.span));
                            self.expression(&alias.value);
                        }
                        element => self.expression(element),
                    }
                }
            }
            Label::Alias(_) => {}
        }
        if let Some(alias) = &field.alias {
            alias.label.iter().for_each(|name| drop(scope.insert(name.name.clone(), Meaning::Field)));
            scope.insert(alias.field.name.clone(), Meaning::Field);
        }
        self.scopes.push(scope);
        self.expression(&field.value);
        self.scopes.pop();
    }

    fn use_name(&mut self, name: &str) {
        self.used.insert(name.to_owned());
    }

    fn comprehension(&mut self, comprehension: &Comprehension) {
        let depth = self.scopes.len();
        for clause in &comprehension.clauses {
            let mut scope = HashMap::new();
            match clause {
                Clause::For(clause) => {
                    self.expression(&clause.source);
                    clause.key.iter().chain([&clause.value]).for_each(|name| drop(scope.insert(name.name.clone(), Meaning::Field)));
                }
                Clause::If(clause) => self.expression(&clause.condition),
                Clause::Let(clause) => {
                    self.expression(&clause.value);
                    scope.insert(clause.name.name.clone(), Meaning::Field);
                }
                Clause::Try(clause) => {
                    if let Some(binding) = &clause.binding {
                        self.expression(&binding.value);
                        scope.insert(binding.name.name.clone(), Meaning::Field);
                    }
                }
            }
            self.used.extend(scope.keys().cloned());
            self.scopes.push(scope);
        }
        self.expression(&comprehension.value);
        self.scopes.truncate(depth);
        if let Some(fallback) = &comprehension.fallback {
            let body: Vec<&Declaration> = fallback.body.declarations.iter().collect();
            self.declarations(&body, HashMap::new());
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Identifier(name) => self.identifier(name),
            Expression::Interpolation(node) => node.expressions.iter().for_each(|inner| self.expression(inner)),
            Expression::Struct(node) => {
                let declarations: Vec<&Declaration> = node.declarations.iter().collect();
                self.declarations(&declarations, HashMap::new());
            }
            Expression::List(node) => node.elements.iter().for_each(|element| self.expression(element)),
            Expression::Ellipsis(node) => node.value.iter().for_each(|value| self.expression(value)),
            Expression::Comprehension(node) => self.comprehension(node),
            Expression::Alias(node) => {
                self.scopes.push(HashMap::from([(node.name.name.clone(), Meaning::Value(node.name.span))]));
                self.expression(&node.value);
                self.scopes.pop();
            }
            Expression::Parenthesised(node) => self.expression(&node.inner),
            Expression::Selector(node) => {
                match &node.name {
                    SelectorName::Identifier(name) => self.use_name(&name.name),
                    SelectorName::String(text) => self.use_name(&literal::plain_string(&text.text).unwrap_or_default()),
                }
                self.expression(&node.operand);
            }
            Expression::Index(node) => [&node.operand, &node.index].into_iter().for_each(|inner| self.expression(inner)),
            Expression::Slice(node) => {
                self.expression(&node.operand);
                node.low.iter().chain(&node.high).for_each(|inner| self.expression(inner));
            }
            Expression::Call(node) => {
                self.expression(&node.function);
                node.arguments.iter().for_each(|argument| self.expression(argument));
            }
            Expression::Unary(node) => self.expression(&node.operand),
            Expression::Binary(node) => node.operands().into_iter().for_each(|operand| self.expression(operand)),
            Expression::Postfix(node) => self.expression(&node.operand),
            Expression::Bottom(_) | Expression::Literal(_) | Expression::Bad(_) => {}
        }
    }

    fn identifier(&mut self, identifier: &Identifier) {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(&identifier.name)).cloned();
        if found.is_none() && !self.undeclared.contains(&identifier.name) {
            self.undeclared.push(identifier.name.clone());
        }
        if let Some(meaning) = found {
            if meaning == Meaning::Field {
                self.use_name(&identifier.name);
            }
            self.meanings.insert(identifier.span, meaning);
        }
    }
}

/// The names that a file refers to and does not declare, in the order of their first places.
pub(crate) fn undeclared(file: File) -> Vec<String> {
    Names::of(&[file]).undeclared
}

/// The name that an import path gives to its package.
pub(crate) fn own_name(path: &str) -> &str {
    let last = path.rsplit(['/', ':']).next().unwrap_or(path);
    last.split('@').next().unwrap_or(last)
}

fn declare_label(label: &Label, scope: &mut HashMap<String, Meaning>) {
    match label {
        Label::Identifier(name) => drop(scope.insert(name.name.clone(), Meaning::Field)),
        Label::Alias(alias) => {
            scope.insert(alias.name.name.clone(), Meaning::Field);
            declare_label(&alias.label, scope);
        }
        _ => {}
    }
}
