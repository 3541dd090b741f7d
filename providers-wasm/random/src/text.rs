//! What `random_string` and `random_password` share: the rules of a text, its making, its checks, its import.

use pravo_sdk::validators::at_least;
use pravo_sdk::{Attr, Attributes, Change, Diagnostic, DiagnosticExt, Diagnostics, Result};

use crate::entropy;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
const SPECIAL: &str = "!@#$%&*()-_=+[]{}<>:?";

/// The rules, as configured or planned.
#[derive(Attributes, Clone, Debug, Default)]
pub struct Rules {
    /// How many characters, 1 or more and at least the sum of the minimums.
    #[pravo(required, replace, validate = at_least(1))]
    pub length: Attr<i64>,
    /// Whether special characters may be in it.
    #[pravo(optional, default = true, replace)]
    pub special: Attr<bool>,
    /// Whether upper-case letters may be in it.
    #[pravo(optional, default = true, replace)]
    pub upper: Attr<bool>,
    /// Whether lower-case letters may be in it.
    #[pravo(optional, default = true, replace)]
    pub lower: Attr<bool>,
    /// Whether digits may be in it.
    #[pravo(optional, computed, replace)]
    pub numeric: Attr<bool>,
    /// The least number of special characters.
    #[pravo(optional, default = 0, replace)]
    pub min_special: Attr<i64>,
    /// The least number of upper-case letters.
    #[pravo(optional, default = 0, replace)]
    pub min_upper: Attr<i64>,
    /// The least number of lower-case letters.
    #[pravo(optional, default = 0, replace)]
    pub min_lower: Attr<i64>,
    /// The least number of digits.
    #[pravo(optional, default = 0, replace)]
    pub min_numeric: Attr<i64>,
    /// The special characters to choose from.
    #[pravo(optional, replace = special_replaces)]
    pub override_special: Attr<String>,
}

impl Rules {
    /// The rules that an imported text is given.
    pub fn imported(text: &str) -> Self {
        let (yes, zero) = (Attr::Known(true), Attr::Known(0));
        Self {
            length: i64::try_from(text.len()).ok().into(),
            special: yes.clone(),
            upper: yes.clone(),
            lower: yes.clone(),
            numeric: yes,
            min_special: zero.clone(),
            min_upper: zero.clone(),
            min_lower: zero.clone(),
            min_numeric: zero,
            override_special: Attr::Null,
        }
    }

    /// Makes a text: first each set's minimum, then the rest from all enabled sets, then a random order.
    pub fn make(&self) -> Result<String> {
        let custom = self.override_special.known().filter(|special| !special.is_empty());
        let special = custom.map_or(SPECIAL, String::as_str);
        let sets = [
            (UPPER, &self.upper, &self.min_upper),
            (LOWER, &self.lower, &self.min_lower),
            (DIGITS, &self.numeric, &self.min_numeric),
            (special, &self.special, &self.min_special),
        ];
        let mut text: Vec<char> = Vec::new();
        for (place, (set, _, least)) in sets.into_iter().enumerate() {
            // A minimum belongs to the characters: special ones that are just another set take that set's place.
            if place < 3 && set == special {
                continue;
            }
            let characters: Vec<char> = set.chars().collect();
            let least = least.known().copied().unwrap_or_default();
            if least < 0 {
                return Err(failed(format!("A minimum cannot be negative: {least}.")));
            }
            self.draw(&mut text, &characters, least)?;
        }
        let union: Vec<char> =
            sets.into_iter().filter(|(_, enabled, _)| enabled.known() == Some(&true)).flat_map(|(set, _, _)| set.chars()).collect();
        let length = self.length.known().copied().unwrap_or_default();
        let rest = length.saturating_sub(i64::try_from(text.len()).unwrap_or(i64::MAX));
        if rest > 0 && union.is_empty() {
            return Err(failed("The character set specified is empty: enable one of special, upper, lower and numeric.".to_owned()));
        }
        self.draw(&mut text, &union, rest)?;
        entropy::shuffle(&mut text)?;
        Ok(text.into_iter().collect())
    }

    fn draw(&self, text: &mut Vec<char>, characters: &[char], count: i64) -> Result<()> {
        let count = usize::try_from(count).unwrap_or_default();
        text.try_reserve(count).map_err(|_| failed(format!("{count} characters do not fit the memory that the provider may use.")))?;
        for _ in 0..count {
            text.extend(entropy::pick(characters)?);
        }
        Ok(())
    }

    /// Checks that the length has room for the minimums.
    pub fn check_length(&self, diagnostics: &mut Diagnostics) {
        let minimums = [&self.min_upper, &self.min_lower, &self.min_numeric, &self.min_special];
        let sum = minimums.into_iter().filter_map(Attr::known).fold(0i64, |sum, least| sum.saturating_add(*least));
        if let Some(length) = self.length.known().filter(|length| **length < sum) {
            let detail =
                format!("Attribute length value must be at least sum of min_upper + min_lower + min_numeric + min_special ({sum}), got: {length}");
            diagnostics.push(Diagnostic::error("Invalid Attribute Value", detail).at_attribute("length"));
        }
    }

    /// Checks that one set at least is enabled where all four are configured; `digits` is the attribute `name`.
    pub fn check_sets(&self, name: &str, digits: &Attr<bool>, diagnostics: &mut Diagnostics) {
        let off = |attribute: &Attr<bool>| attribute.known() == Some(&false);
        let digits_off = off(digits) || digits.is_unknown();
        if digits_off && off(&self.special) && off(&self.upper) && off(&self.lower) {
            let detail = format!("At least one attribute out of [special,upper,lower,{name}] must be specified as true");
            diagnostics.push(Diagnostic::error("Invalid Attribute Combination", detail).at_attribute(name));
        }
    }
}

fn failed(detail: String) -> Diagnostics {
    Diagnostic::error("Random Read Error", detail).into()
}

/// Plans `number` and `numeric`, two names of one thing, from their configuration.
pub fn synchronise(config: (&Attr<bool>, &Attr<bool>), planned: (&mut Attr<bool>, &mut Attr<bool>), diagnostics: &mut Diagnostics) {
    let value = match config {
        (Attr::Null, Attr::Null) => Attr::Known(true),
        (Attr::Null, one) | (one, Attr::Null) => one.clone(),
        (number, numeric) => {
            if (number.known() == Some(&true)) != (numeric.known() == Some(&true)) {
                let problem = "Number and numeric are both configured with different values";
                diagnostics.push(Diagnostic::error(problem, "Number is deprecated, use numeric instead"));
            }
            return;
        }
    };
    *planned.0 = value.clone();
    *planned.1 = value;
}

/// Whether a changed `override_special` asks for a new text.
pub fn special_replaces(change: Change<'_>) -> bool {
    let emptied = change.config.is_null() && change.prior.as_str() == Some("");
    !emptied && !change.config.is_unknown()
}

/// A stored object of an older version with all that it may lack.
pub fn fill_stored(stored: &mut serde_json::Map<String, serde_json::Value>) {
    let length = stored.get("result").and_then(|result| result.as_str()).map(str::len);
    let mut fill = |name: &str, value: serde_json::Value| {
        let place = stored.entry(name).or_insert(serde_json::Value::Null);
        if place.is_null() {
            *place = value;
        }
    };
    fill("length", length.into());
    for name in ["min_lower", "min_numeric", "min_special", "min_upper"] {
        fill(name, 0.into());
    }
    for name in ["lower", "number", "special", "upper"] {
        fill(name, true.into());
    }
    let number = stored.get("number").cloned().unwrap_or_default();
    stored.insert("numeric".to_owned(), number);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimums_hold_and_sets_are_kept() {
        let rules = Rules {
            min_special: Attr::Known(3),
            min_numeric: Attr::Known(2),
            special: Attr::Known(false),
            override_special: "é".into(),
            ..Rules::imported("0123456789")
        };
        let text = rules.make().unwrap();
        assert_eq!(text.chars().count(), 10);
        assert_eq!(text.chars().filter(|character| *character == 'é').count(), 3);
        assert!(text.chars().filter(char::is_ascii_digit).count() >= 2);
        let none = Rules { upper: Attr::Known(false), lower: Attr::Known(false), numeric: Attr::Known(false), special: Attr::Known(false), ..rules };
        assert!(none.make().is_err());
    }
}
