//! `pravo provider …`

use std::path::Path;

use pravo_model::capability::Capabilities;
use pravo_model::schema::ProviderSchema;
use pravo_registry::{ContentHash, Manifest, bundled};
use serde_json::{Value as Json, json};

use crate::args::Provider;
use crate::exit::{Done, Failure, Outcome};
use crate::providers::{registry_failure, wasm_host};
use crate::render::document::head;
use crate::workspace::Context;

pub(super) async fn run(context: &Context, command: &Provider) -> Outcome {
    let Provider::Inspect { provider, json, cue } = command;
    let bytes = component(context, provider)?;
    let manifest = Manifest::read(&bytes).map_err(|error| {
        let diagnostic = pravo_diag::Diagnostic::error("provider.component", format!("{provider}: {error}"));
        Failure::of(diagnostic.with_help(error.help()))
    })?;
    let hash = ContentHash::of(&bytes);
    let loaded = tokio::task::block_in_place(|| wasm_host(&context.directory).map(|host| host.load(&bytes, &hash.hex())))?;
    let loaded = loaded.map_err(|error| Failure::message("provider.component", format!("{provider}: {error}")))?;
    let schema = loaded.provider(&manifest.package.short(), &Capabilities::default()).schema().await?;
    let text = match (json, cue) {
        (true, _) => format!("{}\n", document(&manifest, hash, &schema)),
        (_, true) => {
            use pravo_specification::package::{Selection, provider_package};
            provider_package(&manifest.package.to_string(), &schema, &Selection::All)
        }
        _ => text(&manifest, hash, &schema),
    };
    context.terminal.print(&text);
    Ok(Done::Success)
}

/// The bytes of a component file, of a package that the lock file has, or of a bundled one.
fn component(context: &Context, provider: &str) -> Result<Vec<u8>, Failure> {
    let path = Path::new(provider);
    if path.is_file() {
        return std::fs::read(path).map_err(|error| Failure::file("read", path, &error));
    }
    let unknown = || {
        let names: Vec<&str> = bundled::all().iter().map(|bundled| bundled.name).collect();
        let what = format!("{provider} is neither a component file nor a provider package that this root or this pravo has");
        Failure::of(pravo_diag::Diagnostic::error("provider.unknown", what).with_help(format!("this pravo bundles {}", names.join(", "))))
    };
    let full = if provider.starts_with("pravo.dev/") { provider.to_owned() } else { format!("pravo.dev/providers/{provider}") };
    let package: pravo_registry::Package = full.parse().map_err(|_| unknown())?;
    let lock = pravo_registry::Lock::read(&context.directory).map_err(|error| registry_failure(&error))?;
    if let Some(locked) = lock.as_ref().and_then(|lock| lock.get(&package))
        && let Some(Ok(bytes)) = pravo_registry::Cache::new(&context.directory).component(locked.hash)
    {
        return Ok(bytes);
    }
    bundled::get(&package).map(|bundled| bundled.bytes.to_vec()).ok_or_else(unknown)
}

/// The kinds of things that a provider offers, with their names.
fn offers(schema: &ProviderSchema) -> [(&'static str, Vec<&str>); 4] {
    [
        ("resources", schema.resources.keys().map(String::as_str).collect()),
        ("data sources", schema.data_sources.keys().map(String::as_str).collect()),
        ("ephemerals", schema.ephemerals.keys().map(String::as_str).collect()),
        ("functions", schema.functions.keys().map(String::as_str).collect()),
    ]
}

fn text(manifest: &Manifest, hash: ContentHash, schema: &ProviderSchema) -> String {
    let mut out = format!("{} {}\nhash {hash}\nworld {}\n", manifest.package.short(), manifest.version, manifest.world);
    for need in manifest.needs.iter() {
        out.push_str(&format!("needs {need}\n"));
    }
    out.push('\n');
    for (kind, names) in offers(schema).into_iter().filter(|(_, names)| !names.is_empty()) {
        out.push_str(&format!("{kind}:\n"));
        for name in names {
            out.push_str(&format!("  {name}\n"));
        }
    }
    out
}

fn document(manifest: &Manifest, hash: ContentHash, schema: &ProviderSchema) -> Json {
    let mut document = head("provider");
    document.insert("package".into(), manifest.package.to_string().into());
    document.insert("version".into(), manifest.version.to_string().into());
    document.insert("world".into(), manifest.world.clone().into());
    document.insert("hash".into(), hash.to_string().into());
    document.insert("needs".into(), json!(manifest.needs));
    document.insert("schema".into(), json!(schema));
    Json::Object(document)
}
