//! Provider instances: configurations that depend on resources, and instances that leave.

use pravo_model::state::StateView;

use super::bench::Bench;
use super::provider::Fault;
use super::scripted::{of, thing};

fn dependent() -> Bench {
    let mut bench = Bench::new([("base", thing().with("name", "base").on("$plain")), ("user", thing().with("name", "user"))]);
    bench.script.instances.insert("$plain".into(), Default::default());
    bench.script.instances.insert("$fake".into(), [("region".to_owned(), of("base", "id"))].into());
    bench
}

#[tokio::test]
async fn a_configuration_may_depend_on_a_resource() {
    let mut bench = dependent();
    assert_eq!(bench.planned().await, ["+ base", "+ user", "+2 ~0 -0 =0", "planned 2 of 2."]);
    assert!(!bench.calls().contains(&"plan user".to_owned()), "it is planned without its provider");
    assert_eq!(bench.applied().await, "+2 ~0 -0 =0");
    assert_eq!(bench.edges(), ["user -> base"]);
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 not read."]);
    bench.script.set("base", thing().with("name", "base").with("size", 2).on("$plain"));
    assert_eq!(bench.planned().await, ["-/+ base", "~ user", "+1 ~1 -1 =0", "planned 2 of 2, 1 refreshed."]);
    assert_eq!(bench.applied().await, "+1 ~0 -1 =0", "an update that turns out to change nothing is not counted");
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 not read."]);
}

#[tokio::test]
async fn an_instance_and_its_resources_leave_together() {
    let mut bench = dependent();
    bench.applied().await;
    bench.script.structs.clear();
    bench.script.instances.clear();
    bench.script.version += 1;
    bench.world.lock().unwrap().configured.clear();
    assert_eq!(bench.planned().await, ["- base", "- user", "+0 ~0 -2 =0", "planned 2 of 2."]);
    bench.lines();
    assert_eq!(bench.applied().await, "+0 ~0 -2 =0");
    assert_eq!(bench.lines()[0], "user: Delete... [id-2]");
    let configured = bench.world.lock().unwrap().configured.clone();
    assert!(configured.iter().any(|config| config.attribute("region").as_str() == Some("id-1")), "{configured:?}");
    assert!(bench.state.view().instances.is_empty(), "nobody needs the configurations any more");
}

#[tokio::test]
async fn a_refused_configuration_is_one_error() {
    let mut bench = Bench::new([("a", thing().with("name", "a")), ("b", thing().with("name", "b"))]);
    bench.script.instances.insert("$fake".into(), [("region".to_owned(), "nowhere".into())].into());
    assert_eq!(bench.planned().await, ["Error: configure rejected"]);
    assert_eq!(bench.records(), [""; 0]);
}

#[tokio::test]
async fn equal_configurations_share_a_provider() {
    let mut bench = Bench::new([("a", thing().with("name", "a")), ("b", thing().with("name", "b").on("$other"))]);
    bench.script.instances.insert("$other".into(), [("region".to_owned(), "here".into())].into());
    bench.planned().await;
    assert_eq!(bench.world.lock().unwrap().started, 1);
}

#[tokio::test]
async fn moving_to_another_instance_is_noticed_and_recorded() {
    let mut bench = Bench::new([("a", thing().with("name", "a")), ("b", thing().with("name", "b").on("$other"))]);
    bench.script.instances.insert("$other".into(), [("region".to_owned(), "here".into())].into());
    bench.applied().await;
    bench.script.set("a", thing().with("name", "a").on("$other"));
    assert_eq!(bench.planned().await, ["planned 1 of 2, 1 unchanged and skipped, 1 refreshed, 1 not read."]);
    assert_eq!(bench.applied().await, "+0 ~0 -0 =0");
    let record = bench.state.view().record(&"a".parse().unwrap()).unwrap().unwrap();
    assert_eq!(record.instance.as_str(), "$other");
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 not read."]);
}

#[tokio::test]
async fn types_that_ask_for_it_travel_in_lists() {
    let names = ["a", "b", "c", "d"];
    let mut bench = Bench::new(names.map(|name| (name, thing().with("name", name))));
    bench.applied().await;
    let lists = |bench: &Bench| std::mem::take(&mut bench.world.lock().unwrap().lists);
    assert!(lists(&bench).iter().all(|length| *length == 1));
    bench.world.lock().unwrap().bulk = true;
    for name in names {
        bench.script.set(name, thing().with("name", name).with("note", "changed"));
    }
    assert_eq!(bench.planned().await, ["~ a", "~ b", "~ c", "~ d", "+0 ~4 -0 =0", "planned 4 of 4, 4 refreshed."]);
    let (calls, lists) = (bench.calls().len(), lists(&bench));
    assert_eq!(lists.iter().sum::<usize>(), 8, "each is read and planned once: {lists:?}");
    assert!(lists.len() < calls && lists.iter().any(|length| *length > 1), "{lists:?}");
    // One that is refused does not touch those that travel with it; a crash fails them all.
    bench.fault("plan b", Fault::Reject);
    assert_eq!(bench.planned().await, ["Error: plan rejected"]);
    bench.no_faults();
    bench.fault("read b", Fault::Crash);
    assert!(bench.planned().await.len() > 1);
}
