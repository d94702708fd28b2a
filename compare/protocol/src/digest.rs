//! FNV-1a 64 over texts and bytes.

/// A digest of texts, a byte 0xFF after each, or of plain bytes.
#[derive(Clone, Debug)]
pub struct Digest(u64);

impl Digest {
    /// The digest of nothing.
    pub fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }

    /// Adds a text and its end.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0xFF]);
    }

    /// Returns sixteen hexadecimal digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_that_the_algorithm_publishes() {
        let mut digest = Digest::new();
        assert_eq!(digest.hex(), "cbf29ce484222325");
        digest.bytes(b"foobar");
        assert_eq!(digest.hex(), "85944171f73967e8");
    }
}
