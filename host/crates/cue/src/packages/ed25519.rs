//! `crypto/ed25519`

use ed25519_dalek::{Signature, Verifier, VerifyingKey};

use super::arguments::{self as args, BYTES, function};
use crate::Kinds;
use crate::builtin::{Failure, Function, Package};

const FUNCTIONS: &[Function] = &[function("Valid", &[BYTES, BYTES, BYTES], Kinds::BOOL, |a, _| {
    let key = <&[u8; 32]>::try_from(args::bytes(a, 0)?);
    let key = key.map_err(|_| Failure::eval("ed25519: publicKey must be 32 bytes"))?;
    let signature = Signature::from_slice(args::bytes(a, 2)?);
    // A key or signature of the right size that means nothing verifies nothing.
    let verified = VerifyingKey::from_bytes(key).and_then(|key| key.verify(args::bytes(a, 1).unwrap_or(&[]), &signature?));
    args::boolean(verified.is_ok())
})];

pub(super) static ED25519: Package = Package { path: "crypto/ed25519", functions: FUNCTIONS, source: "PublicKeySize: 32\n" };
