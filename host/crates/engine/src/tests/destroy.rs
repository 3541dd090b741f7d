//! Destroys, targets and excludes.

use super::bench::Bench;
use super::scripted::{address, look, of, thing};

fn chain() -> Bench {
    Bench::new([
        ("a", thing().with("name", "a")),
        ("b", thing().with("name", "b").with("note", of("a", "id"))),
        ("c", thing().with("name", "c").after("b")),
        ("seen", look().with("key", "k")),
    ])
}

#[tokio::test]
async fn everything_is_deleted_in_order() {
    let mut bench = chain();
    bench.applied().await;
    bench.lines();
    bench.options.destroy = true;
    assert_eq!(bench.planned().await, ["- a", "- b", "- c", "+0 ~0 -3 =0", "planned 4 of 4, 3 refreshed."]);
    bench.lines();
    assert_eq!(bench.applied().await, "+0 ~0 -3 =0");
    let deleted: Vec<String> = bench.lines().into_iter().filter(|line| line.contains("Delete...")).collect();
    assert_eq!(deleted, ["c: Delete... [id-3]", "b: Delete... [id-2]", "a: Delete... [id-1]"]);
    assert_eq!(bench.records(), [""; 0]);
}

#[tokio::test]
async fn types_that_want_to_be_asked_are_asked() {
    let mut bench = chain();
    bench.world.lock().unwrap().asks_destroy = true;
    bench.applied().await;
    bench.script.remove("c");
    bench.calls();
    assert_eq!(bench.planned().await, ["- c", "+0 ~0 -1 =0", "planned 1 of 4, 3 unchanged and skipped, 1 refreshed, 2 not read."]);
    assert!(bench.calls().contains(&"plan-destroy c".to_owned()));
}

#[tokio::test]
async fn what_is_gone_needs_no_delete() {
    let mut bench = chain();
    bench.applied().await;
    bench.world.lock().unwrap().objects.remove("id-3");
    bench.options.destroy = true;
    assert_eq!(bench.planned().await, ["c deleted outside", "- a", "- b", "+0 ~0 -2 =0", "planned 4 of 4, 3 refreshed."]);
    assert_eq!(bench.applied().await, "+0 ~0 -2 =0");
    assert_eq!(bench.records(), [""; 0]);
}

#[tokio::test]
async fn targets_take_dependencies_along() {
    let mut bench = chain();
    bench.options.targets = vec![address("b")];
    assert_eq!(bench.planned().await, ["+ a", "+ b", "+2 ~0 -0 =0", "planned 2 of 4, 2 unchanged and skipped."]);
    assert!(bench.plan().await.unwrap().is_partial());
    assert_eq!(bench.applied().await, "+2 ~0 -0 =0");
    bench.options.targets.clear();
    assert_eq!(bench.applied().await, "+1 ~0 -0 =0");
    bench.options.excludes = vec![address("b")];
    bench.script.set("a", thing().with("name", "A"));
    bench.script.set("c", thing().with("name", "C").after("b"));
    assert_eq!(bench.planned().await, ["~ a", "+0 ~1 -0 =0", "planned 1 of 4, 3 unchanged and skipped, 2 refreshed."]);
    bench.options.excludes.clear();
    bench.options.destroy = true;
    bench.options.targets = vec![address("b")];
    assert_eq!(bench.planned().await[..3], ["- b", "- c", "+0 ~0 -2 =0"]);
    bench.options.targets = vec![address("zzz")];
    assert_eq!(bench.planned().await, ["Error: zzz names nothing in the specification or the state"]);
}
