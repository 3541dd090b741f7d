//! YAML.
//!
//! The parser is a library's; which plain scalars are numbers, what `<<` does and which names fields get is as in CUE,
//! that is YAML 1.2 with the octal numbers of 1.1, and no other words for true and false than `true` and `false`.

use std::collections::HashMap;
use std::sync::Arc;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span};

use super::{DecodeError, Fields, MAXIMUM_DEPTH, scalar};
use crate::Value;

/// How many nodes aliases may make: a short text could otherwise stand for a tree that fills the memory.
const MAXIMUM_ALIAS_NODES: usize = 50_000;
/// How many nodes anchors may name, counted once for each anchor around them, for each is kept.
const MAXIMUM_ANCHOR_NODES: usize = 2_000_000;

/// The documents of a text.
pub(super) fn decode(text: &str) -> Result<Vec<Value>, DecodeError> {
    // Blanks behind the last line break are no line.
    let last = text.rsplit('\n').next().unwrap_or("");
    let blank = last.trim_matches([' ', '\t', '\r']).is_empty();
    let text = if blank { text.strip_suffix(last).unwrap_or(text) } else { text };
    let open_end = (!blank).then(|| text.chars().count());
    let mut builder = Builder { open_end, ..Builder::default() };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error: ScanError| error_at(error.info(), error.marker()))?;
        builder.event(event, span)?;
    }
    Ok(builder.documents)
}

fn error_at(message: impl Into<String>, marker: &Marker) -> DecodeError {
    DecodeError::new(message, marker.line(), marker.col() + 1)
}

/// A node that is complete.
#[derive(Clone)]
struct Built {
    value: Value,
    /// The name that it gives a field; `None` if it cannot be one.
    label: Option<Arc<str>>,
    /// Whether it is the key `<<`.
    merge: bool,
    /// How many nodes it consists of.
    nodes: usize,
}

/// A node that is not complete.
struct Frame {
    anchor: usize,
    nodes: usize,
    content: Content,
}

enum Content {
    List(Vec<Value>),
    Map { fields: Fields, key: Option<Key>, merged: Option<HashMap<Arc<str>, usize>> },
}

enum Key {
    Label(Arc<str>),
    Merge,
}

#[derive(Default)]
struct Builder {
    documents: Vec<Value>,
    stack: Vec<Frame>,
    anchors: HashMap<usize, Built>,
    /// How many characters a text has whose last line has content, but no end.
    open_end: Option<usize>,
    alias_nodes: usize,
    anchor_nodes: usize,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), DecodeError> {
        let at = span.start;
        match event {
            Event::SequenceStart(anchor, _) => self.open(anchor, Content::List(Vec::new()), &at),
            Event::MappingStart(anchor, _) => self.open(anchor, Content::Map { fields: Vec::new(), key: None, merged: None }, &at),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(frame) = self.stack.pop() else {
                    return Ok(());
                };
                let value = match frame.content {
                    Content::List(elements) => Value::List(elements),
                    Content::Map { fields, .. } => Value::Struct(fields),
                };
                self.complete(frame.anchor, Built { value, label: None, merge: false, nodes: frame.nodes + 1 }, &at)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag.map(|tag| format!("{}{}", tag.handle, tag.suffix));
                let scalar = scalar::read(&text, style, tag.as_deref()).map_err(|message| error_at(message, &at))?;
                let value = match scalar.value {
                    Some(Value::String(text)) if self.ends_without_break(style, &span) => Value::string(text.strip_suffix('\n').unwrap_or(&text)),
                    Some(value) => value,
                    None if self.names_field() => Value::Null,
                    None => return Err(error_at(format!("{text} is a float for YAML, but an integer for CUE"), &at)),
                };
                let built = Built { value, label: scalar.label, merge: scalar.merge, nodes: 1 };
                self.complete(anchor, built, &at)
            }
            Event::Alias(anchor) => {
                let Some(built) = self.anchors.get(&anchor) else {
                    return Err(error_at("the value of the anchor contains the alias itself", &at));
                };
                self.alias_nodes = self.alias_nodes.saturating_add(built.nodes);
                if self.alias_nodes > MAXIMUM_ALIAS_NODES {
                    let message = format!("aliases expand to more than {MAXIMUM_ALIAS_NODES} nodes");
                    return Err(error_at(message, &at));
                }
                let built = built.clone();
                self.complete(0, built, &at)
            }
            _ => Ok(()),
        }
    }

    /// Whether the next node is the name of a field.
    fn names_field(&self) -> bool {
        matches!(self.stack.last(), Some(Frame { content: Content::Map { key: None, .. }, .. }))
    }

    /// Whether a block ends with the text, in a line that has no end: then its last line has none either.
    fn ends_without_break(&self, style: ScalarStyle, span: &Span) -> bool {
        matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) && self.open_end.is_some_and(|length| span.end.index() >= length)
    }

    fn open(&mut self, anchor: usize, content: Content, at: &Marker) -> Result<(), DecodeError> {
        if self.names_field() {
            return Err(error_at("a list or map cannot be the name of a field", at));
        }
        if self.stack.len() >= MAXIMUM_DEPTH {
            return Err(error_at(format!("lists and maps are nested deeper than {MAXIMUM_DEPTH} levels"), at));
        }
        self.stack.push(Frame { anchor, nodes: 0, content });
        Ok(())
    }

    /// Gives a node to what it is part of.
    fn complete(&mut self, anchor: usize, built: Built, at: &Marker) -> Result<(), DecodeError> {
        if anchor != 0 {
            self.anchor_nodes = self.anchor_nodes.saturating_add(built.nodes);
            if self.anchor_nodes > MAXIMUM_ANCHOR_NODES {
                return Err(error_at(format!("anchors name more than {MAXIMUM_ANCHOR_NODES} nodes"), at));
            }
            self.anchors.insert(anchor, built.clone());
        }
        let Some(frame) = self.stack.last_mut() else {
            self.documents.push(built.value);
            return Ok(());
        };
        frame.nodes += built.nodes;
        match &mut frame.content {
            Content::List(elements) => elements.push(built.value),
            Content::Map { fields, key, merged } => match key.take() {
                None if built.merge => *key = Some(Key::Merge),
                None => {
                    let label = built.label.ok_or_else(|| error_at("this cannot be the name of a field", at))?;
                    *key = Some(Key::Label(label));
                }
                Some(Key::Label(label)) => match merged {
                    Some(merged) => replace(fields, merged, label, built.value),
                    None => fields.push((label, built.value)),
                },
                Some(Key::Merge) => {
                    let index = || fields.iter().enumerate().rev().map(|(at, (name, _))| (Arc::clone(name), at)).collect();
                    let merged = merged.get_or_insert_with(index);
                    merge(fields, merged, built.value).map_err(|message| error_at(message, at))?;
                }
            },
        }
        Ok(())
    }
}

/// Sets a field where merging has begun: what comes later wins.
fn replace(fields: &mut Fields, index: &mut HashMap<Arc<str>, usize>, label: Arc<str>, value: Value) {
    match index.get(&label).and_then(|at| fields.get_mut(*at)) {
        Some(field) => field.1 = value,
        None => {
            index.insert(Arc::clone(&label), fields.len());
            fields.push((label, value));
        }
    }
}

/// What `<<` does. Of a list of maps, earlier ones win.
fn merge(fields: &mut Fields, index: &mut HashMap<Arc<str>, usize>, value: Value) -> Result<(), &'static str> {
    match value {
        Value::Struct(others) => others.into_iter().for_each(|(label, value)| replace(fields, index, label, value)),
        Value::List(elements) => {
            for element in elements.into_iter().rev() {
                merge(fields, index, element)?;
            }
        }
        _ => return Err("<< needs a map or a list of maps"),
    }
    Ok(())
}
