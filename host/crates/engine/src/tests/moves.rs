//! Moves and imports.

use pravo_model::specification::Move;

use super::bench::Bench;
use super::scripted::{Struct, address, span, thing};

fn from(old: &str, group: bool, body: Struct) -> Struct {
    let from = Move { from: address(old), group, span: span() };
    body.meta(|meta| meta.from = Some(from))
}

#[tokio::test]
async fn a_group_moves() {
    let mut bench = Bench::new([("old.a", thing().with("name", "a")), ("old.b", thing().with("name", "b").after("old.a"))]);
    bench.applied().await;
    bench.script.remove("old.a");
    bench.script.remove("old.b");
    bench.script.set("new.a", from("old.a", true, thing().with("name", "a")));
    bench.script.set("new.b", from("old.b", true, thing().with("name", "b").after("new.a")));
    bench.script.groups.push(("new".into(), "old".into()));
    assert_eq!(bench.planned().await, ["= new.a from old.a", "= new.b from old.b", "planned 0 of 2, 2 unchanged and skipped, 2 not read."]);
    assert_eq!(bench.applied().await, "+0 ~0 -0 =0");
    assert_eq!(bench.edges(), ["new.b -> new.a"]);
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 not read."]);
    bench.script.set("old.c", thing().with("name", "c"));
    assert_eq!(bench.planned().await, ["+ old.c", "+1 ~0 -0 =0", "planned 1 of 3, 2 unchanged and skipped, 2 not read."]);
}

#[tokio::test]
async fn a_move_may_come_with_a_change_and_a_deletion_in_order() {
    let mut bench = Bench::new([("a", thing().with("name", "a")), ("b", thing().with("name", "b").after("a"))]);
    bench.applied().await;
    bench.script.remove("a");
    bench.script.remove("b");
    bench.script.set("c", from("b", false, thing().with("name", "c")));
    let expected = ["- a", "~ c from b", "+0 ~1 -1 =0", "planned 2 of 2, 1 refreshed."];
    assert_eq!(bench.planned().await, expected);
    bench.lines();
    assert_eq!(bench.applied().await, "+0 ~1 -1 =0");
    assert_eq!(bench.lines().last().map(String::as_str), Some("a: Delete complete [id-1]"));
    assert_eq!(bench.records(), ["c"]);
}

#[tokio::test]
async fn what_cannot_move_is_an_error() {
    let mut bench = Bench::new([("a", thing().with("name", "a")), ("b", thing().with("name", "b"))]);
    bench.applied().await;
    bench.script.set("c", from("a", false, thing().with("name", "a")));
    assert_eq!(bench.planned().await, ["Error: c: $from names a, which is still in the specification"]);
    bench.script.remove("c");
    bench.script.set("A", from("a", false, thing().with("name", "a")));
    assert_eq!(bench.planned().await, ["Error: A: $from names a, which is still in the specification"], "whichever comes first");
    bench.script.remove("A");
    bench.script.remove("a");
    bench.script.set("b", from("a", false, thing().with("name", "b")));
    assert_eq!(bench.planned().await, ["Error: b: $from names a, but the state has records at both addresses"]);
}

#[tokio::test]
async fn a_move_without_a_record_is_nothing_but_a_likely_mistake_is_told() {
    let mut bench = Bench::new([("a", from("nowhere", false, thing().with("name", "a")))]);
    assert_eq!(bench.applied().await, "+1 ~0 -0 =0");
    bench.script.remove("a");
    bench.script.set("b", from("A", false, thing().with("name", "a")));
    let plan = bench.plan().await.unwrap();
    let warnings: Vec<String> = plan.document.warnings.iter().map(|warning| format!("{} / {}", warning.summary, warning.help)).collect();
    assert_eq!(warnings, ["b: $from names A, which has no record / a left the specification and has the same type: is it the one that moves?"]);
}

#[tokio::test]
async fn existing_objects_are_adopted() {
    let mut bench = Bench::new([("a", thing().with("name", "a")), ("b", thing().with("name", "b"))]);
    bench.applied().await;
    bench.state.0.lock().unwrap().records.clear();
    let adopting = |name: &str, id: &str| thing().with("name", name).meta(|meta| meta.import = Some(id.to_owned()));
    bench.script.set("a", adopting("a", "id-1"));
    bench.script.set("b", adopting("B", "id-2"));
    assert_eq!(bench.planned().await, ["= a import id-1", "~ b import id-2", "+0 ~1 -0 =2", "planned 2 of 2."]);
    assert_eq!(bench.applied().await, "+0 ~1 -0 =2");
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 not read."], "after adoption the line is a no-op");
    bench.script.set("c", adopting("c", "id-9"));
    assert_eq!(bench.planned().await, ["Error: c: there is no object with the id \"id-9\" to import"]);
}
