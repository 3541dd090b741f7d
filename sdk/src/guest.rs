//! The component's side of `wit/provider/v0_1`: bytes to values, the [`Server`], values to bytes.

use std::collections::BTreeMap;
use std::rc::Rc;

use pravo_model::codec::Limits;
use pravo_model::provider::{ApplyRequest, CurrentObject, OpenedEphemeral, PlanRequest, Reply, StoredObject};
use pravo_model::{Path, PathStep, Type, Value, msgpack};

use crate::diagnostics::{Diagnostic, DiagnosticExt, Diagnostics};
use crate::provider::{Configured, Kind, Server};

/// What wit-bindgen makes of the world.
#[allow(unsafe_code, missing_docs, clippy::all, clippy::pedantic)]
pub mod bindings {
    wit_bindgen::generate!({
        path: "../wit/provider/v0_1",
        world: "provider-world",
        pub_export_macro: true,
        export_macro_name: "export_component",
        default_bindings_module: "::pravo_sdk::guest::bindings",
    });
}

use bindings::exports::pravo::provider::provider::{ConfigureOutcome, Configured as ConfiguredHandle, Guest, GuestConfigured};
use bindings::pravo::provider::types;

/// Where a component gets its provider from; `export_provider!` implements it.
pub trait Source: 'static {
    /// The provider; made once per instance.
    fn server() -> Rc<Server>;
}

/// The exports of a component.
pub struct Component<S>(std::marker::PhantomData<S>);

/// A configured provider as the host holds it.
pub struct ConfiguredProvider {
    server: Rc<Server>,
    state: Configured,
}

/// A result, or diagnostics about bytes that could not be read or written.
type Coded<T> = Result<T, Diagnostics>;

fn decode(bytes: &[u8], kind: &Type, what: &str) -> Coded<Value> {
    msgpack::decode_sparse(bytes, kind, Limits::default()).map_err(|error| {
        Diagnostic::error("Undecodable value", format!("The host sent a {what} that does not fit the schema: {}.", error.problem))
            .at(error.path)
            .into()
    })
}

fn encode(value: &Value, kind: &Type) -> Coded<Vec<u8>> {
    msgpack::encode(value, kind).map_err(|error| {
        let detail = format!("The provider made a value that does not fit its schema: {}. This is a bug in the provider.", error.problem);
        Diagnostic::error("Unencodable value", detail).at(error.path).into()
    })
}

/// The type of the objects of a type name; that of an object without attributes where there is no such type.
fn object_type<'s>(server: &'s Server, kind: Kind, type_name: &str) -> &'s Type {
    static NONE: Type = Type::Object(BTreeMap::new());
    server.object_type(kind, type_name).unwrap_or(&NONE)
}

fn diagnostic(diagnostic: Diagnostic) -> types::Diagnostic {
    types::Diagnostic {
        severity: if diagnostic.error { types::Severity::Error } else { types::Severity::Warning },
        summary: diagnostic.summary,
        detail: diagnostic.detail,
        path: path(diagnostic.path),
    }
}

fn diagnostics(all: Vec<Diagnostic>) -> Vec<types::Diagnostic> {
    all.into_iter().map(diagnostic).collect()
}

fn path(path: Path) -> types::Path {
    let step = |step| match step {
        PathStep::Attribute(name) => types::PathStep::Attribute(name.into()),
        PathStep::Key(key) => types::PathStep::Key(key.into()),
        PathStep::Index(index) => types::PathStep::Index(index),
        PathStep::Element(text) => types::PathStep::Element(text),
    };
    path.0.into_iter().map(step).collect()
}

/// A reply with its value encoded; an undecodable request or unencodable value is a diagnostic too.
fn coded<T, V>(reply: Coded<Reply<T>>, encode: impl FnOnce(T) -> Coded<V>) -> (Option<V>, Vec<types::Diagnostic>) {
    let Reply { value, diagnostics: mut all } = match reply {
        Ok(reply) => reply,
        Err(problems) => return (None, diagnostics(problems.0)),
    };
    let value = value.and_then(|value| encode(value).map_err(|problems| all.extend(problems.0)).ok());
    (value, diagnostics(all))
}

fn outcome(reply: Coded<Reply<Value>>, kind: &Type) -> types::Outcome {
    let (value, diagnostics) = coded(reply, |value| encode(&value, kind));
    types::Outcome { value, diagnostics }
}

fn object_outcome(reply: Coded<Reply<CurrentObject>>, kind: &Type) -> types::ObjectOutcome {
    let (object, diagnostics) = coded(reply, |object| Ok(types::Object { value: encode(&object.value, kind)?, private: object.private }));
    types::ObjectOutcome { object, diagnostics }
}

fn open_outcome(reply: Coded<Reply<OpenedEphemeral>>, kind: &Type) -> types::OpenOutcome {
    let (opened, diagnostics) =
        coded(reply, |opened| Ok(types::Opened { value: encode(&opened.value, kind)?, private: opened.private, renew_after: opened.renew_after }));
    types::OpenOutcome { opened, diagnostics }
}

impl<S: Source> Guest for Component<S> {
    type Configured = ConfiguredProvider;

    fn schema() -> Vec<u8> {
        // An unencodable schema cannot be: it is plain data. An empty answer is refused by the host.
        rmp_serde::to_vec_named(S::server().schema()).unwrap_or_default()
    }

    fn validate_provider(config: Vec<u8>) -> Vec<types::Diagnostic> {
        let server = S::server();
        match decode(&config, &server.schema().provider.value_type(), "configuration") {
            Ok(config) => diagnostics(server.validate_provider(&config)),
            Err(problems) => diagnostics(problems.0),
        }
    }

    fn validate(kind: types::Kind, type_name: String, config: Vec<u8>) -> Vec<types::Diagnostic> {
        let server = S::server();
        let kind = match kind {
            types::Kind::Managed => Kind::Managed,
            types::Kind::Data => Kind::Data,
            types::Kind::Ephemeral => Kind::Ephemeral,
        };
        match decode(&config, object_type(&server, kind, &type_name), "configuration") {
            Ok(config) => diagnostics(server.validate(kind, &type_name, &config)),
            Err(problems) => diagnostics(problems.0),
        }
    }

    fn upgrade(stored: types::StoredObject) -> types::Outcome {
        let server = S::server();
        let kind = object_type(&server, Kind::Managed, &stored.type_name);
        let stored = StoredObject { type_name: stored.type_name, version: stored.schema_version, json: stored.json };
        outcome(Ok(server.upgrade(&stored)), kind)
    }

    fn call_function(name: String, arguments: Vec<Vec<u8>>) -> types::Outcome {
        let server = S::server();
        let signature = server.schema().functions.get(&name);
        let parameters = signature.map(|signature| signature.parameters.as_slice()).unwrap_or_default();
        let decoded: Coded<Vec<Value>> =
            arguments.iter().zip(parameters).map(|(bytes, parameter)| decode(bytes, &parameter.kind, "argument")).collect();
        let reply = decoded.map(|arguments| server.call_function(&name, &arguments));
        outcome(reply, signature.map_or(&Type::Dynamic, |signature| &signature.result))
    }

    fn configure(config: Vec<u8>) -> ConfigureOutcome {
        configure::<S, ConfiguredProvider>(&config, |configured| configured)
    }
}

/// Configures the provider of a source; `wrap` makes what the host holds. For components that export a type of their own.
pub fn configure<S: Source, T: GuestConfigured>(config: &[u8], wrap: impl FnOnce(ConfiguredProvider) -> T) -> ConfigureOutcome {
    let server = S::server();
    let config = decode(config, &server.schema().provider.value_type(), "configuration");
    let (configured, diagnostics) = coded(config.map(|config| server.configure(&config)), |state| {
        Ok(ConfiguredHandle::new(wrap(ConfiguredProvider { server: Rc::clone(&server), state })))
    });
    ConfigureOutcome { configured, diagnostics }
}

impl ConfiguredProvider {
    fn resource_type(&self, type_name: &str) -> &Type {
        object_type(&self.server, Kind::Managed, type_name)
    }

    fn plan_one(&self, type_name: &str, kind: &Type, request: types::PlanRequest) -> types::PlanOutcome {
        let request = || -> Coded<PlanRequest> {
            Ok(PlanRequest {
                prior: decode(&request.prior, kind, "record")?,
                config: decode(&request.config, kind, "configuration")?,
                proposed: decode(&request.proposed, kind, "proposed object")?,
                private: request.private,
            })
        };
        let reply = request().map(|request| self.server.plan(type_name, &request));
        let (planned, diagnostics) = coded(reply, |planned| {
            Ok(types::PlannedObject {
                planned: encode(&planned.planned, kind)?,
                private: planned.private,
                requires_replace: planned.requires_replace.into_iter().map(path).collect(),
            })
        });
        types::PlanOutcome { planned, diagnostics }
    }
}

impl GuestConfigured for ConfiguredProvider {
    fn read(&self, type_name: String, objects: Vec<types::Object>) -> Vec<types::ObjectOutcome> {
        let kind = self.resource_type(&type_name);
        let read = |object: types::Object| {
            let current = decode(&object.value, kind, "record").map(|value| CurrentObject { value, private: object.private });
            object_outcome(current.map(|current| self.server.read(&self.state, &type_name, &current)), kind)
        };
        objects.into_iter().map(read).collect()
    }

    fn plan(&self, type_name: String, requests: Vec<types::PlanRequest>) -> Vec<types::PlanOutcome> {
        let kind = self.resource_type(&type_name);
        requests.into_iter().map(|request| self.plan_one(&type_name, kind, request)).collect()
    }

    fn apply(&self, type_name: String, request: types::ApplyRequest) -> types::ObjectOutcome {
        let kind = self.resource_type(&type_name);
        let request = || -> Coded<ApplyRequest> {
            Ok(ApplyRequest {
                prior: decode(&request.prior, kind, "record")?,
                planned: decode(&request.planned, kind, "plan")?,
                config: decode(&request.config, kind, "configuration")?,
                private: request.private,
            })
        };
        object_outcome(request().map(|request| self.server.apply(&self.state, &type_name, &request)), kind)
    }

    fn import(&self, type_name: String, id: String) -> types::ObjectOutcome {
        object_outcome(Ok(self.server.import(&self.state, &type_name, &id)), self.resource_type(&type_name))
    }

    fn read_data(&self, type_name: String, config: Vec<u8>) -> types::Outcome {
        let kind = object_type(&self.server, Kind::Data, &type_name);
        let config = decode(&config, kind, "configuration");
        outcome(config.map(|config| self.server.read_data(&self.state, &type_name, &config)), kind)
    }

    fn open(&self, type_name: String, config: Vec<u8>) -> types::OpenOutcome {
        let kind = object_type(&self.server, Kind::Ephemeral, &type_name);
        let config = decode(&config, kind, "configuration");
        open_outcome(config.map(|config| self.server.open(&self.state, &type_name, &config)), kind)
    }

    fn renew(&self, type_name: String, private: Vec<u8>) -> types::OpenOutcome {
        let kind = object_type(&self.server, Kind::Ephemeral, &type_name);
        open_outcome(Ok(self.server.renew(&self.state, &type_name, &private)), kind)
    }

    fn close(&self, type_name: String, private: Vec<u8>) -> Vec<types::Diagnostic> {
        diagnostics(self.server.close(&self.state, &type_name, &private).diagnostics)
    }
}
