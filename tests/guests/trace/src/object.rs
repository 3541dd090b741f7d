//! `trace_object`: a wide type that leaves a trace of its life and misbehaves on request.

use std::collections::{BTreeMap, BTreeSet};

use pravo_sdk::{Attr, Context, Diagnostic, DiagnosticExt, Nested, Plan, Resource, Result, files};

use crate::behavior::{self, Moment};
use crate::settings::Log;

/// An object within the wide one.
#[derive(Clone, Debug, Nested)]
pub struct Options {
    /// A number.
    #[pravo(optional)]
    level: Attr<i64>,
    /// A text.
    #[pravo(optional)]
    label: Attr<String>,
}

/// 60 attributes, most of them optional.
#[derive(Resource)]
#[pravo(name = "trace_object")]
pub struct Traced {
    /// A fresh id for each object.
    #[pravo(computed, keep_prior, identity)]
    id: Attr<String>,
    /// A name.
    #[pravo(required)]
    name: Attr<String>,
    /// Comes back as `output`.
    #[pravo(optional)]
    input: Attr<String>,
    /// What `input` is, or the name.
    #[pravo(computed)]
    output: Attr<String>,
    /// Counts the changes of the object.
    #[pravo(computed)]
    serial: Attr<i64>,
    /// A change replaces the object.
    #[pravo(optional, replace)]
    replace_on: Attr<String>,
    /// How it misbehaves: `error`, `partial`, `trap`, `hang`, `sleep`, `allocate`, `recurse`, `flood`, `garbage`, `contradict`, `unknown`.
    #[pravo(optional)]
    behavior: Attr<String>,
    /// When it misbehaves: `validate`, `plan`, `create` (also where it is not set), `read`, `update`, `delete`.
    #[pravo(optional)]
    behavior_on: Attr<String>,
    /// How many milliseconds creating, updating and deleting take.
    #[pravo(optional)]
    delay_ms: Attr<i64>,
    /// A secret.
    #[pravo(optional, sensitive)]
    secret: Attr<String>,
    /// A secret that is not stored.
    #[pravo(optional, write_only)]
    secret_wo: Attr<String>,
    /// A file that stands for the object: without it the object is gone.
    #[pravo(optional)]
    watch: Attr<String>,
    /// What the watched file holds.
    #[pravo(computed)]
    watched: Attr<String>,
    /// Texts by name.
    #[pravo(optional)]
    tags: Attr<BTreeMap<String, Attr<String>>>,
    /// Texts in order.
    #[pravo(optional)]
    list: Attr<Vec<Attr<String>>>,
    /// Texts without order.
    #[pravo(optional)]
    set: Option<BTreeSet<String>>,
    /// An object.
    #[pravo(optional)]
    options: Attr<Options>,
    /// Text 1.
    #[pravo(optional)]
    text_01: Attr<String>,
    /// Text 2.
    #[pravo(optional)]
    text_02: Attr<String>,
    /// Text 3.
    #[pravo(optional)]
    text_03: Attr<String>,
    /// Text 4.
    #[pravo(optional)]
    text_04: Attr<String>,
    /// Text 5.
    #[pravo(optional)]
    text_05: Attr<String>,
    /// Text 6.
    #[pravo(optional)]
    text_06: Attr<String>,
    /// Text 7.
    #[pravo(optional)]
    text_07: Attr<String>,
    /// Text 8.
    #[pravo(optional)]
    text_08: Attr<String>,
    /// Text 9.
    #[pravo(optional)]
    text_09: Attr<String>,
    /// Text 10.
    #[pravo(optional)]
    text_10: Attr<String>,
    /// Text 11.
    #[pravo(optional)]
    text_11: Attr<String>,
    /// Text 12.
    #[pravo(optional)]
    text_12: Attr<String>,
    /// Text 13.
    #[pravo(optional)]
    text_13: Attr<String>,
    /// Text 14.
    #[pravo(optional)]
    text_14: Attr<String>,
    /// Text 15.
    #[pravo(optional)]
    text_15: Attr<String>,
    /// Text 16.
    #[pravo(optional)]
    text_16: Attr<String>,
    /// Text 17.
    #[pravo(optional)]
    text_17: Attr<String>,
    /// Text 18.
    #[pravo(optional)]
    text_18: Attr<String>,
    /// Text 19.
    #[pravo(optional)]
    text_19: Attr<String>,
    /// Text 20.
    #[pravo(optional)]
    text_20: Attr<String>,
    /// Text 21.
    #[pravo(optional)]
    text_21: Attr<String>,
    /// Text 22.
    #[pravo(optional)]
    text_22: Attr<String>,
    /// Text 23.
    #[pravo(optional)]
    text_23: Attr<String>,
    /// Text 24.
    #[pravo(optional)]
    text_24: Attr<String>,
    /// Text 25.
    #[pravo(optional)]
    text_25: Attr<String>,
    /// Text 26.
    #[pravo(optional)]
    text_26: Attr<String>,
    /// Text 27.
    #[pravo(optional)]
    text_27: Attr<String>,
    /// Text 28.
    #[pravo(optional)]
    text_28: Attr<String>,
    /// Text 29.
    #[pravo(optional)]
    text_29: Attr<String>,
    /// Text 30.
    #[pravo(optional)]
    text_30: Attr<String>,
    /// Text 31.
    #[pravo(optional)]
    text_31: Attr<String>,
    /// Text 32.
    #[pravo(optional)]
    text_32: Attr<String>,
    /// Text 33.
    #[pravo(optional)]
    text_33: Attr<String>,
    /// Text 34.
    #[pravo(optional)]
    text_34: Attr<String>,
    /// Text 35.
    #[pravo(optional)]
    text_35: Attr<String>,
    /// Text 36.
    #[pravo(optional)]
    text_36: Attr<String>,
    /// Text 37.
    #[pravo(optional)]
    text_37: Attr<String>,
    /// Text 38.
    #[pravo(optional)]
    text_38: Attr<String>,
    /// Text 39.
    #[pravo(optional)]
    text_39: Attr<String>,
    /// Text 40.
    #[pravo(optional)]
    text_40: Attr<String>,
    /// Text 41.
    #[pravo(optional)]
    text_41: Attr<String>,
    /// Text 42.
    #[pravo(optional)]
    text_42: Attr<String>,
    /// Text 43.
    #[pravo(optional)]
    text_43: Attr<String>,
}

impl Traced {
    fn misbehave(&self, moment: Moment) -> Result<()> {
        let wanted = self.behavior_on.known().map_or("create", String::as_str);
        match self.behavior.known().filter(|_| wanted == moment.name()) {
            Some(behavior) => behavior::act(behavior),
            None => Ok(()),
        }
    }

    fn wait(&self) {
        if let Some(delay) = self.delay_ms.known().and_then(|delay| u64::try_from(*delay).ok()).filter(|delay| *delay > 0) {
            std::thread::sleep(std::time::Duration::from_millis(delay));
        }
    }

    fn watched(&self) -> Result<Option<Attr<String>>> {
        let Some(path) = self.watch.known() else { return Ok(Some(Attr::Null)) };
        match files::read(path) {
            Ok(contents) => Ok(Some(String::from_utf8_lossy(&contents).into_owned().into())),
            Err(error) if error.code == files::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(Diagnostic::error("Cannot watch", error.message).at_attribute("watch").into()),
        }
    }

    fn compute(&mut self) -> Result<()> {
        self.output = if self.input.is_null() { self.name.clone() } else { self.input.clone() };
        self.watched = self.watched()?.unwrap_or_default();
        Ok(())
    }
}

impl Resource for Traced {
    type Configuration = Log;

    fn validate(config: &Self, diagnostics: &mut pravo_sdk::Diagnostics) {
        if let Err(problems) = config.misbehave(Moment::Validate) {
            diagnostics.0.extend(problems.0);
        }
    }

    fn plan(plan: &mut Plan<Self>) {
        if let Err(problems) = plan.config.misbehave(Moment::Plan) {
            plan.diagnostics.0.extend(problems.0);
        }
    }

    fn create(mut planned: Self, context: &Context<'_, Log>) -> Result<Self> {
        planned.wait();
        planned.id = behavior::fresh_id()?.into();
        planned.serial = 1.into();
        planned.compute()?;
        let id = planned.id.known().map_or("", String::as_str);
        if planned.behavior.known().is_some_and(|behavior| behavior == "partial") {
            context.configuration.append(&format!("+ {id}"))?;
            context.partial(&planned);
            return Err(Diagnostic::error("Made in part", "The object was made, but not finished, as it was told.").into());
        }
        planned.misbehave(Moment::Create)?;
        context.configuration.append(&format!("+ {id}"))?;
        if behavior::contradicts(planned.behavior.known()) {
            planned.name = "another name".into();
        }
        Ok(planned)
    }

    fn read(mut recorded: Self, _: &Context<'_, Log>) -> Result<Option<Self>> {
        recorded.misbehave(Moment::Read)?;
        let Some(watched) = recorded.watched()? else { return Ok(None) };
        recorded.watched = watched;
        Ok(Some(recorded))
    }

    fn update(prior: Self, mut planned: Self, context: &Context<'_, Log>) -> Result<Self> {
        planned.wait();
        planned.misbehave(Moment::Update)?;
        planned.serial = prior.serial.known().map(|serial| serial.saturating_add(1)).into();
        planned.compute()?;
        context.configuration.append(&format!("~ {}", planned.id.known().map_or("", String::as_str)))?;
        Ok(planned)
    }

    fn delete(recorded: Self, context: &Context<'_, Log>) -> Result<()> {
        recorded.wait();
        recorded.misbehave(Moment::Delete)?;
        context.configuration.append(&format!("- {}", recorded.id.known().map_or("", String::as_str)))
    }

    fn import(id: &str, context: &Context<'_, Log>) -> Result<Self> {
        if !context.configuration.holds(id)? {
            return Err(Diagnostic::error("No such object", format!("No object {id:?} was traced.")).into());
        }
        let nothing = pravo_sdk::Value::object::<&str>([]);
        let mut imported = <Self as pravo_sdk::Object>::from_value(&nothing)?;
        imported.id = id.into();
        imported.name = "imported".into();
        imported.serial = 1.into();
        imported.compute()?;
        Ok(imported)
    }
}
