//! Randomness that nobody can foresee, from the host.

use pravo_sdk::{Diagnostic, DiagnosticExt, Result};

/// So many random bytes.
pub fn bytes(count: i64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = usize::try_from(count)
        .map_err(|_| Diagnostic::error("Invalid length", format!("{count} bytes cannot be made: give a length of 0 or more.")))?;
    bytes
        .try_reserve_exact(length)
        .map_err(|_| Diagnostic::error("Invalid length", format!("{count} bytes do not fit the memory that the provider may use.")))?;
    bytes.resize(length, 0);
    fill(&mut bytes)?;
    Ok(bytes)
}

/// Random bytes of a fixed number.
pub fn array<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(bytes)
}

fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|error| Diagnostic::error("No randomness", format!("The host gave no random bytes: {error}.")).into())
}

/// A uniform index below `bound`; 0 for a bound of 0.
pub fn below(bound: usize) -> Result<usize> {
    let bound = bound as u64;
    if bound == 0 {
        return Ok(0);
    }
    let largest = u64::MAX - u64::MAX % bound;
    loop {
        let drawn = u64::from_ne_bytes(array()?);
        if drawn < largest {
            return Ok(usize::try_from(drawn % bound).unwrap_or_default());
        }
    }
}

/// One of some things.
pub fn pick<T: Copy>(things: &[T]) -> Result<Option<T>> {
    Ok(things.get(below(things.len())?).copied())
}

/// Brings things into a random order.
pub fn shuffle<T>(things: &mut [T]) -> Result<()> {
    for last in (1..things.len()).rev() {
        things.swap(last, below(last + 1)?);
    }
    Ok(())
}
