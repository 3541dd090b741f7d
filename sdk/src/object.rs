//! Structs as objects of attributes; the derive macros write the implementations.

use std::collections::BTreeMap;

use pravo_model::schema::{Attribute, AttributeKind, Block, Nesting};
use pravo_model::{Name, Path, PathStep, Value};

use crate::attribute::{AttributeValue, Mismatch};
use crate::diagnostics::{Diagnostic, DiagnosticExt, Diagnostics};
use crate::validators::Problem;

/// A struct whose fields are attributes. Derive it.
pub trait Object: Sized {
    /// The type name, `random_pet`.
    const NAME: &'static str;
    /// Version of the stored form.
    const VERSION: u64;
    /// Whether the host may read and plan several objects in one call.
    const BULK: bool = false;
    /// Documentation.
    const DESCRIPTION: &'static str;
    /// Why it should no longer be used.
    const DEPRECATED: Option<&'static str>;
    /// The attributes.
    fn fields() -> Vec<Field>;
    /// From a complete object.
    ///
    /// # Errors
    /// Where a field's type cannot hold an attribute's value.
    fn from_value(value: &Value) -> Result<Self, Mismatch>;
    /// To a complete object.
    fn to_value(&self) -> Value;
}

/// What a change of one attribute looks like, for deciding whether it needs a replacement.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The attribute in the record.
    pub prior: &'a Value,
    /// The attribute as configured.
    pub config: &'a Value,
    /// The attribute as planned; differs from `prior`.
    pub planned: &'a Value,
}

type Check = Box<dyn Fn(&Value) -> Result<(), Problem>>;

/// One attribute: its schema and how it is planned and checked.
pub struct Field {
    /// The attribute's name.
    pub name: &'static str,
    pub(crate) attribute: Attribute,
    pub(crate) default: Option<Value>,
    pub(crate) keeps_prior: bool,
    pub(crate) identifies: bool,
    pub(crate) replaces: Option<fn(Change<'_>) -> bool>,
    checks: Vec<Check>,
}

impl Field {
    /// An attribute with the type of a Rust type.
    pub fn new<T: AttributeValue>(name: &'static str) -> Self {
        let attribute = Attribute {
            kind: T::kind(),
            required: false,
            optional: false,
            computed: false,
            sensitive: false,
            write_only: false,
            description: String::new(),
            deprecated: None,
        };
        Self { name, attribute, default: None, keeps_prior: false, identifies: false, replaces: None, checks: Vec::new() }
    }

    /// Documentation.
    #[must_use]
    pub fn description(mut self, text: &str) -> Self {
        text.clone_into(&mut self.attribute.description);
        self
    }

    /// Must be configured.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.attribute.required = true;
        self
    }

    /// May be configured.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.attribute.optional = true;
        self
    }

    /// Set by the provider where it is not configured.
    #[must_use]
    pub fn computed(mut self) -> Self {
        self.attribute.computed = true;
        self
    }

    /// Hidden when shown.
    #[must_use]
    pub fn sensitive(mut self) -> Self {
        self.attribute.sensitive = true;
        self
    }

    /// Given to the provider, never stored.
    #[must_use]
    pub fn write_only(mut self) -> Self {
        self.attribute.write_only = true;
        self
    }

    /// Why it should no longer be used.
    #[must_use]
    pub fn deprecated(mut self, reason: &str) -> Self {
        self.attribute.deprecated = Some(reason.to_owned());
        self
    }

    /// Computed once: where an update would make it unknown, the record's value stays.
    #[must_use]
    pub fn keep_prior(mut self) -> Self {
        self.keeps_prior = true;
        self
    }

    /// Identifies the real object.
    #[must_use]
    pub fn identity(mut self) -> Self {
        self.identifies = true;
        self
    }

    /// A change needs a replacement.
    #[must_use]
    pub fn replace(self) -> Self {
        self.replace_if(|_| true)
    }

    /// A change needs a replacement if the function says so.
    #[must_use]
    pub fn replace_if(mut self, decide: fn(Change<'_>) -> bool) -> Self {
        self.replaces = Some(decide);
        self
    }

    /// The value where none is configured; the attribute is computed too.
    #[must_use]
    pub fn default_value(mut self, value: &impl AttributeValue) -> Self {
        self.default = Some(value.to_value());
        self.computed()
    }

    /// A check of the configured value, where it is known.
    #[must_use]
    pub fn validate<T: AttributeValue + 'static, C>(mut self, check: C) -> Self
    where
        C: crate::validators::Check<T> + 'static,
    {
        self.checks.push(Box::new(move |value| match T::from_value(value) {
            Ok(typed) => check.check(&typed),
            Err(mismatch) if mismatch.unknown => Ok(()),
            Err(mismatch) => Err(Problem::from(mismatch.problem)),
        }));
        self
    }

    fn check(&self, value: &Value, diagnostics: &mut Diagnostics) {
        if value.is_null() || value.is_unknown() {
            return;
        }
        for check in &self.checks {
            if let Err(problem) = check(value) {
                diagnostics.push(Diagnostic::error(problem.summary, problem.detail).at(Path::attribute(self.name)));
            }
        }
    }
}

/// Runs the checks of all attributes. What is deprecated is in the schema: the host warns of it.
pub(crate) fn check_fields(fields: &[Field], config: &Value, diagnostics: &mut Diagnostics) {
    for field in fields {
        field.check(config.attribute(field.name), diagnostics);
    }
}

/// The schema of an object.
pub fn block<T: Object>() -> Block {
    Block {
        attributes: attributes::<T>(),
        blocks: BTreeMap::new(),
        description: T::DESCRIPTION.to_owned(),
        deprecated: T::DEPRECATED.map(str::to_owned),
    }
}

fn attributes<T: Object>() -> BTreeMap<Name, Attribute> {
    T::fields().into_iter().map(|field| (Name::new_static(field.name), field.attribute)).collect()
}

/// Reads one attribute of an object.
///
/// # Errors
/// Where the type cannot hold the value.
pub fn take<T: AttributeValue>(value: &Value, name: &str) -> Result<T, Mismatch> {
    T::from_value(value.attribute(name)).map_err(|error| error.below(PathStep::Attribute(name.into())))
}

/// An object of attributes and of the attributes of flattened structs. An attribute of one's own wins over a flattened one.
pub fn join(own: Vec<(&'static str, Value)>, flattened: Vec<Value>) -> Value {
    let mut all = BTreeMap::new();
    for entries in flattened {
        if let Value::Map(entries) = entries {
            all.extend(entries);
        }
    }
    all.extend(own.into_iter().map(|(name, value)| (Name::new_static(name), value)));
    Value::Map(all)
}

/// The kind of an object within an attribute.
pub fn nested_kind<T: Object>() -> AttributeKind {
    AttributeKind::Nested(Nesting::Single, attributes::<T>())
}

/// An object within an attribute.
///
/// # Errors
/// Where it is no object, or a field's type cannot hold an attribute's value.
pub fn nested_from_value<T: Object>(value: &Value) -> Result<T, Mismatch> {
    match value {
        Value::Map(_) => T::from_value(value),
        _ => Err(Mismatch { path: Path::root(), unknown: value.is_unknown(), problem: "an object is required".to_owned() }),
    }
}
