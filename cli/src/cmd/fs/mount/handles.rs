//! Handles: what programs have open.
//!
//! What a program writes in a row is kept until the kernel asks for anything but more of it, so that a file that is
//! copied in is written by few transactions.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Seek, SeekFrom, Write};

use vellum::{DirEntry, FileMut};

/// What is open.
#[derive(Debug, Default)]
pub(super) struct Handles {
    files: HashMap<u64, Handle>,
    directories: HashMap<u64, Vec<DirEntry>>,
    /// The files that hold bytes which are not stored yet.
    waiting: BTreeSet<u64>,
    next: u64,
}

#[derive(Debug)]
struct Handle {
    file: FileMut<'static>,
    /// Where the next byte of a row goes.
    position: u64,
}

impl Handles {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(super) fn open(&mut self, file: FileMut<'static>) -> u64 {
        let number = self.number();
        self.files.insert(number, Handle { file, position: 0 });
        number
    }

    pub(super) fn open_directory(&mut self, entries: Vec<DirEntry>) -> u64 {
        let number = self.number();
        self.directories.insert(number, entries);
        number
    }

    pub(super) fn directory(&self, number: u64) -> &[DirEntry] {
        self.directories.get(&number).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn file(&self, number: u64) -> Option<&FileMut<'static>> {
        self.files.get(&number).map(|handle| &handle.file)
    }

    pub(super) fn write(&mut self, number: u64, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let Some(handle) = self.files.get_mut(&number) else { return Err(io::ErrorKind::NotFound.into()) };
        self.waiting.insert(number);
        if handle.position != offset {
            handle.file.seek(SeekFrom::Start(offset))?;
        }
        handle.file.write_all(bytes)?;
        handle.position = offset + bytes.len() as u64;
        Ok(())
    }

    /// Stores what a file has waiting.
    pub(super) fn store(&mut self, number: u64) -> io::Result<()> {
        if self.waiting.remove(&number)
            && let Some(handle) = self.files.get_mut(&number)
        {
            handle.file.flush()?;
        }
        Ok(())
    }

    /// Stores what all files have waiting. One that cannot tells its own program, when that closes it.
    pub(super) fn store_all(&mut self) {
        for number in std::mem::take(&mut self.waiting) {
            if let Some(handle) = self.files.get_mut(&number)
                && handle.file.flush().is_err()
            {
                self.waiting.insert(number);
            }
        }
    }

    pub(super) fn close(&mut self, number: u64) {
        self.files.remove(&number);
        self.waiting.remove(&number);
    }

    pub(super) fn close_directory(&mut self, number: u64) {
        self.directories.remove(&number);
    }
}
