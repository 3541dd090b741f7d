//! Visits the comments of every node of a tree.

use super::ast::*;

/// What is done with the comments of a node.
type Visit<'v> = &'v mut dyn FnMut(&mut Comments);

impl Declaration {
    /// Visits the comments of this declaration and of everything in it.
    pub(super) fn visit_comments(&mut self, visit: Visit<'_>) {
        match self {
            Self::Package(node) => {
                visit(&mut node.comments);
                visit(&mut node.name.comments);
            }
            Self::Import(node) => {
                visit(&mut node.comments);
                for spec in &mut node.specs {
                    visit(&mut spec.comments);
                    visit(&mut spec.path.comments);
                    spec.name.iter_mut().for_each(|name| visit(&mut name.comments));
                }
            }
            Self::Attribute(node) => visit(&mut node.comments),
            Self::Field(node) => node.visit_comments(visit),
            Self::Let(node) => node.visit_comments(visit),
            Self::Embedding(node) => {
                visit(&mut node.comments);
                node.value.visit_comments(visit);
            }
            Self::Comprehension(node) => node.visit_comments(visit),
            Self::Ellipsis(node) => node.visit_comments(visit),
            Self::Comments(_) => {}
            Self::Bad(node) => visit(&mut node.comments),
        }
    }
}

impl Field {
    fn visit_comments(&mut self, visit: Visit<'_>) {
        visit(&mut self.comments);
        self.label.visit_comments(visit);
        if let Some(alias) = &mut self.alias {
            visit(&mut alias.comments);
            alias.label.iter_mut().for_each(|label| visit(&mut label.comments));
            visit(&mut alias.field.comments);
        }
        self.value.visit_comments(visit);
        self.attributes.iter_mut().for_each(|attribute| visit(&mut attribute.comments));
    }
}

impl Label {
    fn visit_comments(&mut self, visit: Visit<'_>) {
        match self {
            Self::Identifier(node) => visit(&mut node.comments),
            Self::Literal(node) => visit(&mut node.comments),
            Self::Interpolation(node) => node.visit_comments(visit),
            Self::Parenthesised(node) => {
                visit(&mut node.comments);
                node.inner.visit_comments(visit);
            }
            Self::Pattern(node) => node.visit_comments(visit),
            Self::Alias(node) => {
                visit(&mut node.comments);
                visit(&mut node.name.comments);
                node.label.visit_comments(visit);
            }
        }
    }
}

impl Let {
    fn visit_comments(&mut self, visit: Visit<'_>) {
        visit(&mut self.comments);
        visit(&mut self.name.comments);
        self.value.visit_comments(visit);
    }
}

impl Ellipsis {
    fn visit_comments(&mut self, visit: Visit<'_>) {
        visit(&mut self.comments);
        self.value.iter_mut().for_each(|value| value.visit_comments(visit));
    }
}

impl Interpolation {
    fn visit_comments(&mut self, visit: Visit<'_>) {
        visit(&mut self.comments);
        self.pieces.iter_mut().for_each(|piece| visit(&mut piece.comments));
        self.expressions.iter_mut().for_each(|expression| expression.visit_comments(visit));
    }
}

impl List {
    fn visit_comments(&mut self, visit: Visit<'_>) {
        visit(&mut self.comments);
        self.elements.iter_mut().for_each(|element| element.visit_comments(visit));
    }
}

impl Struct {
    fn visit_comments(&mut self, visit: Visit<'_>) {
        visit(&mut self.comments);
        self.declarations.iter_mut().for_each(|declaration| declaration.visit_comments(visit));
    }
}

impl Comprehension {
    fn visit_comments(&mut self, visit: Visit<'_>) {
        visit(&mut self.comments);
        self.clauses.iter_mut().for_each(|clause| clause.visit_comments(visit));
        self.value.visit_comments(visit);
        if let Some(fallback) = &mut self.fallback {
            visit(&mut fallback.comments);
            fallback.body.visit_comments(visit);
        }
    }
}

impl Clause {
    fn visit_comments(&mut self, visit: Visit<'_>) {
        match self {
            Self::For(node) => {
                visit(&mut node.comments);
                node.key.iter_mut().for_each(|key| visit(&mut key.comments));
                visit(&mut node.value.comments);
                node.source.visit_comments(visit);
            }
            Self::If(node) => {
                visit(&mut node.comments);
                node.condition.visit_comments(visit);
            }
            Self::Let(node) => node.visit_comments(visit),
            Self::Try(node) => {
                visit(&mut node.comments);
                if let Some(binding) = &mut node.binding {
                    visit(&mut binding.name.comments);
                    binding.value.visit_comments(visit);
                }
            }
        }
    }
}

impl Expression {
    /// Visits the comments of this expression and of everything in it.
    pub(super) fn visit_comments(&mut self, visit: Visit<'_>) {
        // Chains lean to the left, so the left side is walked in a loop.
        let mut current = self;
        while let Some(left) = current.visit_own_comments(visit) {
            current = left;
        }
    }

    /// Visits everything but the leftmost operand, which it answers.
    fn visit_own_comments(&mut self, visit: Visit<'_>) -> Option<&mut Expression> {
        match self {
            Self::Bottom(node) => visit(&mut node.comments),
            Self::Identifier(node) => visit(&mut node.comments),
            Self::Literal(node) => visit(&mut node.comments),
            Self::Interpolation(node) => node.visit_comments(visit),
            Self::Struct(node) => node.visit_comments(visit),
            Self::List(node) => node.visit_comments(visit),
            Self::Ellipsis(node) => node.visit_comments(visit),
            Self::Comprehension(node) => node.visit_comments(visit),
            Self::Alias(node) => {
                visit(&mut node.comments);
                visit(&mut node.name.comments);
                node.value.visit_comments(visit);
            }
            Self::Parenthesised(node) => {
                visit(&mut node.comments);
                node.inner.visit_comments(visit);
            }
            Self::Selector(node) => {
                visit(&mut node.comments);
                match &mut node.name {
                    SelectorName::Identifier(name) => visit(&mut name.comments),
                    SelectorName::String(name) => visit(&mut name.comments),
                }
                return Some(&mut node.operand);
            }
            Self::Index(node) => {
                visit(&mut node.comments);
                node.index.visit_comments(visit);
                return Some(&mut node.operand);
            }
            Self::Slice(node) => {
                visit(&mut node.comments);
                node.low.iter_mut().for_each(|low| low.visit_comments(visit));
                node.high.iter_mut().for_each(|high| high.visit_comments(visit));
                return Some(&mut node.operand);
            }
            Self::Call(node) => {
                visit(&mut node.comments);
                node.arguments.iter_mut().for_each(|argument| argument.visit_comments(visit));
                return Some(&mut node.function);
            }
            Self::Unary(node) => {
                visit(&mut node.comments);
                node.operand.visit_comments(visit);
            }
            Self::Binary(node) => {
                visit(&mut node.comments);
                node.right.visit_comments(visit);
                return Some(&mut node.left);
            }
            Self::Postfix(node) => {
                visit(&mut node.comments);
                return Some(&mut node.operand);
            }
            Self::Bad(node) => visit(&mut node.comments),
        }
        None
    }
}
