//! Refresh ages, what a read shows, and drift.

use pravo_model::Value;
use pravo_model::specification::Meta;
use std::sync::Arc;

use super::bench::Bench;
use super::provider::Fakes;
use super::scripted::{Conversation, thing};
use super::state::MemoryState;
use crate::*;

fn two() -> Bench {
    Bench::new([("a", thing().with("name", "a")), ("b", thing().with("name", "b").after("a"))])
}

fn aged(age: &str) -> impl FnOnce(&mut Meta) + use<> {
    let age = age.parse().unwrap();
    move |meta| meta.refresh = Some(age)
}

fn change(bench: &Bench, id: &str, name: &str, value: &str) {
    let mut world = bench.world.lock().unwrap();
    if let Some(Value::Map(entries)) = world.objects.get_mut(id) {
        entries.insert(name.into(), value.into());
    }
}

#[tokio::test]
async fn what_is_gone_is_made_again() {
    let mut bench = two();
    bench.applied().await;
    bench.world.lock().unwrap().objects.remove("id-1");
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 not read."]);
    bench.options.refresh = Refresh::All;
    assert_eq!(bench.planned().await, ["a deleted outside", "+ a", "+1 ~0 -0 =0", "planned 2 of 2, 2 refreshed."]);
    assert_eq!(bench.applied().await, "+1 ~0 -0 =0");
    assert_eq!(bench.edges(), ["b -> a"]);
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 refreshed."]);
}

#[tokio::test]
async fn ages_say_what_is_read() {
    let mut bench = Bench::new([
        ("always", thing().with("name", "always").meta(aged("always"))),
        ("never", thing().with("name", "never").meta(aged("never"))),
        ("soon", thing().with("name", "soon").meta(aged("3s"))),
        ("unset", thing().with("name", "unset")),
    ]);
    bench.now = pravo_model::state::Timestamp::now().0 + 10_000;
    bench.applied().await;
    let now = bench.now;
    for record in bench.state.0.lock().unwrap().records.values_mut() {
        record.head.read_at.0 = now;
    }
    assert_eq!(bench.planned().await.last().unwrap(), "planned 0 of 4, 4 unchanged and skipped, 1 refreshed, 3 not read.");
    bench.now += 5000;
    assert_eq!(bench.planned().await.last().unwrap(), "planned 0 of 4, 4 unchanged and skipped, 2 refreshed, 2 not read.");
    bench.options.refresh = Refresh::Expired;
    assert_eq!(bench.planned().await.last().unwrap(), "planned 0 of 4, 4 unchanged and skipped, 3 refreshed, 1 not read.");
    bench.options.refresh = Refresh::All;
    assert_eq!(bench.planned().await.last().unwrap(), "planned 0 of 4, 4 unchanged and skipped, 4 refreshed.");
    bench.options.refresh = Refresh::Off;
    assert_eq!(bench.planned().await.last().unwrap(), "planned 0 of 4, 4 unchanged and skipped.");
    bench.options.refresh = Refresh::Aged;
    assert_eq!(bench.applied().await, "+0 ~0 -0 =0");
    bench.now -= 1000;
    let after = bench.state.view().records["soon"].head.read_at.0;
    assert!(after > now, "an apply records what was read and when");
    bench.script.set("never", thing().with("name", "changed").meta(aged("never")));
    assert_eq!(bench.planned().await.last().unwrap(), "planned 1 of 4, 3 unchanged and skipped, 1 refreshed, 1 within refresh age, 2 not read.");
}

#[tokio::test]
async fn what_changed_outside_is_shown_and_undone() {
    let mut bench = two();
    bench.applied().await;
    change(&bench, "id-1", "name", "z");
    bench.options.refresh = Refresh::All;
    assert_eq!(bench.planned().await, ["a changed outside", "~ a", "+0 ~1 -0 =0", "planned 2 of 2, 2 refreshed."]);
    assert_eq!(bench.applied().await, "+0 ~1 -0 =0");
    assert_eq!(bench.world.lock().unwrap().objects["id-1"].attribute("name").as_str(), Some("a"));
    change(&bench, "id-1", "note", "computed");
    assert_eq!(bench.planned().await, ["a changed outside", "planned 1 of 2, 1 unchanged and skipped, 2 refreshed."]);
    assert_eq!(bench.applied().await, "+0 ~0 -0 =0");
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 refreshed."]);
}

async fn drifted(bench: &Bench, accept: bool) -> DriftReport {
    let script = bench.script.clone();
    let conversations = move || Ok(Box::new(Conversation::new(script.clone())) as Box<dyn pravo_model::specification::Specification>);
    let state: &MemoryState = &bench.state;
    let view = state.view();
    drift(DriftRequest {
        conversations: &conversations,
        providers: Arc::new(Fakes(bench.world.clone())),
        state: &view,
        accept: accept.then(|| state.writer() as Arc<dyn pravo_model::state::StateWriter>),
        command: "drift".into(),
        observer: Arc::new(Silent),
        interrupt: Interrupt::new(),
    })
    .await
    .unwrap()
}

#[tokio::test]
async fn drift_reads_every_record_and_may_record_it() {
    let mut bench = two();
    bench.applied().await;
    let report = drifted(&bench, false).await;
    assert!(report.drift.is_empty());
    assert_eq!(report.read, 2);
    change(&bench, "id-1", "name", "z");
    bench.world.lock().unwrap().objects.remove("id-2");
    let names = |report: &DriftReport| report.drift.iter().map(|drift| format!("{} {}", drift.address, drift.after.is_null())).collect::<Vec<_>>();
    assert_eq!(names(&drifted(&bench, false).await), ["a false", "b true"]);
    assert_eq!(names(&drifted(&bench, true).await), ["a false", "b true"]);
    assert!(drifted(&bench, false).await.drift.is_empty(), "it is recorded");
    assert_eq!(bench.planned().await, ["~ a", "+ b", "+1 ~1 -0 =0", "planned 2 of 2, 1 refreshed."], "and the next plan undoes it");
}
