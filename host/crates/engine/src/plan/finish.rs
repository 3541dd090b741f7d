//! From decided nodes to a plan: what left the specification, what is shown, what is recorded, and the steps.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use pravo_diag::Diagnostic;
use pravo_model::plan::{Action, PlanDocument, Reason, ResourceChange, Summary};
use pravo_model::specification::Kind;
use pravo_model::state::{Deposed, Head, IntentAction, Record, Status};
use pravo_model::{Address, Value};

use super::data::{Basis, Content, Plan, Target};
use super::decide::{doubtful, identified, uncertain};
use super::jobs::Job;
use super::node::{Decided, Keeping, NodeId, Visited};
use super::order::{self, Ordered};
use super::planner::Planner;
use crate::failure::Failure;
use crate::record;
use crate::subject::Subject;

/// One thing that is done, before it is written as a target.
struct Doing {
    node: NodeId,
    target: Target,
    deposed: Option<String>,
}

impl Planner<'_> {
    /// Plans the deletion of everything that left the specification.
    pub(super) async fn plan_left(&mut self) -> Result<(), Failure> {
        let mut left: Vec<Address> = self.heads.keys().cloned().collect();
        let cut_off = self.intents.keys().filter(|address| !self.heads.contains_key(*address) && self.graph.find(address).is_none());
        left.extend(cut_off.cloned());
        left.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        for address in left {
            if let Err(diagnostic) = self.plan_deletion(&address, false) {
                self.errors.push(diagnostic);
            }
        }
        self.wait_for_all().await
    }

    /// Plans the deletion of one record; `read` where it is due.
    pub(super) fn plan_deletion(&mut self, address: &Address, read: bool) -> Result<(), Diagnostic> {
        let head = self.heads.remove(address);
        let kind = head.as_ref().map_or(Kind::Resource, |head| head.kind);
        let id = self.graph.enter(address, kind);
        if let Some(head) = head {
            let node = self.graph.node_mut(id);
            node.kind = kind;
            node.head = Some(head);
        }
        if self.scope.as_ref().is_some_and(|scope| !scope.holds(address)) {
            self.settle(id, Decided::Recorded);
            return Ok(());
        }
        if kind == Kind::Data {
            self.forgotten.push(address.clone());
            self.settle(id, Decided::Forgotten);
            return Ok(());
        }
        let record = self.load(id)?;
        let intents = self.take_intents(id);
        let must_read = intents.iter().any(|intent| matches!(intent.action, IntentAction::Update | IntentAction::Delete));
        let create = intents.iter().find(|intent| intent.action == IntentAction::Create);
        let found = create.and_then(|intent| identified(intent, record.as_ref(), address));
        let was_found = found.is_some();
        let is_uncertain = record.as_ref().is_some_and(|record| record.head.status == Status::Uncertain);
        if found.is_none() && (create.is_some() || is_uncertain) {
            if self.request.options.retry.contains(address) {
                self.forgotten.push(address.clone());
                self.settle(id, Decided::Forgotten);
            } else {
                let uncertain = create.and_then(|intent| uncertain(intent, record.as_ref(), address));
                self.recovered.extend(uncertain);
                self.blocked.push(doubtful(address));
                self.settle(id, Decided::Blocked);
            }
            return Ok(());
        }
        let Some(record) = found.or(record) else {
            self.settle(id, Decided::Absent);
            return Ok(());
        };
        let binding = Arc::new(record.binding.clone());
        let type_name: Arc<str> = record.type_name.as_str().into();
        let subject = Subject::new(&self.shared.pool, &binding, Kind::Resource, &type_name, address, None)?;
        let slot = self.instances.slot_for_record(&self.shared.pool, &record.instance, &record.binding);
        if slot.is_none() && !self.instances.has(&record.instance) {
            let text = format!("{address}: its provider instance {} is neither in the specification nor in the state", record.instance);
            return Err(Diagnostic::error("provider.instance", text)
                .with_help(format!("add the instance again to delete the object, or forget it with pravo state rm '{address}'")));
        }
        let read = (read || must_read || was_found) && slot.is_some();
        if read && record.object.is_some() {
            self.counts.refreshed += 1;
        }
        self.enqueue(Some(id), Job::Destroy { subject, slot, record: Box::new(record), read });
        Ok(())
    }

    /// A replacement that creates first makes everything that it depends on, and that is replaced too, do the same.
    fn spread_create_before_destroy(&mut self) {
        let mut open: Vec<NodeId> = self
            .graph
            .iter()
            .filter(|(_, node)| node.visited().is_some_and(|visited| visited.action == Action::CreateThenDelete))
            .map(|(id, _)| id)
            .collect();
        let mut seen: HashSet<NodeId> = open.iter().copied().collect();
        while let Some(next) = open.pop() {
            for dependency in self.graph.real_dependencies(next) {
                if !seen.insert(dependency) {
                    continue;
                }
                open.push(dependency);
                if let Some(Decided::Visited(visited)) = &mut self.graph.node_mut(dependency).decided
                    && visited.action == Action::DeleteThenCreate
                    && !visited.retyped
                {
                    visited.action = Action::CreateThenDelete;
                    visited.create_before_destroy = true;
                }
            }
        }
    }

    /// The plan.
    pub(super) fn finish(mut self) -> Result<Plan, Failure> {
        self.spread_create_before_destroy();
        let doing = self.doing()?;
        let targets: Vec<Ordered> = self.ordered(&doing);
        let steps = order::steps(&targets).map_err(Failure::of)?;
        let mut content = Content {
            destroy: self.request.options.destroy,
            partial: self.scope.is_some(),
            lock: self.request.options.lock.clone(),
            moves: self.sorted_moves(),
            closes: std::mem::take(&mut self.closes),
            instances: self.instances.changed(&self.shared.pool),
            steps,
            calls: self.functions.digests(),
            ephemerals: self.needed.iter().cloned().collect(),
            ..Content::default()
        };
        content.key = crate::fingerprint::plan_key(&self.key);
        let document = self.document(&doing)?;
        self.keep(&mut content)?;
        content.basis = self.basis(&doing)?;
        content.targets = doing.into_iter().map(|doing| doing.target).collect();
        Ok(Plan { document, blocked: std::mem::take(&mut self.blocked), content, ..Plan::default() })
    }

    fn sorted_moves(&self) -> Vec<(Address, Address)> {
        let mut moves: Vec<(Address, Address)> = self.moved.iter().map(|(from, to)| (from.clone(), to.clone())).collect();
        moves.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
        moves
    }

    /// Everything that has an action, in the order of addresses.
    fn doing(&mut self) -> Result<Vec<Doing>, Failure> {
        let mut doing = Vec::new();
        let ids: Vec<NodeId> = self.graph.ids().collect();
        for id in ids {
            let node = self.graph.node(id);
            if let Some(visited) = node.visited().filter(|visited| visited.action != Action::NoOp) {
                let target = Target {
                    address: node.address.clone(),
                    kind: node.kind,
                    type_name: visited.subject.type_name.to_string(),
                    binding: (*visited.subject.binding).clone(),
                    instance: visited.instance_address.clone(),
                    action: visited.action,
                    reason: visited.reason.unwrap_or(Reason::Configuration),
                    after: visited.after.clone(),
                    dependencies: self.graph.edges(id),
                    private: visited.private.clone(),
                };
                doing.push(Doing { node: id, target, deposed: None });
            }
            let in_scope = self.scope.as_ref().is_none_or(|scope| scope.holds(&node.address));
            let is_blocked = matches!(node.decided, Some(Decided::Blocked));
            if node.head.as_ref().is_some_and(|head| head.has_deposed) && in_scope && !is_blocked {
                let record = self.load(id).map_err(Failure::of)?;
                doing.extend(record.iter().flat_map(|record| record.deposed.iter().map(move |deposed| deposed_doing(id, record, deposed))));
            }
        }
        doing.sort_by_cached_key(|doing| (doing.target.address.segments(), doing.deposed.clone()));
        Ok(doing)
    }

    fn ordered(&self, doing: &[Doing]) -> Vec<Ordered> {
        let index: HashMap<NodeId, usize> =
            doing.iter().enumerate().filter(|(_, doing)| doing.deposed.is_none()).map(|(index, doing)| (doing.node, index)).collect();
        let ends: HashMap<&Address, usize> = doing
            .iter()
            .enumerate()
            .filter(|(_, doing)| doing.deposed.is_some() || doing.target.action == Action::Delete || doing.target.action.is_replace())
            .map(|(index, doing)| (&doing.target.address, index))
            .collect();
        let mut stored: HashMap<&Address, Vec<usize>> = HashMap::new();
        if !ends.is_empty() {
            for (id, node) in self.graph.iter() {
                let (Some(head), Some(own)) = (&node.head, index.get(&id)) else {
                    continue;
                };
                for dependency in &head.dependencies {
                    let dependency = self.moved.get(dependency).unwrap_or(dependency);
                    if let Some((address, _)) = ends.get_key_value(dependency) {
                        stored.entry(address).or_default().push(*own);
                    }
                }
            }
        }
        let ordered = |doing: &Doing| Ordered {
            address: doing.target.address.clone(),
            action: doing.target.action,
            deposed: doing.deposed.clone(),
            dependencies: if doing.deposed.is_some() {
                Vec::new()
            } else {
                self.graph.real_dependencies(doing.node).into_iter().filter_map(|id| index.get(&id).copied()).collect()
            },
            stored_dependents: stored.get(&doing.target.address).cloned().unwrap_or_default(),
        };
        doing.iter().map(ordered).collect()
    }

    /// What is written before any step.
    fn keep(&mut self, content: &mut Content) -> Result<(), Failure> {
        content.puts = std::mem::take(&mut self.recovered);
        content.removes = std::mem::take(&mut self.forgotten);
        let ids: Vec<NodeId> = self.graph.ids().collect();
        for id in ids {
            let node = self.graph.node(id);
            let visited = node.visited();
            let quiet = visited.is_none_or(|visited| visited.action == Action::NoOp);
            match visited {
                Some(Visited { keeping: Keeping::Put, record: Some(record), import, .. }) => {
                    let mut record = record.clone();
                    if quiet && node.walked {
                        record.head.fingerprint = node.fingerprint;
                        record.head.dependencies = self.graph.edges(id);
                    }
                    content.imports.extend(import.clone().map(|import| (node.address.clone(), import)));
                    content.puts.push(record);
                }
                Some(Visited { keeping: Keeping::Remove, .. }) => content.removes.push(node.address.clone()),
                _ => {
                    if let Some(head) = self.changed_head(id, quiet) {
                        content.heads.push((self.graph.node(id).address.clone(), head));
                        self.load(id).map_err(Failure::of)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The head of a node as it is to be written; `None` where nothing about it changed.
    fn changed_head(&self, id: NodeId, quiet: bool) -> Option<Head> {
        let node = self.graph.node(id);
        let old = node.head.as_ref()?;
        if quiet {
            if !self.touched.contains(&id) || !node.walked {
                return None;
            }
            return Some(Head { fingerprint: node.fingerprint, dependencies: self.graph.edges(id), ..old.clone() });
        }
        // An action whose configuration is the recorded one must not look done while it is not.
        (old.fingerprint.is_some() && old.fingerprint == node.fingerprint).then(|| Head { fingerprint: None, ..old.clone() })
    }

    fn basis(&mut self, doing: &[Doing]) -> Result<Basis, Failure> {
        let mut basis = Basis::default();
        for doing in doing {
            let node = self.graph.node(doing.node);
            let stored = node.stored_address().clone();
            if node.head.is_none() {
                basis.absent.push(stored);
            } else if doing.deposed.is_none() {
                if doing.target.action == Action::Delete || doing.target.action.is_replace() {
                    let dependents = self.request.state.dependents(&stored)?;
                    basis.dependents.push((stored, dependents));
                }
                self.load(doing.node).map_err(Failure::of)?;
            }
        }
        basis.absent.extend(self.moved.values().cloned());
        basis.records = std::mem::take(&mut self.stamps).into_iter().collect();
        basis.records.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
        Ok(basis)
    }

    fn document(&mut self, doing: &[Doing]) -> Result<PlanDocument, Failure> {
        let mut changes: BTreeMap<(Vec<pravo_model::Segment>, Option<String>), ResourceChange> = BTreeMap::new();
        for doing in doing {
            let change = self.change(doing);
            changes.insert((doing.target.address.segments(), doing.deposed.clone()), change);
        }
        let ids: Vec<NodeId> = self.graph.ids().collect();
        for id in ids {
            let node = self.graph.node(id);
            let is_import = node.visited().is_some_and(|visited| visited.import.is_some());
            let key = (node.address.segments(), None);
            if (node.previous.is_none() && !is_import) || changes.contains_key(&key) {
                continue;
            }
            if let Some(change) = self.quiet_change(id).map_err(Failure::of)? {
                changes.insert(key, change);
            }
        }
        self.count();
        let changes: Vec<ResourceChange> = changes.into_values().collect();
        let mut drift = std::mem::take(&mut self.drift);
        drift.sort_by_cached_key(|drift| drift.address.segments());
        Ok(PlanDocument { summary: summary(&changes), changes, drift, graph: self.counts, warnings: std::mem::take(&mut self.warnings) })
    }

    fn count(&mut self) {
        let (mut planned, mut total) = (0, 0);
        for (_, node) in self.graph.iter() {
            if node.kind == Kind::Ephemeral || !(node.walked || node.head.is_some()) {
                continue;
            }
            let visited = node.visited();
            let only_deposed = !node.walked && visited.is_some_and(|visited| visited.reason.is_none());
            if only_deposed {
                continue;
            }
            total += 1;
            let reached = match &node.decided {
                Some(Decided::Visited(visited)) => visited.reason.is_some(),
                Some(Decided::Blocked | Decided::Forgotten) => true,
                _ => false,
            };
            planned += u64::from(reached);
        }
        self.counts.planned = planned;
        self.counts.total = total;
    }

    fn change(&self, doing: &Doing) -> ResourceChange {
        let node = self.graph.node(doing.node);
        if let (None, Some(visited)) = (&doing.deposed, node.visited()) {
            return change_of(node, visited);
        }
        let target = &doing.target;
        let (before, sensitive) = self.deposed_value(doing);
        ResourceChange {
            address: target.address.clone(),
            previous: None,
            kind: target.kind,
            type_name: target.type_name.clone(),
            provider: target.binding.package.clone(),
            action: Action::DeleteDeposed,
            reason: Reason::Deposed,
            import: None,
            deposed: doing.deposed.clone(),
            before,
            after: Value::Null,
            replace_paths: Vec::new(),
            sensitive,
        }
    }

    fn deposed_value(&self, doing: &Doing) -> (Value, Vec<pravo_model::Path>) {
        let record = self.request.state.record(self.graph.node(doing.node).stored_address()).ok().flatten();
        let deposed = record.as_ref().and_then(|record| record.deposed.iter().find(|deposed| Some(&deposed.key) == doing.deposed.as_ref()));
        let target = &doing.target;
        let binding = Arc::new(target.binding.clone());
        let type_name: Arc<str> = target.type_name.as_str().into();
        let subject = Subject::new(&self.shared.pool, &binding, target.kind, &type_name, &target.address, None);
        match (deposed, subject) {
            (Some(deposed), Ok(subject)) => {
                let value = record::restore(&subject, &deposed.object);
                let mut sensitive = subject.sensitive(&value);
                sensitive.extend(deposed.object.sensitive.clone());
                (value, sensitive)
            }
            _ => (Value::Null, Vec::new()),
        }
    }

    /// A move or an import of something that is otherwise as it is recorded.
    fn quiet_change(&mut self, id: NodeId) -> Result<Option<ResourceChange>, Diagnostic> {
        if let Some(visited) = self.graph.node(id).visited() {
            return Ok(Some(change_of(self.graph.node(id), visited)));
        }
        let Some(record) = self.load(id)? else {
            return Ok(None);
        };
        let binding = Arc::new(record.binding.clone());
        let type_name: Arc<str> = record.type_name.as_str().into();
        let subject = Subject::new(&self.shared.pool, &binding, record.head.kind, &type_name, &record.address, None)?;
        let value = record.object.as_ref().map_or(Value::Null, |object| record::restore(&subject, object));
        let mut sensitive = subject.sensitive(&value);
        sensitive.extend(record.object.into_iter().flat_map(|object| object.sensitive));
        Ok(Some(ResourceChange {
            address: record.address,
            previous: self.graph.node(id).previous.clone(),
            kind: record.head.kind,
            type_name: record.type_name,
            provider: record.binding.package,
            action: Action::NoOp,
            reason: Reason::Configuration,
            import: None,
            deposed: None,
            before: value.clone(),
            after: value,
            replace_paths: Vec::new(),
            sensitive,
        }))
    }
}

fn deposed_doing(node: NodeId, record: &Record, deposed: &Deposed) -> Doing {
    let target = Target {
        address: record.address.clone(),
        kind: record.head.kind,
        type_name: record.type_name.clone(),
        binding: record.binding.clone(),
        instance: record.instance.clone(),
        action: Action::DeleteDeposed,
        reason: Reason::Deposed,
        after: Value::Null,
        dependencies: record.head.dependencies.clone(),
        private: deposed.object.private.clone(),
    };
    Doing { node, target, deposed: Some(deposed.key.clone()) }
}

fn change_of(node: &super::node::Node, visited: &Visited) -> ResourceChange {
    let mut sensitive = visited.subject.sensitive(&visited.before);
    sensitive.extend(visited.subject.sensitive(&visited.after));
    sensitive.extend(visited.sensitive.clone());
    sensitive.extend(visited.record.iter().filter_map(|record| record.object.as_ref()).flat_map(|object| object.sensitive.clone()));
    sensitive.sort();
    sensitive.dedup();
    ResourceChange {
        address: node.address.clone(),
        previous: node.previous.clone(),
        kind: node.kind,
        type_name: visited.subject.type_name.to_string(),
        provider: visited.subject.binding.package.clone(),
        action: visited.action,
        reason: visited.reason.unwrap_or(Reason::Configuration),
        import: visited.import.clone(),
        deposed: None,
        before: visited.before.clone(),
        after: visited.after.clone(),
        replace_paths: visited.replace_paths.clone(),
        sensitive,
    }
}

fn summary(changes: &[ResourceChange]) -> Summary {
    let mut summary = Summary::default();
    for change in changes {
        summary.import += u64::from(change.import.is_some());
        match change.action {
            Action::Create => summary.add += 1,
            Action::Update => summary.change += 1,
            Action::DeleteThenCreate | Action::CreateThenDelete => {
                summary.add += 1;
                summary.destroy += 1;
            }
            Action::Delete | Action::DeleteDeposed => summary.destroy += 1,
            Action::NoOp | Action::Read | Action::Forget => {}
        }
    }
    summary
}
