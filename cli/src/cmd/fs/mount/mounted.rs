//! A mounted database: the files, and what the kernel and programs know of them.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use fuser::{Errno, FileAttr, FileHandle, FileType, INodeNo, RenameFlags, TimeOrNow};
use vellum::{Database, FileMut, Files};

use super::attributes::{Owner, errno, file_type, time};
use super::handles::Handles;
use super::nodes::Nodes;

/// What a directory says is the number of what the kernel was told no number of.
const UNKNOWN: u64 = u32::MAX as u64;
/// How much one transaction copies from file to file.
const COPY_LEN: u64 = 16 << 20;

/// The modes of fallocate(2).
const KEEP_SIZE: i32 = 0x01;
const PUNCH_HOLE: i32 = 0x02;
const ZERO_RANGE: i32 = 0x10;

/// What the kernel is answered: something, or the number of an error.
pub(super) type Answer<T> = Result<T, Errno>;

/// A mounted database.
pub(super) struct Mounted {
    files: Files<'static>,
    database: PathBuf,
    owner: Owner,
    state: Mutex<State>,
}

struct State {
    nodes: Nodes,
    handles: Handles,
}

impl Mounted {
    pub(super) fn new(database: &Database) -> Self {
        let state = State { nodes: Nodes::new(), handles: Handles::default() };
        Mounted {
            files: database.files(),
            database: database.path().to_owned(),
            owner: Owner::this(),
            state: Mutex::new(state),
        }
    }

    /// Returns where the database is.
    pub(super) fn database(&self) -> &Path {
        &self.database
    }

    /// Returns the state as it is, for a call that goes on with a row of writes.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state when everything that was written is stored.
    fn settled(&self) -> MutexGuard<'_, State> {
        let mut state = self.state();
        state.handles.store_all();
        state
    }

    /// Tells the kernel of a path.
    fn tell(&self, state: &mut State, path: &str) -> Answer<FileAttr> {
        let entry = self.files.entry(path).map_err(told)?;
        Ok(self.owner.attributes(state.nodes.tell(path), &entry))
    }

    pub(super) fn lookup(&self, parent: INodeNo, name: &OsStr) -> Answer<FileAttr> {
        let mut state = self.settled();
        let path = child(&state, parent, name)
            .map_err(|error| if name.to_str().is_none() { Errno::ENOENT } else { error })?;
        self.tell(&mut state, &path)
    }

    pub(super) fn attributes(&self, node: INodeNo) -> Answer<FileAttr> {
        let state = self.settled();
        let entry = self.files.entry(path(&state, node)?).map_err(told)?;
        Ok(self.owner.attributes(node.0, &entry))
    }

    pub(super) fn set(
        &self,
        node: INodeNo,
        size: Option<u64>,
        created: Option<SystemTime>,
        modified: Option<TimeOrNow>,
    ) -> Answer<FileAttr> {
        let state = self.settled();
        let path = path(&state, node)?;
        if let Some(size) = size {
            self.files.set_len(path, size).map_err(told)?;
        }
        if created.is_some() || modified.is_some() {
            self.files.set_times(path, created, modified.map(time)).map_err(told)?;
        }
        drop(state);
        self.attributes(node)
    }

    pub(super) fn make_directory(&self, parent: INodeNo, name: &OsStr) -> Answer<FileAttr> {
        let mut state = self.settled();
        let path = child(&state, parent, name)?;
        if self.files.exists(&path).map_err(told)? {
            return Err(Errno::EEXIST);
        }
        self.files.create_dir(&path).map_err(told)?;
        self.tell(&mut state, &path)
    }

    pub(super) fn delete(&self, parent: INodeNo, name: &OsStr) -> Answer<()> {
        let mut state = self.settled();
        let path = child(&state, parent, name)?;
        if !self.files.delete(&path).map_err(told)? {
            return Err(Errno::ENOENT);
        }
        state.nodes.deleted(&path);
        Ok(())
    }

    pub(super) fn rename(
        &self,
        from: (INodeNo, &OsStr),
        to: (INodeNo, &OsStr),
        flags: RenameFlags,
    ) -> Answer<()> {
        let mut state = self.settled();
        let (from, to) = (child(&state, from.0, from.1)?, child(&state, to.0, to.1)?);
        match flags {
            _ if from == to => self.files.entry(&from).map(drop).map_err(told)?,
            RenameFlags::RENAME_NOREPLACE => self.files.rename(&from, &to).map_err(told)?,
            _ if flags.is_empty() => self.files.rename_over(&from, &to).map_err(told)?,
            _ => return Err(Errno::EINVAL),
        }
        state.nodes.moved(&from, &to);
        Ok(())
    }

    pub(super) fn open(&self, node: INodeNo) -> Answer<u64> {
        let mut state = self.settled();
        // One that reads what is newest, however it was opened.
        let file = self.files.edit(path(&state, node)?).map_err(told)?;
        Ok(state.handles.open(file))
    }

    pub(super) fn create(&self, parent: INodeNo, name: &OsStr, is_new: bool) -> Answer<(FileAttr, u64)> {
        let mut state = self.settled();
        let path = child(&state, parent, name)?;
        let file = if is_new { self.files.create(&path) } else { self.files.open_or_create(&path) };
        let number = state.handles.open(file.map_err(told)?);
        Ok((self.tell(&mut state, &path)?, number))
    }

    pub(super) fn read(&self, handle: FileHandle, offset: u64, size: u32) -> Answer<Vec<u8>> {
        let state = self.settled();
        let mut bytes = vec![0; size as usize];
        let count = file(&state, handle)?.read_at(offset, &mut bytes).map_err(told)?;
        bytes.truncate(count);
        Ok(bytes)
    }

    pub(super) fn allocate(
        &self,
        node: INodeNo,
        handle: FileHandle,
        range: (u64, u64),
        mode: i32,
    ) -> Answer<()> {
        let state = self.settled();
        let file = file(&state, handle)?;
        let (offset, length) = range;
        let end = offset.checked_add(length).ok_or(Errno::EFBIG)?;
        if mode & !(ZERO_RANGE | PUNCH_HOLE | KEEP_SIZE) != 0 {
            return Err(Errno::EOPNOTSUPP);
        }
        if mode & (ZERO_RANGE | PUNCH_HOLE) != 0 {
            file.punch_hole(offset, length).map_err(told)?;
        }
        // Space is not set aside: what was not written takes none.
        if mode & KEEP_SIZE == 0 && end > file.length().map_err(told)? {
            self.files.set_len(path(&state, node)?, end).map_err(told)?;
        }
        Ok(())
    }

    pub(super) fn copy(&self, from: (INodeNo, u64), to: (INodeNo, u64), length: u64) -> Answer<u32> {
        let state = self.settled();
        let source = (path(&state, from.0)?, from.1);
        let target = (path(&state, to.0)?, to.1);
        let count = self.files.copy_range(source, target, length.min(COPY_LEN)).map_err(told)?;
        u32::try_from(count).map_err(|_| Errno::EIO)
    }

    pub(super) fn open_directory(&self, node: INodeNo) -> Answer<u64> {
        let mut state = self.settled();
        let entries = self.files.list(path(&state, node)?).to_vec().map_err(told)?;
        Ok(state.handles.open_directory(entries))
    }

    /// Hands the names of a directory from the place on to `add`, until that is full.
    pub(super) fn names(
        &self,
        node: INodeNo,
        handle: FileHandle,
        place: u64,
        mut add: impl FnMut(u64, u64, FileType, &str) -> bool,
    ) {
        let state = self.state();
        let dots = [".", ".."].map(|name| (node.0, FileType::Directory, name));
        let entries = state.handles.directory(handle.0).iter().map(|entry| {
            (state.nodes.known(&entry.path).unwrap_or(UNKNOWN), file_type(entry.kind), entry.name())
        });
        let from = usize::try_from(place).unwrap_or(usize::MAX);
        for (next, (number, kind, name)) in dots.into_iter().chain(entries).enumerate().skip(from) {
            if add(number, next as u64 + 1, kind, name) {
                break;
            }
        }
    }

    pub(super) fn forget(&self, node: INodeNo, count: u64) {
        self.state().nodes.forget(node.0, count);
    }

    pub(super) fn write(&self, handle: FileHandle, offset: u64, bytes: &[u8]) -> Answer<u32> {
        self.state().handles.write(handle.0, offset, bytes).map_err(failed)?;
        Ok(u32::try_from(bytes.len()).unwrap_or(u32::MAX))
    }

    pub(super) fn store(&self, handle: FileHandle) -> Answer<()> {
        self.state().handles.store(handle.0).map_err(failed)
    }

    pub(super) fn store_all(&self) {
        self.state().handles.store_all();
    }

    pub(super) fn close(&self, handle: FileHandle) -> Answer<()> {
        let stored = self.store(handle);
        self.state().handles.close(handle.0);
        stored
    }

    pub(super) fn close_directory(&self, handle: FileHandle) {
        self.state().handles.close_directory(handle.0);
    }
}

fn told(error: vellum::Error) -> Errno {
    errno(&error)
}

fn failed(error: io::Error) -> Errno {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<vellum::Error>());
    inner.map_or(Errno::EIO, errno)
}

fn path(state: &State, node: INodeNo) -> Answer<&str> {
    state.nodes.path(node.0).ok_or(Errno::ESTALE)
}

/// Returns the path of a name in a directory.
fn child(state: &State, parent: INodeNo, name: &OsStr) -> Answer<String> {
    let (parent, name) = (path(state, parent)?, name.to_str().ok_or(Errno::EILSEQ)?);
    if name.len() > 255 {
        return Err(Errno::ENAMETOOLONG);
    }
    Ok(if parent == "/" { format!("/{name}") } else { format!("{parent}/{name}") })
}

fn file(state: &State, handle: FileHandle) -> Answer<&FileMut<'static>> {
    state.handles.file(handle.0).ok_or(Errno::EBADF)
}
