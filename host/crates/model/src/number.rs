//! Exact numbers.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use bigdecimal::BigDecimal;
use num_traits::ToPrimitive;

/// A number of any size and precision, exact: Terraform's `number`. Equal numbers are equal whatever their spelling
/// (`1.0` is `1`): the constructor brings every value to one form, so that equality, order and hash agree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(Form);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    Integer(i64),
    /// Normalised, and not an integer that fits `i64`.
    Decimal(BigDecimal),
}

/// The largest absolute exponent that a text may have: `1e999999999` must not ask for memory.
const MAX_EXPONENT: i64 = 10_000;

/// A text that is no number, or one out of bounds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a number")]
pub struct NumberError(pub String);

impl Number {
    /// From an exact decimal.
    pub fn from_decimal(decimal: BigDecimal) -> Self {
        let decimal = decimal.normalized();
        if decimal.as_bigint_and_exponent().1 <= 0
            && let Some(integer) = decimal.to_i64()
        {
            return Self(Form::Integer(integer));
        }
        Self(Form::Decimal(decimal))
    }

    /// From a finite binary float, exactly; `None` for NaN and the infinities.
    pub fn from_f64(float: f64) -> Option<Self> {
        BigDecimal::try_from(float).ok().map(Self::from_decimal)
    }

    /// The value as `i64`, if it is one.
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Form::Integer(integer) => Some(*integer),
            Form::Decimal(_) => None,
        }
    }

    /// The nearest binary float.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Form::Integer(integer) => *integer as f64,
            Form::Decimal(decimal) => decimal.to_f64().unwrap_or(f64::NAN),
        }
    }

    /// The exact decimal.
    pub fn to_decimal(&self) -> BigDecimal {
        match &self.0 {
            Form::Integer(integer) => BigDecimal::from(*integer),
            Form::Decimal(decimal) => decimal.clone(),
        }
    }

    /// Whether it is an integer of any size.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Form::Integer(_) => true,
            Form::Decimal(decimal) => decimal.is_integer(),
        }
    }
}

impl From<i64> for Number {
    fn from(integer: i64) -> Self {
        Self(Form::Integer(integer))
    }
}

impl FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        if let Ok(integer) = text.parse::<i64>() {
            return Ok(Self(Form::Integer(integer)));
        }
        let error = || NumberError(text.chars().take(80).collect());
        let decimal = BigDecimal::from_str(text).map_err(|_| error())?;
        if decimal.as_bigint_and_exponent().1.abs() > MAX_EXPONENT {
            return Err(error());
        }
        Ok(Self::from_decimal(decimal))
    }
}

impl fmt::Display for Number {
    /// Plain decimal, no exponent, no trailing zeros.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Integer(integer) => integer.fmt(f),
            Form::Decimal(decimal) => f.write_str(&decimal.to_plain_string()),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Form::Integer(a), Form::Integer(b)) => a.cmp(b),
            _ => self.to_decimal().cmp(&other.to_decimal()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_one_form() {
        for (a, b) in [("1", "1.0"), ("100", "1e2"), ("0.10", "0.1"), ("-0", "0"), ("9223372036854775808", "9223372036854775808.0")] {
            assert_eq!(a.parse::<Number>(), b.parse::<Number>(), "{a} {b}");
        }
        assert_eq!("1e3".parse::<Number>().unwrap().to_string(), "1000");
        assert_eq!("0.1".parse::<Number>().unwrap().to_string(), "0.1");
        assert!("1e99999999".parse::<Number>().is_err());
        assert!("x".parse::<Number>().is_err());
    }
}
