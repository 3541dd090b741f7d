//! The tables of a session.

use std::sync::Arc;

use pravo_diag::Span;
pub(crate) use smallvec::SmallVec;
pub(crate) use thin_vec::ThinVec;

use super::defaults::{Leaf, Mode, Said};
use crate::intern::{Label, Text};
use crate::program::{ExprId, Operator, Presence, Slot};
use crate::{Kinds, Map, Node, Value};

/// No node.
pub(crate) const NONE: Node = Node(u32::MAX);

/// A scalar, small enough to copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    /// In `Session::numbers`.
    Number(u32),
    Text(Text),
    /// In `Session::bytes`.
    Bytes(u32),
}

/// An expression to be unified with a node: in which frame, and where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Conjunct {
    /// An expression of the program; with [`DATUM`] set, a number of `Session::data`.
    pub expr: ExprId,
    pub env: u32,
    pub info: u32,
}

/// The bit of an expression's number that marks a [`Datum`].
pub(crate) const DATUM: u32 = 1 << 31;

/// A conjunct that is no expression of the program.
#[derive(Clone, Debug)]
pub(crate) enum Datum {
    /// A value.
    Value(Value),
    /// A scalar.
    Scalar(Scalar),
    /// Everything that a node is made of.
    Node(Node),
    /// A list of nodes.
    List(Arc<[Node]>),
    /// An unknown of some kinds.
    Unknown(Kinds),
    /// What an answer to a question says.
    Bottom(u32),
    /// A disjunction of these, made by a call.
    Or(ExprId, Arc<[ExprId]>),
}

/// What an expression's names mean: one frame and those around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Frame {
    pub up: u32,
    pub node: Node,
    pub label: Label,
}

/// Where a conjunct came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Info {
    /// Its place among the occurrences of definitions.
    pub occurrence: u32,
    /// The references that it came through, for structural cycles.
    pub references: u32,
    /// The walked node that it was copied from, at the same level.
    pub via: Node,
    /// The owner of the hosted template that it stands in.
    pub owner: Node,
    /// What the comprehensions around it read.
    pub trace: u32,
    /// Whether it repeats what it came through before.
    pub cycle: Cycle,
    /// Whether it was declared by a hosted template.
    pub hosted: Hosted,
}

/// Whether a conjunct repeats what it came through before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cycle {
    /// It does not.
    No,
    /// Neither, and it stands in an optional place.
    Optional,
    /// It stood in an optional place and may go round once.
    Maybe,
    /// It does.
    Cyclic,
}

/// What a hosted template says of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Hosted {
    /// Nothing.
    No,
    /// It is there, and asked for where it is not concrete.
    Askable,
    /// It may be given; what is below it may be asked for.
    Inside,
}

/// When an occurrence closes the nodes that its structs are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    No,
    Recursive,
    /// This node only (`close`).
    Once(Node),
    /// It takes back what occurrences inside of it close (`x...`).
    Opened,
}

/// One occurrence of a definition, or a step between occurrences.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    pub parent: u32,
    /// Whether it is embedded in its parent (so that the parent may add fields to it).
    pub embedded: bool,
    pub closing: Closing,
    /// The nearest occurrence that closes, itself included; 0 if none.
    pub nearest: u32,
    pub depth: u32,
}

/// A reference on the way to a conjunct.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference {
    pub target: Node,
    pub at: Node,
    pub expr: ExprId,
    /// The level of the node that it joined.
    pub level: u32,
    pub next: u32,
}

/// Work of a node that has to compute something first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Task {
    /// An expression that is not a literal.
    Conjunct(Conjunct),
    /// A comprehension of a struct.
    Comprehension { id: u32, env: u32, info: u32 },
    /// A field with a computed label.
    Dynamic { literal: u32, index: u32, env: u32, info: u32 },
    /// A pattern that has to be computed.
    Pattern { pattern: ExprId, slot: Slot, env: u32, info: u32 },
    /// A list literal.
    List(Conjunct),
}

impl Task {
    /// Where what it joins came from.
    pub fn info(self) -> u32 {
        match self {
            Self::Conjunct(Conjunct { info, .. }) | Self::List(Conjunct { info, .. }) => info,
            Self::Comprehension { info, .. } | Self::Dynamic { info, .. } | Self::Pattern { info, .. } => info,
        }
    }
}

/// What a parked node waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The node is settled, or has its scalar.
    Settled(Node),
    /// Nothing can be added to the node from outside any more.
    Closed(Node),
    /// The answer to a question.
    Answer(crate::Ask),
}

/// Why something could not be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Wait(Wait),
    Limit,
}

pub(crate) type Run<T> = Result<T, Stop>;

/// A bound on a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bound {
    pub operator: Operator,
    pub value: Scalar,
    pub expr: ExprId,
}

/// A function that must accept the value.
#[derive(Clone, Debug)]
pub(crate) struct Validator {
    pub expr: ExprId,
    pub env: u32,
    pub function: u32,
    pub arguments: Arc<[Value]>,
    /// For what the language itself checks.
    pub core: Option<(Check, Arc<[Node]>)>,
}

/// What the language itself checks of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// `matchN` and `matchIf`
    Match(crate::program::Core),
    /// `==x` of a struct or list
    Equal,
    /// `!=x` of a struct or list
    NotEqual,
}

/// A pattern constraint of a node.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub matcher: Matcher,
    pub slot: Slot,
    pub env: u32,
    pub info: u32,
}

/// Which labels a pattern covers.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    All,
    Text(Text),
    Regex(Arc<regex::Regex>, bool),
    Node(Node),
}

/// What is known of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListShape {
    /// The length, if some conjunct fixes it.
    pub length: Option<u32>,
    /// What elements from an index on must be, for each conjunct that is open.
    pub rests: ThinVec<(u32, Option<Conjunct>)>,
    /// How many elements there are.
    pub known: u32,
}

/// One way that a disjunction may come out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Alternative {
    Scalar(Scalar),
    Kinds(Kinds),
    Node(Node),
}

/// What few nodes have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extra {
    pub tasks: ThinVec<Task>,
    pub waits: ThinVec<Wait>,
    pub waiters: ThinVec<Node>,
    pub subscribers: ThinVec<(Node, u32)>,
    /// Nodes whose conjuncts joined this one while more could still come.
    pub sources: ThinVec<Node>,
    /// What was joined: expression, frame and occurrence.
    pub seen: ThinVec<(ExprId, u32, u32)>,
    pub cyclic: ThinVec<Conjunct>,
    pub bounds: ThinVec<Bound>,
    pub validators: ThinVec<Validator>,
    /// The function that it is, and the expression that says so.
    pub function: Option<(u32, ExprId)>,
    pub patterns: ThinVec<Pattern>,
    pub list: Option<ListShape>,
    pub disjunctions: ThinVec<Conjunct>,
    pub alternatives: ThinVec<(Alternative, bool)>,
    /// Branches that are being tried.
    pub forks: Option<Box<Forks>>,
    pub requirements: ThinVec<u32>,
    pub index: Option<Box<Map<Label, u32>>>,
    pub attributes: ThinVec<Arc<[Text]>>,
    pub origins: ThinVec<(Node, bool, ExprId)>,
    pub host: Option<Text>,
    pub owner: Option<Node>,
    /// What decided whether the hosted struct is there: the number of a trace.
    pub presence: u32,
    /// What it may be asked for by, where that came by references.
    pub askable: ThinVec<Info>,
    /// The questions whose answers joined it.
    pub asked: ThinVec<crate::Ask>,
    pub shadow: Option<Node>,
    /// Disjunctions that joined by their only branch, and what they say of it.
    pub decided: ThinVec<Said>,
    /// The branch of each of these.
    pub taken: ThinVec<(ExprId, u32, ExprId)>,
    /// Disjunctions that came once more, by other occurrences.
    pub echoes: ThinVec<Conjunct>,
    /// In a fork with disjunctions: what is left.
    pub leaves: ThinVec<Leaf>,
    /// In a fork: which branch was chosen.
    pub choices: ThinVec<(ExprId, u32, ExprId)>,
    /// In a fork: the node that it is a version of.
    pub family: Option<Node>,
    /// Comprehensions that wait for an unknown.
    pub open: ThinVec<(Span, u32)>,
}

impl Extra {
    /// Whether nothing is in it.
    pub fn is_bare(&self) -> bool {
        let Self {
            tasks,
            waits,
            waiters,
            subscribers,
            sources,
            seen,
            cyclic,
            bounds,
            validators,
            function,
            patterns,
            list,
            disjunctions,
            alternatives,
            forks,
            requirements,
            index,
            attributes,
            origins,
            host,
            owner,
            presence,
            askable,
            asked,
            shadow,
            decided,
            taken,
            echoes,
            leaves,
            choices,
            family,
            open,
        } = self;
        tasks.is_empty()
            && waits.is_empty()
            && waiters.is_empty()
            && subscribers.is_empty()
            && sources.is_empty()
            && seen.is_empty()
            && cyclic.is_empty()
            && bounds.is_empty()
            && validators.is_empty()
            && patterns.is_empty()
            && disjunctions.is_empty()
            && alternatives.is_empty()
            && requirements.is_empty()
            && attributes.is_empty()
            && origins.is_empty()
            && decided.is_empty()
            && leaves.is_empty()
            && taken.is_empty()
            && echoes.is_empty()
            && choices.is_empty()
            && open.is_empty()
            && list.is_none()
            && function.is_none()
            && *presence == 0
            && forks.is_none()
            && index.is_none()
            && host.is_none()
            && owner.is_none()
            && askable.is_empty()
            && asked.is_empty()
            && shadow.is_none()
            && family.is_none()
    }
}

/// Branches of a disjunction that are being tried.
#[derive(Clone, Debug)]
pub(crate) struct Forks {
    /// The disjunction.
    pub disjunction: (ExprId, u32),
    /// The node of each, and what is said of it.
    pub live: Vec<(Node, Mode)>,
}

/// How far a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Nothing was done.
    New,
    /// All literals are in, tasks may be left.
    Expanded,
    /// Its value and its set of fields are decided.
    Settled,
}

pub(crate) mod flag {
    pub const ON_STACK: u32 = 1;
    pub const TEMPLATE: u32 = 2;
    pub const STRUCT: u32 = 4;
    pub const ASSUME_CLOSED: u32 = 8;
    pub const FORCE_CLOSED: u32 = 16;
    pub const FROZEN: u32 = 32;
    pub const PARKED: u32 = 64;
    pub const FINAL: u32 = 128;
    pub const HOSTED: u32 = 256;
    pub const PENDING: u32 = 512;
    pub const OPEN_ENDED: u32 = 1024;
    /// Something that is no reference and not cyclic joined it.
    pub const MATERIAL: u32 = 2048;
    pub const ATTEMPT: u32 = 4096;
    pub const REFERENCE: u32 = 8192;
    pub const EMBEDS: u32 = 16384;
    pub const QUEUED: u32 = 32768;
    /// Something that is not cyclic joined it.
    pub const FRESH: u32 = 1 << 16;
    /// A cyclic reference stands in it.
    pub const CYCLIC: u32 = 1 << 17;
    /// A reference to an ancestor stands in it.
    pub const CYCLIC_ANCESTOR: u32 = 1 << 18;
    /// It is the value of an operand.
    pub const INLINE: u32 = 1 << 19;
    /// It is the value of an operand, or below one.
    pub const UNROOTED: u32 = 1 << 20;
    /// `_` joined it.
    pub const TOP: u32 = 1 << 21;
    /// It is a fork, or below one.
    pub const FORKED: u32 = 1 << 22;
    /// Its fields were gone through while it was not settled.
    pub const COUNTED: u32 = 1 << 23;
    /// Everything below it is wanted, but for what only a template declares.
    pub const BODY: u32 = 1 << 24;
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct NodeData {
    pub parent: Node,
    pub label: Label,
    pub conjuncts: SmallVec<[Conjunct; 2]>,
    pub arcs: ThinVec<Node>,
    /// The struct literals in it: literal, the frame that it pushed, info.
    pub structs: ThinVec<(u32, u32, u32)>,
    pub scalar: Option<Scalar>,
    pub extra: Option<Box<Extra>>,
    pub processed: u32,
    pub bottom: u32,
    pub trace: u32,
    pub forward: Node,
    pub flags: u32,
    /// How many nodes are above.
    pub level: u32,
    pub kinds: Kinds,
    pub phase: Phase,
    pub presence: Presence,
}

/// What an error is to the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// For good.
    Eval,
    /// The program asked for it with `error(…)`.
    User,
    /// More information could resolve it.
    Incomplete,
    /// A value that needs itself.
    Cycle,
    /// A structure that contains itself.
    Structural,
}

impl Code {
    /// Whether nothing can resolve it.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Incomplete | Self::Cycle)
    }
}

/// What went wrong; text is made of it only when somebody reads it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reason {
    Conflict(String, String),
    NotAllowed(Label),
    Text(String),
    Undefined(Label),
    OptionalReference(Label),
    /// A field that is absent by now, and may be added by what reads it.
    MayChange(Label),
    RequiredMissing(Label),
    NotConcrete(Kinds),
    Cycle,
    Structural,
    OutOfBound(Scalar, Operator, Scalar),
    Explicit,
    Compile,
    Disjunction(Vec<u32>),
    Operands(Operator, Kinds, Kinds),
    Failed(Box<pravo_diag::Diagnostic>),
    ListLength(u32, u32),
}

/// An error as data.
#[derive(Clone, Debug)]
pub(crate) struct BottomData {
    pub code: Code,
    pub node: Node,
    pub reason: Reason,
    pub spans: Vec<Span>,
}
