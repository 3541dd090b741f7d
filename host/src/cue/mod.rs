//! Plain evaluation: CUE files without a plan, a state or a provider's code.
//!
//! What only a provider can tell is unknown here. Provider packages are there where `pravo init` has run.

pub mod arguments;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pravo_cue::Node;
use pravo_cue::export::tree::{Problem, Tree};
use pravo_cue::export::tree_of;
use pravo_cue::export::values::{Unfinished, unfinished};
use pravo_cue::program::{LoadedPackage, Loader, build};
use pravo_cue::session::{Answer, LimitExceeded, Limits, Marks, Session, Turn, Want};
use pravo_cue::syntax::ast::{Declaration, File, Label};
use pravo_cue::syntax::{Options as ParseOptions, parse_file};
use pravo_diag::{Diagnostic, SourceMap};
use pravo_specification::load::{Encoding, Package, Reader};
use pravo_specification::{Options, Root};

use self::arguments::{Inputs, Source};
use crate::exit::Failure;
use crate::providers::HostProviders;

/// The largest file that is read.
pub const MAXIMUM_BYTES: u64 = 64 << 20;

/// Files that were read, with everything that they import.
#[derive(Clone)]
pub struct Loaded {
    /// The files of the package.
    pub files: Arc<Vec<File>>,
    /// Whether it is a specification: it has providers or settings.
    pub is_specification: bool,
    /// Whether data is part of it.
    pub has_data: bool,
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

/// What becomes of data beside a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// All of it is part of the package.
    Merged,
    /// Each value is checked against the package for itself.
    Apart,
}

/// The name of the hidden field that an expression of the command line becomes.
fn expression_name(index: usize) -> String {
    format!("_pravo_expression_{index}")
}

impl Loaded {
    /// Reads what arguments name: packages, or files of one package, and data. Without arguments it is the package of the directory.
    ///
    /// # Errors
    /// What cannot be read or parsed.
    pub fn read(directory: &Path, arguments: &[PathBuf], options: &Options, data: Data) -> Result<Vec<Self>, Failure> {
        if arguments.is_empty() {
            return Self::here(directory, options).map(|loaded| vec![loaded]);
        }
        let inputs = Inputs::parse(directory, arguments)?;
        if inputs.packages.len() > 1 && inputs.files.len() + inputs.data.len() > 0 || inputs.packages.len() == 1 && !inputs.files.is_empty() {
            let help = "name one package and data, or files of one package and data, or several packages";
            return Err(Failure::of(Diagnostic::error("cue.arguments", "packages cannot be combined with these files").with_help(help)));
        }
        let mut loaded = Vec::new();
        for named in &inputs.packages {
            loaded.push(Self::one(directory, options, &inputs, data, &mut |reader| reader.package(&named.directory, named.name.as_deref()))?);
        }
        if inputs.packages.is_empty() {
            loaded.push(Self::one(directory, options, &inputs, data, &mut |reader| files_of(reader, &inputs.files))?);
        }
        Ok(loaded.into_iter().flatten().collect())
    }

    /// The package of the directory.
    fn here(directory: &Path, options: &Options) -> Result<Self, Failure> {
        let root = Root::load(directory, options)?;
        if root.requirements().is_empty() && root.package().name.is_empty() {
            let mut reader = Reader::new(directory, options.tags.clone())?;
            let package = reader.package(directory, None).map_err(|diagnostics| Failure::new(diagnostics, reader.sources().clone()))?;
            return Self::of(directory, Root::of(reader, package, options)?, options);
        }
        Self::of(directory, root, options)
    }

    /// One package with the data beside it.
    fn one(directory: &Path, options: &Options, inputs: &Inputs, data: Data, read: Read<'_>) -> Result<Vec<Self>, Failure> {
        let mut reader = Reader::new(directory, options.tags.clone())?;
        let parts = read(&mut reader).and_then(|package| Ok((package, values_of(&mut reader, &inputs.data)?)));
        let (mut package, values) = parts.map_err(|diagnostics| Failure::new(diagnostics, reader.sources().clone()))?;
        if data == Data::Merged || values.is_empty() {
            let has_data = !values.is_empty();
            // Data goes first, as if the package were unified with it.
            if has_data {
                let files = package.files.iter().cloned();
                package.files = values.into_iter().flatten().chain(files).collect::<Vec<_>>().into();
            }
            let loaded = Self::of(directory, Root::of(reader, package, options)?, options)?;
            return Ok(vec![Self { has_data, ..loaded }]);
        }
        if package.files.is_empty() {
            let help = "name the CUE files or the package that the data is checked against";
            return Err(Failure::of(Diagnostic::error("cue.arguments", "there is data, and no schema").with_help(help)));
        }
        let loaded = Self::of(directory, Root::of(reader, package, options)?, options)?;
        let with = |value: File| {
            let mut files = loaded.files.to_vec();
            files.push(value);
            Self { files: files.into(), ..loaded.clone() }
        };
        Ok(values.into_iter().flatten().map(with).collect())
    }

    fn of(directory: &Path, root: Root, options: &Options) -> Result<Self, Failure> {
        let mut sources = root.sources().clone();
        let imported = if root.requirements().is_empty() {
            root.packages(&mut sources, &|_| Ok(Arc::default()))
        } else {
            let providers = HostProviders::load(directory, root.requirements())?;
            root.packages(&mut sources, &|package| pravo_model::provider::Providers::schema(&providers, package))
        };
        let imported = imported.map_err(|diagnostics| Failure::new(diagnostics, sources.clone()))?;
        let Package { import_path, name, files } = root.package().clone();
        let is_specification = !root.requirements().is_empty() || files.iter().flat_map(File::body).any(is_setting);
        Ok(Self { files, is_specification, has_data: false, path: import_path, name, imported, sources, limits: options.limits })
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
        let wrong = program.diagnostics.clone();
        drop(self.files);
        let session = Session::new(Arc::new(program), self.limits);
        let root = session.root();
        let mut evaluated = Evaluated { session, root, sources: self.sources, expressions: expressions.len() };
        if wrong.iter().any(Diagnostic::is_error) {
            return Err(evaluated.with_source_errors(wrong));
        }
        evaluated.run()?;
        Ok(evaluated)
    }
}

/// How the files of a package are read.
type Read<'r> = &'r mut dyn FnMut(&mut Reader) -> Result<Package, Vec<Diagnostic>>;

/// A field of a specification's own, such as `$settings`.
fn is_setting(declaration: &Declaration) -> bool {
    matches!(declaration, Declaration::Field(field) if matches!(&field.label, Label::Identifier(name) if name.name.starts_with('$')))
}

/// The package of files that are named.
fn files_of(reader: &mut Reader, files: &[Source]) -> Result<Package, Vec<Diagnostic>> {
    let mut paths = Vec::new();
    for file in files {
        match file {
            Source::File(path) => paths.push(path.clone()),
            Source::Standard => {
                let text = standard_input().map_err(|failure| failure.diagnostics)?;
                reader.give(PathBuf::from("-"), text);
                paths.push(PathBuf::from("-"));
            }
        }
    }
    reader.named(&paths)
}

/// The values of data, by source.
fn values_of(reader: &mut Reader, data: &[(Source, Encoding)]) -> Result<Vec<Vec<File>>, Vec<Diagnostic>> {
    let read = |(source, encoding): &(Source, Encoding)| match source {
        Source::File(path) => reader.data(path, *encoding),
        Source::Standard => {
            let text = standard_input().map_err(|failure| failure.diagnostics)?;
            reader.data_text(Path::new("-"), *encoding, text.as_bytes())
        }
    };
    data.iter().map(read).collect()
}

/// What stands on standard input.
///
/// # Errors
/// Where it cannot be read, or is larger than files may be.
pub fn standard_input() -> Result<String, Failure> {
    use std::io::Read as _;
    let path = Path::new("-");
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MAXIMUM_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| Failure::file("read", path, &error))?;
    if text.len() as u64 > MAXIMUM_BYTES {
        return Err(Failure::message("file", format!("standard input has more than the {MAXIMUM_BYTES} bytes that are read")));
    }
    Ok(text)
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

/// What is not concrete as a diagnostic.
fn open(found: Unfinished) -> Diagnostic {
    let Unfinished { path, message, spans } = found;
    let summary = if path.is_empty() || message.starts_with(&path) { message } else { format!("{path}: {message}") };
    let diagnostic = Diagnostic::error("cue.incomplete", summary).with_path(path);
    spans.into_iter().fold(diagnostic, |diagnostic, span| diagnostic.at(span, ""))
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

    /// What is wrong with the source as it is written, and what is wrong with the values that do not hang on that.
    fn with_source_errors(mut self, mut wrong: Vec<Diagnostic>) -> Failure {
        // Without its packages, nothing is what it would be.
        let is_whole = wrong.iter().all(|diagnostic| diagnostic.code != "cue.import");
        if is_whole && self.run().is_ok() {
            wrong.extend(self.wrong().into_iter().filter(|diagnostic| diagnostic.code != "cue.source"));
        }
        Failure::new(wrong, self.sources)
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

    /// Everything that is wrong for good.
    pub fn wrong(&self) -> Vec<Diagnostic> {
        let errors = self.session.errors(self.root).into_iter();
        let mut found: Vec<Diagnostic> = errors.filter(|(_, code)| code.is_final()).filter_map(|(node, _)| self.session.error(node)).collect();
        let mut seen = Vec::new();
        found.retain(|diagnostic| {
            let new = !seen.contains(diagnostic);
            seen.push(diagnostic.clone());
            new
        });
        found
    }

    /// Everything that is not concrete.
    ///
    /// # Errors
    /// A limit.
    pub fn unfinished(&mut self) -> Result<Vec<Diagnostic>, Failure> {
        let tree = match tree_of(&mut self.session, self.root, &self.sources) {
            Ok(tree) => tree,
            Err(limit) => return Err(self.exceeded(&limit)),
        };
        Ok(unfinished(&tree).into_iter().map(open).collect())
    }

    /// Everything that is not concrete in a tree, as a failure; `None` where all is.
    pub fn open_failure(&self, tree: &Tree) -> Option<Failure> {
        let found: Vec<Diagnostic> = unfinished(tree).into_iter().map(open).collect();
        (!found.is_empty()).then(|| Failure::new(found, self.sources.clone()))
    }

    /// A problem of a tree as a failure.
    pub fn failure(&self, path: &str, problem: &Problem) -> Failure {
        let mut diagnostic =
            Diagnostic::error("cue.eval", if path.is_empty() { problem.message.clone() } else { format!("{path}: {}", problem.message) });
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
