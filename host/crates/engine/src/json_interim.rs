use pravo_model::{Type, Value};

pub(crate) fn encode(value: &Value, _kind: &Type) -> Result<Vec<u8>, String> {
    fn to(value: &Value) -> serde_json::Value {
        match value {
            Value::Null | Value::Unknown => serde_json::Value::Null,
            Value::Bool(truth) => (*truth).into(),
            Value::Number(number) => serde_json::from_str(&number.to_string()).unwrap_or_default(),
            Value::String(text) => text.clone().into(),
            Value::List(elements) => elements.iter().map(to).collect(),
            Value::Map(entries) => serde_json::Value::Object(entries.iter().map(|(k, v)| (k.clone(), to(v))).collect()),
        }
    }
    serde_json::to_vec(&to(value)).map_err(|e| e.to_string())
}

pub(crate) fn decode(bytes: &[u8], kind: &Type) -> Result<Value, String> {
    fn from(json: serde_json::Value, kind: &Type) -> Value {
        match (json, kind) {
            (serde_json::Value::Null, _) => Value::Null,
            (serde_json::Value::Bool(b), _) => Value::Bool(b),
            (serde_json::Value::Number(n), _) => n.to_string().parse().map(Value::Number).unwrap_or_default(),
            (serde_json::Value::String(s), _) => Value::String(s),
            (serde_json::Value::Array(e), Type::Set(k)) => Value::set(e.into_iter().map(|e| from(e, k)).collect()),
            (serde_json::Value::Array(e), Type::List(k)) => Value::List(e.into_iter().map(|e| from(e, k)).collect()),
            (serde_json::Value::Array(e), _) => Value::List(e.into_iter().map(|e| from(e, &Type::Dynamic)).collect()),
            (serde_json::Value::Object(m), Type::Object(kinds)) => {
                let mut m = m;
                Value::Map(kinds.iter().map(|(n, k)| (n.clone(), from(m.remove(n).unwrap_or_default(), k))).collect())
            }
            (serde_json::Value::Object(m), Type::Map(k)) => Value::Map(m.into_iter().map(|(n, v)| (n, from(v, k))).collect()),
            (serde_json::Value::Object(m), _) => Value::Map(m.into_iter().map(|(n, v)| (n, from(v, &Type::Dynamic))).collect()),
        }
    }
    Ok(from(serde_json::from_slice(bytes).map_err(|e| e.to_string())?, kind))
}
