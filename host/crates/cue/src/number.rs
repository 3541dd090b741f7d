//! Numbers: integers exact at any size, decimals of 34 significant digits.
//!
//! Kept true here: an integer that fits is an `i64`, so that equal integers have one form; binary floating point is
//! never used for arithmetic.

use std::cmp::Ordering;
use std::sync::Arc;

use bigdecimal::{BigDecimal, RoundingMode};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

/// How many significant digits a decimal has.
pub const PRECISION: u64 = 34;

/// How many zeros may stand before or behind the digits of a decimal.
const MAXIMUM_SCALE: u64 = 1 << 60;

/// A number.
#[derive(Clone, Debug)]
pub enum Number {
    /// An integer that fits.
    Int(i64),
    /// An integer that does not fit.
    Big(Arc<BigInt>),
    /// A decimal number.
    Decimal(Arc<BigDecimal>),
    /// Not a number; some functions give it.
    NaN,
    /// Infinity, negative if true; some functions give it.
    Infinity(bool),
}

/// Rounds to [`PRECISION`] digits.
pub fn round(decimal: &BigDecimal) -> BigDecimal {
    if decimal.digits() <= PRECISION {
        return decimal.clone();
    }
    decimal.with_precision_round(std::num::NonZeroU64::new(PRECISION).unwrap_or(std::num::NonZeroU64::MIN), RoundingMode::HalfUp)
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<BigInt> for Number {
    fn from(value: BigInt) -> Self {
        value.to_i64().map_or_else(|| Self::Big(Arc::new(value)), Self::Int)
    }
}

impl From<BigDecimal> for Number {
    fn from(value: BigDecimal) -> Self {
        Self::Decimal(Arc::new(value))
    }
}

impl Number {
    /// Whether it is an integer by kind (`3.0` is not).
    pub fn is_integer(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Big(_))
    }

    /// As an integer, if it is one by kind.
    pub fn to_integer(&self) -> Option<BigInt> {
        match self {
            Self::Int(value) => Some(BigInt::from(*value)),
            Self::Big(value) => Some((**value).clone()),
            _ => None,
        }
    }

    /// How many bits it has, if it is an integer by kind.
    pub fn bits(&self) -> u64 {
        match self {
            Self::Int(value) => u64::from(64 - value.unsigned_abs().leading_zeros()),
            Self::Big(value) => value.bits(),
            _ => 0,
        }
    }

    /// As an `i64`, if it is an integer by kind that fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// As a decimal; not a number and infinity have none.
    pub fn to_decimal(&self) -> Option<BigDecimal> {
        match self {
            Self::Int(value) => Some(BigDecimal::from(*value)),
            Self::Big(value) => Some(BigDecimal::from((**value).clone())),
            Self::Decimal(value) => Some((**value).clone()),
            _ => None,
        }
    }

    /// The nearest binary floating point number, for functions that are defined on these.
    pub fn to_f64(&self) -> f64 {
        match self {
            Self::Int(value) => *value as f64,
            Self::Big(value) => value.to_f64().unwrap_or(f64::NAN),
            Self::Decimal(value) => value.to_string().parse().unwrap_or(f64::NAN),
            Self::NaN => f64::NAN,
            Self::Infinity(negative) => {
                if *negative {
                    f64::NEG_INFINITY
                } else {
                    f64::INFINITY
                }
            }
        }
    }

    /// Compares by value, whatever the kinds.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::NaN, _) | (_, Self::NaN) => None,
            (Self::Infinity(a), Self::Infinity(b)) => Some(b.cmp(a)),
            (Self::Infinity(negative), _) => Some(if *negative { Ordering::Less } else { Ordering::Greater }),
            (_, Self::Infinity(negative)) => Some(if *negative { Ordering::Greater } else { Ordering::Less }),
            (a, b) => compare_decimals(&a.to_decimal()?, &b.to_decimal()?),
        }
    }

    /// `-x`
    pub fn negate(&self) -> Self {
        match self {
            Self::Int(value) => value.checked_neg().map_or_else(|| Self::from(-BigInt::from(*value)), Self::Int),
            Self::Big(value) => Self::from(-(**value).clone()),
            Self::Decimal(value) => Self::from(-(**value).clone()),
            Self::NaN => Self::NaN,
            Self::Infinity(negative) => Self::Infinity(!negative),
        }
    }

    fn combine(
        &self,
        other: &Self,
        small: fn(i64, i64) -> Option<i64>,
        big: fn(BigInt, BigInt) -> BigInt,
        decimal: fn(BigDecimal, BigDecimal) -> BigDecimal,
    ) -> Self {
        if let (Self::Int(a), Self::Int(b)) = (self, other)
            && let Some(result) = small(*a, *b)
        {
            return Self::Int(result);
        }
        if let (Some(a), Some(b)) = (self.to_integer(), other.to_integer()) {
            return Self::from(big(a, b));
        }
        match (self.to_decimal(), other.to_decimal()) {
            (Some(a), Some(b)) => Self::from(round(&decimal(a, b))),
            _ => Self::NaN,
        }
    }

    /// `x + y`
    pub fn add(&self, other: &Self) -> Self {
        self.combine(other, i64::checked_add, |a, b| a + b, add_decimals)
    }

    /// `x - y`
    pub fn subtract(&self, other: &Self) -> Self {
        self.combine(other, i64::checked_sub, |a, b| a - b, |a, b| add_decimals(a, -b))
    }

    /// `x * y`
    pub fn multiply(&self, other: &Self) -> Self {
        let scale = |number: &Self| match number {
            Self::Decimal(value) => value.as_bigint_and_exponent().1,
            _ => 0,
        };
        match scale(self).checked_add(scale(other)) {
            Some(sum) if sum.unsigned_abs() < MAXIMUM_SCALE => {}
            Some(sum) if sum > 0 => return Self::from(BigDecimal::zero()),
            None if scale(self) > 0 => return Self::from(BigDecimal::zero()),
            _ => return Self::Infinity(self.is_negative() != other.is_negative()),
        }
        self.combine(other, i64::checked_mul, |a, b| a * b, |a, b| a * b)
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        match self {
            Self::Int(value) => *value < 0,
            Self::Big(value) => value.is_negative(),
            Self::Decimal(value) => value.is_negative(),
            Self::NaN => false,
            Self::Infinity(negative) => *negative,
        }
    }

    /// `x / y`, always a decimal; `None` where y is zero.
    pub fn divide(&self, other: &Self) -> Option<Self> {
        let (a, b) = (self.to_decimal()?, other.to_decimal()?);
        if b.is_zero() {
            return None;
        }
        let inverse_free = divide_decimals(&a, &b)?;
        Some(Self::from(inverse_free))
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Int(value) => *value == 0,
            Self::Decimal(value) => value.is_zero(),
            _ => false,
        }
    }
}

/// The exponent of the first digit: 1 for `12.3`.
fn adjusted(decimal: &BigDecimal) -> i64 {
    let (_, scale) = decimal.as_bigint_and_exponent();
    i64::try_from(decimal.digits()).unwrap_or(i64::MAX).saturating_sub(1).saturating_sub(scale)
}

/// How many bits the whole part of a decimal has, about.
pub fn integer_bits(decimal: &BigDecimal) -> u64 {
    // A digit takes less than 3.33 bits.
    u64::try_from(adjusted(decimal)).unwrap_or(0).saturating_add(1).saturating_mul(10) / 3
}

/// How many digits the whole part of a quotient has, about; negative for small ones.
pub fn quotient_digits(a: &BigDecimal, b: &BigDecimal) -> i64 {
    adjusted(a).saturating_sub(adjusted(b))
}

/// How large the whole part of a quotient is, at most ten times too much; the largest number where it does not fit.
pub fn quotient_size(a: &BigDecimal, b: &BigDecimal) -> usize {
    if a.is_zero() || b.is_zero() {
        return 0;
    }
    let digits = quotient_digits(a, b).saturating_sub(1);
    u32::try_from(digits.max(0)).ok().and_then(|digits| 10_usize.checked_pow(digits)).unwrap_or(usize::MAX)
}

/// Compares without writing out the zeros of numbers of far apart sizes.
fn compare_decimals(a: &BigDecimal, b: &BigDecimal) -> Option<Ordering> {
    let signs = |d: &BigDecimal| {
        if d.is_zero() {
            0
        } else if d.is_negative() {
            -1
        } else {
            1
        }
    };
    let (sa, sb) = (signs(a), signs(b));
    if sa != sb || sa == 0 {
        return Some(sa.cmp(&sb));
    }
    let by_size = adjusted(a).cmp(&adjusted(b));
    if by_size != Ordering::Equal {
        return Some(if sa < 0 { by_size.reverse() } else { by_size });
    }
    Some(a.cmp(b))
}

/// Adds without writing out the zeros between numbers of far apart sizes.
fn add_decimals(a: BigDecimal, b: BigDecimal) -> BigDecimal {
    if a.is_zero() || b.is_zero() || quotient_digits(&a, &b).abs() <= 200 {
        return a + b;
    }
    if adjusted(&a) > adjusted(&b) { a } else { b }
}

fn divide_decimals(a: &BigDecimal, b: &BigDecimal) -> Option<BigDecimal> {
    if a.is_zero() {
        let scale = a.as_bigint_and_exponent().1.saturating_sub(b.as_bigint_and_exponent().1);
        return Some(BigDecimal::new(BigInt::zero(), i64::from(scale > 0)));
    }
    let (ia, sa) = a.as_bigint_and_exponent();
    let (ib, sb) = b.as_bigint_and_exponent();
    let want = i64::try_from(PRECISION).ok()? + 2;
    let digits = |d: &BigDecimal| i64::try_from(d.digits()).unwrap_or(0);
    let shift = (want + digits(b) - digits(a)).max(0);
    let scaled = ia * BigInt::from(10).pow(u32::try_from(shift).ok()?);
    let quotient = &scaled / &ib;
    let exact = (&quotient * &ib) == scaled;
    let scale = sa.checked_sub(sb)?.checked_add(shift)?;
    // A digit more keeps the rounding right where the division does not come out even.
    let result = if exact {
        BigDecimal::new(quotient, scale)
    } else {
        let sign = if (scaled.is_negative()) != (ib.is_negative()) { -1 } else { 1 };
        BigDecimal::new(quotient * BigInt::from(10) + BigInt::from(sign), scale.checked_add(1)?)
    };
    let rounded = round(&result);
    Some(if exact { reduce(&rounded) } else { rounded })
}

/// Takes trailing zeros away, but leaves one where the result is a whole number, as division does in CUE that comes out even: `6 / 2` is
/// `3.0`, `3e8 / 8` is `3.750e+7`.
fn reduce(decimal: &BigDecimal) -> BigDecimal {
    let (mut digits, mut scale) = decimal.as_bigint_and_exponent();
    let ten = BigInt::from(10);
    while (&digits % &ten).is_zero() {
        digits /= &ten;
        scale -= 1;
    }
    if scale <= 0 { BigDecimal::new(digits * ten, scale + 1) } else { BigDecimal::new(digits, scale) }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.compare(other) == Some(Ordering::Equal)
    }
}

impl Number {
    /// The text without the `.0` that only says that it is no integer by kind: `6.339e3` is `6339`, but `6339.0` stays.
    pub fn data_text(&self) -> String {
        let text = self.to_string();
        match self {
            Self::Decimal(value) if value.as_bigint_and_exponent().1 == 0 => text.trim_end_matches(".0").to_owned(),
            _ => text,
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Big(value) => write!(f, "{value}"),
            Self::Decimal(value) => f.write_str(&decimal_text(value)),
            Self::NaN => f.write_str("NaN"),
            Self::Infinity(negative) => f.write_str(if *negative { "-Infinity" } else { "Infinity" }),
        }
    }
}

/// A decimal as CUE prints it: `3.0`, `0.001`, `1e-7`, `1.5e+400`.
fn decimal_text(decimal: &BigDecimal) -> String {
    let (digits, scale) = decimal.as_bigint_and_exponent();
    let negative = digits.is_negative();
    let text = digits.abs().to_string();
    let exponent = -scale;
    let first = exponent + text.len() as i64 - 1;
    let body = if exponent <= 0 && first >= -6 {
        if exponent == 0 {
            format!("{text}.0")
        } else {
            let point = text.len() as i64 + exponent;
            if point > 0 {
                let (whole, part) = text.split_at(point as usize);
                format!("{whole}.{part}")
            } else {
                format!("0.{}{text}", "0".repeat(point.unsigned_abs() as usize))
            }
        }
    } else {
        let (whole, part) = text.split_at(1);
        let point = if part.is_empty() { String::new() } else { format!(".{part}") };
        format!("{whole}{point}e{}{}", if first < 0 { '-' } else { '+' }, first.abs())
    };
    if negative { format!("-{body}") } else { body }
}

/// Quotient and remainder of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerDivision {
    /// `div`: Euclidean quotient.
    Div,
    /// `mod`: Euclidean remainder.
    Mod,
    /// `quo`: truncated quotient.
    Quo,
    /// `rem`: truncated remainder.
    Rem,
}

impl IntegerDivision {
    /// Applies it; `None` where the divisor is zero or an operand is no integer.
    pub fn apply(self, a: &Number, b: &Number) -> Option<Number> {
        if b.is_zero() {
            return None;
        }
        if let (Number::Int(a), Number::Int(b)) = (a, b) {
            let small = match self {
                Self::Div => a.checked_div_euclid(*b),
                Self::Mod => a.checked_rem_euclid(*b),
                Self::Quo => a.checked_div(*b),
                Self::Rem => a.checked_rem(*b),
            };
            if let Some(result) = small {
                return Some(Number::Int(result));
            }
        }
        let (a, b) = (a.to_integer()?, b.to_integer()?);
        let (quotient, remainder) = (&a / &b, &a % &b);
        Some(Number::from(match self {
            Self::Quo => quotient,
            Self::Rem => remainder,
            Self::Mod if remainder.is_negative() => remainder + b.abs(),
            Self::Mod => remainder,
            Self::Div if remainder.is_negative() => {
                if b.is_negative() {
                    quotient + 1
                } else {
                    quotient - 1
                }
            }
            Self::Div => quotient,
        }))
    }
}
