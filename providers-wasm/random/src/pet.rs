//! `random_pet`.

use pravo_sdk::{Attr, Context, Resource, Result};

use crate::entropy;
use crate::keepers::{self, Keepers};
use crate::words::{ADJECTIVES, ADVERBS, NAMES};

/// A name of random words, easy to remember.
#[derive(Resource)]
#[pravo(name = "random_pet")]
pub struct Pet {
    /// Arbitrary texts; a change makes a new result.
    #[pravo(optional, replace = keepers::replaces)]
    keepers: Keepers,
    /// How many words.
    #[pravo(optional, default = 2, replace)]
    length: Attr<i64>,
    /// Stands before the words.
    #[pravo(optional, replace)]
    prefix: Attr<String>,
    /// Stands between the words.
    #[pravo(optional, default = "-", replace)]
    separator: Attr<String>,
    /// The name.
    #[pravo(computed, keep_prior)]
    id: Attr<String>,
}

impl Resource for Pet {
    type Configuration = ();

    fn create(mut planned: Self, _: &Context<'_, ()>) -> Result<Self> {
        let separator = planned.separator.known().cloned().unwrap_or_default();
        let words = words(planned.length.known().copied().unwrap_or(2))?.join(&separator.to_lowercase());
        planned.id = match planned.prefix.known().filter(|prefix| !prefix.is_empty()) {
            Some(prefix) => format!("{prefix}{separator}{words}").into(),
            None => words.into(),
        };
        Ok(planned)
    }
}

/// A name, an adjective before it, adverbs before that.
fn words(count: i64) -> Result<Vec<&'static str>> {
    let adverbs = match count {
        1 => return Ok(entropy::pick(NAMES)?.into_iter().collect()),
        count => usize::try_from(count.saturating_sub(2)).unwrap_or_default(),
    };
    let mut words = Vec::new();
    for _ in 0..adverbs {
        words.extend(entropy::pick(ADVERBS)?);
    }
    words.extend(entropy::pick(ADJECTIVES)?);
    words.extend(entropy::pick(NAMES)?);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_are_adjective_and_name() {
        for (count, expected) in [(-1, 2), (0, 2), (1, 1), (2, 2), (5, 5)] {
            let words = words(count).unwrap();
            assert_eq!(words.len(), expected);
            assert!(NAMES.contains(words.last().unwrap()));
            assert!(words.iter().rev().skip(2).all(|word| ADVERBS.contains(word)));
        }
    }

    #[test]
    fn words_are_lower_case_letters_and_not_repeated() {
        for words in [ADJECTIVES, ADVERBS, NAMES] {
            let distinct: std::collections::BTreeSet<_> = words.iter().collect();
            assert_eq!(distinct.len(), words.len());
            assert!(words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())));
        }
    }
}
