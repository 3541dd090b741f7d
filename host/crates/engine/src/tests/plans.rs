//! Saved plans and policies.

use std::sync::Arc;

use pravo_diag::{Diagnostic, SourceMap};
use pravo_model::plan::PlanDocument;
use pravo_model::policy::Policy;

use super::bench::Bench;
use super::scripted::{of, thing};
use crate::*;

fn two() -> Bench {
    Bench::new([("a", thing().with("name", "a")), ("b", thing().with("name", "b").with("note", of("a", "id")))])
}

async fn refused(bench: &mut Bench, plan: &Plan) -> String {
    bench.apply_plan(plan).await.unwrap_err().diagnostics[0].summary.clone()
}

#[tokio::test]
async fn a_plan_is_stale_once_what_it_rests_on_changed() {
    let mut bench = two();
    let plan = bench.plan().await.unwrap();
    bench.options.lock = "other".into();
    assert_eq!(refused(&mut bench, &plan).await, "the plan is stale: the lock file changed");
    bench.options.lock.clear();
    bench.script.version += 1;
    assert_eq!(refused(&mut bench, &plan).await, "the plan is stale: main.cue changed");
    bench.script.version -= 1;
    bench.apply_plan(&plan).await.unwrap();
    assert_eq!(refused(&mut bench, &plan).await, "the plan is stale: a has a record now");
    bench.script.set("b", thing().with("name", "B").with("note", of("a", "id")));
    let plan = bench.plan().await.unwrap();
    bench.apply_plan(&plan).await.unwrap();
    assert_eq!(refused(&mut bench, &plan).await, "the plan is stale: the record of b changed");
}

#[tokio::test]
async fn a_deletion_is_stale_once_something_depends_on_it() {
    let mut bench = two();
    bench.applied().await;
    bench.script.remove("b");
    bench.applied().await;
    bench.script.remove("a");
    let plan = bench.plan().await.unwrap();
    {
        let mut contents = bench.state.0.lock().unwrap();
        let mut other = contents.records["a"].clone();
        other.address = "other".parse().unwrap();
        other.head.dependencies = vec!["a".parse().unwrap()];
        contents.records.insert("other".into(), other);
    }
    assert_eq!(refused(&mut bench, &plan).await, "the plan is stale: other depends on a now");
}

#[tokio::test]
async fn what_a_plan_does_not_rest_on_may_change() {
    let mut bench = two();
    bench.script.set("c", thing().with("name", "c"));
    bench.applied().await;
    bench.script.set("b", thing().with("name", "B").with("note", of("a", "id")));
    let plan = bench.plan().await.unwrap();
    bench.state.0.lock().unwrap().records.remove("c");
    assert!(bench.apply_plan(&plan).await.unwrap().is_complete());
}

#[test]
fn foreign_and_damaged_files_are_refused() {
    assert_eq!(Plan::decode(b"hello").unwrap_err(), PlanFileError::Foreign);
    let bytes = Plan::default().encode().unwrap();
    assert!(Plan::decode(&bytes).is_ok());
    assert!(matches!(Plan::decode(&bytes[..bytes.len() - 3]).unwrap_err(), PlanFileError::Damaged(_)));
}

struct NoAdditions(SourceMap);

impl Policy for NoAdditions {
    fn judge(&self, plan: &PlanDocument) -> Vec<Diagnostic> {
        if plan.summary.add > 0 { vec![Diagnostic::error("policy", "nothing may be added")] } else { Vec::new() }
    }

    fn sources(&self) -> &SourceMap {
        &self.0
    }
}

#[tokio::test]
async fn a_violated_policy_refuses_the_plan() {
    let mut bench = two();
    bench.policies = vec![Arc::new(NoAdditions(SourceMap::new()))];
    let plan = bench.plan().await.unwrap();
    assert_eq!(plan.violations.len(), 1);
    assert_eq!(refused(&mut bench, &plan).await, "the plan violates a policy: nothing may be added");
    assert_eq!(bench.records(), [""; 0]);
}
