//! What a provider author implements: traits for resources, data sources and ephemerals.

use std::cell::RefCell;

use pravo_model::{Path, Value};

use crate::diagnostics::{Diagnostic, DiagnosticExt, Diagnostics, Result};
use crate::object::Object;

/// What an operation has beside its object: the provider's configured state, and a place for warnings and partial results.
pub struct Context<'a, C> {
    /// What [`crate::Provider::configured`] made of the provider's configuration.
    pub configuration: &'a C,
    pub(crate) warnings: RefCell<Diagnostics>,
    pub(crate) partial: RefCell<Option<Value>>,
}

impl<'a, C> Context<'a, C> {
    /// A context without warnings.
    pub fn new(configuration: &'a C) -> Self {
        Self { configuration, warnings: RefCell::default(), partial: RefCell::default() }
    }

    /// Says something beside the result.
    pub fn warn(&self, diagnostic: Diagnostic) {
        self.warnings.borrow_mut().push(diagnostic);
    }

    /// Remembers what has been made so far: it is recorded should the operation fail now.
    pub fn partial(&self, object: &impl Object) {
        *self.partial.borrow_mut() = Some(object.to_value());
    }
}

/// A plan that a resource may still change. Runs after defaults, unknowns and kept values have been filled in, and before
/// it is decided which changes need a replacement.
pub struct Plan<R> {
    /// The record; `None` for a creation.
    pub prior: Option<R>,
    /// The body as configured.
    pub config: R,
    /// The plan so far.
    pub planned: R,
    /// More attributes whose change needs a replacement.
    pub replace: Vec<Path>,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
}

/// A managed resource. Everything but `create` has a sensible default.
pub trait Resource: Object + 'static {
    /// The provider's configured state.
    type Configuration: 'static;

    /// Checks a body beyond its attributes' own checks. Not asked while something is unknown that the struct cannot hold.
    fn validate(config: &Self, diagnostics: &mut Diagnostics) {
        let _ = (config, diagnostics);
    }

    /// Changes the plan of a creation or update. Not asked while something is unknown that the struct cannot hold.
    fn plan(plan: &mut Plan<Self>) {
        let _ = plan;
    }

    /// Makes the object. Computed attributes of `planned` are unknown: fill them in.
    ///
    /// # Errors
    /// Where it could not be made; see [`Context::partial`].
    fn create(planned: Self, context: &Context<'_, Self::Configuration>) -> Result<Self>;

    /// Looks at the object; `None` where it is gone.
    ///
    /// # Errors
    /// Where it could not be looked at.
    fn read(recorded: Self, context: &Context<'_, Self::Configuration>) -> Result<Option<Self>> {
        let _ = context;
        Ok(Some(recorded))
    }

    /// Changes the object in place.
    ///
    /// # Errors
    /// Where it could not be changed.
    fn update(prior: Self, planned: Self, context: &Context<'_, Self::Configuration>) -> Result<Self> {
        let _ = (prior, context);
        Ok(planned)
    }

    /// Deletes the object; an object that is gone already is no error.
    ///
    /// # Errors
    /// Where it could not be deleted.
    fn delete(recorded: Self, context: &Context<'_, Self::Configuration>) -> Result<()> {
        let _ = (recorded, context);
        Ok(())
    }

    /// Finds an object that exists by its id.
    ///
    /// # Errors
    /// Where there is none, and, as by default, where the type offers no import.
    fn import(id: &str, context: &Context<'_, Self::Configuration>) -> Result<Self> {
        let _ = (id, context);
        Err(Diagnostic::error("Resource Import Not Implemented", format!("This resource does not support import: {} has no import.", Self::NAME))
            .into())
    }

    /// Brings the attributes that an older version stored, as JSON, to the form of the current version.
    ///
    /// # Errors
    /// Where it cannot, and, as by default, where no upgrade from the version is known.
    fn upgrade(version: u64, stored: serde_json::Value) -> Result<serde_json::Value> {
        let _ = stored;
        Err(Diagnostic::error(
            "Unable to Upgrade Resource State",
            format!("This resource was implemented without an UpgradeState for version {version}: {} has version {}.", Self::NAME, Self::VERSION),
        )
        .into())
    }
}

/// A data source.
pub trait DataSource: Object + 'static {
    /// The provider's configured state.
    type Configuration: 'static;

    /// Checks a body beyond its attributes' own checks.
    fn validate(config: &Self, diagnostics: &mut Diagnostics) {
        let _ = (config, diagnostics);
    }

    /// Reads it: `config` with the computed attributes filled in.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn read(config: Self, context: &Context<'_, Self::Configuration>) -> Result<Self>;
}

/// An opened ephemeral.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened<T> {
    /// The attributes.
    pub value: T,
    /// What renewing and closing need to know.
    pub private: Vec<u8>,
    /// After how many milliseconds it wants to be renewed.
    pub renew_after: Option<u64>,
}

impl<T> From<T> for Opened<T> {
    fn from(value: T) -> Self {
        Self { value, private: Vec::new(), renew_after: None }
    }
}

/// An ephemeral: opened when it is needed, closed after, never stored.
pub trait Ephemeral: Object + 'static {
    /// The provider's configured state.
    type Configuration: 'static;

    /// Checks a body beyond its attributes' own checks.
    fn validate(config: &Self, diagnostics: &mut Diagnostics) {
        let _ = (config, diagnostics);
    }

    /// Opens it.
    ///
    /// # Errors
    /// Where it cannot be opened.
    fn open(config: Self, context: &Context<'_, Self::Configuration>) -> Result<Opened<Self>>;

    /// Prolongs it: new private bytes, and when to come again.
    ///
    /// # Errors
    /// Where it cannot be prolonged.
    fn renew(private: &[u8], context: &Context<'_, Self::Configuration>) -> Result<Opened<()>> {
        let _ = context;
        Ok(Opened { value: (), private: private.to_vec(), renew_after: None })
    }

    /// Closes it.
    ///
    /// # Errors
    /// Where it cannot be closed.
    fn close(private: &[u8], context: &Context<'_, Self::Configuration>) -> Result<()> {
        let _ = (private, context);
        Ok(())
    }
}
