//! Language versions, and the features that a file switches on with `@experiment(…)`.
//!
//! Kept true here: what a feature means is decided per file, by its language version and its attributes alone.

/// A version of the language, such as 0.17.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LanguageVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
    /// The third number.
    pub patch: u32,
}

impl LanguageVersion {
    /// The newest version that is understood.
    pub const CURRENT: Self = Self { major: 0, minor: 17, patch: 1 };

    /// A version of three numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// Reads `v0.17.1`; a suffix such as `-alpha.1` is dropped. `None` where it is no version.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v')?;
        let text = text.split(['-', '+']).next()?;
        let mut numbers = text.split('.').map(|number| number.parse::<u32>().ok());
        let version = Self { major: numbers.next()??, minor: numbers.next()??, patch: numbers.next()?? };
        numbers.next().is_none().then_some(version)
    }
}

impl Default for LanguageVersion {
    fn default() -> Self {
        Self::CURRENT
    }
}

impl std::fmt::Display for LanguageVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "v{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Which features of the language a file has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Experiments {
    /// `structcmp`: `==` on all values, structs and lists included; part of the language since 0.15.
    pub struct_comparison: bool,
    /// `explicitopen`: `x...` opens a closed value, embedding a closed value closes.
    pub explicit_open: bool,
    /// `aliasv2`: `~X`, `~(K,V)` and `self` in place of `X=`.
    pub postfix_alias: bool,
    /// `try`: `try`, `else`, `otherwise` and `x?`.
    pub try_: bool,
    /// `shortcircuit`: `&&` and `||` do not look at the right side where the left decides.
    pub short_circuit: bool,
}

/// Why an `@experiment(…)` is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentError {
    /// There is no such experiment.
    #[error("unknown experiment \"{0}\"")]
    Unknown(String),
    /// The language version of the file is older than the experiment.
    #[error("experiment \"{name}\" requires language version {needed} or later, have {have}")]
    TooNew {
        /// The experiment.
        name: String,
        /// Where it came.
        needed: LanguageVersion,
        /// What the file has.
        have: LanguageVersion,
    },
}

impl Experiments {
    /// What a version has without any attribute.
    pub fn of(version: LanguageVersion) -> Self {
        Self { struct_comparison: version >= LanguageVersion::new(0, 15, 0), ..Self::default() }
    }

    /// Switches on what the body of an `@experiment(…)` lists.
    pub fn enable(&mut self, body: &str, version: LanguageVersion) -> Result<(), ExperimentError> {
        for name in body.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let (preview, flag): (_, Option<&mut bool>) = match name {
                "testing" | "accepted_" => (LanguageVersion::new(0, 13, 0), None),
                "structcmp" => (LanguageVersion::new(0, 14, 0), Some(&mut self.struct_comparison)),
                "explicitopen" => (LanguageVersion::new(0, 15, 0), Some(&mut self.explicit_open)),
                "aliasv2" => (LanguageVersion::new(0, 15, 0), Some(&mut self.postfix_alias)),
                "try" => (LanguageVersion::new(0, 16, 0), Some(&mut self.try_)),
                "shortcircuit" => (LanguageVersion::new(0, 17, 0), Some(&mut self.short_circuit)),
                _ => return Err(ExperimentError::Unknown(name.to_owned())),
            };
            if version < preview {
                return Err(ExperimentError::TooNew { name: name.to_owned(), needed: preview, have: version });
            }
            if let Some(flag) = flag {
                *flag = true;
            }
        }
        Ok(())
    }
}
