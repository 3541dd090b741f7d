//! Cost: one pass, counted at N and ten times N.

use std::sync::atomic::Ordering;

use super::bench::Bench;
use super::scripted::{of, thing};

/// Chains of ten.
fn chains(count: usize) -> Bench {
    let mut bench = Bench::new([]);
    for index in 0..count {
        let body = thing().with("name", format!("n{index}"));
        let body = if index % 10 == 0 { body } else { body.with("note", of(&format!("r{}", index - 1), "id")) };
        bench.script.set(&format!("r{index}"), body);
    }
    bench.script.settings.parallelism = 64;
    bench
}

/// `(record reads, provider calls, changes written)` of a plan and an apply without changes.
async fn unchanged(count: usize) -> (u64, usize, u64) {
    let mut bench = chains(count);
    bench.applied().await;
    bench.script.batch = 64;
    bench.calls();
    let before = bench.state.view();
    let reads = before.reads.load(Ordering::Relaxed);
    let plan = bench.plan().await.unwrap();
    assert_eq!(plan.document.graph.to_string(), format!("planned 0 of {count}, {count} unchanged and skipped, {count} not read."));
    let planned = bench.state.view().reads.load(Ordering::Relaxed) - reads;
    bench.apply_plan(&plan).await.unwrap();
    (planned, bench.calls().len(), bench.state.view().changes - before.changes)
}

#[tokio::test]
async fn a_plan_without_changes_is_linear_and_asks_nobody() {
    let (small, calls, changes) = unchanged(100).await;
    let (large, more_calls, more_changes) = unchanged(1000).await;
    assert_eq!((small, large), (90, 900), "one record for each question");
    assert_eq!((calls, more_calls), (0, 0));
    assert_eq!((changes, more_changes), (0, 0));
}

#[tokio::test]
async fn one_that_all_read_is_asked_for_once() {
    for count in [50, 500] {
        let mut bench = Bench::new([("root", thing().with("name", "root"))]);
        for index in 0..count {
            bench.script.set(&format!("r{index}"), thing().with("name", format!("n{index}")).with("note", of("root", "id")));
        }
        bench.applied().await;
        let reads = bench.state.view().reads.load(Ordering::Relaxed);
        bench.planned().await;
        assert_eq!(bench.state.view().reads.load(Ordering::Relaxed) - reads, 1);
        bench.script.set("root", thing().with("name", "other"));
        assert_eq!(bench.planned().await[..2], ["~ root", "+0 ~1 -0 =0"]);
    }
}
