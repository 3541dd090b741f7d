//! `struct`

use super::arguments::{self as args, INT, Result, STRUCT as STRUCTS, boolean, function};
use crate::builtin::{Failure, Function, Host, Package};
use crate::{Kinds, Value};

const FUNCTIONS: &[Function] = &[
    function("MaxFields", &[STRUCTS, INT], Kinds::BOOL, maximum),
    function("MinFields", &[STRUCTS, INT], Kinds::BOOL, minimum),
];

pub(super) static STRUCT: Package = Package {
    path: "struct",
    functions: FUNCTIONS,
    source: "",
};

fn count(a: &[Value]) -> Result<i64> {
    match args::value(a, 0)? {
        Value::Struct(fields) => Ok(fields.len() as i64),
        _ => Err(Failure::eval("argument 1 is not a struct")),
    }
}

fn minimum(a: &[Value], _: &mut dyn Host) -> Result {
    let (count, wanted) = (count(a)?, args::integer(a, 1)?);
    if count >= wanted {
        return boolean(true);
    }
    // Fields may still be added.
    Err(Failure::incomplete(format!(
        "len(fields) < MinFields({wanted}) ({count} < {wanted})"
    )))
}

fn maximum(a: &[Value], _: &mut dyn Host) -> Result {
    let (count, wanted) = (count(a)?, args::integer(a, 1)?);
    boolean(count <= wanted)
}
