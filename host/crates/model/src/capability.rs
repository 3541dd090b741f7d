//! Capabilities: what a component needs, what the operator approved, and what one provider instance is allowed.
//!
//! Three words: *needs* are stated by the component in its manifest, *grants* were approved and stand in the lock file, and an
//! [`Allow`] is what `$allow` on an instance says. What an instance may really do is [`Allow::effective`]; nothing else is asked.
//! Kept true here: everything is normalised when it is made (paths, hosts, order), so that equal sets have equal texts; there
//! are no wildcards; nothing is granted by default. Deliberately absent: the enforcement, which stands in the host of the
//! components, and symlinks, which only the opened directory can judge.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

mod names;

pub use names::{Access, CapabilityError, FileGrant, GrantPath, Host, Variable};

/// The largest number of entries of one kind.
const MAX_ENTRIES: usize = 256;

/// One capability.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Capability {
    /// Files below a directory.
    Fs(FileGrant),
    /// A host.
    Net(Host),
    /// An environment variable.
    Env(Variable),
    /// The real time.
    Clock,
    /// Real randomness.
    Random,
}

impl Capability {
    /// What to write on a provider instance to ask for it.
    pub fn allow_text(&self) -> String {
        match self {
            Capability::Fs(grant) => format!("$allow: fs: [{{path: {:?}, access: \"{}\"}}]", grant.path.as_str(), grant.access),
            Capability::Net(host) => format!("$allow: net: [\"{host}\"]"),
            Capability::Env(name) => format!("$allow: env: [\"{name}\"]"),
            Capability::Clock => "$allow: clock: true".to_owned(),
            Capability::Random => "$allow: random: true".to_owned(),
        }
    }
}

impl fmt::Display for Capability {
    /// `fs write on the root directory`, `net api.example.com:443`, `env TOKEN`, `clock`, `random`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Capability::Fs(grant) => write!(f, "fs {} on {}", grant.access, grant.path),
            Capability::Net(host) => write!(f, "net {host}"),
            Capability::Env(name) => write!(f, "env {name}"),
            Capability::Clock => f.write_str("clock"),
            Capability::Random => f.write_str("random"),
        }
    }
}

/// A set of capabilities. Ordered and without repetition, whatever it was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    /// Directories.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", deserialize_with = "bounded")]
    pub fs: BTreeSet<FileGrant>,
    /// Hosts.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", deserialize_with = "bounded")]
    pub net: BTreeSet<Host>,
    /// Environment variables.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", deserialize_with = "bounded")]
    pub env: BTreeSet<Variable>,
    /// The real time.
    #[serde(default, skip_serializing_if = "is_false")]
    pub clock: bool,
    /// Real randomness.
    #[serde(default, skip_serializing_if = "is_false")]
    pub random: bool,
}

/// What a component states that it needs.
pub type Needs = Capabilities;

/// What the operator approved, or what one instance may do.
pub type Grants = Capabilities;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

fn bounded<'de, D: serde::Deserializer<'de>, T: Deserialize<'de> + Ord>(deserializer: D) -> Result<BTreeSet<T>, D::Error> {
    struct Entries<T>(std::marker::PhantomData<T>);
    impl<'de, T: Deserialize<'de> + Ord> serde::de::Visitor<'de> for Entries<T> {
        type Value = BTreeSet<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of capabilities")
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut sequence: A) -> Result<BTreeSet<T>, A::Error> {
            let mut entries = BTreeSet::new();
            while let Some(entry) = sequence.next_element()? {
                if entries.len() >= MAX_ENTRIES {
                    return Err(serde::de::Error::custom(format!("a list of capabilities has at most {MAX_ENTRIES} entries")));
                }
                entries.insert(entry);
            }
            Ok(entries)
        }
    }
    deserializer.deserialize_seq(Entries(std::marker::PhantomData))
}

impl Capabilities {
    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Every capability of it, in order.
    pub fn iter(&self) -> impl Iterator<Item = Capability> + '_ {
        let fs = self.fs.iter().cloned().map(Capability::Fs);
        let net = self.net.iter().cloned().map(Capability::Net);
        let env = self.env.iter().cloned().map(Capability::Env);
        let clock = self.clock.then_some(Capability::Clock);
        fs.chain(net).chain(env).chain(clock).chain(self.random.then_some(Capability::Random))
    }

    /// Adds one.
    pub fn insert(&mut self, capability: Capability) {
        match capability {
            Capability::Fs(grant) => drop(self.fs.insert(grant)),
            Capability::Net(host) => drop(self.net.insert(host)),
            Capability::Env(name) => drop(self.env.insert(name)),
            Capability::Clock => self.clock = true,
            Capability::Random => self.random = true,
        }
    }

    /// Whether whoever has this may do that.
    pub fn covers(&self, capability: &Capability) -> bool {
        match capability {
            Capability::Fs(wanted) => self.fs.iter().any(|grant| grant.covers(wanted)),
            Capability::Net(wanted) => self.net.iter().any(|host| host.covers(wanted)),
            Capability::Env(name) => self.env.contains(name),
            Capability::Clock => self.clock,
            Capability::Random => self.random,
        }
    }

    /// What of this goes beyond `approved`: what still has to be asked for.
    #[must_use]
    pub fn beyond(&self, approved: &Grants) -> Capabilities {
        self.iter().filter(|capability| !approved.covers(capability)).collect()
    }

    /// Both together.
    #[must_use]
    pub fn union(&self, other: &Capabilities) -> Capabilities {
        self.iter().chain(other.iter()).collect()
    }
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        let mut set = Self::default();
        capabilities.into_iter().for_each(|capability| set.insert(capability));
        set
    }
}

impl fmt::Display for Capabilities {
    /// Separated by commas; `nothing` where it is empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing");
        }
        for (i, capability) in self.iter().enumerate() {
            write!(f, "{}{capability}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// What `$allow` on a provider instance says. A kind that it names replaces what the manifest needs of that kind (so it may
/// widen as well as narrow); a kind that it does not name stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allow {
    /// Directories.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "bounded_option")]
    pub fs: Option<BTreeSet<FileGrant>>,
    /// Hosts.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "bounded_option")]
    pub net: Option<BTreeSet<Host>>,
    /// Environment variables.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "bounded_option")]
    pub env: Option<BTreeSet<Variable>>,
    /// The real time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<bool>,
    /// Real randomness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random: Option<bool>,
}

fn bounded_option<'de, D: serde::Deserializer<'de>, T: Deserialize<'de> + Ord>(deserializer: D) -> Result<Option<BTreeSet<T>>, D::Error> {
    bounded(deserializer).map(Some)
}

impl Allow {
    /// From the JSON text of an `$allow`, as a binding holds it; the empty text says nothing.
    ///
    /// # Errors
    /// Where it is no `$allow`: unknown kind, bad path, host or name.
    pub fn parse(json: &str) -> Result<Self, CapabilityError> {
        if json.is_empty() {
            return Ok(Self::default());
        }
        serde_json::from_str(json).map_err(|error| CapabilityError::new("$allow", json, error.to_string()))
    }

    /// The canonical JSON text: equal ones have equal texts; empty where it says nothing.
    pub fn canonical(&self) -> String {
        if *self == Self::default() {
            return String::new();
        }
        // Plain data without maps of foreign keys: writing it cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// All that it asks for.
    pub fn asked(&self) -> Capabilities {
        Capabilities {
            fs: self.fs.clone().unwrap_or_default(),
            net: self.net.clone().unwrap_or_default(),
            env: self.env.clone().unwrap_or_default(),
            clock: self.clock.unwrap_or_default(),
            random: self.random.unwrap_or_default(),
        }
    }

    /// What an instance may do: the manifest's needs with what this says in their place, as far as it was approved.
    ///
    /// # Errors
    /// What this asks for beyond the approval.
    pub fn effective(&self, needs: &Needs, approved: &Grants) -> Result<Grants, Capabilities> {
        let beyond = self.asked().beyond(approved);
        if !beyond.is_empty() {
            return Err(beyond);
        }
        let wanted = Capabilities {
            fs: self.fs.clone().unwrap_or_else(|| needs.fs.clone()),
            net: self.net.clone().unwrap_or_else(|| needs.net.clone()),
            env: self.env.clone().unwrap_or_else(|| needs.env.clone()),
            clock: self.clock.unwrap_or(needs.clock),
            random: self.random.unwrap_or(needs.random),
        };
        Ok(wanted.iter().filter(|capability| approved.covers(capability)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(json: &str) -> Capabilities {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn equal_sets_have_equal_texts() {
        let one = set(r#"{"fs":[{"path":"./b/","access":"read"},{"path":"a","access":"write"}],"net":["B","a:1"],"clock":true}"#);
        let other =
            set(r#"{"clock":true,"net":["a:1","b"],"fs":[{"path":"a","access":"write"},{"path":"b","access":"read"},{"path":"b","access":"read"}]}"#);
        assert_eq!(one, other);
        assert_eq!(one.to_string(), "fs write on a, fs read on b, net a:1, net b, clock");
        assert_eq!(
            serde_json::to_string(&one).unwrap(),
            r#"{"fs":[{"path":"a","access":"write"},{"path":"b","access":"read"}],"net":["a:1","b"],"clock":true}"#
        );
        assert_eq!(Capabilities::default().to_string(), "nothing");
    }

    #[test]
    fn foreign_text_is_refused() {
        for json in [
            r#"{"shell":true}"#,
            r#"{"fs":[{"path":"a"}]}"#,
            r#"{"fs":[{"path":"a","access":"execute"}]}"#,
            r#"{"net":["*"]}"#,
            r#"{"env":"A"}"#,
            "3",
            "{",
        ] {
            assert!(serde_json::from_str::<Capabilities>(json).is_err(), "{json}");
            assert!(Allow::parse(json).is_err(), "{json}");
        }
        let many: Vec<String> = (0..300).map(|i| format!("\"H{i}\"")).collect();
        let error = serde_json::from_str::<Capabilities>(&format!(r#"{{"net":[{}]}}"#, many.join(","))).unwrap_err();
        assert!(error.to_string().contains("at most 256"), "{error}");
    }

    #[test]
    fn beyond_is_what_was_not_approved() {
        let approved = set(r#"{"fs":[{"path":".","access":"write"}],"net":["a.b"],"random":true}"#);
        let asked = set(
            r#"{"fs":[{"path":"logs","access":"read"},{"path":"/etc","access":"read"}],"net":["a.b:443","c.d"],"env":["T"],"random":true,"clock":true}"#,
        );
        assert_eq!(asked.beyond(&approved).to_string(), "fs read on /etc, net c.d, env T, clock");
        assert!(approved.beyond(&approved).is_empty());
        assert_eq!(asked.union(&approved).beyond(&asked).to_string(), "fs write on the root directory, net a.b");
    }

    #[test]
    fn allow_replaces_kind_by_kind() {
        let needs = set(r#"{"fs":[{"path":".","access":"write"}],"clock":true}"#);
        let approved = set(r#"{"fs":[{"path":".","access":"write"},{"path":"/etc/app","access":"write"}],"clock":true}"#);
        let effective = |json: &str| {
            Allow::parse(json).unwrap().effective(&needs, &approved).map(|grants| grants.to_string()).map_err(|beyond| beyond.to_string())
        };
        assert_eq!(effective(""), Ok("fs write on the root directory, clock".into()));
        assert_eq!(effective(r#"{"fs":[{"path":"/etc/app","access":"read"}]}"#), Ok("fs read on /etc/app, clock".into()));
        assert_eq!(effective(r#"{"fs":[],"clock":false}"#), Ok("nothing".into()));
        assert_eq!(effective(r#"{"fs":[{"path":"/etc","access":"read"}],"net":["x"]}"#), Err("fs read on /etc, net x".into()));
    }

    #[test]
    fn needs_that_were_not_approved_are_not_granted() {
        let needs = set(r#"{"fs":[{"path":".","access":"write"}],"random":true}"#);
        assert_eq!(Allow::default().effective(&needs, &set(r#"{"random":true}"#)).unwrap().to_string(), "random");
    }

    #[test]
    fn the_text_of_an_allow_is_canonical() {
        let one = Allow::parse(r#"{"net":["B","a"],"fs":[]}"#).unwrap();
        assert_eq!(one.canonical(), r#"{"fs":[],"net":["a","b"]}"#);
        assert_eq!(Allow::parse(&one.canonical()).unwrap(), one);
        assert_eq!(Allow::default().canonical(), "");
    }
}
