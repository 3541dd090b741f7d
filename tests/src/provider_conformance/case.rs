//! A recorded case: what it does, step by step, and what the real provider did.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// One case.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Unique; before the slash stands the file.
    pub name: String,
    /// `resource`, `data`, `ephemeral` or `function`.
    pub kind: String,
    /// The type, or the function's name.
    #[serde(rename = "type")]
    pub type_name: String,
    /// `core`, `quirk`, `outside`.
    #[serde(default)]
    pub tags: Vec<String>,
    /// `unprivileged`.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Octal.
    #[serde(default = "default_umask")]
    pub umask: String,
    /// In order, in one directory, with one object.
    pub steps: Vec<Step>,
    /// `random` or `local`: the folder of the file.
    #[serde(skip)]
    pub provider: String,
}

fn default_umask() -> String {
    "0022".to_owned()
}

/// One step of a case.
#[derive(Clone, Debug, Deserialize)]
pub struct Step {
    /// What it does.
    pub op: String,
    /// The configuration.
    #[serde(default)]
    pub config: Map<String, Json>,
    /// The arguments of a call.
    #[serde(default)]
    pub args: Vec<Json>,
    /// The id of an import.
    #[serde(default)]
    pub id: String,
    /// What is expected.
    #[serde(default)]
    pub expect: Map<String, Json>,
    /// Whether a destroy reads first.
    #[serde(default = "yes")]
    pub refresh: bool,
    /// A shell command.
    #[serde(default)]
    pub shell: String,
    /// Version of a stored object.
    #[serde(default)]
    pub schema_version: u64,
    /// Attributes of a stored object.
    #[serde(default)]
    pub attributes: Option<Map<String, Json>>,
    /// The same in the oldest form.
    #[serde(default)]
    pub attributes_flat: Option<Map<String, Json>>,
}

fn yes() -> bool {
    true
}

impl Case {
    /// Whether it has a tag.
    pub fn is(&self, tag: &str) -> bool {
        self.tags.iter().any(|one| one == tag)
    }
}

/// Reads every `*.json` below a directory, sorted by path. The folder that a file stands in names the provider.
///
/// # Errors
/// Where a file cannot be read or is no list of cases.
pub fn read_all(directory: &Path) -> Result<Vec<Case>, String> {
    let mut files = Vec::new();
    collect(directory, &mut files)?;
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(&file).map_err(|error| wrong(&error))?;
        let mut list: Vec<Case> = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
        let provider = if list.iter().any(|case| case.type_name.starts_with("random_")) { "random" } else { "local" };
        list.iter_mut().for_each(|case| provider.clone_into(&mut case.provider));
        cases.extend(list);
    }
    Ok(cases)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", directory.display());
    for entry in std::fs::read_dir(directory).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    Ok(())
}
