//! What the formatter writes can be read, and formatting it again changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pravo_cue::syntax::{Format, Options, format_file, parse_file};
use pravo_diag::SourceMap;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let file = sources.add("f.cue", text);
    let parsed = parse_file(&sources, file, &Options::default());
    if !parsed.diagnostics.is_empty() {
        return;
    }
    let once = format_file(&parsed.file, text, Format::default());
    let file = sources.add("g.cue", once.as_str());
    let parsed = parse_file(&sources, file, &Options::default());
    assert!(parsed.diagnostics.is_empty(), "does not parse: {once}");
    assert_eq!(format_file(&parsed.file, &once, Format::default()), once);
});
