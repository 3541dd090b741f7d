//! What a guest does not get unless it is granted.

use pravo_model::Value;
use pravo_model::provider::FailureKind;

use super::guest::{GuestText, answer};
use super::{Bench, call};
use crate::Limits;

/// A guest whose function is true where the body leaves anything but zero.
fn tells(guest: GuestText, body: &str) -> GuestText {
    let (yes, no) = (answer(4100, 4), answer(4096, 3));
    guest
        .declare(r#"(data (i32.const 4096) "\a2no") (data (i32.const 4100) "\a3yes")"#)
        .call(&format!("(if (result i32) {body} (then {yes}) (else {no}))"))
}

async fn told(guest: &GuestText, grants: &str) -> bool {
    let value = call(&Bench::new(Limits::default()).provider(guest, grants)).await.unwrap().value;
    value == Some(Value::from("yes"))
}

#[tokio::test]
async fn randomness_needs_a_grant() {
    let guest =
        GuestText::default().world("", "wasi:random/random@0.2.6").import("wasi:random/random@0.2.6", "get-random-u64", "$random (result i64)");
    let guest = tells(guest, "(i64.ne (call $random) (call $random))");
    let failure = call(&Bench::new(Limits::default()).provider(&guest, "{}")).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Denied);
    assert_eq!(
        failure.message,
        "the provider test/guest failed to call f: it asked for randomness, which it was not granted; allow it with $allow: random: true"
    );
    assert!(told(&guest, r#"{"random":true}"#).await);
}

/// What hash maps begin with is no secret and no entropy either.
#[tokio::test]
async fn the_insecure_seed_is_fixed_without_a_grant() {
    let guest = GuestText::default().world("", "wasi:random/insecure-seed@0.2.6").import(
        "wasi:random/insecure-seed@0.2.6",
        "insecure-seed",
        "$seed (param i32)",
    );
    let guest = tells(
        guest,
        "(call $seed (i32.const 6000)) (i64.ne (i64.or (i64.load (i32.const 6000)) (i64.load offset=8 (i32.const 6000))) (i64.const 0))",
    );
    assert!(!told(&guest, "{}").await);
    assert!(told(&guest, r#"{"random":true}"#).await);
}

#[tokio::test]
async fn the_clock_needs_a_grant() {
    let wasi = "package wasi:clocks@0.2.6 { interface wall-clock { record datetime { seconds: u64, nanoseconds: u32 } now: func() -> datetime; } }";
    let guest = GuestText::default().world(wasi, "wasi:clocks/wall-clock@0.2.6").import("wasi:clocks/wall-clock@0.2.6", "now", "$now (param i32)");
    let guest = tells(guest, "(call $now (i32.const 6000)) (i64.ne (i64.load (i32.const 6000)) (i64.const 0))");
    assert!(!told(&guest, "{}").await);
    assert!(told(&guest, r#"{"clock":true}"#).await);
}

#[tokio::test]
async fn the_environment_holds_what_is_granted() {
    let wasi = "package wasi:cli@0.2.6 { interface environment { get-environment: func() -> list<tuple<string, string>>; get-arguments: func() -> list<string>; } }";
    let guest = |function: &str| {
        let guest = GuestText::default().world(wasi, "wasi:cli/environment@0.2.6").import("wasi:cli/environment@0.2.6", function, "$get (param i32)");
        tells(guest, "(call $get (i32.const 6000)) (i32.load offset=4 (i32.const 6000))")
    };
    // Every process has a PATH; nothing is granted but what is named.
    assert!(std::env::var("PATH").is_ok() && std::env::args().count() > 0);
    assert!(!told(&guest("get-environment"), "{}").await);
    assert!(!told(&guest("get-environment"), r#"{"env":["PRAVO_NOT_SET_ANYWHERE"]}"#).await);
    assert!(told(&guest("get-environment"), r#"{"env":["PATH"]}"#).await);
    assert!(!told(&guest("get-arguments"), r#"{"env":["PATH"]}"#).await);
}

#[tokio::test]
async fn no_directory_is_opened_for_wasi() {
    let wasi = "package wasi:filesystem@0.2.6 { interface types { resource descriptor; } interface preopens { use types.{descriptor}; get-directories: func() -> list<tuple<descriptor, string>>; } }";
    let guest = GuestText::default().world(wasi, "wasi:filesystem/preopens@0.2.6").import(
        "wasi:filesystem/preopens@0.2.6",
        "get-directories",
        "$get (param i32)",
    );
    let guest = tells(guest, "(call $get (i32.const 6000)) (i32.load offset=4 (i32.const 6000))").needs(r#"{"fs":[{"path":".","access":"write"}]}"#);
    assert!(!told(&guest, r#"{"fs":[{"path":".","access":"write"}]}"#).await);
}

#[tokio::test]
async fn no_name_is_looked_up_and_no_socket_connects() {
    let wasi = "package wasi:sockets@0.2.6 {
            interface network { resource network; enum error-code { unknown, access-denied, not-supported, invalid-argument, out-of-memory, timeout, concurrency-conflict, not-in-progress, would-block, invalid-state, new-socket-limit, address-not-bindable, address-in-use, remote-unreachable, connection-refused, connection-reset, connection-aborted, datagram-too-large, name-unresolvable, temporary-resolver-failure, permanent-resolver-failure }
                enum ip-address-family { ipv4, ipv6 } }
            interface instance-network { use network.{network}; instance-network: func() -> network; }
            interface ip-name-lookup { use network.{network, error-code}; resource resolve-address-stream; resolve-addresses: func(network: borrow<network>, name: string) -> result<resolve-address-stream, error-code>; }
            interface tcp { resource tcp-socket; }
            interface tcp-create-socket { use network.{error-code, ip-address-family}; use tcp.{tcp-socket}; create-tcp-socket: func(address-family: ip-address-family) -> result<tcp-socket, error-code>; } }";
    let lookup = GuestText::default()
        .world(wasi, "wasi:sockets/instance-network@0.2.6")
        .import("wasi:sockets/instance-network@0.2.6", "instance-network", "$network (result i32)")
        .import("wasi:sockets/ip-name-lookup@0.2.6", "resolve-addresses", "$resolve (param i32 i32 i32 i32)")
        .declare(r#"(data (i32.const 5000) "localhost")"#);
    // 1 is an error, and the error is that access is denied.
    let lookup = tells(
        lookup,
        "(call $resolve (call $network) (i32.const 5000) (i32.const 9) (i32.const 6000)) (i32.and (i32.load8_u (i32.const 6000)) (i32.or (i32.eq (i32.load8_u offset=4 (i32.const 6000)) (i32.const 18)) (i32.eq (i32.load8_u offset=4 (i32.const 6000)) (i32.const 20))))",
    );
    assert!(told(&lookup, "{}").await);
    let create = GuestText::default().world(wasi, "wasi:sockets/tcp-create-socket@0.2.6").import(
        "wasi:sockets/tcp-create-socket@0.2.6",
        "create-tcp-socket",
        "$create (param i32 i32)",
    );
    let create = tells(
        create,
        "(call $create (i32.const 0) (i32.const 6000)) (i32.and (i32.load8_u (i32.const 6000)) (i32.eq (i32.load8_u offset=4 (i32.const 6000)) (i32.const 1)))",
    );
    assert!(told(&create, "{}").await);
}
