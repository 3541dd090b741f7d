//! Version constraints, `$version`: the grammar that users of Terraform know, and `^` beside it.
//!
//! `1.2.3` is exactly that, `~> 1.2` lets the last written part grow, several are joined by commas and all must hold. A
//! pre-release is only taken where it is named exactly.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use semver::{BuildMetadata, Prerelease, Version};

use crate::package::NameError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    /// `~>`: less than this bound, too.
    Pessimistic,
    /// `^`: the same, up to the next incompatible version.
    Caret,
}

const OPERATORS: [(&str, Operator); 8] = [
    ("~>", Operator::Pessimistic),
    (">=", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("!=", Operator::NotEqual),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("^", Operator::Caret),
];

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    operator: Operator,
    version: Version,
    below: Option<Version>,
}

/// A version constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    text: String,
    terms: Vec<Term>,
}

impl Constraint {
    /// Whether a version satisfies it.
    pub fn allows(&self, version: &Version) -> bool {
        self.terms.iter().all(|term| term.allows(version))
    }
}

impl Term {
    fn allows(&self, version: &Version) -> bool {
        let order = version.cmp_precedence(&self.version);
        let exact = self.operator == Operator::Equal && order == Ordering::Equal;
        if !version.pre.is_empty() && !exact && self.operator != Operator::NotEqual {
            return false;
        }
        match self.operator {
            Operator::Equal => exact,
            Operator::NotEqual => order != Ordering::Equal,
            Operator::Greater => order == Ordering::Greater,
            Operator::GreaterOrEqual => order != Ordering::Less,
            Operator::Less => order == Ordering::Less,
            Operator::LessOrEqual => order != Ordering::Greater,
            Operator::Pessimistic | Operator::Caret => {
                order != Ordering::Less && self.below.as_ref().is_none_or(|below| version.cmp_precedence(below) == Ordering::Less)
            }
        }
    }
}

/// Reads a version of one to three parts; gives how many were written.
fn partial(text: &str) -> Option<(Version, usize)> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (numbers, rest) = text.split_at(text.find(['-', '+']).unwrap_or(text.len()));
    let parts: Vec<u64> =
        numbers.split('.').map(|part| part.parse().ok().filter(|_| part.bytes().all(|b| b.is_ascii_digit()))).collect::<Option<_>>()?;
    let &[major, ref lower @ ..] = parts.as_slice() else { return None };
    let (minor, patch) = match lower {
        [] => (0, 0),
        [minor] => (*minor, 0),
        [minor, patch] => (*minor, *patch),
        _ => return None,
    };
    let (pre, build) = match rest.strip_prefix('-').map(|rest| rest.split_once('+').unwrap_or((rest, ""))) {
        Some(("", _)) => return None,
        Some((pre, build)) => (Prerelease::new(pre).ok()?, BuildMetadata::new(build).ok()?),
        None => (Prerelease::EMPTY, BuildMetadata::new(rest.strip_prefix('+').unwrap_or("")).ok()?),
    };
    Some((Version { major, minor, patch, pre, build }, parts.len()))
}

fn below(operator: Operator, version: &Version, parts: usize) -> Option<Version> {
    let next = |major: u64, minor: u64, patch: u64| Some(Version::new(major, minor, patch));
    match (operator, parts) {
        (Operator::Pessimistic, 2) => next(version.major.checked_add(1)?, 0, 0),
        (Operator::Pessimistic, 3) => next(version.major, version.minor.checked_add(1)?, 0),
        (Operator::Caret, _) if version.major > 0 || parts == 1 => next(version.major.checked_add(1)?, 0, 0),
        (Operator::Caret, _) if version.minor > 0 || parts == 2 => next(0, version.minor.checked_add(1)?, 0),
        (Operator::Caret, _) => next(0, 0, version.patch.checked_add(1)?),
        _ => None,
    }
}

impl FromStr for Constraint {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let error = || NameError::new("version constraint", text, "write such as \"1.2.3\", \"~> 1.2\", \"^1.2\" or \">= 1.0, < 2.0\"");
        if text.len() > 1000 {
            return Err(error());
        }
        let terms = text.split(',').map(|term| {
            let term = term.trim();
            let (operator, rest) =
                OPERATORS.iter().find_map(|(sign, operator)| Some((*operator, term.strip_prefix(sign)?))).unwrap_or((Operator::Equal, term));
            let (version, parts) = partial(rest.trim()).ok_or_else(error)?;
            let below = below(operator, &version, parts);
            Ok(Term { operator, version, below })
        });
        Ok(Self { text: text.to_owned(), terms: terms.collect::<Result<_, _>>()? })
    }
}

impl fmt::Display for Constraint {
    /// As it was written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(constraint: &str, yes: &[&str], no: &[&str]) {
        let parsed: Constraint = constraint.parse().unwrap();
        for version in yes {
            assert!(parsed.allows(&version.parse().unwrap()), "{constraint} allows {version}");
        }
        for version in no {
            assert!(!parsed.allows(&version.parse().unwrap()), "{constraint} does not allow {version}");
        }
    }

    #[test]
    fn constraints_mean_what_terraform_says() {
        check("1.2.3", &["1.2.3", "1.2.3+build"], &["1.2.4", "1.2.2", "1.2.3-rc1"]);
        check("1.2", &["1.2.0"], &["1.2.1"]);
        check("~> 1.2", &["1.2.0", "1.9.0"], &["1.1.9", "2.0.0"]);
        check("~>1.2.3", &["1.2.3", "1.2.9"], &["1.3.0", "1.2.2"]);
        check("~> 1", &["1.0.0", "3.0.0"], &["0.9.0"]);
        check(">= 1.0, < 2.0, != 1.5.0", &["1.0.0", "1.5.1"], &["1.5.0", "2.0.0", "1.6.0-rc1"]);
        check("> 1, <= 1.4", &["1.0.1", "1.4.0"], &["1.0.0", "1.4.1"]);
        check("= 1.2.3-rc1", &["1.2.3-rc1"], &["1.2.3"]);
        check("^1.2", &["1.2.0", "1.9.9"], &["2.0.0", "1.1.0"]);
        check("^0.2.3", &["0.2.3", "0.2.9"], &["0.3.0"]);
        check("^0.0.3", &["0.0.3"], &["0.0.4"]);
        check("^0", &["0.9.0"], &["1.0.0"]);
        check("v1.2.3", &["1.2.3"], &[]);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", ",", "1.2.3.4", "latest", "1.x", ">=", "=> 1", "1.-2", "+1", "18446744073709551616", "1.0.0-"] {
            assert!(text.parse::<Constraint>().is_err(), "{text:?}");
        }
        check("^18446744073709551615", &["18446744073709551615.1.0"], &["1.0.0"]);
    }
}
