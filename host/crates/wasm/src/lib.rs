//! The WebAssembly provider host on wasmtime.
