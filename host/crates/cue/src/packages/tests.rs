//! Functions of the standard packages: calls and what they give.

use crate::builtin::{Demand, Failure, Host, Openness};
use crate::{Node, Value, packages};

struct NoHost;

impl Host for NoHost {
    fn accepts(&mut self, _: Node, _: &Value, _: Demand) -> Result<(), Failure> {
        Err(Failure::eval("no constraint"))
    }

    fn less(&mut self, _: Node, x: &Value, y: &Value) -> Result<bool, Failure> {
        match (x, y) {
            (Value::Number(x), Value::Number(y)) => Ok(x.compare(y) == Some(std::cmp::Ordering::Less)),
            _ => Err(Failure::eval("not numbers")),
        }
    }

    fn openness(&mut self, _: usize) -> Openness {
        Openness::default()
    }

    fn validates(&self) -> bool {
        true
    }

    fn alike(&mut self, a: Node, b: Node) -> bool {
        a == b
    }

    fn null_by_default(&mut self) -> Value {
        Value::Null
    }

    fn budget(&self) -> usize {
        1 << 20
    }
}

fn from_json(text: &str) -> Value {
    super::json::unmarshal(text).expect("a JSON text")
}

/// Calls a function with arguments given as JSON; the result as JSON, bytes as a string.
fn call(path: &str, name: &str, arguments: &str) -> String {
    let package = packages::package(path).expect("a package");
    let function = package.functions.iter().find(|function| function.name == name).expect("a function");
    let arguments = match from_json(arguments) {
        Value::List(mut arguments) => {
            for (argument, parameter) in arguments.iter_mut().zip(function.parameters) {
                if parameter.constraint {
                    *argument = Value::Handle(Node(0));
                }
            }
            arguments
        }
        _ => panic!("arguments are a list"),
    };
    match (function.code)(&arguments, &mut NoHost) {
        Ok(Value::Bytes(bytes)) => format!("bytes {}", String::from_utf8_lossy(&bytes)),
        Ok(Value::Number(number)) => number.to_string(),
        Ok(value) => crate::export::json::compact(&value).expect("a concrete value"),
        Err(Failure::Eval(_)) => "error".to_owned(),
        Err(Failure::Incomplete(_)) => "incomplete".to_owned(),
        Err(Failure::Limit(_)) => "limit".to_owned(),
    }
}

#[test]
fn calls() {
    for (path, name, arguments, expected) in [
        ("strings", "ToTitle", r#"["hello world"]"#, r#""Hello World""#),
        ("strings", "SplitN", r#"["a,b,c", ",", 2]"#, r#"["a","b,c"]"#),
        ("strings", "SplitAfter", r#"["a,b", ","]"#, r#"["a,","b"]"#),
        ("strings", "Split", r#"["aé", ""]"#, r#"["a","é"]"#),
        ("strings", "Repeat", r#"["a", -1]"#, "error"),
        ("strings", "Repeat", r#"["aaaaaaaaaaaaaaaaaaaa", 1000000]"#, "limit"),
        ("strings", "SliceRunes", r#"["héllo", 1, 3]"#, r#""él""#),
        ("strings", "Replace", r#"["aaa", "a", "b", 2]"#, r#""bba""#),
        ("strings", "Replace", r#"["aaa", "a", "b", -1]"#, r#""bbb""#),
        ("strings", "Count", r#"["cheese", "e"]"#, "3"),
        ("strings", "Index", r#"["abc", "x"]"#, "-1"),
        ("strings", "MinRunes", r#"["abc", 3]"#, "true"),
        ("list", "FlattenN", "[[1, [2, [3]]], 1]", "[1,2,[3]]"),
        ("list", "FlattenN", "[[1, [2, [3]]], -1]", "[1,2,3]"),
        ("list", "Range", "[0, 3, 1]", "[0,1,2]"),
        ("list", "Range", "[0, 3, 0]", "error"),
        ("list", "Range", "[0, 1000000000000, 1]", "limit"),
        ("list", "Avg", "[[1, 2]]", "1.5"),
        ("list", "Max", "[[]]", "error"),
        ("list", "Sum", "[[1.5, 0.5]]", "2"),
        ("list", "Range", "[0, 2, 0.5]", "[0,0.5,1,1.5]"),
        ("regexp", "Valid", r#"["a{1001}"]"#, "error"),
        ("crypto/ed25519", "Valid", r#"["short", "", ""]"#, "error"),
        ("encoding/csv", "Decode", r#"["a,b\n\"c\"\"\",d\n"]"#, r#"[["a","b"],["c\"","d"]]"#),
        ("encoding/csv", "Decode", r#"["a,b\nc"]"#, "error"),
        ("encoding/csv", "Encode", r#"[[["a", 1, [2]], [" x", "y\"z", ""]]]"#, r#""a,1,[2]\n\" x\",\"y\"\"z\",\n""#),
        ("encoding/json", "Unmarshal", r#"["[1, 2"]"#, "error"),
        ("encoding/json", "UnmarshalStream", r#"["1 {} \"a\""]"#, r#"[1,{},"a"]"#),
        ("encoding/json", "Valid", r#"["01"]"#, "false"),
        ("encoding/toml", "Marshal", r#"[{"b": {"c": [1, {"x": "it's"}]}, "a": 1.0}]"#, r#""a = 1.0\n\n[b]\nc = [1, {x = \"it's\"}]\n""#),
        ("encoding/toml", "Marshal", r#"[{"t": [{"a": 1}, {"b": {}}]}]"#, r#""[[t]]\na = 1\n\n[[t]]\n[t.b]\n""#),
        ("encoding/toml", "Unmarshal", r#"["a.b = 1"]"#, r#"{"a":{"b":1}}"#),
        ("encoding/yaml", "Marshal", r#"[{"a": ["yes", 1]}]"#, r#""a:\n  - \"yes\"\n  - 1\n""#),
        ("encoding/yaml", "MarshalStream", r#"[[1, 2]]"#, r#""1\n---\n2\n""#),
        ("encoding/yaml", "Unmarshal", r#"["a: 1\n---\nb: 2"]"#, "error"),
        ("encoding/yaml", "UnmarshalStream", r#"["a: 1\n---\nb: 2"]"#, r#"[{"a":1},{"b":2}]"#),
        ("html", "Escape", r#"["<a href='x'>&\"</a>"]"#, r#""&lt;a href=&#39;x&#39;&gt;&amp;&#34;&lt;/a&gt;""#),
        ("html", "Unescape", r#"["&lt;&eacute;&#x41;&amp&notit;"]"#, r#""<éA&¬it;""#),
        ("math", "Exp", "[100]", "26881171418161354484126255515800140000000000"),
        ("math", "Exp", "[1e9]", "error"),
        ("math", "Asin", "[2e400]", "error"),
        ("net", "AddIP", r#"["10.0.0.255", 1]"#, r#""10.0.1.0""#),
        ("net", "AddIP", r#"["255.255.255.255", 1]"#, "error"),
        ("net", "AddIPCIDR", r#"["10.0.0.0/24", 2]"#, r#""10.0.2.0/24""#),
        ("net", "CompareIP", r#"["::1", "10.0.0.1"]"#, "1"),
        ("net", "FQDN", r#"["a_b.example"]"#, "false"),
        ("net", "FQDN", r#"["xn--bcher-kva.example."]"#, "true"),
        ("net", "IP", r#"[[1, 2, 3, 4]]"#, "true"),
        ("net", "IP", r#"["1.2.3"]"#, "error"),
        ("net", "InCIDR", r#"["10.1.2.3", "10.0.0.0/8"]"#, "true"),
        ("net", "JoinHostPort", r#"["::1", 80]"#, r#""[::1]:80""#),
        (
            "net",
            "ParseCIDR",
            r#"["10.1.2.3/9"]"#,
            r#"{"prefix_mask":"255.128.0.0","prefix_len":9,"prefix_addr":"10.0.0.0","broadcast_addr":"10.127.255.255"}"#,
        ),
        ("net", "QueryUnescape", r#"["a+b%20c%"]"#, "error"),
        ("net", "SplitHostPort", r#"["[::1]:80"]"#, r#"["::1","80"]"#),
        ("net", "SplitHostPort", r#"["::1:80"]"#, "error"),
        ("net", "ToIP16", r#"["1.2.3.4"]"#, "[0,0,0,0,0,0,0,0,0,0,255,255,1,2,3,4]"),
        ("net", "URL", r#"["http://[::1]:x/"]"#, "error"),
        ("net", "AbsURL", r#"["a/b"]"#, "error"),
        ("path", "Base", r#"["C:\\a\\b\\", "windows"]"#, r#""b""#),
        ("path", "Clean", r#"["a/../../b/./c//"]"#, r#""../b/c""#),
        ("path", "Dir", r#"["\\\\host\\share\\x", "windows"]"#, r#""\\\\host\\share\\""#),
        ("path", "Join", r#"[["a", "", "../b"]]"#, r#""b""#),
        ("path", "Match", r#"["a*[!x]", "abc"]"#, "false"),
        ("path", "Match", r#"["*.[a-c]", "x.b"]"#, "true"),
        ("path", "Match", r#"["a[", "a"]"#, "error"),
        ("path", "Rel", r#"["/a/b", "/a/c/d"]"#, r#""../c/d""#),
        ("path", "Rel", r#"["a", "/b"]"#, "error"),
        ("path", "SplitList", r#"["a;\"b;c\"", "windows"]"#, r#"["a","b;c"]"#),
        ("path", "VolumeName", r#"["C:\\x"]"#, r#""C:""#),
        ("path", "Ext", r#"["a.b/c"]"#, r#""""#),
        ("strconv", "FormatFloat", r#"[1000000, "g", -1, 64]"#, r#""1e+06""#),
        ("strconv", "FormatFloat", r#"[1, "b", -1, 64]"#, r#""4503599627370496p-52""#),
        ("strconv", "FormatFloat", r#"[1.5, "x", -1, 64]"#, r#""0x1.8p+00""#),
        ("strconv", "ParseFloat", r#"["0x1.8p1", 64]"#, "3.0"),
        ("strconv", "ParseInt", r#"["zZ", 62, 0]"#, "2231"),
        ("text/tabwriter", "Write", r#"["a\tb\tc\naaa\tbbb\tccc\n"]"#, r#""a   b   c\naaa bbb ccc\n""#),
        ("text/tabwriter", "Write", r#"[["a\tb", "x", "ccc\td"]]"#, r#""a b\nx\nccc d\n""#),
        ("text/template", "Execute", r#"["{{range $i, $e := .l -}} {{$i}}={{$e}};{{else}}none{{end}}", {"l": ["a", "b"]}]"#, r#""0=a;1=b;""#),
        ("text/template", "Execute", r#"["{{with .x}}{{.}}{{else with .y}}y{{.z}}{{end}}", {"y": {"z": 1}}]"#, r#""y1""#),
        (
            "text/template",
            "Execute",
            r#"["{{define \"t\"}}[{{.}}]{{end}}{{template \"t\" .a}}{{.b}}", {"a": [1, null, {"k": 1.5}]}]"#,
            r#""[[1 <nil> map[k:1.5]]]<no value>""#,
        ),
        (
            "text/template",
            "Execute",
            r#"["{{printf \"%05d|%-4s|%q|%x|%6.2f|%d\" 7 \"ab\" \"c\" 255 1.5}}", 1]"#,
            r#""00007|ab  |\"c\"|ff|  1.50|%!d(MISSING)""#,
        ),
        ("text/template", "Execute", r#"["{{len . | eq 3}} {{and 1 0}} {{index . 1}} {{slice . 1 2}}", "abc"]"#, r#""true 0 98 b""#),
        ("text/template", "Execute", r#"["{{define \"t\"}}{{template \"t\"}}{{end}}{{template \"t\"}}", 1]"#, "error"),
        ("text/template", "Execute", r#"["{{range 1000000000}}{{end}}", 1]"#, "error"),
        ("text/template", "Execute", r#"["{{.a.b}}", {"a": 1}]"#, "error"),
        ("text/template", "Execute", r#"["{{nope}}", 1]"#, "error"),
        ("text/template", "Execute", r#"["{{if .}}", 1]"#, "error"),
        ("text/template", "JSEscape", r#"["'<é>\n"]"#, r#""\\'\\u003Cé\\u003E\\u000A""#),
        ("time", "FormatDuration", "[5400000000001]", r#""1h30m0.000000001s""#),
        ("time", "ParseDuration", r#"["-1.5h"]"#, "-5400000000000"),
        ("time", "ParseDuration", r#"["1"]"#, "error"),
        ("time", "FormatString", r#"["Mon _2 Jan 2006 3:04PM Z07:00 002", "2024-02-29T13:05:06+02:00"]"#, r#""Thu 29 Feb 2024 1:05PM +02:00 060""#),
        ("time", "Parse", r#"["02 Jan 06 15:04 MST", "29 Feb 24 10:00 CET"]"#, r#""2024-02-29T10:00:00Z""#),
        ("time", "Parse", r#"["2006-01-02", "2023-02-29"]"#, "error"),
        (
            "time",
            "Split",
            r#"["2024-01-02T03:04:05.5Z"]"#,
            r#"{"year":2024,"month":1,"day":2,"hour":3,"minute":4,"second":5,"nanosecond":500000000}"#,
        ),
        ("time", "ToUnix", r#"["1970-01-02T00:00:00Z"]"#, "86400"),
        ("time", "Unix", "[-1, 1]", r#""1969-12-31T23:59:59.000000001Z""#),
        ("list", "Sort", "[[3, 1, 2], 0]", "[1,2,3]"),
        ("list", "Contains", "[[1.0], 1]", "false"),
        ("list", "UniqueItems", r#"[[{"a": 1, "b": 2}, {"b": 2, "a": 1}]]"#, "false"),
        ("html", "Unescape", r#"["&#x;"]"#, "\"\u{fffd}\""),
        ("path", "Match", r#"["b*[", "a"]"#, "false"),
        ("strconv", "ParseFloat", r#"["0.1", 32]"#, "0.10000000149011612"),
        ("strings", "ToLower", r#"["İΣ"]"#, r#""iσ""#),
        ("text/template", "Execute", r#"["{{printf \"%s %s %+v\" 5 . .}}", 7]"#, r#""%!s(int=5) %!s(int64=7) 7""#),
        ("encoding/yaml", "Marshal", r#"[{"a\nb": "1-2", "c": "\n"}]"#, r#""? |-\n  a\n  b\n: \"1-2\"\nc: |2+\n\n""#),
        ("list", "UniqueItems", "[[1, 2, 1]]", "false"),
        ("list", "Slice", "[[1, 2, 3], 1, 2]", "[2]"),
        ("math", "Floor", "[-2.5]", "-3"),
        ("math", "Round", "[2.5]", "3"),
        ("math", "RoundToEven", "[2.5]", "2"),
        ("math", "Pow", "[2, 10]", "1024"),
        ("math", "Pow", "[0, 0]", "error"),
        ("math", "MultipleOf", "[6, 3]", "true"),
        ("math", "MultipleOf", "[6, 0]", "error"),
        ("math/bits", "Lsh", "[1, 70]", "1180591620717411303424"),
        ("math/bits", "Lsh", "[1, 4000000000000]", "limit"),
        ("math/bits", "Clear", "[7, 2]", "5"),
        ("math", "Jacobi", "[1001, 9907]", "-1"),
        ("strconv", "Atoi", r#"["12"]"#, "12"),
        ("strconv", "ParseInt", r#"["0x1F", 0, 64]"#, "31"),
        ("strconv", "ParseInt", r#"["128", 10, 8]"#, "error"),
        ("strconv", "ParseInt", r#"["-128", 10, 8]"#, "-128"),
        ("strconv", "FormatInt", "[255, 16]", r#""ff""#),
        ("strconv", "FormatFloat", r#"[1.5, "e", 3, 64]"#, r#""1.500e+00""#),
        ("strconv", "FormatFloat", r#"[0.1, "g", -1, 64]"#, r#""0.1""#),
        ("regexp", "Match", r#"["^a+$", "aaa"]"#, "true"),
        ("regexp", "Find", r#"["x", "aaa"]"#, "error"),
        ("regexp", "Valid", r#"["("]"#, "error"),
        ("regexp", "Match", r#"["^\\d$", "٣"]"#, "false"),
        ("regexp", "FindNamedSubmatch", r#"["(?P<A>a)(?P<B>b)", "ab"]"#, r#"{"A":"a","B":"b"}"#),
        ("regexp", "ReplaceAll", r#"["(a)", "xax", "[$1]"]"#, r#""x[a]x""#),
        ("encoding/base64", "Encode", r#"[null, "hi"]"#, r#""aGk=""#),
        ("encoding/base64", "Decode", r#"[null, "aGk="]"#, "bytes hi"),
        ("encoding/hex", "Encode", r#"["hi"]"#, r#""6869""#),
        ("encoding/hex", "Decode", r#"["686"]"#, "error"),
        ("encoding/json", "Marshal", r#"[{"a": [1, 2.50, null]}]"#, r#""{\"a\":[1,2.50,null]}""#),
        ("encoding/json", "Unmarshal", r#"["{\"a\": 1}"]"#, r#"{"a":1}"#),
        ("encoding/json", "Unmarshal", r#"["{"]"#, "error"),
        ("encoding/json", "Compact", r#"["{ \"a b\" : [ 1 ] }"]"#, r#""{\"a b\":[1]}""#),
        ("struct", "MaxFields", r#"[{"a": 1}, 0]"#, "false"),
        ("uuid", "SHA1", r#"["6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com"]"#, r#""2ed6657d-e927-568b-95e1-2665a8aea6a2""#),
        ("uuid", "Version", r#"["2ed6657d-e927-568b-95e1-2665a8aea6a2"]"#, "5"),
        ("uuid", "Variant", r#"["2ed6657d-e927-568b-95e1-2665a8aea6a2"]"#, "1"),
        ("uuid", "Parse", r#"["x"]"#, "error"),
        ("struct", "MinFields", r#"[{"a": 1}, 2]"#, "error"),
    ] {
        assert_eq!(call(path, name, arguments), expected, "{path}.{name}({arguments})");
    }
}

#[test]
fn hashes() {
    let package = packages::package("crypto/sha256").expect("a package");
    let sum = package.functions.iter().find(|function| function.name == "Sum256").expect("a function");
    let Ok(Value::Bytes(bytes)) = (sum.code)(&[Value::string("abc")], &mut NoHost) else { panic!("no bytes") };
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

#[test]
fn wrong_arguments_never_panic() {
    let values = [
        Value::Null,
        Value::Bool(true),
        Value::integer(-1),
        Value::integer(i64::MAX),
        Value::integer(i64::MIN),
        from_json("1e400"),
        from_json("123456789012345678901234567890"),
        Value::string(""),
        Value::string("é%("),
        from_json("[]"),
        from_json("[[1], \"a\"]"),
        from_json("{}"),
        Value::Handle(Node(0)),
    ];
    for path in packages::paths() {
        for function in packages::package(path).expect("a package").functions {
            for count in 0..4 {
                for first in &values {
                    for rest in &values {
                        let mut arguments = vec![first.clone()];
                        arguments.resize(count, rest.clone());
                        let _ = (function.code)(&arguments, &mut NoHost);
                    }
                }
            }
        }
    }
}

#[test]
fn sources_are_cue_and_names_are_unique() {
    for path in packages::paths() {
        let package = packages::package(path).expect("a package");
        let mut sources = pravo_diag::SourceMap::new();
        let file = sources.add(path, package.source);
        assert!(crate::syntax::parse_file(&sources, file, &Default::default()).diagnostics.is_empty(), "{path}");
        let names: std::collections::HashSet<_> = package.functions.iter().map(|function| function.name).collect();
        assert_eq!(names.len(), package.functions.len(), "{path}");
    }
}
