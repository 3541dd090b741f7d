//! Which types of a schema are used.

use std::collections::BTreeSet;

/// The types to write: those whose names occur in the sources, or all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Every type.
    All,
    /// The types with these names.
    Names(BTreeSet<String>),
}

/// The definitions that hold types.
const HOLDERS: &[&str] = &["#Resource", "#Data", "#Ephemeral", "#Function"];

impl Selection {
    /// Whether a type is selected.
    pub fn contains(&self, name: &str) -> bool {
        match self {
            Selection::All => true,
            Selection::Names(names) => names.contains(name),
        }
    }

    /// What the sources may use: every word of theirs is a name that may be meant, which takes too much now and then but never too
    /// little. Where a `#Resource` is not followed by a name (`#Resource[x]`, `for t in $p.#Resource`), any type may be meant.
    pub fn of_sources<'a>(sources: impl IntoIterator<Item = &'a str>) -> Selection {
        let mut names = BTreeSet::new();
        for line in sources.into_iter().flat_map(str::lines).filter(|line| !line.trim_start().starts_with("//")) {
            if HOLDERS.iter().any(|holder| holds_without_name(line, holder)) {
                return Selection::All;
            }
            let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            for word in words {
                if !names.contains(word) {
                    names.insert(word.to_owned());
                }
            }
        }
        Selection::Names(names)
    }
}

/// Whether a holder occurs in the line and no plain name is selected from it.
fn holds_without_name(line: &str, holder: &str) -> bool {
    line.match_indices(holder).any(|(at, _)| {
        let rest = line.get(at + holder.len()..).unwrap_or("");
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            return false;
        }
        let Some(name) = rest.trim_start().strip_prefix('.').map(str::trim_start) else {
            return true;
        };
        match name.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().is_none_or(|name| name.contains('\\')),
            None => !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_occur_are_selected() {
        let selection =
            Selection::of_sources(["a: $p.#Resource.random_pet & {length: 2}\n// #Resource[x] is only spoken of\nb: $p.#Data.\"local_file\""]);
        assert!(selection.contains("random_pet") && selection.contains("local_file"));
        assert!(!selection.contains("random_id"));
    }

    #[test]
    fn a_computed_name_selects_all() {
        for text in ["x: $p.#Resource[name]", "let R = $p.#Resource", "for t in $p.#Data {}", "x: $p.#Function.\"a\\u0062\""] {
            assert_eq!(Selection::of_sources([text]), Selection::All, "{text}");
        }
        assert_ne!(Selection::of_sources(["x: #Resources"]), Selection::All);
    }
}
