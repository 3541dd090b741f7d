//! Values that depend on themselves: what they are, and which error they are.

use super::*;

/// The code of the error at a path, or the value there.
fn outcome(source: &str, path: &str) -> String {
    let (mut session, _) = start(&[source], Vec::new());
    let root = session.root();
    session.want(root, Want::Final);
    assert_eq!(session.run().unwrap(), Turn::Done);
    let node = at(&mut session, path);
    match session.errors(node).first() {
        Some((node, _)) => format!("{:?}", session.error_code(*node).unwrap()),
        None => line(&session.tree(node).unwrap()),
    }
}

fn check(source: &str, expected: &[(&str, &str)]) {
    for (path, expected) in expected {
        assert_eq!(&outcome(source, path), expected, "{path} of {source}");
    }
}

#[test]
fn a_circle_in_which_nothing_is_known_is_a_cycle() {
    check("a: b - 100, b: a + 100", &[("a", "Cycle"), ("b", "Cycle")]);
    check("n: {min: <max, max: >min}", &[("n.min", "Cycle"), ("n.max", "Cycle")]);
    check("a: *1 | int, a: b + 1, b: <a", &[("a", "Cycle"), ("b", "Cycle")]);
    check("x: (y & 8) | (z & 9), y: w + 2, z: y + 2, w: (6 & (x - 2)) | (z & 9)", &[("x", "Cycle"), ("w", "Cycle")]);
}

#[test]
fn a_circle_of_values_of_known_kinds_is_incomplete() {
    check("a: float & b - 1.0, b: float & a + 1.0", &[("a", "Incomplete"), ("b", "Incomplete")]);
    check("a: b - 1.0, b: a + 1.0, a: <5", &[("a", "Incomplete"), ("b", "Incomplete")]);
    check("a: string & \"\\(b)x\", b: string & \"\\(a)y\"", &[("a", "Incomplete")]);
}

#[test]
fn calls_that_read_each_others_results_are_no_cycle() {
    for call in ["(f & {in: K}).out", "{(f & {in: K}).out}", "{close((f & {in: K})).out}", "{out: {(f & {in: K}).out}}.out"] {
        let mut source = String::from("f: {in: number, out: in}, k0: 0");
        for index in 1..6 {
            source.push_str(&format!(", k{index}: {}", call.replace('K', &format!("k{}", index - 1))));
        }
        check(&source, &[("k5", "0")]);
    }
    check("f: {n: int, out: (f & {n: n - 1}).out}", &[("f.out", "Structural")]);
}

#[test]
fn what_is_selected_from_a_let_of_an_ancestor_is_the_ancestors() {
    check("a: {b: 1, let X = a, c: X.b}", &[("a.c", "1")]);
    check("a: {b: 1, let X = a, c: X}", &[("a.c", "Structural")]);
    check("p: {let P = {p}, x: _, P.x}", &[("p", "{x: _}")]);
    check("x: {{p: {x: p, y: 1}}.p.x.y}", &[("x", "1")]);
    check("@experiment(aliasv2)\nx: {let R = self, a: R.a, b: {c: R.d}, d: 2}", &[("x", "{a: _, b: {c: 2}, d: 2}")]);
}

#[test]
fn fields_that_were_gone_through_stay_the_only_ones() {
    check("a: {x: 1, for k, v in a {(k + \"q\"): v}}", &[("a", "Eval")]);
    check("a: {x: int, for k, v in a {(k): 1}}", &[("a", "{x: 1}")]);
    check("a: {x: 1, for k, v in a {y: v}}", &[("a", "{x: 1, y: 1}")]);
    check("b: {a: {p: \"\", c: [for k, v in b for _, w in v.c {k}]}}", &[("b.a.c", "Incomplete")]);
    check("l: [for k, v in l {k}]", &[("l", "Incomplete")]);
    check("l: [for i, _ in l {id: i}], l: [{}, {}]", &[("l", "[{id: 0}, {id: 1}]")]);
}

#[test]
fn a_selection_from_an_open_choice_is_incomplete() {
    check("x: {a: int} & ({a: 1} | {a: 2}), y: x.a", &[("y", "Incomplete")]);
    check("x: {a: 1, b: int} & (*{b: 1} | {b: 2}), y: x.b", &[("y", "1")]);
}

#[test]
fn absences_in_a_longer_circle_are_not_assumed() {
    let parts = ["y: \"\\(x.p)\"", "z: {if y != _|_ {p: y}}", "x: {if z.p == _|_ {p: \"\"}, if z.p != _|_ {p: z.p}}"];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let source = order.map(|index| parts[index]).join(", ");
        assert_ne!(outcome(&source, "x"), "{p: \"\"}", "{source}");
    }
}

/// The path that the error at a path names.
fn place(source: &str, path: &str) -> String {
    let (mut session, _) = start(&[source], Vec::new());
    let root = session.root();
    session.want(root, Want::Final);
    session.run().unwrap();
    let node = at(&mut session, path);
    let node = session.errors(node).first().expect("an error").0;
    session.error_path(node).unwrap()
}

#[test]
fn structural_cycles_are_reported_where_their_reference_is_written() {
    for (source, path, expected) in [
        ("a: b: a", "a", "a.b"),
        ("a: b, b: {d: c}, c: a", "a", "c"),
        ("a: b, b: close({d: c}), c: a", "a", "c"),
        ("x: {a: b, b: c, c: {d: a}}", "x", "x.c.d"),
        ("d: {a: b: c: {h: int, t: r}, r: a.b}", "d.a.b.c.t", "d.r"),
        ("#l: {tail: #l, if tail != null {s: tail.s}}, u: #l, u: tail: tail: {}", "u", "#l.tail"),
        ("#T: {a: [string]: link: #T, a: b: {}}, a: #T & {a: one: link: a: two: {}}", "a", "#T.a.b.link"),
    ] {
        assert_eq!(place(source, path), expected, "{source}");
    }
}

#[test]
fn what_a_choice_is_made_for_reads_what_is_written() {
    let source = "x: y & 8 | z & 9 | w & 9, y: v + 2, v: 6 & x - 2, z: y + 1, w: y + 2, x: 9";
    check(source, &[("x", "9"), ("y", "8"), ("z", "9"), ("w", "10"), ("v", "Eval")]);
    check("x: y & 8 | z & 9, y: v + 2, v: 6 & x - 2, z: y + 1, x: 8", &[("x", "8"), ("y", "8"), ("v", "6")]);
}

#[test]
fn a_call_on_what_it_stands_in_may_give_what_else_says() {
    check("f: {in: a: _, out: in.a}, r: a: (f & {in: r}).out", &[("r", "{a: _}")]);
    check("r: a: {in: r, in: a: _, o: in.a}.o, r: a: 1", &[("r", "{a: 1}")]);
}
