//! Arguments and results of functions.

use bigdecimal::BigDecimal;
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

use crate::builtin::{Code, Failure, Function, Parameter};
use crate::{Kinds, Number, Value};

/// What a function gives.
pub(super) type Result<T = Value> = std::result::Result<T, Failure>;

pub(super) const STRING: Parameter = Parameter::new(Kinds::STRING);
pub(super) const INT: Parameter = Parameter::new(Kinds::INT);
pub(super) const NUMBER: Parameter = Parameter::new(Kinds::NUMBER);
pub(super) const BOOL: Parameter = Parameter::new(Kinds::BOOL);
pub(super) const LIST: Parameter = Parameter::new(Kinds::LIST);
pub(super) const BYTES: Parameter = Parameter::new(Kinds(Kinds::BYTES.0 | Kinds::STRING.0));
/// A list whose elements need not be concrete.
pub(super) const LOOSE_LIST: Parameter = Parameter::loose(Kinds::LIST);
/// A struct whose fields need not be concrete.
pub(super) const LOOSE_STRUCT: Parameter = Parameter::loose(Kinds::STRUCT);
pub(super) const ANY: Parameter = Parameter::new(Kinds::TOP);
pub(super) const CONSTRAINT: Parameter = Parameter::constraint();

/// A function. One that gives a bool is a validator.
pub(super) const fn function(name: &'static str, parameters: &'static [Parameter], result: Kinds, code: Code) -> Function {
    let validator = result.0 == Kinds::BOOL.0;
    Function { name, parameters, result, validator, code }
}

fn wrong(index: usize, wanted: &str) -> Failure {
    Failure::eval(format!("argument {} is not a {wanted}", index + 1))
}

pub(super) fn value(arguments: &[Value], index: usize) -> Result<&Value> {
    arguments.get(index).ok_or_else(|| Failure::eval(format!("argument {} is missing", index + 1)))
}

pub(super) fn text(arguments: &[Value], index: usize) -> Result<&str> {
    value(arguments, index)?.as_str().ok_or_else(|| wrong(index, "string"))
}

pub(super) fn bytes(arguments: &[Value], index: usize) -> Result<&[u8]> {
    match value(arguments, index)? {
        Value::Bytes(bytes) => Ok(bytes),
        Value::String(text) => Ok(text.as_bytes()),
        _ => Err(wrong(index, "string or bytes")),
    }
}

/// Bytes that are UTF-8.
pub(super) fn utf8(arguments: &[Value], index: usize) -> Result<&str> {
    std::str::from_utf8(bytes(arguments, index)?).map_err(|_| Failure::eval("the bytes are not valid UTF-8"))
}

pub(super) fn number(arguments: &[Value], index: usize) -> Result<&Number> {
    match value(arguments, index)? {
        Value::Number(number) => Ok(number),
        _ => Err(wrong(index, "number")),
    }
}

pub(super) fn big(arguments: &[Value], index: usize) -> Result<BigInt> {
    number(arguments, index)?.to_integer().ok_or_else(|| wrong(index, "integer"))
}

/// An integer of 64 bits. One that needs a 64th bit for its magnitude is cut to the largest or smallest, as in CUE.
pub(super) fn integer(arguments: &[Value], index: usize) -> Result<i64> {
    let value = big(arguments, index)?;
    match value.to_i64() {
        Some(value) => Ok(value),
        None if value.bits() <= 64 => Ok(if value.sign() == Sign::Minus { i64::MIN } else { i64::MAX }),
        None => Err(Failure::eval(format!("argument {} does not fit in int64", index + 1))),
    }
}

/// An integer that is not negative.
pub(super) fn unsigned(arguments: &[Value], index: usize) -> Result<u64> {
    let message = format!("argument {} does not fit in uint64", index + 1);
    big(arguments, index)?.to_u64().ok_or_else(|| Failure::eval(message))
}

pub(super) fn decimal(arguments: &[Value], index: usize) -> Result<BigDecimal> {
    number(arguments, index)?.to_decimal().ok_or_else(|| wrong(index, "finite number"))
}

/// A binary floating point number; a number that is too large for one is an error.
pub(super) fn float(arguments: &[Value], index: usize) -> Result<f64> {
    let number = number(arguments, index)?;
    match number.to_f64() {
        value if value.is_finite() || matches!(number, Number::NaN | Number::Infinity(_)) => Ok(value),
        _ => Err(Failure::eval(format!("argument {} does not fit in float64", index + 1))),
    }
}

pub(super) fn list(arguments: &[Value], index: usize) -> Result<&[Value]> {
    match value(arguments, index)? {
        Value::List(elements) => Ok(elements),
        _ => Err(wrong(index, "list")),
    }
}

/// A list of strings.
pub(super) fn texts(arguments: &[Value], index: usize) -> Result<Vec<&str>> {
    let element = |(at, value): (usize, &'_ Value)| match value {
        Value::Partial { .. } | Value::Handle(_) => Err(Failure::incomplete(format!("element {at} of argument {} is not concrete", index + 1))),
        _ => Ok(()),
    };
    let elements = list(arguments, index)?;
    elements.iter().enumerate().try_for_each(element)?;
    let wrong = || Failure::eval(format!("argument {} is not a list of strings", index + 1));
    elements.iter().map(|value| value.as_str().ok_or_else(wrong)).collect()
}

/// A list of numbers.
pub(super) fn numbers(arguments: &[Value], index: usize) -> Result<Vec<&Number>> {
    let wrong = || Failure::eval(format!("argument {} is not a list of numbers", index + 1));
    let number = |value: &'_ Value| match value {
        Value::Partial { .. } | Value::Handle(_) => Err(Failure::incomplete("an element of the list is not concrete")),
        Value::Number(_) => Ok(()),
        _ => Err(wrong()),
    };
    let elements = list(arguments, index)?;
    elements.iter().try_for_each(number)?;
    elements.iter().map(|value| if let Value::Number(number) = value { Ok(number) } else { Err(wrong()) }).collect()
}

/// The comparator or constraint that an argument is.
pub(super) fn constraint(arguments: &[Value], index: usize) -> Result<crate::Node> {
    match value(arguments, index)? {
        Value::Handle(node) => Ok(*node),
        _ => Err(wrong(index, "constraint")),
    }
}

pub(super) fn string(text: impl Into<std::sync::Arc<str>>) -> Result {
    Ok(Value::String(text.into()))
}

pub(super) fn strings<T: Into<std::sync::Arc<str>>>(texts: impl IntoIterator<Item = T>) -> Result {
    Ok(Value::List(texts.into_iter().map(Value::string).collect()))
}

pub(super) fn boolean(value: bool) -> Result {
    Ok(Value::Bool(value))
}

pub(super) fn int(value: impl Into<BigInt>) -> Result {
    Ok(Value::Number(Number::from(value.into())))
}

/// How a binary floating point number is read as a decimal: its shortest digits.
pub(super) fn from_float(value: f64) -> Result {
    Ok(Value::Number(if value.is_nan() {
        Number::NaN
    } else if value.is_infinite() {
        Number::Infinity(value < 0.0)
    } else {
        let digits = format!("{value:e}");
        let decimal: BigDecimal = digits.parse().map_err(|_| Failure::eval("the result is no number"))?;
        Number::from(decimal)
    }))
}

/// A decimal, which is an integer where it has no fraction digits.
pub(super) fn from_decimal(value: BigDecimal) -> Result {
    let value = crate::number::round(&value);
    // Digits behind the point that are all zero do not make it another number here. Larger exponents stay decimals, for
    // their digits would not fit into memory.
    Ok(Value::Number(if value.fractional_digit_count() > -100_000 && value.is_integer() {
        Number::from(value.with_scale(0).into_bigint_and_scale().0)
    } else {
        Number::from(value)
    }))
}

/// The one value of decoded data.
pub(super) fn decoded(values: std::result::Result<Vec<Value>, crate::data::DecodeError>) -> Result {
    let values = values.map_err(|error| Failure::eval(error.to_string()))?;
    values.into_iter().next().ok_or_else(|| Failure::eval("there is no value"))
}

/// Why a value cannot be written.
pub(super) fn not_json(error: crate::export::json::NotConcrete) -> Failure {
    use crate::export::json::NotConcrete;
    match error {
        NotConcrete::Open => Failure::incomplete("a part of the value is not concrete"),
        NotConcrete::NotRepresentable(what) => Failure::eval(format!("{what} cannot be written in this format")),
    }
}

/// Whether two values are the same, numbers of their kinds too; the order of fields does not matter.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x.is_integer() == y.is_integer() && a == b,
        (Value::List(x), Value::List(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y)),
        (Value::Struct(x), Value::Struct(y)) => x.len() == y.len() && x.iter().all(|(name, x)| b.field(name).is_some_and(|y| same(x, y))),
        _ => a == b,
    }
}

/// Refuses integers that are too large to work with.
pub(super) fn check_bits(bits: u64) -> Result<()> {
    if bits > crate::session::INTEGER_BITS {
        return Err(Failure::Limit(format!("the result would be an integer of {bits} bits")));
    }
    Ok(())
}

/// Refuses to make a value that is larger than what is left.
pub(super) fn check_size(host: &mut dyn crate::builtin::Host, bytes: usize) -> Result<()> {
    if bytes > host.budget() {
        return Err(Failure::Limit(format!("the result would take {bytes} bytes")));
    }
    Ok(())
}
