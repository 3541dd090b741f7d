//! A program in a directory.

use std::path::{Path, PathBuf};

use super::generate::Program;
use crate::conformance_cue::archive::Archive;

/// A program in a directory, that both tools run in.
#[derive(Debug)]
pub struct Case {
    /// What it is called in reports.
    pub name: String,
    /// What it is counted under.
    pub group: String,
    /// Where the tools run.
    pub directory: PathBuf,
    /// What stands behind each command.
    pub arguments: Vec<String>,
    /// The files that are formatted.
    pub sources: Vec<PathBuf>,
    /// Keeps a scratch directory for as long as it is needed.
    scratch: Option<tempfile::TempDir>,
}

impl Case {
    /// Writes a generated program.
    ///
    /// # Errors
    /// What goes wrong while writing.
    pub fn of(group: &str, number: usize, program: &Program) -> std::io::Result<Self> {
        let name = format!("{group}/{number}");
        Self::written(name, group.to_owned(), &program.files, program.arguments.clone())
    }

    fn written(name: String, group: String, files: &[(String, String)], arguments: Vec<String>) -> std::io::Result<Self> {
        let scratch = tempfile::tempdir()?;
        let directory = scratch.path().to_owned();
        let mut sources = Vec::new();
        for (file, text) in files {
            let path = directory.join(file);
            std::fs::create_dir_all(path.parent().unwrap_or(&directory))?;
            std::fs::write(&path, text)?;
            if file.ends_with(".cue") && !file.starts_with("cue.mod/") {
                sources.push(path);
            }
        }
        Ok(Self { name, group, directory, arguments, sources, scratch: Some(scratch) })
    }

    /// A file that is there: CUE as it stands in its directory, or an archive.
    pub fn read(top: &Path, file: &Path) -> Option<Self> {
        let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned();
        let shown = file.strip_prefix(top).ok().filter(|rest| !rest.as_os_str().is_empty()).unwrap_or(file);
        let group = shown.parent().map(|parent| parent.display().to_string()).filter(|name| !name.is_empty()).unwrap_or_else(|| ".".to_owned());
        let name = shown.display().to_string();
        let file_name = file.file_name()?.to_str()?;
        if file_name.ends_with(".cue") {
            let arguments = vec![file_name.to_owned()];
            return Some(Self { name, group, directory, arguments, sources: vec![file.to_owned()], scratch: None });
        }
        let archive = Archive::parse(&std::fs::read_to_string(file).ok()?);
        let is_safe = |name: &str| !name.starts_with('/') && !name.split('/').any(|part| part == ".." || part.is_empty());
        let sections: Vec<(String, String)> =
            archive.sections.iter().filter(|(name, _)| is_safe(name)).map(|(name, text)| (name.clone(), text.clone())).collect();
        let arguments: Vec<String> =
            sections.iter().map(|(name, _)| name.clone()).filter(|name| name.ends_with(".cue") && !name.contains('/')).collect();
        if arguments.is_empty() {
            return None;
        }
        let mut case = Self::written(name, group, &sections, arguments).ok()?;
        case.sources.retain(|path| path.starts_with(&case.directory) && path.parent() == Some(&case.directory));
        Some(case)
    }

    /// Copies the program below a directory, where it can be looked at.
    pub fn keep(&self, below: &Path) {
        if self.scratch.is_none() {
            return;
        }
        let to = below.join(self.name.replace('/', "-"));
        let mut files = Vec::new();
        list_all(&self.directory, &mut files);
        for file in files {
            let Ok(rest) = file.strip_prefix(&self.directory) else { continue };
            let copy = to.join(rest);
            let made = copy.parent().map_or(Ok(()), std::fs::create_dir_all);
            if made.and_then(|()| std::fs::copy(&file, &copy)).is_err() {
                eprintln!("{} cannot be kept", copy.display());
            }
        }
        if std::fs::write(to.join("args"), self.arguments.iter().map(|argument| format!("{argument}\n")).collect::<String>()).is_err() {
            eprintln!("{} cannot be kept", to.display());
        }
    }
}

/// The `.cue` files and archives at and below a path; not the files of `cue.mod`.
pub fn list(path: &Path, found: &mut Vec<PathBuf>) {
    let mut all = Vec::new();
    list_all(path, &mut all);
    let is_module = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "cue.mod");
    let is_meant = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "cue" || extension == "txtar");
    found.extend(all.into_iter().filter(|path| is_meant(path) && !is_module(path)));
}

/// Every file at and below a path; not what lies in hidden directories.
fn list_all(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_file() {
        return found.push(path.to_owned());
    }
    let Ok(entries) = std::fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_file() || !entry.file_name().to_string_lossy().starts_with('.') {
            list_all(&path, found);
        }
    }
}
