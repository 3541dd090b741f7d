//! A root: the package of a directory with all that it imports, read and parsed but not evaluated.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use pravo_cue::syntax::ast::File;
use pravo_diag::{Diagnostic, SourceMap, Span};
use pravo_model::provider::ProviderFailure;
use pravo_model::schema::ProviderSchema;

use crate::load::{Package, Reader, Tags};
use crate::literals;
use crate::package::{Selection, builtin, package_name, provider_package};
use crate::requirements::{PROVIDERS, ProviderRequirement, requirements};
use crate::Rejected;

/// How a root is read and evaluated.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values and names of tags.
    pub tags: Tags,
}

/// Gives the schema of a provider package.
pub type Schemas<'a> = &'a dyn Fn(&str) -> Result<Arc<ProviderSchema>, ProviderFailure>;

/// A root that was read: what it needs is known, nothing is evaluated.
pub struct Root {
    reader: Reader,
    root: Package,
    /// Imported packages by import path, provider packages and those of pravo's own left out.
    imported: BTreeMap<String, Package>,
    /// Every import path that is used, with the first place.
    imports: BTreeMap<String, Span>,
    requirements: Vec<ProviderRequirement>,
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
        match Self::read(&mut reader) {
            Ok((root, imported, imports, requirements)) => Ok(Self { reader, root, imported, imports, requirements }),
            Err(diagnostics) => Err(Rejected { diagnostics, sources: reader.sources().clone() }),
        }
    }

    #[expect(clippy::type_complexity, reason = "the parts of a root before it is one")]
    fn read(
        reader: &mut Reader,
    ) -> Result<(Package, BTreeMap<String, Package>, BTreeMap<String, Span>, Vec<ProviderRequirement>), Vec<Diagnostic>> {
        let root = reader.root()?;
        let mut imported = BTreeMap::<String, Package>::new();
        let mut imports = BTreeMap::new();
        let mut open = imports_of(&root.files);
        let mut errors = Vec::new();
        while let Some((path, at)) = open.pop() {
            if imports.insert(path.clone(), at).is_some() || is_standard(&path) || path.starts_with(PROVIDERS) || builtin(&path).is_some() {
                continue;
            }
            match reader.import(&path, at) {
                Ok(package) => {
                    open.extend(imports_of(&package.files));
                    imported.insert(path, package);
                }
                Err(more) => errors.extend(more),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let files = root.files.iter().chain(imported.values().flat_map(|package| &package.files));
        let requirements = requirements(files)?;
        Ok((root, imported, imports, requirements))
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
    pub fn packages(&mut self, schemas: Schemas<'_>) -> Result<Vec<Package>, Vec<Diagnostic>> {
        let mut packages: Vec<Package> = self.imported.values().cloned().collect();
        let selection = self.selection();
        let mut errors = Vec::new();
        let paths: BTreeMap<String, Span> = self.imports.clone();
        for (path, at) in paths {
            let bare = path.split_once(':').map_or(path.as_str(), |(path, _)| path);
            let text = match builtin(bare) {
                Some(text) => text.to_owned(),
                None if bare.starts_with(PROVIDERS) => match schemas(bare) {
                    Ok(schema) => provider_package(bare, &schema, &selection),
                    Err(failure) => {
                        errors.push(Diagnostic::error("specification.provider", failure.message).at(at, "").with_detail(failure.detail));
                        continue;
                    }
                },
                None => continue,
            };
            match self.reader.parse(format!("{bare}.cue").into(), text) {
                Ok(file) => packages.push(Package { import_path: path.clone(), name: package_name(bare), files: vec![file] }),
                Err(more) => errors.extend(more),
            }
        }
        if errors.is_empty() { Ok(packages) } else { Err(errors) }
    }

    /// The types that the sources may use.
    fn selection(&self) -> Selection {
        let files = self.root.files.iter().chain(self.imported.values().flat_map(|package| &package.files));
        let ids: BTreeSet<_> = files.map(|file| file.span.file).collect();
        Selection::of_sources(ids.into_iter().filter_map(|id| self.reader.sources().get(id)).map(|source| &**source.text()))
    }
}
