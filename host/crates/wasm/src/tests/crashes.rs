//! Guests that crash, answer nonsense or contradict themselves.

use std::sync::{Arc, Mutex};

use pravo_model::Value;
use pravo_model::provider::{ApplyRequest, CurrentObject, FailureKind, PlanRequest, Provider, StoredObject, Subject};
use pravo_model::specification::Kind;

use super::guest::{AREA, GuestText, answer};
use super::{Bench, call};
use crate::Limits;

/// A guest that traps when it is called a second time in one instance.
fn once() -> GuestText {
    let body = format!("(if (global.get $called) (then (unreachable))) (global.set $called (i32.const 1)) {}", answer(4096, 2));
    GuestText::default().declare(r#"(data (i32.const 4096) "\a1x") (global $called (mut i32) (i32.const 0))"#).call(&body)
}

#[tokio::test]
async fn a_trap_is_the_providers_bug() {
    let bench = Bench::new(Limits::default());
    for (body, words) in [
        ("(unreachable)", "unreachable"),
        ("(i32.load (i32.const -8))", "out of bounds memory access"),
        ("(i32.div_u (i32.const 1) (i32.const 0))", "integer divide by zero"),
        ("(i32.const 3)", "not aligned"),
        ("(i32.const -4)", "out of bounds"),
    ] {
        let provider = bench.provider(&GuestText::default().call(body), "{}");
        let failure = call(&provider).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Crashed, "{failure:?}");
        assert!(
            failure.message.starts_with("the provider test/guest failed to call f: it crashed (") && failure.message.contains(words),
            "{words}: {failure:?}"
        );
        assert!(failure.message.ends_with("; this is a bug of the provider"), "{failure}");
    }
}

#[tokio::test]
async fn after_a_crash_there_is_a_fresh_instance() {
    let bench = Bench::new(Limits::default());
    let provider = bench.provider(&once(), "{}");
    for _ in 0..3 {
        assert_eq!(call(&provider).await.unwrap().value, Some("x".into()));
        assert_eq!(call(&provider).await.unwrap_err().kind, FailureKind::Crashed);
    }
}

#[tokio::test]
async fn a_crash_leaves_other_providers_alone() {
    let bench = Bench::new(Limits::default());
    let loaded = bench.load(&once().component()).unwrap();
    let (one, two) = (loaded.provider("one", &Default::default()), loaded.provider("two", &Default::default()));
    call(&one).await.unwrap();
    assert!(call(&one).await.unwrap_err().message.starts_with("the provider one failed"));
    assert_eq!(call(&two).await.unwrap().value, Some("x".into()));
}

#[tokio::test]
async fn what_was_printed_is_shown_without_control_characters() {
    let wasi = "package wasi:io@0.2.6 {
            interface error { resource error; }
            interface streams { use error.{error}; variant stream-error { last-operation-failed(error), closed }
                resource output-stream { blocking-write-and-flush: func(contents: list<u8>) -> result<_, stream-error>; } } }
        package wasi:cli@0.2.6 { interface stderr { use wasi:io/streams@0.2.6.{output-stream}; get-stderr: func() -> output-stream; } }";
    let guest = GuestText::default()
        .world(wasi, "wasi:cli/stderr@0.2.6")
        .import("wasi:cli/stderr@0.2.6", "get-stderr", "$stderr (result i32)")
        .import("wasi:io/streams@0.2.6", "[method]output-stream.blocking-write-and-flush", "$print (param i32 i32 i32 i32)")
        .declare(r#"(data (i32.const 4096) "\1b[2J\1b]0;title\07panicked\r\0afine")"#)
        .call(&format!(
            "(local $stream i32) (local $i i32) (local.set $stream (call $stderr))
             (loop (call $print (local.get $stream) (i32.const 65536) (i32.const 4096) (i32.const {AREA})) (local.set $i (i32.add (local.get $i) (i32.const 1))) (br_if 0 (i32.lt_u (local.get $i) (i32.const 2000))))
             (call $print (local.get $stream) (i32.const 4096) (i32.const 28) (i32.const {AREA})) (unreachable)"
        ));
    let bench = Bench::new(Limits::default());
    let failure = call(&bench.provider(&guest, "{}")).await.unwrap_err();
    assert!(failure.detail.contains("\\u{1b}[2J\\u{1b}]0;title\\u{7}panicked\\r\nfine"), "{:?}", failure.detail);
    assert!(failure.detail.len() < 100_000 && !failure.detail.contains('\x1b') && !failure.message.contains('\x1b'));
}

#[tokio::test]
async fn a_guest_that_ends_itself_has_crashed() {
    let wasi = "package wasi:cli@0.2.6 { interface exit { exit: func(status: result); } }";
    let guest = GuestText::default()
        .world(wasi, "wasi:cli/exit@0.2.6")
        .import("wasi:cli/exit@0.2.6", "exit", "$exit (param i32)")
        .call("(call $exit (i32.const 0)) (unreachable)");
    let failure = call(&Bench::new(Limits::default()).provider(&guest, "{}")).await.unwrap_err();
    assert_eq!(failure.message, "the provider test/guest failed to call f: it ended itself with status 0; this is a bug of the provider");
}

#[tokio::test]
async fn values_of_nonsense_are_refused() {
    for bytes in ["\\c1", "", "\\a5abc", "\\c3", "\\01", "\\a1x\\a1y", "\\a1\\ff", "\\dd\\ff\\ff\\ff\\ff", "\\c7\\ff\\00", "\\91\\a1x"] {
        let length = bytes.matches('\\').count() + bytes.split('\\').map(|part| part.len().saturating_sub(2)).sum::<usize>();
        let guest = GuestText::default().declare(&format!("(data (i32.const 4096) \"{bytes}\")")).call(&answer(4096, u32::try_from(length).unwrap()));
        let failure = call(&Bench::new(Limits::default()).provider(&guest, "{}")).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Invalid, "{bytes}: {failure}");
        assert!(failure.message.starts_with("the provider test/guest failed to call f: it gave an invalid answer: "), "{failure}");
    }
}

#[tokio::test]
async fn deep_values_are_refused() {
    // A million arrays in one another.
    let body = format!("(memory.fill (i32.const 65536) (i32.const 0x91) (i32.const 1000000)) {}", answer(65_536, 1_000_000));
    let failure = call(&Bench::new(Limits::default()).provider(&GuestText::default().call(&body), "{}")).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Invalid, "{failure}");
}

fn empty() -> Value {
    Value::object::<String>([])
}

async fn configured(guest: GuestText) -> Arc<dyn Provider> {
    let provider = Bench::new(Limits::default()).provider(&guest, "{}");
    assert!(provider.configure(&empty()).await.unwrap().value.is_some());
    provider
}

#[tokio::test]
async fn the_number_of_results_is_checked() {
    // Lists of none.
    let provider = configured(GuestText::default()).await;
    let object = CurrentObject { value: empty(), private: Vec::new() };
    let request = PlanRequest { prior: Value::Null, config: empty(), proposed: empty(), private: Vec::new() };
    assert_eq!(
        provider.read("thing", &[object]).await.unwrap_err().message,
        "the provider test/guest failed to read thing: it gave an invalid answer: 0 results for 1 requests; this is a bug of the provider"
    );
    assert!(provider.plan("thing", &[request]).await.unwrap_err().message.contains("0 results for 1 requests"));
    assert!(provider.read("thing", &[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_the_schema_does_not_have_is_not_asked() {
    let provider = configured(GuestText::default()).await;
    let failure = provider.read_data("other", &empty()).await.unwrap_err();
    assert_eq!(failure.message, "the provider test/guest failed to read data other: it has no data source other");
    assert!(provider.call_function("g", &[]).await.unwrap_err().message.contains("it has no such function"));
    assert!(provider.call_function("f", &[Value::Null]).await.unwrap_err().message.contains("1 arguments for 0 parameters"));
    let wrong = provider.read_data("thing", &Value::object([("a", Value::Null)])).await.unwrap_err();
    assert!(wrong.message.contains("the request does not fit its schema"), "{wrong}");
}

#[tokio::test]
async fn every_operation_reaches_the_guest() {
    let trap = |name| GuestText::default().function(name, "(unreachable)");
    let stored = StoredObject { type_name: "thing".into(), version: 0, json: b"{}".to_vec() };
    let apply = ApplyRequest { prior: Value::Null, planned: empty(), config: empty(), private: vec![1, 2] };
    let plan = PlanRequest { prior: Value::Null, config: empty(), proposed: empty(), private: Vec::new() };
    let read = CurrentObject { value: empty(), private: Vec::new() };
    let provider = configured(trap("validate-provider")).await;
    assert!(provider.validate(Subject::Provider, &empty()).await.unwrap_err().message.contains("check its configuration"));
    let provider = configured(trap("validate")).await;
    for kind in [Kind::Resource, Kind::Data, Kind::Ephemeral] {
        assert!(provider.validate(Subject::Body(kind, "thing"), &empty()).await.unwrap_err().message.contains("check thing"));
    }
    assert!(configured(trap("upgrade")).await.upgrade(&stored).await.unwrap_err().message.contains("upgrade thing"));
    assert!(configured(trap("[method]configured.read")).await.read("thing", &[read]).await.unwrap_err().message.contains("read thing"));
    assert!(configured(trap("[method]configured.plan")).await.plan("thing", &[plan]).await.unwrap_err().message.contains("plan thing"));
    assert!(
        configured(trap("[method]configured.apply"))
            .await
            .apply("thing", &apply, Arc::new(|_| {}))
            .await
            .unwrap_err()
            .message
            .contains("apply thing")
    );
    assert!(configured(trap("[method]configured.import")).await.import("thing", "id").await.unwrap_err().message.contains("import thing"));
    assert!(
        configured(trap("[method]configured.read-data")).await.read_data("thing", &empty()).await.unwrap_err().message.contains("read data thing")
    );
    assert!(configured(trap("[method]configured.open")).await.open("thing", &empty()).await.unwrap_err().message.contains("open thing"));
    assert!(configured(trap("[method]configured.renew")).await.renew("thing", b"x").await.unwrap_err().message.contains("renew thing"));
    assert!(configured(trap("[method]configured.close")).await.close("thing", b"x").await.unwrap_err().message.contains("close thing"));
    // And none of them fails where the guest answers.
    let provider = configured(GuestText::default()).await;
    assert!(provider.validate(Subject::Provider, &empty()).await.unwrap().value.is_some());
    assert!(provider.validate(Subject::Body(Kind::Data, "thing"), &empty()).await.unwrap().value.is_some());
    assert!(provider.upgrade(&stored).await.unwrap().value.is_none());
    assert!(provider.open("thing", &empty()).await.unwrap().value.is_none());
    assert!(provider.close("thing", b"").await.unwrap().value.is_some());
}

#[tokio::test]
async fn an_unconfigured_provider_says_so() {
    let provider = Bench::new(Limits::default()).provider(&GuestText::default(), "{}");
    let failure = provider.import("thing", "x").await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailureKind::Unavailable, "the provider test/guest failed to import thing: it was not configured")
    );
}

/// Refuses its configuration: one error with a summary and a path.
fn refusing(count: u32) -> GuestText {
    let error = format!(
        "(i32.store8 (i32.const {AREA}) (i32.const 0)) (i32.store offset=8 (i32.const {AREA}) (i32.const 5000)) (i32.store offset=12 (i32.const {AREA}) (i32.const 1))
         (i32.store8 (i32.const 5000) (i32.const 1)) (i32.store offset=4 (i32.const 5000) (i32.const 4096)) (i32.store offset=8 (i32.const 5000) (i32.const 9))
         (i32.store offset=12 (i32.const 5000) (i32.const 4105)) (i32.store offset=16 (i32.const 5000) (i32.const 6)) (i32.store offset=20 (i32.const 5000) (i32.const 0)) (i32.store offset=24 (i32.const 5000) (i32.const 0))"
    );
    let fine = format!(
        "(i32.store8 (i32.const {AREA}) (i32.const 1)) (i32.store offset=4 (i32.const {AREA}) (call $new (i32.const 7))) (i32.store offset=8 (i32.const {AREA}) (i32.const 0)) (i32.store offset=12 (i32.const {AREA}) (i32.const 0))"
    );
    GuestText::default()
        .declare(r#"(data (i32.const 4096) "bad\1btokenwhy\0a\1b!")"#)
        .function("configure", &format!("(if (i32.const {count}) (then {error}) (else {fine})) (i32.const {AREA})"))
}

#[tokio::test]
async fn a_refused_configuration_is_an_answer() {
    let provider = Bench::new(Limits::default()).provider(&refusing(1), "{}");
    let reply = provider.configure(&empty()).await.unwrap();
    assert!(reply.value.is_none());
    let diagnostic = &reply.diagnostics[0];
    assert_eq!((diagnostic.error, diagnostic.summary.as_str(), diagnostic.detail.as_str()), (true, "bad\\u{1b}token", "why\n\\u{1b}!"));
    assert!(provider.import("thing", "x").await.unwrap_err().message.contains("it was not configured"));
}

#[tokio::test]
async fn neither_configured_nor_an_error_is_nonsense() {
    let guest = GuestText::default().function("configure", "(i32.const 1024)");
    let failure = Bench::new(Limits::default()).provider(&guest, "{}").configure(&empty()).await.unwrap_err();
    assert!(failure.message.contains("neither a configured provider nor an error"), "{failure}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_instance_is_configured_once() {
    // Traps when it is configured twice, or used without being configured.
    let fine = format!(
        "(if (global.get $configured) (then (unreachable))) (global.set $configured (i32.const 1)) (i32.store8 (i32.const {AREA}) (i32.const 1)) (i32.store offset=4 (i32.const {AREA}) (call $new (i32.const 7))) (i32.store offset=8 (i32.const {AREA}) (i32.const 0)) (i32.store offset=12 (i32.const {AREA}) (i32.const 0)) (i32.const {AREA})"
    );
    let guest = GuestText::default()
        .declare("(global $configured (mut i32) (i32.const 0))")
        .function("configure", &fine)
        .function("[method]configured.read-data", "(if (i32.eqz (global.get $configured)) (then (unreachable))) (if (i32.ne (local.get 0) (i32.const 7)) (then (unreachable))) (i32.const 1024)");
    let provider = configured(guest).await;
    let calls: Vec<_> = (0..40)
        .map(|_| {
            let provider = provider.clone();
            tokio::spawn(async move { provider.read_data("thing", &empty()).await })
        })
        .collect();
    for outcome in futures::future::join_all(calls).await {
        outcome.unwrap().unwrap();
    }
    // A new configuration retires them all.
    provider.configure(&empty()).await.unwrap();
    provider.read_data("thing", &empty()).await.unwrap();
}

#[tokio::test]
async fn a_cancelled_call_retires_its_instance() {
    let bench = Bench::new(Limits::default());
    let guest = GuestText::default()
        .declare(r#"(data (i32.const 4096) "\a1x") (global $busy (mut i32) (i32.const 0))"#)
        .call(&format!("(if (global.get $busy) (then (unreachable))) (global.set $busy (i32.const 1)) (loop (br 0)) {}", answer(4096, 2)));
    let provider = bench.provider(&guest, "{}");
    provider.schema().await.unwrap();
    for _ in 0..3 {
        let cancelled = tokio::time::timeout(std::time::Duration::from_millis(50), call(&provider)).await;
        assert!(cancelled.is_err(), "{cancelled:?}: a used instance would trap");
    }
    // The schema is still known, and the provider still answers.
    assert!(provider.schema().await.is_ok());
}

#[tokio::test]
async fn stopping_is_told_to_the_guest() {
    let guest = GuestText::default()
        .import("pravo:provider/host@0.1.0", "stopping", "$stopping (result i32)")
        .declare(r#"(data (i32.const 4096) "\a2no") (data (i32.const 4100) "\a3yes")"#)
        .call(&format!("(if (result i32) (call $stopping) (then {}) (else {}))", answer(4100, 4), answer(4096, 3)));
    let provider = Bench::new(Limits::default()).provider(&guest, "{}");
    assert_eq!(call(&provider).await.unwrap().value, Some("no".into()));
    provider.stop().await;
    assert_eq!(call(&provider).await.unwrap().value, Some("yes".into()));
}

#[tokio::test]
async fn progress_is_passed_on() {
    let guest = GuestText::default()
        .import("pravo:provider/host@0.1.0", "progress", "$progress (param i32 i32)")
        .declare(r#"(data (i32.const 4096) "half\1b done")"#)
        .function("[method]configured.apply", "(call $progress (i32.const 4096) (i32.const 10)) (i32.const 1024)");
    let provider = configured(guest).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = seen.clone();
    let request = ApplyRequest { prior: Value::Null, planned: empty(), config: empty(), private: Vec::new() };
    provider.apply("thing", &request, Arc::new(move |text| sink.lock().unwrap().push(text.to_owned()))).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["half\\u{1b} done"]);
}
