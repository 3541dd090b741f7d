//! The checksums of contents.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::Md5;
use pravo_sdk::Attr;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

/// All checksums that the provider knows.
pub struct Digests {
    pub md5: Attr<String>,
    pub sha1: Attr<String>,
    pub sha256: Attr<String>,
    pub base64sha256: Attr<String>,
    pub sha512: Attr<String>,
    pub base64sha512: Attr<String>,
}

impl Digests {
    /// Of contents.
    pub fn of(contents: &[u8]) -> Self {
        let (sha256, sha512) = (Sha256::digest(contents), Sha512::digest(contents));
        Self {
            md5: hexadecimal(&Md5::digest(contents)).into(),
            sha1: hexadecimal(&Sha1::digest(contents)).into(),
            sha256: hexadecimal(&sha256).into(),
            base64sha256: STANDARD.encode(sha256).into(),
            sha512: hexadecimal(&sha512).into(),
            base64sha512: STANDARD.encode(sha512).into(),
        }
    }
}

/// Hexadecimal digits, in lower case.
fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
