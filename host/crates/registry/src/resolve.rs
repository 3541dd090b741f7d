//! From requirements to components: what `pravo init` decides, and what every other command loads.
//!
//! Kept true here: what the lock file pins is never silently replaced ([`resolve`] refuses other bytes unless it is asked to upgrade,
//! [`load`] always); nothing is granted that was neither bundled nor approved.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pravo_model::capability::{Allow, Capabilities};
use semver::Version;

use crate::cache::Cache;
use crate::component::{Component, Place};
use crate::constraint::Constraint;
use crate::error::{Error, origin};
use crate::lock::{Lock, Locked};
use crate::package::{ContentHash, Package, Source};
use crate::{bundled, component};

/// What a specification asks of one provider package: all its instances together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirement {
    /// The import path.
    pub package: String,
    /// Every `$source`, as written.
    pub sources: Vec<String>,
    /// Every `$version`.
    pub versions: Vec<String>,
    /// Every `$allow`, as JSON.
    pub allows: Vec<String>,
}

/// Where to look.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The root directory of the specification.
    pub root: PathBuf,
    /// Directory mirrors, in order.
    pub provider_dirs: Vec<PathBuf>,
    /// Leave what the lock file pins and take the newest that fits.
    pub upgrade: bool,
}

/// A requirement whose texts were read.
struct Wanted {
    package: Package,
    source: Option<Source>,
    constraints: Vec<Constraint>,
    allowed: Capabilities,
}

impl Wanted {
    fn read(requirement: &Requirement) -> Result<Self, Error> {
        let name = |error| Error::Name { package: requirement.package.clone(), error };
        let package: Package = requirement.package.parse().map_err(name)?;
        let mut sources = requirement.sources.iter();
        let source = sources.next();
        if let (Some(one), Some(other)) = (source, sources.find(|other| Some(*other) != source)) {
            return Err(Error::Sources { package, one: one.clone(), other: other.clone() });
        }
        let source = source.map(|text| text.parse()).transpose().map_err(name)?;
        let constraints = requirement.versions.iter().map(|text| text.parse()).collect::<Result<_, _>>().map_err(name)?;
        let mut allowed = Capabilities::default();
        for text in &requirement.allows {
            let allow = Allow::parse(text).map_err(|error| Error::Allow { package: requirement.package.clone(), error })?;
            allowed = allowed.union(&allow.asked());
        }
        Ok(Self { package, source, constraints, allowed })
    }

    fn fits(&self, version: &Version) -> bool {
        self.constraints.iter().all(|constraint| constraint.allows(version))
    }

    fn constraints(&self) -> String {
        self.constraints.iter().map(|constraint| format!("{constraint:?}", constraint = constraint.to_string())).collect::<Vec<_>>().join(" and ")
    }

    fn no_version(&self, from: &str, found: &str) -> Error {
        Error::Version { package: self.package.clone(), constraints: self.constraints().into(), from: from.into(), found: found.into() }
    }
}

/// All requirements, those of one package joined, sorted by package.
fn wanted(requirements: &[Requirement]) -> Result<Vec<Wanted>, Error> {
    let mut joined: BTreeMap<&str, Requirement> = BTreeMap::new();
    for requirement in requirements {
        let all = joined.entry(&requirement.package).or_default();
        all.package.clone_from(&requirement.package);
        all.sources.extend_from_slice(&requirement.sources);
        all.versions.extend_from_slice(&requirement.versions);
        all.allows.extend_from_slice(&requirement.allows);
    }
    joined.values().map(Wanted::read).collect()
}

/// A package with its component and what is known of its approval.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// What the lock file says, or will say.
    pub locked: Locked,
    /// Where it was found, for people.
    pub from: String,
    /// Its bytes.
    pub component: Component,
    /// What it needs and what the instances' `$allow` ask for.
    pub asked: Capabilities,
    /// What the lock file said before.
    pub before: Option<Locked>,
}

impl Resolved {
    /// What somebody must approve first.
    pub fn unapproved(&self) -> Capabilities {
        self.asked.beyond(&self.locked.approved)
    }

    /// Approves all that is asked for.
    pub fn approve(&mut self) {
        self.locked.approved = self.locked.approved.union(&self.asked);
    }

    /// Whether the lock file said something else, or nothing.
    pub fn is_new(&self) -> bool {
        self.before.as_ref() != Some(&self.locked)
    }
}

/// Finds a component for every requirement. Reads, and changes nothing: see [`Resolved::approve`], [`store`].
///
/// # Errors
/// Where a requirement cannot be read or met, or the bytes are others than the lock file pins.
pub fn resolve(requirements: &[Requirement], lock: Option<&Lock>, options: &Options) -> Result<Vec<Resolved>, Error> {
    wanted(requirements)?.iter().map(|wanted| resolve_one(wanted, lock.and_then(|lock| lock.get(&wanted.package)), options)).collect()
}

fn resolve_one(wanted: &Wanted, before: Option<&Locked>, options: &Options) -> Result<Resolved, Error> {
    let pinned = before.filter(|locked| !options.upgrade && wanted.source.as_ref().is_none_or(|source| *source == locked.source));
    let place = place(wanted, pinned, options)?;
    let component = component::bytes(&wanted.package, &place)?;
    let hash = component.hash();
    // Before anything in it is believed.
    if let Some(locked) = pinned.filter(|locked| locked.hash != hash) {
        return Err(Error::Tampered { package: wanted.package.clone(), from: place.to_string(), found: Box::new(hash), locked: locked.hash });
    }
    let manifest = component::manifest(&wanted.package, &place, &component)?;
    if !wanted.fits(&manifest.version) {
        return Err(wanted.no_version(&place.to_string(), &manifest.version.to_string()));
    }
    let asked = manifest.needs.union(&wanted.allowed);
    // What was approved before stays approved as far as it is still asked for, for another version too: an upgrade asks only for more.
    let mut approved: Capabilities = match before {
        Some(locked) => asked.iter().filter(|capability| locked.approved.covers(capability)).collect(),
        None => Capabilities::default(),
    };
    if place == Place::Bundled {
        approved = approved.union(&manifest.needs);
    }
    let locked = Locked {
        package: wanted.package.clone(),
        source: place.source(),
        version: manifest.version.clone(),
        hash,
        needs: manifest.needs.clone(),
        approved,
    };
    Ok(Resolved { locked, from: place.to_string(), component, asked, before: before.cloned() })
}

/// Where a package is taken from: `$source`, what is pinned, a provider directory, the bundle.
fn place(wanted: &Wanted, pinned: Option<&Locked>, options: &Options) -> Result<Place, Error> {
    let source = wanted.source.as_ref().or(pinned.map(|locked| &locked.source));
    let unknown = || Error::Unknown {
        package: wanted.package.clone(),
        bundled: bundled::all().iter().map(|bundled| bundled.name.to_owned()).collect(),
        directories: options.provider_dirs.clone(),
    };
    let is_bundled = bundled::get(&wanted.package).is_some();
    match source {
        Some(Source::File(path)) => return Ok(Place::File { written: path.clone(), path: options.root.join(path) }),
        Some(Source::Bundled) => return if is_bundled { Ok(Place::Bundled) } else { Err(unknown()) },
        Some(Source::Directory) | None => {}
    }
    let mut versions = component::versions(&options.provider_dirs, &wanted.package)?;
    let found = versions.iter().map(|(version, _)| version.to_string()).collect::<Vec<_>>().join(", ");
    versions.retain(|(version, _)| wanted.fits(version));
    if let Some(locked) = pinned {
        if !wanted.fits(&locked.version) {
            return Err(wanted.no_version("pravo.lock", &locked.version.to_string()));
        }
        let cached = Cache::new(&options.root).component_path(locked.hash);
        let listed = versions.into_iter().find(|(version, _)| *version == locked.version);
        return match listed.or_else(|| cached.is_file().then(|| (locked.version.clone(), cached))) {
            Some((version, path)) => Ok(Place::Directory { version, path }),
            None => Err(wanted.no_version("the provider directory", &format!("{found} and no longer {}, which pravo.lock pins", locked.version))),
        };
    }
    match versions.pop() {
        Some((version, path)) => Ok(Place::Directory { version, path }),
        None if found.is_empty() && is_bundled && source.is_none() => Ok(Place::Bundled),
        None if found.is_empty() => Err(unknown()),
        None => Err(wanted.no_version("the provider directory", &found)),
    }
}

/// Writes what was resolved: the components into the cache, then the lock file. Entries of packages that are no longer required
/// are dropped. Schemas are stored by whoever starts the components ([`Cache::store_schema`]).
///
/// # Errors
/// Where something is not approved, or the system refuses.
pub fn store(resolved: &[Resolved], root: &Path) -> Result<Lock, Error> {
    for one in resolved {
        let beyond = one.unapproved();
        if !beyond.is_empty() {
            return Err(Error::NotApproved { package: one.locked.package.clone(), beyond: Box::new(beyond) });
        }
    }
    let cache = Cache::new(root);
    for one in resolved {
        cache.store_component(one.locked.hash, one.component.bytes())?;
    }
    let lock = Lock::new(resolved.iter().map(|one| one.locked.clone()));
    lock.write(root)?;
    Ok(lock)
}

/// What commands other than `init` run with.
#[derive(Debug)]
pub struct Loaded {
    /// One for every requirement.
    pub required: Vec<Resolved>,
    /// Packages that are not asked for any more, or why one cannot be had: the state may still have records of them. What is wrong
    /// with one matters only to who needs it.
    pub left: Vec<(Package, Result<Resolved, Error>)>,
}

/// What the lock file and the cache hold, checked: what every command but `init` runs with.
///
/// # Errors
/// One clear line where `pravo init` must run first, the lock file is broken, or the bytes are others than it pins.
pub fn load(requirements: &[Requirement], options: &Options) -> Result<Loaded, Error> {
    let wanted = wanted(requirements)?;
    let lock = match Lock::read(&options.root) {
        Err(_) if wanted.is_empty() => None,
        read => read?,
    };
    let cache = Cache::new(&options.root);
    let load = |wanted: &Wanted| load_one(wanted, lock.as_ref(), &cache, options);
    let required = wanted.iter().map(load).collect::<Result<_, _>>()?;
    let pinned =
        |locked: &Locked| Wanted { package: locked.package.clone(), source: None, constraints: Vec::new(), allowed: Capabilities::default() };
    let left = lock.iter().flat_map(|lock| lock.unasked(requirements)).map(|locked| (locked.package.clone(), load(&pinned(locked)))).collect();
    Ok(Loaded { required, left })
}

fn load_one(wanted: &Wanted, lock: Option<&Lock>, cache: &Cache, options: &Options) -> Result<Resolved, Error> {
    let again = |reason: String| Error::not_initialised(&wanted.package, reason);
    let Some(lock) = lock else { return Err(again("there is no pravo.lock yet".to_owned())) };
    let locked = lock.get(&wanted.package).ok_or_else(|| again("it is not in pravo.lock".to_owned()))?;
    if let Some(source) = wanted.source.as_ref().filter(|source| **source != locked.source) {
        return Err(again(format!("$source is {source}, pravo.lock says {}", locked.source)));
    }
    if !wanted.fits(&locked.version) {
        return Err(again(format!("pravo.lock has version {}, the specification asks for {}", locked.version, wanted.constraints())));
    }
    let component = load_component(locked, cache, options)?;
    let asked = locked.needs.union(&wanted.allowed);
    let beyond = asked.beyond(&locked.approved);
    if !beyond.is_empty() {
        return Err(Error::NotApproved { package: wanted.package.clone(), beyond: Box::new(beyond) });
    }
    if !cache.has_schema(locked.hash) {
        return Err(again(format!("its schema is not in {}", cache.directory().display())));
    }
    Ok(Resolved { locked: locked.clone(), from: origin(&locked.source), component, asked, before: Some(locked.clone()) })
}

/// The bytes that the lock file pins, from where they are: the file itself, the bundle, or else the cache.
fn load_component(locked: &Locked, cache: &Cache, options: &Options) -> Result<Component, Error> {
    let tampered =
        |from: String, found: ContentHash| Error::Tampered { package: locked.package.clone(), from, found: Box::new(found), locked: locked.hash };
    if let Source::File(written) = &locked.source {
        let place = Place::File { written: written.clone(), path: options.root.join(written) };
        let component = component::bytes(&locked.package, &place)?;
        let found = component.hash();
        return if found == locked.hash { Ok(component) } else { Err(tampered(place.to_string(), found)) };
    }
    let bundled = bundled::get(&locked.package).filter(|_| locked.source == Source::Bundled);
    if let Some(bundled) = bundled.filter(|bundled| bundled.hash() == locked.hash) {
        return Ok(Component::Bundled(bundled));
    }
    match (cache.component(locked.hash), bundled) {
        (Some(Ok(bytes)), _) => Ok(Component::Read(bytes.into())),
        (Some(Err(found)), _) => Err(tampered(cache.component_path(locked.hash).display().to_string(), found)),
        (None, Some(bundled)) => Err(tampered(origin(&locked.source), bundled.hash())),
        (None, None) => Err(Error::not_initialised(&locked.package, format!("its component is not in {}", cache.directory().display()))),
    }
}
