//! The bundled local provider: files with given contents, and what files hold.
//!
//! Kept true here: nothing is reached but through the host's `files`, so that the grants decide. Behaves as
//! `hashicorp/local` does; where it does not, `docs/reference/provider-deviations.md` says so. Deliberately absent:
//! `local_command`, since a sandbox runs no commands.

mod data;
mod digests;
mod direxists;
mod file;
mod paths;
mod permission;
mod sensitive_file;
mod stored;

/// The provider.
pub fn provider() -> pravo_sdk::Provider {
    pravo_sdk::Provider::new(env!("CARGO_PKG_VERSION"))
        .resource::<file::File>()
        .resource::<sensitive_file::SensitiveFile>()
        .data_source::<data::FileData>()
        .data_source::<data::SensitiveFileData>()
        .function(direxists::direxists::definition())
}

pravo_sdk::export_provider! {
    name: "hashicorp/local",
    version: "1.0.0",
    needs: r#"{"fs": [{"path": ".", "access": "write"}]}"#,
    provider: provider,
}

#[cfg(test)]
mod tests;
