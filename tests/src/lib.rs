//! Integration tests, conformance runners and page runner.
