//! What a provider author uses: traits, derive macros, export and a native test harness.
