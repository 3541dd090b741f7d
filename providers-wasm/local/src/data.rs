//! `local_file` and `local_sensitive_file`, the data sources.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pravo_sdk::{Attr, Context, DataSource, Diagnostic, DiagnosticExt, Result, files};

use crate::digests::Digests;
use crate::paths::{nothing, words};

/// What a file holds.
#[derive(DataSource)]
#[pravo(name = "local_file")]
pub struct FileData {
    /// Where the file is.
    #[pravo(required)]
    filename: Attr<String>,
    /// The contents as text; a byte that is no part of a text shows as U+FFFD.
    #[pravo(computed)]
    content: Attr<String>,
    /// The contents in base64.
    #[pravo(computed)]
    content_base64: Attr<String>,
    #[pravo(flatten)]
    digests: Digests,
}

impl DataSource for FileData {
    type Configuration = ();

    fn read(mut config: Self, _: &Context<'_, ()>) -> Result<Self> {
        let contents = contents(&config.filename)?;
        config.content = text(&contents).into();
        config.content_base64 = STANDARD.encode(&contents).into();
        config.digests = Digests::of(&contents);
        Ok(config)
    }
}

/// What a file holds, not shown.
#[derive(DataSource)]
#[pravo(name = "local_sensitive_file")]
pub struct SensitiveFileData {
    /// Where the file is.
    #[pravo(required)]
    filename: Attr<String>,
    /// The contents as text; a byte that is no part of a text shows as U+FFFD.
    #[pravo(computed, sensitive)]
    content: Attr<String>,
    /// The contents in base64.
    #[pravo(computed, sensitive)]
    content_base64: Attr<String>,
    #[pravo(flatten)]
    digests: Digests,
}

impl DataSource for SensitiveFileData {
    type Configuration = ();

    fn read(mut config: Self, _: &Context<'_, ()>) -> Result<Self> {
        let contents = contents(&config.filename)?;
        config.content = text(&contents).into();
        config.content_base64 = STANDARD.encode(&contents).into();
        config.digests = Digests::of(&contents);
        Ok(config)
    }
}

fn contents(filename: &Attr<String>) -> Result<Vec<u8>> {
    let path = filename.known().map_or("", String::as_str);
    let read = if path.is_empty() { Err(nothing()) } else { files::read(path) };
    read.map_err(|error| {
        let detail = format!("The file at given path cannot be read: open {path}: {}.", words(&error));
        Diagnostic::error("Read local file data source error", detail).into()
    })
}

/// The contents as text, with one U+FFFD for each byte that is no part of it.
fn text(contents: &[u8]) -> String {
    let mut text = String::new();
    for chunk in contents.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}
