//! `random_bytes`, resource and ephemeral.

use base64::Engine as _;
use pravo_sdk::validators::at_least;
use pravo_sdk::{Attr, Context, Diagnostic, DiagnosticExt, Ephemeral, Opened, Resource, Result};

use crate::encoding::{self, hexadecimal};
use crate::entropy;
use crate::keepers::Keepers;

/// Random bytes, for secrets.
#[derive(Resource)]
#[pravo(name = "random_bytes")]
pub struct Bytes {
    /// Arbitrary texts; a change makes a new result.
    #[pravo(optional, replace)]
    keepers: Keepers,
    /// How many bytes, 1 or more.
    #[pravo(required, replace, validate = at_least(1))]
    length: Attr<i64>,
    /// The bytes in base64.
    #[pravo(computed, keep_prior, sensitive)]
    base64: Attr<String>,
    /// The bytes in hexadecimal.
    #[pravo(computed, keep_prior, sensitive)]
    hex: Attr<String>,
}

impl Resource for Bytes {
    type Configuration = ();

    fn create(mut planned: Self, _: &Context<'_, ()>) -> Result<Self> {
        let bytes = entropy::bytes(planned.length.known().copied().unwrap_or_default())?;
        planned.base64 = encoding::STANDARD.encode(&bytes).into();
        planned.hex = hexadecimal(&bytes).into();
        Ok(planned)
    }

    fn import(id: &str, _: &Context<'_, ()>) -> Result<Self> {
        let bytes = encoding::decode(&encoding::STANDARD, id).ok_or_else(|| {
            Diagnostic::error(
                "Import Random bytes Error",
                "There was an error during the parsing of the base64 string: give the bytes in base64, with padding.",
            )
        })?;
        Ok(Self { keepers: Attr::Null, length: i64::try_from(bytes.len()).ok().into(), base64: id.into(), hex: hexadecimal(&bytes).into() })
    }
}

/// Random bytes that are never stored.
#[derive(Ephemeral)]
#[pravo(name = "random_bytes")]
pub struct EphemeralBytes {
    /// How many bytes, 1 or more.
    #[pravo(required, validate = at_least(1))]
    length: Attr<i64>,
    /// The bytes in base64.
    #[pravo(computed, sensitive)]
    base64: Attr<String>,
    /// The bytes in hexadecimal.
    #[pravo(computed, sensitive)]
    hex: Attr<String>,
}

impl Ephemeral for EphemeralBytes {
    type Configuration = ();

    fn open(mut config: Self, _: &Context<'_, ()>) -> Result<Opened<Self>> {
        let bytes = entropy::bytes(config.length.known().copied().unwrap_or_default())?;
        config.base64 = encoding::STANDARD.encode(&bytes).into();
        config.hex = hexadecimal(&bytes).into();
        Ok(config.into())
    }
}
