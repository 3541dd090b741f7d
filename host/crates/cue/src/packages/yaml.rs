//! `encoding/yaml`

use super::arguments::{self as args, ANY, BYTES, CONSTRAINT, LIST, Result, boolean, function, string};
use crate::builtin::{Demand, Failure, Function, Host, Package};
use crate::data::{self, Format};
use crate::export::yaml;
use crate::{Kinds, Value};

const S: Kinds = Kinds::STRING;
const B: Kinds = Kinds::BOOL;

const FUNCTIONS: &[Function] = &[
    function("Marshal", &[ANY], S, |a, _| string(yaml::document(args::value(a, 0)?).map_err(args::not_json)?)),
    function("MarshalStream", &[LIST], S, |a, _| {
        let documents = args::list(a, 0)?.iter().map(|value| yaml::document(value).map_err(args::not_json));
        string(documents.collect::<Result<Vec<String>>>()?.join("---\n"))
    }),
    function("Unmarshal", &[BYTES], Kinds::TOP, |a, host| match documents(a)?.as_slice() {
        [only] => Ok(only.clone()),
        [] => Ok(nothing(host)),
        _ => Err(Failure::eval("expected a single YAML document")),
    }),
    function("UnmarshalStream", &[BYTES], Kinds::LIST, |a, host| {
        let documents = documents(a)?;
        Ok(Value::List(if documents.is_empty() { vec![nothing(host)] } else { documents }))
    }),
    function("Validate", &[BYTES, CONSTRAINT], B, |a, host| validate(a, host, Demand::Concrete)),
    function("ValidatePartial", &[BYTES, CONSTRAINT], B, |a, host| validate(a, host, Demand::Consistent)),
];

pub(super) static YAML: Package = Package { path: "encoding/yaml", functions: FUNCTIONS, source: "" };

fn documents(a: &[Value]) -> Result<Vec<Value>> {
    data::decode(Format::Yaml, args::bytes(a, 0)?).map_err(|error| Failure::eval(error.to_string()))
}

/// What an empty text means: null, or whatever it is unified with.
fn nothing(host: &mut dyn Host) -> Value {
    host.null_by_default()
}

/// Whether every document fits a constraint.
fn validate(a: &[Value], host: &mut dyn Host, demand: Demand) -> Result {
    let constraint = args::constraint(a, 1)?;
    for document in documents(a)? {
        host.accepts(constraint, &document, demand)?;
    }
    boolean(true)
}
