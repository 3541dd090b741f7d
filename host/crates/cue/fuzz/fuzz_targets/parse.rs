//! No bytes make the parser panic, and its errors stand within the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pravo_cue::syntax::{Options, parse_file};
use pravo_diag::SourceMap;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let file = sources.add("f.cue", text);
    parse_file(&sources, file, &Options::default());
});
