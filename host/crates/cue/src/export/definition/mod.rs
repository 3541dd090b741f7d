//! Packages as one file that means the same, not evaluated: what `cue def` prints.
//!
//! Kept true here: references stay as they are written. The declarations of a field that stand in several places come together: their
//! structs are merged, what has no references in it is computed, everything else is joined with `&`. Structs with patterns, computed
//! labels, comprehensions or aliases stay as they are, embedded where there is more. A `let` that nobody refers to goes; names that would
//! get in each other's way get a number. The layout is that of a tree that was made, so that it does not depend on the line breaks of the
//! sources. Deliberately absent: references whose meaning changes because structs were merged are not renamed.

mod made;
mod merge;
mod names;
mod order;
mod raw;
mod values;

use std::collections::{BTreeMap, HashMap};

use pravo_diag::Span;

use super::tree::Tree;
use crate::syntax::ast::*;
use crate::syntax::format_made;
use names::Names;
pub(crate) use names::{own_name, undeclared};

/// The files of a package as one; `tree` is what the package evaluates to. With `bare`, the package clause is left out.
pub fn definition(files: &[File], tree: &Tree, bare: bool) -> String {
    let mut writer = Writer { names: Names::of(files), ..Writer::default() };
    let body = stacker::maybe_grow(256 * 1024, 4 << 20, || writer.files(files, tree));
    let mut declarations = Vec::new();
    let package = files.iter().flat_map(|file| &file.declarations).find(|declaration| matches!(declaration, Declaration::Package(_)));
    if let (Some(Declaration::Package(package)), false) = (package, bare) {
        let mut package = package.clone();
        package.space = Space::Unset;
        package.name = made::identifier(&package.name.name);
        declarations.push(Declaration::Package(package));
    }
    let head = declarations.len();
    if package.is_none() {
        declarations.extend(files.iter().flat_map(|file| &file.declarations).filter_map(experiment));
    }
    declarations.extend(writer.imports());
    match body {
        Expression::Struct(node) => declarations.extend(node.declarations),
        value => declarations.push(made::embedding(value)),
    }
    // A let at the top stands behind an empty line.
    let opens_with_let = matches!(declarations.get(head), Some(Declaration::Let(_))) && head == 0;
    let mut comments = Comments::default();
    if !bare {
        for group in files.iter().flat_map(|file| file.comments.groups()) {
            comments.add(group.clone());
        }
    }
    let text = format_made(&File { span: made::nowhere(), declarations, experiments: Default::default(), comments });
    let text = text.trim_start_matches('\n');
    if opens_with_let { format!("\n{text}") } else { text.to_owned() }
}

/// An attribute that says which language a file is written in.
fn experiment(declaration: &Declaration) -> Option<Declaration> {
    match declaration {
        Declaration::Attribute(attribute) if attribute.name() == "experiment" => {
            Some(Declaration::Attribute(Attribute { space: Space::Unset, ..attribute.clone() }))
        }
        _ => None,
    }
}

/// What is written so far.
#[derive(Default)]
struct Writer {
    names: Names,
    /// How many structs are around.
    depth: usize,
    /// The packages that are referred to: path and local name.
    imported: BTreeMap<(String, String), ()>,
    /// The order in which they were first referred to.
    import_order: Vec<(String, String)>,
    /// The name of each `let` that is referred to, with its value.
    lets: HashMap<Span, Binding>,
    /// Names given to lets: the place of the first with it.
    let_names: HashMap<String, Span>,
    /// The names of aliases, by their places.
    aliases: HashMap<Span, String>,
}

/// A `let` that is in scope.
struct Binding {
    name: String,
    source: Expression,
    /// Its value, once it was referred to.
    value: Option<Expression>,
}

impl Writer {
    fn files(&mut self, files: &[File], tree: &Tree) -> Expression {
        let structs: Vec<Expression> = files
            .iter()
            .map(|file| {
                let declarations = file.body().cloned().collect();
                Expression::Struct(Box::new(Struct { span: file.span, open: None, declarations, close: None, comments: Comments::default() }))
            })
            .collect();
        let parts: Vec<&Expression> = structs.iter().collect();
        self.merged(&parts, Some(tree))
    }

    /// A package is referred to by a local name.
    fn import(&mut self, path: &str, local: &str) {
        let key = (path.to_owned(), local.to_owned());
        if self.imported.insert(key.clone(), ()).is_none() {
            self.import_order.push(key);
        }
    }

    /// The import declaration for everything that was referred to.
    fn imports(&mut self) -> Option<Declaration> {
        if self.import_order.is_empty() {
            return None;
        }
        let spec = |(path, local): &(String, String)| {
            let name = (names::own_name(path) != local).then(|| made::identifier(local));
            let path = made::literal(LiteralKind::String, &crate::syntax::literal::Form::STRING.quote(path));
            ImportSpec { span: made::nowhere(), name, path, comments: Comments::default() }
        };
        let specs: Vec<ImportSpec> = self.import_order.iter().map(spec).collect();
        let several = (specs.len() > 1).then(Place::default);
        Some(Declaration::Import(Box::new(Import {
            span: made::nowhere(),
            space: Space::Unset,
            open: several,
            specs,
            close: several,
            comments: Comments::default(),
        })))
    }

    /// A name that nothing else has.
    fn unused(&mut self, base: &str) -> String {
        let names = std::iter::once(base.to_owned()).chain((1_u32..).map(|number| format!("{base}_{number:X}")));
        let name = names.into_iter().find(|name| !self.names.used.contains(name) && !self.let_names.contains_key(name)).unwrap_or_default();
        self.names.used.insert(name.clone());
        name
    }

    /// The lets of a struct, and of structs that are operands in an expression, come into scope; their places in order.
    fn open_lets(&mut self, expression: &Expression, out: &mut Vec<Span>) {
        match expression {
            Expression::Struct(node) => {
                for declaration in &node.declarations {
                    match declaration {
                        Declaration::Let(binding) => {
                            let span = binding.name.span;
                            let entry = Binding { name: binding.name.name.clone(), source: binding.value.clone(), value: None };
                            self.lets.insert(span, entry);
                            out.push(span);
                        }
                        Declaration::Embedding(embedding) => self.open_lets(&embedding.value, out),
                        _ => {}
                    }
                }
            }
            Expression::Parenthesised(node) => self.open_lets(&node.inner, out),
            Expression::Binary(node) => node.operands().into_iter().for_each(|operand| self.open_lets(operand, out)),
            Expression::Unary(node) => self.open_lets(&node.operand, out),
            Expression::Call(node) => node.arguments.iter().for_each(|argument| self.open_lets(argument, out)),
            Expression::List(node) => node.elements.iter().for_each(|element| self.open_lets(element, out)),
            Expression::Selector(node) => self.open_lets(&node.operand, out),
            Expression::Index(node) => self.open_lets(&node.operand, out),
            _ => {}
        }
    }

    /// The declarations of the lets that were referred to.
    fn close_lets(&mut self, spans: &[Span]) -> Vec<Declaration> {
        let mut out = Vec::new();
        for span in spans {
            if let Some(Binding { name, value: Some(value), .. }) = self.lets.remove(span) {
                out.push(Declaration::Let(Box::new(Let {
                    span: made::nowhere(),
                    space: Space::Unset,
                    name: made::identifier(&name),
                    equals: Place::default(),
                    value,
                    comments: Comments::default(),
                })));
            }
        }
        out
    }

    /// The name by which a `let` is referred to. Its value is written at the first reference.
    fn refer_to_let(&mut self, span: Span) -> Option<String> {
        let binding = self.lets.get(&span)?;
        if binding.value.is_some() {
            return Some(binding.name.clone());
        }
        let (source, mut name) = (binding.source.clone(), binding.name.clone());
        let taken = self.let_names.get(&name).is_some_and(|other| *other != span) || self.names.used.contains(&name);
        if taken {
            name = self.unused(&name);
        }
        self.let_names.insert(name.clone(), span);
        if let Some(binding) = self.lets.get_mut(&span) {
            binding.name.clone_from(&name);
            binding.value = Some(made::name("_"));
        }
        let value = self.raw(&source);
        if let Some(binding) = self.lets.get_mut(&span) {
            binding.value = Some(value);
        }
        Some(name)
    }
}
