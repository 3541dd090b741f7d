//! The body of a diff: members with signs, one a line, nested structs and lists indented, texts line by line.
//!
//! Kept true here: what is marked as sensitive is never written, whatever changed around it; what did not change is
//! counted, not shown. Deliberately absent: schemas. A diff is made from two values and marks alone.

use std::collections::{BTreeMap, BTreeSet};

use pravo_model::{Name, Value};
use similar::{ChangeTag, DiffOp, TextDiff, capture_diff_slices};

use super::json::SENSITIVE;
use super::marks::Marks;
use super::paint::{Color, Paint};
use super::text::{MAX_DEPTH, UNKNOWN, label, plain_line, scalar};

/// What happens to one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Keep,
    Add,
    Remove,
    Change,
}

impl Sign {
    fn text(self) -> &'static str {
        match self {
            Sign::Keep => " ",
            Sign::Add => "+",
            Sign::Remove => "-",
            Sign::Change => "~",
        }
    }

    fn color(self) -> Option<Color> {
        match self {
            Sign::Keep => None,
            Sign::Add => Some(Color::Green),
            Sign::Remove => Some(Color::Red),
            Sign::Change => Some(Color::Yellow),
        }
    }
}

/// What a body is made from.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Attributes before; null where there is none.
    pub before: &'a Value,
    /// Attributes after; null where there is none.
    pub after: &'a Value,
    /// What must not be shown.
    pub hidden: &'a Marks,
    /// What forces the replacement.
    pub forces: &'a Marks,
}

/// Writes the members of a resource, each line indented by `indent` blanks before its sign.
pub fn write_body(out: &mut String, body: Body<'_>, indent: usize, paint: Paint) {
    let mut writer = Writer { out, paint };
    let place = Place { hidden: body.hidden, forces: body.forces, indent, depth: 0 };
    let empty = BTreeMap::new();
    let before = body.before.as_map().unwrap_or(&empty);
    let after = body.after.as_map().unwrap_or(&empty);
    writer.members(before, after, place, Level::Attributes);
}

/// Writes the members of an object as they are, without signs.
pub fn write_plain(out: &mut String, object: &Value, hidden: &Marks, indent: usize, paint: Paint) {
    let mut writer = Writer { out, paint };
    let place = Place { hidden, forces: hidden, indent, depth: 0 };
    let Some(entries) = object.as_map() else { return };
    let shown: Vec<_> = entries.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name, label(name), value)).collect();
    let width = shown.iter().map(|(_, label, _)| label.chars().count()).max().unwrap_or(0);
    for (name, label, value) in shown {
        let padding = " ".repeat(width - label.chars().count());
        writer.whole(value, Sign::Keep, place.member(name), &format!("{label}{padding} = "), "");
    }
}

/// Writes one value as it is, without signs.
pub fn write_value(out: &mut String, value: &Value, hidden: &Marks, paint: Paint) {
    let place = Place { hidden, forces: hidden, indent: 0, depth: 0 };
    Writer { out, paint }.whole(value, Sign::Keep, place, "", "");
}

/// Where in the diff something stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    hidden: &'a Marks,
    forces: &'a Marks,
    indent: usize,
    depth: usize,
}

impl<'a> Place<'a> {
    fn member(self, name: &str) -> Place<'a> {
        Place { hidden: self.hidden.member(name), forces: self.forces.member(name), ..self }
    }

    fn element(self, index: usize, value: &Value) -> Place<'a> {
        Place { hidden: self.hidden.element(index, value), forces: self.forces.element(index, value), ..self }
    }

    fn inner(self) -> Place<'a> {
        Place { indent: self.indent + 4, depth: self.depth + 1, ..self }
    }

    fn suffix(self) -> &'static str {
        if self.forces.here() { " # forces replacement" } else { "" }
    }
}

/// Whether members are attributes of the resource or parts of one of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Attributes,
    Members,
}

impl Level {
    fn noun(self) -> &'static str {
        match self {
            Level::Attributes => "attribute",
            Level::Members => "element",
        }
    }

    /// What identifies an object is shown also where it stays.
    fn always_shown(self, name: &str) -> bool {
        self == Level::Attributes && matches!(name, "id" | "name")
    }

    /// A null attribute is one that is not set.
    fn present(self, value: Option<&Value>) -> Option<&Value> {
        value.filter(|value| self == Level::Members || !value.is_null())
    }
}

struct Writer<'o> {
    out: &'o mut String,
    paint: Paint,
}

impl Writer<'_> {
    fn line(&mut self, place: Place<'_>, sign: Sign, text: &str) {
        let blanks = " ".repeat(place.indent);
        let sign = match sign.color() {
            Some(color) => self.paint.paint(color, sign.text()),
            None => sign.text().into(),
        };
        let line = format!("{blanks}{sign} {text}");
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    fn note(&mut self, place: Place<'_>, text: &str) {
        let painted = self.paint.paint(Color::Dim, text).into_owned();
        self.line(place, Sign::Keep, &painted);
    }

    fn hidden_count(&mut self, place: Place<'_>, count: usize, noun: &str) {
        if count > 0 {
            let plural = if count == 1 { "" } else { "s" };
            self.note(place, &format!("# ({count} unchanged {noun}{plural} hidden)"));
        }
    }

    fn members(&mut self, before: &BTreeMap<Name, Value>, after: &BTreeMap<Name, Value>, place: Place<'_>, level: Level) {
        let names: BTreeSet<&Name> = before.keys().chain(after.keys()).collect();
        let mut unchanged = 0;
        let mut shown = Vec::new();
        for name in names {
            let (old, new) = (level.present(before.get(name)), level.present(after.get(name)));
            if old.is_none() && new.is_none() {
                continue;
            }
            if old == new && !level.always_shown(name) {
                unchanged += 1;
                continue;
            }
            shown.push((name, label(name), old, new));
        }
        let width = shown.iter().map(|(_, label, ..)| label.chars().count()).max().unwrap_or(0);
        for (name, label, old, new) in shown {
            let padding = " ".repeat(width - label.chars().count());
            self.pair(old, new, place.member(name), &format!("{label}{padding} = "), "");
        }
        self.hidden_count(place, unchanged, level.noun());
    }

    /// One value before and after. `head` stands in front of it, `tail` behind it.
    fn pair(&mut self, old: Option<&Value>, new: Option<&Value>, place: Place<'_>, head: &str, tail: &str) {
        let sign = match (old, new) {
            (None, _) => Sign::Add,
            (_, None) => Sign::Remove,
            (Some(old), Some(new)) if old == new => Sign::Keep,
            _ => Sign::Change,
        };
        let suffix = place.suffix();
        if place.hidden.here() {
            return self.line(place, sign, &format!("{head}{SENSITIVE}{tail}{suffix}"));
        }
        match (old, new) {
            (Some(Value::Map(old)), Some(Value::Map(new))) if sign == Sign::Change => self.map_change(old, new, place, head, tail),
            (Some(Value::List(old)), Some(Value::List(new))) if sign == Sign::Change => self.list_change(old, new, place, head, tail),
            (Some(Value::String(old)), Some(Value::String(new))) if sign == Sign::Change && is_multiline(old, new) => {
                self.text_change(old, new, place, head, tail);
            }
            (Some(old), Some(new)) if sign == Sign::Change => self.replaced(old, new, place, head, tail),
            (old, new) => {
                let Some(value) = new.or(old) else { return };
                let gone = if sign == Sign::Remove && tail.is_empty() { " -> null" } else { "" };
                self.whole(value, sign, place, head, &format!("{gone}{tail}{suffix}"));
            }
        }
    }

    /// A value that becomes another of a different kind, or a scalar that changes.
    fn replaced(&mut self, old: &Value, new: &Value, place: Place<'_>, head: &str, tail: &str) {
        let suffix = place.suffix();
        match (scalar(old), scalar(new)) {
            (Some(old), Some(new)) => self.line(place, Sign::Change, &format!("{head}{old} -> {new}{tail}{suffix}")),
            (None, Some(new)) => self.whole(old, Sign::Change, place, head, &format!(" -> {new}{tail}{suffix}")),
            (Some(old), None) => self.whole(new, Sign::Change, place, &format!("{head}{old} -> "), &format!("{tail}{suffix}")),
            (None, None) => {
                self.whole(old, Sign::Remove, place, head, tail);
                self.whole(new, Sign::Add, place, head, &format!("{tail}{suffix}"));
            }
        }
    }

    /// A value of which everything has one sign.
    fn whole(&mut self, value: &Value, sign: Sign, place: Place<'_>, head: &str, tail: &str) {
        if place.hidden.here() {
            return self.line(place, sign, &format!("{head}{SENSITIVE}{tail}"));
        }
        let inner = place.inner();
        match value {
            Value::Map(entries) if !entries.is_empty() => {
                if place.depth >= MAX_DEPTH {
                    return self.line(place, sign, &format!("{head}{{…}}{tail}"));
                }
                self.line(place, sign, &format!("{head}{{"));
                let width = entries.keys().map(|name| label(name).chars().count()).max().unwrap_or(0);
                for (name, value) in entries {
                    let label = label(name);
                    let padding = " ".repeat(width - label.chars().count());
                    self.whole(value, member_sign(sign), inner.member(name), &format!("{label}{padding} = "), "");
                }
                self.line(place, Sign::Keep, &format!("}}{tail}"));
            }
            Value::List(elements) if !elements.is_empty() => {
                if place.depth >= MAX_DEPTH {
                    return self.line(place, sign, &format!("{head}[…]{tail}"));
                }
                self.line(place, sign, &format!("{head}["));
                for (index, element) in elements.iter().enumerate() {
                    self.whole(element, member_sign(sign), inner.element(index, element), "", ",");
                }
                self.line(place, Sign::Keep, &format!("]{tail}"));
            }
            Value::String(text) if is_multiline(text, text) => {
                self.line(place, sign, &format!("{head}<<-EOT"));
                for line in text.lines() {
                    self.line(inner, Sign::Keep, &plain_line(line));
                }
                self.line(place, Sign::Keep, &format!("EOT{tail}"));
            }
            other => {
                let text = scalar(other).unwrap_or_else(|| UNKNOWN.to_owned());
                self.line(place, sign, &format!("{head}{text}{tail}"));
            }
        }
    }

    fn map_change(&mut self, old: &BTreeMap<Name, Value>, new: &BTreeMap<Name, Value>, place: Place<'_>, head: &str, tail: &str) {
        if place.depth >= MAX_DEPTH {
            return self.line(place, Sign::Change, &format!("{head}{{…}}{tail}{}", place.suffix()));
        }
        self.line(place, Sign::Change, &format!("{head}{{{}", place.suffix()));
        self.members(old, new, place.inner(), Level::Members);
        self.line(place, Sign::Keep, &format!("}}{tail}"));
    }

    fn list_change(&mut self, old: &[Value], new: &[Value], place: Place<'_>, head: &str, tail: &str) {
        if place.depth >= MAX_DEPTH {
            return self.line(place, Sign::Change, &format!("{head}[…]{tail}{}", place.suffix()));
        }
        self.line(place, Sign::Change, &format!("{head}[{}", place.suffix()));
        let inner = place.inner();
        for operation in capture_diff_slices(similar::Algorithm::Myers, old, new) {
            self.list_operation(operation, old, new, inner);
        }
        self.line(place, Sign::Keep, &format!("]{tail}"));
    }

    fn list_operation(&mut self, operation: DiffOp, old: &[Value], new: &[Value], place: Place<'_>) {
        if let DiffOp::Equal { len, .. } = operation {
            return self.hidden_count(place, len, "element");
        }
        let (old_range, new_range) = (operation.old_range(), operation.new_range());
        // Structs at the same place are compared member by member, anything else goes and comes.
        let pairs = old_range.len() == new_range.len();
        let removed = old.get(old_range.clone()).unwrap_or_default();
        let added = new.get(new_range.clone()).unwrap_or_default();
        if pairs && removed.iter().zip(added).all(|(old, new)| matches!((old, new), (Value::Map(_), Value::Map(_)))) {
            for (offset, (old, new)) in removed.iter().zip(added).enumerate() {
                self.pair(Some(old), Some(new), place.element(new_range.start + offset, new), "", ",");
            }
            return;
        }
        for (offset, element) in removed.iter().enumerate() {
            self.pair(Some(element), None, place.element(old_range.start + offset, element), "", ",");
        }
        for (offset, element) in added.iter().enumerate() {
            self.pair(None, Some(element), place.element(new_range.start + offset, element), "", ",");
        }
    }

    fn text_change(&mut self, old: &str, new: &str, place: Place<'_>, head: &str, tail: &str) {
        self.line(place, Sign::Change, &format!("{head}<<-EOT{}", place.suffix()));
        let inner = place.inner();
        for change in TextDiff::from_lines(old, new).iter_all_changes() {
            let sign = match change.tag() {
                ChangeTag::Equal => Sign::Keep,
                ChangeTag::Delete => Sign::Remove,
                ChangeTag::Insert => Sign::Add,
            };
            self.line(inner, sign, &plain_line(change.value().trim_end_matches('\n')));
        }
        self.line(place, Sign::Keep, &format!("EOT{tail}"));
    }
}

/// The sign of what lies in something that changes as a whole.
fn member_sign(sign: Sign) -> Sign {
    if sign == Sign::Change { Sign::Keep } else { sign }
}

/// Whether two texts are compared line by line: one of them has several lines, and the lines tell all of the difference.
fn is_multiline(old: &str, new: &str) -> bool {
    let several = |text: &str| text.lines().nth(1).is_some();
    (several(old) || several(new)) && (old == new || !old.lines().eq(new.lines())) && !old.contains('\r') && !new.contains('\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use pravo_model::{Path, PathStep};

    fn diff(before: &Value, after: &Value) -> String {
        diff_marked(before, after, &[], &[])
    }

    fn diff_marked(before: &Value, after: &Value, hidden: &[Path], forces: &[Path]) -> String {
        let mut out = String::from("\n");
        let (hidden, forces) = (Marks::new(hidden), Marks::new(forces));
        write_body(&mut out, Body { before, after, hidden: &hidden, forces: &forces }, 2, Paint::plain());
        out
    }

    fn keepers(entries: &[(&str, &str)]) -> Value {
        Value::object(entries.iter().map(|(name, value)| (*name, Value::from(*value))))
    }

    #[test]
    fn a_creation_shows_what_is_set() {
        let after = Value::object([
            ("content", Value::Unknown),
            ("filename", Value::from("note.txt")),
            ("mode", Value::Null),
            ("tags", keepers(&[("a", "1"), ("b-c", "2")])),
            ("list", Value::List(vec![Value::integer(1), Value::List(vec![])])),
        ]);
        assert_eq!(
            diff(&Value::Null, &after),
            "
  + content  = (known after apply)
  + filename = \"note.txt\"
  + list     = [
      + 1,
      + [],
    ]
  + tags     = {
      + a     = \"1\"
      + \"b-c\" = \"2\"
    }
"
        );
    }

    #[test]
    fn an_update_hides_what_stays() {
        let before =
            Value::object([("id", Value::from("x")), ("length", Value::integer(2)), ("prefix", Value::from("p")), ("sep", Value::from("-"))]);
        let after = Value::object([("id", Value::from("x")), ("length", Value::integer(3)), ("prefix", Value::Null), ("sep", Value::from("-"))]);
        assert_eq!(
            diff(&before, &after),
            "
    id     = \"x\"
  ~ length = 2 -> 3
  - prefix = \"p\" -> null
    # (1 unchanged attribute hidden)
"
        );
    }

    #[test]
    fn a_replacement_says_what_forces_it() {
        let before = Value::object([("id", Value::from("x")), ("length", Value::integer(2)), ("keepers", keepers(&[("a", "1"), ("b", "2")]))]);
        let after = Value::object([("id", Value::Unknown), ("length", Value::integer(3)), ("keepers", keepers(&[("a", "1"), ("b", "3")]))]);
        assert_eq!(
            diff_marked(&before, &after, &[], &[Path::attribute("length"), Path::attribute("keepers")]),
            "
  ~ id      = \"x\" -> (known after apply)
  ~ keepers = { # forces replacement
      ~ b = \"2\" -> \"3\"
        # (1 unchanged element hidden)
    }
  ~ length  = 2 -> 3 # forces replacement
"
        );
    }

    #[test]
    fn what_is_sensitive_is_never_written() {
        let secret = Path(vec![PathStep::Attribute("m".into()), PathStep::Key("k".into())]);
        let before = Value::object([("m", keepers(&[("k", "old"), ("o", "1")])), ("s", keepers(&[("x", "top")]))]);
        let after = Value::object([("m", keepers(&[("k", "new"), ("o", "1")])), ("s", Value::Unknown)]);
        let hidden = [secret, Path::attribute("s")];
        let text = diff_marked(&before, &after, &hidden, &[]);
        assert_eq!(
            text,
            "
  ~ m = {
      ~ k = (sensitive value)
        # (1 unchanged element hidden)
    }
  ~ s = (sensitive value)
"
        );
        for text in [diff_marked(&before, &Value::Null, &hidden, &[]), diff_marked(&Value::Null, &after, &hidden, &[])] {
            assert!(!text.contains("old") && !text.contains("new") && !text.contains("top"), "{text}");
        }
    }

    #[test]
    fn lists_show_the_shortest_way() {
        let texts = |texts: &[&str]| Value::object([("l", Value::List(texts.iter().map(|text| Value::from(*text)).collect()))]);
        assert_eq!(
            diff(&texts(&["a", "b", "c"]), &texts(&["a", "x", "c", "d"])),
            "
  ~ l = [
        # (1 unchanged element hidden)
      - \"b\",
      + \"x\",
        # (1 unchanged element hidden)
      + \"d\",
    ]
"
        );
    }

    #[test]
    fn structs_in_lists_are_compared_by_member() {
        let list =
            |port: i64| Value::object([("rules", Value::List(vec![Value::object([("port", Value::integer(port)), ("host", Value::from("h"))])]))]);
        assert_eq!(
            diff(&list(1), &list(2)),
            "
  ~ rules = [
      ~ {
          ~ port = 1 -> 2
            # (1 unchanged element hidden)
        },
    ]
"
        );
    }

    #[test]
    fn texts_are_compared_line_by_line() {
        let text = |text: &str| Value::object([("content", Value::from(text))]);
        assert_eq!(
            diff(&text("one\ntwo\n"), &text("one\nthree\n")),
            "
  ~ content = <<-EOT
        one
      - two
      + three
    EOT
"
        );
        assert_eq!(diff(&text("one\n"), &text("one")), "\n  ~ content = \"one\\n\" -> \"one\"\n");
        assert_eq!(diff(&text("one\ntwo\n"), &text("one\ntwo")), "\n  ~ content = \"one\\ntwo\\n\" -> \"one\\ntwo\"\n");
        assert_eq!(
            diff(&Value::Null, &text("one\ntwo\n")),
            "
  + content = <<-EOT
        one
        two
    EOT
"
        );
    }

    #[test]
    fn a_change_of_kind_shows_both() {
        let before = Value::object([("a", Value::from("x")), ("b", keepers(&[("k", "v")]))]);
        let after = Value::object([("a", keepers(&[("k", "v")])), ("b", Value::Unknown)]);
        assert_eq!(
            diff(&before, &after),
            "
  ~ a = \"x\" -> {
        k = \"v\"
    }
  ~ b = {
        k = \"v\"
    } -> (known after apply)
"
        );
    }

    #[test]
    fn depth_is_bounded() {
        let mut value = Value::from("x");
        for _ in 0..500 {
            value = Value::List(vec![value]);
        }
        let text = diff(&Value::Null, &Value::object([("a", value)]));
        assert!(text.contains("[…]"));
    }
}
