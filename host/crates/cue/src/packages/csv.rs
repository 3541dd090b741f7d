//! `encoding/csv`

use super::arguments::{self as args, ANY, BYTES, Result, function, string};
use crate::builtin::{Failure, Function, Host, Package};
use crate::data::{self, Format};
use crate::export::json;
use crate::{Kinds, Value};

const FUNCTIONS: &[Function] = &[
    function("Decode", &[BYTES], Kinds::LIST, |a, _| args::decoded(data::decode(Format::Csv, args::bytes(a, 0)?))),
    function("Encode", &[ANY], Kinds::STRING, encode),
];

pub(super) static CSV: Package = Package { path: "encoding/csv", functions: FUNCTIONS, source: "" };

fn encode(a: &[Value], _: &mut dyn Host) -> Result {
    let field = |value: &'_ Value| match value {
        Value::String(text) => Ok(text.to_string()),
        other => json::compact(other).map_err(args::not_json),
    };
    let row = |value: &'_ Value| match value {
        Value::List(fields) => fields.iter().map(field).collect::<Result<Vec<String>>>(),
        other => Err(Failure::eval(format!("cannot use a value of type {} as a row", other.kinds()))),
    };
    let rows: Vec<Vec<String>> = args::list(a, 0)?.iter().map(row).collect::<Result<_>>()?;
    string(data::encode_csv(rows.iter().map(Vec::as_slice)))
}
