//! Infrastructure as code: CUE specifications, sandboxed WebAssembly providers, transactional state.
