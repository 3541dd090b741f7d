//! Bytes of the state file: a few primitives, bounded by what is there.
//!
//! Kept true here: whatever the bytes are, decoding ends, allocates no more than a small multiple of them, and never panics.

/// Bytes that are no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Broken(pub(crate) &'static str);

/// Writes values.
#[derive(Default)]
pub(crate) struct Encoder(Vec<u8>);

impl Encoder {
    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Seven bits a byte, the lowest first.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.byte((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    /// Bytes of a length that the reader knows.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.raw(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.byte(value.is_some().into());
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub(crate) fn list<T>(&mut self, values: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.number(values.len() as u64);
        values.iter().for_each(|value| write(self, value));
    }
}

/// Reads values.
pub(crate) struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether all was read.
    pub(crate) fn finish(self) -> Result<(), Broken> {
        if self.0.is_empty() { Ok(()) } else { Err(Broken("bytes follow the value")) }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Broken> {
        let (byte, rest) = self.0.split_first().ok_or(Broken("the value is cut off"))?;
        self.0 = rest;
        Ok(*byte)
    }

    pub(crate) fn flag(&mut self) -> Result<bool, Broken> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Broken("a flag is neither 0 nor 1")),
        }
    }

    pub(crate) fn number(&mut self) -> Result<u64, Broken> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Broken("a number is too large"))
    }

    pub(crate) fn raw(&mut self, length: usize) -> Result<&'a [u8], Broken> {
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Broken("the value is cut off"))?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Broken> {
        let length = self.number()?;
        self.raw(usize::try_from(length).map_err(|_| Broken("the value is cut off"))?)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Broken> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Broken("a text is not UTF-8"))
    }

    pub(crate) fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Broken>) -> Result<Option<T>, Broken> {
        if self.flag()? { read(self).map(Some) } else { Ok(None) }
    }

    /// Every element takes a byte at least, so a list has no more elements than there are bytes left.
    pub(crate) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T, Broken>) -> Result<Vec<T>, Broken> {
        let count = self.number()?;
        if count > self.0.len() as u64 {
            return Err(Broken("a list is cut off"));
        }
        (0..count).map(|_| read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut encoder = Encoder::default();
            encoder.number(number);
            let bytes = encoder.finish();
            let mut decoder = Decoder::new(&bytes);
            assert_eq!(decoder.number(), Ok(number));
            assert_eq!(decoder.finish(), Ok(()));
        }
    }

    #[test]
    fn broken_bytes_are_told() {
        assert!(Decoder::new(&[0xff; 10]).number().is_err());
        assert!(Decoder::new(&[0x80]).number().is_err());
        assert!(Decoder::new(&[5, b'a']).text().is_err());
        assert!(Decoder::new(&[1, 0xff]).text().is_err());
        assert!(Decoder::new(&[2]).flag().is_err());
        assert!(Decoder::new(&[0xff, 0xff, 0xff, 0xff, 0x0f, 0]).list(Decoder::byte).is_err());
    }
}
