//! The module file, `cue.mod/module.cue`.

use std::path::{Path, PathBuf};

use pravo_cue::syntax::ast::{Declaration, Expression, File};

use crate::literals;

/// A module: where it lies and how it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The directory that holds `cue.mod`.
    pub directory: PathBuf,
    /// Its path, without the major version.
    pub path: String,
    /// Its language version, as written.
    pub language: Option<String>,
}

/// The directory at or above `directory` that holds a module file.
pub(super) fn find(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().find(|ancestor| ancestor.join("cue.mod").join("module.cue").is_file()).map(Path::to_owned)
}

/// What a module file says.
pub(super) fn read(directory: PathBuf, file: &File) -> Module {
    let path = value(file.body(), "module").and_then(|value| literals::text(value).ok()).unwrap_or_default();
    let language = match value(file.body(), "language") {
        Some(Expression::Struct(inner)) => value(&inner.declarations, "version").and_then(|value| literals::text(value).ok()),
        _ => None,
    };
    let path = path.split_once('@').map_or(path.as_str(), |(path, _)| path).to_owned();
    Module { directory, path, language }
}

/// The value of a field.
fn value<'a>(declarations: impl IntoIterator<Item = &'a Declaration>, name: &str) -> Option<&'a Expression> {
    declarations.into_iter().find_map(|declaration| match declaration {
        Declaration::Field(field) if literals::name(&field.label).as_deref() == Some(name) => Some(&field.value),
        _ => None,
    })
}

impl Module {
    /// Where a package may lie, in the order in which it is looked for.
    pub(super) fn places(&self, import_path: &str) -> Vec<PathBuf> {
        let path = import_path.split_once(':').map_or(import_path, |(path, _)| path);
        let path = path.split_once('@').map_or(path, |(path, _)| path);
        if path.split('/').any(|segment| segment.is_empty() || segment == "." || segment == "..") {
            return Vec::new();
        }
        let mut places = Vec::new();
        if !self.path.is_empty()
            && let Some(rest) = path.strip_prefix(&self.path)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            places.push(self.directory.join(rest.trim_start_matches('/')));
        }
        let vendored = self.directory.join("cue.mod");
        places.extend(["pkg", "gen", "usr"].map(|kind| vendored.join(kind).join(path)));
        places
    }

    /// The import path of a directory of the module.
    pub(super) fn import_path(&self, directory: &Path) -> Option<String> {
        let rest = directory.strip_prefix(&self.directory).ok()?.to_str()?;
        let path = if rest.is_empty() { self.path.clone() } else { format!("{}/{rest}", self.path) };
        Some(path.replace('\\', "/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_looked_for_in_the_module_then_vendored() {
        let module = Module { directory: "/m".into(), path: "example.com/m".into(), language: None };
        assert_eq!(module.places("example.com/m/a/b:c")[0], PathBuf::from("/m/a/b"));
        assert_eq!(module.places("example.com/other@v1")[0], PathBuf::from("/m/cue.mod/pkg/example.com/other"));
        assert_eq!(module.places("example.com/mm")[0], PathBuf::from("/m/cue.mod/pkg/example.com/mm"));
        assert!(module.places("example.com/m/../../etc").is_empty());
        assert_eq!(module.import_path(Path::new("/m/a")).as_deref(), Some("example.com/m/a"));
    }
}
