//! Literals in the syntax tree: fields that are read before anything is evaluated.

use pravo_cue::syntax::ast::{Declaration, Expression, Label, LiteralKind};
use pravo_cue::syntax::literal;
use pravo_diag::{Diagnostic, Span};
use pravo_model::capability::Allow;

/// Where an expression stands.
pub(crate) fn span(expression: &Expression) -> Span {
    expression.span()
}

fn not_literal(expression: &Expression, what: &str) -> Diagnostic {
    let help = "the provider package that is imported depends on it: write it out, without references, interpolation or operators";
    Diagnostic::error("specification.literal", format!("{what} must be a literal")).at(span(expression), "").with_help(help)
}

/// The text of a string literal.
pub(crate) fn decode(text: &str) -> Option<String> {
    match literal::string(text) {
        Ok(literal::Text::String(text)) => Some(text),
        _ => None,
    }
}

/// The name of a label that is an identifier or a string.
pub(crate) fn name(label: &Label) -> Option<String> {
    match label {
        Label::Identifier(name) => Some(name.name.clone()),
        Label::Literal(text) => decode(&text.text),
        _ => None,
    }
}

/// A string literal.
///
/// # Errors
/// Where it is something else.
pub(crate) fn text(expression: &Expression) -> Result<String, Diagnostic> {
    match expression {
        Expression::Literal(text) if text.kind == LiteralKind::String => {
            decode(&text.text).ok_or_else(|| not_literal(expression, "$version and $source are strings, not bytes; each"))
        }
        Expression::Parenthesised(inner) => text(&inner.inner),
        _ => Err(not_literal(expression, "$version and $source are strings; each")),
    }
}

/// An `$allow`.
///
/// # Errors
/// Where it is no literal, or names an unknown capability.
pub(crate) fn allow(expression: &Expression) -> Result<Allow, Diagnostic> {
    let json = json(expression)?;
    Allow::parse(&json.to_string()).map_err(|error| {
        let help = "$allow takes fs: [{path: \"…\", access: \"read\" or \"write\"}], net: [\"host\"], env: [\"NAME\"], clock: true, random: true";
        Diagnostic::error("specification.allow", error.to_string()).at(span(expression), "").with_help(help)
    })
}

/// Recursion is bounded by the parser's bound on depth.
fn json(expression: &Expression) -> Result<serde_json::Value, Diagnostic> {
    use serde_json::Value;
    match expression {
        Expression::Parenthesised(inner) => json(&inner.inner),
        Expression::Literal(literal) => match literal.kind {
            LiteralKind::Null => Ok(Value::Null),
            LiteralKind::True => Ok(Value::Bool(true)),
            LiteralKind::False => Ok(Value::Bool(false)),
            LiteralKind::String => text(expression).map(Value::String),
            LiteralKind::Integer | LiteralKind::Float => Err(not_literal(expression, "$allow takes no numbers; it")),
        },
        Expression::List(list) => list.elements.iter().map(json).collect::<Result<_, _>>().map(Value::Array),
        Expression::Struct(inner) => {
            let mut fields = serde_json::Map::new();
            for declaration in &inner.declarations {
                let Declaration::Field(field) = declaration else {
                    return Err(not_literal(expression, "$allow"));
                };
                let Some(name) = name(&field.label) else {
                    return Err(not_literal(expression, "$allow"));
                };
                let value = json(&field.value)?;
                if fields.insert(name.clone(), value).is_some() {
                    let summary = format!("$allow has {name} twice");
                    return Err(Diagnostic::error("specification.allow", summary).at(field.span, "").with_help("write each capability once"));
                }
            }
            Ok(Value::Object(fields))
        }
        _ => Err(not_literal(expression, "$allow")),
    }
}
