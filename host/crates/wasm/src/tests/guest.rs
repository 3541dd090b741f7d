//! Guests written as text: a core module in which single functions of the world are replaced, made into a component.
//!
//! Every function answers "nothing" unless it is replaced: results are read from an area of zeros at [`ZEROS`].

use std::collections::BTreeMap;
use std::path::Path;

use pravo_model::Type;
use pravo_model::schema::{FunctionSchema, ProviderSchema, ResourceSchema, SCHEMA_FORMAT};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Address of an area of zeros: no value, no diagnostics.
pub const ZEROS: u32 = 1024;

/// Address of an area that guests may use for results.
pub const AREA: u32 = 2048;

/// Address of the schema's bytes.
const SCHEMA: u32 = 8192;

/// Where the heap begins.
const HEAP: u32 = 1 << 20;

/// The world's functions with the types of their parameters.
const EXPORTS: [(&str, &str); 14] = [
    ("schema", ""),
    ("validate-provider", "i32 i32"),
    ("validate", "i32 i32 i32 i32 i32"),
    ("upgrade", "i32 i32 i64 i32 i32"),
    ("call-function", "i32 i32 i32 i32"),
    ("configure", "i32 i32"),
    ("[method]configured.read", "i32 i32 i32 i32 i32"),
    ("[method]configured.plan", "i32 i32 i32 i32 i32"),
    ("[method]configured.apply", "i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32"),
    ("[method]configured.import", "i32 i32 i32 i32 i32"),
    ("[method]configured.read-data", "i32 i32 i32 i32 i32"),
    ("[method]configured.open", "i32 i32 i32 i32 i32"),
    ("[method]configured.renew", "i32 i32 i32 i32 i32"),
    ("[method]configured.close", "i32 i32 i32 i32 i32"),
];

/// What the tests' worlds may import beside the provider world.
const WASI: &str = r#"
package wasi:random@0.2.6 { interface random { get-random-u64: func() -> u64; } interface insecure-seed { insecure-seed: func() -> tuple<u64, u64>; } }
"#;

/// A guest in the making.
#[derive(Clone)]
pub struct GuestText {
    manifest: String,
    schema: Vec<u8>,
    bodies: BTreeMap<&'static str, String>,
    declarations: String,
    imports: Vec<(String, String)>,
    world: String,
    pages: u32,
}

impl Default for GuestText {
    fn default() -> Self {
        Self {
            manifest: manifest("{}"),
            schema: rmp_serde::to_vec_named(&schema()).unwrap(),
            bodies: BTreeMap::new(),
            declarations: String::new(),
            imports: Vec::new(),
            world: String::new(),
            pages: 32,
        }
    }
}

/// A manifest with these needs.
pub fn manifest(needs: &str) -> String {
    format!(r#"{{"world":"0.1","name":"test/guest","version":"1.2.3","needs":{needs}}}"#)
}

/// A schema with a resource `thing` and a function `f` that gives a text.
pub fn schema() -> ProviderSchema {
    let function = FunctionSchema { parameters: Vec::new(), result: Type::String, description: String::new() };
    ProviderSchema {
        format: SCHEMA_FORMAT,
        version: "1.2.3".into(),
        resources: BTreeMap::from([("thing".to_owned(), ResourceSchema::default())]),
        data_sources: BTreeMap::from([("thing".to_owned(), ResourceSchema::default())]),
        ephemerals: BTreeMap::from([("thing".to_owned(), ResourceSchema::default())]),
        functions: BTreeMap::from([("f".to_owned(), function)]),
        ..ProviderSchema::default()
    }
}

impl GuestText {
    /// Replaces a function; the body leaves the address of its result.
    pub fn function(mut self, name: &'static str, body: &str) -> Self {
        self.bodies.insert(name, body.to_owned());
        self
    }

    /// Replaces `call-function`.
    pub fn call(self, body: &str) -> Self {
        self.function("call-function", body)
    }

    /// Adds globals, functions, data.
    pub fn declare(mut self, text: &str) -> Self {
        self.declarations.push_str(text);
        self
    }

    /// Imports a function: `import("pravo:provider/host@0.1.0", "log", "$log (param i32 i32 i32)")`.
    pub fn import(mut self, interface: &str, name: &str, function: &str) -> Self {
        let (identifier, signature) = function.split_once(' ').unwrap_or((function, ""));
        self.imports.push((interface.to_owned(), format!("(import {interface:?} {name:?} (func {identifier} {signature}))")));
        self
    }

    /// Has the manifest state these needs.
    pub fn needs(mut self, needs: &str) -> Self {
        self.manifest = manifest(needs);
        self
    }

    /// Has another manifest.
    pub fn manifest(mut self, text: &str) -> Self {
        text.clone_into(&mut self.manifest);
        self
    }

    /// Answers other bytes as its schema.
    pub fn schema(mut self, bytes: &[u8]) -> Self {
        self.schema = bytes.to_vec();
        self
    }

    /// Adds interfaces to the world: their definitions as nested packages, and `import …;` lines.
    pub fn world(mut self, packages: &str, imports: &str) -> Self {
        self.world = format!("{packages}\n");
        self.imports.push((imports.to_owned(), String::new()));
        self
    }

    /// Declares the size of its memory in pages.
    pub fn pages(mut self, pages: u32) -> Self {
        self.pages = pages;
        self
    }

    /// The core module.
    pub fn module(&self) -> Vec<u8> {
        let imports: String = self.imports.iter().map(|(_, import)| import.as_str()).collect();
        let mut functions = String::new();
        for (name, parameters) in EXPORTS {
            let default = match name {
                "schema" => format!(
                    "(i32.store (i32.const {AREA}) (i32.const {SCHEMA})) (i32.store offset=4 (i32.const {AREA}) (i32.const {})) (i32.const {AREA})",
                    self.schema.len()
                ),
                "configure" => format!(
                    "(i32.store8 (i32.const {AREA}) (i32.const 1)) (i32.store offset=4 (i32.const {AREA}) (call $new (i32.const 7))) (i32.store offset=8 (i32.const {AREA}) (i32.const 0)) (i32.store offset=12 (i32.const {AREA}) (i32.const 0)) (i32.const {AREA})"
                ),
                _ => format!("(i32.const {ZEROS})"),
            };
            let body = self.bodies.get(name).unwrap_or(&default);
            functions += &format!("(func (export \"pravo:provider/provider@0.1.0#{name}\") (param {parameters}) (result i32) {body})\n");
        }
        let text = format!(
            r#"(module
            (import "[export]pravo:provider/provider@0.1.0" "[resource-new]configured" (func $new (param i32) (result i32)))
            {imports}
            (memory $memory (export "memory") {pages})
            (global $heap (mut i32) (i32.const {HEAP}))
            (func $allocate (export "cabi_realloc") (param $old i32) (param $size i32) (param $align i32) (param $new i32) (result i32)
                (local $at i32)
                (local.set $at (i32.and (i32.add (global.get $heap) (i32.sub (local.get $align) (i32.const 1))) (i32.sub (i32.const 0) (local.get $align))))
                (global.set $heap (i32.add (local.get $at) (local.get $new)))
                (if (i32.gt_u (global.get $heap) (i32.mul (memory.size) (i32.const 65536)))
                    (then (drop (memory.grow (i32.add (i32.const 1) (i32.div_u (local.get $new) (i32.const 65536)))))))
                (local.get $at))
            (data (i32.const {SCHEMA}) "{schema}")
            {declarations}
            {functions}
            (@custom "pravo:manifest" "{manifest}"))"#,
            pages = self.pages,
            schema = escaped(&self.schema),
            declarations = self.declarations,
            manifest = escaped(self.manifest.as_bytes()),
        );
        wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// The component.
    pub fn component(&self) -> Vec<u8> {
        let mut module = self.module();
        let mut resolve = Resolve::new();
        let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../wit/provider/v0_1");
        resolve.push_path(wit).unwrap();
        let interfaces: std::collections::BTreeSet<_> = self.imports.iter().map(|(interface, _)| interface.as_str()).collect();
        let imports: String =
            interfaces.iter().filter(|interface| !interface.starts_with("pravo:")).map(|interface| format!("import {interface};\n")).collect();
        let world = format!("package test:guest;\n{WASI}\n{}\nworld guest {{ include pravo:provider/provider-world@0.1.0;\n{imports} }}", self.world);
        let package = resolve.push_str("guest.wit", &world).unwrap();
        let world = resolve.select_world(&[package], Some("guest")).unwrap();
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
        let encoder = ComponentEncoder::default().module(&module).unwrap_or_else(|error| panic!("{error:?}"));
        encoder.validate(false).encode().unwrap_or_else(|error| panic!("{error:?}"))
    }
}

fn escaped(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}

/// Stores an outcome with these bytes as its value, and leaves its address.
pub fn answer(address: u32, length: u32) -> String {
    format!(
        "(i32.store (i32.const {AREA}) (i32.const 1)) (i32.store offset=4 (i32.const {AREA}) (i32.const {address})) (i32.store offset=8 (i32.const {AREA}) (i32.const {length})) \
         (i32.store offset=12 (i32.const {AREA}) (i32.const 0)) (i32.store offset=16 (i32.const {AREA}) (i32.const 0)) (i32.const {AREA})"
    )
}
