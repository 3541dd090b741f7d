//! Programs by language feature, made from a seed.
//!
//! Kept true here: a seed, a feature and a number give the same program everywhere. Programs are small, and each declaration stands for
//! itself, so that one that is wrong says what is wrong.

mod choices;
mod files;
mod language;
mod names;
mod structures;
mod values;

pub use values::Generator;

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Its files, by their path below its directory.
    pub files: Vec<(String, String)>,
    /// What stands behind the command.
    pub arguments: Vec<String>,
}

impl Program {
    /// A program of one file.
    pub fn single(text: impl Into<String>) -> Self {
        Self { files: vec![("in.cue".to_owned(), text.into())], arguments: vec!["in.cue".to_owned()] }
    }
}

/// A feature of the language and what makes programs that use it.
pub struct Feature {
    /// Its name.
    pub name: &'static str,
    make: fn(&mut Generator) -> Program,
}

/// A feature whose programs are declarations in one file.
macro_rules! declarations {
    ($name:literal, $declaration:expr) => {
        Feature { name: $name, make: |generator| generator.several($declaration) }
    };
}

/// Every feature.
pub const FEATURES: &[Feature] = &[
    declarations!("literals", language::literal),
    declarations!("numbers", language::number),
    declarations!("strings", language::string),
    declarations!("interpolation", language::interpolation),
    declarations!("attributes", language::attribute),
    declarations!("builtins", language::builtin),
    declarations!("let", names::let_clause),
    declarations!("aliases", names::alias),
    declarations!("dynamic-fields", names::dynamic_field),
    declarations!("pattern-fields", names::pattern),
    declarations!("hidden-fields", names::hidden),
    declarations!("optional-fields", structures::optional),
    declarations!("required-fields", structures::required),
    declarations!("definitions", structures::definition),
    declarations!("close", structures::close),
    declarations!("embedding", structures::embedding),
    declarations!("ellipsis", structures::ellipsis),
    declarations!("lists", structures::list),
    declarations!("comprehensions", structures::comprehension),
    declarations!("disjunctions", choices::disjunction),
    declarations!("nested-defaults", choices::nested_default),
    declarations!("bounds", choices::bound),
    declarations!("validators", choices::validator),
    declarations!("cycles", choices::reference_cycle),
    declarations!("structural-cycles", choices::structural_cycle),
    declarations!("bottom-comparisons", choices::bottom_comparison),
    Feature { name: "conditions", make: files::condition },
    Feature { name: "tags", make: files::tag },
    Feature { name: "experiments", make: files::experiment },
    Feature { name: "packages", make: files::package },
];

impl Feature {
    /// The program with a number.
    pub fn program(&self, seed: u64, number: u64) -> Program {
        let name = self.name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        (self.make)(&mut Generator::new(seed ^ name ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }
}

#[cfg(test)]
mod tests {
    use pravo_cue::syntax::{Options, parse_file};
    use pravo_diag::SourceMap;

    use super::*;

    #[test]
    fn most_programs_can_be_read_and_all_are_told_by_their_seed() {
        for feature in FEATURES {
            let mut refused = Vec::new();
            for number in 0..40 {
                let program = feature.program(1, number);
                assert_eq!(program, feature.program(1, number), "{}", feature.name);
                for (name, text) in program.files.iter().filter(|(name, _)| name.ends_with(".cue")) {
                    let mut sources = SourceMap::new();
                    let file = sources.add(name, text.as_str());
                    let found = parse_file(&sources, file, &Options::default()).diagnostics;
                    if !found.is_empty() {
                        refused.push(format!("{number}: {text}\n{found:?}"));
                    }
                }
            }
            assert!(refused.len() <= 8, "{} of 40: {}", feature.name, refused.join("\n"));
            assert_ne!(feature.program(1, 0), feature.program(2, 0), "{}", feature.name);
        }
    }
}
