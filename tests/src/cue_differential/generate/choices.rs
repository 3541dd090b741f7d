//! Disjunctions, bounds, validators, cycles, comparisons with bottom.

use super::Generator;

/// Disjunctions of scalars and structs.
pub fn disjunction(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let (value, second, third) = (generator.scalar(), generator.scalar(), generator.scalar());
    match generator.below(9) {
        0 => format!("{name}: {value} | {second} | {third}"),
        1 => format!("{name}: *{value} | {second} | _"),
        2 => format!("{name}: ({value} | {second}) & ({second} | {third})"),
        3 => format!(
            "#{key}: {{t: \"x\", a: {value}}} | {{t: \"y\", b: {second}}}\n{name}: #{key} & {{t: {}}}",
            generator.pick(&["\"x\"", "\"y\"", "string"])
        ),
        4 => format!("{name}: {{a: int}} | {{a: string}}\n{name}: a: {value}"),
        5 => format!("{name}: [1, 2] | [{value}]\n{name}2: {name} & [_, ...]"),
        6 => format!("{key}: *{value} | {second}\n{name}: {key} | {third}"),
        7 => format!("{name}: int | *{} | string\n{name}2: {name}", generator.integer()),
        _ => format!("{name}: null | {{a: {value}, b?: int}}\n{name}2: {name} & {{b: 1}}"),
    }
}

/// Defaults within defaults.
pub fn nested_default(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let (value, second) = (generator.integer(), generator.integer());
    match generator.below(9) {
        0 => format!("{name}: *(*{value} | {second}) | int"),
        1 => format!("{name}: (*{value} | {second}) & (*{second} | {value})"),
        2 => format!("{name}: (*{value} | int) & (*{value} | number)"),
        3 => format!("{name}: *({value} | {second}) | *\"x\""),
        4 => format!("{name}: {{a: *{value} | int}} | *{{a: {second}, b: *1 | int}}"),
        5 => format!("{key}: *{value} | int\n{name}: {{x: {key} + 1, y: {key}}}"),
        6 => format!("{name}: *{{a: *{value} | _}} | {{b: 1}}\n{name}2: {name} & {{a: {second}}}"),
        7 => format!("{name}: [...*{value} | int] & [_, {second}]"),
        _ => format!(
            "#{key}: {{a: *\"on\" | \"off\", b: *{value} | >{second}}}\n{name}: #{key} & {{a: {}}}",
            generator.pick(&["\"off\"", "string", "\"on\""])
        ),
    }
}

/// Bounds and what they come to together.
pub fn bound(generator: &mut Generator) -> String {
    let name = generator.name();
    let low = generator.integer() - 10;
    let high = low + generator.integer();
    let kind = generator.pick(&["int", "number", "float", "_", "uint", "int8"]);
    let value = match generator.below(12) {
        0 => format!(">={low} & <={high}"),
        1 => format!(">{low} & <{high} & int"),
        2 => format!(">={low} & {kind}"),
        3 => format!("{kind} & >{low} & >{high}"),
        4 => format!("!={low} & !={high} & <{}", high + 5),
        5 => format!(">={low} & <={high} & {}", low + generator.integer() / 2),
        6 => format!("({kind} & <={high}) | \"x\""),
        7 => format!(">\"{}\" & <=\"{}\"", generator.pick(&["a", "b", ""]), generator.pick(&["x", "b", "é"])),
        8 => format!("{} & {}", generator.pick(&["=~\"^a\"", "!~\"z\"", "!=\"a\""]), generator.pick(&["string", "!=\"b\"", "=~\"b$\"", "\"ab\""])),
        9 => format!("!=null & {}", generator.pick(&["int", "1", "{a: 1}", "string", "_"])),
        10 => format!(">={low}.5 & <{high}.5"),
        _ => generator.pick(&[">=0 & <=255 & int", "int & >=-128 & <=127", ">=0 & int", "uint & <=65535", "int & >0"]).to_owned(),
    };
    format!("{name}: {value}")
}

/// Functions that constrain.
pub fn validator(generator: &mut Generator) -> String {
    let name = generator.name();
    let small = generator.below(4);
    let value = match generator.below(11) {
        0 => {
            generator.import("strings");
            format!("strings.{}({small}) & {}", generator.pick(&["MinRunes", "MaxRunes"]), generator.pick(&["string", "\"ab\"", "\"éé\""]))
        }
        1 => {
            generator.import("list");
            format!("list.{}({small}) & {}", generator.pick(&["MinItems", "MaxItems"]), generator.pick(&["[...int]", "[1, 2]", "[...]"]))
        }
        2 => {
            generator.import("list");
            format!("list.UniqueItems() & {}", generator.pick(&["[1, 2]", "[1, 1.0]", "[{a: 1}, {a: 2}]", "[...]"]))
        }
        3 => {
            generator.import("struct");
            format!("struct.{}({small}) & {}", generator.pick(&["MinFields", "MaxFields"]), generator.structure(1))
        }
        4 => {
            generator.import("math");
            format!("math.MultipleOf({}) & {}", small + 1, generator.pick(&["int", "6", "12"]))
        }
        5 => {
            generator.import("time");
            format!("time.{}", generator.pick(&["Duration & \"1h3m\"", "Time & \"2024-01-02T03:04:05Z\"", "Duration", "Time"]))
        }
        6 => {
            generator.import("net");
            format!("net.{}", generator.pick(&["IPv4 & \"10.0.0.1\"", "IP & \"::1\"", "IPCIDR & \"10.0.0.0/8\"", "IP"]))
        }
        7 => format!("{} & matchN({}, [{{a: int}}, {{b: string}}])", generator.structure(0), generator.pick(&["0", "1", ">=0", "2"])),
        8 => format!("{{a: {}}} & matchIf({{a: int}}, {{a: <30}}, _)", generator.scalar()),
        9 => {
            generator.import("list");
            format!("list.Contains({}) & {}", small, generator.pick(&["[1, 2, 3]", "[0, 1, 2, 3]"]))
        }
        _ => {
            generator.import("encoding/json");
            format!("json.Validate({{a: int}}) & {}", generator.pick(&["#\"{\"a\": 1}\"#", "string"]))
        }
    };
    format!("{name}: {value}")
}

/// References that go round.
pub fn reference_cycle(generator: &mut Generator) -> String {
    let (a, b, c) = (generator.name(), generator.name(), generator.name());
    let value = generator.integer();
    match generator.below(10) {
        0 => format!("{a}: {b}\n{b}: {a}"),
        1 => format!("{a}: {b}\n{b}: {c}\n{c}: {a} & {value}"),
        2 => format!("{a}: {b} + {value}\n{b}: {a} - {value}\n{}", generator.pick(&["", &format!("{a}: 7"), &format!("{b}: 3")])),
        3 => format!("{a}: {{x: {b}.y, z: {value}}}\n{b}: {{y: {a}.z}}"),
        4 => format!("{a}: {b} & {{x: {value}}}\n{b}: {a} & {{y: 2}}"),
        5 => format!("{a}: *{b} | {value}\n{b}: {a}"),
        6 => format!("{a}: {{b: c, c: d, d: b & {value}}}"),
        7 => format!("{a}: {{x: {a}.y, y: {a}.z, z: {value}}}"),
        8 => format!("{a}: [{a}[1], {value}]"),
        _ => format!("{a}: {a}\n{b}: {{c: {b}.c, d: {value}}}"),
    }
}

/// Structures that contain themselves, or seem to.
pub fn structural_cycle(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let value = generator.scalar();
    let end = generator.pick(&["null", "{v: 2, next: null}", "{v: 3, next: {v: 4, next: null}}"]);
    match generator.below(16) {
        0..3 => format!("#{key}: {{v: _, next: null | #{key}}}\n{name}: #{key} & {{v: {value}, next: {end}}}"),
        3..5 => format!("#{key}: {{v: _, next?: #{key}}}\n{name}: #{key} & {{v: {value}, next: v: 1}}"),
        5..7 => format!("#{key}: {{v: int, c: [...#{key}]}}\n{name}: #{key} & {{v: 1, c: [{{v: 2, c: []}}, {{v: 3}}]}}"),
        7..9 => format!("#{key}: {{v: *{value} | _, [string]: _}}\n{name}: #{key} & {{k: #{key}}}"),
        9..11 => format!("{key}: {{a: int | {{b: {key}}}}}\n{name}: {key} & {{a: b: a: 1}}"),
        11..13 => {
            format!("#{key}: {{n: int, out: *{{if n <= 0 {{0}}, if n > 0 {{1}}}} | int}}\n{name}: (#{key} & {{n: {}}}).out", generator.below(3))
        }
        13 => format!("{name}: {{b: {name}}}"),
        14 => format!("{name}: {{a: {{c: {name}}}, b: {value}}}"),
        _ => format!("{name}: [{name}]"),
    }
}

/// `== _|_`
pub fn bottom_comparison(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let value = generator.scalar();
    let operator = generator.pick(&["==", "!="]);
    match generator.below(10) {
        0 => format!("{key}: {{a: {value}}}\n{name}: {{if {key}.a {operator} _|_ {{x: 1}}, if {key}.b {operator} _|_ {{y: 2}}}}"),
        1 => format!("{name}: (1 & 2) {operator} _|_"),
        2 => format!("{key}: {value}\n{name}: {key} {operator} _|_"),
        3 => format!("{name}: ({value} & string) {operator} _|_"),
        4 => format!("{name}: [if ({value} & int) {operator} _|_ {{\"no\"}}, 1]"),
        5 => format!("{key}: {{a: int | *{}}}\n{name}: {{if {key}.a {operator} _|_ {{got: {key}.a}}}}", generator.integer()),
        6 => format!("#{key}: {{a?: int, if a {operator} _|_ {{b: 1}}}}\n{name}: #{key}\n{name}2: #{key} & {{a: 3, b?: 1}}"),
        7 => format!("{key}: {{a: {{b: {value}}}}}\n{name}: {{r: {key}.a.b {operator} _|_, s: {key}[\"x\"] {operator} _|_}}"),
        8 => format!("{key}: {{}}\n{name}: {{if {key}.x == _|_ if {key}.y {operator} _|_ {{z: {value}}}}}"),
        _ => format!("{key}: [{value}]\n{name}: {{a: {key}[0] {operator} _|_, b: {key}[3] {operator} _|_}}"),
    }
}
