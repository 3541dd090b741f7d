//! Archives of text files.

/// A comment, then sections that start with a line `-- NAME --`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive {
    /// What stands in front of the first section.
    pub comment: String,
    /// Names and texts.
    pub sections: Vec<(String, String)>,
}

impl Archive {
    /// Reads an archive.
    pub fn parse(text: &str) -> Self {
        let mut archive = Self::default();
        for line in text.split_inclusive('\n') {
            let name = line.trim_end().strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --"));
            match (name, archive.sections.last_mut()) {
                (Some(name), _) => archive.sections.push((name.trim().to_owned(), String::new())),
                (None, Some((_, text))) => text.push_str(line),
                (None, None) => archive.comment.push_str(line),
            }
        }
        archive
    }

    /// The text of a section.
    pub fn section(&self, name: &str) -> Option<&str> {
        self.sections.iter().find(|(section, _)| section == name).map(|(_, text)| text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_split() {
        let archive = Archive::parse("c\n-- a.cue --\nx: 1\n-- b --\n");
        assert_eq!(archive.comment, "c\n");
        assert_eq!(archive.sections, [("a.cue".to_owned(), "x: 1\n".to_owned()), ("b".to_owned(), String::new())]);
    }
}
