//! Which addresses a plan is about: `--target` takes dependencies along, `--exclude` takes dependents along, and in a plan that
//! deletes the other way round.

use std::collections::{HashMap, HashSet};

use pravo_diag::Diagnostic;
use pravo_model::Address;

/// The addresses that a plan is about; both in the specification and in the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope(HashSet<Address>);

impl Scope {
    pub(crate) fn holds(&self, address: &Address) -> bool {
        self.0.contains(address)
    }
}

/// Direct dependencies of every address in the specification or the state.
pub(crate) type Edges = HashMap<Address, Vec<Address>>;

/// What the command line names.
pub(crate) struct Named<'a> {
    pub(crate) targets: &'a [Address],
    pub(crate) excludes: &'a [Address],
    pub(crate) destroy: bool,
}

/// The scope; an address that names nothing is an error.
pub(crate) fn scope(edges: &Edges, named: &Named<'_>) -> Result<Scope, Vec<Diagnostic>> {
    let unknown: Vec<Diagnostic> =
        named.targets.iter().chain(named.excludes).filter(|name| !edges.keys().any(|address| name.contains(address))).map(names_nothing).collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let below =
        |names: &[Address]| -> Vec<Address> { edges.keys().filter(|address| names.iter().any(|name| name.contains(address))).cloned().collect() };
    let reversed = reverse(edges);
    let (along_target, along_exclude) = if named.destroy { (&reversed, edges) } else { (edges, &reversed) };
    let mut held: HashSet<Address> =
        if named.targets.is_empty() { edges.keys().cloned().collect() } else { closure(below(named.targets), along_target) };
    for excluded in closure(below(named.excludes), along_exclude) {
        held.remove(&excluded);
    }
    Ok(Scope(held))
}

/// The error for an address that is neither in the specification nor in the state.
pub(crate) fn names_nothing(address: &Address) -> Diagnostic {
    Diagnostic::error("plan.address", format!("{address} names nothing in the specification or the state"))
        .with_help("pravo state list shows the addresses of the state")
}

/// The error for an address that must be one resource.
pub(crate) fn names_group(address: &Address) -> Diagnostic {
    Diagnostic::error("plan.address", format!("{address} is a group, not a resource"))
        .with_help(format!("give each resource below it: pravo state list shows the addresses that start with {address}."))
}

fn reverse(edges: &Edges) -> Edges {
    let mut reversed = Edges::new();
    for (address, dependencies) in edges {
        for dependency in dependencies {
            reversed.entry(dependency.clone()).or_default().push(address.clone());
        }
    }
    reversed
}

fn closure(start: Vec<Address>, edges: &Edges) -> HashSet<Address> {
    let mut found: HashSet<Address> = start.iter().cloned().collect();
    let mut open = start;
    while let Some(next) = open.pop() {
        for other in edges.get(&next).into_iter().flatten() {
            if found.insert(other.clone()) {
                open.push(other.clone());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(targets: &[&str], excludes: &[&str], destroy: bool, expected: &[&str]) {
        let address = |text: &str| text.parse::<Address>().unwrap();
        // c -> b -> a, and g.x on its own.
        let edges: Edges = [("a", vec![]), ("b", vec!["a"]), ("c", vec!["b"]), ("g.x", vec![])]
            .into_iter()
            .map(|(name, dependencies)| (address(name), dependencies.into_iter().map(address).collect()))
            .collect();
        let parse = |names: &[&str]| names.iter().map(|name| address(name)).collect::<Vec<_>>();
        let (targets, excludes) = (parse(targets), parse(excludes));
        let scope = scope(&edges, &Named { targets: &targets, excludes: &excludes, destroy });
        let mut held: Vec<String> = match scope {
            Ok(scope) => scope.0.iter().map(Address::to_string).collect(),
            Err(errors) => errors.into_iter().map(|error| error.summary).collect(),
        };
        held.sort();
        assert_eq!(held, expected);
    }

    #[test]
    fn targets_take_dependencies_along_and_excludes_dependents() {
        check(&["b"], &[], false, &["a", "b"]);
        check(&["b"], &[], true, &["b", "c"]);
        check(&[], &["b"], false, &["a", "g.x"]);
        check(&[], &["b"], true, &["c", "g.x"]);
        check(&["g"], &[], false, &["g.x"]);
        check(&["c", "g"], &["a"], false, &["g.x"]);
        check(&["d"], &[], false, &["d names nothing in the specification or the state"]);
    }
}
