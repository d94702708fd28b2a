//! Reading the bytes of a file.
//!
//! A range is read by one statement, which also says whether the file is as the caller knows it. Where every read sees
//! one moment anyway, a small range is read without a statement.

use std::ops::Range;

use super::entry::Entry;
use super::error::FsError;
use super::layout::{self, Layout};
use crate::store::{Bind, Cell, Conn};

/// Up to how many chunks are read one by one rather than by a statement.
const FEW_CHUNKS: usize = 4;

/// What a read of a file's bytes found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bytes {
    /// How many bytes were read: fewer than asked for only at the end of the file.
    pub(crate) count: usize,
    /// The file's version.
    pub(crate) version: i64,
    /// The file's length.
    pub(crate) len: u64,
}

/// Reads bytes of a file, by its id, as it is now; `None` when there is no such file.
pub(crate) fn read_at(
    conn: &Conn,
    layout: Layout,
    id: i64,
    offset: u64,
    out: &mut [u8],
) -> Result<Option<Bytes>, FsError> {
    const SQL: &str = "SELECT e.version, e.length, c.k, c.data
        FROM vellum_entry e LEFT JOIN vellum_chunk c
          ON c.k BETWEEN (e.content << 31) + ?2 AND (e.content << 31) + ?3
        WHERE e.id = ?1 AND e.kind = 1";
    let first = layout.number(offset.min(layout.max_len()));
    let last =
        layout.number(offset.saturating_add(out.len() as u64).saturating_sub(1).min(layout.max_len() - 1));
    let mut stmt = conn.prepare(SQL)?;
    stmt.bind(1, Bind::Int(id))?;
    // A file ends before the last key of its content: where nothing can be, nothing is looked for.
    stmt.bind(2, Bind::Int(i64::try_from(first).unwrap_or(i64::MAX)))?;
    stmt.bind(3, Bind::Int(i64::try_from(last).unwrap_or(i64::MAX)))?;
    let mut found: Option<Bytes> = None;
    // Up to where `out` is filled.
    let mut filled = 0;
    while let Some(row) = stmt.step()? {
        let bytes = match found {
            Some(bytes) => bytes,
            None => {
                let len = u64::try_from(row.int(1)?).unwrap_or(0);
                *found.insert(Bytes { count: count(len, offset, out.len()), version: row.int(0)?, len })
            }
        };
        if let Cell::Int(key) = row.cell(2)? {
            let Cell::Blob(data) = row.cell(3)? else { return Err(damaged(key)) };
            let begin = layout.offset(layout::unkey(key).1);
            // What the chunk holds of the range.
            let skipped = usize::try_from(offset.saturating_sub(begin)).unwrap_or(usize::MAX);
            let at = usize::try_from(begin.saturating_sub(offset)).unwrap_or(usize::MAX).min(bytes.count);
            let data = data.get(skipped..data.len().min(layout.chunk_len)).unwrap_or_default();
            let stored = data.len().min(bytes.count - at);
            fill_zero(out, filled, at);
            if let (Some(out), Some(data)) = (out.get_mut(at..at + stored), data.get(..stored)) {
                out.copy_from_slice(data);
            }
            filled = at + stored;
        }
    }
    if let Some(bytes) = found {
        fill_zero(out, filled, bytes.count);
    }
    Ok(found)
}

fn damaged(key: i64) -> FsError {
    FsError::Damaged { path: format!("chunk {key}").into(), what: "it holds no bytes".into() }
}

/// Reads bytes of a file that cannot have changed since its entry was read.
pub(crate) fn read_known(
    conn: &Conn,
    layout: Layout,
    entry: &Entry,
    offset: u64,
    out: &mut [u8],
) -> Result<usize, FsError> {
    let count = count(entry.len, offset, out.len());
    let Some(out) = out.get_mut(..count) else { return Ok(0) };
    if !conn.keeps_a_moment() || layout.pieces(offset, count).nth(FEW_CHUNKS).is_some() {
        return Ok(read_at(conn, layout, entry.id, offset, out)?.map_or(0, |bytes| bytes.count));
    }
    for piece in layout.pieces(offset, count) {
        let Some(out) = out.get_mut(piece.at..piece.at + piece.len) else { break };
        let stored = match entry.content {
            Some(content) => conn.read_chunk(layout::key(content, piece.number), piece.start, out)?,
            None => 0,
        };
        fill_zero(out, stored, piece.len);
    }
    Ok(count)
}

/// Returns how many bytes at the beginning of a range are in no chunk, or at its end when it is read backwards.
pub(crate) fn hole(
    conn: &Conn,
    layout: Layout,
    entry: &Entry,
    range: Range<u64>,
    is_backwards: bool,
) -> Result<u64, FsError> {
    const FIRST: &str = "SELECT min(k) FROM vellum_chunk WHERE k BETWEEN ?1 AND ?2";
    const LAST: &str = "SELECT max(k) FROM vellum_chunk WHERE k BETWEEN ?1 AND ?2";
    let whole = range.end - range.start;
    let Some(content) = entry.content else { return Ok(whole) };
    let last = layout.number(range.end.saturating_sub(1));
    let binds = [layout::key(content, layout.number(range.start)), layout::key(content, last)].map(Bind::Int);
    let stored = conn.first(if is_backwards { LAST } else { FIRST }, &binds, |row| match row.cell(0)? {
        Cell::Int(key) => Ok(Some(layout::unkey(key).1)),
        _ => Ok(None),
    })?;
    Ok(match stored.flatten() {
        None => whole,
        Some(number) if is_backwards => range.end.saturating_sub(layout.offset(number + 1)),
        Some(number) => layout.offset(number).saturating_sub(range.start),
    })
}

/// Returns how many bytes of a range are before the end.
fn count(len: u64, offset: u64, asked: usize) -> usize {
    usize::try_from(len.saturating_sub(offset)).unwrap_or(usize::MAX).min(asked)
}

fn fill_zero(out: &mut [u8], from: usize, to: usize) {
    if let Some(gap) = out.get_mut(from..to) {
        gap.fill(0);
    }
}
