//! Packages: from files to a [`Program`], imports included.

use std::collections::HashMap;
use std::sync::Arc;

use pravo_diag::{Diagnostic, SourceMap, Span};

use super::lower::{Lowering, Target};
use super::{Code, Imported};
use crate::builtin::Package as Standard;
use crate::intern::Label;
use crate::syntax::ast;
use crate::syntax::literal;

/// What a [`Loader`] found for an import path.
pub enum LoadedPackage {
    /// The files of a package, with its canonical import path (hidden fields belong to it) and name.
    Files {
        /// The canonical import path.
        path: String,
        /// The package's name.
        name: String,
        /// The files.
        files: Arc<Vec<ast::File>>,
    },
    /// A standard package.
    Standard(&'static Standard),
}

/// Finds packages. Does the input and output that this crate does not.
pub trait Loader {
    /// The package of an import path, as it stands in the import.
    fn package(&mut self, path: &str, sources: &mut SourceMap) -> Result<LoadedPackage, Box<Diagnostic>>;
}

/// A package of a program.
#[derive(Debug)]
pub struct LoweredPackage {
    /// The canonical import path; empty for the main package.
    pub path: Arc<str>,
    /// The structs of its files.
    pub files: Vec<u32>,
}

/// A program: the main package and all that it imports.
#[derive(Debug)]
pub struct Program {
    /// The tables.
    pub code: Code,
    /// The packages; the first is the main one.
    pub packages: Vec<LoweredPackage>,
    /// What is wrong with it as it is written; evaluation of what is right is possible all the same.
    pub diagnostics: Vec<Diagnostic>,
}

struct Builder<'l> {
    loader: &'l mut dyn Loader,
    sources: &'l mut SourceMap,
    code: Code,
    packages: Vec<LoweredPackage>,
    found: HashMap<String, (Found, String)>,
    diagnostics: Vec<Diagnostic>,
    /// Packages that are being loaded, for cycles.
    loading: Vec<String>,
}

#[derive(Clone, Copy)]
enum Found {
    Package(Imported),
    Standard(&'static Standard, Imported),
}

/// Builds a program from the files of the main package; `path` is its canonical import path, or empty.
pub fn build(path: &str, files: &[ast::File], loader: &mut dyn Loader, sources: &mut SourceMap) -> Program {
    let mut builder =
        Builder { loader, sources, code: Code::default(), packages: Vec::new(), found: HashMap::new(), diagnostics: Vec::new(), loading: Vec::new() };
    // Expression 0 is what a missing operand refers to.
    let nowhere = Span::new(pravo_diag::FileId(u32::MAX), 0, 0);
    builder.code.add(super::Expr::Bad, nowhere);
    builder.code.add_null_by_default(nowhere);
    builder.package(path, files);
    Program { code: builder.code, packages: builder.packages, diagnostics: builder.diagnostics }
}

/// The names that the files with a package clause declare at the top.
fn package_names(code: &mut Code, path: &str, files: &[ast::File]) -> HashMap<String, Label> {
    let mut names = HashMap::new();
    for declaration in files.iter().filter(|file| file.package().is_some()).flat_map(ast::File::body) {
        let ast::Declaration::Field(field) = declaration else { continue };
        let label = match &field.label {
            ast::Label::Alias(alias) => &alias.label,
            label => label,
        };
        if let ast::Label::Identifier(identifier) = label {
            let label = code.interner.identifier(&identifier.name, path);
            names.insert(identifier.name.clone(), label);
        }
    }
    names
}

impl Builder<'_> {
    fn package(&mut self, path: &str, files: &[ast::File]) -> u32 {
        let index = self.packages.len() as u32;
        self.packages.push(LoweredPackage { path: Arc::from(path), files: Vec::new() });
        let names = package_names(&mut self.code, path, files);
        let none = HashMap::new();
        let mut structs = Vec::new();
        for file in files {
            let mut imports = Vec::new();
            for spec in file.imports() {
                let (target, name) = self.import(spec);
                imports.push((target, name, spec.span, spec.name.is_some()));
            }
            let targets = imports.iter().map(|import| import.0).collect();
            let listed: Vec<(&str, Span, bool)> = imports.iter().map(|(_, name, span, named)| (name.as_str(), *span, *named)).collect();
            let visible = if file.package().is_some() { &names } else { &none };
            let mut lowering = Lowering::new(&mut self.code, &mut self.diagnostics, path, visible, targets, file.experiments);
            structs.push(lowering.file(file, &listed));
        }
        let embeds = |id: &u32| self.code.structs.get(*id as usize).is_some_and(|literal| literal.embeds);
        if structs.iter().any(embeds) {
            for id in &structs {
                if let Some(literal) = self.code.structs.get_mut(*id as usize) {
                    literal.grouped = true;
                }
            }
        }
        if let Some(package) = self.packages.get_mut(index as usize) {
            package.files = structs;
        }
        index
    }

    fn import(&mut self, spec: &ast::ImportSpec) -> (Target, String) {
        let path = match literal::string(&spec.path.text) {
            Ok(literal::Text::String(path)) => path,
            _ => String::new(),
        };
        let (found, name) = self.find(&path, spec.path.span);
        let local = spec.name.as_ref().map_or(name, |identifier| identifier.name.clone());
        let target = match found {
            Found::Package(imported) => Target::Package(imported),
            Found::Standard(package, imported) => Target::Standard(package, imported),
        };
        (target, local)
    }

    fn find(&mut self, path: &str, span: Span) -> (Found, String) {
        if let Some(found) = self.found.get(path) {
            return found.clone();
        }
        let last = path.rsplit(['/', ':']).next().unwrap_or(path).to_owned();
        let missing = (Found::Package(Imported::Missing), last.clone());
        if self.loading.iter().any(|other| other == path) || self.loading.len() > 200 {
            let cycle = self.loading.join(" imports ");
            self.diagnostics.push(
                Diagnostic::error("cue.import", format!("import cycle: {cycle} imports {path}"))
                    .at(span, "")
                    .with_help("move what both need into a third package"),
            );
            return missing;
        }
        let found = match self.loader.package(path, self.sources) {
            Err(diagnostic) => {
                let diagnostic = if diagnostic.labels.is_empty() { diagnostic.at(span, "") } else { *diagnostic };
                self.diagnostics.push(diagnostic);
                missing
            }
            Ok(LoadedPackage::Files { path: canonical, name, files }) => {
                self.loading.push(path.to_owned());
                let package = self.package(&canonical, &files);
                self.loading.pop();
                (Found::Package(Imported::Package(package)), name)
            }
            Ok(LoadedPackage::Standard(standard)) => (Found::Standard(standard, self.standard(standard)), last),
        };
        self.found.insert(path.to_owned(), found.clone());
        found
    }

    /// What a standard package says in CUE.
    fn standard(&mut self, standard: &'static Standard) -> Imported {
        let file = self.sources.add(format!("{}.cue", standard.path), standard.source);
        let parsed = crate::syntax::parse_file(self.sources, file, &crate::syntax::Options::default());
        Imported::Package(self.package(standard.path, &[parsed.file]))
    }
}
