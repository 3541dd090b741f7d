//! Suggestions for misspelt names.

/// The name that is nearest to `name`, if one is near: at most a third of its letters differ.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate, limit), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// A sentence for a diagnostic's help; empty where nothing is near.
pub(crate) fn suggestion<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map(|near| format!("did you mean {near:?}?")).unwrap_or_default()
}

/// The number of inserted, deleted, replaced and swapped letters; more than `limit` where it is more.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit || a.len().max(b.len()) > 200 {
        return limit + 1;
    }
    let mut rows: [Vec<usize>; 3] = [Vec::new(), Vec::new(), (0..=b.len()).collect()];
    for (i, &x) in a.iter().enumerate() {
        rows.rotate_left(1);
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let above = |rows: &[Vec<usize>; 3], at: usize| rows[1].get(at).copied().unwrap_or(usize::MAX / 2);
            let mut best = above(&rows, j) + usize::from(x != y);
            best = best.min(above(&rows, j + 1) + 1).min(row.last().copied().unwrap_or(0) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(&y) && b.get(j - 1) == Some(&x);
            if swapped {
                best = best.min(rows[0].get(j - 1).copied().unwrap_or(usize::MAX / 2) + 1);
            }
            row.push(best);
        }
        rows[2] = row;
    }
    rows[2].last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        let names = ["filename", "content", "file_permission", "id"];
        for (name, expected) in [
            ("file_permision", Some("file_permission")),
            ("conetnt", Some("content")),
            ("filenam", Some("filename")),
            ("xyz", None),
            ("idd", Some("id")),
        ] {
            assert_eq!(nearest(name, names), expected, "{name}");
        }
    }

    #[test]
    fn distances_count_edits() {
        for (a, b, expected) in [("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3)] {
            assert_eq!(distance(a, b, 10), expected, "{a} {b}");
        }
    }
}
