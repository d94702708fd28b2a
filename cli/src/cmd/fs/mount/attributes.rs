//! What the kernel is told of a file or directory, and by which number of an error.

use std::time::SystemTime;

use fuser::{Errno, FileAttr, FileType, INodeNo};
use vellum::{DirEntry, ErrorKind, FileKind, FsError};

/// The unit in which the kernel counts space.
const BLOCK_LEN: u64 = 512;
/// The length of a read or write that suits a program.
const PREFERRED_LEN: u32 = 128 << 10;

/// Whose everything is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    uid: u32,
    gid: u32,
}

impl Owner {
    /// Returns who mounts.
    pub(super) fn this() -> Self {
        Owner { uid: rustix::process::geteuid().as_raw(), gid: rustix::process::getegid().as_raw() }
    }

    /// Returns the attributes of a file or directory. Permissions are not stored: whoever mounts may do everything,
    /// others may read.
    pub(super) fn attributes(self, number: u64, entry: &DirEntry) -> FileAttr {
        let (kind, perm, nlink) = match entry.kind {
            FileKind::File => (FileType::RegularFile, 0o644, 1),
            FileKind::Directory => (FileType::Directory, 0o755, 2),
        };
        FileAttr {
            ino: INodeNo(number),
            size: entry.length,
            blocks: entry.length.div_ceil(BLOCK_LEN),
            atime: entry.modified,
            mtime: entry.modified,
            ctime: entry.modified,
            crtime: entry.created,
            kind,
            perm,
            nlink,
            uid: self.uid,
            gid: self.gid,
            rdev: 0,
            blksize: PREFERRED_LEN,
            flags: 0,
        }
    }
}

/// Returns the kind of an entry.
pub(super) fn file_type(kind: FileKind) -> FileType {
    match kind {
        FileKind::File => FileType::RegularFile,
        FileKind::Directory => FileType::Directory,
    }
}

/// Returns the number of an error.
pub(super) fn errno(error: &vellum::Error) -> Errno {
    if let vellum::Error::Fs(error) = error {
        match error {
            FsError::NotADirectory { .. } => return Errno::ENOTDIR,
            FsError::IsADirectory { .. } => return Errno::EISDIR,
            FsError::NotEmpty { .. } => return Errno::ENOTEMPTY,
            FsError::Root { .. } => return Errno::EBUSY,
            FsError::Changed { .. } => return Errno::ESTALE,
            FsError::InvalidPath { path, .. } if path.len() > 255 => return Errno::ENAMETOOLONG,
            _ => {}
        }
    }
    match error.kind() {
        ErrorKind::NotFound => Errno::ENOENT,
        ErrorKind::AlreadyExists => Errno::EEXIST,
        ErrorKind::InvalidQuery => Errno::EINVAL,
        ErrorKind::TooLarge => Errno::EFBIG,
        ErrorKind::ReadOnly => Errno::EROFS,
        ErrorKind::Full => Errno::ENOSPC,
        ErrorKind::Busy => Errno::EBUSY,
        _ => Errno::EIO,
    }
}

/// Returns a time that the kernel asks to be set.
pub(super) fn time(time: fuser::TimeOrNow) -> SystemTime {
    match time {
        fuser::TimeOrNow::SpecificTime(time) => time,
        fuser::TimeOrNow::Now => SystemTime::now(),
    }
}
