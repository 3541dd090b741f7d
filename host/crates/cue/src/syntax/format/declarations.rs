//! Declarations.

use super::printer::White;
use super::{Formatter, begins_line, declaration_comments};
use crate::syntax::ast::*;

/// How many fields a chain of single fields has; 0 where it ends in a larger struct.
fn nesting(field: &Field) -> usize {
    let mut depth = 1;
    let mut field = field;
    while let Expression::Struct(inner) = &field.value {
        match inner.declarations.as_slice() {
            [Declaration::Field(inner)] => field = inner,
            [_] => break,
            // The innermost adds nothing, but those around it count.
            _ => return depth - 1,
        }
        depth += 1;
    }
    depth
}

fn has_comments(declaration: &Declaration) -> bool {
    let of_name = match declaration {
        Declaration::Field(field) => field_has_label_comments(field),
        Declaration::Let(node) => !node.name.comments.is_empty(),
        _ => false,
    };
    of_name || !declaration_comments(declaration).is_empty()
}

fn field_has_label_comments(field: &Field) -> bool {
    let comments = match &field.label {
        Label::Identifier(node) => &node.comments,
        Label::Literal(node) => &node.comments,
        Label::Interpolation(node) => &node.comments,
        Label::Parenthesised(node) => &node.comments,
        Label::Pattern(node) => &node.comments,
        Label::Alias(node) => &node.comments,
    };
    !comments.is_empty()
}

fn label_identifier(label: &Label) -> Option<&Identifier> {
    match label {
        Label::Identifier(node) => Some(node),
        Label::Alias(node) => match &node.label {
            Label::Identifier(node) => Some(node),
            _ => None,
        },
        _ => None,
    }
}

fn is_definition(field: &Field) -> bool {
    label_identifier(&field.label).is_some_and(|name| name.name.starts_with('#') || name.name.starts_with("_#"))
}

fn is_regular(field: &Field) -> bool {
    !label_identifier(&field.label).is_some_and(|name| name.name.starts_with(['#', '_']))
}

fn is_top(expression: &Expression) -> bool {
    matches!(expression, Expression::Identifier(name) if name.name == "_")
}

/// Whether a declaration says no more than `...`.
fn is_ellipsis(declaration: &Declaration) -> bool {
    match declaration {
        Declaration::Ellipsis(_) => true,
        Declaration::Field(field) if is_top(&field.value) => match &field.label {
            Label::Pattern(list) => matches!(list.elements.as_slice(), [Expression::Identifier(name)] if name.name == "string" || name.name == "_"),
            _ => false,
        },
        _ => false,
    }
}

impl<'a> Formatter<'a> {
    pub(super) fn declarations(&mut self, list: &'a [Declaration]) {
        self.enter_part();
        let mut previous_nesting = 0;
        let mut ellipsis = None;
        let mut is_first = true;
        for (at, declaration) in list.iter().enumerate() {
            if let Some(previous) = at.checked_sub(1).and_then(|at| list.get(at)) {
                if !is_first {
                    self.white(White::DeclarationComma);
                }
                self.between(previous, declaration, previous_nesting);
            }
            if self.format.simplify && is_ellipsis(declaration) {
                ellipsis = Some(declaration);
                continue;
            }
            is_first = false;
            self.declaration(declaration);
            previous_nesting = match declaration {
                Declaration::Field(field) => nesting(field),
                _ => 0,
            };
            let next_is_long = match list.get(at + 1) {
                Some(Declaration::Field(field)) => match &field.value {
                    Expression::Struct(node) => node.open.is_some() || node.declarations.len() != 1,
                    Expression::List(_) => true,
                    _ => false,
                },
                _ => false,
            };
            let white = if next_is_long { self.form_feed() } else { self.current.outer_separator };
            self.white(white);
        }
        if let Some(declaration) = ellipsis {
            self.last_ellipsis(declaration);
        }
        self.leave();
    }

    /// `...` at the end, with the comments of what it replaces.
    fn last_ellipsis(&mut self, declaration: &'a Declaration) {
        self.enter_part();
        self.current.comments = declaration_comments(declaration);
        self.visit_comments(0);
        self.operator("...");
        self.leave();
        let white = self.current.outer_separator;
        self.white(white);
    }

    fn between(&mut self, previous: &Declaration, next: &Declaration, previous_nesting: usize) {
        let next_nesting = match next {
            Declaration::Field(field) => nesting(field),
            _ => 0,
        };
        let differs = previous_nesting == 0 || next_nesting != previous_nesting;
        if self.current.outer_separator == White::Newline && differs {
            let white = self.form_feed();
            self.white(white);
        }
        if has_comments(next) {
            match previous {
                Declaration::Field(field) if !is_definition(field) => {}
                _ => self.white(White::Section),
            }
        }
    }

    /// The only field of the value, where both are written as one chain of labels.
    fn inline_field(&self, field: &'a Field) -> Option<&'a Field> {
        let Expression::Struct(value) = &field.value else {
            return None;
        };
        let [Declaration::Field(inner)] = value.declarations.as_slice() else {
            return None;
        };
        let braces = value.open.is_some();
        let commented = !field.comments.is_empty() || field_has_label_comments(field);
        let keeps_braces = braces && (!self.format.simplify || commented);
        let inner_commented = !inner.comments.is_empty() || field_has_label_comments(inner);
        let attributes = !field.attributes.is_empty() || !inner.attributes.is_empty();
        let made = self.printer.known(label_space(&field.label)) == Space::Unset && !(self.format.simplify && is_regular(field)) && braces;
        (!keeps_braces && !inner_commented && !attributes && !made).then_some(&**inner)
    }

    pub(super) fn declaration(&mut self, declaration: &'a Declaration) {
        match declaration {
            Declaration::Field(node) => {
                self.enter(&node.comments);
                self.field(node);
            }
            Declaration::Package(node) => {
                self.enter(&node.comments);
                self.printer.space(node.space);
                self.word("package");
                self.white(White::Blank);
                self.identifier_text(&node.name);
                self.white(White::Section | White::NoOverride);
            }
            Declaration::Import(node) => {
                self.enter(&node.comments);
                self.import(node);
            }
            Declaration::Let(node) => {
                self.enter(&node.comments);
                if begins_line(self.printer.known(node.space)) {
                    self.white(White::FormFeed);
                }
                self.let_(node);
                self.white(White::DeclarationComma);
            }
            Declaration::Embedding(node) => {
                self.enter(&node.comments);
                if begins_line(self.printer.known(self.leading_space(&node.value))) {
                    self.white(White::FormFeed);
                }
                self.expression(&node.value);
                self.white(White::Newline);
            }
            Declaration::Comprehension(node) => {
                self.enter(&node.comments);
                let space = clause_space(node.clauses.first());
                if space == Space::Blank {
                    // It stays behind what is in front of it, in a tree that was made, too.
                    self.printer.stay();
                } else if begins_line(self.printer.known(space)) {
                    self.white(White::FormFeed);
                }
                self.comprehension(node);
            }
            Declaration::Ellipsis(node) => {
                self.enter(&node.comments);
                self.ellipsis(node);
            }
            Declaration::Attribute(node) => {
                self.enter(&node.comments);
                self.attribute(node);
            }
            Declaration::Comments(group) => {
                self.enter_part();
                self.printer.comments(group);
                self.white(White::Section);
            }
            Declaration::Bad(node) => {
                self.enter(&node.comments);
                self.printer.space(node.space);
                let text = self.text.get(node.span.start as usize..node.span.end as usize).unwrap_or("_|_");
                self.word(text);
                self.white(White::DeclarationComma);
            }
        }
        self.leave();
    }

    fn attribute(&mut self, node: &'a Attribute) {
        self.printer.space(node.space);
        self.printer.word(&node.text);
    }

    fn field(&mut self, node: &'a Field) {
        self.label(&node.label);
        if let Some(alias) = &node.alias {
            self.postfix_alias(alias);
        }
        match node.constraint {
            Some(Constraint::Optional) => self.operator("?"),
            Some(Constraint::Required) => self.operator("!"),
            None => {}
        }
        self.white(White::NoBlank | White::NoOverride);
        self.printer.place(node.colon);
        self.operator(":");
        self.visit_comments(self.current.position);
        if let Some(inner) = self.inline_field(node) {
            self.chained(inner);
            return;
        }
        let long = needs_form_feed(&node.value);
        let tab = if long || self.printer.brace_on_line { White::Blank } else { White::Stop };
        self.white(tab);
        match &node.value {
            Expression::List(_) | Expression::Struct(_) => self.expression(&node.value),
            value => {
                self.white(White::Indent);
                self.expression(value);
                self.printer.unindent();
            }
        }
        let mut space = tab;
        for attribute in &node.attributes {
            self.enter(&attribute.comments);
            self.white(space);
            self.attribute(attribute);
            self.leave();
            space = White::Blank;
        }
        if long {
            self.white(White::FormFeed);
        }
    }

    fn chained(&mut self, inner: &'a Field) {
        let on_next_line = !self.format.simplify && self.printer.known(label_space(&inner.label)) >= Space::Newline;
        if on_next_line {
            self.white(White::Indent | White::FormFeed);
        } else {
            self.white(White::Blank | White::NoOverride);
        }
        self.enter(&inner.comments);
        self.field(inner);
        self.leave();
        if on_next_line {
            self.printer.indent = self.printer.indent.saturating_sub(1);
        }
    }

    fn postfix_alias(&mut self, alias: &'a PostfixAlias) {
        self.operator("~");
        self.white(White::NoBlank);
        alias.open.into_iter().for_each(|place| self.printer.place(place));
        self.operator("(");
        self.white(White::NoBlank);
        if let Some(label) = &alias.label {
            self.identifier(label);
            self.operator(",");
            self.white(White::NoBlank);
        }
        self.identifier(&alias.field);
        alias.close.into_iter().for_each(|place| self.printer.place(place));
        self.operator(")");
        self.white(White::NoBlank);
    }

    /// `let name = value`
    pub(super) fn let_(&mut self, node: &'a Let) {
        self.printer.space(node.space);
        self.keyword("let");
        self.white(White::Blank | White::NoOverride);
        self.identifier(&node.name);
        self.binding(node.equals, &node.value);
    }

    /// ` = value`
    pub(super) fn binding(&mut self, equals: Place, value: &'a Expression) {
        self.white(White::Blank | White::NoOverride);
        self.printer.place(equals);
        self.operator("=");
        self.white(White::Blank);
        self.expression(value);
    }

    fn import(&mut self, node: &'a Import) {
        self.printer.space(node.space);
        self.word("import");
        self.white(White::Blank);
        let plain = |spec: &ImportSpec| spec.comments.groups().iter().all(|group| group.position > 1);
        match node.specs.as_slice() {
            [] => {
                node.open.into_iter().for_each(|place| self.printer.place(place));
                self.operator("(");
                node.close.into_iter().for_each(|place| self.printer.place(place));
                self.operator(")");
                self.white(White::Newline);
                return;
            }
            [spec] if plain(spec) && node.open.is_none() => self.import_specs(&node.specs),
            _ => {
                node.open.into_iter().for_each(|place| self.printer.place(place));
                self.operator("(");
                self.white(White::Newline | White::Indent);
                self.import_specs(&node.specs);
                self.white(White::Unindent | White::Newline);
                node.close.into_iter().for_each(|place| self.printer.place(place));
                self.operator(")");
                self.white(White::Newline);
            }
        }
        self.white(White::Section | White::NoOverride);
    }

    fn import_specs(&mut self, specs: &'a [ImportSpec]) {
        self.enter_part();
        for spec in specs {
            self.enter(&spec.comments);
            match &spec.name {
                Some(name) => {
                    self.label_name(name);
                    self.white(White::Blank);
                }
                None => self.next_part(),
            }
            self.enter(&spec.path.comments);
            self.printer.space(spec.path.space);
            self.printer.literal(&spec.path);
            self.leave();
            self.white(White::Newline);
            self.leave();
        }
        self.leave();
    }

    /// A name in the place of a label.
    pub(super) fn label_name(&mut self, name: &'a Identifier) {
        self.enter(&name.comments);
        self.printer.space(name.space);
        self.word(&name.name);
        self.leave();
    }

    pub(super) fn label(&mut self, label: &'a Label) {
        match label {
            Label::Identifier(node) => self.label_name(node),
            Label::Literal(node) => {
                self.enter(&node.comments);
                self.printer.space(node.space);
                let unusual = node.text.starts_with("\"\"\"") || node.text.starts_with('#');
                let value = if unusual { crate::syntax::literal::plain_string(&node.text) } else { None };
                match value {
                    Some(value) => self.word(&crate::syntax::literal::Form::STRING.quote(&value)),
                    None => self.word(&node.text),
                }
                self.leave();
            }
            Label::Interpolation(node) => {
                self.enter_part();
                self.enter(&node.comments);
                self.interpolation(node, 1);
                self.leave();
                self.leave();
            }
            Label::Parenthesised(node) => {
                self.enter_part();
                self.enter(&node.comments);
                self.parenthesised(node, 1);
                self.leave();
                self.leave();
            }
            Label::Pattern(node) => {
                self.enter_part();
                self.enter(&node.comments);
                self.list(node);
                self.leave();
                self.leave();
            }
            Label::Alias(node) => {
                self.enter(&node.comments);
                self.label_name(&node.name);
                self.printer.place(node.equals);
                self.operator("=");
                self.label(&node.label);
                self.leave();
            }
        }
    }
}

/// The white space in front of a label.
pub(super) fn label_space(label: &Label) -> Space {
    match label {
        Label::Identifier(node) => node.space,
        Label::Literal(node) => node.space,
        Label::Interpolation(node) => node.pieces.first().map_or(Space::Unset, |piece| piece.space),
        Label::Parenthesised(node) => node.open.space,
        Label::Pattern(node) => node.open.space,
        Label::Alias(node) => node.name.space,
    }
}

/// The white space in front of a clause.
pub(super) fn clause_space(clause: Option<&Clause>) -> Space {
    match clause {
        Some(Clause::For(node)) => node.space,
        Some(Clause::If(node)) => node.space,
        Some(Clause::Let(node)) => node.space,
        Some(Clause::Try(node)) => node.space,
        None => Space::Unset,
    }
}

/// Whether a value usually takes several lines, so that it is in no column.
fn needs_form_feed(value: &Expression) -> bool {
    let mut value = value;
    loop {
        value = match value {
            Expression::Struct(_) | Expression::List(_) => return true,
            Expression::Literal(node) => return node.text.contains('\n'),
            Expression::Parenthesised(node) => &node.inner,
            Expression::Unary(node) => &node.operand,
            Expression::Postfix(node) => &node.operand,
            Expression::Index(node) => &node.operand,
            Expression::Selector(node) => &node.operand,
            Expression::Binary(node) => {
                if needs_form_feed(&node.right) {
                    return true;
                }
                &node.left
            }
            Expression::Call(node) => return node.arguments.iter().any(needs_form_feed),
            _ => return false,
        };
    }
}
