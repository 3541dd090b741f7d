//! Texts: paths, scalars, messages. Made only when somebody reads them.

use std::fmt::Write as _;

use pravo_diag::{Diagnostic, FileId, Span};

use super::Session;
use super::data::*;
use crate::intern::{Label, LabelKind, is_identifier};
use crate::program::{Declared, Expr, ExprId};
use crate::{Kinds, Node};

/// A text in double quotes, as CUE writes it.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

impl Session {
    /// A label as CUE writes it; the package of a hidden field of another package in parentheses.
    pub fn label_text(&self, label: Label) -> String {
        match label.kind() {
            LabelKind::Index => label.id().to_string(),
            LabelKind::Anonymous => String::new(),
            LabelKind::Regular => {
                let text = self.texts.get(label.text());
                let plain = is_identifier(text) && !text.starts_with('_') && !text.starts_with('#');
                if plain { text.to_string() } else { quote(text) }
            }
            LabelKind::Definition => self.texts.get(label.text()).to_string(),
            LabelKind::Hidden | LabelKind::HiddenDefinition => {
                let (name, package) = self.texts.name(label);
                let main = self.program.packages.first().map_or("", |package| &package.path);
                if package == main { name.to_owned() } else { format!("{name}({package})") }
            }
        }
    }

    /// The CUE path of a node.
    pub fn path(&self, node: Node) -> String {
        let mut labels = Vec::new();
        let mut at = node;
        while at != NONE && labels.len() < 10_000 {
            let data = self.node(at);
            labels.push(data.label);
            at = data.parent;
        }
        let mut out = String::new();
        for label in labels.into_iter().rev() {
            match label.kind() {
                LabelKind::Anonymous => {}
                LabelKind::Index => {
                    let _ = write!(out, "[{}]", label.id());
                }
                _ => {
                    if !out.is_empty() {
                        out.push('.');
                    }
                    out.push_str(&self.label_text(label));
                }
            }
        }
        out
    }

    pub(crate) fn scalar_text(&self, scalar: Scalar) -> String {
        match scalar {
            Scalar::Null => "null".into(),
            Scalar::Bool(value) => value.to_string(),
            Scalar::Int(value) => value.to_string(),
            Scalar::Number(number) => self.numbers.get(number as usize).map_or_else(String::new, ToString::to_string),
            Scalar::Text(text) => {
                let text = self.texts.get(text);
                if text.chars().count() > 200 {
                    let short: String = text.chars().take(200).collect();
                    format!("{}...", quote(&short))
                } else {
                    quote(text)
                }
            }
            Scalar::Bytes(bytes) => format!("'{}'", String::from_utf8_lossy(self.bytes_of(bytes)).escape_debug()),
        }
    }

    /// An expression for a message, or what kinds it has.
    pub(crate) fn expr_text(&self, expr: ExprId, kinds: Kinds) -> String {
        if expr.0 & DATUM != 0 {
            return match self.data.get((expr.0 & !DATUM) as usize) {
                Some(Datum::Scalar(scalar)) => self.scalar_text(*scalar),
                _ => kinds.to_string(),
            };
        }
        if Self::is_file(expr) {
            return "struct".into();
        }
        match self.program.code.expr(expr) {
            Expr::Null => "null".into(),
            Expr::Bool(value) => value.to_string(),
            Expr::Int(value) => value.to_string(),
            Expr::Number(value) => self.scalar_text(Scalar::Number(value)),
            Expr::Text(value) => self.scalar_text(Scalar::Text(value)),
            Expr::Bytes(value) => self.scalar_text(Scalar::Bytes(value)),
            Expr::Kind(kinds) => kinds.to_string(),
            Expr::Struct(_) => "{...}".into(),
            Expr::List(_) => "[...]".into(),
            Expr::Bound { operator, operand } => format!("{}{}", operator.text(), self.expr_text(operand, kinds)),
            Expr::Field { label, .. } | Expr::Select { label, .. } => self.label_text(label),
            _ => kinds.to_string(),
        }
    }

    /// The place of a field's label, where the conjunct is its value in a literal.
    pub(crate) fn field_span(&self, arc: Node, conjunct: Conjunct) -> Span {
        let label = self.node(arc).label;
        let parent = self.node(arc).parent;
        for (literal, ..) in &self.node(parent).structs {
            let Some(structure) = self.program.code.structs.get(*literal as usize) else { continue };
            for declared in &structure.declarations {
                if let Declared::Field(field) = declared
                    && field.label == label
                    && field.slot.value == conjunct.expr
                {
                    return field.span;
                }
            }
        }
        self.span_of(conjunct.expr)
    }

    /// What an error says.
    pub(crate) fn bottom_text(&self, bottom: u32) -> String {
        let Some(data) = self.bottom_data(bottom) else { return "error".into() };
        match &data.reason {
            Reason::Conflict(a, b) => format!("conflicting values {a} and {b}"),
            Reason::NotAllowed(_) => "field not allowed".into(),
            Reason::Text(text) => text.clone(),
            Reason::Undefined(label) if label.is_index() => format!("index out of range: {}", label.id()),
            Reason::Undefined(label) => format!("undefined field: {}", self.label_text(*label)),
            Reason::MayChange(label) => {
                format!("whether there is a field {} depends on a conditional that waits for it", self.label_text(*label))
            }
            Reason::OptionalReference(label) => format!("cannot reference optional field: {}", self.label_text(*label)),
            Reason::RequiredMissing(label) => format!("field is required but not present: {}", self.label_text(*label)),
            Reason::NotConcrete(kinds) => format!("incomplete value {kinds}"),
            Reason::Cycle => "cycle error".into(),
            Reason::Structural => "structural cycle".into(),
            Reason::OutOfBound(value, operator, bound) => {
                format!("invalid value {} (out of bound {}{})", self.scalar_text(*value), operator.text(), self.scalar_text(*bound))
            }
            Reason::Explicit => "explicit error (_|_ literal) in source".into(),
            Reason::Compile => "the source has an error here".into(),
            Reason::Disjunction(failed) => match failed.as_slice() {
                [] => "no branch of the disjunction fits".into(),
                [only] => self.bottom_text(*only),
                many => {
                    let texts: Vec<String> = many.iter().take(4).map(|bottom| self.bottom_text(*bottom)).collect();
                    format!("{} errors in empty disjunction: {}", many.len(), texts.join("; "))
                }
            },
            Reason::Operands(operator, a, b) => format!("invalid operands to {} (types {a} and {b})", operator.text()),
            Reason::Failed(diagnostic) => diagnostic.summary.clone(),
            Reason::ListLength(a, b) => format!("incompatible list lengths ({a} and {b})"),
        }
    }

    /// An error as a diagnostic.
    pub(crate) fn diagnostic(&self, bottom: u32) -> Diagnostic {
        let Some(data) = self.bottom_data(bottom) else { return Diagnostic::error("cue.eval", "error") };
        if let Reason::Failed(diagnostic) = &data.reason {
            return (**diagnostic).clone();
        }
        let code = match data.code {
            // The source is wrong here, which is told by a diagnostic of its own.
            Code::Eval if matches!(data.reason, Reason::Compile) => "cue.source",
            Code::Eval => "cue.eval",
            Code::User => "cue.user",
            Code::Incomplete => "cue.incomplete",
            Code::Cycle => "cue.cycle",
            Code::Structural => "cue.structural-cycle",
        };
        let path = self.path(self.cycle_place(data));
        let closest = match &data.reason {
            Reason::Disjunction(failed) if failed.len() > 1 => self.closest(failed),
            _ => None,
        };
        let text = closest.map_or_else(|| self.bottom_text(bottom), |closest| self.failed_branches(data, closest));
        let summary = if path.is_empty() { text } else { format!("{path}: {text}") };
        let mut out = Diagnostic::error(code, summary).with_path(path);
        let mut spans = closest.and_then(|closest| self.bottom_data(closest)).map_or_else(Vec::new, |closest| closest.spans.clone());
        if let (Some(_), Some(first)) = (self.unlike_all(data), spans.first().copied()) {
            // No branch is nearer than the others: the value and the disjunction say all.
            spans.retain(|span| *span != first);
        }
        spans.extend(data.spans.iter().copied());
        out.detail = self.other_branches(data, closest).trim_end().to_owned();
        let mut seen = Vec::new();
        for span in spans {
            if span.file != FileId(u32::MAX) && !seen.contains(&span) {
                seen.push(span);
                out = out.at(span, "");
            }
        }
        if seen.is_empty()
            && let Some(span) = self.span(data.node)
        {
            out = out.at(span, "");
        }
        if let Some(help) = self.advice(data) {
            out = out.with_help(help);
        }
        out
    }

    fn advice(&self, data: &BottomData) -> Option<String> {
        match data.reason {
            Reason::NotAllowed(label) => {
                let parent = self.node(data.node).parent;
                let name = self.texts.get(label.text());
                let names = self.declared_names(parent, label);
                crate::program::nearest(name, names.iter().map(String::as_str)).map(|near| format!("did you mean \"{near}\"?"))
            }
            Reason::Disjunction(_) => {
                let (value, others) = self.unlike_all(data)?;
                let others = others.iter().map(|other| other.trim_matches('"'));
                crate::program::nearest(value.trim_matches('"'), others).map(|near| format!("did you mean {near:?}?"))
            }
            Reason::OptionalReference(label) => Some(format!("guard it with `if x.{} != _|_`, or give the field a value", self.label_text(label))),
            _ => None,
        }
    }

    /// The fields that the literals of a node declare, but for one.
    fn declared_names(&self, node: Node, except: Label) -> Vec<String> {
        let mut out = Vec::new();
        for (literal, ..) in &self.node(node).structs {
            let Some(structure) = self.program.code.structs.get(*literal as usize) else { continue };
            for declared in &structure.declarations {
                if let Declared::Field(field) = declared
                    && field.label != except
                    && field.label.is_regular()
                {
                    out.push(self.texts.get(field.label.text()).to_string());
                }
            }
        }
        out
    }

    /// Where a node was declared: the label of its first field, or its first expression.
    pub fn span(&self, node: Node) -> Option<Span> {
        let data = self.node(node);
        let first = data.conjuncts.iter().find(|conjunct| conjunct.expr.0 & DATUM == 0)?;
        Some(self.field_span(node, *first))
    }
}
