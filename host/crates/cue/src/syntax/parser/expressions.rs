//! Expressions.

use super::super::ast::*;
use super::super::token::{Token, TokenKind as T};
use super::Parser;

/// The comments of an expression's own node.
fn comments_of(expression: &Expression) -> &Comments {
    match expression {
        Expression::Bottom(node) => &node.comments,
        Expression::Identifier(node) => &node.comments,
        Expression::Literal(node) => &node.comments,
        Expression::Interpolation(node) => &node.comments,
        Expression::Struct(node) => &node.comments,
        Expression::List(node) => &node.comments,
        Expression::Ellipsis(node) => &node.comments,
        Expression::Comprehension(node) => &node.comments,
        Expression::Alias(node) => &node.comments,
        Expression::Parenthesised(node) => &node.comments,
        Expression::Selector(node) => &node.comments,
        Expression::Index(node) => &node.comments,
        Expression::Slice(node) => &node.comments,
        Expression::Call(node) => &node.comments,
        Expression::Unary(node) => &node.comments,
        Expression::Binary(node) => &node.comments,
        Expression::Postfix(node) => &node.comments,
        Expression::Bad(node) => &node.comments,
    }
}

impl Parser<'_> {
    /// Ends an open construct whose node is this expression.
    pub(super) fn close_on(&mut self, expression: &Expression) {
        self.comments.close(comments_of(expression));
    }

    pub(super) fn bad(&mut self, start: u32, space: Space) -> Expression {
        let span = self.span(start, self.token.start);
        Expression::Bad(Box::new(Bad { span, space, comments: self.comments.reserve() }))
    }

    /// The identifier or keyword that is next.
    pub(super) fn key_identifier(&mut self) -> Identifier {
        self.comments.open();
        let (span, space) = (self.span(self.token.start, self.token.end), self.token.space);
        let name = self.token.text.clone().into_owned();
        self.next();
        Identifier { span, space, name, comments: self.comments.close_new() }
    }

    pub(super) fn identifier(&mut self) -> Identifier {
        if self.at(T::Identifier) {
            return self.key_identifier();
        }
        self.comments.open();
        let (span, space) = (self.span(self.token.start, self.token.start), self.token.space);
        self.expect(T::Identifier);
        Identifier { span, space, name: "_".to_owned(), comments: self.comments.close_new() }
    }

    /// An identifier that names something new.
    pub(super) fn declared_identifier(&mut self) -> Identifier {
        let identifier = self.identifier();
        self.check_declared(&identifier);
        identifier
    }

    pub(super) fn check_declared(&mut self, identifier: &Identifier) {
        if identifier.name.starts_with("__") {
            let span = identifier.span;
            let message = format!("{}: identifiers that start with '__' are reserved", identifier.name);
            self.error_with_help(span.start, span.end, message, "use a name without '__', or quote it");
        }
    }

    /// An expression, with comments around it.
    pub(super) fn right_side(&mut self) -> Expression {
        self.comments.open();
        let expression = self.binary(1);
        self.close_on(&expression);
        expression
    }

    fn binary(&mut self, precedence: u8) -> Expression {
        self.comments.open_list();
        let first = self.unary();
        let expression = self.binary_tail(precedence, first);
        self.comments.close_list();
        expression
    }

    /// Operators of at least this precedence behind a first operand.
    pub(super) fn binary_tail(&mut self, precedence: u8, mut left: Expression) -> Expression {
        let mut length = 0;
        loop {
            let Some((operator, found)) = self.token.kind.binary().filter(|(_, found)| *found >= precedence) else {
                return left;
            };
            if !self.link(&mut length) {
                return left;
            }
            self.comments.open();
            self.comments.set_position(1);
            let place = self.place();
            self.next();
            let right = self.binary(found + 1);
            let span = self.span_from(left.span().start);
            let comments = self.comments.close_new();
            left = Expression::Binary(Box::new(Binary { span, left, place, operator, right, comments }));
        }
    }

    pub(super) fn unary(&mut self) -> Expression {
        let (start, space) = (self.token.start, self.token.space);
        if !self.enter() {
            return self.bad(start, space);
        }
        let operator = self.token.kind.unary();
        let operator = operator.filter(|operator| *operator != UnaryOperator::Equal || self.experiments.struct_comparison);
        let expression = match operator {
            Some(operator) => {
                self.comments.open();
                let place = self.place();
                self.next();
                let operand = self.unary();
                let span = self.span_from(start);
                let comments = self.comments.close_new();
                Expression::Unary(Box::new(Unary { span, place, operator, operand, comments }))
            }
            None => {
                let operand = self.operand();
                self.primary_tail(operand)
            }
        };
        self.leave();
        expression
    }

    fn operand(&mut self) -> Expression {
        match self.token.kind {
            T::Identifier => {
                let identifier = Expression::Identifier(Box::new(self.key_identifier()));
                // `a?: x` is a field; `a?` elsewhere asks whether a is there.
                if self.at(T::Option) && self.peek() != T::Colon {
                    return self.optional(identifier);
                }
                identifier
            }
            T::LeftBrace => Expression::Struct(Box::new(self.struct_())),
            T::LeftBracket => Expression::List(Box::new(self.list())),
            T::Bottom => {
                self.comments.open();
                let (span, space) = (self.span(self.token.start, self.token.end), self.token.space);
                self.next();
                Expression::Bottom(Box::new(Bottom { span, space, comments: self.comments.close_new() }))
            }
            T::Null => self.literal(LiteralKind::Null),
            T::True => self.literal(LiteralKind::True),
            T::False => self.literal(LiteralKind::False),
            T::Integer => self.literal(LiteralKind::Integer),
            T::Float => self.literal(LiteralKind::Float),
            T::String => self.literal(LiteralKind::String),
            T::Interpolation => Expression::Interpolation(Box::new(self.interpolation())),
            T::LeftParenthesis => self.parenthesised(),
            kind if kind.is_keyword() => Expression::Identifier(Box::new(self.key_identifier())),
            _ => {
                self.comments.open();
                let (start, space) = (self.token.start, self.token.space);
                self.error_expected("a value");
                self.synchronise();
                let bad = self.bad(start, space);
                self.close_on(&bad);
                bad
            }
        }
    }

    fn literal(&mut self, kind: LiteralKind) -> Expression {
        self.comments.open();
        let (span, space) = (self.span(self.token.start, self.token.end), self.token.space);
        let text = self.token.text.clone().into_owned();
        self.next();
        let literal = Literal { span, space, kind, text, comments: self.comments.close_new() };
        self.check_literal(&literal);
        Expression::Literal(Box::new(literal))
    }

    /// What the lexer lets pass, but no literal may be.
    fn check_literal(&mut self, literal: &Literal) {
        use super::super::literal;
        let error = match literal.kind {
            LiteralKind::String => literal::string(&literal.text).err(),
            LiteralKind::Integer | LiteralKind::Float => literal::number(&literal.text).err(),
            _ => None,
        };
        // A number that only has no value can be laid out; what is evaluated refuses it.
        let error = error.filter(|error| !matches!(error, literal::LiteralError::Fraction(_)));
        if let Some(error) = error {
            self.error(literal.span.start, literal.span.end, error.to_string());
        }
    }

    fn parenthesised(&mut self) -> Expression {
        self.comments.open();
        let open = self.place();
        self.next();
        self.comments.open_list();
        let inner = self.right_side();
        self.comments.close_list();
        let close = self.place();
        self.expect(T::RightParenthesis);
        let span = self.span_from(open.offset);
        let comments = self.comments.close_new();
        Expression::Parenthesised(Box::new(Parenthesised { span, open, inner, close, comments }))
    }

    fn interpolation(&mut self) -> Interpolation {
        self.comments.open();
        self.comments.open_list();
        self.comments.open();
        let start = self.token.start;
        let mut pieces = Vec::new();
        let mut expressions = Vec::new();
        let mut more = true;
        let mut piece = self.piece();
        while more && !self.gave_up {
            // The parenthesis counts as a token of the piece.
            self.comments.set_position(1);
            self.comments.token();
            self.comments.close(&piece.comments);
            pieces.push(piece);
            expressions.push(self.right_side());
            self.comments.open();
            if self.token.is_line_break() {
                self.next();
            }
            if !self.at(T::RightParenthesis) {
                self.error_expected("')' at the end of the interpolation");
            }
            self.peeked = None;
            let space = self.token.space;
            self.token = Token { space, ..self.lexer.resume_interpolation() };
            more = self.at(T::Interpolation);
            piece = self.piece();
        }
        self.comments.close(&piece.comments);
        pieces.push(piece);
        if pieces.len() == expressions.len() {
            let comments = self.comments.reserve();
            let span = self.span(self.last_end, self.last_end);
            pieces.push(Literal { span, space: Space::None, kind: LiteralKind::String, text: ")\"".into(), comments });
        }
        self.comments.close_list();
        let span = self.span_from(start);
        let interpolation = Interpolation { span, pieces, expressions, comments: self.comments.close_new() };
        if let Err(error) = super::super::literal::interpolation(&interpolation) {
            self.error(start, span.end, error.to_string());
        }
        interpolation
    }

    /// The piece of an interpolation that is the current token.
    fn piece(&mut self) -> Literal {
        let (span, space) = (self.span(self.token.start, self.token.end), self.token.space);
        let text = self.token.text.clone().into_owned();
        self.next();
        Literal { span, space, kind: LiteralKind::String, text, comments: self.comments.reserve() }
    }

    fn optional(&mut self, operand: Expression) -> Expression {
        if !self.at(T::Option) {
            return operand;
        }
        let place = self.place();
        self.next();
        let span = self.span_from(operand.span().start);
        let comments = self.comments.reserve();
        let operator = PostfixOperator::Optional;
        Expression::Postfix(Box::new(Postfix { span, operand, place, operator, comments }))
    }

    fn primary_tail(&mut self, mut operand: Expression) -> Expression {
        let mut length = 0;
        loop {
            let next = self.token.kind;
            let goes_on = matches!(next, T::Period | T::LeftBracket | T::LeftParenthesis | T::Ellipsis);
            if !goes_on || !self.link(&mut length) {
                return operand;
            }
            operand = match next {
                T::Period => self.selector(operand),
                T::LeftBracket => self.index_or_slice(operand),
                T::LeftParenthesis => self.call(operand),
                _ => self.open_operator(operand),
            };
        }
    }

    fn selector(&mut self, operand: Expression) -> Expression {
        let period = self.place();
        self.comments.open();
        self.comments.set_position(1);
        self.next();
        let simple_string = self.token.text.starts_with('"') && !self.token.text.starts_with("\"\"");
        let name = match self.token.kind {
            T::Identifier => SelectorName::Identifier(self.key_identifier()),
            T::String if simple_string => {
                let (span, space) = (self.span(self.token.start, self.token.end), self.token.space);
                let text = self.token.text.clone().into_owned();
                self.next();
                let comments = self.comments.reserve();
                SelectorName::String(Literal { span, space, kind: LiteralKind::String, text, comments })
            }
            kind if kind.is_keyword() => SelectorName::Identifier(self.key_identifier()),
            _ => {
                self.error_expected("a field name behind '.'");
                let span = self.span(self.token.start, self.token.start);
                let space = self.token.space;
                self.next();
                let comments = self.comments.reserve();
                SelectorName::Identifier(Identifier { span, space, name: "_".to_owned(), comments })
            }
        };
        let span = self.span_from(operand.span().start);
        let comments = self.comments.reserve();
        let selector = Selector { span, operand, period, name, comments };
        let selector = self.optional(Expression::Selector(Box::new(selector)));
        self.close_on(&selector);
        selector
    }

    fn index_or_slice(&mut self, operand: Expression) -> Expression {
        self.comments.open();
        self.comments.set_position(1);
        let open = self.place();
        self.next();
        let low = (!self.at(T::Colon)).then(|| self.right_side());
        let slice = self.at(T::Colon);
        let mut high = None;
        if slice {
            self.next();
            if !matches!(self.token.kind, T::Colon | T::RightBracket | T::EndOfFile) {
                high = Some(self.right_side());
            }
        } else if self.at(T::Comma) {
            self.next();
        }
        let close = self.place();
        self.expect(T::RightBracket);
        let span = self.span_from(operand.span().start);
        let comments = self.comments.reserve();
        let expression = match low {
            Some(index) if !slice => {
                let index = Index { span, operand, open, index, close, comments };
                self.optional(Expression::Index(Box::new(index)))
            }
            low => Expression::Slice(Box::new(Slice { span, operand, open, low, high, close, comments })),
        };
        self.close_on(&expression);
        expression
    }

    fn call(&mut self, function: Expression) -> Expression {
        self.comments.open();
        self.comments.open_list();
        let open = self.place();
        self.next();
        let mut arguments = Vec::new();
        while !matches!(self.token.kind, T::RightParenthesis | T::EndOfFile) {
            arguments.push(self.right_side());
            if !self.at_comma("the arguments of a call", &[T::RightParenthesis]) {
                break;
            }
            self.skip_comma();
        }
        let close = self.expect_closing(T::RightParenthesis, "the arguments of a call");
        self.comments.close_list();
        let span = self.span_from(function.span().start);
        let comments = self.comments.close_new();
        Expression::Call(Box::new(Call { span, function, open, arguments, close, comments }))
    }

    fn open_operator(&mut self, operand: Expression) -> Expression {
        let place = self.place();
        if !self.experiments.explicit_open {
            let (start, end) = (self.token.start, self.token.end);
            let help = "write @experiment(explicitopen) at the head of the file";
            self.error_with_help(start, end, "'...' behind a value needs an experiment", help);
        }
        self.comments.open();
        self.next();
        let span = self.span_from(operand.span().start);
        let comments = self.comments.close_new();
        let operator = PostfixOperator::Open;
        Expression::Postfix(Box::new(Postfix { span, operand, place, operator, comments }))
    }

    fn list(&mut self) -> List {
        let open = self.place();
        self.next();
        let mut elements = Vec::new();
        let mut commas = Vec::new();
        self.comments.open_list();
        while !matches!(self.token.kind, T::RightBracket | T::Ellipsis | T::EndOfFile) {
            commas.push(self.token.after_comma);
            let (element, more) = self.list_element();
            elements.push(element);
            if !more {
                break;
            }
        }
        self.comments.close_list();
        if self.at(T::Ellipsis) {
            commas.push(self.token.after_comma);
            elements.push(self.list_ellipsis());
            if self.at_comma("list literal", &[T::RightBracket]) {
                self.skip_comma();
            }
        }
        let trailing_comma = self.token.after_comma;
        let close = self.expect_closing(T::RightBracket, "list literal");
        let without_commas = match commas.as_slice() {
            [] => false,
            [_] => !trailing_comma,
            [_, rest @ ..] => rest.iter().any(|comma| !comma),
        };
        let span = self.span_from(open.offset);
        List { span, open, elements, without_commas, close, comments: self.comments.reserve() }
    }

    fn list_ellipsis(&mut self) -> Expression {
        let (start, space) = (self.token.start, self.token.space);
        self.next();
        let value = (!matches!(self.token.kind, T::Comma | T::RightBracket)).then(|| self.right_side());
        let span = self.span_from(start);
        Expression::Ellipsis(Box::new(Ellipsis { span, space, value, comments: self.comments.reserve() }))
    }

    fn list_element(&mut self) -> (Expression, bool) {
        self.comments.open();
        let (start, space) = (self.token.start, self.token.space);
        let first = match self.token.kind {
            T::For | T::If | T::Try => match self.comprehension_or_name() {
                Ok(comprehension) => {
                    let comprehension = Expression::Comprehension(Box::new(comprehension));
                    if self.at_comma("list literal", &[T::RightBracket]) {
                        self.skip_comma();
                    }
                    self.close_on(&comprehension);
                    return (comprehension, true);
                }
                Err(name) => Expression::Identifier(Box::new(name)),
            },
            _ => self.unary(),
        };
        let expression = self.binary_tail(1, first);
        let expression = self.value_alias(expression);
        let more = self.list_comma();
        if more {
            self.skip_comma();
        }
        let expression = match expression {
            Some(expression) => expression,
            None => self.bad(start, space),
        };
        self.close_on(&expression);
        (expression, more)
    }

    fn list_comma(&mut self) -> bool {
        use super::super::experiments::LanguageVersion;
        if self.options.version < LanguageVersion::new(0, 17, 0) && self.token.is_line_break() {
            self.next();
            if matches!(self.token.kind, T::RightBracket | T::For | T::If) {
                return false;
            }
            let at = self.token.start;
            self.error(at, at, "missing ',' before the line break in list literal");
            return true;
        }
        self.at_comma("list literal", &[T::RightBracket, T::For, T::If])
    }

    /// `X=x` where the expression is a name and `=` follows.
    fn value_alias(&mut self, expression: Expression) -> Option<Expression> {
        if !self.at(T::Bind) {
            return Some(expression);
        }
        let (equals, value) = self.alias_value()?;
        match expression {
            Expression::Identifier(name) => {
                self.check_declared(&name);
                let span = self.span_from(name.span.start);
                let comments = self.comments.reserve();
                Some(Expression::Alias(Box::new(Alias { span, name: *name, equals, value, comments })))
            }
            other => {
                let span = other.span();
                self.error(span.start, span.end, "only a name can stand in front of '='");
                Some(value)
            }
        }
    }

    /// `=x` of an alias; `None` for the place where such aliases are switched off.
    pub(super) fn alias_value(&mut self) -> Option<(Place, Expression)> {
        let equals = self.place();
        let off = self.experiments.postfix_alias;
        if off {
            let (start, end) = (self.token.start, self.token.end);
            let help = "write the alias behind the label: label~X or label~(K,V)";
            self.error_with_help(start, end, "'X=' aliases are not allowed with @experiment(aliasv2)", help);
        }
        self.next();
        let value = self.right_side();
        (!off).then_some((equals, value))
    }
}
