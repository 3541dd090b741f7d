//! What a killed run left: open intents.

use super::bench::Bench;
use super::provider::Fault;
use super::scripted::{address, of, thing};
use crate::tests::bench::counts;

fn two() -> Bench {
    Bench::new([("a", thing().with("name", "a")), ("b", thing().with("name", "b").with("note", of("a", "id"))), ("c", thing().with("name", "c"))])
}

const UNCERTAIN: &str = "a: a create was cut off before its answer, so the object may exist";

#[tokio::test]
async fn a_cut_off_create_is_uncertain_until_it_is_retried() {
    let mut bench = two();
    bench.fault("create a", Fault::Crash);
    let applied = bench.apply().await.unwrap();
    assert_eq!(counts(&applied), "+1 ~0 -0 =0");
    bench.no_faults();
    assert_eq!(bench.planned().await, [&format!("Blocked: {UNCERTAIN}"), "planned 2 of 3, 1 unchanged and skipped, 1 not read."]);
    let applied = bench.apply().await.unwrap();
    assert_eq!(applied.errors[0].summary, UNCERTAIN);
    assert!(bench.state.view().intents.is_empty());
    assert_eq!(bench.records(), ["a", "c"]);
    assert_eq!(bench.planned().await, [&format!("Blocked: {UNCERTAIN}"), "planned 2 of 3, 1 unchanged and skipped, 1 not read."]);
    bench.options.retry = vec![address("a")];
    assert_eq!(bench.applied().await, "+2 ~0 -0 =0");
    bench.options.retry.clear();
    assert_eq!(bench.planned().await, ["planned 0 of 3, 3 unchanged and skipped, 3 not read."]);
}

#[tokio::test]
async fn a_cut_off_create_can_be_adopted() {
    let mut bench = two();
    bench.fault("create a", Fault::Crash);
    bench.apply().await.unwrap();
    bench.no_faults();
    let id = bench.world.lock().unwrap().objects.iter().find(|(_, value)| value.attribute("name").as_str() == Some("a")).unwrap().0.clone();
    bench.script.set("a", thing().with("name", "a").meta(|meta| meta.import = Some(id.clone())));
    assert_eq!(bench.applied().await, "+1 ~0 -0 =1");
    assert_eq!(bench.world.lock().unwrap().objects.len(), 3);
    assert_eq!(bench.planned().await, ["planned 0 of 3, 3 unchanged and skipped, 3 not read."]);
}

#[tokio::test]
async fn a_cut_off_create_with_a_known_identity_is_looked_for() {
    let mut bench = two();
    bench.world.lock().unwrap().identity = vec!["name".into()];
    bench.fault("create a", Fault::Crash);
    bench.apply().await.unwrap();
    bench.no_faults();
    assert_eq!(bench.planned().await, ["+ b", "+1 ~0 -0 =0", "planned 2 of 3, 1 unchanged and skipped, 1 refreshed, 1 not read."]);
    assert_eq!(bench.applied().await, "+1 ~0 -0 =0");
    assert_eq!(bench.world.lock().unwrap().objects.len(), 3, "nothing is created twice");
    assert!(bench.state.view().intents.is_empty());
    assert_eq!(bench.planned().await, ["planned 0 of 3, 3 unchanged and skipped, 3 not read."]);
}

#[tokio::test]
async fn a_cut_off_update_or_delete_is_decided_by_a_read() {
    let mut bench = two();
    bench.applied().await;
    bench.script.set("c", thing().with("name", "C"));
    bench.fault("update c", Fault::Crash);
    bench.apply().await.unwrap();
    bench.no_faults();
    assert_eq!(bench.planned().await, ["planned 1 of 3, 2 unchanged and skipped, 1 refreshed, 2 not read."], "it was done");
    assert_eq!(bench.applied().await, "+0 ~0 -0 =0");
    assert_eq!(bench.planned().await, ["planned 0 of 3, 3 unchanged and skipped, 3 not read."]);
    bench.script.remove("c");
    bench.fault("delete C", Fault::Crash);
    bench.apply().await.unwrap();
    bench.no_faults();
    assert_eq!(bench.records(), ["a", "b", "c"]);
    assert_eq!(bench.applied().await, "+0 ~0 -0 =0");
    assert_eq!(bench.records(), ["a", "b"]);
    assert!(bench.state.view().intents.is_empty());
}

#[tokio::test]
async fn a_replacement_that_was_cut_off_between_its_halves_goes_on() {
    let mut bench = Bench::new([("a", thing().with("name", "a").with("size", 1))]);
    bench.applied().await;
    bench.script.set("a", thing().with("name", "a").with("size", 2));
    bench.fault("delete a", Fault::Crash);
    bench.apply().await.unwrap();
    bench.no_faults();
    assert_eq!(bench.applied().await, "+1 ~0 -0 =0");
    assert_eq!(bench.world.lock().unwrap().objects.len(), 1);
}

#[tokio::test]
async fn a_replacement_that_creates_first_keeps_what_it_deposed() {
    let first = |size: i64| thing().with("name", "a").with("size", size).meta(|meta| meta.create_before_destroy = true);
    let mut bench = Bench::new([("a", first(1))]);
    bench.applied().await;
    bench.script.set("a", first(2));
    bench.fault("create a", Fault::Crash);
    bench.apply().await.unwrap();
    bench.no_faults();
    let record = bench.state.view().records["a"].clone();
    assert!(record.object.is_none());
    assert_eq!(record.deposed.len(), 1);
    bench.options.retry = vec![address("a")];
    assert_eq!(bench.planned().await, ["+ a", "- deposed a", "+1 ~0 -1 =0", "planned 1 of 1."]);
    assert_eq!(bench.applied().await, "+1 ~0 -1 =0");
    bench.options.retry.clear();
    assert_eq!(bench.planned().await, ["planned 0 of 1, 1 unchanged and skipped, 1 not read."]);
}
