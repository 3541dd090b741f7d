//! Values of CUE and of the model.

use num_bigint::BigInt;
use pravo_cue::{Number as CueNumber, Value as CueValue};
use pravo_model::{Number, Value};

use crate::raw::Raw;

/// A number of CUE; `None` for infinities and what is no number.
pub(crate) fn number_from_cue(number: &CueNumber) -> Option<Number> {
    match number {
        CueNumber::Int(integer) => Some(Number::from(*integer)),
        number => number.to_decimal().map(Number::from_decimal),
    }
}

/// A number for CUE: an integer where it is one.
pub(crate) fn number_to_cue(number: &Number) -> CueNumber {
    if let Some(integer) = number.as_i64() {
        return CueNumber::Int(integer);
    }
    let decimal = number.to_decimal();
    if number.is_integer() {
        let (digits, scale) = decimal.as_bigint_and_exponent();
        if scale == 0 {
            return CueNumber::from(digits);
        }
        if let Ok(power) = u32::try_from(-scale) {
            return CueNumber::from(digits * BigInt::from(10).pow(power));
        }
    }
    CueNumber::from(decimal)
}

/// A value for CUE. Unknowns inside stand for whatever comes.
pub(crate) fn to_cue(value: Value) -> CueValue {
    match value {
        Value::Null => CueValue::Null,
        Value::Unknown => CueValue::Partial { kinds: pravo_cue::Kinds::TOP, unknown: true },
        Value::Bool(truth) => CueValue::Bool(truth),
        Value::Number(number) => CueValue::Number(number_to_cue(&number)),
        Value::String(text) => CueValue::string(text),
        Value::List(elements) => CueValue::List(elements.into_iter().map(to_cue).collect()),
        Value::Map(entries) => CueValue::Struct(entries.into_iter().map(|(key, value)| (key.into(), to_cue(value))).collect()),
    }
}

/// Plain data of a value of CUE. What is not concrete is null.
pub(crate) fn from_cue(value: CueValue) -> Raw {
    match value {
        CueValue::Bool(truth) => Raw::Bool(truth),
        CueValue::Number(number) => number_from_cue(&number).map_or(Raw::Null, Raw::Number),
        CueValue::String(text) => Raw::String(text.to_string()),
        CueValue::List(elements) => Raw::List(elements.into_iter().map(from_cue).collect()),
        CueValue::Struct(fields) => Raw::Struct(fields.into_iter().map(|(name, value)| (name.to_string(), from_cue(value))).collect()),
        CueValue::Partial { unknown: true, .. } => Raw::Unknown,
        CueValue::Null | CueValue::Bytes(_) | CueValue::Partial { .. } | CueValue::Handle(_) => Raw::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_both_ways_exactly() {
        for text in ["0", "-7", "9223372036854775807", "123456789012345678901234567890", "1e30", "0.1", "-2.50"] {
            let number: Number = text.parse().unwrap();
            assert_eq!(number_from_cue(&number_to_cue(&number)), Some(number.clone()), "{text}");
            assert_eq!(number_to_cue(&number).is_integer(), number.is_integer(), "{text}");
        }
        assert_eq!(number_from_cue(&CueNumber::NaN), None);
    }
}
