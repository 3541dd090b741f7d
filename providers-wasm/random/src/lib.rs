//! The bundled random provider: ids, numbers, names, passwords and the like, made once and kept.
//!
//! Kept true here: a result changes only when an argument asks for it; what a seed gives is the same for ever. Behaves as
//! `hashicorp/random` does; where it does not, `docs/reference/provider-deviations.md` says so.

mod bytes;
mod encoding;
mod entropy;
mod hash;
mod id;
mod integer;
mod keepers;
mod password;
mod password_ephemeral;
mod pet;
mod seeded;
mod shuffle;
mod string;
mod text;
mod uuid;
mod words;

/// The provider.
pub fn provider() -> pravo_sdk::Provider {
    pravo_sdk::Provider::new(env!("CARGO_PKG_VERSION"))
        .resource::<bytes::Bytes>()
        .resource::<id::Id>()
        .resource::<integer::Integer>()
        .resource::<password::Password>()
        .resource::<pet::Pet>()
        .resource::<shuffle::Shuffle>()
        .resource::<string::Text>()
        .resource::<uuid::Uuid>()
        .resource::<uuid::Uuid4>()
        .resource::<uuid::Uuid7>()
        .ephemeral::<bytes::EphemeralBytes>()
        .ephemeral::<password_ephemeral::EphemeralPassword>()
}

pravo_sdk::export_provider! {
    name: "hashicorp/random",
    version: "1.0.0",
    needs: r#"{"random": true, "clock": true}"#,
    provider: provider,
}
