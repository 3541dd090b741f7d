//! The syntax tree of a CUE file.
//!
//! Kept true here: every node has a [`Span`]; every comment of the text hangs on exactly one node; a chain of labels
//! `a: b: 1` is a field whose value is a [`Struct`] without braces; the depth of a tree is bounded by the parser
//! ([`super::MAXIMUM_DEPTH`] nested, [`super::MAXIMUM_CHAIN`] operators in a row), so that recursion over a tree
//! that the parser made is bounded too. Deliberately absent: resolution of references and any value; literals are
//! kept as they were written ([`super::literal`] decodes them).

use pravo_diag::Span;

use super::experiments::Experiments;

/// White space in front of a token, as the formatter sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// Not decided: the formatter uses its default.
    #[default]
    Unset,
    /// The token was not written, but follows from a line break (a comma).
    Elided,
    /// Nothing.
    None,
    /// Blanks on the same line.
    Blank,
    /// A line break.
    Newline,
    /// A blank line or more.
    Section,
}

/// Where a token stands that is no node of its own, and the white space in front of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// First byte.
    pub offset: u32,
    /// The white space in front.
    pub space: Space,
}

/// One comment, `//` included, without the line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where.
    pub span: Span,
    /// The text as written.
    pub text: String,
}

/// Comments with no other token and no blank line between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentGroup {
    /// Whether it stands right above its node.
    pub doc: bool,
    /// Whether it ends the line of a token.
    pub line: bool,
    /// Before which token of its node it stands: 0 is the first.
    pub position: i8,
    /// The white space in front.
    pub space: Space,
    /// The comments; at least one.
    pub comments: Vec<Comment>,
}

impl CommentGroup {
    /// The text without the markers, lines trimmed, runs of blank lines reduced to one; ends in a line break unless
    /// it is empty.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut blank = true;
        for comment in &self.comments {
            let body = comment.text.strip_prefix("//").unwrap_or(&comment.text);
            let body = body.strip_prefix(' ').unwrap_or(body).trim_end();
            if !(blank && body.is_empty()) {
                out.push_str(body);
                out.push('\n');
            }
            blank = body.is_empty();
        }
        if blank && !out.is_empty() {
            out.pop();
        }
        out
    }
}

/// The comments of a node, in the order of their positions.
#[derive(Clone, Debug, Default)]
pub struct Comments(Slot);

#[derive(Clone, Debug, Default)]
enum Slot {
    #[default]
    Empty,
    /// While a file is parsed: the number under which the parser keeps the comments.
    Pending(u32),
    Groups(Box<Vec<CommentGroup>>),
}

impl PartialEq for Comments {
    fn eq(&self, other: &Self) -> bool {
        self.groups() == other.groups()
    }
}

impl Comments {
    /// Comments that the parser will fill in.
    pub(super) fn pending(number: u32) -> Self {
        Self(Slot::Pending(number))
    }

    /// The number of comments that the parser has not filled in yet.
    pub(super) fn pending_number(&self) -> Option<u32> {
        match self.0 {
            Slot::Pending(number) => Some(number),
            _ => None,
        }
    }

    /// All groups.
    pub fn groups(&self) -> &[CommentGroup] {
        match &self.0 {
            Slot::Groups(groups) => groups,
            _ => &[],
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.groups().is_empty()
    }

    /// The groups that document the node: directly above it.
    pub fn doc(&self) -> impl Iterator<Item = &CommentGroup> {
        self.groups().iter().filter(|group| group.doc && group.position == 0)
    }

    /// Adds a group behind those of the same position.
    pub fn add(&mut self, group: CommentGroup) {
        let mut groups = self.take();
        insert_by_position(&mut groups, group);
        self.set(groups);
    }

    /// Replaces all groups.
    pub fn set(&mut self, groups: Vec<CommentGroup>) {
        self.0 = if groups.is_empty() { Slot::Empty } else { Slot::Groups(Box::new(groups)) };
    }

    /// Takes all groups away.
    pub fn take(&mut self) -> Vec<CommentGroup> {
        match std::mem::take(&mut self.0) {
            Slot::Groups(groups) => *groups,
            _ => Vec::new(),
        }
    }
}

/// Puts a group behind the last one whose position is not greater.
pub(super) fn insert_by_position(groups: &mut Vec<CommentGroup>, group: CommentGroup) {
    let at = groups.iter().rposition(|other| other.position <= group.position).map_or(0, |i| i + 1);
    groups.insert(at, group);
}

/// A file.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// The whole text.
    pub span: Span,
    /// Everything in it, in order: attributes, the package clause, imports, then the declarations of its struct.
    pub declarations: Vec<Declaration>,
    /// The language features of this file that are switched on beyond the default.
    pub experiments: Experiments,
    /// Comments that belong to no declaration.
    pub comments: Comments,
}

impl File {
    /// The package clause's name.
    pub fn package(&self) -> Option<&Identifier> {
        self.declarations.iter().find_map(|declaration| match declaration {
            Declaration::Package(package) => Some(&package.name),
            _ => None,
        })
    }

    /// Every imported package.
    pub fn imports(&self) -> impl Iterator<Item = &ImportSpec> {
        self.declarations
            .iter()
            .filter_map(|declaration| match declaration {
                Declaration::Import(import) => Some(&import.specs),
                _ => None,
            })
            .flatten()
    }

    /// The attributes in front of the package clause, such as `@if(prod)`.
    pub fn leading_attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.declarations.iter().map_while(|declaration| match declaration {
            Declaration::Attribute(attribute) => Some(attribute),
            _ => None,
        })
    }

    /// The declarations of the file's struct: neither package clause nor imports.
    pub fn body(&self) -> impl Iterator<Item = &Declaration> {
        self.declarations.iter().filter(|declaration| !matches!(declaration, Declaration::Package(_) | Declaration::Import(_)))
    }
}

/// `package name`
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// The clause.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// The name.
    pub name: Identifier,
    /// Comments.
    pub comments: Comments,
}

/// `import "path"` or `import (…)`
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The declaration.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// `(`
    pub open: Option<Place>,
    /// The packages.
    pub specs: Vec<ImportSpec>,
    /// `)`
    pub close: Option<Place>,
    /// Comments.
    pub comments: Comments,
}

/// One imported package: `name "path"`.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportSpec {
    /// Name and path.
    pub span: Span,
    /// The local name, if it is given.
    pub name: Option<Identifier>,
    /// The path, a string literal: `"example.com/a/b:name"`.
    pub path: Literal,
    /// Comments.
    pub comments: Comments,
}

/// What may stand in a struct or at the top of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Declaration {
    /// `package name`; at the top of a file only.
    Package(Box<Package>),
    /// `import …`; at the top of a file only.
    Import(Box<Import>),
    /// `@name(…)`, about the struct or file around it.
    Attribute(Attribute),
    /// `label: value`
    Field(Box<Field>),
    /// `let name = value`
    Let(Box<Let>),
    /// A value that is unified with the struct around it.
    Embedding(Box<Embedding>),
    /// `for`, `if`, `let`, `try` and a struct.
    Comprehension(Box<Comprehension>),
    /// `...`
    Ellipsis(Box<Ellipsis>),
    /// Comments that stand by themselves in a tree that was made, not parsed.
    Comments(Box<CommentGroup>),
    /// Something that could not be parsed; there is a diagnostic for it.
    Bad(Box<Bad>),
}

/// Something that could not be parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Bad {
    /// The text that was skipped.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// Comments.
    pub comments: Comments,
}

/// `@name(body)`
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// All of it.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// The text, from `@` to `)`.
    pub text: String,
    /// Comments.
    pub comments: Comments,
}

impl Attribute {
    /// The name between `@` and `(`.
    pub fn name(&self) -> &str {
        self.split().map_or("", |(name, _)| name)
    }

    /// What stands between the parentheses.
    pub fn body(&self) -> &str {
        self.split().map_or("", |(_, body)| body)
    }

    fn split(&self) -> Option<(&str, &str)> {
        self.text.strip_prefix('@')?.strip_suffix(')')?.split_once('(')
    }
}

/// Whether a field is there, or only constrained where it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    /// `?`
    Optional,
    /// `!`
    Required,
}

/// `label~alias?: value @attribute(…)`
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// From the label to the last attribute.
    pub span: Span,
    /// The label, with a prefix alias where there is one.
    pub label: Label,
    /// `~X` or `~(K,V)`, with the experiment `aliasv2`.
    pub alias: Option<Box<PostfixAlias>>,
    /// `?` or `!`
    pub constraint: Option<Constraint>,
    /// `:`
    pub colon: Place,
    /// The value; a [`Struct`] without braces in `a: b: 1`; an [`Expression::Alias`] in `a: X={…}`.
    pub value: Expression,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Comments; the documentation of the field is [`Comments::doc`].
    pub comments: Comments,
}

/// `~X` or `~(K,V)` behind a label.
#[derive(Clone, Debug, PartialEq)]
pub struct PostfixAlias {
    /// From `~` on.
    pub span: Span,
    /// `(`
    pub open: Option<Place>,
    /// `K`, the name of the label, in `~(K,V)`.
    pub label: Option<Identifier>,
    /// `X` or `V`, the field.
    pub field: Identifier,
    /// `)`
    pub close: Option<Place>,
    /// Comments.
    pub comments: Comments,
}

/// The left side of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Label {
    /// `name`, `#Name`, `_name`, `_#Name`, or a keyword such as `for`.
    Identifier(Identifier),
    /// `"any string"`, or one of `null`, `true`, `false`, which stand for their names.
    Literal(Literal),
    /// `"a\(x)"`
    Interpolation(Box<Interpolation>),
    /// `(x)`: the label is the value of x.
    Parenthesised(Box<Parenthesised>),
    /// `[x]` or `[X=x]`: a pattern. The list has exactly one element in a tree without diagnostics.
    Pattern(Box<List>),
    /// `X=label`
    Alias(Box<LabelAlias>),
}

/// `X=label`
#[derive(Clone, Debug, PartialEq)]
pub struct LabelAlias {
    /// Name and label.
    pub span: Span,
    /// The alias.
    pub name: Identifier,
    /// `=`
    pub equals: Place,
    /// The label, never an alias itself.
    pub label: Label,
    /// Comments.
    pub comments: Comments,
}

/// `let name = value`
#[derive(Clone, Debug, PartialEq)]
pub struct Let {
    /// All of it.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// The name.
    pub name: Identifier,
    /// `=`
    pub equals: Place,
    /// The value.
    pub value: Expression,
    /// Comments.
    pub comments: Comments,
}

/// A value that is unified with the struct around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// All of it.
    pub span: Span,
    /// The value.
    pub value: Expression,
    /// Comments.
    pub comments: Comments,
}

/// `for … if … let … { … } else { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Comprehension {
    /// All of it.
    pub span: Span,
    /// The clauses; at least one.
    pub clauses: Vec<Clause>,
    /// The struct that is yielded; an [`Expression::Struct`] in a tree without diagnostics.
    pub value: Expression,
    /// What is yielded where the clauses yield nothing; with the experiment `try`.
    pub fallback: Option<Box<Fallback>>,
    /// Comments.
    pub comments: Comments,
}

/// A clause of a comprehension.
#[derive(Clone, Debug, PartialEq)]
pub enum Clause {
    /// `for k, v in x`
    For(Box<For>),
    /// `if x`
    If(Box<If>),
    /// `let x = y`
    Let(Box<Let>),
    /// `try` or `try x = y`; with the experiment `try`.
    Try(Box<Try>),
}

/// `for k, v in x`
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// All of it.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// `k`
    pub key: Option<Identifier>,
    /// The comma between `k` and `v`.
    pub comma: Option<Place>,
    /// `v`
    pub value: Identifier,
    /// `in`
    pub in_: Place,
    /// `x`
    pub source: Expression,
    /// Comments.
    pub comments: Comments,
}

/// `if x`
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// All of it.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// `x`
    pub condition: Expression,
    /// Comments.
    pub comments: Comments,
}

/// `try` or `try x = y`
#[derive(Clone, Debug, PartialEq)]
pub struct Try {
    /// All of it.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// `x = y`
    pub binding: Option<TryBinding>,
    /// Comments.
    pub comments: Comments,
}

/// `x = y` of a `try` clause.
#[derive(Clone, Debug, PartialEq)]
pub struct TryBinding {
    /// `x`
    pub name: Identifier,
    /// `=`
    pub equals: Place,
    /// `y`
    pub value: Expression,
}

/// Which word introduced a [`Fallback`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FallbackKeyword {
    /// `else`, behind a single `if` or `try`.
    Else,
    /// `otherwise`, behind everything else.
    Otherwise,
    /// `fallback`, the older name of `otherwise`.
    Fallback,
}

/// `else { … }` or `otherwise { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Fallback {
    /// All of it.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// The word.
    pub keyword: FallbackKeyword,
    /// What is yielded.
    pub body: Struct,
    /// Comments.
    pub comments: Comments,
}

/// `...` or `...x`
#[derive(Clone, Debug, PartialEq)]
pub struct Ellipsis {
    /// All of it.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// `x`, in lists only.
    pub value: Option<Expression>,
    /// Comments.
    pub comments: Comments,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// `_|_`
    Bottom(Box<Bottom>),
    /// A name, `_`, or a keyword that stands as an operand.
    Identifier(Box<Identifier>),
    /// A number, string, bytes, `null`, `true` or `false`.
    Literal(Box<Literal>),
    /// `"a\(x)"`
    Interpolation(Box<Interpolation>),
    /// `{…}`, or the value of a chain of labels.
    Struct(Box<Struct>),
    /// `[…]`
    List(Box<List>),
    /// `...x`; as the last element of a list only.
    Ellipsis(Box<Ellipsis>),
    /// `for … { … }`; as an element of a list only.
    Comprehension(Box<Comprehension>),
    /// `X=x`; as the value of a field or an element of a list only.
    Alias(Box<Alias>),
    /// `(x)`
    Parenthesised(Box<Parenthesised>),
    /// `x.name` or `x."name"`
    Selector(Box<Selector>),
    /// `x[y]`
    Index(Box<Index>),
    /// `x[y:z]`
    Slice(Box<Slice>),
    /// `x(y, z)`
    Call(Box<Call>),
    /// `-x`, `<x` and others.
    Unary(Box<Unary>),
    /// `x + y` and others.
    Binary(Box<Binary>),
    /// `x...` with the experiment `explicitopen`, `x?` with the experiment `try`.
    Postfix(Box<Postfix>),
    /// Something that could not be parsed; there is a diagnostic for it.
    Bad(Box<Bad>),
}

/// `_|_`
#[derive(Clone, Debug, PartialEq)]
pub struct Bottom {
    /// All of it.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// Comments.
    pub comments: Comments,
}

/// A name.
#[derive(Clone, Debug, PartialEq)]
pub struct Identifier {
    /// All of it.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// The name with its marks: `name`, `#Name`, `_name`, `_#Name`, `_`, `__reserved`.
    pub name: String,
    /// Comments.
    pub comments: Comments,
}

/// The kinds of basic literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LiteralKind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// `1`, `0x1F`, `1_000`, `4Ki`
    Integer,
    /// `1.5`, `1e9`
    Float,
    /// `"…"`, `'…'` (bytes), the multi-line and the raw forms; also a piece of an interpolation.
    String,
}

/// A literal as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// All of it.
    pub span: Span,
    /// The white space in front.
    pub space: Space,
    /// Its kind.
    pub kind: LiteralKind,
    /// The text; [`super::literal`] decodes it.
    pub text: String,
    /// Comments.
    pub comments: Comments,
}

/// `"a\(x)b"`: the pieces `"a\(` and `)b"` with the expression between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Interpolation {
    /// All of it.
    pub span: Span,
    /// The pieces of text, with quotes, `\(` and `)`; one more than there are expressions.
    pub pieces: Vec<Literal>,
    /// The expressions.
    pub expressions: Vec<Expression>,
    /// Comments.
    pub comments: Comments,
}

/// `{…}`, or the value of a chain of labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// All of it.
    pub span: Span,
    /// `{`; absent in a chain of labels.
    pub open: Option<Place>,
    /// What is in it.
    pub declarations: Vec<Declaration>,
    /// `}`
    pub close: Option<Place>,
    /// Comments.
    pub comments: Comments,
}

/// `[…]`
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// All of it.
    pub span: Span,
    /// `[`
    pub open: Place,
    /// The elements; an [`Expression::Ellipsis`] can only be the last.
    pub elements: Vec<Expression>,
    /// Whether line breaks stand in place of commas between the elements.
    pub without_commas: bool,
    /// `]`
    pub close: Place,
    /// Comments.
    pub comments: Comments,
}

/// `X=x`
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    /// All of it.
    pub span: Span,
    /// The alias.
    pub name: Identifier,
    /// `=`
    pub equals: Place,
    /// The value.
    pub value: Expression,
    /// Comments.
    pub comments: Comments,
}

/// `(x)`
#[derive(Clone, Debug, PartialEq)]
pub struct Parenthesised {
    /// All of it.
    pub span: Span,
    /// `(`
    pub open: Place,
    /// `x`
    pub inner: Expression,
    /// `)`
    pub close: Place,
    /// Comments.
    pub comments: Comments,
}

/// What stands behind the dot of a [`Selector`].
#[derive(Clone, Debug, PartialEq)]
pub enum SelectorName {
    /// `.name`
    Identifier(Identifier),
    /// `."name"`
    String(Literal),
}

/// `x.name` or `x."name"`
#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    /// All of it.
    pub span: Span,
    /// `x`
    pub operand: Expression,
    /// `.`
    pub period: Place,
    /// The name.
    pub name: SelectorName,
    /// Comments.
    pub comments: Comments,
}

/// `x[y]`
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// All of it.
    pub span: Span,
    /// `x`
    pub operand: Expression,
    /// `[`
    pub open: Place,
    /// `y`
    pub index: Expression,
    /// `]`
    pub close: Place,
    /// Comments.
    pub comments: Comments,
}

/// `x[y:z]`
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// All of it.
    pub span: Span,
    /// `x`
    pub operand: Expression,
    /// `[`
    pub open: Place,
    /// `y`
    pub low: Option<Expression>,
    /// `z`
    pub high: Option<Expression>,
    /// `]`
    pub close: Place,
    /// Comments.
    pub comments: Comments,
}

/// `x(y, z)`
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// All of it.
    pub span: Span,
    /// `x`
    pub function: Expression,
    /// `(`
    pub open: Place,
    /// `y, z`
    pub arguments: Vec<Expression>,
    /// `)`
    pub close: Place,
    /// Comments.
    pub comments: Comments,
}

/// Operators in front of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `*`, the mark of a default
    Default,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `!=`
    NotEqual,
    /// `==`, with struct comparison
    Equal,
    /// `=~`
    Match,
    /// `!~`
    NotMatch,
}

/// `-x`, `<x` and others.
#[derive(Clone, Debug, PartialEq)]
pub struct Unary {
    /// All of it.
    pub span: Span,
    /// The operator's place.
    pub place: Place,
    /// The operator.
    pub operator: UnaryOperator,
    /// `x`
    pub operand: Expression,
    /// Comments.
    pub comments: Comments,
}

/// Operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `|`
    Disjunction,
    /// `&`
    Unification,
    /// `||`
    Or,
    /// `&&`
    And,
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
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

/// `x + y` and others. Operators of the same precedence lean to the left: walk the left side in a loop, not by
/// recursion, for it may be [`super::MAXIMUM_CHAIN`] deep ([`Binary::operands`] does).
#[derive(Clone, Debug, PartialEq)]
pub struct Binary {
    /// All of it.
    pub span: Span,
    /// `x`
    pub left: Expression,
    /// The operator's place.
    pub place: Place,
    /// The operator.
    pub operator: BinaryOperator,
    /// `y`
    pub right: Expression,
    /// Comments.
    pub comments: Comments,
}

impl Binary {
    /// The operands of a chain of this operator, from left to right: `a | b | c` has three.
    pub fn operands(&self) -> Vec<&Expression> {
        let mut out = vec![&self.right];
        let mut left = &self.left;
        while let Expression::Binary(binary) = left {
            if binary.operator != self.operator {
                break;
            }
            out.push(&binary.right);
            left = &binary.left;
        }
        out.push(left);
        out.reverse();
        out
    }
}

/// Operators behind an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PostfixOperator {
    /// `...`
    Open,
    /// `?`
    Optional,
}

/// `x...` or `x?`
#[derive(Clone, Debug, PartialEq)]
pub struct Postfix {
    /// All of it.
    pub span: Span,
    /// `x`
    pub operand: Expression,
    /// The operator's place.
    pub place: Place,
    /// The operator.
    pub operator: PostfixOperator,
    /// Comments.
    pub comments: Comments,
}
