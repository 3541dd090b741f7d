//! The manifest of a component: what it is and what it needs, read before anything is compiled.
//!
//! It stands in the custom section `pravo:manifest`, at the top or within one of the modules that the component is made of.
//! Code is skipped, not parsed; size, nesting and number of sections are bounded.

use pravo_model::capability::Needs;
use semver::Version;
use serde::Deserialize;
use wasmparser::{Encoding, Parser, Payload};

use crate::package::Package;

/// Name of the custom section.
pub const SECTION: &str = "pravo:manifest";
/// World versions that this pravo runs.
pub const WORLDS: [&str; 1] = ["0.1"];
/// The largest component.
pub const MAX_COMPONENT: usize = 64 << 20;
/// The largest manifest.
const MAX_MANIFEST: usize = 64 << 10;
/// How deep modules and components may be nested.
const MAX_DEPTH: usize = 32;
/// How many sections there may be in all.
const MAX_SECTIONS: usize = 200_000;

/// What a component says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Version of the world that it was built for.
    pub world: String,
    /// The provider package that it is.
    pub package: Package,
    /// Its own version.
    pub version: Version,
    /// What it needs.
    pub needs: Needs,
}

/// Why some bytes are no provider component.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// Larger than a component may be.
    #[error("it has {size} bytes; a component has at most {} bytes", MAX_COMPONENT)]
    TooLarge {
        /// Its size.
        size: u64,
    },
    /// Not WebAssembly at all.
    #[error("it is not WebAssembly")]
    Foreign,
    /// A core module.
    #[error("it is a core module, not a component; build it for the target wasm32-wasip2")]
    Module,
    /// Broken or truncated.
    #[error("its WebAssembly is broken at byte {offset}: {reason}")]
    Broken {
        /// Where.
        offset: usize,
        /// What the parser says.
        reason: String,
    },
    /// Without a manifest.
    #[error("it has no manifest (custom section {SECTION}), so it is a component but no provider of pravo; build it with pravo's SDK")]
    Missing,
    /// With several manifests that differ.
    #[error("it has two manifests that differ (custom section {SECTION})")]
    Twice,
    /// A manifest that cannot be read.
    #[error("its manifest (custom section {SECTION}) cannot be read: {0}")]
    Unreadable(String),
    /// Built for another world.
    #[error("it was built for version {found} of the provider world; this pravo runs {}", WORLDS.join(", "))]
    World {
        /// Its world version.
        found: String,
    },
}

impl ManifestError {
    /// What to do.
    pub fn help(&self) -> &'static str {
        match self {
            ManifestError::World { .. } => "Use a version of the provider that was built for this pravo, or a pravo that runs that world.",
            ManifestError::Foreign | ManifestError::Broken { .. } => "Fetch or build the component again.",
            _ => "",
        }
    }
}

#[derive(Deserialize)]
struct World {
    world: String,
}

#[derive(Deserialize)]
struct Body {
    name: String,
    version: Version,
    #[serde(default)]
    needs: Needs,
}

impl Manifest {
    /// Reads the manifest of a component.
    ///
    /// # Errors
    /// Where the bytes are no component, have no manifest, or one of another world.
    pub fn read(component: &[u8]) -> Result<Self, ManifestError> {
        if component.len() > MAX_COMPONENT {
            return Err(ManifestError::TooLarge { size: component.len() as u64 });
        }
        match Parser::is_component(component) {
            true => Self::parse(section(component)?),
            false if Parser::is_core_wasm(component) => Err(ManifestError::Module),
            false => Err(ManifestError::Foreign),
        }
    }

    fn parse(json: &[u8]) -> Result<Self, ManifestError> {
        let unreadable = |error: &dyn std::fmt::Display| ManifestError::Unreadable(error.to_string());
        if json.len() > MAX_MANIFEST {
            return Err(ManifestError::Unreadable(format!("it has {} bytes; at most {MAX_MANIFEST} are read", json.len())));
        }
        // The world first: only it tells what else to expect.
        let World { world } = serde_json::from_slice(json).map_err(|error| unreadable(&error))?;
        if !WORLDS.contains(&world.as_str()) {
            return Err(ManifestError::World { found: world.chars().take(40).collect() });
        }
        let body: Body = serde_json::from_slice(json).map_err(|error| unreadable(&error))?;
        let package = Package::from_short(&body.name).map_err(|error| unreadable(&error))?;
        Ok(Self { world, package, version: body.version, needs: body.needs })
    }
}

/// Finds the section, wherever it is nested.
fn section(component: &[u8]) -> Result<&[u8], ManifestError> {
    let broken = |error: wasmparser::BinaryReaderError| ManifestError::Broken { offset: error.offset(), reason: error.message().to_owned() };
    let limit = |offset: usize, reason: &str| ManifestError::Broken { offset, reason: reason.to_owned() };
    let mut found: Option<&[u8]> = None;
    let mut outer: Vec<Parser> = Vec::new();
    let mut parser = Parser::new(0);
    let mut rest = component;
    for _ in 0..MAX_SECTIONS {
        let offset = component.len() - rest.len();
        let (payload, consumed) = match parser.parse(rest, true).map_err(broken)? {
            wasmparser::Chunk::Parsed { payload, consumed } => (payload, consumed),
            wasmparser::Chunk::NeedMoreData(_) => return Err(limit(offset, "unexpected end")),
        };
        rest = rest.get(consumed..).ok_or_else(|| limit(offset, "unexpected end"))?;
        match payload {
            Payload::CustomSection(section) if section.name() == SECTION => match found {
                Some(other) if other != section.data() => return Err(ManifestError::Twice),
                _ => found = Some(section.data()),
            },
            Payload::CodeSectionStart { size, .. } => {
                rest = rest.get(usize::try_from(size).unwrap_or(usize::MAX)..).ok_or_else(|| limit(offset, "unexpected end"))?;
                parser.skip_section();
            }
            Payload::ModuleSection { parser: inner, .. } | Payload::ComponentSection { parser: inner, .. } => {
                if outer.len() >= MAX_DEPTH {
                    return Err(limit(offset, "modules are nested too deep"));
                }
                outer.push(std::mem::replace(&mut parser, inner));
            }
            Payload::Version { encoding: Encoding::Module, .. } if outer.is_empty() => return Err(ManifestError::Module),
            Payload::End(_) => match outer.pop() {
                Some(next) => parser = next,
                None if rest.is_empty() => return found.ok_or(ManifestError::Missing),
                None => return Err(limit(offset, "bytes follow the end")),
            },
            _ => {}
        }
    }
    Err(limit(component.len() - rest.len(), "it has too many sections"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";
    const MODULE: &[u8] = b"\0asm\x01\0\0\0";
    const GOOD: &str = r#"{"world":"0.1","name":"acme/thing","version":"1.2.3","needs":{"random":true},"homepage":"ignored"}"#;

    fn number(mut number: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number >= 0x80 {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }

    fn section(id: u8, body: &[u8]) -> Vec<u8> {
        [&[id][..], &number(body.len()), body].concat()
    }

    fn custom(name: &str, body: &str) -> Vec<u8> {
        section(0, &[&number(name.len()), name.as_bytes(), body.as_bytes()].concat())
    }

    fn component(sections: &[Vec<u8>]) -> Vec<u8> {
        [COMPONENT, &sections.concat()].concat()
    }

    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        match (Manifest::read(bytes), expected) {
            (Ok(manifest), Ok(short)) => assert_eq!(format!("{} {} {}", manifest.package.short(), manifest.version, manifest.needs), short),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{part:?} in {:?}", error.to_string()),
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn manifests_are_found_at_the_top_and_within_modules() {
        let good = Ok("acme/thing 1.2.3 random");
        check(&component(&[custom("other", "x"), custom(SECTION, GOOD)]), good);
        // A module with a code section (one empty function body) in front of the manifest.
        let module = [MODULE, &section(1, &[1, 0x60, 0, 0]), &section(3, &[1, 0]), &section(10, &[1, 2, 0, 0x0b]), &custom(SECTION, GOOD)].concat();
        check(&component(&[section(1, &module), custom("name", "x")]), good);
        check(&component(&[section(4, &component(&[section(1, &module)]))]), good);
        check(&component(&[custom(SECTION, GOOD), custom(SECTION, GOOD)]), good);
    }

    #[test]
    fn what_is_no_provider_says_why() {
        check(b"", Err("it is not WebAssembly"));
        check(b"#!/bin/sh\nexit 1\n", Err("it is not WebAssembly"));
        check(b"\x7fELF\x02\x01\x01\0", Err("it is not WebAssembly"));
        check(MODULE, Err("it is a core module, not a component"));
        check(&component(&[]), Err("it has no manifest (custom section pravo:manifest)"));
        check(&component(&[custom(SECTION, GOOD), custom(SECTION, "{}")]), Err("two manifests that differ"));
        check(&component(&[custom(SECTION, "nonsense")]), Err("cannot be read: expected"));
        check(&component(&[custom(SECTION, &"x".repeat(70_000))]), Err("at most 65536 are read"));
        for (from, to, part) in [
            ("0.1", "0.9", "it was built for version 0.9 of the provider world; this pravo runs 0.1"),
            ("1.2.3", "1.2", "cannot be read"),
            ("acme/thing", "../x", "cannot be read"),
            ("random", "shell", "unknown field"),
        ] {
            check(&component(&[custom(SECTION, &GOOD.replace(from, to))]), Err(part));
        }
        // The world is looked at before anything else, whatever a later one may hold.
        check(&component(&[custom(SECTION, r#"{"world":"7","name":3}"#)]), Err("version 7 of the provider world"));
    }

    #[test]
    fn cut_and_hostile_bytes_are_told() {
        let whole = component(&[custom("other", "x"), section(1, &[MODULE, &custom(SECTION, GOOD)].concat())]);
        for length in 8..whole.len() - 1 {
            assert!(Manifest::read(&whole[..length]).is_err(), "{length} bytes");
        }
        let mut nested = component(&[]);
        for _ in 0..40 {
            nested = component(&[section(4, &nested)]);
        }
        check(&nested, Err("nested too deep"));
        let mut bytes = whole;
        for at in 0..bytes.len() {
            bytes[at] ^= 0xff;
            // Some are still fine; none panics.
            let _ = Manifest::read(&bytes);
            bytes[at] ^= 0xff;
        }
    }
}
