//! What the rows of workload FS work on: the same files inside Vellum, as plain files, and as one value each.

use std::cell::RefCell;
use std::fs;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::{self, Write};
#[cfg(not(unix))]
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use vellum::{Database, Options};
use vellum_fixtures::control::{Blobs, Durability};
use vellum_fixtures::events::SplitMix64;

use super::super::case::Answer;
use super::super::place::Place;
use crate::error::{Error, Result};

/// How many small files there are.
pub(super) const SMALL: usize = 200;
/// The bytes of a small file.
pub(super) const SMALL_LEN: usize = 32 << 10;
/// The bytes of the large file: 6.25 MiB.
pub(super) const LARGE_LEN: usize = 6_553_600;
/// How many names the long directory has.
pub(super) const NAMES: usize = 10_000;

/// The same files three times.
pub(super) struct Volume {
    // Fields are dropped in this order: the databases close before their files go.
    pub(super) db: Database,
    pub(super) blobs: RefCell<Blobs>,
    pub(super) plain: Plain,
    pub(super) place: Place,
}

impl Volume {
    /// Makes the files.
    pub(super) fn new(place: Place) -> Result<Self> {
        let durability = match place.durability() {
            Durability::Full => vellum::Durability::Full,
            Durability::Off => vellum::Durability::Memory,
        };
        let db = Options::new().durability(durability).open(place.documents())?;
        let blobs = Blobs::open(&place.control(), place.durability())?;
        let plain = Plain::new(place.fresh("plain"), place.durability())?;
        let volume = Self { db, blobs: RefCell::new(blobs), plain, place };
        volume.fill()?;
        Ok(volume)
    }

    fn fill(&self) -> Result<()> {
        self.db.transaction(|tx| {
            for number in 0..SMALL {
                tx.files().write(&path(number), bytes(SMALL_LEN, number as u64))?;
            }
            for number in 0..NAMES {
                tx.files().write(&format!("/names/{}", name(number)), "")?;
            }
            tx.files().write(LARGE, large())
        })?;
        for number in 0..SMALL {
            let small = bytes(SMALL_LEN, number as u64);
            self.plain.write(&path(number), &small)?;
            self.blobs.borrow().put(&path(number), &small)?;
        }
        for number in 0..NAMES {
            self.plain.write_unsynced(&format!("/names/{}", name(number)), b"")?;
        }
        self.restore_plain()?;
        self.restore_blobs()
    }

    /// Makes the large file what it was.
    pub(super) fn restore_vellum(&self) -> Result<()> {
        Ok(self.db.files().write(LARGE, large())?)
    }

    /// Makes the large plain file what it was.
    pub(super) fn restore_plain(&self) -> Result<()> {
        self.plain.write(LARGE, &large())
    }

    /// Makes the large value what it was.
    pub(super) fn restore_blobs(&self) -> Result<()> {
        Ok(self.blobs.borrow().put(LARGE, &large())?)
    }
}

/// The path of the large file.
pub(super) const LARGE: &str = "/large";

/// Returns the bytes of the large file.
pub(super) fn large() -> Vec<u8> {
    bytes(LARGE_LEN, 7)
}

/// Returns the path of a small file.
pub(super) fn path(number: usize) -> String {
    format!("/small/{number:03}")
}

/// Returns a name of the long directory.
pub(super) fn name(number: usize) -> String {
    format!("name-{number:05}")
}

/// Returns bytes that look random: splitmix64 from a seed.
pub(super) fn bytes(len: usize, seed: u64) -> Vec<u8> {
    let mut words = SplitMix64::new(seed);
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        bytes.extend_from_slice(&words.draw().to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// Returns the answer that bytes are.
pub(super) fn digest(bytes: &[u8]) -> Answer {
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(bytes);
    Answer::Bytes(bytes.len() as u64, hash)
}

/// Plain files below a directory, synced as the databases are.
pub(super) struct Plain {
    root: PathBuf,
    durability: Durability,
}

impl Plain {
    fn new(root: PathBuf, durability: Durability) -> Result<Self> {
        let plain = Self { root, durability };
        for dir in ["small", "names", "put"] {
            let path = plain.root.join(dir);
            fs::create_dir_all(&path).map_err(|source| Error::File { path, source })?;
        }
        Ok(plain)
    }

    /// Returns where a path inside the volume lies on the disk.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// Does something to a file, whose error names it.
    pub(super) fn with<T>(&self, path: &str, f: impl FnOnce(&Path) -> io::Result<T>) -> Result<T> {
        let path = self.path(path);
        f(&path).map_err(|source| Error::File { path, source })
    }

    /// Writes a whole file, and syncs it where the databases sync.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.with(path, |path| {
            let mut file = fs::File::create(path)?;
            file.write_all(bytes)?;
            self.sync(&file)
        })
    }

    fn write_unsynced(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.with(path, |path| fs::write(path, bytes))
    }

    /// Reads a whole file.
    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>> {
        self.with(path, |path| fs::read(path))
    }

    /// Opens a file for reading and writing.
    pub(super) fn open(&self, path: &str) -> Result<fs::File> {
        self.with(path, |path| fs::File::options().read(true).write(true).open(path))
    }

    /// Waits for the disk where the databases do.
    pub(super) fn sync(&self, file: &fs::File) -> io::Result<()> {
        match self.durability {
            Durability::Full => file.sync_data(),
            Durability::Off => Ok(()),
        }
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        // Nobody can be told any more.
        fs::remove_dir_all(&self.root).ok();
    }
}

/// Reads at an offset, by one system call where there is one.
pub(super) fn read_at(file: &mut fs::File, offset: u64, out: &mut [u8]) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, out, offset);
    #[cfg(not(unix))]
    {
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(out)
    }
}

/// Writes at an offset, by one system call where there is one.
pub(super) fn write_at(file: &mut fs::File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, bytes, offset);
    #[cfg(not(unix))]
    {
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)
    }
}
