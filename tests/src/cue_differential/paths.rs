//! The paths of errors in what `cue` prints, and in the product's JSON.
//!
//! `cue` writes the index of a list as a label, `a.0`; here it is `a[0]` on both sides.

use std::collections::BTreeSet;

/// The paths that lines such as `a.b[0]: conflicting values …` stand for.
///
/// Where all branches of a disjunction fail, or `matchN` and `matchIf` do, `cue` has a line for the value and then one for each thing that
/// it was compared with; only the first is about the value, the others say why.
pub fn of_cue(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut disjunctions: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with(char::is_whitespace)) {
        let Some((path, rest)) = path(line) else { continue };
        let below = |top: &String| path.strip_prefix(top.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        if disjunctions.iter().any(below) {
            continue;
        }
        if EXPLAINED.iter().any(|words| rest.contains(words)) {
            disjunctions.push(path.to_owned());
        }
        found.insert(indexed(path));
    }
    found
}

/// Errors behind which `cue` explains what they are made of.
const EXPLAINED: &[&str] = &["errors in empty disjunction", "does not satisfy matchN", "does not satisfy matchIf"];

/// A path with indices in brackets.
fn indexed(path: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while let Some(length) = label(rest) {
        let (part, tail) = rest.split_at(length);
        let is_index = !out.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        match (is_index, out.is_empty() || part.starts_with('[')) {
            (true, _) => out.push_str(&format!("[{part}]")),
            (_, true) => out.push_str(part),
            _ => out.push_str(&format!(".{part}")),
        }
        rest = tail.strip_prefix('.').unwrap_or(tail);
    }
    out
}

/// The paths of the diagnostics of a document; `None` where it is none.
///
/// The product tells what is wrong and what is not concrete in one run, `cue` the second only where there is nothing of the first; so it is
/// here.
pub fn of_document(text: &str) -> Option<BTreeSet<String>> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let diagnostics = document.get("diagnostics")?.as_array()?;
    let text = |diagnostic: &serde_json::Value, key: &str| diagnostic.get(key).and_then(serde_json::Value::as_str).unwrap_or("").to_owned();
    let is_open = |diagnostic: &&serde_json::Value| matches!(text(diagnostic, "code").as_str(), "cue.incomplete" | "cue.cycle");
    let all_open = diagnostics.iter().all(|diagnostic| is_open(&diagnostic));
    let counted = diagnostics.iter().filter(|diagnostic| all_open || !is_open(diagnostic));
    Some(counted.map(|diagnostic| text(diagnostic, "path")).filter(|path| !path.is_empty()).collect())
}

/// The path in front of a colon, and what stands behind it.
fn path(line: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    loop {
        at += label(line.get(at..)?)?;
        match line.get(at..)?.as_bytes() {
            [b'.', ..] => at += 1,
            [b'[', ..] => {}
            [b':', ..] => return Some((line.get(..at)?, line.get(at + 1..)?)),
            _ => return None,
        }
    }
}

/// How long a label or an index is.
fn label(text: &str) -> Option<usize> {
    if let Some(rest) = text.strip_prefix('"') {
        let mut escaped = false;
        for (at, c) in rest.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => return Some(at + 2),
                _ => {}
            }
        }
        return None;
    }
    if text.starts_with('[') {
        let end = text.find(']')?;
        return text.get(1..end)?.parse::<usize>().ok().map(|_| end + 1);
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '#'))).unwrap_or(text.len());
    (end > 0).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(of_cue(text).iter().map(String::as_str).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn paths_stand_in_front_of_the_first_colon() {
        check("a.b[0].\"c d\": conflicting values 1 and 2:\n    ./in.cue:1:2\n", &["a.b[0].\"c d\""]);
        check("#D._h: x\nexpected operand, found 'EOF':\n", &["#D._h"]);
        check("b7.1.zz: field not allowed:\n", &["b7[1].zz"]);
        check("some instances are incomplete; use the -c flag\n", &[]);
    }

    #[test]
    fn branches_of_a_disjunction_are_no_errors_of_their_own() {
        check("z: 2 errors in empty disjunction:\nz: conflicting values\nz.a: other\nzz: x\n", &["z", "zz"]);
    }

    #[test]
    fn documents_have_paths() {
        let paths = |text: &str| of_document(text).map(|paths| paths.into_iter().collect::<Vec<_>>());
        assert_eq!(paths(r#"{"diagnostics":[{"path":"a.b"},{"summary":"x"}]}"#), Some(vec!["a.b".to_owned()]));
        let both = r#"{"diagnostics":[{"path":"a","code":"cue.incomplete"},{"path":"b","code":"cue.eval"}]}"#;
        assert_eq!(paths(both), Some(vec!["b".to_owned()]));
        assert!(of_document("no").is_none());
    }
}
