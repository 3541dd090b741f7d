//! Reading of specifications from the file system: directories, the module file, imported packages, tags.
//!
//! Kept true here: everything that is read is listed with its hash, for the staleness of saved plans; files are read in the order of
//! their names; nothing outside the module is read. Deliberately absent: downloading modules (imports are local or vendored), the
//! standard packages (the evaluator has them) and provider packages (they are generated).

mod data;
mod embed;
mod module;
mod tags;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pravo_cue::syntax::ast::File;
use pravo_cue::syntax::{self, Options};
use pravo_diag::{Diagnostic, SourceMap, Span};
use pravo_model::specification::Input;

use crate::Rejected;
pub use data::Encoding;
pub use module::Module;
use tags::Injector;
pub use tags::Tags;

/// The largest file that is read.
const MAXIMUM_BYTES: u64 = 64 << 20;

/// A package: the files of a directory that have the same package clause.
#[derive(Clone, Debug)]
pub struct Package {
    /// The path that it is imported by; empty for a root outside any module.
    pub import_path: String,
    /// The name of its package clause.
    pub name: String,
    /// Its files.
    pub files: Arc<Vec<File>>,
}

/// Reads packages.
#[derive(Debug)]
pub struct Reader {
    directory: PathBuf,
    sources: SourceMap,
    inputs: Vec<Input>,
    module: Option<Module>,
    tags: Tags,
    options: Options,
    /// Texts that were given in place of files.
    given: Vec<(PathBuf, String)>,
}

type Read<T> = Result<T, Vec<Diagnostic>>;

impl Reader {
    /// A reader for the root in a directory.
    ///
    /// # Errors
    /// Where the directory or the module file cannot be read.
    pub fn new(directory: &Path, tags: Tags) -> Result<Self, Rejected> {
        let absolute = fs::canonicalize(directory).map_err(|error| {
            let help = "name a directory that holds .cue files with -C";
            Diagnostic::error("specification.directory", format!("{}: {error}", directory.display())).with_help(help)
        })?;
        let mut reader = Self {
            directory: absolute,
            sources: SourceMap::new(),
            inputs: Vec::new(),
            module: None,
            tags,
            options: Options::default(),
            given: Vec::new(),
        };
        if let Some(home) = module::find(&reader.directory) {
            match reader.module_file(home) {
                Ok(module) => {
                    let version = module.language.as_deref().and_then(syntax::LanguageVersion::parse);
                    reader.options.version = version.unwrap_or_default();
                    reader.module = Some(module);
                }
                Err(diagnostics) => {
                    return Err(Rejected { diagnostics, sources: reader.sources });
                }
            }
        }
        reader.inputs.extend(reader.tags.values.iter().map(|(name, value)| Input {
            name: format!("tag:{name}"),
            hash: blake3::hash(value.as_deref().unwrap_or("").as_bytes()).to_hex().to_string(),
        }));
        Ok(reader)
    }

    fn module_file(&mut self, home: PathBuf) -> Read<Module> {
        let file = self.file(&home.join("cue.mod").join("module.cue"))?;
        let module = module::read(home, &file);
        if module.language.is_some() {
            return Ok(module);
        }
        let help = "add language: version: \"v0.17.1\"";
        Err(vec![Diagnostic::error("cue.module", "the module file has no language.version").at(file.span, "").with_help(help)])
    }

    /// The sources read so far.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// For sources that are made, not read.
    pub fn sources_mut(&mut self) -> &mut SourceMap {
        &mut self.sources
    }

    /// The options that files are parsed with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Everything that was read, and the tags.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The package of the root directory, with the values of tags in it.
    ///
    /// # Errors
    /// Where files cannot be read or parsed, or there is not exactly one package.
    pub fn root(&mut self) -> Read<Package> {
        let import_path = self.module.as_ref().and_then(|module| module.import_path(&self.directory)).unwrap_or_default();
        let directory = self.directory.clone();
        let tags = self.tags.clone();
        let mut injector = Injector::new(&tags);
        let mut files = self.files(&directory)?;
        files.retain(|file| injector.takes_part(file));
        set_policies_aside(&mut files);
        let name = one_package(&files, None)?.unwrap_or_default();
        files.retain(|file| name.is_empty() || file.package().is_some_and(|package| package.name == name));
        if !files.is_empty() {
            files = self.with_parents(&directory, &name, files, &mut injector)?;
        }
        self.inject(&mut files, injector)?;
        if files.is_empty() {
            let help = "a specification is a CUE package: write a .cue file that starts with a package clause, or name its directory with -C";
            let summary = format!("there are no .cue files in {}", directory.display());
            return Err(vec![Diagnostic::error("specification.empty", summary).with_help(help)]);
        }
        Ok(Package { import_path, name, files: files.into() })
    }

    /// Puts the values of tags into files.
    fn inject(&mut self, files: &mut [File], mut injector: Injector<'_>) -> Read<()> {
        for file in files {
            injector.inject(file, &mut self.sources, &self.options);
        }
        let errors = injector.finish();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// The package of a directory, with the values of tags in it. Where the directory holds several, a name says which.
    ///
    /// # Errors
    /// Where files cannot be read or parsed, or there is not exactly one package.
    pub fn package(&mut self, directory: &Path, wanted: Option<&str>) -> Read<Package> {
        let absolute = fs::canonicalize(directory).map_err(|error| {
            let help = "name a directory that holds .cue files, or files";
            vec![Diagnostic::error("cue.package", format!("cannot find the package {}: {error}", directory.display())).with_help(help)]
        })?;
        let tags = self.tags.clone();
        let mut injector = Injector::new(&tags);
        let mut files = self.files(&absolute)?;
        files.retain(|file| injector.takes_part(file));
        let name = one_package(&files, wanted)?.unwrap_or_default();
        files.retain(|file| file.package().is_some_and(|package| package.name == name));
        if files.is_empty() {
            let help = "a package is made of .cue files that start with a package clause; files without one can be named themselves";
            let summary = format!("there are no .cue files of a package in {}", directory.display());
            return Err(vec![Diagnostic::error("specification.empty", summary).with_help(help)]);
        }
        let mut files = self.with_parents(&absolute, &name, files, &mut injector)?;
        self.inject(&mut files, injector)?;
        let import_path = self.module.as_ref().and_then(|module| module.import_path(&absolute)).unwrap_or_default();
        Ok(Package { import_path, name, files: files.into() })
    }

    /// The files of a package with those of the directories above that are of the same package, as far as the module goes: the nearest to
    /// its top first.
    fn with_parents(&mut self, directory: &Path, name: &str, files: Vec<File>, injector: &mut Injector<'_>) -> Read<Vec<File>> {
        let top = self.module.as_ref().map(|module| module.directory.clone());
        let Some(top) = top.filter(|top| !name.is_empty() && directory.starts_with(top)) else {
            return Ok(files);
        };
        let mut groups = vec![files];
        for parent in directory.ancestors().skip(1).take_while(|parent| parent.starts_with(&top)) {
            let mut files = self.files_of(parent, name)?;
            files.retain(|file| injector.takes_part(file));
            groups.push(files);
        }
        Ok(groups.into_iter().rev().flatten().collect())
    }

    /// A package of files that are named, with the values of tags in it; data files become part of it, after the others.
    ///
    /// # Errors
    /// Where they cannot be read or parsed.
    pub fn named(&mut self, paths: &[PathBuf]) -> Read<Package> {
        let tags = self.tags.clone();
        let injector = Injector::new(&tags);
        let mut files = Vec::new();
        for path in paths {
            files.extend(self.single(path)?.files.iter().cloned());
        }
        let names: Vec<_> = files.iter().filter_map(File::package).collect();
        if let Some(first) = names.first()
            && let Some(other) = names.iter().find(|other| other.name != first.name)
        {
            let summary = format!("the files are of two packages, {} and {}", first.name, other.name);
            return Err(vec![Diagnostic::error("cue.package", summary).at(other.span, "").at(first.span, "the other")]);
        }
        let name = names.first().map(|name| name.name.clone()).unwrap_or_default();
        self.inject(&mut files, injector)?;
        Ok(Package { import_path: String::new(), name, files: files.into() })
    }

    /// Gives the text of a file that is none, such as standard input.
    pub fn give(&mut self, path: PathBuf, text: String) {
        self.given.push((path, text));
    }

    /// The values of a data file, each as a file of a package.
    ///
    /// # Errors
    /// Where it cannot be read, or is not of that form.
    pub fn data(&mut self, path: &Path, encoding: Encoding) -> Read<Vec<File>> {
        let absolute =
            fs::canonicalize(path).map_err(|error| vec![Diagnostic::error("specification.read", format!("{}: {error}", path.display()))])?;
        let shown = self.shown(&absolute);
        let bytes =
            read_bytes(&absolute).map_err(|reason| vec![Diagnostic::error("specification.read", format!("{}: {reason}", shown.display()))])?;
        self.note(&shown, &bytes);
        self.data_text(&shown, encoding, &bytes)
    }

    /// The same of a text that was read elsewhere.
    ///
    /// # Errors
    /// Where it is not of that form.
    pub fn data_text(&mut self, shown: &Path, encoding: Encoding, bytes: &[u8]) -> Read<Vec<File>> {
        Ok(data::expressions(shown, encoding, bytes, &mut self.sources)?.into_iter().map(data::file).collect())
    }

    /// A path as it is shown: from the directory on.
    fn shown(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.directory).unwrap_or(path).to_owned()
    }

    /// Lists something that was read.
    fn note(&mut self, shown: &Path, bytes: &[u8]) {
        self.inputs.push(Input { name: shown.display().to_string(), hash: blake3::hash(bytes).to_hex().to_string() });
    }

    /// A package of one file.
    ///
    /// # Errors
    /// Where it cannot be read or parsed.
    pub fn single(&mut self, path: &Path) -> Read<Package> {
        if let Some((shown, text)) = self.given.iter().find(|(given, _)| given == path).cloned() {
            self.note(&shown, text.as_bytes());
            let file = self.parse(shown, text)?;
            let name = file.package().map(|package| package.name.clone()).unwrap_or_default();
            return Ok(Package { import_path: String::new(), name, files: vec![file].into() });
        }
        let absolute =
            fs::canonicalize(path).map_err(|error| vec![Diagnostic::error("specification.read", format!("{}: {error}", path.display()))])?;
        let file = self.file(&absolute)?;
        let name = file.package().map(|package| package.name.clone()).unwrap_or_default();
        Ok(Package { import_path: String::new(), name, files: vec![file].into() })
    }

    /// An imported package.
    ///
    /// # Errors
    /// Where it is not in the module, or cannot be read or parsed.
    pub fn import(&mut self, import_path: &str, at: Span) -> Read<Package> {
        let not_found = |why: &str| {
            let summary = format!("cannot find package {import_path:?}: {why}");
            let help = "packages are part of the module or lie under cue.mod/pkg; provider packages start with pravo.dev/providers/";
            vec![Diagnostic::error("cue.import", summary).at(at, "imported here").with_help(help)]
        };
        let Some(module) = &self.module else {
            return Err(not_found("there is no cue.mod/module.cue in the directory or above it"));
        };
        let Some(directory) = module.places(import_path).into_iter().find(|place| place.is_dir()) else {
            return Err(not_found(&format!("it is not in the module {:?}, and not vendored", module.path)));
        };
        let tags = self.tags.clone();
        let mut injector = Injector::new(&tags);
        let mut files = self.files(&directory)?;
        files.retain(|file| injector.takes_part(file));
        let (path, qualifier) = import_path.split_once(':').map_or((import_path, None), |(path, name)| (path, Some(name)));
        let last = path.rsplit('/').next().unwrap_or(path);
        let wanted = qualifier.or_else(|| files.iter().any(|file| file.package().is_some_and(|package| package.name == last)).then_some(last));
        let name = one_package(&files, wanted)?.unwrap_or_default();
        files.retain(|file| file.package().is_some_and(|package| package.name == name));
        if files.is_empty() {
            return Err(not_found("the directory has no files of it"));
        }
        let files = self.with_parents(&directory, &name, files, &mut injector)?;
        Ok(Package { import_path: import_path.to_owned(), name, files: files.into() })
    }

    /// The files of a directory that are of a package; those of others may be as they like.
    fn files_of(&mut self, directory: &Path, name: &str) -> Read<Vec<File>> {
        let mut files = Vec::new();
        for path in cue_files(directory)? {
            let package = read_text(&path).ok().and_then(|text| {
                let mut sources = SourceMap::new();
                let id = sources.add(&path, text);
                syntax::parse_file(&sources, id, &self.options).file.package().map(|package| package.name.clone())
            });
            if package.as_deref() == Some(name) {
                files.push(self.file(&path)?);
            }
        }
        Ok(files)
    }

    /// The files of a directory, parsed, in the order of their names.
    fn files(&mut self, directory: &Path) -> Read<Vec<File>> {
        let mut files = Vec::new();
        let mut errors = Vec::new();
        for path in cue_files(directory)? {
            match self.file(&path) {
                Ok(file) => files.push(file),
                Err(more) => errors.extend(more),
            }
        }
        if errors.is_empty() { Ok(files) } else { Err(errors) }
    }

    /// One file, parsed.
    ///
    /// # Errors
    /// Where it cannot be read, is too large, is not UTF-8, or has syntax errors.
    pub fn file(&mut self, path: &Path) -> Read<File> {
        let shown = self.shown(path);
        let text = read_text(path).map_err(|reason| vec![Diagnostic::error("specification.read", format!("{}: {reason}", shown.display()))])?;
        self.note(&shown, text.as_bytes());
        let mut file = self.parse(shown, text)?;
        embed::resolve(self, path, &mut file)?;
        Ok(file)
    }

    /// A text, parsed.
    ///
    /// # Errors
    /// Where it has syntax errors.
    pub fn parse(&mut self, shown: PathBuf, text: String) -> Read<File> {
        let id = self.sources.add(shown, text);
        let parsed = syntax::parse_file(&self.sources, id, &self.options);
        if parsed.diagnostics.iter().any(Diagnostic::is_error) { Err(parsed.diagnostics) } else { Ok(parsed.file) }
    }
}

/// The `.cue` files of a directory that belong to packages, in the order of their names.
fn cue_files(directory: &Path) -> Read<Vec<PathBuf>> {
    let fail = |error: std::io::Error| vec![Diagnostic::error("specification.read", format!("{}: {error}", directory.display()))];
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        let hidden = name.starts_with(['.', '_']) || name.ends_with("_tool.cue") || name.ends_with("_test.cue");
        if name.ends_with(".cue") && !hidden && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn read_text(path: &Path) -> Result<String, String> {
    let bytes = read_bytes(path)?;
    String::from_utf8(bytes).map_err(|error| format!("it is not UTF-8 text (byte {})", error.utf8_error().valid_up_to()))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MAXIMUM_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAXIMUM_BYTES {
        return Err(format!("the file is larger than {} MiB", MAXIMUM_BYTES >> 20));
    }
    Ok(bytes)
}

/// A policy may lie beside the specification that it judges: packages that import `pravo.dev/policy` are none of a root that has
/// another package.
fn set_policies_aside(files: &mut Vec<File>) {
    let judges = |file: &File| file.imports().any(|import| crate::literals::decode(&import.path.text).is_some_and(|path| path == "pravo.dev/policy"));
    let name = |file: &File| file.package().map(|package| package.name.clone());
    let policies: std::collections::BTreeSet<_> = files.iter().filter(|file| judges(file)).map(name).collect();
    if files.iter().any(|file| !policies.contains(&name(file))) {
        files.retain(|file| !policies.contains(&name(file)));
    }
}

/// The name of the package that the files are of. Files without a package clause belong to none.
fn one_package(files: &[File], wanted: Option<&str>) -> Read<Option<String>> {
    if let Some(wanted) = wanted {
        return Ok(Some(wanted.to_owned()));
    }
    let mut names = files.iter().filter_map(File::package).filter(|package| package.name != "_");
    let Some(first) = names.next() else {
        return Ok(None);
    };
    match names.find(|other| other.name != first.name) {
        None => Ok(Some(first.name.clone())),
        Some(other) => {
            let summary = format!("the directory holds two packages, {} and {}", first.name, other.name);
            let help = "all files of a root have the same package clause";
            Err(vec![Diagnostic::error("cue.package", summary).at(other.span, "").at(first.span, "the other").with_help(help)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(files: &[(&str, &str)], tags: &[&str]) -> Result<(Package, Reader), Vec<String>> {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let summaries = |diagnostics: Vec<Diagnostic>| diagnostics.into_iter().map(|diagnostic| diagnostic.summary).collect::<Vec<_>>();
        let mut reader = Reader::new(directory.path(), Tags::parse(tags.iter().copied())).map_err(|rejected| summaries(rejected.diagnostics))?;
        let package = reader.root().map_err(summaries)?;
        Ok((package, reader))
    }

    #[test]
    fn all_files_of_a_package_are_read_in_order() {
        let files = [
            ("b.cue", "package a\ny: 2"),
            ("a.cue", "package a\nx: 1"),
            ("_no.cue", "package a\n!"),
            ("x_tool.cue", "package a"),
            ("sub/c.cue", "package c"),
        ];
        let (package, reader) = root(&files, &[]).unwrap();
        assert_eq!((package.name.as_str(), package.files.len()), ("a", 2));
        let names: Vec<&str> = reader.inputs().iter().map(|input| input.name.as_str()).collect();
        assert_eq!(names, ["a.cue", "b.cue"]);
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        assert!(root(&[], &[]).unwrap_err()[0].contains("there are no .cue files in"));
        assert_eq!(root(&[("a.cue", "package a"), ("b.cue", "package b")], &[]).unwrap_err(), ["the directory holds two packages, a and b"]);
        assert_eq!(
            root(&[("cue.mod/module.cue", "module: \"x.y/z\""), ("a.cue", "package a")], &[]).unwrap_err(),
            ["the module file has no language.version"]
        );
        assert!(Reader::new(Path::new("/no/such/directory"), Tags::default()).is_err());
    }

    #[test]
    fn tags_set_fields_and_choose_files() {
        let files = [
            ("a.cue", "package a\nregion: string @tag(region)\nn: int @tag(n,type=int)\nenv: string @tag(env,short=dev|prod)\n"),
            ("p.cue", "@if(prod)\npackage a\np: 1"),
            ("q.cue", "@if(!prod)\npackage a\nq: 1"),
        ];
        let (package, reader) = root(&files, &["region=eu", "n=3", "prod"]).unwrap();
        assert_eq!(package.files.len(), 2);
        assert!(reader.inputs().iter().any(|input| input.name == "tag:region"));
        let with_operators = package.files[0].body().filter(|declaration| matches!(declaration, pravo_cue::syntax::ast::Declaration::Field(field) if matches!(field.value, pravo_cue::syntax::ast::Expression::Binary(_))));
        assert_eq!(with_operators.count(), 3);
        assert_eq!(root(&files, &["regin=eu"]).unwrap_err(), ["no field has @tag(regin), and no file @if(regin)"]);
        assert_eq!(root(&files, &["n=x"]).unwrap_err(), ["the tag n takes a value of type int, not \"x\""]);
    }

    #[test]
    fn packages_of_the_module_are_imported() {
        let files = [
            ("cue.mod/module.cue", "module: \"x.y/z@v0\"\nlanguage: version: \"v0.17.0\""),
            ("a.cue", "package a"),
            ("lib/l.cue", "package lib"),
            ("lib/o.cue", "package other"),
        ];
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut reader = Reader::new(directory.path(), Tags::default()).unwrap();
        assert_eq!(reader.root().unwrap().import_path, "x.y/z");
        let at = Span::new(pravo_diag::FileId(0), 0, 0);
        assert_eq!(reader.import("x.y/z/lib", at).unwrap().name, "lib");
        assert_eq!(reader.import("x.y/z/lib:other", at).unwrap().name, "other");
        assert!(reader.import("x.y/z/none", at).unwrap_err()[0].summary.starts_with("cannot find package \"x.y/z/none\""));
    }
}
