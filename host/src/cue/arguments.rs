//! What is named on a command line: packages, CUE files, data files and standard input.
//!
//! Kept true here: an argument whose name ends like a file's is a file, `-` is standard input, anything else is a package: a directory, a
//! pattern such as `./...`, or an import path of the module; `:name` behind it chooses one of several packages of a directory. A form and a
//! colon in front of files, `json: -`, say how they are read.

use std::path::{Path, PathBuf};

use pravo_specification::load::Encoding;

use crate::exit::Failure;

/// How many directories a pattern may match.
const MAXIMUM_DIRECTORIES: usize = 10_000;

/// A package that is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its directory.
    pub directory: PathBuf,
    /// The name behind a colon.
    pub name: Option<String>,
}

/// Where data or a file comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Standard,
}

/// What arguments name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Packages, each a value of its own.
    pub packages: Vec<Named>,
    /// CUE files, all of one package.
    pub files: Vec<Source>,
    /// Data.
    pub data: Vec<(Source, Encoding)>,
}

impl Inputs {
    /// Reads arguments; without any, the package of the directory is meant.
    ///
    /// # Errors
    /// Patterns that match nothing.
    pub fn parse(directory: &Path, arguments: &[PathBuf]) -> Result<Self, Failure> {
        let mut inputs = Self::default();
        let mut form = None;
        for argument in arguments {
            let text = argument.to_str().unwrap_or("");
            let (scope, name) = match text.split_once(':') {
                Some((scope, name)) if is_form(scope) => (Some(scope), name),
                _ => (None, text),
            };
            if let Some(scope) = scope {
                form = Encoding::named(scope.split(['+', '.']).next().unwrap_or(scope));
                if name.is_empty() {
                    continue;
                }
            }
            let path = if scope.is_some() { PathBuf::from(name) } else { argument.clone() };
            let source = if name == "-" { Source::Standard } else { Source::File(path.clone()) };
            let by_name = Encoding::of(&path).filter(|_| !path.is_dir());
            match form.or(by_name).or((name == "-").then_some(Encoding::Cue)) {
                Some(Encoding::Cue) => inputs.files.push(source),
                Some(encoding) => inputs.data.push((source, encoding)),
                None => inputs.packages.extend(packages(directory, &path)?),
            }
            if scope.is_some() {
                form = None;
            }
        }
        if arguments.is_empty() {
            inputs.packages.push(Named { directory: directory.to_owned(), name: None });
        }
        Ok(inputs)
    }
}

/// Whether a word in front of a colon is a form, not a path.
fn is_form(word: &str) -> bool {
    Encoding::named(word.split(['+', '.']).next().unwrap_or(word)).is_some()
}

/// The packages of a directory, pattern or import path.
fn packages(directory: &Path, path: &Path) -> Result<Vec<Named>, Failure> {
    let text = path.to_str().unwrap_or("");
    let (place, name) = match text.rsplit_once(':') {
        Some((place, name)) if !place.is_empty() => (place, Some(name.to_owned())),
        _ => (text, None),
    };
    let local = place.starts_with(['.', '/']);
    let place = if local { PathBuf::from(place) } else { of_module(directory, place).unwrap_or_else(|| PathBuf::from(place)) };
    if place.file_name().is_none_or(|last| last != "...") {
        return Ok(vec![Named { directory: directory.join(place), name }]);
    }
    let top = place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut found = Vec::new();
    below(&directory.join(top), &mut found)?;
    if found.is_empty() {
        let help = "a pattern matches directories with .cue files that start with a package clause";
        return Err(Failure::of(pravo_diag::Diagnostic::error("cue.package", format!("{text} matches no packages")).with_help(help)));
    }
    Ok(found.into_iter().map(|directory| Named { directory, name: name.clone() }).collect())
}

/// The directory of an import path of the module.
fn of_module(directory: &Path, path: &str) -> Option<PathBuf> {
    let top = directory.ancestors().find(|parent| parent.join("cue.mod").join("module.cue").is_file())?;
    let text = std::fs::read_to_string(top.join("cue.mod").join("module.cue")).ok()?;
    let name = text.lines().find_map(|line| line.trim().strip_prefix("module:"))?.trim().trim_matches('"').split('@').next()?.to_owned();
    let path = path.split('@').next().unwrap_or(path);
    let rest = path.strip_prefix(&name).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    Some(top.join(rest.trim_start_matches('/')))
}

/// The directories at and below a directory that hold packages, in the order of their names.
fn below(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        if found.len() > MAXIMUM_DIRECTORIES {
            return Err(Failure::message("cue.package", format!("the pattern matches more than {MAXIMUM_DIRECTORIES} directories")));
        }
        let entries = std::fs::read_dir(&directory).map_err(|error| Failure::file("read", &directory, &error))?;
        let mut names: Vec<(PathBuf, bool)> = entries.flatten().map(|entry| (entry.path(), entry.path().is_dir())).collect();
        names.sort();
        let file_name = |path: &Path| path.file_name().and_then(|name| name.to_str()).unwrap_or("").to_owned();
        if names.iter().any(|(path, is_directory)| !is_directory && holds_package(path, &file_name(path))) {
            found.push(directory.clone());
        }
        for (path, _) in names.into_iter().rev().filter(|(_, is_directory)| *is_directory) {
            let name = file_name(&path);
            // Other modules below this one are not part of it.
            let foreign = path.join("cue.mod").is_dir();
            if !name.starts_with(['.', '_']) && name != "cue.mod" && !foreign {
                open.push(path);
            }
        }
    }
    Ok(())
}

/// Whether a file belongs to a package.
fn holds_package(path: &Path, name: &str) -> bool {
    let cue = name.ends_with(".cue") && !name.starts_with(['.', '_']) && !name.ends_with("_tool.cue") && !name.ends_with("_test.cue");
    cue && std::fs::read_to_string(path).is_ok_and(|text| {
        let mut sources = pravo_diag::SourceMap::new();
        let id = sources.add(path, text);
        pravo_cue::syntax::parse_file(&sources, id, &pravo_cue::syntax::Options::default()).file.package().is_some()
    })
}

#[cfg(test)]
mod tests {
    use pravo_cue::data::Format;

    use super::*;

    fn parse(words: &[&str]) -> Inputs {
        let words: Vec<PathBuf> = words.iter().map(PathBuf::from).collect();
        Inputs::parse(Path::new("/nowhere"), &words).unwrap()
    }

    #[test]
    fn names_tell_what_is_meant() {
        let inputs = parse(&["a.cue", "b.yaml", "./c", "-"]);
        assert_eq!(inputs.files, [Source::File("a.cue".into()), Source::Standard]);
        assert_eq!(inputs.data, [(Source::File("b.yaml".into()), Encoding::Data(Format::Yaml))]);
        assert_eq!(inputs.packages, [Named { directory: "/nowhere/./c".into(), name: None }]);
        assert_eq!(parse(&["json:", "-"]).data, [(Source::Standard, Encoding::Data(Format::Json))]);
        assert_eq!(parse(&["json:-"]).data, [(Source::Standard, Encoding::Data(Format::Json))]);
        assert_eq!(parse(&[".:x"]).packages, [Named { directory: "/nowhere/.".into(), name: Some("x".into()) }]);
        assert_eq!(parse(&[]).packages.len(), 1);
    }
}
