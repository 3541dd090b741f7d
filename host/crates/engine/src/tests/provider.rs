//! An in-memory provider with a world of objects, a log of calls, and faults on request.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use pravo_model::provider::*;
use pravo_model::schema::{FunctionSchema, Parameter, ProviderSchema, ResourceSchema};
use pravo_model::{Path, Type, Value};

use crate::testing::{both, computed, optional, required, schema, write_only};

/// What goes wrong with a call, by `operation name`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fault {
    /// An error, and nothing was done.
    Reject,
    /// An error after the object was made.
    Partial,
    /// The provider crashes after it did what it was asked to.
    Crash,
    /// Another value than was planned.
    Contradict,
    /// It never ends.
    Hang,
    /// It takes a moment.
    Slow,
}

#[derive(Default)]
pub(super) struct World {
    pub(super) objects: BTreeMap<String, Value>,
    pub(super) calls: Vec<String>,
    pub(super) faults: HashMap<String, Fault>,
    pub(super) configured: Vec<Value>,
    pub(super) started: usize,
    pub(super) next: u64,
    pub(super) asks_destroy: bool,
    /// Whether resources are read and planned in lists.
    pub(super) bulk: bool,
    /// The lengths of the lists of reads and plans.
    pub(super) lists: Vec<usize>,
    pub(super) identity: Vec<String>,
    pub(super) generation: String,
    pub(super) hash: String,
}

pub(super) type Shared = Arc<Mutex<World>>;

#[derive(Clone)]
pub(super) struct Fakes(pub(super) Shared);

fn fake_schema(world: &World) -> ProviderSchema {
    let mut password = optional(Type::String);
    password.sensitive = true;
    let thing = schema([
        ("name", optional(Type::String)),
        ("size", optional(Type::Number)),
        ("note", both(Type::String)),
        ("id", computed(Type::String)),
        ("secret", write_only(Type::String)),
        ("password", password),
    ]);
    let resource = |block| ResourceSchema {
        block,
        plans_destroy: world.asks_destroy,
        bulk: world.bulk,
        identity: world.identity.clone(),
        ..ResourceSchema::default()
    };
    let look = schema([("key", required(Type::String)), ("found", computed(Type::String))]);
    let token = schema([("key", optional(Type::String)), ("value", computed(Type::String))]);
    let function = FunctionSchema {
        parameters: vec![Parameter { name: "text".into(), kind: Type::String, allow_null: false, description: String::new() }],
        result: Type::String,
        description: String::new(),
    };
    ProviderSchema {
        format: 1,
        version: "1.0.0".into(),
        provider: schema([("region", optional(Type::String)), ("token", optional(Type::String))]),
        resources: [("thing".to_owned(), resource(thing.clone())), ("other".to_owned(), resource(thing))].into(),
        data_sources: [("look".to_owned(), resource(look))].into(),
        ephemerals: [("token".to_owned(), resource(token))].into(),
        functions: [("upper".to_owned(), function)].into(),
    }
}

fn set(object: &Value, name: &str, value: Value) -> Value {
    let mut entries = object.as_map().cloned().unwrap_or_default();
    entries.insert(name.into(), value);
    Value::Map(entries)
}

fn rejected<T>(what: &str) -> Called<T> {
    let said = ProviderDiagnostic { error: true, summary: format!("{what} rejected"), detail: String::new(), path: Path::root() };
    Ok(Reply { value: None, diagnostics: vec![said] })
}

fn crashed(what: &str) -> ProviderFailure {
    ProviderFailure { kind: FailureKind::Crashed, message: format!("{what} crashed"), detail: String::new() }
}

impl Fakes {
    fn log(&self, operation: &str, name: &str) -> Option<Fault> {
        let mut world = self.0.lock().unwrap();
        let call = format!("{operation} {name}");
        let fault = world.faults.get(&call).cloned();
        world.calls.push(call);
        fault
    }

    fn read_one(&self, object: &CurrentObject) -> Called<CurrentObject> {
        let name = name_of(&object.value);
        match self.log("read", &name) {
            Some(Fault::Reject) => return rejected("read"),
            Some(Fault::Crash) => return Err(crashed("read")),
            _ => {}
        }
        let id = object.value.attribute("id").as_str().unwrap_or("?").to_owned();
        let by_name = |world: &World| world.objects.values().find(|value| name_of(value) == name).cloned();
        let world = self.0.lock().unwrap();
        let value = world.objects.get(&id).cloned().or_else(|| if id == "?" { by_name(&world) } else { None }).unwrap_or_default();
        Ok(Reply::of(CurrentObject { value, private: object.private.clone() }))
    }

    fn plan_one(&self, request: &PlanRequest) -> Called<PlannedObject> {
        if request.proposed.is_null() {
            self.log("plan-destroy", &name_of(&request.prior));
            return Ok(Reply::of(PlannedObject { planned: Value::Null, requires_replace: vec![], private: b"destroy".to_vec() }));
        }
        let fault = self.log("plan", &name_of(&request.config));
        if fault == Some(Fault::Reject) {
            return rejected("plan");
        }
        let mut planned = set(&request.proposed, "secret", Value::Null);
        if request.config.attribute("note").is_null() && planned.attribute("note").is_null() {
            planned = set(&planned, "note", "default".into());
        }
        if request.prior.is_null() {
            planned = set(&planned, "id", Value::Unknown);
        }
        if fault == Some(Fault::Contradict) {
            planned = set(&planned, "name", "else".into());
        }
        Ok(Reply::of(PlannedObject { planned, requires_replace: vec![Path::attribute("size")], private: b"planned".to_vec() }))
    }
}

fn name_of(value: &Value) -> String {
    value.attribute("name").as_str().or_else(|| value.attribute("key").as_str()).unwrap_or("?").to_owned()
}

#[async_trait]
impl Provider for Fakes {
    async fn schema(&self) -> Result<Arc<ProviderSchema>, ProviderFailure> {
        Ok(Arc::new(fake_schema(&self.0.lock().unwrap())))
    }

    async fn validate(&self, subject: Subject<'_>, config: &Value) -> Called<()> {
        if let Subject::Body(..) = subject
            && config.attribute("name").as_str() == Some("invalid")
        {
            return rejected("validate");
        }
        Ok(Reply::of(()))
    }

    async fn configure(&self, config: &Value) -> Called<()> {
        assert!(config.is_wholly_known());
        self.0.lock().unwrap().configured.push(config.clone());
        if config.attribute("region").as_str() == Some("nowhere") { rejected("configure") } else { Ok(Reply::of(())) }
    }

    async fn upgrade(&self, stored: &StoredObject) -> Called<Value> {
        let schema = fake_schema(&self.0.lock().unwrap());
        let block = &schema.resources[&stored.type_name].block;
        Ok(Reply::of(pravo_model::json::decode_bytes(&stored.json, &block.value_type()).unwrap()))
    }

    async fn read(&self, _: &str, objects: &[CurrentObject]) -> Result<Vec<Reply<CurrentObject>>, ProviderFailure> {
        self.0.lock().unwrap().lists.push(objects.len());
        objects.iter().map(|object| self.read_one(object)).collect()
    }

    async fn plan(&self, _: &str, requests: &[PlanRequest]) -> Result<Vec<Reply<PlannedObject>>, ProviderFailure> {
        self.0.lock().unwrap().lists.push(requests.len());
        requests.iter().map(|request| self.plan_one(request)).collect()
    }

    async fn apply(&self, _: &str, request: &ApplyRequest, progress: Progress) -> Called<CurrentObject> {
        let (operation, name) = match (&request.prior, &request.planned) {
            (Value::Null, planned) => ("create", name_of(planned)),
            (prior, Value::Null) => ("delete", name_of(prior)),
            (prior, _) => ("update", name_of(prior)),
        };
        let fault = self.log(operation, &name);
        match fault {
            Some(Fault::Reject) => return rejected(operation),
            Some(Fault::Hang) => std::future::pending::<()>().await,
            Some(Fault::Slow) => tokio::time::sleep(std::time::Duration::from_millis(30)).await,
            _ => {}
        }
        progress("working");
        let mut world = self.0.lock().unwrap();
        let id = match request.prior.attribute("id").as_str() {
            Some(id) => id.to_owned(),
            None => {
                world.next += 1;
                format!("id-{}", world.next)
            }
        };
        if request.planned.is_null() {
            world.objects.remove(&id);
            return if fault == Some(Fault::Crash) {
                Err(crashed("delete"))
            } else {
                Ok(Reply::of(CurrentObject { value: Value::Null, private: vec![] }))
            };
        }
        let mut value = set(&request.planned, "id", id.clone().into());
        if fault == Some(Fault::Contradict) {
            value = set(&value, "name", "else".into());
        }
        world.objects.insert(id, value.clone());
        let object = CurrentObject { value, private: b"made".to_vec() };
        match fault {
            Some(Fault::Crash) => Err(crashed(operation)),
            Some(Fault::Partial) => Ok(Reply { value: Some(object), ..rejected(operation)? }),
            _ => Ok(Reply::of(object)),
        }
    }

    async fn import(&self, _: &str, id: &str) -> Called<CurrentObject> {
        self.log("import", id);
        let schema = fake_schema(&self.0.lock().unwrap());
        let empty = crate::shape::Shape::from(&schema.resources["thing"].block).empty();
        Ok(Reply::of(CurrentObject { value: set(&empty, "id", id.into()), private: vec![] }))
    }

    async fn read_data(&self, _: &str, config: &Value) -> Called<Value> {
        let name = name_of(config);
        if self.log("read-data", &name) == Some(Fault::Reject) {
            return rejected("read-data");
        }
        let generation = self.0.lock().unwrap().generation.clone();
        Ok(Reply::of(set(config, "found", format!("found {name}{generation}").into())))
    }

    async fn open(&self, _: &str, config: &Value) -> Called<OpenedEphemeral> {
        self.log("open", &name_of(config));
        Ok(Reply::of(OpenedEphemeral { value: set(config, "value", "hush".into()), private: b"open".to_vec(), renew_after: Some(5) }))
    }

    async fn renew(&self, _: &str, private: &[u8]) -> Called<OpenedEphemeral> {
        self.log("renew", "token");
        Ok(Reply::of(OpenedEphemeral { value: Value::Null, private: private.to_vec(), renew_after: Some(5) }))
    }

    async fn close(&self, _: &str, _: &[u8]) -> Called<()> {
        self.log("close", "token");
        Ok(Reply::of(()))
    }

    async fn call_function(&self, name: &str, arguments: &[Value]) -> Called<Value> {
        let text = arguments[0].as_str().unwrap_or_default().to_owned();
        if self.log(name, &text) == Some(Fault::Contradict) {
            return Ok(Reply::of("impure".into()));
        }
        Ok(Reply::of(text.to_uppercase().into()))
    }

    async fn stop(&self) {
        self.log("stop", "");
    }
}

#[async_trait]
impl Providers for Fakes {
    fn schema(&self, _: &str) -> Result<Arc<ProviderSchema>, ProviderFailure> {
        Ok(Arc::new(fake_schema(&self.0.lock().unwrap())))
    }

    fn hash(&self, _: &str) -> Result<String, ProviderFailure> {
        Ok(self.0.lock().unwrap().hash.clone())
    }

    async fn start(&self, _: &ProviderBinding) -> Result<Arc<dyn Provider>, ProviderFailure> {
        self.0.lock().unwrap().started += 1;
        Ok(Arc::new(self.clone()))
    }
}
