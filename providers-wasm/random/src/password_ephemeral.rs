//! `random_password`, the ephemeral.

use pravo_sdk::{Attr, Context, Diagnostics, Ephemeral, Opened, Result};

use crate::hash;
use crate::text::Rules;

/// A random password that is never stored.
#[derive(Ephemeral)]
#[pravo(name = "random_password")]
pub struct EphemeralPassword {
    #[pravo(flatten)]
    rules: Rules,
    /// The password.
    #[pravo(computed, sensitive)]
    result: Attr<String>,
    /// A bcrypt hash of the password's first 72 bytes.
    #[pravo(computed, sensitive)]
    bcrypt_hash: Attr<String>,
}

impl EphemeralPassword {
    fn fill(&mut self) {
        let rules = &mut self.rules;
        for set in [&mut rules.special, &mut rules.upper, &mut rules.lower, &mut rules.numeric] {
            if set.is_null() {
                *set = true.into();
            }
        }
        for least in [&mut rules.min_special, &mut rules.min_upper, &mut rules.min_lower, &mut rules.min_numeric] {
            if least.is_null() {
                *least = 0.into();
            }
        }
    }
}

impl Ephemeral for EphemeralPassword {
    type Configuration = ();

    fn validate(config: &Self, diagnostics: &mut Diagnostics) {
        config.rules.check_length(diagnostics);
        config.rules.check_sets("numeric", &config.rules.numeric, diagnostics);
    }

    fn open(mut config: Self, _: &Context<'_, ()>) -> Result<Opened<Self>> {
        config.fill();
        let password = config.rules.make()?;
        config.bcrypt_hash = hash::make(&password)?.into();
        config.result = password.into();
        Ok(config.into())
    }
}
