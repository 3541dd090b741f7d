//! Archives whose assertions are attributes.

use pravo_cue::export::tree::{Content, Openness, Problem, Tree};
use pravo_cue::syntax::ast::File;
use pravo_cue::syntax::{Options as ParseOptions, parse_expression};
use pravo_cue::{Kinds, Node};
use pravo_diag::SourceMap;

use super::Options;
use super::archive::Archive;
use super::attribute::{Directive, split};
use super::collect::{self, Assertion, Step, path_text};
use super::compare::{self, Verdict, Wanted, show};
use super::evaluate::{self, Evaluated};
use super::report::Report;

/// Whether an archive is none of the tests.
fn is_excluded(archive: &Archive) -> bool {
    archive.comment.lines().any(|line| line.trim_start().starts_with("#inlinetest:exclude"))
}

/// The assertions of files that are to be judged.
fn assertions(files: &[File]) -> Vec<Assertion> {
    let all: Vec<Assertion> = files.iter().enumerate().flat_map(|(number, file)| collect::file(number, file)).collect();
    let skipped: Vec<Assertion> = all.iter().filter(|assertion| assertion.directive.name == "skip").cloned().collect();
    let is_skipped = |assertion: &Assertion| {
        skipped.iter().any(|skip| skip.path.is_empty() || assertion.path.first().is_some_and(|first| skip.path.first() == Some(first)))
    };
    let is_judged = |assertion: &Assertion| {
        let directive = &assertion.directive;
        let judged = matches!(directive.name.as_str(), "eq" | "err" | "kind" | "closed" | "allows" | "permute");
        judged && !(directive.name == "eq" && directive.positional().is_none())
    };
    all.into_iter().filter(|assertion| !is_skipped(assertion) && is_judged(assertion)).collect()
}

/// How many assertions an archive has, those that are not expected to hold left out.
pub fn count(archive: &Archive) -> usize {
    if is_excluded(archive) {
        return 0;
    }
    assertions(&evaluate::parsed(archive)).iter().filter(|assertion| !assertion.directive.todo).count()
}

/// Runs the assertions of an archive.
pub fn run(archive: &Archive, options: &Options, report: &mut Report) {
    if is_excluded(archive) {
        return;
    }
    let mut evaluated = match evaluate::archive(archive) {
        Ok(evaluated) => evaluated,
        Err(error) => return (0..count(archive).max(1)).for_each(|_| report.fail("", "a value", &error)),
    };
    for assertion in assertions(&evaluated.files.clone()) {
        judge(archive, &assertion, &mut evaluated, options, report);
    }
}

/// The value at a path; defaults are taken on the way where a value has no such field.
fn lookup<'t>(tree: &'t Tree, path: &[Step]) -> Option<&'t Tree> {
    let mut tree = tree;
    for step in path {
        if matches!(tree.content, Content::Disjunction { .. }) {
            tree = tree.decided();
        }
        tree = match step {
            Step::Index(index) => match &tree.content {
                Content::List { elements, .. } => elements.get(*index)?,
                _ => return None,
            },
            Step::Field(name, _) => {
                let mut found = tree.fields.iter().filter(|field| *field.name == **name).collect::<Vec<_>>();
                found.sort_by_key(|field| field.constraint.is_some());
                match (found.first(), name.parse::<usize>(), &tree.content) {
                    (Some(field), _, _) => &field.value,
                    (None, Ok(index), Content::List { elements, .. }) => elements.get(index)?,
                    _ => return None,
                }
            }
        };
    }
    Some(tree)
}

/// The node at a path.
fn node(evaluated: &Evaluated, path: &[Step]) -> Option<Node> {
    let session = &evaluated.session;
    let mut node = evaluated.root;
    for step in path {
        let arcs = session.arcs(node);
        let arc = arcs.into_iter().find(|arc| match step {
            Step::Index(index) => arc.label.is_index() && arc.label.id() as usize == *index,
            Step::Field(name, _) => !arc.label.is_index() && session.label_name(arc.label) == *name,
        });
        node = arc?.node;
    }
    Some(node)
}

/// Reads `a.b[0]."c d"`.
fn parse_path(text: &str) -> Vec<Step> {
    let mut out = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (index, tail) = inner.split_once(']').unwrap_or((inner, ""));
            out.extend(index.parse().map(Step::Index));
            rest = tail.strip_prefix('.').unwrap_or(tail);
        } else if let Some(inner) = rest.strip_prefix('"') {
            let (name, tail) = inner.split_once('"').unwrap_or((inner, ""));
            out.push(Step::Field(name.to_owned(), false));
            rest = tail.strip_prefix('.').unwrap_or(tail);
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (name, tail) = rest.split_at(end);
            match name.parse() {
                Ok(index) => out.push(Step::Index(index)),
                Err(_) => out.push(Step::Field(name.trim_end_matches('?').to_owned(), true)),
            }
            rest = tail.strip_prefix('.').unwrap_or(tail);
        }
    }
    out
}

fn judge(archive: &Archive, assertion: &Assertion, evaluated: &mut Evaluated, options: &Options, report: &mut Report) {
    let directive = &assertion.directive;
    if directive.todo {
        return report.todo();
    }
    let mut path = assertion.path.clone();
    if let Some(at) = directive.get("at") {
        path.extend(parse_path(&at));
    }
    let shown = format!("{}{}", path_text(&path), if directive.name == "permute" { " (permute)" } else { "" });
    let expected = format!("{} {}", directive.name, summary(directive));
    if directive.name == "permute" {
        // Many assertions may mark fields of one struct.
        return report.judge(&shown, &expected, permute(archive, assertion, evaluated, options));
    }
    let Some(tree) = lookup(&evaluated.tree, &path).cloned() else {
        return report.fail(&shown, &expected, "no such field");
    };
    let verdict = match directive.name.as_str() {
        "eq" => equal(directive, &tree, options),
        "err" => {
            let verdict = error(directive, &tree, &path, options);
            if let Some(places) = directive.get("pos").filter(|_| verdict.is_ok() && !options.mutate) {
                report.place(places_match(&places, assertion, &tree, evaluated));
            }
            verdict
        }
        "kind" => kind(directive.value.as_deref().filter(|_| !options.mutate).unwrap_or("no such kind"), &tree),
        "closed" => {
            let closed = tree.decided().openness == Openness::Closed;
            if Some(closed) == truth(directive, options) { Ok(()) } else { Err(format!("closed={closed}")) }
        }
        _ => allows(directive, &path, evaluated, options),
    };
    report.judge(&shown, &expected, verdict);
}

/// Whether a directive says that it is so; with mutation neither, so that what fails today fails then, too.
fn truth(directive: &Directive, options: &Options) -> Option<bool> {
    (!options.mutate).then(|| directive.value.as_deref() != Some("false"))
}

fn summary(directive: &Directive) -> String {
    let mut parts: Vec<String> = directive.value.iter().cloned().collect();
    for argument in &directive.arguments {
        if matches!(argument.key.as_str(), "hint" | "pos" | "contains" | "args" | "p") {
            continue;
        }
        parts.push(if argument.key.is_empty() { argument.text.clone() } else { format!("{}={}", argument.key, argument.text) });
    }
    parts.join(", ")
}

fn equal(directive: &Directive, tree: &Tree, options: &Options) -> Verdict {
    let mut sources = SourceMap::new();
    let mut text = directive.positional().unwrap_or("").to_owned();
    if options.mutate {
        // A field that is nowhere makes every expectation wrong.
        text = format!("{{{text}, \"no such field\": 1}}");
    }
    let plain = sources.add("expectation", format!("({text})"));
    let parsed = parse_expression(&sources, plain, &ParseOptions::default());
    if let Some(diagnostic) = parsed.diagnostics.first() {
        return Err(format!("an expectation that cannot be read: {}", diagnostic.summary));
    }
    compare::equal(&parsed.expression, tree)
}

fn error(directive: &Directive, tree: &Tree, path: &[Step], options: &Options) -> Verdict {
    let mut wanted = Wanted::of(directive);
    if options.mutate {
        wanted.codes = vec!["no such code".to_owned()];
    }
    compare::error(tree, &wanted)?;
    if let Some(wanted) = directive.get("path")
        && let Some(problem) = compare::problem(tree)
        && !is_about(&wanted, &problem.path, path)
    {
        return Err(format!("an error about {}", problem.path));
    }
    let mut problems = Vec::new();
    every_problem(tree, &mut problems);
    for part in directive.arguments.iter().filter(|argument| argument.key == "suberr") {
        let inner = part.text.trim().trim_start_matches('(').trim_end_matches(')');
        let wanted = Directive::parse(&format!("err, {inner}"));
        let codes = Wanted::of(&wanted);
        let place = wanted.get("path");
        let found = |problem: &&Problem| codes.accepts(problem.code) && place.as_ref().is_none_or(|place| is_about(place, &problem.path, path));
        if !problems.iter().any(found) {
            let got: Vec<String> = problems.iter().map(|problem| format!("{} at {}", problem.code.name(), problem.path)).collect();
            return Err(format!("no error ({inner}) among {}", got.join(", ")));
        }
    }
    Ok(())
}

/// Whether an error is about a path, which may be written from the value on that the assertion is about.
fn is_about(wanted: &str, got: &str, path: &[Step]) -> bool {
    let plain = |text: &str| text.replace(['"', '[', ']', '.'], " ").split_whitespace().collect::<Vec<_>>().join(".");
    let relative = got.strip_prefix(&path_text(path)).map(|rest| rest.trim_start_matches('.'));
    plain(wanted) == plain(got) || relative.is_some_and(|rest| plain(rest) == plain(wanted))
}

/// Every error at and below a value, with those that it is made of.
fn every_problem<'t>(tree: &'t Tree, out: &mut Vec<&'t Problem>) {
    fn with_causes<'t>(problem: &'t Problem, out: &mut Vec<&'t Problem>) {
        out.push(problem);
        problem.causes.iter().for_each(|cause| with_causes(cause, out));
    }
    if let Some(problem) = tree.problem() {
        with_causes(problem, out);
    }
    compare::children(tree).for_each(|child| every_problem(child, out));
}

fn kind(wanted: &str, tree: &Tree) -> Verdict {
    let one = |name: &str| {
        Some(match name.trim() {
            "bool" => Kinds::BOOL,
            "int" => Kinds::INT,
            "float" => Kinds::FLOAT,
            "number" => Kinds::NUMBER,
            "string" => Kinds::STRING,
            "bytes" => Kinds::BYTES,
            "struct" => Kinds::STRUCT,
            "list" => Kinds::LIST,
            "null" => Kinds::NULL,
            "top" | "_" => Kinds::TOP,
            _ => return None,
        })
    };
    let names = wanted.trim_start_matches('(').trim_end_matches(')').split('|');
    let Some(wanted) = names.map(one).try_fold(Kinds::NONE, |kinds, kind| Some(kinds | kind?)) else {
        return Err(format!("kind {}, and {wanted:?} is none", tree.kinds()));
    };
    let got = tree.kinds();
    let all = wanted == Kinds::TOP && got.contains(Kinds(Kinds::SCALAR.0 | Kinds::LIST.0 | Kinds::STRUCT.0));
    if got == wanted || all { Ok(()) } else { Err(format!("kind {got}: {}", show(tree))) }
}

fn allows(directive: &Directive, path: &[Step], evaluated: &mut Evaluated, options: &Options) -> Verdict {
    let selector = directive.positional().unwrap_or("").to_owned();
    let Some(node) = node(evaluated, path) else {
        return Err("no such field".to_owned());
    };
    let tree = lookup(&evaluated.tree, path).cloned();
    let got = match (tree.as_ref().map(|tree| &tree.decided().content), selector.as_str()) {
        (Some(Content::List { rest, .. }), "int") => rest.is_some(),
        (Some(Content::List { .. }), "string") => false,
        (Some(Content::Struct), "int") => false,
        (Some(Content::Struct), "string") => evaluated.session.allows_any(node),
        (Some(Content::List { elements, rest }), index) => rest.is_some() || index.parse::<usize>().is_ok_and(|index| index < elements.len()),
        (Some(Content::Struct), name) => {
            let quoted = pravo_cue::syntax::literal::plain_string(name);
            let label = match quoted {
                Some(name) => evaluated.session.regular_label(&name),
                None => evaluated.session.identifier_label(name, ""),
            };
            evaluated.session.allows_field(node, label)
        }
        _ => return Err("neither struct nor list".to_owned()),
    };
    if Some(got) == truth(directive, options) { Ok(()) } else { Err(format!("allows={got}")) }
}

/// Whether the places of an error are as many as expected, and the same.
fn places_match(places: &str, assertion: &Assertion, tree: &Tree, evaluated: &Evaluated) -> bool {
    let Some(problem) = compare::problem(tree) else {
        return false;
    };
    let Some((source, base)) = evaluated.sources.locate(assertion.base) else {
        return false;
    };
    let own_file = source.path().display().to_string();
    let inner = places.trim().trim_start_matches('[').trim_end_matches(']');
    let mut wanted = Vec::new();
    for place in split(inner).into_iter().map(str::trim).filter(|place| !place.is_empty()) {
        let parts: Vec<&str> = place.split(':').collect();
        match parts.as_slice() {
            [line, column] => match (line.parse::<i64>(), column.parse::<u32>()) {
                (Ok(line), Ok(column)) => wanted.push((own_file.clone(), i64::from(base.line) + line, column)),
                _ => return false,
            },
            [file, line, column] => match (line.parse::<i64>(), column.parse::<u32>()) {
                (Ok(line), Ok(column)) => wanted.push(((*file).to_owned(), line, column)),
                _ => return false,
            },
            _ => return false,
        }
    }
    let mut got: Vec<(String, i64, u32)> = problem
        .spans
        .iter()
        .filter_map(|span| evaluated.sources.locate(*span))
        .map(|(source, at)| (source.path().display().to_string(), i64::from(at.line), at.column))
        .collect();
    got.sort();
    got.dedup();
    wanted.sort();
    wanted.dedup();
    got == wanted
}

/// Whether other orders of the marked fields give the same value.
fn permute(archive: &Archive, assertion: &Assertion, evaluated: &Evaluated, options: &Options) -> Verdict {
    let parent =
        if assertion.declaration { assertion.path.as_slice() } else { assertion.path.get(..assertion.path.len().saturating_sub(1)).unwrap_or(&[]) };
    let count = super::permute::fields(&evaluated.files, assertion, parent);
    let mut wanted = lookup(&evaluated.tree, parent).map(super::permute::canonical);
    if options.mutate {
        // Even the order in which they stand must differ from this.
        wanted = wanted.map(|text| format!("{text} and more"));
        let got = lookup(&evaluated.tree, parent).map(super::permute::canonical);
        if got != wanted {
            return Err(got.unwrap_or_default());
        }
    }
    for order in super::permute::orders(count) {
        let changed = evaluate::changed(archive, |files| super::permute::apply(files, assertion, parent, &order));
        let changed = changed?;
        let got = lookup(&changed.tree, parent).map(super::permute::canonical);
        if got != wanted {
            return Err(format!("in the order {order:?}: {}", got.unwrap_or_default()));
        }
    }
    Ok(())
}
