//! Links between pages: files must exist, fragments must name a heading.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// A page that takes part: where it is read from, and where it stands as far as links are concerned.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Its text.
    pub text: String,
    /// Its place, relative to the root of the documentation.
    pub place: PathBuf,
}

/// The fragment of a heading, as GitHub makes it: lower case, blanks to hyphens, letters, digits, hyphens and underscores only.
pub fn fragment(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_')).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Lines outside of blocks, with their numbers from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        if line.trim_start().starts_with("```") {
            inside = !inside;
            return None;
        }
        (!inside).then_some((index + 1, line))
    })
}

fn fragments(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() && heading.starts_with(' ') {
            let base = fragment(&heading.replace('`', ""));
            let repetitions = found.iter().filter(|known| **known == base).count();
            found.push(if repetitions == 0 { base } else { format!("{base}-{repetitions}") });
        }
    }
    found
}

/// The targets of the inline links of a line, code spans left out.
fn targets(line: &str) -> Vec<String> {
    let mut plain = String::new();
    for (index, part) in line.split('`').enumerate() {
        plain.push_str(if index % 2 == 0 { part } else { "code" });
    }
    let mut found = Vec::new();
    let mut rest = plain.as_str();
    while let Some(at) = rest.find("](") {
        rest = &rest[at + 2..];
        if let Some(end) = rest.find(')') {
            found.push(rest[..end].split_whitespace().next().unwrap_or_default().to_owned());
        }
    }
    found
}

fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// Every link that leads nowhere, as `page:line: target`.
pub fn broken(pages: &[Placed], exists: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let known: BTreeMap<PathBuf, Vec<String>> = pages.iter().map(|page| (normal(&page.place), fragments(&page.text))).collect();
    let mut wrong = Vec::new();
    for page in pages {
        for (line, text) in prose(&page.text) {
            for target in targets(text) {
                if target.contains("://") || target.starts_with("mailto:") {
                    continue;
                }
                let (file, fragment) = target.split_once('#').map_or((target.as_str(), None), |(file, fragment)| (file, Some(fragment)));
                let place = if file.is_empty() { normal(&page.place) } else { normal(&page.place.parent().unwrap_or(Path::new("")).join(file)) };
                let found = match (known.get(&place), fragment) {
                    (Some(fragments), Some(fragment)) => fragments.iter().any(|known| known == fragment),
                    (Some(_), None) => true,
                    (None, _) => exists(&place),
                };
                if !found {
                    wrong.push(format!("{}:{line}: {target}", page.place.display()));
                }
            }
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_made_as_on_the_web() {
        assert_eq!(fragment("Refresh age"), "refresh-age");
        assert_eq!(fragment("create_before_destroy"), "create_before_destroy");
        assert_eq!(fragment("What's new?"), "whats-new");
    }

    #[test]
    fn broken_links_are_named() {
        let page = |place: &str, text: &str| Placed { text: text.into(), place: place.into() };
        let pages = [
            page(
                "a/one.md",
                "# One\n[x](two.md#second-part) [y](../b.md) [z](#one) [`c`](two.md)\n```\n[no](nowhere.md)\n```\n`[no](nowhere.md)`\n[bad](two.md#third)\n[bad](three.md)",
            ),
            page("a/two.md", "# Two\n## Second part\n[w](https://example.com/x)"),
            page("b.md", ""),
        ];
        assert_eq!(broken(&pages, &|_| false), ["a/one.md:7: two.md#third", "a/one.md:8: three.md"]);
    }
}
