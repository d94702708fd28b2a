//! What listings and `stat` say of files and directories.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::Embed;
use crate::fs::{self, Kind};

/// Whether something is a file or a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Embed, Serialize, Deserialize)]
#[document(crate = "crate")]
pub enum FileKind {
    /// A file.
    File,
    /// A directory.
    Directory,
}

impl From<Kind> for FileKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::File => FileKind::File,
            Kind::Directory => FileKind::Directory,
        }
    }
}

/// What [`Files::stat`](crate::Files::stat) says of a file or a directory.
///
/// ```
/// # use vellum::Database;
/// # fn main() -> vellum::Result<()> {
/// let files = Database::open_in_memory()?.files();
/// files.write("/a", "bytes")?;
/// let stat = files.stat("/a")?;
/// assert_eq!((stat.length, stat.allocated), (5, 5));
/// assert!(stat.created <= stat.modified);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileStat {
    /// A file or a directory.
    pub kind: FileKind,
    /// How many bytes can be read; 0 for a directory.
    pub length: u64,
    /// How many bytes are stored: holes take none.
    pub allocated: u64,
    /// When it was made.
    pub created: SystemTime,
    /// When its bytes or its length changed last; of a directory, the names in it.
    pub modified: SystemTime,
}

impl FileStat {
    pub(super) fn new(entry: &fs::Entry) -> Self {
        FileStat {
            kind: entry.kind.into(),
            length: entry.len,
            allocated: entry.allocated,
            created: time(entry.created),
            modified: time(entry.modified),
        }
    }
}

/// A file or a directory in a listing.
///
/// ```
/// # use vellum::{Database, FileKind};
/// # fn main() -> vellum::Result<()> {
/// let files = Database::open_in_memory()?.files();
/// files.write("/a/b.txt", "bytes")?;
/// let entry = &files.list("/a").to_vec()?[0];
/// assert_eq!((entry.path.as_str(), entry.name()), ("/a/b.txt", "b.txt"));
/// assert_eq!((entry.kind, entry.length), (FileKind::File, 5));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DirEntry {
    /// The path, from the root on.
    pub path: String,
    /// A file or a directory.
    pub kind: FileKind,
    /// How many bytes can be read; 0 for a directory.
    pub length: u64,
    /// When it was made.
    pub created: SystemTime,
    /// When its bytes or its length changed last; of a directory, the names in it.
    pub modified: SystemTime,
}

impl DirEntry {
    pub(super) fn new(entry: &fs::Entry, path: String) -> Self {
        DirEntry {
            path,
            kind: entry.kind.into(),
            length: entry.len,
            created: time(entry.created),
            modified: time(entry.modified),
        }
    }

    /// Returns the last name of the path.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.create_dir("/a/b")?;
    /// assert_eq!(files.list("/a").to_vec()?[0].name(), "b");
    /// # Ok(())
    /// # }
    /// ```
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// What [`Files::usage`](crate::Files::usage) says of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeUsage {
    /// How many files there are.
    pub files: u64,
    /// How many directories are inside.
    pub directories: u64,
    /// How many bytes the files have together.
    pub length: u64,
    /// How many of them are stored: holes take none.
    pub allocated: u64,
}

impl From<fs::Usage> for TreeUsage {
    fn from(usage: fs::Usage) -> Self {
        let fs::Usage { files, directories, len, allocated } = usage;
        TreeUsage { files, directories, length: len, allocated }
    }
}

/// Something that [`Files::check`](crate::Files::check) found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileProblem {
    /// The path, or what stands for one where there is none.
    pub place: String,
    /// What is wrong.
    pub what: String,
}

impl From<fs::Problem> for FileProblem {
    fn from(fs::Problem { place, what }: fs::Problem) -> Self {
        FileProblem { place, what }
    }
}

impl std::fmt::Display for FileProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Returns a stored time.
fn time(nanoseconds: i64) -> SystemTime {
    let since = Duration::from_nanos(nanoseconds.unsigned_abs());
    let time = if nanoseconds < 0 { UNIX_EPOCH.checked_sub(since) } else { UNIX_EPOCH.checked_add(since) };
    time.unwrap_or(UNIX_EPOCH)
}

/// Returns a time as it is stored.
pub(super) fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |since| -since),
    }
}
