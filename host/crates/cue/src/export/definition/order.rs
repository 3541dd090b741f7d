//! The order of merged fields: one that agrees with the order in every struct, where there is such an order.

use std::collections::HashMap;

/// Sorts the labels of several structs. Of labels that may come next, that of the earliest struct does; where all wait for each other, the
/// first one goes ahead.
pub(super) fn sorted(structs: &[Vec<String>]) -> Vec<String> {
    let mut waiting: HashMap<&str, usize> = HashMap::new();
    for labels in structs {
        for label in labels.iter().skip(1) {
            *waiting.entry(label).or_default() += 1;
        }
    }
    let mut fronts: Vec<&[String]> = structs.iter().map(Vec::as_slice).collect();
    let mut out: Vec<String> = Vec::new();
    while let Some(at) = next(&fronts, &mut waiting) {
        let Some((first, rest)) = fronts.get(at).and_then(|front| front.split_first()) else { break };
        if let Some(front) = fronts.get_mut(at) {
            *front = rest;
        }
        // The last label of a struct waits until nothing else can come.
        if let (Some(count), true) = (rest.first().and_then(|label| waiting.get_mut(label.as_str())), rest.len() > 1) {
            *count = count.saturating_sub(1);
        }
        if !out.contains(first) {
            out.push(first.clone());
        }
    }
    out
}

/// The struct whose first label comes next.
fn next(fronts: &[&[String]], waiting: &mut HashMap<&str, usize>) -> Option<usize> {
    let free = |front: &&[String]| front.first().is_some_and(|label| waiting.get(label.as_str()).is_none_or(|count| *count == 0));
    if let Some(at) = fronts.iter().position(free) {
        return Some(at);
    }
    let at = fronts.iter().position(|front| !front.is_empty())?;
    let label = fronts.get(at)?.first()?;
    if let Some(count) = waiting.get_mut(label.as_str()) {
        *count = 0;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::sorted;

    #[test]
    fn every_order_is_kept_where_that_is_possible() {
        let labels = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (structs, expected) in
            [(&["a c", "a b c"][..], "a b c"), (&["p", "m", "D p c"], "m D p c"), (&["a b", "b a"], "a b"), (&["x", "y"], "x y")]
        {
            let structs: Vec<Vec<String>> = structs.iter().map(|text| labels(text)).collect();
            assert_eq!(sorted(&structs), labels(expected), "{structs:?}");
        }
    }
}
