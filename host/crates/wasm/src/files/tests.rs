use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use pravo_model::capability::Grants;
use tempfile::TempDir;

use super::Files;
use super::error::FileError;
use crate::Limits;
use crate::bindings::files::{ErrorCode, FileType, WriteMode};

/// A directory with `root`, `outside` and `granted` in it.
struct Ground {
    directory: TempDir,
    files: Files,
}

impl Ground {
    /// `{granted}` in the grants stands for the absolute path of that directory.
    fn new(grants: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for name in ["root", "outside", "granted"] {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        fs::write(directory.path().join("outside/secret"), "secret").unwrap();
        fs::write(directory.path().join("granted/file"), "granted").unwrap();
        let grants: Grants = serde_json::from_str(&grants.replace("{granted}", directory.path().join("granted").to_str().unwrap())).unwrap();
        let files = Files::new(&directory.path().join("root"), &grants);
        Self { directory, files }
    }

    fn writing() -> Self {
        Self::new(r#"{"fs":[{"path":".","access":"write"}]}"#)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn read(&self, path: &str) -> Result<String, String> {
        self.files.read(path, &Limits::default()).map(|bytes| String::from_utf8(bytes).unwrap()).map_err(|error| error.message)
    }

    fn write(&self, path: &str, how: WriteMode) -> Result<u64, String> {
        self.files.write(path, b"new", how, 0o644).map_err(|error| error.message)
    }

    /// The secret is as it was, and nothing was added beside it.
    fn assert_outside_untouched(&self) {
        assert_eq!(fs::read_to_string(self.path("outside/secret")).unwrap(), "secret");
        assert_eq!(fs::read_dir(self.path("outside")).unwrap().count(), 1);
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn files_are_written_and_read_below_the_root() {
    let ground = Ground::writing();
    assert_eq!(ground.files.root(), ground.text("root"));
    assert_eq!(ground.write("f", WriteMode::Truncate), Ok(1));
    assert_eq!(ground.write("f", WriteMode::Truncate), Ok(0));
    assert_eq!(ground.read("f"), Ok("new".into()));
    assert_eq!(ground.read("./f"), Ok("new".into()));
    assert_eq!(ground.read(&ground.text("root/f")), Ok("new".into()));
    assert_eq!(ground.write("f", WriteMode::Append), Ok(0));
    assert_eq!(ground.read("f"), Ok("newnew".into()));
    assert_eq!(ground.write("f", WriteMode::Atomic), Ok(0));
    assert_eq!(ground.read("f"), Ok("new".into()));
    assert_eq!(ground.write("f", WriteMode::CreateNew), Err("open f: file exists".into()));
    assert_eq!(ground.write("g", WriteMode::CreateNew), Ok(1));
    assert_eq!(ground.write("h", WriteMode::Append), Ok(1));
    assert_eq!(ground.write("i", WriteMode::Atomic), Ok(1));
    assert_eq!(ground.files.list_directory(".").unwrap(), ["f", "g", "h", "i"]);
    ground.files.rename("i", "j").unwrap();
    ground.files.remove_file("j").unwrap();
    assert_eq!(ground.files.list_directory(".").unwrap(), ["f", "g", "h"]);
}

#[test]
fn a_file_keeps_its_mode_and_a_new_one_gets_the_one_asked_for() {
    let ground = Ground::writing();
    let write = |path: &str, how, mode| ground.files.write(path, b"x", how, mode).unwrap();
    for (how, name) in [(WriteMode::Truncate, "t"), (WriteMode::Atomic, "a"), (WriteMode::Append, "p"), (WriteMode::CreateNew, "n")] {
        write(name, how, 0o600);
        assert_eq!(mode(&ground.path("root").join(name)), 0o600, "{name}");
    }
    for (how, name) in [(WriteMode::Truncate, "t"), (WriteMode::Atomic, "a"), (WriteMode::Append, "p")] {
        write(name, how, 0o755);
        assert_eq!(mode(&ground.path("root").join(name)), 0o600, "{name}");
    }
    write("s", WriteMode::Truncate, 0o6700);
    assert_eq!(mode(&ground.path("root/s")), 0o700);
    ground.files.create_directory("d/e", 0o700, true).unwrap();
    assert_eq!((mode(&ground.path("root/d")), mode(&ground.path("root/d/e"))), (0o700, 0o700));
    assert_eq!(ground.files.stat("d", true).unwrap().mode, 0o700);
}

/// What Go's programs say, which people and tests know.
#[test]
fn errors_have_the_usual_words() {
    let ground = Ground::writing();
    fs::write(ground.path("root/f"), "x").unwrap();
    fs::create_dir(ground.path("root/d")).unwrap();
    fs::write(ground.path("root/d/x"), "x").unwrap();
    let message = |outcome: Result<(), FileError>| outcome.unwrap_err().message;
    for (path, expected) in [
        ("no", "open no: no such file or directory"),
        ("", "open : no such file or directory"),
        ("f/x", "open f/x: not a directory"),
        ("d", "read d: is a directory"),
        (".", "read .: is a directory"),
        ("no/../f", "open no/../f: no such file or directory"),
        ("f/", "open f/: not a directory"),
    ] {
        assert_eq!(ground.read(path), Err(expected.into()), "{path}");
    }
    for how in [WriteMode::Truncate, WriteMode::Atomic, WriteMode::Append] {
        for (path, expected) in [
            ("d", "open d: is a directory"),
            (".", "open .: is a directory"),
            ("d/", "open d/: is a directory"),
            ("q/", "open q/: is a directory"),
            ("f/x", "open f/x: not a directory"),
            ("a/../f.txt", "open a/../f.txt: no such file or directory"),
        ] {
            assert_eq!(ground.write(path, how), Err(expected.into()), "{path} {how:?}");
        }
    }
    let mkdir = |path, recursive| message(ground.files.create_directory(path, 0o755, recursive).map(drop));
    assert_eq!(mkdir("f/g", true), "mkdir f: not a directory");
    assert_eq!(mkdir("a/b", false), "mkdir a/b: no such file or directory");
    assert_eq!(mkdir("d", false), "mkdir d: file exists");
    assert_eq!(message(ground.files.remove_directory("d")), "remove d: directory not empty");
    assert_eq!(message(ground.files.remove_file("d")), "remove d: is a directory");
    assert_eq!(message(ground.files.remove_file("no")), "remove no: no such file or directory");
    assert_eq!(message(ground.files.rename("no", "x")), "rename no x: no such file or directory");
    assert_eq!(message(ground.files.stat("no", true).map(drop)), "stat no: no such file or directory");
    assert_eq!(message(ground.files.stat("no", false).map(drop)), "lstat no: no such file or directory");
    assert_eq!(ground.files.create_directory("d", 0o755, true).unwrap(), 0);
    assert_eq!(ground.files.create_directory("p/q/r/", 0o755, true).unwrap(), 3);
}

#[test]
fn nothing_outside_the_grants_is_reached() {
    let ground = Ground::writing();
    let secret = ground.text("outside/secret");
    for path in [
        secret.as_str(),
        "../outside/secret",
        "./../outside/secret",
        "x/../../outside/secret",
        "/etc/passwd",
        "/proc/self/environ",
        "..",
        "/",
        "../root/../outside/secret",
    ] {
        for refused in [
            ground.read(path).unwrap_err(),
            ground.write(path, WriteMode::Truncate).unwrap_err(),
            ground.write(path, WriteMode::Atomic).unwrap_err(),
            ground.files.stat(path, true).unwrap_err().message,
            ground.files.stat(path, false).unwrap_err().message,
            ground.files.list_directory(path).unwrap_err().message,
        ] {
            assert!(refused.contains("permission denied: it may not be") && refused.contains(path), "{path}: {refused}");
        }
        assert!(ground.files.remove_file(path).is_err() && ground.files.remove_directory(path).is_err());
        assert!(ground.files.rename(path, "mine").is_err() && ground.files.rename("mine", path).is_err());
    }
    let refused = ground.read("/etc/passwd").unwrap_err();
    assert_eq!(
        refused,
        r#"open /etc/passwd: permission denied: it may not be read by this provider; allow it with $allow: fs: [{path: "/etc", access: "read"}]"#
    );
    assert_eq!(ground.files.create_directory("../outside/d", 0o755, false).unwrap_err().code, ErrorCode::Denied);
    assert_eq!(ground.files.create_directory(&ground.text("outside/d/e"), 0o755, true).unwrap_err().code, ErrorCode::Denied);
    ground.assert_outside_untouched();
}

#[test]
fn a_path_that_comes_back_is_inside() {
    let ground = Ground::writing();
    fs::write(ground.path("root/f"), "x").unwrap();
    assert_eq!(ground.read("../root/f"), Ok("x".into()));
    assert_eq!(ground.files.create_directory(&ground.text("root/a/b"), 0o755, true).unwrap(), 2);
}

#[test]
fn links_do_not_lead_out() {
    let ground = Ground::writing();
    let link = |target: &str, name: &str| symlink(target, ground.path("root").join(name)).unwrap();
    link(&ground.text("outside/secret"), "absolute");
    link("../outside/secret", "relative");
    link("../outside", "directory");
    link(&ground.text("outside"), "absolute-directory");
    link("/proc/self/environ", "process");
    link("relative", "chain");
    link("../outside/new", "dangling");
    link("/", "top");
    for name in [
        "absolute",
        "relative",
        "directory/secret",
        "absolute-directory/secret",
        "process",
        "chain",
        "dangling",
        "top/etc/passwd",
        "directory/",
        "directory/../outside/secret",
    ] {
        for how in [WriteMode::Truncate, WriteMode::Append, WriteMode::CreateNew, WriteMode::Atomic] {
            assert!(ground.write(name, how).is_err(), "{name} {how:?}");
        }
        let refused = ground.read(name).unwrap_err();
        assert!(refused.contains("permission denied"), "{name}: {refused}");
        assert!(ground.files.stat(name, true).is_err(), "{name}");
    }
    for name in ["directory/x", "absolute-directory/x", "top/x"] {
        assert!(ground.files.create_directory(name, 0o755, true).is_err(), "{name}");
        assert!(ground.files.create_directory(name, 0o755, false).is_err(), "{name}");
        assert!(ground.files.rename("chain", name).is_err(), "{name}");
    }
    assert!(ground.files.remove_file("directory/secret").is_err());
    assert!(ground.files.rename("directory/secret", "mine").is_err());
    // The refusal names the grant of the place that the link leads to.
    let refused = ground.read("absolute").unwrap_err();
    assert!(refused.contains(&format!("{{path: {:?}, access: \"read\"}}", ground.text("outside"))), "{refused}");
    ground.assert_outside_untouched();
    // A link itself may be looked at, renamed and removed.
    assert_eq!(ground.files.stat("absolute", false).unwrap().file_type, FileType::SymbolicLink);
    ground.files.rename("absolute", "renamed").unwrap();
    ground.files.remove_file("renamed").unwrap();
    ground.files.remove_file("directory").unwrap();
    ground.assert_outside_untouched();
}

#[test]
fn links_inside_are_followed() {
    let ground = Ground::new(r#"{"fs":[{"path":".","access":"write"},{"path":"{granted}","access":"read"}]}"#);
    fs::create_dir(ground.path("root/d")).unwrap();
    fs::write(ground.path("root/d/f"), "inside").unwrap();
    let link = |target: &str, name: &str| symlink(target, ground.path("root").join(name)).unwrap();
    link("d/f", "relative");
    link(&ground.text("root/d/f"), "absolute");
    link(&ground.text("root/d"), "directory");
    link("../../granted/file", "d/across");
    link("directory/across", "chain");
    link("loop", "loop");
    for name in ["relative", "absolute", "directory/f"] {
        assert_eq!(ground.read(name), Ok("inside".into()), "{name}");
    }
    for name in ["d/across", "chain"] {
        assert_eq!(ground.read(name), Ok("granted".into()), "{name}");
        // The other grant is for reading.
        assert!(ground.write(name, WriteMode::Truncate).unwrap_err().contains("may not be written"), "{name}");
    }
    assert_eq!(ground.read("loop"), Err("open loop: too many levels of symbolic links".into()));
    // What is written through a link is what it leads to.
    for how in [WriteMode::Truncate, WriteMode::Atomic] {
        fs::write(ground.path("root/d/f"), "old").unwrap();
        for name in ["relative", "absolute"] {
            assert_eq!(ground.write(name, how), Ok(0), "{name} {how:?}");
            assert!(ground.path("root").join(name).is_symlink());
        }
        assert_eq!(fs::read_to_string(ground.path("root/d/f")).unwrap(), "new");
    }
    assert_eq!(fs::read_to_string(ground.path("granted/file")).unwrap(), "granted");
}

#[test]
fn a_grant_to_read_does_not_allow_writing() {
    let ground = Ground::new(r#"{"fs":[{"path":".","access":"read"}]}"#);
    fs::write(ground.path("root/f"), "x").unwrap();
    assert_eq!(ground.read("f"), Ok("x".into()));
    let expected = r#": permission denied: it may not be written by this provider; allow it with $allow: fs: [{path: ".", access: "write"}]"#;
    for how in [WriteMode::Truncate, WriteMode::Append, WriteMode::CreateNew, WriteMode::Atomic] {
        assert_eq!(ground.write("f", how), Err(format!("open f{expected}")));
    }
    assert_eq!(ground.files.remove_file("f").unwrap_err().message, format!("remove f{expected}"));
    assert_eq!(ground.files.rename("f", "g").unwrap_err().message, format!("rename f{expected}"));
    assert_eq!(ground.files.create_directory("d", 0o755, true).unwrap_err().message, format!("mkdir d{expected}"));
    assert_eq!(fs::read_dir(ground.path("root")).unwrap().count(), 1);
}

#[test]
fn the_narrowest_grant_that_suffices_counts() {
    let ground = Ground::new(r#"{"fs":[{"path":".","access":"read"},{"path":"logs","access":"write"}]}"#);
    fs::create_dir(ground.path("root/logs")).unwrap();
    assert_eq!(ground.write("logs/a", WriteMode::Truncate), Ok(1));
    assert!(ground.write("a", WriteMode::Truncate).is_err());
    assert!(ground.write("logs/../a", WriteMode::Truncate).is_err());
    assert_eq!(ground.read("logs/a"), Ok("new".into()));
    // The granted directory itself stays.
    assert!(ground.files.rename("logs", "logs2").is_err());
    assert!(ground.files.remove_directory("logs").is_err());
    // A grant does not reach to names that begin alike.
    fs::create_dir(ground.path("root/logs-private")).unwrap();
    assert!(ground.write("logs-private/a", WriteMode::Truncate).is_err());
}

#[test]
fn without_a_grant_nothing_works() {
    let ground = Ground::new("{}");
    fs::write(ground.path("root/f"), "x").unwrap();
    assert_eq!(
        ground.read("f"),
        Err(r#"open f: permission denied: it may not be read by this provider; allow it with $allow: fs: [{path: ".", access: "read"}]"#.into())
    );
    assert!(ground.write("f", WriteMode::Truncate).is_err());
}

#[test]
fn texts_that_are_no_paths_are_refused() {
    let ground = Ground::writing();
    for path in ["a\0b", &"x/".repeat(5_000), &"x".repeat(300)] {
        assert!(ground.read(path).is_err() && ground.write(path, WriteMode::Truncate).is_err());
        assert!(ground.files.create_directory(path, 0o755, true).is_err());
        assert!(ground.files.rename(path, "x").is_err());
    }
    for path in [".", "..", "d/..", "/", "//", "d/."] {
        assert!(ground.files.remove_directory(path).is_err() && ground.files.rename(path, "x").is_err(), "{path}");
    }
    assert!(ground.path("root").exists());
}

/// Trailing slashes after links have led sandboxes out before.
#[test]
fn trailing_slashes_change_nothing() {
    let ground = Ground::writing();
    symlink("../outside", ground.path("root/link")).unwrap();
    fs::create_dir(ground.path("root/d")).unwrap();
    for path in ["link/", "link//", "link/.", "link/./"] {
        assert!(ground.files.list_directory(path).is_err(), "{path}");
        assert!(ground.files.remove_directory(path).is_err(), "{path}");
        assert!(ground.files.rename("d", &format!("{path}x")).is_err(), "{path}");
    }
    assert_eq!(ground.files.rename("link/", "moved"), Ok(()), "the link is renamed, not what it leads to");
    assert!(ground.path("root/moved").is_symlink());
    ground.assert_outside_untouched();
}

#[test]
fn what_could_block_is_not_opened() {
    let ground = Ground::writing();
    rustix::fs::mknodat(rustix::fs::CWD, ground.path("root/pipe"), rustix::fs::FileType::Fifo, rustix::fs::Mode::from_raw_mode(0o644), 0).unwrap();
    let (finished, waiting) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let reading = ground.read("pipe");
        let writing = ground.write("pipe", WriteMode::Truncate);
        let replacing = ground.write("pipe", WriteMode::Atomic);
        finished.send((reading, writing, replacing)).unwrap();
    });
    let (reading, writing, replacing) = waiting.recv_timeout(std::time::Duration::from_secs(10)).expect("it blocks");
    assert_eq!(reading, Err("read pipe: it is not a regular file, and only such are read and written".into()));
    assert!(writing.is_err() && replacing.is_err());
}

/// A hard link is a file of the directory that it lies in: a documented residue, kept as a test so that a change is noticed.
#[test]
fn a_hard_link_inside_is_readable() {
    let ground = Ground::writing();
    fs::hard_link(ground.path("outside/secret"), ground.path("root/hard")).unwrap();
    assert_eq!(ground.read("hard"), Ok("secret".into()));
}

/// Another process flips a directory and a link that leads out while the guest works: never one byte outside.
#[test]
fn a_race_with_links_does_not_lead_out() {
    let ground = Ground::writing();
    let (real, link, name) = (ground.path("root/real"), ground.path("root/link"), ground.path("root/name"));
    fs::create_dir(&real).unwrap();
    fs::write(real.join("secret"), "inside").unwrap();
    symlink("../outside", &link).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let _ = fs::rename(&real, &name).and_then(|()| fs::rename(&name, &real));
                let _ = fs::rename(&link, &name).and_then(|()| fs::rename(&name, &link));
            }
        });
        let start = std::time::Instant::now();
        let mut inside = 0;
        while start.elapsed() < std::time::Duration::from_millis(1_500) {
            match ground.read("name/secret") {
                Ok(text) => {
                    assert_eq!(text, "inside");
                    inside += 1;
                }
                Err(refused) => assert!(!refused.contains("secret\n"), "{refused}"),
            }
            let _ = ground.files.write("name/secret", b"inside", WriteMode::Truncate, 0o644);
            let _ = ground.files.write("name/new", b"inside", WriteMode::Atomic, 0o644);
            let _ = ground.files.create_directory("name/d", 0o755, true);
            let _ = ground.files.rename("name/new", "name/newer");
            let _ = ground.files.remove_file("name/newer");
        }
        stop.store(true, Ordering::Relaxed);
        assert!(inside > 0, "the race never let one through");
    });
    ground.assert_outside_untouched();
}

#[test]
fn a_root_that_is_reached_by_a_link_has_both_names() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("real")).unwrap();
    symlink("real", directory.path().join("alias")).unwrap();
    let grants: Grants = serde_json::from_str(r#"{"fs":[{"path":".","access":"write"}]}"#).unwrap();
    let files = Files::new(&directory.path().join("alias"), &grants);
    for name in ["alias/f", "real/f"] {
        let path = directory.path().join(name);
        files.write(path.to_str().unwrap(), b"x", WriteMode::Truncate, 0o644).unwrap();
    }
    assert_eq!(files.list_directory(".").unwrap(), ["f"]);
}

#[test]
fn what_belongs_to_pravo_is_read_but_never_written() {
    let ground = Ground::writing();
    fs::create_dir(ground.path("root/.pravo")).unwrap();
    fs::create_dir(ground.path("root/sub")).unwrap();
    for name in ["pravo.state", "pravo.lock", "main.cue", ".pravo/x"] {
        fs::write(ground.path("root").join(name), "own").unwrap();
    }
    symlink("../pravo.state", ground.path("root/sub/link")).unwrap();
    symlink(".pravo", ground.path("root/cache")).unwrap();
    let refused = |outcome: Result<u64, String>| assert!(outcome.as_ref().is_err_and(|error| error.contains("it belongs to pravo")), "{outcome:?}");
    for path in [
        "pravo.state",
        "./sub/../pravo.lock",
        "main.cue",
        "new.cue",
        "pravo.state.lock",
        ".pravo/x",
        ".pravo/new",
        "sub/link",
        "cache/x",
        "cache/new",
    ] {
        for how in [WriteMode::Truncate, WriteMode::Atomic, WriteMode::Append, WriteMode::CreateNew] {
            refused(ground.write(path, how));
        }
    }
    refused(ground.write(&ground.text("root/pravo.lock"), WriteMode::Truncate));
    refused(ground.files.create_directory("cue.mod", 0o777, true).map_err(|error| error.message));
    fs::write(ground.path("root/f"), "x").unwrap();
    for path in ["pravo.lock", ".pravo", "cache/x"] {
        refused(ground.files.remove_file(path).map(|()| 0).map_err(|error| error.message));
        refused(ground.files.rename(path, "g").map(|()| 0).map_err(|error| error.message));
        refused(ground.files.rename("f", path).map(|()| 0).map_err(|error| error.message));
    }
    for name in ["pravo.state", "pravo.lock", "main.cue", ".pravo/x"] {
        assert_eq!(ground.read(name), Ok("own".into()));
    }
    // The link itself is no file of pravo's, and neither are the same names elsewhere.
    ground.files.remove_file("sub/link").unwrap();
    assert_eq!(ground.write("sub/pravo.lock", WriteMode::Truncate), Ok(1));
    assert_eq!(ground.write("sub/main.cue", WriteMode::Truncate), Ok(1));
}
