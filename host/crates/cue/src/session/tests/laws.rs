//! Laws: order and grouping mean nothing, and evaluation is a function.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::export::tree::{Constraint, Content, Openness, Tree};
use crate::syntax::{Format, ast, format_file};

/// A value of a generated program.
#[derive(Clone, Debug)]
enum Term {
    Atom(&'static str),
    And(Vec<Term>),
    Or(Vec<(bool, Term)>),
    Struct(Vec<Declaration>),
    List(Vec<Term>),
}

/// What stands in a struct of one.
#[derive(Clone, Debug)]
enum Declaration {
    Field(&'static str, &'static str, Term),
    Pattern(Term),
    Embedding(Term),
    If(bool, &'static str, Term),
    For(Term),
}

const ATOMS: &[&str] = &["1", "2", "7", "\"x\"", "\"y\"", "true", "null", "int", "string", "number", "_", ">=0", "<5", "!=2", "=~\"^x\""];
const NAMES: &[&str] = &["a", "b", "c", "_h", "#d"];
const REFERENCES: &[&str] = &["#A", "#B"];

fn name() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(NAMES)
}

/// Terms. Defaults of disjunctions inside branches of others are not among them.
fn term() -> impl Strategy<Value = Term> {
    any_term().prop_map(|term| unmarked(&term, false))
}

/// A term without the marks of disjunctions inside disjunctions, or without any.
fn unmarked(term: &Term, inside: bool) -> Term {
    let inner = |term: &Term| unmarked(term, inside);
    match term {
        Term::Atom(atom) => Term::Atom(atom),
        Term::And(terms) => Term::And(terms.iter().map(inner).collect()),
        Term::Or(terms) => Term::Or(terms.iter().map(|(marked, term)| (*marked && !inside, unmarked(term, true))).collect()),
        Term::List(terms) => Term::List(terms.iter().map(inner).collect()),
        Term::Struct(declarations) => {
            let declaration = |declaration: &Declaration| match declaration {
                Declaration::Field(name, mark, term) => Declaration::Field(name, mark, inner(term)),
                Declaration::Pattern(term) => Declaration::Pattern(inner(term)),
                Declaration::Embedding(term) => Declaration::Embedding(inner(term)),
                Declaration::If(guard, name, term) => Declaration::If(*guard, name, inner(term)),
                Declaration::For(term) => Declaration::For(inner(term)),
            };
            Term::Struct(declarations.iter().map(declaration).collect())
        }
    }
}

fn any_term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        6 => proptest::sample::select(ATOMS).prop_map(Term::Atom),
        2 => proptest::sample::select(REFERENCES).prop_map(Term::Atom),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let declaration = prop_oneof![
            6 => (name(), proptest::sample::select(&["", "", "", "?", "!"][..]), inner.clone())
                .prop_map(|(name, mark, value)| Declaration::Field(name, mark, value)),
            1 => inner.clone().prop_map(Declaration::Pattern),
            2 => inner.clone().prop_map(Declaration::Embedding),
            1 => (any::<bool>(), name(), inner.clone()).prop_map(|(guard, name, value)| Declaration::If(guard, name, value)),
            1 => inner.clone().prop_map(Declaration::For),
        ];
        prop_oneof![
            2 => proptest::collection::vec(inner.clone(), 2..4).prop_map(Term::And),
            2 => proptest::collection::vec((any::<bool>(), inner.clone()), 2..4).prop_map(Term::Or),
            4 => proptest::collection::vec(declaration, 0..4).prop_map(Term::Struct),
            1 => proptest::collection::vec(inner, 0..3).prop_map(Term::List),
        ]
    })
}

/// The definitions that terms refer to: `#B` may refer to `#A`, and nothing to itself.
fn definitions() -> impl Strategy<Value = Vec<(&'static str, Term)>> {
    (term(), term()).prop_map(|(a, b)| vec![("#A", without(&unmarked(&a, true), REFERENCES)), ("#B", without(&unmarked(&b, true), &["#B"]))])
}

/// A term with some references taken out.
fn without(term: &Term, names: &[&str]) -> Term {
    let inner = |term: &Term| without(term, names);
    match term {
        Term::Atom(atom) if names.contains(atom) => Term::Atom("_"),
        Term::Atom(atom) => Term::Atom(atom),
        Term::And(terms) => Term::And(terms.iter().map(inner).collect()),
        Term::Or(terms) => Term::Or(terms.iter().map(|(marked, term)| (*marked, inner(term))).collect()),
        Term::List(terms) => Term::List(terms.iter().map(inner).collect()),
        Term::Struct(declarations) => Term::Struct(
            declarations
                .iter()
                .map(|declaration| match declaration {
                    Declaration::Field(name, mark, term) => Declaration::Field(name, mark, inner(term)),
                    Declaration::Pattern(term) => Declaration::Pattern(inner(term)),
                    Declaration::Embedding(term) => Declaration::Embedding(inner(term)),
                    Declaration::If(guard, name, term) => Declaration::If(*guard, name, inner(term)),
                    Declaration::For(term) => Declaration::For(inner(term)),
                })
                .collect(),
        ),
    }
}

/// Pseudo-random numbers, so that a shuffle can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count.max(1)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            let other = self.below(index + 1);
            items.swap(index, other);
        }
    }
}

/// The same term with operands, branches and declarations in another order.
fn shuffled(term: &Term, dice: &mut Dice) -> Term {
    match term {
        Term::Atom(atom) => Term::Atom(atom),
        Term::And(terms) => {
            let mut terms: Vec<Term> = terms.iter().map(|term| shuffled(term, dice)).collect();
            dice.shuffle(&mut terms);
            Term::And(terms)
        }
        Term::Or(terms) => {
            let mut terms: Vec<_> = terms.iter().map(|(marked, term)| (*marked, shuffled(term, dice))).collect();
            dice.shuffle(&mut terms);
            Term::Or(terms)
        }
        Term::List(terms) => Term::List(terms.iter().map(|term| shuffled(term, dice)).collect()),
        Term::Struct(declarations) => {
            let mut declarations: Vec<_> = declarations
                .iter()
                .map(|declaration| match declaration {
                    Declaration::Field(name, mark, term) => Declaration::Field(name, mark, shuffled(term, dice)),
                    Declaration::Pattern(term) => Declaration::Pattern(shuffled(term, dice)),
                    Declaration::Embedding(term) => Declaration::Embedding(shuffled(term, dice)),
                    Declaration::If(guard, name, term) => Declaration::If(*guard, name, shuffled(term, dice)),
                    Declaration::For(term) => Declaration::For(shuffled(term, dice)),
                })
                .collect();
            dice.shuffle(&mut declarations);
            Term::Struct(declarations)
        }
    }
}

/// A term as CUE.
fn text(term: &Term) -> String {
    let joined = |parts: Vec<String>, by: &str| parts.join(by);
    match term {
        Term::Atom(atom) => (*atom).to_owned(),
        Term::And(terms) => format!("({})", joined(terms.iter().map(text).collect(), " & ")),
        Term::Or(terms) => {
            let branch = |(marked, term): &(bool, Term)| format!("{}{}", if *marked { "*" } else { "" }, text(term));
            format!("({})", joined(terms.iter().map(branch).collect(), " | "))
        }
        Term::List(terms) => format!("[{}]", joined(terms.iter().map(text).collect(), ", ")),
        Term::Struct(declarations) => {
            let declaration = |declaration: &Declaration| match declaration {
                Declaration::Field(name, mark, term) => format!("{name}{mark}: {}", text(term)),
                Declaration::Pattern(term) => format!("[=~\"^[ab]$\"]: {}", text(term)),
                Declaration::Embedding(term) => text(term),
                Declaration::If(guard, name, term) => format!("if {guard} {{{name}: {}}}", text(term)),
                Declaration::For(term) => format!("for k in [\"a\", \"f\"] {{(k): {}}}", text(term)),
            };
            format!("{{{}}}", joined(declarations.iter().map(declaration).collect(), ", "))
        }
    }
}

fn program(definitions: &[(&str, Term)], fields: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (name, term) in definitions {
        let _ = writeln!(out, "{name}: {}", text(term));
    }
    for (name, value) in fields {
        let _ = writeln!(out, "{name}: {value}");
    }
    out
}

/// The value of a program as data.
fn tree(source: &str) -> Tree {
    let (mut session, sources) = start(&[source], Vec::new());
    let root = session.root();
    session.want(root, Want::Final);
    session.run().unwrap();
    crate::export::tree_of(&mut session, root, &sources).unwrap()
}

/// A value as text in which no order shows.
fn normal(tree: &Tree) -> String {
    let sorted = |mut parts: Vec<String>| {
        parts.sort();
        parts.dedup();
        parts.join(" ")
    };
    let core = match &tree.content {
        Content::Bottom(problem) => return if problem.code.is_incomplete() { "incomplete".into() } else { "error".into() },
        Content::Scalar(value) => line(value),
        Content::Struct => "struct".into(),
        Content::List { elements, rest } => {
            format!("[{}{}]", elements.iter().map(normal).collect::<Vec<_>>().join(", "), if rest.is_some() { " ..." } else { "" })
        }
        Content::Kinds(kinds) => kinds.to_string(),
        Content::Constraints { kinds, constraints } => {
            let constraint = |constraint: &Constraint| match constraint {
                Constraint::Bound { operator, operand } => format!("{operator:?} {}", normal(operand)),
                Constraint::Validator(text) => text.to_string(),
            };
            format!("{kinds} {}", sorted(constraints.iter().map(constraint).collect()))
        }
        Content::Disjunction { branches, defaults } => {
            let branch = |(index, branch): (usize, &Tree)| format!("{}({})", if index < *defaults { "*" } else { "" }, normal(branch));
            return sorted(branches.iter().enumerate().map(branch).collect());
        }
    };
    let field = |field: &crate::export::tree::Field| {
        let mark = match field.constraint {
            None => "",
            Some(ast::Constraint::Optional) => "?",
            Some(ast::Constraint::Required) => "!",
        };
        format!("{}{mark}: {}", field.name, normal(&field.value))
    };
    // An error in a part is one of the whole; where it shows may differ.
    let fields: Vec<String> = tree.fields.iter().map(field).collect();
    if core.contains("error") || tree.fields.iter().any(|field| field.constraint.is_none() && normal(&field.value) == "error") {
        return "error".into();
    }
    let closed = if tree.openness == Openness::Closed { " closed" } else { "" };
    format!("{core}{closed} {{{}}}", sorted(fields))
}

/// The value of the field `x` among definitions.
fn value(definitions: &[(&str, Term)], x: &str) -> String {
    let tree = tree(&program(definitions, &[("x", x)]));
    tree.field("x").map_or_else(|| "nothing".into(), |field| normal(&field.value))
}

proptest! {
    // The same programs in every run: what fails is found again.
    #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(17), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn unification_commutes(definitions in definitions(), a in term(), b in term()) {
        let (a, b) = (text(&a), text(&b));
        prop_assert_eq!(value(&definitions, &format!("{a} & {b}")), value(&definitions, &format!("{b} & {a}")));
    }

    #[test]
    fn unification_associates(definitions in definitions(), a in term(), b in term(), c in term()) {
        let (a, b, c) = (text(&a), text(&b), text(&c));
        prop_assert_eq!(
            value(&definitions, &format!("({a} & {b}) & {c}")),
            value(&definitions, &format!("{a} & ({b} & {c})"))
        );
    }

    #[test]
    fn unification_is_idempotent(definitions in definitions(), a in term()) {
        // By name: written out twice, `1 | >=0` has the branch `>=0 & 1` besides, which is the same set.
        let tree = tree(&program(&definitions, &[("t", &text(&a)), ("once", "t"), ("twice", "t & t & {t}")]));
        let value = |name: &str| tree.field(name).map(|field| normal(&field.value));
        prop_assert_eq!(value("once"), value("twice"));
    }

    #[test]
    fn order_means_nothing(definitions in definitions(), x in term(), seed in any::<u64>()) {
        let dice = &mut Dice(seed);
        let mut others: Vec<_> = definitions.iter().map(|(name, term)| (*name, shuffled(term, dice))).collect();
        dice.shuffle(&mut others);
        let before = tree(&program(&definitions, &[("x", &text(&x))]));
        let after = tree(&program(&others, &[("x", &text(&shuffled(&x, dice)))]));
        for name in ["#A", "#B", "x"] {
            let value = |tree: &Tree| tree.field(name).map(|field| normal(&field.value));
            prop_assert_eq!(value(&before), value(&after), "{}", name);
        }
    }

    #[test]
    fn evaluation_is_a_function(definitions in definitions(), x in term()) {
        let source = program(&definitions, &[("x", &text(&x))]);
        let options = crate::export::cue::Options { all: true };
        let show = || crate::export::cue::evaluated(&tree(&source), options, &[]);
        prop_assert_eq!(show(), show());
    }

    #[test]
    fn a_layout_is_a_fixed_point(definitions in definitions(), x in term()) {
        let source = program(&definitions, &[("x", &text(&x))]);
        let lay_out = |text: &str| {
            let mut sources = SourceMap::new();
            let file = sources.add("a.cue", text);
            let parsed = parse_file(&sources, file, &Options::default());
            assert!(parsed.diagnostics.is_empty(), "{text}");
            format_file(&parsed.file, text, Format::default())
        };
        let once = lay_out(&source);
        prop_assert_eq!(&lay_out(&once), &once);
        prop_assert_eq!(normal(&tree(&source)), normal(&tree(&once)));
    }
}
