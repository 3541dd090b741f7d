//! What belongs to pravo itself in the root directory, and is written by no provider whatever was granted: the state, the lock file, the
//! cache, and the specification. Otherwise a provider could approve itself, or make itself somebody else's record.
//!
//! Kept true here: a path is judged by where it really leads, links followed as the operation follows them. Deliberately absent: reading
//! (who may read the root may read the state), and a state that `$settings` puts elsewhere under another name.

use std::path::Path;

use super::error::{FileError, Step};
use super::resolve::Steps;
use super::{Last, Place};
use crate::bindings::files::ErrorCode;

/// Whether a path below the root directory belongs to pravo.
fn is_own(steps: &[String]) -> bool {
    let Some((first, below)) = steps.split_first() else { return false };
    // Not every file system tells letters of different case apart.
    let first = first.to_ascii_lowercase();
    let is_file = below.is_empty();
    matches!(first.as_str(), ".pravo" | "pravo.lock" | "cue.mod") || first.starts_with("pravo.state") || (is_file && first.ends_with(".cue"))
}

/// Refuses to write what belongs to pravo.
pub(super) fn check(verb: &'static str, path: &str, place: &Place, last: Last, roots: &[Steps]) -> Result<(), FileError> {
    let real = real(place, last);
    if roots.iter().filter_map(|root| real.below(root)).any(is_own) {
        let text =
            "permission denied: it belongs to pravo (pravo.state*, pravo.lock, .pravo, cue.mod and the specification), and no provider may write it";
        return Err(Step::host(verb, ErrorCode::Denied, text).about(path));
    }
    Ok(())
}

/// The absolute path that a place really leads to. What is not there yet leads nowhere else.
fn real(place: &Place, last: Last) -> Steps {
    let followed = if last == Last::Followed { place.directory.canonicalize(&place.relative).ok() } else { None };
    let beside = || {
        let name = place.relative.file_name()?;
        let parent = place.relative.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
        Some(place.directory.canonicalize(parent).ok()?.join(name))
    };
    let relative = followed.or_else(beside).unwrap_or_else(|| place.relative.clone());
    Steps::written(&format!("{}/{}", place.real.absolute(), relative.to_string_lossy())).normal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_what_is_pravos_own() {
        let own = |path: &str| is_own(&path.split('/').map(str::to_owned).collect::<Vec<_>>());
        for path in ["pravo.state", "pravo.state.lock", "PRAVO.LOCK", ".pravo", ".pravo/components/x", "main.cue", "cue.mod/module.cue"] {
            assert!(own(path), "{path}");
        }
        for path in ["pravo", "x/pravo.state", "x/main.cue", "state", "main.cue/x", "pravo.txt"] {
            assert!(!own(path), "{path}");
        }
    }
}
