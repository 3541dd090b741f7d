//! How old a record may be before a plan reads the resource again.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A refresh age: `always`, `never`, or a number with a unit (`ms`, `s`, `m`, `h`, `d`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefreshAge {
    /// Every plan that reaches it reads it.
    Always,
    /// No plan reads it.
    Never,
    /// Read once its record is older.
    After(Duration),
}

/// A text that is no refresh age.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a refresh age: it is \"always\", \"never\" or a number with a unit (ms, s, m, h, d), such as \"15m\"")]
pub struct RefreshAgeError(pub String);

impl FromStr for RefreshAge {
    type Err = RefreshAgeError;

    fn from_str(text: &str) -> Result<Self, RefreshAgeError> {
        let error = || RefreshAgeError(text.chars().take(40).collect());
        match text {
            "always" => return Ok(Self::Always),
            "never" => return Ok(Self::Never),
            _ => {}
        }
        let unit = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(error)?;
        let (digits, unit) = text.split_at(unit);
        let number: u64 = digits.parse().map_err(|_| error())?;
        let factor = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(error()),
        };
        Ok(Self::After(Duration::from_millis(number.checked_mul(factor).ok_or_else(error)?)))
    }
}

impl fmt::Display for RefreshAge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => f.write_str("always"),
            Self::Never => f.write_str("never"),
            Self::After(age) => {
                let milliseconds = age.as_millis();
                let (factor, unit) = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")]
                    .into_iter()
                    .find(|(factor, _)| milliseconds > 0 && milliseconds % factor == 0)
                    .unwrap_or((1, "ms"));
                write!(f, "{}{unit}", milliseconds / factor)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_one_text() {
        for text in ["always", "never", "15m", "1d", "250ms", "90s", "0ms"] {
            assert_eq!(text.parse::<RefreshAge>().unwrap().to_string(), text);
        }
        assert_eq!("3600s".parse::<RefreshAge>().unwrap().to_string(), "1h");
        for text in ["", "15", "m", "1w", "-1s", "1.5h", "99999999999999999999s", "Always"] {
            assert!(text.parse::<RefreshAge>().is_err(), "{text:?}");
        }
    }
}
