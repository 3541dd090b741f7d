//! `random_id`.

use base64::Engine as _;
use num_bigint::BigUint;
use pravo_sdk::{Attr, Context, Diagnostic, DiagnosticExt, Resource, Result};

use crate::encoding::{self, hexadecimal};
use crate::entropy;
use crate::keepers::{self, Keepers};

/// Random bytes in several encodings, for names that shall be unique.
#[derive(Resource)]
#[pravo(name = "random_id")]
pub struct Id {
    /// Arbitrary texts; a change makes a new result.
    #[pravo(optional, replace = keepers::replaces)]
    keepers: Keepers,
    /// How many random bytes.
    #[pravo(required, replace)]
    byte_length: Attr<i64>,
    /// Stands before every encoding but `id`.
    #[pravo(optional, replace)]
    prefix: Attr<String>,
    /// The bytes in the URL-safe base64 alphabet, without padding, with prefix.
    #[pravo(computed, keep_prior)]
    b64_url: Attr<String>,
    /// The bytes in base64, with prefix.
    #[pravo(computed, keep_prior)]
    b64_std: Attr<String>,
    /// The bytes in hexadecimal, with prefix.
    #[pravo(computed, keep_prior)]
    hex: Attr<String>,
    /// The bytes as a decimal number, with prefix.
    #[pravo(computed, keep_prior)]
    dec: Attr<String>,
    /// The bytes in the URL-safe base64 alphabet, without padding, without prefix.
    #[pravo(computed, keep_prior)]
    id: Attr<String>,
}

impl Id {
    /// Fills the encodings in; `id` is the text of the bytes in base64.
    fn encode(&mut self, bytes: &[u8], id: String) {
        let prefix = self.prefix.known().map_or("", String::as_str);
        self.b64_url = format!("{prefix}{id}").into();
        self.b64_std = format!("{prefix}{}", encoding::STANDARD.encode(bytes)).into();
        self.hex = format!("{prefix}{}", hexadecimal(bytes)).into();
        self.dec = format!("{prefix}{}", BigUint::from_bytes_be(bytes)).into();
        self.id = id.into();
    }
}

impl Resource for Id {
    type Configuration = ();

    fn create(mut planned: Self, _: &Context<'_, ()>) -> Result<Self> {
        let bytes = entropy::bytes(planned.byte_length.known().copied().unwrap_or_default())?;
        let id = encoding::URL.encode(&bytes);
        planned.encode(&bytes, id);
        Ok(planned)
    }

    fn import(id: &str, _: &Context<'_, ()>) -> Result<Self> {
        let (prefix, text) = id.rsplit_once(',').unwrap_or(("", id));
        let bytes = encoding::decode(&encoding::URL, text).ok_or_else(|| {
            let detail =
                format!("While attempting to import a random id there was a decoding error: {text:?} is no URL-safe base64 without padding.");
            Diagnostic::error("Import Random ID Error", detail)
        })?;
        let mut imported = Self {
            keepers: Attr::Null,
            byte_length: i64::try_from(bytes.len()).ok().into(),
            prefix: Some(prefix).filter(|prefix| !prefix.is_empty()).map(str::to_owned).into(),
            b64_url: Attr::Null,
            b64_std: Attr::Null,
            hex: Attr::Null,
            dec: Attr::Null,
            id: Attr::Null,
        };
        imported.encode(&bytes, text.to_owned());
        Ok(imported)
    }
}
