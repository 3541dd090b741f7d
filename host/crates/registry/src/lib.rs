//! Where providers come from, the lock file and the cache.
