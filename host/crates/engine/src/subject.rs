//! One resource, data source or ephemeral with its schema: what every call about it needs.

use std::sync::Arc;

use pravo_diag::{Diagnostic, Span};
use pravo_model::provider::ProviderBinding;
use pravo_model::schema::{AttributeKind, ProviderSchema, ResourceSchema};
use pravo_model::specification::Kind;
use pravo_model::{Address, Path, PathStep, Type, Value};

use crate::deprecated::deprecates;
use crate::diagnose::Place;
use crate::pool::Pool;
use crate::shape::{Shape, elements};

/// A walked struct, or a record, with its type.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) place: Place,
    pub(crate) kind: Kind,
    pub(crate) type_name: Arc<str>,
    pub(crate) binding: Arc<ProviderBinding>,
    /// Whether the type, or something in it, is deprecated.
    pub(crate) deprecates: bool,
    schema: Arc<ProviderSchema>,
    value_type: Arc<Type>,
}

impl Subject {
    /// Looks the type up.
    ///
    /// # Errors
    /// Where the provider or the type is unknown.
    pub(crate) fn new(
        pool: &Pool,
        binding: &Arc<ProviderBinding>,
        kind: Kind,
        type_name: &Arc<str>,
        address: &Address,
        span: Option<Span>,
    ) -> Result<Self, Diagnostic> {
        let place = Place::new(address, span);
        let schema = pool.providers().schema(&binding.package).map_err(|failure| place.failed(&failure))?;
        let Some(value_type) = pool.value_type(&schema, kind, type_name) else {
            let text = format!("{address}: the provider {} has no type {type_name}", binding.package);
            let diagnostic = Diagnostic::error("provider.type", text)
                .with_path(address.to_string())
                .with_help("remove the record with pravo state rm, or use a version of the provider that has the type");
            return Err(match span {
                Some(span) => diagnostic.at(span, ""),
                None => diagnostic,
            });
        };
        let deprecates = schema.get(kind, type_name).is_some_and(|found| deprecates(&found.block));
        Ok(Self { deprecates, place, kind, type_name: Arc::clone(type_name), binding: Arc::clone(binding), schema, value_type })
    }

    /// The same type at another place.
    pub(crate) fn at(&self, address: &Address, span: Option<Span>) -> Self {
        Self { place: Place::new(address, span), ..self.clone() }
    }

    pub(crate) fn address(&self) -> &Address {
        &self.place.address
    }

    /// The provider package, for messages.
    pub(crate) fn package(&self) -> &str {
        &self.binding.package
    }

    /// The schema of the type.
    pub(crate) fn schema(&self) -> &ResourceSchema {
        static NONE: std::sync::LazyLock<ResourceSchema> = std::sync::LazyLock::new(ResourceSchema::default);
        // `new` has looked: the default is never reached.
        self.schema.get(self.kind, &self.type_name).unwrap_or(&NONE)
    }

    /// The attributes and blocks of the type.
    pub(crate) fn shape(&self) -> Shape<'_> {
        Shape::from(&self.schema().block)
    }

    /// The type of its objects.
    pub(crate) fn value_type(&self) -> &Type {
        &self.value_type
    }

    /// The id of an object, where it has one that may be shown.
    pub(crate) fn id(&self, value: &Value) -> Option<String> {
        if self.shape().attribute("id").is_none_or(|attribute| attribute.sensitive) {
            return None;
        }
        match value.attribute("id") {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Paths of an object that the schema marks as sensitive.
    pub(crate) fn sensitive(&self, value: &Value) -> Vec<Path> {
        let mut paths = Vec::new();
        sensitive(self.shape(), value, &Path::root(), &mut paths);
        paths
    }

    /// Whether the schema marks the attribute at a path, or one above it, as sensitive; also where something below is.
    pub(crate) fn is_sensitive(&self, path: &Path) -> bool {
        let mut shape = Some(self.shape());
        for step in path.steps() {
            let (PathStep::Attribute(name) | PathStep::Key(name), Some(current)) = (step, shape) else {
                continue;
            };
            if let Some(attribute) = current.attribute(name) {
                if attribute.sensitive {
                    return true;
                }
                shape = match &attribute.kind {
                    AttributeKind::Nested(_, attributes) => Some(attributes.into()),
                    AttributeKind::Type(_) => None,
                };
            } else if let Some(nested) = current.block(name) {
                shape = Some((&nested.block).into());
            }
        }
        shape.is_some_and(|shape| !path.steps().is_empty() && holds_sensitive(shape))
    }
}

fn holds_sensitive(shape: Shape<'_>) -> bool {
    shape.attributes().any(|(_, attribute)| {
        attribute.sensitive || matches!(&attribute.kind, AttributeKind::Nested(_, attributes) if holds_sensitive(attributes.into()))
    }) || shape.blocks().any(|(_, nested)| holds_sensitive((&nested.block).into()))
}

fn sensitive(shape: Shape<'_>, value: &Value, path: &Path, paths: &mut Vec<Path>) {
    for (name, attribute) in shape.attributes() {
        let value = value.attribute(name);
        let path = || path.then(PathStep::Attribute(name.clone()));
        match &attribute.kind {
            _ if value.is_null() => {}
            _ if attribute.sensitive => paths.push(path()),
            AttributeKind::Nested(nesting, attributes) => below(*nesting, attributes.into(), value, &path(), paths),
            AttributeKind::Type(_) => {}
        }
    }
    for (name, nested) in shape.blocks() {
        let path = path.then(PathStep::Attribute(name.clone()));
        below(nested.nesting, (&nested.block).into(), value.attribute(name), &path, paths);
    }
}

fn below(nesting: pravo_model::schema::Nesting, shape: Shape<'_>, value: &Value, path: &Path, paths: &mut Vec<Path>) {
    use pravo_model::schema::Nesting;
    if !holds_sensitive(shape) {
        return;
    }
    match (nesting, value) {
        // Elements of sets have no positions: a sensitive part hides the set.
        (Nesting::Set, value) if !elements(nesting, value).is_empty() => paths.push(path.clone()),
        (Nesting::Single | Nesting::Group, value) => sensitive(shape, value, path, paths),
        (Nesting::List, Value::List(elements)) => {
            for (index, element) in elements.iter().enumerate() {
                sensitive(shape, element, &path.then(PathStep::Index(index as u64)), paths);
            }
        }
        (Nesting::Map, Value::Map(entries)) => {
            for (key, element) in entries {
                sensitive(shape, element, &path.then(PathStep::Key(key.clone())), paths);
            }
        }
        _ => {}
    }
}
