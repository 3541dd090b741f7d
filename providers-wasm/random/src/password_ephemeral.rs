//! `random_password`, the ephemeral.

use pravo_sdk::validators::at_least;
use pravo_sdk::{Attr, Context, Diagnostics, Ephemeral, Opened, Result};

use crate::hash;
use crate::text::Rules;

/// A random password that is never stored.
#[derive(Ephemeral)]
#[pravo(name = "random_password")]
pub struct EphemeralPassword {
    /// How many characters, 1 or more and at least the sum of the minimums.
    #[pravo(required, validate = at_least(1))]
    length: Attr<i64>,
    /// Whether special characters may be in it.
    #[pravo(optional, computed)]
    special: Attr<bool>,
    /// Whether upper-case letters may be in it.
    #[pravo(optional, computed)]
    upper: Attr<bool>,
    /// Whether lower-case letters may be in it.
    #[pravo(optional, computed)]
    lower: Attr<bool>,
    /// Whether digits may be in it.
    #[pravo(optional, computed)]
    numeric: Attr<bool>,
    /// The least number of digits.
    #[pravo(optional, computed)]
    min_numeric: Attr<i64>,
    /// The least number of upper-case letters.
    #[pravo(optional, computed)]
    min_upper: Attr<i64>,
    /// The least number of lower-case letters.
    #[pravo(optional, computed)]
    min_lower: Attr<i64>,
    /// The least number of special characters.
    #[pravo(optional, computed)]
    min_special: Attr<i64>,
    /// The special characters to choose from.
    #[pravo(optional)]
    override_special: Attr<String>,
    /// The password.
    #[pravo(computed, sensitive)]
    result: Attr<String>,
    /// A bcrypt hash of the password's first 72 bytes.
    #[pravo(computed, sensitive)]
    bcrypt_hash: Attr<String>,
}

impl EphemeralPassword {
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

    fn fill(&mut self) {
        for set in [&mut self.special, &mut self.upper, &mut self.lower, &mut self.numeric] {
            if set.is_null() {
                *set = true.into();
            }
        }
        for least in [&mut self.min_special, &mut self.min_upper, &mut self.min_lower, &mut self.min_numeric] {
            if least.is_null() {
                *least = 0.into();
            }
        }
    }
}

impl Ephemeral for EphemeralPassword {
    type Configuration = ();

    fn validate(config: &Self, diagnostics: &mut Diagnostics) {
        let rules = config.rules();
        rules.check_length(diagnostics);
        rules.check_sets("numeric", &config.numeric, diagnostics);
    }

    fn open(mut config: Self, _: &Context<'_, ()>) -> Result<Opened<Self>> {
        config.fill();
        let password = config.rules().make()?;
        config.bcrypt_hash = hash::make(&password)?.into();
        config.result = password.into();
        Ok(config.into())
    }
}
