//! The CUE language: parser, formatter, evaluator, standard packages, data files and export.
//!
//! Nothing here reads files, writes them, or prints: sources come as texts in a [`pravo_diag::SourceMap`], packages come
//! from a [`program::Loader`], and what goes wrong is a [`pravo_diag::Diagnostic`].
//!
//! | step | from | to | by |
//! |---|---|---|---|
//! | parse | text | [`syntax::ast::File`] | [`syntax::parse_file`] |
//! | format | file | text | [`syntax::format_file`] |
//! | load | files, packages by import path | [`program::Program`] | [`program::build`] |
//! | evaluate | program | [`session::Session`] | [`session::Session::want`], [`session::Session::run`] |
//! | look up | session, label | [`Node`] | [`session::Session::field`], [`session::Session::shape`] |
//! | export | node | [`export::tree::Tree`], then JSON, YAML, CUE | [`export::tree_of`] and the modules of [`export`] |
//!
//! A program is immutable and may be shared; a session is one evaluation of it, and its [`session::Limits`] bound what it
//! may cost, whatever the program says.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//!
//! use pravo_cue::export::{self, json, values};
//! use pravo_cue::program::{LoadedPackage, Loader, build};
//! use pravo_cue::session::{Limits, Session, Want};
//! use pravo_cue::syntax::{Format, Options, format_file, parse_file};
//! use pravo_cue::{Value, packages};
//! use pravo_diag::{Diagnostic, SourceMap, Style};
//!
//! /// Knows the standard packages only.
//! struct Standard;
//!
//! impl Loader for Standard {
//!     fn package(&mut self, path: &str, _: &mut SourceMap) -> Result<LoadedPackage, Box<Diagnostic>> {
//!         match packages::package(path) {
//!             Some(package) => Ok(LoadedPackage::Standard(package)),
//!             None => Err(Box::new(Diagnostic::error("cue.import", format!("there is no package \"{path}\"")))),
//!         }
//!     }
//! }
//!
//! // Parse.
//! let text = "import \"strings\"\n\n#Pet: {name: string, shout: strings.ToUpper(name)}\npet: #Pet & {name:   \"pia\"}\n";
//! let mut sources = SourceMap::new();
//! let id = sources.add("pets.cue", text);
//! let parsed = parse_file(&sources, id, &Options::default());
//! assert!(parsed.diagnostics.is_empty());
//!
//! // Format.
//! let layout = format_file(&parsed.file, text, Format::default());
//! assert!(layout.contains("pet: #Pet & {name: \"pia\"}"));
//!
//! // Load and evaluate.
//! let program = build("", &[parsed.file], &mut Standard, &mut sources);
//! assert!(program.diagnostics.is_empty());
//! let mut session = Session::new(Arc::new(program), Limits::default());
//! let root = session.root();
//! session.want(root, Want::Final);
//! session.run()?;
//!
//! // Look up.
//! let label = session.regular_label("pet");
//! let pet = session.field(root, label).ok_or("no pet")?;
//! let label = session.regular_label("shout");
//! let shout = session.field(pet, label).ok_or("no shout")?;
//! assert_eq!(session.scalar(shout), Some(Value::String("PIA".into())));
//!
//! // Export.
//! let tree = export::tree_of(&mut session, pet, &sources)?;
//! let value = values::concrete(&tree).map_err(|_| "not concrete")?;
//! assert_eq!(json::compact(&value).map_err(|_| "no JSON")?, r#"{"name":"pia","shout":"PIA"}"#);
//!
//! // Diagnose.
//! let id = sources.add("wrong.cue", "port: <1024\nport: 8080\n");
//! let parsed = parse_file(&sources, id, &Options::default());
//! let program = build("", &[parsed.file], &mut Standard, &mut sources);
//! let mut session = Session::new(Arc::new(program), Limits::default());
//! let root = session.root();
//! session.want(root, Want::Final);
//! session.run()?;
//! let (node, _) = *session.errors(root).first().ok_or("no error")?;
//! let diagnostic = session.error(node).ok_or("no diagnostic")?;
//! let shown = pravo_diag::render(&diagnostic, &sources, Style::default());
//! assert!(shown.contains("wrong.cue:2:7"), "{shown}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
pub mod builtin;
pub mod data;
pub mod export;
mod intern;
mod kinds;
mod map;
mod number;
pub mod packages;
pub mod program;
pub mod session;
pub mod syntax;
mod value;

pub use intern::{Label, LabelKind, Text, is_identifier};
pub use kinds::Kinds;
pub(crate) use map::{Map, Set};
pub use number::{IntegerDivision, Number};
pub use value::Value;

/// A node of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u32);

/// A question of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ask(pub u32);
