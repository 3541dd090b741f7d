//! Create, no change, update, replace, delete, and how values flow.

use super::bench::Bench;
use super::scripted::{Expr, look, of, other, thing};

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

#[tokio::test]
async fn another_type_at_an_address_is_another_object() {
    let mut bench = chain();
    bench.applied().await;
    bench.script.set("pet", other().with("name", "pet").with("size", 2).meta(|meta| meta.create_before_destroy = true));
    assert_eq!(bench.planned().await, ["~ note", "-/+ pet", "+1 ~1 -1 =0", "planned 2 of 2, 1 refreshed."]);
    bench.lines();
    assert_eq!(bench.applied().await, "+1 ~1 -1 =0");
    assert_eq!(bench.lines()[1..3], ["pet: Delete... [id-1]", "pet: Delete complete [id-1]"]);
    assert_eq!(bench.state.view().records["pet"].type_name, "other");
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 not read."]);
    bench.script.set("pet", look().with("key", "k"));
    assert_eq!(bench.planned().await, ["Error: pet: it is a data source now, but the state records a resource there"]);
}

#[tokio::test]
async fn a_first_plan_may_be_applied_by_another_process() {
    let mut bench = chain();
    bench.script.set("seen", look().with("key", "k"));
    bench.script.set("upper", thing().with("name", Expr::Call("upper".into(), vec!["x".into()])));
    let plan = bench.plan().await.unwrap();
    bench.state.0.lock().unwrap().key = 9;
    assert!(bench.apply_plan(&plan).await.unwrap().is_complete());
    assert_eq!(bench.planned().await, ["planned 0 of 4, 4 unchanged and skipped, 1 refreshed, 3 not read."]);
}

/// Ten resources at a time are in flight, and everything that was asked for is done once.
#[tokio::test]
async fn many_steps_run_side_by_side() {
    let mut bench = Bench::new([]);
    bench.script.batch = 16;
    for index in 0..200 {
        bench.script.set(&format!("r[{index}]"), thing().with("name", format!("n{index}")));
    }
    assert_eq!(bench.applied().await, "+200 ~0 -0 =0");
    let plan = bench.plan().await.unwrap();
    assert_eq!(plan.document.graph.to_string(), "planned 0 of 200, 200 unchanged and skipped, 200 not read.");
}
