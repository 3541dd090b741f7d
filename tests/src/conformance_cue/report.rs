//! Counts of assertions, and lines for those that fail.

use std::collections::BTreeMap;

/// Counts of assertions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that hold.
    pub passed: usize,
    /// Those that do not.
    pub failed: usize,
    /// Those that the data says are not expected to hold, or hold wrongly.
    pub todo: usize,
    /// Places of errors that are as expected, counted apart.
    pub places: usize,
    /// Places of errors that are not.
    pub wrong_places: usize,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.todo += other.todo;
        self.places += other.places;
        self.wrong_places += other.wrong_places;
    }
}

/// What a run came to.
#[derive(Debug, Default)]
pub struct Report {
    /// By folder.
    pub folders: BTreeMap<String, Counts>,
    folder: String,
    file: String,
    /// A line for each assertion that fails.
    pub lines: Vec<String>,
}

fn shorten(text: &str) -> String {
    let text = text.replace('\n', "⏎");
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text,
    }
}

impl Report {
    /// The file that assertions are from.
    pub fn start(&mut self, folder: &str, file: &str) {
        folder.clone_into(&mut self.folder);
        file.clone_into(&mut self.file);
    }

    fn counts(&mut self) -> &mut Counts {
        self.folders.entry(self.folder.clone()).or_default()
    }

    /// An assertion holds.
    pub fn pass(&mut self) {
        self.counts().passed += 1;
    }

    /// An assertion does not hold.
    pub fn fail(&mut self, path: &str, expected: &str, got: &str) {
        self.counts().failed += 1;
        let line = format!("{}: {path}: expected {}, got {}", self.file, shorten(expected), shorten(got));
        self.lines.push(line);
    }

    /// An assertion that is counted apart.
    pub fn todo(&mut self) {
        self.counts().todo += 1;
    }

    /// The places of an error.
    pub fn place(&mut self, holds: bool) {
        let counts = self.counts();
        if holds { counts.places += 1 } else { counts.wrong_places += 1 }
    }

    /// An assertion with a verdict.
    pub fn judge(&mut self, path: &str, expected: &str, verdict: Result<(), String>) {
        match verdict {
            Ok(()) => self.pass(),
            Err(got) => self.fail(path, expected, &got),
        }
    }

    /// Counts and lines that another process came to.
    pub fn take(&mut self, counts: Counts, lines: impl Iterator<Item = String>) {
        self.counts().add(counts);
        self.lines.extend(lines.filter(|line| !line.is_empty()));
    }

    /// Adds what another report came to.
    pub fn add(&mut self, other: Self) {
        for (folder, counts) in other.folders {
            self.folders.entry(folder).or_default().add(counts);
        }
        self.lines.extend(other.lines);
    }

    /// The counts of all folders together.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.folders.values().for_each(|counts| total.add(*counts));
        total
    }

    /// The report as text; the last line has the sums.
    pub fn text(&self) -> String {
        let mut out = self.lines.join("\n");
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        for (folder, counts) in &self.folders {
            let Counts { passed, failed, todo, places, wrong_places } = counts;
            let name = if folder.is_empty() { "." } else { folder };
            out.push_str(&format!("{name}: passed {passed} failed {failed} of {}", passed + failed));
            if *todo > 0 {
                out.push_str(&format!(", todo {todo}"));
            }
            if places + wrong_places > 0 {
                out.push_str(&format!(", places {places} of {}", places + wrong_places));
            }
            out.push('\n');
        }
        let Counts { passed, failed, todo, places, wrong_places } = self.total();
        out.push_str(&format!("todo {todo}, places {places} of {}\n", places + wrong_places));
        out.push_str(&format!("passed {passed} failed {failed} of {}\n", passed + failed));
        out
    }
}
