//! What a provider may use up, and what is said when it wants more.
//!
//! Kept true here: a limit exists only in [`Limit`]'s table; each has a name, a default, an environment variable that changes it
//! and one text for being exceeded, so that no limit is parsed without being enforced or enforced without being raisable.

use std::fmt;
use std::time::Duration;

/// One limit. All but [`Limit::Component`], [`Limit::Stack`] and [`Limit::Instances`] count per call of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// Bytes of all linear memories and tables of one instance together.
    Memory,
    /// Bytes of the call stack.
    Stack,
    /// Processor time that a call really used.
    CpuTime,
    /// Time that a call takes, blocked host calls included.
    WallClock,
    /// Bytes that cross the border at once: a result, or the arguments of one host call, or a file that is read.
    Transfer,
    /// Live handles of one instance.
    Handles,
    /// Bytes of log and progress text of a call.
    Log,
    /// Log and progress lines a second; what comes faster is left out.
    LogRate,
    /// Bytes that a call writes to files.
    Written,
    /// Files and directories that a call makes.
    Files,
    /// Bytes of a component.
    Component,
    /// Instances of one provider at the same time; further calls wait.
    Instances,
}

/// How a limit's value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Seconds,
    Count,
}

impl Limit {
    /// Every limit.
    pub const ALL: [Limit; 12] = [
        Limit::Memory,
        Limit::Stack,
        Limit::CpuTime,
        Limit::WallClock,
        Limit::Transfer,
        Limit::Handles,
        Limit::Log,
        Limit::LogRate,
        Limit::Written,
        Limit::Files,
        Limit::Component,
        Limit::Instances,
    ];

    /// Its name, as messages and the documentation have it.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The environment variable that sets it.
    pub fn variable(self) -> String {
        format!("PRAVO_LIMIT_{}", self.name().to_ascii_uppercase().replace('-', "_"))
    }

    /// Name, unit, default (milliseconds for times), largest value.
    fn row(self) -> (&'static str, Unit, u64, u64) {
        const MIB: u64 = 1 << 20;
        match self {
            Limit::Memory => ("memory", Unit::Bytes, 256 * MIB, 4096 * MIB),
            Limit::Stack => ("stack", Unit::Bytes, MIB, 64 * MIB),
            Limit::CpuTime => ("cpu-time", Unit::Seconds, 30_000, 86_400_000),
            Limit::WallClock => ("wall-clock", Unit::Seconds, 120_000, 86_400_000),
            Limit::Transfer => ("transfer", Unit::Bytes, 16 * MIB, 1024 * MIB),
            Limit::Handles => ("handles", Unit::Count, 1_000, 100_000),
            Limit::Log => ("log", Unit::Bytes, MIB, 1024 * MIB),
            Limit::LogRate => ("log-rate", Unit::Count, 1_000, 1_000_000),
            Limit::Written => ("written", Unit::Bytes, 256 * MIB, 1 << 50),
            Limit::Files => ("files", Unit::Count, 1_000, 100_000_000),
            Limit::Component => ("component", Unit::Bytes, 64 * MIB, 1024 * MIB),
            Limit::Instances => ("instances", Unit::Count, 16, 1_000),
        }
    }
}

/// The values of all limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits([u64; Limit::ALL.len()]);

impl Default for Limits {
    fn default() -> Self {
        Self(Limit::ALL.map(|limit| limit.row().2))
    }
}

/// A value that is none for a limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable} is {text:?}, which is no value for the limit {name}: {reason}")]
pub struct LimitError {
    /// The environment variable.
    pub variable: String,
    /// The limit.
    pub name: &'static str,
    /// What stood there.
    pub text: String,
    /// What is expected.
    pub reason: String,
}

impl Limits {
    /// The value of a limit; milliseconds where it is a time.
    pub fn get(&self, limit: Limit) -> u64 {
        // The array has one place for every limit, in the order of the declaration.
        self.0.get(limit as usize).copied().unwrap_or_default()
    }

    /// A value as `usize`.
    pub(crate) fn size(&self, limit: Limit) -> usize {
        usize::try_from(self.get(limit)).unwrap_or(usize::MAX)
    }

    /// A value as a time.
    pub(crate) fn time(&self, limit: Limit) -> Duration {
        Duration::from_millis(self.get(limit))
    }

    /// The same limits with another value for one; milliseconds where it is a time. Values beyond what can be had are cut.
    #[must_use]
    pub fn with(mut self, limit: Limit, value: u64) -> Self {
        if let Some(place) = self.0.get_mut(limit as usize) {
            *place = value.clamp(1, limit.row().3);
        }
        self
    }

    /// The defaults with what the variables `PRAVO_LIMIT_<NAME>` say: bytes with an optional `KiB`, `MiB` or `GiB`, times with
    /// an optional `ms`, `s` (the default) or `m`.
    ///
    /// # Errors
    /// A variable that holds no such value, or that names no limit.
    pub fn from_environment(variables: impl IntoIterator<Item = (String, String)>) -> Result<Self, LimitError> {
        let mut limits = Self::default();
        for (variable, text) in variables {
            if !variable.starts_with("PRAVO_LIMIT_") {
                continue;
            }
            let Some(limit) = Limit::ALL.into_iter().find(|limit| limit.variable() == variable) else {
                let known: Vec<_> = Limit::ALL.iter().map(|limit| limit.name()).collect();
                return Err(LimitError { variable, name: "?", text, reason: format!("there is no such limit; there are {}", known.join(", ")) });
            };
            let value = parse(limit, &text).map_err(|reason| LimitError { variable, name: limit.name(), text, reason })?;
            limits = limits.with(limit, value);
        }
        Ok(limits)
    }

    /// What is said when a provider exceeds a limit.
    pub(crate) fn exceeded(&self, limit: Limit) -> Exceeded {
        Exceeded { limit, value: self.get(limit) }
    }
}

fn parse(limit: Limit, text: &str) -> Result<u64, String> {
    let (_, unit, _, most) = limit.row();
    let units: &[(&str, u64)] = match unit {
        Unit::Bytes => &[("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("", 1)],
        Unit::Seconds => &[("ms", 1), ("s", 1_000), ("m", 60_000), ("", 1_000)],
        Unit::Count => &[("", 1)],
    };
    let text = text.trim();
    let value = units.iter().find_map(|(suffix, factor)| {
        let digits = text.strip_suffix(suffix)?.trim_end();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        digits.parse::<u64>().ok()?.checked_mul(*factor)
    });
    match value {
        Some(value) if (1..=most).contains(&value) => Ok(value),
        Some(_) => Err(format!("from 1 to {}", show(unit, most))),
        None => Err(match unit {
            Unit::Bytes => "a number of bytes, such as 1048576, 512KiB or 64MiB".to_owned(),
            Unit::Seconds => "a time, such as 30, 500ms, 30s or 5m".to_owned(),
            Unit::Count => "a number".to_owned(),
        }),
    }
}

/// Writes a value so that [`parse`] reads it.
fn show(unit: Unit, value: u64) -> String {
    let units: &[(u64, &str)] = match unit {
        Unit::Bytes => &[(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "")],
        Unit::Seconds => &[(60_000, "m"), (1_000, "s"), (1, "ms")],
        Unit::Count => &[(1, "")],
    };
    let fitting = units.iter().find(|(factor, _)| value >= *factor && value.is_multiple_of(*factor));
    fitting.map_or_else(|| value.to_string(), |(factor, suffix)| format!("{}{suffix}", value / factor))
}

/// A limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Exceeded {
    /// Which.
    pub limit: Limit,
    /// Its value; milliseconds where it is a time.
    pub value: u64,
}

impl fmt::Display for Exceeded {
    /// `it exceeded its memory limit of 256MiB; raise it with PRAVO_LIMIT_MEMORY=512MiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, unit, _, most) = self.limit.row();
        let bytes = if unit == Unit::Bytes && show(unit, self.value).bytes().all(|byte| byte.is_ascii_digit()) { " bytes" } else { "" };
        write!(f, "it exceeded its {name} limit of {}{bytes}", show(unit, self.value))?;
        if self.value < most {
            write!(f, "; raise it with {}={}", self.limit.variable(), show(unit, self.value.saturating_mul(2).min(most)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Limits, LimitError> {
        Limits::from_environment([("HOME".to_owned(), "/".to_owned()), (name.to_owned(), text.to_owned())])
    }

    #[test]
    fn every_limit_has_its_own_place_name_and_variable() {
        for (place, limit) in Limit::ALL.into_iter().enumerate() {
            assert_eq!(limit as usize, place);
            let changed = read(&limit.variable(), "7").unwrap();
            for other in Limit::ALL {
                assert_eq!(changed.get(other) != Limits::default().get(other), other == limit, "{} {}", limit.name(), other.name());
            }
        }
    }

    #[test]
    fn values_have_units() {
        for (name, text, limit, value) in [
            ("PRAVO_LIMIT_MEMORY", "512MiB", Limit::Memory, 512 << 20),
            ("PRAVO_LIMIT_MEMORY", "65536", Limit::Memory, 65536),
            ("PRAVO_LIMIT_CPU_TIME", "500ms", Limit::CpuTime, 500),
            ("PRAVO_LIMIT_CPU_TIME", "2", Limit::CpuTime, 2_000),
            ("PRAVO_LIMIT_WALL_CLOCK", "5 m", Limit::WallClock, 300_000),
            ("PRAVO_LIMIT_FILES", "12", Limit::Files, 12),
        ] {
            assert_eq!(read(name, text).unwrap().get(limit), value, "{name}={text}");
        }
        for (name, text) in [
            ("PRAVO_LIMIT_MEMORY", ""),
            ("PRAVO_LIMIT_MEMORY", "0"),
            ("PRAVO_LIMIT_MEMORY", "5s"),
            ("PRAVO_LIMIT_MEMORY", "8GiB"),
            ("PRAVO_LIMIT_FILES", "5MiB"),
            ("PRAVO_LIMIT_CPU_TIME", "-1"),
            ("PRAVO_LIMIT_CPU_TIME", "99999999999999999999"),
            ("PRAVO_LIMIT_MEMROY", "5"),
        ] {
            assert!(read(name, text).is_err(), "{name}={text}");
        }
    }

    #[test]
    fn the_documentation_has_every_limit() {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/concepts/sandbox.md")).unwrap();
        for limit in Limit::ALL {
            let (name, unit, default, _) = limit.row();
            let row = format!("| {name} | `{}` | `{}` |", limit.variable(), show(unit, default));
            assert!(page.contains(&row), "missing in docs/concepts/sandbox.md: {row}");
        }
    }

    #[test]
    fn an_exceeded_limit_says_how_to_raise_it() {
        let limits = Limits::default();
        assert_eq!(limits.exceeded(Limit::Memory).to_string(), "it exceeded its memory limit of 256MiB; raise it with PRAVO_LIMIT_MEMORY=512MiB");
        assert_eq!(limits.exceeded(Limit::CpuTime).to_string(), "it exceeded its cpu-time limit of 30s; raise it with PRAVO_LIMIT_CPU_TIME=1m");
        let most = limits.with(Limit::Memory, u64::MAX);
        assert_eq!(most.exceeded(Limit::Memory).to_string(), "it exceeded its memory limit of 4GiB");
    }
}
