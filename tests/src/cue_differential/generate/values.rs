//! Pieces that every generator is made of: names, values, types and constraints that agree.

use super::Program;

/// Kinds of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers.
    Int,
    /// Strings.
    String,
    /// Booleans.
    Bool,
    /// Floats.
    Float,
}

/// Draws programs.
pub struct Generator {
    random: fastrand::Rng,
    next: usize,
    imports: Vec<&'static str>,
}

const LETTERS: &[&str] = &["a", "b", "c", "d", "e", "f", "g", "h"];
const WORDS: &[&str] = &["x", "alpha", "b2", "c-d", "é", "a b", "", "世界", "Zoë", "0", "true", "a.b", "tab\\t", "\\u00e9", "q\\\"q"];

impl Generator {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self { random: fastrand::Rng::with_seed(seed), next: 0, imports: Vec::new() }
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.random.usize(..limit.max(1))
    }

    /// Whether something that is so in `percent` of all cases is so.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several texts.
    pub fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts.get(self.below(texts.len())).copied().unwrap_or("")
    }

    /// A name that no other declaration of the program has.
    pub fn name(&mut self) -> String {
        let letter = self.pick(LETTERS);
        self.next += 1;
        format!("{letter}{}", self.next)
    }

    /// Notes that a standard package is used.
    pub fn import(&mut self, path: &'static str) {
        if !self.imports.contains(&path) {
            self.imports.push(path);
        }
    }

    /// Two to five declarations in one file, with the imports that they need.
    pub fn several(&mut self, declaration: fn(&mut Self) -> String) -> Program {
        let count = 2 + self.below(4);
        let declarations: Vec<String> = (0..count).map(|_| declaration(self)).collect();
        Program::single(format!("{}{}\n", self.head(), declarations.join("\n")))
    }

    /// The import declarations.
    pub fn head(&self) -> String {
        let mut paths = self.imports.clone();
        paths.sort_unstable();
        paths.iter().map(|path| format!("import {path:?}\n")).chain((!paths.is_empty()).then(|| "\n".to_owned())).collect()
    }

    /// A kind.
    pub fn kind(&mut self) -> Kind {
        match self.below(7) {
            0..3 => Kind::Int,
            3..5 => Kind::String,
            5 => Kind::Bool,
            _ => Kind::Float,
        }
    }

    /// A small integer.
    pub fn integer(&mut self) -> i64 {
        self.random.i64(0..20)
    }

    /// A value of a kind.
    pub fn value(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Int => self.integer().to_string(),
            Kind::String => self.text(),
            Kind::Bool => self.pick(&["true", "false"]).to_owned(),
            Kind::Float => format!("{}.{}", self.integer(), self.pick(&["0", "5", "25", "125"])),
        }
    }

    /// A quoted string.
    pub fn text(&mut self) -> String {
        format!("\"{}\"", self.pick(WORDS))
    }

    /// A scalar.
    pub fn scalar(&mut self) -> String {
        let kind = self.kind();
        self.value(kind)
    }

    /// The type of a kind.
    pub fn type_of(&mut self, kind: Kind) -> &'static str {
        match kind {
            Kind::Int if self.chance(30) => self.pick(&["number", "uint", "int32", "uint8"]),
            Kind::Int => "int",
            Kind::String => "string",
            Kind::Bool => "bool",
            Kind::Float => self.pick(&["float", "number"]),
        }
    }

    /// A constraint that most values of a kind meet.
    pub fn constraint(&mut self, kind: Kind) -> String {
        match (kind, self.below(4)) {
            (Kind::Int, 0) => format!(">={}", self.integer() - 15),
            (Kind::Int, 1) => format!("<{}", self.integer() + 12),
            (Kind::Int, 2) => format!("int & !={}", self.integer()),
            (Kind::Float, 0) => format!(">{}.5", self.integer() - 19),
            (Kind::String, 0) => "=~\"^\"".to_owned(),
            (Kind::String, 1) => "!=\"never\"".to_owned(),
            _ => self.type_of(kind).to_owned(),
        }
    }

    /// A value, struct or list, at most so deep.
    pub fn any(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 4 } else { 7 }) {
            0..4 => self.scalar(),
            4 => self.listed(depth - 1),
            _ => self.structure(depth - 1),
        }
    }

    /// A list.
    pub fn listed(&mut self, depth: usize) -> String {
        let count = self.below(4);
        let elements: Vec<String> = (0..count).map(|_| self.any(depth)).collect();
        format!("[{}]", elements.join(", "))
    }

    /// A struct.
    pub fn structure(&mut self, depth: usize) -> String {
        let count = 1 + self.below(3);
        let fields: Vec<String> = LETTERS.iter().take(count).map(|name| format!("{name}: {}", self.any(depth))).collect();
        format!("{{{}}}", fields.join(", "))
    }
}
