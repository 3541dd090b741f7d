//! `random_password`, the resource.

use pravo_sdk::validators::at_least;
use pravo_sdk::{Attr, Context, Diagnostics, Plan, Resource, Result};
use serde_json::Value as Json;

use crate::hash;
use crate::keepers::{self, Keepers};
use crate::text::{self, Rules};

/// A random text that is a secret.
#[derive(Resource)]
#[pravo(name = "random_password", version = 3)]
pub struct Password {
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
    /// The password.
    #[pravo(computed, keep_prior, sensitive)]
    result: Attr<String>,
    /// A bcrypt hash of the password's first 72 bytes.
    #[pravo(computed, keep_prior, sensitive)]
    bcrypt_hash: Attr<String>,
    /// Always `none`.
    #[pravo(computed, keep_prior)]
    id: Attr<String>,
}

impl Password {
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

impl Resource for Password {
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
        let password = planned.rules().make()?;
        planned.bcrypt_hash = hash::make(&password)?.into();
        planned.result = password.into();
        planned.id = "none".into();
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
            bcrypt_hash: hash::make(id)?.into(),
            id: "none".into(),
        })
    }

    fn upgrade(version: u64, mut stored: Json) -> Result<Json> {
        let Some(attributes) = stored.as_object_mut() else { return Ok(stored) };
        text::fill_stored(attributes);
        let result = attributes.get("result").and_then(Json::as_str).unwrap_or_default().to_owned();
        let hash = match version {
            0 => hash::make(&result)?,
            1 => return Ok(stored),
            _ => hash::renew(&result, attributes.get("bcrypt_hash").and_then(Json::as_str).unwrap_or_default())?,
        };
        attributes.insert("bcrypt_hash".to_owned(), hash.into());
        Ok(stored)
    }
}
