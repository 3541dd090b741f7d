//! `random_string`.

use pravo_sdk::{Attr, Context, Diagnostic, DiagnosticExt, Diagnostics, Plan, Resource, Result};

use crate::keepers::{self, Keepers};
use crate::text::{self, Rules};

/// A random text that is no secret.
#[derive(Resource)]
#[pravo(name = "random_string", version = 2)]
pub struct Text {
    /// Arbitrary texts; a change makes a new result.
    #[pravo(optional, replace = keepers::replaces)]
    keepers: Keepers,
    #[pravo(flatten)]
    rules: Rules,
    /// Whether digits may be in it; the older name of `numeric`.
    #[pravo(optional, computed, replace, deprecated = "This is deprecated, use `numeric` instead.")]
    number: Attr<bool>,
    /// The text.
    #[pravo(computed, keep_prior)]
    result: Attr<String>,
    /// The text.
    #[pravo(computed, keep_prior)]
    id: Attr<String>,
}

impl Resource for Text {
    type Configuration = ();

    fn validate(config: &Self, diagnostics: &mut Diagnostics) {
        config.rules.check_length(diagnostics);
        config.rules.check_sets("number", &config.number, diagnostics);
        config.rules.check_sets("numeric", &config.rules.numeric, diagnostics);
    }

    fn plan(plan: &mut Plan<Self>) {
        let planned = &mut plan.planned;
        text::synchronise(
            (&plan.config.number, &plan.config.rules.numeric),
            (&mut planned.number, &mut planned.rules.numeric),
            &mut plan.diagnostics,
        );
    }

    fn create(mut planned: Self, _: &Context<'_, ()>) -> Result<Self> {
        let text = planned.rules.make()?;
        planned.result = text.clone().into();
        planned.id = text.into();
        Ok(planned)
    }

    fn import(id: &str, _: &Context<'_, ()>) -> Result<Self> {
        let rules = Rules::imported(id);
        Ok(Self { keepers: Attr::Null, number: rules.numeric.clone(), rules, result: id.into(), id: id.into() })
    }

    fn upgrade(version: u64, mut stored: serde_json::Value) -> Result<serde_json::Value> {
        match stored.as_object_mut() {
            Some(attributes) if version == 1 => text::fill_stored(attributes),
            _ => {
                return Err(
                    Diagnostic::error("Unable to Upgrade Resource State", format!("random_string has no upgrade from version {version}.")).into()
                );
            }
        }
        Ok(stored)
    }
}
