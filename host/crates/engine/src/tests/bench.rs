//! A specification, a world and a state, with the commands over them.

use std::sync::{Arc, Mutex};

use pravo_model::plan::Action;
use pravo_model::policy::Policy;
use pravo_model::specification::Specification;
use pravo_model::state::Timestamp;

use super::provider::{Fakes, Fault, Shared};
use super::scripted::{Conversation, Script, Struct};
use super::state::MemoryState;
use crate::*;

#[derive(Default)]
pub(super) struct Lines(pub(super) Mutex<Vec<String>>);

impl Observer for Lines {
    fn event(&self, event: RunEvent) {
        let id = |id: &Option<String>| id.as_ref().map(|id| format!(" [{id}]")).unwrap_or_default();
        let line = match event {
            RunEvent::Refreshing { address, id: one } => format!("{address}: refreshing{}", id(&one)),
            RunEvent::Started { address, operation, id: one } => format!("{address}: {operation:?}...{}", id(&one)),
            RunEvent::Completed { address, operation, id: one, .. } => format!("{address}: {operation:?} complete{}", id(&one)),
            RunEvent::Skipped { address, because } => format!("{address}: skipped for {because}"),
            RunEvent::Stopping => "stopping".to_owned(),
            RunEvent::Reading { .. } | RunEvent::Still { .. } | RunEvent::Progress { .. } | RunEvent::Failed { .. } | RunEvent::Warning { .. } => {
                return;
            }
        };
        self.0.lock().unwrap().push(line);
    }
}

/// Begins conversations.
pub(super) type Begin = Arc<dyn Fn() -> Result<Box<dyn Specification>, Failure> + Send + Sync>;

pub(super) struct Bench {
    /// Instead of the script.
    pub(super) conversations: Option<Begin>,
    pub(super) script: Script,
    pub(super) world: Shared,
    pub(super) state: MemoryState,
    pub(super) options: PlanOptions,
    pub(super) now: u64,
    pub(super) lines: Arc<Lines>,
    pub(super) interrupt: Interrupt,
    pub(super) policies: Vec<Arc<dyn Policy>>,
}

impl Bench {
    pub(super) fn new<'a>(structs: impl IntoIterator<Item = (&'a str, Struct)>) -> Self {
        let mut script = Script::default();
        script.instances.insert("$fake".to_owned(), [("region".to_owned(), "here".into())].into());
        structs.into_iter().for_each(|(address, body)| script.set(address, body));
        Self {
            conversations: None,
            script,
            world: Shared::default(),
            state: MemoryState::default(),
            options: PlanOptions::default(),
            now: 1_000_000,
            lines: Arc::default(),
            interrupt: Interrupt::new(),
            policies: Vec::new(),
        }
    }

    fn conversations(&self) -> Begin {
        if let Some(begin) = &self.conversations {
            return Arc::clone(begin);
        }
        let script = self.script.clone();
        Arc::new(move || Ok(Box::new(Conversation::new(script.clone())) as Box<dyn Specification>))
    }

    pub(super) fn fault(&self, call: &str, fault: Fault) {
        self.world.lock().unwrap().faults.insert(call.to_owned(), fault);
    }

    pub(super) fn no_faults(&self) {
        self.world.lock().unwrap().faults.clear();
    }

    /// The calls since the last time that were asked for.
    pub(super) fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.world.lock().unwrap().calls)
    }

    pub(super) fn lines(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.0.lock().unwrap())
    }

    pub(super) async fn plan(&mut self) -> Result<Plan, Failure> {
        self.now += 1000;
        let conversations = self.conversations();
        let view = self.state.view();
        plan(PlanRequest {
            conversations: &move || conversations(),
            providers: Arc::new(Fakes(self.world.clone())),
            state: &view,
            options: PlanOptions { now: Timestamp(self.now), ..self.options.clone() },
            policies: &self.policies,
            observer: self.lines.clone(),
            interrupt: self.interrupt.clone(),
        })
        .await
    }

    pub(super) async fn apply_plan(&mut self, plan: &Plan) -> Result<Applied, Failure> {
        let conversations = self.conversations();
        let view = self.state.view();
        apply(ApplyRequest {
            plan,
            conversations: &move || conversations(),
            providers: Arc::new(Fakes(self.world.clone())),
            state: &view,
            writer: self.state.writer(),
            command: "apply".to_owned(),
            lock: self.options.lock.clone(),
            observer: self.lines.clone(),
            interrupt: self.interrupt.clone(),
        })
        .await
    }

    /// Plans and applies; through a plan file, so that every test tests it.
    pub(super) async fn apply(&mut self) -> Result<Applied, Failure> {
        let plan = self.plan().await?;
        let file = Plan::decode(&plan.encode().unwrap()).unwrap();
        assert_eq!(file.content, plan.content);
        assert_eq!(file.document.changes, plan.document.changes);
        self.apply_plan(&file).await
    }

    /// An apply that must do everything; gives `added changed destroyed imported`.
    pub(super) async fn applied(&mut self) -> String {
        let applied = self.apply().await.unwrap();
        assert!(applied.is_complete(), "{:?} {:?}", applied.errors, applied.skipped);
        counts(&applied)
    }

    /// What a plan shows, in short.
    pub(super) async fn planned(&mut self) -> Vec<String> {
        match self.plan().await {
            Ok(plan) => shown(&plan),
            Err(failure) => failure.diagnostics.into_iter().map(|diagnostic| format!("Error: {}", diagnostic.summary)).collect(),
        }
    }

    pub(super) fn edges(&self) -> Vec<String> {
        let view = self.state.view();
        let edges = view.records.values().flat_map(|record| record.head.dependencies.iter().map(|other| format!("{} -> {other}", record.address)));
        edges.collect()
    }

    pub(super) fn records(&self) -> Vec<String> {
        self.state.view().records.into_keys().collect()
    }
}

pub(super) fn counts(applied: &Applied) -> String {
    let counts = &applied.transaction;
    format!("+{} ~{} -{} ={}", counts.added, counts.changed, counts.destroyed, counts.imported)
}

pub(super) fn shown(plan: &Plan) -> Vec<String> {
    let document = &plan.document;
    let mut lines = Vec::new();
    for drift in &document.drift {
        lines.push(format!("{} {} outside", drift.address, if drift.after.is_null() { "deleted" } else { "changed" }));
    }
    for change in &document.changes {
        let sign = match change.action {
            Action::NoOp => "=",
            Action::Create => "+",
            Action::Read => "<=",
            Action::Update => "~",
            Action::DeleteThenCreate => "-/+",
            Action::CreateThenDelete => "+/-",
            Action::Delete => "-",
            Action::DeleteDeposed => "- deposed",
            Action::Forget => ".",
        };
        let previous = change.previous.as_ref().map(|previous| format!(" from {previous}")).unwrap_or_default();
        let import = change.import.as_ref().map(|id| format!(" import {id}")).unwrap_or_default();
        lines.push(format!("{sign} {}{previous}{import}", change.address));
    }
    lines.extend(plan.blocked.iter().map(|diagnostic| format!("Blocked: {}", diagnostic.summary)));
    let summary = document.summary;
    if summary != Default::default() {
        lines.push(format!("+{} ~{} -{} ={}", summary.add, summary.change, summary.destroy, summary.import));
    }
    lines.push(document.graph.to_string());
    lines
}
