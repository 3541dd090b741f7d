//! The lock file beside the state: one writer, by name.
//!
//! Kept true here: the lock is the kernel's (`flock`), so it ends with its holder, however that ends; what stands in the file only names
//! the holder. Whoever found the file locked waits a moment, for a reader may hold it while it copies a state that was cut off.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use pravo_model::state::{StateError, StateErrorKind};
use serde::{Deserialize, Serialize};

use crate::error::system;

/// How long a writer waits for the lock.
const PATIENCE: Duration = Duration::from_millis(300);
/// The largest lock file that is read.
const MAX_BYTES: u64 = 4096;

/// Who holds the lock.
#[derive(Debug, Serialize, Deserialize)]
struct Holder {
    host: String,
    process: u32,
    user: String,
    command: String,
    time: String,
}

impl Holder {
    fn this(command: &str) -> Self {
        let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME"));
        Self {
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            process: std::process::id(),
            user: user.unwrap_or_else(|_| format!("uid {}", rustix::process::getuid().as_raw())),
            command: command.chars().take(500).collect(),
            time: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        }
    }
}

/// The held lock.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
}

/// Where the lock file of a state is.
pub(crate) fn path(state: &Path) -> PathBuf {
    let mut name = state.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    state.with_file_name(name)
}

impl Lock {
    /// Takes the lock of a state.
    pub(crate) fn take(state: &Path, command: &str) -> Result<Self, StateError> {
        let path = path(state);
        let until = Instant::now() + PATIENCE;
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&path).map_err(|error| system("lock", state, &error))?;
            match file.try_lock() {
                // The holder before removed the file while this waited for it: take the new one.
                Ok(()) if !is_at(&file, &path) => {}
                Ok(()) => {
                    name_holder(&mut file, command).map_err(|error| system("lock", state, &error))?;
                    return Ok(Self { file, path });
                }
                Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(Duration::from_millis(20)),
                Err(TryLockError::WouldBlock) => return Err(refused(state, &mut file)),
                Err(TryLockError::Error(error)) => return Err(system("lock", state, &error)),
            }
        }
    }

    /// Lets the lock go. Dropping it does so too.
    pub(crate) fn release(self) {
        drop(self);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked, so that nobody removes a file that another one holds. What stays behind is only a name.
        let _ = std::fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

/// Keeps writers out for a moment, without a name. `None` where one is at work.
pub(crate) fn pause_writers(state: &Path) -> Option<Option<File>> {
    // Without a lock file, or without the right to open it, nobody is kept out, and the copy is verified anyway.
    let Ok(file) = File::open(path(state)) else { return Some(None) };
    match file.try_lock_shared() {
        Ok(()) => Some(Some(file)),
        Err(TryLockError::WouldBlock) => None,
        Err(TryLockError::Error(_)) => Some(None),
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(one), Ok(other)) => one.dev() == other.dev() && one.ino() == other.ino(),
        _ => false,
    }
}

fn name_holder(file: &mut File, command: &str) -> std::io::Result<()> {
    let text = serde_json::to_string(&Holder::this(command)).map_err(std::io::Error::other)?;
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text.as_bytes())
}

fn refused(state: &Path, file: &mut File) -> StateError {
    let mut text = String::new();
    // A holder that cannot be read is a holder all the same.
    let read = file.take(MAX_BYTES).read_to_string(&mut text);
    let shown = state.display();
    let message = match read.ok().and_then(|_| serde_json::from_str::<Holder>(&text).ok()) {
        Some(Holder { host, process, user, command, time }) => {
            format!("the state {shown} is locked by \"{command}\", process {process} of {user} on {host}, since {time}")
        }
        None => format!("the state {shown} is locked by another run of pravo"),
    };
    let help = "Wait until it ends, or stop it; the lock ends with its process. Reading the state (plan, show, state list) needs no lock.";
    StateError { kind: StateErrorKind::Locked, message, help: help.to_owned() }
}
