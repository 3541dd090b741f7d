//! Structs and lists: optional and required fields, definitions, closedness, embeddings, comprehensions.

use super::Generator;

/// `a?: …`
pub fn optional(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let kind = generator.kind();
    let (constraint, value, kind_name) = (generator.constraint(kind), generator.value(kind), generator.type_of(kind));
    match generator.below(8) {
        0 => format!("{name}: {{a?: {constraint}, b: {value}}}"),
        1 => format!("{name}: {{a?: {constraint}}}\n{name}: a: {value}"),
        2 => format!("#{key}: {{a?: {constraint}, b?: {{c?: {kind_name}}}}}\n{name}: #{key} & {{b: c: {value}}}\n{name}2: #{key}"),
        3 => format!("{key}: {{a?: {kind_name}}}\n{name}: {{if {key}.a != _|_ {{x: 1}}, if {key}.a == _|_ {{y: 2}}}}"),
        4 => format!("{name}: {{a?: {constraint}}} & {{a?: {value}}}"),
        5 => format!("#{key}: {{a?: {constraint}, d: *1 | int}}\n{name}: [#{key} & {{a: {value}}}, #{key}]"),
        6 => format!("{name}: {{a?: {value}, \"b-c\"?: {kind_name}, #D?: int, _h?: string}}"),
        _ => format!("{key}: {{a?: {{b: {constraint}}}}}\n{name}: {key} & {{a: {{}}}}"),
    }
}

/// `a!: …`
pub fn required(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let kind = generator.kind();
    let (constraint, value) = (generator.constraint(kind), generator.value(kind));
    match generator.below(8) {
        0 => format!("#{key}: {{a!: {constraint}, b?: int}}\n{name}: #{key} & {{a: {value}}}"),
        1 => format!("{name}: {{a!: {constraint}}}\n{name}: a: {value}"),
        2 => format!("#{key}: {{a!: {constraint}, b: {{c!: _}}}}\n{name}: #{key} & {{a: {value}, b: c: 1}}"),
        3 => format!("#{key}: {{a!: {constraint}}}"),
        4 => format!("{name}: {{a!: {constraint}}} & {{a?: {value}}} & {{a: _}}"),
        5 => format!("#{key}: {{kind!: \"x\", v: {constraint}}} | {{kind!: \"y\", w: int}}\n{name}: #{key} & {{kind: \"x\", v: {value}}}"),
        6 => format!("{name}: {{x: {value}, y!: {constraint}, y: x}}"),
        _ => format!("#{key}: {{a!: {constraint}, b: a}}\n{name}: #{key}\n{name}: a: {value}"),
    }
}

/// `#D: …`
pub fn definition(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let kind = generator.kind();
    let (constraint, value, second) = (generator.constraint(kind), generator.value(kind), generator.value(kind));
    let wrong = if generator.chance(12) { ", zz: 1" } else { "" };
    match generator.below(9) {
        0 => format!("#{key}: {{a: {constraint}, b: *{second} | _}}\n{name}: #{key} & {{a: {value}{wrong}}}"),
        1 => format!("#{key}: {{a: {{b: {constraint}}}, c?: int}}\n{name}: #{key} & {{a: {{b: {value}{wrong}}}}}"),
        2 => format!("#{key}: {{a: {constraint}}}\n#{key}2: {{#{key}, b: int}}\n{name}: #{key}2 & {{a: {value}, b: 1{wrong}}}"),
        3 => format!("#{key}: {{a: {constraint}, ...}}\n{name}: #{key} & {{a: {value}, more: {second}}}"),
        4 => format!("#{key}: {constraint}\n{name}: #{key} & {value}"),
        5 => format!("#{key}: [...{{a: {constraint}}}]\n{name}: #{key} & [{{a: {value}}}, {{a: {second}{wrong}}}]"),
        6 => format!("{name}: {{#D: {{a: {constraint}}}, x: #D & {{a: {value}{wrong}}}, y: #D}}"),
        7 => format!("#{key}: {{a: {constraint}, b: {{...}}}}\n{name}: #{key} & {{a: {value}, b: {{c: {second}}}}}"),
        _ => format!("#{key}: {{a: int}} | {{b: {constraint}}}\n{name}: #{key} & {{b: {value}}}"),
    }
}

/// `close({…})`
pub fn close(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let (value, second) = (generator.scalar(), generator.scalar());
    let wrong = if generator.chance(15) { ", zz: 1" } else { "" };
    match generator.below(7) {
        0 => format!("{name}: close({{a: _, b?: int}}) & {{a: {value}{wrong}}}"),
        1 => format!("{key}: close({{a: {{b: _}}}})\n{name}: {key} & {{a: {{b: {value}, c: {second}}}}}"),
        2 => format!("{name}: close({{a: {value}}}) & close({{a: _, b?: int}})"),
        3 => format!("{key}: {{a: {value}}}\n{name}: close({key})\n{name}2: {key} & {{b: {second}}}"),
        4 => format!("{name}: close({{[=~\"^a\"]: _}}) & {{ab: {value}{wrong}}}"),
        5 => format!("{name}: {{close({{a: _}}), b: {second}}} & {{a: {value}}}"),
        _ => format!("{name}: [close({{a: {value}}}), close({{}})]"),
    }
}

/// Values that stand in braces without a label.
pub fn embedding(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let kind = generator.kind();
    let (constraint, value, second) = (generator.constraint(kind), generator.value(kind), generator.any(1));
    match generator.below(9) {
        0 => format!("#{key}: {{a: {constraint}}}\n{name}: {{#{key}, a: {value}, b: {second}}}"),
        1 => format!("{name}: {{{value}}}"),
        2 => format!("{name}: {{{value}, #x: {second}, _y: 1}}\n{name}2: {name}.#x"),
        3 => format!("{name}: {{[1, {value}], #n: 2}}"),
        4 => format!("{key}: {{a: {second}}}\n{name}: {{{key}, b: a}}"),
        5 => format!("{name}: {{{{a: {constraint}}}, {{a: {value}}}, c: 1}}"),
        6 => format!("{name}: {{{{a: 1}} | {{b: 2}}, b: {}}}", generator.pick(&["2", "int", "3"])),
        7 => format!("#{key}: {{a: {constraint}}}\n#{key}2: {{#{key}, #{key}3, c: 1}}\n#{key}3: {{b: int}}\n{name}: #{key}2 & {{a: {value}, b: 1}}"),
        _ => format!("{name}: {{if {} {{a: {value}}}, {{c: {second}}}}}", generator.pick(&["true", "false", "1 < 2"])),
    }
}

/// `...`
pub fn ellipsis(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let kind = generator.kind();
    let (constraint, value, second) = (generator.constraint(kind), generator.value(kind), generator.value(kind));
    match generator.below(8) {
        0 => format!("{name}: [...{constraint}] & [{value}, {second}]"),
        1 => format!("{name}: [{constraint}, ...]"),
        2 => format!("{name}: [{constraint}, ...{}] & [{value}, _]", generator.pick(&["int", "_", "string"])),
        3 => format!("{name}: {{a: {value}, ...}} & {{b: {second}}}"),
        4 => format!("#{key}: {{a: {constraint}, ...}}\n{name}: #{key} & {{a: {value}, b: {{c: {second}}}}}"),
        5 => format!("{key}: [...{{n: {constraint}}}]\n{name}: {key} & [{{n: {value}}}]"),
        6 => format!("{name}: [...] & [{value}]\n{name}2: [...{constraint}]"),
        _ => format!("{name}: [{value}, ...{constraint}] & [_, {second}, ...]"),
    }
}

/// Lists, indices, slices, functions of `list`.
pub fn list(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let (value, list, other) = (generator.any(1), generator.listed(2), generator.listed(1));
    let small = generator.below(3);
    match generator.below(11) {
        0 => format!("{name}: {list}"),
        1 => format!("{key}: [1, {value}, 3]\n{name}: {key}[{small}]"),
        2 => format!("{key}: [1, {value}, 3]\n{name}: {key}[{small}:{}]", 2 + generator.below(2)),
        3 => format!("{name}: [{value}, _] & [_, {value}]"),
        4 => {
            generator.import("list");
            format!("{name}: list.Concat([{list}, {other}])")
        }
        5 => {
            generator.import("list");
            let call = generator.pick(&["Sum", "Max", "Min", "Avg", "Product"]);
            format!("{name}: list.{call}([{}, {}, {small}])", generator.integer(), generator.integer())
        }
        6 => {
            generator.import("list");
            let call = generator.pick(&["FlattenN({}, 1)", "Reverse({})", "Slice({}, 0, 1)", "Take({}, 1)", "Drop({}, 1)", "Repeat({}, 2)"]);
            format!("{name}: list.{}", call.replace("{}", &format!("[{value}, {list}]")))
        }
        7 => format!("{name}: len({list}) + {small}"),
        8 => {
            generator.import("list");
            format!(
                "{name}: list.Sort([{}, {small}, {}], list.{})",
                generator.integer(),
                generator.integer(),
                generator.pick(&["Ascending", "Descending"])
            )
        }
        9 => {
            generator.import("list");
            format!("{name}: list.Range({small}, {}, {})", generator.integer(), 1 + generator.below(4))
        }
        _ => format!("{key}: {{a: [{value}, {{b: {small}}}]}}\n{name}: {key}.a[1].b\n{name}2: {key}.a == {key}.a"),
    }
}

/// `for`, `if`, `let`
pub fn comprehension(generator: &mut Generator) -> String {
    let (name, key) = (generator.name(), generator.name());
    let (value, list, structure) = (generator.any(1), generator.listed(1), generator.structure(1));
    let small = generator.integer();
    match generator.below(10) {
        0 => format!("{name}: [for x in {list} {{x}}]"),
        1 => format!("{name}: {{for k, v in {structure} {{\"\\(k)_\": v}}}}"),
        2 => format!("{name}: [for i, x in [1, {small}, 3] if x > {} {{i * x}}]", generator.integer()),
        3 => format!("{key}: {small}\n{name}: {{if {key} > 9 {{big: true}}, if {key} <= 9 {{small: {value}}}}}"),
        4 => format!("{name}: [for x in [1, 2] for y in [{small}, 4] {{a: x, b: y, c: x * y}}]"),
        5 => format!("{key}: {structure}\n{name}: {{for k, v in {key} if k != \"b\" {{(k): {{was: v}}}}}}"),
        6 => format!("{name}: {{a: {value}, for x in [\"p\", \"q\"] let y = \"\\(x)y\" {{(y): x}}, z: 1}}"),
        7 => format!("{name}: [if {} {{{value}}}, {small}, for x in {list} {{[x]}}]", generator.pick(&["true", "false"])),
        8 => format!("{key}: [...int]\n{name}: [for x in {key} {{x}}]"),
        _ => format!("#{key}: {{n: int, if n > {small} {{big: true}}}}\n{name}: [for i in [1, 10] {{#{key} & {{n: i}}}}]"),
    }
}
