//! Bytes that are no component that this host runs, and components that lie.

use super::guest::{GuestText, answer, manifest, schema};
use super::{Bench, call, hash};
use crate::{Limit, Limits, LoadError};
use pravo_model::provider::FailureKind;

fn text() -> GuestText {
    GuestText::default().declare(r#"(data (i32.const 4096) "\a3abc")"#).call(&answer(4096, 4))
}

fn refusal(bytes: &[u8]) -> String {
    match Bench::new(Limits::default()).load(bytes) {
        Ok(loaded) => panic!("accepted: {loaded:?}"),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_component_is_called() {
    let bench = Bench::new(Limits::default());
    let loaded = bench.load(&text().component()).unwrap();
    assert_eq!((loaded.manifest().name.as_str(), loaded.manifest().version.as_str()), ("test/guest", "1.2.3"));
    assert_eq!(loaded.imports().iter().collect::<Vec<_>>(), ["pravo:provider/types@0.1.0"]);
    let provider = loaded.provider("test/guest", &Default::default());
    assert_eq!(*provider.schema().await.unwrap(), schema());
    assert_eq!(call(&provider).await.unwrap().value, Some("abc".into()));
}

#[test]
fn other_bytes_are_told_apart() {
    let component = text().component();
    for (bytes, expected) in [
        (&b""[..], "magic number"),
        (b"#!/bin/sh\n", "magic number"),
        (b"\x7fELF\x02\x01\x01", "native code"),
        (b"\0asm\x01\0\0\0", "core module"),
        (&text().module(), "core module"),
        (b"\0asm\x0e\0\x01\0", "unknown version"),
        (b"\0asm\x0d\0\x01\0", "is missing"),
        (&component[..component.len() / 2], "damaged or cut off"),
        (&component[..component.len() - 1], "damaged or cut off"),
    ] {
        let refused = refusal(bytes);
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
}

#[test]
fn no_cut_or_flipped_component_panics() {
    let component = text().component();
    let bench = Bench::new(Limits::default());
    for end in (0..component.len()).step_by(7) {
        // Only what follows the exports may be missing: sections with notes.
        let accepted = bench.load(&component[..end]).is_ok();
        assert!(!accepted || end > component.len() * 3 / 4, "cut at {end} of {}", component.len());
    }
    for at in (0..component.len()).step_by(101) {
        let mut flipped = component.clone();
        flipped[at] ^= 0x10;
        // Either is fine: a flip in the data changes a text only.
        drop(bench.load(&flipped));
    }
}

#[test]
fn compiled_code_from_outside_is_never_accepted() {
    let engine = crate::engine::new(&Limits::default()).unwrap();
    let compiled = wasmtime::component::Component::from_binary(&engine, &text().component()).unwrap().serialize().unwrap();
    assert!(refusal(&compiled).contains("native code"), "{}", refusal(&compiled));
}

#[test]
fn a_changed_component_is_refused_before_it_is_compiled() {
    let component = text().component();
    let error = Bench::new(Limits::default()).host.load(&component, &hash(b"other")).unwrap_err();
    assert!(matches!(&error, LoadError::Tampered { expected, found } if *expected == hash(b"other") && *found == hash(&component)), "{error}");
    // However the hash is written.
    assert!(Bench::new(Limits::default()).host.load(&component, &hash(&component).to_uppercase()).is_ok());
}

#[test]
fn a_component_that_is_too_large_is_refused() {
    let error = Bench::new(Limits::default().with(Limit::Component, 4096)).load(&text().component()).unwrap_err();
    assert_eq!(error.to_string(), "the component is too large: it exceeded its component limit of 4KiB; raise it with PRAVO_LIMIT_COMPONENT=8KiB");
}

#[test]
fn manifests_are_checked() {
    for (text, expected) in [
        (r#"{"world":"0.2","answer":42}"#, "built for version 0.2 of the provider world, this pravo runs version 0.1"),
        (r#"{"name":"a/b"}"#, "cannot be read: missing field `world`"),
        ("", "cannot be read"),
        ("\u{0}", "cannot be read"),
        (r#"{"world":"0.1","name":"A/b","version":"1.0.0"}"#, "has the name \"A/b\""),
        (r#"{"world":"0.1","name":"../x","version":"1.0.0"}"#, "has the name \"../x\""),
        (r#"{"world":"0.1","name":"a","version":"1.0.0"}"#, "has the name \"a\""),
        (r#"{"world":"0.1","name":"a/b","version":"1"}"#, "has the version \"1\""),
        (r#"{"world":"0.1","name":"a/b","version":"1.0.0","needs":{"shell":true}}"#, "unknown field `shell`"),
        (r#"{"world":"0.1","name":"a/b","version":"1.0.0","needs":{"fs":[{"path":"/../x","access":"read"}]}}"#, "path of a grant"),
    ] {
        let refused = refusal(&GuestText::default().manifest(text).component());
        assert!(refused.contains(expected), "{text}: {refused}");
    }
    let large = format!("{}{}", manifest("{}"), " ".repeat(70_000));
    assert!(refusal(&GuestText::default().manifest(&large).component()).contains("larger than 65536 bytes"));
    let twice = GuestText::default().declare(r#"(@custom "pravo:manifest" "{}")"#);
    assert!(refusal(&twice.component()).contains("more than once"));
}

#[test]
fn undeclared_imports_are_refused_by_name() {
    for (package, import, name, expected) in [
        (
            "package evil:host@1.0.0 { interface api { steal: func(); } }",
            "evil:host/api@1.0.0",
            "steal",
            "imports evil:host/api@1.0.0, which pravo does not offer",
        ),
        (
            "package wasi:http@0.2.0 { interface outgoing-handler { steal: func(); } }",
            "wasi:http/outgoing-handler@0.2.0",
            "steal",
            "imports wasi:http/outgoing-handler@0.2.0",
        ),
        (
            "package wasi:cli@0.3.0 { interface environment { steal: func(); } }",
            "wasi:cli/environment@0.3.0",
            "steal",
            "imports wasi:cli/environment@0.3.0",
        ),
        (
            "package wasi:keyvalue@0.2.0 { interface store { steal: func(); } }",
            "wasi:keyvalue/store@0.2.0",
            "steal",
            "imports wasi:keyvalue/store@0.2.0",
        ),
    ] {
        let guest = GuestText::default().world(package, import).import(import, name, "$steal");
        let refused = refusal(&guest.component());
        assert!(refused.contains(expected), "{refused}");
    }
}

/// A function that no interface of WASI has: found when it is linked, before anything runs.
#[test]
fn an_unknown_function_of_a_known_interface_is_refused() {
    let package = "package wasi:cli@0.2.0 { interface environment { steal: func(); } }";
    let guest = GuestText::default().world(package, "wasi:cli/environment@0.2.0").import("wasi:cli/environment@0.2.0", "steal", "$steal");
    let refused = refusal(&guest.component());
    assert!(refused.contains("cannot be compiled") && refused.contains("steal"), "{refused}");
}

#[test]
fn files_need_a_stated_need() {
    let guest = || GuestText::default().import("pravo:provider/files@0.1.0", "root", "$root (param i32)");
    let refused = refusal(&guest().component());
    assert!(refused.contains("imports pravo:provider/files@0.1.0, but its manifest does not state the need"), "{refused}");
    assert!(Bench::new(Limits::default()).load(&guest().needs(r#"{"fs":[{"path":".","access":"read"}]}"#).component()).is_ok());
}

#[test]
fn more_than_one_memory_and_wide_memories_do_not_compile() {
    for memories in ["(memory 1)", "(memory i64 1)"] {
        let module = wat::parse_str(format!("(module (memory 1) {memories} (@custom \"pravo:manifest\" {:?}))", manifest("{}"))).unwrap();
        let wrapped = wat::parse_str("(component)").unwrap();
        let mut component = wrapped;
        component.push(1);
        leb(&mut component, module.len());
        component.extend(module);
        let refused = refusal(&component);
        assert!(refused.contains("cannot be compiled"), "{refused}");
    }
}

fn leb(bytes: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// A component that exports nothing of the world.
#[test]
fn a_component_of_another_kind_is_refused() {
    let module = wat::parse_str(format!("(module (@custom \"pravo:manifest\" {:?}))", manifest("{}"))).unwrap();
    let mut component = wat::parse_str("(component)").unwrap();
    component.push(1);
    leb(&mut component, module.len());
    component.extend(module);
    let refused = refusal(&component);
    assert!(refused.contains("cannot be compiled") && refused.contains("pravo:provider/provider"), "{refused}");
}

#[tokio::test]
async fn a_schema_of_nonsense_is_refused() {
    for bytes in [&b""[..], b"\xc1", b"\xdf\xff\xff\xff\xff", b"\x81\xa6format\x09", &[0x91; 5_000]] {
        let bench = Bench::new(Limits::default());
        let provider = bench.provider(&GuestText::default().schema(bytes), "{}");
        let failure = provider.schema().await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Invalid, "{failure}");
        assert!(failure.message.starts_with("the provider test/guest failed to tell its schema: it gave an invalid answer: a schema"), "{failure}");
    }
}

/// Functions with many operations, many functions, deep nesting: compiled in bounded time.
#[tokio::test]
async fn compile_bombs_do_not_kill() {
    let deep = format!("(func {} {})", "(block ".repeat(10_000), ")".repeat(10_000));
    let wide = "(func (result i32) (i32.add (i32.const 1) (i32.const 2)))".repeat(5_000);
    let long = format!("(func (param i32) (result i32) (local.get 0) {})", "(i32.const 3) (i32.mul) (i32.const 7) (i32.add)".repeat(10_000));
    for declarations in [deep, wide, long] {
        let bench = Bench::new(Limits::default());
        let guest = text().declare(&declarations);
        let start = std::time::Instant::now();
        // Refusing it is fine, too.
        if let Ok(loaded) = bench.load(&guest.component()) {
            assert_eq!(call(&loaded.provider("test/guest", &Default::default())).await.unwrap().value, Some("abc".into()));
        }
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    }
}
