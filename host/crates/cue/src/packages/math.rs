//! `math`
//!
//! Rounding, remainders and powers with whole exponents are exact; the transcendental functions are those of binary
//! floating point, as CUE's are.

use bigdecimal::{BigDecimal, RoundingMode};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use super::arguments::{self as args, INT, NUMBER, Result, boolean, from_decimal, from_float, function, int};
use super::math_bits::jacobi;
use crate::builtin::{Failure, Function, Host, Package};
use crate::{Kinds, Number, Value};

const N: Kinds = Kinds::NUMBER;
const I: Kinds = Kinds::INT;

/// A function of binary floating point.
macro_rules! real {
    ($name:literal, $function:expr) => {
        function($name, &[NUMBER], N, |a, _| from_float($function(args::float(a, 0)?)))
    };
}

/// A function of two binary floating point numbers.
macro_rules! real_pair {
    ($name:literal, $function:expr) => {
        function($name, &[NUMBER, NUMBER], N, |a, _| from_float($function(args::float(a, 0)?, args::float(a, 1)?)))
    };
}

const FUNCTIONS: &[Function] = &[
    function("Abs", &[NUMBER], N, |a, _| match args::number(a, 0)? {
        Number::Infinity(_) => Ok(Value::Number(Number::Infinity(false))),
        _ => from_decimal(args::decimal(a, 0)?.abs()),
    }),
    real!("Acos", libm::acos),
    real!("Acosh", libm::acosh),
    real!("Asin", libm::asin),
    real!("Asinh", libm::asinh),
    real!("Atan", libm::atan),
    real_pair!("Atan2", libm::atan2),
    real!("Atanh", libm::atanh),
    function("Cbrt", &[NUMBER], N, |a, _| rounded(libm::cbrt(args::float(a, 0)?))),
    function("Ceil", &[NUMBER], I, |a, _| whole(a, RoundingMode::Ceiling)),
    function("Copysign", &[NUMBER, NUMBER], N, |a, _| {
        let (x, y) = (args::decimal(a, 0)?, args::decimal(a, 1)?);
        from_decimal(if x.is_negative() == y.is_negative() { x } else { -x })
    }),
    real!("Cos", libm::cos),
    real!("Cosh", libm::cosh),
    function("Dim", &[NUMBER, NUMBER], N, |a, _| {
        let difference = args::decimal(a, 0)? - args::decimal(a, 1)?;
        if difference.is_negative() { int(0) } else { from_decimal(difference) }
    }),
    real!("Erf", libm::erf),
    real!("Erfc", libm::erfc),
    real!("Erfcinv", |x| inverse_erf(1.0 - x)),
    real!("Erfinv", inverse_erf),
    function("Exp", &[NUMBER], N, |a, _| from_decimal(exponential(&args::decimal(a, 0)?)?)),
    function("Exp2", &[NUMBER], N, |a, _| power(&BigDecimal::from(2), &args::decimal(a, 0)?)),
    real!("Expm1", libm::expm1),
    function("Floor", &[NUMBER], I, |a, _| whole(a, RoundingMode::Floor)),
    real!("Gamma", libm::tgamma),
    real_pair!("Hypot", libm::hypot),
    function("Ilogb", &[NUMBER], I, |a, _| {
        int(match args::float(a, 0)? {
            0.0 => i64::from(i32::MIN),
            x if x.is_nan() || x.is_infinite() => i64::from(i32::MAX),
            x => i64::from(libm::ilogb(x)),
        })
    }),
    real!("J0", libm::j0),
    real!("J1", libm::j1),
    function("Jacobi", &[INT, INT], I, jacobi),
    function("Jn", &[INT, NUMBER], N, |a, _| from_float(libm::jn(order(a)?, args::float(a, 1)?))),
    function("Ldexp", &[NUMBER, INT], N, |a, _| {
        let exponent = args::integer(a, 1)?.clamp(-5_000, 5_000) as i32;
        from_float(libm::ldexp(args::float(a, 0)?, exponent))
    }),
    function("Log", &[NUMBER], N, |a, _| logarithm(a, libm::log)),
    function("Log10", &[NUMBER], N, |a, _| logarithm(a, libm::log10)),
    real!("Log1p", libm::log1p),
    function("Log2", &[NUMBER], N, |a, _| logarithm(a, libm::log2)),
    real!("Logb", |x: f64| if x == 0.0 {
        f64::NEG_INFINITY
    } else if x.is_infinite() {
        f64::INFINITY
    } else if x.is_nan() {
        x
    } else {
        f64::from(libm::ilogb(x))
    }),
    real_pair!("Mod", libm::fmod),
    function("MultipleOf", &[NUMBER, NUMBER], Kinds::BOOL, multiple_of),
    function("Pow", &[NUMBER, NUMBER], N, |a, _| power(&args::decimal(a, 0)?, &args::decimal(a, 1)?)),
    function("Pow10", &[INT], N, |a, host| {
        let exponent = i32::try_from(args::integer(a, 0)?).map_err(|_| Failure::eval("the exponent does not fit in int32"))?;
        args::check_size(host, usize::try_from(exponent).unwrap_or(0))?;
        from_decimal(BigDecimal::new(BigInt::from(1), -i64::from(exponent)))
    }),
    real_pair!("Remainder", libm::remainder),
    function("Round", &[NUMBER], I, |a, _| whole(a, RoundingMode::HalfUp)),
    function("RoundToEven", &[NUMBER], I, |a, _| whole(a, RoundingMode::HalfEven)),
    function("Signbit", &[NUMBER], Kinds::BOOL, |a, _| {
        boolean(match args::number(a, 0)? {
            Number::Infinity(negative) => *negative,
            Number::NaN => false,
            number => number.to_decimal().is_some_and(|value| value.is_negative()),
        })
    }),
    real!("Sin", libm::sin),
    real!("Sinh", libm::sinh),
    real!("Sqrt", libm::sqrt),
    real!("Tan", libm::tan),
    real!("Tanh", libm::tanh),
    function("Trunc", &[NUMBER], I, |a, _| whole(a, RoundingMode::Down)),
    real!("Y0", |x: f64| if x < 0.0 { f64::NAN } else { libm::y0(x) }),
    real!("Y1", |x: f64| if x < 0.0 { f64::NAN } else { libm::y1(x) }),
    function("Yn", &[INT, NUMBER], N, |a, _| {
        let (order, x) = (order(a)?, args::float(a, 1)?);
        from_float(if x < 0.0 { f64::NAN } else { libm::yn(order, x) })
    }),
];

pub(super) static MATH: Package = Package { path: "math", functions: FUNCTIONS, source: CONSTANTS };

const CONSTANTS: &str = "\
MaxExp: 2147483647
MinExp: -2147483648
MaxPrec: 4294967295
ToNearestEven: 0
ToNearestAway: 1
ToZero: 2
AwayFromZero: 3
ToNegativeInf: 4
ToPositiveInf: 5
Below: -1
Exact: 0
Above: 1
MaxBase: 62
E: 2.71828182845904523536028747135266249775724709369995957496696763
Pi: 3.14159265358979323846264338327950288419716939937510582097494459
Phi: 1.61803398874989484820458683436563811772030917980576286213544861
Sqrt2: 1.41421356237309504880168872420969807856967187537694807317667974
SqrtE: 1.64872127070012814684865078781416357165377610071014801157507931
SqrtPi: 1.77245385090551602729816748334114518279754945612238712821380779
SqrtPhi: 1.27201964951406896425242246173749149171560804184009624861664038
Ln2: 0.693147180559945309417232121458176568075500134360255254120680009
Log2E: 1.442695040888963407359924681001892137426645954152985934135449408
Ln10: 2.3025850929940456840179914546843642076011014886287729760333278
Log10E: 0.43429448190325182765112891891660508229439700580366656611445378
";

fn order(a: &[Value]) -> Result<i32> {
    Ok(args::integer(a, 0)?.clamp(-1_000_000, 1_000_000) as i32)
}

/// The whole number that a rounding gives.
fn whole(a: &[Value], mode: RoundingMode) -> Result {
    let value = args::decimal(a, 0)?;
    args::check_bits(crate::number::integer_bits(&value))?;
    int(value.with_scale_round(0, mode).into_bigint_and_scale().0)
}

/// An inexact result of a function of decimals: whole numbers are integers only where the function is exact.
fn rounded(value: f64) -> Result {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return int(value as i64);
    }
    from_float(value)
}

/// How many digits the steps of a series keep: those of a number, and some that rounding takes.
const WORKING_DIGITS: u64 = 60;

fn cut(value: BigDecimal) -> BigDecimal {
    value.with_prec(WORKING_DIGITS)
}

/// The power of e, to the digits of a number.
fn exponential(x: &BigDecimal) -> Result<BigDecimal> {
    // Beyond is more than the largest exponent of numbers, 100000.
    if x.abs() > BigDecimal::from(230_258) {
        return Err(Failure::eval(if x.is_negative() { "underflow" } else { "overflow" }));
    }
    // Halved so often that a short series does, and the result squared as often.
    let halvings = 20;
    let x = cut(x / BigDecimal::from(1_i64 << halvings));
    let mut sum = BigDecimal::from(1);
    let mut term = BigDecimal::from(1);
    for step in 1..60 {
        term = cut(term * &x / BigDecimal::from(step));
        if term.is_zero() {
            break;
        }
        sum = cut(sum + &term);
    }
    for _ in 0..halvings {
        sum = cut(sum.square());
    }
    Ok(sum)
}

fn logarithm(a: &[Value], function: fn(f64) -> f64) -> Result {
    let x = args::float(a, 0)?;
    if x < 0.0 {
        return Err(Failure::eval("invalid operation: the logarithm of a negative number"));
    }
    if x == 0.0 {
        return Ok(Value::Number(Number::Infinity(true)));
    }
    rounded(function(x))
}

fn multiple_of(a: &[Value], _: &mut dyn Host) -> Result {
    let (x, y) = (args::decimal(a, 0)?, args::decimal(a, 1)?);
    if y.is_zero() {
        return Err(Failure::eval("division by zero"));
    }
    let distance = crate::number::quotient_digits(&x, &y).unsigned_abs();
    args::check_bits(distance.saturating_mul(10) / 3)?;
    boolean((x % y).is_zero())
}

/// `x` to the power of `y`: exact digits for whole exponents, else those of binary floating point.
fn power(x: &BigDecimal, y: &BigDecimal) -> Result {
    let invalid = || Failure::eval("invalid operation");
    if x.is_zero() {
        return match y {
            y if y.is_zero() => Err(invalid()),
            y if y.is_negative() => Ok(Value::Number(Number::Infinity(false))),
            _ => int(0),
        };
    }
    let exponent = y.is_integer().then(|| y.to_i64()).flatten().filter(|exponent| exponent.unsigned_abs() <= 100_000);
    let Some(exponent) = exponent else {
        if x.is_negative() && !y.is_integer() {
            return Err(invalid());
        }
        return from_float(x.to_f64().unwrap_or(f64::NAN).powf(y.to_f64().unwrap_or(f64::NAN)));
    };
    let mut result = BigDecimal::from(1);
    let mut base = x.clone();
    let mut rest = exponent.unsigned_abs();
    while rest > 0 {
        if rest & 1 == 1 {
            result = crate::number::round(&(result * &base));
        }
        rest >>= 1;
        if rest > 0 {
            base = crate::number::round(&(&base * &base));
        }
    }
    if exponent < 0 {
        let quotient = Number::Int(1).divide(&Number::from(result)).ok_or_else(invalid)?;
        return Ok(Value::Number(quotient));
    }
    from_decimal(result)
}

/// The inverse of the error function: a good start, then Newton's steps.
fn inverse_erf(y: f64) -> f64 {
    if !(-1.0..=1.0).contains(&y) {
        return f64::NAN;
    }
    if y.abs() == 1.0 {
        return f64::INFINITY.copysign(y);
    }
    let a = 0.147;
    let logarithm = libm::log1p(-y * y);
    let part = 2.0 / (std::f64::consts::PI * a) + logarithm / 2.0;
    let mut x = (libm::sqrt(part * part - logarithm / a) - part).max(0.0).sqrt().copysign(y);
    for _ in 0..8 {
        // Near the ends the complement keeps its digits.
        let error = if y.abs() < 0.5 { libm::erf(x) - y } else { (1.0 - y.abs()) - libm::erfc(x.abs()) };
        let error = if y.abs() < 0.5 { error } else { error * y.signum() };
        let slope = 2.0 / std::f64::consts::PI.sqrt() * libm::exp(-x * x);
        let step = error / slope;
        x -= step / (1.0 + x * step);
    }
    x
}
