//! What jobs bring back becomes decisions.

use pravo_diag::Diagnostic;
use pravo_model::Value;
use pravo_model::plan::{Action, Drift, Reason};
use pravo_model::provider::CurrentObject;
use pravo_model::state::{Head, Record, Status, TransactionId};

use super::jobs::{Destroyable, Done, Examine, Examined, Finished};
use super::node::{Decided, Keeping, NodeId, Visited};
use super::planner::Planner;
use crate::calls::Verdict;
use crate::failure::Failure;
use crate::record;
use crate::subject::Subject;

impl Planner<'_> {
    /// Takes a finished job.
    pub(super) fn integrate(&mut self, finished: Finished) -> Result<(), Failure> {
        let Finished { node, done, diagnostics } = finished;
        for diagnostic in diagnostics {
            if diagnostic.is_error() {
                self.errors.push(diagnostic);
            } else if !self.warnings.contains(&diagnostic) {
                self.warnings.push(diagnostic);
            }
        }
        match (done, node) {
            (Done::Call(call, result), _) => {
                let (answers, contradiction) = self.functions.done(&call, result);
                self.errors.extend(contradiction);
                answers.into_iter().for_each(|(question, answer)| self.reply(question, answer));
            }
            (Done::Resource(examine, Ok(examined)), Some(id)) => {
                if let Err(diagnostic) = self.integrate_resource(id, *examine, examined) {
                    self.fail(id, diagnostic);
                }
            }
            (Done::Data(examine, Ok(value)), Some(id)) => {
                if let Err(diagnostic) = self.integrate_data(id, *examine, value) {
                    self.fail(id, diagnostic);
                }
            }
            (Done::Open(subject, Ok(value)), Some(id)) => self.settle(id, Decided::Ephemeral(Box::new(value), subject)),
            (Done::Destroy { subject, record, found: Ok(found) }, Some(id)) => {
                if let Err(diagnostic) = self.integrate_destroy(id, subject, *record, found) {
                    self.fail(id, diagnostic);
                }
            }
            (_, Some(id)) => self.settle(id, Decided::Failed),
            (_, None) => {}
        }
        Ok(())
    }

    fn integrate_resource(&mut self, id: NodeId, examine: Examine, examined: Examined) -> Result<(), Diagnostic> {
        let Examine { subject, body, record, import, retyped, .. } = examine;
        let is_retyped = retyped.is_some();
        let Examined { recorded, current, reason, outcome } = examined;
        let now = self.request.options.now;
        let was_read = current.is_some();
        let mut before = retyped.unwrap_or_else(|| recorded.clone());
        let mut keeping = Keeping::Keep;
        let mut record = record;
        if let Some(current) = current {
            if import.is_none() && current.value != recorded && !self.was_cut_off(id) {
                self.note_drift(&subject, &recorded, &current.value, record.as_ref());
            }
            (record, keeping) = self.after_read(id, &subject, &body, record, &current)?;
            before = current.value;
        }
        if was_read && let Some(head) = &mut self.graph.node_mut(id).head {
            head.read_at = now;
        }
        let Some(outcome) = outcome else {
            if keeping == Keeping::Keep {
                self.touched.insert(id);
                self.settle(id, Decided::Recorded);
                return Ok(());
            }
            let visited = Visited { reason: None, after: before.clone(), ..self.visited(subject, &body, record, before) };
            self.settle(id, Decided::Visited(Box::new(Visited { keeping, ..visited })));
            return Ok(());
        };
        let action = match outcome.verdict {
            Verdict::NoOp => Action::NoOp,
            Verdict::Create if is_retyped => Action::DeleteThenCreate,
            Verdict::Create => Action::Create,
            Verdict::Update => Action::Update,
            Verdict::Replace if body.meta.create_before_destroy => Action::CreateThenDelete,
            Verdict::Replace => Action::DeleteThenCreate,
        };
        if action.is_replace() && body.meta.prevent_destroy {
            let text = format!("{}: replacement requires destroying the resource, but $lifecycle.prevent_destroy is set", body.address);
            return Err(Diagnostic::error("plan.prevent_destroy", text));
        }
        if action == Action::NoOp {
            self.touched.insert(id);
            if keeping == Keeping::Keep && self.hand_over(id, &subject, &body, record.as_mut()) {
                keeping = Keeping::Put;
            }
        }
        let visited = Visited {
            reason,
            action,
            keeping,
            after: outcome.planned,
            private: outcome.private,
            replace_paths: outcome.replace_paths,
            import,
            retyped: is_retyped,
            ..self.visited(subject, &body, record, before)
        };
        self.settle(id, Decided::Visited(Box::new(visited)));
        Ok(())
    }

    /// Records the instance that an object belongs to now, where that is another; whether it is.
    fn hand_over(&self, id: NodeId, subject: &Subject, body: &pravo_model::specification::Body, record: Option<&mut Record>) -> bool {
        let (Some(known), Some(record)) = (self.instances.get(body.instance), record) else { return false };
        if record.instance == known.instance.address && record.binding == *subject.binding {
            return false;
        }
        record.instance = known.instance.address.clone();
        record.binding = (*subject.binding).clone();
        if let Some(head) = &self.graph.node(id).head {
            record.head.read_at = head.read_at;
        }
        true
    }

    fn visited(&self, subject: Subject, body: &pravo_model::specification::Body, record: Option<Record>, before: Value) -> Visited {
        let instance = self.instances.get(body.instance);
        Visited {
            subject,
            instance_address: instance.map_or_else(|| body.address.clone(), |known| known.instance.address.clone()),
            reason: None,
            action: Action::NoOp,
            record,
            keeping: Keeping::Keep,
            before,
            after: Value::Null,
            private: Vec::new(),
            replace_paths: Vec::new(),
            import: None,
            sensitive: body.sensitive.clone(),
            create_before_destroy: body.meta.create_before_destroy,
            retyped: false,
        }
    }

    /// Whether a killed run left the object, so that a difference is its doing.
    fn was_cut_off(&self, id: NodeId) -> bool {
        self.intents.contains_key(self.graph.node(id).stored_address())
    }

    fn note_drift(&mut self, subject: &Subject, recorded: &Value, current: &Value, record: Option<&Record>) {
        let mut sensitive = subject.sensitive(recorded);
        sensitive.extend(subject.sensitive(current));
        sensitive.extend(record.iter().filter_map(|record| record.object.as_ref()).flat_map(|object| object.sensitive.clone()));
        sensitive.sort();
        sensitive.dedup();
        self.drift.push(Drift {
            address: subject.address().clone(),
            type_name: subject.type_name.to_string(),
            before: recorded.clone(),
            after: current.clone(),
            sensitive,
        });
    }

    /// The record as it was read or imported, and what is done with it.
    fn after_read(
        &mut self,
        id: NodeId,
        subject: &Subject,
        body: &pravo_model::specification::Body,
        record: Option<Record>,
        current: &CurrentObject,
    ) -> Result<(Option<Record>, Keeping), Diagnostic> {
        if current.value.is_null() {
            return Ok(match record {
                Some(record) if !record.deposed.is_empty() => (Some(Record { object: None, ..record }), Keeping::Put),
                Some(_) if self.graph.node(id).head.is_some() => (None, Keeping::Remove),
                _ => (None, Keeping::Keep),
            });
        }
        let object = record::store(subject, current, &body.sensitive)?;
        let is_new = self.graph.node(id).head.is_none();
        let same = record.as_ref().is_some_and(|record| record.object.as_ref().is_some_and(|old| same_object(old, &object)));
        if same && !is_new && !self.was_cut_off(id) {
            return Ok((record, Keeping::Keep));
        }
        let mut record = record.unwrap_or_else(|| self.fresh_record(id, subject, body));
        record.object = Some(object);
        record.head.read_at = self.request.options.now;
        // What was recorded no longer stands: only a plan that changes nothing may bring the fingerprint back.
        record.head.fingerprint = None;
        if record.head.status == Status::Uncertain {
            record.head.status = Status::Ready;
        }
        Ok((Some(record), Keeping::Put))
    }

    /// A record for an object that has none yet.
    fn fresh_record(&self, id: NodeId, subject: &Subject, body: &pravo_model::specification::Body) -> Record {
        let instance = self.instances.get(body.instance);
        Record {
            address: body.address.clone(),
            type_name: subject.type_name.to_string(),
            head: Head {
                fingerprint: None,
                read_at: self.request.options.now,
                status: Status::Ready,
                kind: subject.kind,
                has_deposed: false,
                dependencies: self.graph.edges(id),
            },
            binding: (*subject.binding).clone(),
            instance: instance.map_or_else(|| body.address.clone(), |known| known.instance.address.clone()),
            object: None,
            deposed: Vec::new(),
            create_before_destroy: body.meta.create_before_destroy,
            transaction: TransactionId(0),
        }
    }

    fn integrate_data(&mut self, id: NodeId, examine: Examine, value: Value) -> Result<(), Diagnostic> {
        let Examine { subject, body, record, reason, .. } = examine;
        let now = self.request.options.now;
        if let Some(head) = &mut self.graph.node_mut(id).head {
            head.read_at = now;
        }
        let before =
            record.as_ref().and_then(|record| record.object.as_ref()).map_or_else(Value::default, |object| record::restore(&subject, object));
        self.touched.insert(id);
        if reason.is_none() && before == value {
            self.settle(id, Decided::Recorded);
            return Ok(());
        }
        let object = record::store(&subject, &CurrentObject { value: value.clone(), private: Vec::new() }, &body.sensitive)?;
        let mut record = record.unwrap_or_else(|| self.fresh_record(id, &subject, &body));
        record.object = Some(object);
        record.head.read_at = now;
        let visited = Visited {
            reason: reason.or(Some(Reason::Drift)),
            keeping: Keeping::Put,
            after: value,
            ..self.visited(subject, &body, Some(record), before)
        };
        self.settle(id, Decided::Visited(Box::new(visited)));
        Ok(())
    }

    fn integrate_destroy(&mut self, id: NodeId, subject: Subject, record: Record, found: Destroyable) -> Result<(), Diagnostic> {
        let Destroyable { recorded, current, private } = found;
        let cut_off = self.was_cut_off(id);
        let mut visited = Visited {
            instance_address: record.instance.clone(),
            reason: Some(if self.request.options.destroy { Reason::Destroy } else { Reason::LeftSpecification }),
            action: Action::Delete,
            keeping: Keeping::Keep,
            before: recorded.clone(),
            after: Value::Null,
            private,
            replace_paths: Vec::new(),
            import: None,
            sensitive: record.object.as_ref().map(|object| object.sensitive.clone()).unwrap_or_default(),
            create_before_destroy: record.create_before_destroy,
            retyped: false,
            record: Some(record.clone()),
            subject,
        };
        if record.object.is_none() {
            // Only deposed objects are left: they have steps of their own.
            visited.action = Action::NoOp;
            visited.reason = None;
        }
        if let Some(current) = current {
            if current.value != recorded && !cut_off {
                self.note_drift(&visited.subject, &recorded, &current.value, Some(&record));
            }
            if let Some(head) = &mut self.graph.node_mut(id).head {
                head.read_at = self.request.options.now;
            }
            if current.value.is_null() {
                visited.action = Action::NoOp;
                let is_stored = self.graph.node(id).head.is_some();
                visited.keeping = if is_stored && record.deposed.is_empty() { Keeping::Remove } else { Keeping::Keep };
                visited.record = None;
                if !record.deposed.is_empty() {
                    visited.record = Some(Record { object: None, ..record });
                    visited.keeping = Keeping::Put;
                }
            } else {
                let object = record::store(&visited.subject, &current, &visited.sensitive)?;
                if record.object.as_ref().is_none_or(|old| !same_object(old, &object)) || cut_off {
                    let mut record = Record { object: Some(object), ..record };
                    record.head.fingerprint = None;
                    visited.record = Some(record);
                    visited.keeping = Keeping::Put;
                }
                visited.before = current.value;
            }
        }
        self.settle(id, Decided::Visited(Box::new(visited)));
        Ok(())
    }
}

fn same_object(old: &pravo_model::state::Object, new: &pravo_model::state::Object) -> bool {
    old.attributes == new.attributes && old.private == new.private && old.schema_version == new.schema_version && old.sensitive == new.sensitive
}
