//! The generator behind a seed: its results are a contract, the same seed gives the same result for ever.
//!
//! An additive lagged Fibonacci generator of 607 words with tap 273, seeded by a text's CRC-64 (ISO).

include!(concat!(env!("OUT_DIR"), "/mixer.rs"));

const LENGTH: usize = MIXER.len();
const MODULUS: i64 = 0x7fff_ffff;

/// A seeded generator.
pub struct Seeded {
    words: [u64; LENGTH],
    tap: usize,
    feed: usize,
}

impl Seeded {
    /// From a seed's text.
    pub fn from_text(seed: &str) -> Self {
        Self::new(i64::from_ne_bytes(checksum(seed.as_bytes()).to_ne_bytes()))
    }

    /// From a number.
    pub fn new(seed: i64) -> Self {
        let mut x = match seed.rem_euclid(MODULUS) {
            0 => 89_482_311,
            x => x.unsigned_abs(),
        };
        let mut step = || {
            x = x * 48_271 % MODULUS.unsigned_abs();
            x
        };
        for _ in 0..20 {
            step();
        }
        let words = MIXER.map(|mixer| step() << 40 ^ step() << 20 ^ step() ^ mixer);
        Self { words, tap: 0, feed: 334 }
    }

    /// The next 63 bits.
    fn next(&mut self) -> u64 {
        self.tap = (self.tap + LENGTH - 1) % LENGTH;
        self.feed = (self.feed + LENGTH - 1) % LENGTH;
        let tapped = self.words.get(self.tap).copied().unwrap_or_default();
        let Some(word) = self.words.get_mut(self.feed) else { return 0 };
        *word = word.wrapping_add(tapped);
        *word & (u64::MAX >> 1)
    }

    /// A number from 0 to below `bound`, which is at least 1 and below 2⁶³.
    pub fn below(&mut self, bound: u64) -> u64 {
        let (bits, mask) = if bound <= MODULUS.unsigned_abs() { (31, 32) } else { (63, 0) };
        let mut draw = || self.next() >> mask;
        if bound.is_power_of_two() {
            return draw() & (bound - 1);
        }
        let all = 1u64 << bits;
        let largest = all - 1 - all % bound;
        loop {
            let drawn = draw();
            if drawn <= largest {
                return drawn % bound;
            }
        }
    }

    /// A permutation of `0..count`.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order = Vec::with_capacity(count);
        for i in 0..count {
            let j = usize::try_from(self.below(i as u64 + 1)).unwrap_or_default();
            order.push(i);
            order.swap(i, j);
        }
        order
    }
}

/// CRC-64 with the polynomial of ISO 3309.
fn checksum(bytes: &[u8]) -> u64 {
    !bytes.iter().fold(u64::MAX, |sum, byte| {
        (0..8).fold(sum ^ u64::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xd800_0000_0000_0000 } else { sum >> 1 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_results_come_out() {
        assert_eq!(checksum(b"12345"), 0x45a4_1001_b320_0000);
        assert_eq!(checksum(b"-"), 0x5360_0000_0000_0000);
        let mut one = Seeded::new(1);
        assert_eq!(one.next(), 5_577_006_791_947_779_410);
        let mut one = Seeded::new(1);
        assert_eq!([81, 87, 47, 59, 81, 18, 25, 40, 56, 0].map(|_| one.below(100)), [81, 87, 47, 59, 81, 18, 25, 40, 56, 0]);
        let mut other = Seeded::new(42);
        assert_eq!([(); 3].map(|()| other.next()), [3_440_579_354_231_278_675, 608_747_136_543_856_411, 5_571_782_338_101_878_760]);
        assert_eq!(1 + Seeded::from_text("12345").below(3), 3);
        assert_eq!(1 + Seeded::from_text("123456").below(3), 2);
        assert_eq!(1 + Seeded::from_text("abc").below(100_000), 99_445);
        assert_eq!(Seeded::from_text("abc").below(1 << 40), 912_150_400_280);
        assert_eq!(Seeded::from_text("-").permutation(5), [0, 2, 1, 4, 3]);
        assert_eq!(Seeded::from_text("abc").permutation(10), [2, 6, 7, 1, 0, 5, 9, 8, 3, 4]);
    }
}
