//! The keys of one object that were read already: of equal keys the first counts, as it does for SQLite.

use std::borrow::Cow;
use std::collections::HashSet;

use super::element::Element;

/// Objects with more keys than this remember them; smaller ones are walked again when the filter is in doubt.
const FEW: u32 = 32;

/// A filter of 64 bits, and a set once there are many keys.
#[derive(Default)]
pub(super) struct Seen<'de> {
    filter: u64,
    count: u32,
    many: Option<HashSet<Cow<'de, str>>>,
}

impl<'de> Seen<'de> {
    /// Notes the keys of a part of an object that ends at the offset `end`.
    pub(super) fn after(part: &'de [u8], end: usize) -> Self {
        keys(part, end).fold(Self::default(), |mut seen, key| {
            seen.filter |= bit_of(key.as_bytes());
            seen.count = seen.count.saturating_add(1);
            seen
        })
    }

    /// Notes a key, and returns whether it is among those before it. `before` is the object's payload up to the key,
    /// which ends at the offset `end`.
    #[inline]
    pub(super) fn repeats(&mut self, key: Cow<'de, str>, before: &'de [u8], end: usize) -> bool {
        let bit = bit_of(key.as_bytes());
        let doubtful = self.filter & bit != 0;
        self.filter |= bit;
        self.count = self.count.saturating_add(1);
        if self.count <= FEW {
            return doubtful && keys(before, end).any(|earlier| earlier == key);
        }
        let many = self.many.get_or_insert_with(|| keys(before, end).collect());
        !many.insert(key)
    }
}

fn keys<'de>(mut bytes: &'de [u8], end: usize) -> impl Iterator<Item = Cow<'de, str>> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let (key, rest) = Element::split(bytes, end).ok()?;
        let (_, rest) = Element::split(rest, end).ok()?;
        bytes = rest;
        key.text().ok()
    })
}

/// One bit for a key, from its length and three of its bytes.
#[inline]
fn bit_of(key: &[u8]) -> u64 {
    let byte = |at: usize| u64::from(key.get(at).copied().unwrap_or(0));
    let mix = key.len() as u64
        | byte(0) << 16
        | byte(key.len() / 2) << 24
        | byte(key.len().saturating_sub(1)) << 32;
    1 << (mix.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}
