//! The function `direxists`.

use pravo_sdk::files::{self, ErrorCode, FileType};
use pravo_sdk::function::Result;
use pravo_sdk::{FunctionError, function};

use crate::paths::{clean, words};

/// Whether there is a directory at a path. A path that starts at no `/` starts at the root directory of the specification.
/// An error where there is something else.
#[function]
pub fn direxists(path: String) -> Result<bool> {
    match files::stat(&clean(&path), true) {
        Ok(found) if found.file_type == FileType::Directory => Ok(true),
        Ok(_) => Err(FunctionError::argument(0, format!("Invalid file mode detected: {path:?} was found, but is not a directory."))),
        Err(error) if error.code == ErrorCode::NotFound => Ok(false),
        Err(error) => Err(FunctionError::argument(0, format!("Error checking for directory: stat {path}: {}.", words(&error)))),
    }
}
