//! A released world is frozen: components that were built against it have to go on working. What is new goes into the next folder.

use std::path::Path;

use sha2::{Digest, Sha256};

/// The folders under `wit/provider` with the hash of their files: name, NUL, contents, NUL, in the order of the names.
const FROZEN: [(&str, &str); 1] = [("v0_1", "c3a17aad82ec6a325efd8e8b2e80e732654991a71cbd5b4dda6bf6ec9f327d02")];

fn hash(folder: &Path) -> String {
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let mut hash = Sha256::new();
    for name in names {
        hash.update(name.as_encoded_bytes());
        hash.update([0]);
        hash.update(std::fs::read(folder.join(&name)).unwrap());
        hash.update([0]);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn released_worlds_are_as_they_were() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../wit/provider");
    for (version, expected) in FROZEN {
        let found = hash(&all.join(version));
        assert_eq!(found, expected, "wit/provider/{version} is frozen; put what is new into the next version's folder");
    }
    let folders = std::fs::read_dir(&all).unwrap().count();
    assert_eq!(folders, FROZEN.len(), "a new version stands in FROZEN too, once it is released");
}
