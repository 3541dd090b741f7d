//! `random_string`.

use pravo_sdk::validators::at_least;
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
    /// How many characters, 1 or more and at least the sum of the minimums.
    #[pravo(required, replace, validate = at_least(1))]
    length: Attr<i64>,
    /// Whether special characters may be in it.
    #[pravo(optional, default = true, replace)]
    special: Attr<bool>,
    /// Whether upper-case letters may be in it.
    #[pravo(optional, default = true, replace)]
    upper: Attr<bool>,
    /// Whether lower-case letters may be in it.
    #[pravo(optional, default = true, replace)]
    lower: Attr<bool>,
    /// Whether digits may be in it; the older name of `numeric`.
    #[pravo(optional, computed, replace, deprecated = "This is deprecated, use `numeric` instead.")]
    number: Attr<bool>,
    /// Whether digits may be in it.
    #[pravo(optional, computed, replace)]
    numeric: Attr<bool>,
    /// The least number of digits.
    #[pravo(optional, default = 0, replace)]
    min_numeric: Attr<i64>,
    /// The least number of upper-case letters.
    #[pravo(optional, default = 0, replace)]
    min_upper: Attr<i64>,
    /// The least number of lower-case letters.
    #[pravo(optional, default = 0, replace)]
    min_lower: Attr<i64>,
    /// The least number of special characters.
    #[pravo(optional, default = 0, replace)]
    min_special: Attr<i64>,
    /// The special characters to choose from.
    #[pravo(optional, replace = text::special_replaces)]
    override_special: Attr<String>,
    /// The text.
    #[pravo(computed, keep_prior)]
    result: Attr<String>,
    /// The text.
    #[pravo(computed, keep_prior)]
    id: Attr<String>,
}

impl Text {
    fn rules(&self) -> Rules {
        Rules {
            length: self.length.clone(),
            special: self.special.clone(),
            upper: self.upper.clone(),
            lower: self.lower.clone(),
            numeric: self.numeric.clone(),
            min_special: self.min_special.clone(),
            min_upper: self.min_upper.clone(),
            min_lower: self.min_lower.clone(),
            min_numeric: self.min_numeric.clone(),
            override_special: self.override_special.clone(),
        }
    }
}

impl Resource for Text {
    type Configuration = ();

    fn validate(config: &Self, diagnostics: &mut Diagnostics) {
        let rules = config.rules();
        rules.check_length(diagnostics);
        rules.check_sets("number", &config.number, diagnostics);
        rules.check_sets("numeric", &config.numeric, diagnostics);
    }

    fn plan(plan: &mut Plan<Self>) {
        let planned = &mut plan.planned;
        text::synchronise(
            (&plan.config.number, &plan.config.numeric),
            (&mut planned.number, &mut planned.numeric),
            &mut plan.diagnostics,
        );
    }

    fn create(mut planned: Self, _: &Context<'_, ()>) -> Result<Self> {
        let text = planned.rules().make()?;
        planned.result = text.clone().into();
        planned.id = text.into();
        Ok(planned)
    }

    fn import(id: &str, _: &Context<'_, ()>) -> Result<Self> {
        let rules = Rules::imported(id);
        Ok(Self {
            keepers: Attr::Null,
            length: rules.length,
            special: rules.special,
            upper: rules.upper,
            lower: rules.lower,
            number: rules.numeric.clone(),
            numeric: rules.numeric,
            min_numeric: rules.min_numeric,
            min_upper: rules.min_upper,
            min_lower: rules.min_lower,
            min_special: rules.min_special,
            override_special: rules.override_special,
            result: id.into(),
            id: id.into(),
        })
    }

    fn upgrade(version: u64, mut stored: serde_json::Value) -> Result<serde_json::Value> {
        match stored.as_object_mut() {
            Some(attributes) if version == 1 => text::fill_stored(attributes),
            _ => return Err(Diagnostic::error("Unable to Upgrade Resource State", format!("random_string has no upgrade from version {version}.")).into()),
        }
        Ok(stored)
    }
}
