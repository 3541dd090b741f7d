//! Values as CUE.
//!
//! The text is written without care for its looks, and then laid out like any other CUE: so it can be read again.

use super::tree::{Class, Constraint, Content, Field, Problem, Tree};
use crate::syntax::ast;
use crate::syntax::format::{binary_text, unary_text};
use crate::syntax::literal::{Form, quote_label};
use crate::syntax::{Format, Options as ParseOptions, format_file, format_made, parse_expression, parse_file};
use crate::{Kinds, Number, Value};

/// What of a value is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether optional and hidden fields are shown.
    pub all: bool,
}

/// A value as CUE, its defaults taken, each level indented by four blanks. `files` are those of the package, whose imports are repeated
/// where something that is not evaluated refers to them.
pub fn evaluated(tree: &Tree, options: Options, files: &[ast::File]) -> String {
    let mut out = String::new();
    let writer = Writer { options };
    let tree = tree.decided();
    match (&tree.content, writer.visible(tree).next()) {
        (Content::Struct, _) => writer.fields(&mut out, tree, true),
        _ => {
            writer.value(&mut out, tree);
            out.push('\n');
        }
    }
    lay_out(&format!("{}{out}", imports(&out, files))).replace('\t', "    ")
}

/// The import declaration for the packages of the files that a text refers to.
fn imports(text: &str, files: &[ast::File]) -> String {
    if files.iter().all(|file| file.imports().next().is_none()) {
        return String::new();
    }
    let mut sources = pravo_diag::SourceMap::new();
    let file = sources.add("value", text);
    let parsed = parse_file(&sources, file, &ParseOptions::default());
    let used = super::definition::undeclared(parsed.file);
    let mut lines: Vec<String> = Vec::new();
    for name in used {
        let specs = files.iter().flat_map(ast::File::imports);
        let found = specs.filter_map(|spec| {
            let path = crate::syntax::literal::plain_string(&spec.path.text)?;
            let own = super::definition::own_name(&path).to_owned();
            let local = spec.name.as_ref().map_or(own.as_str(), |name| name.name.as_str());
            let written = if local == own { spec.path.text.clone() } else { format!("{local} {}", spec.path.text) };
            (local == name).then_some(written)
        });
        lines.extend(found.take(1).filter(|line| !lines.contains(line)).collect::<Vec<_>>());
    }
    match lines.as_slice() {
        [] => String::new(),
        [only] => format!("import {only}\n\n"),
        many => format!("import (\n\t{}\n)\n\n", many.join("\n\t")),
    }
}

/// A value as CUE, not laid out.
pub(crate) fn value(tree: &Tree) -> String {
    let mut out = String::new();
    Writer { options: Options { all: true } }.value(&mut out, tree);
    out
}

/// A concrete value as CUE that can be read again, every string on one line.
pub fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => Form::STRING.quote(text),
        Value::Bytes(bytes) => Form::BYTES.quote_bytes(bytes),
        Value::List(elements) => format!("[{}]", elements.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Struct(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{}: {}", quote_label(name), literal(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        other => {
            let mut out = String::new();
            scalar(&mut out, other);
            out
        }
    }
}

/// Lays a text out; where it cannot be read (the words of an error, for instance), it is left as it is.
fn lay_out(text: &str) -> String {
    let mut sources = pravo_diag::SourceMap::new();
    let file = sources.add("value", text);
    let parsed = parse_file(&sources, file, &ParseOptions::default());
    if parsed.diagnostics.is_empty() { format_file(&parsed.file, text, Format::default()) } else { text.to_owned() }
}

struct Writer {
    options: Options,
}

impl Writer {
    fn visible<'t>(&self, tree: &'t Tree) -> impl Iterator<Item = &'t Field> + use<'t> {
        let all = self.options.all;
        tree.fields.iter().filter(move |field| {
            let hidden = matches!(field.class, Class::Hidden | Class::HiddenDefinition);
            let optional = field.constraint == Some(ast::Constraint::Optional);
            all || !hidden && !optional
        })
    }

    fn fields(&self, out: &mut String, tree: &Tree, top: bool) {
        for field in self.visible(tree) {
            self.field(out, field);
        }
        // A comprehension that waits is shown as it is written.
        if top && out.is_empty() && tree.fields.is_empty() {
            out.push_str("{}\n");
        }
    }

    fn field(&self, out: &mut String, field: &Field) {
        match field.class {
            Class::Regular => out.push_str(&quote_label(&field.name)),
            _ => out.push_str(&field.name),
        }
        match field.constraint {
            Some(ast::Constraint::Optional) => out.push('?'),
            Some(ast::Constraint::Required) => out.push('!'),
            None => {}
        }
        out.push_str(": ");
        self.value(out, &field.value);
        out.push('\n');
    }

    fn value(&self, out: &mut String, tree: &Tree) {
        let tree = tree.decided();
        let is_struct = matches!(tree.content, Content::Struct);
        let mut fields = self.visible(tree).peekable();
        if is_struct && fields.peek().is_none() {
            out.push_str("{}");
        } else if is_struct {
            out.push_str("{\n");
            self.fields(out, tree, false);
            out.push('}');
        } else if fields.peek().is_some() && !matches!(tree.content, Content::Bottom(_)) {
            // The fields of the braces around a scalar or list.
            let is_list = matches!(tree.content, Content::List { .. });
            let mut inner = String::new();
            self.content(&mut inner, &tree.content);
            out.push_str("{\n");
            if !is_list {
                out.push_str(&format!("{inner}\n"));
            }
            fields.for_each(|field| self.field(out, field));
            if is_list {
                out.push_str(&format!("{inner}\n"));
            }
            out.push('}');
        } else {
            self.content(out, &tree.content);
        }
    }

    fn content(&self, out: &mut String, content: &Content) {
        match content {
            Content::Struct => out.push_str("{}"),
            Content::Scalar(value) => scalar(out, value),
            Content::Kinds(kinds) => out.push_str(&kinds_text(*kinds)),
            Content::List { elements, .. } => {
                out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    self.value(out, element);
                }
                out.push(']');
            }
            Content::Constraints { kinds, constraints } => self.constraints(out, *kinds, constraints),
            Content::Disjunction { branches, defaults } => {
                // Several defaults that remain are what is left of the disjunction.
                let shown = if *defaults > 1 { branches.get(..*defaults) } else { branches.get(..) };
                for (at, branch) in shown.unwrap_or(&[]).iter().enumerate() {
                    if at > 0 {
                        out.push_str(&format!(" {} ", binary_text(ast::BinaryOperator::Disjunction)));
                    }
                    self.value(out, branch);
                }
            }
            Content::Bottom(problem) => bottom(out, problem),
        }
    }

    fn constraints(&self, out: &mut String, kinds: Kinds, constraints: &[Constraint]) {
        let (mut parts, rest) = integer_range(kinds, constraints);
        for constraint in rest {
            let mut text = String::new();
            match constraint {
                Constraint::Bound { operator, operand } => {
                    text.push_str(unary_text(*operator));
                    self.value(&mut text, operand);
                }
                Constraint::Validator(written) => text.push_str(&expression(written)),
            }
            parts.push(text);
        }
        out.push_str(&parts.join(" & "));
    }
}

/// The kinds that a constraint leaves by itself; a function may leave any.
fn said_kinds(constraint: &Constraint, all: Kinds) -> Kinds {
    let Constraint::Bound { operator, operand } = constraint else { return all };
    match (operator, &operand.content) {
        (ast::UnaryOperator::NotEqual, Content::Scalar(Value::Null)) => Kinds(everything().0 & !Kinds::NULL.0),
        (ast::UnaryOperator::NotEqual, Content::Scalar(value)) if value.kinds() == all => all,
        (ast::UnaryOperator::NotEqual, _) => everything(),
        (ast::UnaryOperator::Match | ast::UnaryOperator::NotMatch, _) => Kinds(Kinds::STRING.0 | Kinds::BYTES.0),
        (_, Content::Scalar(Value::Number(_))) => Kinds::NUMBER,
        (_, Content::Scalar(value)) => value.kinds(),
        _ => all,
    }
}

fn everything() -> Kinds {
    Kinds(Kinds::SCALAR.0 | Kinds::LIST.0 | Kinds::STRUCT.0)
}

/// The names of integer types of a fixed size, with their bounds.
fn integer_types() -> Vec<(&'static str, Number, Number)> {
    let power = |exponent: u32| num_bigint::BigInt::from(1) << exponent;
    let mut out = Vec::new();
    for (name, bits) in [("uint8", 8), ("uint16", 16), ("uint32", 32), ("uint64", 64), ("uint128", 128)] {
        out.push((name, Number::Int(0), Number::from(power(bits) - 1)));
    }
    for (name, bits) in [("int8", 8), ("int16", 16), ("int32", 32), ("int64", 64), ("int128", 128)] {
        out.push((name, Number::from(-power(bits - 1)), Number::from(power(bits - 1) - 1)));
    }
    out
}

/// Replaces bounds of an integer by the name of their type, `>=0 & <=255` by `uint8`; what is left follows.
fn integer_range(kinds: Kinds, constraints: &[Constraint]) -> (Vec<String>, Vec<&Constraint>) {
    let all: Vec<&Constraint> = constraints.iter().collect();
    if kinds != Kinds::INT {
        // A kind that the bounds do not say themselves stands in front.
        let said = constraints.iter().fold(Kinds::TOP, |said, constraint| said & said_kinds(constraint, kinds));
        let named = said.0 & everything().0 != kinds.0 & everything().0;
        return (if named { vec![kinds_text(kinds)] } else { Vec::new() }, all);
    }
    let bound = |wanted: ast::UnaryOperator| {
        all.iter().position(|constraint| matches!(constraint, Constraint::Bound { operator, .. } if *operator == wanted))
    };
    let number = |at: Option<usize>| match at.and_then(|at| all.get(at)) {
        Some(Constraint::Bound { operand, .. }) => match &operand.content {
            Content::Scalar(Value::Number(number)) => Some(number.clone()),
            _ => None,
        },
        _ => None,
    };
    let (low_at, high_at) = (bound(ast::UnaryOperator::GreaterOrEqual), bound(ast::UnaryOperator::LessOrEqual));
    let (low, high) = (number(low_at), number(high_at));
    let without = |used: &[Option<usize>]| {
        let rest = all.iter().enumerate().filter(|(at, _)| !used.contains(&Some(*at)));
        rest.map(|(_, constraint)| *constraint).collect::<Vec<_>>()
    };
    for (name, smallest, largest) in integer_types() {
        if low.as_ref() == Some(&smallest) && high.as_ref() == Some(&largest) {
            return (vec![name.to_owned()], without(&[low_at, high_at]));
        }
    }
    if low == Some(Number::Int(0)) {
        return (vec!["uint".to_owned()], without(&[low_at]));
    }
    (vec!["int".to_owned()], all)
}

/// Kinds as CUE: `int`, `(int | string)`, `_`.
pub(crate) fn kinds_text(kinds: Kinds) -> String {
    if kinds.contains(everything()) {
        return "_".to_owned();
    }
    let names = [
        (Kinds::NULL, "null"),
        (Kinds::BOOL, "bool"),
        (Kinds::NUMBER, "number"),
        (Kinds::INT, "int"),
        (Kinds::FLOAT, "float"),
        (Kinds::STRING, "string"),
        (Kinds::BYTES, "bytes"),
        (Kinds::LIST, "[...]"),
        (Kinds::STRUCT, "{...}"),
    ];
    let mut rest = kinds.0;
    let mut parts = Vec::new();
    for (kind, name) in names {
        if rest & kind.0 == kind.0 {
            rest &= !kind.0;
            parts.push(name);
        }
    }
    match parts.as_slice() {
        [] => "_|_".to_owned(),
        [one] => (*one).to_owned(),
        _ => format!("({})", parts.join(" | ")),
    }
}

pub(super) fn scalar(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => out.push_str(&Form::STRING.with_indent(1).quote(text)),
        Value::Bytes(bytes) => out.push_str(&Form::BYTES.with_indent(1).quote_bytes(bytes)),
        Value::Struct(fields) if fields.is_empty() => out.push_str("{}"),
        Value::Struct(fields) => {
            out.push_str("{\n");
            for (name, value) in fields {
                out.push_str(&quote_label(name));
                out.push_str(": ");
                scalar(out, value);
                out.push('\n');
            }
            out.push('}');
        }
        Value::List(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                scalar(out, element);
            }
            out.push(']');
        }
        Value::Partial { kinds, .. } => out.push_str(&kinds_text(*kinds)),
        Value::Handle(_) => out.push('_'),
    }
}

fn bottom(out: &mut String, problem: &Problem) {
    match &problem.source {
        Some(source) => out.push_str(&expression(source)),
        None => out.push_str(&format!("_|_ // {}", problem.message.replace('\n', " "))),
    }
}

/// An expression of the sources without their line breaks; the braces around a lone value are left out.
fn expression(text: &str) -> String {
    let mut sources = pravo_diag::SourceMap::new();
    let file = sources.add("expression", text);
    let parsed = parse_expression(&sources, file, &ParseOptions::default());
    if !parsed.diagnostics.is_empty() {
        return text.to_owned();
    }
    let mut value = parsed.expression;
    while let ast::Expression::Struct(node) = &mut value
        && let [ast::Declaration::Embedding(embedding)] = node.declarations.as_mut_slice()
    {
        let bad = ast::Bad { span: node.span, space: ast::Space::Unset, comments: ast::Comments::default() };
        value = std::mem::replace(&mut embedding.value, ast::Expression::Bad(Box::new(bad)));
    }
    let span = value.span();
    let embedding = ast::Embedding { span, value, comments: ast::Comments::default() };
    let declarations = vec![ast::Declaration::Embedding(Box::new(embedding))];
    let comments = ast::Comments::default();
    format_made(&ast::File { span, declarations, experiments: Default::default(), comments }).trim().to_owned()
}
