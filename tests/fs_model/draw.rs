//! What is drawn: names, offsets, lengths, bytes, each near the edges where something can go wrong.

use vellum_fixtures::events::SplitMix64;

use crate::model::Model;

/// The bytes of a chunk in a file with pages of the usual length.
pub(crate) const CHUNK: u64 = 8_192 - 64;

/// The bytes that a file may have.
pub(crate) const MAX_LEN: u64 = 8 << 40;

/// Few names, so that operations meet. Two of them look the same.
const NAMES: &[&str] = &["a", "b", "c", "\u{e9}", "e\u{301}", "x y\n'\""];

const NO_PATHS: &[&str] = &["", "//", "/a/", "/a//b", "/.", "/a/../b", "/a\0"];

pub(crate) struct Draw(SplitMix64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Draw(SplitMix64::new(seed))
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0.draw() % bound
    }

    pub(crate) fn one_in(&mut self, odds: u64) -> bool {
        self.below(odds) == 0
    }

    pub(crate) fn pick<'s, T>(&mut self, from: &'s [T]) -> &'s T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// Returns a path, mostly of something that is there.
    pub(crate) fn path(&mut self, model: &Model) -> String {
        match self.below(80) {
            0 => (*self.pick(NO_PATHS)).to_owned(),
            1 => format!("/{}", "n".repeat(256)),
            2 => "/".to_owned(),
            3..48 if !model.nodes.is_empty() => {
                let at = self.below(model.nodes.len() as u64) as usize;
                model.nodes.keys().nth(at).cloned().unwrap_or_default()
            }
            _ => {
                let depth = 1 + self.below(3);
                let names: Vec<&str> = (0..depth).map(|_| *self.pick(NAMES)).collect();
                // The first `/` may be left out.
                format!("{}{}", if self.one_in(5) { "" } else { "/" }, names.join("/"))
            }
        }
    }

    /// Returns a length: small, or about that of some chunks.
    pub(crate) fn len(&mut self) -> u64 {
        match self.below(4) {
            0 => self.below(4),
            1 => self.below(3 * CHUNK),
            _ => (self.below(4) * CHUNK + self.below(3)).saturating_sub(1),
        }
    }

    /// Returns an offset at which a file can have bytes, or one past all.
    pub(crate) fn offset(&mut self) -> u64 {
        match self.below(30) {
            0 => u64::MAX - self.below(2),
            1 => MAX_LEN + 1 + self.below(2),
            2 => 6 * CHUNK + self.below(3),
            _ => self.len(),
        }
    }

    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        let len = self.len();
        self.bytes_of(len)
    }

    /// Returns that many bytes, of which few are alike, or all are.
    pub(crate) fn bytes_of(&mut self, len: u64) -> Vec<u8> {
        let first = self.below(256);
        let step = if self.one_in(4) { 0 } else { 7 };
        (0..len).map(|i| ((first + i * step + i / 251) % 256) as u8).collect()
    }
}
