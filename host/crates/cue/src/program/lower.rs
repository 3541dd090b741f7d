//! From syntax trees to [`Code`].

use std::collections::HashMap;
use std::sync::Arc;

use pravo_diag::{Diagnostic, Span};

use super::names::{Meaning, Scope, Scopes, nearest};
use super::*;
use crate::builtin::Package as Standard;
use crate::syntax::ast;
use crate::syntax::ast::{BinaryOperator, Expression, LiteralKind, UnaryOperator};
use crate::syntax::literal;

/// What an import of a file is.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// A standard package; the rest of it, written in CUE, is a package too.
    Standard(&'static Standard, Imported),
    /// A package of the program.
    Package(Imported),
}

/// One file on its way into the code.
pub(super) struct Lowering<'c, 'a> {
    pub code: &'c mut Code,
    pub diagnostics: &'c mut Vec<Diagnostic>,
    /// The import path of the package, for hidden fields.
    pub package: &'a str,
    /// Labels that the files of the package declare at the top.
    pub package_names: &'a HashMap<String, Label>,
    pub targets: Vec<Target>,
    pub scopes: Scopes<'a>,
    pub experiments: crate::syntax::Experiments,
    used_imports: Vec<bool>,
    /// The labels of the fields around.
    path: Vec<String>,
}

/// Where standard packages lie.
const STANDARD: &[&str] = &["", "encoding/", "crypto/", "text/", "math/"];

fn postponed(expression: &Expression) -> &Expression {
    let mut expression = expression;
    while let Expression::Parenthesised(inner) = expression {
        expression = &inner.inner;
    }
    expression
}

impl<'c, 'a> Lowering<'c, 'a> {
    pub fn new(
        code: &'c mut Code,
        diagnostics: &'c mut Vec<Diagnostic>,
        package: &'a str,
        package_names: &'a HashMap<String, Label>,
        targets: Vec<Target>,
        experiments: crate::syntax::Experiments,
    ) -> Self {
        let used_imports = vec![false; targets.len()];
        Self { code, diagnostics, package, package_names, targets, scopes: Scopes::default(), experiments, used_imports, path: Vec::new() }
    }

    /// Lowers a file; the number of its struct.
    pub fn file(&mut self, file: &'a ast::File, imports: &[(&'a str, Span, bool)]) -> u32 {
        let mut scope = Scope { is_struct: true, ..Scope::default() };
        for (index, (name, ..)) in imports.iter().enumerate() {
            scope.names.insert(name, Meaning::Import(index));
        }
        let declarations: Vec<&ast::Declaration> = file.body().collect();
        let id = self.structure(scope, &declarations, file.span);
        if let Some(literal) = self.code.structs.get_mut(id as usize) {
            literal.braces = false;
        }
        for (index, (name, span, _)) in imports.iter().enumerate() {
            if !self.used_imports.get(index).copied().unwrap_or(true) {
                self.error("cue.unused", format!("imported and not used: \"{name}\""), *span, "remove the import");
            }
        }
        id
    }

    fn error(&mut self, code: &str, summary: String, span: Span, help: &str) {
        let path = self.path.join(".");
        let diagnostic = Diagnostic::error(code, if path.is_empty() { summary } else { format!("{path}: {summary}") });
        let diagnostic = diagnostic.with_path(path).at(span, "");
        self.diagnostics.push(if help.is_empty() { diagnostic } else { diagnostic.with_help(help) });
    }

    fn label_of(&mut self, label: &ast::Label) -> Option<Label> {
        match label {
            ast::Label::Identifier(identifier) => Some(self.code.interner.identifier(&identifier.name, self.package)),
            ast::Label::Literal(literal) => match literal.kind {
                LiteralKind::String => match literal::string(&literal.text) {
                    Ok(literal::Text::String(text)) => Some(self.code.interner.regular(&text)),
                    _ => None,
                },
                _ => Some(self.code.interner.regular(&literal.text)),
            },
            ast::Label::Alias(alias) => self.label_of(&alias.label),
            _ => None,
        }
    }

    /// Declares the names of a struct's fields, aliases and lets.
    fn declare(&mut self, scope: &mut Scope<'a>, declarations: &[&'a ast::Declaration]) {
        for declaration in declarations {
            match declaration {
                ast::Declaration::Field(field) => self.declare_field(scope, field),
                ast::Declaration::Let(binding) => {
                    let name = self.code.interner.text(&binding.name.name);
                    self.code.lets.push(LoweredLet { value: ExprId(0), name });
                    let id = self.code.lets.len() as u32 - 1;
                    if scope.names.insert(&binding.name.name, Meaning::Let(id)).is_some() {
                        let text = format!("cannot have both a let and another declaration named \"{}\"", binding.name.name);
                        self.error("cue.alias", text, binding.name.span, "rename one of them");
                    }
                    scope.watched.push((&binding.name, false));
                }
                _ => {}
            }
        }
    }

    fn declare_field(&mut self, scope: &mut Scope<'a>, field: &'a ast::Field) {
        let mut label = &field.label;
        let mut alias: Option<&'a ast::Identifier> = None;
        if let ast::Label::Alias(outer) = label {
            alias = Some(&outer.name);
            label = &outer.label;
        }
        if let Some(postfix) = &field.alias {
            alias = Some(&postfix.field).filter(|field| field.name != "_");
            self.declare_key(scope, label, postfix);
        }
        if let ast::Label::Identifier(identifier) = label
            && let Some(resolved) = self.label_of(label)
            && !matches!(scope.names.get(identifier.name.as_str()), Some(Meaning::Let(_)))
        {
            scope.names.insert(&identifier.name, Meaning::Field(resolved));
        }
        let Some(alias) = alias else { return };
        let meaning = match label {
            ast::Label::Pattern(_) => return,
            ast::Label::Interpolation(interpolation) => Meaning::Interpolated(interpolation),
            ast::Label::Parenthesised(inner) => Meaning::Dynamic(&inner.inner),
            _ => match self.label_of(label) {
                Some(label) => Meaning::Field(label),
                None => return,
            },
        };
        if scope.names.insert(&alias.name, meaning).is_some() {
            let text = format!("alias \"{}\" already declared in the same scope", alias.name);
            self.error("cue.alias", text, alias.span, "rename one of them");
        }
        scope.watched.push((alias, false));
    }

    /// The name of a field's label, in `label~(K,V)`.
    fn declare_key(&mut self, scope: &mut Scope<'a>, label: &'a ast::Label, postfix: &'a ast::PostfixAlias) {
        let Some(key) = postfix.label.as_ref().filter(|key| key.name != "_") else { return };
        let meaning = match label {
            ast::Label::Pattern(_) => return,
            ast::Label::Interpolation(interpolation) => Meaning::InterpolatedLabel(interpolation),
            ast::Label::Parenthesised(inner) => Meaning::DynamicLabel(&inner.inner),
            _ => match self.label_of(label) {
                Some(label) => Meaning::Label(label),
                None => return,
            },
        };
        scope.names.insert(&key.name, meaning);
    }

    fn pop_scope(&mut self) {
        let Some(scope) = self.scopes.stack.pop() else { return };
        for (identifier, used) in scope.watched {
            if !used {
                let text = format!("unreferenced alias or let clause {}", identifier.name);
                self.error("cue.unused", text, identifier.span, "remove it, or use it");
            }
        }
    }

    fn structure(&mut self, mut scope: Scope<'a>, declarations: &[&'a ast::Declaration], span: Span) -> u32 {
        self.declare(&mut scope, declarations);
        self.scopes.stack.push(scope);
        let mut literal = StructLiteral {
            declarations: Vec::with_capacity(declarations.len()),
            constraints: Vec::new(),
            patterns: false,
            open: false,
            host: None,
            embeds: false,
            braces: false,
            grouped: false,
            explicit_open: self.experiments.explicit_open,
            deferred: false,
            attributes: None,
            span,
        };
        let mut attributes = Vec::new();
        for declaration in declarations {
            self.declaration(declaration, &mut literal, &mut attributes);
        }
        if !attributes.is_empty() {
            literal.attributes = Some(attributes.into());
        }
        literal.braces = matches!(literal.declarations.as_slice(), [Declared::Embedding(_)]) && !literal.open;
        literal.constraints.sort_by_key(|(label, _)| *label);
        self.pop_scope();
        self.code.structs.push(literal);
        self.code.structs.len() as u32 - 1
    }

    fn declaration(&mut self, declaration: &'a ast::Declaration, literal: &mut StructLiteral, attributes: &mut Vec<Text>) {
        match declaration {
            ast::Declaration::Field(field) => {
                if let Some(declared) = self.field(field) {
                    match &declared {
                        Declared::Field(field) if field.presence != Presence::Member => {
                            literal.constraints.push((field.label, literal.declarations.len() as u32));
                        }
                        Declared::Pattern { .. } => literal.patterns = true,
                        Declared::Dynamic { .. } => literal.deferred = true,
                        _ => {}
                    }
                    literal.declarations.push(declared);
                }
            }
            ast::Declaration::Let(binding) => {
                if let Some((0, Meaning::Let(id))) = self.peek_let(&binding.name.name) {
                    let value = self.expression(&binding.value);
                    if let Some(lowered) = self.code.lets.get_mut(id as usize) {
                        lowered.value = value;
                    }
                }
            }
            ast::Declaration::Embedding(embedding) => {
                let value = self.expression(&embedding.value);
                literal.embeds = true;
                literal.declarations.push(Declared::Embedding(value));
            }
            ast::Declaration::Comprehension(comprehension) => {
                let id = self.comprehension(comprehension);
                literal.deferred = true;
                literal.embeds = true;
                literal.declarations.push(Declared::Comprehension(id));
            }
            ast::Declaration::Ellipsis(_) => literal.open = true,
            ast::Declaration::Attribute(attribute) => {
                let text = self.code.interner.text(&attribute.text);
                attributes.push(text);
                if attribute.name() == "host" {
                    literal.host = Some(self.code.interner.text(attribute.body().trim()));
                }
            }
            _ => {}
        }
    }

    fn peek_let(&self, name: &str) -> Option<(u32, Meaning<'a>)> {
        self.scopes.stack.last().and_then(|scope| scope.names.get(name)).map(|meaning| (0, *meaning))
    }

    fn attributes(&mut self, attributes: &[ast::Attribute]) -> Option<Arc<[Text]>> {
        if attributes.is_empty() {
            return None;
        }
        Some(attributes.iter().map(|attribute| self.code.interner.text(&attribute.text)).collect())
    }

    fn field(&mut self, field: &'a ast::Field) -> Option<Declared> {
        let presence = match field.constraint {
            None => Presence::Member,
            Some(ast::Constraint::Optional) => Presence::Optional,
            Some(ast::Constraint::Required) => Presence::Required,
        };
        let attributes = self.attributes(&field.attributes);
        let (alias, label) = match &field.label {
            ast::Label::Alias(alias) => (Some(&alias.name), &alias.label),
            label => (None, label),
        };
        let mut frame = Scope::default();
        if let Some(postfix) = &field.alias {
            if let Some(key) = &postfix.label {
                frame.names.insert(&key.name, Meaning::FrameLabel);
            }
            if !matches!(label, ast::Label::Identifier(_) | ast::Label::Literal(_)) {
                frame.names.insert(&postfix.field.name, Meaning::This);
            }
        }
        match label {
            ast::Label::Pattern(list) => {
                let element = list.elements.first()?;
                let pattern = match element {
                    Expression::Alias(inner) => {
                        frame.names.insert(&inner.name.name, Meaning::FrameLabel);
                        self.expression(&inner.value)
                    }
                    other => self.expression(other),
                };
                if let Some(alias) = alias {
                    frame.names.insert(&alias.name, Meaning::This);
                }
                let slot = self.slot(frame, &field.value);
                Some(Declared::Pattern { pattern, slot })
            }
            ast::Label::Interpolation(interpolation) => {
                if let Some(alias) = alias {
                    frame.names.insert(&alias.name, Meaning::This);
                }
                let label = self.interpolation(interpolation);
                let slot = self.slot(frame, &field.value);
                Some(Declared::Dynamic { label, presence, slot, attributes })
            }
            ast::Label::Parenthesised(inner) => {
                let label = self.expression(&inner.inner);
                let slot = self.slot(frame, &field.value);
                Some(Declared::Dynamic { label, presence, slot, attributes })
            }
            _ => {
                let span = label.span();
                let written = label;
                let label = self.label_of(written)?;
                let name = match written {
                    ast::Label::Identifier(name) => name.name.clone(),
                    _ => literal::quote_label(&self.code.interner.get(label.text()).clone()),
                };
                self.path.push(name);
                let slot = self.slot(frame, &field.value);
                self.path.pop();
                Some(Declared::Field(FieldDeclaration { label, presence, slot, span, attributes }))
            }
        }
    }

    /// The value of a field, pattern or element, with the frame that its aliases need.
    fn slot(&mut self, mut frame: Scope<'a>, value: &'a Expression) -> Slot {
        let mut value = value;
        if let Expression::Alias(alias) = value
            && let Expression::Struct(structure) = &alias.value
        {
            // The alias means the struct that the literal ends up in, wherever it is referred to from.
            let names = !frame.names.is_empty();
            if names {
                self.scopes.stack.push(frame);
            }
            let mut scope = Scope { is_struct: true, ..Scope::default() };
            scope.names.insert(&alias.name.name, Meaning::This);
            scope.watched.push((&alias.name, false));
            let declarations: Vec<&ast::Declaration> = structure.declarations.iter().collect();
            let id = self.structure(scope, &declarations, structure.span);
            let value = self.code.add(Expr::Struct(id), structure.span);
            if names {
                self.pop_scope();
            }
            return Slot { value, framed: names };
        }
        if let Expression::Alias(alias) = value {
            frame.names.insert(&alias.name.name, Meaning::This);
            frame.watched.push((&alias.name, false));
            value = &alias.value;
        }
        if self.experiments.postfix_alias && matches!(postponed(value), Expression::List(_)) {
            // `self` in a list means the list.
            frame.is_struct = true;
        }
        if frame.names.is_empty() && !frame.is_struct {
            return Slot { value: self.expression(value), framed: false };
        }
        self.scopes.stack.push(frame);
        let value = self.expression(value);
        self.pop_scope();
        Slot { value, framed: true }
    }

    fn comprehension(&mut self, comprehension: &'a ast::Comprehension) -> u32 {
        let mut clauses = Vec::new();
        let mut frames = 0;
        for clause in &comprehension.clauses {
            match clause {
                ast::Clause::For(for_) => {
                    let source = self.expression(&for_.source);
                    let mut scope = Scope::default();
                    if let Some(key) = &for_.key {
                        scope.names.insert(&key.name, Meaning::FrameLabel);
                    }
                    scope.names.insert(&for_.value.name, Meaning::This);
                    self.scopes.stack.push(scope);
                    frames += 1;
                    clauses.push(LoweredClause::For { source });
                }
                ast::Clause::If(if_) => clauses.push(LoweredClause::If(self.expression(&if_.condition))),
                ast::Clause::Let(binding) => {
                    let value = self.expression(&binding.value);
                    let mut scope = Scope::default();
                    scope.names.insert(&binding.name.name, Meaning::This);
                    scope.watched.push((&binding.name, false));
                    self.scopes.stack.push(scope);
                    frames += 1;
                    clauses.push(LoweredClause::Let(value));
                }
                ast::Clause::Try(try_) => match &try_.binding {
                    None => clauses.push(LoweredClause::Try(ExprId(0))),
                    Some(binding) => {
                        let value = self.expression(&binding.value);
                        let mut scope = Scope::default();
                        scope.names.insert(&binding.name.name, Meaning::This);
                        self.scopes.stack.push(scope);
                        frames += 1;
                        clauses.push(LoweredClause::TryLet(value));
                    }
                },
            }
        }
        let value = self.expression(&comprehension.value);
        for clause in &mut clauses {
            if let LoweredClause::Try(body) = clause {
                *body = value;
            }
        }
        for _ in 0..frames {
            self.pop_scope();
        }
        let fallback = comprehension.fallback.as_ref().map(|fallback| {
            let id = self.braces(&fallback.body);
            self.code.add(Expr::Struct(id), fallback.body.span)
        });
        let labels = match (self.code.expr(value), fallback) {
            (Expr::Struct(id), None) => self.static_labels(id),
            _ => None,
        };
        self.code.comprehensions.push(LoweredComprehension { clauses, value, fallback, labels, span: comprehension.span });
        self.code.comprehensions.len() as u32 - 1
    }

    fn static_labels(&self, id: u32) -> Option<Vec<Label>> {
        let literal = self.code.structs.get(id as usize)?;
        literal
            .declarations
            .iter()
            .map(|declared| match declared {
                Declared::Field(field) => Some(field.label),
                _ => None,
            })
            .collect()
    }

    fn braces(&mut self, structure: &'a ast::Struct) -> u32 {
        let declarations: Vec<&ast::Declaration> = structure.declarations.iter().collect();
        self.structure(Scope { is_struct: true, ..Scope::default() }, &declarations, structure.span)
    }

    pub fn expression(&mut self, expression: &'a Expression) -> ExprId {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.expression_inner(expression))
    }

    fn expression_inner(&mut self, expression: &'a Expression) -> ExprId {
        let span = expression.span();
        match expression {
            Expression::Bottom(_) => self.code.add(Expr::Bottom, span),
            Expression::Identifier(identifier) => self.identifier(identifier),
            Expression::Literal(literal) => self.literal(literal),
            Expression::Interpolation(interpolation) => self.interpolation(interpolation),
            Expression::Struct(structure) => {
                let id = self.braces(structure);
                self.code.add(Expr::Struct(id), span)
            }
            Expression::List(list) => self.list(list),
            Expression::Parenthesised(inner) => self.expression(&inner.inner),
            Expression::Selector(selector) => self.selector(selector),
            Expression::Index(index) => {
                let base = self.expression(&index.operand);
                let index = self.expression(&index.index);
                self.code.add(Expr::Index { base, index }, span)
            }
            Expression::Slice(slice) => {
                let base = self.expression(&slice.operand);
                let none = self.code.add(Expr::Bad, span);
                let low = slice.low.as_ref().map_or(none, |low| self.expression(low));
                let high = slice.high.as_ref().map_or(none, |high| self.expression(high));
                let operands = self.code.range(&[base.0, low.0, high.0]);
                self.code.add(Expr::Slice(operands), span)
            }
            Expression::Call(call) => {
                let mut operands = vec![self.expression(&call.function).0];
                operands.extend(call.arguments.iter().map(|argument| self.expression(argument).0));
                if matches!(operands.first().map(|id| self.code.expr(ExprId(*id))), Some(Expr::Core(Core::CloseAll))) {
                    self.check_close_all(call);
                    if !self.experiments.explicit_open {
                        return self.code.add(Expr::Bad, span);
                    }
                }
                let operands = self.code.range(&operands);
                self.code.add(Expr::Call(operands), span)
            }
            Expression::Unary(unary) => self.unary(unary),
            Expression::Binary(binary) => self.binary(binary),
            Expression::Postfix(postfix) => {
                let operand = self.expression(&postfix.operand);
                let expr = match postfix.operator {
                    ast::PostfixOperator::Open => Expr::Open(operand),
                    ast::PostfixOperator::Optional => Expr::Try(operand),
                };
                self.code.add(expr, span)
            }
            Expression::Alias(alias) => self.expression(&alias.value),
            Expression::Ellipsis(_) | Expression::Comprehension(_) | Expression::Bad(_) => self.code.add(Expr::Bad, span),
        }
    }

    /// `__closeAll` closes what is written in its argument, and nothing else.
    fn check_close_all(&mut self, call: &ast::Call) {
        if !self.experiments.explicit_open {
            let text = "__closeAll may only be used when explicitopen is enabled".into();
            self.error("cue.call", text, call.span, "add @experiment(explicitopen) at the head of the file");
        } else if !matches!(call.arguments.first().map(postponed), Some(Expression::Struct(_) | Expression::List(_))) {
            self.error("cue.call", "argument must be a struct or list literal".into(), call.span, "");
        }
    }

    fn literal(&mut self, literal: &ast::Literal) -> ExprId {
        let span = literal.span;
        match literal.kind {
            LiteralKind::Null => self.code.add(Expr::Null, span),
            LiteralKind::True => self.code.add(Expr::Bool(true), span),
            LiteralKind::False => self.code.add(Expr::Bool(false), span),
            LiteralKind::Integer | LiteralKind::Float => match literal::number(&literal.text) {
                Ok(literal::Number::Integer(integer)) => self.code.number(Number::from(integer), span),
                Ok(literal::Number::Float(decimal)) => self.code.number(Number::from(decimal), span),
                Err(error) => {
                    if matches!(error, literal::LiteralError::Fraction(_)) {
                        // The parser lets it pass: it can be laid out.
                        self.error("cue.source", error.to_string(), span, "write it without the suffix, or with one that gives a whole number");
                    }
                    self.code.add(Expr::Bad, span)
                }
            },
            LiteralKind::String => match literal::string(&literal.text) {
                Ok(text) => self.text(&text, span),
                Err(_) => self.code.add(Expr::Bad, span),
            },
        }
    }

    fn text(&mut self, text: &literal::Text, span: Span) -> ExprId {
        match text {
            literal::Text::String(text) => {
                let text = self.code.interner.text(text);
                self.code.add(Expr::Text(text), span)
            }
            literal::Text::Bytes(bytes) => {
                self.code.bytes.push(Arc::from(bytes.as_slice()));
                let index = self.code.bytes.len() as u32 - 1;
                self.code.add(Expr::Bytes(index), span)
            }
        }
    }

    fn interpolation(&mut self, interpolation: &'a ast::Interpolation) -> ExprId {
        let (texts, bytes) = match literal::interpolation(interpolation) {
            Ok(literal::Pieces::Strings(texts)) => (texts.into_iter().map(literal::Text::String).collect::<Vec<_>>(), false),
            Ok(literal::Pieces::Bytes(texts)) => (texts.into_iter().map(literal::Text::Bytes).collect(), true),
            Err(_) => return self.code.add(Expr::Bad, interpolation.span),
        };
        let mut pieces = Vec::new();
        let mut expressions = interpolation.expressions.iter();
        for text in &texts {
            let id = self.text(text, interpolation.span);
            pieces.push(id.0);
            if let Some(expression) = expressions.next() {
                pieces.push(self.expression(expression).0);
            }
        }
        let pieces = self.code.range(&pieces);
        self.code.add(Expr::Interpolation { pieces, bytes }, interpolation.span)
    }

    fn list(&mut self, list: &'a ast::List) -> ExprId {
        let mut elements = Vec::with_capacity(list.elements.len());
        for element in &list.elements {
            elements.push(match element {
                Expression::Ellipsis(ellipsis) => Element::Rest(ellipsis.value.as_ref().map(|value| self.expression(value))),
                Expression::Comprehension(comprehension) => Element::Comprehension(self.comprehension(comprehension)),
                value => Element::Value(self.slot(Scope::default(), value)),
            });
        }
        self.code.lists.push(elements);
        let id = self.code.lists.len() as u32 - 1;
        self.code.add(Expr::List(id), list.span)
    }

    fn unary(&mut self, unary: &'a ast::Unary) -> ExprId {
        let operand = self.expression(&unary.operand);
        let bound = |operator| Expr::Bound { operator, operand };
        let expr = match unary.operator {
            UnaryOperator::Plus => Expr::Plus(operand),
            UnaryOperator::Minus => match self.code.expr(operand) {
                Expr::Int(value) if value != i64::MIN && matches!(postponed(&unary.operand), Expression::Literal(_)) => Expr::Int(-value),
                _ => Expr::Negate(operand),
            },
            UnaryOperator::Not => Expr::Not(operand),
            UnaryOperator::Default => {
                self.error("cue.default", "default marker outside of a disjunction".into(), unary.span, "remove the *");
                return operand;
            }
            UnaryOperator::Less => bound(Operator::Less),
            UnaryOperator::LessOrEqual => bound(Operator::LessOrEqual),
            UnaryOperator::Greater => bound(Operator::Greater),
            UnaryOperator::GreaterOrEqual => bound(Operator::GreaterOrEqual),
            UnaryOperator::NotEqual => bound(Operator::NotEqual),
            UnaryOperator::Equal => bound(Operator::Equal),
            UnaryOperator::Match => bound(Operator::Match),
            UnaryOperator::NotMatch => bound(Operator::NotMatch),
        };
        self.code.add(expr, unary.span)
    }

    fn binary(&mut self, binary: &'a ast::Binary) -> ExprId {
        let operator = match binary.operator {
            BinaryOperator::Disjunction => {
                let mut operands = Vec::new();
                for operand in binary.operands() {
                    operands.push(match operand {
                        Expression::Unary(unary) if unary.operator == UnaryOperator::Default => self.expression(&unary.operand).0 | DEFAULT,
                        other => self.expression(other).0,
                    });
                }
                let operands = self.code.range(&operands);
                return self.code.add(Expr::Disjunction(operands), binary.span);
            }
            BinaryOperator::Unification => {
                let operands: Vec<u32> = binary.operands().into_iter().map(|operand| self.expression(operand).0).collect();
                let operands = self.code.range(&operands);
                return self.code.add(Expr::Unify(operands), binary.span);
            }
            BinaryOperator::Or => Operator::Or,
            BinaryOperator::And => Operator::And,
            BinaryOperator::Equal => Operator::Equal,
            BinaryOperator::NotEqual => Operator::NotEqual,
            BinaryOperator::Less => Operator::Less,
            BinaryOperator::LessOrEqual => Operator::LessOrEqual,
            BinaryOperator::Greater => Operator::Greater,
            BinaryOperator::GreaterOrEqual => Operator::GreaterOrEqual,
            BinaryOperator::Match => Operator::Match,
            BinaryOperator::NotMatch => Operator::NotMatch,
            BinaryOperator::Add => Operator::Add,
            BinaryOperator::Subtract => Operator::Subtract,
            BinaryOperator::Multiply => Operator::Multiply,
            BinaryOperator::Divide => Operator::Divide,
        };
        let left = self.expression(&binary.left);
        let right = self.expression(&binary.right);
        let id = self.code.add(Expr::Binary { operator, left, right }, binary.span);
        if self.experiments.short_circuit {
            self.code.short_circuit.push(id);
        }
        id
    }

    fn selector(&mut self, selector: &'a ast::Selector) -> ExprId {
        let label = match &selector.name {
            ast::SelectorName::Identifier(identifier) => self.code.interner.identifier(&identifier.name, self.package),
            ast::SelectorName::String(literal) => match literal::string(&literal.text) {
                Ok(literal::Text::String(text)) => self.code.interner.regular(&text),
                _ => return self.code.add(Expr::Bad, selector.span),
            },
        };
        if let Expression::Identifier(identifier) = &selector.operand
            && let Some((_, Meaning::Import(index))) = self.scopes.find(&identifier.name)
            && let Some(Target::Standard(package, _)) = self.targets.get(index)
        {
            let name: &str = &self.code.interner.get(label.text()).clone();
            if let Some(function) = package.functions.iter().find(|function| function.name == name) {
                if let Some(used) = self.used_imports.get_mut(index) {
                    *used = true;
                }
                self.code.functions.push((package.path, *function));
                let id = self.code.functions.len() as u32 - 1;
                return self.code.add(Expr::Function(id), selector.span);
            }
        }
        let base = self.expression(&selector.operand);
        self.code.add(Expr::Select { base, label }, selector.span)
    }

    fn identifier(&mut self, identifier: &'a ast::Identifier) -> ExprId {
        let span = identifier.span;
        let name = identifier.name.as_str();
        if name == "_" {
            return self.code.add(Expr::Kind(Kinds::TOP), span);
        }
        if let Some((up, meaning)) = self.scopes.find(name) {
            return self.meaning(up, meaning, span);
        }
        let depth = self.scopes.stack.len().saturating_sub(1) as u32;
        if let Some(label) = self.package_names.get(name) {
            return self.code.add(Expr::Field { up: depth, label: *label }, span);
        }
        if name == "self"
            && self.experiments.postfix_alias
            && let Some(up) = self.scopes.nearest_struct()
        {
            return self.code.add(Expr::This { up }, span);
        }
        if let Some(expr) = self.predeclared(name, span) {
            return expr;
        }
        let near = nearest(name, self.scopes.visible().chain(self.package_names.keys().map(String::as_str)));
        let help = match (STANDARD.iter().map(|front| format!("{front}{name}")).find(|path| crate::packages::package(path).is_some()), near) {
            (Some(path), _) => format!("add import \"{path}\""),
            (None, Some(near)) => format!("did you mean \"{near}\"?"),
            (None, None) => String::new(),
        };
        self.error("cue.reference", format!("reference \"{name}\" not found"), span, &help);
        self.code.add(Expr::Bad, span)
    }

    fn meaning(&mut self, up: u32, meaning: Meaning<'a>, span: Span) -> ExprId {
        let expr = match meaning {
            Meaning::Field(label) => Expr::Field { up, label },
            Meaning::Let(id) => Expr::Let { up, id },
            Meaning::This => Expr::This { up },
            Meaning::FrameLabel => Expr::FrameLabel { up },
            Meaning::Dynamic(label) => {
                let index = self.expression(label);
                let base = self.code.add(Expr::This { up }, span);
                Expr::Index { base, index }
            }
            Meaning::Interpolated(label) => {
                let index = self.interpolation(label);
                let base = self.code.add(Expr::This { up }, span);
                Expr::Index { base, index }
            }
            Meaning::Label(label) => Expr::Text(label.text()),
            Meaning::DynamicLabel(label) => return self.expression(label),
            Meaning::InterpolatedLabel(label) => return self.interpolation(label),
            Meaning::Import(index) => {
                if let Some(used) = self.used_imports.get_mut(index) {
                    *used = true;
                }
                let imported = match self.targets.get(index) {
                    Some(Target::Package(imported) | Target::Standard(_, imported)) => *imported,
                    None => Imported::Missing,
                };
                self.code.imports.push(imported);
                Expr::Import(self.code.imports.len() as u32 - 1)
            }
        };
        self.code.add(expr, span)
    }

    fn predeclared(&mut self, name: &str, span: Span) -> Option<ExprId> {
        if name == "__closeAll" {
            return Some(self.code.add(Expr::Core(Core::CloseAll), span));
        }
        let name = name.strip_prefix("__").unwrap_or(name);
        let kinds = match name {
            // A wish about how values are kept, which means nothing here.
            "no_sharing" => Kinds::TOP,
            "bool" => Kinds::BOOL,
            "int" => Kinds::INT,
            "float" => Kinds::FLOAT,
            "number" => Kinds::NUMBER,
            "string" => Kinds::STRING,
            "bytes" => Kinds::BYTES,
            "float32" | "float64" => return Some(self.float_range(name == "float32", span)),
            _ => return self.integer_range(name, span).or_else(|| self.core(name, span)),
        };
        Some(self.code.add(Expr::Kind(kinds), span))
    }

    fn core(&mut self, name: &str, span: Span) -> Option<ExprId> {
        let core = match name {
            "len" => Core::Len,
            "close" => Core::Close,
            "and" => Core::And,
            "or" => Core::Or,
            "div" => Core::Div,
            "mod" => Core::Mod,
            "quo" => Core::Quo,
            "rem" => Core::Rem,
            "error" => Core::Error,
            "matchN" => Core::MatchN,
            "matchIf" => Core::MatchIf,
            _ => return None,
        };
        Some(self.code.add(Expr::Core(core), span))
    }

    fn between(&mut self, kinds: Kinds, low: Number, high: Option<Number>, span: Span) -> ExprId {
        let mut operands = vec![self.code.add(Expr::Kind(kinds), span).0];
        let low = self.code.number(low, span);
        operands.push(self.code.add(Expr::Bound { operator: Operator::GreaterOrEqual, operand: low }, span).0);
        if let Some(high) = high {
            let high = self.code.number(high, span);
            operands.push(self.code.add(Expr::Bound { operator: Operator::LessOrEqual, operand: high }, span).0);
        }
        let operands = self.code.range(&operands);
        self.code.add(Expr::Unify(operands), span)
    }

    fn integer_range(&mut self, name: &str, span: Span) -> Option<ExprId> {
        if name == "rune" {
            return Some(self.between(Kinds::INT, Number::Int(0), Some(Number::Int(0x0010_ffff)), span));
        }
        let (unsigned, bits) = match name.strip_prefix("uint") {
            Some(bits) => (true, bits),
            None => (false, name.strip_prefix("int")?),
        };
        if unsigned && bits.is_empty() {
            return Some(self.between(Kinds::INT, Number::Int(0), None, span));
        }
        let bits: u32 = match bits {
            "8" | "16" | "32" | "64" | "128" => bits.parse().ok()?,
            _ => return None,
        };
        let power = |bits: u32| num_bigint::BigInt::from(1) << bits;
        let (low, high) = if unsigned { (num_bigint::BigInt::from(0), power(bits) - 1) } else { (-power(bits - 1), power(bits - 1) - 1) };
        Some(self.between(Kinds::INT, Number::from(low), Some(Number::from(high)), span))
    }

    fn float_range(&mut self, small: bool, span: Span) -> ExprId {
        let text = if small { "3.40282346638528859811704183484516925440e+38" } else { "1.797693134862315708145274237317043567981e+308" };
        let high = text.parse::<bigdecimal::BigDecimal>().unwrap_or_default();
        let low = Number::from(-high.clone());
        self.between(Kinds::NUMBER, low, Some(Number::from(high)), span)
    }
}
