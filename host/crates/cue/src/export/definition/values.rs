//! Values without references: they are computed.

use std::sync::Arc;

use pravo_diag::{Diagnostic, SourceMap};

use super::{Writer, made};
use crate::export::tree::Content;
use crate::export::{cue, tree_of};
use crate::program::{LoadedPackage, Loader, build};
use crate::session::{Limits, Session, Turn, Want};
use crate::syntax::ast::*;
use crate::syntax::{Format, Options, format_expression, parse_expression, parse_file};

/// Nothing can be imported.
struct Nothing;

impl Loader for Nothing {
    fn package(&mut self, path: &str, _: &mut SourceMap) -> Result<LoadedPackage, Box<Diagnostic>> {
        Err(Box::new(Diagnostic::error("cue.import", format!("there is no package {path:?}"))))
    }
}

impl Writer {
    /// What several expressions without references come to. A literal among them that is the result is kept as it was written.
    pub(super) fn unified(&mut self, parts: &[&Expression]) -> Expression {
        if let [Expression::Identifier(name)] = parts
            && name.name != "rune"
        {
            return made::name(name.name.strip_prefix("__").unwrap_or(&name.name));
        }
        let literal = parts.iter().find_map(|part| match part {
            Expression::Literal(literal) => Some(literal),
            _ => None,
        });
        if let ([_], Some(literal)) = (parts, literal) {
            return Expression::Literal(Box::new(made::literal(literal.kind, &literal.text)));
        }
        let text: Vec<String> = parts.iter().map(|part| format!("({})", format_expression(part, "", Format::default()))).collect();
        match (computed(&text.join(" & ")), literal) {
            (Some((_, true)), Some(literal)) => Expression::Literal(Box::new(made::literal(literal.kind, &literal.text))),
            (Some((value, _)), _) => value,
            (None, _) => {
                let written = parts.iter().map(|part| self.raw(part)).collect();
                made::chain(BinaryOperator::Unification, written)
            }
        }
    }
}

/// The value of a text, and whether it is a scalar.
fn computed(text: &str) -> Option<(Expression, bool)> {
    let mut sources = SourceMap::new();
    let file = sources.add("value", format!("value: {text}\n"));
    let parsed = parse_file(&sources, file, &Options::default());
    let program = build("", &[parsed.file], &mut Nothing, &mut sources);
    if program.diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }
    let mut session = Session::new(Arc::new(program), Limits { steps: 1_000_000, nodes: 100_000, bytes: 64 << 20, ..Limits::default() });
    let root = session.root();
    session.want(root, Want::Final);
    if !matches!(session.run().ok()?, Turn::Done) {
        return None;
    }
    let tree = tree_of(&mut session, root, &sources).ok()?;
    let value = &tree.field("value")?.value;
    if matches!(value.content, Content::Bottom(_)) {
        return None;
    }
    let written = cue::value(value);
    let mut sources = SourceMap::new();
    let file = sources.add("value", written);
    let parsed = parse_expression(&sources, file, &Options::default());
    parsed.diagnostics.is_empty().then_some((parsed.expression, matches!(value.content, Content::Scalar(_))))
}
