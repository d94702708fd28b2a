//! The VFS: files that are opened, deleted and looked for.
#![expect(unsafe_code, reason = "a VFS of SQLite is C")]

use std::ffi::{CStr, CString, OsStr, c_char, c_int};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::ffi;

use super::file::{self, File};
use super::script::{Call, Fault, How, Script};

/// SQLite's own structure, and behind it what is ours.
#[repr(C)]
pub(super) struct Vfs {
    base: ffi::sqlite3_vfs,
    inner: *mut ffi::sqlite3_vfs,
    pub(super) script: Script,
    name: CString,
}

// SAFETY: SQLite gives a VFS to any thread, and links its `base` into a list under its own mutex; `inner` is never
// written, and the script has a lock.
unsafe impl Sync for Vfs {}

/// A disk that fails as it is told.
#[derive(Clone, Copy)]
pub(crate) struct Disk(&'static Vfs);

impl Disk {
    /// Makes one around the system's own, sound until it is told otherwise. It stays registered: a connection may hold it.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("vellum-faults-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let name = CString::new(name).expect("a name without NUL");
        // SAFETY: SQLite has a default VFS, which lives as long as the process, and may be copied.
        let (inner, base) = unsafe {
            ffi::sqlite3_initialize();
            let inner = ffi::sqlite3_vfs_find(ptr::null());
            (inner, *inner)
        };
        let base = ffi::sqlite3_vfs {
            szOsFile: base.szOsFile + size_of::<File>() as c_int,
            zName: name.as_ptr(),
            xOpen: Some(open),
            xDelete: Some(delete),
            xAccess: Some(access),
            // What is left as it was copied does not look at the VFS that it is given.
            ..base
        };
        let vfs = Box::into_raw(Box::new(Vfs { base, inner, script: Script::default(), name }));
        // SAFETY: the VFS is never freed, nor written but for its list by SQLite. The pointer to `base` is one to all
        // of it, as the callbacks take it.
        unsafe {
            ffi::sqlite3_vfs_register(vfs.cast(), 0);
            Disk(&*vfs)
        }
    }

    /// Returns the name under which files are opened on this disk.
    pub(crate) fn name(self) -> &'static str {
        self.0.name.to_str().expect("an ASCII name")
    }

    /// Lets one thing go wrong from now on.
    pub(crate) fn arm(self, fault: Fault) {
        self.0.script.arm(fault);
    }

    /// Lets everything go well again. Returns how many calls the fault could have met, and which it did, if it did.
    pub(crate) fn heal(self) -> (u64, Option<Call>) {
        self.0.script.heal()
    }

    /// Takes from the files what a power cut loses, when there was one. They are closed by now.
    pub(crate) fn lose_unsynced(self, arrives: &mut dyn FnMut() -> bool) -> io::Result<()> {
        self.0.script.take_shadow().map_or(Ok(()), |shadow| shadow.restore(arrives))
    }
}

impl Vfs {
    /// Does a call as the script says. `half` does a part of it.
    pub(super) fn call(&self, call: Call, done: impl FnOnce() -> c_int, half: impl FnOnce()) -> c_int {
        match self.script.next(call) {
            None => done(),
            Some(How::Refused | How::PowerCut) => call.code(),
            Some(How::Late) => {
                done();
                call.code()
            }
            Some(How::Torn) => {
                half();
                call.code()
            }
            Some(How::Full) => {
                half();
                ffi::SQLITE_FULL
            }
            Some(How::Death) => {
                half();
                std::process::abort()
            }
        }
    }
}

/// Returns a file's path as SQLite names it.
///
/// # Safety
/// `name` is NULL, or a text that ends in NUL and lives as long as the answer is used.
pub(super) unsafe fn path<'n>(name: *const c_char) -> Option<&'n Path> {
    // SAFETY: as the caller says.
    (!name.is_null()).then(|| unsafe { Path::new(OsStr::from_bytes(CStr::from_ptr(name).to_bytes())) })
}

unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite calls this with the VFS that was registered, and with room for `szOsFile` bytes at `file`. Names
    // live until the file is closed.
    unsafe {
        let vfs = &*vfs.cast::<Vfs>();
        file::prepare(file, vfs, name);
        let open = || {
            let code = (*vfs.inner)
                .xOpen
                .map_or(ffi::SQLITE_ERROR, |open| open(vfs.inner, name, file::inner(file), flags, out_flags));
            file::adopt(file);
            if let (ffi::SQLITE_OK, Some(path)) = (code, path(name)) {
                vfs.script.note(|shadow| shadow.open(path));
            }
            code
        };
        vfs.call(Call::Open, open, || {})
    }
}

unsafe extern "C" fn delete(vfs: *mut ffi::sqlite3_vfs, name: *const c_char, sync_dir: c_int) -> c_int {
    // SAFETY: SQLite calls this with the VFS that was registered and the name of a file.
    unsafe {
        let vfs = &*vfs.cast::<Vfs>();
        let delete = || {
            if let Some(path) = path(name) {
                vfs.script.note(|shadow| shadow.delete(path, sync_dir != 0));
            }
            (*vfs.inner).xDelete.map_or(ffi::SQLITE_ERROR, |delete| delete(vfs.inner, name, sync_dir))
        };
        vfs.call(Call::Delete, delete, || {})
    }
}

unsafe extern "C" fn access(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite calls this with the VFS that was registered, the name of a file and room for the answer.
    unsafe {
        let vfs = &*vfs.cast::<Vfs>();
        let access =
            || (*vfs.inner).xAccess.map_or(ffi::SQLITE_ERROR, |access| access(vfs.inner, name, flags, out));
        vfs.call(Call::Access, access, || {})
    }
}
