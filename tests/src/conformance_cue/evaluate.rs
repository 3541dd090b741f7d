//! Evaluates the package that an archive is.

use std::sync::Arc;

use pravo_cue::export::tree::Tree;
use pravo_cue::program::{LoadedPackage, Loader, build};
use pravo_cue::session::{Limits, Session, Want};
use pravo_cue::syntax::{LanguageVersion, Options, ast, parse_file};
use pravo_cue::{Node, packages};
use pravo_diag::{Diagnostic, SourceMap};

use super::archive::Archive;

/// A package after evaluation.
pub struct Evaluated {
    /// The sources.
    pub sources: SourceMap,
    /// The files of the main package.
    pub files: Vec<ast::File>,
    /// The session.
    pub session: Session,
    /// The root.
    pub root: Node,
    /// The root as data.
    pub tree: Tree,
}

struct Module<'a> {
    archive: &'a Archive,
    name: String,
    options: Options,
}

impl Module<'_> {
    fn of(archive: &Archive) -> Module<'_> {
        let text = archive.section("cue.mod/module.cue").unwrap_or("");
        let quoted = |key: &str| {
            let at = text.find(key)? + key.len();
            text.get(at..)?.split('"').nth(1).map(str::to_owned)
        };
        let version = quoted("version:").and_then(|version| LanguageVersion::parse(&version)).unwrap_or_default();
        Module { archive, name: quoted("module:").unwrap_or_default(), options: Options { version } }
    }

    fn files(&self, folder: &str, sources: &mut SourceMap) -> (Vec<ast::File>, Vec<Diagnostic>) {
        let mut files = Vec::new();
        let mut diagnostics = Vec::new();
        for (name, text) in &self.archive.sections {
            let (parent, file) = name.rsplit_once('/').unwrap_or(("", name));
            if parent != folder || !file.ends_with(".cue") || file.ends_with("_test.cue") {
                continue;
            }
            let id = sources.add(name, text.as_str());
            let parsed = parse_file(sources, id, &self.options);
            diagnostics.extend(parsed.diagnostics);
            files.push(parsed.file);
        }
        (files, diagnostics)
    }
}

impl Loader for Module<'_> {
    fn package(&mut self, path: &str, sources: &mut SourceMap) -> Result<LoadedPackage, Box<Diagnostic>> {
        if let Some(package) = packages::package(path) {
            return Ok(LoadedPackage::Standard(package));
        }
        let missing = || Box::new(Diagnostic::error("cue.import", format!("package \"{path}\" is not in the archive")));
        let (location, wanted) = path.split_once(':').map_or((path, None), |(path, name)| (path, Some(name)));
        let name = self.name.split('@').next().unwrap_or("");
        let location = location.split('@').next().unwrap_or(location);
        let folder = location.strip_prefix(name).map(|rest| rest.trim_start_matches('/'));
        let folders = [folder.map(str::to_owned), Some(format!("cue.mod/pkg/{location}")), Some(format!("cue.mod/gen/{location}"))];
        let wanted = wanted.unwrap_or_else(|| location.rsplit('/').next().unwrap_or(location));
        for folder in folders.into_iter().flatten() {
            let (files, mut diagnostics) = self.files(&folder, sources);
            let files: Vec<ast::File> = files.into_iter().filter(|file| file.package().is_some_and(|name| name.name == wanted)).collect();
            if let Some(diagnostic) = diagnostics.pop() {
                return Err(Box::new(diagnostic));
            }
            if !files.is_empty() {
                return Ok(LoadedPackage::Files { path: path.to_owned(), name: wanted.to_owned(), files: files.into() });
            }
        }
        Err(missing())
    }
}

/// Limits under which hostile archives end soon.
fn limits() -> Limits {
    Limits { steps: 50_000_000, nodes: 5_000_000, bytes: 256 << 20, ..Limits::default() }
}

/// Evaluates the files without a folder. `Err` says why nothing could be evaluated.
pub fn archive(archive: &Archive) -> Result<Evaluated, String> {
    let mut module = Module::of(archive);
    let mut sources = SourceMap::new();
    let (files, _) = module.files("", &mut sources);
    evaluate(&mut module, files, sources)
}

/// The files without a folder, parsed, not evaluated.
pub fn parsed(archive: &Archive) -> Vec<ast::File> {
    Module::of(archive).files("", &mut SourceMap::new()).0
}

/// Evaluates the files of an archive after they were changed.
pub fn changed(archive: &Archive, change: impl FnOnce(&mut Vec<ast::File>)) -> Result<Evaluated, String> {
    let mut module = Module::of(archive);
    let mut sources = SourceMap::new();
    let (mut files, _) = module.files("", &mut sources);
    change(&mut files);
    evaluate(&mut module, files, sources)
}

fn evaluate(module: &mut Module<'_>, files: Vec<ast::File>, mut sources: SourceMap) -> Result<Evaluated, String> {
    let path = module.name.clone();
    let program = build(&path, &files, module, &mut sources);
    let mut session = Session::new(Arc::new(program), limits());
    let root = session.root();
    session.want(root, Want::Final);
    session.run().map_err(|limit| limit.to_string())?;
    let tree = pravo_cue::export::tree_of(&mut session, root, &sources).map_err(|limit| limit.to_string())?;
    Ok(Evaluated { sources, files, session, root, tree })
}
