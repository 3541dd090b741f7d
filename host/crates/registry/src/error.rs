//! What can go wrong on the way from an import to a component. Every error names the provider or file, and [`Error::help`] says what to do.

use std::path::PathBuf;

use pravo_model::capability::{Capabilities, CapabilityError};

use crate::manifest::ManifestError;
use crate::package::{ContentHash, NameError, OFFERED, Package, Source};

/// An error of the registry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    System {
        /// What was tried: `read`, `write`, ….
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The lock file is broken.
    #[error("{}:{line}:{column}: the lock file is broken: {reason}", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What the parser says.
        reason: String,
    },
    /// The lock file is of a newer pravo.
    #[error("{} was written by a newer pravo (format {format}, this pravo knows {known})", path.display())]
    NewerLock {
        /// The lock file.
        path: PathBuf,
        /// Its format.
        format: u64,
        /// What this pravo knows.
        known: u64,
    },
    /// A name in the specification does not follow its grammar.
    #[error("provider {package}: {error}")]
    Name {
        /// The package, as written.
        package: String,
        /// What is wrong.
        error: NameError,
    },
    /// A `$allow` that cannot be read.
    #[error("provider {package}: {error}")]
    Allow {
        /// The package.
        package: String,
        /// What is wrong.
        error: CapabilityError,
    },
    /// Instances of one package differ in `$source`.
    #[error("instances of provider {package} differ in $source: {one} and {other}")]
    Sources {
        /// The package.
        package: Package,
        /// One.
        one: String,
        /// Another.
        other: String,
    },
    /// No source has the package.
    #[error("there is no provider {package}{}", searched(bundled, directories))]
    Unknown {
        /// The package.
        package: Package,
        /// What pravo bundles.
        bundled: Vec<String>,
        /// Provider directories that were searched.
        directories: Vec<PathBuf>,
    },
    /// The source has the package, but no version that all constraints allow.
    #[error("no version of provider {package} satisfies {}; {from} has {found}", if constraints.is_empty() { "pravo.lock" } else { constraints })]
    Version {
        /// The package.
        package: Package,
        /// All constraints.
        constraints: Box<str>,
        /// The source.
        from: Box<str>,
        /// Versions that were found.
        found: Box<str>,
    },
    /// A file that is no provider component.
    #[error("provider {package}: {from}: {error}")]
    Manifest {
        /// The package.
        package: Package,
        /// Path or source.
        from: String,
        /// Why.
        error: ManifestError,
    },
    /// A component that says that it is another provider or version.
    #[error("provider {package}: {from} holds {found} instead of {expected}")]
    Mismatch {
        /// The package.
        package: Package,
        /// Path or source.
        from: String,
        /// What its manifest says.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// The bytes are others than the lock file pins.
    #[error("provider {package}: the component from {from} is not the one that pravo.lock pins: its hash is {found}, pravo.lock says {locked}")]
    Tampered {
        /// The package.
        package: Package,
        /// Path or source.
        from: String,
        /// Hash of the bytes.
        found: Box<ContentHash>,
        /// Hash in the lock file.
        locked: ContentHash,
    },
    /// Something that only `pravo init` may decide.
    #[error("provider {package}: {reason}")]
    NotInitialised {
        /// The package.
        package: Package,
        /// What does not fit.
        reason: String,
    },
    /// Capabilities that nobody approved.
    #[error("provider {package} asks for capabilities that were not approved: {beyond}")]
    NotApproved {
        /// The package.
        package: Package,
        /// What was not approved.
        beyond: Box<Capabilities>,
    },
}

fn searched(bundled: &[String], directories: &[PathBuf]) -> String {
    let directories: Vec<String> = directories.iter().map(|path| path.display().to_string()).collect();
    let directories =
        if directories.is_empty() { "no provider directory is set".to_owned() } else { format!("it is not in {}", directories.join(", ")) };
    format!(": this pravo bundles {}, and {directories}", bundled.join(", "))
}

impl Error {
    /// The import path of the package that it is about, where it is about one.
    pub fn package(&self) -> Option<String> {
        match self {
            Error::System { .. } | Error::Lock { .. } | Error::NewerLock { .. } => None,
            Error::Name { package, .. } | Error::Allow { package, .. } => Some(package.clone()),
            Error::Sources { package, .. }
            | Error::Unknown { package, .. }
            | Error::Version { package, .. }
            | Error::Manifest { package, .. }
            | Error::Mismatch { package, .. }
            | Error::Tampered { package, .. }
            | Error::NotInitialised { package, .. }
            | Error::NotApproved { package, .. } => Some(package.to_string()),
        }
    }

    /// What to do; may be empty.
    pub fn help(&self) -> String {
        match self {
            Error::System { .. } => String::new(),
            Error::Lock { .. } => "Restore it from version control, or delete it and run pravo init.".to_owned(),
            Error::NewerLock { .. } => "Use that pravo, or a newer one.".to_owned(),
            Error::Name { .. } | Error::Allow { .. } => String::new(),
            Error::Sources { .. } => "One provider package has one source: give all its instances the same $source.".to_owned(),
            Error::Unknown { .. } => format!("Check the import path, or say where the provider comes from: {OFFERED}."),
            Error::Version { .. } => "Change $version, or provide a version that fits; pravo init --upgrade leaves the locked version.".to_owned(),
            Error::Manifest { error, .. } => error.help().to_owned(),
            Error::Mismatch { .. } => "Check $source and the provider directory.".to_owned(),
            Error::Tampered { .. } => {
                "Somebody changed the component, or a new build took its place. If that is meant, pravo init --upgrade pins the new one.".to_owned()
            }
            Error::NotInitialised { .. } => "Run pravo init.".to_owned(),
            Error::NotApproved { .. } => "Run pravo init to look at them and approve them.".to_owned(),
        }
    }

    pub(crate) fn system(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Error::System { doing, path, source }
    }

    pub(crate) fn not_initialised(package: &Package, reason: impl Into<String>) -> Self {
        Error::NotInitialised { package: package.clone(), reason: reason.into() }
    }
}

/// How people are told where a component came from.
pub(crate) fn origin(source: &Source) -> String {
    match source {
        Source::Bundled => "the bundle of this pravo".to_owned(),
        Source::Directory => "a provider directory".to_owned(),
        Source::File(path) => path.clone(),
    }
}
