//! A file of the VFS: our part in front, the system's behind it.
#![expect(unsafe_code, reason = "a file of SQLite's VFS is C")]

use std::ffi::{c_char, c_int, c_void};
use std::{ptr, slice};

use rusqlite::ffi;

use super::script::Call;
use super::vfs::{Vfs, path};

#[repr(C)]
pub(super) struct File {
    base: ffi::sqlite3_file,
    vfs: *const Vfs,
    name: *const c_char,
    // The system's file follows: SQLite makes room for both.
}

/// Version 2 has shared memory and no mapped files, so that all of a file is read and written through here.
static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(map_shared),
    xShmLock: Some(lock_shared),
    xShmBarrier: Some(shared_barrier),
    xShmUnmap: Some(unmap_shared),
    xFetch: None,
    xUnfetch: None,
};

/// Fills our part of a file that is about to be opened.
///
/// # Safety
/// `file` has room for `szOsFile` bytes; the VFS and the name outlive it.
pub(super) unsafe fn prepare(file: *mut ffi::sqlite3_file, vfs: &Vfs, name: *const c_char) {
    let ours = File { base: ffi::sqlite3_file { pMethods: ptr::null() }, vfs, name };
    // SAFETY: as the caller says; the system's part begins without methods, that is, closed.
    unsafe {
        file.cast::<File>().write(ours);
        (*inner(file)).pMethods = ptr::null();
    }
}

/// Takes over the methods of a file that the system has opened. One without methods is not closed.
///
/// # Safety
/// `file` was prepared.
pub(super) unsafe fn adopt(file: *mut ffi::sqlite3_file) {
    // SAFETY: as the caller says.
    unsafe { (*file).pMethods = if (*inner(file)).pMethods.is_null() { ptr::null() } else { &METHODS } }
}

/// Returns the system's part of a file.
///
/// # Safety
/// `file` has room for `szOsFile` bytes.
pub(super) unsafe fn inner(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: the system's part lies behind ours; SQLite's memory and our size are multiples of eight bytes.
    unsafe { file.cast::<File>().add(1).cast() }
}

/// Calls a method of the system's part of a file.
macro_rules! inner {
    ($file:expr, $method:ident $(, $argument:expr)*) => {{
        let inner = inner($file);
        (*(*inner).pMethods).$method.map_or(ffi::SQLITE_ERROR, |method| method(inner $(, $argument)*))
    }};
}

/// Returns the VFS of an open file.
///
/// # Safety
/// `file` was prepared.
unsafe fn vfs<'f>(file: *mut ffi::sqlite3_file) -> &'f Vfs {
    // SAFETY: a VFS is never freed.
    unsafe { &*(*file.cast::<File>()).vfs }
}

/// Lets the shadow see a change that was done.
///
/// # Safety
/// `file` is open.
unsafe fn note(
    file: *mut ffi::sqlite3_file,
    code: c_int,
    change: impl FnOnce(&mut super::shadow::Shadow, &std::path::Path),
) -> c_int {
    // SAFETY: SQLite keeps a file's name until it is closed.
    if let (ffi::SQLITE_OK, Some(path)) = (code, unsafe { path((*file.cast::<File>()).name) }) {
        // SAFETY: as the caller says.
        unsafe { vfs(file) }.script.note(|shadow| change(shadow, path));
    }
    code
}

fn len(number: i64) -> usize {
    usize::try_from(number).expect("SQLite's offsets and lengths are not negative")
}

// In all that follows SQLite calls with a file that `open` has opened, with buffers of the length that it gives, and
// with room for what it asks: that is the contract of `sqlite3_io_methods`.

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: see above.
    unsafe { inner!(file, xClose) }
}

unsafe extern "C" fn read(
    file: *mut ffi::sqlite3_file,
    out: *mut c_void,
    amount: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: see above.
    unsafe { vfs(file).call(Call::Read, || inner!(file, xRead, out, amount, offset), || {}) }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    from: *const c_void,
    amount: c_int,
    offset: i64,
) -> c_int {
    // SAFETY: see above.
    let write = |amount: c_int| unsafe {
        note(file, inner!(file, xWrite, from, amount, offset), |shadow, path| {
            shadow.write(path, len(offset), slice::from_raw_parts(from.cast(), len(i64::from(amount))));
        })
    };
    // At the start of a file the part is shorter than any header.
    let half = || {
        write(if offset == 0 { amount.min(20) } else { amount / 2 });
    };
    // SAFETY: see above.
    unsafe { vfs(file).call(Call::Write, || write(amount), half) }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: i64) -> c_int {
    // SAFETY: see above.
    unsafe {
        let truncate =
            || note(file, inner!(file, xTruncate, size), |shadow, path| shadow.truncate(path, len(size)));
        vfs(file).call(Call::Truncate, truncate, || {})
    }
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: see above.
    unsafe {
        let sync = || note(file, inner!(file, xSync, flags), |shadow, path| shadow.sync(path));
        vfs(file).call(Call::Sync, sync, || {})
    }
}

unsafe extern "C" fn file_size(file: *mut ffi::sqlite3_file, out: *mut i64) -> c_int {
    // SAFETY: see above.
    unsafe { vfs(file).call(Call::FileSize, || inner!(file, xFileSize, out), || {}) }
}

unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: see above.
    unsafe { vfs(file).call(Call::Lock, || inner!(file, xLock, level), || {}) }
}

/// The system does not refuse to give a lock back.
unsafe extern "C" fn unlock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: see above.
    unsafe { inner!(file, xUnlock, level) }
}

unsafe extern "C" fn check_reserved_lock(file: *mut ffi::sqlite3_file, out: *mut c_int) -> c_int {
    // SAFETY: see above.
    unsafe { vfs(file).call(Call::Lock, || inner!(file, xCheckReservedLock, out), || {}) }
}

unsafe extern "C" fn file_control(file: *mut ffi::sqlite3_file, op: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: see above.
    unsafe { inner!(file, xFileControl, op, argument) }
}

unsafe extern "C" fn sector_size(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: see above.
    unsafe { inner!(file, xSectorSize) }
}

unsafe extern "C" fn device_characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: see above.
    unsafe { inner!(file, xDeviceCharacteristics) }
}

unsafe extern "C" fn map_shared(
    file: *mut ffi::sqlite3_file,
    region: c_int,
    region_len: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: see above.
    unsafe {
        vfs(file).call(Call::MapShared, || inner!(file, xShmMap, region, region_len, extend, out), || {})
    }
}

unsafe extern "C" fn lock_shared(
    file: *mut ffi::sqlite3_file,
    offset: c_int,
    n: c_int,
    flags: c_int,
) -> c_int {
    // SAFETY: see above.
    unsafe {
        let lock = || inner!(file, xShmLock, offset, n, flags);
        if flags & ffi::SQLITE_SHM_UNLOCK != 0 {
            lock()
        } else {
            vfs(file).call(Call::LockShared, lock, || {})
        }
    }
}

unsafe extern "C" fn shared_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: see above.
    unsafe {
        let inner = inner(file);
        if let Some(barrier) = (*(*inner).pMethods).xShmBarrier {
            barrier(inner);
        }
    }
}

unsafe extern "C" fn unmap_shared(file: *mut ffi::sqlite3_file, delete: c_int) -> c_int {
    // SAFETY: see above.
    unsafe { inner!(file, xShmUnmap, delete) }
}
