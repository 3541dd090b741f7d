//! From a path that a guest names to a granted directory and a path below it.
//!
//! Kept true here: which grant covers a path is decided by its text alone, step by step; what is then opened is opened below
//! that directory's descriptor by a sandbox that follows no link and no `..` out of it. There is no check of a path that is then
//! opened by its name: where a link leads out, its target is a new path that has to be covered by a grant itself.

use std::path::{Path, PathBuf};

use pravo_model::capability::{Access, FileGrant, GrantPath};

use crate::files::error::{FileError, denied};

/// The longest path, in bytes.
pub(crate) const MAX_PATH: usize = 4096;

/// A path, step by step: without empty steps and `.`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Steps(Vec<String>);

impl Steps {
    /// The steps of an absolute path as it is written, `..` among them.
    pub(crate) fn written(path: &str) -> Self {
        Self(path.split('/').filter(|step| !step.is_empty() && *step != ".").map(str::to_owned).collect())
    }

    /// Without `..`: each takes the step before it away.
    pub(crate) fn normal(&self) -> Self {
        let mut steps = Vec::with_capacity(self.0.len());
        for step in &self.0 {
            if step == ".." {
                steps.pop();
            } else {
                steps.push(step.clone());
            }
        }
        Self(steps)
    }

    /// What is left of `self` below `above`.
    pub(super) fn below(&self, above: &Steps) -> Option<&[String]> {
        self.0.strip_prefix(above.0.as_slice())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The absolute path.
    pub(crate) fn absolute(&self) -> String {
        format!("/{}", self.0.join("/"))
    }
}

/// The path below a granted directory: as written where the writing stays below it all the way, so that the operating
/// system's own meaning of `..` holds (`missing/../file` does not exist); else its normal form. `.` for the directory itself.
pub(crate) fn below(written: &Steps, above: &Steps) -> Option<PathBuf> {
    let normal = written.normal();
    let rest = match written.below(above) {
        Some(rest) if stays_below(rest) => rest,
        _ => normal.below(above)?,
    };
    Some(if rest.is_empty() { PathBuf::from(".") } else { rest.iter().collect() })
}

fn stays_below(rest: &[String]) -> bool {
    let mut depth = 0_usize;
    for step in rest {
        match (step.as_str(), depth) {
            ("..", 0) => return false,
            ("..", _) => depth -= 1,
            _ => depth += 1,
        }
    }
    true
}

/// The refusal of a path, with the grant of its directory that would allow it: relative where it lies below the root.
pub(crate) fn refusal(verb: &str, path: &str, target: &Steps, root: &Steps, access: Access) -> FileError {
    let normal = target.normal();
    let parent = Steps(normal.0.iter().take(normal.len().saturating_sub(1)).cloned().collect());
    let text = match parent.below(root) {
        Some([]) => ".".to_owned(),
        Some(rest) => rest.join("/"),
        None => parent.absolute(),
    };
    let directory = text.parse().unwrap_or_else(|_| GrantPath::root());
    denied(verb, path, FileGrant { path: directory, access })
}

/// The absolute path of the specification's root directory, as it is spelled and as it really is.
pub(crate) fn spellings(directory: &Path) -> Vec<Steps> {
    let spelled = std::path::absolute(directory).ok().and_then(|path| path.to_str().map(|text| Steps::written(text).normal()));
    let real = directory.canonicalize().ok().and_then(|path| path.to_str().map(Steps::written));
    let mut spellings: Vec<_> = spelled.into_iter().chain(real).collect();
    spellings.dedup();
    spellings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_lies_below_a_directory_by_its_steps() {
        for (path, directory, expected) in [
            ("/r/a/b", "/r", Some("a/b")),
            ("/r", "/r", Some(".")),
            ("/r//a/./b/", "/r", Some("a/b")),
            ("/r/a/../b", "/r", Some("a/../b")),
            ("/r/../r/a", "/r", Some("a")),
            ("/r/a/../../r/b", "/r", Some("b")),
            ("/x/../r/b", "/r", Some("b")),
            ("/r/../s", "/r", None),
            ("/ra/b", "/r", None),
            ("/../../etc", "/r", None),
            ("/r/..data/x", "/r", Some("..data/x")),
            ("/etc/x", "/", Some("etc/x")),
        ] {
            let found = below(&Steps::written(path), &Steps::written(directory));
            assert_eq!(found, expected.map(PathBuf::from), "{path} in {directory}");
        }
    }

    #[test]
    fn a_refusal_names_the_grant() {
        let root = Steps::written("/r");
        let text = |target: &str, access| refusal("open", "x", &Steps::written(target), &root, access).message;
        assert_eq!(
            text("/etc/passwd", Access::Read),
            "open x: permission denied: it may not be read by this provider; allow it with $allow: fs: [{path: \"/etc\", access: \"read\"}]"
        );
        assert!(text("/r/x", Access::Write).ends_with("$allow: fs: [{path: \".\", access: \"write\"}]"));
        assert!(text("/r/a/b/x", Access::Write).ends_with("$allow: fs: [{path: \"a/b\", access: \"write\"}]"));
    }
}
