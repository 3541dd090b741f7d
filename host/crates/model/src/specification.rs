//! What the engine sees of a specification: a conversation.
//!
//! The engine calls [`Specification::advance`] until nothing more can be found out without an answer, gives the answers
//! (each question once), and calls it again. Everything that is found comes as an [`Event`], bodies in batches, so that memory is
//! bounded by what is in flight, not by what exists. A plan is one conversation, the apply another.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use pravo_diag::{Diagnostic, SourceMap, Span};

use crate::provider::ProviderBinding;
use crate::{Address, Path, RefreshAge, Value};

/// What kind of thing a walked struct is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A managed resource.
    Resource,
    /// A data source.
    Data,
    /// An ephemeral resource.
    Ephemeral,
}

/// The `$settings` field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Default refresh age.
    pub refresh: RefreshAge,
    /// Operations in flight, at least 1.
    pub parallelism: usize,
    /// Path of the state file, as written.
    pub state: String,
    /// Version constraint on pravo itself.
    pub pravo: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { refresh: RefreshAge::Always, parallelism: 10, state: "pravo.state".to_owned(), pravo: None }
    }
}

/// What `ignore_changes` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IgnoreChanges {
    /// Nothing is ignored.
    #[default]
    None,
    /// Every attribute.
    All,
    /// These attributes.
    Names(Vec<String>),
}

/// A move that `$from` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The address that the record had.
    pub from: Address,
    /// Whether it comes from a group's `$from`.
    pub group: bool,
    /// Where the `$from` stands.
    pub span: Span,
}

/// The meta fields of a resource, a data source or an ephemeral.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// `$lifecycle.create_before_destroy`.
    pub create_before_destroy: bool,
    /// `$lifecycle.prevent_destroy`.
    pub prevent_destroy: bool,
    /// `$lifecycle.ignore_changes`.
    pub ignore_changes: IgnoreChanges,
    /// `$lifecycle.refresh`, where it is set.
    pub refresh: Option<RefreshAge>,
    /// `$from`, its own or a group's above it (the inner one wins).
    pub from: Option<Move>,
    /// `$import`.
    pub import: Option<String>,
}

/// Number of a provider instance in one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId(pub u32);

/// A provider instance whose configuration is evaluated as far as it can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Its number.
    pub id: InstanceId,
    /// Its CUE path, `$random`.
    pub address: Address,
    /// Which provider it is.
    pub binding: ProviderBinding,
    /// The attributes that are set; may hold unknowns.
    pub config: Value,
    /// Paths in `config` with ephemeral values: kept out of the state.
    pub ephemeral: Vec<Path>,
    /// Paths in `config` with sensitive values.
    pub sensitive: Vec<Path>,
    /// Resources, data sources and ephemerals that the configuration reads: every resource of the instance depends on them.
    pub dependencies: Vec<Address>,
    /// Where it stands.
    pub span: Span,
}

/// A resource, data source or ephemeral whose body is evaluated as far as it can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its address.
    pub address: Address,
    /// What it is.
    pub kind: Kind,
    /// Its type in the provider's schema.
    pub type_name: Arc<str>,
    /// The provider instance; announced by [`Event::Instance`] before.
    pub instance: InstanceId,
    /// The attributes that are set by the specification, brought to the types of the schema; not set ones are absent. May hold unknowns.
    pub config: Value,
    /// Paths in `config` with sensitive values (beside what the schema marks).
    pub sensitive: Vec<Path>,
    /// Paths in `config` with ephemeral values; only write-only attributes have such.
    pub ephemeral: Vec<Path>,
    /// The meta fields.
    pub meta: Meta,
    /// What the body reads, directly: sorted, without repetition, without itself. Nested resources are among them.
    pub references: Vec<Address>,
    /// What `$depends_on` names, groups resolved; sorted, without repetition, without itself.
    pub depends_on: Vec<Address>,
    /// Whether it reads something that was answered with [`Answer::Failed`]: it must not be made.
    pub reads_failed: bool,
    /// Where it stands.
    pub span: Span,
}

/// A group with a `$from`.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its address.
    pub address: Address,
    /// The move.
    pub from: Move,
}

/// Number of a question in one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuestionId(pub u32);

/// Something that the evaluation needs from outside. Each is asked once.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Its number.
    pub id: QuestionId,
    /// What is asked.
    pub kind: QuestionKind,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum QuestionKind {
    /// An attribute of a resource, data source or ephemeral that its body does not set.
    Attribute {
        /// The owner.
        owner: Address,
        /// The attribute, or a part of it.
        path: Path,
    },
    /// A function call; all arguments are wholly known.
    Call {
        /// The provider.
        binding: ProviderBinding,
        /// The function.
        function: String,
        /// In the order of the parameters.
        arguments: Vec<Value>,
        /// Where the call stands.
        at: CallPlace,
    },
}

/// Where a function is called, for what is to be said about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallPlace {
    /// The CUE path of the call.
    pub path: String,
    /// The place of the call.
    pub span: Option<Span>,
}

/// The answer to a question: final for the conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The value; null where the attribute is not set.
    Known {
        /// The value; may hold unknowns inside.
        value: Value,
        /// Whether it must not be shown.
        sensitive: bool,
        /// Whether it must not be stored.
        ephemeral: bool,
    },
    /// Known only after the apply.
    Unknown {
        /// Whether it must not be shown, once it is known.
        sensitive: bool,
        /// Whether it must not be stored, once it is known.
        ephemeral: bool,
    },
    /// It cannot be told. The engine reports the reason itself; here it goes on as something unknown, and bodies that read it say so.
    Failed,
}

/// Something that was found out.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A provider instance; comes before the first body that uses it.
    Instance(Box<Instance>),
    /// A complete body.
    Body(Box<Body>),
    /// A group with a `$from`.
    Group(Group),
    /// A question.
    Question(Question),
}

/// What one [`Specification::advance`] gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// In the order in which they were found; a batch.
    pub events: Vec<Event>,
    /// More can be found without any answer: call again.
    pub more: bool,
    /// Everything is evaluated; there will be no further events.
    pub done: bool,
}

/// A specification in evaluation.
pub trait Specification: Send {
    /// The `$settings`.
    fn settings(&self) -> &Settings;

    /// The sources, for diagnostics.
    fn sources(&self) -> &SourceMap;

    /// Goes on until a batch is full or nothing more can be found out without an answer.
    ///
    /// # Errors
    /// Whatever is wrong with the specification: nothing may be done then. A cycle through resources is one (`cycle: a -> b -> a`).
    fn advance(&mut self) -> Result<Progress, Vec<Diagnostic>>;

    /// Answers a question.
    fn answer(&mut self, question: QuestionId, answer: Answer);

    /// Says before the first [`Specification::advance`] that the value at a path will be read by [`Specification::output`]: what it
    /// needs is then asked for too. `None` for all plain fields.
    ///
    /// # Errors
    /// Where it is no path.
    fn want_output(&mut self, path: Option<&str>) -> Result<(), Vec<Diagnostic>>;

    /// The plain fields of the specification, evaluated as far as the answers go: the value at a CUE path, for `output`.
    /// `None` for the whole, without definitions, hidden fields and provider instances.
    ///
    /// # Errors
    /// Where the path leads nowhere or the value is an error.
    fn output(&mut self, path: Option<&str>) -> Result<Output, Vec<Diagnostic>>;

    /// All loaded files and tags, for the staleness of saved plans.
    fn inputs(&self) -> Vec<Input>;
}

/// One input of a specification: a loaded file, or a tag.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Input {
    /// Path relative to the root, or `tag:NAME`.
    pub name: String,
    /// Hash of its contents, hexadecimal.
    pub hash: String,
}

/// A value of the specification.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The value.
    pub value: Value,
    /// Paths that must not be shown.
    pub sensitive: Vec<Path>,
}
