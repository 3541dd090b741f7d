//! Paths to a part of a value.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Name;

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathStep {
    /// An attribute of an object.
    Attribute(Name),
    /// A key of a map.
    Key(Name),
    /// An index of a list.
    Index(u64),
    /// An element of a set, named by its value as JSON text, since sets have no positions.
    Element(String),
}

/// A path from an object to a part of it; empty for the object itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Path(pub Vec<PathStep>);

impl Path {
    /// The path of the whole.
    pub fn root() -> Self {
        Self::default()
    }

    /// The path of one attribute.
    pub fn attribute(name: impl Into<Name>) -> Self {
        Self(vec![PathStep::Attribute(name.into())])
    }

    /// This path with one more step.
    #[must_use]
    pub fn then(&self, step: PathStep) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// The steps.
    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// Whether `self` is `other` or above it.
    pub fn contains(&self, other: &Path) -> bool {
        other.0.starts_with(&self.0)
    }
}

impl fmt::Display for Path {
    /// As CUE writes it: `a.b[0]."x-y"`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Attribute(name) | PathStep::Key(name) => {
                    if i > 0 {
                        f.write_str(".")?;
                    }
                    crate::address::write_label(f, name)?;
                }
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Element(text) => write!(f, "[{text}]")?,
            }
        }
        Ok(())
    }
}
