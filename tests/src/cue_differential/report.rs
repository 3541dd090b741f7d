//! Sums of what was compared.

use std::collections::BTreeMap;

/// A difference.
#[derive(Clone, Debug)]
pub struct Line {
    /// The program.
    pub case: String,
    /// The command.
    pub command: &'static str,
    /// What differs.
    pub what: &'static str,
    /// Ours and theirs.
    pub difference: String,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}: {}", self.case, self.command, self.what, self.difference)
    }
}

/// The sums of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// How many programs.
    pub programs: usize,
    /// How many of them `cue` refuses.
    pub refused: usize,
    /// Comparisons that agree.
    pub same: usize,
    /// Comparisons that do not.
    pub different: usize,
}

/// Sums by group.
#[derive(Clone, Debug, Default)]
pub struct Report {
    groups: BTreeMap<String, Sums>,
}

impl Report {
    /// Counts a program.
    pub fn program(&mut self, group: &str, refused: bool) {
        let sums = self.groups.entry(group.to_owned()).or_default();
        sums.programs += 1;
        sums.refused += usize::from(refused);
    }

    /// Counts a comparison.
    pub fn judged(&mut self, group: &str, same: bool) {
        let sums = self.groups.entry(group.to_owned()).or_default();
        if same { sums.same += 1 } else { sums.different += 1 }
    }

    /// How many programs a group has.
    pub fn programs(&self, group: &str) -> usize {
        self.groups.get(group).map_or(0, |sums| sums.programs)
    }

    /// Adds another.
    pub fn add(&mut self, other: Self) {
        for (group, more) in other.groups {
            let sums = self.groups.entry(group).or_default();
            sums.programs += more.programs;
            sums.refused += more.refused;
            sums.same += more.same;
            sums.different += more.different;
        }
    }

    /// How many comparisons do not agree.
    pub fn different(&self) -> usize {
        self.groups.values().map(|sums| sums.different).sum()
    }

    /// A line for each group; the last line has the sums.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (group, Sums { programs, refused, same, different }) in &self.groups {
            out.push_str(&format!(
                "{group}: {programs} programs, {refused} refused by cue, same {same} different {different} of {}\n",
                same + different
            ));
        }
        let (same, different) = (self.groups.values().map(|sums| sums.same).sum::<usize>(), self.different());
        out.push_str(&format!("same {same} different {different} of {}\n", same + different));
        out
    }
}
