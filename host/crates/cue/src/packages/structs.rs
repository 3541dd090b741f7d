//! `struct`

use super::arguments::{self as args, INT, LOOSE_STRUCT as STRUCTS, Result, boolean, function};
use crate::builtin::{Failure, Function, Host, Package};
use crate::{Kinds, Value};

const FUNCTIONS: &[Function] =
    &[function("MaxFields", &[STRUCTS, INT], Kinds::BOOL, maximum), function("MinFields", &[STRUCTS, INT], Kinds::BOOL, minimum)];

pub(super) static STRUCT: Package = Package { path: "struct", functions: FUNCTIONS, source: "" };

fn count(a: &[Value]) -> Result<i64> {
    match args::value(a, 0)? {
        Value::Struct(fields) => Ok(fields.len() as i64),
        _ => Err(Failure::eval("argument 1 is not a struct")),
    }
}

fn minimum(a: &[Value], host: &mut dyn Host) -> Result {
    let (count, wanted) = (count(a)?, args::integer(a, 1)?);
    if count >= wanted {
        return boolean(true);
    }
    if !host.validates() {
        return boolean(false);
    }
    let more = host.openness(0);
    let message = format!("len(fields) < MinFields({wanted}) ({count} < {wanted})");
    // Fields that are allowed may still be added.
    let reachable = more.open || count.saturating_add(more.constraints as i64) >= wanted;
    Err(if reachable { Failure::incomplete(message) } else { Failure::eval(message) })
}

fn maximum(a: &[Value], _: &mut dyn Host) -> Result {
    let (count, wanted) = (count(a)?, args::integer(a, 1)?);
    boolean(count <= wanted)
}
