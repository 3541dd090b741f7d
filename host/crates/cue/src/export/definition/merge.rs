//! The values of one field, from all its declarations.

use super::super::tree::{Content, Tree};
use super::names::Meaning;
use super::{Writer, made, order};
use crate::Kinds;
use crate::syntax::ast::*;
use crate::syntax::literal;

/// What the declarations of one field come to.
#[derive(Default)]
struct Parts<'e> {
    /// What has no references in it.
    values: Vec<&'e Expression>,
    /// What stands embedded.
    embedded: Vec<Expression>,
    /// What is joined with `&`.
    joined: Vec<Expression>,
    /// The labels of each struct in order.
    orders: Vec<Vec<String>>,
    fields: Vec<Merged<'e>>,
    attributes: Vec<Attribute>,
    is_struct: bool,
    open: bool,
    closes: bool,
}

/// A field with all its declarations.
struct Merged<'e> {
    key: String,
    constraint: Option<Constraint>,
    declarations: Vec<&'e Field>,
}

/// The text by which a label is told from others: quoted where a name would mean something else.
fn key(label: &Label) -> Option<(String, bool)> {
    match label {
        Label::Identifier(name) => Some((name.name.clone(), false)),
        Label::Literal(text) => Some((literal::plain_string(&text.text).unwrap_or_else(|| text.text.clone()), true)),
        Label::Alias(alias) => key(&alias.label),
        _ => None,
    }
}

/// `[string]: _`, which says no more than `...` does.
fn allows_all(field: &Field) -> bool {
    let is_name = |expression: &Expression, name: &str| matches!(expression, Expression::Identifier(identifier) if identifier.name == name);
    let any = |list: &List| matches!(list.elements.as_slice(), [element] if is_name(element, "string"));
    matches!(&field.label, Label::Pattern(list) if any(list)) && is_name(&field.value, "_")
}

/// Whether a struct cannot be merged with others field by field.
fn stays_whole(node: &Struct) -> bool {
    node.declarations.iter().any(|declaration| match declaration {
        Declaration::Field(field) if allows_all(field) => false,
        Declaration::Field(field) => key(&field.label).is_none() || matches!(field.label, Label::Alias(_)) || field.alias.is_some(),
        Declaration::Comprehension(_) => true,
        Declaration::Ellipsis(ellipsis) => ellipsis.value.is_some(),
        _ => false,
    })
}

impl Writer {
    /// The value that several expressions come to when they are unified; `tree` is what it evaluates to.
    pub(super) fn merged(&mut self, expressions: &[&Expression], tree: Option<&Tree>) -> Expression {
        stacker::maybe_grow(128 * 1024, 4 << 20, || self.merged_inside(expressions, tree))
    }

    fn merged_inside(&mut self, expressions: &[&Expression], tree: Option<&Tree>) -> Expression {
        self.depth += 1;
        let mut alias = None;
        let mut lets = Vec::new();
        let mut bare = Vec::new();
        for expression in expressions {
            let mut expression = *expression;
            if let Expression::Alias(node) = expression {
                let name = alias.get_or_insert_with(|| self.unused(&node.name.name)).clone();
                self.aliases.insert(node.name.span, name);
                expression = &node.value;
            }
            self.open_lets(expression, &mut lets);
            bare.push(expression);
        }
        let mut parts = Parts::default();
        for expression in bare {
            self.add(&mut parts, expression, tree, false);
        }
        let result = self.assemble(parts, &lets, tree);
        self.depth -= 1;
        match alias {
            None => result,
            Some(name) => Expression::Alias(Box::new(Alias {
                span: made::nowhere(),
                name: made::identifier(&name),
                equals: Place::default(),
                value: result,
                comments: Comments::default(),
            })),
        }
    }

    fn add<'e>(&mut self, parts: &mut Parts<'e>, expression: &'e Expression, tree: Option<&Tree>, embedded: bool) {
        match expression {
            Expression::Parenthesised(node) => self.add(parts, &node.inner, tree, embedded),
            Expression::Struct(node) => self.add_struct(parts, node, if embedded { None } else { tree }),
            Expression::Binary(node) if node.operator == BinaryOperator::Unification && !embedded => {
                for operand in node.operands() {
                    self.add(parts, operand, tree, false);
                }
            }
            _ if self.is_self_contained(expression) => {
                let is_top = matches!(expression, Expression::Identifier(name) if name.name == "_");
                let more = !embedded && tree.is_some_and(|tree| !matches!(&tree.content, Content::Kinds(kinds) if kinds.contains(Kinds::TOP)));
                if !(is_top && more) {
                    parts.values.push(expression);
                }
            }
            _ => {
                let closes = matches!(expression, Expression::Call(call) if matches!(&call.function, Expression::Identifier(name) if name.name == "close" && self.names.meaning(name).is_none()));
                parts.closes |= closes && !embedded;
                let written = self.raw(expression);
                if embedded { parts.embedded.push(written) } else { parts.joined.push(written) }
            }
        }
    }

    fn add_struct<'e>(&mut self, parts: &mut Parts<'e>, node: &'e Struct, tree: Option<&Tree>) {
        for declaration in &node.declarations {
            if let Declaration::Attribute(attribute) = declaration
                && !is_of_file(attribute)
                && !parts.attributes.iter().any(|other| other.text == attribute.text)
            {
                let mut attribute = attribute.clone();
                attribute.space = Space::Unset;
                parts.attributes.push(attribute);
            }
        }
        if stays_whole(node) {
            let whole = self.whole_struct(node, tree);
            return parts.embedded.push(whole);
        }
        parts.is_struct = true;
        let mut order = Vec::new();
        for declaration in &node.declarations {
            match declaration {
                Declaration::Field(field) if allows_all(field) => parts.open = true,
                Declaration::Field(field) => {
                    let Some((name, quoted)) = key(&field.label) else { continue };
                    let key = if quoted { literal::quote_label(&name) } else { name };
                    order.push(key.clone());
                    match parts.fields.iter_mut().find(|merged| merged.key == key) {
                        Some(merged) => {
                            merged.declarations.push(field);
                            merged.constraint = stronger(merged.constraint, field.constraint);
                        }
                        None => parts.fields.push(Merged { key, constraint: field.constraint, declarations: vec![field] }),
                    }
                }
                Declaration::Ellipsis(_) => parts.open = true,
                _ => {}
            }
        }
        // Own fields come in front of those of embedded structs.
        if !order.is_empty() {
            parts.orders.push(order);
        }
        for declaration in &node.declarations {
            if let Declaration::Embedding(embedding) = declaration {
                self.add(parts, &embedding.value, None, true);
            }
        }
    }

    fn assemble(&mut self, mut parts: Parts<'_>, lets: &[pravo_diag::Span], tree: Option<&Tree>) -> Expression {
        if !parts.values.is_empty() {
            let value = self.unified(&parts.values);
            parts.embedded.push(value);
        }
        let mut members: Vec<Declaration> = parts.attributes.drain(..).map(Declaration::Attribute).collect();
        let attributed = !members.is_empty();
        let mut fields = Vec::new();
        for key in order::sorted(&parts.orders) {
            if let Some(merged) = parts.fields.iter().find(|merged| merged.key == key) {
                fields.push(self.field(merged, tree));
            }
        }
        let bindings = self.close_lets(lets);
        let close = parts.closes && !parts.open;
        let wrap = |declarations: Vec<Declaration>| {
            let inner = made::structure(declarations);
            if close { made::call(made::name("close"), vec![inner]) } else { inner }
        };
        if fields.is_empty() && !parts.open {
            match parts.embedded.len() + parts.joined.len() {
                0 if !attributed && bindings.is_empty() => return if parts.is_struct { wrap(Vec::new()) } else { made::name("_") },
                1 => {
                    let only = parts.joined.pop().or_else(|| parts.embedded.pop()).unwrap_or_else(|| made::name("_"));
                    if !attributed && bindings.is_empty() {
                        return only;
                    }
                    if let Expression::Struct(inner) = only {
                        return wrap(bindings.into_iter().chain(members).chain(inner.declarations).collect());
                    }
                    parts.embedded.push(only);
                }
                _ => {}
            }
        }
        members.extend(parts.embedded.drain(..).map(made::embedding));
        members.extend(fields.into_iter().map(|field| Declaration::Field(Box::new(field))));
        if parts.open {
            members.push(Declaration::Ellipsis(Box::new(made::ellipsis(None))));
        }
        let members: Vec<Declaration> = bindings.into_iter().chain(members).collect();
        if parts.joined.is_empty() {
            return wrap(members);
        }
        if parts.is_struct || !members.is_empty() {
            parts.joined.push(wrap(members));
        }
        made::chain(BinaryOperator::Unification, parts.joined)
    }

    fn field(&mut self, merged: &Merged<'_>, tree: Option<&Tree>) -> Field {
        let found = tree.and_then(|tree| tree.field(merged.key.trim_matches('"')));
        let arc = found.map(|field| &field.value);
        // What something else makes a field that is there is one here, too.
        let constraint = if found.is_some_and(|field| field.constraint.is_none()) { None } else { merged.constraint };
        let values: Vec<&Expression> = merged.declarations.iter().map(|field| &field.value).collect();
        let value = self.merged(&values, arc);
        let label = made::label(&merged.key, false);
        let mut field = made::field(label, constraint, value);
        for declaration in &merged.declarations {
            for attribute in &declaration.attributes {
                if !field.attributes.iter().any(|other| other.text == attribute.text) {
                    let mut attribute = attribute.clone();
                    attribute.space = Space::Blank;
                    field.attributes.push(attribute);
                }
            }
        }
        field.comments = documentation(&merged.declarations);
        made::collapse(&mut field);
        field
    }

    /// Whether an expression has no references in it, so that it can be computed.
    fn is_self_contained(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Parenthesised(node) => self.is_self_contained(&node.inner),
            Expression::Literal(_) | Expression::Bottom(_) => true,
            Expression::Identifier(name) => name.name == "_" || self.names.meaning(name).is_none(),
            Expression::Unary(node) => node.operator != UnaryOperator::Default && self.is_self_contained(&node.operand),
            Expression::Binary(node) => {
                node.operator != BinaryOperator::Disjunction && node.operands().into_iter().all(|operand| self.is_self_contained(operand))
            }
            _ => false,
        }
    }

    /// What an identifier is written as.
    pub(super) fn renamed(&mut self, identifier: &Identifier) -> Expression {
        let Some(meaning) = self.names.meaning(identifier).cloned() else {
            return made::name(&identifier.name);
        };
        let name = match meaning {
            Meaning::Field => None,
            Meaning::Let(span) => self.refer_to_let(span),
            Meaning::Pattern(span) | Meaning::Value(span) => self.aliases.get(&span).cloned(),
            Meaning::Import(path, local) => {
                self.import(&path, &local);
                Some(local)
            }
        };
        made::name(&name.unwrap_or_else(|| identifier.name.clone()))
    }
}

/// Whether an attribute is about the file, not about its struct.
fn is_of_file(attribute: &Attribute) -> bool {
    matches!(attribute.name(), "extern" | "experiment" | "if" | "ignore")
}

/// A field that is there in one place is there.
fn stronger(a: Option<Constraint>, b: Option<Constraint>) -> Option<Constraint> {
    match (a, b) {
        (None, _) | (_, None) => None,
        (Some(Constraint::Required), _) | (_, Some(Constraint::Required)) => Some(Constraint::Required),
        _ => Some(Constraint::Optional),
    }
}

/// The documentation of all declarations, each once; that of a chain of labels belongs to its last field.
fn documentation(declarations: &[&Field]) -> Comments {
    let mut out = Comments::default();
    for field in declarations {
        if is_chain(field) {
            continue;
        }
        for group in field.comments.groups().iter().filter(|group| group.doc) {
            if !out.groups().iter().any(|other| other.text() == group.text()) {
                out.add(group.clone());
            }
        }
    }
    out
}

/// Whether the value is another field without braces, `a: b: 1`.
fn is_chain(field: &Field) -> bool {
    matches!(&field.value, Expression::Struct(inner) if inner.open.is_none() && matches!(inner.declarations.as_slice(), [Declaration::Field(_)]))
}
