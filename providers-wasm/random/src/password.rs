//! `random_password`, the resource.

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
    #[pravo(flatten)]
    rules: Rules,
    /// Whether digits may be in it; the older name of `numeric`.
    #[pravo(optional, computed, replace, deprecated = "This is deprecated, use `numeric` instead.")]
    number: Attr<bool>,
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

impl Resource for Password {
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
        let password = planned.rules.make()?;
        planned.bcrypt_hash = hash::make(&password)?.into();
        planned.result = password.into();
        planned.id = "none".into();
        Ok(planned)
    }

    fn import(id: &str, _: &Context<'_, ()>) -> Result<Self> {
        let rules = Rules::imported(id);
        Ok(Self {
            keepers: Attr::Null,
            number: rules.numeric.clone(),
            rules,
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
