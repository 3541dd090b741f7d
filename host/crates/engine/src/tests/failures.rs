//! What fails, and what goes on all the same.

use pravo_model::state::Status;
use std::time::Duration;

use super::bench::{Bench, counts};
use super::provider::Fault;
use super::scripted::{Expr, of, thing};

fn three() -> Bench {
    Bench::new([
        ("a", thing().with("name", "a").with("size", 1)),
        ("b", thing().with("name", Expr::Text("b".into(), Box::new(of("a", "id"))))),
        ("c", thing().with("name", "c")),
    ])
}

async fn fails(bench: &mut Bench) -> (String, Vec<String>) {
    let applied = bench.apply().await.unwrap();
    assert!(!applied.is_complete());
    let mut lines: Vec<String> = applied.errors.iter().map(|error| error.summary.clone()).collect();
    lines.extend(applied.failed.iter().map(|address| format!("failed {address}")));
    lines.extend(applied.skipped.iter().map(|address| format!("skipped {address}")));
    (counts(&applied), lines)
}

#[tokio::test]
async fn dependents_are_skipped_and_the_rest_goes_on() {
    let mut bench = three();
    bench.fault("create a", Fault::Reject);
    let (done, lines) = fails(&mut bench).await;
    assert_eq!(done, "+1 ~0 -0 =0");
    assert_eq!(lines, ["create rejected", "failed a", "skipped b"]);
    assert_eq!(bench.records(), ["c"]);
    assert!(bench.state.view().intents.is_empty());
    bench.no_faults();
    assert_eq!(bench.applied().await, "+2 ~0 -0 =0");
}

#[tokio::test]
async fn a_failed_create_that_left_something_is_replaced() {
    let mut bench = three();
    bench.fault("create a", Fault::Partial);
    let (done, _) = fails(&mut bench).await;
    assert_eq!(done, "+1 ~0 -0 =0");
    assert_eq!(bench.state.view().records["a"].head.status, Status::Tainted);
    bench.no_faults();
    assert_eq!(bench.planned().await, ["-/+ a", "+ b", "+2 ~0 -1 =0", "planned 2 of 3, 1 unchanged and skipped, 1 refreshed, 1 not read."]);
    assert_eq!(bench.applied().await, "+2 ~0 -1 =0");
    assert_eq!(bench.state.view().records["a"].head.status, Status::Ready);
}

#[tokio::test]
async fn a_result_that_contradicts_the_plan_is_recorded_and_tainted() {
    let mut bench = three();
    bench.fault("create a", Fault::Contradict);
    let (_, lines) = fails(&mut bench).await;
    assert_eq!(lines[0], "a: the provider gave another object than it planned");
    assert_eq!(bench.state.view().records["a"].head.status, Status::Tainted);
}

#[tokio::test]
async fn a_failed_update_is_tried_again() {
    let mut bench = three();
    bench.applied().await;
    bench.script.set("c", thing().with("name", "C"));
    for fault in [Fault::Reject, Fault::Partial] {
        bench.fault("update c", fault);
        let (done, lines) = fails(&mut bench).await;
        assert_eq!((done.as_str(), lines[0].as_str()), ("+0 ~0 -0 =0", "update rejected"));
        assert_eq!(bench.state.view().records["c"].head.status, Status::Ready);
    }
    bench.no_faults();
    assert_eq!(bench.planned().await.last().unwrap(), "planned 1 of 3, 2 unchanged and skipped, 1 refreshed, 2 not read.");
    bench.applied().await;
    assert_eq!(bench.planned().await, ["planned 0 of 3, 3 unchanged and skipped, 3 not read."]);
}

#[tokio::test]
async fn a_failed_delete_keeps_the_record() {
    let mut bench = three();
    bench.applied().await;
    bench.script.remove("b");
    bench.script.remove("a");
    bench.fault("delete bid-1", Fault::Reject);
    let (done, lines) = fails(&mut bench).await;
    assert_eq!(done, "+0 ~0 -0 =0");
    assert_eq!(lines, ["delete rejected", "failed b", "skipped a"]);
    assert_eq!(bench.records(), ["a", "b", "c"]);
}

#[tokio::test]
async fn a_failed_replacement_that_creates_first_keeps_the_previous_object() {
    let first = |size: i64| thing().with("name", "a").with("size", size).meta(|meta| meta.create_before_destroy = true);
    let mut bench = Bench::new([("a", first(1))]);
    bench.applied().await;
    bench.script.set("a", first(2));
    bench.fault("create a", Fault::Reject);
    fails(&mut bench).await;
    let record = bench.state.view().records["a"].clone();
    assert!(record.object.is_some() && record.deposed.is_empty());
    bench.no_faults();
    bench.fault("delete a", Fault::Reject);
    let (done, _) = fails(&mut bench).await;
    assert_eq!(done, "+1 ~0 -0 =0");
    assert_eq!(bench.state.view().records["a"].deposed.len(), 1);
    bench.no_faults();
    assert_eq!(bench.planned().await, ["- deposed a", "+0 ~0 -1 =0", "planned 0 of 1, 1 unchanged and skipped, 1 not read."]);
    assert_eq!(bench.applied().await, "+0 ~0 -1 =0");
    assert_eq!(bench.planned().await, ["planned 0 of 1, 1 unchanged and skipped, 1 not read."]);
    assert_eq!(bench.world.lock().unwrap().objects.len(), 1);
}

#[tokio::test]
async fn a_plan_reports_every_error() {
    let mut bench = three();
    bench.fault("plan a", Fault::Reject);
    bench.script.set("c", thing().with("name", "invalid"));
    let mut errors = bench.planned().await;
    errors.sort();
    assert_eq!(errors, ["Error: plan rejected", "Error: validate rejected"]);
    bench.fault("plan a", Fault::Contradict);
    bench.script.remove("c");
    assert_eq!(bench.planned().await, ["Error: a: the provider planned something that contradicts the configuration"]);
    bench.script.set("c", thing().with("nmae", "x"));
    bench.no_faults();
    assert_eq!(bench.planned().await, ["Error: c: there is no attribute \"nmae\""]);
}

#[tokio::test]
async fn a_full_disk_stops_the_run_and_loses_nothing_silently() {
    let mut bench = three();
    let commits = bench.state.view().commits;
    bench.state.0.lock().unwrap().full_after = Some(commits + 2);
    let (_, lines) = fails(&mut bench).await;
    assert!(lines.iter().any(|line| line == "no space left"), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("could not be recorded")), "{lines:?}");
}

#[tokio::test]
async fn an_interrupted_run_waits_and_records() {
    let mut bench = three();
    bench.script.settings.parallelism = 1;
    bench.fault("create a", Fault::Slow);
    let interrupt = bench.interrupt.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(10)).await;
        interrupt.raise();
    });
    let plan = bench.plan().await.unwrap();
    let applied = bench.apply_plan(&plan).await.unwrap();
    assert!(applied.interrupted);
    assert_eq!(counts(&applied), "+1 ~0 -0 =0");
    assert_eq!(bench.records(), ["a"]);
    assert!(bench.calls().contains(&"stop ".to_owned()));
    let skipped: Vec<String> = applied.skipped.iter().map(ToString::to_string).collect();
    assert_eq!(skipped, ["b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn a_second_interrupt_shortens_the_wait() {
    let mut bench = three();
    bench.fault("create a", Fault::Hang);
    let plan = bench.plan().await.unwrap();
    let interrupt = bench.interrupt.clone();
    tokio::spawn(async move {
        for _ in 0..2 {
            tokio::time::sleep(Duration::from_secs(30)).await;
            interrupt.raise();
        }
    });
    let applied = bench.apply_plan(&plan).await.unwrap();
    assert!(applied.interrupted);
    assert!(applied.errors.iter().any(|error| error.summary == "a: cut off; the next run finds out what became of it"));
    assert_eq!(bench.state.view().intents.len(), 1);
}
