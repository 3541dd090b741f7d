//! What `pravo init` decides and other commands load, in real directories.

use std::fs;
use std::path::{Path, PathBuf};

use pravo_model::schema::{ProviderSchema, ResourceSchema, SCHEMA_FORMAT};
use pravo_registry::{Cache, ContentHash, Error, Lock, Options, Requirement, Resolved, load, resolve, store};

const THING: &str = "pravo.dev/providers/acme/thing";

/// A component that is nothing but its manifest.
fn component(name: &str, version: &str, needs: &str) -> Vec<u8> {
    let manifest = format!(r#"{{"world":"0.1","name":"{name}","version":"{version}","needs":{needs}}}"#);
    let body = [&[14u8][..], b"pravo:manifest", manifest.as_bytes()].concat();
    let length = [body.len() as u8 & 0x7f | 0x80, (body.len() >> 7) as u8];
    [b"\0asm\x0d\0\x01\0", &[0][..], &length, &body].concat()
}

struct Root {
    directory: tempfile::TempDir,
    options: Options,
}

impl Root {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let options = Options { root: directory.path().to_owned(), ..Options::default() };
        Self { directory, options }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn mirror(&mut self, version: &str, needs: &str) {
        self.write(&format!("mirror/acme/thing/{version}/provider.wasm"), &component("acme/thing", version, needs));
        self.options.provider_dirs = vec![self.path().join("mirror")];
    }

    fn resolve(&self, requirement: &Requirement) -> Result<Resolved, Error> {
        let lock = Lock::read(self.path())?;
        resolve(std::slice::from_ref(requirement), lock.as_ref(), &self.options).map(|mut all| all.remove(0))
    }

    /// All of `pravo init`, with everything approved.
    fn init(&self, requirement: &Requirement) -> Result<Resolved, Error> {
        let mut resolved = self.resolve(requirement)?;
        resolved.approve();
        store(std::slice::from_ref(&resolved), self.path())?;
        Cache::new(self.path()).store_schema(resolved.locked.hash, &schema())?;
        Ok(resolved)
    }

    fn load(&self, requirement: &Requirement) -> Result<Resolved, Error> {
        load(std::slice::from_ref(requirement), &self.options).map(|mut all| all.required.remove(0))
    }
}

fn schema() -> ProviderSchema {
    let resources = [("thing".to_owned(), ResourceSchema { version: 3, ..ResourceSchema::default() })].into();
    ProviderSchema { format: SCHEMA_FORMAT, version: "1.0.0".into(), resources, ..ProviderSchema::default() }
}

fn thing() -> Requirement {
    Requirement { package: THING.into(), ..Requirement::default() }
}

fn from_file() -> Requirement {
    Requirement { sources: vec!["file:./thing.wasm".into()], ..thing() }
}

#[track_caller]
fn fails<T>(result: Result<T, Error>, part: &str) -> String {
    let error = result.map(drop).unwrap_err();
    assert!(error.to_string().contains(part), "{part:?} in {:?}", error.to_string());
    error.help()
}

#[test]
fn a_file_is_pinned_and_loaded() {
    let root = Root::new();
    root.write("thing.wasm", &component("acme/thing", "1.2.3", r#"{"env":["TOKEN"]}"#));
    assert!(fails(root.load(&from_file()), "there is no pravo.lock yet").contains("Run pravo init"));
    let resolved = root.resolve(&from_file()).unwrap();
    assert_eq!(
        (resolved.locked.version.to_string().as_str(), resolved.unapproved().to_string().as_str(), resolved.is_new()),
        ("1.2.3", "env TOKEN", true)
    );
    fails(store(&[resolved], root.path()), "asks for capabilities that were not approved: env TOKEN");
    assert!(!root.path().join("pravo.lock").exists());
    root.init(&from_file()).unwrap();
    let loaded = root.load(&from_file()).unwrap();
    assert_eq!(loaded.locked.approved.to_string(), "env TOKEN");
    assert_eq!(loaded.component.bytes(), fs::read(root.path().join("thing.wasm")).unwrap());
    assert!(!root.resolve(&from_file()).unwrap().is_new(), "a second init changes nothing");
    assert_eq!(Cache::new(root.path()).schema(loaded.locked.hash), Some(schema()));
}

#[test]
fn a_tampered_component_is_refused_with_both_hashes() {
    let root = Root::new();
    let path = root.write("thing.wasm", &component("acme/thing", "1.2.3", "{}"));
    let locked = root.init(&from_file()).unwrap().locked.hash;
    let mut broken = fs::read(&path).unwrap();
    *broken.last_mut().unwrap() = 0;
    for bytes in [broken, component("acme/thing", "1.2.3", r#"{"clock":true}"#)] {
        fs::write(&path, &bytes).unwrap();
        let hashes = format!("its hash is {}, pravo.lock says {locked}", ContentHash::of(&bytes));
        fails(root.load(&from_file()), &hashes);
        assert!(fails(root.resolve(&from_file()), &hashes).contains("pravo init --upgrade"));
    }
    let upgraded = Root { directory: root.directory, options: Options { upgrade: true, ..root.options } };
    upgraded.init(&from_file()).unwrap();
    upgraded.load(&from_file()).unwrap();
}

#[test]
fn a_cache_that_was_tampered_with_is_refused_and_a_missing_one_asks_for_init() {
    let mut root = Root::new();
    root.mirror("1.0.0", "{}");
    let hash = root.init(&thing()).unwrap().locked.hash;
    let cache = Cache::new(root.path());
    fs::remove_dir_all(root.path().join("mirror")).unwrap();
    root.load(&thing()).unwrap();
    fs::write(cache.component_path(hash), component("acme/thing", "1.0.0", r#"{"clock":true}"#)).unwrap();
    fails(root.load(&thing()), "is not the one that pravo.lock pins");
    fs::remove_dir_all(cache.directory()).unwrap();
    assert_eq!(fails(root.load(&thing()), "its component is not in "), "Run pravo init.");
}

#[test]
fn broken_schemas_are_a_miss() {
    let root = Root::new();
    let cache = Cache::new(root.path());
    let hash = ContentHash::of(b"x");
    assert!(!cache.has_schema(hash));
    cache.store_schema(hash, &schema()).unwrap();
    let whole = fs::read(cache.schema_path(hash)).unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(cache.schema_path(hash), bytes).unwrap();
        assert_eq!(cache.schema(hash), None, "byte {at}");
    }
    fs::write(cache.schema_path(hash), &whole[..20]).unwrap();
    assert_eq!(cache.schema(hash), None);
    cache.store_schema(hash, &ProviderSchema { format: SCHEMA_FORMAT + 1, ..schema() }).unwrap();
    assert_eq!(cache.schema(hash), None);
    assert_eq!(fs::read_to_string(cache.directory().join(".gitignore")).unwrap(), "*\n");
}

#[test]
fn a_directory_gives_the_newest_version_that_all_constraints_allow() {
    let mut root = Root::new();
    for version in ["1.0.0", "1.4.0", "1.10.0", "2.0.0", "3.0.0-rc1"] {
        root.mirror(version, "{}");
    }
    root.write("mirror/acme/thing/nonsense/provider.wasm", b"x");
    let version = |versions: &[&str]| {
        let versions = versions.iter().map(|text| (*text).to_owned()).collect();
        root.resolve(&Requirement { versions, ..thing() }).map(|resolved| resolved.locked.version.to_string())
    };
    assert_eq!(version(&["~> 1.0"]).unwrap(), "1.10.0");
    assert_eq!(version(&["~> 1.0", "< 1.10"]).unwrap(), "1.4.0");
    assert_eq!(version(&[">= 0"]).unwrap(), "2.0.0");
    assert_eq!(version(&["3.0.0-rc1"]).unwrap(), "3.0.0-rc1");
    fails(version(&["~> 1.0", ">= 2"]), "satisfies \"~> 1.0\" and \">= 2\"; the provider directory has 1.0.0, 1.4.0, 1.10.0, 2.0.0, 3.0.0-rc1");
    fails(version(&["newest"]), "\"newest\" is no version constraint");
}

#[test]
fn the_lock_file_holds_a_version_until_an_upgrade_which_asks_only_for_more() {
    let mut root = Root::new();
    root.mirror("1.0.0", r#"{"net":["api.acme.com"]}"#);
    root.init(&thing()).unwrap();
    root.mirror("1.1.0", r#"{"net":["api.acme.com","log.acme.com"]}"#);
    assert_eq!(root.resolve(&thing()).unwrap().locked.version.to_string(), "1.0.0");
    let constrained = Requirement { versions: vec![">= 1.1".into()], ..thing() };
    fails(root.load(&constrained), "pravo.lock has version 1.0.0, the specification asks for \">= 1.1\"");
    assert!(fails(root.resolve(&constrained), "satisfies \">= 1.1\"; pravo.lock has 1.0.0").contains("pravo init --upgrade"));
    root.options.upgrade = true;
    let upgraded = root.resolve(&constrained).unwrap();
    assert_eq!((upgraded.locked.version.to_string().as_str(), upgraded.unapproved().to_string().as_str()), ("1.1.0", "net log.acme.com"));
    assert_eq!(upgraded.before.unwrap().version.to_string(), "1.0.0");
}

#[test]
fn what_allow_asks_beyond_the_approval_is_asked_for() {
    let root = Root::new();
    root.write("thing.wasm", &component("acme/thing", "1.2.3", r#"{"fs":[{"path":".","access":"write"}]}"#));
    root.init(&from_file()).unwrap();
    let narrower = Requirement { allows: vec![r#"{"fs":[{"path":"logs","access":"read"}]}"#.into()], ..from_file() };
    assert!(root.resolve(&narrower).unwrap().unapproved().is_empty());
    root.load(&narrower).unwrap();
    let wider = Requirement { allows: vec![r#"{"fs":[{"path":"/etc/app","access":"write"}]}"#.into()], ..from_file() };
    assert!(fails(root.load(&wider), "were not approved: fs write on /etc/app").contains("pravo init"));
    assert_eq!(root.resolve(&wider).unwrap().unapproved().to_string(), "fs write on /etc/app");
    root.init(&wider).unwrap();
    root.load(&wider).unwrap();
    fails(root.load(&Requirement { allows: vec!["{\"shell\":true}".into()], ..from_file() }), "is no $allow: unknown field `shell`");
}

#[test]
fn unclear_sources_are_refused() {
    let root = Root::new();
    let sources = |sources: &[&str]| root.resolve(&Requirement { sources: sources.iter().map(|text| (*text).to_owned()).collect(), ..thing() });
    fails(sources(&["file:./a.wasm", "file:./b.wasm"]), "differ in $source: file:./a.wasm and file:./b.wasm");
    fails(sources(&["oci://ghcr.io/acme/thing:1"]), "oci: is not offered by this version of pravo");
    fails(sources(&["file:./missing.wasm"]), "missing.wasm");
    fails(sources(&["bundled"]), "there is no provider pravo.dev/providers/acme/thing: this pravo bundles hashicorp/local, hashicorp/random");
    fails(sources(&[]), "no provider directory is set");
    fails(root.resolve(&Requirement { package: "pravo.dev/providers/thing".into(), ..thing() }), "write <namespace>/<name>");
    root.write("thing.wasm", &component("acme/other", "1.0.0", "{}"));
    fails(sources(&["file:./thing.wasm"]), "./thing.wasm holds provider acme/other instead of acme/thing");
}

#[test]
fn a_lock_file_does_not_depend_on_the_order_and_comes_back() {
    let mut root = Root::new();
    root.mirror("1.0.0", r#"{"fs":[{"path":".","access":"write"}],"random":true}"#);
    let one = root.init(&thing()).unwrap().locked;
    let mut other = one.clone();
    other.package = "pravo.dev/providers/acme/another".parse().unwrap();
    let lock = Lock::new([one.clone(), other.clone()]);
    assert_eq!(lock.text(), Lock::new([other, one]).text());
    assert_eq!(Lock::parse(&lock.text(), Path::new("pravo.lock")).unwrap(), lock);
    assert!(!lock.text().contains(&root.path().display().to_string()), "no paths of this machine");
    assert!(lock.write(root.path()).unwrap() && !lock.write(root.path()).unwrap());
}

#[test]
fn a_broken_lock_file_names_the_place() {
    let root = Root::new();
    let good = "format = 1\n\n[[provider]]\npackage = \"pravo.dev/providers/a/b\"\nsource = \"bundled\"\nversion = \"1.0.0\"\nhash = \"sha256:"
        .to_owned()
        + &"0".repeat(64)
        + "\"\n";
    assert!(Lock::parse(&good, Path::new("pravo.lock")).is_ok());
    let check = |text: &str, part: &str| {
        root.write("pravo.lock", text.as_bytes());
        let help = fails(root.resolve(&thing()), part);
        fails(root.load(&thing()), part);
        help
    };
    assert!(check("format = 1\n[[provider]\n", "pravo.lock:2:").contains("version control"));
    check(&good.replace("bundled", "ftp://x"), "pravo.lock:5:10: the lock file is broken: \"ftp://x\" is no source");
    check(&good.replace("1.0.0", "one"), "pravo.lock:6:11: ");
    check(&good.replace("sha256:0", "sha256:x"), "pravo.lock:7:8: ");
    check(&good.replace("source", "sauce"), "unknown field `sauce`");
    check(&(good.clone() + "[provider.approved]\nshell = true\n"), "unknown field `shell`");
    check(&(good.clone() + &good["format = 1\n".len()..]), "is there twice");
    check("", "missing field `format`");
    check(&good.replace("format = 1", "format = 2"), "was written by a newer pravo (format 2, this pravo knows 1)");
    root.write("pravo.lock", b"format = 1\n# \xff\n");
    fails(root.load(&thing()), "pravo.lock:2:3: the lock file is broken: it is not UTF-8");
}

#[test]
fn no_requirement_needs_no_lock_file() {
    let root = Root::new();
    assert!(load(&[], &root.options).unwrap().required.is_empty());
    let none: Vec<Resolved> = resolve(&[], None, &root.options).unwrap();
    store(&none, root.path()).unwrap();
    assert!(Lock::read(root.path()).unwrap().unwrap().providers().is_empty());
}

#[test]
fn bundled_hashes_are_those_of_the_bytes() {
    let all = pravo_registry::bundled::all();
    assert_eq!(all.iter().map(|bundled| bundled.name).collect::<Vec<_>>(), ["hashicorp/local", "hashicorp/random"]);
    for bundled in all {
        assert_eq!(bundled.hash(), ContentHash::of(bundled.bytes));
    }
}

#[test]
fn bundled_providers_are_approved_by_being_bundled() {
    let root = Root::new();
    for (name, needs) in [("random", "clock, random"), ("local", "fs write on the root directory")] {
        let requirement = Requirement { package: format!("pravo.dev/providers/hashicorp/{name}"), ..Requirement::default() };
        let resolved = root.resolve(&requirement).unwrap();
        assert_eq!((resolved.locked.source.to_string().as_str(), resolved.locked.needs.to_string().as_str()), ("bundled", needs));
        assert!(resolved.unapproved().is_empty());
        let wider = Requirement { allows: vec![r#"{"net":["acme.com"]}"#.into()], ..requirement };
        assert_eq!(root.resolve(&wider).unwrap().unapproved().to_string(), "net acme.com");
    }
}
