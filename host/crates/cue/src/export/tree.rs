//! A value after evaluation, as plain data: what exports print and tests compare.
//!
//! Kept true here: a tree refers to nothing outside of itself but source positions; everything that can be seen of a
//! value is in it: kinds, constraints, defaults, closedness, fields of every class, errors with code and places.

use std::sync::Arc;

use pravo_diag::Span;

use crate::{Kinds, Value};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// What it is.
    pub content: Content,
    /// Fields: of a struct, or of the braces around an embedded scalar or list (then none of them is regular).
    pub fields: Vec<Field>,
    /// `[label]: value`
    pub patterns: Vec<Pattern>,
    /// Whether more fields may be added.
    pub openness: Openness,
    /// Where its declarations stand, in the order of the sources.
    pub spans: Vec<Span>,
    /// How it is written, where that is told: a literal that is an element of a list.
    pub written: Option<Arc<str>>,
}

/// Whether fields may be added that no declaration allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Openness {
    /// An ordinary struct.
    #[default]
    Open,
    /// `...` says so.
    Ellipsis,
    /// By a definition or `close`.
    Closed,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// `null`, a bool, number, string or bytes.
    Scalar(Value),
    /// A struct.
    Struct,
    /// A list: its elements, and what may follow them.
    List {
        /// The elements.
        elements: Vec<Tree>,
        /// The constraint of further elements of an open list.
        rest: Option<Box<Tree>>,
    },
    /// Any value of some kinds: `int`, `_`, `(int | string)`.
    Kinds(Kinds),
    /// Constraints that hold together, and the kinds that are left: `>0 & <10`.
    Constraints {
        /// The kinds.
        kinds: Kinds,
        /// The constraints; at least one.
        constraints: Vec<Constraint>,
    },
    /// A disjunction that is not decided, its defaults first.
    Disjunction {
        /// The branches.
        branches: Vec<Tree>,
        /// How many of them are defaults.
        defaults: usize,
    },
    /// An error, or something that is not known yet.
    Bottom(Problem),
}

/// A constraint.
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint {
    /// `<x`, `!=x`, `=~x` and others.
    Bound {
        /// The operator.
        operator: crate::syntax::ast::UnaryOperator,
        /// `x`
        operand: Box<Tree>,
    },
    /// `strings.MinRunes(3)`: a call that takes the value as a further, first argument; as CUE text.
    Validator(Arc<str>),
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The label without quotation marks: `a-b`, `#D`, `_h`.
    pub name: Arc<str>,
    /// Its class.
    pub class: Class,
    /// Whether it is hidden in another package.
    pub foreign: bool,
    /// `?` or `!`, where it is not a field that is there.
    pub constraint: Option<crate::syntax::ast::Constraint>,
    /// The value.
    pub value: Tree,
    /// `//` comments above its declarations.
    pub docs: Vec<Arc<str>>,
    /// Its attributes as written, `@x(y)`.
    pub attributes: Vec<Arc<str>>,
}

/// What kind of label a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// `a`
    Regular,
    /// `_h`
    Hidden,
    /// `#D`
    Definition,
    /// `_#D`
    HiddenDefinition,
}

impl Class {
    /// The class of a label that is written without quotation marks.
    pub fn of(name: &str) -> Self {
        if name.starts_with("_#") {
            Self::HiddenDefinition
        } else if name.starts_with('#') {
            Self::Definition
        } else if name.starts_with('_') {
            Self::Hidden
        } else {
            Self::Regular
        }
    }
}

/// `[label]: value`
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// What labels it is about.
    pub label: Tree,
    /// The value.
    pub value: Tree,
}

/// The code of an error; only this steers evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// An error for good.
    Eval,
    /// An error for good, in the program's own words (`error("…")`).
    User,
    /// A structure that contains itself.
    StructuralCycle,
    /// More information could resolve it.
    Incomplete,
    /// References that go round.
    Cycle,
}

impl Code {
    /// Whether more information could resolve it.
    pub fn is_incomplete(self) -> bool {
        matches!(self, Self::Incomplete | Self::Cycle)
    }

    /// The name in tests and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Eval => "eval",
            Self::User => "user",
            Self::StructuralCycle => "structural_cycle",
            Self::Incomplete => "incomplete",
            Self::Cycle => "cycle",
        }
    }
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The code.
    pub code: Code,
    /// What happened, without path and places.
    pub message: String,
    /// The path that the error is about: `a.b[0]`.
    pub path: String,
    /// All places that contributed; the first is the primary one.
    pub spans: Vec<Span>,
    /// Where it is incomplete: the expression that is left, as CUE text.
    pub source: Option<String>,
    /// Errors that it is made of.
    pub causes: Vec<Problem>,
    /// Where it is incomplete: whether the value is a struct so far, whose fields are those of the tree.
    pub is_struct: bool,
}

impl Tree {
    /// A value without fields.
    pub fn of(content: Content) -> Self {
        Self { content, fields: Vec::new(), patterns: Vec::new(), openness: Openness::Open, spans: Vec::new(), written: None }
    }

    /// The default of a disjunction that has exactly one; otherwise the value itself.
    pub fn decided(&self) -> &Tree {
        let mut tree = self;
        while let Content::Disjunction { branches, defaults: 1 } = &tree.content {
            match branches.first() {
                Some(branch) => tree = branch,
                None => break,
            }
        }
        tree
    }

    /// The field with a label, if it is there or constrained.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| &*field.name == name)
    }

    /// The error that it is, if it is one.
    pub fn problem(&self) -> Option<&Problem> {
        match &self.content {
            Content::Bottom(problem) => Some(problem),
            _ => None,
        }
    }

    /// The kinds that it may have; of a disjunction, of all its branches.
    pub fn kinds(&self) -> Kinds {
        match &self.content {
            Content::Scalar(value) => value.kinds(),
            Content::Struct => Kinds::STRUCT,
            Content::List { .. } => Kinds::LIST,
            Content::Kinds(kinds) | Content::Constraints { kinds, .. } => *kinds,
            Content::Disjunction { branches, .. } => branches.iter().fold(Kinds::NONE, |kinds, branch| kinds | branch.kinds()),
            Content::Bottom(_) => Kinds::NONE,
        }
    }
}
