//! Declarations: fields and their labels, lets, comprehensions, embeddings, attributes.

use super::super::ast::*;
use super::super::token::TokenKind as T;
use super::Parser;

/// What stands where a label may stand.
enum LabelOrOther {
    /// A let clause or comprehension.
    Declaration(Declaration),
    /// A label; it may turn out to be an expression that looks like one.
    Label(Label),
    Expression(Expression),
    /// Nothing was read.
    Nothing,
}

fn label_of(expression: Expression) -> Result<Label, Expression> {
    match expression {
        Expression::Identifier(node) => Ok(Label::Identifier(*node)),
        Expression::Literal(node) if !matches!(node.kind, LiteralKind::Integer | LiteralKind::Float) => Ok(Label::Literal(*node)),
        Expression::Interpolation(node) => Ok(Label::Interpolation(node)),
        Expression::Parenthesised(node) => Ok(Label::Parenthesised(node)),
        Expression::List(node) => Ok(Label::Pattern(node)),
        other => Err(other),
    }
}

fn expression_of(label: Label) -> Expression {
    match label {
        Label::Identifier(node) => Expression::Identifier(Box::new(node)),
        Label::Literal(node) => Expression::Literal(Box::new(node)),
        Label::Interpolation(node) => Expression::Interpolation(node),
        Label::Parenthesised(node) => Expression::Parenthesised(node),
        Label::Pattern(node) => Expression::List(node),
        Label::Alias(node) => {
            let LabelAlias { span, name, equals, label, comments } = *node;
            Expression::Alias(Box::new(Alias { span, name, equals, value: expression_of(label), comments }))
        }
    }
}

impl Parser<'_> {
    pub(super) fn declaration_comma(&mut self) {
        if self.at_comma("struct literal", &[T::RightBrace, T::EndOfFile]) {
            self.skip_comma();
        }
    }

    pub(super) fn attribute(&mut self) -> Attribute {
        self.comments.open();
        let (span, space) = (self.span(self.token.start, self.token.end), self.token.space);
        let text = self.token.text.clone().into_owned();
        self.next();
        Attribute { span, space, text, comments: self.comments.close_new() }
    }

    pub(super) fn struct_(&mut self) -> Struct {
        let open = self.place();
        if self.expect(T::LeftBrace).is_none() {
            let span = self.span(open.offset, open.offset);
            let comments = self.comments.reserve();
            return Struct { span, open: Some(open), declarations: Vec::new(), close: Some(open), comments };
        }
        let declarations = if self.at(T::RightBrace) { Vec::new() } else { self.declarations() };
        let close = self.expect_closing(T::RightBrace, "struct literal");
        let span = self.span_from(open.offset);
        let comments = self.comments.reserve();
        Struct { span, open: Some(open), declarations, close: Some(close), comments }
    }

    /// Declarations up to a closing brace or the end of the file.
    pub(super) fn declarations(&mut self) -> Vec<Declaration> {
        let mut out = Vec::new();
        self.comments.open_list();
        while !matches!(self.token.kind, T::RightBrace | T::EndOfFile) {
            match self.token.kind {
                T::Attribute => {
                    out.push(Declaration::Attribute(self.attribute()));
                    self.declaration_comma();
                }
                T::Ellipsis => {
                    self.comments.open();
                    let (span, space) = (self.span(self.token.start, self.token.end), self.token.space);
                    self.next();
                    let comments = self.comments.close_new();
                    out.push(Declaration::Ellipsis(Box::new(Ellipsis { span, space, value: None, comments })));
                    self.declaration_comma();
                }
                _ => out.push(self.declaration()),
            }
        }
        self.comments.close_list();
        out
    }

    fn declaration(&mut self) -> Declaration {
        self.comments.open();
        let declaration = self.declaration_inside();
        let comments = match &declaration {
            Declaration::Field(node) => &node.comments,
            Declaration::Let(node) => &node.comments,
            Declaration::Embedding(node) => &node.comments,
            Declaration::Comprehension(node) => &node.comments,
            Declaration::Bad(node) => &node.comments,
            Declaration::Ellipsis(node) => &node.comments,
            Declaration::Attribute(node) => &node.comments,
            Declaration::Package(node) => &node.comments,
            Declaration::Import(node) => &node.comments,
            Declaration::Comments(_) => return declaration,
        };
        self.comments.close(comments);
        declaration
    }

    fn embedding(&mut self, value: Expression) -> Declaration {
        let span = value.span();
        Declaration::Embedding(Box::new(Embedding { span, value, comments: self.comments.reserve() }))
    }

    fn bad_declaration(&mut self, start: u32, space: Space) -> Declaration {
        let span = self.span(start, self.token.start);
        Declaration::Bad(Box::new(Bad { span, space, comments: self.comments.reserve() }))
    }

    fn declaration_inside(&mut self) -> Declaration {
        let (start, space) = (self.token.start, self.token.space);
        let label = match self.label(false) {
            LabelOrOther::Declaration(declaration) => return declaration,
            LabelOrOther::Label(label) => label,
            LabelOrOther::Expression(Expression::Alias(_)) => {
                self.error_expected("a label or ':'");
                self.declaration_comma();
                return self.bad_declaration(start, space);
            }
            LabelOrOther::Expression(value) => {
                let embedding = self.embedding(value);
                self.declaration_comma();
                return embedding;
            }
            LabelOrOther::Nothing => {
                let value = self.right_side();
                let embedding = self.embedding(value);
                self.declaration_comma();
                return embedding;
            }
        };
        let alias = self.postfix_alias();
        let constraint = self.constraint();
        match self.token.kind {
            T::Colon => {}
            T::Comma | T::RightBrace | T::EndOfFile if alias.is_none() && constraint.is_none() && !matches!(label, Label::Alias(_)) => {
                if self.at(T::Comma) {
                    self.expect_comma();
                }
                return self.embedding(expression_of(label));
            }
            _ => {
                self.error_expected("':' behind a label");
                if self.at(T::Comma) {
                    self.next();
                } else if !matches!(self.token.kind, T::RightBrace | T::EndOfFile) {
                    self.synchronise();
                    self.expect_comma();
                }
                return self.bad_declaration(start, space);
            }
        }
        if let Label::Identifier(identifier) = &label {
            self.check_declared(identifier);
        }
        let field = self.field(label, alias, constraint);
        self.declaration_comma();
        Declaration::Field(Box::new(field))
    }

    fn constraint(&mut self) -> Option<Constraint> {
        let constraint = match self.token.kind {
            T::Option => Constraint::Optional,
            T::Not => Constraint::Required,
            _ => return None,
        };
        self.next();
        Some(constraint)
    }

    fn check_pattern(&mut self, label: &Label) {
        let label = match label {
            Label::Alias(alias) => &alias.label,
            label => label,
        };
        if let Label::Pattern(list) = label
            && list.elements.len() != 1
        {
            let span = list.span;
            let help = "write [string]: for all fields, or an expression for the labels that are meant";
            self.error_with_help(span.start, span.end, "the brackets of a pattern need exactly one expression", help);
        }
    }

    /// A field from its colon on. In a chain of labels, attributes belong to the last.
    fn field(&mut self, label: Label, alias: Option<Box<PostfixAlias>>, constraint: Option<Constraint>) -> Field {
        let start = label.span().start;
        self.check_pattern(&label);
        let colon = self.place();
        self.expect(T::Colon);
        let (value, attributes) = if self.enter() {
            self.field_value()
        } else {
            let space = self.token.space;
            (self.bad(start, space), Vec::new())
        };
        self.leave();
        let span = self.span_from(start);
        let comments = self.comments.reserve();
        Field { span, label, alias, constraint, colon, value, attributes, comments }
    }

    fn field_value(&mut self) -> (Expression, Vec<Attribute>) {
        let value = match self.label(true) {
            LabelOrOther::Label(label) => {
                if matches!(self.token.kind, T::Colon | T::Option | T::Not | T::Tilde) {
                    return (self.chained_field(label), Vec::new());
                }
                expression_of(label)
            }
            LabelOrOther::Expression(value) => value,
            LabelOrOther::Declaration(_) | LabelOrOther::Nothing => self.right_side(),
        };
        let mut attributes = Vec::new();
        self.comments.open_list();
        while self.at(T::Attribute) {
            attributes.push(self.attribute());
        }
        self.comments.close_list();
        (value, attributes)
    }

    fn chained_field(&mut self, label: Label) -> Expression {
        let alias = self.postfix_alias();
        let constraint = self.constraint();
        let field = self.field(label, alias, constraint);
        let span = field.span;
        let comments = self.comments.reserve();
        let declarations = vec![Declaration::Field(Box::new(field))];
        Expression::Struct(Box::new(Struct { span, open: None, declarations, close: None, comments }))
    }

    fn label(&mut self, right: bool) -> LabelOrOther {
        let expression = match self.token.kind {
            T::For | T::If | T::Try if !right => match self.comprehension_declaration() {
                Ok(declaration) => return LabelOrOther::Declaration(declaration),
                Err(name) => Expression::Identifier(Box::new(name)),
            },
            T::Let => match self.let_declaration() {
                Ok(declaration) => return LabelOrOther::Declaration(declaration),
                Err(name) => Expression::Identifier(Box::new(name)),
            },
            T::Identifier | T::String | T::Interpolation | T::LeftParenthesis | T::LeftBracket => self.right_side(),
            kind if kind.is_keyword() => self.right_side(),
            _ => return LabelOrOther::Nothing,
        };
        match label_of(expression) {
            Ok(Label::Identifier(name)) if self.at(T::Bind) => self.label_alias(name),
            Ok(label) => LabelOrOther::Label(label),
            Err(expression) => LabelOrOther::Expression(expression),
        }
    }

    fn label_alias(&mut self, name: Identifier) -> LabelOrOther {
        let start = name.span.start;
        let space = name.space;
        let Some((equals, value)) = self.alias_value() else {
            return LabelOrOther::Expression(self.bad(start, space));
        };
        self.check_declared(&name);
        let span = self.span_from(start);
        let comments = self.comments.reserve();
        match label_of(value) {
            Ok(label) => LabelOrOther::Label(Label::Alias(Box::new(LabelAlias { span, name, equals, label, comments }))),
            Err(value) => LabelOrOther::Expression(Expression::Alias(Box::new(Alias { span, name, equals, value, comments }))),
        }
    }

    fn postfix_alias(&mut self) -> Option<Box<PostfixAlias>> {
        if !self.at(T::Tilde) {
            return None;
        }
        let start = self.token.start;
        if !self.experiments.postfix_alias {
            let help = "write @experiment(aliasv2) at the head of the file, or X=label";
            self.error_with_help(start, start + 1, "'~' behind a label needs an experiment", help);
        }
        self.next();
        let mut label = None;
        let mut open = None;
        let mut close = None;
        let field = if self.at(T::LeftParenthesis) {
            open = Some(self.place());
            self.next();
            let mut field = self.identifier();
            if !self.at(T::RightParenthesis) {
                self.expect(T::Comma);
                label = Some(std::mem::replace(&mut field, self.identifier()));
            }
            close = Some(self.place());
            self.expect(T::RightParenthesis);
            field
        } else {
            self.identifier()
        };
        let span = self.span_from(start);
        let comments = self.comments.reserve();
        Some(Box::new(PostfixAlias { span, open, label, field, close, comments }))
    }

    fn let_declaration(&mut self) -> Result<Declaration, Identifier> {
        self.comments.open();
        let (word, space) = (self.span(self.token.start, self.token.end), self.token.space);
        self.next();
        if !self.at(T::Identifier) {
            return Err(Identifier { span: word, space, name: "let".to_owned(), comments: self.comments.close_new() });
        }
        let (name, equals, value) = self.binding();
        let span = self.span_from(word.start);
        self.declaration_comma();
        let comments = self.comments.close_new();
        Ok(Declaration::Let(Box::new(Let { span, space, name, equals, value, comments })))
    }

    /// `x = y`
    fn binding(&mut self) -> (Identifier, Place, Expression) {
        let name = self.declared_identifier();
        let equals = self.place();
        self.expect(T::Bind);
        (name, equals, self.right_side())
    }

    fn comprehension_declaration(&mut self) -> Result<Declaration, Identifier> {
        self.comments.open();
        match self.comprehension_or_name() {
            Ok(comprehension) => {
                if self.at_comma("struct literal", &[T::RightBrace]) {
                    self.skip_comma();
                }
                self.comments.close(&comprehension.comments);
                Ok(Declaration::Comprehension(Box::new(comprehension)))
            }
            Err(name) => {
                self.comments.close(&name.comments);
                Err(name)
            }
        }
    }

    /// A comprehension, or the name that its first word turns out to be.
    pub(super) fn comprehension_or_name(&mut self) -> Result<Comprehension, Identifier> {
        let start = self.token.start;
        let mut clauses = Vec::new();
        loop {
            let clause = match self.token.kind {
                T::For => self.for_clause(clauses.is_empty())?,
                T::If => self.if_clause(clauses.is_empty())?,
                T::Let => self.let_clause(),
                T::Try => self.try_clause(clauses.is_empty())?,
                _ => break,
            };
            clauses.push(clause);
            if self.at(T::Comma) {
                self.next();
            }
        }
        self.comments.open();
        let value = Expression::Struct(Box::new(self.struct_()));
        self.close_on(&value);
        let fallback = matches!(self.token.kind, T::Else | T::Fallback | T::Otherwise).then(|| Box::new(self.fallback(&clauses)));
        let span = self.span_from(start);
        Ok(Comprehension { span, clauses, value, fallback, comments: self.comments.reserve() })
    }

    /// The first word of a comprehension, or the name that it is because of what follows.
    fn clause_word(&mut self, first: bool) -> Result<(u32, Space), Identifier> {
        self.comments.open();
        let (span, space) = (self.span(self.token.start, self.token.end), self.token.space);
        let name = self.token.text.clone().into_owned();
        let condition = self.at(T::If);
        let try_ = self.at(T::Try);
        self.next();
        let is_name = first
            && match self.token.kind {
                T::Colon | T::Bind | T::Option | T::Comma | T::EndOfFile => true,
                T::Not => !condition || self.peek() == T::Colon,
                T::Tilde | T::RightBrace | T::RightBracket => try_,
                _ => false,
            };
        if is_name {
            return Err(Identifier { span, space, name, comments: self.comments.close_new() });
        }
        Ok((span.start, space))
    }

    fn for_clause(&mut self, first: bool) -> Result<Clause, Identifier> {
        let (start, space) = self.clause_word(first)?;
        let mut value = self.declared_identifier();
        let (mut key, mut comma) = (None, None);
        if self.at(T::Comma) {
            comma = Some(self.place());
            self.next();
            key = Some(std::mem::replace(&mut value, self.declared_identifier()));
        }
        self.comments.set_position(4);
        let in_ = self.place();
        self.expect(T::In);
        let source = self.right_side();
        let span = self.span_from(start);
        let comments = self.comments.close_new();
        Ok(Clause::For(Box::new(For { span, space, key, comma, value, in_, source, comments })))
    }

    fn if_clause(&mut self, first: bool) -> Result<Clause, Identifier> {
        let (start, space) = self.clause_word(first)?;
        let condition = self.right_side();
        let span = self.span_from(start);
        Ok(Clause::If(Box::new(If { span, space, condition, comments: self.comments.close_new() })))
    }

    fn let_clause(&mut self) -> Clause {
        self.comments.open();
        let (start, space) = (self.token.start, self.token.space);
        self.next();
        let (name, equals, value) = self.binding();
        let span = self.span_from(start);
        let comments = self.comments.close_new();
        Clause::Let(Box::new(Let { span, space, name, equals, value, comments }))
    }

    fn try_clause(&mut self, first: bool) -> Result<Clause, Identifier> {
        let (start, space) = self.clause_word(first)?;
        if !self.experiments.try_ {
            let help = "write @experiment(try) at the head of the file";
            self.error_with_help(start, start + 3, "'try' needs an experiment", help);
        }
        let binding = self.at(T::Identifier).then(|| {
            let (name, equals, value) = self.binding();
            TryBinding { name, equals, value }
        });
        let span = self.span_from(start);
        Ok(Clause::Try(Box::new(Try { span, space, binding, comments: self.comments.close_new() })))
    }

    fn fallback(&mut self, clauses: &[Clause]) -> Fallback {
        self.comments.open();
        let (start, space) = (self.token.start, self.token.space);
        let keyword = match self.token.kind {
            T::Else => FallbackKeyword::Else,
            T::Fallback => FallbackKeyword::Fallback,
            _ => FallbackKeyword::Otherwise,
        };
        let single = matches!(clauses, [Clause::If(_) | Clause::Try(_)]);
        let (end, name) = (self.token.end, self.token.kind.name());
        if !self.experiments.try_ {
            let help = "write @experiment(try) at the head of the file";
            self.error_with_help(start, end, format!("{name} needs an experiment"), help);
        }
        if single && keyword != FallbackKeyword::Else {
            self.error(start, end, "use 'else' behind a single 'if' or 'try'");
        }
        if !single && keyword == FallbackKeyword::Else {
            self.error(start, end, "use 'otherwise' behind several clauses or a 'for'");
        }
        self.next();
        let body = self.struct_();
        let span = self.span_from(start);
        Fallback { span, space, keyword, body, comments: self.comments.close_new() }
    }
}
