//! Labels without the quotation marks that they do not need.
//!
//! Kept true here: a label loses its marks only where no reference in its scope has its name, for without them the
//! reference would mean the field.

use std::collections::HashMap;

use crate::syntax::ast::*;
use crate::syntax::literal::{is_plain_label, plain_string};

/// The labels of the structs around, and whether they can lose their marks.
type Scopes = Vec<HashMap<String, bool>>;

/// Takes away the quotation marks of a list of declarations and of everything in it.
pub(super) fn simplify(declarations: &mut [Declaration]) {
    struct_(declarations, &mut Vec::new());
}

fn struct_(declarations: &mut [Declaration], scopes: &mut Scopes) {
    let mut scope = HashMap::new();
    for declaration in &*declarations {
        if let Declaration::Field(field) = declaration {
            mark_label(&field.label, &mut scope);
        }
    }
    scopes.push(scope);
    for declaration in &mut *declarations {
        declaration_references(declaration, scopes);
    }
    let scope = scopes.pop().unwrap_or_default();
    for declaration in declarations {
        if let Declaration::Field(field) = declaration
            && let Label::Literal(literal) = &field.label
            && literal.kind == LiteralKind::String
            && let Some(name) = simple_string(literal).filter(|name| scope.get(name) == Some(&true))
        {
            let (span, comments) = (literal.span, literal.comments.clone());
            field.label = Label::Identifier(Identifier { span, space: Space::Unset, name, comments });
        }
    }
}

/// The value of a string on one line without `#`.
fn simple_string(literal: &Literal) -> Option<String> {
    let simple = literal.text.starts_with('"') && !literal.text.starts_with("\"\"\"");
    plain_string(&literal.text).filter(|name| simple && is_plain_label(name))
}

fn mark_label(label: &Label, scope: &mut HashMap<String, bool>) {
    match label {
        Label::Identifier(name) => {
            scope.insert(name.name.clone(), true);
        }
        Label::Literal(literal) => scope.extend(simple_string(literal).map(|name| (name, true))),
        Label::Alias(alias) => {
            scope.insert(alias.name.name.clone(), true);
            mark_label(&alias.label, scope);
        }
        Label::Parenthesised(_) | Label::Interpolation(_) | Label::Pattern(_) => {}
    }
}

fn mark(name: &Identifier, scopes: &mut Scopes) {
    for scope in scopes.iter_mut().rev() {
        if let Some(free) = scope.get_mut(&name.name) {
            *free = false;
            return;
        }
    }
}

fn declaration_references(declaration: &mut Declaration, scopes: &mut Scopes) {
    match declaration {
        Declaration::Field(field) => {
            label_references(&mut field.label, scopes);
            references(&mut field.value, scopes);
        }
        Declaration::Let(node) => {
            mark(&node.name, scopes);
            references(&mut node.value, scopes);
        }
        Declaration::Embedding(node) => references(&mut node.value, scopes),
        Declaration::Comprehension(node) => comprehension(node, scopes),
        Declaration::Ellipsis(node) => node.value.iter_mut().for_each(|value| references(value, scopes)),
        Declaration::Package(_) | Declaration::Import(_) | Declaration::Attribute(_) | Declaration::Comments(_) | Declaration::Bad(_) => {}
    }
}

/// What dynamic labels and patterns refer to.
fn label_references(label: &mut Label, scopes: &mut Scopes) {
    match label {
        Label::Identifier(_) | Label::Literal(_) => {}
        Label::Interpolation(node) => node.expressions.iter_mut().for_each(|value| references(value, scopes)),
        Label::Parenthesised(node) => references(&mut node.inner, scopes),
        Label::Pattern(node) => node.elements.iter_mut().for_each(|value| references(value, scopes)),
        Label::Alias(node) => label_references(&mut node.label, scopes),
    }
}

fn comprehension(node: &mut Comprehension, scopes: &mut Scopes) {
    for clause in &mut node.clauses {
        match clause {
            Clause::For(node) => {
                node.key.iter().for_each(|key| mark(key, scopes));
                mark(&node.value, scopes);
                references(&mut node.source, scopes);
            }
            Clause::If(node) => references(&mut node.condition, scopes),
            Clause::Let(node) => {
                mark(&node.name, scopes);
                references(&mut node.value, scopes);
            }
            Clause::Try(node) => {
                if let Some(binding) = &mut node.binding {
                    mark(&binding.name, scopes);
                    references(&mut binding.value, scopes);
                }
            }
        }
    }
    references(&mut node.value, scopes);
    if let Some(fallback) = &mut node.fallback {
        struct_(&mut fallback.body.declarations, scopes);
    }
}

fn references(expression: &mut Expression, scopes: &mut Scopes) {
    // Chains lean to the left, so the left side is walked in a loop.
    let mut current = expression;
    loop {
        current = match current {
            Expression::Struct(node) => return struct_(&mut node.declarations, scopes),
            Expression::Identifier(name) => return mark(name, scopes),
            Expression::Interpolation(node) => {
                return node.expressions.iter_mut().for_each(|value| references(value, scopes));
            }
            Expression::List(node) => return node.elements.iter_mut().for_each(|value| references(value, scopes)),
            Expression::Ellipsis(node) => return node.value.iter_mut().for_each(|value| references(value, scopes)),
            Expression::Comprehension(node) => return comprehension(node, scopes),
            Expression::Alias(node) => {
                mark(&node.name, scopes);
                &mut node.value
            }
            Expression::Parenthesised(node) => &mut node.inner,
            Expression::Selector(node) => &mut node.operand,
            Expression::Index(node) => {
                references(&mut node.index, scopes);
                &mut node.operand
            }
            Expression::Slice(node) => {
                node.low.iter_mut().for_each(|low| references(low, scopes));
                node.high.iter_mut().for_each(|high| references(high, scopes));
                &mut node.operand
            }
            Expression::Call(node) => {
                node.arguments.iter_mut().for_each(|argument| references(argument, scopes));
                &mut node.function
            }
            Expression::Unary(node) => &mut node.operand,
            Expression::Binary(node) => {
                references(&mut node.right, scopes);
                &mut node.left
            }
            Expression::Postfix(node) => &mut node.operand,
            Expression::Bottom(_) | Expression::Literal(_) | Expression::Bad(_) => return,
        };
    }
}
