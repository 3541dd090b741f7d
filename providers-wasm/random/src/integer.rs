//! `random_integer`.

use pravo_sdk::{Attr, Context, Diagnostic, DiagnosticExt, Diagnostics, Resource, Result};

use crate::entropy;
use crate::keepers::{self, Keepers};
use crate::seeded::Seeded;

/// A random whole number.
#[derive(Resource)]
#[pravo(name = "random_integer")]
pub struct Integer {
    /// Arbitrary texts; a change makes a new result.
    #[pravo(optional, replace = keepers::replaces)]
    keepers: Keepers,
    /// The least result.
    #[pravo(required, replace)]
    min: Attr<i64>,
    /// The largest result.
    #[pravo(required, replace)]
    max: Attr<i64>,
    /// The same seed gives the same result.
    #[pravo(optional, replace)]
    seed: Attr<String>,
    /// The number.
    #[pravo(computed, keep_prior)]
    result: Attr<i64>,
    /// The number as text.
    #[pravo(computed, keep_prior)]
    id: Attr<String>,
}

impl Resource for Integer {
    type Configuration = ();

    fn create(mut planned: Self, _: &Context<'_, ()>) -> Result<Self> {
        let (least, largest) = (planned.min.known().copied().unwrap_or_default(), planned.max.known().copied().unwrap_or_default());
        let failed = |detail: String| Diagnostics::from(Diagnostic::error("Create Random Integer Error", detail));
        if largest < least {
            return Err(failed(format!(
                "The minimum (min) value needs to be smaller than or equal to maximum (max) value: min is {least}, max is {largest}."
            )));
        }
        let count = largest.checked_sub(least).and_then(|span| span.checked_add(1));
        let count = count.ok_or_else(|| failed(format!("The range from {least} to {largest} has 2^63 values or more: make it smaller.")))?;
        let mut generator = match planned.seed.known().filter(|seed| !seed.is_empty()) {
            Some(seed) => Seeded::from_text(seed),
            None => Seeded::new(i64::from_ne_bytes(entropy::array()?)),
        };
        let result = least.wrapping_add_unsigned(generator.below(count.unsigned_abs()));
        planned.result = result.into();
        planned.id = result.to_string().into();
        Ok(planned)
    }

    fn import(id: &str, _: &Context<'_, ()>) -> Result<Self> {
        let failed = |detail: &str| Diagnostics::from(Diagnostic::error("Import Random Integer Error", detail));
        let parts: Vec<&str> = id.split(',').collect();
        let (result, least, largest, seed) = match parts.as_slice() {
            [result, least, largest] => (*result, least, largest, Attr::Null),
            [result, least, largest, seed] => (*result, least, largest, Attr::from(*seed)),
            _ => return Err(failed("Invalid import usage: expecting {result},{min},{max} or {result},{min},{max},{seed}")),
        };
        let number = |text: &str, problem: &str| text.parse::<i64>().map_err(|_| failed(problem));
        let value = number(result, "The value supplied could not be parsed as an integer.")?;
        Ok(Self {
            keepers: Attr::Null,
            min: number(least, "The min value supplied could not be parsed as an integer.")?.into(),
            max: number(largest, "The max value supplied could not be parsed as an integer.")?.into(),
            seed,
            result: value.into(),
            id: result.into(),
        })
    }
}
