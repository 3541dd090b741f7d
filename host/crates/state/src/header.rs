//! The first bytes of the file, looked at before the database is opened: whose it is, and whether its end is missing.
//!
//! redb itself compares the length only where it opens a file for writing, or one that was not closed.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::Duration;

use pravo_model::state::StateError;

use crate::error::{Failure, system};

/// What every redb file begins with.
const MAGIC: [u8; 9] = *b"redb\x1a\x0a\xa9\x0d\x0a";
/// As far as the layout goes: the magic, a byte of flags, padding, five numbers of four bytes.
const LENGTH: usize = 32;
/// The flag that says that the file is open for writing, or was not closed.
const UNCLEAN: u8 = 2;
/// How often a length is looked at again, for writers may be changing it.
const TRIES: u32 = 4;

/// Whether there is a file; refuses one that is no database, or shorter than it says.
pub(crate) fn is_there(path: &Path) -> Result<bool, StateError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(system("read", path, &error)),
    };
    let system = |error: io::Error| system("read", path, &error);
    if !file.metadata().map_err(system)?.is_file() {
        return Err(Failure::Foreign("it is no regular file").about(path));
    }
    let mut missing = None;
    for _ in 0..TRIES {
        let before = file.metadata().map_err(system)?.len();
        let header = match read(&mut file) {
            Ok(header) => header,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(Failure::Foreign("it is empty, or cut off at its very beginning").about(path));
            }
            Err(error) => return Err(system(error)),
        };
        if !header.starts_with(&MAGIC) {
            return Err(Failure::Foreign("it does not begin as a redb database does").about(path));
        }
        let length = file.metadata().map_err(system)?.len().max(before);
        match expected(&header).filter(|expected| length < *expected) {
            Some(expected) => missing = Some(Failure::Cut { length, expected }),
            None => return Ok(true),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    missing.map_or(Ok(true), |failure| Err(failure.about(path)))
}

fn read(file: &mut File) -> io::Result<[u8; LENGTH]> {
    let mut header = [0; LENGTH];
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut header)?;
    Ok(header)
}

/// The length of a file that was closed; `None` where it is open, or the numbers make no sense (redb says so itself).
fn expected(header: &[u8; LENGTH]) -> Option<u64> {
    let number = |at: usize| Some(u64::from(u32::from_le_bytes(header.get(at..at + 4)?.try_into().ok()?)));
    if header.get(MAGIC.len())? & UNCLEAN != 0 {
        return None;
    }
    let [page, header_pages, max_pages, full, trailing] = [number(12)?, number(16)?, number(20)?, number(24)?, number(28)?];
    let full_pages = full.checked_mul(header_pages.checked_add(max_pages)?)?;
    let trailing_pages = if trailing > 0 { header_pages + trailing } else { 0 };
    full_pages.checked_add(trailing_pages)?.checked_add(1)?.checked_mul(page)
}
