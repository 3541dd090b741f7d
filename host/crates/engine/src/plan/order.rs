//! The steps of an apply and what each needs.
//!
//! Kept true here: what is made waits for what it depends on; what is deleted waits for the delete or update of everything with a
//! stored edge to it; a replacement is two steps with an edge of their own. The order is checked to be free of cycles.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};

use petgraph::graph::{DiGraph, NodeIndex};
use pravo_diag::Diagnostic;
use pravo_model::Address;
use pravo_model::plan::Action;

use super::data::{Step, Work};

/// What the order is made from, by the index of the target.
pub(crate) struct Ordered {
    pub(crate) address: Address,
    pub(crate) action: Action,
    /// Key of the deposed object, where the target is one.
    pub(crate) deposed: Option<String>,
    /// Targets that it depends on by its new configuration.
    pub(crate) dependencies: Vec<usize>,
    /// Targets with a stored edge to it.
    pub(crate) stored_dependents: Vec<usize>,
}

#[derive(Default)]
struct Steps {
    steps: Vec<(usize, Work, BTreeSet<usize>)>,
    /// Step that makes, changes or reads a target.
    main: HashMap<usize, usize>,
    /// Step that deletes a target's old object.
    delete: HashMap<usize, usize>,
}

impl Steps {
    fn add(&mut self, target: usize, work: Work, needs: &[usize]) -> usize {
        self.steps.push((target, work, needs.iter().copied().collect()));
        self.steps.len() - 1
    }

    fn need(&mut self, step: usize, other: usize) {
        if let Some((_, _, needs)) = self.steps.get_mut(step)
            && step != other
        {
            needs.insert(other);
        }
    }
}

/// The steps, in an order in which they can be taken one by one.
pub(crate) fn steps(targets: &[Ordered]) -> Result<Vec<Step>, Diagnostic> {
    let mut steps = Steps::default();
    let mut deposed = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        let make = |work: Work, steps: &mut Steps, needs: &[usize]| {
            let step = steps.add(index, work, needs);
            steps.main.insert(index, step);
            step
        };
        match (target.action, &target.deposed) {
            (_, Some(key)) => {
                let step = steps.add(index, Work::DeleteDeposed(key.clone()), &[]);
                deposed.push((index, step));
            }
            (Action::Create, _) => _ = make(Work::Create, &mut steps, &[]),
            (Action::Update, _) => _ = make(Work::Update, &mut steps, &[]),
            (Action::Read, _) => _ = make(Work::Read, &mut steps, &[]),
            (Action::Delete, _) => {
                let step = steps.add(index, Work::Delete, &[]);
                steps.delete.insert(index, step);
            }
            (Action::DeleteThenCreate, _) => {
                let step = steps.add(index, Work::Delete, &[]);
                steps.delete.insert(index, step);
                make(Work::Create, &mut steps, &[step]);
            }
            (Action::CreateThenDelete, _) => {
                let made = make(Work::Create, &mut steps, &[]);
                let step = steps.add(index, Work::Delete, &[made]);
                steps.delete.insert(index, step);
            }
            (Action::NoOp | Action::Forget | Action::DeleteDeposed, None) => {}
        }
    }
    make_in_order(targets, &mut steps);
    delete_in_order(targets, &mut steps, &deposed);
    sorted(targets, &steps)
}

/// What is made waits for what it depends on.
fn make_in_order(targets: &[Ordered], steps: &mut Steps) {
    for (index, target) in targets.iter().enumerate() {
        let Some(main) = steps.main.get(&index).copied() else {
            continue;
        };
        for dependency in &target.dependencies {
            if let Some(other) = steps.main.get(dependency).copied() {
                steps.need(main, other);
            }
        }
    }
}

/// What is deleted waits for what is stored to depend on it.
fn delete_in_order(targets: &[Ordered], steps: &mut Steps, deposed: &[(usize, usize)]) {
    let deletes: Vec<(usize, usize)> = steps.delete.iter().map(|(index, step)| (*index, *step)).chain(deposed.iter().copied()).collect();
    let dependents = dependents(steps);
    for (index, step) in deletes {
        let Some(target) = targets.get(index) else {
            continue;
        };
        // An object that is destroyed first cannot wait for an update that needs its replacement.
        let mut after_replacement: Option<HashSet<usize>> = None;
        for other in &target.stored_dependents {
            if let Some(delete) = steps.delete.get(other).copied() {
                steps.need(step, delete);
            } else if let Some(main) = steps.main.get(other).copied() {
                let waits = target.deposed.is_none() && target.action == Action::DeleteThenCreate;
                let made = steps.main.get(&index).copied();
                if let (true, Some(made)) = (waits, made) {
                    let reached = after_replacement.get_or_insert_with(|| reachable(made, &dependents));
                    if reached.contains(&main) {
                        continue;
                    }
                }
                steps.need(step, main);
            }
        }
    }
}

/// Steps that wait for each step.
fn dependents(steps: &Steps) -> HashMap<usize, Vec<usize>> {
    let mut dependents: HashMap<usize, Vec<usize>> = HashMap::new();
    for (step, (_, _, needs)) in steps.steps.iter().enumerate() {
        for need in needs {
            dependents.entry(*need).or_default().push(step);
        }
    }
    dependents
}

fn reachable(start: usize, dependents: &HashMap<usize, Vec<usize>>) -> HashSet<usize> {
    let mut found = HashSet::from([start]);
    let mut open = vec![start];
    while let Some(next) = open.pop() {
        for other in dependents.get(&next).into_iter().flatten() {
            if found.insert(*other) {
                open.push(*other);
            }
        }
    }
    found
}

/// The steps in an order that fits their needs, and otherwise follows the addresses.
fn sorted(targets: &[Ordered], steps: &Steps) -> Result<Vec<Step>, Diagnostic> {
    let dependents = dependents(steps);
    let mut waiting: Vec<usize> = steps.steps.iter().map(|(_, _, needs)| needs.len()).collect();
    let mut ready: BinaryHeap<Reverse<usize>> = waiting.iter().enumerate().filter(|(_, needs)| **needs == 0).map(|(step, _)| Reverse(step)).collect();
    let mut order = Vec::with_capacity(steps.steps.len());
    while let Some(Reverse(step)) = ready.pop() {
        order.push(step);
        for dependent in dependents.get(&step).into_iter().flatten() {
            if let Some(needs) = waiting.get_mut(*dependent) {
                *needs -= 1;
                if *needs == 0 {
                    ready.push(Reverse(*dependent));
                }
            }
        }
    }
    if order.len() < steps.steps.len() {
        return Err(explain(targets, steps));
    }
    let position: HashMap<usize, usize> = order.iter().enumerate().map(|(position, step)| (*step, position)).collect();
    let sorted = order.iter().filter_map(|step| {
        let (target, work, needs) = steps.steps.get(*step)?;
        let mut needs: Vec<usize> = needs.iter().filter_map(|need| position.get(need).copied()).collect();
        needs.sort_unstable();
        Some(Step { target: *target, work: work.clone(), needs })
    });
    Ok(sorted.collect())
}

fn explain(targets: &[Ordered], steps: &Steps) -> Diagnostic {
    let mut graph: DiGraph<usize, ()> = DiGraph::with_capacity(steps.steps.len(), 0);
    let nodes: Vec<NodeIndex> = (0..steps.steps.len()).map(|step| graph.add_node(step)).collect();
    for (step, (_, _, needs)) in steps.steps.iter().enumerate() {
        for need in needs {
            if let (Some(from), Some(to)) = (nodes.get(*need), nodes.get(step)) {
                graph.add_edge(*from, *to, ());
            }
        }
    }
    let component = petgraph::algo::tarjan_scc(&graph).into_iter().find(|component| component.len() > 1).unwrap_or_default();
    let mut addresses: Vec<Address> = component
        .into_iter()
        .filter_map(|node| steps.steps.get(*graph.node_weight(node)?))
        .filter_map(|(target, ..)| targets.get(*target))
        .map(|target| target.address.clone())
        .collect();
    addresses.sort();
    addresses.dedup();
    super::cycle::diagnostic(&addresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Targets as `name action deps / stored dependents`; expected as `step: needs` by readable names.
    fn check(targets: &[(&str, Action, &[usize], &[usize])], expected: &[&str]) {
        let ordered: Vec<Ordered> = targets
            .iter()
            .map(|(name, action, dependencies, dependents)| Ordered {
                address: name.parse().unwrap(),
                action: *action,
                deposed: (*action == Action::DeleteDeposed).then(|| "0".to_owned()),
                dependencies: dependencies.to_vec(),
                stored_dependents: dependents.to_vec(),
            })
            .collect();
        let steps = steps(&ordered).unwrap();
        let name = |index: usize| {
            let step = &steps[index];
            let sign = match step.work {
                Work::Create => "+",
                Work::Update => "~",
                Work::Delete => "-",
                Work::DeleteDeposed(_) => "x",
                Work::Read => "<",
            };
            format!("{sign}{}", targets[step.target].0)
        };
        let mut lines: Vec<String> = (0..steps.len())
            .map(|index| {
                let mut needs: Vec<String> = steps[index].needs.iter().map(|need| name(*need)).collect();
                needs.sort();
                assert!(steps[index].needs.iter().all(|need| *need < index), "in order");
                format!("{}: {}", name(index), needs.join(" "))
            })
            .collect();
        lines.sort();
        assert_eq!(lines, expected);
    }

    #[test]
    fn creates_wait_for_what_they_depend_on() {
        check(&[("a", Action::Create, &[], &[]), ("b", Action::Create, &[0], &[])], &["+a: ", "+b: +a"]);
    }

    #[test]
    fn deletes_wait_for_stored_dependents() {
        check(&[("a", Action::Delete, &[], &[1]), ("b", Action::Delete, &[], &[])], &["-a: -b", "-b: "]);
        check(&[("a", Action::Delete, &[], &[1]), ("b", Action::Update, &[], &[])], &["-a: ~b", "~b: "]);
    }

    #[test]
    fn replacements_are_two_steps() {
        let chain = |action| [("a", action, &[] as &[usize], &[1usize] as &[usize]), ("b", action, &[0], &[])];
        check(&chain(Action::DeleteThenCreate), &["+a: -a", "+b: +a -b", "-a: -b", "-b: "]);
        check(&chain(Action::CreateThenDelete), &["+a: ", "+b: +a", "-a: +a -b", "-b: +b"]);
    }

    #[test]
    fn an_update_that_needs_the_replacement_is_not_waited_for() {
        let dependents: &[usize] = &[1];
        check(&[("a", Action::DeleteThenCreate, &[], dependents), ("b", Action::Update, &[0], &[])], &["+a: -a", "-a: ", "~b: +a"]);
        check(&[("a", Action::CreateThenDelete, &[], dependents), ("b", Action::Update, &[0], &[])], &["+a: ", "-a: +a ~b", "~b: +a"]);
        // b no longer depends on a.
        check(&[("a", Action::DeleteThenCreate, &[], dependents), ("b", Action::Update, &[], &[])], &["+a: -a", "-a: ~b", "~b: "]);
    }

    #[test]
    fn cycles_are_named() {
        let ordered = |name: &str, dependency: usize| Ordered {
            address: name.parse().unwrap(),
            action: Action::Create,
            deposed: None,
            dependencies: vec![dependency],
            stored_dependents: vec![],
        };
        let error = steps(&[ordered("b", 1), ordered("a", 0)]).unwrap_err();
        assert_eq!(error.summary, "cycle: a -> b -> a");
    }
}
