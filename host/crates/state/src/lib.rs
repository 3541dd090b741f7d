//! The transactional state store on redb.
