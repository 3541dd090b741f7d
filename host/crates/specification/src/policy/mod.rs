//! Policies: CUE that is unified with a plan and may refuse it.
//!
//! Kept true here: what is not known before the apply is abstract, and whatever needs it is a violation; a message that was made
//! from a sensitive value is not shown. Deliberately absent: the plan's own rules and who asks for a policy.

mod judge;
#[cfg(test)]
mod tests;
mod text;

use std::path::Path;
use std::sync::Arc;

use pravo_diag::{Diagnostic, SourceMap};
use pravo_model::plan::PlanDocument;
use pravo_model::policy::Policy;

use crate::Rejected;
use crate::load::{Package, Reader, Tags};
use crate::root::packages_of;
use crate::session::Evaluator;

/// A policy that was read.
struct Loaded {
    package: Package,
    imported: Vec<Package>,
    sources: SourceMap,
}

/// Reads a policy: a file, or the package in a directory.
///
/// # Errors
/// Where it cannot be read or parsed.
pub fn load(path: &Path) -> Result<Box<dyn Policy>, Rejected> {
    let directory = if path.is_dir() { path } else { path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")) };
    let mut reader = Reader::new(directory, Tags::default())?;
    let read = |reader: &mut Reader| -> Result<(Package, Vec<Package>), Vec<Diagnostic>> {
        let package = if path.is_dir() { reader.root()? } else { reader.single(path)? };
        let imported = packages_of(reader, &package)?;
        Ok((package, imported))
    };
    match read(&mut reader) {
        Ok((package, imported)) => Ok(Box::new(Loaded { package, imported, sources: reader.sources().clone() })),
        Err(diagnostics) => Err(Rejected { diagnostics, sources: reader.sources().clone() }),
    }
}

impl Policy for Loaded {
    fn judge(&self, plan: &PlanDocument) -> Vec<Diagnostic> {
        let mut sources = self.sources.clone();
        let text = text::plan_text(&self.package.name, plan);
        let id = sources.add("plan.cue", text);
        let parsed = pravo_cue::syntax::parse_file(&sources, id, &pravo_cue::syntax::Options::default());
        if parsed.diagnostics.iter().any(Diagnostic::is_error) {
            return parsed.diagnostics;
        }
        let mut package = self.package.clone();
        Arc::make_mut(&mut package.files).push(parsed.file);
        match Evaluator::new(&package, self.imported.clone(), &mut sources, &pravo_cue::session::Limits::default()) {
            Ok(mut evaluator) => judge::violations(&mut evaluator).into_iter().map(|violation| own_places(violation, &self.sources)).collect(),
            Err(errors) => errors,
        }
    }

    fn sources(&self) -> &SourceMap {
        &self.sources
    }
}

/// Places in the plan's text mean nothing to anybody: only those in the policy are kept.
fn own_places(mut violation: Diagnostic, sources: &SourceMap) -> Diagnostic {
    violation.labels.retain(|label| sources.get(label.span.file).is_some());
    violation
}
