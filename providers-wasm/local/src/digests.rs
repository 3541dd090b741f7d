//! The checksums of contents.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::Md5;
use pravo_sdk::{Attr, Attributes};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

/// All checksums that the provider knows.
#[derive(Attributes)]
pub struct Digests {
    /// MD5 of the contents.
    #[pravo(computed)]
    pub content_md5: Attr<String>,
    /// SHA-1 of the contents.
    #[pravo(computed)]
    pub content_sha1: Attr<String>,
    /// SHA-256 of the contents.
    #[pravo(computed)]
    pub content_sha256: Attr<String>,
    /// SHA-256, in base64, of the contents.
    #[pravo(computed)]
    pub content_base64sha256: Attr<String>,
    /// SHA-512 of the contents.
    #[pravo(computed)]
    pub content_sha512: Attr<String>,
    /// SHA-512, in base64, of the contents.
    #[pravo(computed)]
    pub content_base64sha512: Attr<String>,
    /// SHA-1 of the contents.
    #[pravo(computed)]
    pub id: Attr<String>,
}

impl Digests {
    /// Of contents.
    pub fn of(contents: &[u8]) -> Self {
        let sha1 = hexadecimal(&Sha1::digest(contents));
        let (sha256, sha512) = (Sha256::digest(contents), Sha512::digest(contents));
        Self {
            content_md5: hexadecimal(&Md5::digest(contents)).into(),
            content_sha1: sha1.clone().into(),
            content_sha256: hexadecimal(&sha256).into(),
            content_base64sha256: STANDARD.encode(sha256).into(),
            content_sha512: hexadecimal(&sha512).into(),
            content_base64sha512: STANDARD.encode(sha512).into(),
            id: sha1.into(),
        }
    }
}

/// Hexadecimal digits, in lower case.
fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
