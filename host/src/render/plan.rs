//! What a plan shows: a header and a body for each change, sorted by address, then the `Plan:` and `Graph:` lines.

use std::fmt::Write as _;

use pravo_model::plan::{Action, Drift, GraphCounts, PlanDocument, Reason, ResourceChange, Summary};
use pravo_model::specification::Kind;
use pravo_model::{Path, Value};

use super::diff::{Body, write_body};
use super::marks::Marks;
use super::paint::{Color, Paint};
use super::text::quote;

/// How changes are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Colours.
    pub paint: Paint,
    /// Whether sensitive values are shown.
    pub show_sensitive: bool,
}

impl View {
    pub(crate) fn hidden(self, sensitive: &[Path]) -> Marks {
        if self.show_sensitive { Marks::default() } else { Marks::new(sensitive) }
    }
}

/// The whole plan as `plan` prints it: what changed outside, the actions, the two summary lines.
pub fn plan_text(plan: &PlanDocument, view: View) -> String {
    let mut out = String::new();
    write_drift(&mut out, &plan.drift, view);
    for change in &plan.changes {
        write_change(&mut out, change, view);
    }
    if plan.has_changes() {
        let _ = writeln!(out, "{}", plan_line(plan.summary, view.paint));
    } else {
        let _ = writeln!(out, "{}", no_changes_line(plan.graph, view.paint));
    }
    let _ = writeln!(out, "{}", graph_line(plan.graph));
    out
}

/// `Plan: A to add, C to change, D to destroy.`
pub fn plan_line(summary: Summary, paint: Paint) -> String {
    let import = if summary.import > 0 { format!(", {} to import", summary.import) } else { String::new() };
    let head = paint.paint(Color::Bold, "Plan:");
    format!("{head} {} to add, {} to change, {} to destroy{import}.", summary.add, summary.change, summary.destroy)
}

/// `Graph: planned P of N…`
pub fn graph_line(counts: GraphCounts) -> String {
    format!("Graph: {counts}")
}

/// What is said where there is nothing to do.
pub fn no_changes_line(counts: GraphCounts, paint: Paint) -> String {
    let head = paint.paint(Color::Green, "No changes.");
    let mut line = format!("{head} The specification matches the state.");
    match counts.not_read {
        0 => {}
        1 => line.push_str(" 1 record was not read; run pravo drift to compare it with the infrastructure."),
        many => {
            let _ = write!(line, " {many} records were not read; run pravo drift to compare them with the infrastructure.");
        }
    }
    line
}

/// What changed outside of pravo, each with a header and a body.
pub fn write_drift(out: &mut String, drift: &[Drift], view: View) {
    for found in drift {
        let gone = found.after.is_null();
        let what = if gone { "has been deleted outside of pravo" } else { "has changed outside of pravo" };
        write_header(out, &format!("{} ({}) {what}", found.address, found.type_name), view.paint);
        let hidden = view.hidden(&found.sensitive);
        let (sign, color) = if gone { ("-", Color::Red) } else { ("~", Color::Yellow) };
        let block = Block { sign, color, kind: "resource", type_name: &found.type_name, name: found.address.as_str() };
        let body = Body { before: &found.before, after: &found.after, hidden: &hidden, forces: &Marks::default() };
        write_block(out, block, body, view.paint);
    }
}

/// One change: its headers and its body.
pub fn write_change(out: &mut String, change: &ResourceChange, view: View) {
    for header in headers(change) {
        write_header(out, &header, view.paint);
    }
    if change.action == Action::NoOp && change.import.is_none() {
        out.push('\n');
        return;
    }
    let (sign, color) = sign(change.action);
    let kind = match change.kind {
        Kind::Resource => "resource",
        Kind::Data => "data",
        Kind::Ephemeral => "ephemeral",
    };
    let (hidden, forces) = (view.hidden(&change.sensitive), Marks::new(&change.replace_paths));
    let block = Block { sign, color, kind, type_name: &change.type_name, name: change.address.as_str() };
    let nothing = Value::Null;
    // An adoption without a change shows the object that is adopted, a removal what goes away.
    let (before, after) = match change.action {
        Action::NoOp => return write_adopted(out, block, &change.after, &hidden, view.paint),
        Action::Delete | Action::DeleteDeposed | Action::Forget => (&change.before, &nothing),
        Action::Create | Action::Read => (&nothing, &change.after),
        _ => (&change.before, &change.after),
    };
    write_block(out, block, Body { before, after, hidden: &hidden, forces: &forces }, view.paint);
}

fn write_header(out: &mut String, text: &str, paint: Paint) {
    let _ = writeln!(out, "  {}", paint.paint(Color::Bold, &format!("# {text}")));
}

/// The headers of a change without their `#`: a move and an adoption stand above what is done besides.
fn headers(change: &ResourceChange) -> Vec<String> {
    let ResourceChange { address, type_name, .. } = change;
    let mut headers = Vec::new();
    if let Some(previous) = &change.previous {
        headers.push(format!("{previous} has moved to {address}"));
    }
    if change.import.is_some() {
        headers.push(format!("{address} will be imported"));
    }
    let what = match change.action {
        Action::NoOp => return headers,
        Action::Create => "will be created",
        Action::Read => "will be read during apply",
        Action::Update => "will be updated in-place",
        Action::DeleteThenCreate | Action::CreateThenDelete => match change.reason {
            Reason::Tainted => "is tainted, so must be replaced",
            Reason::Requested => "will be replaced, as requested",
            _ => "must be replaced",
        },
        Action::Delete => "will be destroyed",
        Action::DeleteDeposed => {
            headers.push(format!("{address} (deposed {}) will be destroyed", change.deposed.as_deref().unwrap_or("object")));
            return headers;
        }
        Action::Forget => "will no longer be managed by pravo, but will not be destroyed",
    };
    headers.push(format!("{address} ({type_name}) {what}"));
    headers
}

fn sign(action: Action) -> (&'static str, Color) {
    match action {
        Action::NoOp => (" ", Color::Dim),
        Action::Create => ("+", Color::Green),
        Action::Read => ("<=", Color::Cyan),
        Action::Update => ("~", Color::Yellow),
        Action::DeleteThenCreate => ("-/+", Color::Yellow),
        Action::CreateThenDelete => ("+/-", Color::Yellow),
        Action::Delete | Action::DeleteDeposed => ("-", Color::Red),
        Action::Forget => (".", Color::Dim),
    }
}

/// The line that opens the body of a resource.
#[derive(Clone, Copy)]
struct Block<'a> {
    sign: &'a str,
    color: Color,
    kind: &'a str,
    type_name: &'a str,
    name: &'a str,
}

fn write_opening(out: &mut String, block: Block<'_>, paint: Paint) {
    let sign = paint.paint(block.color, block.sign);
    let padding = " ".repeat(3_usize.saturating_sub(block.sign.len()));
    let _ = writeln!(out, "{padding}{sign} {} {} {} {{", block.kind, quote(block.type_name), quote(block.name));
}

fn write_block(out: &mut String, block: Block<'_>, body: Body<'_>, paint: Paint) {
    write_opening(out, block, paint);
    write_body(out, body, 6, paint);
    out.push_str("    }\n\n");
}

/// An object that is adopted as it is.
fn write_adopted(out: &mut String, block: Block<'_>, object: &Value, hidden: &Marks, paint: Paint) {
    write_opening(out, block, paint);
    super::diff::write_plain(out, object, hidden, 6, paint);
    out.push_str("    }\n\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(address: &str, action: Action) -> ResourceChange {
        let before = Value::object([("id", Value::from("x")), ("length", Value::integer(2))]);
        let after = Value::object([("id", Value::Unknown), ("length", Value::integer(3))]);
        let creates = matches!(action, Action::Create | Action::Read);
        ResourceChange {
            address: address.parse().unwrap(),
            previous: None,
            kind: if action == Action::Read { Kind::Data } else { Kind::Resource },
            type_name: "random_pet".into(),
            provider: "pravo.dev/providers/hashicorp/random".into(),
            action,
            reason: Reason::Configuration,
            import: None,
            deposed: (action == Action::DeleteDeposed).then(|| "0a1b2c3d".to_owned()),
            before: if creates { Value::Null } else { before.clone() },
            after: if action == Action::NoOp { before } else { after },
            replace_paths: if action.is_replace() { vec![Path::attribute("length")] } else { vec![] },
            sensitive: vec![],
        }
    }

    fn text(changes: Vec<ResourceChange>, drift: Vec<Drift>) -> String {
        let plan = PlanDocument { changes, drift, ..PlanDocument::default() };
        format!("\n{}", plan_text(&plan, View::default()))
    }

    #[test]
    fn every_action_has_its_header_and_sign() {
        let actions = [
            (Action::Create, "  # a (random_pet) will be created", "  + resource \"random_pet\" \"a\" {"),
            (Action::Read, "  # a (random_pet) will be read during apply", " <= data \"random_pet\" \"a\" {"),
            (Action::Update, "  # a (random_pet) will be updated in-place", "  ~ resource \"random_pet\" \"a\" {"),
            (Action::DeleteThenCreate, "  # a (random_pet) must be replaced", "-/+ resource \"random_pet\" \"a\" {"),
            (Action::CreateThenDelete, "  # a (random_pet) must be replaced", "+/- resource \"random_pet\" \"a\" {"),
            (Action::Delete, "  # a (random_pet) will be destroyed", "  - resource \"random_pet\" \"a\" {"),
            (Action::DeleteDeposed, "  # a (deposed 0a1b2c3d) will be destroyed", "  - resource \"random_pet\" \"a\" {"),
        ];
        for (action, header, opening) in actions {
            let text = text(vec![change("a", action)], vec![]);
            assert!(text.contains(&format!("\n{header}\n{opening}\n")), "{action:?}: {text}");
        }
    }

    #[test]
    fn a_replacement_in_full() {
        let mut replace = change("web.\"a-b\"", Action::DeleteThenCreate);
        replace.previous = Some("old".parse().unwrap());
        assert_eq!(
            text(vec![replace], vec![]),
            r#"
  # old has moved to web."a-b"
  # web."a-b" (random_pet) must be replaced
-/+ resource "random_pet" "web.\"a-b\"" {
      ~ id     = "x" -> (known after apply)
      ~ length = 2 -> 3 # forces replacement
    }

Plan: 0 to add, 0 to change, 0 to destroy.
Graph: planned 0 of 0.
"#
        );
    }

    #[test]
    fn a_move_alone_is_one_line_and_an_adoption_shows_the_object() {
        let mut moved = change("new", Action::NoOp);
        moved.previous = Some("old".parse().unwrap());
        let mut imported = change("pet", Action::NoOp);
        imported.import = Some("x".into());
        assert_eq!(
            text(vec![moved, imported], vec![]),
            "
  # old has moved to new

  # pet will be imported
    resource \"random_pet\" \"pet\" {
        id     = \"x\"
        length = 2
    }

Plan: 0 to add, 0 to change, 0 to destroy.
Graph: planned 0 of 0.
"
        );
    }

    #[test]
    fn drift_stands_above() {
        let before = Value::object([("id", Value::from("x")), ("content", Value::from("a"))]);
        let drift = |after| Drift { address: "n".parse().unwrap(), type_name: "local_file".into(), before: before.clone(), after, sensitive: vec![] };
        let changed = Value::object([("id", Value::from("x")), ("content", Value::from("b"))]);
        assert_eq!(
            text(vec![], vec![drift(changed), drift(Value::Null)]),
            "
  # n (local_file) has changed outside of pravo
  ~ resource \"local_file\" \"n\" {
      ~ content = \"a\" -> \"b\"
        id      = \"x\"
    }

  # n (local_file) has been deleted outside of pravo
  - resource \"local_file\" \"n\" {
      - content = \"a\" -> null
      - id      = \"x\" -> null
    }

No changes. The specification matches the state.
Graph: planned 0 of 0.
"
        );
    }

    #[test]
    fn summary_lines_count() {
        let plain = Paint::plain();
        let summary = Summary { add: 1, change: 2, destroy: 3, import: 0 };
        assert_eq!(plan_line(summary, plain), "Plan: 1 to add, 2 to change, 3 to destroy.");
        assert_eq!(plan_line(Summary { import: 4, ..summary }, plain), "Plan: 1 to add, 2 to change, 3 to destroy, 4 to import.");
        let one = GraphCounts { not_read: 1, ..GraphCounts::default() };
        assert!(no_changes_line(one, plain).ends_with("1 record was not read; run pravo drift to compare it with the infrastructure."));
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        let plan = PlanDocument { changes: vec![change("a", Action::Update)], ..PlanDocument::default() };
        let coloured = plan_text(&plan, View { paint: Paint { color: true }, show_sensitive: false });
        let mut plain = String::new();
        let mut rest = coloured.as_str();
        while let Some(at) = rest.find('\u{1b}') {
            plain.push_str(&rest[..at]);
            rest = &rest[at + rest[at..].find('m').unwrap() + 1..];
        }
        plain.push_str(rest);
        assert_eq!(plain, plan_text(&plan, View::default()));
    }
}
