//! A directory of its own for a test, with the `pravo` binary on the PATH and an environment that does not depend on the machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

/// A fresh directory.
#[derive(Debug)]
pub struct Sandbox {
    directory: TempDir,
}

/// What a command gave.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The exit code; -1 where it was killed.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// Fails the test unless the command ended with this code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Fails the test unless standard error holds every text.
    #[track_caller]
    pub fn says(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.stderr.contains(text), "no {text:?} in stderr:\n{}\nstdout:\n{}", self.stderr, self.stdout);
        }
        self
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// The `pravo` binary of this build, in a directory of its own where it has its name. Integration tests find it beside them, since cargo
/// builds it with them; other programs have it built.
///
/// # Panics
/// Where it cannot be built.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        // Tests lie in target/PROFILE/deps, binaries in target/PROFILE.
        let own = std::env::current_exe().expect("a program has a path");
        let profile = own.ancestors().find(|directory| directory.join("deps").is_dir()).expect("it lies in a target directory");
        let is_test = own.parent().is_some_and(|directory| directory.ends_with("deps"));
        if !is_test {
            build(profile);
        }
        let directory = profile.join("pravo-under-test-bin");
        let link = directory.join("pravo");
        let target = profile.join("pravo-under-test");
        if std::fs::read_link(&link).ok().as_deref() != Some(&target) {
            std::fs::create_dir_all(&directory).expect("a directory can be made");
            // In one step, over a link that came along with a copied target directory: another test process may make it at the same time.
            let made = directory.join(format!("pravo.{}", std::process::id()));
            std::os::unix::fs::symlink(&target, &made).expect("a link can be made");
            std::fs::rename(&made, &link).expect("a link can be moved");
        }
        link
    })
}

fn build(profile: &Path) {
    let name = profile.file_name().and_then(|name| name.to_str()).unwrap_or("debug");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--locked", "--package", "pravo-tests", "--bin", "pravo-under-test"]);
    if name != "debug" {
        cargo.args(["--profile", name]);
    }
    cargo.arg("--target-dir").arg(profile.parent().expect("a profile lies in a target directory"));
    let status = cargo.current_dir(repository()).status().expect("cargo runs");
    assert!(status.success(), "the binary could not be built");
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests).to_owned()
}

/// The environment of every command: `pravo` on the PATH, compiled code cached in the target directory, nothing of the user's.
pub fn environment() -> Vec<(String, String)> {
    let binary = binary();
    let directory = binary.parent().unwrap_or(Path::new("."));
    let path = std::env::var("PATH").unwrap_or_default();
    let cache = directory.join("test-cache");
    vec![
        ("PATH".into(), format!("{}:{path}", directory.display())),
        ("PRAVO_CACHE_DIR".into(), cache.display().to_string()),
        ("NO_COLOR".into(), String::new()),
        ("PRAVO_LOG".into(), "off".into()),
        ("LC_ALL".into(), "C".into()),
    ]
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// An empty directory.
    ///
    /// # Panics
    /// Where none can be made.
    pub fn new() -> Self {
        Self { directory: TempDir::new().expect("a directory can be made") }
    }

    /// With a `main.cue`.
    pub fn with(main: &str) -> Self {
        let sandbox = Self::new();
        sandbox.write("main.cue", main);
        sandbox
    }

    /// With a `main.cue`, after `pravo init`.
    pub fn initialised(main: &str) -> Self {
        let sandbox = Self::with(main);
        sandbox.pravo("init --approve").exits(0);
        sandbox
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file.
    ///
    /// # Panics
    /// Where it cannot be written.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let file = self.path().join(name);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent).expect("a directory can be made");
        }
        std::fs::write(file, contents).expect("a file can be written");
    }

    /// Reads a file, if it is there.
    pub fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path().join(name)).ok()
    }

    /// A command of `pravo` that is ready to be started here; arguments are separated by blanks.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(binary());
        command.args(line.split_whitespace()).current_dir(self.path()).stdin(Stdio::null());
        command.envs(environment());
        command
    }

    /// Runs `pravo`; arguments are separated by blanks.
    ///
    /// # Panics
    /// Where it cannot be started.
    pub fn pravo(&self, line: &str) -> Ran {
        self.command(line).output().expect("pravo can be started").into()
    }

    /// Every file below the directory with its contents, but for caches: to show that nothing changed.
    ///
    /// # Panics
    /// Where one cannot be read.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut open = vec![self.path().to_owned()];
        while let Some(directory) = open.pop() {
            for entry in std::fs::read_dir(directory).expect("a directory can be read") {
                let path = entry.expect("a directory can be read").path();
                if path.ends_with(".pravo") {
                    continue;
                }
                if path.is_dir() && !path.is_symlink() {
                    open.push(path);
                } else {
                    let contents = std::fs::read(&path).unwrap_or_default();
                    found.push((path, contents));
                }
            }
        }
        found.sort();
        found
    }
}
