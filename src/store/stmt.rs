//! Prepared statements: bind, step, read cells.
//!
//! A connection keeps its statements ([`super::cache::Cache`]), so that an ordinary call neither prepares nor
//! allocates. SQLite is called directly: rusqlite's cached statements borrow their connection and allocate at each
//! loan, and a result that outlives the call must own both.
#![expect(unsafe_code, reason = "the statement interface of SQLite is C")]

use std::ptr::{self, NonNull};
use std::slice;
use std::str;

use rusqlite::ffi;

use super::conn::Conn;
use super::error::StoreError;

/// A value on its way into a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bind<'a> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'a str),
    Blob(&'a [u8]),
}

/// A value of a result row, borrowed until the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'a str),
    Blob(&'a [u8]),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Reset, with or without bindings.
    Ready,
    /// On a row.
    Stepping,
    /// Past the last row or failed, and reset.
    Done,
}

/// A statement and its text. It belongs to one connection, which outlives it.
pub(super) struct Prepared {
    raw: NonNull<ffi::sqlite3_stmt>,
    /// Its text, which is also its name in the cache.
    pub(super) sql: Box<str>,
    progress: Progress,
    /// How often SQLite had prepared it again when that was asked last; `None` before.
    known: Option<i32>,
    /// Whether a text or blob is bound.
    holds_bytes: bool,
}

// SAFETY: SQLite is built with threads, and a statement is used by one thread at a time: every use goes through
// `&mut`, or through `&Conn`, which is not Sync.
unsafe impl Send for Prepared {}

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: `raw` came from sqlite3_prepare_v3 and is finalized once, before its connection closes.
        unsafe { ffi::sqlite3_finalize(self.raw.as_ptr()) };
    }
}

impl Prepared {
    pub(super) fn new(conn: &Conn, sql: &str) -> Result<Self, StoreError> {
        let mut raw = ptr::null_mut();
        let mut tail = ptr::null();
        let len = i32::try_from(sql.len()).map_err(|_| StoreError::internal("statement too long", ""))?;
        // SAFETY: `sql` is `len` readable bytes, the out pointers are valid, the connection is open.
        let code = unsafe {
            ffi::sqlite3_prepare_v3(
                conn.raw(),
                sql.as_ptr().cast(),
                len,
                ffi::SQLITE_PREPARE_PERSISTENT,
                &mut raw,
                &mut tail,
            )
        };
        if code != ffi::SQLITE_OK {
            return Err(conn.error(code, sql));
        }
        let raw = NonNull::new(raw).ok_or_else(|| StoreError::internal("empty statement", sql))?;
        let prepared =
            Prepared { raw, sql: sql.into(), progress: Progress::Ready, known: None, holds_bytes: false };
        let used = (tail as usize).saturating_sub(sql.as_ptr() as usize);
        if sql.get(used..).is_none_or(|rest| !rest.trim().is_empty()) {
            return Err(StoreError::internal("more than one statement", sql));
        }
        Ok(prepared)
    }

    pub(super) fn bind(&mut self, conn: &Conn, index: usize, value: Bind<'_>) -> Result<(), StoreError> {
        self.rewind();
        // SAFETY: SQLITE_TRANSIENT makes SQLite copy the bytes before the call returns.
        unsafe { self.bind_raw(conn, index, value, ffi::SQLITE_TRANSIENT()) }
    }

    /// Binds a value, whose bytes SQLite treats as `destructor` says.
    ///
    /// # Safety
    /// With SQLITE_STATIC the bytes must live until the statement's bindings are cleared.
    unsafe fn bind_raw(
        &mut self,
        conn: &Conn,
        index: usize,
        value: Bind<'_>,
        destructor: ffi::sqlite3_destructor_type,
    ) -> Result<(), StoreError> {
        let raw = self.raw.as_ptr();
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        self.holds_bytes |= matches!(value, Bind::Text(_) | Bind::Blob(_));
        // SAFETY: the statement is live and reset; lengths are those of the slices; the caller answers for lifetimes.
        let code = unsafe {
            match value {
                Bind::Null => ffi::sqlite3_bind_null(raw, index),
                Bind::Int(int) => ffi::sqlite3_bind_int64(raw, index, int),
                Bind::Real(real) => ffi::sqlite3_bind_double(raw, index, real),
                Bind::Text(text) => {
                    let utf8 = ffi::SQLITE_UTF8 as u8;
                    ffi::sqlite3_bind_text64(
                        raw,
                        index,
                        text.as_ptr().cast(),
                        text.len() as u64,
                        destructor,
                        utf8,
                    )
                }
                Bind::Blob([]) => ffi::sqlite3_bind_zeroblob(raw, index, 0),
                Bind::Blob(blob) => {
                    ffi::sqlite3_bind_blob64(raw, index, blob.as_ptr().cast(), blob.len() as u64, destructor)
                }
            }
        };
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(conn.error(code, &self.sql)) }
    }

    pub(super) fn step<'s>(&'s mut self, conn: &'s Conn) -> Result<Option<Row<'s>>, StoreError> {
        if self.progress == Progress::Done {
            return Ok(None);
        }
        conn.check_transaction()?;
        // SAFETY: the statement is live.
        let code = unsafe { ffi::sqlite3_step(self.raw.as_ptr()) };
        if code == ffi::SQLITE_ROW {
            self.progress = Progress::Stepping;
            return Ok(Some(Row { prepared: self, conn }));
        }
        let result = if code == ffi::SQLITE_DONE { Ok(None) } else { Err(conn.error(code, &self.sql)) };
        // SAFETY: the statement is live. The result code repeats the one of the step.
        unsafe { ffi::sqlite3_reset(self.raw.as_ptr()) };
        self.progress = Progress::Done;
        if result.is_err() {
            conn.note_rollback();
        }
        result
    }

    /// Binds everything without copying, runs to the end and returns the number of rows changed.
    pub(super) fn run(&mut self, conn: &Conn, binds: &[Bind<'_>]) -> Result<u64, StoreError> {
        self.rewind();
        let mut result = Ok(());
        for (i, bind) in binds.iter().enumerate() {
            // SAFETY: `binds` outlives this call, and the bindings are cleared before it returns.
            result = result.and_then(|()| unsafe { self.bind_raw(conn, i + 1, *bind, ffi::SQLITE_STATIC()) });
        }
        let result = result.and_then(|()| {
            while self.step(conn)?.is_some() {}
            Ok(conn.changes())
        });
        self.clear();
        result
    }

    /// Makes the statement ready to run again with the bindings that it has.
    pub(super) fn rewind(&mut self) {
        if self.progress == Progress::Stepping {
            // SAFETY: the statement is live. A code would only repeat that of the last step.
            unsafe { ffi::sqlite3_reset(self.raw.as_ptr()) };
        }
        self.progress = Progress::Ready;
    }

    /// Ends the run and lets go of the bytes that are bound. Numbers stay until they are bound anew, as every
    /// parameter is before a run.
    pub(super) fn clear(&mut self) {
        self.rewind();
        if std::mem::take(&mut self.holds_bytes) {
            // SAFETY: the statement is live and reset.
            unsafe { ffi::sqlite3_clear_bindings(self.raw.as_ptr()) };
        }
    }

    /// Returns how often SQLite had to prepare the statement again because the schema moved.
    fn reprepared(&self) -> i32 {
        // SAFETY: the statement is live.
        unsafe { ffi::sqlite3_stmt_status(self.raw.as_ptr(), ffi::SQLITE_STMTSTATUS_REPREPARE, 0) }
    }

    pub(super) fn met_schema(&mut self) -> bool {
        let now = Some(self.reprepared());
        std::mem::replace(&mut self.known, now) != now
    }
}

/// A statement on loan from its connection's cache. Dropped, it is reset, its bindings are cleared, and it goes back.
pub(crate) struct Stmt<'c> {
    conn: &'c Conn,
    // Taken by `drop` alone.
    prepared: Option<Prepared>,
}

impl<'c> Stmt<'c> {
    pub(super) fn new(conn: &'c Conn, prepared: Prepared) -> Self {
        Self { conn, prepared: Some(prepared) }
    }

    fn prepared(&mut self) -> Result<&mut Prepared, StoreError> {
        self.prepared.as_mut().ok_or_else(|| StoreError::internal("statement already returned", ""))
    }

    /// Binds a copy of a value to a parameter, counted from 1; a running statement starts again.
    pub(crate) fn bind(&mut self, index: usize, value: Bind<'_>) -> Result<(), StoreError> {
        let conn = self.conn;
        self.prepared()?.bind(conn, index, value)
    }

    /// Moves to the next row; `None` past the last one, as often as it is asked.
    pub(crate) fn step(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        let conn = self.conn;
        self.prepared()?.step(conn)
    }

    /// Runs the statement to its end with these values and returns how many rows it changed.
    pub(crate) fn run(&mut self, binds: &[Bind<'_>]) -> Result<u64, StoreError> {
        let conn = self.conn;
        self.prepared()?.run(conn, binds)
    }

    /// Makes the next step the first one again, with the same bindings.
    #[cfg(test)]
    pub(crate) fn reset(&mut self) {
        if let Some(prepared) = &mut self.prepared {
            prepared.rewind();
        }
    }

    /// Returns whether the statement was prepared, by us or again by SQLite, since this was asked last: only then can
    /// the schema be another than the one it was planned by.
    pub(crate) fn met_schema(&mut self) -> bool {
        self.prepared.as_mut().is_some_and(Prepared::met_schema)
    }

    /// Takes the statement away from its connection's borrow. The caller gives it back to the same connection.
    pub(super) fn detach(mut self) -> Option<Prepared> {
        self.prepared.take()
    }
}

impl Drop for Stmt<'_> {
    fn drop(&mut self) {
        if let Some(prepared) = self.prepared.take() {
            self.conn.give_back(prepared);
        }
    }
}

/// The row that a statement stands on.
pub(crate) struct Row<'s> {
    prepared: &'s Prepared,
    conn: &'s Conn,
}

impl<'s> Row<'s> {
    /// Returns the value of a column, counted from 0. Text that is not UTF-8 is `Corrupt`.
    pub(crate) fn cell(&self, column: usize) -> Result<Cell<'s>, StoreError> {
        let raw = self.prepared.raw.as_ptr();
        let i = i32::try_from(column).unwrap_or(i32::MAX);
        // SAFETY: the statement stands on a row for as long as `self` borrows it; SQLite answers a column out of
        // range with NULL. Pointers are read with the length that SQLite gives for them, after the conversion.
        unsafe {
            match ffi::sqlite3_column_type(raw, i) {
                ffi::SQLITE_INTEGER => Ok(Cell::Int(ffi::sqlite3_column_int64(raw, i))),
                ffi::SQLITE_FLOAT => Ok(Cell::Real(ffi::sqlite3_column_double(raw, i))),
                ffi::SQLITE_TEXT => {
                    let bytes = self.bytes(ffi::sqlite3_column_text(raw, i), i)?;
                    str::from_utf8(bytes).map(Cell::Text).map_err(|error| {
                        StoreError::corrupt(self.conn.path(), &format!("text that is not UTF-8: {error}"))
                    })
                }
                ffi::SQLITE_BLOB => {
                    let start: *const u8 = ffi::sqlite3_column_blob(raw, i).cast();
                    if start.is_null() && ffi::sqlite3_column_bytes(raw, i) == 0 {
                        return Ok(Cell::Blob(&[]));
                    }
                    self.bytes(start, i).map(Cell::Blob)
                }
                _ => Ok(Cell::Null),
            }
        }
    }

    /// # Safety
    /// `start` is what `sqlite3_column_text` or `_blob` gave for column `i` of this row.
    unsafe fn bytes(&self, start: *const u8, i: i32) -> Result<&'s [u8], StoreError> {
        if start.is_null() {
            return Err(StoreError::internal("out of memory", &self.prepared.sql));
        }
        // SAFETY: SQLite keeps that many bytes at `start` until the statement moves, which needs `&mut`.
        unsafe {
            let len = usize::try_from(ffi::sqlite3_column_bytes(self.prepared.raw.as_ptr(), i)).unwrap_or(0);
            Ok(slice::from_raw_parts(start, len))
        }
    }

    /// Returns an integer column; another kind of value is a defect of the statement.
    pub(crate) fn int(&self, column: usize) -> Result<i64, StoreError> {
        match self.cell(column)? {
            Cell::Int(int) => Ok(int),
            _ => Err(StoreError::internal("expected an integer", &self.prepared.sql)),
        }
    }

    /// Returns a text column; another kind of value is a defect of the statement.
    pub(crate) fn text(&self, column: usize) -> Result<&'s str, StoreError> {
        match self.cell(column)? {
            Cell::Text(text) => Ok(text),
            _ => Err(StoreError::internal("expected a text", &self.prepared.sql)),
        }
    }
}
