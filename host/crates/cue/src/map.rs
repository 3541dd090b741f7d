//! Hash tables for small keys: numbers of nodes, expressions and texts.
//!
//! Kept true here: the hash is quick and seeded at random, so that nobody can choose keys that collide. No output may
//! depend on the order in which a table is read.

/// A table.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// A set.
pub(crate) type Set<K> = std::collections::HashSet<K, foldhash::fast::RandomState>;
