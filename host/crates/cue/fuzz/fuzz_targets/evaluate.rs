//! Every program ends, with a value, an error or a limit.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use pravo_cue::program::{LoadedPackage, Loader, build};
use pravo_cue::session::{Limits, Session, Want};
use pravo_cue::syntax::{Options, parse_file};
use pravo_diag::{Diagnostic, SourceMap};

struct Standard;

impl Loader for Standard {
    fn package(&mut self, path: &str, _: &mut SourceMap) -> Result<LoadedPackage, Box<Diagnostic>> {
        let package = pravo_cue::packages::package(path).map(LoadedPackage::Standard);
        package.ok_or_else(|| Box::new(Diagnostic::error("cue.import", format!("no package {path}"))))
    }
}

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let file = sources.add("f.cue", text);
    let parsed = parse_file(&sources, file, &Options::default());
    let program = build("", &[parsed.file], &mut Standard, &mut sources);
    let limits = Limits { steps: 100_000, nodes: 50_000, branches: 2_000, bytes: 64 << 20, depth: 500 };
    let mut session = Session::new(Arc::new(program), limits);
    let root = session.root();
    session.want(root, Want::Final);
    if session.run().is_ok() {
        let _ = pravo_cue::export::tree_of(&mut session, root, &sources);
    }
});
