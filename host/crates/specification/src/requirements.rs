//! Which provider packages a root needs, read from the syntax before anything is evaluated.
//!
//! `$version`, `$source` and `$allow` decide which package is imported, so they cannot depend on what is in it: they are literals
//! in a struct that unifies with `PACKAGE.#Provider` in the same expression or under the same path. Deliberately absent:
//! resolving versions and approving capabilities (the registry does), and whether an instance exists in the end.

use std::collections::BTreeMap;

use pravo_cue::syntax::ast::{BinaryOperator, Comprehension, Declaration, Expression, Field, File, Label, SelectorName};
use pravo_diag::{Diagnostic, Span};
use pravo_model::capability::Allow;

use crate::literals;

/// The import paths of provider packages.
pub const PROVIDERS: &str = "pravo.dev/providers/";

/// Something that is written in the specification, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written<T> {
    /// What.
    pub value: T,
    /// Where.
    pub span: Span,
}

/// What a root asks of one provider package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderRequirement {
    /// The import path, `pravo.dev/providers/<namespace>/<name>`.
    pub package: String,
    /// Where it is imported.
    pub imports: Vec<Span>,
    /// Every `$version`.
    pub versions: Vec<Written<String>>,
    /// Every `$source`; all are equal.
    pub sources: Vec<Written<String>>,
    /// Every `$allow`.
    pub allows: Vec<Written<Allow>>,
}

/// The requirements of the files, sorted by package.
///
/// # Errors
/// A field that is no literal, an `$allow` that is none, instances of one package that differ in `$source`.
pub(crate) fn requirements<'a>(files: impl IntoIterator<Item = &'a File>) -> Result<Vec<ProviderRequirement>, Vec<Diagnostic>> {
    let mut found = BTreeMap::<String, ProviderRequirement>::new();
    let mut errors = Vec::new();
    for file in files {
        let imports = provider_imports(file);
        for (package, span) in imports.values() {
            let requirement = found.entry(package.clone()).or_default();
            requirement.package.clone_from(package);
            requirement.imports.push(*span);
        }
        let mut reader = Reader { imports: &imports, places: BTreeMap::new() };
        reader.declarations(file.body(), &mut Vec::new());
        for place in reader.places.into_values() {
            place.collect(&mut found, &mut errors);
        }
    }
    for requirement in found.values() {
        if let Some(pair) = requirement.sources.windows(2).find(|pair| matches!(pair, [a, b] if a.value != b.value))
            && let [one, other] = pair
        {
            let summary = format!("the instances of {} differ in $source: {:?} and {:?}", requirement.package, one.value, other.value);
            let help = "one provider package comes from one place: give all its instances the same $source";
            errors.push(Diagnostic::error("specification.source", summary).at(other.span, "").at(one.span, "the other").with_help(help));
        }
    }
    if errors.is_empty() { Ok(found.into_values().collect()) } else { Err(errors) }
}

/// The provider packages that a file imports, by their local name.
fn provider_imports(file: &File) -> BTreeMap<String, (String, Span)> {
    let mut imports = BTreeMap::new();
    for spec in file.imports() {
        let Some(path) = literals::decode(&spec.path.text) else { continue };
        let (package, qualifier) = path.split_once(':').map_or((path.as_str(), None), |(package, name)| (package, Some(name)));
        if !package.starts_with(PROVIDERS) {
            continue;
        }
        let default = || qualifier.map_or_else(|| crate::package::package_name(package), str::to_owned);
        let name = spec.name.as_ref().map_or_else(default, |name| name.name.clone());
        imports.insert(name, (package.to_owned(), spec.path.span));
    }
    imports
}

/// What is written under one path.
#[derive(Default)]
struct Place<'a> {
    packages: Vec<String>,
    fields: Vec<&'a Field>,
}

struct Reader<'a, 'i> {
    imports: &'i BTreeMap<String, (String, Span)>,
    places: BTreeMap<Vec<String>, Place<'a>>,
}

impl<'a> Reader<'a, '_> {
    fn declarations(&mut self, declarations: impl IntoIterator<Item = &'a Declaration>, path: &mut Vec<String>) {
        for declaration in declarations {
            match declaration {
                Declaration::Field(field) => self.field(field, path),
                Declaration::Let(binding) => {
                    path.push(format!("let {}", binding.name.name));
                    self.expression(&binding.value, path);
                    path.pop();
                }
                Declaration::Embedding(embedding) => self.expression(&embedding.value, path),
                Declaration::Comprehension(comprehension) => self.comprehension(comprehension, path),
                _ => {}
            }
        }
    }

    fn comprehension(&mut self, comprehension: &'a Comprehension, path: &mut Vec<String>) {
        self.expression(&comprehension.value, path);
        if let Some(fallback) = &comprehension.fallback {
            self.declarations(&fallback.body.declarations, path);
        }
    }

    fn field(&mut self, field: &'a Field, path: &mut Vec<String>) {
        let label = label_text(&field.label);
        if matches!(label.as_str(), "$version" | "$source" | "$allow") {
            self.places.entry(path.clone()).or_default().fields.push(field);
            return;
        }
        path.push(label);
        self.expression(&field.value, path);
        path.pop();
    }

    /// Recursion is bounded: the parser bounds the depth of a tree, and chains of operators are walked in a loop.
    fn expression(&mut self, expression: &'a Expression, path: &mut Vec<String>) {
        match expression {
            Expression::Parenthesised(inner) => self.expression(&inner.inner, path),
            Expression::Alias(alias) => self.expression(&alias.value, path),
            Expression::Struct(inner) => self.declarations(&inner.declarations, path),
            Expression::Binary(binary) if matches!(binary.operator, BinaryOperator::Unification | BinaryOperator::Disjunction) => {
                for operand in binary.operands() {
                    self.expression(operand, path);
                }
            }
            Expression::Unary(unary) => self.expression(&unary.operand, path),
            Expression::Comprehension(comprehension) => self.comprehension(comprehension, path),
            Expression::List(list) => {
                for (index, element) in list.elements.iter().enumerate() {
                    path.push(format!("[{index}]"));
                    self.expression(element, path);
                    path.pop();
                }
            }
            Expression::Selector(selector) => {
                if let (Expression::Identifier(package), SelectorName::Identifier(name)) = (&selector.operand, &selector.name)
                    && name.name == "#Provider"
                    && let Some((package, _)) = self.imports.get(&package.name)
                {
                    self.places.entry(path.clone()).or_default().packages.push(package.clone());
                }
            }
            _ => {}
        }
    }
}

/// A label as a key: equal for equal fields, different for patterns and computed labels at different places.
fn label_text(label: &Label) -> String {
    match label {
        Label::Identifier(_) | Label::Literal(_) => literals::name(label).unwrap_or_default(),
        Label::Alias(alias) => label_text(&alias.label),
        Label::Interpolation(inner) => format!("\"{}", inner.span.start),
        Label::Parenthesised(inner) => format!("({}", inner.span.start),
        Label::Pattern(inner) => format!("[{}", inner.span.start),
    }
}

impl Place<'_> {
    fn collect(self, found: &mut BTreeMap<String, ProviderRequirement>, errors: &mut Vec<Diagnostic>) {
        for package in &self.packages {
            let Some(requirement) = found.get_mut(package) else { continue };
            for field in &self.fields {
                let span = literals::span(&field.value);
                let result = match label_text(&field.label).as_str() {
                    "$version" => literals::text(&field.value).map(|value| requirement.versions.push(Written { value, span })),
                    "$source" => literals::text(&field.value).map(|value| requirement.sources.push(Written { value, span })),
                    _ => literals::allow(&field.value).map(|value| requirement.allows.push(Written { value, span })),
                };
                errors.extend(result.err());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pravo_cue::syntax::{Options, parse_file};
    use pravo_diag::SourceMap;

    fn read(text: &str) -> Result<Vec<ProviderRequirement>, Vec<String>> {
        let mut sources = SourceMap::new();
        let id = sources.add("main.cue", text);
        let parsed = parse_file(&sources, id, &Options::default());
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        requirements([&parsed.file]).map_err(|errors| errors.into_iter().map(|error| error.summary).collect())
    }

    const IMPORTS: &str =
        "package demo\nimport (\n\trnd \"pravo.dev/providers/hashicorp/random\"\n\t\"pravo.dev/providers/hashicorp/local\"\n\t\"strings\"\n)\n";

    #[test]
    fn fields_of_instances_are_found_wherever_they_unify() {
        let text = "$a: rnd.#Provider & {$version: \">=3\"}\n$a: $source: \"bundled\"\n#Site: {$l: {local.#Provider, $allow: fs: [{path: \"/etc\", access: \"read\"}]}}\nfor r in [\"x\"] {\"p-\\(r)\": rnd.#Provider & {$version: \"<4\"}}";
        let found = read(&format!("{IMPORTS}{text}")).unwrap();
        let [local, random] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(local.package, "pravo.dev/providers/hashicorp/local");
        assert_eq!(local.allows[0].value.canonical(), r#"{"fs":[{"path":"/etc","access":"read"}]}"#);
        let mut versions: Vec<&str> = random.versions.iter().map(|version| version.value.as_str()).collect();
        versions.sort_unstable();
        assert_eq!(versions, ["<4", ">=3"]);
        assert_eq!(random.sources[0].value, "bundled");
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        let cases = [
            ("$a: rnd.#Provider & {$version: v}", "$version and $source are strings; each must be a literal"),
            ("$a: rnd.#Provider & {$source: \"a\\(b)\"}", "$version and $source are strings; each must be a literal"),
            ("$a: rnd.#Provider & {$allow: net: [x]}", "$allow must be a literal"),
            (
                "$a: rnd.#Provider & {$source: \"bundled\"}\n$b: rnd.#Provider & {$source: \"file:./a.wasm\"}",
                "the instances of pravo.dev/providers/hashicorp/random differ in $source: \"bundled\" and \"file:./a.wasm\"",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(read(&format!("{IMPORTS}{text}")).unwrap_err(), [expected], "{text}");
        }
        assert!(read(&format!("{IMPORTS}$a: rnd.#Provider & {{$allow: shell: true}}")).unwrap_err()[0].contains("shell"));
    }

    #[test]
    fn a_package_that_is_only_imported_is_needed() {
        assert_eq!(read(IMPORTS).unwrap().len(), 2);
        assert!(read("package demo\nx: $version: \"1\"").unwrap().is_empty());
    }
}
