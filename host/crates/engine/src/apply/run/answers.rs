//! Answers of an apply: from what was made, from the records, from ephemerals that are opened once their dependencies are done.

use std::sync::Arc;

use pravo_model::specification::{Answer, Body, Question, QuestionKind};
use pravo_model::{Address, Path, Value};

use super::{Applier, Finished, Made, Standing};
use crate::functions::Call;
use crate::instances;
use crate::plan::record_answer;
use crate::proposed::placeholder;
use crate::subject::Subject;

impl Applier<'_> {
    pub(super) fn ephemeral(&mut self, body: Box<Body>) {
        let Some(known) = self.instances.get(body.instance).cloned().filter(|_| !body.reads_failed) else {
            return self.lose(&body.address);
        };
        let subject = Subject::new(&self.shared.pool, &known.binding, body.kind, &body.type_name, &body.address, Some(body.span));
        let subject = match subject {
            Ok(subject) => subject,
            Err(diagnostic) => {
                self.applied.errors.push(diagnostic);
                return self.lose(&body.address);
            }
        };
        if !self.content.ephemerals.contains(&body.address) || !body.config.is_wholly_known() || !known.instance.config.is_wholly_known() {
            let value = placeholder(subject.shape(), &subject.shape().complete(&body.config));
            return self.make(Made { subject, value, sensitive: Vec::new(), ephemeral: true });
        }
        let addresses = body.references.iter().chain(&body.depends_on).chain(&known.instance.dependencies);
        let waits: Vec<usize> = addresses.filter_map(|address| self.main.get(self.targets.get(address)?).copied()).collect();
        self.opening.push((body, waits));
    }

    /// Opens the ephemerals whose dependencies are done.
    pub(super) fn open(&mut self) {
        let opening = std::mem::take(&mut self.opening);
        for (body, waits) in opening {
            let standing = |step: &usize| self.steps.get(*step).map_or(Standing::Done, |step| step.standing);
            if waits.iter().any(|step| matches!(standing(step), Standing::Failed | Standing::Skipped)) {
                self.lose(&body.address);
            } else if waits.iter().all(|step| standing(step) == Standing::Done) {
                self.open_now(&body);
            } else {
                self.opening.push((body, waits));
            }
        }
    }

    fn open_now(&mut self, body: &Body) {
        let Some(known) = self.instances.get(body.instance).cloned() else {
            return self.lose(&body.address);
        };
        let Ok(subject) = Subject::new(&self.shared.pool, &known.binding, body.kind, &body.type_name, &body.address, Some(body.span)) else {
            return self.lose(&body.address);
        };
        let slot = instances::slot(&self.shared.pool, &known);
        let (shared, ephemerals, config) = (Arc::clone(&self.shared), Arc::clone(&self.ephemerals), body.config.clone());
        self.jobs.spawn(async move {
            let mut diagnostics = Vec::new();
            let value = ephemerals.open(&shared.pool, &slot, &subject, &config, &mut diagnostics).await;
            Finished::Open(subject, value, diagnostics)
        });
    }

    pub(super) fn question(&mut self, question: Question) {
        match question.kind {
            QuestionKind::Attribute { owner, path } => match self.answer(&owner, &path) {
                Some(answer) => self.answers.push((question.id, answer)),
                None => self.asked.entry(owner).or_default().push((question.id, path)),
            },
            QuestionKind::Call { binding, function, arguments, at } => {
                let call = Call { binding, function, arguments, at };
                match self.functions.ask(question.id, &call) {
                    Ok(answer) => self.answers.push((question.id, answer)),
                    Err(true) => self.calls.push(call),
                    Err(false) => {}
                }
            }
        }
    }

    /// An answer, if there can be one now.
    fn answer(&mut self, owner: &Address, path: &Path) -> Option<Answer> {
        if self.lost.contains(owner) {
            return Some(Answer::Failed);
        }
        if let Some(made) = self.made.get(owner) {
            return Some(answer(made, path));
        }
        if self.targets.get(owner).is_some_and(|target| self.main.contains_key(target)) {
            return None;
        }
        match self.overlay.get(owner) {
            Ok(Some(record)) if record.object.is_some() => match record_answer(&self.shared.pool, &record, path) {
                Ok(answer) => Some(answer),
                Err(diagnostic) => {
                    self.applied.errors.push(diagnostic);
                    Some(Answer::Failed)
                }
            },
            // An ephemeral whose body is not known yet, or something that the plan left out.
            Ok(_) => None,
            Err(diagnostic) => {
                self.applied.errors.push(diagnostic);
                Some(Answer::Failed)
            }
        }
    }

    pub(super) fn make(&mut self, made: Made) {
        let address = made.subject.address().clone();
        for (question, path) in self.asked.remove(&address).unwrap_or_default() {
            self.answers.push((question, answer(&made, &path)));
        }
        self.made.insert(address, made);
    }

    pub(super) fn lose(&mut self, address: &Address) {
        for (question, _) in self.asked.remove(address).unwrap_or_default() {
            self.answers.push((question, Answer::Failed));
        }
        self.lost.insert(address.clone());
    }

    /// Nothing else can be found out: what was left out of the plan and has no record stays unknown.
    pub(super) fn give_up_waiting(&mut self) -> bool {
        let given_up: Vec<Address> =
            self.asked.keys().filter(|owner| self.targets.get(*owner).is_none_or(|target| !self.main.contains_key(target))).cloned().collect();
        for owner in &given_up {
            for (question, _) in self.asked.remove(owner).unwrap_or_default() {
                self.answers.push((question, Answer::Unknown { sensitive: false, ephemeral: false }));
            }
        }
        !given_up.is_empty()
    }
}

fn answer(made: &Made, path: &Path) -> Answer {
    let sensitive = made.subject.is_sensitive(path) || made.sensitive.iter().any(|hidden| hidden.contains(path) || path.contains(hidden));
    let ephemeral = made.ephemeral;
    match made.value.get(path).cloned().unwrap_or_default() {
        Value::Unknown => Answer::Unknown { sensitive, ephemeral },
        value => Answer::Known { value, sensitive, ephemeral },
    }
}
