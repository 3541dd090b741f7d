//! The bundled local provider.
