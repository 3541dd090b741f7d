//! What a component says of itself, and what it imports: read from the bytes, before anything is compiled.
//!
//! Kept true here: only sizes that were checked are believed, and a component whose statements do not agree with its imports
//! is refused. Deliberately absent: validation of the code itself, which is done when it is compiled.

use std::collections::BTreeSet;

use pravo_model::capability::Needs;
use serde::{Deserialize, Serialize};
use wasmparser::{Parser, Payload};

use crate::limits::{Exceeded, Limit, Limits};

/// The world version that this host runs.
pub const WORLD: &str = "0.1";

/// The custom section that holds the manifest.
const SECTION: &str = "pravo:manifest";

/// The largest manifest, in bytes.
const MAX_MANIFEST: usize = 64 << 10;

/// The largest number of imports of a component.
const MAX_IMPORTS: usize = 1_000;

/// What a component says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// World version that it was built for.
    pub world: String,
    /// `namespace/name` of the provider.
    pub name: String,
    /// Version of the provider, semver.
    pub version: String,
    /// What it needs to be granted.
    #[serde(default)]
    pub needs: Needs,
}

/// What was found in a component's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// What it says of itself.
    pub manifest: Manifest,
    /// The interfaces that it imports, with versions.
    pub imports: BTreeSet<String>,
}

/// Why a component is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read the component {path}: {reason}")]
    Read {
        /// Which file.
        path: String,
        /// Why.
        reason: String,
    },
    /// It is too large.
    #[error("the component is too large: {0}")]
    TooLarge(Exceeded),
    /// Its bytes are others than those that were locked.
    #[error("the component's content has the hash sha256:{found}, but sha256:{expected} was expected: it was changed since it was locked")]
    Tampered {
        /// What was expected, hexadecimal.
        expected: String,
        /// What was found, hexadecimal.
        found: String,
    },
    /// It is something else.
    #[error("this is not a WebAssembly component: {0}")]
    NotComponent(String),
    /// It has no manifest, or one that cannot be read.
    #[error("the component's manifest (custom section \"pravo:manifest\") {0}")]
    Manifest(String),
    /// It was built for another world.
    #[error(
        "the component was built for version {found} of the provider world, this pravo runs version {WORLD}: use a version of the provider that was built for it, or another pravo"
    )]
    World {
        /// What it was built for.
        found: String,
    },
    /// It imports what no provider may import.
    #[error(
        "the component imports {0}, which pravo does not offer: a provider may import the interfaces pravo:provider/{{types,host,files}}@{WORLD} and what a language's standard library brings (wasi: cli, io, clocks, random, filesystem and sockets, version 0.2)"
    )]
    Import(String),
    /// Its manifest does not say what its imports say.
    #[error("the component imports {import}, but its manifest does not state the need: {need}")]
    Undeclared {
        /// The interface.
        import: String,
        /// What the manifest would have to state.
        need: &'static str,
    },
    /// It cannot be compiled or linked.
    #[error("the component cannot be compiled: {0}")]
    Compile(String),
}

/// Reads what a component says of itself and what it imports, and checks both. Nothing is compiled or run.
///
/// # Errors
/// Where the bytes are no component that this host runs.
pub fn inspect(bytes: &[u8], limits: &Limits) -> Result<Inspection, LoadError> {
    if bytes.len() > limits.size(Limit::Component) {
        return Err(LoadError::TooLarge(limits.exceeded(Limit::Component)));
    }
    recognise(bytes)?;
    let (sections, imports) = walk(bytes)?;
    let manifest = match sections.as_slice() {
        [section] => decode(section)?,
        [] => return Err(LoadError::Manifest("is missing: it was not built with the provider SDK".to_owned())),
        _ => return Err(LoadError::Manifest("is there more than once".to_owned())),
    };
    for import in &imports {
        check_import(import, &manifest)?;
    }
    Ok(Inspection { manifest, imports })
}

/// Tells what the bytes are, where they are no component.
fn recognise(bytes: &[u8]) -> Result<(), LoadError> {
    let what = if bytes.starts_with(b"\x7fELF") {
        "it is native code (ELF), which is never accepted"
    } else if !bytes.starts_with(b"\0asm") {
        "it does not begin with the WebAssembly magic number"
    } else if Parser::is_core_wasm(bytes) {
        "it is a core module; wrap it into a component (a build for the target wasm32-wasip2 is one)"
    } else if !Parser::is_component(bytes) {
        "it has an unknown version of the binary format"
    } else {
        return Ok(());
    };
    Err(LoadError::NotComponent(what.to_owned()))
}

/// The manifest sections, wherever they are nested, and the names of the outermost component's imports.
fn walk(bytes: &[u8]) -> Result<(Vec<&[u8]>, BTreeSet<String>), LoadError> {
    let broken = |error: wasmparser::BinaryReaderError| LoadError::NotComponent(format!("it is damaged or cut off: {error}"));
    let mut sections = Vec::new();
    let mut imports = BTreeSet::new();
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(broken)? {
            Payload::Version { .. } => depth = depth.saturating_add(1),
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::CustomSection(section) if section.name() == SECTION => sections.push(section.data()),
            Payload::ComponentImportSection(section) if depth == 1 => {
                for import in section {
                    imports.insert(import.map_err(broken)?.name.name.to_owned());
                    if imports.len() > MAX_IMPORTS {
                        return Err(LoadError::NotComponent(format!("it has more than {MAX_IMPORTS} imports")));
                    }
                }
            }
            _ => {}
        }
    }
    Ok((sections, imports))
}

fn decode(section: &[u8]) -> Result<Manifest, LoadError> {
    if section.len() > MAX_MANIFEST {
        return Err(LoadError::Manifest(format!("is larger than {MAX_MANIFEST} bytes")));
    }
    // The world first: another world's manifest may have another form.
    #[derive(Deserialize)]
    struct World {
        world: String,
    }
    let broken = |error: serde_json::Error| LoadError::Manifest(format!("cannot be read: {error}"));
    let World { world } = serde_json::from_slice(section).map_err(broken)?;
    if world != WORLD {
        return Err(LoadError::World { found: world.chars().take(40).map(|c| if c.is_control() { '?' } else { c }).collect() });
    }
    let manifest: Manifest = serde_json::from_slice(section).map_err(broken)?;
    let is_name =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_');
    match manifest.name.split_once('/') {
        Some((namespace, name)) if is_name(namespace) && is_name(name) && manifest.name.len() <= 200 => {}
        _ => {
            return Err(LoadError::Manifest(format!(
                "has the name {:?}; expected \"namespace/name\" in small letters, digits, \"-\" and \"_\"",
                cut(&manifest.name)
            )));
        }
    }
    if semver::Version::parse(&manifest.version).is_err() {
        return Err(LoadError::Manifest(format!("has the version {:?}, which is no semantic version", cut(&manifest.version))));
    }
    Ok(manifest)
}

fn cut(text: &str) -> String {
    text.chars().take(80).collect()
}

fn check_import(import: &str, manifest: &Manifest) -> Result<(), LoadError> {
    let refused = || LoadError::Import(import.chars().take(200).flat_map(char::escape_default).collect());
    let (interface, version) = import.split_once('@').ok_or_else(refused)?;
    let (package, name) = interface.split_once('/').ok_or_else(refused)?;
    let version = semver::Version::parse(version).map_err(|_| refused())?;
    let wasi = matches!(package, "wasi:cli" | "wasi:io" | "wasi:clocks" | "wasi:random" | "wasi:filesystem" | "wasi:sockets");
    match (package, name) {
        _ if wasi && version.major == 0 && version.minor == 2 && version.pre.is_empty() => Ok(()),
        ("pravo:provider", "types" | "host" | "files") if version.major == 0 && version.minor == 1 && version.pre.is_empty() => {
            if name == "files" && manifest.needs.fs.is_empty() {
                return Err(LoadError::Undeclared { import: import.to_owned(), need: "needs: fs: [{path: …, access: …}]" });
            }
            Ok(())
        }
        _ => Err(refused()),
    }
}
