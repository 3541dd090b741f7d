//! Names and what they stand for: lets, aliases, computed labels, patterns, hidden fields.

use super::Generator;

/// `let` in files, structs and comprehensions.
pub fn let_clause(generator: &mut Generator) -> String {
    let (name, other) = (generator.name(), generator.name());
    let (value, second) = (generator.any(1), generator.scalar());
    let small = generator.integer();
    match generator.below(8) {
        0 => format!("let L{name} = {value}\n{name}: L{name}"),
        1 => format!("{name}: {{\n\tlet x = {small}\n\ta: x + 1\n\tb: {{let x = {second}, c: x}}\n}}"),
        2 => format!("let L{name} = {{a: {value}, b: {small}}}\n{name}: L{name}.a\n{other}: L{name} & {{b: int}}"),
        3 => format!("{name}: [for x in [1, {small}] let y = x * 2 {{y + 1}}]"),
        4 => format!("{name}: {{\n\ta: {small}\n\tlet b = a + 1\n\tlet c = b + a\n\td: c\n}}"),
        5 => format!("let L{name} = \"l-\\({other})\"\n{other}: {second}\n{name}: L{name}"),
        6 => format!("#{name}: {{\n\tn: int\n\tlet m = n * 2\n\tout: m\n}}\n{name}: (#{name} & {{n: {small}}}).out"),
        _ => format!("{name}: {{\n\tlet f = {{x: int, y: x + {small}}}\n\tg: (f & {{x: 1}}).y\n\th: f\n}}"),
    }
}

/// Aliases of fields, labels and values.
pub fn alias(generator: &mut Generator) -> String {
    let (name, other) = (generator.name(), generator.name());
    let value = generator.scalar();
    let key = generator.pick(&["a-b", "x y", "0", "é"]);
    match generator.below(8) {
        0 => format!("X{name}=\"{key}{name}\": {value}\n{name}: X{name}"),
        1 => format!("{name}: X={{a: {value}, b: X.a}}"),
        2 => format!("{name}: [N=string]: {{name: N, at: \"p-\\(N)\"}}\n{name}: a: _\n{name}: b: _"),
        3 => format!("X{name}={name}: {{a: {value}, b: {{a: X{name}.a}}}}"),
        4 => format!("K{name}=\"k{name}\": {value}\n{name}: {{\n\t\"k{name}\": 2\n\tb: K{name}\n}}"),
        5 => format!("{other}: \"d{name}\"\nD{name}=({other}): {value}\n{name}: D{name}"),
        6 => format!("{name}: {{\n\tX=a: {{n: {value}}}\n\tb: X & {{m: 1}}\n\tc: a: X.n\n}}"),
        _ => format!("{name}: [{value}, X=2, {{y: X}}, {}]", generator.integer()),
    }
}

/// Computed labels.
pub fn dynamic_field(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let (value, second) = (generator.any(1), generator.scalar());
    let label = generator.pick(&["k", "a b", "x-y", "é", "0"]);
    match generator.below(8) {
        0 => format!("{key}: \"{label}\"\n{name}: {{({key}): {value}}}"),
        1 => format!("{key}: \"{label}\"\n{name}: {{\"p-\\({key})\": {value}, \"q-\\({key})\": {second}}}"),
        2 => format!("{name}: {{for i, x in [{value}, {second}] {{\"n\\(i)\": x}}}}"),
        3 => format!("{name}: {{\n\t\"\\(k)\": {value}\n\tk: \"{label}\"\n\tz: {second}\n}}"),
        4 => format!("{key}: \"{label}\"\n{name}: {{({key})?: int, ({key}): {}}}", generator.integer()),
        5 => format!("{name}: {{(\"a\" + \"{label}\"): {value}}}"),
        6 => format!("{key}: {}\n{name}: {{({key}): {value}}}", generator.pick(&["string", "*\"d\" | string", "\"a\" | *\"b\""])),
        _ => format!("#{key}: {{n: string, (n): {second}}}\n{name}: #{key} & {{n: \"{label}\"}}"),
    }
}

/// `[pattern]: value`
pub fn pattern(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let kind = generator.kind();
    let (constraint, value, second) = (generator.constraint(kind), generator.value(kind), generator.value(kind));
    let pattern = generator.pick(&["string", "=~\"^a\"", "!=\"x\"", "\"a\" | \"b\"", "=~\"^[a-c]\" & !=\"c\"", ">=\"a\"", "_"]);
    match generator.below(8) {
        0 => format!("{name}: {{[{pattern}]: {constraint}, a: {value}, b: {second}}}"),
        1 => format!("{name}: [{pattern}]: {constraint}\n{name}: a: {value}\n{name}: c: {second}"),
        2 => format!("#{key}: {{[=~\"^a\"]: {constraint}, z?: int}}\n{name}: #{key} & {{a: {value}, ab: {second}}}"),
        3 => format!("{name}: {{[string]: {{n: {constraint}, m: *1 | int}}, x: n: {value}, y: {{n: {second}, m: 2}}}}"),
        4 => format!("#{key}: [{pattern}]: {constraint}\n{name}: #{key}\n{name}: a: {value}"),
        5 => format!("{name}: {{[=~\"^a\"]: >=0, [=~\"b$\"]: <100, ab: {}, b: {}}}", generator.integer(), generator.integer()),
        6 => format!("{name}: {{[X=string]: {{id: X, v: {constraint}}}, \"a b\": v: {value}}}"),
        _ => format!(
            "{name}: {{[{pattern}]: {constraint}\n\tif {} {{a: {value}}}\n\tfor k in [\"b\"] {{(k): {second}}}\n}}",
            generator.pick(&["true", "false"])
        ),
    }
}

/// `_h`, `_#D`
pub fn hidden(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let (value, second) = (generator.any(1), generator.scalar());
    let small = generator.integer();
    match generator.below(7) {
        0 => format!("_{key}: {value}\n{name}: _{key}"),
        1 => format!("_#{key}: {{a: int, _b: a + 1, c: _b}}\n{name}: _#{key} & {{a: {small}}}"),
        2 => format!("{name}: {{_a: {second}, \"_a\": {small}, b: _a}}"),
        3 => format!("#{key}: {{_h: int | *{small}, out: _h}}\n{name}: #{key}\n{name}2: #{key} & {{_h: 7}}"),
        4 => format!("{name}: {{_x: {value}}}\n{key}: {name} & {{a: {second}}}\n{key}2: {name}._x"),
        5 => format!("_{key}: {{for i, x in [1, {small}] {{\"k\\(i)\": x}}}}\n{name}: _{key}.k1"),
        _ => format!("{name}: {{_#D: {{v: {second}}}, d: _#D, e: _#D & {{v: _}}}}"),
    }
}
