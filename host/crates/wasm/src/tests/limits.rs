//! Every limit, tripped.

use std::time::{Duration, Instant};

use pravo_model::provider::{FailureKind, ProviderFailure};
use pravo_model::{Value, provider::ApplyRequest};

use super::guest::{AREA, GuestText, ZEROS, answer};
use super::{Bench, call};
use crate::{Limit, Limits};

const HOST: &str = "pravo:provider/host@0.1.0";
const FILES: &str = "pravo:provider/files@0.1.0";
const WRITE_ROOT: &str = r#"{"fs":[{"path":".","access":"write"}]}"#;

fn limits(limit: Limit, value: u64) -> Limits {
    Limits::default().with(limit, value)
}

async fn fails(guest: GuestText, limits: Limits, grants: &str) -> ProviderFailure {
    let bench = Bench::new(limits);
    let provider = bench.provider(&guest.needs(grants), grants);
    provider.schema().await.unwrap();
    let failure = call(&provider).await.unwrap_err();
    // The next call gets a fresh instance, which ends the same way.
    assert_eq!(call(&provider).await.unwrap_err().kind, failure.kind);
    failure
}

fn assert_exceeded(failure: &ProviderFailure, limit: Limit, value: &str) {
    let expected =
        format!("the provider test/guest failed to call f: it exceeded its {} limit of {value}; raise it with {}=", limit.name(), limit.variable());
    assert!(failure.message.starts_with(&expected), "{failure:?}\n{expected}");
}

#[tokio::test]
async fn an_endless_loop_ends_at_the_cpu_limit() {
    let start = Instant::now();
    let failure = fails(GuestText::default().call("(loop (br 0)) (unreachable)"), limits(Limit::CpuTime, 200), "{}").await;
    assert_exceeded(&failure, Limit::CpuTime, "200ms");
    assert_eq!(failure.kind, FailureKind::Limit);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[tokio::test]
async fn an_endless_fill_of_memory_ends_at_the_cpu_limit() {
    let body = "(loop (memory.fill (i32.const 65536) (i32.const 1) (i32.const 1900000)) (br 0)) (unreachable)";
    assert_exceeded(&fails(GuestText::default().call(body), limits(Limit::CpuTime, 200), "{}").await, Limit::CpuTime, "200ms");
}

#[tokio::test]
async fn an_endless_start_function_ends_at_the_cpu_limit() {
    let bench = Bench::new(limits(Limit::CpuTime, 200));
    let guest = GuestText::default().declare("(func $forever (loop (br 0))) (start $forever)");
    let failure = bench.provider(&guest, "{}").schema().await.unwrap_err();
    assert!(failure.message.contains("it exceeded its cpu-time limit of 200ms"), "{failure}");
}

/// Ten calls share the processors: each has its whole processor time, however long it takes by the clock.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_at_the_same_time_do_not_use_up_each_others_cpu_time() {
    // About a tenth of a second of work for an optimised loop.
    let work =
        "(local $i i32) (loop (local.set $i (i32.add (local.get $i) (i32.const 1))) (br_if 0 (i32.lt_u (local.get $i) (i32.const 100000000))))";
    let guest = GuestText::default().declare(r#"(data (i32.const 4096) "\a1x")"#).call(&format!("{work} {}", answer(4096, 2)));
    let alone = Bench::new(Limits::default());
    let provider = alone.provider(&guest, "{}");
    provider.schema().await.unwrap();
    let start = Instant::now();
    call(&provider).await.unwrap();
    let one = start.elapsed();
    let most = u64::try_from(one.as_millis()).unwrap() * 3 + 40;
    let bench = Bench::new(limits(Limit::CpuTime, most));
    let provider = bench.provider(&guest, "{}");
    provider.schema().await.unwrap();
    let start = Instant::now();
    let calls: Vec<_> = (0..12)
        .map(|_| {
            let provider = provider.clone();
            tokio::spawn(async move { call(&provider).await })
        })
        .collect();
    for outcome in futures::future::join_all(calls).await {
        outcome.unwrap().unwrap();
    }
    assert!(start.elapsed() > one * 4, "the calls were to compete: one takes {one:?}, all {:?}", start.elapsed());
}

#[tokio::test]
async fn a_wait_for_ever_ends_at_the_wall_clock() {
    let wasi = "package wasi:io@0.2.6 { interface poll { resource pollable { block: func(); } } }
                package wasi:clocks@0.2.6 { interface monotonic-clock { use wasi:io/poll@0.2.6.{pollable}; subscribe-duration: func(when: u64) -> pollable; } }";
    let guest = GuestText::default()
        .world(wasi, "wasi:clocks/monotonic-clock@0.2.6")
        .import("wasi:clocks/monotonic-clock@0.2.6", "subscribe-duration", "$sleep (param i64) (result i32)")
        .import("wasi:io/poll@0.2.6", "[method]pollable.block", "$block (param i32)")
        .call("(call $block (call $sleep (i64.const 86400000000000))) (unreachable)");
    let start = Instant::now();
    let failure = fails(guest, limits(Limit::WallClock, 200), "{}").await;
    assert_exceeded(&failure, Limit::WallClock, "200ms");
    assert_eq!(failure.kind, FailureKind::TimedOut);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_memory_bomb_meets_the_memory_limit() {
    // Grows until it is refused, then aborts, as allocators do.
    let body = "(loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) (unreachable)";
    assert_exceeded(&fails(GuestText::default().call(body), limits(Limit::Memory, 16 << 20), "{}").await, Limit::Memory, "16MiB");
}

#[tokio::test]
async fn a_guest_that_copes_with_full_memory_goes_on() {
    let bench = Bench::new(limits(Limit::Memory, 16 << 20));
    let body = format!("(loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) {}", answer(4096, 2));
    let provider = bench.provider(&GuestText::default().declare(r#"(data (i32.const 4096) "\a1x")"#).call(&body), "{}");
    assert_eq!(call(&provider).await.unwrap().value, Some("x".into()));
    // The crowded instance is not used again: the next one has all its memory.
    assert_eq!(call(&provider).await.unwrap().value, Some("x".into()));
}

#[tokio::test]
async fn a_large_declared_memory_is_refused() {
    let bench = Bench::new(limits(Limit::Memory, 64 << 20));
    let failure = bench.provider(&GuestText::default().pages(16_384), "{}").schema().await.unwrap_err();
    assert!(failure.message.contains("it exceeded its memory limit of 64MiB"), "{failure}");
}

#[tokio::test]
async fn tables_count_as_memory() {
    let guest = GuestText::default()
        .declare("(table $table 1 funcref)")
        .call("(loop (br_if 0 (i32.ne (table.grow $table (ref.null func) (i32.const 10000)) (i32.const -1)))) (unreachable)");
    assert_exceeded(&fails(guest, limits(Limit::Memory, 16 << 20), "{}").await, Limit::Memory, "16MiB");
}

#[tokio::test]
async fn deep_recursion_ends_at_the_stack_limit() {
    for functions in [
        "(func $a (param i32) (result i32) (i32.add (i32.const 1) (call $a (local.get 0))))",
        "(func $a (param i32) (result i32) (i32.add (i32.const 1) (call $b (local.get 0)))) (func $b (param i32) (result i32) (i32.add (i32.const 1) (call $a (local.get 0))))",
    ] {
        let guest = GuestText::default().declare(functions).call("(call $a (i32.const 1))");
        assert_exceeded(&fails(guest, Limits::default(), "{}").await, Limit::Stack, "1MiB");
    }
}

#[tokio::test]
async fn a_large_result_is_refused() {
    let body = format!("(drop (memory.grow (i32.const 800))) {}", answer(65_536, 50 << 20));
    assert_exceeded(&fails(GuestText::default().call(&body), Limits::default(), "{}").await, Limit::Transfer, "16MiB");
}

#[tokio::test]
async fn handles_are_limited() {
    let guest = GuestText::default().call("(loop (drop (call $new (i32.const 1))) (br 0)) (unreachable)");
    assert_exceeded(&fails(guest, limits(Limit::Handles, 100), "{}").await, Limit::Handles, "100");
}

#[tokio::test]
async fn handles_of_the_host_are_limited() {
    let wasi = "package wasi:io@0.2.6 { interface poll { resource pollable; } }
                package wasi:clocks@0.2.6 { interface monotonic-clock { use wasi:io/poll@0.2.6.{pollable}; subscribe-duration: func(when: u64) -> pollable; } }";
    let guest = GuestText::default()
        .world(wasi, "wasi:clocks/monotonic-clock@0.2.6")
        .import("wasi:clocks/monotonic-clock@0.2.6", "subscribe-duration", "$sleep (param i64) (result i32)")
        .call("(loop (drop (call $sleep (i64.const 1))) (br 0)) (unreachable)");
    assert_exceeded(&fails(guest, limits(Limit::Handles, 100), "{}").await, Limit::Handles, "100");
}

fn logging(body: &str) -> GuestText {
    GuestText::default().import(HOST, "log", "$log (param i32 i32 i32)").import(HOST, "progress", "$progress (param i32 i32)").call(body)
}

#[tokio::test]
async fn a_flood_of_log_lines_ends_at_the_log_limit() {
    for line in [
        "(call $log (i32.const 2) (i32.const 65536) (i32.const 60))",
        "(call $progress (i32.const 65536) (i32.const 60))",
        "(call $log (i32.const 2) (i32.const 0) (i32.const 0))",
    ] {
        let failure = fails(logging(&format!("(loop {line} (br 0)) (unreachable)")), limits(Limit::Log, 100_000), "{}").await;
        assert!(failure.message.contains("it exceeded its log limit of 100000 bytes; raise it with PRAVO_LIMIT_LOG=200000"), "{failure}");
    }
}

#[tokio::test]
async fn a_huge_log_line_is_refused() {
    let failure = fails(logging("(call $log (i32.const 2) (i32.const 65536) (i32.const 2000000)) (unreachable)"), Limits::default(), "{}").await;
    assert_exceeded(&failure, Limit::Log, "1MiB");
}

#[tokio::test]
async fn a_flood_of_host_calls_ends_at_the_cpu_limit() {
    let guest = GuestText::default().import(HOST, "stopping", "$stopping (result i32)").call("(loop (drop (call $stopping)) (br 0)) (unreachable)");
    assert_exceeded(&fails(guest, limits(Limit::CpuTime, 200), "{}").await, Limit::CpuTime, "200ms");
}

/// A path of one letter that differs with each call, at address 5000; content and result anywhere.
fn writing(body: &str) -> GuestText {
    GuestText::default()
        .import(FILES, "write", "$write (param i32 i32 i32 i32 i32 i32 i32)")
        .import(FILES, "create-directory", "$mkdir (param i32 i32 i32 i32 i32)")
        .declare(r#"(data (i32.const 5000) "a") (func $next (i32.store8 (i32.const 5000) (i32.add (i32.load8_u (i32.const 5000)) (i32.const 1))))"#)
        .call(body)
}

#[tokio::test]
async fn bytes_written_are_limited() {
    let body = format!(
        "(loop (call $write (i32.const 5000) (i32.const 1) (i32.const 65536) (i32.const 10000) (i32.const 2) (i32.const 420) (i32.const {AREA})) (br 0)) (unreachable)"
    );
    assert_exceeded(&fails(writing(&body), limits(Limit::Written, 64 << 10), WRITE_ROOT).await, Limit::Written, "64KiB");
}

#[tokio::test]
async fn files_made_are_limited() {
    for make in [
        format!("(call $write (i32.const 5000) (i32.const 1) (i32.const 65536) (i32.const 0) (i32.const 0) (i32.const 420) (i32.const {AREA}))"),
        format!("(call $write (i32.const 5000) (i32.const 1) (i32.const 65536) (i32.const 0) (i32.const 1) (i32.const 420) (i32.const {AREA}))"),
        format!("(call $mkdir (i32.const 5000) (i32.const 1) (i32.const 493) (i32.const 1) (i32.const {AREA}))"),
    ] {
        let bench = Bench::new(limits(Limit::Files, 5));
        let guest = writing(&format!("(loop {make} (call $next) (br 0)) (unreachable)")).needs(WRITE_ROOT);
        assert_exceeded(&call(&bench.provider(&guest, WRITE_ROOT)).await.unwrap_err(), Limit::Files, "5");
        assert_eq!(std::fs::read_dir(bench.root.path()).unwrap().count(), 6, "the one beyond the limit is the last");
    }
}

#[tokio::test]
async fn a_file_larger_than_the_border_is_not_read() {
    let bench = Bench::new(limits(Limit::Transfer, 100_000));
    std::fs::write(bench.root.path().join("a"), vec![0; 100_001]).unwrap();
    // Gives the error's message as its own.
    let body = format!(
        "(call $read (i32.const 5000) (i32.const 1) (i32.const {AREA})) (if (i32.ne (i32.load8_u (i32.const {AREA})) (i32.const 1)) (then (unreachable)))
         (i32.store8 (i32.const 6000) (i32.const 0xda)) (i32.store8 (i32.const 6001) (i32.const 0)) (i32.store8 (i32.const 6002) (i32.load offset=12 (i32.const {AREA})))
         (memory.copy (i32.const 6003) (i32.load offset=8 (i32.const {AREA})) (i32.load offset=12 (i32.const {AREA})))
         (i32.store offset=8 (i32.const {ZEROS}) (i32.add (i32.const 3) (i32.load offset=12 (i32.const {AREA}))))
         (i32.store8 (i32.const {ZEROS}) (i32.const 1)) (i32.store offset=4 (i32.const {ZEROS}) (i32.const 6000)) (i32.const {ZEROS})"
    );
    let guest = GuestText::default()
        .import(FILES, "read", "$read (param i32 i32 i32)")
        .declare(r#"(data (i32.const 5000) "a")"#)
        .call(&body)
        .needs(WRITE_ROOT);
    let reply = call(&bench.provider(&guest, WRITE_ROOT)).await.unwrap();
    let expected = "read a: file too large: it exceeded its transfer limit of 100000 bytes; raise it with PRAVO_LIMIT_TRANSFER=200000";
    assert_eq!(reply.value, Some(expected.into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instances_are_limited_and_further_calls_wait() {
    let bench = Bench::new(limits(Limit::Instances, 2));
    // Each instance counts its calls: with two instances none of the numbers can reach beyond the number of calls.
    let guest = GuestText::default().declare(r#"(data (i32.const 4096) "\a1x")"#).call(&answer(4096, 2));
    let provider = bench.provider(&guest, "{}");
    let calls: Vec<_> = (0..50)
        .map(|_| {
            let provider = provider.clone();
            tokio::spawn(async move { call(&provider).await })
        })
        .collect();
    for outcome in futures::future::join_all(calls).await {
        assert_eq!(outcome.unwrap().unwrap().value, Some("x".into()));
    }
}

#[tokio::test]
async fn a_limit_of_one_call_is_not_spent_by_another() {
    let bench = Bench::new(limits(Limit::Log, 1_000));
    let body = format!("(call $log (i32.const 2) (i32.const 65536) (i32.const 600)) {}", answer(4096, 2));
    let provider = bench.provider(&logging(&body).declare(r#"(data (i32.const 4096) "\a1x")"#), "{}");
    for _ in 0..5 {
        assert_eq!(call(&provider).await.unwrap().value, Some("x".into()));
    }
}

#[tokio::test]
async fn an_apply_that_exceeds_a_limit_fails_alone() {
    let bench = Bench::new(limits(Limit::CpuTime, 100));
    let guest = GuestText::default()
        .declare(r#"(data (i32.const 4096) "\a1x")"#)
        .call(&answer(4096, 2))
        .function("[method]configured.apply", "(loop (br 0)) (unreachable)");
    let provider = bench.provider(&guest, "{}");
    provider.configure(&Value::object::<String>([])).await.unwrap();
    let request = ApplyRequest { prior: Value::Null, planned: Value::object::<String>([]), config: Value::object::<String>([]), private: Vec::new() };
    let (failed, called) = tokio::join!(provider.apply("thing", &request, std::sync::Arc::new(|_| {})), call(&provider));
    let message = failed.unwrap_err().message;
    assert!(message.starts_with("the provider test/guest failed to apply thing: it exceeded its cpu-time limit"), "{message}");
    assert_eq!(called.unwrap().value, Some("x".into()));
}
