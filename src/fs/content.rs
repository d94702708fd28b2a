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
const HELD: &str = "SELECT sum(length(data)) FROM vellum_chunk WHERE k BETWEEN ?1 AND ?2";
const ADD: &str = "INSERT INTO vellum_chunk(k, data) VALUES (?1, ?2)";
const PUT: &str =
    "INSERT INTO vellum_chunk(k, data) VALUES (?1, ?2) ON CONFLICT(k) DO UPDATE SET data = excluded.data";
const DELETE: &str = "DELETE FROM vellum_chunk WHERE k BETWEEN ?1 AND ?2";

/// The chunks of one content, to be changed.
pub(super) struct Content<'t> {
    txn: &'t WriteTxn,
    layout: Layout,
    number: i64,
    /// How many bytes the chunks hold.
    allocated: u64,
    put: Stmt<'t>,
    add: Stmt<'t>,
}

impl<'t> Content<'t> {
    pub(super) fn of(
        txn: &'t WriteTxn,
        layout: Layout,
        number: i64,
        allocated: u64,
    ) -> Result<Self, FsError> {
        Ok(Content { txn, layout, number, allocated, put: txn.prepare(PUT)?, add: txn.prepare(ADD)? })
    }

    /// Returns how many bytes the chunks hold.
    pub(super) fn allocated(&self) -> u64 {
        self.allocated
    }

    /// Writes bytes of a file that has had `len` bytes. Whether it can be that long has been checked.
    pub(super) fn write_at(&mut self, len: u64, offset: u64, bytes: &[u8]) -> Result<(), FsError> {
        for piece in self.layout.pieces(offset, bytes.len()) {
            let Some(new) = bytes.get(piece.at..piece.at + piece.len) else { break };
            let begin = self.layout.offset(piece.number);
            let reaches_end = begin.saturating_add(piece.len as u64) >= len;
            if piece.start == 0 && begin >= len {
                // No byte is stored past the end: there is no such chunk.
                self.add(piece.number, new)?;
            } else if piece.start == 0 && (reaches_end || piece.len == self.layout.chunk_len) {
                // Nothing of the chunk is left.
                let held = self.held(piece.number, piece.number)?;
                self.put(piece.number, new, held)?;
            } else {
                self.splice(piece, new)?;
            }
        }
        Ok(())
    }

    fn splice(&mut self, piece: Piece, new: &[u8]) -> Result<(), FsError> {
        let mut data = self.chunk(piece.number)?;
        let (held, end) = (data.len(), piece.start + piece.len);
        if held < end {
            data.resize(end, 0);
        }
        if let Some(place) = data.get_mut(piece.start..end) {
            place.copy_from_slice(new);
        }
        self.put(piece.number, &data, held as u64)
    }

    /// Writes all the bytes anew, of a file that has had `len` bytes.
    pub(super) fn replace(&mut self, len: u64, bytes: &[u8]) -> Result<(), FsError> {
        let count = self.layout.count(bytes.len() as u64);
        if count < self.layout.count(len) {
            self.delete(count, layout::LAST_NUMBER)?;
        }
        // Nothing that was held is left, whatever it was.
        self.allocated = 0;
        for piece in self.layout.pieces(0, bytes.len()) {
            let Some(new) = bytes.get(piece.at..piece.at + piece.len) else { break };
            if self.layout.offset(piece.number) >= len {
                self.add(piece.number, new)?;
            } else {
                self.put(piece.number, new, 0)?;
            }
        }
        Ok(())
    }

    /// Cuts everything from a length on, of a file that is `from` bytes long.
    pub(super) fn cut(&mut self, from: u64, len: u64) -> Result<(), FsError> {
        let (kept, all) = (self.layout.count(len), self.layout.count(from));
        // What is added up is the shorter side.
        self.allocated = match kept.checked_sub(1) {
            None => 0,
            Some(last) if kept < all / 2 => self.held(0, last)?,
            Some(_) => self.allocated.saturating_sub(self.held(kept, layout::LAST_NUMBER)?),
        };
        self.delete(kept, layout::LAST_NUMBER)?;
        if let Some(last) = kept.checked_sub(1) {
            let inside = usize::try_from(len - self.layout.offset(last)).unwrap_or(usize::MAX);
            let mut data = self.chunk(last)?;
            let held = data.len();
            if held > inside {
                data.truncate(inside);
                self.put(last, &data, held as u64)?;
            }
        }
        Ok(())
    }

    /// Makes a range read as zeros, and gives its whole chunks back.
    pub(super) fn punch(&mut self, offset: u64, end: u64) -> Result<(), FsError> {
        let (first, last) = (self.layout.count(offset), self.layout.number(end));
        if first < last {
            self.allocated = self.allocated.saturating_sub(self.held(first, last - 1)?);
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
        let held = data.len();
        if held <= piece.start {
            return Ok(());
        }
        if held <= piece.start + piece.len {
            data.truncate(piece.start);
        } else if let Some(range) = data.get_mut(piece.start..piece.start + piece.len) {
            range.fill(0);
        }
        if data.is_empty() {
            self.allocated = self.allocated.saturating_sub(held as u64);
            return self.delete(piece.number, piece.number);
        }
        self.put(piece.number, &data, held as u64)
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

    /// Returns how many bytes the chunks of some numbers hold.
    fn held(&self, first: u64, last: u64) -> Result<u64, FsError> {
        if first > last {
            return Ok(0);
        }
        let sum = self.txn.first(HELD, &self.keys(first, last), |row| match row.cell(0)? {
            Cell::Int(sum) => Ok(u64::try_from(sum).unwrap_or(0)),
            _ => Ok(0),
        })?;
        Ok(sum.unwrap_or(0))
    }

    /// Stores a chunk that is not there.
    fn add(&mut self, number: u64, data: &[u8]) -> Result<(), FsError> {
        self.add.run(&[Bind::Int(layout::key(self.number, number)), Bind::Blob(data)])?;
        self.allocated += data.len() as u64;
        Ok(())
    }

    /// Stores a chunk that held so many bytes.
    fn put(&mut self, number: u64, data: &[u8], held: u64) -> Result<(), FsError> {
        self.put.run(&[Bind::Int(layout::key(self.number, number)), Bind::Blob(data)])?;
        self.allocated = self.allocated.saturating_sub(held) + data.len() as u64;
        Ok(())
    }

    /// Gives the chunks of some numbers back. A file as long as can be ends where there is no number any more.
    fn delete(&self, first: u64, last: u64) -> Result<(), FsError> {
        if first <= last {
            self.txn.execute(DELETE, &self.keys(first, last))?;
        }
        Ok(())
    }

    fn keys(&self, first: u64, last: u64) -> [Bind<'static>; 2] {
        [first, last].map(|number| Bind::Int(layout::key(self.number, number)))
    }
}

/// Gives all chunks of a content back.
pub(super) fn free(txn: &WriteTxn, content: i64) -> Result<(), FsError> {
    let keys = [layout::key(content, 0), layout::last_key(content)].map(Bind::Int);
    txn.execute(DELETE, &keys)?;
    Ok(())
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

/// Copies every chunk of a content into another one, which is empty.
pub(super) fn copy(txn: &WriteTxn, from: i64, to: i64) -> Result<(), FsError> {
    const SQL: &str = "SELECT k, data FROM vellum_chunk WHERE k BETWEEN ?1 AND ?2";
    let moved = layout::key(to, 0) - layout::key(from, 0);
    // One at a time: a statement that reads the table into which it writes puts all of it aside first.
    let (mut get, mut add) = (txn.prepare(SQL)?, txn.prepare(ADD)?);
    get.bind(1, Bind::Int(layout::key(from, 0)))?;
    get.bind(2, Bind::Int(layout::last_key(from)))?;
    while let Some(row) = get.step()? {
        if let (Cell::Int(key), Cell::Blob(data)) = (row.cell(0)?, row.cell(1)?) {
            add.run(&[Bind::Int(key + moved), Bind::Blob(data)])?;
        }
    }
    Ok(())
}

/// Returns the number of a file's content: its own, until it is replaced by what was staged.
pub(super) fn number_of(entry: &mut Entry) -> i64 {
    *entry.content.get_or_insert(entry.id)
}
