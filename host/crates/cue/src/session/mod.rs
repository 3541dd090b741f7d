//! One evaluation of a program.
//!
//! # The machine
//!
//! A **node** is a place in the result: a field, an element, the value of a `let` or of an operand. It has a list of
//! **conjuncts**: expression, frame (what its names mean), and where it came from. A reference copies nothing: the
//! conjuncts of its target join the node, in their own frames. Nodes are **settled** on demand ([`Session::ensure`]):
//!
//! 1. *Literals first.* Scalars, kinds and struct literals join at once; the fields of a literal become nodes that
//!    get the literal's values as conjuncts. Nothing of a field is evaluated here. References follow.
//! 2. *Tasks.* What must compute something (operators, calls, comprehensions, computed labels) is a task. A task
//!    that needs a node that is not ready has no effect: it returns a [`data::Wait`], its node is parked, and it is tried
//!    again when what it waits for has happened. A scalar may be read as soon as it is known.
//! 3. *Settling.* When nothing can be added from outside (the parent is settled, or what is left of it cannot touch
//!    the field), disjunctions are decided, closedness and validators are checked.
//!
//! Settling recurses to a bounded depth; what lies deeper is queued and its readers are parked, so that a chain of
//! any length works. When everything is parked, what depends on no question from outside is a cycle: the session
//! lets the oldest read what there is ([`Session::thaw`]), which ends as a value, or as an error of the code
//! incomplete or cycle.
//!
//! # Kept true
//!
//! Every id is an index into a table of this session; a conjunct is never changed; an expression is unified with a
//! node at most once per frame; only the code of a bottom steers anything. Deliberately absent: input and output, any
//! knowledge of providers and resources, error texts that nobody reads.

mod bounds;
mod branches;
mod calls;
mod closedness;
mod comprehension;
mod cycles;
pub(crate) mod data;
mod defaults;
mod disjunction;
mod equality;
mod evaluate;
mod expand;
mod forks;
mod host;
mod limits;
mod nearness;
mod order;
mod read;
mod resolve;
mod scalars;
mod schedule;
mod show;
#[cfg(test)]
mod tests;
mod touch;
mod tries;

use std::sync::Arc;

use pravo_diag::Span;

pub use data::Code;
use data::*;
pub use host::{Answer, Marks, OpenComprehension, Origin, Outcome, Question, Trace, Turn, Want};
pub use limits::{INTEGER_BITS, LimitExceeded, Limits, Stats};
pub(crate) use read::Concrete;
pub use read::{Arc as FieldArc, Choice, FieldClass, Shape};
pub use show::quote;

use crate::intern::{Interner, Label, Text};
use crate::program::{ExprId, Presence, Program};
use crate::{Kinds, Map, Node, Number};

/// One evaluation.
pub struct Session {
    pub(crate) program: Arc<Program>,
    pub(crate) texts: Interner,
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) infos: Vec<Info>,
    pub(crate) occurrences: Vec<Occurrence>,
    pub(crate) references: Vec<Reference>,
    pub(crate) data: Vec<Datum>,
    pub(crate) numbers: Vec<Number>,
    pub(crate) bytes: Vec<Arc<[u8]>>,
    pub(crate) bottoms: Vec<BottomData>,
    pub(crate) roots: Vec<Option<Node>>,
    pub(crate) lets: Map<(u32, u32), Node>,
    /// The nodes of operands: by expression, frame, and the fork that they stand in where the frame does not.
    pub(crate) inline: Map<(ExprId, u32, Node), Node>,
    pub(crate) alias_frames: Map<Frame, u32>,
    /// The occurrences of definitions, by where they are referred to from and what is referred to.
    pub(crate) definitions: Map<(u32, Node), u32>,
    /// The occurrences of embedded references, by the literal that they stand in and what is referred to.
    pub(crate) embeddings: Map<(u32, Node), u32>,
    pub(crate) regexes: Map<Text, Option<Arc<regex::Regex>>>,
    pub(crate) queue: Vec<Node>,
    pub(crate) parked: schedule::Parked,
    pub(crate) asks: Vec<host::AskData>,
    /// How many of them have no answer.
    pub(crate) open_asks: u32,
    pub(crate) traces: host::Traces,
    /// Fields that were taken as absent although they might be added.
    pub(crate) assumed: Vec<touch::Assumed>,
    /// What the running task has read.
    pub(crate) reading: u32,
    /// The info of the conjunct that the running task is about.
    pub(crate) running: u32,
    pub(crate) depth: u32,
    /// How many expressions are being computed inside each other.
    pub(crate) computing: u32,
    /// The validators that are being run.
    pub(crate) checking: Vec<ExprId>,
    /// Where a reference marked with `?` found nothing.
    pub(crate) missed: Vec<Node>,
    pub(crate) limits: Limits,
    pub(crate) stats: Stats,
    pub(crate) exceeded: Option<LimitExceeded>,
    pub(crate) made: usize,
    /// How many nodes have an [`Extra`].
    pub(crate) extras: usize,
    pub(crate) ask_numbers: Map<(Node, Vec<Label>), crate::Ask>,
    pub(crate) orders: order::Orders,
    /// How many hosted nodes there are.
    pub(crate) hosted: u32,
}

impl Session {
    /// A session over a program.
    pub fn new(program: Arc<Program>, limits: Limits) -> Self {
        let texts = program.code.interner.clone();
        let packages = program.packages.len();
        let none = BottomData { code: Code::Eval, node: NONE, reason: Reason::Explicit, spans: Vec::new() };
        let mut session = Self {
            program,
            texts,
            nodes: Vec::new(),
            frames: vec![Frame { up: 0, node: NONE, label: Label::NONE }],
            infos: vec![Info { occurrence: 0, references: 0, via: NONE, owner: NONE, trace: 0, cycle: Cycle::No, hosted: Hosted::No }],
            occurrences: vec![Occurrence { parent: 0, embedded: false, closing: Closing::No, nearest: 0, depth: 0 }],
            references: vec![Reference { target: NONE, at: NONE, expr: ExprId(0), level: 0, next: 0 }],
            data: Vec::new(),
            numbers: Vec::new(),
            bytes: Vec::new(),
            bottoms: vec![none],
            roots: vec![None; packages],
            lets: Map::default(),
            inline: Map::default(),
            alias_frames: Map::default(),
            definitions: Map::default(),
            embeddings: Map::default(),
            regexes: Map::default(),
            queue: Vec::new(),
            parked: schedule::Parked::default(),
            asks: Vec::new(),
            open_asks: 0,
            traces: host::Traces::default(),
            assumed: Vec::new(),
            reading: 0,
            running: 0,
            depth: 0,
            computing: 0,
            checking: Vec::new(),
            missed: Vec::new(),
            limits,
            stats: Stats::default(),
            exceeded: None,
            made: 0,
            extras: 0,
            ask_numbers: Map::default(),
            orders: order::Orders::default(),
            hosted: 0,
        };
        session.numbers.extend(session.program.code.numbers.iter().cloned());
        session.bytes.extend(session.program.code.bytes.iter().cloned());
        session.package_root(0);
        session
    }

    /// The node of the main package.
    pub fn root(&self) -> Node {
        Node(0)
    }

    /// What was done so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub(crate) fn package_root(&mut self, index: u32) -> Node {
        if let Some(Some(node)) = self.roots.get(index as usize) {
            return *node;
        }
        let node = self.new_node(NONE, Label::NONE, Presence::Member);
        if index != 0 {
            self.node_mut(node).flags |= flag::TEMPLATE;
        }
        if let Some(slot) = self.roots.get_mut(index as usize) {
            *slot = Some(node);
        }
        let program = Arc::clone(&self.program);
        let files = program.packages.get(index as usize).map_or(&[][..], |package| &package.files);
        for literal in files {
            let datum = self.literal_expr(*literal);
            self.node_mut(node).conjuncts.push(Conjunct { expr: datum, env: 0, info: 0 });
        }
        node
    }

    /// The expression of a struct literal of a file.
    fn literal_expr(&mut self, literal: u32) -> ExprId {
        ExprId(literal | FILE)
    }

    pub(crate) fn new_node(&mut self, parent: Node, label: Label, presence: Presence) -> Node {
        self.stats.nodes += 1;
        let (mut flags, mut level) = (0, 0);
        if parent != NONE {
            let above = self.node(parent);
            flags = above.flags & (flag::TEMPLATE | flag::UNROOTED | flag::FORKED);
            level = above.level.saturating_add(1);
        }
        if label.is_definition() || (label == Label::NONE && parent != NONE) || presence != Presence::Member {
            flags |= flag::TEMPLATE;
        }
        self.nodes.push(NodeData {
            parent,
            label,
            conjuncts: SmallVec::new(),
            arcs: ThinVec::new(),
            structs: ThinVec::new(),
            scalar: None,
            extra: None,
            processed: 0,
            bottom: 0,
            trace: 0,
            forward: NONE,
            flags,
            level,
            kinds: Kinds::TOP,
            phase: Phase::New,
            presence,
        });
        Node(self.nodes.len() as u32 - 1)
    }

    /// The data of a node; the root's for an id that is not of this session.
    pub(crate) fn node(&self, node: Node) -> &NodeData {
        self.nodes.get(node.0 as usize).unwrap_or_else(|| {
            static FOREIGN: std::sync::LazyLock<NodeData> = std::sync::LazyLock::new(|| NodeData {
                parent: NONE,
                label: Label::NONE,
                conjuncts: SmallVec::new(),
                arcs: ThinVec::new(),
                structs: ThinVec::new(),
                scalar: None,
                extra: None,
                processed: 0,
                bottom: 0,
                trace: 0,
                forward: NONE,
                flags: 0,
                level: 0,
                kinds: Kinds::TOP,
                phase: Phase::Settled,
                presence: Presence::Member,
            });
            &FOREIGN
        })
    }

    pub(crate) fn node_mut(&mut self, node: Node) -> &mut NodeData {
        let index = if (node.0 as usize) < self.nodes.len() { node.0 as usize } else { 0 };
        &mut self.nodes[index]
    }

    pub(crate) fn extra(&self, node: Node) -> Option<&Extra> {
        self.node(node).extra.as_deref()
    }

    pub(crate) fn extra_mut(&mut self, node: Node) -> &mut Extra {
        if self.node(node).extra.is_none() {
            self.extras += 1;
        }
        self.node_mut(node).extra.get_or_insert_default()
    }

    pub(crate) fn has(&self, node: Node, flag: u32) -> bool {
        self.node(node).flags & flag != 0
    }

    pub(crate) fn set(&mut self, node: Node, flag: u32) {
        self.node_mut(node).flags |= flag;
    }

    pub(crate) fn clear(&mut self, node: Node, flag: u32) {
        self.node_mut(node).flags &= !flag;
    }

    /// Follows nodes that were replaced by the branch that was chosen.
    pub(crate) fn deref(&self, node: Node) -> Node {
        let mut node = node;
        for _ in 0..64 {
            let next = self.node(node).forward;
            if next == NONE {
                break;
            }
            node = next;
        }
        node
    }

    pub(crate) fn frame(&self, env: u32) -> Frame {
        self.frames.get(env as usize).copied().unwrap_or(Frame { up: 0, node: NONE, label: Label::NONE })
    }

    pub(crate) fn frame_up(&self, env: u32, up: u32) -> u32 {
        let mut env = env;
        for _ in 0..up {
            env = self.frame(env).up;
        }
        env
    }

    pub(crate) fn push_frame(&mut self, up: u32, node: Node, label: Label) -> u32 {
        self.frames.push(Frame { up, node, label });
        self.frames.len() as u32 - 1
    }

    /// The frame of a field's alias: one for each frame and field.
    pub(crate) fn alias_frame(&mut self, up: u32, node: Node, label: Label) -> u32 {
        let frame = Frame { up, node, label };
        if let Some(env) = self.alias_frames.get(&frame) {
            return *env;
        }
        let env = self.push_frame(up, node, label);
        self.alias_frames.insert(frame, env);
        env
    }

    pub(crate) fn info(&self, info: u32) -> Info {
        self.infos.get(info as usize).copied().unwrap_or(Info {
            occurrence: 0,
            references: 0,
            via: NONE,
            owner: NONE,
            trace: 0,
            cycle: Cycle::No,
            hosted: Hosted::No,
        })
    }

    pub(crate) fn new_info(&mut self, info: Info) -> u32 {
        if self.infos.last() == Some(&info) {
            return self.infos.len() as u32 - 1;
        }
        self.infos.push(info);
        self.infos.len() as u32 - 1
    }

    pub(crate) fn datum(&mut self, datum: Datum) -> ExprId {
        self.data.push(datum);
        ExprId((self.data.len() as u32 - 1) | DATUM)
    }

    pub(crate) fn bottom(&mut self, code: Code, node: Node, reason: Reason, spans: Vec<Span>) -> u32 {
        self.bottoms.push(BottomData { code, node, reason, spans });
        self.bottoms.len() as u32 - 1
    }

    pub(crate) fn bottom_data(&self, bottom: u32) -> Option<&BottomData> {
        self.bottoms.get(bottom as usize)
    }

    pub(crate) fn code_of(&self, bottom: u32) -> Code {
        self.bottom_data(bottom).map_or(Code::Eval, |data| data.code)
    }
}

/// The bit of an expression's number that marks the struct of a file (with [`DATUM`] clear).
pub(crate) const FILE: u32 = 1 << 30;
