//! The standard packages.
//!
//! Kept true here: functions are pure; what they may allocate is bounded before it is asked for; a wrong argument is
//! an error, never a panic. Signatures are data, so that the evaluator checks kinds, concreteness and counts in one
//! place. Deliberately absent: packages with side effects (`tool/…`), which are not part of evaluation.

mod arguments;
mod crypto;
mod encoding;
mod json;
mod lists;
mod math;
mod math_bits;
mod regexp;
mod strconv;
mod strings;
mod structs;
#[cfg(test)]
mod tests;
mod uuid;

use crate::builtin::Package;
pub use regexp::compile as regular_expression;

/// Every package, sorted by path.
static PACKAGES: &[&Package] = &[
    &crypto::HMAC,
    &crypto::MD5,
    &crypto::SHA1,
    &crypto::SHA256,
    &crypto::SHA512,
    &encoding::BASE64,
    &encoding::HEX,
    &json::JSON,
    &lists::LIST,
    &math::MATH,
    &math_bits::BITS,
    &regexp::REGEXP,
    &strconv::STRCONV,
    &strings::STRINGS,
    &structs::STRUCT,
    &uuid::UUID,
];

/// The standard package of an import path, such as `encoding/json`.
pub fn package(path: &str) -> Option<&'static Package> {
    PACKAGES.iter().copied().find(|package| package.path == path)
}

/// The import paths of all standard packages.
pub fn paths() -> impl Iterator<Item = &'static str> {
    PACKAGES.iter().map(|package| package.path)
}
