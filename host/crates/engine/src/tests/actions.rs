//! Create, no change, update, replace, delete, and how values flow.

use super::bench::Bench;
use super::scripted::{Expr, of, thing};

fn chain() -> Bench {
    Bench::new([
        ("pet", thing().with("name", "pet").with("size", 2)),
        ("note", thing().with("name", Expr::Text("note ".into(), Box::new(of("pet", "id"))))),
    ])
}

#[tokio::test]
async fn a_chain_is_made_in_order_and_then_left_alone() {
    let mut bench = chain();
    assert_eq!(bench.planned().await, ["+ note", "+ pet", "+2 ~0 -0 =0", "planned 2 of 2."]);
    assert_eq!(bench.applied().await, "+2 ~0 -0 =0");
    assert_eq!(bench.edges(), ["note -> pet"]);
    assert_eq!(bench.lines(), ["pet: Create...", "pet: Create complete [id-1]", "note: Create...", "note: Create complete [id-2]"]);
    bench.calls();
    let started = bench.world.lock().unwrap().started;
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 not read."]);
    assert_eq!(bench.calls(), [""; 0]);
    assert_eq!(bench.world.lock().unwrap().started, started, "no provider is started");
}

#[tokio::test]
async fn a_change_at_the_head_reaches_what_reads_it() {
    let mut bench = chain();
    bench.applied().await;
    bench.script.set("pet", thing().with("name", "pet").with("size", 3));
    assert_eq!(bench.planned().await, ["~ note", "-/+ pet", "+1 ~1 -1 =0", "planned 2 of 2, 2 refreshed."]);
    assert_eq!(bench.applied().await, "+1 ~1 -1 =0");
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 not read."]);
}

#[tokio::test]
async fn a_change_at_the_end_does_not_reach_the_head() {
    let mut bench = chain();
    bench.applied().await;
    bench.script.set("note", thing().with("name", Expr::Text("the note ".into(), Box::new(of("pet", "id")))));
    assert_eq!(bench.planned().await, ["~ note", "+0 ~1 -0 =0", "planned 1 of 2, 1 unchanged and skipped, 1 refreshed, 1 not read."]);
    assert_eq!(bench.applied().await, "+0 ~1 -0 =0");
    assert_eq!(bench.world.lock().unwrap().objects["id-2"].attribute("name").as_str(), Some("the note id-1"));
}

#[tokio::test]
async fn what_leaves_the_specification_is_deleted() {
    let mut bench = chain();
    bench.applied().await;
    bench.lines();
    bench.script.remove("note");
    bench.script.remove("pet");
    assert_eq!(bench.planned().await, ["- note", "- pet", "+0 ~0 -2 =0", "planned 2 of 2."]);
    assert_eq!(bench.applied().await, "+0 ~0 -2 =0");
    assert_eq!(bench.lines(), ["note: Delete... [id-2]", "note: Delete complete [id-2]", "pet: Delete... [id-1]", "pet: Delete complete [id-1]"]);
    assert_eq!(bench.records(), [""; 0]);
}
