//! What the two file resources share: writing, reading back, removing.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use pravo_sdk::files::{self, Error, ErrorCode, WriteMode};
use pravo_sdk::{Attr, Diagnostic, DiagnosticExt, Diagnostics, Result};

use crate::paths::{nothing, parent, words};
use crate::permission;

/// Base64 with padding; bits beyond the last byte are not checked.
const BASE64: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// An argument that gives the contents.
pub type Argument<'a> = (&'static str, &'a Attr<String>);

/// Checks that one argument and only one gives the contents; each reports for itself. An unknown one puts it off.
pub fn check_contents(arguments: &[Argument<'_>], diagnostics: &mut Diagnostics) {
    let set = arguments.iter().filter(|(_, argument)| !argument.is_null()).count();
    if set == 1 || arguments.iter().any(|(_, argument)| argument.is_unknown()) {
        return;
    }
    let names = arguments.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",");
    for (name, _) in arguments {
        let count = if set == 0 { "No attribute".to_owned() } else { format!("{set} attributes") };
        let problem =
            Diagnostic::error("Invalid Attribute Combination", format!("{count} specified when one (and only one) of [{names}] is required"));
        diagnostics.push(problem.at_attribute(name));
    }
}

/// The contents that the arguments give.
pub fn contents(sensitive: &Attr<String>, base64: &Attr<String>, source: &Attr<String>, plain: &Attr<String>) -> Result<Vec<u8>> {
    let failed = |problem: String| {
        Diagnostic::error("Create local file error", format!("An unexpected error occurred while parsing local file content: {problem}"))
    };
    if let Some(text) = sensitive.known() {
        return Ok(text.clone().into_bytes());
    }
    if let Some(text) = base64.known() {
        return BASE64.decode(text.replace(['\r', '\n'], "")).map_err(|error| failed(format!("illegal base64 data: {error}.")).into());
    }
    if let Some(path) = source.known() {
        let read = if path.is_empty() { Err(nothing()) } else { files::read(path) };
        return read.map_err(|error| failed(format!("open {path}: {}.", words(&error))).into());
    }
    Ok(plain.known().cloned().unwrap_or_default().into_bytes())
}

/// Writes a file, with the directories above it where its parent is missing.
pub fn write(path: &str, contents: &[u8], file_permission: &Attr<String>, directory_permission: &Attr<String>) -> Result<()> {
    let bits = |permission: &Attr<String>| permission.known().and_then(|text| permission::parse(text).ok()).unwrap_or_default();
    let failed = |doing: &str, call: &str, path: &str, error: &Error| {
        let detail = format!("An unexpected error occurred while {doing}: {call} {path}: {}.", words(error));
        Diagnostics::from(Diagnostic::error("Create local file error", detail))
    };
    let directory = parent(path);
    if files::stat(&directory, true).is_err() {
        files::create_directory(&directory, bits(directory_permission), true).map_err(|mut error| {
            if error.code == ErrorCode::AlreadyExists {
                error.code = ErrorCode::NotADirectory;
            }
            failed("creating file directory", "mkdir", &directory, &error)
        })?;
    }
    let written = match path.ends_with('/') || path == "." {
        true => Err(Error { code: ErrorCode::IsADirectory, message: "the name is one of a directory".to_owned() }),
        false if path.is_empty() => Err(nothing()),
        false => files::write(path, contents, WriteMode::Truncate, bits(file_permission)),
    };
    written.map_err(|error| failed("writing the file", "open", path, &error))
}

/// Whether the file is still the one that was written: there, with contents of that SHA-1.
pub fn unchanged(path: &str, sha1: Option<&String>) -> Result<bool> {
    match files::read(path) {
        Ok(contents) => Ok(crate::digests::Digests::of(&contents).content_sha1.known() == sha1),
        Err(error) if error.code == ErrorCode::NotFound => Ok(false),
        Err(error) => {
            let detail = format!("An unexpected error occurred while reading the file: open {path}: {}.", words(&error));
            Err(Diagnostic::error("Read local file error", detail).into())
        }
    }
}

/// Removes a file or an empty directory; that it cannot be is no error.
pub fn remove(path: &str) {
    if files::remove_file(path).is_err() {
        let _ = files::remove_directory(path);
    }
}
