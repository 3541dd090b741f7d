//! `keepers`: arbitrary texts that ask for a new result when they change.

use std::collections::BTreeMap;

use pravo_sdk::{Attr, Change, Value};

/// Texts by name.
pub type Keepers = Attr<BTreeMap<String, Attr<String>>>;

/// Whether a change asks for a new result: any changed or removed value does, a null that is added does not.
pub fn replaces(change: Change<'_>) -> bool {
    let nothing = BTreeMap::new();
    let config = change.config.as_map().unwrap_or(&nothing);
    let Some(prior) = change.prior.as_map() else {
        return config.values().any(|value| !value.is_null());
    };
    let changed = prior.iter().any(|(key, before)| config.get(key).is_none_or(|now| now != before || now.is_unknown()));
    changed || config.iter().any(|(key, now)| !prior.contains_key(key) && *now != Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_changes_replace() {
        let map = |entries: &[(&str, Value)]| Value::object(entries.iter().cloned());
        let (null, text) = (Value::Null, Value::from("x"));
        for (prior, config, expected) in [
            (Value::Null, map(&[]), false),
            (Value::Null, map(&[("a", null.clone())]), false),
            (Value::Null, map(&[("a", text.clone())]), true),
            (Value::Null, Value::Unknown, false),
            (map(&[]), Value::Unknown, false),
            (map(&[("a", text.clone())]), Value::Unknown, true),
            (map(&[("a", text.clone())]), map(&[("a", text.clone()), ("b", null.clone())]), false),
            (map(&[("a", text.clone())]), map(&[("a", Value::Unknown)]), true),
            (map(&[("a", null)]), map(&[]), true),
            (map(&[("a", text)]), Value::Null, true),
        ] {
            assert_eq!(replaces(Change { prior: &prior, config: &config, planned: &config }), expected, "{prior:?} {config:?}");
        }
    }
}
