//! Plain evaluation: CUE files without a plan, a state or a provider's code.
//!
//! What only a provider can tell is unknown here. Provider packages are there where `pravo init` has run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pravo_cue::Node;
use pravo_cue::export::tree::{Problem, Tree};
use pravo_cue::export::tree_of;
use pravo_cue::program::{LoadedPackage, Loader, build};
use pravo_cue::session::{Answer, LimitExceeded, Limits, Marks, Session, Turn, Want};
use pravo_cue::syntax::ast::File;
use pravo_cue::syntax::literal::{self, Text};
use pravo_cue::syntax::{Options as ParseOptions, parse_file};
use pravo_diag::{Diagnostic, SourceMap, Span};
use pravo_specification::load::{Package, Reader};
use pravo_specification::{Options, Root};

use crate::exit::Failure;
use crate::providers::HostProviders;

/// Files that were read, with everything that they import.
pub struct Loaded {
    /// The files of the package.
    pub files: Arc<Vec<File>>,
    path: String,
    name: String,
    imported: Vec<Package>,
    sources: SourceMap,
    limits: Limits,
}

/// An evaluated package.
pub struct Evaluated {
    session: Session,
    root: Node,
    sources: SourceMap,
    expressions: usize,
}

/// The name of the hidden field that an expression of the command line becomes.
fn expression_name(index: usize) -> String {
    format!("_pravo_expression_{index}")
}

impl Loaded {
    /// Reads the package of a directory, or files of one package.
    ///
    /// # Errors
    /// What cannot be read or parsed.
    pub fn read(directory: &Path, named: &[PathBuf], options: Options) -> Result<Self, Failure> {
        match named {
            [] => Self::root(directory, options),
            [one] if one.is_dir() => Self::root(one, options),
            files => Self::files(directory, files, options),
        }
    }

    fn root(directory: &Path, options: Options) -> Result<Self, Failure> {
        let root = Root::load(directory, &options)?;
        let mut sources = root.sources().clone();
        let imported = if root.requirements().is_empty() {
            root.packages(&mut sources, &|_| Ok(Arc::default()))
        } else {
            let providers = HostProviders::load(directory, root.requirements())?;
            root.packages(&mut sources, &|package| pravo_model::provider::Providers::schema(&providers, package))
        };
        let imported = imported.map_err(|diagnostics| Failure::new(diagnostics, sources.clone()))?;
        let Package { import_path, name, files } = root.package().clone();
        Ok(Self { files, path: import_path, name, imported, sources, limits: options.limits })
    }

    fn files(directory: &Path, named: &[PathBuf], options: Options) -> Result<Self, Failure> {
        let mut reader = Reader::new(directory, options.tags)?;
        let read = |reader: &mut Reader| -> Result<(String, Vec<File>, Vec<Package>), Vec<Diagnostic>> {
            let (mut files, mut name) = (Vec::new(), String::new());
            for path in named {
                let package = reader.single(path)?;
                name = package.name;
                files.extend(package.files.iter().cloned());
            }
            let imported = imports(reader, &files)?;
            Ok((name, files, imported))
        };
        match read(&mut reader) {
            Ok((name, files, imported)) => {
                Ok(Self { files: files.into(), path: String::new(), name, imported, sources: reader.sources().clone(), limits: options.limits })
            }
            Err(diagnostics) => Err(Failure::new(diagnostics, reader.sources().clone())),
        }
    }

    /// Evaluates the package, with expressions in its scope.
    ///
    /// # Errors
    /// What is wrong with the program as it is written, and limits.
    pub fn evaluate(mut self, expressions: &[String]) -> Result<Evaluated, Failure> {
        for (index, text) in expressions.iter().enumerate() {
            let clause = if self.name.is_empty() { String::new() } else { format!("package {}\n", self.name) };
            let id = self.sources.add("--expression", format!("{clause}{}: ({text})\n", expression_name(index)));
            let parsed = parse_file(&self.sources, id, &ParseOptions::default());
            if !parsed.diagnostics.is_empty() {
                return Err(Failure::new(parsed.diagnostics, self.sources));
            }
            Arc::make_mut(&mut self.files).push(parsed.file);
        }
        let program = build(&self.path, &self.files, &mut Packages(self.imported), &mut self.sources);
        if program.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(Failure::new(program.diagnostics.clone(), self.sources));
        }
        drop(self.files);
        let session = Session::new(Arc::new(program), self.limits);
        let root = session.root();
        let mut evaluated = Evaluated { session, root, sources: self.sources, expressions: expressions.len() };
        evaluated.run()?;
        Ok(evaluated)
    }
}

/// Everything that files import, directly or not, standard packages left out.
fn imports(reader: &mut Reader, files: &[File]) -> Result<Vec<Package>, Vec<Diagnostic>> {
    let paths = |files: &[File]| -> Vec<(String, Span)> {
        let specs = files.iter().flat_map(File::imports);
        specs.filter_map(|spec| match literal::string(&spec.path.text) {
            Ok(Text::String(path)) => Some((path, spec.path.span)),
            _ => None,
        })
        .collect()
    };
    let mut open = paths(files);
    let mut seen = std::collections::BTreeSet::new();
    let mut found = Vec::new();
    while let Some((path, at)) = open.pop() {
        let standard = !path.split('/').next().unwrap_or(&path).contains('.');
        if standard || !seen.insert(path.clone()) {
            continue;
        }
        let mut package = reader.import(&path, at)?;
        open.extend(paths(&package.files));
        package.import_path = path;
        found.push(package);
    }
    Ok(found)
}

/// Packages that were read.
struct Packages(Vec<Package>);

impl Loader for Packages {
    fn package(&mut self, path: &str, _: &mut SourceMap) -> Result<LoadedPackage, Box<Diagnostic>> {
        if let Some(package) = self.0.iter().find(|package| package.import_path == path) {
            let canonical = path.split_once(':').map_or(path, |(path, _)| path).to_owned();
            return Ok(LoadedPackage::Files { path: canonical, name: package.name.clone(), files: Arc::clone(&package.files) });
        }
        let standard = pravo_cue::packages::package(path).map(LoadedPackage::Standard);
        standard.ok_or_else(|| Box::new(Diagnostic::error("cue.import", format!("there is no package {path:?}"))))
    }
}

impl Evaluated {
    fn run(&mut self) -> Result<(), Failure> {
        self.session.want(self.root, Want::Final);
        loop {
            match self.session.run() {
                Ok(Turn::Done) => return Ok(()),
                Ok(Turn::Stuck) => {
                    for ask in self.session.open_asks() {
                        self.session.answer(ask, Answer::Unknown, Marks::default());
                    }
                }
                Err(limit) => return Err(self.exceeded(&limit)),
            }
        }
    }

    fn exceeded(&self, limit: &LimitExceeded) -> Failure {
        let diagnostic = Diagnostic::error("cue.limit", limit.to_string()).with_help("raise it with --eval-steps or --eval-memory");
        let diagnostic = match limit.span {
            Some(span) => diagnostic.at(span, ""),
            None => diagnostic,
        };
        Failure::new(vec![diagnostic], self.sources.clone())
    }

    /// The values that are to be shown: of the expressions, or of the package.
    ///
    /// # Errors
    /// A limit.
    pub fn trees(&mut self) -> Result<Vec<Tree>, Failure> {
        let mut nodes = Vec::new();
        let fields: Vec<Node> = self.session.arcs(self.root).into_iter().map(|arc| arc.node).collect();
        for index in 0..self.expressions {
            let name = expression_name(index);
            nodes.extend(fields.iter().copied().find(|node| self.session.label_name(self.session.label(*node)) == name));
        }
        if self.expressions == 0 {
            nodes.push(self.root);
        }
        let mut trees = Vec::new();
        for node in nodes {
            match tree_of(&mut self.session, node, &self.sources) {
                Ok(tree) => trees.push(tree),
                Err(limit) => return Err(self.exceeded(&limit)),
            }
        }
        Ok(trees)
    }

    /// The value of the package as JSON, straight from what was evaluated; `None` where expressions are shown, or where something
    /// is not concrete: what and why, a tree tells.
    pub fn json(&self) -> Option<String> {
        if self.expressions == 0 { pravo_cue::export::json::pretty_node(&self.session, self.root) } else { None }
    }

    /// Everything that is wrong for good, and, where all must be `concrete`, what is not.
    pub fn wrong(&self, concrete: bool) -> Vec<Diagnostic> {
        let errors = self.session.errors(self.root).into_iter();
        errors.filter(|(_, code)| concrete || code.is_final()).filter_map(|(node, _)| self.session.error(node)).collect()
    }

    /// A problem of a tree as a failure.
    pub fn failure(&self, path: &str, problem: &Problem) -> Failure {
        let mut diagnostic = Diagnostic::error("cue.eval", if path.is_empty() { problem.message.clone() } else { format!("{path}: {}", problem.message) });
        for span in &problem.spans {
            diagnostic = diagnostic.at(*span, "");
        }
        Failure::new(vec![diagnostic], self.sources.clone())
    }

    /// The sources.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
}
