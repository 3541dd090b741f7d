//! The standard packages.
//!
//! Kept true here: functions are pure; what they may allocate is bounded before it is asked for; a wrong argument is
//! an error, never a panic. Signatures are data, so that the evaluator checks kinds, concreteness and counts in one
//! place. Deliberately absent: packages with side effects (`tool/…`), which are not part of evaluation.

mod arguments;
mod crypto;
mod csv;
mod ed25519;
mod encoding;
mod html;
mod json;
mod lists;
mod math;
mod math_bits;
mod net;
mod openapi;
mod path;
mod regexp;
mod strconv;
pub(crate) mod strings;
mod structs;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod toml;
mod uuid;
mod yaml;

use crate::builtin::Package;
use net::escape_query as net_escape_query;
pub use regexp::compile as regular_expression;
pub(crate) use time::is_time;

/// Every package, sorted by path.
static PACKAGES: &[&Package] = &[
    &ed25519::ED25519,
    &crypto::HMAC,
    &crypto::MD5,
    &crypto::SHA1,
    &crypto::SHA256,
    &crypto::SHA512,
    &encoding::BASE64,
    &csv::CSV,
    &encoding::HEX,
    &json::JSON,
    &openapi::OPENAPI,
    &toml::TOML,
    &yaml::YAML,
    &html::HTML,
    &lists::LIST,
    &math::MATH,
    &math_bits::BITS,
    &net::NET,
    &path::PATH,
    &regexp::REGEXP,
    &strconv::STRCONV,
    &strings::STRINGS,
    &structs::STRUCT,
    &text::TABWRITER,
    &text::TEMPLATE,
    &time::TIME,
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
