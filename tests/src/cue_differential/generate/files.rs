//! What is said about files: conditions, tags, experiments, packages and modules.

use super::{Generator, Program};

fn file(name: &str, text: String) -> (String, String) {
    (name.to_owned(), text)
}

/// `@if(…)` at the head of files.
pub fn condition(generator: &mut Generator) -> Program {
    let names = ["prod", "dev", "eu"];
    let mut files = vec![file("base.cue", format!("package p\n\nbase: {}\nport: int | *80\n", generator.any(1)))];
    for at in 0..1 + generator.below(3) {
        let (one, other) = (generator.pick(&names), generator.pick(&names));
        let condition = match generator.below(5) {
            0 => one.to_owned(),
            1 => format!("!{one}"),
            2 => format!("{one} && {other}"),
            3 => format!("{one} || !{other}"),
            _ => format!("!({one} && {other}) || eu"),
        };
        let value = generator.any(1);
        let port = if generator.chance(20) { format!("port: {}\n", 80 + generator.below(2)) } else { String::new() };
        files.push(file(&format!("f{at}.cue"), format!("@if({condition})\n\npackage p\n\nv{at}: {value}\n{port}")));
    }
    if generator.chance(20) {
        files.push(file("ignored.cue", "@ignore()\n\npackage p\n\nno: 1\n".to_owned()));
    }
    let mut arguments = Vec::new();
    for name in names {
        if generator.chance(50) {
            arguments.extend(["-t".to_owned(), name.to_owned()]);
        }
    }
    Program { files, arguments }
}

/// `@tag(…)`
pub fn tag(generator: &mut Generator) -> Program {
    let mut text = String::from("package p\n\n");
    let mut arguments = Vec::new();
    for at in 0..1 + generator.below(4) {
        let given = generator.chance(70);
        let (declaration, value) = match generator.below(7) {
            0 => (format!("string @tag(t{at})"), generator.pick(&["x", "a b", "", "1", "é"])),
            1 => (format!("int @tag(t{at},type=int)"), generator.pick(&["1", "007", "-4", "0x10"])),
            2 => (format!("bool @tag(t{at},type=bool)"), generator.pick(&["true", "false", "1"])),
            3 => (format!("*\"d\" | string @tag(t{at})"), generator.pick(&["d", "other"])),
            4 => (format!("\"a{at}\" | \"b{at}\" @tag(t{at},short=a{at}|b{at})"), ""),
            5 => (format!("number @tag(t{at},type=number)"), generator.pick(&["1.5", "2", "1e3"])),
            _ => (format!("*5 | >3 @tag(t{at},type=int)"), generator.pick(&["4", "9"])),
        };
        text.push_str(&format!("f{at}: {declaration}\n"));
        if given {
            let short = declaration.contains("short=");
            let wrong = generator.chance(3);
            arguments.push("-t".to_owned());
            arguments.push(match (wrong, short) {
                (true, _) => format!("none{at}=1"),
                (_, true) => format!("{}{at}", generator.pick(&["a", "b"])),
                _ => format!("t{at}={value}"),
            });
        }
    }
    text.push_str("all: {a: f0, s: \"\\(f0)\"}\n");
    Program { files: vec![file("in.cue", text)], arguments }
}

/// `@experiment(…)`
pub fn experiment(generator: &mut Generator) -> Program {
    let value = generator.scalar();
    let small = generator.integer();
    let (name, body) = match generator.below(5) {
        0 => ("try", attempt(generator, &value)),
        1 => (
            "aliasv2",
            match generator.below(4) {
                0 => format!("a~X: {{n: {value}, m: X.n}}\n"),
                1 => format!("p: [string]~(K,V): {{name: K, v: {small}}}\np: x: _\np: y: _\n"),
                2 => format!("\"a-b\"~AB: {value}\nc: AB\n"),
                _ => format!("s: {{n: {value}, t: self.n}}\n"),
            },
        ),
        2 => (
            "explicitopen",
            match generator.below(4) {
                0 => format!("#A: {{a: int}}\nx: #A... & {{b: {value}}}\n"),
                1 => format!("#A: {{a: int}}\n#B: {{#A..., b: {value}}}\ny: #B & {{a: {small}}}\n"),
                2 => format!("#A: {{a: int}}\nz: {{#A, a: {small}}}\n"),
                _ => format!("#A: {{a: {{c: int}}}}\nw: #A... & {{a: {{c: {small}}}, d: {value}}}\n"),
            },
        ),
        3 => {
            ("structcmp", format!("a: {{x: {value}}} == {{x: {value}}}\nb: [1, {small}] != [1, 2]\nc: {{}} == {{y: 1}}\nd: [{value}] == [{value}]\n"))
        }
        _ => (
            "shortcircuit",
            format!("a: false && ({value} == 1)\nb: true || {small} > 3\nc: {small} > 5 && {small} < 15\nd: {{x?: int}}\ne: d.x == _|_ || d.x > 1\n"),
        ),
    };
    Program::single(format!("@experiment({name})\n\n{body}"))
}

fn attempt(generator: &mut Generator, value: &str) -> String {
    match generator.below(4) {
        0 => format!("a: {{x?: int}}\nb: {{try {{y: a.x?}} else {{z: {value}}}}}\n"),
        1 => format!("a: {{x: {value}}}\nb: {{try {{y: a.x?}} else {{z: 1}}}}\n"),
        2 => format!("a: {{if {} {{y: {value}}} else {{z: 2}}}}\n", generator.pick(&["true", "false"])),
        _ => format!("a: {{x: {value}}}\nb: {{try v = a.x? {{y: v}}}}\nc: {{try v = a.w? {{y: v}} else {{n: 1}}}}\n"),
    }
}

/// Several files, imports of local and standard packages.
pub fn package(generator: &mut Generator) -> Program {
    let (value, second, list) = (generator.any(1), generator.scalar(), generator.listed(1));
    let small = generator.integer();
    let mut files = vec![
        file("cue.mod/module.cue", "module: \"example.com/m\"\nlanguage: version: \"v0.17.0\"\n".to_owned()),
        file("sub/sub.cue", format!("package sub\n\n#T: {{n: int, m: *{small} | int, _h: 1}}\nvalue: {value}\n_hidden: {second}\nseen: _hidden\n")),
    ];
    if generator.chance(50) {
        files.push(file("sub/more.cue", format!("package sub\n\nmore: {list}\n#T: o?: string\n")));
    }
    let (import, prefix) = match generator.below(3) {
        0 => ("import \"example.com/m/sub\"", "sub"),
        1 => ("import s \"example.com/m/sub\"", "s"),
        _ => ("import s \"example.com/m/sub:sub\"", "s"),
    };
    let body = match generator.below(6) {
        0 => format!("x: {prefix}.#T & {{n: {small}}}\n"),
        1 => format!("x: {prefix}.value\ny: {prefix}.seen\n"),
        2 => format!("x: {prefix}\n"),
        3 => format!("x: {prefix}.#T & {{n: 1, _h: 2}}\n_hidden: {small}\nz: _hidden\n"),
        4 => format!("x: [for i in [1, {small}] {{{prefix}.#T & {{n: i}}}}]\n"),
        _ => format!("#U: {{{prefix}.#T, own: string}}\nx: #U & {{n: {small}, own: \"o\"}}\n"),
    };
    files.push(file("main.cue", format!("package m\n\n{import}\n\n{body}shared: {second}\n")));
    if generator.chance(40) {
        files.push(file("other.cue", "package m\n\nother: shared\nname: other\n".to_owned()));
    }
    Program { files, arguments: Vec::new() }
}
