//! What a conversation needs of an evaluator: nodes, where their conjuncts came from, questions and answers.
//!
//! Kept true here: no type of the evaluator but its ids crosses this border, so that the rules of resources read without
//! knowing its machine. Deliberately absent: anything that only one rule needs and that can be said with these words.

use pravo_cue::session::Marks;
use pravo_cue::{Ask, Node};
use pravo_diag::{Diagnostic, Span};
use pravo_model::{Number, Segment};

use crate::raw::RawStep;

/// How a node is called by its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// A segment of an address.
    Segment(Segment),
    /// A definition `#Name`, or anything else that is no address.
    Other(String),
}

/// What a hosted struct is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hosted {
    /// A provider instance.
    Provider,
    /// A resource, data source or ephemeral.
    Body(pravo_model::specification::Kind),
    /// A function call.
    Function,
    /// A value that is not known yet, in a policy.
    Unknown,
}

/// A reference that conjuncts of a node came through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// Where it points.
    pub(crate) target: Node,
    /// Whether the reference is the whole value.
    pub(crate) bare: bool,
    /// Where it stands.
    pub(crate) at: Span,
}

/// A comprehension of which it is not known what it yields.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// The guard or source.
    pub(crate) at: Span,
    /// The questions without an answer that it waits for; none where the answer was "unknown".
    pub(crate) waits: Vec<Ask>,
    /// The questions that it hangs on.
    pub(crate) asks: Vec<Ask>,
}

/// How far a node is.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// Answers are missing.
    Waiting(Vec<Ask>),
    /// It is a struct.
    Struct,
    /// It is a list.
    List,
    /// It is a scalar, or a constraint of one.
    Scalar,
    /// It hangs on something unknown.
    Unknown,
    /// It is an error. Whether it is final, or may be resolved by more information, is told apart.
    Failed {
        /// Nothing can resolve it.
        last: bool,
    },
}

/// Part of a body, or of an output.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The node.
    pub(crate) node: Node,
    /// The value.
    pub(crate) value: PartValue,
}

/// The value of a part.
#[derive(Clone, Debug)]
pub(crate) enum PartValue {
    /// `null`
    Null,
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    String(String),
    /// Bytes.
    Bytes,
    /// A list.
    List(Vec<Part>),
    /// A struct: its regular fields, in order.
    Struct(Vec<(String, Part)>),
    /// It is known only after the apply.
    Unknown,
    /// A struct or list of which it is known only after the apply what is in it.
    Open,
    /// A required field that is not set.
    Missing,
    /// Not concrete; as CUE writes it.
    Incomplete(String),
    /// An error.
    Failed,
}

/// What a value was made from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    /// Hosted structs that were read.
    pub(crate) owners: Vec<Node>,
    /// Questions that were read.
    pub(crate) asks: Vec<Ask>,
    /// Whether it must not be shown, or not be stored.
    pub(crate) marks: Marks,
    /// The same of what decided whether it is there, or, for a struct, some of its fields.
    pub(crate) guard_marks: Marks,
}

impl Trace {
    /// The marks of a value that was made so. A struct has those of what it is made from; its fields bear those of their guards.
    pub(crate) fn marks_of(&self, value: &PartValue) -> Marks {
        match value {
            PartValue::Struct(_) => self.marks,
            _ => self.all_marks(),
        }
    }

    /// The marks of what it is made from and of what decided about it.
    pub(crate) fn all_marks(&self) -> Marks {
        self.marks.with(self.guard_marks)
    }
}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    /// An attribute of a hosted struct.
    Attribute {
        /// The struct.
        owner: Node,
        /// The path below it.
        path: Vec<RawStep>,
    },
    /// A function call with known arguments, by parameter.
    Call {
        /// The struct that calls.
        call: Node,
        /// The arguments.
        arguments: Vec<(String, crate::raw::Raw)>,
    },
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// The value; `None` where it is unknown.
    pub(crate) value: Option<pravo_model::Value>,
    /// It must not be shown.
    pub(crate) sensitive: bool,
    /// It must not be stored.
    pub(crate) ephemeral: bool,
}

/// An evaluator at work.
pub(crate) trait Evaluation: Send {
    /// The root struct.
    fn root(&self) -> Node;
    /// Asks for the fields of a node, or for all of it.
    fn want(&mut self, node: Node, whole: bool);
    /// Asks for the body of a hosted struct.
    fn want_body(&mut self, node: Node);
    /// Asks for a field of a hosted struct as others read it; whether it is there.
    fn want_answers(&mut self, node: Node) -> bool;
    /// Does everything that can be done without an answer.
    fn run(&mut self) -> Result<(), Diagnostic>;
    /// Questions that were raised since the last call.
    fn new_asks(&mut self) -> Vec<Ask>;
    /// What is asked.
    fn asked(&self, ask: Ask) -> Asked;
    /// Answers; an answer is final.
    fn answer(&mut self, ask: Ask, reply: Reply);
    /// Nodes that wait for an answer.
    fn waiters(&self, ask: Ask) -> Vec<Node>;
    /// How the parent calls it.
    fn label(&self, node: Node) -> Label;
    /// The node around it.
    fn parent(&self, node: Node) -> Option<Node>;
    /// Regular and hidden fields, or elements, as far as they are there.
    fn children(&self, node: Node) -> Vec<(Label, Node)>;
    /// The regular field of a name, if it is there.
    fn field(&self, node: Node, name: &str) -> Option<Node>;
    /// The hidden fields, as far as they are there.
    fn hidden(&self, node: Node) -> Vec<Node>;
    /// Whether it is part of a template.
    fn is_template(&self, node: Node) -> bool;
    /// Whether it is a hosted struct.
    fn hosted(&self, node: Node) -> Option<Hosted>;
    /// References that its conjuncts came through.
    fn origins(&self, node: Node) -> Vec<Origin>;
    /// Elements of a field that is read by where it points: where each stands, and where it points.
    fn pointers(&self, node: Node) -> Vec<(Span, Option<Node>)>;
    /// Whether it is a field that is read by where its elements point.
    fn is_pointers(&self, node: Node) -> bool;
    /// Comprehensions of which it is not known what they yield.
    fn openings(&self, node: Node) -> Vec<Opening>;
    /// How far it is.
    fn state(&self, node: Node) -> State;
    /// Whether more than its kind is asked of a value that is not known.
    fn is_constrained(&self, node: Node) -> bool;
    /// How far the configured body of a hosted struct is.
    fn body_state(&self, owner: Node) -> State;
    /// The configured body of a hosted struct, without answers to its own questions.
    fn body(&self, owner: Node) -> Part;
    /// A value, answers included.
    fn value(&self, node: Node) -> Part;
    /// What it was made from.
    fn trace(&self, node: Node) -> Trace;
    /// Where its value stands, in the specification's own files.
    fn value_span(&self, node: Node) -> Option<Span>;
    /// Where it stands, in the specification's own files if it does at all.
    fn span(&self, node: Node) -> Option<Span>;
    /// What decided whether a hosted struct is there.
    fn presence(&self, owner: Node) -> Trace;
    /// The attributes of its field and in its structs, as they are written.
    fn attributes(&self, node: Node) -> Vec<String>;
    /// The CUE path.
    fn path(&self, node: Node) -> String;
    /// Why it failed.
    fn failures(&self, node: Node) -> Vec<Diagnostic>;
}
