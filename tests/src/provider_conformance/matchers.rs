//! Whether a value is the expected one. Objects with `$` keys stand for values that are random.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use num_bigint::BigUint;
use pravo_model::Number;
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};

/// What the matchers may look at beside the value.
pub struct Context<'a> {
    /// The whole object.
    pub object: &'a Json,
    /// The object before the step.
    pub before: &'a Json,
}

/// The first difference, as `path: expected …, got …`.
pub fn difference(path: &str, expected: &Json, got: &Json, before: &Json, context: &Context<'_>) -> Option<String> {
    let say = |why: &str| Some(format!("{path}: expected {}{why}, got {}", short(expected), short(got)));
    match (expected, got) {
        (Json::Object(matcher), _) if matcher.keys().any(|key| key.starts_with('$')) => {
            matcher.iter().find_map(|(key, argument)| match holds(key, argument, got, before, context) {
                Ok(true) => None,
                Ok(false) => say(""),
                Err(error) => say(&format!(" ({error})")),
            })
        }
        (Json::Object(expected), Json::Object(got)) => {
            let missing = expected.keys().find(|key| !got.contains_key(*key)).map(|key| format!("{path}.{key}: missing"));
            let surplus =
                got.keys().find(|key| !expected.contains_key(*key)).map(|key| format!("{path}.{key}: not expected, got {}", short(&got[key])));
            missing
                .or(surplus)
                .or_else(|| expected.iter().find_map(|(key, value)| difference(&format!("{path}.{key}"), value, &got[key], &before[key], context)))
        }
        (Json::Array(expected), Json::Array(got)) if expected.len() == got.len() => expected
            .iter()
            .zip(got)
            .enumerate()
            .find_map(|(index, (expected, got))| difference(&format!("{path}[{index}]"), expected, got, &before[index], context)),
        (Json::Number(expected), Json::Number(got)) if same_number(&expected.to_string(), &got.to_string()) => None,
        (expected, got) if expected == got => None,
        _ => say(""),
    }
}

fn short(json: &Json) -> String {
    let text = json.to_string();
    if text.chars().count() > 200 { format!("{}…", text.chars().take(200).collect::<String>()) } else { text }
}

fn same_number(a: &str, b: &str) -> bool {
    matches!((a.parse::<Number>(), b.parse::<Number>()), (Ok(a), Ok(b)) if a == b)
}

fn holds(key: &str, argument: &Json, got: &Json, before: &Json, context: &Context<'_>) -> Result<bool, String> {
    let text = got.as_str();
    let attribute = |name: &Json| name.as_str().map(|name| &context.object[name]).ok_or_else(|| format!("{key} takes a name"));
    match key {
        "$match" => {
            let pattern = argument.as_str().ok_or("$match takes a text")?;
            let pattern = regex::Regex::new(&format!("^(?s:{pattern})$")).map_err(|error| error.to_string())?;
            Ok(text.is_some_and(|text| pattern.is_match(text)))
        }
        "$string" => Ok(text.is_some_and(|text| is_string(argument, text))),
        "$bytes" => {
            Ok(text.and_then(|text| decode(argument["encoding"].as_str()?, text)).map(|bytes| bytes.len() as u64) == argument["length"].as_u64())
        }
        "$encodes" => encodes(argument, text, context),
        "$int" => Ok(got.as_i64().zip(argument[0].as_i64()).zip(argument[1].as_i64()).is_some_and(|((got, low), high)| (low..=high).contains(&got))),
        "$shuffle" => {
            // Of an attribute, or of the list itself.
            let of = argument["of"].as_str().map_or(&argument["of"], |name| &context.object[name]);
            Ok(is_shuffle(of, argument["count"].as_u64(), got))
        }
        "$bcrypt" => {
            let hashed = context.object[argument["of"].as_str().unwrap_or_default()].as_str().unwrap_or_default();
            let bytes = &hashed.as_bytes()[..hashed.len().min(72)];
            let cost = format!("$2a${:02}$", argument["cost"].as_u64().unwrap_or_default());
            Ok(text.is_some_and(|text| text.starts_with(&cost) && bcrypt::verify(bytes, text).unwrap_or(false)))
        }
        "$same" => Ok(got == attribute(argument)?),
        "$text_of" => Ok(text == Some(&attribute(argument)?.to_string())),
        "$uuid7_within_seconds" => Ok(text.is_some_and(|text| is_recent(text, argument.as_f64().unwrap_or_default()))),
        "$repeat" => Ok(text
            == Some(
                &super::source::expand(&Json::Object(Map::from_iter([("$repeat".to_owned(), argument.clone())])), "".as_ref())
                    .as_str()
                    .unwrap_or_default(),
            )),
        "$sha256" => Ok(text.is_some_and(|text| Some(hex(&Sha256::digest(text)).as_str()) == argument.as_str())),
        "$kept" => Ok(got == before),
        "$changed" => Ok(got != before),
        other => Err(format!("the matcher {other} is unknown")),
    }
}

fn is_string(argument: &Json, text: &str) -> bool {
    let alphabet = argument["alphabet"].as_str();
    let count = |characters: &Json| text.chars().filter(|c| characters.as_str().is_some_and(|all| all.contains(*c))).count() as u64;
    let pairs = |name: &str| argument[name].as_array().cloned().unwrap_or_default();
    argument["length"].as_u64().is_none_or(|length| text.chars().count() as u64 == length)
        && alphabet.is_none_or(|alphabet| text.chars().all(|c| alphabet.contains(c)))
        && pairs("at_least").iter().all(|pair| count(&pair[0]) >= pair[1].as_u64().unwrap_or_default())
        && pairs("exactly").iter().all(|pair| Some(count(&pair[0])) == pair[1].as_u64())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn decode(encoding: &str, text: &str) -> Option<Vec<u8>> {
    let bytes = match encoding {
        "hex" => (0..text.len()).step_by(2).map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok()).collect::<Option<Vec<u8>>>()?,
        "base64" => STANDARD.decode(text).ok()?,
        "base64url" => URL_SAFE_NO_PAD.decode(text).ok()?,
        _ => return None,
    };
    (encode(encoding, &bytes).as_deref() == Some(text)).then_some(bytes)
}

fn encode(encoding: &str, bytes: &[u8]) -> Option<String> {
    Some(match encoding {
        "hex" => hex(bytes),
        "base64" => STANDARD.encode(bytes),
        "base64url" => URL_SAFE_NO_PAD.encode(bytes),
        "decimal" => BigUint::from_bytes_be(bytes).to_string(),
        _ => return None,
    })
}

fn encodes(argument: &Json, text: Option<&str>, context: &Context<'_>) -> Result<bool, String> {
    let name = |key: &str| argument[key].as_str().ok_or_else(|| format!("$encodes needs {key}"));
    let of = context.object[name("of")?].as_str().unwrap_or_default();
    let prefix = argument["prefix"].as_str().unwrap_or_default();
    let bytes = decode(name("from")?, of).ok_or_else(|| format!("{of:?} does not decode"))?;
    Ok(text == encode(name("to")?, &bytes).map(|encoded| format!("{prefix}{encoded}")).as_deref())
}

/// Whole permutations one after the other, the last one cut.
fn is_shuffle(of: &Json, count: Option<u64>, got: &Json) -> bool {
    let (Some(input), Some(got)) = (of.as_array(), got.as_array()) else { return false };
    if Some(got.len() as u64) != count {
        return false;
    }
    got.chunks(input.len().max(1)).all(|chunk| {
        let mut left = input.clone();
        chunk.iter().all(|item| left.iter().position(|one| one == item).map(|at| left.swap_remove(at)).is_some())
    })
}

fn is_recent(uuid: &str, seconds: f64) -> bool {
    let digits: String = uuid.chars().filter(|c| *c != '-').take(12).collect();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map(|since| since.as_secs_f64()).unwrap_or_default();
    u64::from_str_radix(&digits, 16).is_ok_and(|milliseconds| (milliseconds as f64 / 1000.0 - now).abs() <= seconds)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn differs(expected: Json, got: Json) -> Option<String> {
        let object = json!({"hex": "00ff", "input": ["a", "b"], "n": 7, "got": got.clone()});
        difference("x", &expected, &got, &json!("old"), &Context { object: &object, before: &Json::Null })
    }

    #[test]
    fn matchers_accept_and_refuse() {
        let cases = [
            (json!({"$match": "[a-z]+"}), json!("abc"), json!("abc1")),
            (json!({"$string": {"length": 2, "alphabet": "ab", "at_least": [["a", 1]]}}), json!("ab"), json!("bb")),
            (json!({"$bytes": {"encoding": "base64", "length": 1}}), json!("AA=="), json!("AB==")),
            (json!({"$encodes": {"of": "hex", "from": "hex", "to": "decimal"}}), json!("255"), json!("256")),
            (json!({"$int": [1, 3]}), json!(3), json!(4)),
            (json!({"$shuffle": {"of": "input", "count": 3}}), json!(["b", "a", "a"]), json!(["b", "b", "a"])),
            (json!({"$shuffle": {"of": ["a", "b"], "count": 2}}), json!(["b", "a"]), json!(["b", "b"])),
            (json!({"$text_of": "n"}), json!("7"), json!("8")),
            (json!({"$repeat": ["ab", 2]}), json!("abab"), json!("ab")),
            (json!({"$kept": true}), json!("old"), json!("new")),
            (json!({"$changed": true}), json!("new"), json!("old")),
            (json!({"a": 1}), json!({"a": 1.0}), json!({"a": 1, "b": 2})),
        ];
        for (expected, right, wrong) in cases {
            assert_eq!(differs(expected.clone(), right.clone()), None, "{expected} {right}");
            assert!(differs(expected.clone(), wrong.clone()).is_some(), "{expected} {wrong}");
        }
        assert!(differs(json!({"$nonsense": 1}), json!(1)).is_some());
    }
}
