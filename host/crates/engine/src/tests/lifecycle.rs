//! `$depends_on` and `$lifecycle`, as the page of the meta fields shows them.

use pravo_model::specification::{IgnoreChanges, Meta};

use super::bench::Bench;
use super::scripted::{Expr, of, thing};

fn creates_first(meta: &mut Meta) {
    meta.create_before_destroy = true;
}

/// The page's root: `note` waits for `pet` without reading it.
fn page() -> Bench {
    Bench::new([("pet", thing().with("name", "pet").with("size", 2).meta(creates_first)), ("note", note("note", "default"))])
}

fn note(name: &str, note: &str) -> super::scripted::Struct {
    thing().with("name", name).with("note", note).after("pet").meta(|meta| {
        meta.ignore_changes = IgnoreChanges::Names(vec!["note".into()]);
        meta.refresh = Some("15m".parse().unwrap());
    })
}

#[tokio::test]
async fn the_page_of_the_meta_fields() {
    let mut bench = page();
    assert_eq!(bench.applied().await, "+2 ~0 -0 =0");
    assert_eq!(bench.edges(), ["note -> pet"]);
    bench.script.set("pet", thing().with("name", "pet").with("size", 3).meta(creates_first));
    bench.script.set("note", note("note", "other"));
    let expected = ["+/- pet", "+1 ~0 -1 =0", "planned 2 of 2, 1 refreshed, 1 within refresh age."];
    assert_eq!(bench.planned().await, expected);
    bench.lines();
    assert_eq!(bench.applied().await, "+1 ~0 -1 =0");
    let lines = [
        "pet: refreshing [id-1]",
        "pet: CreateReplacement...",
        "pet: CreateReplacement complete [id-3]",
        "pet: DeletePrevious... [id-1]",
        "pet: DeletePrevious complete [id-3]",
    ];
    assert_eq!(bench.lines(), lines);
    let view = bench.state.view();
    assert!(view.records["pet"].deposed.is_empty());

    bench.script.remove("note");
    bench.script.set("pet", thing().with("name", "pet").with("size", 4).meta(|meta| meta.prevent_destroy = true));
    let refused = "Error: pet: replacement requires destroying the resource, but $lifecycle.prevent_destroy is set";
    assert_eq!(bench.planned().await, [refused]);
    assert_eq!(bench.lines(), ["pet: refreshing [id-3]"]);
    bench.options.destroy = true;
    let refused =
        "Error: destroy refused: $lifecycle.prevent_destroy is set on pet; remove the setting from the specification to destroy the resource";
    assert_eq!(bench.planned().await, [refused]);
    assert_eq!(bench.lines(), [""; 0], "nothing is read before it is refused");
}

#[tokio::test]
async fn everything_can_be_ignored() {
    let mut bench = page();
    bench.applied().await;
    bench.script.set("note", thing().with("name", "a different text").meta(|meta| meta.ignore_changes = IgnoreChanges::All));
    assert_eq!(bench.planned().await, ["planned 1 of 2, 1 unchanged and skipped, 1 refreshed, 1 not read."]);
    assert_eq!(bench.applied().await, "+0 ~0 -0 =0");
    assert_eq!(bench.edges(), [""; 0], "an apply records edges");
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 not read."]);
}

#[tokio::test]
async fn an_update_sends_the_record_for_what_is_ignored() {
    let mut bench = page();
    bench.applied().await;
    bench.world.lock().unwrap().objects.get_mut("id-2").unwrap();
    bench.script.set("note", note("renamed", "other"));
    assert_eq!(bench.applied().await, "+0 ~1 -0 =0");
    let world = bench.world.lock().unwrap();
    assert_eq!(world.objects["id-2"].attribute("name").as_str(), Some("renamed"));
    assert_eq!(world.objects["id-2"].attribute("note").as_str(), Some("default"));
}

#[tokio::test]
async fn meta_fields_alone_change_nothing() {
    let mut bench = page();
    bench.applied().await;
    bench.script.set("pet", thing().with("name", "pet").with("size", 2));
    bench.script.set("note", thing().with("name", "note").with("note", "default"));
    assert_eq!(bench.planned().await, ["planned 0 of 2, 2 unchanged and skipped, 2 not read."]);
}

#[tokio::test]
async fn creating_first_spreads_to_replaced_dependencies() {
    let body = |size: i64| {
        [
            ("a", thing().with("name", "a").with("size", size)),
            ("b", thing().with("name", "b").with("note", of("a", "id"))),
            ("c", thing().with("name", "c").with("size", size).with("note", of("b", "id")).meta(creates_first)),
        ]
    };
    let mut bench = Bench::new(body(1));
    bench.applied().await;
    body(2).into_iter().for_each(|(address, body)| bench.script.set(address, body));
    assert_eq!(bench.planned().await, ["+/- a", "~ b", "+/- c", "+2 ~1 -2 =0", "planned 3 of 3, 3 refreshed."]);
    assert_eq!(bench.applied().await, "+2 ~1 -2 =0");
    assert_eq!(bench.world.lock().unwrap().objects.len(), 3);
}

#[tokio::test]
async fn cycles_are_errors_with_every_address() {
    let mut bench = Bench::new([
        ("c", thing().after("a")),
        ("b", thing().with("name", Expr::Text("x".into(), Box::new(of("c", "name")))).after("c")),
        ("a", thing().after("b")),
    ]);
    bench.script.set("c", thing().with("name", "c").after("a"));
    assert_eq!(bench.planned().await, ["Error: cycle: a -> b -> c -> a"]);
}

#[tokio::test]
async fn a_replacement_can_be_asked_for() {
    let mut bench = page();
    bench.applied().await;
    bench.options.replace = vec!["note".parse().unwrap()];
    assert_eq!(bench.planned().await, ["-/+ note", "+1 ~0 -1 =0", "planned 1 of 2, 1 unchanged and skipped, 1 within refresh age, 1 not read."]);
    bench.options.replace = vec!["nothing".parse().unwrap()];
    assert_eq!(bench.planned().await, ["Error: nothing names nothing in the specification or the state"]);
}
