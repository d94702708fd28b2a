//! Changing the bytes of a file, inside a write transaction.
//!
//! No byte is stored past the end of its file: what is cut off is gone, so that a file that grows again reads as zeros.
//! A chunk holds bytes up to the last one that was written; the rest of it, and chunks that are not there, read as
//! zeros.

use super::entry::Entry;
use super::error::FsError;
use super::layout::{self, Layout, Piece};
use crate::store::{Bind, Cell, Stmt, WriteTxn};

const GET: &str = "SELECT data FROM vellum_chunk WHERE k = ?1";
const ADD: &str = "INSERT INTO vellum_chunk(k, data) VALUES (?1, ?2)";
const PUT: &str =
    "INSERT INTO vellum_chunk(k, data) VALUES (?1, ?2) ON CONFLICT(k) DO UPDATE SET data = excluded.data";
const DELETE: &str = "DELETE FROM vellum_chunk WHERE k BETWEEN ?1 AND ?2";

/// The chunks of one content, to be changed.
pub(super) struct Content<'t> {
    txn: &'t WriteTxn,
    layout: Layout,
    number: i64,
    put: Stmt<'t>,
    add: Stmt<'t>,
}

impl<'t> Content<'t> {
    pub(super) fn of(txn: &'t WriteTxn, layout: Layout, number: i64) -> Result<Self, FsError> {
        Ok(Content { txn, layout, number, put: txn.prepare(PUT)?, add: txn.prepare(ADD)? })
    }

    /// Writes bytes of a file that has had `len` bytes. Whether it can be that long has been checked.
    pub(super) fn write_at(&mut self, len: u64, offset: u64, bytes: &[u8]) -> Result<(), FsError> {
        for piece in self.layout.pieces(offset, bytes.len()) {
            let Some(new) = bytes.get(piece.at..piece.at + piece.len) else { break };
            let begin = self.layout.offset(piece.number);
            if piece.start == 0 && begin >= len {
                // No byte is stored past the end: there is no such chunk.
                self.add.run(&[Bind::Int(layout::key(self.number, piece.number)), Bind::Blob(new)])?;
            } else if piece.start == 0 && begin.saturating_add(piece.len as u64) >= len {
                // Nothing of the chunk is left.
                self.put(piece.number, new)?;
            } else if piece.len == self.layout.chunk_len {
                self.put(piece.number, new)?;
            } else {
                self.splice(piece, new)?;
            }
        }
        Ok(())
    }

    fn splice(&mut self, piece: Piece, new: &[u8]) -> Result<(), FsError> {
        let mut data = self.chunk(piece.number)?;
        let end = piece.start + piece.len;
        if data.len() < end {
            data.resize(end, 0);
        }
        if let Some(place) = data.get_mut(piece.start..end) {
            place.copy_from_slice(new);
        }
        self.put(piece.number, &data)
    }

    /// Cuts everything from a length on.
    pub(super) fn cut(&mut self, len: u64) -> Result<(), FsError> {
        let kept = self.layout.count(len);
        self.delete(kept, layout::LAST_NUMBER)?;
        if let Some(last) = kept.checked_sub(1) {
            let inside = usize::try_from(len - self.layout.offset(last)).unwrap_or(usize::MAX);
            let mut data = self.chunk(last)?;
            if data.len() > inside {
                data.truncate(inside);
                self.put(last, &data)?;
            }
        }
        Ok(())
    }

    /// Makes a range read as zeros, and gives its whole chunks back.
    pub(super) fn punch(&mut self, offset: u64, end: u64) -> Result<(), FsError> {
        let (first, last) = (self.layout.count(offset), self.layout.number(end));
        if first < last {
            self.delete(first, last - 1)?;
        }
        // What is left of the range is the end of one chunk, and the beginning of another or the middle of the same.
        let head_end = end.min(self.layout.offset(first));
        self.zero(offset, head_end)?;
        self.zero(self.layout.offset(last).max(head_end), end)
    }

    /// Zeroes a range inside one chunk.
    fn zero(&mut self, offset: u64, end: u64) -> Result<(), FsError> {
        let len = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
        let Some(piece) = self.layout.pieces(offset, len).next() else { return Ok(()) };
        let mut data = self.chunk(piece.number)?;
        let stored = data.len();
        if stored <= piece.start + piece.len {
            data.truncate(piece.start);
        } else if let Some(range) = data.get_mut(piece.start..piece.start + piece.len) {
            range.fill(0);
        }
        match data.len() {
            0 => self.delete(piece.number, piece.number),
            _ if stored <= piece.start => Ok(()),
            _ => self.put(piece.number, &data),
        }
    }

    /// Gives all chunks back.
    pub(super) fn free(&self) -> Result<(), FsError> {
        self.delete(0, layout::LAST_NUMBER)
    }

    /// Returns the stored bytes of a chunk; none when it is not there.
    fn chunk(&self, number: u64) -> Result<Vec<u8>, FsError> {
        let key = layout::key(self.number, number);
        let data = self.txn.first(GET, &[Bind::Int(key)], |row| match row.cell(0)? {
            Cell::Blob(data) => Ok(data.to_vec()),
            _ => Ok(Vec::new()),
        })?;
        Ok(data.unwrap_or_default())
    }

    fn put(&mut self, number: u64, data: &[u8]) -> Result<(), FsError> {
        self.put.run(&[Bind::Int(layout::key(self.number, number)), Bind::Blob(data)])?;
        Ok(())
    }

    /// Gives the chunks of some numbers back. A file as long as can be ends where there is no number any more.
    fn delete(&self, first: u64, last: u64) -> Result<(), FsError> {
        if first <= last {
            let keys = [first, last].map(|number| Bind::Int(layout::key(self.number, number)));
            self.txn.execute(DELETE, &keys)?;
        }
        Ok(())
    }
}

/// Gives a number that no entry and no content has or had. The root has the first one.
pub(super) fn new_number(txn: &WriteTxn) -> Result<i64, FsError> {
    const SQL: &str =
        "UPDATE vellum_meta SET value = max(value, 2) + 1 WHERE key = 'next_content' RETURNING value - 1";
    let number = txn.first(SQL, &[], |row| row.int(0))?.unwrap_or(0);
    if (1..=layout::MAX_CONTENT).contains(&number) {
        return Ok(number);
    }
    Err(FsError::Exhausted { limit: layout::MAX_CONTENT as u64 })
}

/// Copies every chunk of a content into another one.
pub(super) fn copy(txn: &WriteTxn, from: i64, to: i64) -> Result<(), FsError> {
    const SQL: &str = "INSERT INTO vellum_chunk(k, data)
        SELECT k + ?3, data FROM vellum_chunk WHERE k BETWEEN ?1 AND ?2";
    let moved = layout::key(to, 0) - layout::key(from, 0);
    let binds = [Bind::Int(layout::key(from, 0)), Bind::Int(layout::last_key(from)), Bind::Int(moved)];
    txn.execute(SQL, &binds)?;
    Ok(())
}

/// Returns the number of a file's content: its own, until it is replaced by what was staged.
pub(super) fn number_of(entry: &mut Entry) -> i64 {
    *entry.content.get_or_insert(entry.id)
}
