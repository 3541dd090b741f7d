//! Conversations with a scripted engine: whole specifications in, bodies and errors out.

use std::collections::BTreeMap;

use pravo_diag::render_all;
use pravo_model::specification::{Answer, Body, Event, Instance, Question, QuestionKind, Specification};
use pravo_model::{Value, specification::Output};

use crate::fixtures::schemas;
use crate::{Options, Root};

/// What a conversation gave.
#[derive(Default)]
struct Told {
    bodies: BTreeMap<String, Body>,
    instances: BTreeMap<String, Instance>,
    groups: Vec<String>,
    asked: Vec<String>,
    order: Vec<String>,
}

/// Answers a question about an attribute `owner.path`.
type Answers<'a> = &'a dyn Fn(&str) -> Answer;

fn known(value: impl Into<Value>) -> Answer {
    Answer::Known { value: value.into(), sensitive: false, ephemeral: false }
}

fn unknown(_: &str) -> Answer {
    Answer::Unknown { sensitive: false, ephemeral: false }
}

fn no_answer(question: &str) -> Answer {
    panic!("{question} is asked")
}

const HEAD: &str = r#"package demo

import (
	rnd "pravo.dev/providers/hashicorp/random"
	loc "pravo.dev/providers/hashicorp/local"
	cld "pravo.dev/providers/example/cloud"
)

$random: rnd.#Provider
$local:  loc.#Provider
$cloud:  cld.#Provider

"#;

fn open(text: &str) -> Result<Box<dyn Specification>, String> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("main.cue"), format!("{HEAD}{text}")).unwrap();
    let rejected = |rejected: crate::Rejected| render_all(&rejected.diagnostics, &rejected.sources, pravo_diag::Style::default());
    let root = Root::load(directory.path(), &Options::default()).map_err(rejected)?;
    root.start(&schemas).map_err(rejected)
}

fn drive(specification: &mut dyn Specification, answers: Answers<'_>) -> Result<Told, String> {
    let mut told = Told::default();
    let mut open = Vec::new();
    for _ in 0..1_000 {
        let progress = match specification.advance() {
            Ok(progress) => progress,
            Err(errors) => return Err(render_all(&errors, specification.sources(), pravo_diag::Style::default())),
        };
        for event in progress.events {
            match event {
                Event::Instance(instance) => {
                    told.order.push(instance.address.to_string());
                    told.instances.insert(instance.address.to_string(), *instance);
                }
                Event::Body(body) => {
                    told.order.push(body.address.to_string());
                    told.bodies.insert(body.address.to_string(), *body);
                }
                Event::Group(group) => told.groups.push(format!("{} from {}", group.address, group.from.from)),
                Event::Question(question) => open.push(question),
            }
        }
        // As the engine does: an attribute is answered once the body of its owner is known.
        let ready = |question: &Question| match &question.kind {
            QuestionKind::Attribute { owner, .. } => told.bodies.contains_key(owner.as_str()),
            QuestionKind::Call { .. } => true,
        };
        let (now, later) = open.into_iter().partition(ready);
        open = later;
        let now: Vec<Question> = now;
        for question in now {
            let text = match &question.kind {
                QuestionKind::Attribute { owner, path } => format!("{owner}.{path}"),
                QuestionKind::Call { function, arguments, .. } => format!("{function}{arguments:?}"),
            };
            specification.answer(question.id, answers(&text));
            told.asked.push(text);
        }
        if progress.done {
            return Ok(told);
        }
    }
    panic!("the conversation does not end")
}

fn tell(text: &str, answers: Answers<'_>) -> Told {
    let mut specification = open(text).unwrap_or_else(|error| panic!("{error}"));
    drive(&mut *specification, answers).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str, answers: Answers<'_>) -> String {
    match open(text) {
        Err(error) => error,
        Ok(mut specification) => drive(&mut *specification, answers).err().unwrap_or_else(|| panic!("nothing is wrong with\n{text}")),
    }
}

fn check_refused(text: &str, answers: Answers<'_>, expected: &[&str]) {
    let error = refused(text, answers);
    for part in expected {
        assert!(error.contains(part), "{part:?} is not in\n{error}");
    }
}

impl Told {
    fn body(&self, address: &str) -> &Body {
        self.bodies.get(address).unwrap_or_else(|| panic!("{address} is not among {:?}", self.bodies.keys()))
    }

    fn edges(&self, address: &str) -> String {
        let body = self.body(address);
        let names = |addresses: &[pravo_model::Address]| addresses.iter().map(|address| address.to_string()).collect::<Vec<_>>().join(" ");
        format!("{} | {}", names(&body.references), names(&body.depends_on))
    }

    fn addresses(&self) -> Vec<&str> {
        self.bodies.keys().map(String::as_str).collect()
    }
}

fn output(text: &str, path: Option<&str>, answers: Answers<'_>) -> Result<Output, String> {
    let mut specification = open(text)?;
    let show = |specification: &dyn Specification, errors: Vec<pravo_diag::Diagnostic>| {
        render_all(&errors, specification.sources(), pravo_diag::Style::default())
    };
    specification.want_output(path).map_err(|errors| show(&*specification, errors))?;
    drive(&mut *specification, answers)?;
    specification.output(path).map_err(|errors| show(&*specification, errors))
}

#[test]
fn a_resource_is_told_after_its_instance() {
    let told = tell("pet: $random.#Resource.random_pet & {length: 2, $lifecycle: create_before_destroy: true}", &no_answer);
    assert_eq!(told.order.last().unwrap(), "pet");
    let body = told.body("pet");
    assert_eq!((&*body.type_name, &body.config), ("random_pet", &Value::object([("length", Value::integer(2))])));
    assert!(body.meta.create_before_destroy);
    let instance = &told.instances["$random"];
    assert_eq!((instance.binding.package.as_str(), instance.id), ("pravo.dev/providers/hashicorp/random", body.instance));
}

#[test]
fn a_reference_is_a_dependency_and_carries_its_value() {
    let text = "pet: $random.#Resource.random_pet & {length: 2}\nnote: $local.#Resource.local_file & {filename: \"n\", content: \"pet: \\(pet.id)\"}\ngreeting: \"hello, \\(pet.id)\"";
    let told = tell(text, &unknown);
    assert_eq!(told.asked, ["pet.id"]);
    assert_eq!(told.body("note").config.attribute("content"), &Value::Unknown);
    assert_eq!(told.edges("note"), "pet | ");
    let told = tell(text, &|_| known("clever-fox"));
    assert_eq!(told.body("note").config.attribute("content"), &"pet: clever-fox".into());
    assert_eq!(output(text, Some("greeting"), &|_| known("fox")).unwrap().value, "hello, fox".into());
}

#[test]
fn configured_attributes_read_as_configured_and_count_as_edges() {
    let text = "pet: $random.#Resource.random_pet & {length: 2}\nother: $random.#Resource.random_pet & {length: pet.length}\nlet l = other.length\nthird: $random.#Resource.random_pet & {length: l + 1}\nplain: third.length\nfourth: $random.#Resource.random_pet & {length: plain}";
    let told = tell(text, &no_answer);
    assert_eq!(told.edges("other"), "pet | ");
    assert_eq!(told.edges("third"), "other | ");
    assert_eq!(told.edges("fourth"), "third | ");
    assert_eq!(told.body("fourth").config.attribute("length"), &Value::integer(3));
}

const SITES: &str = r#"
#Site: {
	name:   string
	$here: loc.#Provider
	page: $here.#Resource.local_file & {
		filename: "site/\(name).html"
		content:  "<h1>\(name)</h1>"
	}
}
sites: [Name=_]: #Site & {name: Name}
sites: {
	blue: _
	green: _
}
owner: $random.#Resource.random_pet & {
	length: 1
	_salt: $random.#Resource.random_id & {byte_length: 4}
	prefix: _salt.hex
}
first: sites.blue.page
pages: [for s in sites {s.page}]
files: [for p in pages {p.filename}]
"#;

#[test]
fn aliases_are_no_resources_and_nested_ones_are() {
    let told = tell(SITES, &unknown);
    assert_eq!(told.addresses(), ["owner", "owner._salt", "sites.blue.page", "sites.green.page"]);
    assert_eq!(told.edges("owner"), "owner._salt | ");
    assert_eq!(told.body("sites.blue.page").config.attribute("content"), &"<h1>blue</h1>".into());
    assert_eq!(told.instances.len(), 5);
    let files = output(SITES, Some("files"), &unknown).unwrap().value;
    assert_eq!(files, Value::List(vec!["site/blue.html".into(), "site/green.html".into()]));
}

#[test]
fn copies_are_refused() {
    check_refused(&format!("{SITES}twin: owner & {{length: 1}}"), &unknown, &["copies owner; make it a definition", "main.cue:"]);
    let web = "web: {server: $random.#Resource.random_pet & {length: 1}}\n";
    check_refused(&format!("{web}prod: web & {{x: 1}}"), &unknown, &["; make it a definition"]);
    let told = tell("base: {n: 3}\nweb: base & {server: $random.#Resource.random_pet & {length: n}, n: int}", &unknown);
    assert_eq!(told.addresses(), ["web.server"]);
}

#[test]
fn resources_come_from_comprehensions_lists_and_hidden_fields() {
    let text = "for n in [\"a\", \"b-c\"] {(n): $random.#Resource.random_pet & {length: 1}}\nservers: [for i in [1, 2] {$random.#Resource.random_pet & {length: i}}]\n_hidden: x: $random.#Resource.random_pet & {length: 1}\n#Not: $random.#Resource.random_pet & {length: 1}\nlet not = $random.#Resource.random_pet & {length: 1}\nn: not.length\nother?: $random.#Resource.random_pet & {length: 1}";
    let told = tell(text, &no_answer);
    assert_eq!(told.addresses(), ["\"b-c\"", "_hidden.x", "a", "servers[0]", "servers[1]"]);
}

#[test]
fn depends_on_is_read_by_where_it_points() {
    let text = "old: {\n\ta: $local.#Resource.local_file & {filename: \"a.txt\", content: \"a\"}\n\tb: $local.#Resource.local_file & {filename: \"b.txt\", content: \"b\", $depends_on: [a]}\n\tc: $local.#Resource.local_file & {filename: \"c.txt\", $depends_on: [old, pet.id, alias]}\n}\nalias: old.b\npet: $random.#Resource.random_pet & {length: 2}";
    let told = tell(text, &no_answer);
    assert_eq!(told.edges("old.b"), " | old.a");
    assert_eq!(told.edges("old.c"), " | old.a old.b pet");
    check_refused(
        "x: $random.#Resource.random_pet & {$depends_on: [\"pet\"]}",
        &unknown,
        &["x: an element of $depends_on refers to no resource", "main.cue:13:50"],
    );
}

#[test]
fn groups_move_what_lies_below() {
    let told = tell(
        "new: {\n\t$from: \"old\"\n\ta: $local.#Resource.local_file & {filename: \"a.txt\"}\n\tb: $local.#Resource.local_file & {filename: \"b.txt\", $from: \"other\"}\n}",
        &no_answer,
    );
    assert_eq!(told.groups, ["new from old"]);
    let from = |address: &str| told.body(address).meta.from.clone().map(|moved| (moved.from.to_string(), moved.group));
    assert_eq!(from("new.a"), Some(("old.a".into(), true)));
    assert_eq!(from("new.b"), Some(("other".into(), false)));
}

#[test]
fn a_closed_group_embeds_the_meta_package() {
    let text = "import \"pravo.dev/meta\"\n";
    let with = |group: &str| {
        format!("#Web: {{{group}name: string, a: $local.#Resource.local_file & {{filename: name}}}}\nweb: #Web & {{$from: \"old\", name: \"x\"}}")
    };
    check_refused(&with(""), &unknown, &["$from"]);
    let directory = tempfile::tempdir().unwrap();
    let body = format!("{}{}", HEAD.replace("import (", &format!("{text}import (")), with("meta.#Group, "));
    std::fs::write(directory.path().join("main.cue"), body).unwrap();
    let root = Root::load(directory.path(), &Options::default()).unwrap();
    let mut specification = root.start(&schemas).unwrap();
    let told = drive(&mut *specification, &unknown).unwrap();
    assert_eq!(told.groups, ["web from old"]);
}

#[test]
fn meta_fields_are_checked_where_they_stand() {
    let file =
        |meta: &str| format!("pet: $random.#Resource.random_pet & {{length: 1}}\nnote: $local.#Resource.local_file & {{filename: \"n\", {meta}}}");
    check_refused(&file("$lifecycle: refresh: \"soon\""), &unknown, &["note: $lifecycle.refresh: \"soon\" is not a refresh age", "main.cue:14:74"]);
    check_refused(
        &file("$lifecycle: ignore_changes: [\"contents\"]"),
        &unknown,
        &["there is no attribute \"contents\"", "did you mean \"content\"?", "main.cue:14:"],
    );
    check_refused(&file("$lifecycle: ignore_changes: [\"*\", \"content\"]"), &unknown, &["stands alone"]);
    check_refused(&file("$lifecycle: prevent_destroys: true"), &unknown, &["prevent_destroys", "main.cue:14:"]);
    check_refused(&file("$import: pet.id"), &unknown, &["note: $import must be known when planning, but it needs pet.id", "main.cue:14:"]);
    let told = tell(&file("$import: pet.id"), &|_| known("abc"));
    assert_eq!(told.body("note").meta.import.as_deref(), Some("abc"));
}

#[test]
fn presence_must_be_known() {
    let text = "other: $random.#Resource.random_pet & {length: 1}\n\nif other.id != \"x\" {\n\tnote: $local.#Resource.local_file & {filename: \"other.txt\", content: \"\"}\n}";
    check_refused(text, &unknown, &["other.id", "note", "main.cue:15:"]);
    assert_eq!(tell(text, &|_| known("y")).addresses(), ["note", "other"]);
    assert_eq!(tell(text, &|_| known("x")).addresses(), ["other"]);
    let plain = "other: $random.#Resource.random_pet & {length: 1}\nif other.id != \"x\" {greeting: \"hi\"}";
    assert_eq!(tell(plain, &unknown).addresses(), ["other"]);
    let inside = "other: $random.#Resource.random_pet & {length: 1}\npet: $random.#Resource.random_pet & {if other.id == \"x\" {length: 3}}";
    check_refused(inside, &unknown, &["pet", "other.id", "main.cue:14:"]);
}

#[test]
fn presence_below_an_attribute_makes_it_unknown() {
    let text = "pet: $random.#Resource.random_pet & {length: 1}\ns: $cloud.#Resource.cloud_server & {name: \"s\", tags: \"\\(pet.id)\": \"x\", disks: [if pet.id == \"x\" {size: 1}], zones: [\"b\", \"a\", \"b\"]}";
    let body = tell(text, &unknown).body("s").config.clone();
    assert_eq!((body.attribute("tags"), body.attribute("disks")), (&Value::Unknown, &Value::Unknown));
    assert_eq!(body.attribute("zones"), &Value::List(vec!["a".into(), "b".into()]));
    let body = tell(text, &|_| known("x")).body("s").config.clone();
    assert_eq!(body.attribute("tags"), &Value::object([("x", "x")].map(|(key, value)| (key, Value::from(value)))));
}

#[test]
fn cycles_name_every_address() {
    let text = "a: $random.#Resource.random_pet & {keepers: k: b.id}\nb: $random.#Resource.random_pet & {keepers: k: c.id}\nc: $random.#Resource.random_pet & {keepers: k: a.id}\nd: $random.#Resource.random_pet & {keepers: k: a.id}";
    let error = refused(text, &unknown);
    assert!(error.starts_with("\nError: cycle: a -> b -> c -> a\n"), "{error}");
}

#[test]
fn templates_have_no_attributes_to_read() {
    let text = "#Pet: $random.#Resource.random_pet & {length: 1}\nname: #Pet.id\n";
    check_refused(text, &unknown, &["#Pet.id is read, but #Pet is a template", "main.cue:14:7"]);
    let text = "#Web: {srv: $random.#Resource.random_pet & {length: 1}, name: srv.id}\nweb: #Web";
    assert_eq!(tell(text, &unknown).asked, ["web.srv.id"]);
}

#[test]
fn instances_have_configuration_and_dependencies() {
    let text = "tok: $cloud.#Ephemeral.cloud_token & {name: \"t\"}\npet: $random.#Resource.random_pet & {length: 1}\n$other: cld.#Provider & {region: pet.id, token: tok.value, $allow: net: [\"x\"]}\ns: $other.#Resource.cloud_server & {name: \"s\", secret: tok.value}";
    let answers = |question: &str| match question {
        "tok.value" => Answer::Unknown { sensitive: false, ephemeral: true },
        _ => unknown(question),
    };
    let told = tell(text, &answers);
    let instance = &told.instances["$other"];
    assert_eq!(instance.binding.allow, r#"{"net":["x"]}"#);
    assert_eq!(instance.config, Value::object([("region", Value::Unknown), ("token", Value::Unknown)]));
    let texts: Vec<String> = instance.dependencies.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["pet", "tok"]);
    assert_eq!(instance.ephemeral[0].to_string(), "token");
    assert_eq!(told.body("s").ephemeral[0].to_string(), "secret");
    check_refused(
        &text.replace("secret: tok", "name: tok").replace("name: \"s\", ", ""),
        &answers,
        &["s.name: an ephemeral value would be stored here", "main.cue:16:"],
    );
}

#[test]
fn sensitive_values_are_marked_wherever_they_go() {
    let text = "f: $local.#Resource.local_sensitive_file & {filename: \"f\", content: \"secret\"}\ng: $local.#Resource.local_file & {filename: \"g\", content: \"x\\(f.content)\"}\nplain: f.content\nn: len(f.content)\nif f.content == \"secret\" {guarded: 1}";
    let told = tell(text, &unknown);
    assert_eq!(told.body("g").sensitive[0].to_string(), "content");
    for path in ["plain", "n", "guarded"] {
        assert_eq!(output(text, Some(path), &unknown).unwrap().sensitive.len(), 1, "{path}");
    }
    let all = |more: &str| {
        let paths = output(&format!("{text}\n{more}"), None, &unknown).unwrap().sensitive;
        paths.iter().map(ToString::to_string).filter(|path| !path.starts_with("f.") && !path.starts_with("g.")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(all(""), "guarded n plain");
    assert_eq!(all("d: {if f.content != \"\" {z: 1}, w: 2}\ne: len(d)"), "d.z e guarded n plain");
    assert_eq!(all("d: {\"\\(f.content)\": 1}\nl: [if n > 1 {1}]\nk: {for k, v in d {(k): 1}}"), "d guarded k l n plain");
    let body = "h: $local.#Resource.local_file & {filename: \"h\", if f.content != \"\" {content: \"c\"}}";
    assert_eq!(tell(&format!("{text}\n{body}"), &unknown).body("h").sensitive[0].to_string(), "content");
}

#[test]
fn a_body_says_that_what_it_reads_has_failed() {
    let text = "pet: $random.#Resource.random_pet & {length: 2}\nfile: $local.#Resource.local_file & {filename: \"\\(pet.id).txt\", content: \"x\"}\nother: $random.#Resource.random_pet & {length: 3}";
    let told = tell(text, &|_| Answer::Failed);
    let failed: Vec<&str> = told.bodies.values().filter(|body| body.reads_failed).map(|body| body.address.as_str()).collect();
    assert_eq!(failed, ["file"]);
}

#[test]
fn functions_are_called_with_known_arguments() {
    let text = "pet: $random.#Resource.random_pet & {length: 1}\nd: ($cloud.#Function.join & {left: \"a\", right: \"b\"}).result\ne: ($cloud.#Function.join & {left: \"a\", right: pet.id}).result\nx: $random.#Resource.random_pet & {prefix: d}\ny: $random.#Resource.random_pet & {prefix: e}";
    let told = tell(text, &|question| if question.starts_with("join") { known("ab") } else { unknown(question) });
    assert_eq!(told.asked.iter().filter(|question| question.starts_with("join")).count(), 1);
    assert_eq!(told.body("x").config.attribute("prefix"), &"ab".into());
    assert_eq!(told.body("y").config.attribute("prefix"), &Value::Unknown);
    assert_eq!(told.edges("y"), "pet | ");
    let text = "pet: $random.#Resource.random_pet & {prefix: \"p\"}\nf: $local.#Resource.local_sensitive_file & {filename: \"f\", content: \"s\"}\nx: $random.#Resource.random_pet & {prefix: ($cloud.#Function.join & {left: f.content, right: pet.prefix}).result}";
    let told = tell(text, &|_| known("sp"));
    assert_eq!((told.edges("x").as_str(), told.body("x").sensitive.len()), ("f pet | ", 1));
}

#[test]
fn broken_specifications_are_refused_with_place_and_path() {
    let pet = |body: &str| format!("pet: $random.#Resource.random_pet & {{{body}}}");
    check_refused(&pet("lenght: 1"), &unknown, &["lenght", "main.cue:13:38"]);
    check_refused(&pet("length: \"x\""), &unknown, &["main.cue:13:"]);
    check_refused("f: $local.#Resource.local_file & {content: \"\"}", &unknown, &["filename", "main.cue:13:"]);
    check_refused("pet: $random.#Resource.random_cat & {}", &unknown, &["random_cat", "main.cue:13:"]);
    check_refused("x: 1 & 2", &unknown, &["main.cue:13:"]);
    check_refused("pet: $random.#Resource.random_pet & $random.#Resource.random_id & {byte_length: 1}", &unknown, &["pet"]);
    check_refused("pet: $random.#Resource.random_pet & {length: int}", &unknown, &["pet.length: the value is not concrete: int"]);
}

#[test]
fn the_whole_output_has_no_instances_and_no_hidden_fields() {
    let text = "_h: 1\n#D: 2\nx: 3\nname: string\npet: $random.#Resource.random_pet & {length: 2}";
    let told = output(text, None, &|question| if question == "pet.id" { known("fox") } else { known(Value::Null) }).unwrap();
    assert_eq!(told.value.attribute("x"), &Value::integer(3));
    assert_eq!(told.value.attribute("pet").attribute("id"), &"fox".into());
    assert_eq!(told.value.as_map().unwrap().keys().cloned().collect::<Vec<_>>(), ["pet", "x"]);
    assert!(output(text, Some("pte"), &unknown).unwrap_err().contains("did you mean \"pet\"?"));
}

/// Chains of ten, from a definition and a comprehension, over two instances.
fn chains(count: usize) -> String {
    format!(
        "$second: rnd.#Provider\n#Chain: {{\n\tp:  rnd.#Provider\n\tn0: p.#Resource.random_pet & {{length: 1, prefix: \"start\"}}\n{}}}\nchains: [for i in list.Range(0, {}, 1) {{#Chain & {{p: $second}}}}]\n",
        (1..10).map(|i| format!("\tn{i}: p.#Resource.random_pet & {{length: {i}, prefix: n{}.id}}\n", i - 1)).collect::<String>(),
        count / 10,
    )
}

#[test]
fn work_grows_with_the_number_of_resources() {
    let sizes: Vec<usize> = std::env::var("PRAVO_SCALE").map_or(vec![100, 1_000], |text| text.split(',').map(|size| size.parse().unwrap()).collect());
    for size in sizes {
        let text = chains(size);
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("main.cue"), format!("{}{text}", HEAD.replace("import (", "import (\n\t\"list\""))).unwrap();
        let root = Root::load(directory.path(), &Options::default()).unwrap();
        let start = std::time::Instant::now();
        let mut specification = root
            .start(&schemas)
            .unwrap_or_else(|rejected| panic!("{}", render_all(&rejected.diagnostics, &rejected.sources, pravo_diag::Style::default())));
        let told = drive(&mut *specification, &|question| known(question)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(told.bodies.len(), size);
        assert_eq!(told.edges("chains[3].n7"), "chains[3].n6 | ");
        println!("{size}: {:?}, {:?} each", start.elapsed(), start.elapsed() / u32::try_from(size).unwrap());
    }
}

#[test]
fn addresses_and_presence_are_no_secrets() {
    let secret = "f: $local.#Resource.local_sensitive_file & {filename: \"f\", content: \"hunter2\"}\n";
    check_refused(
        &format!("{secret}g: \"\\(f.content)\": $random.#Resource.random_pet & {{length: 1}}"),
        &unknown,
        &["is made from a sensitive value", "main.cue:14:"],
    );
    assert!(
        !refused(&format!("{secret}g: \"\\(f.content)\": $random.#Resource.random_pet & {{length: 1}}"), &unknown)
            .split("main.cue")
            .next()
            .unwrap()
            .contains("hunter2")
    );
    check_refused(
        &format!("{secret}if f.content != \"\" {{g: $random.#Resource.random_pet & {{length: 1}}}}"),
        &unknown,
        &["is made from a sensitive value"],
    );
    let guarded =
        tell("pet: $random.#Resource.random_pet & {length: 2}\nif pet.length > 1 {g: $random.#Resource.random_pet & {length: 1}}", &no_answer);
    assert_eq!(guarded.edges("g"), "pet | ");
}

#[test]
fn settings_are_evaluated_before_anything_else() {
    let specification = open("$settings: {refresh: \"15m\", parallelism: 2 + 2, state: redb: path: \"\\(name).state\"}\nname: \"x\"").unwrap();
    let settings = specification.settings();
    assert_eq!((settings.refresh.to_string().as_str(), settings.parallelism, settings.state.as_str()), ("15m", 4, "x.state"));
    check_refused("$settings: refrehs: \"15m\"", &unknown, &["$settings has no field \"refrehs\"", "did you mean \"refresh\"?", "main.cue:13:"]);
    check_refused(
        "$settings: parallelism: pet.length\npet: $random.#Resource.random_pet & {prefix: \"x\"}",
        &unknown,
        &["$settings.parallelism", "main.cue:13:"],
    );
}

#[test]
fn versions_that_come_from_elsewhere_are_refused() {
    check_refused(
        "_base: $version: \">=1\"\n$more: rnd.#Provider & _base\npet: $more.#Resource.random_pet & {length: 1}",
        &unknown,
        &["$more.$version comes from elsewhere"],
    );
    assert_eq!(tell("$more: rnd.#Provider & {$version: \">=1\"}\npet: $more.#Resource.random_pet & {length: 1}", &unknown).addresses(), ["pet"]);
}

#[test]
fn a_label_that_is_not_known_is_no_address() {
    let pet = "pet: $random.#Resource.random_pet & {length: 1}\n";
    let more = ["g: \"\\(pet.id)\": $random.#Resource.random_pet & {length: 1}", "(pet.id): a: $random.#Resource.random_pet & {length: 1}"];
    for text in more {
        check_refused(&format!("{pet}{text}"), &unknown, &["exists must be known when planning", "pet.id", "main.cue:14:"]);
    }
    let told = tell(&format!("{pet}\"\\(pet.id)\": \"plain\"\nx: $random.#Resource.random_pet & {{length: 2}}"), &unknown);
    assert_eq!(told.addresses(), ["pet", "x"]);
}

#[test]
fn plain_fields_that_refer_to_resources_stand_for_them() {
    let text = "pet: $random.#Resource.random_pet & {length: 1}\nal: pet\nb: pet.id\nls: [pet, {pet}]\nc: z: pet\n";
    for element in ["b", "al", "ls", "ls[1]", "c", "for x in ls {x}", "if true {pet}"] {
        let told = tell(&format!("{text}w: $random.#Resource.random_pet & {{$depends_on: [{element}]}}"), &unknown);
        assert_eq!(told.edges("w"), " | pet", "{element}");
    }
    check_refused(&format!("{text}n: 1\nw: $random.#Resource.random_pet & {{$depends_on: [n]}}"), &unknown, &["refers to no resource"]);
}
