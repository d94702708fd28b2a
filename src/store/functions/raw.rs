//! Functions that take SQLite's own values: those that are called for each row of a scan.

#![expect(unsafe_code, reason = "a call in C is three times as fast as through a trait object")]

use std::ffi::{CStr, c_int};
use std::ptr;

use rusqlite::{Connection, Error, Result, ffi};

/// What SQLite calls for each row.
pub(super) type Call = unsafe extern "C" fn(*mut ffi::sqlite3_context, c_int, *mut *mut ffi::sqlite3_value);
/// What SQLite calls at the end of a group.
pub(super) type Finish = unsafe extern "C" fn(*mut ffi::sqlite3_context);

/// Puts a function on a connection.
pub(super) fn register(
    db: &Connection,
    name: &CStr,
    arity: c_int,
    call: Option<Call>,
    step: Option<Call>,
    finish: Option<Finish>,
) -> Result<()> {
    let flags = ffi::SQLITE_UTF8 | ffi::SQLITE_DETERMINISTIC | ffi::SQLITE_DIRECTONLY;
    let data = ptr::null_mut();
    // SAFETY: the connection is open, and the callbacks keep to the contract that each of them states.
    let code = unsafe {
        let db = db.handle();
        ffi::sqlite3_create_function_v2(db, name.as_ptr(), arity, flags, data, call, step, finish, None)
    };
    if code == ffi::SQLITE_OK { Ok(()) } else { Err(Error::SqliteFailure(ffi::Error::new(code), None)) }
}
