//! A provider: its types and functions, and what makes its configured state.

use std::any::Any;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use pravo_model::provider::{ApplyRequest, CurrentObject, OpenedEphemeral, PlanRequest, PlannedObject, Reply, StoredObject};
use pravo_model::schema::{Block, ProviderSchema, SCHEMA_FORMAT};
use pravo_model::{Type, Value};

use crate::diagnostics::{Diagnostic, DiagnosticExt, Diagnostics, Result};
use crate::function::FunctionDefinition;
use crate::object::{Object, block, check_fields};
use crate::registered::{AnyDataSource, AnyEphemeral, AnyResource, Registered};
use crate::resource::{DataSource, Ephemeral, Resource};

type Configure = Box<dyn Fn(&Value) -> Result<Box<dyn Any>>>;
type Validate = Box<dyn Fn(&Value) -> Diagnostics>;

/// What a type name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A resource.
    Managed,
    /// A data source.
    Data,
    /// An ephemeral.
    Ephemeral,
}

/// A provider whose configured state is `C`: register its types, hand it to `export_provider!`.
pub struct Provider<C = ()> {
    server: Server,
    configuration: PhantomData<C>,
}

impl Provider<()> {
    /// A provider without configuration.
    pub fn new(version: &str) -> Self {
        Self::with(version, Block::default(), Box::new(|_| Diagnostics::default()), Box::new(|_| Ok(Box::new(()))))
    }
}

impl<C: 'static> Provider<C> {
    /// A provider that makes its state `C` from a configuration `O`.
    pub fn configured<O: Object + 'static>(version: &str, configure: fn(O) -> Result<C>) -> Self {
        let validate = |config: &Value| {
            let mut diagnostics = Diagnostics::default();
            check_fields(&O::fields(), config, &mut diagnostics);
            diagnostics
        };
        let configure = move |config: &Value| -> Result<Box<dyn Any>> { Ok(Box::new(configure(O::from_value(config)?)?)) };
        Self::with(version, block::<O>(), Box::new(validate), Box::new(configure))
    }

    fn with(version: &str, provider: Block, validate: Validate, configure: Configure) -> Self {
        let schema = ProviderSchema { format: SCHEMA_FORMAT, version: version.to_owned(), provider, ..ProviderSchema::default() };
        let server = Server {
            schema,
            resources: BTreeMap::new(),
            data_sources: BTreeMap::new(),
            ephemerals: BTreeMap::new(),
            functions: BTreeMap::new(),
            validate,
            configure,
        };
        Self { server, configuration: PhantomData }
    }

    /// Offers a resource.
    #[must_use]
    pub fn resource<R: Resource<Configuration = C>>(mut self) -> Self {
        let (registered, schema) = Registered::<R>::new();
        self.server.schema.resources.insert(R::NAME.to_owned(), schema);
        self.server.resources.insert(R::NAME, Box::new(registered));
        self
    }

    /// Offers a data source.
    #[must_use]
    pub fn data_source<D: DataSource<Configuration = C>>(mut self) -> Self {
        let (registered, schema) = Registered::<D>::new();
        self.server.schema.data_sources.insert(D::NAME.to_owned(), schema);
        self.server.data_sources.insert(D::NAME, Box::new(registered));
        self
    }

    /// Offers an ephemeral.
    #[must_use]
    pub fn ephemeral<E: Ephemeral<Configuration = C>>(mut self) -> Self {
        let (registered, schema) = Registered::<E>::new();
        self.server.schema.ephemerals.insert(E::NAME.to_owned(), schema);
        self.server.ephemerals.insert(E::NAME, Box::new(registered));
        self
    }

    /// Offers a function.
    #[must_use]
    pub fn function(mut self, definition: FunctionDefinition) -> Self {
        self.server.schema.functions.insert(definition.name.to_owned(), definition.schema.clone());
        self.server.functions.insert(definition.name, definition);
        self
    }

    /// The provider as the host calls it.
    pub fn serve(self) -> Server {
        self.server
    }
}

/// A provider as the host calls it: type names and values in, values and diagnostics out.
pub struct Server {
    schema: ProviderSchema,
    resources: BTreeMap<&'static str, Box<dyn AnyResource>>,
    data_sources: BTreeMap<&'static str, Box<dyn AnyDataSource>>,
    ephemerals: BTreeMap<&'static str, Box<dyn AnyEphemeral>>,
    functions: BTreeMap<&'static str, FunctionDefinition>,
    validate: Validate,
    configure: Configure,
}

/// The provider's configured state.
pub struct Configured(Box<dyn Any>);

fn missing<T>(what: &str, name: &str) -> Reply<T> {
    let problem = Diagnostic::error(format!("No such {what}"), format!("The provider offers no {what} {name:?}."));
    Reply { value: None, diagnostics: vec![problem] }
}

impl Server {
    /// What it offers.
    pub fn schema(&self) -> &ProviderSchema {
        &self.schema
    }

    /// The type of the objects of a type name; [`None`] where there is no such type.
    pub fn object_type(&self, kind: Kind, type_name: &str) -> Option<&Type> {
        match kind {
            Kind::Managed => self.resources.get(type_name).map(|resource| resource.kind()),
            Kind::Data => self.data_sources.get(type_name).map(|data| data.kind()),
            Kind::Ephemeral => self.ephemerals.get(type_name).map(|ephemeral| ephemeral.kind()),
        }
    }

    /// Checks the provider's own configuration.
    pub fn validate_provider(&self, config: &Value) -> Vec<Diagnostic> {
        (self.validate)(config).0
    }

    /// Checks a body.
    pub fn validate(&self, kind: Kind, type_name: &str, config: &Value) -> Vec<Diagnostic> {
        let diagnostics = match kind {
            Kind::Managed => self.resources.get(type_name).map(|resource| resource.validate(config)),
            Kind::Data => self.data_sources.get(type_name).map(|data| data.validate(config)),
            Kind::Ephemeral => self.ephemerals.get(type_name).map(|ephemeral| ephemeral.validate(config)),
        };
        diagnostics.map_or_else(|| missing::<()>("type", type_name).diagnostics, |diagnostics| diagnostics.0)
    }

    /// Brings a stored object to the current schema version.
    pub fn upgrade(&self, stored: &StoredObject) -> Reply<Value> {
        match self.resources.get(stored.type_name.as_str()) {
            Some(resource) => resource.upgrade(stored.version, &stored.json),
            None => missing("resource", &stored.type_name),
        }
    }

    /// Calls a function.
    pub fn call_function(&self, name: &str, arguments: &[Value]) -> Reply<Value> {
        let Some(function) = self.functions.get(name) else { return missing("function", name) };
        match (function.call)(arguments) {
            Ok(value) => Reply::of(value),
            Err(error) => Reply { value: None, diagnostics: Diagnostics::from(error).0 },
        }
    }

    /// Makes the configured state.
    pub fn configure(&self, config: &Value) -> Reply<Configured> {
        match (self.configure)(config) {
            Ok(state) => Reply::of(Configured(state)),
            Err(problems) => Reply { value: None, diagnostics: problems.0 },
        }
    }

    /// Reads an object.
    pub fn read(&self, configured: &Configured, type_name: &str, object: &CurrentObject) -> Reply<CurrentObject> {
        self.resources.get(type_name).map_or_else(|| missing("resource", type_name), |resource| resource.read(object, &*configured.0))
    }

    /// Plans a resource.
    pub fn plan(&self, type_name: &str, request: &PlanRequest) -> Reply<PlannedObject> {
        self.resources.get(type_name).map_or_else(|| missing("resource", type_name), |resource| resource.plan(request))
    }

    /// Creates, updates or deletes.
    pub fn apply(&self, configured: &Configured, type_name: &str, request: &ApplyRequest) -> Reply<CurrentObject> {
        self.resources.get(type_name).map_or_else(|| missing("resource", type_name), |resource| resource.apply(request, &*configured.0))
    }

    /// Finds an existing object.
    pub fn import(&self, configured: &Configured, type_name: &str, id: &str) -> Reply<CurrentObject> {
        self.resources.get(type_name).map_or_else(|| missing("resource", type_name), |resource| resource.import(id, &*configured.0))
    }

    /// Reads a data source.
    pub fn read_data(&self, configured: &Configured, type_name: &str, config: &Value) -> Reply<Value> {
        self.data_sources.get(type_name).map_or_else(|| missing("data source", type_name), |data| data.read(config, &*configured.0))
    }

    /// Opens an ephemeral.
    pub fn open(&self, configured: &Configured, type_name: &str, config: &Value) -> Reply<OpenedEphemeral> {
        self.ephemerals.get(type_name).map_or_else(|| missing("ephemeral", type_name), |ephemeral| ephemeral.open(config, &*configured.0))
    }

    /// Prolongs an ephemeral.
    pub fn renew(&self, configured: &Configured, type_name: &str, private: &[u8]) -> Reply<OpenedEphemeral> {
        self.ephemerals.get(type_name).map_or_else(|| missing("ephemeral", type_name), |ephemeral| ephemeral.renew(private, &*configured.0))
    }

    /// Closes an ephemeral.
    pub fn close(&self, configured: &Configured, type_name: &str, private: &[u8]) -> Reply<()> {
        self.ephemerals.get(type_name).map_or_else(|| missing("ephemeral", type_name), |ephemeral| ephemeral.close(private, &*configured.0))
    }
}
