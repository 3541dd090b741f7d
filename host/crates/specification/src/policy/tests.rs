//! Policies over plans.

use pravo_diag::render_all;
use pravo_model::plan::{Action, PlanDocument, Reason, ResourceChange, Summary};
use pravo_model::specification::Kind;
use pravo_model::{Path, Value};

use super::load;

fn change(address: &str, action: Action, after: Value) -> ResourceChange {
    ResourceChange {
        address: address.parse().unwrap(),
        previous: None,
        kind: Kind::Resource,
        type_name: "random_pet".into(),
        provider: "pravo.dev/providers/hashicorp/random".into(),
        action,
        reason: Reason::New,
        import: None,
        deposed: None,
        before: Value::Null,
        after,
        replace_paths: Vec::new(),
        sensitive: vec![Path::attribute("secret")],
    }
}

fn plan() -> PlanDocument {
    let after = Value::object([("length", Value::integer(2)), ("id", Value::Unknown), ("secret", "hunter2".into())]);
    PlanDocument {
        changes: vec![change("pet", Action::Create, after), change("old.\"a-b\"", Action::Delete, Value::Null)],
        summary: Summary { add: 1, change: 0, destroy: 1, import: 0 },
        ..PlanDocument::default()
    }
}

fn judged(text: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("policy.cue");
    std::fs::write(&path, format!("package policy\n\nimport \"pravo.dev/policy\"\n\nplan: policy.#Plan\n{text}")).unwrap();
    let policy = load(&path).unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics));
    let violations = policy.judge(&plan());
    let from_directory = load(directory.path()).unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics)).judge(&plan());
    assert_eq!(violations, from_directory);
    render_all(&violations, policy.sources(), pravo_diag::Style::default())
}

#[test]
fn a_policy_that_agrees_is_silent() {
    for text in [
        "",
        "plan: summary: destroy: <=1",
        "if plan.summary.destroy > 1 {no: error(\"never\")}",
        "plan: resources: [string]: provider: =~\"hashicorp\"",
    ] {
        assert_eq!(judged(text), "", "{text}");
    }
}

#[test]
fn violations_have_file_line_and_message() {
    let cases = [
        ("if plan.summary.destroy > 0 {\n\tno_deletions: error(\"this root does not delete\")\n}", ["this root does not delete", "policy.cue:7:"]),
        ("plan: summary: destroy: 0", ["plan.summary.destroy", "policy.cue:6:"]),
        ("for a, r in plan.resources if r.action == \"delete\" {(a): error(\"\\(a) is deleted\")}", ["old.\"a-b\" is deleted", "policy.cue:6:"]),
        ("plan: resources: pet: after: length: >5", ["length", "policy.cue:6:"]),
    ];
    for (text, expected) in cases {
        let violations = judged(text);
        for part in expected {
            assert!(violations.contains(part), "{part:?} is not in\n{violations}");
        }
    }
}

#[test]
fn what_is_not_known_cannot_be_decided() {
    for text in ["if plan.resources.pet.after.id == \"x\" {no: error(\"never\")}", "plan: resources: pet: after: id: =~\"^x\""] {
        let violations = judged(text);
        assert!(violations.contains("cannot be decided before apply") && violations.contains("policy.cue:6:"), "{text}\n{violations}");
    }
}

#[test]
fn sensitive_values_are_not_told() {
    let violations = judged("plan: resources: pet: after: secret: \"other\"");
    assert!(violations.contains("(sensitive value)") && !violations.contains("hunter2"), "{violations}");
}
