//! Texts and labels by number.
//!
//! Kept true here: equal texts have equal numbers, so that names are compared as integers. Labels of hidden fields
//! carry the import path of their package.

use std::sync::Arc;

use crate::Map;

/// Number of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text(pub u32);

/// What a label is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LabelKind {
    /// `a`, `"a-b"`
    Regular,
    /// `#A`
    Definition,
    /// `_a`
    Hidden,
    /// `_#A`
    HiddenDefinition,
    /// An element of a list.
    Index,
    /// Not a field: the value of a `let`, an operand, the root.
    Anonymous,
}

/// A label: its kind and its text or index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(u32);

impl Label {
    /// No field.
    pub const NONE: Self = Self(5);

    /// A label of a kind.
    pub fn new(kind: LabelKind, id: u32) -> Self {
        let tag = match kind {
            LabelKind::Regular => 0,
            LabelKind::Definition => 1,
            LabelKind::Hidden => 2,
            LabelKind::HiddenDefinition => 3,
            LabelKind::Index => 4,
            LabelKind::Anonymous => 5,
        };
        Self(id << 3 | tag)
    }

    /// An element of a list.
    pub fn index(index: usize) -> Self {
        Self::new(LabelKind::Index, index as u32)
    }

    /// A regular field.
    pub fn regular(text: Text) -> Self {
        Self::new(LabelKind::Regular, text.0)
    }

    /// What it is.
    pub fn kind(self) -> LabelKind {
        match self.0 & 7 {
            0 => LabelKind::Regular,
            1 => LabelKind::Definition,
            2 => LabelKind::Hidden,
            3 => LabelKind::HiddenDefinition,
            4 => LabelKind::Index,
            _ => LabelKind::Anonymous,
        }
    }

    /// Kind and text as one number.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// Its text's number, or its index.
    pub fn id(self) -> u32 {
        self.0 >> 3
    }

    /// The text of a label that is no index.
    pub fn text(self) -> Text {
        Text(self.id())
    }

    /// Whether it is a regular field.
    pub fn is_regular(self) -> bool {
        self.0 & 7 == 0
    }

    /// `#A` or `_#A`
    pub fn is_definition(self) -> bool {
        matches!(self.0 & 7, 1 | 3)
    }

    /// `_a` or `_#A`
    pub fn is_hidden(self) -> bool {
        matches!(self.0 & 7, 2 | 3)
    }

    /// An element of a list.
    pub fn is_index(self) -> bool {
        self.0 & 7 == 4
    }
}

/// Texts by number.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    texts: Vec<Arc<str>>,
    numbers: Map<Arc<str>, u32>,
}

impl Interner {
    /// The number of a text.
    pub fn text(&mut self, text: &str) -> Text {
        if let Some(number) = self.numbers.get(text) {
            return Text(*number);
        }
        let text: Arc<str> = Arc::from(text);
        let number = self.texts.len() as u32;
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        Text(number)
    }

    /// The number of a text that is there.
    pub fn find(&self, text: &str) -> Option<Text> {
        self.numbers.get(text).copied().map(Text)
    }

    /// The text of a number.
    pub fn get(&self, text: Text) -> &Arc<str> {
        static EMPTY: std::sync::LazyLock<Arc<str>> = std::sync::LazyLock::new(|| Arc::from(""));
        self.texts.get(text.0 as usize).unwrap_or(&EMPTY)
    }

    /// A regular label.
    pub fn regular(&mut self, text: &str) -> Label {
        Label::regular(self.text(text))
    }

    /// The label that an identifier names in a package.
    pub fn identifier(&mut self, name: &str, package: &str) -> Label {
        if name.starts_with("_#") {
            let text = self.text(&format!("{name}\0{package}"));
            Label::new(LabelKind::HiddenDefinition, text.0)
        } else if name.starts_with('_') {
            let text = self.text(&format!("{name}\0{package}"));
            Label::new(LabelKind::Hidden, text.0)
        } else if name.starts_with('#') {
            let text = self.text(name);
            Label::new(LabelKind::Definition, text.0)
        } else {
            self.regular(name)
        }
    }

    /// The name of a label, without the package of a hidden one, and that package.
    pub fn name(&self, label: Label) -> (&str, &str) {
        let text: &str = self.get(label.text());
        if label.is_hidden() { text.split_once('\0').unwrap_or((text, "")) } else { (text, "") }
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// Whether a text can stand as a field name without quotes.
pub fn is_identifier(text: &str) -> bool {
    let rest = text.strip_prefix("_#").or_else(|| text.strip_prefix('#')).unwrap_or(text);
    let mut chars = rest.chars();
    let good = |c: char| c == '_' || c == '$' || c.is_alphabetic();
    chars.next().is_some_and(good) && chars.all(|c| good(c) || c.is_numeric()) && text != "_"
}
