//! A root: the package of a directory with all that it imports, read and parsed but not evaluated.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use pravo_cue::session::Limits;
use pravo_cue::syntax::ast::File;
use pravo_cue::syntax::{Options as ParseOptions, Parsed, parse_file};
use pravo_diag::{Diagnostic, SourceMap, Span};
use pravo_model::provider::ProviderFailure;
use pravo_model::schema::ProviderSchema;
use pravo_model::specification::{Settings, Specification};

use crate::Rejected;
use crate::conversation::{Conversation, Start};
use crate::literals;
use crate::load::{Package, Reader, Tags};
use crate::package::{POLICY, Selection, builtin, package_name, provider_package};
use crate::requirements::{PROVIDERS, ProviderRequirement, requirements};
use crate::session::Evaluator;
use crate::settings::settings;

/// How a root is read and evaluated.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values and names of tags.
    pub tags: Tags,
    /// Bounds on the evaluation.
    pub limits: Limits,
}

/// Gives the schema of a provider package.
pub type Schemas<'a> = &'a dyn Fn(&str) -> Result<Arc<ProviderSchema>, ProviderFailure>;

/// A root that was read: what it needs is known, nothing is evaluated.
pub struct Root {
    reader: Reader,
    root: Package,
    imports: Imports,
    requirements: Vec<ProviderRequirement>,
    limits: Limits,
    /// The root and what it imports, nothing that is generated.
    own: Arc<Vec<Package>>,
}

/// What is imported.
#[derive(Default)]
struct Imports {
    /// Packages by import path, provider packages and those of pravo's own left out.
    packages: BTreeMap<String, Package>,
    /// Every import path that is used, with the first place.
    paths: BTreeMap<String, Span>,
}

impl Imports {
    /// Reads everything that a package imports.
    fn read(reader: &mut Reader, root: &Package) -> Result<Self, Vec<Diagnostic>> {
        let mut imports = Self::default();
        let mut open = imports_of(&root.files);
        let mut errors = Vec::new();
        while let Some((path, at)) = open.pop() {
            if imports.paths.insert(path.clone(), at).is_some() || is_standard(&path) || path.starts_with(PROVIDERS) || builtin(bare(&path)).is_some()
            {
                continue;
            }
            match reader.import(&path, at) {
                Ok(package) => {
                    open.extend(imports_of(&package.files));
                    imports.packages.insert(path, package);
                }
                Err(more) => errors.extend(more),
            }
        }
        if errors.is_empty() { Ok(imports) } else { Err(errors) }
    }
}

/// An import path without the name behind the colon.
fn bare(path: &str) -> &str {
    path.split_once(':').map_or(path, |(path, _)| path)
}

/// Everything that a package imports and that needs no provider; the policy package is always among it.
pub(crate) fn packages_of(reader: &mut Reader, package: &Package) -> Result<Vec<Package>, Vec<Diagnostic>> {
    let mut imports = Imports::read(reader, package)?;
    let nowhere = Span::new(pravo_diag::FileId(u32::MAX), 0, 0);
    imports.paths.entry(POLICY.to_owned()).or_insert(nowhere);
    let mut packages: Vec<Package> = imports.packages.into_values().collect();
    for path in imports.paths.keys() {
        if let Some(text) = builtin(bare(path)) {
            packages.push(made(reader.sources_mut(), path, text.to_owned())?);
        }
    }
    Ok(packages)
}

/// A package from a text that was made.
fn made(sources: &mut SourceMap, path: &str, text: String) -> Result<Package, Vec<Diagnostic>> {
    let id = sources.add(format!("{}.cue", bare(path)), text);
    let Parsed { file, diagnostics } = parse_file(sources, id, &ParseOptions::default());
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    Ok(Package { import_path: path.to_owned(), name: package_name(bare(path)), files: vec![file].into() })
}

/// Every import path of the files, with where it stands.
fn imports_of(files: &[File]) -> Vec<(String, Span)> {
    let specs = files.iter().flat_map(File::imports);
    specs.filter_map(|spec| Some((literals::decode(&spec.path.text)?, spec.path.span))).collect()
}

/// Whether the evaluator has the package itself: the first segment of a path of a module has a dot.
fn is_standard(path: &str) -> bool {
    !path.split('/').next().unwrap_or(path).contains('.')
}

impl Root {
    /// Reads the root in a directory, and everything that it imports.
    ///
    /// # Errors
    /// What cannot be read or parsed, unknown imports, fields of provider instances that are no literals.
    pub fn load(directory: &Path, options: &Options) -> Result<Self, Rejected> {
        let mut reader = Reader::new(directory, options.tags.clone())?;
        match reader.root() {
            Ok(package) => Self::of(reader, package, options),
            Err(diagnostics) => Err(Rejected { diagnostics, sources: reader.sources().clone() }),
        }
    }

    /// A root of any package, with everything that it imports.
    ///
    /// # Errors
    /// What cannot be read or parsed, unknown imports, fields of provider instances that are no literals.
    pub fn of(mut reader: Reader, root: Package, options: &Options) -> Result<Self, Rejected> {
        match Self::read(&mut reader, &root) {
            Ok((imports, requirements)) => {
                let own = Arc::new(std::iter::once(&root).chain(imports.packages.values()).cloned().collect());
                Ok(Self { reader, root, imports, requirements, limits: options.limits, own })
            }
            Err(diagnostics) => Err(Rejected { diagnostics, sources: reader.sources().clone() }),
        }
    }

    fn read(reader: &mut Reader, root: &Package) -> Result<(Imports, Vec<ProviderRequirement>), Vec<Diagnostic>> {
        let imports = Imports::read(reader, root)?;
        let files = root.files.iter().chain(imports.packages.values().flat_map(|package| package.files.iter()));
        let requirements = requirements(files)?;
        Ok((imports, requirements))
    }

    /// The provider packages that it needs, sorted.
    pub fn requirements(&self) -> &[ProviderRequirement] {
        &self.requirements
    }

    /// The sources read so far.
    pub fn sources(&self) -> &SourceMap {
        self.reader.sources()
    }

    /// The package of the directory.
    pub fn package(&self) -> &Package {
        &self.root
    }

    /// All packages that are imported, those that are generated among them.
    ///
    /// # Errors
    /// Where a provider package has no schema.
    pub fn packages(&self, sources: &mut SourceMap, schemas: Schemas<'_>) -> Result<Vec<Package>, Vec<Diagnostic>> {
        let mut packages: Vec<Package> = self.imports.packages.values().cloned().collect();
        let selection = self.selection();
        let mut errors = Vec::new();
        for (path, at) in &self.imports.paths {
            let text = match builtin(bare(path)) {
                Some(text) => text.to_owned(),
                None if path.starts_with(PROVIDERS) => match schemas(bare(path)) {
                    Ok(schema) => provider_package(bare(path), &schema, &selection),
                    Err(failure) => {
                        errors.push(Diagnostic::error("specification.provider", failure.message).at(*at, "").with_detail(failure.detail));
                        continue;
                    }
                },
                None => continue,
            };
            match made(sources, path, text) {
                Ok(package) => packages.push(package),
                Err(more) => errors.extend(more),
            }
        }
        if errors.is_empty() { Ok(packages) } else { Err(errors) }
    }

    /// The settings. They hang on no provider, but what stands beside them may (`if pet.id == "x" {…}` at the root): where there are
    /// no schemas yet, empty ones do for most specifications.
    ///
    /// # Errors
    /// Where they cannot be evaluated.
    pub fn settings(&self, schemas: Schemas<'_>) -> Result<Settings, Rejected> {
        self.evaluate(schemas).map(|(settings, _, _)| settings)
    }

    /// Starts a conversation; each is a fresh evaluation of the same files.
    ///
    /// # Errors
    /// Where a provider package has no schema, or the specification is wrong in a way that is seen at once.
    pub fn start(&self, schemas: Schemas<'_>) -> Result<Box<dyn Specification>, Rejected> {
        let (settings, evaluator, sources) = self.evaluate(schemas)?;
        let found = self.requirements.iter().filter_map(|requirement| Some((requirement.package.clone(), schemas(&requirement.package).ok()?)));
        let start = Start {
            sources,
            inputs: self.reader.inputs().to_vec(),
            settings,
            schemas: found.collect(),
            requirements: self.requirements.clone(),
            packages: Arc::clone(&self.own),
        };
        Ok(Box::new(Conversation::new(evaluator, start)))
    }

    fn evaluate(&self, schemas: Schemas<'_>) -> Result<(Settings, Evaluator, SourceMap), Rejected> {
        let mut sources = self.reader.sources().clone();
        let result = self.packages(&mut sources, schemas).and_then(|packages| {
            let mut evaluator = Evaluator::new(&self.root, packages, &mut sources, &self.limits)?;
            Ok((settings(&mut evaluator)?, evaluator))
        });
        match result {
            Ok((settings, evaluator)) => Ok((settings, evaluator, sources)),
            Err(diagnostics) => Err(Rejected { diagnostics, sources }),
        }
    }

    /// The types that the sources may use.
    fn selection(&self) -> Selection {
        let files = self.root.files.iter().chain(self.imports.packages.values().flat_map(|package| package.files.iter()));
        let ids: BTreeSet<_> = files.map(|file| file.span.file).collect();
        Selection::of_sources(ids.into_iter().filter_map(|id| self.reader.sources().get(id)).map(|source| &**source.text()))
    }
}
