//! Bytes of a chunk, without a statement: SQLite's incremental blob I/O, moved from row to row.
//!
//! To move an open handle costs a third of a statement. SQLite counts a handle as a running statement, so one is kept
//! by a connection that reads one moment alone, and closed before that moment ends.
#![expect(unsafe_code, reason = "the blob interface of SQLite is C")]

use std::ptr::{self, NonNull};

use rusqlite::ffi;

use super::conn::Conn;
use super::error::StoreError;

/// An open handle on the bytes of a chunk. It belongs to one connection, which outlives it.
pub(super) struct Blob {
    raw: NonNull<ffi::sqlite3_blob>,
    /// The chunk that it stands on.
    key: i64,
}

// SAFETY: as for a statement: one thread at a time uses the connection to which it belongs.
unsafe impl Send for Blob {}

impl Drop for Blob {
    fn drop(&mut self) {
        // SAFETY: `raw` came from sqlite3_blob_open and is closed once, before its connection.
        unsafe { ffi::sqlite3_blob_close(self.raw.as_ptr()) };
    }
}

impl Blob {
    /// Opens a chunk for reading; `None` when there is none with that key.
    fn open(conn: &Conn, key: i64) -> Result<Option<Self>, StoreError> {
        let mut raw = ptr::null_mut();
        // SAFETY: the connection is open, the names end in NUL, the out pointer is valid.
        let code = unsafe {
            ffi::sqlite3_blob_open(
                conn.raw(),
                c"main".as_ptr(),
                c"vellum_chunk".as_ptr(),
                c"data".as_ptr(),
                key,
                0,
                &mut raw,
            )
        };
        match (code, NonNull::new(raw)) {
            (ffi::SQLITE_OK, Some(raw)) => Ok(Some(Self { raw, key })),
            // The table and its column are ours: what is not there is the row.
            (ffi::SQLITE_ERROR, _) => Ok(None),
            (code, _) => Err(conn.error(code, "open a chunk")),
        }
    }

    /// Moves to another chunk and returns whether it is there; if not, the handle is of no more use.
    fn move_to(&mut self, key: i64) -> bool {
        if self.key != key {
            self.key = key;
            // SAFETY: the handle is open.
            return unsafe { ffi::sqlite3_blob_reopen(self.raw.as_ptr(), key) } == ffi::SQLITE_OK;
        }
        true
    }

    fn read(&self, conn: &Conn, offset: usize, out: &mut [u8]) -> Result<usize, StoreError> {
        // SAFETY: the handle is open.
        let len = usize::try_from(unsafe { ffi::sqlite3_blob_bytes(self.raw.as_ptr()) }).unwrap_or(0);
        let count = len.saturating_sub(offset).min(out.len());
        let (Ok(n), Ok(at)) = (i32::try_from(count), i32::try_from(offset)) else {
            return Err(StoreError::internal("a chunk of more than 2 GiB", "read a chunk"));
        };
        if n > 0 {
            // SAFETY: `out` has room for `n` bytes; SQLite checks the range of the blob.
            let code = unsafe { ffi::sqlite3_blob_read(self.raw.as_ptr(), out.as_mut_ptr().cast(), n, at) };
            if code != ffi::SQLITE_OK {
                return Err(conn.error(code, "read a chunk"));
            }
        }
        Ok(count)
    }
}

impl Conn {
    /// Copies the bytes of a chunk from an offset on and returns how many there were, at most as many as `out` has room
    /// for; 0 when there is no such chunk. Only where [`Conn::keeps_a_moment`].
    pub(crate) fn read_chunk(&self, key: i64, offset: usize, out: &mut [u8]) -> Result<usize, StoreError> {
        let mut kept = self.blob().borrow_mut();
        let blob = match kept.take() {
            Some(mut blob) => blob.move_to(key).then_some(blob),
            None => None,
        };
        let blob = match blob {
            Some(blob) => blob,
            // A handle that could not be moved says only that it is spent.
            None => match Blob::open(self, key)? {
                Some(blob) => blob,
                None => return Ok(0),
            },
        };
        let count = blob.read(self, offset, out)?;
        *kept = Some(blob);
        Ok(count)
    }
}
