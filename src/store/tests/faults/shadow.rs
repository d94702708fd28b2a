//! What a power cut leaves of the files: what was synced, and of the rest any part.
//!
//! A sector is written whole or not at all. A file that is made is there at once; one that is deleted is gone when its
//! directory, or any file after it, is synced.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

const SECTOR_LEN: usize = 512;

/// The files as they are on the platter, and what is on its way to them.
#[derive(Default)]
pub(super) struct Shadow {
    files: HashMap<PathBuf, File>,
    /// Those of which the platter does not know yet that they are gone.
    deleted: HashMap<PathBuf, File>,
}

#[derive(Default)]
struct File {
    synced: Vec<u8>,
    pending: Vec<Change>,
}

enum Change {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate { len: usize },
}

impl Shadow {
    /// Notes a file as it is when it is opened first.
    pub(super) fn open(&mut self, path: &Path) {
        self.deleted.remove(path);
        self.files
            .entry(path.to_owned())
            .or_insert_with(|| File { synced: std::fs::read(path).unwrap_or_default(), pending: Vec::new() });
    }

    pub(super) fn write(&mut self, path: &Path, offset: usize, bytes: &[u8]) {
        self.change(path, Change::Write { offset, bytes: bytes.to_vec() });
    }

    pub(super) fn truncate(&mut self, path: &Path, len: usize) {
        self.change(path, Change::Truncate { len });
    }

    fn change(&mut self, path: &Path, change: Change) {
        if let Some(file) = self.files.get_mut(path) {
            file.pending.push(change);
        }
    }

    pub(super) fn sync(&mut self, path: &Path) {
        if let Some(File { synced, pending }) = self.files.get_mut(path) {
            pending.drain(..).for_each(|change| change.apply(synced, &mut || true));
        }
        self.deleted.clear();
    }

    pub(super) fn delete(&mut self, path: &Path, and_sync: bool) {
        let file = self.files.remove(path);
        self.deleted.extend(file.map(|file| (path.to_owned(), file)));
        if and_sync {
            self.deleted.clear();
        }
    }

    /// Writes the files as they are after the cut. `arrives` says of each change and sector whether it was done.
    pub(super) fn restore(mut self, arrives: &mut dyn FnMut() -> bool) -> io::Result<()> {
        self.deleted.retain(|_, _| !arrives());
        let mut files: Vec<_> = self.files.into_iter().chain(self.deleted).collect();
        // In an order that is the same in each run.
        files.sort_by(|a, b| a.0.cmp(&b.0));
        for (path, File { mut synced, pending }) in files {
            pending.into_iter().for_each(|change| change.apply(&mut synced, arrives));
            std::fs::write(path, synced)?;
        }
        Ok(())
    }
}

impl Change {
    fn apply(self, image: &mut Vec<u8>, arrives: &mut dyn FnMut() -> bool) {
        match self {
            Change::Truncate { len } => {
                if arrives() {
                    image.resize(len, 0);
                }
            }
            Change::Write { offset, bytes } => {
                // Sectors are those of the disk, wherever the write begins.
                let first = SECTOR_LEN - offset % SECTOR_LEN;
                let mut at = 0;
                while at < bytes.len() {
                    let end = (if at == 0 { first } else { at + SECTOR_LEN }).min(bytes.len());
                    if arrives() {
                        let (from, to) = (offset + at, offset + end);
                        image.resize(image.len().max(to), 0);
                        image[from..to].copy_from_slice(&bytes[at..end]);
                    }
                    at = end;
                }
            }
        }
    }
}
