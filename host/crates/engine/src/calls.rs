//! The calls of a provider with the checks that belong to them: the same for a plan and for the apply that repeats it.

use std::sync::Arc;

use pravo_diag::Diagnostic;
use pravo_model::provider::{CurrentObject, PlanRequest, PlannedObject, Provider, Reply, StoredObject, Subject as Checked};
use pravo_model::specification::IgnoreChanges;
use pravo_model::state::Object;
use pravo_model::{Path, Value};

use crate::check::check_config;
use crate::diagnose::{Failed, Phase};
use crate::ignore::ignore_changes;
use crate::proposed::proposed_new;
use crate::replacing::requires_replace;
use crate::shape::{conforms, write_only_set};
use crate::subject::Subject;
use crate::validity::{Problem, assert_plan_valid};

/// A provider and what is asked of it; diagnostics gather in it.
pub(crate) struct Calls<'a> {
    pub(crate) provider: &'a Arc<dyn Provider>,
    pub(crate) subject: &'a Subject,
    pub(crate) diagnostics: &'a mut Vec<Diagnostic>,
}

/// What a resource is asked to become.
pub(crate) struct Wish<'a> {
    pub(crate) prior: &'a Value,
    pub(crate) private: &'a [u8],
    /// The complete configured body.
    pub(crate) config: &'a Value,
    pub(crate) ignore: &'a IgnoreChanges,
    /// A replacement is asked for, whatever the provider says.
    pub(crate) replace: bool,
    /// The object is left over from a failed create: it is planned as if there were none.
    pub(crate) tainted: bool,
}

/// What a plan of one resource comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    NoOp,
    Create,
    Update,
    Replace,
}

/// A planned resource.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) planned: Value,
    pub(crate) private: Vec<u8>,
    pub(crate) replace_paths: Vec<Path>,
}

impl Calls<'_> {
    fn bug(&mut self, what: &str, problems: &[Problem]) -> Failed {
        self.diagnostics.push(self.subject.place.bug(self.subject.package(), what, problems));
        Failed
    }

    /// A stored object in the form of the current schema.
    pub(crate) async fn upgrade(&mut self, object: &Object) -> Result<Value, Failed> {
        let current = self.subject.schema().version;
        if object.schema_version > current {
            let address = self.subject.address();
            let text = format!(
                "{address}: the record was written by a newer version of the provider (schema {}, this one knows up to {current})",
                object.schema_version
            );
            self.diagnostics
                .push(Diagnostic::error("provider.older", text).with_help("use the newer version of the provider: see $version and pravo init"));
            return Err(Failed);
        }
        let stored = StoredObject { type_name: self.subject.type_name.to_string(), version: object.schema_version, json: object.attributes.clone() };
        let called = self.provider.upgrade(&stored).await;
        let value = self.subject.place.required(self.subject.package(), Phase::Upgrade, "upgraded a record", called, self.diagnostics)?;
        self.check_known(&value, "upgraded a record to an object that breaks its schema")?;
        Ok(value)
    }

    fn check_known(&mut self, value: &Value, what: &str) -> Result<(), Failed> {
        let mut problems = Vec::new();
        if !conforms(value, self.subject.value_type()) {
            problems.push(Problem::new(&Path::root(), "it does not have the type of its schema"));
        }
        if !value.is_wholly_known() {
            problems.push(Problem::new(&Path::root(), "it holds unknowns"));
        }
        if let Some(name) = write_only_set(self.subject.shape(), value) {
            problems.push(Problem::new(&Path::attribute(name), "a write-only attribute must be null"));
        }
        if problems.is_empty() { Ok(()) } else { Err(self.bug(&format!("the provider {what}"), &problems)) }
    }

    /// The object as it is now; null where it is gone.
    pub(crate) async fn read(&mut self, object: CurrentObject) -> Result<CurrentObject, Failed> {
        let called = self.provider.read(&self.subject.type_name, std::slice::from_ref(&object)).await;
        let called = called.map(only);
        let read = self.subject.place.required(self.subject.package(), Phase::Read, "read an object", called, self.diagnostics)?;
        self.check_known(&read.value, "read an object that breaks its schema")?;
        Ok(read)
    }

    /// Finds an existing object by its id and reads it.
    pub(crate) async fn import(&mut self, id: &str) -> Result<CurrentObject, Failed> {
        let called = self.provider.import(&self.subject.type_name, id).await;
        let found = self.subject.place.required(self.subject.package(), Phase::Import, "imported an object", called, self.diagnostics)?;
        let read = if found.value.is_null() { found } else { self.read(found).await? };
        if read.value.is_null() {
            let address = self.subject.address();
            let text = format!("{address}: there is no object with the id {id:?} to import");
            self.diagnostics.push(Diagnostic::error("import.absent", text).with_help("correct $import, or remove it to create the object"));
            return Err(Failed);
        }
        Ok(read)
    }

    /// Checks a configured body, first here, then by the provider.
    pub(crate) async fn validate(&mut self, config: &Value) -> Result<(), Failed> {
        let problems = check_config(self.subject.shape(), config);
        if !problems.is_empty() {
            self.diagnostics.extend(problems.iter().map(|problem| self.subject.place.misconfigured(problem)));
            return Err(Failed);
        }
        let complete = self.subject.shape().complete(config);
        let checked = Checked::Body(self.subject.kind, &self.subject.type_name);
        let called = self.provider.validate(checked, &complete).await;
        self.subject.place.taken(Phase::Validate, called, self.diagnostics)?;
        Ok(())
    }

    /// Plans a resource.
    pub(crate) async fn plan(&mut self, wish: &Wish<'_>) -> Result<Outcome, Failed> {
        let shape = self.subject.shape();
        if wish.tainted {
            let planned = self.plan_once(&Value::Null, wish.config, &[]).await?;
            return Ok(Outcome { verdict: Verdict::Replace, planned: planned.planned, private: planned.private, replace_paths: Vec::new() });
        }
        let config = ignore_changes(shape, wish.ignore, wish.prior, wish.config);
        let first = self.plan_once(wish.prior, &config, wish.private).await?;
        let problems = assert_plan_valid(shape, wish.prior, &config, &first.planned);
        if !problems.is_empty() {
            return Err(self.bug("the provider planned something that contradicts the configuration", &problems));
        }
        let replace_paths = requires_replace(shape, wish.prior, &first.planned, &first.requires_replace)
            .map_err(|path| self.bug("the provider named an attribute that does not exist", &[Problem::new(&path, "it forces a replacement")]))?;
        let verdict = match wish.prior {
            Value::Null => Verdict::Create,
            _ if wish.replace || !replace_paths.is_empty() => Verdict::Replace,
            prior if first.planned == *prior => Verdict::NoOp,
            _ => Verdict::Update,
        };
        if verdict != Verdict::Replace {
            return Ok(Outcome { verdict, planned: first.planned, private: first.private, replace_paths });
        }
        let second = self.plan_once(&Value::Null, wish.config, &first.private).await?;
        Ok(Outcome { verdict, planned: second.planned, private: second.private, replace_paths })
    }

    async fn plan_once(&mut self, prior: &Value, config: &Value, private: &[u8]) -> Result<PlannedObject, Failed> {
        let shape = self.subject.shape();
        let request =
            PlanRequest { prior: prior.clone(), config: config.clone(), proposed: proposed_new(shape, prior, config), private: private.to_vec() };
        let planned = self.planned(request).await?;
        let mut problems = Vec::new();
        if planned.planned.is_null() || !conforms(&planned.planned, self.subject.value_type()) {
            problems.push(Problem::new(&Path::root(), "it does not have the type of its schema"));
        }
        if let Some(name) = write_only_set(shape, &planned.planned) {
            problems.push(Problem::new(&Path::attribute(name), "a write-only attribute must be null in a plan"));
        }
        if problems.is_empty() { Ok(planned) } else { Err(self.bug("the provider planned an object that breaks its schema", &problems)) }
    }

    async fn planned(&mut self, request: PlanRequest) -> Result<PlannedObject, Failed> {
        let called = self.provider.plan(&self.subject.type_name, std::slice::from_ref(&request)).await;
        let called = called.map(only);
        self.subject.place.required(self.subject.package(), Phase::Plan, "planned an object", called, self.diagnostics)
    }

    /// Asks whether an object may be deleted, where the type wants to be asked; gives the private bytes for the delete.
    pub(crate) async fn plan_destroy(&mut self, prior: &Value, private: &[u8]) -> Result<Vec<u8>, Failed> {
        let request = PlanRequest { prior: prior.clone(), config: Value::Null, proposed: Value::Null, private: private.to_vec() };
        let planned = self.planned(request).await?;
        if !planned.planned.is_null() {
            return Err(self.bug("the provider planned an object where it was asked to plan a deletion", &[]));
        }
        Ok(planned.private)
    }

    /// Reads a data source.
    pub(crate) async fn read_data(&mut self, config: &Value) -> Result<Value, Failed> {
        self.validate(config).await?;
        let complete = self.subject.shape().complete(config);
        let called = self.provider.read_data(&self.subject.type_name, &complete).await;
        let value = self.subject.place.required(self.subject.package(), Phase::Read, "read a data source", called, self.diagnostics)?;
        if value.is_null() {
            return Err(self.bug("the provider read a data source as null", &[]));
        }
        self.check_known(&value, "read a data source that breaks its schema")?;
        Ok(value)
    }
}

/// The one reply to one request; none where the provider gave another number of them.
fn only<T>(mut replies: Vec<Reply<T>>) -> Reply<T> {
    let reply = replies.pop();
    reply.filter(|_| replies.is_empty()).unwrap_or(Reply { value: None, diagnostics: Vec::new() })
}
