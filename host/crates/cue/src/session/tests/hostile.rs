//! Programs that would never end, or never fit: each ends with the limit that it exceeds, or with an ordinary error.

use std::fmt::Write as _;

use super::*;
use crate::packages;
use crate::program::{LoadedPackage, Loader};

struct Standard;

impl Loader for Standard {
    fn package(&mut self, path: &str, _: &mut SourceMap) -> Result<LoadedPackage, Box<Diagnostic>> {
        let package = packages::package(path).map(LoadedPackage::Standard);
        package.ok_or_else(|| Box::new(Diagnostic::error("cue.import", format!("no package {path}"))))
    }
}

/// Evaluates a program with limits that are soon reached: what was exceeded, or the errors.
fn outcome(text: &str) -> Result<Vec<String>, &'static str> {
    let mut sources = SourceMap::new();
    let file = sources.add("f.cue", text);
    let parsed = parse_file(&sources, file, &Options::default());
    if !parsed.diagnostics.is_empty() {
        return Ok(parsed.diagnostics.into_iter().map(|diagnostic| diagnostic.summary).collect());
    }
    let program = build("", &[parsed.file], &mut Standard, &mut sources);
    let refused: Vec<String> = program.diagnostics.iter().map(|diagnostic| diagnostic.summary.clone()).collect();
    let limits = Limits { steps: 300_000, nodes: 100_000, branches: 2_000, bytes: 64 << 20, depth: 500 };
    let mut session = Session::new(Arc::new(program), limits);
    let root = session.root();
    session.want(root, Want::Final);
    if let Err(exceeded) = session.run() {
        assert!(exceeded.path.chars().count() <= 200, "the place is readable: {}", exceeded.path);
        assert!(exceeded.stats.steps > 0);
        return Err(exceeded.what);
    }
    let errors = session.errors(root);
    Ok(refused.into_iter().chain(errors.iter().filter_map(|(node, _)| session.error(*node)).map(|error| error.summary)).collect())
}

#[track_caller]
fn exceeds(text: &str, what: &str) {
    assert_eq!(outcome(text), Err(what));
}

#[track_caller]
fn fails(text: &str, part: &str) {
    let found = outcome(text);
    assert!(found.as_ref().is_ok_and(|errors| errors.iter().any(|error| error.contains(part))), "{found:?}");
}

/// A chain of definitions in which each one mentions the one before twice.
fn doubling(first: &str, next: impl Fn(usize) -> String, count: usize) -> String {
    let mut out = format!("x0: {first}\n");
    for index in 0..count {
        let _ = writeln!(out, "x{}: {}", index + 1, next(index));
    }
    out
}

#[test]
fn brackets_without_end_are_refused() {
    for (open, close) in [("[", "]"), ("{a: ", "}"), ("(", ")"), ("len(", ")"), ("\"\\(", ")\""), ("-", ""), ("!", ""), ("1+", "")] {
        let text = format!("x: {}1{}", open.repeat(100_000), close.repeat(100_000));
        let found = outcome(&text);
        assert!(!matches!(&found, Ok(errors) if errors.is_empty()) || open == "1+", "{open}: {found:?}");
    }
}

#[test]
fn depth_is_a_limit_and_no_cycle() {
    let nested = |levels: usize| format!("x: {}1", "a: ".repeat(levels));
    assert_eq!(outcome(&nested(450)), Ok(Vec::new()));
    // Each names the one before, 40 levels at a time.
    let chained = doubling("1", |n| format!("{}x{n}", "a: ".repeat(40)), 20);
    exceeds(&chained, "levels");
}

#[test]
fn copies_of_copies_are_counted() {
    for text in
        [doubling("{a: 1}", |n| format!("{{l: x{n}, r: x{n}}}"), 40), doubling("[1, 2]", |n| format!("[for a in x{n} for b in [1, 2] {{a}}]"), 40)]
    {
        let found = outcome(&text);
        assert!(matches!(found, Err("nodes" | "bytes" | "steps")), "{found:?}");
    }
}

#[test]
fn texts_of_texts_are_counted() {
    exceeds(&doubling("\"aaaaaaaa\"", |n| format!("\"\\(x{n})\\(x{n})\""), 60), "bytes");
    exceeds(&doubling("\"aaaaaaaa\"", |n| format!("x{n} + x{n}"), 60), "bytes");
}

#[test]
fn repetition_is_refused_before_it_is_made() {
    fails("x: \"abc\" * 10000000000", "exceeds limit");
    fails("import \"strings\"\nx: strings.Repeat(\"abc\", 10000000000)", "exceeds limit");
    fails("import \"list\"\nx: list.Repeat([1, 2], 10000000000)", "exceeds limit");
    exceeds("import \"list\"\nx: list.Range(0, 1e15, 1)", "bytes of one value");
    exceeds("import \"list\"\nx: list.Range(0, 10, 1e-15)", "bytes of one value");
}

#[test]
fn numbers_without_end_are_refused() {
    exceeds(&doubling("12345678901234567890", |n| format!("x{n} * x{n}"), 60), "bits of an integer");
    exceeds("import \"math/bits\"\nx: bits.Lsh(1, 10000000000)", "bytes of one value");
    exceeds("import \"math\"\nx: math.Floor(1e1000000000)", "bytes of one value");
    exceeds("import \"math\"\nx: math.MultipleOf(1e1000000000, 3)", "bytes of one value");
    fails(&format!("x: {}", "9".repeat(1_000_000)), "digits");
    fails("x: 1e99999999999999999999", "exponent");
    assert_eq!(outcome(&doubling("1e1000000000", |n| format!("x{n} * x{n}"), 60)), Ok(Vec::new()));
    assert_eq!(outcome(&doubling("1e-1000000000", |n| format!("x{n} * x{n}"), 60)), Ok(Vec::new()));
    assert_eq!(outcome("x: 1e1000000000 + 1\ny: 1e1000000000 > 1.5\nz: 1e1000000000 == 1.0e1000000000"), Ok(Vec::new()));
}

#[test]
fn disjunctions_that_multiply_are_counted() {
    let independent: String = (0..40).map(|n| format!("x: {{a{n}: 1}} | {{b{n}: 1}}\n")).collect();
    let found = outcome(&independent);
    assert!(matches!(found, Err("branches of disjunctions" | "steps")), "{found:?}");
    let nested: String = (0..30).map(|n| format!("x: {{a: {{c{n}: 1}} | {{b{n}: 1}}}} | {{d{n}: 2}}\n")).collect();
    let found = outcome(&nested);
    assert!(matches!(found, Err("branches of disjunctions" | "steps" | "nodes")), "{found:?}");
}

#[test]
fn comprehensions_that_multiply_are_counted() {
    exceeds(&format!("l: [1, 2]\nx: {{{}{{a: 1}}}}", "for a in l ".repeat(40)), "steps");
}

#[test]
fn functions_that_call_themselves_for_ever_are_cycles() {
    fails("f: {n: int, out: (f & {n: n + 1}).out}\nx: (f & {n: 1}).out", "structural cycle");
    fails("f: {n: int, let m = n, out: (f & {n: m + 1}).out + (f & {n: m + 2}).out}\nx: (f & {n: 1}).out", "structural cycle");
    fails("f: {n: int, let m = n, c: f & {n: m + 1}}\nx: f & {n: 1}", "structural cycle");
    fails("f: {n: int, let m = n, l: [if m >= 0 {f & {n: m + 1}}]}\nx: f & {n: 1}", "structural cycle");
}

#[test]
fn functions_that_end_are_no_cycles() {
    let fibonacci = "f: {n: int, let m = n, if n <= 1 {out: n}, if n > 1 {out: (f & {n: m - 1}).out + (f & {n: m - 2}).out}}";
    let found = outcome(&format!("{fibonacci}\nx: (f & {{n: 2}}).out\nx: 1"));
    assert_eq!(found, Ok(vec!["f: incomplete value int".to_owned()]));
}

#[test]
fn structures_that_feed_themselves_are_cycles() {
    fails("a: b: a", "structural cycle");
    fails("a: [a]", "structural cycle");
    fails("a: b: c\nc: a", "structural cycle");
    fails("a: b?: a\na: b: _", "structural cycle");
    assert_eq!(outcome("a: b?: a\nx: a & {b: b: b: {}}"), Ok(Vec::new()));
    assert_eq!(outcome("a: null | {b: a}"), Ok(Vec::new()));
}

#[test]
fn regular_expressions_end() {
    let text = format!(
        "import \"regexp\"\nx: \"{a}\" =~ \"^(a+)+$\"\ny: regexp.FindAll(\"(a|aa)*b\", \"{a}\", -1)\nz: \"a\" =~ \"((((a{{100}}){{100}}){{100}}){{100}})\"",
        a = "a".repeat(3000)
    );
    assert!(outcome(&text).is_ok());
}
