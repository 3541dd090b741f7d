//! Expressions and clauses.
//!
//! Blanks around `+ - * /` show precedence: where both kinds stand in one expression, the tighter ones lose their
//! blanks; deeper inside, all of them do. Looser operators always have blanks.

use super::declarations::{clause_space, label_space};
use super::printer::White;
use super::{Formatter, Last};
use crate::syntax::ast::*;

/// The precedence of operators in front of an operand.
const UNARY: u8 = 8;
/// The precedence of selectors, calls and indices.
const HIGHEST: u8 = 9;

pub(super) fn precedence(operator: BinaryOperator) -> u8 {
    use BinaryOperator as B;
    match operator {
        B::Disjunction => 1,
        B::Unification => 2,
        B::Or => 3,
        B::And => 4,
        B::Equal | B::NotEqual | B::Less | B::LessOrEqual | B::Greater | B::GreaterOrEqual | B::Match | B::NotMatch => 5,
        B::Add | B::Subtract => 6,
        B::Multiply | B::Divide => 7,
    }
}

/// How an operator between two operands is written.
pub(crate) fn binary_text(operator: BinaryOperator) -> &'static str {
    use BinaryOperator as B;
    match operator {
        B::Disjunction => "|",
        B::Unification => "&",
        B::Or => "||",
        B::And => "&&",
        B::Equal => "==",
        B::NotEqual => "!=",
        B::Less => "<",
        B::LessOrEqual => "<=",
        B::Greater => ">",
        B::GreaterOrEqual => ">=",
        B::Match => "=~",
        B::NotMatch => "!~",
        B::Add => "+",
        B::Subtract => "-",
        B::Multiply => "*",
        B::Divide => "/",
    }
}

/// How an operator in front of an operand is written.
pub(crate) fn unary_text(operator: UnaryOperator) -> &'static str {
    use UnaryOperator as U;
    match operator {
        U::Plus => "+",
        U::Minus => "-",
        U::Not => "!",
        U::Default => "*",
        U::Less => "<",
        U::LessOrEqual => "<=",
        U::Greater => ">",
        U::GreaterOrEqual => ">=",
        U::NotEqual => "!=",
        U::Equal => "==",
        U::Match => "=~",
        U::NotMatch => "!~",
    }
}

/// Which operators an expression has outside of parentheses, and how loose a clash of signs makes it.
#[derive(Default)]
struct Mix {
    sums: bool,
    products: bool,
    clash: u8,
}

impl Mix {
    fn of(node: &Binary, mix: &mut Mix) {
        let mut node = node;
        loop {
            let own = precedence(node.operator);
            mix.sums |= own == 6;
            mix.products |= own == 7;
            match &node.right {
                Expression::Binary(right) if precedence(right.operator) > own => Self::of(right, mix),
                Expression::Unary(right) => {
                    let clash = match (node.operator, right.operator) {
                        (BinaryOperator::Divide, UnaryOperator::Default) => 8,
                        (BinaryOperator::Add, UnaryOperator::Plus) => 6,
                        (BinaryOperator::Subtract, UnaryOperator::Minus) => 6,
                        _ => 0,
                    };
                    mix.clash = mix.clash.max(clash);
                }
                _ => {}
            }
            match &node.left {
                Expression::Binary(left) if precedence(left.operator) >= own => node = left,
                _ => return,
            }
        }
    }

    /// From which precedence on there are no blanks.
    fn cutoff(node: &Binary, depth: usize) -> u8 {
        let mut mix = Mix::default();
        Self::of(node, &mut mix);
        match (mix.clash, mix.sums && mix.products, depth) {
            (1.., _, _) => mix.clash + 1,
            (_, true, 1) => 7,
            (_, false, 1) => 8,
            _ => 6,
        }
    }
}

impl<'a> Formatter<'a> {
    /// The white space in front of the first token of an expression.
    pub(super) fn leading_space(&self, expression: &Expression) -> Space {
        let mut expression = expression;
        loop {
            expression = match expression {
                Expression::Bottom(node) => return node.space,
                Expression::Identifier(node) => return node.space,
                Expression::Literal(node) => return node.space,
                Expression::Interpolation(node) => return node.pieces.first().map_or(Space::Unset, |piece| piece.space),
                Expression::Struct(node) => match (node.open, node.declarations.first()) {
                    (Some(open), _) => return open.space,
                    (None, Some(Declaration::Field(field))) => return label_space(&field.label),
                    _ => return Space::Unset,
                },
                Expression::List(node) => return node.open.space,
                Expression::Ellipsis(node) => return node.space,
                Expression::Comprehension(node) => return clause_space(node.clauses.first()),
                Expression::Alias(node) => return node.name.space,
                Expression::Parenthesised(node) => return node.open.space,
                Expression::Selector(node) => &node.operand,
                Expression::Index(node) => &node.operand,
                Expression::Slice(node) => &node.operand,
                Expression::Call(node) => &node.function,
                Expression::Unary(node) => return node.place.space,
                Expression::Binary(node) => &node.left,
                Expression::Postfix(node) => &node.operand,
                Expression::Bad(node) => return node.space,
            };
        }
    }

    /// Whether an expression begins a line of the source.
    fn begins_line(&self, expression: &Expression) -> bool {
        self.printer.one_line == 0 && self.printer.known(self.leading_space(expression)) >= Space::Newline
    }

    pub(super) fn expression(&mut self, expression: &'a Expression) {
        self.inner(expression, 0, 1);
    }

    fn inner(&mut self, expression: &'a Expression, outer: u8, depth: usize) {
        match expression {
            Expression::Struct(node) => self.enter_struct(node),
            _ => self.enter(expression_comments(expression)),
        }
        self.raw(expression, outer, depth);
        self.leave();
    }

    pub(super) fn identifier(&mut self, name: &'a Identifier) {
        self.enter(&name.comments);
        self.identifier_text(name);
        self.leave();
    }

    pub(super) fn identifier_text(&mut self, name: &Identifier) {
        self.printer.space(name.space);
        self.printer.word(&name.name);
    }

    /// An expression whose comments are taken care of.
    fn raw(&mut self, expression: &'a Expression, outer: u8, depth: usize) {
        match expression {
            Expression::Bottom(node) => {
                self.printer.space(node.space);
                self.operator("_|_");
            }
            Expression::Bad(node) => {
                self.printer.space(node.space);
                let text = self.text.get(node.span.start as usize..node.span.end as usize).unwrap_or("_|_");
                self.word(text);
            }
            Expression::Identifier(node) => self.identifier_text(node),
            Expression::Literal(node) => {
                self.printer.space(node.space);
                self.printer.literal(node);
            }
            Expression::Interpolation(node) => self.interpolation(node, depth),
            Expression::Struct(node) => self.struct_(node),
            Expression::List(node) => self.list(node),
            Expression::Ellipsis(node) => self.ellipsis(node),
            Expression::Comprehension(node) => self.comprehension(node),
            Expression::Alias(node) => self.alias(node),
            Expression::Parenthesised(node) => self.parenthesised(node, depth),
            Expression::Selector(node) => {
                self.selector(node, depth);
            }
            Expression::Index(node) => {
                self.inner(&node.operand, HIGHEST, 1);
                self.printer.place(node.open);
                self.operator("[");
                self.inner(&node.index, 0, depth + 1);
                self.printer.place(node.close);
                self.operator("]");
            }
            Expression::Slice(node) => self.slice(node, depth),
            Expression::Call(node) => self.call(node, depth),
            Expression::Unary(node) => self.unary(node, expression, outer, depth),
            Expression::Binary(node) => self.binary(node, outer, depth),
            Expression::Postfix(node) => {
                self.inner(&node.operand, HIGHEST, depth);
                self.operator(if node.operator == PostfixOperator::Open { "..." } else { "?" });
            }
        }
    }

    fn alias(&mut self, node: &'a Alias) {
        self.label_name(&node.name);
        self.printer.place(node.equals);
        self.operator("=");
        self.expression(&node.value);
    }

    fn unary(&mut self, node: &'a Unary, expression: &'a Expression, outer: u8, depth: usize) {
        if UNARY < outer {
            self.operator("(");
            self.white(White::NoOverride);
            self.raw(expression, 0, depth);
            self.operator(")");
            return;
        }
        self.printer.place(node.place);
        self.operator(unary_text(node.operator));
        self.white(White::NoOverride);
        self.inner(&node.operand, UNARY, depth);
    }

    fn binary(&mut self, node: &'a Binary, outer: u8, depth: usize) {
        let own = precedence(node.operator);
        if own < outer {
            // The parser keeps parentheses; only a tree that was made comes here.
            self.operator("(");
            self.white(White::NoOverride);
            self.binary(node, 0, depth.saturating_sub(1).max(1));
            self.operator(")");
            return;
        }
        // The left side is walked in a loop, for it may be deep: first down to the leftmost operand, then back.
        let mut levels = vec![(node, Mix::cutoff(node, depth), depth)];
        let mut left = &node.left;
        let mut left_depth = depth + left_step(left, own);
        let mut left_outer = own;
        while let Expression::Binary(inner) = left {
            let inner_own = precedence(inner.operator);
            if inner_own < left_outer {
                break;
            }
            self.enter(&inner.comments);
            levels.push((inner, Mix::cutoff(inner, left_depth), left_depth));
            left = &inner.left;
            left_depth += left_step(left, inner_own);
            left_outer = inner_own;
        }
        self.inner(left, left_outer, left_depth);
        while let Some((level, cutoff, level_depth)) = levels.pop() {
            self.right_of(level, cutoff, level_depth);
            if !levels.is_empty() {
                self.leave();
            }
        }
    }

    /// The operator and the right side.
    fn right_of(&mut self, node: &'a Binary, cutoff: u8, depth: usize) {
        let own = precedence(node.operator);
        let blank = if own < cutoff { White::Blank } else { White::Nothing };
        self.white(White::NoOverride | blank);
        self.printer.place(node.place);
        self.operator(binary_text(node.operator));
        if self.begins_line(&node.right) {
            self.white(White::FormFeed);
        } else {
            self.white(White::NoOverride | blank);
        }
        self.inner(&node.right, own + 1, depth + 1);
    }

    pub(super) fn parenthesised(&mut self, node: &'a Parenthesised, depth: usize) {
        if matches!(node.inner, Expression::Parenthesised(_)) {
            self.inner(&node.inner, 0, depth);
            return;
        }
        self.printer.place(node.open);
        self.operator("(");
        self.inner(&node.inner, 0, depth.saturating_sub(1).max(1));
        self.printer.place(node.close);
        self.operator(")");
    }

    pub(super) fn interpolation(&mut self, node: &'a Interpolation, depth: usize) {
        let Some((first, rest)) = node.pieces.split_first() else {
            return;
        };
        self.enter_part();
        let last = rest.last().unwrap_or(first);
        let multi_line = crate::syntax::literal::multi_line_indent(&first.text, &last.text).is_some();
        self.piece(first);
        if !multi_line {
            self.printer.one_line += 1;
        }
        let mut previous = first;
        for (expression, piece) in node.expressions.iter().zip(rest) {
            let span = expression.span();
            let leading = !self.on_one_line(previous.span.end.saturating_sub(1), span.start + 1);
            let trailing = !self.on_one_line(span.end.saturating_sub(1), piece.span.start + 1);
            if multi_line && trailing && !leading {
                self.white(White::Newline | White::NoOverride);
            }
            self.inner(expression, 0, depth + 1);
            if multi_line && leading && !trailing {
                self.white(White::Newline | White::NoOverride);
            }
            self.piece(piece);
            previous = piece;
        }
        if !multi_line {
            self.printer.one_line -= 1;
        }
        self.leave();
    }

    fn piece(&mut self, piece: &'a Literal) {
        self.enter(&piece.comments);
        self.printer.space(piece.space);
        self.printer.literal(piece);
        self.leave();
    }

    /// Whether the name stands on a line of its own.
    fn selector(&mut self, node: &'a Selector, depth: usize) -> bool {
        self.inner(&node.operand, HIGHEST, depth);
        self.operator(".");
        let (comments, space) = match &node.name {
            SelectorName::Identifier(name) => (&name.comments, name.space),
            SelectorName::String(name) => (&name.comments, name.space),
        };
        let on_next_line = self.printer.one_line == 0 && self.printer.known(space) >= Space::Newline;
        self.white(if on_next_line { White::Indent | White::FormFeed } else { White::NoBlank });
        self.enter(comments);
        self.printer.space(space);
        match &node.name {
            SelectorName::Identifier(name) => self.printer.word(&name.name),
            SelectorName::String(name) => self.printer.literal(name),
        }
        self.leave();
        if on_next_line {
            self.white(White::Unindent);
        }
        on_next_line
    }

    fn slice(&mut self, node: &'a Slice, depth: usize) {
        self.inner(&node.operand, HIGHEST, 1);
        self.printer.place(node.open);
        self.operator("[");
        if let Some(low) = &node.low {
            self.inner(low, 0, depth + 1);
        }
        let binary = |side: &Option<Expression>| matches!(side, Some(Expression::Binary(_)));
        let both = node.low.is_some() && node.high.is_some();
        if depth <= 1 && both && (binary(&node.low) || binary(&node.high)) {
            self.white(White::Blank);
            self.operator(":");
            self.white(White::Blank);
        } else {
            self.operator(":");
        }
        if let Some(high) = &node.high {
            self.inner(high, 0, depth + 1);
        }
        self.printer.place(node.close);
        self.operator("]");
    }

    fn call(&mut self, node: &'a Call, depth: usize) {
        let depth = if node.arguments.len() > 1 { depth + 1 } else { depth };
        let indented = match &node.function {
            Expression::Selector(selector) => self.selector(selector, depth),
            function => {
                self.inner(function, HIGHEST, depth);
                false
            }
        };
        self.printer.place(node.open);
        self.operator("(");
        self.enter_part();
        for argument in &node.arguments {
            match argument {
                Expression::Struct(node) => self.enter_struct(node),
                _ => self.enter(expression_comments(argument)),
            }
            self.raw(argument, 0, depth);
            self.white(White::Comma | White::Blank);
            self.leave();
        }
        self.leave();
        self.white(White::TrailingComma | White::NoBlank);
        self.printer.place(node.close);
        self.operator(")");
        if indented {
            self.white(White::Unindent);
        }
    }

    pub(super) fn struct_(&mut self, node: &'a Struct) {
        let mut white = White::NoBlank;
        let mut form_feed = self.form_feed();
        let commented = node.comments.groups().iter().any(|group| group.position == 1);
        match node.declarations.first() {
            None if !commented => form_feed = White::Blank | White::NoOverride,
            None => {}
            Some(first) => {
                let made = node.close.is_none_or(|close| self.printer.known(close.space) == Space::Unset);
                if made || self.declaration_space(first) == Space::Unset {
                    white |= White::Newline | White::NoOverride;
                }
            }
        }
        node.open.into_iter().for_each(|place| self.printer.place(place));
        self.operator("{");
        let line = self.printer.line;
        self.white(white | form_feed | White::Indent);
        self.printer.brace_on_line = true;
        self.declarations(&node.declarations);
        self.white(White::Unindent);
        let mut white = White::NoBlank;
        if self.printer.line != line {
            white |= White::Newline;
            if !matches!(self.printer.last, Last::Operator("}" | "]")) {
                white |= White::NoOverride;
            }
        }
        self.white(white);
        node.close.into_iter().for_each(|place| self.printer.place(place));
        self.operator("}");
    }

    /// The white space in front of the first token of a declaration.
    fn declaration_space(&self, declaration: &Declaration) -> Space {
        match declaration {
            Declaration::Package(node) => node.space,
            Declaration::Import(node) => node.space,
            Declaration::Attribute(node) => node.space,
            Declaration::Field(node) => label_space(&node.label),
            Declaration::Let(node) => node.space,
            Declaration::Embedding(node) => self.leading_space(&node.value),
            Declaration::Comprehension(node) => clause_space(node.clauses.first()),
            Declaration::Ellipsis(node) => node.space,
            Declaration::Comments(node) => node.space,
            Declaration::Bad(node) => node.space,
        }
    }

    pub(super) fn list(&mut self, node: &'a List) {
        let mut white = White::NoBlank | White::Indent;
        let commented = node.comments.groups().iter().any(|group| group.position == 1);
        if node.elements.is_empty() && !commented {
            white |= White::Blank | White::NoOverride;
        }
        self.printer.place(node.open);
        self.operator("[");
        self.white(white);
        self.elements(node);
        self.white(White::TrailingComma | White::NoBlank);
        self.visit_comments(self.current.position);
        self.white(White::Unindent | White::NoBlank);
        self.printer.place(node.close);
        self.operator("]");
    }

    fn elements(&mut self, node: &'a List) {
        self.enter_part();
        for (at, element) in node.elements.iter().enumerate() {
            if at > 0 && node.without_commas {
                self.white(White::DeclarationComma);
            }
            match element {
                Expression::Struct(node) => self.enter_struct(node),
                _ => self.enter(expression_comments(element)),
            }
            // Comments behind the start of an element come behind its comma.
            let start = element.span().start;
            let behind = |group: &&CommentGroup| group.comments.first().is_some_and(|first| first.span.start > start);
            let groups = expression_comments(element).groups();
            let mut later: Vec<&'a CommentGroup> = groups.iter().filter(behind).collect();
            self.current.comments = &[];
            self.element(element);
            if let Expression::Ellipsis(ellipsis) = element
                && let Some(value) = ellipsis.value.as_ref().filter(|value| !is_top(value))
            {
                let start = value.span().start;
                let behind = |group: &&CommentGroup| group.comments.first().is_some_and(|first| first.span.start > start);
                later.extend(expression_comments(value).groups().iter().filter(behind));
            }
            if !node.without_commas {
                self.white(White::Comma | White::Blank);
            }
            for (at, group) in later.into_iter().enumerate() {
                if at > 0 {
                    self.white(White::Section);
                }
                self.printer.comments(group);
            }
            self.leave();
        }
        self.leave();
    }

    fn element(&mut self, element: &'a Expression) {
        match element {
            Expression::Ellipsis(node) => {
                self.printer.space(node.space);
                self.operator("...");
                if let Some(value) = node.value.as_ref().filter(|value| !is_top(value)) {
                    self.raw(value, 0, 1);
                }
            }
            Expression::Alias(node) => {
                self.identifier(&node.name);
                self.printer.place(node.equals);
                self.operator("=");
                self.expression(&node.value);
            }
            other => self.raw(other, 0, 1),
        }
    }

    pub(super) fn ellipsis(&mut self, node: &'a Ellipsis) {
        self.printer.space(node.space);
        self.operator("...");
        if let Some(value) = node.value.as_ref().filter(|value| !is_top(value)) {
            self.expression(value);
        }
    }

    pub(super) fn comprehension(&mut self, node: &'a Comprehension) {
        self.enter_part();
        for (at, clause) in node.clauses.iter().enumerate() {
            self.enter(match clause {
                Clause::For(node) => &node.comments,
                Clause::If(node) => &node.comments,
                Clause::Let(node) => &node.comments,
                Clause::Try(node) => &node.comments,
            });
            if at > 0 {
                self.white(White::Blank);
            }
            self.clause(clause);
            self.leave();
        }
        self.leave();
        self.white(White::Blank | White::NoOverride);
        self.expression(&node.value);
        if let Some(fallback) = &node.fallback {
            let single = matches!(node.clauses.as_slice(), [Clause::If(_) | Clause::Try(_)]);
            self.white(White::Blank);
            self.printer.space(fallback.space);
            self.keyword(if single { "else" } else { "otherwise" });
            self.white(White::Blank);
            self.enter_struct(&fallback.body);
            self.struct_(&fallback.body);
            self.leave();
        }
    }

    fn clause(&mut self, clause: &'a Clause) {
        match clause {
            Clause::For(node) => {
                self.printer.space(node.space);
                self.word("for");
                self.white(White::Blank | White::Indent);
                match &node.key {
                    Some(key) => {
                        self.label_name(key);
                        node.comma.into_iter().for_each(|place| self.printer.place(place));
                        self.operator(",");
                        self.white(White::Blank);
                    }
                    None => self.next_part(),
                }
                self.label_name(&node.value);
                self.white(White::Blank);
                self.printer.place(node.in_);
                self.word("in");
                self.white(White::Blank);
                self.expression(&node.source);
                self.printer.unindent();
            }
            Clause::If(node) => {
                self.printer.space(node.space);
                self.word("if");
                self.white(White::Blank | White::Indent);
                self.expression(&node.condition);
                self.printer.unindent();
            }
            Clause::Let(node) => {
                self.printer.space(node.space);
                self.keyword("let");
                self.white(White::Blank | White::NoOverride | White::Indent);
                self.identifier(&node.name);
                self.binding(node.equals, &node.value);
                self.printer.unindent();
            }
            Clause::Try(node) => {
                self.printer.space(node.space);
                self.keyword("try");
                if let Some(binding) = &node.binding {
                    self.white(White::Blank | White::NoOverride | White::Indent);
                    self.identifier(&binding.name);
                    self.binding(binding.equals, &binding.value);
                    self.printer.unindent();
                }
            }
        }
    }
}

/// How much deeper the left side of an operator is: an operand, but not a chain of the same precedence.
fn left_step(left: &Expression, own: u8) -> usize {
    match left {
        Expression::Binary(left) if precedence(left.operator) == own => 0,
        _ => 1,
    }
}

fn is_top(expression: &Expression) -> bool {
    matches!(expression, Expression::Identifier(name) if name.name == "_")
}

/// The comments of an expression's own node.
fn expression_comments(expression: &Expression) -> &Comments {
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
