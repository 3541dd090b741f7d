//! Tests of a provider without WebAssembly: the [`Server`] as the host calls it, with a directory in place of the grants.
//!
//! ```ignore
//! let lab = Lab::new(provider());
//! let pet = lab.create("random_pet", &Value::object([("length", Value::integer(2))]))?;
//! ```

use std::path::Path as Directory;

use pravo_model::Value;
use pravo_model::provider::{ApplyRequest, CurrentObject, PlanRequest, PlannedObject};

use crate::diagnostics::{Diagnostics, Result};
use crate::provider::{Configured, Kind, Provider, Server};

/// Runs something with a directory as the root that [`crate::files`] works below.
pub fn with_root<T>(root: &Directory, operation: impl FnOnce() -> T) -> T {
    crate::files::with_root(root, operation)
}

/// A configured provider, and the steps of a resource's life as the host takes them.
pub struct Lab {
    /// The provider.
    pub server: Server,
    configured: Configured,
}

impl Lab {
    /// A provider without configuration.
    ///
    /// # Errors
    /// Where it refuses to be configured with nothing set.
    pub fn new<C: 'static>(provider: Provider<C>) -> Result<Self> {
        Self::configured(provider, &Value::object::<String>([]))
    }

    /// A provider with a configuration.
    ///
    /// # Errors
    /// Where it refuses it.
    pub fn configured<C: 'static>(provider: Provider<C>, config: &Value) -> Result<Self> {
        let server = provider.serve();
        let reply = server.configure(config);
        let configured = reply.value.ok_or(Diagnostics(reply.diagnostics))?;
        Ok(Self { server, configured })
    }

    /// A body with every attribute of the type, null where it is not set.
    pub fn complete(&self, type_name: &str, config: &Value) -> Value {
        let schema = self.server.schema();
        let schema = schema.resources.get(type_name).or_else(|| schema.data_sources.get(type_name)).or_else(|| schema.ephemerals.get(type_name));
        let names = schema.into_iter().flat_map(|schema| schema.block.attributes.keys());
        Value::object(names.map(|name| (name.clone(), config.attribute(name).clone())))
    }

    /// Validates and plans; `prior` is null for a creation.
    ///
    /// # Errors
    /// Where the provider refuses.
    pub fn plan(&self, type_name: &str, prior: &Value, config: &Value) -> Result<PlannedObject> {
        let config = self.complete(type_name, config);
        refuse(self.server.validate(Kind::Managed, type_name, &config))?;
        let attributes = &self.server.schema().resources.get(type_name).map(|schema| schema.block.attributes.clone()).unwrap_or_default();
        let proposed = attributes.iter().map(|(name, attribute)| {
            let configured = config.attribute(name);
            let value = if attribute.computed && configured.is_null() { prior.attribute(name) } else { configured };
            (name.clone(), value.clone())
        });
        let request = PlanRequest { prior: prior.clone(), proposed: Value::object(proposed), config: config.clone(), private: Vec::new() };
        let reply = self.server.plan(type_name, &request);
        refuse(reply.diagnostics)?;
        reply.value.ok_or_else(Diagnostics::default)
    }

    /// Plans and applies; `prior` is null for a creation.
    ///
    /// # Errors
    /// Where the provider refuses or fails.
    pub fn apply(&self, type_name: &str, prior: &Value, config: &Value) -> Result<Value> {
        let planned = self.plan(type_name, prior, config)?;
        let request =
            ApplyRequest { prior: prior.clone(), planned: planned.planned, config: self.complete(type_name, config), private: planned.private };
        let reply = self.server.apply(&self.configured, type_name, &request);
        refuse(reply.diagnostics)?;
        reply.value.map(|object| object.value).ok_or_else(Diagnostics::default)
    }

    /// Plans and creates.
    ///
    /// # Errors
    /// Where the provider refuses or fails.
    pub fn create(&self, type_name: &str, config: &Value) -> Result<Value> {
        self.apply(type_name, &Value::Null, config)
    }

    /// Reads; null where the object is gone.
    ///
    /// # Errors
    /// Where the provider fails.
    pub fn read(&self, type_name: &str, recorded: &Value) -> Result<Value> {
        let reply = self.server.read(&self.configured, type_name, &CurrentObject { value: recorded.clone(), private: Vec::new() });
        refuse(reply.diagnostics)?;
        reply.value.map(|object| object.value).ok_or_else(Diagnostics::default)
    }

    /// Deletes.
    ///
    /// # Errors
    /// Where the provider fails.
    pub fn delete(&self, type_name: &str, recorded: &Value) -> Result<()> {
        let request = ApplyRequest { prior: recorded.clone(), planned: Value::Null, config: Value::Null, private: Vec::new() };
        refuse(self.server.apply(&self.configured, type_name, &request).diagnostics)
    }

    /// Imports.
    ///
    /// # Errors
    /// Where the provider finds nothing.
    pub fn import(&self, type_name: &str, id: &str) -> Result<Value> {
        let reply = self.server.import(&self.configured, type_name, id);
        refuse(reply.diagnostics)?;
        reply.value.map(|object| object.value).ok_or_else(Diagnostics::default)
    }

    /// Reads a data source.
    ///
    /// # Errors
    /// Where the provider refuses or fails.
    pub fn read_data(&self, type_name: &str, config: &Value) -> Result<Value> {
        let config = self.complete(type_name, config);
        refuse(self.server.validate(Kind::Data, type_name, &config))?;
        let reply = self.server.read_data(&self.configured, type_name, &config);
        refuse(reply.diagnostics)?;
        reply.value.ok_or_else(Diagnostics::default)
    }

    /// Opens an ephemeral.
    ///
    /// # Errors
    /// Where the provider refuses or fails.
    pub fn open(&self, type_name: &str, config: &Value) -> Result<Value> {
        let config = self.complete(type_name, config);
        refuse(self.server.validate(Kind::Ephemeral, type_name, &config))?;
        let reply = self.server.open(&self.configured, type_name, &config);
        refuse(reply.diagnostics)?;
        reply.value.map(|opened| opened.value).ok_or_else(Diagnostics::default)
    }
}

/// Errors as an `Err`; warnings pass.
fn refuse(diagnostics: Vec<crate::Diagnostic>) -> Result<()> {
    let diagnostics = Diagnostics(diagnostics);
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(()) }
}
