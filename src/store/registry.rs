//! The engines of this process, by file: who opens a file that is open gets the engine that is there.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use super::engine::{Engine, has_log, lock};
use super::error::StoreError;
use super::ids::Burned;
use super::options::{Durability, Options};
use super::queue::Queue;

/// A slot outlives its engine until somebody opens a file.
static SLOTS: Mutex<Option<HashMap<Key, Arc<OpenSlot>>>> = Mutex::new(None);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    file: FileId,
    read_only: bool,
    durability: Durability,
}

/// The place of one file's engine.
pub(super) struct OpenSlot {
    /// The file, as the system names it.
    pub(super) path: PathBuf,
    pub(super) shared: Arc<Shared>,
    pub(super) engine: Mutex<Weak<Engine>>,
}

/// What the engines of one file share.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) queue: Queue,
    pub(super) burned: Burned,
}

/// What every SQLite file begins with takes that many bytes.
const SQLITE_HEADER_LEN: u64 = 100;

/// Returns the slot of a file, which is there afterwards.
pub(super) fn slot(path: &Path, options: &Options) -> Result<Arc<OpenSlot>, StoreError> {
    let failed = |error| StoreError::io(path, error);
    // Held while a missing file is made: closing it must not drop the locks of an engine on it.
    let mut slots = lock(&SLOTS);
    if !path.try_exists().map_err(failed)? {
        if options.read_only {
            return Err(StoreError::NotFound { path: path.into() });
        }
        create_file(path).map_err(failed)?;
    }
    let real = fs::canonicalize(path).map_err(failed)?;
    // SQLite takes a file of a byte or two for an empty one, and would write over it. One that was cut off when it was
    // made has a journal, by which it becomes empty again.
    if (1..SQLITE_HEADER_LEN).contains(&fs::metadata(&real).map_err(failed)?.len()) && !has_log(&real) {
        return Err(StoreError::NotADatabase { path: real.into(), source: None });
    }
    let key = Key {
        file: FileId::of(&real).map_err(failed)?,
        read_only: options.read_only,
        durability: options.durability,
    };
    let slots = slots.get_or_insert_default();
    slots.retain(|_, slot| Arc::strong_count(slot) > 1 || lock(&slot.engine).strong_count() > 0);
    let same_file = slots.iter().find(|(other, _)| other.file == key.file);
    let shared = same_file.map_or_else(Arc::default, |(_, slot)| Arc::clone(&slot.shared));
    let fresh = || Arc::new(OpenSlot { path: real, shared, engine: Mutex::default() });
    Ok(Arc::clone(slots.entry(key).or_insert_with(fresh)))
}

/// Makes an empty file, which SQLite takes for a new database. Another process may be first.
pub(super) fn create_file(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(unix)]
#[derive(Clone, PartialEq, Eq, Hash)]
struct FileId(u64, u64);

#[cfg(unix)]
impl FileId {
    fn of(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let file = fs::metadata(path)?;
        Ok(Self(file.dev(), file.ino()))
    }
}

#[cfg(not(unix))]
#[derive(Clone, PartialEq, Eq, Hash)]
struct FileId(PathBuf);

#[cfg(not(unix))]
impl FileId {
    fn of(path: &Path) -> io::Result<Self> {
        Ok(Self(path.into()))
    }
}
