//! The program: what evaluation reads. Lowered once from the syntax trees, immutable.
//!
//! Kept true here: every name is resolved to a number of frames up and a label; nothing refers to the syntax tree;
//! positions are in tables of their own. One frame is pushed by: the struct of a file, a struct literal, a clause
//! `for`, `let` or `try x =` of a comprehension, and a field, pattern or element whose alias is used.

mod lower;
mod mentions;
mod names;
mod package;

use std::sync::Arc;

use pravo_diag::Span;

pub(crate) use names::nearest;
pub use package::{LoadedPackage, Loader, Program, build};

use crate::intern::{Interner, Label, Text};
use crate::{Kinds, Number};

/// Number of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// A range of [`Code::operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operands {
    /// The first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// Operators of two operands that give a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `=~`
    Match,
    /// `!~`
    NotMatch,
}

impl Operator {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::And => "&&",
            Self::Or => "||",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Match => "=~",
            Self::NotMatch => "!~",
        }
    }
}

/// The functions of the language itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Core {
    /// `len`
    Len,
    /// `close`
    Close,
    /// `__closeAll`
    CloseAll,
    /// `and`
    And,
    /// `or`
    Or,
    /// `div`
    Div,
    /// `mod`
    Mod,
    /// `quo`
    Quo,
    /// `rem`
    Rem,
    /// `error`
    Error,
    /// `matchN`
    MatchN,
    /// `matchIf`
    MatchIf,
}

/// An expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expr {
    /// `_|_`
    Bottom,
    /// Refused when it was lowered; there is a diagnostic.
    Bad,
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A small integer.
    Int(i64),
    /// Any other number, in [`Code::numbers`].
    Number(u32),
    /// A text.
    Text(Text),
    /// Bytes, in [`Code::bytes`].
    Bytes(u32),
    /// `string`, `_`, …
    Kind(Kinds),
    /// A field of the frame's node.
    Field {
        /// How many frames up.
        up: u32,
        /// Which.
        label: Label,
    },
    /// The node of a frame.
    This {
        /// How many frames up.
        up: u32,
    },
    /// The label of a frame: `[X=string]`, `for k, v`, `~(K,V)`.
    FrameLabel {
        /// How many frames up.
        up: u32,
    },
    /// The value of a `let` declared in a frame's struct.
    Let {
        /// How many frames up.
        up: u32,
        /// Which.
        id: u32,
    },
    /// The root of an imported package, in [`Code::imports`].
    Import(u32),
    /// `x.label`
    Select {
        /// `x`
        base: ExprId,
        /// Which field.
        label: Label,
    },
    /// `x[y]`
    Index {
        /// `x`
        base: ExprId,
        /// `y`
        index: ExprId,
    },
    /// `x[low:high]`: operands x, low, high; a missing one is [`Expr::Bad`].
    Slice(Operands),
    /// `"a\(x)"`: texts and expressions in turns.
    Interpolation {
        /// The pieces.
        pieces: Operands,
        /// Whether it gives bytes.
        bytes: bool,
    },
    /// `!x`
    Not(ExprId),
    /// `-x`
    Negate(ExprId),
    /// `+x`
    Plus(ExprId),
    /// `x op y`
    Binary {
        /// The operator.
        operator: Operator,
        /// `x`
        left: ExprId,
        /// `y`
        right: ExprId,
    },
    /// `>x`, `!=x`, `=~x`, …
    Bound {
        /// The operator.
        operator: Operator,
        /// `x`
        operand: ExprId,
    },
    /// `x & y & …`
    Unify(Operands),
    /// `x | *y | …`: bit 31 of an operand marks a default.
    Disjunction(Operands),
    /// `f(x, …)`: the first operand is f.
    Call(Operands),
    /// A function of the language.
    Core(Core),
    /// A function of a standard package, in [`Code::functions`].
    Function(u32),
    /// `{…}`
    Struct(u32),
    /// `[…]`
    List(u32),
    /// `x...`
    Open(ExprId),
    /// `x?`
    Try(ExprId),
}

impl Expr {
    /// Whether it says by itself what it is.
    pub fn is_literal(self) -> bool {
        matches!(
            self,
            Self::Null
                | Self::Bool(_)
                | Self::Int(_)
                | Self::Number(_)
                | Self::Text(_)
                | Self::Bytes(_)
                | Self::Kind(_)
                | Self::Struct(_)
                | Self::List(_)
        )
    }
}

/// The expression `*null | _`, of every program.
pub(crate) const NULL_BY_DEFAULT: ExprId = ExprId(3);

/// The bit that marks a default among the operands of a disjunction.
pub const DEFAULT: u32 = 1 << 31;

/// Whether a field is there, or only constrained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Presence {
    /// It is there.
    Member,
    /// `!`
    Required,
    /// `?`
    Optional,
}

/// The value of a field, pattern or element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// The value.
    pub value: ExprId,
    /// Whether a frame is pushed for the field itself (its alias is used).
    pub framed: bool,
}

/// A declaration in a struct.
#[derive(Clone, Debug, PartialEq)]
pub enum Declared {
    /// `label: value`
    Field(FieldDeclaration),
    /// `(label): value`
    Dynamic {
        /// The label.
        label: ExprId,
        /// `?`, `!`
        presence: Presence,
        /// The value.
        slot: Slot,
        /// Attributes.
        attributes: Option<Arc<[Text]>>,
    },
    /// `[pattern]: value`
    Pattern {
        /// The pattern.
        pattern: ExprId,
        /// The value.
        slot: Slot,
    },
    /// A value.
    Embedding(ExprId),
    /// A comprehension, in [`Code::comprehensions`].
    Comprehension(u32),
}

/// `label: value`
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDeclaration {
    /// The label.
    pub label: Label,
    /// `?`, `!`
    pub presence: Presence,
    /// The value.
    pub slot: Slot,
    /// The label's place.
    pub span: Span,
    /// Its attributes, `@name(body)` each.
    pub attributes: Option<Arc<[Text]>>,
}

/// A struct literal.
#[derive(Clone, Debug)]
pub struct StructLiteral {
    /// The declarations in order, `let` and `...` excluded.
    pub declarations: Vec<Declared>,
    /// Optional and required fields: label and index among the declarations, sorted.
    pub constraints: Vec<(Label, u32)>,
    /// Whether it has patterns.
    pub patterns: bool,
    /// Whether it has `...`.
    pub open: bool,
    /// The kind of `@host(kind)`.
    pub host: Option<Text>,
    /// Whether embeddings may decide its kind.
    pub embeds: bool,
    /// Whether it is the struct of a file, of which some in the package embed something.
    pub grouped: bool,
    /// Whether it is nothing but braces around one value; the struct of a file never is.
    pub braces: bool,
    /// Whether what it embeds must be opened to get more fields (the experiment `explicitopen`).
    pub explicit_open: bool,
    /// Whether it has a comprehension or a dynamic field.
    pub deferred: bool,
    /// Attributes of the struct itself.
    pub attributes: Option<Arc<[Text]>>,
    /// Its place.
    pub span: Span,
}

/// A clause of a comprehension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoweredClause {
    /// `for k, v in x`; pushes a frame.
    For {
        /// `x`
        source: ExprId,
    },
    /// `if x`
    If(ExprId),
    /// `let v = x`; pushes a frame.
    Let(ExprId),
    /// `try`, with the body that has to succeed.
    Try(ExprId),
    /// `try v = x`; pushes a frame.
    TryLet(ExprId),
}

/// A comprehension.
#[derive(Clone, Debug)]
pub struct LoweredComprehension {
    /// The clauses.
    pub clauses: Vec<LoweredClause>,
    /// What it yields.
    pub value: ExprId,
    /// What it yields where the clauses yield nothing; evaluated in the frame around.
    pub fallback: Option<ExprId>,
    /// The labels that it may add; `None` where that is not known.
    pub labels: Option<Vec<Label>>,
    /// Its place.
    pub span: Span,
}

/// An element of a list literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Element {
    /// A value.
    Value(Slot),
    /// A comprehension.
    Comprehension(u32),
    /// `...` or `...x`
    Rest(Option<ExprId>),
}

/// A `let`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoweredLet {
    /// Its value.
    pub value: ExprId,
    /// Its name.
    pub name: Text,
}

/// What an import gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imported {
    /// A package of the program.
    Package(u32),
    /// Nothing: there is a diagnostic.
    Missing,
}

/// All tables of a program.
#[derive(Debug, Default)]
pub struct Code {
    /// Expressions.
    pub expressions: Vec<Expr>,
    /// The place of each expression.
    pub spans: Vec<Span>,
    /// Operands of expressions.
    pub operands: Vec<u32>,
    /// Numbers.
    pub numbers: Vec<Number>,
    /// Bytes.
    pub bytes: Vec<Arc<[u8]>>,
    /// Struct literals.
    pub structs: Vec<StructLiteral>,
    /// List literals.
    pub lists: Vec<Vec<Element>>,
    /// Comprehensions.
    pub comprehensions: Vec<LoweredComprehension>,
    /// Lets.
    pub lets: Vec<LoweredLet>,
    /// Imports.
    pub imports: Vec<Imported>,
    /// Functions of standard packages, with the path of the package.
    pub functions: Vec<(&'static str, crate::builtin::Function)>,
    /// Expressions that came from a file with the experiment `shortcircuit`, sorted.
    pub short_circuit: Vec<ExprId>,
    /// Texts.
    pub interner: Interner,
}

impl Code {
    /// An expression.
    pub fn expr(&self, id: ExprId) -> Expr {
        self.expressions.get(id.0 as usize).copied().unwrap_or(Expr::Bad)
    }

    /// The place of an expression.
    pub fn span(&self, id: ExprId) -> Span {
        self.spans.get(id.0 as usize).copied().unwrap_or(Span::new(pravo_diag::FileId(u32::MAX), 0, 0))
    }

    /// The operands of a range.
    pub fn operands(&self, range: Operands) -> &[u32] {
        self.operands.get(range.first as usize..(range.first + range.count) as usize).unwrap_or(&[])
    }

    /// One operand.
    pub fn operand(&self, range: Operands, index: u32) -> ExprId {
        ExprId(self.operands.get((range.first + index) as usize).map_or(0, |id| id & !DEFAULT))
    }

    /// Adds `*null | _`, right after expression 0.
    fn add_null_by_default(&mut self, span: Span) {
        let null = self.add(Expr::Null, span);
        let top = self.add(Expr::Kind(Kinds::TOP), span);
        let first = self.operands.len() as u32;
        self.operands.extend([null.0 | DEFAULT, top.0]);
        let added = self.add(Expr::Disjunction(Operands { first, count: 2 }), span);
        debug_assert_eq!(added, NULL_BY_DEFAULT, "no expression but one was added before");
    }

    fn add(&mut self, expr: Expr, span: Span) -> ExprId {
        self.expressions.push(expr);
        self.spans.push(span);
        ExprId(self.expressions.len() as u32 - 1)
    }

    fn range(&mut self, operands: &[u32]) -> Operands {
        let first = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        Operands { first, count: operands.len() as u32 }
    }

    fn number(&mut self, number: Number, span: Span) -> ExprId {
        if let Number::Int(value) = number {
            return self.add(Expr::Int(value), span);
        }
        self.numbers.push(number);
        let index = self.numbers.len() as u32 - 1;
        self.add(Expr::Number(index), span)
    }
}
