//! Tests of lexer and parser.

use pravo_diag::SourceMap;

use super::*;

fn parse(text: &str) -> Parsed {
    let mut sources = SourceMap::new();
    let file = sources.add("test.cue", text);
    parse_file(&sources, file, &Options::default())
}

/// The errors of a text: line, column and message.
fn errors(text: &str) -> Vec<String> {
    let mut sources = SourceMap::new();
    let file = sources.add("test.cue", text);
    let parsed = parse_file(&sources, file, &Options::default());
    let show = |diagnostic: &pravo_diag::Diagnostic| {
        let place = diagnostic.labels.first().and_then(|label| sources.locate(label.span));
        let place = place.map_or_else(String::new, |(_, at)| format!("{}:{}: ", at.line, at.column));
        format!("{place}{}", diagnostic.summary)
    };
    parsed.diagnostics.iter().map(show).collect()
}

#[test]
fn accepted() {
    for text in [
        "",
        "package foo",
        "package foo\nimport \"strings\"\nimport (\n\tx \"a.b/c:d\"\n)\na: 1",
        "@if(prod)\n\npackage foo\na: 1 @tag(x, type=int) @other()",
        "a: b: c: 1, d?: e!: 2",
        "\"a b\": 1\n\"\\(x)\": 2\n(x): 3\n[string]: 4\n[X=string]: X\nY=z: 1\nY=\"z\": 1\nY=[string]: 1",
        "a: X={b: X}\na: [Y=1, Y]",
        "if: 1, for: 2, in: 3, let: 4, else: 5, true: 6, null: 7, func: 8, try: 9, fallback: 10",
        "if a if b {c: 1}\nfor k, v in x let y = v if y > 1 {(k): y}\nlet q = 3",
        "x: [for i in a {i}, if b {2}, ...int]",
        "x: [1\n2\n3]",
        "x: [...]\ny: [1, 2, ...]\nz: [...string, ]",
        "a: <5 & >=3 & !=4 | *\"x\" | =~\"a\" | !~\"b\"\nb: -1 + 2*3/4 - +5\nc: !true || false && 1==2",
        "a: b.c.\"d e\".if[0][1:2][:2][1:].f(1, 2, )",
        "a: b(\n\t1,\n\t2,\n)",
        "a: \"x\\(a + \"y\\(b)\")z\"\nb: '\\(c)\\x00'\nc: #\"a\\#(b)\\(c)\"#",
        "a: \"\"\"\n\tx \\(y)\n\tz\n\t\"\"\"",
        "a: _|_\nb: _\n_c: 1\n#D: {...}\n_#E: 1\n$f: 2",
        "{a: 1}\n[1, 2]\n1 & int\nfoo.bar",
        "a: 1 // comment\n// doc\nb: {\n// only\n}\n// end",
        "a: 1,\nb: 2\n,c: 3",
        "\"json\"\n: 1",
        "a: 0x1F + 0b11 + 0o17 + 1_000 + 1.5e-3 + .5 + 4Ki + 1.5M + 0K",
        "@experiment(try,aliasv2,explicitopen)\na~X: 1\nb~(K,V): X\nc: d...\nif e {f: 1} else {f: 2}\nfor i in g {h: i} otherwise {h: 0}\ntry {i: j?}\ntry k = l.m? {n: k}",
        "a: b: {} @x(1)\n@y(2)",
        "\u{feff}a: 1",
        "a: {\r\n\tb: 1\r\n}\r\n",
    ] {
        assert_eq!(errors(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn refused() {
    for (text, expected) in [
        ("a: {", "1:5: expected '}', found end of file"),
        ("a: 1 2", "1:6: missing ',' in struct literal"),
        ("a: [1 2]", "1:7: missing ',' in list literal"),
        ("a: f(1 2)", "1:8: missing ',' in the arguments of a call"),
        ("a: ", "1:4: expected a value, found end of file"),
        ("}", "1:1: expected a declaration or the end of the file, found '}'"),
        ("a: \"x", "1:4: this string is not terminated"),
        ("a: \"\\q\"", "1:5: unknown escape sequence; write \\\\ for a backslash"),
        ("a: 012", "1:4: an integer cannot start with 0; octal numbers start with 0o"),
        ("a: 1__0", "1:6: only one '_' may stand between two digits of a number"),
        ("a: \"\"\"x\"\"\"", "1:4: a multi-line string must begin on the line behind its quotation marks"),
        ("a~X: 1", "1:2: '~' behind a label needs an experiment"),
        ("a: b...", "1:5: '...' behind a value needs an experiment"),
        ("if a {b: 1} else {b: 2}", "1:13: 'else' needs an experiment"),
        ("@experiment(aliasv2)\nX=a: 1", "2:2: 'X=' aliases are not allowed with @experiment(aliasv2)"),
        ("@experiment(nonsense)\na: 1", "1:1: unknown experiment \"nonsense\""),
        ("__a: 1", "1:1: __a: identifiers that start with '__' are reserved"),
        ("[a, b]: 1", "1:1: the brackets of a pattern need exactly one expression"),
        ("a: @x(", "1:4: ')' is missing in this attribute"),
        ("a: \\", "1:4: illegal character '\\\\'"),
        ("a: 1 ; b: 2", "1:6: missing ',' in struct literal"),
        ("import \"a b\"", "1:8: invalid import path \"a b\""),
        ("X=5", "1:4: expected a label or ':', found a line break"),
        (
            "a: \"\"\"\n\t\tx\n\ty\n\t\t\"\"\"",
            "1:4: a line of this multi-line string does not start with the white space in front of the closing quotation marks",
        ),
        ("a: 1\0", "1:5: a NUL character is not allowed in CUE"),
    ] {
        let found = errors(text);
        assert_eq!(found.first().map(String::as_str), Some(expected), "{text}: {found:?}");
    }
}

#[test]
fn several_errors_are_reported() {
    let found = errors("a: 1 2\nb: )\nc: 3\nd: [1\ne: 4\n");
    assert!(found.len() >= 3, "{found:?}");
    let parsed = parse("a: 1 2\nb: )\nc: 3\n");
    assert!(parsed.file.declarations.len() >= 2);
}

#[test]
fn deep_nesting_is_an_error_not_a_crash() {
    for (open, close) in [("{a: ", "}"), ("[", "]"), ("(", ")"), ("-", ""), ("a: ", ""), ("\"\\(", ")\""), ("f(", ")"), ("{", "}")] {
        let text = format!("x: {}1{}", open.repeat(20_000), close.repeat(20_000));
        let found = errors(&text);
        assert!(found.iter().any(|error| error.contains("nested deeper")), "{open}: {found:?}");
    }
    for link in [".a", "[0]", "()", " + 1", " & {}"] {
        let text = format!("x: y{}", link.repeat(100_000));
        let found = errors(&text);
        assert!(found.iter().any(|error| error.contains("follow each other")), "{link}: {found:?}");
    }
}

#[test]
fn nesting_within_the_limits_is_fine_on_a_small_stack() {
    let run = || {
        for (open, close, count) in [("{a: ", "}", 200), ("[", "]", 400), ("(", ")", 400), ("{if x ", "}", 150)] {
            let text = format!("x: {{a: {}{{}}{}}}", open.repeat(count), close.repeat(count));
            assert_eq!(errors(&text), Vec::<String>::new(), "{open}");
        }
        for link in [".a", "[0]", "()", " + 1", " | 2"] {
            let text = format!("x: y{}", link.repeat(3_900));
            let parsed = parse(&text);
            assert!(parsed.diagnostics.is_empty());
            assert_eq!(parsed.file.clone(), parsed.file);
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread");
    thread.join().expect("no overflow");
}

#[test]
fn comments_are_kept_on_their_nodes() {
    let parsed = parse("// doc of a\na: 1 // behind a\n\n// doc of b\nb: 2\n");
    let docs: Vec<String> = parsed
        .file
        .body()
        .filter_map(|declaration| match declaration {
            ast::Declaration::Field(field) => Some(field.comments.doc().map(ast::CommentGroup::text).collect()),
            _ => None,
        })
        .collect();
    assert_eq!(docs, ["doc of a\n", "doc of b\n"]);
}

/// Pieces of which texts are put together that come close to CUE.
const PIECES: &[&str] = &[
    "a",
    "b: ",
    "#D",
    "_h",
    "1",
    "2.5",
    "0x",
    "4Ki",
    "\"s\"",
    "'b'",
    "\"\\(",
    ")\"",
    "\"\"\"\n",
    "\n\"\"\"",
    "#\"",
    "\"#",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    "\n",
    ":",
    "?",
    "!",
    "...",
    "&",
    "|",
    "*",
    "+",
    "-",
    "/",
    "<",
    ">=",
    "=~",
    "==",
    "=",
    "~",
    ".",
    "if ",
    "for ",
    " in ",
    "let ",
    "try ",
    "else ",
    "@x(",
    "@",
    "// c\n",
    "_|_",
    "_",
    " ",
    "\t",
    "package p\n",
    "import \"x\"\n",
    "é",
    "\u{0}",
    "\\",
    ";",
];

proptest::proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in ".{0,200}") {
        let parsed = parse(&text);
        format_file(&parsed.file, &text, Format { simplify: true });
    }

    #[test]
    fn nothing_like_cue_makes_the_parser_panic(pieces in proptest::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = pieces.iter().map(|at| PIECES[*at]).collect();
        let parsed = parse(&text);
        let formatted = format_file(&parsed.file, &text, Format::default());
        if parsed.diagnostics.is_empty() {
            let again = parse(&formatted);
            proptest::prop_assert!(again.diagnostics.is_empty(), "{text:?} -> {formatted:?}: {:?}", again.diagnostics);
        }
    }

    #[test]
    fn a_quoted_text_is_read_back(text in "[\\x00-\\x7fäß\u{2028}\"'#\n]{0,40}", tabs in 0_usize..4) {
        for form in [literal::Form::STRING, literal::Form::STRING.with_indent(tabs)] {
            let quoted = form.quote(&text);
            proptest::prop_assert_eq!(literal::plain_string(&quoted), Some(text.clone()), "{}", quoted);
        }
        for form in [literal::Form::BYTES, literal::Form::BYTES.with_indent(tabs)] {
            let quoted = form.quote(&text);
            proptest::prop_assert_eq!(literal::string(&quoted), Ok(literal::Text::Bytes(text.clone().into_bytes())), "{}", quoted);
        }
    }
}
