//! Computes the table with which the seeded generator mixes a seed: the generator's own words, 7.8·10¹² steps after seed 1.
//!
//! The sequence is `y[k] = y[k-607] + y[k-273]` modulo 2⁶⁴. Far ahead it is a linear combination of the first 607 words, whose
//! coefficients are those of `x^e` reduced by `x^607 = x^334 + 1`.

use std::fmt::Write;
use std::path::Path;

use sha2::{Digest, Sha256};

const LENGTH: usize = 607;
const STEPS: u64 = 7_800_000_000_000;
const SUM: &str = "1928503b93a563e491119a5889baba73d1605b90b63634c14a408805797a7c7b";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let table = table();
    let mut hash = Sha256::new();
    for word in table {
        hash.update(word.to_le_bytes());
    }
    let sum = hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    assert_eq!(sum, SUM, "the table is not the one that seeded results are made with");
    let mut text = format!("[u64; {LENGTH}] = [");
    for word in table {
        let _ = write!(text, "{word},");
    }
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("mixer.rs"), format!("/// Mixed into every seed.\npub const MIXER: {text}];\n"))
        .expect("the table can be written");
}

fn table() -> [u64; LENGTH] {
    let first = seed_one();
    let mut power = jump(STEPS);
    let mut table = [0; LENGTH];
    for offset in 0..LENGTH {
        // y[STEPS - 606 + offset], whose place is (334 - (STEPS - 606 + offset)) mod 607.
        let word = power.iter().enumerate().fold(0u64, |sum, (m, factor)| sum.wrapping_add(factor.wrapping_mul(first[m])));
        let step = (STEPS - 606 + offset as u64) % LENGTH as u64;
        table[(334 + LENGTH - step as usize) % LENGTH] = word;
        power = times_x(power);
    }
    table
}

/// The first words in order of the sequence: `y[-606]` to `y[0]`.
fn seed_one() -> [u64; LENGTH] {
    let mut x: u64 = 1;
    let mut step = || {
        x = x * 48_271 % 0x7fff_ffff;
        x
    };
    for _ in 0..20 {
        step();
    }
    let mut words = [0; LENGTH];
    for word in &mut words {
        *word = step() << 20 ^ step() << 10 ^ step();
    }
    let mut first = [0; LENGTH];
    for (m, word) in first.iter_mut().enumerate() {
        // y[j] with j = m - 606 is the word at (334 - j) mod 607.
        *word = words[(334 + 606 - m) % LENGTH];
    }
    first
}

fn times_x(mut power: [u64; LENGTH]) -> [u64; LENGTH] {
    power.rotate_right(1);
    power[334] = power[334].wrapping_add(power[0]);
    power
}

/// The coefficients of `x^exponent`.
fn jump(exponent: u64) -> [u64; LENGTH] {
    let mut power = [0; LENGTH];
    power[0] = 1;
    for bit in (0..64 - exponent.leading_zeros()).rev() {
        power = square(&power);
        if exponent >> bit & 1 == 1 {
            power = times_x(power);
        }
    }
    power
}

fn square(power: &[u64; LENGTH]) -> [u64; LENGTH] {
    let mut product = [0u64; 2 * LENGTH - 1];
    for (i, a) in power.iter().enumerate() {
        for (j, b) in power.iter().enumerate() {
            product[i + j] = product[i + j].wrapping_add(a.wrapping_mul(*b));
        }
    }
    for high in (LENGTH..product.len()).rev() {
        let factor = product[high];
        product[high - LENGTH + 334] = product[high - LENGTH + 334].wrapping_add(factor);
        product[high - LENGTH] = product[high - LENGTH].wrapping_add(factor);
    }
    let mut reduced = [0; LENGTH];
    reduced.copy_from_slice(&product[..LENGTH]);
    reduced
}
