//! Sources of the forms that people write, mutated: nothing panics, everything ends.

use super::*;
use crate::syntax::{Format, format_file};

/// Seeds: each shows some forms of the language.
const SEEDS: &[&str] = &[
    "a: b: c: 1\nd: a.b.c + 2\ne: \"\\(d) and \\(a.b.c)\"\nf?: int\ng!: string\n",
    "#D: {x: int, y?: string, ...}\nv: #D & {x: 1}\nw: close({a: 1}) & {a: int}\n[=~\"^z\"]: int\nz1: 3\n",
    "l: [1, 2, ...int]\nm: [for i, x in l if x > 1 {x * i}]\nn: {for k, v in a {\"\\(k)x\": v}}\na: {p: 1, q: 2}\n",
    "d: *1 | 2 | string\ne: d & >1\nf: {k: \"a\", v: int} | {k: \"b\", w: string}\ng: f & {k: \"b\"}\n",
    "let X = {y: 1}\nx: X.y\nif x == 1 {z: 2}\nif missing != _|_ {t: 1}\nmissing?: int\nu: len([1, 2]) | *null\n",
    "t: {l?: t, v: int}\nx: t & {v: 1, l: v: 2}\nr: {n: int, out: n + 1}\ns: (r & {n: 4}).out\nc: a & b\na: c\nb: {q: 1}\n",
    "i: >=0 & <10 & !=5\nj: i & 3\nk: 'bytes' + 'x'\nm: -1.5e3 / 2\nn: 7 % 3\no: !true || false && 1 < 2\np: \"a\" =~ \"[a-z]+\"\n",
];

/// What is put in.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ":",
    "&",
    "|",
    "*",
    "...",
    "?",
    "!",
    "=",
    "==",
    "!=",
    "_|_",
    "_",
    "#D",
    "a",
    "x",
    "a.b",
    "1",
    "0x7",
    "1e9",
    "\"\"",
    "\"\\(a)\"",
    "'b'",
    "for k, v in a ",
    "if x ",
    "let L = ",
    "\n",
    ",",
    " int ",
    " string ",
    ">",
    "<=",
    "=~",
    "close(",
    "len(",
    "or(",
    "and(",
    "@a(b)",
    "// c\n",
    "true",
    "null",
    "-",
    "+",
    "/",
    "a?: ",
    "[string]: ",
    "(a): ",
];

/// Changes a text at places that numbers say: pieces go in, parts go out, parts are said twice.
fn mutated(text: &str, changes: &[(usize, usize, u8)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (at, what, kind) in changes {
        let at = at % (bytes.len() + 1);
        let end = (at + what % 12).min(bytes.len());
        match kind % 4 {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let part = bytes.get(at..end).unwrap_or(&[]).to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                let piece = PIECES.get(what % PIECES.len()).copied().unwrap_or("");
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Parses, formats and evaluates whatever a text is.
fn run(text: &str) {
    let mut sources = SourceMap::new();
    let file = sources.add("f.cue", text);
    let parsed = parse_file(&sources, file, &Options::default());
    format_file(&parsed.file, text, Format { simplify: true });
    let program = build("", &[parsed.file], &mut Texts(Vec::new()), &mut sources);
    let limits = Limits { steps: 20_000, nodes: 10_000, branches: 500, bytes: 16 << 20, depth: 200 };
    let mut session = Session::new(Arc::new(program), limits);
    let root = session.root();
    session.want(root, Want::Final);
    if session.run().is_ok()
        && let Ok(tree) = crate::export::tree_of(&mut session, root, &sources)
    {
        crate::export::cue::evaluated(&tree, crate::export::cue::Options { all: true }, &[]);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(1500))]

    #[test]
    fn nothing_like_a_program_makes_the_evaluator_panic(
        seed in 0..SEEDS.len(),
        changes in proptest::collection::vec((proptest::prelude::any::<usize>(), proptest::prelude::any::<usize>(), proptest::prelude::any::<u8>()), 0..8),
    ) {
        run(&mutated(SEEDS.get(seed).copied().unwrap_or(""), &changes));
    }

    #[test]
    fn programs_that_are_joined_do_not_make_the_evaluator_panic(first in 0..SEEDS.len(), second in 0..SEEDS.len(), cut in proptest::prelude::any::<usize>()) {
        let (first, second) = (SEEDS.get(first).copied().unwrap_or(""), SEEDS.get(second).copied().unwrap_or(""));
        let lines: Vec<&str> = first.lines().chain(second.lines()).collect();
        let skipped = cut % (lines.len() + 1);
        let kept: Vec<&str> = lines.into_iter().enumerate().filter(|(at, _)| *at != skipped).map(|(_, line)| line).collect();
        run(&kept.join("\n"));
    }
}
