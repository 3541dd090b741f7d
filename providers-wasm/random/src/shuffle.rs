//! `random_shuffle`.

use pravo_sdk::{Attr, Context, Diagnostic, DiagnosticExt, Resource, Result};

use crate::entropy;
use crate::keepers::{self, Keepers};
use crate::seeded::Seeded;

/// Texts in a random order.
#[derive(Resource)]
#[pravo(name = "random_shuffle")]
pub struct Shuffle {
    /// Arbitrary texts; a change makes a new result.
    #[pravo(optional, replace = keepers::replaces)]
    keepers: Keepers,
    /// The texts.
    #[pravo(required, replace)]
    input: Attr<Vec<Attr<String>>>,
    /// The same seed gives the same result.
    #[pravo(optional, replace)]
    seed: Attr<String>,
    /// How many results: fewer than texts leaves some out, more repeats them. As many as texts where it is not set.
    #[pravo(optional, replace)]
    result_count: Attr<i64>,
    /// The texts in random order.
    #[pravo(computed, keep_prior)]
    result: Attr<Vec<Attr<String>>>,
    /// Always `-`.
    #[pravo(computed, keep_prior)]
    id: Attr<String>,
}

impl Resource for Shuffle {
    type Configuration = ();

    fn create(mut planned: Self, _: &Context<'_, ()>) -> Result<Self> {
        let input = planned.input.known().cloned().unwrap_or_default();
        let count = planned.result_count.known().map_or(Ok(input.len()), |count| usize::try_from(*count));
        let mut result = Vec::new();
        if !input.is_empty() {
            let problem = |_| Diagnostic::error("Invalid result_count", "The number of results cannot be negative.").at_attribute("result_count");
            let count = count.map_err(problem)?;
            let mut generator = match planned.seed.known().filter(|seed| !seed.is_empty()) {
                Some(seed) => Seeded::from_text(seed),
                None => Seeded::new(i64::from_ne_bytes(entropy::array()?)),
            };
            while result.len() < count {
                let order = generator.permutation(input.len());
                result.extend(order.into_iter().filter_map(|index| input.get(index).cloned()).take(count - result.len()));
            }
        }
        planned.result = result.into();
        planned.id = "-".into();
        Ok(planned)
    }
}
