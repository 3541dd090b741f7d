//! bcrypt hashes of passwords.

use bcrypt::Version;
use pravo_sdk::{Diagnostic, DiagnosticExt, Diagnostics, Result};

use crate::entropy;

const COST: u32 = 10;

/// The most bytes of a password that bcrypt looks at.
const MAX_BYTES: usize = 72;

/// A fresh hash of a password's first 72 bytes.
pub fn make(password: &str) -> Result<String> {
    let bytes = password.as_bytes();
    let bytes = bytes.get(..MAX_BYTES).unwrap_or(bytes);
    let parts = bcrypt::hash_with_salt(bytes, COST, entropy::array()?)
        .map_err(|error| Diagnostic::error("Bcrypt error", format!("An error occurred when generating a password bcrypt hash: {error}.")))?;
    Ok(parts.format_for_version(Version::TwoA))
}

/// A stored hash if it is one of the password, else a fresh one.
pub fn renew(password: &str, stored: &str) -> Result<String> {
    let failed = |detail: String| Diagnostics::from(Diagnostic::error("Version 3 State Upgrade Error", detail));
    match bcrypt::verify(password, stored) {
        Ok(true) => Ok(stored.to_owned()),
        Ok(false) if password.len() > MAX_BYTES => Err(failed(format!(
            "An unexpected error occurred when generating a new password bcrypt hash: the password has {} bytes, more than {MAX_BYTES}.",
            password.len()
        ))),
        Ok(false) => make(password),
        Err(error) => Err(failed(format!(
            "An unexpected error occurred when comparing the state version 2 password and bcrypt hash: the stored hash is missing or malformed ({error})."
        ))),
    }
}
