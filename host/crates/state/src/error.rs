//! What went wrong, in words, with what to do.

use std::io;
use std::path::Path;

use pravo_model::state::{StateError, StateErrorKind};

use crate::codec::Broken;

/// An error inside, before it is told which file it is about.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Redb(#[from] redb::Error),
    #[error("{table} of {key}: {broken}")]
    Broken { table: &'static str, key: String, broken: Broken },
    #[error("{0}")]
    Foreign(&'static str),
    #[error("it has format {format}, and this pravo knows formats up to {known} (written by pravo {by})")]
    Newer { format: u32, known: u32, by: String },
    #[error("it is cut off: it has {length} of {expected} bytes")]
    Cut { length: u64, expected: u64 },
    #[error("the database ended with a panic: {0}")]
    Panic(String),
}

macro_rules! from_redb {
    ($($error:ident),*) => { $(impl From<redb::$error> for Failure {
        fn from(error: redb::$error) -> Self {
            Failure::Redb(error.into())
        }
    })* };
}

from_redb!(DatabaseError, TransactionError, TableError, StorageError, CommitError);

impl Failure {
    pub(crate) fn broken(table: &'static str, key: impl Into<String>) -> impl FnOnce(Broken) -> Self {
        move |broken| Failure::Broken { table, key: key.into().chars().take(200).collect(), broken }
    }

    /// The error that people see.
    pub(crate) fn about(self, path: &Path) -> StateError {
        let shown = path.display();
        match self {
            Failure::Redb(redb::Error::Io(error)) if error.kind() == io::ErrorKind::InvalidData => damaged(path, &error.to_string()),
            Failure::Redb(redb::Error::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => damaged(path, "it is cut off"),
            Failure::Redb(redb::Error::Io(error)) => system("use", path, &error),
            Failure::Redb(redb::Error::PreviousIo) => StateError {
                kind: StateErrorKind::System,
                message: format!("the state {shown} cannot be written any more after an earlier error of the file system"),
                help: String::new(),
            },
            Failure::Redb(redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch) => StateError {
                kind: StateErrorKind::Locked,
                message: format!("the state {shown} is in use by another program"),
                help: "Close that program. pravo itself leaves a note in the lock file beside the state.".to_owned(),
            },
            Failure::Newer { .. } => StateError {
                kind: StateErrorKind::Newer,
                message: format!("the state {shown} was written by a newer pravo: {self}"),
                help: "Use that pravo, or a newer one.".to_owned(),
            },
            Failure::Foreign(reason) => StateError {
                kind: StateErrorKind::Damaged,
                message: format!("{shown} is not a state of pravo: {reason}"),
                help: "Check the path (settings, field state), or move the file away.".to_owned(),
            },
            other => damaged(path, &other.to_string()),
        }
    }
}

fn damaged(path: &Path, reason: &str) -> StateError {
    StateError {
        kind: StateErrorKind::Damaged,
        message: format!("the state {} is damaged: {reason}", path.display()),
        help: "Nothing was changed. Restore the file from a backup; no part of pravo writes into it but pravo itself.".to_owned(),
    }
}

/// An error of the operating system.
pub(crate) fn system(doing: &str, path: &Path, error: &io::Error) -> StateError {
    let shown = path.display();
    let help = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "The disk is full: make room and run it again. What was acknowledged before is in the state."
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            "pravo writes the state, and a lock file beside it: it needs write access to the directory."
        }
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "The directory of the state must exist.",
        _ => "",
    };
    StateError { kind: StateErrorKind::System, message: format!("cannot {doing} the state {shown}: {error}"), help: help.to_owned() }
}

/// The same error once more, for another of those who wait.
pub(crate) fn again(error: &StateError) -> StateError {
    StateError { kind: error.kind, message: error.message.clone(), help: error.help.clone() }
}
