//! The product under test: the `pravo` binary on a case's directory.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use pravo_model::schema::ProviderSchema;
use pravo_registry::{Cache, Lock};
use serde_json::Value as Json;
use tempfile::TempDir;

use super::case::{Case, Step};
use super::conversion::Kinds;
use super::source::{Source, needs_trace};

/// Files of the tool itself in a case's directory.
const OWN: [&str; 4] = ["main.cue", "pravo.lock", ".pravo", "pravo.state"];

/// One case in its directory.
pub struct Product<'a> {
    case: &'a Case,
    pravo: PathBuf,
    trace: Option<PathBuf>,
    kinds: Kinds,
    directory: TempDir,
    outside: TempDir,
    user: Option<u32>,
}

/// What a command gave: its documents, parsed.
pub struct Answer {
    /// Whether it ended well.
    pub succeeded: bool,
    /// The documents on stdout.
    pub documents: Vec<Json>,
    /// Everything, for messages.
    pub text: String,
}

impl Answer {
    fn of(output: &Output) -> Self {
        let stdout = String::from_utf8_lossy(&output.stdout);
        let documents = serde_json::Deserializer::from_str(&stdout).into_iter().map_while(Result::ok).collect();
        let text = format!("{stdout}{}", String::from_utf8_lossy(&output.stderr));
        Self { succeeded: matches!(output.status.code(), Some(0 | 2)), documents, text }
    }

    /// The document of a type.
    pub fn document(&self, kind: &str) -> Json {
        self.documents.iter().find(|document| document["type"] == kind).cloned().unwrap_or_default()
    }

    /// All diagnostics, wherever they stand.
    pub fn diagnostics(&self) -> Vec<Json> {
        let mut found = Vec::new();
        for document in &self.documents {
            found.extend(document["diagnostics"].as_array().cloned().unwrap_or_default());
            found.extend(document["event"]["diagnostics"].as_array().cloned().unwrap_or_default());
            found.extend(document.get("diagnostic").cloned());
            if document.get("severity").is_some() {
                found.push(document.clone());
            }
        }
        found
    }
}

impl<'a> Product<'a> {
    /// A fresh directory, set up for the case's provider.
    ///
    /// # Errors
    /// Where the system refuses, or `pravo init` fails.
    pub fn new(case: &'a Case, pravo: &Path, trace: &Path) -> Result<Self, String> {
        let new_directory = || TempDir::new().map_err(|error| error.to_string());
        let user = (case.needs.iter().any(|need| need == "unprivileged") && is_root()).then_some(65_534);
        let outside = new_directory()?;
        // Another user may not reach the directory of the build.
        let reached = |file: &Path| match user {
            Some(_) => copied(file, outside.path()).map_err(|error| error.to_string()),
            None => Ok(file.to_owned()),
        };
        let (pravo, trace) = (reached(pravo)?, needs_trace(case).then(|| reached(trace)).transpose()?);
        let mut product = Self { case, pravo, trace, kinds: Kinds::default(), directory: new_directory()?, outside, user };
        product.write(&Source::new(case, product.path(), &product.kinds, 0).file(None, product.trace.as_deref()))?;
        if let Some(user) = user {
            for directory in [&product.directory, &product.outside] {
                std::os::unix::fs::chown(directory.path(), Some(user), Some(user)).map_err(|error| error.to_string())?;
            }
        }
        let init = product.run(&["init", "--approve"])?;
        if !init.succeeded {
            return Err(format!("pravo init failed: {}", init.text));
        }
        product.kinds = Kinds::of(case, &product.schema()?);
        Ok(product)
    }

    /// The schema that `pravo init` stored of the case's provider.
    fn schema(&self) -> Result<ProviderSchema, String> {
        let lock = Lock::read(self.path()).map_err(|error| error.to_string())?.ok_or("there is no lock file")?;
        let suffix = format!("/{}", self.case.provider);
        let locked = lock.providers().iter().find(|locked| locked.package.to_string().ends_with(&suffix)).ok_or("the provider is not locked")?;
        Cache::new(self.path()).schema(locked.hash).ok_or_else(|| "the schema is not cached".to_owned())
    }

    /// The case's directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    fn write(&self, text: &str) -> Result<(), String> {
        std::fs::write(self.path().join("main.cue"), text).map_err(|error| error.to_string())
    }

    /// Writes the configuration of a step.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn configure(&self, number: usize, step: &Step) -> Result<(), String> {
        self.write(&Source::new(self.case, self.path(), &self.kinds, number).file(Some(step), self.trace.as_deref()))
    }

    fn command(&self, program: &str) -> Command {
        let mut command = match self.user {
            Some(user) => {
                let mut command = Command::new("setpriv");
                command.args([&format!("--reuid={user}"), &format!("--regid={user}"), "--clear-groups", program]);
                command
            }
            None => Command::new(program),
        };
        command.current_dir(self.path()).stdin(Stdio::null()).env("NO_COLOR", "1");
        if self.user.is_some() {
            command.env("HOME", self.outside.path()).env("PRAVO_CACHE_DIR", self.outside.path().join("cache"));
        }
        command
    }

    /// Runs the product.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub fn run(&self, arguments: &[&str]) -> Result<Answer, String> {
        let mut command = self.command("sh");
        command.args(["-c", &format!("umask {}; exec \"$0\" \"$@\"", self.case.umask)]).arg(&self.pravo).args(arguments);
        Ok(Answer::of(&command.output().map_err(|error| error.to_string())?))
    }

    /// Runs a shell command in the case's directory.
    ///
    /// # Errors
    /// Where it fails.
    pub fn shell(&self, text: &str) -> Result<(), String> {
        let text = format!("umask {}; {}", self.case.umask, text.replace("{cwd}", &self.path().display().to_string()));
        let output = self.command("sh").args(["-c", &text]).output().map_err(|error| error.to_string())?;
        if output.status.success() { Ok(()) } else { Err(format!("`{text}` failed: {}", String::from_utf8_lossy(&output.stderr))) }
    }

    /// Where a plan is saved, outside of the case's directory.
    pub fn plan_file(&self) -> String {
        self.outside.path().join("plan").display().to_string()
    }

    /// The state file.
    pub fn state_file(&self) -> PathBuf {
        self.path().join("pravo.state")
    }

    /// Everything below the directory but the tool's own files, as the cases describe it.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn files(&self) -> Result<Json, String> {
        let mut found = serde_json::Map::new();
        walk(self.path(), self.path(), &mut found).map_err(|error| error.to_string())?;
        Ok(Json::Object(found))
    }
}

/// A file in another directory: the same one where the system allows it.
fn copied(file: &Path, directory: &Path) -> std::io::Result<PathBuf> {
    let file = file.canonicalize()?;
    let to = directory.join(file.file_name().unwrap_or_default());
    std::fs::hard_link(&file, &to).or_else(|_| std::fs::copy(&file, &to).map(drop))?;
    Ok(to)
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}

fn walk(root: &Path, directory: &Path, found: &mut serde_json::Map<String, Json>) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut entries = std::fs::read_dir(directory)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        if OWN.iter().any(|own| name == *own || name.starts_with("pravo.state.")) {
            continue;
        }
        let metadata = path.symlink_metadata()?;
        let mode = format!("{:04o}", metadata.permissions().mode() & 0o7777);
        let described = if metadata.is_symlink() {
            serde_json::json!({"type": "link", "to": std::fs::read_link(&path)?.display().to_string()})
        } else if metadata.is_dir() {
            serde_json::json!({"type": "directory", "mode": mode})
        } else {
            describe_file(&path, &mode, metadata.len())
        };
        found.insert(name, described);
        if metadata.is_dir() {
            walk(root, &path, found)?;
        }
    }
    Ok(())
}

fn describe_file(path: &Path, mode: &str, size: u64) -> Json {
    use sha1::{Digest, Sha1};
    let mut described = serde_json::json!({"type": "file", "mode": mode, "size": size});
    if let Ok(bytes) = std::fs::read(path) {
        let sum: String = Sha1::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        described["sha1"] = Json::String(sum);
        if let Ok(text) = String::from_utf8(bytes) {
            described["text"] = Json::String(text);
        }
    }
    described
}
