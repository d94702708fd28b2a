//! Changing files: each call changes the bytes and what the entry says of them, inside the caller's transaction.

use std::time::{SystemTime, UNIX_EPOCH};

use super::content::{self, Content};
use super::entry::{self, Entry, Kind};
use super::error::FsError;
use super::layout::Layout;
use super::path::FsPath;
use super::view;
use crate::store::{Bind, WriteTxn};

/// The files of a database, inside a write transaction.
pub(crate) struct Editor<'t> {
    pub(super) txn: &'t WriteTxn,
    pub(super) layout: Layout,
    /// When this is, in nanoseconds since 1970.
    pub(super) now: i64,
}

impl<'t> Editor<'t> {
    pub(crate) fn new(txn: &'t WriteTxn, layout: Layout) -> Self {
        Editor { txn, layout, now: now() }
    }

    /// Returns how bytes are cut.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns the file or directory of a path.
    pub(crate) fn entry(&self, path: FsPath<'_>) -> Result<Entry, FsError> {
        entry::get(self.txn, path)
    }

    /// Returns the file of a path.
    pub(crate) fn file(&self, path: FsPath<'_>) -> Result<Entry, FsError> {
        entry::get(self.txn, path)?.file(path)
    }

    /// Returns the file of a handle, which follows it through renames.
    pub(crate) fn file_by_id(&self, id: i64, path: &str) -> Result<Entry, FsError> {
        let found = entry::by_id(self.txn, id)?.filter(|entry| entry.kind == Kind::File);
        found.ok_or_else(|| FsError::Changed { path: path.into() })
    }

    /// Writes bytes at an offset; a gap before them reads as zeros.
    pub(crate) fn write_at(
        &self,
        entry: &mut Entry,
        path: &str,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), FsError> {
        let end = self.layout.end(path, offset, bytes.len() as u64)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let mut content = self.content(entry)?;
        content.write_at(entry.len, offset, bytes)?;
        entry.allocated = content.allocated();
        entry.len = entry.len.max(end);
        self.changed(entry)
    }

    /// Sets the metadata of an entry, or takes it away.
    pub(crate) fn set_meta(&self, path: FsPath<'_>, meta: Option<&[u8]>) -> Result<(), FsError> {
        const SQL: &str = "UPDATE vellum_entry SET meta = ?2 WHERE id = ?1";
        let entry = entry::get(self.txn, path)?;
        self.txn.execute(SQL, &[Bind::Int(entry.id), meta.map_or(Bind::Null, Bind::Blob)])?;
        Ok(())
    }

    /// Makes a file as long as that: shorter by losing its end, longer by zeros.
    pub(crate) fn set_len(&self, entry: &mut Entry, path: &str, len: u64) -> Result<(), FsError> {
        self.layout.end(path, len, 0)?;
        if len == entry.len {
            return Ok(());
        }
        if len < entry.len {
            let mut content = self.content(entry)?;
            content.cut(entry.len, len)?;
            entry.allocated = content.allocated();
        }
        entry.len = len;
        self.changed(entry)
    }

    /// Makes a range read as zeros and gives its space back. The length stays.
    pub(crate) fn punch(&self, entry: &mut Entry, offset: u64, len: u64) -> Result<(), FsError> {
        let end = offset.saturating_add(len).min(entry.len);
        if offset >= end {
            return Ok(());
        }
        let mut content = self.content(entry)?;
        content.punch(offset, end)?;
        entry.allocated = content.allocated();
        self.changed(entry)
    }

    /// Replaces all the bytes.
    pub(crate) fn replace(&self, entry: &mut Entry, path: &str, bytes: &[u8]) -> Result<(), FsError> {
        let len = self.layout.end(path, 0, bytes.len() as u64)?;
        let mut content = self.content(entry)?;
        content.replace(entry.len, bytes)?;
        entry.allocated = content.allocated();
        entry.len = len;
        self.changed(entry)
    }

    /// Copies a range of bytes into another file, or into another place of the same one, as if it were read first. What
    /// lies past the end of the source is not copied; returns how many bytes were.
    pub(crate) fn copy_range(
        &self,
        from: (&Entry, u64),
        to: (&mut Entry, &str, u64),
        len: u64,
    ) -> Result<u64, FsError> {
        let (source, offset) = from;
        let (target, path, place) = to;
        let len = len.min(source.len.saturating_sub(offset));
        self.layout.end(path, place, len)?;
        if len == 0 {
            return Ok(0);
        }
        let mut content = self.content(target)?;
        let source = if source.id == target.id { target.clone() } else { source.clone() };
        let mut old_len = target.len;
        let mut buffer = vec![0; self.layout.chunk_len];
        // Into the same file forwards, what is still to be read would be overwritten.
        let is_backwards = source.id == target.id && place > offset;
        let mut done = 0;
        while done < len {
            let left = if is_backwards { offset..offset + len - done } else { offset + done..offset + len };
            let hole =
                view::hole(self.txn, self.layout, &source, left.clone(), is_backwards)?.min(len - done);
            let step = if hole > 0 { hole } else { self.layout.in_chunk(left, is_backwards) };
            let at = if is_backwards { len - done - step } else { done };
            if hole > 0 {
                content.punch(place + at, place + at + step)?;
            } else if let Some(bytes) = buffer.get_mut(..usize::try_from(step).unwrap_or(0)) {
                view::read_at(self.txn, self.layout, source.id, offset + at, bytes)?;
                content.write_at(old_len, place + at, bytes)?;
                old_len = old_len.max(place + at + step);
            }
            done += step;
        }
        target.allocated = content.allocated();
        target.len = target.len.max(place + len);
        self.changed(target)?;
        Ok(len)
    }

    /// Sets when an entry was made and when it changed last, in nanoseconds since 1970. `None` leaves a time as it is.
    pub(crate) fn set_times(
        &self,
        entry: &Entry,
        created: Option<i64>,
        modified: Option<i64>,
    ) -> Result<(), FsError> {
        const SQL: &str = "UPDATE vellum_entry
            SET created = coalesce(?2, created), modified = coalesce(?3, modified) WHERE id = ?1";
        let [created, modified] = [created, modified].map(|time| time.map_or(Bind::Null, Bind::Int));
        self.txn.execute(SQL, &[Bind::Int(entry.id), created, modified])?;
        Ok(())
    }

    /// Returns the chunks of a file.
    fn content(&self, entry: &mut Entry) -> Result<Content<'t>, FsError> {
        Content::of(self.txn, self.layout, content::number_of(entry), entry.allocated)
    }

    /// Notes that the bytes or the length of a file have changed.
    pub(super) fn changed(&self, entry: &mut Entry) -> Result<(), FsError> {
        const SQL: &str = "UPDATE vellum_entry
            SET content = ?2, length = ?3, allocated = ?4, version = ?5, modified = ?6, hash = NULL WHERE id = ?1";
        entry.version = entry.version.wrapping_add(1);
        entry.modified = self.now;
        entry.hash = None;
        self.txn.execute(
            SQL,
            &[
                Bind::Int(entry.id),
                entry.content.map_or(Bind::Null, Bind::Int),
                Bind::Int(i64::try_from(entry.len).unwrap_or(i64::MAX)),
                Bind::Int(i64::try_from(entry.allocated).unwrap_or(i64::MAX)),
                Bind::Int(entry.version),
                Bind::Int(entry.modified),
            ],
        )?;
        Ok(())
    }
}

/// Returns the time in nanoseconds since 1970; up to the year 2262.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
