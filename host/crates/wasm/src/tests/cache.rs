//! The cache of compiled components: who can put code into it, and what happens to what does not belong there.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::guest::{GuestText, answer};
use super::{call, hash};
use crate::{HostOptions, Limits, WasmHost};

fn component() -> Vec<u8> {
    GuestText::default().declare(r#"(data (i32.const 4096) "\a3abc")"#).call(&answer(4096, 4)).component()
}

async fn run(cache: &Path, component: &[u8]) {
    let options = HostOptions { cache_directory: Some(cache.to_owned()), limits: Limits::default(), root_directory: cache.to_owned() };
    let loaded = WasmHost::new(options).load(component, &hash(component)).unwrap();
    assert_eq!(call(&loaded.provider("test/guest", &Default::default())).await.unwrap().value, Some("abc".into()));
}

fn entries(cache: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(cache.join("compiled"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    found.sort();
    found
}

fn inode(path: &Path) -> u64 {
    std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap())
}

#[tokio::test]
async fn a_component_is_compiled_once() {
    let cache = tempfile::tempdir().unwrap();
    let component = component();
    run(cache.path(), &component).await;
    let compiled = entries(cache.path(), "cwasm");
    assert_eq!((compiled.len(), entries(cache.path(), "mac").len(), entries(cache.path(), "tmp").len()), (1, 1, 0));
    let before = inode(&compiled[0]);
    run(cache.path(), &component).await;
    assert_eq!((entries(cache.path(), "cwasm"), inode(&compiled[0])), (compiled, before));
    let private = |name: &str| fs::metadata(cache.path().join(name)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((private("compiled"), private("compiled/key")), (0o700, 0o600));
}

#[tokio::test]
async fn what_was_changed_is_a_miss() {
    let cache = tempfile::tempdir().unwrap();
    let component = component();
    run(cache.path(), &component).await;
    let entry = entries(cache.path(), "cwasm").remove(0);
    let mac = entries(cache.path(), "mac").remove(0);
    let good = fs::read(&entry).unwrap();
    let mut flipped = good.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    let cut = good[..good.len() / 2].to_vec();
    for contents in [flipped, cut, Vec::new(), b"\x7fELF".to_vec()] {
        fs::write(&entry, contents).unwrap();
        run(cache.path(), &component).await;
        assert_eq!(fs::read(&entry).unwrap().len(), good.len(), "it was compiled anew and replaced");
    }
    for contents in ["", "0123", &"f".repeat(64), &"ü".repeat(40)] {
        fs::write(&mac, contents).unwrap();
        run(cache.path(), &component).await;
        assert_eq!(fs::read(&mac).unwrap().len(), 64);
    }
    fs::remove_file(&mac).unwrap();
    run(cache.path(), &component).await;
    assert!(mac.exists());
}

/// Somebody else's cache, however well-formed, is worth nothing without the key of this one.
#[tokio::test]
async fn an_entry_of_another_cache_is_a_miss() {
    let (cache, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let component = component();
    run(other.path(), &component).await;
    run(cache.path(), &component).await;
    for extension in ["cwasm", "mac"] {
        fs::copy(entries(other.path(), extension).remove(0), entries(cache.path(), extension).remove(0)).unwrap();
    }
    let entry = entries(cache.path(), "cwasm").remove(0);
    let forged = inode(&entry);
    run(cache.path(), &component).await;
    assert_ne!(inode(&entry), forged, "the forged entry was not used");
}

/// An entry under another entry's name: the name is part of what is hashed.
#[tokio::test]
async fn an_entry_under_another_name_is_a_miss() {
    let cache = tempfile::tempdir().unwrap();
    let (one, two) =
        (component(), GuestText::default().declare(r#"(data (i32.const 4096) "\a3abc") (func (unreachable))"#).call(&answer(4096, 4)).component());
    run(cache.path(), &one).await;
    let first = entries(cache.path(), "cwasm").remove(0);
    run(cache.path(), &two).await;
    let second = entries(cache.path(), "cwasm").into_iter().find(|path| *path != first).unwrap();
    fs::copy(&first, &second).unwrap();
    fs::copy(first.with_extension("mac"), second.with_extension("mac")).unwrap();
    let forged = inode(&second);
    run(cache.path(), &two).await;
    assert_ne!(inode(&second), forged);
}

#[tokio::test]
async fn a_directory_that_others_can_enter_is_not_used() {
    let component = component();
    for mode in [0o777, 0o750, 0o701] {
        let cache = tempfile::tempdir().unwrap();
        fs::create_dir(cache.path().join("compiled")).unwrap();
        fs::set_permissions(cache.path().join("compiled"), fs::Permissions::from_mode(mode)).unwrap();
        run(cache.path(), &component).await;
        assert_eq!(fs::read_dir(cache.path().join("compiled")).unwrap().count(), 0, "{mode:o}");
    }
    let (cache, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    symlink(elsewhere.path(), cache.path().join("compiled")).unwrap();
    run(cache.path(), &component).await;
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "a link is not the user's directory");
}

#[tokio::test]
async fn a_cache_that_cannot_be_used_is_done_without() {
    let component = component();
    let cache = tempfile::tempdir().unwrap();
    fs::write(cache.path().join("compiled"), "").unwrap();
    run(cache.path(), &component).await;
    let cache = tempfile::tempdir().unwrap();
    fs::DirBuilder::new().create(cache.path().join("compiled")).unwrap();
    fs::set_permissions(cache.path().join("compiled"), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(cache.path().join("compiled/key"), "short").unwrap();
    run(cache.path(), &component).await;
}

#[tokio::test]
async fn many_entries_are_evicted() {
    let cache = tempfile::tempdir().unwrap();
    let component = component();
    run(cache.path(), &component).await;
    let own = entries(cache.path(), "cwasm").remove(0);
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(1_000);
    for i in 0..100 {
        let path = cache.path().join(format!("compiled/{i}.cwasm"));
        fs::write(&path, "").unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
    }
    // The next one that is kept makes room.
    fs::remove_file(&own).unwrap();
    run(cache.path(), &component).await;
    assert!(own.exists());
    assert_eq!(entries(cache.path(), "cwasm").len(), 64);
}
