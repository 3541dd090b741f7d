//! Where the nodes of the enums stand.

use pravo_diag::Span;

use super::ast::*;

impl Expression {
    /// The text of the expression.
    pub fn span(&self) -> Span {
        match self {
            Self::Bottom(node) => node.span,
            Self::Identifier(node) => node.span,
            Self::Literal(node) => node.span,
            Self::Interpolation(node) => node.span,
            Self::Struct(node) => node.span,
            Self::List(node) => node.span,
            Self::Ellipsis(node) => node.span,
            Self::Comprehension(node) => node.span,
            Self::Alias(node) => node.span,
            Self::Parenthesised(node) => node.span,
            Self::Selector(node) => node.span,
            Self::Index(node) => node.span,
            Self::Slice(node) => node.span,
            Self::Call(node) => node.span,
            Self::Unary(node) => node.span,
            Self::Binary(node) => node.span,
            Self::Postfix(node) => node.span,
            Self::Bad(node) => node.span,
        }
    }
}

impl Declaration {
    /// The text of the declaration.
    pub fn span(&self) -> Span {
        match self {
            Self::Package(node) => node.span,
            Self::Import(node) => node.span,
            Self::Attribute(node) => node.span,
            Self::Field(node) => node.span,
            Self::Let(node) => node.span,
            Self::Embedding(node) => node.span,
            Self::Comprehension(node) => node.span,
            Self::Ellipsis(node) => node.span,
            Self::Comments(group) => {
                let first = group.comments.first().map(|comment| comment.span);
                let last = group.comments.last().map(|comment| comment.span);
                match (first, last) {
                    (Some(first), Some(last)) => first.to(last),
                    _ => Span::new(pravo_diag::FileId(0), 0, 0),
                }
            }
            Self::Bad(node) => node.span,
        }
    }
}

impl Label {
    /// The text of the label, a prefix alias included.
    pub fn span(&self) -> Span {
        match self {
            Self::Identifier(node) => node.span,
            Self::Literal(node) => node.span,
            Self::Interpolation(node) => node.span,
            Self::Parenthesised(node) => node.span,
            Self::Pattern(node) => node.span,
            Self::Alias(node) => node.span,
        }
    }
}

impl SelectorName {
    /// The text of the name.
    pub fn span(&self) -> Span {
        match self {
            Self::Identifier(node) => node.span,
            Self::String(node) => node.span,
        }
    }
}

impl Clause {
    /// The text of the clause.
    pub fn span(&self) -> Span {
        match self {
            Self::For(node) => node.span,
            Self::If(node) => node.span,
            Self::Let(node) => node.span,
            Self::Try(node) => node.span,
        }
    }
}
