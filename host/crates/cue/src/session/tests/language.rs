use super::evaluate;

fn check(source: &str, expected: &str) {
    assert_eq!(evaluate(&[source]), expected, "{source}");
}

#[test]
fn scalars_and_references() {
    check("a: 1, b: a + 1, c: \"\\(b)!\"", "{a: 1, b: 2, c: \"2!\"}");
    check("a: b, b: a", "{a: _, b: _}");
    check("a: b & {x: 1}, b: a & {x: 1}", "{a: {x: 1}, b: {x: 1}}");
    check("a: 6/2, b: 7 & >3, c: 1 & int", "{a: 3.0, b: 7, c: 1}");
    check("a: b - 100, b: a + 100, b: 200", "{a: 100, b: 200}");
    check("a: 1 & 2", "a: conflicting values 1 and 2");
}

#[test]
fn definitions_are_closed() {
    check("#A: {a: int}, x: #A & {a: 1}", "{x: {a: 1}}");
    check("#A: {a: int}, x: #A & {b: 1}", "x.b: field not allowed");
    check("#A: {a: int, ...}, x: #A & {b: 1, a: 1}", "{x: {b: 1, a: 1}}");
    check("#A: {a: 1}, x: {#A, b: 1}", "{x: {a: 1, b: 1}}");
    check("#A: {a: 1}, x: {#A, b: 1} & {#A, c: 1}", "x.b: field not allowed; x.c: field not allowed");
    check("#A: {a: {b: 1}}, x: #A & {a: c: 1}", "x.a.c: field not allowed");
    check("#A: {[=~\"^x\"]: int}, x: #A & {x1: 1}", "{x: {x1: 1}}");
    check("x: close({a: 1}) & {b: 1}", "x.b: field not allowed");
}

#[test]
fn disjunctions_take_defaults() {
    check("a: *1 | int, b: a & 2, c: a + 1", "{a: 1, b: 2, c: 2}");
    check("a: {t: \"x\", v: 1} | {t: \"y\", w: 2}, b: a & {t: \"y\"}", "{a: struct, b: {t: \"y\", w: 2}}");
    check("a: (*1 | 2) & (1 | *2)", "{a: int}");
    check("a: 1 | 2, a: 3", "a: 3 is none of 1, 2");
}

#[test]
fn comprehensions_read_what_stands_beside_them() {
    check("a: {x: true, if x {y: 1}}", "{a: {x: true, y: 1}}");
    check("m: {p: 1, q: 2}, for k, v in m {\"n_\\(k)\": v}", "{m: {p: 1, q: 2}, n_p: 1, n_q: 2}");
    check("l: [for i in [1, 2, 3] if i > 1 {i * 10}]", "{l: [20, 30]}");
    check("a: {if b != _|_ {c: 1}, b?: int}", "{a: {}}");
}

#[test]
fn long_chains_do_not_overflow() {
    let mut source = String::from("n0: 1\n");
    for i in 1..10_000 {
        source.push_str(&format!("n{i}: n{} + 1\n", i - 1));
    }
    source.push_str("out: n9999\n");
    assert!(evaluate(&[&source]).ends_with("out: 10000}"));
}

#[test]
fn cycles_are_errors_not_hangs() {
    check("a: b: a", "a.b: structural cycle");
    check("#L: {v: int, next?: #L}, l: #L & {v: 1, next: v: 2}", "{l: {v: 1, next: {v: 2}}}");
}

#[test]
fn an_alias_means_the_struct_that_its_literal_ends_up_in() {
    check("#F: X={a: *1 | int, out: X.a * 2}, r: (#F & {a: 21}).out", "{r: 42}");
}

#[test]
fn a_reference_leaves_behind_what_closes_its_target_from_further_up() {
    check("#A: x: {y: 1}, a: #A, b: a.x & {z: 1}", "{a: {x: {y: 1}}, b: {y: 1, z: 1}}");
    check("#A: x: {y: 1}, b: #A.x & {z: 1}", "b.z: field not allowed");
    check("#B: {y: 1}, #A: x: #B, a: #A, b: a.x & {z: 1}", "b.z: field not allowed");
    check("#A: {x: {y: 1}, z: x & {w: 1}}, b: #A & {z: k: 1}", "b.z.k: field not allowed");
    check("#x: c: {d: {}, e: f: {}}, a: #x, a: c: e: a.c.d", "{a: {c: {d: {}, e: {f: {}}}}}");
    check("#f: {in: v: _, out: in.v}, #I: v: {m: 2}, #O: w: {j: 1, ...}, t: #O & {w: (#f & {in: #I}).out}", "{t: {w: {j: 1, m: 2}}}");
}

#[test]
fn what_a_literal_embeds_closes_it_at_every_level() {
    check("#Y: {}, a: {#Y, o: {n: 1}}, a: o: m: 2", "a.o.m: field not allowed");
    check("#Y: {}, a: {#Y, o: p: {n: 1}}, a: o: p: m: 2", "a.o.p.m: field not allowed");
    check("#Y: {}, a: {#Y, o: [{n: 1}]}, a: o: [{m: 2}]", "a.o[0].m: field not allowed");
    check("#Y: {...}, a: {#Y, o: {n: 1}}, a: o: m: 2", "{a: {o: {n: 1, m: 2}}}");
    check("#Y: {}, a: {#Y, o: {n: 1, ...}}, a: o: m: 2", "{a: {o: {n: 1, m: 2}}}");
    check("#Y: {}, a: {#Y, o: _}, a: o: m: 2", "{a: {o: {m: 2}}}");
    check("#Y: {}, #Z: {#Y, o: {n: 1}, ...}, a: #Z & {p: m: 2}", "{a: {o: {n: 1}, p: {m: 2}}}");
    check("#Y: {}, #Z: {#Y, o: {n: 1}}, a: {#Z, o: m: 2}", "{a: {o: {n: 1, m: 2}}}");
    check("Y: close({}), a: {Y, o: {n: 1}}, a: o: m: 2", "{Y: {}, a: {o: {n: 1, m: 2}}}");
}

#[test]
fn what_is_refused_is_named_once() {
    check("#A: {a: 1}, x: #A & {b: {c: {d: 1}}}", "x.b: field not allowed");
}

#[test]
fn a_branch_sees_its_own_node_as_the_branch() {
    check("c: d: c.e, c: {d: 1, e: 2} | {d: 2, e: 2}", "{c: {d: 2, e: 2}}");
    check("x: c.e, c: d: x, c: {d: 1, e: 2} | {d: 2, e: 2}", "{x: 2, c: {d: 2, e: 2}}");
    check("#f: {x: _, out: x}, c: {e: 1} | {e: 2}, c: g: (#f & {x: c.e}).out, c: g: 2", "{c: {e: 2, g: 2}}");
}

#[test]
fn repetitions_are_bounded() {
    check("a: \"ab\" * 2", "{a: \"abab\"}");
    check("a: 'a' * 200000000", "a: count 200000000 exceeds limit of 1000000");
}

#[test]
fn match_n_may_be_satisfied_later() {
    check("#J: matchN(1, [{r!: int, o?: s?: string}]), x: (#J & {o: _}).o", "{x: _}");
    check("a: {r: \"x\"} & matchN(1, [{r!: int}])", "a: invalid value: 0 of 1 constraints of matchN match");
}

#[test]
fn names_of_labels_and_lists() {
    check("@experiment(aliasv2)\na~(K,_): 1, b: K", "{a: 1, b: \"a\"}");
    check("@experiment(aliasv2)\n\"\\(\"in\")\"~(K,V): 1, b: V, c: K", "{in: 1, b: 1, c: \"in\"}");
    check("@experiment(aliasv2)\na: [1, self[0], [3, self[0]]]", "{a: [1, 1, [3, 3]]}");
    check("C=\"\\(x)y\": 5, c: C, x: \"x\"", "{xy: 5, c: 5, x: \"x\"}");
}

#[test]
fn an_equality_is_a_bound() {
    check("#a: ==1, b: #a & 1, c: #a & (1 | 2), d: =={x: 1} & {x: 1}, e: !=[1] & [2]", "{b: 1, c: 1, d: {x: 1}, e: [2]}");
    assert!(evaluate(&["a: ==\"x\" & \"y\""]).starts_with("a: "));
    assert!(evaluate(&["a: =={x: 1} & {x: 2}"]).starts_with("a: "));
    assert!(evaluate(&["a: !={x: 1} & {x: 1}"]).starts_with("a: "));
    assert!(evaluate(&["a: ==true"]).starts_with("a: invalid operand"));
    check("#a: ==1, b: #a & #a & 1, c: =~\"f\" & =~\"f\" & \"f\"", "{b: 1, c: \"f\"}");
}

#[test]
fn a_let_for_an_enclosing_node_is_that_node() {
    check(
        "#X: X={let this = X, hosts: [string]: _, for h, _ in this.hosts {out: (h): 1}}, x: #X & {hosts: a: {}}",
        "{x: {hosts: {a: {}}, out: {a: 1}}}",
    );
}

#[test]
fn arithmetic_on_itself_is_a_cycle() {
    assert!(evaluate(&["a: b + 100, b: a - 100"]).contains("cycle"));
}

#[test]
fn an_operand_with_an_error_elsewhere_is_an_error_in_a_comparison() {
    check("a: ({x: 1, y: 2} & {x: 3}).y == _|_, b: ({y: 2} & {x: 3}).y == _|_", "{a: true, b: false}");
}

#[test]
fn an_interpolated_label_may_have_an_alias() {
    check("b: \"bar\", X=\"\\(b)\": {a: 1}, c: X", "{b: \"bar\", bar: {a: 1}, c: {a: 1}}");
}

#[test]
fn a_cycle_below_a_closed_struct_is_a_cycle() {
    check("#X: {}, Y: x: #X & Y", "Y.x.x: structural cycle");
}

#[test]
fn a_discriminator_that_a_branch_gives_is_seen_by_what_waits_for_it() {
    let definitions = "#U: #One | #Two, #One: {kind: \"one\", one: 1}, #Two: {kind: \"two\", two: o?: string}, _d: two: two: o: \"set\"";
    check(&format!("{definitions}, u: {{two: {{}}}}, u: #U, u: _d[u.kind]"), "{u: {two: {o: \"set\"}, kind: \"two\"}}");
    check(&format!("{definitions}, u: {{two: {{}}}}, u: #U, u: *_d[u.kind] | _, v: u.two.o"), "{u: {two: {o: \"set\"}, kind: \"two\"}, v: \"set\"}");
}

#[test]
fn what_is_embedded_twice_is_embedded_once() {
    check("i: foo: a: 1, i: foo: #x, o: {i, i}, #x: {a: int} | *{b: 2}", "{i: {foo: {a: 1}}, o: {foo: {a: 1}}}");
}

#[test]
fn a_missed_reference_in_a_branch_discards_the_try() {
    check("@experiment(try)\na: {foo?: int, try {{x: foo?} | {x: 0}} else {fallback: -1}}", "{a: {fallback: -1}}");
}

#[test]
fn what_is_not_there_cannot_be_called() {
    check("a: b.x(1), b: {}", "a: cannot call a value that is not a function");
}

#[test]
fn an_empty_document_is_null_by_default() {
    let (mut session, _) = super::start(&["a: 1"], Vec::new());
    let root = session.root();
    let Ok(node) = session.inline_node(crate::program::NULL_BY_DEFAULT, 0, root) else { panic!("no node") };
    session.settle_now(node).expect("within the limits");
    assert_eq!(session.scalar(node), Some(crate::Value::Null));
}

#[test]
fn what_constrains_fields_makes_no_struct() {
    check("a: {1, [string]: int}, b: {[1], [string]: int}, c: {_, [string]: int} & 1, d: {_, x?: int} & 2", "{a: 1, b: [1], c: 1, d: 2}");
    check("a: {_, [string]: int} & {x: 1}, b: {[string]: int, if false {a: 1}}", "{a: {x: 1}, b: {}}");
}

#[test]
fn defaults_of_defaults_are_told_apart_by_all_leaves() {
    check("a: *\"a\" | string, b: *a | string, c: *b | string, c: \"a\" | \"b\" | \"c\"", "{a: \"a\", b: \"a\", c: \"a\"}");
    check("a: *1 | 2 | 3, b: *a | int, c: (*b | int) & (1 | 2 | 3 | 4)", "{a: 1, b: 1, c: 1}");
}
