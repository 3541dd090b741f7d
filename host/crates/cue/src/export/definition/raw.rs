//! Expressions as they stand: nothing is merged but what is inside of struct literals.

use super::super::tree::Tree;
use super::{Writer, made};
use crate::syntax::ast::*;
use crate::syntax::literal::{self, Form};

impl Writer {
    /// An expression with its names written anew.
    pub(super) fn raw(&mut self, expression: &Expression) -> Expression {
        stacker::maybe_grow(128 * 1024, 4 << 20, || self.raw_inside(expression))
    }

    fn raw_inside(&mut self, expression: &Expression) -> Expression {
        match expression {
            Expression::Parenthesised(node) => self.raw(&node.inner),
            Expression::Identifier(name) => self.identifier(name),
            Expression::Bottom(_) => bottom(),
            Expression::Literal(node) => self.literal(node),
            Expression::Interpolation(node) => Expression::Interpolation(Box::new(self.interpolation(node))),
            Expression::Struct(_) => self.merged(&[expression], None),
            Expression::List(node) => self.list(node),
            Expression::Ellipsis(node) => {
                let value = node.value.as_ref().map(|value| self.raw(value));
                Expression::Ellipsis(Box::new(made::ellipsis(value)))
            }
            Expression::Comprehension(node) => Expression::Comprehension(Box::new(self.comprehension(node))),
            Expression::Alias(node) => self.raw(&node.value),
            Expression::Selector(node) => {
                let name = match &node.name {
                    SelectorName::Identifier(name) => SelectorName::Identifier(made::identifier(&name.name)),
                    SelectorName::String(text) => selector(&literal::plain_string(&text.text).unwrap_or_default()),
                };
                let operand = self.raw(&node.operand);
                Expression::Selector(Box::new(Selector {
                    span: made::nowhere(),
                    operand,
                    period: Place::default(),
                    name,
                    comments: Comments::default(),
                }))
            }
            Expression::Index(node) => {
                let (operand, index) = (self.raw(&node.operand), self.raw(&node.index));
                let (open, close) = (Place::default(), Place::default());
                Expression::Index(Box::new(Index { span: made::nowhere(), operand, open, index, close, comments: Comments::default() }))
            }
            Expression::Slice(node) => {
                let operand = self.raw(&node.operand);
                let low = node.low.as_ref().map(|low| self.raw(low));
                let high = node.high.as_ref().map(|high| self.raw(high));
                let (open, close) = (Place::default(), Place::default());
                Expression::Slice(Box::new(Slice { span: made::nowhere(), operand, open, low, high, close, comments: Comments::default() }))
            }
            Expression::Call(node) => {
                let arguments = node.arguments.iter().map(|argument| self.raw(argument)).collect();
                let function = self.raw(&node.function);
                made::call(function, arguments)
            }
            Expression::Unary(node) => self.unary(node),
            Expression::Binary(node) => self.binary(node),
            Expression::Postfix(node) => {
                let operand = self.raw(&node.operand);
                let (span, place, operator) = (made::nowhere(), Place::default(), node.operator);
                Expression::Postfix(Box::new(Postfix { span, operand, place, operator, comments: Comments::default() }))
            }
            Expression::Bad(node) => Expression::Bad(node.clone()),
        }
    }

    /// A name; that of a range of integers which has no name in the output is written as its bounds.
    fn identifier(&mut self, name: &Identifier) -> Expression {
        if self.names.meaning(name).is_none() && name.name == "rune" {
            return self.unified(&[&Expression::Identifier(Box::new(name.clone()))]);
        }
        self.renamed(name)
    }

    fn literal(&self, node: &Literal) -> Expression {
        let text = match node.kind {
            LiteralKind::String => match literal::string(&node.text) {
                Ok(literal::Text::String(text)) => Form::STRING.with_indent(self.depth).quote(&text),
                Ok(literal::Text::Bytes(bytes)) => Form::BYTES.with_indent(self.depth).quote_bytes(&bytes),
                Err(_) => node.text.clone(),
            },
            LiteralKind::Integer | LiteralKind::Float => match literal::number(&node.text) {
                Ok(literal::Number::Integer(value)) => crate::Number::from(value).to_string(),
                Ok(literal::Number::Float(value)) => crate::Number::from(value).to_string(),
                Err(_) => node.text.clone(),
            },
            _ => node.text.clone(),
        };
        Expression::Literal(Box::new(made::literal(node.kind, &text)))
    }

    fn list(&mut self, node: &List) -> Expression {
        let elements = node.elements.iter().map(|element| match element {
            Expression::Ellipsis(_) | Expression::Comprehension(_) => self.raw(element),
            element => self.element(element),
        });
        Expression::List(Box::new(made::list(elements.collect())))
    }

    fn element(&mut self, element: &Expression) -> Expression {
        if let Expression::Alias(alias) = element {
            self.aliases.insert(alias.name.span, alias.name.name.clone());
        }
        self.raw(element)
    }

    fn unary(&mut self, node: &Unary) -> Expression {
        // A sign in front of a number belongs to it.
        if let (UnaryOperator::Minus | UnaryOperator::Plus, Expression::Literal(number)) = (node.operator, &node.operand)
            && matches!(number.kind, LiteralKind::Integer | LiteralKind::Float)
        {
            let written = self.literal(number);
            return if node.operator == UnaryOperator::Plus { written } else { made::unary(node.operator, written) };
        }
        let operand = self.raw(&node.operand);
        made::unary(node.operator, operand)
    }

    fn binary(&mut self, node: &Binary) -> Expression {
        let operands = node.operands();
        match node.operator {
            BinaryOperator::Unification => {
                let mut operands: Vec<&Expression> = flattened(&operands);
                operands.sort_by_key(|operand| self.rank(operand));
                let tops = |operand: &&Expression| matches!(operand, Expression::Identifier(name) if name.name == "_");
                operands.retain(|operand| !tops(operand));
                let written = operands.into_iter().map(|operand| self.raw(operand)).collect();
                made::chain(BinaryOperator::Unification, written)
            }
            operator => {
                let written = operands.into_iter().map(|operand| self.raw(operand)).collect();
                made::chain(operator, written)
            }
        }
    }

    /// Where an operand of `&` stands: types, references, scalars, bounds, anything else, literals of structs and lists.
    fn rank(&self, expression: &Expression) -> u8 {
        match expression {
            Expression::Identifier(name) if self.names.meaning(name).is_none() => 1,
            Expression::Identifier(_) => 2,
            Expression::Literal(_) => 10,
            Expression::Unary(node) if matches!(node.operand, Expression::Literal(_)) => 20,
            Expression::Struct(_) | Expression::List(_) => 30,
            _ => 25,
        }
    }

    fn interpolation(&mut self, node: &Interpolation) -> Interpolation {
        let (texts, bytes): (Vec<Vec<u8>>, bool) = match literal::interpolation(node) {
            Ok(literal::Pieces::Strings(texts)) => (texts.into_iter().map(String::into_bytes).collect(), false),
            Ok(literal::Pieces::Bytes(texts)) => (texts, true),
            // What cannot be decoded stays as it is; there is a diagnostic for it.
            Err(_) => return node.clone(),
        };
        let several = texts.iter().any(|text| text.contains(&b'\n'));
        let indent = "\t".repeat(self.depth);
        let marks = match (bytes, several) {
            (false, false) => "\"",
            (true, false) => "'",
            (false, true) => "\"\"\"",
            (true, true) => "'''",
        };
        let form = if bytes { Form::BYTES } else { Form::STRING };
        let last = texts.len().saturating_sub(1);
        let mut pieces = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let mut out = if at > 0 {
                ")".to_owned()
            } else if several {
                format!("{marks}\n{indent}")
            } else {
                marks.to_owned()
            };
            out.push_str(&form.escaped(text, several.then_some(self.depth)));
            if at < last {
                if out.ends_with('\n') {
                    out.push_str(&indent);
                }
                out.push_str("\\(");
            } else {
                if several {
                    out.push('\n');
                    out.push_str(&indent);
                }
                out.push_str(marks);
            }
            pieces.push(made::literal(LiteralKind::String, &out));
        }
        let expressions = node.expressions.iter().map(|inner| self.raw(inner)).collect();
        Interpolation { span: made::nowhere(), pieces, expressions, comments: Comments::default() }
    }

    fn comprehension(&mut self, node: &Comprehension) -> Comprehension {
        let mut clauses = Vec::new();
        for clause in &node.clauses {
            clauses.push(match clause {
                Clause::For(clause) => Clause::For(Box::new(For {
                    span: made::nowhere(),
                    space: kept(clause.space),
                    key: clause.key.as_ref().map(|key| made::identifier(&key.name)),
                    comma: clause.key.as_ref().map(|_| Place::default()),
                    value: made::identifier(&clause.value.name),
                    in_: Place::default(),
                    source: self.raw(&clause.source),
                    comments: Comments::default(),
                })),
                Clause::If(clause) => {
                    let condition = self.raw(&clause.condition);
                    Clause::If(Box::new(If { span: made::nowhere(), space: kept(clause.space), condition, comments: Comments::default() }))
                }
                Clause::Let(clause) => Clause::Let(Box::new(Let {
                    span: made::nowhere(),
                    space: kept(clause.space),
                    name: made::identifier(&clause.name.name),
                    equals: Place::default(),
                    value: self.raw(&clause.value),
                    comments: Comments::default(),
                })),
                Clause::Try(clause) => {
                    let binding = clause.binding.as_ref().map(|binding| TryBinding {
                        name: made::identifier(&binding.name.name),
                        equals: Place::default(),
                        value: self.raw(&binding.value),
                    });
                    Clause::Try(Box::new(Try { span: made::nowhere(), space: kept(clause.space), binding, comments: Comments::default() }))
                }
            });
        }
        let value = match self.raw(&node.value) {
            value @ Expression::Struct(_) => value,
            value => made::structure(vec![made::embedding(value)]),
        };
        let fallback = node.fallback.as_ref().map(|fallback| {
            let body = match self.raw(&Expression::Struct(Box::new(fallback.body.clone()))) {
                Expression::Struct(body) => *body,
                value => made::braces(vec![made::embedding(value)]),
            };
            Box::new(Fallback { span: made::nowhere(), space: Space::Unset, keyword: fallback.keyword, body, comments: Comments::default() })
        });
        Comprehension { span: made::nowhere(), clauses, value, fallback, comments: Comments::default() }
    }

    /// A struct whose declarations stay in their order.
    pub(super) fn whole_struct(&mut self, node: &Struct, tree: Option<&Tree>) -> Expression {
        self.depth += 1;
        let mut members = Vec::new();
        for declaration in &node.declarations {
            match declaration {
                Declaration::Field(field) => members.push(Declaration::Field(Box::new(self.whole_field(field, tree)))),
                Declaration::Embedding(embedding) => {
                    let value = self.raw(&embedding.value);
                    members.push(made::embedding(value));
                }
                Declaration::Comprehension(comprehension) => members.push(Declaration::Comprehension(Box::new(self.comprehension(comprehension)))),
                Declaration::Ellipsis(ellipsis) => {
                    let value = ellipsis.value.as_ref().map(|value| self.raw(value));
                    members.push(Declaration::Ellipsis(Box::new(made::ellipsis(value))));
                }
                _ => {}
            }
        }
        self.depth -= 1;
        made::structure(members)
    }

    fn whole_field(&mut self, field: &Field, tree: Option<&Tree>) -> Field {
        let label = self.computed_label(field, tree);
        let value = match &field.value {
            Expression::Alias(node) => {
                self.aliases.insert(node.name.span, node.name.name.clone());
                let inner = self.raw(&node.value);
                let (span, name, equals) = (made::nowhere(), made::identifier(&node.name.name), Place::default());
                Expression::Alias(Box::new(Alias { span, name, equals, value: inner, comments: Comments::default() }))
            }
            value => self.raw(value),
        };
        let mut out = made::field(label, field.constraint, value);
        if let Some(alias) = &field.alias {
            let mut alias = alias.clone();
            alias.field = made::identifier(&alias.field.name);
            alias.label = alias.label.as_ref().map(|label| made::identifier(&label.name));
            out.alias = Some(alias);
        }
        out.attributes = field.attributes.iter().map(|attribute| Attribute { space: Space::Blank, ..attribute.clone() }).collect();
        for group in field.comments.groups().iter().filter(|group| group.doc) {
            out.comments.add(group.clone());
        }
        made::collapse(&mut out);
        out
    }

    fn label(&mut self, label: &Label) -> Label {
        match label {
            Label::Identifier(name) => made::label(&name.name, false),
            Label::Literal(text) => made::label(&literal::plain_string(&text.text).unwrap_or_else(|| text.text.clone()), true),
            Label::Interpolation(node) => Label::Interpolation(Box::new(self.interpolation(node))),
            Label::Parenthesised(node) => match self.raw(&node.inner) {
                Expression::Interpolation(inner) => Label::Interpolation(inner),
                Expression::Literal(text) if text.kind == LiteralKind::String => Label::Literal(*text),
                inner => {
                    let (open, close) = (Place::default(), Place::default());
                    Label::Parenthesised(Box::new(Parenthesised { span: made::nowhere(), open, inner, close, comments: Comments::default() }))
                }
            },
            Label::Pattern(node) => Label::Pattern(Box::new(made::list(node.elements.iter().map(|element| self.pattern(element)).collect()))),
            Label::Alias(node) => Label::Alias(Box::new(LabelAlias {
                span: made::nowhere(),
                name: made::identifier(&node.name.name),
                equals: Place::default(),
                label: match &node.label {
                    Label::Literal(text) => Label::Literal(made::literal(text.kind, &text.text)),
                    label => self.label(label),
                },
                comments: Comments::default(),
            })),
        }
    }

    /// The label of a field. One that is computed, and not just a reference, is what it comes to, where that is known.
    fn computed_label(&mut self, field: &Field, tree: Option<&Tree>) -> Label {
        let is_computed = match &field.label {
            Label::Interpolation(_) => true,
            Label::Parenthesised(node) => !matches!(node.inner, Expression::Identifier(_) | Expression::Selector(_) | Expression::Index(_)),
            _ => false,
        };
        let span = field.value.span();
        let found = tree.filter(|_| is_computed).into_iter().flat_map(|tree| &tree.fields).find(|found| found.value.spans.contains(&span));
        match found {
            Some(found) => made::label(&found.name, true),
            None => self.label(&field.label),
        }
    }

    fn pattern(&mut self, element: &Expression) -> Expression {
        let Expression::Alias(node) = element else { return self.raw(element) };
        let value = self.raw(&node.value);
        let name = self.unused(&node.name.name);
        self.aliases.insert(node.name.span, name.clone());
        let (span, name, equals) = (made::nowhere(), made::identifier(&name), Place::default());
        Expression::Alias(Box::new(Alias { span, name, equals, value, comments: Comments::default() }))
    }
}

/// A comprehension stays on the line that it is written on.
fn kept(space: Space) -> Space {
    if space == Space::Blank { space } else { Space::Unset }
}

/// What stands behind the dot of a selector.
fn selector(name: &str) -> SelectorName {
    let text = literal::quote_label(name);
    if text.starts_with('"') {
        SelectorName::String(made::literal(LiteralKind::String, &text))
    } else {
        SelectorName::Identifier(made::identifier(&text))
    }
}

/// The operands of `&`, those of operands in parentheses among them.
fn flattened<'e>(operands: &[&'e Expression]) -> Vec<&'e Expression> {
    let mut out = Vec::new();
    for operand in operands {
        let mut inner = *operand;
        while let Expression::Parenthesised(node) = inner {
            inner = &node.inner;
        }
        match inner {
            Expression::Binary(node) if node.operator == BinaryOperator::Unification => out.extend(flattened(&node.operands())),
            inner => out.push(inner),
        }
    }
    out
}

/// `_|_` with what it says.
fn bottom() -> Expression {
    let mut comments = Comments::default();
    let text = "// explicit error (_|_ literal) in source".to_owned();
    let comment = Comment { span: made::nowhere(), text };
    comments.add(CommentGroup { doc: false, line: true, position: 2, space: Space::Unset, comments: vec![comment] });
    Expression::Bottom(Box::new(Bottom { span: made::nowhere(), space: Space::Unset, comments }))
}
