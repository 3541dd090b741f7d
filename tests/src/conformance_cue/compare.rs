//! Compares an expected value, as it is written, with a value after evaluation. The expectation is not evaluated.

use pravo_cue::export::tree::{Class, Code, Constraint, Content, Openness, Problem, Tree};
use pravo_cue::syntax::ast::{
    Binary, BinaryOperator, Constraint as Mark, Declaration, Expression, Field, Label, LiteralKind, Struct, Unary, UnaryOperator,
};
use pravo_cue::syntax::{Format, format_expression, literal};
use pravo_cue::{Kinds, Number, Value};

use super::attribute::Directive;
use super::collect::{Step, step};

/// Whether it is so, or what is there instead.
pub type Verdict = Result<(), String>;

/// What an `err` directive asks for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The codes that are right; any where it is empty.
    pub codes: Vec<String>,
    /// Whether some value below may have the error.
    pub any: bool,
}

impl Wanted {
    /// From the arguments of a directive.
    pub fn of(directive: &Directive) -> Self {
        let codes = directive.get("code").unwrap_or_default();
        let codes = codes.trim_start_matches('(').trim_end_matches(')').split('|').map(|code| code.trim().to_owned());
        Self { codes: codes.filter(|code| !code.is_empty()).collect(), any: directive.has("any") }
    }

    /// Whether a code is right.
    pub fn accepts(&self, code: Code) -> bool {
        self.codes.is_empty() || self.codes.iter().any(|wanted| wanted == code.name())
    }
}

/// The error of a value: its own, or the first error for good below it.
pub fn problem(tree: &Tree) -> Option<&Problem> {
    if let Content::Bottom(problem) = &tree.content {
        return Some(problem);
    }
    children(tree).find_map(|child| problem(child).filter(|problem| !problem.code.is_incomplete()))
}

/// The fields and elements of a value, those left out that are constraints only.
pub fn children(tree: &Tree) -> impl Iterator<Item = &Tree> {
    let elements = match &tree.content {
        Content::List { elements, .. } => elements.as_slice(),
        _ => &[],
    };
    let fields = tree.fields.iter().filter(|field| field.constraint.is_none()).map(|field| &field.value);
    fields.chain(elements)
}

fn has_error_below(tree: &Tree, wanted: &Wanted) -> bool {
    let own = tree.problem().is_some_and(|problem| wanted.accepts(problem.code));
    own || children(tree).any(|child| has_error_below(child, wanted))
}

/// Whether a value is the error that is wanted.
pub fn error(tree: &Tree, wanted: &Wanted) -> Verdict {
    if wanted.any {
        return if has_error_below(tree, wanted) { Ok(()) } else { Err("no such error below".to_owned()) };
    }
    match problem(tree) {
        None => Err(show(tree)),
        Some(problem) if wanted.accepts(problem.code) => Ok(()),
        Some(problem) => Err(format!("an error with code {}: {}", problem.code.name(), problem.message)),
    }
}

/// A value in short, for messages.
pub fn show(tree: &Tree) -> String {
    match &tree.content {
        Content::Scalar(value) => show_scalar(value),
        Content::Struct => {
            let fields: Vec<String> = tree
                .fields
                .iter()
                .map(|field| {
                    let mark = match field.constraint {
                        Some(Mark::Optional) => "?",
                        Some(Mark::Required) => "!",
                        None => "",
                    };
                    format!("{}{mark}: {}", field.name, show(&field.value))
                })
                .chain(tree.patterns.iter().map(|pattern| format!("[{}]: {}", show(&pattern.label), show(&pattern.value))))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Content::List { elements, rest } => {
            let mut parts: Vec<String> = elements.iter().map(show).collect();
            parts.extend(rest.iter().map(|_| "...".to_owned()));
            format!("[{}]", parts.join(", "))
        }
        Content::Kinds(kinds) => kinds.to_string(),
        Content::Constraints { kinds, constraints } => {
            let parts: Vec<String> = constraints.iter().map(show_constraint).collect();
            format!("{} ({kinds})", parts.join(" & "))
        }
        Content::Disjunction { branches, defaults } => {
            let parts: Vec<String> =
                branches.iter().enumerate().map(|(at, branch)| format!("{}{}", if at < *defaults { "*" } else { "" }, show(branch))).collect();
            parts.join(" | ")
        }
        Content::Bottom(problem) => format!("_|_ ({}: {})", problem.code.name(), problem.message),
    }
}

fn show_scalar(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => literal::Form::STRING.quote(text),
        Value::Bytes(bytes) => literal::Form::BYTES.quote_bytes(bytes),
        Value::Bool(value) => value.to_string(),
        Value::Null => "null".to_owned(),
        other => format!("{other:?}"),
    }
}

fn show_constraint(constraint: &Constraint) -> String {
    match constraint {
        Constraint::Bound { operator, operand } => format!("{operator:?} {}", show(operand)),
        Constraint::Validator(text) => text.to_string(),
    }
}

fn differs(wanted: &str, tree: &Tree) -> Verdict {
    Err(format!("{} (expected {wanted})", show(tree)))
}

/// Whether a value is what an expression says.
pub fn equal(expected: &Expression, tree: &Tree) -> Verdict {
    match expected {
        Expression::Parenthesised(node) => equal(&node.inner, tree),
        Expression::Alias(node) => equal(&node.value, tree),
        Expression::Struct(node) => structure(node, tree),
        Expression::Bottom(_) => {
            if problem(tree).is_some() {
                Ok(())
            } else {
                differs("_|_", tree)
            }
        }
        Expression::Binary(node) if node.operator == BinaryOperator::Disjunction => disjunction(expected, tree),
        Expression::Binary(node) if node.operator == BinaryOperator::Unification => conjunction(node, tree),
        _ => {
            only_plain(tree)?;
            plain(expected, tree)
        }
    }
}

/// A value without definitions and hidden fields.
fn only_plain(tree: &Tree) -> Verdict {
    match tree.fields.iter().find(|field| field.class != Class::Regular) {
        Some(field) => Err(format!("a further field {}", field.name)),
        None => Ok(()),
    }
}

/// An expectation that is neither struct, disjunction nor conjunction.
fn plain(expected: &Expression, tree: &Tree) -> Verdict {
    match expected {
        Expression::List(list) => elements(&list.elements, tree),
        Expression::Unary(node) => match sign(node) {
            Some(value) => scalar(&value, tree),
            None => bounds(&[expected], tree),
        },
        Expression::Literal(_) | Expression::Interpolation(_) => match literal_value(expected) {
            Some(value) => scalar(&value, tree),
            None => Err("an expectation that cannot be read".to_owned()),
        },
        Expression::Identifier(name) if name.name == "_" => kinds(Kinds::TOP, tree),
        Expression::Identifier(name) => match kind(&name.name) {
            Some(wanted) => kinds(wanted, tree),
            None => bounds(&[expected], tree),
        },
        Expression::Call(_) | Expression::Selector(_) => bounds(&[expected], tree),
        Expression::Binary(_) => arithmetic(expected, tree),
        other => Err(format!("an expectation that is not understood: {}", text(other))),
    }
}

/// Expectations such as `1 + 2`, which only ever have literal operands.
fn arithmetic(expected: &Expression, tree: &Tree) -> Verdict {
    let wanted = text(expected);
    match tree.problem().and_then(|problem| problem.source.as_deref()) {
        Some(source) if source.trim() == wanted => Ok(()),
        _ => differs(&wanted, tree),
    }
}

fn text(expression: &Expression) -> String {
    format_expression(expression, "", Format::default())
}

fn sign(node: &Unary) -> Option<Value> {
    let Some(Value::Number(number)) = literal_value(&node.operand) else {
        return match (node.operator, literal_value(&node.operand)) {
            (UnaryOperator::Not, Some(Value::Bool(value))) => Some(Value::Bool(!value)),
            _ => None,
        };
    };
    match node.operator {
        UnaryOperator::Minus => Some(Value::Number(number.negate())),
        UnaryOperator::Plus => Some(Value::Number(number)),
        _ => None,
    }
}

fn literal_value(expression: &Expression) -> Option<Value> {
    Some(match expression {
        Expression::Parenthesised(node) => literal_value(&node.inner)?,
        Expression::Unary(node) => sign(node)?,
        Expression::Literal(node) => match node.kind {
            LiteralKind::Null => Value::Null,
            LiteralKind::True => Value::Bool(true),
            LiteralKind::False => Value::Bool(false),
            LiteralKind::Integer | LiteralKind::Float => match literal::number(&node.text).ok()? {
                literal::Number::Integer(value) => Value::Number(Number::from(value)),
                literal::Number::Float(value) => Value::Number(Number::from(value)),
            },
            LiteralKind::String => match literal::string(&node.text).ok()? {
                literal::Text::String(text) => Value::string(text),
                literal::Text::Bytes(bytes) => Value::Bytes(bytes.into()),
            },
        },
        _ => return None,
    })
}

fn kind(name: &str) -> Option<Kinds> {
    Some(match name.trim_start_matches("__") {
        "int" => Kinds::INT,
        "float" => Kinds::FLOAT,
        "number" => Kinds::NUMBER,
        "string" => Kinds::STRING,
        "bytes" => Kinds::BYTES,
        "bool" => Kinds::BOOL,
        "null" => Kinds::NULL,
        _ => return None,
    })
}

fn scalar(wanted: &Value, tree: &Tree) -> Verdict {
    let same = match &tree.content {
        Content::Scalar(value) => value == wanted && value.kinds() == wanted.kinds(),
        _ => false,
    };
    if same { Ok(()) } else { differs(&show_scalar(wanted), tree) }
}

fn kinds(wanted: Kinds, tree: &Tree) -> Verdict {
    match &tree.content {
        Content::Kinds(kinds) if *kinds == wanted || wanted == Kinds::TOP && kinds.contains(Kinds::TOP) => Ok(()),
        _ => differs(&wanted.to_string(), tree),
    }
}

fn elements(wanted: &[Expression], tree: &Tree) -> Verdict {
    let Content::List { elements, .. } = &tree.content else {
        return differs("a list", tree);
    };
    let open = matches!(wanted.last(), Some(Expression::Ellipsis(_)));
    let fixed = wanted.len() - usize::from(open);
    if elements.len() != fixed {
        return differs(&format!("{fixed} elements"), tree);
    }
    for (at, (wanted, element)) in wanted.iter().zip(elements).enumerate() {
        equal(wanted, element).map_err(|got| format!("[{at}]: {got}"))?;
    }
    Ok(())
}

/// The branches of a disjunction, with whether each is a default.
fn branches<'a>(expression: &'a Expression, default: bool, out: &mut Vec<(&'a Expression, bool)>) {
    match expression {
        Expression::Binary(node) if node.operator == BinaryOperator::Disjunction => {
            branches(&node.left, default, out);
            branches(&node.right, default, out);
        }
        Expression::Unary(node) if node.operator == UnaryOperator::Default => branches(&node.operand, true, out),
        Expression::Parenthesised(node) => branches(&node.inner, default, out),
        other => out.push((other, default)),
    }
}

/// The kinds that several kinds of an expectation allow together: `int | string` may be one set of kinds.
fn all_kinds(wanted: &[(&Expression, bool)]) -> Option<Kinds> {
    let one = |expression: &Expression| match expression {
        Expression::Identifier(name) => kind(&name.name),
        Expression::Literal(node) if node.kind == LiteralKind::Null => Some(Kinds::NULL),
        _ => None,
    };
    wanted.iter().try_fold(Kinds::NONE, |kinds, (expression, default)| one(expression).filter(|_| !default).map(|kind| kinds | kind))
}

fn disjunction(expected: &Expression, tree: &Tree) -> Verdict {
    let mut wanted = Vec::new();
    branches(expected, false, &mut wanted);
    if let (Content::Kinds(kinds), Some(all)) = (&tree.content, all_kinds(&wanted)) {
        return if *kinds == all { Ok(()) } else { differs(&text(expected), tree) };
    }
    let Content::Disjunction { branches, defaults } = &tree.content else {
        return differs(&text(expected), tree);
    };
    let wanted_defaults = wanted.iter().filter(|(_, default)| *default).count();
    // Branches that are all defaults are as none.
    let defaults = if *defaults == branches.len() && wanted_defaults == 0 { 0 } else { *defaults };
    if branches.len() != wanted.len() || defaults != wanted_defaults {
        return differs(&text(expected), tree);
    }
    let mut used = vec![false; branches.len()];
    for (expression, default) in wanted {
        let candidates = branches.iter().enumerate().zip(used.iter_mut());
        let found =
            candidates.filter(|((at, _), used)| !**used && (*at < defaults) == default).find(|((_, branch), _)| equal(expression, branch).is_ok());
        match found {
            Some((_, used)) => *used = true,
            None => return differs(&format!("a branch {}", text(expression)), tree),
        }
    }
    Ok(())
}

fn conjunction(node: &Binary, tree: &Tree) -> Verdict {
    let parts = node.operands();
    let structs = parts.iter().any(|part| matches!(part, Expression::Struct(_)));
    if structs && matches!(tree.content, Content::Struct | Content::Bottom(_)) {
        return parts.into_iter().try_for_each(|part| match part {
            Expression::Struct(node) => structure(node, tree),
            _ => Ok(()),
        });
    }
    bounds(&parts, tree)
}

/// Bounds, validators and kinds that hold together, in any order.
fn bounds(wanted: &[&Expression], tree: &Tree) -> Verdict {
    let show_wanted = || wanted.iter().map(|part| text(part)).collect::<Vec<_>>().join(" & ");
    let (kinds, constraints) = match &tree.content {
        Content::Constraints { kinds, constraints } => (*kinds, constraints),
        Content::Kinds(_) => match wanted {
            [Expression::Identifier(_)] => return plain(wanted[0], tree),
            _ => return differs(&show_wanted(), tree),
        },
        _ => return differs(&show_wanted(), tree),
    };
    let mut rest: Vec<&Constraint> = constraints.iter().collect();
    let mut named = None;
    for part in wanted {
        let part = unwrap(part);
        if let Expression::Identifier(name) = part
            && let Some(kind) = kind(&name.name)
        {
            named = Some(named.map_or(kind, |named| named & kind));
            continue;
        }
        match rest.iter().position(|constraint| is_constraint(part, constraint)) {
            Some(at) => {
                rest.remove(at);
            }
            None => return differs(&show_wanted(), tree),
        }
    }
    let kinds_fit = named.is_none_or(|named| named == kinds);
    if rest.is_empty() && kinds_fit { Ok(()) } else { differs(&show_wanted(), tree) }
}

fn unwrap(expression: &Expression) -> &Expression {
    match expression {
        Expression::Parenthesised(node) => unwrap(&node.inner),
        other => other,
    }
}

fn is_constraint(expected: &Expression, constraint: &Constraint) -> bool {
    match (expected, constraint) {
        (Expression::Unary(node), Constraint::Bound { operator, operand }) => node.operator == *operator && equal(&node.operand, operand).is_ok(),
        (Expression::Call(_) | Expression::Selector(_), Constraint::Validator(written)) => {
            let plain = |text: &str| text.replace([' ', '\n', '\t'], "").trim_end_matches("()").to_owned();
            plain(&text(expected)) == plain(written)
        }
        _ => false,
    }
}

/// What the directives on a field of an expected struct say.
#[derive(Default)]
struct Flags {
    is_final: bool,
    ignore: bool,
    error: Option<Wanted>,
}

impl Flags {
    fn of(field: &Field) -> Self {
        let mut flags = Self::default();
        for attribute in field.attributes.iter().filter(|attribute| attribute.name() == "test") {
            let directive = Directive::parse(attribute.body());
            match directive.name.as_str() {
                "final" => flags.is_final = true,
                "ignore" => flags.ignore = true,
                "err" => flags.error = Some(Wanted::of(&directive)),
                _ => {}
            }
        }
        flags
    }
}

fn structure(node: &Struct, tree: &Tree) -> Verdict {
    let mut all_final = false;
    let mut check_order = false;
    let mut own_error = None;
    let mut embeds = false;
    let mut expects_bottom = false;
    for declaration in &node.declarations {
        match declaration {
            Declaration::Attribute(attribute) if attribute.name() == "test" => {
                let directive = Directive::parse(attribute.body());
                match directive.name.as_str() {
                    "final" => all_final = true,
                    "checkOrder" => check_order = true,
                    "err" => own_error = Some(Wanted::of(&directive)),
                    _ => {}
                }
            }
            Declaration::Embedding(embedding) => {
                embeds = true;
                expects_bottom |= matches!(embedding.value, Expression::Bottom(_));
                embedded(&embedding.value, tree)?;
            }
            _ => {}
        }
    }
    if let Some(wanted) = own_error {
        error(tree, &wanted)?;
    }
    if expects_bottom {
        return Ok(());
    }
    if !embeds && !is_struct(tree) {
        return differs("a struct", tree);
    }
    let mut names: Vec<(String, Option<Mark>)> = Vec::new();
    for declaration in &node.declarations {
        if let Declaration::Field(field) = declaration {
            names.extend(expected_field(field, tree, all_final)?);
        }
    }
    unexpected(&names, tree)?;
    patterns(node, tree)?;
    if check_order {
        let got: Vec<&str> = tree.fields.iter().map(|field| &*field.name).collect();
        let wanted: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        if got != wanted {
            return Err(format!("the order {got:?} (expected {wanted:?})"));
        }
    }
    Ok(())
}

/// Whether a value is a struct, or one that is incomplete: then the fields known so far are compared. The data expects
/// fields of structs whose comprehensions and validators cannot be decided, and asserts their errors apart.
fn is_struct(tree: &Tree) -> bool {
    match &tree.content {
        Content::Struct => true,
        Content::Bottom(problem) => problem.code.is_incomplete() && problem.is_struct,
        _ => false,
    }
}

/// An embedded value: the scalar or list that the struct is.
fn embedded(expected: &Expression, tree: &Tree) -> Verdict {
    let bare = Tree { fields: Vec::new(), ..tree.clone() };
    match expected {
        Expression::Struct(_) => Ok(()),
        Expression::Bottom(_) => equal(expected, tree),
        _ if matches!(tree.content, Content::Struct) => Err(format!("{} (expected {} within)", show(tree), text(expected))),
        _ => equal(expected, &bare),
    }
}

/// Compares a field, and answers its name.
fn expected_field(field: &Field, tree: &Tree, all_final: bool) -> Result<Option<(String, Option<Mark>)>, String> {
    let (name, identifier) = match step(&field.label) {
        Some(Step::Field(name, identifier)) => (name, identifier),
        _ => return Ok(None),
    };
    // The package of a hidden field may be named behind a dollar sign.
    let name = match name.split_once('$') {
        Some((name, _)) if name.starts_with('_') => name.to_owned(),
        _ => name,
    };
    let class = if identifier { Class::of(&name) } else { Class::Regular };
    let flags = Flags::of(field);
    let wanted = Some((name.clone(), field.constraint));
    let found = tree.fields.iter().find(|found| *found.name == *name && found.class == class && found.constraint == field.constraint);
    if flags.ignore {
        return Ok(wanted);
    }
    let Some(found) = found else {
        return Err(format!("no field {name} in {}", show(tree)));
    };
    let prefix = |got: String| format!("{name}: {got}");
    if let Some(error_wanted) = flags.error {
        error(&found.value, &error_wanted).map_err(prefix)?;
        return Ok(wanted);
    }
    let value = if flags.is_final || all_final { found.value.decided() } else { &found.value };
    equal(&field.value, value).map_err(prefix)?;
    attributes(field, &found.attributes).map_err(prefix)?;
    Ok(wanted)
}

/// The attributes that are no assertions must be there, in any order.
fn attributes(field: &Field, found: &[std::sync::Arc<str>]) -> Verdict {
    for attribute in field.attributes.iter().filter(|attribute| attribute.name() != "test") {
        if !found.iter().any(|found| **found == *attribute.text) {
            return Err(format!("no attribute {}", attribute.text));
        }
    }
    Ok(())
}

fn unexpected(names: &[(String, Option<Mark>)], tree: &Tree) -> Verdict {
    for field in &tree.fields {
        let expected = names.iter().any(|(name, mark)| **name == *field.name && *mark == field.constraint);
        let refused = field.constraint == Some(Mark::Optional) && tree.openness == Openness::Closed && problem(&field.value).is_some();
        if !expected && !refused {
            return Err(format!("a further field {}: {}", field.name, show(&field.value)));
        }
    }
    Ok(())
}

fn patterns(node: &Struct, tree: &Tree) -> Verdict {
    let mut wanted = Vec::new();
    for declaration in &node.declarations {
        if let Declaration::Field(field) = declaration
            && let Label::Pattern(list) = &field.label
            && let [label] = list.elements.as_slice()
        {
            wanted.push((label, &field.value));
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    if wanted.len() != tree.patterns.len() {
        return Err(format!("{} patterns (expected {})", tree.patterns.len(), wanted.len()));
    }
    for (label, value) in wanted {
        let found = tree.patterns.iter().find(|pattern| equal(label, &pattern.label).is_ok());
        let Some(found) = found else {
            return Err(format!("no pattern [{}]", text(label)));
        };
        equal(value, &found.value).map_err(|got| format!("[{}]: {got}", text(label)))?;
    }
    Ok(())
}
