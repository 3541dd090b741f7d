//! A plan as CUE text, for policies to unify with.

use std::fmt::Write as _;

use pravo_model::plan::{PlanDocument, ResourceChange};
use pravo_model::{Path, PathStep, Value};
use serde::Serialize;

use crate::package::{POLICY, quoted};

/// The text of a file of the policy's package that holds the plan.
pub(super) fn plan_text(package: &str, plan: &PlanDocument) -> String {
    let mut out = String::new();
    if !package.is_empty() {
        let _ = writeln!(out, "package {package}\n");
    }
    let _ = writeln!(out, "import pravo_policy {}\n", quoted(POLICY));
    out.push_str("plan: pravo_policy.#Plan & {\n\tresources: {\n");
    for change in &plan.changes {
        resource(&mut out, change);
    }
    let summary = plan.summary;
    let _ = writeln!(
        out,
        "\t}}\n\tsummary: {{add: {}, change: {}, destroy: {}, import: {}}}\n}}",
        summary.add, summary.change, summary.destroy, summary.import
    );
    out
}

/// The name that a value of the model is serialised under.
fn name(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

fn resource(out: &mut String, change: &ResourceChange) {
    let address = match &change.deposed {
        Some(key) => format!("{} (deposed {key})", change.address),
        None => change.address.to_string(),
    };
    let _ = writeln!(out, "\t\t{}: {{", quoted(&address));
    let fields =
        [("action", name(change.action)), ("type", change.type_name.clone()), ("provider", change.provider.clone()), ("reason", name(change.reason))];
    for (field, text) in fields {
        let _ = writeln!(out, "\t\t\t{field}: {}", quoted(&text));
    }
    let replaces: Vec<String> = change.replace_paths.iter().map(|path| quoted(&path.to_string())).collect();
    let _ = writeln!(out, "\t\t\treplaces: [{}]", replaces.join(", "));
    for (field, value) in [("before", &change.before), ("after", &change.after)] {
        let _ = write!(out, "\t\t\t{field}: ");
        write_value(out, value, &mut Path::root(), &change.sensitive);
        out.push_str(mark(&Path::root(), &change.sensitive));
        out.push('\n');
    }
    out.push_str("\t\t}\n");
}

fn mark(path: &Path, sensitive: &[Path]) -> &'static str {
    if sensitive.contains(path) { " @mark(sensitive)" } else { "" }
}

fn write_value(out: &mut String, value: &Value, path: &mut Path, sensitive: &[Path]) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Unknown => out.push_str("pravo_policy.#Unknown.value"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => out.push_str(&quoted(text)),
        Value::List(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                path.0.push(PathStep::Index(index as u64));
                write_value(out, element, path, sensitive);
                path.0.pop();
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (index, (key, entry)) in entries.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                // The same text stands for an attribute and for a key: a mark counts whichever it is.
                let steps = [PathStep::Attribute(key.clone()), PathStep::Key(key.clone())];
                let marked = steps.iter().any(|step| sensitive.contains(&path.then(step.clone())));
                let _ = write!(out, "{}: ", quoted(key));
                path.0.push(PathStep::Attribute(key.clone()));
                write_value(out, entry, path, sensitive);
                path.0.pop();
                out.push_str(if marked { " @mark(sensitive)" } else { "" });
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pravo_model::plan::{Action, Reason, Summary};
    use pravo_model::specification::Kind;

    #[test]
    fn a_plan_is_written_with_its_unknowns_and_marks() {
        let change = ResourceChange {
            address: "web.\"a-b\"".parse().unwrap(),
            previous: None,
            kind: Kind::Resource,
            type_name: "random_pet".into(),
            provider: "pravo.dev/providers/hashicorp/random".into(),
            action: Action::DeleteThenCreate,
            reason: Reason::Configuration,
            import: None,
            deposed: None,
            before: Value::Null,
            after: Value::object([("id", Value::Unknown), ("secret", "x\"y".into()), ("n", Value::List(vec![Value::integer(-1), true.into()]))]),
            replace_paths: vec![Path::attribute("length")],
            sensitive: vec![Path::attribute("secret")],
        };
        let plan = PlanDocument { changes: vec![change], summary: Summary { add: 1, change: 0, destroy: 1, import: 0 }, ..PlanDocument::default() };
        let text = plan_text("policy", &plan);
        let expected = r#"package policy

import pravo_policy "pravo.dev/policy"

plan: pravo_policy.#Plan & {
	resources: {
		"web.\"a-b\"": {
			action: "delete-then-create"
			type: "random_pet"
			provider: "pravo.dev/providers/hashicorp/random"
			reason: "configuration"
			replaces: ["length"]
			before: null
			after: {"id": pravo_policy.#Unknown.value, "n": [-1, true], "secret": "x\"y" @mark(sensitive)}
		}
	}
	summary: {add: 1, change: 0, destroy: 1, import: 0}
}
"#;
        assert_eq!(text, expected);
    }
}
