//! Syntax trees that are made, not read.

use pravo_diag::{FileId, Span};

use crate::syntax::ast::*;
use crate::syntax::literal::quote_label;

/// The place of what stands nowhere.
pub(super) fn nowhere() -> Span {
    Span::new(FileId(u32::MAX), 0, 0)
}

pub(super) fn identifier(name: &str) -> Identifier {
    Identifier { span: nowhere(), space: Space::Unset, name: name.to_owned(), comments: Comments::default() }
}

pub(super) fn name(name: &str) -> Expression {
    Expression::Identifier(Box::new(identifier(name)))
}

pub(super) fn literal(kind: LiteralKind, text: &str) -> Literal {
    Literal { span: nowhere(), space: Space::Unset, kind, text: text.to_owned(), comments: Comments::default() }
}

/// A label, in quotation marks where it needs them.
pub(super) fn label(written: &str, quoted: bool) -> Label {
    let text = if quoted { quote_label(written) } else { written.to_owned() };
    if text.starts_with('"') { Label::Literal(literal(LiteralKind::String, &text)) } else { Label::Identifier(identifier(&text)) }
}

pub(super) fn structure(declarations: Vec<Declaration>) -> Expression {
    Expression::Struct(Box::new(braces(declarations)))
}

pub(super) fn braces(declarations: Vec<Declaration>) -> Struct {
    let (open, close) = (Some(Place::default()), Some(Place::default()));
    Struct { span: nowhere(), open, declarations, close, comments: Comments::default() }
}

pub(super) fn embedding(value: Expression) -> Declaration {
    Declaration::Embedding(Box::new(Embedding { span: nowhere(), value, comments: Comments::default() }))
}

/// A field; a struct of one field is written without braces where the label is an ordinary one.
pub(super) fn field(label: Label, constraint: Option<Constraint>, value: Expression) -> Field {
    Field { span: nowhere(), label, alias: None, constraint, colon: Place::default(), value, attributes: Vec::new(), comments: Comments::default() }
}

/// Takes the braces away from a struct of one field that stands behind an ordinary label.
pub(super) fn collapse(field: &mut Field) {
    let label = match &field.label {
        Label::Alias(alias) => &alias.label,
        label => label,
    };
    let ordinary = !matches!(label, Label::Identifier(name) if name.name.starts_with(['_', '#']));
    if let Expression::Struct(inner) = &mut field.value
        && ordinary
        && !field.comments.groups().iter().any(|group| group.doc)
        && let [Declaration::Field(only)] = inner.declarations.as_slice()
        && only.attributes.is_empty()
        && !only.comments.groups().iter().any(|group| group.doc)
    {
        inner.open = None;
        inner.close = None;
    }
}

/// Operands with an operator between them; one stands alone, none is anything.
pub(super) fn chain(operator: BinaryOperator, operands: Vec<Expression>) -> Expression {
    let mut operands = operands.into_iter();
    let Some(first) = operands.next() else { return name("_") };
    operands.fold(first, |left, right| binary(operator, left, right))
}

pub(super) fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    Expression::Binary(Box::new(Binary { span: nowhere(), left, place: Place::default(), operator, right, comments: Comments::default() }))
}

pub(super) fn unary(operator: UnaryOperator, operand: Expression) -> Expression {
    Expression::Unary(Box::new(Unary { span: nowhere(), place: Place::default(), operator, operand, comments: Comments::default() }))
}

pub(super) fn call(function: Expression, arguments: Vec<Expression>) -> Expression {
    let (open, close) = (Place::default(), Place::default());
    Expression::Call(Box::new(Call { span: nowhere(), function, open, arguments, close, comments: Comments::default() }))
}

pub(super) fn list(elements: Vec<Expression>) -> List {
    let (open, close) = (Place::default(), Place::default());
    List { span: nowhere(), open, elements, without_commas: false, close, comments: Comments::default() }
}

pub(super) fn ellipsis(value: Option<Expression>) -> Ellipsis {
    Ellipsis { span: nowhere(), space: Space::Unset, value, comments: Comments::default() }
}
