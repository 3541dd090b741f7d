//! A component as a provider.
//!
//! Each method encodes its request, makes one call, and checks the answer: as many results as asked for, every value of the type
//! that the schema gives it. Deliberately absent: whether a plan agrees with its configuration, or a result with its plan; that is the
//! same for every kind of provider and stands in the engine.

use std::sync::Arc;

use async_trait::async_trait;
use pravo_model::provider::{
    ApplyRequest, Called, CurrentObject, OpenedEphemeral, PlanRequest, PlannedObject, Progress, Provider, ProviderFailure, Reply, StoredObject,
    Subject,
};
use pravo_model::schema::ProviderSchema;
use pravo_model::specification::Kind;
use pravo_model::{Type, Value};

use crate::bindings::types;
use crate::convert::{decode, diagnostics, encode, outcome, path};
use crate::failure;
use crate::pool::{Pool, Run};
use crate::schema::Known;

/// A component with grants and, once it is configured, a configuration.
pub(crate) struct WasmProvider {
    pool: Pool,
}

impl WasmProvider {
    pub(crate) fn new(pool: Pool) -> Self {
        Self { pool }
    }

    async fn known(&self) -> Result<Arc<Known>, ProviderFailure> {
        let operation = "tell its schema";
        let ask = async {
            let run: Run<Vec<u8>> = Box::new(|ready| Box::pin(async move { ready.world.pravo_provider_provider().call_schema(ready.store).await }));
            let bytes = self.pool.call(operation, run).await?;
            Known::decode(&bytes).map(Arc::new).map_err(|what| self.invalid(operation, &what))
        };
        self.pool.loaded.schema.get(ask).await
    }

    fn invalid(&self, operation: &str, what: &str) -> ProviderFailure {
        failure::invalid(&self.pool.shared, operation, what)
    }

    /// A request that does not fit the schema: not the provider's mistake.
    fn unfit(&self, operation: &str, what: &str) -> ProviderFailure {
        failure::plain(&self.pool.shared, operation, pravo_model::provider::FailureKind::Invalid, what)
    }

    fn object<'a>(&self, operation: &str, known: &'a Known, kind: Kind, type_name: &str) -> Result<&'a Type, ProviderFailure> {
        known.object(kind, type_name).ok_or_else(|| self.unfit(operation, &format!("it has no {} {type_name}", kind_word(kind))))
    }

    fn encode(&self, operation: &str, value: &Value, kind: &Type) -> Result<Vec<u8>, ProviderFailure> {
        encode(value, kind).map_err(|what| self.unfit(operation, &format!("the request does not fit its schema: {what}")))
    }

    fn current(&self, operation: &str, kind: &Type, answer: types::ObjectOutcome) -> Called<CurrentObject> {
        let current = |object: types::Object| Ok(CurrentObject { value: decode(&object.value, kind)?, private: object.private });
        let value = answer.object.map(current).transpose().map_err(|what: String| self.invalid(operation, &what))?;
        Ok(Reply { value, diagnostics: diagnostics(answer.diagnostics) })
    }

    fn planned(&self, operation: &str, kind: &Type, answer: types::PlanOutcome) -> Called<PlannedObject> {
        let planned = |object: types::PlannedObject| {
            let requires_replace = object.requires_replace.into_iter().map(path).collect();
            Ok(PlannedObject { planned: decode(&object.planned, kind)?, requires_replace, private: object.private })
        };
        let value = answer.planned.map(planned).transpose().map_err(|what: String| self.invalid(operation, &what))?;
        Ok(Reply { value, diagnostics: diagnostics(answer.diagnostics) })
    }

    fn opened(&self, operation: &str, kind: &Type, answer: types::OpenOutcome) -> Called<OpenedEphemeral> {
        let opened = |opened: types::Opened| {
            Ok(OpenedEphemeral { value: decode(&opened.value, kind)?, private: opened.private, renew_after: opened.renew_after })
        };
        let value = answer.opened.map(opened).transpose().map_err(|what: String| self.invalid(operation, &what))?;
        Ok(Reply { value, diagnostics: diagnostics(answer.diagnostics) })
    }

    fn counted<T>(&self, operation: &str, asked: usize, answers: Vec<T>) -> Result<Vec<T>, ProviderFailure> {
        if answers.len() == asked {
            return Ok(answers);
        }
        Err(self.invalid(operation, &format!("{} results for {asked} requests", answers.len())))
    }
}

fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Resource => "resource type",
        Kind::Data => "data source",
        Kind::Ephemeral => "ephemeral",
    }
}

fn wire_kind(kind: Kind) -> types::Kind {
    match kind {
        Kind::Resource => types::Kind::Managed,
        Kind::Data => types::Kind::Data,
        Kind::Ephemeral => types::Kind::Ephemeral,
    }
}

/// A call of the `provider` interface, with the store as its first argument.
macro_rules! call {
    ($method:ident $(, $argument:expr)*) => {
        Box::new(move |ready| Box::pin(async move { ready.world.pravo_provider_provider().$method(ready.store $(, $argument)*).await }))
    };
}

/// A call of the `configured` resource.
macro_rules! call_configured {
    ($method:ident $(, $argument:expr)*) => {
        Box::new(move |ready| Box::pin(async move {
            let configured = ready.configured()?;
            ready.world.pravo_provider_provider().configured().$method(ready.store, configured $(, $argument)*).await
        }))
    };
}

#[async_trait]
impl Provider for WasmProvider {
    async fn schema(&self) -> Result<Arc<ProviderSchema>, ProviderFailure> {
        Ok(self.known().await?.schema.clone())
    }

    async fn validate(&self, subject: Subject<'_>, config: &Value) -> Called<()> {
        let known = self.known().await?;
        let (operation, run): (_, Run<Vec<types::Diagnostic>>) = match subject {
            Subject::Provider => {
                let operation = "check its configuration".to_owned();
                let config = self.encode(&operation, config, &known.provider)?;
                (operation, call!(call_validate_provider, &config))
            }
            Subject::Body(kind, type_name) => {
                let operation = format!("check {type_name}");
                let config = self.encode(&operation, config, self.object(&operation, &known, kind, type_name)?)?;
                let type_name = type_name.to_owned();
                (operation, call!(call_validate, wire_kind(kind), &type_name, &config))
            }
        };
        let found = diagnostics(self.pool.call(&operation, run).await?);
        let value = (!found.iter().any(|diagnostic| diagnostic.error)).then_some(());
        Ok(Reply { value, diagnostics: found })
    }

    async fn configure(&self, config: &Value) -> Called<()> {
        let known = self.known().await?;
        let config = self.encode("configure itself", config, &known.provider)?;
        let answer = self.pool.configure(config).await?;
        let found = diagnostics(answer.diagnostics);
        let value = (!found.iter().any(|diagnostic| diagnostic.error)).then_some(());
        Ok(Reply { value, diagnostics: found })
    }

    async fn upgrade(&self, stored: &StoredObject) -> Called<Value> {
        let operation = format!("upgrade {}", stored.type_name);
        let known = self.known().await?;
        let kind = self.object(&operation, &known, Kind::Resource, &stored.type_name)?;
        let stored = types::StoredObject { type_name: stored.type_name.clone(), schema_version: stored.version, json: stored.json.clone() };
        let answer = self.pool.call(&operation, call!(call_upgrade, &stored)).await?;
        outcome(answer, kind).map_err(|what| self.invalid(&operation, &what))
    }

    async fn read(&self, type_name: &str, objects: &[CurrentObject]) -> Result<Vec<Reply<CurrentObject>>, ProviderFailure> {
        let operation = format!("read {type_name}");
        let known = self.known().await?;
        let kind = self.object(&operation, &known, Kind::Resource, type_name)?;
        let encoded =
            |object: &CurrentObject| Ok(types::Object { value: self.encode(&operation, &object.value, kind)?, private: object.private.clone() });
        let requests: Vec<_> = objects.iter().map(encoded).collect::<Result<_, ProviderFailure>>()?;
        let name = type_name.to_owned();
        let answers = self.pool.call_configured(&operation, None, call_configured!(call_read, &name, &requests)).await?;
        let answers = self.counted(&operation, objects.len(), answers)?;
        answers.into_iter().map(|answer| self.current(&operation, kind, answer)).collect()
    }

    async fn plan(&self, type_name: &str, requests: &[PlanRequest]) -> Result<Vec<Reply<PlannedObject>>, ProviderFailure> {
        let operation = format!("plan {type_name}");
        let known = self.known().await?;
        let kind = self.object(&operation, &known, Kind::Resource, type_name)?;
        let encoded = |request: &PlanRequest| {
            Ok(types::PlanRequest {
                prior: self.encode(&operation, &request.prior, kind)?,
                config: self.encode(&operation, &request.config, kind)?,
                proposed: self.encode(&operation, &request.proposed, kind)?,
                private: request.private.clone(),
            })
        };
        let encoded: Vec<_> = requests.iter().map(encoded).collect::<Result<_, ProviderFailure>>()?;
        let name = type_name.to_owned();
        let answers = self.pool.call_configured(&operation, None, call_configured!(call_plan, &name, &encoded)).await?;
        let answers = self.counted(&operation, requests.len(), answers)?;
        answers.into_iter().map(|answer| self.planned(&operation, kind, answer)).collect()
    }

    async fn apply(&self, type_name: &str, request: &ApplyRequest, progress: Progress) -> Called<CurrentObject> {
        let operation = format!("apply {type_name}");
        let known = self.known().await?;
        let kind = self.object(&operation, &known, Kind::Resource, type_name)?;
        let encoded = types::ApplyRequest {
            prior: self.encode(&operation, &request.prior, kind)?,
            planned: self.encode(&operation, &request.planned, kind)?,
            config: self.encode(&operation, &request.config, kind)?,
            private: request.private.clone(),
        };
        let name = type_name.to_owned();
        let answer = self.pool.call_configured(&operation, Some(progress), call_configured!(call_apply, &name, &encoded)).await?;
        self.current(&operation, kind, answer)
    }

    async fn import(&self, type_name: &str, id: &str) -> Called<CurrentObject> {
        let operation = format!("import {type_name}");
        let known = self.known().await?;
        let kind = self.object(&operation, &known, Kind::Resource, type_name)?;
        let (name, id) = (type_name.to_owned(), id.to_owned());
        let answer = self.pool.call_configured(&operation, None, call_configured!(call_import, &name, &id)).await?;
        self.current(&operation, kind, answer)
    }

    async fn read_data(&self, type_name: &str, config: &Value) -> Called<Value> {
        let operation = format!("read data {type_name}");
        let known = self.known().await?;
        let kind = self.object(&operation, &known, Kind::Data, type_name)?;
        let config = self.encode(&operation, config, kind)?;
        let name = type_name.to_owned();
        let answer = self.pool.call_configured(&operation, None, call_configured!(call_read_data, &name, &config)).await?;
        outcome(answer, kind).map_err(|what| self.invalid(&operation, &what))
    }

    async fn open(&self, type_name: &str, config: &Value) -> Called<OpenedEphemeral> {
        let operation = format!("open {type_name}");
        let known = self.known().await?;
        let kind = self.object(&operation, &known, Kind::Ephemeral, type_name)?;
        let config = self.encode(&operation, config, kind)?;
        let name = type_name.to_owned();
        let answer = self.pool.call_configured(&operation, None, call_configured!(call_open, &name, &config)).await?;
        self.opened(&operation, kind, answer)
    }

    async fn renew(&self, type_name: &str, private: &[u8]) -> Called<OpenedEphemeral> {
        let operation = format!("renew {type_name}");
        let known = self.known().await?;
        let kind = self.object(&operation, &known, Kind::Ephemeral, type_name)?;
        let (name, private) = (type_name.to_owned(), private.to_vec());
        let answer = self.pool.call_configured(&operation, None, call_configured!(call_renew, &name, &private)).await?;
        self.opened(&operation, kind, answer)
    }

    async fn close(&self, type_name: &str, private: &[u8]) -> Called<()> {
        let operation = format!("close {type_name}");
        let known = self.known().await?;
        self.object(&operation, &known, Kind::Ephemeral, type_name)?;
        let (name, private) = (type_name.to_owned(), private.to_vec());
        let found = diagnostics(self.pool.call_configured(&operation, None, call_configured!(call_close, &name, &private)).await?);
        let value = (!found.iter().any(|diagnostic| diagnostic.error)).then_some(());
        Ok(Reply { value, diagnostics: found })
    }

    async fn call_function(&self, name: &str, arguments: &[Value]) -> Called<Value> {
        let operation = format!("call {name}");
        let known = self.known().await?;
        let Some(function) = known.schema.functions.get(name) else {
            return Err(self.unfit(&operation, "it has no such function"));
        };
        if arguments.len() != function.parameters.len() {
            return Err(self.unfit(&operation, &format!("{} arguments for {} parameters", arguments.len(), function.parameters.len())));
        }
        let encoded = arguments.iter().zip(&function.parameters).map(|(argument, parameter)| self.encode(&operation, argument, &parameter.kind));
        let encoded: Vec<_> = encoded.collect::<Result<_, _>>()?;
        let name = name.to_owned();
        let answer = self.pool.call(&operation, call!(call_call_function, &name, &encoded)).await?;
        outcome(answer, &function.result).map_err(|what| self.invalid(&operation, &what))
    }

    async fn stop(&self) {
        self.pool.shared.stop();
    }
}
