//! What the kernel asks, handed on to the mounted database, and the answers.

use std::ffi::OsStr;
use std::io;
use std::time::{Duration, SystemTime};

use fuser::{
    BsdFileFlags, CopyFileRangeFlags, FileAttr, FileHandle, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use rustix::fs::OFlags;

use super::mounted::{Answer, Mounted};

/// The kernel asks each time: others may write to the database, too.
const NO_TIME: Duration = Duration::ZERO;
/// A number is never given twice.
const ONLY: Generation = Generation(0);

/// Answers with nothing, or with the number of an error.
fn answer(reply: ReplyEmpty, done: Answer<()>) {
    match done {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(error),
    }
}

fn answer_entry(reply: ReplyEntry, found: Answer<FileAttr>) {
    match found {
        Ok(attributes) => reply.entry(&NO_TIME, &attributes, ONLY),
        Err(error) => reply.error(error),
    }
}

fn answer_attributes(reply: ReplyAttr, found: Answer<FileAttr>) {
    match found {
        Ok(attributes) => reply.attr(&NO_TIME, &attributes),
        Err(error) => reply.error(error),
    }
}

fn answer_open(reply: ReplyOpen, opened: Answer<u64>) {
    match opened {
        Ok(number) => reply.opened(FileHandle(number), FopenFlags::empty()),
        Err(error) => reply.error(error),
    }
}

fn answer_count(reply: ReplyWrite, done: Answer<u32>) {
    match done {
        Ok(count) => reply.written(count),
        Err(error) => reply.error(error),
    }
}

impl Filesystem for Mounted {
    fn destroy(&mut self) {
        self.store_all();
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        answer_entry(reply, self.lookup(parent, name));
    }

    fn forget(&self, _: &Request, node: INodeNo, count: u64) {
        Mounted::forget(self, node, count);
    }

    fn getattr(&self, _: &Request, node: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        answer_attributes(reply, self.attributes(node));
    }

    fn setattr(
        &self,
        _: &Request,
        node: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _: Option<FileHandle>,
        crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        answer_attributes(reply, self.set(node, size, crtime, mtime));
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        answer_entry(reply, self.make_directory(parent, name));
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer(reply, self.delete(parent, name));
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer(reply, self.delete(parent, name));
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        answer(reply, self.rename((parent, name), (new_parent, new_name), flags));
    }

    fn open(&self, _: &Request, node: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        answer_open(reply, self.open(node));
    }

    fn create(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        _mode: u32,
        _umask: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        let is_new = OFlags::from_bits_retain(flags.cast_unsigned()).contains(OFlags::EXCL);
        match self.create(parent, name, is_new) {
            Ok((attributes, number)) => {
                reply.created(&NO_TIME, &attributes, ONLY, FileHandle(number), FopenFlags::empty());
            }
            Err(error) => reply.error(error),
        }
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.read(handle, offset, size) {
            Ok(bytes) => reply.data(&bytes),
            Err(error) => reply.error(error),
        }
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        answer_count(reply, Mounted::write(self, handle, offset, data));
    }

    fn flush(&self, _: &Request, _: INodeNo, handle: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        answer(reply, self.store(handle));
    }

    fn fsync(&self, _: &Request, _: INodeNo, handle: FileHandle, _: bool, reply: ReplyEmpty) {
        answer(reply, self.store(handle));
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        answer(reply, self.close(handle));
    }

    fn fallocate(
        &self,
        _: &Request,
        node: INodeNo,
        handle: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        answer(reply, self.allocate(node, handle, (offset, length), mode));
    }

    fn copy_file_range(
        &self,
        _: &Request,
        from: INodeNo,
        _: FileHandle,
        from_offset: u64,
        to: INodeNo,
        _: FileHandle,
        to_offset: u64,
        length: u64,
        _: CopyFileRangeFlags,
        reply: ReplyWrite,
    ) {
        answer_count(reply, self.copy((from, from_offset), (to, to_offset), length));
    }

    fn opendir(&self, _: &Request, node: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        answer_open(reply, self.open_directory(node));
    }

    fn readdir(&self, _: &Request, node: INodeNo, handle: FileHandle, place: u64, mut reply: ReplyDirectory) {
        self.names(node, handle, place, |number, next, kind, name| {
            reply.add(INodeNo(number), next, kind, name)
        });
        reply.ok();
    }

    fn releasedir(&self, _: &Request, _: INodeNo, handle: FileHandle, _: OpenFlags, reply: ReplyEmpty) {
        self.close_directory(handle);
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.store_all();
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        match rustix::fs::statvfs(self.database()) {
            Ok(disk) => {
                let (block, fragment) = (disk.f_bsize as u32, disk.f_frsize as u32);
                reply.statfs(disk.f_blocks, disk.f_bfree, disk.f_bavail, 0, 0, block, 255, fragment);
            }
            Err(error) => reply.error(io::Error::from(error).into()),
        }
    }
}
