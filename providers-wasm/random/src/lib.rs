//! The bundled random provider.
