//! Paths as texts, and the words of what goes wrong with them.

use pravo_sdk::files::{Error, ErrorCode};

/// The path without `.`, without `name/..`, and without doubled or trailing slashes; `.` for nothing.
pub fn clean(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    let text = parts.join("/");
    match (absolute, text.is_empty()) {
        (true, _) => format!("/{text}"),
        (false, true) => ".".to_owned(),
        (false, false) => text,
    }
}

/// The directory that a path lies in.
pub fn parent(path: &str) -> String {
    clean(path.rsplit_once('/').map_or("", |(parent, _)| if parent.is_empty() { "/" } else { parent }))
}

/// What went wrong, as systems word it, with the host's own words, which may name a missing grant.
pub fn words(error: &Error) -> String {
    let known = match error.code {
        ErrorCode::NotFound => "no such file or directory",
        ErrorCode::Denied => "permission denied",
        ErrorCode::AlreadyExists => "file exists",
        ErrorCode::NotADirectory => "not a directory",
        ErrorCode::IsADirectory => "is a directory",
        ErrorCode::NotEmpty => "directory not empty",
        ErrorCode::InvalidPath => "invalid argument",
        ErrorCode::TooLarge => "file too large",
        ErrorCode::Quota => "quota exceeded",
        ErrorCode::Busy => "busy",
        ErrorCode::Other => "failed",
    };
    format!("{known} ({})", error.message)
}

/// An error of a path that names nothing.
pub fn nothing() -> Error {
    Error { code: ErrorCode::NotFound, message: "the path is empty".to_owned() }
}
