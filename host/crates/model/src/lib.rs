//! What crosses pravo's borders: values, types, schemas, addresses, plans, records and the traits.
