//! Values for people, without signs: what `show`, `state show` and `output` print.

use pravo_model::Value;

use super::diff::{write_plain, write_value};
use super::marks::Marks;
use super::paint::Paint;

/// The members of an object, one a line and aligned; null ones are left out.
pub fn members_text(object: &Value, hidden: &Marks, paint: Paint) -> String {
    if hidden.here() {
        return value_text(object, hidden, paint);
    }
    let mut out = String::new();
    write_plain(&mut out, object, hidden, 0, paint);
    unindented(&out)
}

/// One value.
pub fn value_text(value: &Value, hidden: &Marks, paint: Paint) -> String {
    let mut out = String::new();
    write_value(&mut out, value, hidden, paint);
    unindented(&out)
}

/// Lines without the two columns of the sign.
fn unindented(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_no_signs() {
        let value = Value::object([("a", Value::List(vec![Value::integer(1)])), ("name", Value::from("x")), ("none", Value::Null)]);
        assert_eq!(members_text(&value, &Marks::default(), Paint::plain()), "a    = [\n    1,\n]\nname = \"x\"\n");
        assert_eq!(value_text(&Value::from("x"), &Marks::default(), Paint::plain()), "\"x\"\n");
        assert_eq!(value_text(&Value::object([("k", Value::from("v"))]), &Marks::default(), Paint::plain()), "{\n    k = \"v\"\n}\n");
    }
}
