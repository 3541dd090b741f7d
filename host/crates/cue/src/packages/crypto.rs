//! `crypto/…`: hashes.

use hmac::{Mac, SimpleHmac};
use sha2::Digest;

use super::arguments::{self as args, BYTES, Result, STRING, function};
use crate::builtin::{Failure, Function, Host, Package};
use crate::{Kinds, Value};

const R: Kinds = Kinds(Kinds::BYTES.0 | Kinds::STRING.0);

fn digest<D: Digest>(a: &[Value], _: &mut dyn Host) -> Result {
    Ok(Value::Bytes(D::digest(args::bytes(a, 0)?).as_slice().into()))
}

const MD5_FUNCTIONS: &[Function] = &[function("Sum", &[BYTES], R, digest::<md5::Md5>)];
const SHA1_FUNCTIONS: &[Function] = &[function("Sum", &[BYTES], R, digest::<sha1::Sha1>)];
const SHA256_FUNCTIONS: &[Function] =
    &[function("Sum224", &[BYTES], R, digest::<sha2::Sha224>), function("Sum256", &[BYTES], R, digest::<sha2::Sha256>)];
const SHA512_FUNCTIONS: &[Function] = &[
    function("Sum384", &[BYTES], R, digest::<sha2::Sha384>),
    function("Sum512", &[BYTES], R, digest::<sha2::Sha512>),
    function("Sum512_224", &[BYTES], R, digest::<sha2::Sha512_224>),
    function("Sum512_256", &[BYTES], R, digest::<sha2::Sha512_256>),
];
const HMAC_FUNCTIONS: &[Function] = &[function("Sign", &[STRING, BYTES, BYTES], R, sign)];

pub(super) static MD5: Package = Package { path: "crypto/md5", functions: MD5_FUNCTIONS, source: "Size: 16\nBlockSize: 64\n" };
pub(super) static SHA1: Package = Package { path: "crypto/sha1", functions: SHA1_FUNCTIONS, source: "Size: 20\nBlockSize: 64\n" };
pub(super) static SHA256: Package = Package { path: "crypto/sha256", functions: SHA256_FUNCTIONS, source: "Size: 32\nSize224: 28\nBlockSize: 64\n" };
pub(super) static SHA512: Package =
    Package { path: "crypto/sha512", functions: SHA512_FUNCTIONS, source: "Size: 64\nSize224: 28\nSize256: 32\nSize384: 48\nBlockSize: 128\n" };
pub(super) static HMAC: Package = Package {
    path: "crypto/hmac",
    functions: HMAC_FUNCTIONS,
    source: "MD5: \"MD5\"\nSHA1: \"SHA1\"\nSHA224: \"SHA224\"\nSHA256: \"SHA256\"\nSHA384: \"SHA384\"\nSHA512: \"SHA512\"\nSHA512_224: \"SHA512_224\"\nSHA512_256: \"SHA512_256\"\n",
};

fn sign(a: &[Value], _: &mut dyn Host) -> Result {
    let (key, data) = (args::bytes(a, 1)?, args::bytes(a, 2)?);
    let tag = match args::text(a, 0)? {
        "MD5" => tag::<md5::Md5>(key, data),
        "SHA1" => tag::<sha1::Sha1>(key, data),
        "SHA224" => tag::<sha2::Sha224>(key, data),
        "SHA256" => tag::<sha2::Sha256>(key, data),
        "SHA384" => tag::<sha2::Sha384>(key, data),
        "SHA512" => tag::<sha2::Sha512>(key, data),
        "SHA512_224" => tag::<sha2::Sha512_224>(key, data),
        "SHA512_256" => tag::<sha2::Sha512_256>(key, data),
        _ => None,
    };
    tag.map(|tag| Value::Bytes(tag.into())).ok_or_else(|| Failure::eval("unsupported hash function"))
}

fn tag<D: Digest + hmac::digest::core_api::BlockSizeUser>(key: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let mut mac = SimpleHmac::<D>::new_from_slice(key).ok()?;
    mac.update(data);
    Some(mac.finalize().into_bytes().to_vec())
}
