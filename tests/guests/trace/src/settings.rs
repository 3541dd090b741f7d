//! The provider's configuration.

use pravo_sdk::files::{self, ErrorCode, WriteMode};
use pravo_sdk::{Attr, Configuration, Diagnostic, DiagnosticExt, Result};

/// How the provider is configured.
#[derive(Configuration)]
pub struct Settings {
    /// The file that gets a line for each creation (`+ id`), update (`~ id`) and deletion (`- id`); none is written without it.
    #[pravo(optional)]
    log: Attr<String>,
    /// A text that may come from a resource.
    #[pravo(optional)]
    region: Attr<String>,
    /// Refuses to be configured where it is set.
    #[pravo(optional)]
    refuse: Attr<bool>,
}

/// The configured state.
pub struct Log {
    /// The file, if there is one.
    path: Option<String>,
    /// The region.
    pub region: Attr<String>,
}

/// Makes the configured state.
pub fn configure(settings: Settings) -> Result<Log> {
    if settings.refuse.known() == Some(&true) {
        return Err(Diagnostic::error("Not today", "The configuration asks to be refused.").at_attribute("refuse").into());
    }
    Ok(Log { path: settings.log.known().cloned(), region: settings.region })
}

impl Log {
    /// Adds a line.
    pub fn append(&self, line: &str) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        files::write(path, format!("{line}\n").as_bytes(), WriteMode::Append, 0o644)
            .map_err(|error| Diagnostic::error("Cannot write the log", error.message).into())
    }

    /// All lines; none where there is no log.
    pub fn lines(&self) -> Result<Vec<String>> {
        let Some(path) = &self.path else { return Ok(Vec::new()) };
        match files::read(path) {
            Ok(contents) => Ok(String::from_utf8_lossy(&contents).lines().map(str::to_owned).collect()),
            Err(error) if error.code == ErrorCode::NotFound => Ok(Vec::new()),
            Err(error) => Err(Diagnostic::error("Cannot read the log", error.message).into()),
        }
    }

    /// Whether an object was made and not deleted.
    pub fn holds(&self, id: &str) -> Result<bool> {
        let last = self.lines()?.into_iter().rfind(|line| line.get(2..) == Some(id));
        Ok(last.is_some_and(|line| !line.starts_with('-')))
    }
}
