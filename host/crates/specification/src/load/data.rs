//! Data files: JSON, YAML, TOML and text as CUE.
//!
//! Kept true here: the decoders are those of the standard packages, so that a file means the same as an argument, as an embedded file and
//! in `yaml.Unmarshal`. JSON is read as it stands, so that places point into the file; other formats are written as CUE first.

use std::path::Path;

use pravo_cue::data::{DecodeError, Format, decode};
use pravo_cue::export::cue::literal;
use pravo_cue::syntax::ast::{Declaration, Expression, File};
use pravo_cue::syntax::{self, Options};
use pravo_diag::{Diagnostic, SourceMap, Span};

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// CUE itself.
    Cue,
    /// Data.
    Data(Format),
}

impl Encoding {
    /// By the name that stands in front of a colon, `json:`, or in `type=json`.
    pub fn named(name: &str) -> Option<Self> {
        if name == "cue" { Some(Self::Cue) } else { Format::named(name).map(Self::Data) }
    }

    /// By the end of a file's name.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "cue" => Some(Self::Cue),
            "txt" => Some(Self::Data(Format::Text)),
            extension => Format::of_extension(extension).map(Self::Data),
        }
    }
}

/// The values of a data file as expressions.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn expressions(shown: &Path, encoding: Encoding, bytes: &[u8], sources: &mut SourceMap) -> Result<Vec<Expression>, Vec<Diagnostic>> {
    let Encoding::Data(format) = encoding else {
        return Err(vec![refusal("it is CUE, not data", shown)]);
    };
    let values = decode(format, bytes).map_err(|error| vec![broken(&error, shown, bytes, sources)])?;
    if let (Format::Json, [_], Ok(text)) = (format, values.as_slice(), std::str::from_utf8(bytes))
        && let Some(expression) = parse(shown, text, sources)
    {
        return Ok(vec![expression]);
    }
    if values.is_empty() && format == Format::Yaml {
        return Ok(parse(shown, "*null | _", sources).into_iter().collect());
    }
    let written = values.iter().map(|value| parse(shown, &literal(value), sources));
    written.collect::<Option<_>>().ok_or_else(|| vec![refusal("a value in it has no form in CUE", shown)])
}

fn refusal(why: &str, shown: &Path) -> Diagnostic {
    let help = "the end of a file's name says how it is read; `json: NAME` in front of it says another form";
    Diagnostic::error("specification.data", format!("{}: {why}", shown.display())).with_help(help)
}

/// What is wrong with a data file, with its place.
fn broken(error: &DecodeError, shown: &Path, bytes: &[u8], sources: &mut SourceMap) -> Diagnostic {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let start: usize = text.split_inclusive('\n').take(error.line.saturating_sub(1)).map(str::len).sum();
    let line = text.get(start..).unwrap_or("");
    let offset = start + line.char_indices().nth(error.column.saturating_sub(1)).map_or(line.trim_end().len(), |(at, _)| at);
    let file = sources.add(shown, text);
    let at = u32::try_from(offset).unwrap_or(u32::MAX);
    refusal(&error.message, shown).at(Span::new(file, at, at.saturating_add(1)), "")
}

/// Reads a text as an expression; nothing of it is kept where that is not possible.
fn parse(shown: &Path, text: &str, sources: &mut SourceMap) -> Option<Expression> {
    let mut trial = sources.clone();
    let file = trial.add(shown, text);
    let parsed = syntax::parse_expression(&trial, file, &Options::default());
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    *sources = trial;
    Some(parsed.expression)
}

/// A file of the package that data is read into: the fields of a struct, or a value.
pub(super) fn file(value: Expression) -> File {
    let span = value.span();
    let declarations = match value {
        Expression::Struct(inner) => inner.declarations,
        value => {
            let embedding = pravo_cue::syntax::ast::Embedding { span, value, comments: Default::default() };
            vec![Declaration::Embedding(Box::new(embedding))]
        }
    };
    File { span, declarations, experiments: Default::default(), comments: Default::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Vec<String>, Vec<Diagnostic>> {
        let mut sources = SourceMap::new();
        let encoding = Encoding::of(Path::new(name)).unwrap();
        let expressions = expressions(Path::new(name), encoding, text.as_bytes(), &mut sources)?;
        Ok(expressions.iter().map(|expression| syntax::format_expression(expression, "", syntax::Format::default())).collect())
    }

    #[test]
    fn every_value_of_a_file_is_read() {
        assert_eq!(read("a.json", "{\"a\": 1}").unwrap(), ["{\"a\": 1}"]);
        assert_eq!(read("a.jsonl", "{\"a\": 1}\n[2]\n").unwrap(), ["{a: 1}", "[2]"]);
        assert_eq!(read("a.yaml", "a: x\n---\n- 1\n").unwrap(), ["{a: \"x\"}", "[1]"]);
        assert_eq!(read("a.txt", "a \"b\"").unwrap(), ["\"a \\\"b\\\"\""]);
        assert!(read("a.json", "{\"a\": ").unwrap_err()[0].summary.starts_with("a.json: "));
    }
}
