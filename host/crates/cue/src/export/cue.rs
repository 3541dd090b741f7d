//! Values as CUE.
//!
//! The text is written without care for its looks, and then laid out like any other CUE: so it can be read again.

use pravo_diag::Span;

use super::lets::Lets;
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
    let writer = Writer { options, lets: Lets::of(files) };
    let tree = tree.decided();
    match (&tree.content, writer.visible(tree).next()) {
        (Content::Struct, _) => {
            writer.fields(&mut out, tree, true);
            let lets = writer.lets(None, &out);
            if !lets.is_empty() {
                out = format!("{lets}{out}");
            }
        }
        _ => {
            writer.value(&mut out, tree);
            out.push('\n');
        }
    }
    let text = lay_out(&format!("{}{out}", imports(&out, files))).replace('\t', "    ");
    // A let at the top stands behind an empty line.
    if out.starts_with("let ") && text.starts_with("let ") { format!("\n{text}") } else { text }
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
    Writer { options: Options { all: true }, lets: Lets::default() }.value(&mut out, tree);
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
    lets: Lets,
}

impl Writer {
    fn visible<'t>(&self, tree: &'t Tree) -> impl Iterator<Item = &'t Field> + use<'t> {
        let all = self.options.all;
        tree.fields.iter().filter(move |field| {
            if field.foreign {
                return false;
            }
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

    /// The lets that a text refers to, of a struct that is declared at these places, or of the files.
    fn lets(&self, spans: Option<&[Span]>, text: &str) -> String {
        if self.lets.is_empty() {
            return String::new();
        }
        let line = |(name, value): (&str, &ast::Expression)| format!("let {name} = {}\n", made(value.clone()));
        self.lets.used(spans, text).into_iter().map(line).collect()
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
            let mut inner = String::new();
            self.fields(&mut inner, tree, false);
            out.push_str(&format!("{{\n{}{inner}}}", self.lets(Some(&tree.spans), &inner)));
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
                    match &element.written {
                        Some(text) => out.push_str(text),
                        None => self.value(out, element),
                    }
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
        let (mut parts, rest, behind) = named(kinds, constraints);
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
        parts.extend(behind);
        out.push_str(&parts.join(" & "));
    }
}

/// The kinds that a constraint leaves by itself; most functions are about one.
fn said_kinds(constraint: &Constraint, all: Kinds) -> Kinds {
    let (operator, operand) = match constraint {
        Constraint::Bound { operator, operand } => (operator, operand),
        Constraint::Validator(text) if ["json.", "yaml."].iter().any(|package| text.starts_with(package)) => {
            return Kinds(Kinds::STRING.0 | Kinds::BYTES.0);
        }
        Constraint::Validator(text) if ["net.IP", "matchN(", "matchIf("].iter().any(|front| text.starts_with(front)) => return everything(),
        Constraint::Validator(text) if text.starts_with("math.") => return Kinds::NUMBER,
        Constraint::Validator(_) => return all,
    };
    match (operator, &operand.content) {
        (ast::UnaryOperator::NotEqual, Content::Scalar(Value::Null)) => Kinds(everything().0 & !Kinds::NULL.0),
        (ast::UnaryOperator::NotEqual, Content::Scalar(value)) if value.kinds() == all && all != Kinds::INT => all,
        (ast::UnaryOperator::Match | ast::UnaryOperator::NotMatch, _) if all == Kinds::STRING => all,
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

/// The names of number types of a fixed size, with their bounds.
fn number_types(integers: bool) -> Vec<(&'static str, Number, Number)> {
    let power = |exponent: u32| num_bigint::BigInt::from(1) << exponent;
    let mut out = Vec::new();
    if !integers {
        for (name, largest) in [("float32", LARGEST_FLOAT32), ("float64", LARGEST_FLOAT64)] {
            let largest = largest.parse::<bigdecimal::BigDecimal>().map(Number::from);
            out.extend(largest.map(|largest| (name, largest.negate(), largest)));
        }
        return out;
    }
    for (name, bits) in [("uint8", 8), ("uint16", 16), ("uint32", 32), ("uint64", 64), ("uint128", 128)] {
        out.push((name, Number::Int(0), Number::from(power(bits) - 1)));
    }
    for (name, bits) in [("int8", 8), ("int16", 16), ("int32", 32), ("int64", 64), ("int128", 128)] {
        out.push((name, Number::from(-power(bits - 1)), Number::from(power(bits - 1) - 1)));
    }
    out
}

const LARGEST_FLOAT32: &str = "3.40282346638528859811704183484516925440e+38";
const LARGEST_FLOAT64: &str = "1.797693134862315708145274237317043567981e+308";

/// A lower or upper bound among constraints: where it stands, its number, and whether it includes that.
fn number_bound(constraints: &[&Constraint], exclusive: ast::UnaryOperator, inclusive: ast::UnaryOperator) -> Option<(usize, Number, bool)> {
    constraints.iter().enumerate().find_map(|(at, constraint)| match constraint {
        Constraint::Bound { operator, operand } if *operator == exclusive || *operator == inclusive => match &operand.content {
            Content::Scalar(Value::Number(number)) => Some((at, number.clone(), *operator == inclusive)),
            _ => None,
        },
        _ => None,
    })
}

/// What of kinds and constraints is said with names: the texts that stand in front, the constraints that are left, and the texts behind.
///
/// A number with bounds on both sides is said with the name of its type, `>=0 & <=255` is `uint8`, or at least whether it has a sign.
fn named(kinds: Kinds, constraints: &[Constraint]) -> (Vec<String>, Vec<&Constraint>, Vec<String>) {
    use ast::UnaryOperator as Operator;
    let all: Vec<&Constraint> = constraints.iter().collect();
    let is_integer = kinds == Kinds::INT;
    let said = constraints.iter().fold(Kinds::TOP, |said, constraint| said & said_kinds(constraint, kinds));
    let unsaid = if said.0 & everything().0 != kinds.0 & everything().0 { vec![kinds_text(kinds)] } else { Vec::new() };
    let low = number_bound(&all, Operator::Greater, Operator::GreaterOrEqual);
    let high = number_bound(&all, Operator::Less, Operator::LessOrEqual);
    let zero = Number::Int(0);
    let (Some((low_at, low, low_included)), Some((high_at, high, high_included))) = (low.clone(), high) else {
        let is_unsigned = matches!(&low, Some((_, low, true)) if *low == zero);
        return if is_integer && all.len() == 1 && is_unsigned {
            (vec!["uint".to_owned()], Vec::new(), Vec::new())
        } else {
            (unsaid, all, Vec::new())
        };
    };
    let mut kept: Vec<usize> = (0..all.len()).filter(|at| *at != low_at && *at != high_at).collect();
    let types = number_types(is_integer);
    let found = types.iter().find(|(_, least, most)| low_included && high_included && *least == low && *most == high);
    let mut front = Vec::new();
    if let Some((name, ..)) = found {
        front.push((*name).to_owned());
    } else {
        kept.insert(0, high_at);
        if is_integer && !low.is_negative() {
            front.push("uint".to_owned());
        } else if is_integer {
            front.push("int".to_owned());
        }
        if !(is_integer && low_included && low == zero) {
            kept.insert(0, low_at);
        }
    }
    let rest = kept.into_iter().filter_map(|at| all.get(at).copied()).collect();
    (front, rest, if is_integer { Vec::new() } else { unsaid })
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
    made(value)
}

/// An expression as text, without its own line breaks.
fn made(value: ast::Expression) -> String {
    let span = value.span();
    let embedding = ast::Embedding { span, value, comments: ast::Comments::default() };
    let declarations = vec![ast::Declaration::Embedding(Box::new(embedding))];
    let comments = ast::Comments::default();
    format_made(&ast::File { span, declarations, experiments: Default::default(), comments }).trim().to_owned()
}
