//! Packages as one file that means the same, not evaluated.
//!
//! Kept true here: references stay as they are written; the files' declarations follow each other, lets first; the
//! layout is that of a tree that was made, so that it does not depend on the line breaks of the sources.

use crate::syntax::ast::{Declaration, File, Import, Space};
use crate::syntax::format_made;

/// The files of a package as one. `None` where there is no file.
pub fn definition(files: &[File]) -> Option<String> {
    let first = files.first()?;
    let mut merged = first.clone();
    let mut imports: Vec<Import> = Vec::new();
    let mut package = None;
    let (mut attributes, mut lets, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        for declaration in file.declarations.iter().cloned() {
            match declaration {
                Declaration::Package(node) => {
                    package.get_or_insert(Declaration::Package(node));
                }
                Declaration::Import(node) => imports.push(*node),
                Declaration::Attribute(node) => attributes.push(Declaration::Attribute(node)),
                Declaration::Let(node) => lets.push(Declaration::Let(node)),
                other => rest.push(other),
            }
        }
    }
    let package = package.into_iter();
    let imports = merge_imports(imports).into_iter();
    merged.declarations = package.chain(imports).chain(attributes).chain(lets).chain(rest).collect();
    Some(format_made(&merged))
}

/// All imports in one declaration, sorted by path, each once.
fn merge_imports(imports: Vec<Import>) -> Option<Declaration> {
    let mut imports = imports.into_iter();
    let mut first = imports.next()?;
    first.specs.extend(imports.flat_map(|import| import.specs));
    first.specs.sort_by(|a, b| a.path.text.cmp(&b.path.text));
    first.specs.dedup_by(|a, b| {
        let name = |spec: &crate::syntax::ast::ImportSpec| spec.name.as_ref().map(|name| name.name.clone());
        a.path.text == b.path.text && name(a) == name(b)
    });
    let place = crate::syntax::ast::Place { offset: 0, space: Space::Unset };
    let several = first.specs.len() > 1;
    first.open = several.then_some(place);
    first.close = several.then_some(place);
    Some(Declaration::Import(Box::new(first)))
}
