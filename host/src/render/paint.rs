//! Colours, decided once: a [`Paint`] that is plain writes the same text without them.

use std::borrow::Cow;

/// A colour or a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Something is made.
    Green,
    /// Something goes away, or went wrong.
    Red,
    /// Something changes.
    Yellow,
    /// Something is read, or explained.
    Cyan,
    /// What does not matter much.
    Dim,
    /// What matters.
    Bold,
}

impl Color {
    fn code(self) -> &'static str {
        match self {
            Color::Green => "\u{1b}[32m",
            Color::Red => "\u{1b}[31m",
            Color::Yellow => "\u{1b}[33m",
            Color::Cyan => "\u{1b}[36m",
            Color::Dim => "\u{1b}[90m",
            Color::Bold => "\u{1b}[1m",
        }
    }
}

/// Paints text, or leaves it plain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paint {
    /// Whether ANSI colours are written.
    pub color: bool,
}

impl Paint {
    /// Without colours.
    pub fn plain() -> Self {
        Self { color: false }
    }

    /// The text in a colour.
    pub fn paint(self, color: Color, text: &str) -> Cow<'_, str> {
        if self.color && !text.is_empty() { Cow::Owned(format!("{}{text}\u{1b}[0m", color.code())) } else { Cow::Borrowed(text) }
    }
}
