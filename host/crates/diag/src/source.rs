//! Source texts by number, and byte ranges in them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Number of a source in its [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A byte range of one source, `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The source.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A range of one source.
    pub fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// The smallest range that covers both; `self` where they are of different sources.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A line and a column, both counted from 1; columns count bytes, as CUE does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// One source text with the path that it is shown under.
#[derive(Clone, Debug)]
pub struct Source {
    path: PathBuf,
    text: Arc<str>,
    line_starts: Vec<u32>,
}

impl Source {
    fn new(path: PathBuf, text: Arc<str>) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        Self { path, text, line_starts }
    }

    /// The path that messages show.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Line and column of a byte offset; an offset past the end is the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = offset.min(self.text.len() as u32);
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        Position { line: line as u32, column: offset - start + 1 }
    }

    /// The text of a line (from 1), without its line break; empty where there is no such line.
    pub fn line(&self, line: u32) -> &str {
        let Some(start) = (line as usize).checked_sub(1).and_then(|i| self.line_starts.get(i)) else {
            return "";
        };
        let rest = self.text.get(*start as usize..).unwrap_or("");
        rest.split('\n').next().unwrap_or("").trim_end_matches('\r')
    }
}

/// All sources of a run. Texts are shared, so that a clone is cheap.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Arc<Source>>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text under the path that messages show; the id is good for this map and its clones.
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> FileId {
        self.sources.push(Arc::new(Source::new(path.into(), text.into())));
        FileId(self.sources.len() as u32 - 1)
    }

    /// The source of an id, if it is of this map.
    pub fn get(&self, file: FileId) -> Option<&Source> {
        self.sources.get(file.0 as usize).map(|source| &**source)
    }

    /// Where a span starts: its source and position.
    pub fn locate(&self, span: Span) -> Option<(&Source, Position)> {
        let source = self.get(span.file)?;
        Some((source, source.position(span.start)))
    }

    /// Every source with its id, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        self.sources.iter().enumerate().map(|(i, source)| (FileId(i as u32), &**source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_bytes_from_one() {
        let mut map = SourceMap::new();
        let file = map.add("a.cue", "a: 1\nb: é x\n");
        let at = |offset| map.locate(Span::new(file, offset, offset)).unwrap().1;
        assert_eq!(at(0), Position { line: 1, column: 1 });
        assert_eq!(at(5), Position { line: 2, column: 1 });
        assert_eq!(at(11), Position { line: 2, column: 7 });
        assert_eq!(at(999).line, 3);
        assert_eq!(map.get(file).unwrap().line(2), "b: é x");
    }
}
