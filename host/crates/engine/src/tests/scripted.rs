//! A scripted specification: bodies as expressions over attributes of others.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use pravo_diag::{Diagnostic, FileId, SourceMap, Span};
use pravo_model::provider::ProviderBinding;
use pravo_model::specification::*;
use pravo_model::{Address, Path, Value};

pub(super) const PACKAGE: &str = "pravo.dev/providers/test/fake";

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    Value(Value),
    /// An attribute of another resource.
    Of(String, String),
    /// A text with a prefix.
    Text(String, Box<Expr>),
    Call(String, Vec<Expr>),
}

pub(super) fn of(owner: &str, attribute: &str) -> Expr {
    Expr::Of(owner.to_owned(), attribute.to_owned())
}

impl<T: Into<Value>> From<T> for Expr {
    fn from(value: T) -> Self {
        Expr::Value(value.into())
    }
}

/// A walked struct.
#[derive(Clone, Debug)]
pub(super) struct Struct {
    pub(super) kind: Kind,
    pub(super) type_name: String,
    pub(super) instance: String,
    pub(super) attributes: BTreeMap<String, Expr>,
    pub(super) depends_on: Vec<String>,
    pub(super) meta: Meta,
}

impl Struct {
    pub(super) fn with(mut self, name: &str, value: impl Into<Expr>) -> Self {
        self.attributes.insert(name.to_owned(), value.into());
        self
    }

    pub(super) fn after(mut self, address: &str) -> Self {
        self.depends_on.push(address.to_owned());
        self
    }

    pub(super) fn meta(mut self, change: impl FnOnce(&mut Meta)) -> Self {
        change(&mut self.meta);
        self
    }

    pub(super) fn on(mut self, instance: &str) -> Self {
        self.instance = instance.to_owned();
        self
    }
}

fn plain(kind: Kind, type_name: &str) -> Struct {
    Struct {
        kind,
        type_name: type_name.to_owned(),
        instance: "$fake".to_owned(),
        attributes: BTreeMap::new(),
        depends_on: Vec::new(),
        meta: Meta::default(),
    }
}

pub(super) fn thing() -> Struct {
    plain(Kind::Resource, "thing")
}

/// Another type with the same attributes.
pub(super) fn other() -> Struct {
    plain(Kind::Resource, "other")
}

pub(super) fn look() -> Struct {
    plain(Kind::Data, "look")
}

pub(super) fn token() -> Struct {
    plain(Kind::Ephemeral, "token")
}

/// A specification.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    pub(super) settings: Settings,
    pub(super) instances: BTreeMap<String, BTreeMap<String, Expr>>,
    pub(super) structs: BTreeMap<String, Struct>,
    pub(super) groups: Vec<(String, String)>,
    pub(super) version: u32,
    /// How many events a batch has; 0 for all.
    pub(super) batch: usize,
}

impl Script {
    pub(super) fn set(&mut self, address: &str, body: Struct) {
        self.version += 1;
        self.structs.insert(address.to_owned(), body);
    }

    pub(super) fn remove(&mut self, address: &str) {
        self.version += 1;
        self.structs.remove(address);
    }
}

pub(super) fn span() -> Span {
    Span::new(FileId(0), 0, 1)
}

pub(super) fn address(text: &str) -> Address {
    text.parse().unwrap()
}

/// What an expression comes to.
struct Evaluated {
    value: Value,
    ephemeral: bool,
    sensitive: bool,
}

pub(super) struct Conversation {
    script: Script,
    sources: SourceMap,
    instance_ids: HashMap<String, InstanceId>,
    announced: BTreeSet<String>,
    emitted: BTreeSet<String>,
    asked: HashMap<String, QuestionId>,
    answers: HashMap<QuestionId, Answer>,
    next: u32,
    groups_told: bool,
    dirty: bool,
}

impl Conversation {
    pub(super) fn new(script: Script) -> Self {
        let mut sources = SourceMap::new();
        sources.add("main.cue", "scripted\n");
        let instance_ids = script.instances.keys().enumerate().map(|(i, name)| (name.clone(), InstanceId(i as u32))).collect();
        Self {
            script,
            sources,
            instance_ids,
            announced: BTreeSet::new(),
            emitted: BTreeSet::new(),
            asked: HashMap::new(),
            answers: HashMap::new(),
            next: 0,
            groups_told: false,
            dirty: true,
        }
    }

    fn ask(&mut self, key: String, kind: QuestionKind, events: &mut Vec<Event>) -> Option<Answer> {
        if let Some(id) = self.asked.get(&key) {
            return self.answers.get(id).cloned();
        }
        let id = QuestionId(self.next);
        self.next += 1;
        self.asked.insert(key, id);
        events.push(Event::Question(Question { id, kind }));
        None
    }

    /// `None` while something is not answered, `Some(None)` where it failed.
    fn evaluate(&mut self, expr: &Expr, events: &mut Vec<Event>, references: &mut BTreeSet<String>) -> Option<Option<Evaluated>> {
        let known = |value: Value| Some(Some(Evaluated { value, ephemeral: false, sensitive: false }));
        match expr {
            Expr::Value(value) => known(value.clone()),
            Expr::Text(prefix, inner) => Some(self.evaluate(inner, events, references)?.map(|inner| Evaluated {
                value: match inner.value {
                    Value::String(text) => Value::String(format!("{prefix}{text}")),
                    Value::Number(number) => Value::String(format!("{prefix}{number}")),
                    other => other,
                },
                ..inner
            })),
            Expr::Of(owner, attribute) => {
                references.insert(owner.clone());
                if let Some(configured) = self.script.structs.get(owner).and_then(|body| body.attributes.get(attribute)).cloned() {
                    return self.evaluate(&configured, events, &mut BTreeSet::new());
                }
                let kind = QuestionKind::Attribute { owner: address(owner), path: Path::attribute(attribute.clone()) };
                self.ask(format!("{owner}.{attribute}"), kind, events).map(evaluated)
            }
            Expr::Call(function, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    match self.evaluate(argument, events, references)? {
                        Some(evaluated) => values.push(evaluated.value),
                        None => return Some(None),
                    }
                }
                if values.iter().any(|value| !value.is_wholly_known()) {
                    return known(Value::Unknown);
                }
                let binding = ProviderBinding { package: PACKAGE.to_owned(), allow: String::new() };
                let key = format!("{function}{values:?}");
                self.ask(key, QuestionKind::Call { binding, function: function.clone(), arguments: values, at: CallPlace::default() }, events)
                    .map(evaluated)
            }
        }
    }

    #[expect(clippy::type_complexity, reason = "a test helper")]
    fn object(
        &mut self,
        attributes: &BTreeMap<String, Expr>,
        events: &mut Vec<Event>,
    ) -> Option<Option<(Value, Vec<Path>, Vec<Path>, BTreeSet<String>)>> {
        let mut references = BTreeSet::new();
        let (mut entries, mut ephemeral, mut sensitive) = (BTreeMap::new(), Vec::new(), Vec::new());
        let (mut waits, mut failed) = (false, false);
        for (name, expr) in attributes {
            match self.evaluate(expr, events, &mut references) {
                None => waits = true,
                Some(None) => failed = true,
                Some(Some(evaluated)) => {
                    if evaluated.ephemeral {
                        ephemeral.push(Path::attribute(name.clone()));
                    }
                    if evaluated.sensitive {
                        sensitive.push(Path::attribute(name.clone()));
                    }
                    entries.insert(name.into(), evaluated.value);
                }
            }
        }
        match (failed, waits) {
            (true, _) => Some(None),
            (_, true) => None,
            _ => Some(Some((Value::Map(entries), ephemeral, sensitive, references))),
        }
    }

    fn announce(&mut self, events: &mut Vec<Event>) {
        for (name, config) in self.script.instances.clone() {
            if self.announced.contains(&name) {
                continue;
            }
            if let Some(Some((config, ephemeral, sensitive, references))) = self.object(&config, events) {
                self.announced.insert(name.clone());
                events.push(Event::Instance(Box::new(Instance {
                    id: self.instance_ids[&name],
                    address: address(&name),
                    binding: ProviderBinding { package: PACKAGE.to_owned(), allow: String::new() },
                    config,
                    ephemeral,
                    sensitive,
                    dependencies: references.iter().map(|reference| address(reference)).collect(),
                    span: span(),
                })));
            }
        }
    }

    fn bodies(&mut self, events: &mut Vec<Event>) {
        let pending: Vec<String> = self.script.structs.keys().filter(|name| !self.emitted.contains(*name)).cloned().collect();
        for name in pending {
            if self.script.batch > 0 && events.len() >= self.script.batch {
                return;
            }
            let body = self.script.structs[&name].clone();
            if !self.announced.contains(&body.instance) {
                continue;
            }
            let Some(Some((config, ephemeral, sensitive, references))) = self.object(&body.attributes, events) else {
                continue;
            };
            self.emitted.insert(name.clone());
            events.push(Event::Body(Box::new(Body {
                address: address(&name),
                kind: body.kind,
                type_name: Arc::from(body.type_name.as_str()),
                instance: self.instance_ids[&body.instance],
                config,
                sensitive,
                ephemeral,
                meta: body.meta,
                references: references.iter().map(|reference| address(reference)).collect(),
                depends_on: body.depends_on.iter().map(|name| address(name)).collect(),
                reads_failed: false,
                span: span(),
            })));
        }
    }
}

fn evaluated(answer: Answer) -> Option<Evaluated> {
    match answer {
        Answer::Known { value, sensitive, ephemeral } => Some(Evaluated { value, ephemeral, sensitive }),
        Answer::Unknown { sensitive, ephemeral } => Some(Evaluated { value: Value::Unknown, ephemeral, sensitive }),
        Answer::Failed => None,
    }
}

impl Specification for Conversation {
    fn settings(&self) -> &Settings {
        &self.script.settings
    }

    fn sources(&self) -> &SourceMap {
        &self.sources
    }

    fn advance(&mut self) -> Result<Progress, Vec<Diagnostic>> {
        let mut events = Vec::new();
        if !self.groups_told {
            self.groups_told = true;
            for (new, old) in &self.script.groups {
                let from = Move { from: address(old), group: true, span: span() };
                events.push(Event::Group(Group { address: address(new), from }));
            }
        }
        if self.dirty {
            self.announce(&mut events);
            self.bodies(&mut events);
        }
        let done = self.emitted.len() == self.script.structs.len();
        let more = self.script.batch > 0 && events.len() >= self.script.batch;
        self.dirty = more;
        Ok(Progress { events, more, done })
    }

    fn answer(&mut self, question: QuestionId, answer: Answer) {
        assert!(self.answers.insert(question, answer).is_none(), "a question is answered once");
        self.dirty = true;
    }

    fn want_output(&mut self, _path: Option<&str>) -> Result<(), Vec<Diagnostic>> {
        Ok(())
    }

    fn output(&mut self, _path: Option<&str>) -> Result<Output, Vec<Diagnostic>> {
        Ok(Output { value: Value::Null, sensitive: Vec::new() })
    }

    fn inputs(&self) -> Vec<Input> {
        vec![Input { name: "main.cue".to_owned(), hash: self.script.version.to_string() }]
    }
}
