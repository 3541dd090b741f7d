use super::*;
use crate::Ask;

const RANDOM: &str = r#"package random
#Provider: {
	@host(provider)
	$version?: string
	#Resource: {
		random_pet: {
			@host(resource)
			keepers?: null | {[string]: string}
			length:   number | null
			prefix?:  string | null
			id:       string | null
			$depends_on?: [...] @reference()
			$lifecycle?: {create_before_destroy?: bool}
		}
		random_id: {
			@host(resource)
			byte_length!: number
			hex:          string | null
		}
		local_file: {
			@host(resource)
			filename!: string
			content?:  string | null
			id:        string | null
			rules?: [...{name!: string, id: string | null}]
			$depends_on?: [...] @reference()
		}
	}
	#Function: direxists: {
		@host(function)
		path!:  string
		result: bool | null
	}
}
"#;

fn hosted(body: &str) -> Session {
    let source = format!("package demo\nimport rnd \"random\"\n$random: rnd.#Provider\n{body}");
    start(&[&source], vec![("random", RANDOM)]).0
}

fn ask_text(session: &Session, ask: Ask) -> String {
    match session.question(ask).unwrap() {
        Question::Attribute { owner, path, .. } => {
            let path: Vec<String> = path.iter().map(|label| session.label_name(*label)).collect();
            format!("{}:{}", session.path(owner), path.join("."))
        }
        Question::Call { template, arguments } => format!("{}({})", session.path(template), line(&arguments)),
    }
}

fn run(session: &mut Session) -> Vec<(Ask, String)> {
    match session.run().unwrap() {
        Turn::Done => Vec::new(),
        Turn::Stuck => session.open_asks().into_iter().map(|ask| (ask, ask_text(session, ask))).collect(),
    }
}

fn texts(asks: &[(Ask, String)]) -> Vec<&str> {
    asks.iter().map(|(_, text)| text.as_str()).collect()
}

fn body(session: &Session, node: Node) -> String {
    match session.configured(node) {
        Outcome::Waiting(asks) => format!("waiting for {}", asks.len()),
        Outcome::Value(value) => line(&value),
        Outcome::Pending(kinds) => format!("pending {kinds}"),
        Outcome::Bottom(errors) => errors.iter().map(|error| error.summary.clone()).collect::<Vec<_>>().join("; "),
    }
}

#[test]
fn a_reference_to_a_computed_attribute_is_asked() {
    let mut session = hosted(
        "pet: $random.#Resource.random_pet & {length: 2}\nnote: $random.#Resource.local_file & {filename: \"n\", content: \"pet: \\(pet.id)\"}\ngreeting: \"hello, \\(pet.id)\"",
    );
    let root = session.root();
    session.want(root, Want::Final);
    let asks = run(&mut session);
    assert_eq!(texts(&asks), ["pet:id"]);
    let (pet, note, greeting) = (at(&mut session, "pet"), at(&mut session, "note"), at(&mut session, "greeting"));
    assert_eq!(session.host_kind(pet), Some("resource"));
    assert_eq!(session.owner(note), Some(note));
    assert_eq!(body(&session, pet), "{length: 2}");
    assert_eq!(body(&session, note), "waiting for 1");
    session.answer(asks[0].0, Answer::Known(Value::string("cat")), Marks { sensitive: true, ephemeral: false });
    assert!(run(&mut session).is_empty());
    assert_eq!(body(&session, note), "{filename: \"n\", content: \"pet: cat\"}");
    let instance = at(&mut session, "$random");
    assert_eq!(session.trace_all(note).owners, [instance, pet]);
    assert!(session.trace(greeting).marks.sensitive);
    assert_eq!(line(&session.tree(greeting).unwrap()), "\"hello, cat\"");
}

#[test]
fn unknown_is_pending_and_takes_no_default() {
    let mut session = hosted(
        "pet: $random.#Resource.random_pet & {length: 2}\na: (*\"a\" | string) & pet.id\nb: pet.id | *\"x\"\nc: \"\\(pet.id)!\"\nd: pet.id == \"x\"\ne: {p: pet.id}\nnote: $random.#Resource.local_file & {filename: pet.id}",
    );
    let root = session.root();
    session.want(root, Want::Final);
    let asks = run(&mut session);
    assert_eq!(texts(&asks), ["pet:id"]);
    session.answer(asks[0].0, Answer::Unknown, Marks::default());
    assert!(run(&mut session).is_empty());
    let shown: Vec<String> = ["a", "b", "c", "d", "e"]
        .iter()
        .map(|name| {
            let node = at(&mut session, name);
            line(&session.tree(node).unwrap())
        })
        .collect();
    assert_eq!(shown, ["<string>", "\"x\"", "<string>", "<bool>", "{p: <null|string>}"]);
    let note = at(&mut session, "note");
    assert_eq!(body(&session, note), "{filename: <string>}");
}

#[test]
fn an_alias_asks_the_original() {
    let mut session = hosted(
        "pet: $random.#Resource.random_pet & {length: 2}\nx: pet\nlist: [for p in [pet, x] {p}]\ng: {pet: $random.#Resource.random_pet & {length: 1}}\nh: g\nout: [x.id, list[1].id, h.pet.id]",
    );
    let root = session.root();
    session.want(root, Want::Final);
    let asks = run(&mut session);
    let (pet, x) = (at(&mut session, "pet"), at(&mut session, "x"));
    assert_eq!(session.owner(x), Some(pet));
    assert!(session.origins(x).iter().any(|origin| origin.target == pet && origin.bare));
    let mut seen = texts(&asks);
    seen.sort_unstable();
    assert_eq!(seen, ["g.pet:id", "pet:id"]);
}

#[test]
fn templates_become_resources_where_they_are_used() {
    let mut session = hosted(
        "#Site: {name: string, $p: rnd.#Provider, page: $p.#Resource.local_file & {filename: \"\\(name).html\"}}\nsites: [Name=_]: #Site & {name: Name}\nsites: {blue: _, green: _}\nowner: $random.#Resource.random_pet & {length: 1, _salt: $random.#Resource.random_id & {byte_length: 4}, prefix: _salt.hex}\npages: [for s in sites {s.page}]\nfiles: [for p in pages {p.filename}]",
    );
    let root = session.root();
    session.want(root, Want::Final);
    let asks = run(&mut session);
    assert_eq!(texts(&asks), ["owner._salt:hex"]);
    let files = at(&mut session, "files");
    assert_eq!(line(&session.tree(files).unwrap()), "[\"blue.html\", \"green.html\"]");
    let (page, first) = (at(&mut session, "sites.blue.page"), at(&mut session, "pages.0"));
    assert_eq!(session.owner(page), Some(page));
    assert_eq!(session.owner(first), Some(page));
    let salt = at(&mut session, "owner._salt");
    assert_eq!(session.owner(salt), Some(salt));
    assert_eq!(body(&session, salt), "{byte_length: 4}");
}

#[test]
fn depends_on_is_read_by_where_it_points() {
    let mut session = hosted(
        "pet: $random.#Resource.random_pet & {length: 2}\ng: {n: $random.#Resource.local_file & {filename: \"a\", $depends_on: [pet, pet.id]}}",
    );
    let root = session.root();
    session.want(root, Want::Final);
    assert!(run(&mut session).is_empty());
    let (list, pet) = (at(&mut session, "g.n.$depends_on"), at(&mut session, "pet"));
    assert!(session.is_reference_list(list));
    let first = at(&mut session, "g.n.$depends_on.0");
    assert_eq!(session.origins(first)[0].target, pet);
    let node = at(&mut session, "g.n");
    assert_eq!(body(&session, node), "{filename: \"a\"}");
}

#[test]
fn functions_are_called_once_their_arguments_are_known() {
    let mut session = hosted(
        "d: $random.#Function.direxists & {path: \"/x\"}\nok: d.result\npet: $random.#Resource.random_pet & {length: 1}\ne: $random.#Function.direxists & {path: pet.id}\nno: e.result",
    );
    let root = session.root();
    session.want(root, Want::Final);
    let asks = run(&mut session);
    let mut seen = texts(&asks);
    seen.sort_unstable();
    assert_eq!(seen, ["d({path: \"/x\"})", "pet:id"]);
    for (ask, text) in &asks {
        let answer = if text.starts_with("d(") { Answer::Known(Value::Bool(true)) } else { Answer::Unknown };
        session.answer(*ask, answer, Marks::default());
    }
    assert!(run(&mut session).is_empty());
    let (ok, no) = (at(&mut session, "ok"), at(&mut session, "no"));
    assert_eq!(line(&session.tree(ok).unwrap()), "true");
    assert_eq!(line(&session.tree(no).unwrap()), "<null|bool>");
}

#[test]
fn presence_that_hangs_on_an_unknown_is_reported() {
    let mut session =
        hosted("other: $random.#Resource.random_pet & {length: 1}\nif other.id != \"x\" {note: $random.#Resource.local_file & {filename: \"o\"}}");
    let root = session.root();
    session.want(root, Want::Final);
    let asks = run(&mut session);
    assert_eq!(texts(&asks), ["other:id"]);
    let other = at(&mut session, "other");
    assert_eq!(body(&session, other), "{length: 1}");
    assert_eq!(session.open_comprehensions(root).len(), 1);
    session.answer(asks[0].0, Answer::Unknown, Marks::default());
    assert!(run(&mut session).is_empty());
    let open = session.open_comprehensions(root);
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].asks, [asks[0].0]);
}

#[test]
fn a_cycle_through_resources_is_a_circle_of_questions() {
    let mut session =
        hosted("a: $random.#Resource.random_pet & {length: 1, keepers: k: b.id}\nb: $random.#Resource.random_pet & {length: 1, keepers: k: a.id}");
    let root = session.root();
    session.want(root, Want::Final);
    let asks = run(&mut session);
    let mut seen = texts(&asks);
    seen.sort_unstable();
    assert_eq!(seen, ["a:id", "b:id"]);
    let a = at(&mut session, "a");
    assert_eq!(body(&session, a), "waiting for 1");
}

#[test]
fn parts_of_configured_elements_are_asked_by_index() {
    let mut session =
        hosted("f: $random.#Resource.local_file & {filename: \"a\", rules: [{name: \"r\"}]}\nout: f.rules[0].id\nname: f.rules[0].name");
    let root = session.root();
    session.want(root, Want::Final);
    let asks = run(&mut session);
    assert_eq!(texts(&asks), ["f:rules.0.id"]);
    let f = at(&mut session, "f");
    assert_eq!(body(&session, f), "{filename: \"a\", rules: [{name: \"r\"}]}");
    session.answer(asks[0].0, Answer::Known(Value::string("i")), Marks::default());
    assert!(run(&mut session).is_empty());
    let out = at(&mut session, "out");
    assert_eq!(line(&session.tree(out).unwrap()), "\"i\"");
}

#[test]
fn results_of_functions_reach_other_hosted_nodes() {
    let mut session =
        hosted("d: ($random.#Function.direxists & {path: \"/x\"}).result\nf: $random.#Resource.random_pet & {length: 1, keepers: k: \"\\(d)\"}");
    let root = session.root();
    session.want(root, Want::Final);
    let asks = run(&mut session);
    assert_eq!(asks.len(), 1, "{asks:?}");
    for (ask, _) in &asks {
        session.answer(*ask, Answer::Known(Value::Bool(true)), Marks::default());
    }
    assert!(run(&mut session).is_empty());
    let f = at(&mut session, "f");
    assert_eq!(body(&session, f), "{keepers: {k: \"true\"}, length: 1}");
}

#[test]
fn a_result_decides_a_disjunction_of_its_reader() {
    let mut session = hosted("d: ($random.#Function.direxists & {path: \"/x\"}).result\nx: (bool | null) & d\ny: (*\"a\" | bool | null) & d");
    let root = session.root();
    session.want(root, Want::Final);
    let asks = run(&mut session);
    assert_eq!(asks.len(), 1, "{asks:?}");
    session.answer(asks[0].0, Answer::Known(Value::Bool(true)), Marks::default());
    assert!(run(&mut session).is_empty());
    let (x, y) = (at(&mut session, "x"), at(&mut session, "y"));
    assert_eq!(line(&session.tree(x).unwrap()), "true");
    assert_eq!(line(&session.tree(y).unwrap()), "true");
}

#[test]
fn an_element_that_embeds_a_reference_alone_is_an_alias() {
    let mut session = hosted(
        "pet: $random.#Resource.random_pet & {length: 1}\nall: [for p in [pet] {p}]\nother: $random.#Resource.random_pet & {length: pet.length}\nthird: $random.#Resource.random_pet & {length: other.length}",
    );
    let root = session.root();
    session.want(root, Want::Final);
    assert!(run(&mut session).is_empty());
    let (pet, element) = (at(&mut session, "pet"), at(&mut session, "all.0"));
    assert!(session.origins(element).iter().any(|origin| origin.bare));
    assert_eq!(session.owner(element), Some(pet));
    let (third, other, instance) = (at(&mut session, "third"), at(&mut session, "other"), at(&mut session, "$random"));
    assert_eq!(session.trace_all(third).owners, [instance, other]);
}

#[test]
fn an_attribute_of_both_kinds_takes_that_of_another() {
    let mut session = hosted(
        "a: $random.#Resource.random_pet & {}\nb: $random.#Resource.random_pet & {}\nc: $random.#Resource.random_pet & {length: a.length}\nout: c.length",
    );
    let root = session.root();
    session.want(root, Want::Final);
    let asks = run(&mut session);
    assert_eq!(texts(&asks), ["a:length", "c:length"]);
    for (ask, _) in &asks {
        session.answer(*ask, Answer::Unknown, Marks::default());
    }
    let c = at(&mut session, "c");
    run(&mut session);
    assert_eq!(body(&session, c), "{length: <null|number>}");
    let out = at(&mut session, "out");
    assert_eq!(line(&session.tree(out).unwrap()), "<null|number>");
}

#[test]
fn a_value_of_two_answers_asks_for_both() {
    let mut session = hosted(
        "a: $random.#Resource.random_pet & {}\nb: $random.#Resource.random_pet & {}\nc: $random.#Resource.random_pet & {length: a.length & b.length}",
    );
    let root = session.root();
    session.want(root, Want::Final);
    for expected in ["a:length", "b:length"] {
        let asks = run(&mut session);
        assert_eq!(texts(&asks), [expected]);
        session.answer(asks[0].0, Answer::Known(Value::integer(if expected == "a:length" { 1 } else { 2 })), Marks::default());
    }
    assert!(run(&mut session).is_empty());
    let c = at(&mut session, "c");
    assert_eq!(body(&session, c), "c.length: conflicting values 1 and 2");
}
