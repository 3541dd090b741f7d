//! Data sources, ephemerals and functions.

use super::bench::{Bench, shown};
use super::provider::Fault;
use super::scripted::{Expr, look, of, thing, token};
use crate::Refresh;

fn reading() -> Bench {
    Bench::new([("seen", look().with("key", "k")), ("user", thing().with("name", of("seen", "found")))])
}

#[tokio::test]
async fn data_sources_are_read_by_every_plan() {
    let mut bench = reading();
    assert_eq!(bench.planned().await, ["+ user", "+1 ~0 -0 =0", "planned 2 of 2."]);
    assert_eq!(bench.applied().await, "+1 ~0 -0 =0");
    assert_eq!(bench.edges(), ["user -> seen"]);
    bench.calls();
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 1 refreshed, 1 not read."]);
    assert_eq!(bench.calls(), ["read-data k"]);
    bench.options.refresh = Refresh::Off;
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped."]);
    assert_eq!(bench.calls(), [""; 0]);
    bench.options.refresh = Refresh::Aged;
    bench.world.lock().unwrap().generation = "!".into();
    assert_eq!(bench.planned().await, ["~ user", "+0 ~1 -0 =0", "planned 2 of 2, 2 refreshed."]);
    assert_eq!(bench.applied().await, "+0 ~1 -0 =0");
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 1 refreshed, 1 not read."]);
    bench.script.structs.clear();
    assert_eq!(bench.applied().await, "+0 ~0 -1 =0", "a data source that leaves is forgotten");
    assert_eq!(bench.records(), [""; 0]);
}

#[tokio::test]
async fn data_sources_wait_for_what_they_depend_on() {
    let mut bench = reading();
    bench.script.set("pet", thing().with("name", "pet"));
    bench.script.set("seen", look().with("key", of("pet", "id")));
    assert_eq!(bench.planned().await, ["+ pet", "<= seen", "+ user", "+2 ~0 -0 =0", "planned 3 of 3."]);
    assert_eq!(bench.applied().await, "+2 ~0 -0 =0");
    assert_eq!(bench.world.lock().unwrap().objects["id-2"].attribute("name").as_str(), Some("found id-1"));
    bench.script.set("seen", look().with("key", "k").after("pet"));
    bench.script.set("pet", thing().with("name", "cat"));
    assert_eq!(bench.planned().await, ["~ pet", "<= seen", "~ user", "+0 ~2 -0 =0", "planned 3 of 3, 2 refreshed."]);
    assert_eq!(bench.applied().await, "+0 ~2 -0 =0");
}

#[tokio::test]
async fn functions_are_called_once_for_equal_arguments() {
    let upper = |text: Expr| Expr::Call("upper".into(), vec![text]);
    let mut bench = Bench::new([
        ("a", thing().with("name", upper("x".into()))),
        ("b", thing().with("name", upper("x".into()))),
        ("c", thing().with("name", upper(of("a", "id")))),
    ]);
    bench.planned().await;
    let calls: Vec<String> = bench.calls().into_iter().filter(|call| call.starts_with("upper")).collect();
    assert_eq!(calls, ["upper x"]);
    assert_eq!(bench.applied().await, "+3 ~0 -0 =0");
    assert_eq!(bench.world.lock().unwrap().objects["id-3"].attribute("name").as_str(), Some("ID-1"));
    bench.script.set("d", thing().with("name", upper("y".into())));
    let plan = bench.plan().await.unwrap();
    bench.fault("upper y", Fault::Contradict);
    let applied = bench.apply_plan(&plan).await.unwrap();
    assert_eq!(
        applied.errors[0].summary,
        "the function upper of pravo.dev/providers/test/fake gave another result than in the plan for equal arguments"
    );
}

#[tokio::test]
async fn ephemerals_are_opened_when_something_reached_needs_them() {
    let mut bench = Bench::new([("key", token().with("key", "k")), ("user", thing().with("name", "user").with("secret", of("key", "value")))]);
    assert_eq!(bench.planned().await, ["+ user", "+1 ~0 -0 =0", "planned 1 of 1."]);
    assert_eq!(bench.calls(), ["open k", "plan user", "close token"]);
    assert_eq!(bench.applied().await, "+1 ~0 -0 =0");
    let calls = bench.calls();
    assert_eq!(calls.iter().filter(|call| *call == "open k").count(), 2, "{calls:?}");
    assert_eq!(calls.iter().filter(|call| *call == "close token").count(), 2);
    assert_eq!(bench.edges(), [""; 0], "no edge to an ephemeral is stored");
    let text = format!("{:?}", bench.state.view().records);
    assert!(!text.contains("hush"));
    assert_eq!(bench.planned().await, ["planned 0 of 1, 1 unchanged and skipped, 1 not read."]);
    assert_eq!(bench.calls(), [""; 0]);
    bench.script.set("other", thing().with("name", "other"));
    bench.planned().await;
    assert!(!bench.calls().contains(&"open k".to_owned()), "what is reached does not need it");
}

#[tokio::test]
async fn an_ephemeral_configures_a_provider_and_is_renewed() {
    let mut bench = Bench::new([("key", token().with("key", "k").on("$plain")), ("user", thing().with("name", "user"))]);
    bench.script.instances.insert("$plain".into(), Default::default());
    bench.script.instances.insert("$fake".into(), [("token".to_owned(), of("key", "value"))].into());
    let plan = bench.plan().await.unwrap();
    assert_eq!(shown(&plan), ["+ user", "+1 ~0 -0 =0", "planned 1 of 1."]);
    assert!(!String::from_utf8_lossy(&plan.encode().unwrap()).contains("hush"), "no ephemeral value is in a plan");
    bench.fault("create user", Fault::Slow);
    assert_eq!(crate::tests::bench::counts(&bench.apply_plan(&plan).await.unwrap()), "+1 ~0 -0 =0");
    assert!(bench.calls().contains(&"renew token".to_owned()));
    let instance = bench.state.view().instances["$fake"].clone();
    assert!(!instance.config.contains("hush"), "{instance:?}");
}
