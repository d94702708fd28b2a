//! Where a byte stands: from an offset in a file to a chunk and an offset in it, and back. Pure arithmetic.

use std::ops::Range;

use super::error::FsError;
use crate::store::Conn;

/// The bytes that a file may have: 8 TiB, where pages have their usual length.
pub(crate) const MAX_LEN: u64 = 8 << 40;

/// The bits of a chunk's key below its content's number.
const NUMBER_BITS: u32 = 31;

/// The largest number that a chunk can have in its file.
pub(super) const LAST_NUMBER: u64 = (1 << NUMBER_BITS) - 1;

/// Contents have the numbers from 1 up to this one.
pub(super) const MAX_CONTENT: i64 = (1 << (63 - NUMBER_BITS)) - 1;

/// What chunks can have, by the smallest and the largest page of SQLite.
const LEAST_CHUNK_LEN: i64 = 512 - 64;
const MOST_CHUNK_LEN: i64 = 65_536;

/// How the bytes of files are cut, the same for every file of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(super) chunk_len: usize,
}

/// The part of a range that lies in one chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The number of the chunk in its file.
    pub(super) number: u64,
    /// Where the part begins in the chunk.
    pub(super) start: usize,
    pub(super) len: usize,
    /// Where the part begins in the range.
    pub(super) at: usize,
}

impl Layout {
    /// Reads the layout of a database. It was fixed when the file was made.
    pub(crate) fn read(conn: &Conn) -> Result<Self, FsError> {
        const SQL: &str = "SELECT value FROM vellum_meta WHERE key = 'chunk_len'";
        let chunk_len = conn.first(SQL, &[], |row| row.int(0))?.unwrap_or(0);
        match usize::try_from(chunk_len) {
            Ok(len) if (LEAST_CHUNK_LEN..=MOST_CHUNK_LEN).contains(&chunk_len) => {
                Ok(Layout { chunk_len: len })
            }
            _ => Err(FsError::Damaged {
                path: conn.path().display().to_string().into(),
                what: format!("its files are said to be cut in chunks of {chunk_len} bytes").into(),
            }),
        }
    }

    /// Returns how many bytes a file can have: as many as there are numbers for chunks.
    pub(crate) fn max_len(self) -> u64 {
        MAX_LEN.min((self.chunk_len as u64) << NUMBER_BITS)
    }

    /// Returns the end of a range that is to be written to a file.
    pub(crate) fn end(self, path: &str, offset: u64, len: u64) -> Result<u64, FsError> {
        let end = offset.checked_add(len).filter(|end| *end <= self.max_len());
        end.ok_or_else(|| FsError::TooLong { path: path.into(), limit: self.max_len() })
    }

    /// Returns the parts of a range, in order.
    pub(super) fn pieces(self, offset: u64, len: usize) -> impl Iterator<Item = Piece> {
        let chunk_len = self.chunk_len as u64;
        let mut at = 0;
        std::iter::from_fn(move || {
            if at >= len {
                return None;
            }
            let position = offset + at as u64;
            let start = (position % chunk_len) as usize;
            let piece = Piece {
                number: position / chunk_len,
                start,
                len: (self.chunk_len - start).min(len - at),
                at,
            };
            at += piece.len;
            Some(piece)
        })
    }

    /// Returns the number of the chunk in which an offset lies.
    pub(super) fn number(self, offset: u64) -> u64 {
        offset / self.chunk_len as u64
    }

    /// Returns how many chunks reach up to a length.
    pub(super) fn count(self, len: u64) -> u64 {
        len.div_ceil(self.chunk_len as u64)
    }

    /// Returns how many bytes of a range are in its first chunk, or in its last one.
    pub(super) fn in_chunk(self, range: Range<u64>, is_last: bool) -> u64 {
        if is_last {
            let begin = self.offset(self.number(range.end.saturating_sub(1)));
            return range.end - begin.max(range.start);
        }
        range.end.min(self.offset(self.number(range.start) + 1)) - range.start
    }

    /// Returns the offset of a chunk's first byte.
    pub(super) fn offset(self, number: u64) -> u64 {
        number * self.chunk_len as u64
    }
}

/// Returns the key of a chunk, whose number is at most [`LAST_NUMBER`].
pub(super) fn key(content: i64, number: u64) -> i64 {
    (content << NUMBER_BITS) | (number & LAST_NUMBER) as i64
}

/// Returns the content and the number in it of a key.
pub(super) fn unkey(key: i64) -> (i64, u64) {
    (key >> NUMBER_BITS, key as u64 & LAST_NUMBER)
}

/// Returns the largest key that a content can have.
pub(super) fn last_key(content: i64) -> i64 {
    key(content, LAST_NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout { chunk_len: 8_128 };

    fn pieces(offset: u64, len: usize) -> Vec<(u64, usize, usize, usize)> {
        LAYOUT.pieces(offset, len).map(|p| (p.number, p.start, p.len, p.at)).collect()
    }

    #[test]
    fn a_range_is_cut_at_the_edges_of_chunks() {
        assert_eq!(pieces(0, 0), []);
        assert_eq!(pieces(0, 8_128), [(0, 0, 8_128, 0)]);
        assert_eq!(pieces(8_127, 2), [(0, 8_127, 1, 0), (1, 0, 1, 1)]);
        assert_eq!(pieces(8_128, 1), [(1, 0, 1, 0)]);
        assert_eq!(pieces(8_120, 8_140), [(0, 8_120, 8, 0), (1, 0, 8_128, 8), (2, 0, 4, 8_136)]);
    }

    #[test]
    fn the_last_byte_of_the_longest_file_has_a_key_of_its_own() {
        for chunk_len in [448, 4_032, 8_128, 65_472] {
            let layout = Layout { chunk_len };
            let number = layout.number(layout.max_len() - 1);
            assert!(number < 1 << NUMBER_BITS);
            assert_eq!(unkey(key(MAX_CONTENT, number)), (MAX_CONTENT, number));
            assert!(key(MAX_CONTENT, number) > 0);
            assert!(key(1, number) < key(2, 0));
        }
        assert_eq!(LAYOUT.max_len(), MAX_LEN);
    }

    #[test]
    fn no_range_ends_past_the_limit() {
        assert!(LAYOUT.end("/a", MAX_LEN - 1, 1).is_ok_and(|end| end == MAX_LEN));
        assert!(LAYOUT.end("/a", MAX_LEN, 1).is_err());
        assert!(LAYOUT.end("/a", u64::MAX, 1).is_err());
    }
}
