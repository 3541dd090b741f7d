//! Files below granted directories: the one door to files that guests have.
//!
//! Kept true here, beneath every version of the world:
//!
//! - every operation names the access that it needs, and goes through [`Files::at`] or [`Files::parent`], the only users of the opened directories;
//! - a link is followed where its target is granted, and refused otherwise;
//! - what belongs to pravo itself in the root directory is not written;
//! - only regular files are read and written: a pipe or a device could block the host for ever;
//! - a file that exists keeps its mode, a new one gets the mode asked for, without bits beyond `0777`, before the umask.
//!
//! Deliberately absent: handles (an operation opens and closes; a guest cannot exhaust descriptors), links (a guest cannot make them), and a
//! check for hard links: one that lies in a granted directory is a file of that directory, wherever else it has a name.

mod error;
mod import;
mod operations;
mod own;
mod resolve;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use pravo_model::capability::{Access, Grants};

use crate::bindings::files::ErrorCode;
use error::{During, FileError, Step};
use resolve::{MAX_PATH, Steps, below, refusal, spellings};

/// How many links are followed on the way to a file.
const MAX_LINKS: usize = 40;

/// The granted directories of one provider.
#[derive(Debug)]
pub(crate) struct Files {
    /// The root directory of the specification: where relative paths start.
    root: Steps,
    /// All its spellings.
    roots: Vec<Steps>,
    granted: Vec<Granted>,
}

/// A granted directory, opened when it is first needed.
#[derive(Debug)]
struct Granted {
    path: PathBuf,
    /// Its absolute path, as it is spelled and as it really is.
    spellings: Vec<Steps>,
    access: Access,
    directory: Mutex<Option<Arc<Dir>>>,
}

/// A path below a granted directory.
struct Place {
    directory: Arc<Dir>,
    /// The granted directory's absolute path.
    above: Steps,
    /// The granted directory as it really is.
    real: Steps,
    relative: PathBuf,
}

/// Whether the last step of a path is followed where it is a link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    Followed,
    Itself,
}

impl Files {
    /// The directories of the grants. Nothing is opened yet.
    pub(crate) fn new(root_directory: &Path, grants: &Grants) -> Self {
        let roots = spellings(root_directory);
        let root = roots.first().cloned().unwrap_or_else(|| Steps::written("/"));
        let granted = grants.fs.iter().map(|grant| {
            let path = Path::new(&root.absolute()).join(grant.path.as_str());
            Granted { spellings: spellings(&path), path, access: grant.access, directory: Mutex::default() }
        });
        Self { granted: granted.collect(), root, roots }
    }

    /// The absolute path of the root directory.
    pub(crate) fn root(&self) -> String {
        self.root.absolute()
    }

    /// Runs an operation on the place of a path; follows links out of one grant into another.
    fn at<T>(
        &self,
        verb: &'static str,
        path: &str,
        access: Access,
        last: Last,
        run: impl Fn(&Dir, &Path) -> Result<T, Step>,
    ) -> Result<T, FileError> {
        check_text(verb, path)?;
        let mut target = self.absolute(path);
        for _ in 0..MAX_LINKS {
            let place = self.place(verb, path, &target, access)?;
            if access == Access::Write {
                own::check(verb, path, &place, last, &self.roots)?;
            }
            match run(&place.directory, &place.relative) {
                Err(step) if step.is_escape() => match place.first_link(last) {
                    Some(next) => target = next,
                    None => return Err(refusal(verb, path, &target, &self.root, access)),
                },
                outcome => return outcome.map_err(|step| step.about(path)),
            }
        }
        Err(Step::host(verb, ErrorCode::Other, "too many levels of symbolic links").about(path))
    }

    /// Opens the directory that holds the last step of a path, for operations on the name itself.
    fn parent(&self, verb: &'static str, path: &str, access: Access) -> Result<(Dir, OsString), FileError> {
        check_text(verb, path)?;
        let trimmed = path.trim_end_matches('/');
        let (parent, name) = match trimmed.rsplit_once('/') {
            Some(("", name)) => ("/", name),
            Some((parent, name)) => (parent, name),
            None => (".", trimmed),
        };
        if matches!(name, "" | "." | "..") {
            return Err(Step::host(verb, ErrorCode::InvalidPath, "invalid argument: the path has no name at its end").about(path));
        }
        let target = self.absolute(path);
        let granted = target.normal();
        if self.granted.iter().any(|grant| grant.spellings.contains(&granted)) {
            return Err(Step::host(verb, ErrorCode::Denied, "permission denied: it is a granted directory itself").about(path));
        }
        // The whole path first, so that a refusal is about it.
        let place = self.place(verb, path, &target, access)?;
        own::check(verb, path, &place, Last::Itself, &self.roots)?;
        let parent = self.at(verb, parent, access, Last::Followed, |directory, relative| directory.open_dir(relative).during(verb));
        parent
            .map(|directory| (directory, OsString::from(name)))
            .map_err(|error| FileError { message: rename_path(&error.message, verb, path), ..error })
    }

    /// The absolute form of a path.
    fn absolute(&self, path: &str) -> Steps {
        if path.starts_with('/') { Steps::written(path) } else { Steps::written(&format!("{}/{path}", self.root.absolute())) }
    }

    /// The narrowest grant that covers a path.
    fn place(&self, verb: &'static str, path: &str, target: &Steps, access: Access) -> Result<Place, FileError> {
        let candidates = self
            .granted
            .iter()
            .filter(|grant| grant.access >= access)
            .flat_map(|grant| grant.spellings.iter().filter_map(move |spelling| Some((grant, spelling, below(target, spelling)?))));
        let Some((grant, spelling, relative)) = candidates.max_by_key(|(_, spelling, _)| spelling.len()) else {
            return Err(refusal(verb, path, target, &self.root, access));
        };
        let directory = grant.open().during("open the granted directory").map_err(|step| step.about(&grant.path.to_string_lossy()))?;
        let real = grant.spellings.last().unwrap_or(spelling).clone();
        Ok(Place { directory, above: spelling.clone(), real, relative })
    }
}

impl Granted {
    fn open(&self) -> std::io::Result<Arc<Dir>> {
        let mut directory = self.directory.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(directory) = &*directory {
            return Ok(directory.clone());
        }
        // The one place where a name becomes a directory with the rights of the user: the name is the operator's.
        let opened = Arc::new(Dir::open_ambient_dir(&self.path, ambient_authority())?);
        *directory = Some(opened.clone());
        Ok(opened)
    }
}

impl Place {
    /// Where the first link on the way leads: a path that has to be resolved from the beginning.
    fn first_link(&self, last: Last) -> Option<Steps> {
        let steps: Vec<_> = self.relative.components().collect();
        let followed = if last == Last::Followed { steps.len() } else { steps.len().saturating_sub(1) };
        (1..=followed).find_map(|end| {
            let (way, rest) = steps.split_at_checked(end)?;
            let way: PathBuf = way.iter().collect();
            if !self.directory.symlink_metadata(&way).ok()?.is_symlink() {
                return None;
            }
            let link = self.directory.read_link_contents(&way).ok()?;
            let holder = Path::new(&self.above.absolute()).join(way.parent()?);
            let rest: PathBuf = rest.iter().collect();
            Some(Steps::written(holder.join(link).join(rest).to_str()?))
        })
    }
}

/// Refuses what is no path.
fn check_text(verb: &'static str, path: &str) -> Result<(), FileError> {
    let refuse = |code, text| Err(Step::host(verb, code, text).about(&crate::text::one_line(path, 200)));
    if path.is_empty() {
        return refuse(ErrorCode::NotFound, "no such file or directory");
    }
    if path.len() > MAX_PATH {
        return refuse(ErrorCode::InvalidPath, "file name too long");
    }
    if path.contains('\0') {
        return refuse(ErrorCode::InvalidPath, "invalid argument: the path holds a NUL");
    }
    Ok(())
}

/// An error about the parent, told about the path.
fn rename_path(message: &str, verb: &str, path: &str) -> String {
    let reason = message.strip_prefix(verb).and_then(|rest| rest.split_once(": ")).map_or(message, |(_, reason)| reason);
    format!("{verb} {path}: {reason}")
}
