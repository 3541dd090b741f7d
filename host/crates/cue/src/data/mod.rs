//! Data files: JSON, YAML, TOML, CSV, text and bytes, read into values.
//!
//! Kept true here: a decoder gives what CUE's own decoder of that format gives, or an error with its place; it never
//! panics, never goes deeper than [`MAXIMUM_DEPTH`], and what it makes is linear in what it reads (aliases of YAML, the
//! one way around that, have a limit of their own). A name that occurs twice in a struct stays there twice, for it is
//! the evaluator that says whether the two values agree.
//!
//! Deliberately absent: input and output, and comments, which have no place in a value.

mod csv;
mod json;
mod scalar;
#[cfg(test)]
mod tests;
mod toml;
mod yaml;

use std::sync::Arc;

use crate::Value;
pub(crate) use csv::encode as encode_csv;
pub(crate) use json::check as check_json;
pub(crate) use scalar::resolve as yaml_kind;

/// How deep lists and structs may be nested in a data file.
pub const MAXIMUM_DEPTH: usize = 500;

/// A format of data files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One JSON value.
    Json,
    /// JSON values one after another.
    JsonLines,
    /// YAML, any number of documents.
    Yaml,
    /// TOML.
    Toml,
    /// Comma-separated values: a list of lists of strings.
    Csv,
    /// The file as a string.
    Text,
    /// The file as bytes.
    Binary,
}

impl Format {
    /// Every format with its name, as commands and attributes spell it.
    pub const NAMES: &[(&str, Self)] = &[
        ("binary", Self::Binary),
        ("csv", Self::Csv),
        ("json", Self::Json),
        ("jsonl", Self::JsonLines),
        ("text", Self::Text),
        ("toml", Self::Toml),
        ("yaml", Self::Yaml),
    ];

    /// The format of a name such as `json`.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(own, _)| *own == name).map(|(_, format)| *format)
    }

    /// The format that the ending of a file name says, without the dot. `txt` and `csv` say none: whoever wants these
    /// names the format.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "json" => Some(Self::Json),
            "jsonl" | "ldjson" | "ndjson" => Some(Self::JsonLines),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }
}

/// Why data cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct DecodeError {
    /// What is wrong.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

impl DecodeError {
    pub(crate) fn new(message: impl Into<String>, line: usize, column: usize) -> Self {
        Self { message: message.into(), line, column }
    }

    /// An error at a byte of a text.
    pub(crate) fn at(message: impl Into<String>, text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Self::new(message, line, column)
    }
}

/// Reads the values of a data file: several in formats that allow several documents, none of an empty YAML file (which
/// CUE takes for `*null | _`), else exactly one.
pub fn decode(format: Format, bytes: &[u8]) -> Result<Vec<Value>, DecodeError> {
    match format {
        Format::Binary => return Ok(vec![Value::Bytes(bytes.into())]),
        Format::Text => {
            return Ok(vec![Value::string(String::from_utf8_lossy(bytes).into_owned())]);
        }
        Format::Csv => return Ok(vec![csv::decode(&String::from_utf8_lossy(bytes))?]),
        _ => {}
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or(&[])).into_owned();
        DecodeError::at("the file is not valid UTF-8 here", &before, before.len())
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Json => Ok(vec![json::decode(text)?]),
        Format::JsonLines => json::stream(text),
        Format::Toml => Ok(vec![toml::decode(text)?]),
        _ => yaml::decode(text),
    }
}

/// The fields of a struct as decoders collect them.
type Fields = Vec<(Arc<str>, Value)>;
