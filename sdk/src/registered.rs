//! Types of a provider behind object-safe traits: values in, values out.

use std::any::Any;
use std::marker::PhantomData;

use pravo_model::json;
use pravo_model::provider::{ApplyRequest, CurrentObject, OpenedEphemeral, PlanRequest, PlannedObject, Reply};
use pravo_model::schema::ResourceSchema;
use pravo_model::{Name, Type, Value};

use crate::diagnostics::{Diagnostic, DiagnosticExt, Diagnostics, Result};
use crate::object::{Field, Object, block, check_fields};
use crate::resource::{Context, DataSource, Ephemeral, Resource};

/// A resource type.
pub(crate) trait AnyResource {
    fn kind(&self) -> &Type;
    fn validate(&self, config: &Value) -> Diagnostics;
    fn plan(&self, request: &PlanRequest) -> Reply<PlannedObject>;
    fn read(&self, object: &CurrentObject, configuration: &dyn Any) -> Reply<CurrentObject>;
    fn apply(&self, request: &ApplyRequest, configuration: &dyn Any) -> Reply<CurrentObject>;
    fn import(&self, id: &str, configuration: &dyn Any) -> Reply<CurrentObject>;
    fn upgrade(&self, version: u64, json: &[u8]) -> Reply<Value>;
}

/// A data source.
pub(crate) trait AnyDataSource {
    fn kind(&self) -> &Type;
    fn validate(&self, config: &Value) -> Diagnostics;
    fn read(&self, config: &Value, configuration: &dyn Any) -> Reply<Value>;
}

/// An ephemeral.
pub(crate) trait AnyEphemeral {
    fn kind(&self) -> &Type;
    fn validate(&self, config: &Value) -> Diagnostics;
    fn open(&self, config: &Value, configuration: &dyn Any) -> Reply<OpenedEphemeral>;
    fn renew(&self, private: &[u8], configuration: &dyn Any) -> Reply<OpenedEphemeral>;
    fn close(&self, private: &[u8], configuration: &dyn Any) -> Reply<()>;
}

/// A type as registered: what its struct says of itself is asked once, not in every call.
pub(crate) struct Registered<T> {
    fields: Vec<Field>,
    kind: Type,
    object: PhantomData<T>,
}

impl<T: Object> Registered<T> {
    /// The type of a struct, and its schema.
    pub(crate) fn new() -> (Self, ResourceSchema) {
        let fields = T::fields();
        let identity = fields.iter().filter(|field| field.identifies).map(|field| field.name.to_owned()).collect();
        let block = block::<T>();
        let registered = Self { fields, kind: block.value_type(), object: PhantomData };
        (registered, ResourceSchema { version: T::VERSION, block, bulk: T::BULK, identity, plans_destroy: false })
    }
}

fn validate<T: Object>(fields: &[Field], config: &Value, own: fn(&T, &mut Diagnostics)) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    check_fields(fields, config, &mut diagnostics);
    match T::from_value(config) {
        Ok(typed) => own(&typed, &mut diagnostics),
        Err(mismatch) if mismatch.unknown => {}
        Err(mismatch) => diagnostics.0.extend(Diagnostics::from(mismatch).0),
    }
    diagnostics
}

/// Runs an operation with its context, and gathers its warnings and partial result.
fn run<C: 'static, T, V>(
    configuration: &dyn Any,
    operation: impl FnOnce(&Context<'_, C>) -> Result<T>,
    value: impl FnOnce(T) -> V,
    partial: impl FnOnce(Value) -> V,
) -> Reply<V> {
    let Some(configuration) = configuration.downcast_ref::<C>() else {
        let problem = Diagnostic::error(
            "Wrong configuration type",
            "The provider's configured state is not of the type that this type asks for. This is a bug in the provider.",
        );
        return Reply { value: None, diagnostics: vec![problem] };
    };
    let context = Context::new(configuration);
    let result = operation(&context);
    let mut diagnostics = context.warnings.into_inner().0;
    match result {
        Ok(result) => Reply { value: Some(value(result)), diagnostics },
        Err(problems) => {
            diagnostics.extend(problems.0);
            Reply { value: context.partial.into_inner().map(partial), diagnostics }
        }
    }
}

/// Adds an error for everything in a result that is left unknown.
fn complete<T: Object>(reply: Reply<CurrentObject>) -> Reply<CurrentObject> {
    let Reply { value, diagnostics } = reply;
    let mut diagnostics = Diagnostics(diagnostics);
    if let Some(object) = value.as_ref().filter(|_| !diagnostics.has_errors()) {
        crate::plan::known(T::NAME, &object.value, &mut diagnostics);
    }
    Reply { value, diagnostics: diagnostics.0 }
}

impl<R: Resource> AnyResource for Registered<R> {
    fn kind(&self) -> &Type {
        &self.kind
    }

    fn validate(&self, config: &Value) -> Diagnostics {
        validate::<R>(&self.fields, config, R::validate)
    }

    fn plan(&self, request: &PlanRequest) -> Reply<PlannedObject> {
        let (value, diagnostics) = crate::plan::plan::<R>(&self.fields, request);
        Reply { value, diagnostics: diagnostics.0 }
    }

    fn read(&self, object: &CurrentObject, configuration: &dyn Any) -> Reply<CurrentObject> {
        let current = |value: Value| CurrentObject { value, private: object.private.clone() };
        run(
            configuration,
            |context| R::read(R::from_value(&object.value)?, context),
            |read| current(read.map_or(Value::Null, |read| read.to_value())),
            current,
        )
    }

    fn apply(&self, request: &ApplyRequest, configuration: &dyn Any) -> Reply<CurrentObject> {
        let current = |value: Value| CurrentObject { value, private: request.private.clone() };
        let object = |object: R| current(object.to_value());
        if request.planned.is_null() {
            return run(configuration, |context| R::delete(R::from_value(&request.prior)?, context), |()| current(Value::Null), current);
        }
        // Write-only values are in the configuration only.
        let mut planned = request.planned.clone();
        let write_only: Vec<&str> = self.fields.iter().filter(|field| field.attribute.write_only).map(|field| field.name).collect();
        if let Value::Map(attributes) = &mut planned {
            for name in &write_only {
                attributes.insert(Name::new_static(name), request.config.attribute(name).clone());
            }
        }
        let without_secrets = |mut current: CurrentObject| {
            if let Value::Map(attributes) = &mut current.value {
                attributes.extend(write_only.iter().map(|name| (Name::new_static(name), Value::Null)));
            }
            current
        };
        let reply = if request.prior.is_null() {
            run(configuration, |context| R::create(R::from_value(&planned)?, context), object, current)
        } else {
            run(configuration, |context| R::update(R::from_value(&request.prior)?, R::from_value(&planned)?, context), object, current)
        };
        complete::<R>(Reply { value: reply.value.map(without_secrets), diagnostics: reply.diagnostics })
    }

    fn import(&self, id: &str, configuration: &dyn Any) -> Reply<CurrentObject> {
        let current = |value: Value| CurrentObject { value, private: Vec::new() };
        run(configuration, |context| R::import(id, context), |object: R| current(object.to_value()), current)
    }

    fn upgrade(&self, version: u64, stored: &[u8]) -> Reply<Value> {
        match upgrade::<R>(&self.kind, version, stored) {
            Ok(value) => Reply::of(value),
            Err(problems) => Reply { value: None, diagnostics: problems.0 },
        }
    }
}

/// The current form of a stored object: attributes that are gone are dropped, missing ones are null.
fn upgrade<R: Resource>(kind: &Type, version: u64, stored: &[u8]) -> Result<Value> {
    let broken = |detail: String| Diagnostic::error("Unable to Read Previously Saved State", detail);
    let mut stored: serde_json::Value = serde_json::from_slice(stored).map_err(|error| broken(format!("The record is no JSON: {error}.")))?;
    if !stored.is_object() {
        return Err(broken("The record is no object of attributes.".to_owned()).into());
    }
    if version != R::VERSION {
        stored = R::upgrade(version, stored)?;
    }
    if let (Some(attributes), Type::Object(known)) = (stored.as_object_mut(), kind) {
        attributes.retain(|name, _| known.contains_key(name.as_str()));
    }
    json::decode(&stored, kind).map_err(|error| broken(format!("The record does not fit {}: {error}.", R::NAME)).at(error.path.clone()).into())
}

impl<D: DataSource> AnyDataSource for Registered<D> {
    fn kind(&self) -> &Type {
        &self.kind
    }

    fn validate(&self, config: &Value) -> Diagnostics {
        validate::<D>(&self.fields, config, D::validate)
    }

    fn read(&self, config: &Value, configuration: &dyn Any) -> Reply<Value> {
        run(configuration, |context| D::read(D::from_value(config)?, context), |object: D| object.to_value(), |value| value)
    }
}

impl<E: Ephemeral> AnyEphemeral for Registered<E> {
    fn kind(&self) -> &Type {
        &self.kind
    }

    fn validate(&self, config: &Value) -> Diagnostics {
        validate::<E>(&self.fields, config, E::validate)
    }

    fn open(&self, config: &Value, configuration: &dyn Any) -> Reply<OpenedEphemeral> {
        run(
            configuration,
            |context| E::open(E::from_value(config)?, context),
            |opened| OpenedEphemeral { value: opened.value.to_value(), private: opened.private, renew_after: opened.renew_after },
            |value| OpenedEphemeral { value, private: Vec::new(), renew_after: None },
        )
    }

    fn renew(&self, private: &[u8], configuration: &dyn Any) -> Reply<OpenedEphemeral> {
        run(
            configuration,
            |context| E::renew(private, context),
            |opened| OpenedEphemeral { value: Value::Null, private: opened.private, renew_after: opened.renew_after },
            |value| OpenedEphemeral { value, private: Vec::new(), renew_after: None },
        )
    }

    fn close(&self, private: &[u8], configuration: &dyn Any) -> Reply<()> {
        run(configuration, |context| E::close(private, context), |()| (), |_| ())
    }
}
