//! How a resource is planned from its schema alone, as Terraform's plugin framework plans.
//!
//! From the proposed object: defaults where nothing is configured, write-only values dropped, and if anything differs from
//! the record, every computed attribute that is not configured unknown, unless it keeps the record's value. Then the
//! resource's own [`Resource::plan`], then the changes that need a replacement.

use pravo_model::provider::{PlanRequest, PlannedObject};
use pravo_model::{Name, Path, Value};

use crate::diagnostics::{Diagnostic, DiagnosticExt, Diagnostics};
use crate::object::{Change, Field};
use crate::resource::{Plan, Resource};

/// Plans a creation, an update or a deletion.
pub(crate) fn plan<R: Resource>(fields: &[Field], request: &PlanRequest) -> (Option<PlannedObject>, Diagnostics) {
    if request.proposed.is_null() {
        return (Some(planned(Value::Null, Vec::new(), request)), Diagnostics::default());
    }
    let mut object = fill(fields, request);
    let mut replace = Vec::new();
    let mut diagnostics = Diagnostics::default();
    if let Err(problems) = own_plan::<R>(request, &mut object, &mut replace, &mut diagnostics) {
        diagnostics.0.extend(problems.0);
    }
    replace.extend(fields.iter().filter(|field| replaces(field, request, &object)).map(|field| Path::attribute(field.name)));
    replace.sort();
    replace.dedup();
    (Some(planned(object, replace, request)), diagnostics)
}

fn planned(object: Value, requires_replace: Vec<Path>, request: &PlanRequest) -> PlannedObject {
    PlannedObject { planned: object, requires_replace, private: request.private.clone() }
}

/// The plan as far as the schema says it.
fn fill(fields: &[Field], request: &PlanRequest) -> Value {
    let mut attributes = request.proposed.as_map().cloned().unwrap_or_default();
    for field in fields {
        let configured = !request.config.attribute(field.name).is_null();
        if field.attribute.write_only {
            attributes.insert(Name::new_static(field.name), Value::Null);
        } else if let Some(default) = field.default.as_ref().filter(|_| !configured) {
            attributes.insert(Name::new_static(field.name), default.clone());
        }
    }
    let changes_nothing = |field: &Field| attributes.get(field.name).unwrap_or(&Value::Null) == request.prior.attribute(field.name);
    if !request.prior.is_null() && fields.iter().all(changes_nothing) {
        return Value::Map(attributes);
    }
    for field in fields {
        let open = field.attribute.computed && field.default.is_none() && request.config.attribute(field.name).is_null();
        if open {
            let kept = field.keeps_prior && !request.prior.is_null();
            let value = if kept { request.prior.attribute(field.name).clone() } else { Value::Unknown };
            attributes.insert(Name::new_static(field.name), value);
        }
    }
    Value::Map(attributes)
}

/// Asks the resource itself, unless something is unknown that its struct cannot hold.
fn own_plan<R: Resource>(
    request: &PlanRequest,
    object: &mut Value,
    replace: &mut Vec<Path>,
    diagnostics: &mut Diagnostics,
) -> Result<(), Diagnostics> {
    let prior = if request.prior.is_null() { None } else { Some(R::from_value(&request.prior)?) };
    let (config, planned) = match (R::from_value(&request.config), R::from_value(object)) {
        (Ok(config), Ok(planned)) => (config, planned),
        (Err(mismatch), _) | (_, Err(mismatch)) if mismatch.unknown => return Ok(()),
        (Err(mismatch), _) | (_, Err(mismatch)) => return Err(mismatch.into()),
    };
    let mut plan = Plan { prior, config, planned, replace: Vec::new(), diagnostics: Diagnostics::default() };
    R::plan(&mut plan);
    *object = plan.planned.to_value();
    replace.extend(plan.replace);
    diagnostics.0.extend(plan.diagnostics.0);
    Ok(())
}

fn replaces(field: &Field, request: &PlanRequest, planned: &Value) -> bool {
    let Some(decide) = field.replaces.filter(|_| !request.prior.is_null()) else { return false };
    let (prior, planned) = (request.prior.attribute(field.name), planned.attribute(field.name));
    planned != prior && decide(Change { prior, config: request.config.attribute(field.name), planned })
}

/// Checks what an operation gave: wholly known, as the host demands.
pub(crate) fn known(type_name: &str, value: &Value, diagnostics: &mut Diagnostics) {
    let unknown = value.as_map().into_iter().flatten().filter(|(_, value)| !value.is_wholly_known());
    for (name, _) in unknown {
        let detail = format!("After the operation {type_name} must know every attribute, {name} is left unknown. This is a bug in the provider.");
        diagnostics.push(Diagnostic::error("Provider returned an unknown value", detail).at_attribute(name));
    }
}
