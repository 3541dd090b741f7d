//! Sets of paths, walked alongside a value: which parts are hidden, which force a replacement.
//!
//! A value does not say whether a member is an attribute or a key of a map, so both kinds of step match a member by name.
//! An element of a set is found by its value.

use std::collections::BTreeMap;

use pravo_model::{Path, PathStep, Value};

use super::json::value_to_json;

/// A set of paths below one place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    here: bool,
    members: BTreeMap<String, Marks>,
    indexes: BTreeMap<u64, Marks>,
    elements: BTreeMap<String, Marks>,
}

impl Marks {
    /// From paths.
    pub fn new<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut root = Self::default();
        for path in paths {
            let mut place = &mut root;
            for step in path.steps() {
                place = match step {
                    PathStep::Attribute(name) | PathStep::Key(name) => place.members.entry(name.to_string()).or_default(),
                    PathStep::Index(index) => place.indexes.entry(*index).or_default(),
                    PathStep::Element(text) => place.elements.entry(text.clone()).or_default(),
                };
            }
            place.here = true;
        }
        root
    }

    /// Whether this very place is in the set.
    pub fn here(&self) -> bool {
        self.here
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        !self.here && self.members.is_empty() && self.indexes.is_empty() && self.elements.is_empty()
    }

    /// The set below a member.
    pub fn member(&self, name: &str) -> &Marks {
        self.members.get(name).unwrap_or(Self::none())
    }

    /// The set below an element of a list or a set.
    pub fn element(&self, index: usize, value: &Value) -> &Marks {
        if let Some(marks) = u64::try_from(index).ok().and_then(|index| self.indexes.get(&index)) {
            return marks;
        }
        if self.elements.is_empty() {
            return Self::none();
        }
        self.elements.get(&value_to_json(value).to_string()).unwrap_or(Self::none())
    }

    fn none() -> &'static Marks {
        static NONE: Marks = Marks { here: false, members: BTreeMap::new(), indexes: BTreeMap::new(), elements: BTreeMap::new() };
        &NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_match_attributes_and_keys() {
        let paths = [Path(vec![PathStep::Attribute("a".into()), PathStep::Key("k".into())]), Path::attribute("b")];
        let marks = Marks::new(&paths);
        assert!(!marks.here() && !marks.member("a").here());
        assert!(marks.member("a").member("k").here());
        assert!(marks.member("b").here());
        assert!(marks.member("c").is_empty());
    }

    #[test]
    fn elements_match_by_index_or_by_value() {
        let paths = [Path(vec![PathStep::Index(1)]), Path(vec![PathStep::Element("\"x\"".into())])];
        let marks = Marks::new(&paths);
        assert!(marks.element(1, &Value::from("y")).here());
        assert!(marks.element(0, &Value::from("x")).here());
        assert!(!marks.element(0, &Value::from("y")).here());
    }
}
