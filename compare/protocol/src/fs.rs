//! Workload FS: its operations, and what files hold.

use serde::{Deserialize, Serialize};

use crate::Digest;

/// How many small files there are.
pub const SMALL_FILES: usize = 200;
/// The length of a small file.
pub const SMALL_LEN: usize = 32 << 10;
/// The number of the large file's content.
pub const BIG: u64 = SMALL_FILES as u64;
/// The length of the large file.
pub const BIG_LEN: usize = 6_553_600;
/// The length of a file of FS6.
pub const PUT_LEN: usize = 4 << 10;
/// How many bytes at the end of the file of FS3 are looked at.
pub const SEEN_OF_GAP: u64 = 102_401;
/// How many files the folder of FS7 holds.
pub const MANY_FILES: usize = 10_000;

/// An operation with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op")]
pub enum Operation {
    /// Reads from small files.
    FS1 {
        /// The file and the offset of each.
        reads: Vec<(usize, u64)>,
        /// How long each is.
        len: usize,
        /// When files are opened.
        case: Opening,
    },
    /// Overwrites a part of the large file.
    FS2 {
        /// The number of the bytes' content.
        seed: u64,
        /// Where.
        offset: u64,
        /// How many.
        len: usize,
    },
    /// Writes one byte behind a gap.
    FS3 {
        /// Where.
        offset: u64,
    },
    /// Sets the length of a copy of the large file.
    FS4 {
        /// Whether it becomes longer.
        case: Resize,
        /// The new length.
        len: u64,
    },
    /// Stores or reads the large content as a whole.
    FS5 {
        /// Which.
        case: Transfer,
    },
    /// Stores or reads many files from several callers.
    FS6 {
        /// Which.
        case: Many,
        /// How many callers.
        callers: usize,
        /// How many files each.
        each: usize,
    },
    /// A page of the names in a folder.
    FS7 {
        /// How many names are before it.
        offset: usize,
        /// How many names it has.
        len: usize,
    },
}

/// When the files of FS1 are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Opening {
    /// For each read.
    Path,
    /// Before the time.
    Handle,
    /// For each read, all in one snapshot.
    Snapshot,
}

/// What FS4 does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resize {
    /// Longer.
    Grow,
    /// Shorter.
    Truncate,
}

/// What FS5 does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transfer {
    /// Stores.
    Up,
    /// Reads.
    Down,
}

/// What FS6 does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Many {
    /// Stores.
    Put,
    /// Reads.
    Get,
}

/// Returns `len` bytes of the content with the number `k`.
pub fn content(k: u64, len: usize) -> Vec<u8> {
    let mut draws = vellum_fixtures::events::SplitMix64::new((k + 1).wrapping_mul(0x2545_F491_4F6C_DD1D));
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        bytes.extend(draws.draw().to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// Returns the digest of bytes.
pub fn digest(bytes: &[u8]) -> String {
    let mut digest = Digest::new();
    digest.bytes(bytes);
    digest.hex()
}

/// Returns the path of a small file.
pub fn small(file: usize) -> String {
    format!("/small/{file:03}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_is_the_same_whatever_its_length() {
        let long = content(7, 4_099);
        assert_eq!(long.len(), 4_099);
        assert!(long.starts_with(&content(7, 13)));
        assert_ne!(content(8, 13), content(7, 13));
    }
}
