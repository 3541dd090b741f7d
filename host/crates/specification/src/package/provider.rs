//! The package of one provider.

use pravo_model::schema::{Block, FunctionSchema, ProviderSchema, ResourceSchema};
use pravo_model::specification::Kind;

use super::Selection;
use super::attribute::{block, deprecated, type_text};
use super::writer::{RESERVED, Writer, label, quoted};

/// The name of the package clause for an import path: its last segment as an identifier, which `null` is not.
pub fn package_name(import_path: &str) -> String {
    let last = import_path.rsplit('/').next().unwrap_or(import_path);
    let name: String = last.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    match name {
        name if RESERVED.contains(&name.as_str()) => format!("{name}_"),
        name if name.starts_with(|c: char| c.is_ascii_alphabetic()) => name,
        name => format!("p{name}"),
    }
}

/// The text of the package at `import_path` with the selected types.
pub fn provider_package(import_path: &str, schema: &ProviderSchema, selection: &Selection) -> String {
    let mut writer = Writer::default();
    writer.doc(&format!("Package {} offers {import_path} {}.", package_name(import_path), schema.version));
    writer.line(&format!("package {}", package_name(import_path)));
    writer.line("");
    lifecycle(&mut writer);
    allow(&mut writer);
    writer.doc("One configured provider: `$name: #Provider & {...}`.");
    writer.doc(&schema.provider.description);
    writer.open("#Provider: {");
    writer.line("@host(provider)");
    writer.line(&format!("@provider({})", quoted(import_path)));
    writer.doc("Version constraint; a literal.");
    writer.line("$version?: string");
    writer.doc("Where the provider comes from; a literal.");
    writer.line("$source?: string");
    writer.doc("Capabilities; a literal.");
    writer.line("$allow?: #Allow");
    block(&mut writer, &schema.provider, 0);
    types(&mut writer, Kind::Resource, schema.resources.iter(), selection);
    types(&mut writer, Kind::Data, schema.data_sources.iter(), selection);
    types(&mut writer, Kind::Ephemeral, schema.ephemerals.iter(), selection);
    writer.doc("The functions.");
    writer.open("#Function: {");
    for (name, signature) in schema.functions.iter().filter(|(name, _)| selection.contains(name)) {
        function(&mut writer, name, signature);
    }
    writer.close("}");
    writer.close("}");
    writer.finish()
}

fn lifecycle(writer: &mut Writer) {
    writer.doc("How the life of a resource is managed.");
    writer.open("#Lifecycle: {");
    writer.doc("A replacement creates the new object first, then destroys the old one.");
    writer.line("create_before_destroy?: bool");
    writer.doc("A plan that destroys the resource is an error.");
    writer.line("prevent_destroy?: bool");
    writer.doc("Attribute names whose changes are not planned, or [\"*\"] for all.");
    writer.line("ignore_changes?: [...string]");
    writer.doc("\"always\", \"never\" or a number with a unit (ms, s, m, h, d).");
    writer.line("refresh?: string");
    writer.close("}");
    writer.line("");
}

fn allow(writer: &mut Writer) {
    writer.doc("What an instance may do, in place of what its manifest needs, within what was approved.");
    writer.open("#Allow: {");
    writer.line("fs?: [...{path!: string, access!: \"read\" | \"write\"}]");
    writer.line("net?: [...string]");
    writer.line("env?: [...string]");
    writer.line("clock?: bool");
    writer.line("random?: bool");
    writer.close("}");
    writer.line("");
}

/// The definition that holds the types of a kind, and the name of its marker.
pub(crate) fn holder(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Resource => ("#Resource", "resource"),
        Kind::Data => ("#Data", "data"),
        Kind::Ephemeral => ("#Ephemeral", "ephemeral"),
    }
}

fn types<'a>(writer: &mut Writer, kind: Kind, all: impl Iterator<Item = (&'a String, &'a ResourceSchema)>, selection: &Selection) {
    let (definition, marker) = holder(kind);
    writer.doc(match kind {
        Kind::Resource => "The managed resources.",
        Kind::Data => "The data sources.",
        Kind::Ephemeral => "The ephemeral resources.",
    });
    writer.open(&format!("{definition}: {{"));
    for (name, schema) in all.filter(|(name, _)| selection.contains(name)) {
        resource(writer, kind, marker, name, &schema.block);
    }
    writer.close("}");
}

fn resource(writer: &mut Writer, kind: Kind, marker: &str, name: &str, attributes: &Block) {
    writer.doc(&attributes.description);
    writer.open(&format!("{}: {{", label(name)));
    writer.line(&format!("@host({marker})"));
    block(writer, attributes, 0);
    writer.line("$depends_on?: [...] @reference()");
    if kind != Kind::Ephemeral {
        writer.line("$from?: string");
    }
    if kind == Kind::Resource {
        writer.line("$import?: string");
        writer.line("$lifecycle?: #Lifecycle");
    }
    let tail = attributes.deprecated.as_deref().map(deprecated).unwrap_or_default();
    writer.close(&format!("}}{tail}"));
}

/// What a function's struct holds its result in.
const RESULT: &str = "result";

/// The field of a function's struct that takes a parameter: its name, with underscores behind it where that is the result's.
pub(crate) fn argument_field(signature: &FunctionSchema, parameter: &str) -> String {
    let mut field = parameter.to_owned();
    if parameter == RESULT {
        while field == RESULT || signature.parameters.iter().any(|other| other.name == field) {
            field.push('_');
        }
    }
    field
}

fn function(writer: &mut Writer, name: &str, signature: &FunctionSchema) {
    writer.doc(&signature.description);
    writer.open(&format!("{}: {{", label(name)));
    writer.line("@host(function)");
    for parameter in &signature.parameters {
        writer.doc(&parameter.description);
        let null = if parameter.allow_null { "null | " } else { "" };
        writer.line(&format!("{}!: {null}{}", label(&argument_field(signature, &parameter.name)), type_text(&parameter.kind, 0)));
    }
    writer.line(&format!("{RESULT}: null | {}", type_text(&signature.result, 0)));
    writer.close("}");
}
