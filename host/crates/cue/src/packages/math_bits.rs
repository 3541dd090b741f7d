//! `math/bits`: integers of any size as bits, negative ones in two's complement.

use num_bigint::{BigInt, BigUint};

use super::arguments::{self as args, INT, Result, function, int};
use crate::builtin::{Failure, Function, Host, Package};
use crate::{Kinds, Value};

const I: Kinds = Kinds::INT;

const FUNCTIONS: &[Function] = &[
    function("And", &[INT, INT], I, |a, _| int(args::big(a, 0)? & args::big(a, 1)?)),
    function("At", &[INT, INT], I, |a, _| {
        let at = args::unsigned(a, 1)?;
        if at > i32::MAX as u64 {
            return Err(Failure::eval("bit index too large"));
        }
        int(i64::from(args::big(a, 0)?.bit(at)))
    }),
    function("Clear", &[INT, INT], I, |a, _| int(args::big(a, 0)? & !args::big(a, 1)?)),
    function("Len", &[INT], I, |a, _| int(args::big(a, 0)?.bits())),
    function("Lsh", &[INT, INT], I, shift_left),
    function("OnesCount", &[INT], I, |a, _| int(args::big(a, 0)?.magnitude().count_ones())),
    function("Or", &[INT, INT], I, |a, _| int(args::big(a, 0)? | args::big(a, 1)?)),
    function("Rsh", &[INT, INT], I, |a, _| int(args::big(a, 0)? >> args::unsigned(a, 1)?)),
    function("Set", &[INT, INT, INT], I, set),
    function("Xor", &[INT, INT], I, |a, _| int(args::big(a, 0)? ^ args::big(a, 1)?)),
];

pub(super) static BITS: Package = Package { path: "math/bits", functions: FUNCTIONS, source: "" };

fn shift_left(a: &[Value], _: &mut dyn Host) -> Result {
    let (number, by) = (args::big(a, 0)?, args::unsigned(a, 1)?);
    if number == BigInt::from(0) {
        return int(0);
    }
    args::check_bits(number.bits().saturating_add(by))?;
    int(number << by)
}

fn set(a: &[Value], _: &mut dyn Host) -> Result {
    let (mut number, at, bit) = (args::big(a, 0)?, args::integer(a, 1)?, args::unsigned(a, 2)?);
    let at = u64::try_from(at).map_err(|_| Failure::eval("negative bit index"))?;
    if bit > 1 {
        return Err(Failure::eval("a bit is 0 or 1"));
    }
    args::check_bits(at)?;
    number.set_bit(at, bit == 1);
    int(number)
}

/// The Jacobi symbol of x and an odd y.
pub(super) fn jacobi(a: &[Value], _: &mut dyn Host) -> Result {
    let (x, y) = (args::big(a, 0)?, args::big(a, 1)?);
    let one = BigInt::from(1);
    if !y.bit(0) {
        return Err(Failure::eval(format!("the second argument of Jacobi must be odd, and is {y}")));
    }
    let mut sign: i64 = if y < BigInt::from(0) && x < BigInt::from(0) { -1 } else { 1 };
    let mut y: BigUint = y.magnitude().clone();
    let mut x = num_integer::Integer::mod_floor(&x, &BigInt::from(y.clone())).magnitude().clone();
    while x != BigUint::from(0_u8) {
        while !x.bit(0) {
            x >>= 1_u8;
            if matches!((&y % 8_u8).to_u32_digits().first(), Some(3 | 5)) {
                sign = -sign;
            }
        }
        if x.bit(1) && y.bit(1) {
            sign = -sign;
        }
        std::mem::swap(&mut x, &mut y);
        x %= &y;
    }
    int(if y == *one.magnitude() { sign } else { 0 })
}
