//! Literals, operators, attributes, builtins.

use super::Generator;

/// A field with a literal of any kind.
pub fn literal(generator: &mut Generator) -> String {
    let name = generator.name();
    let value = match generator.below(9) {
        0 => numeral(generator),
        1 => quoted(generator),
        2 => bytes(generator),
        3 => multi_line(generator),
        4 => generator.pick(&["null", "true", "false", "_", "{}", "[]", "[...]", "{...}"]).to_owned(),
        5 => raw(generator),
        6 => generator.pick(&["string", "int", "bytes", "bool", "float", "number", "uint64", "int8", "rune"]).to_owned(),
        7 => generator.any(2),
        _ => format!("{} & {}", generator.pick(&["_", "_ & _"]), numeral(generator)),
    };
    format!("{name}: {value}")
}

/// A number as it may be written.
fn numeral(generator: &mut Generator) -> String {
    let small = generator.integer();
    let sign = generator.pick(&["", "", "-", "+"]);
    let text = match generator.below(9) {
        0 => format!("0x{small:x}{}", generator.pick(&["", "_ff", "AB"])),
        1 => format!("0o{small:o}"),
        2 => format!("0b{small:b}"),
        3 => format!("{}{}", small + 1, generator.pick(&["K", "Ki", "M", "Mi", "G", "Gi", "T", "Ti", "P", "Pi"])),
        4 => format!("{small}.{}{}", generator.below(1000), generator.pick(&["", "e3", "E-5", "e+10", "K", "Mi"])),
        5 => format!(".{}", generator.below(100)),
        6 => format!("{}_{:03}_{:03}", small + 1, generator.below(1000), generator.below(1000)),
        7 => format!("{}{}", small + 1, "0123456789".repeat(1 + generator.below(4))),
        _ => format!("{small}e{}", generator.below(40)),
    };
    format!("{sign}{text}")
}

/// A string with escapes.
fn quoted(generator: &mut Generator) -> String {
    let parts = ["a", "é", "世", "\\n", "\\t", "\\\"", "\\\\", "\\/", "\\u00e9", "\\U0001F600", "\\a", "\\r", " ", "'", "#", "//", "{", "😀"];
    let count = generator.below(6);
    let text: String = (0..count).map(|_| generator.pick(&parts)).collect();
    format!("\"{text}\"")
}

fn bytes(generator: &mut Generator) -> String {
    let parts = ["a", "é", "\\n", "\\'", "\\\\", "\\xff", "\\x00", "\\101", "\\u00e9", "\"", " ", "\\t"];
    let count = generator.below(6);
    let text: String = (0..count).map(|_| generator.pick(&parts)).collect();
    format!("'{text}'")
}

fn raw(generator: &mut Generator) -> String {
    let parts = ["a", "\\n", "\\#n", "\"", "\\", "\\#u00e9", " ", "\\(x)", "\\#t"];
    let count = generator.below(5);
    let text: String = (0..count).map(|_| generator.pick(&parts)).collect();
    format!("#\"{text}z\"#")
}

fn multi_line(generator: &mut Generator) -> String {
    let marks = generator.pick(&["\"\"\"", "'''"]);
    let lines = ["one", "  two", "", "\\tthree", "\"quoted\"", "é \\\\", "# x"];
    let count = generator.below(4);
    let text: String =
        (0..count).map(|_| generator.pick(&lines)).map(|line| if line.is_empty() { "\n".to_owned() } else { format!("\t{line}\n") }).collect();
    format!("{marks}\n{text}\t{marks}")
}

/// Arithmetic and comparisons.
pub fn number(generator: &mut Generator) -> String {
    let name = generator.name();
    let (left, right) = (numeral(generator), numeral(generator));
    let (small, other) = (generator.integer() - 10, generator.integer() + 1);
    let value = match generator.below(8) {
        0 => format!("({left}) {} ({right})", generator.pick(&["+", "-", "*"])),
        1 => format!("{small} / {other}"),
        2 => format!("{}({small}, {other})", generator.pick(&["div", "mod", "quo", "rem"])),
        3 => format!("({left}) {} ({right})", generator.pick(&["<", "<=", ">", ">=", "==", "!="])),
        4 => format!("{small}.5 {} {other}.25", generator.pick(&["+", "-", "*", "/"])),
        5 => format!("{small} + {other} * {} - {}", generator.integer(), generator.integer()),
        6 => format!("-({left}) + {small}"),
        _ => format!("{}e{} / {}", other, generator.below(30), generator.integer() + 1),
    };
    format!("{name}: {value}")
}

/// Operators on strings and bytes, and functions of `strings` and `strconv`.
pub fn string(generator: &mut Generator) -> String {
    let name = generator.name();
    let (text, other) = (quoted(generator), quoted(generator));
    let value = match generator.below(9) {
        0 => format!("{text} + {other}"),
        1 => format!("{text} * {}", generator.below(4)),
        2 => format!("{text} {} {other}", generator.pick(&["<", "<=", ">", ">=", "==", "!="])),
        3 => format!("{} + {}", bytes(generator), bytes(generator)),
        4 => format!("{} {} {}", generator.text(), generator.pick(&["=~", "!~"]), generator.pick(&["\"^a\"", "\"[a-z]+$\"", "#\"\\d\"#", "\"é\""])),
        5 => multi_line(generator),
        6 => format!("len({text})"),
        7 => {
            generator.import("strings");
            let call = generator.pick(&["ToUpper", "ToLower", "TrimSpace", "ToTitle", "ToCamel", "Runes"]);
            format!("strings.{call}({text})")
        }
        _ => {
            generator.import("strings");
            match generator.below(4) {
                0 => format!("strings.Join([{text}, {other}], \"-\")"),
                1 => format!("strings.Split({text}, \"a\")"),
                2 => format!("strings.Replace({text}, \"a\", {other}, {})", generator.integer() - 10),
                _ => format!("strings.{}({text}, {other})", generator.pick(&["Contains", "HasPrefix", "Index", "Count"])),
            }
        }
    };
    format!("{name}: {value}")
}

/// Interpolations of every kind of value.
pub fn interpolation(generator: &mut Generator) -> String {
    let (name, source) = (generator.name(), generator.name());
    let value = generator.scalar();
    match generator.below(7) {
        0 => format!("{source}: {value}\n{name}: \"<\\({source})>\""),
        1 => format!("{source}: {value}\n{name}: \"\\({source})\\({source}) \\(1 + 1)\""),
        2 => format!("{source}: {value}\n{name}: '\\({source})'"),
        3 => format!("{name}: \"\\({value})\""),
        4 => format!("{source}: {{a: {value}}}\n{name}: \"\"\"\n\tx \\({source}.a)\n\ty\n\t\"\"\""),
        5 => format!("{source}: {}\n{name}: \"n \\({source})\"", generator.pick(&["int", "string", "*1 | int", "*\"d\" | string"])),
        _ => format!("{source}: {value}\n{name}: #\"\\({source}) \\#({source})\"#"),
    }
}

/// Attributes in every place.
pub fn attribute(generator: &mut Generator) -> String {
    let name = generator.name();
    let value = generator.any(1);
    let body = generator.pick(&["", "a", "a,b=c", "\"x y\"", "a=\"1,2\"", "[1, {2}]", "x=(y)", "#\"raw\"#", "a, b , c"]);
    match generator.below(6) {
        0 => format!("{name}: {value} @json({body})"),
        1 => format!("{name}: {value} @a({body}) @b()"),
        2 => format!("{name}: {{\n\t@c({body})\n\ta: 1\n}}"),
        3 => format!("@d{}({body})", generator.integer()),
        4 => format!("#{name}: {{\n\tx?: int @f({body})\n}}\n{name}: #{name} & {{x: 1 @g({body})}}"),
        _ => format!("{name}: [{value}, 1] @l({body})"),
    }
}

/// Functions of the language.
pub fn builtin(generator: &mut Generator) -> String {
    let name = generator.name();
    let value = generator.any(2);
    let (list, structure) = (generator.listed(1), generator.structure(1));
    let (small, other) = (generator.integer() - 5, generator.integer() + 1);
    let value = match generator.below(12) {
        0 => format!("len({})", if generator.chance(50) { list } else { structure }),
        1 => format!("close({structure})"),
        2 => format!("and([{}, {small}])", generator.pick(&["int", "number", "_"])),
        3 => format!("or([{small}, {other}, \"x\"])"),
        4 => format!("or([for x in [1, {other}] {{x}}]) & {other}"),
        5 => format!("{}({small}, {other})", generator.pick(&["div", "mod", "quo", "rem"])),
        6 => format!("{value} | error(\"unused\")"),
        7 => {
            format!("{} & matchN({}, [int, >{}, string])", generator.integer(), generator.pick(&["1", "2", ">0", "<=2", ">=0"]), generator.integer())
        }
        8 => format!(
            "{} & matchIf(>{}, {}, {})",
            generator.integer(),
            generator.integer(),
            generator.pick(&["int", "_"]),
            generator.pick(&["<30", "number"])
        ),
        9 => format!("len({}) + len('{}')", generator.text(), generator.pick(&["a", "é", "\\xff"])),
        10 => format!("and([{{a: 1}}, {{b: {value}}}])"),
        _ => format!("or([]) | {small}"),
    };
    format!("{name}: {value}")
}
