//! The public face of files: paths, handles, listings.
//!
//! Every call is one moment to read, or one transaction to write; on a transaction's files it is a part that is taken
//! back alone when it fails.

mod disk;
mod entry;
mod export;
mod file;
mod file_mut;
mod import;
mod listing;
mod meta;
mod transfer;
mod write;

use std::path::Path;
use std::sync::atomic::Ordering;

use crate::api::collection::SessionRef;
use crate::error::Result;
use crate::fs::{self, Editor, FsError, FsPath, Layout, Over};
use crate::store::Conn;

pub use entry::{DirEntry, FileKind, FileProblem, FileStat, TreeUsage};
pub use file::File;
pub use file_mut::FileMut;
pub use listing::{FileOrder, Listing};
pub use meta::FileEntry;
pub use transfer::{SkipReason, Skipped, Transfer, TransferProgress, TransferReport};

/// The files and directories of a database, a transaction or a snapshot. Cheap to clone.
///
/// A path is the names from the root, each after a `/`: any UTF-8 but `/` and NUL, up to 255 bytes a name and 4,096 a
/// path, compared by bytes. `.` and `..` are refused, never resolved. A file can have 8 TiB. What was never written
/// reads as zeros and takes no space.
///
/// ```
/// # use vellum::Database;
/// # fn main() -> vellum::Result<()> {
/// let db = Database::open_in_memory()?;
/// let files = db.files();
/// files.write("/reports/2026.txt", "profit: 41\n")?;
/// files.write_at("/reports/2026.txt", 8, "42")?; // in place, nothing else is written
/// assert_eq!(files.read("/reports/2026.txt")?, b"profit: 42\n");
///
/// files.rename("/reports", "/archive")?;
/// let names: Vec<String> = files.list("/archive").to_vec()?.into_iter().map(|entry| entry.path).collect();
/// assert_eq!(names, ["/archive/2026.txt"]);
///
/// db.transaction(|tx| {
///     tx.files().set_len("/archive/2026.txt", 6)?;
///     tx.files().append("/archive/2026.txt", "?")
/// })?;
/// assert_eq!(files.read("/archive/2026.txt")?, b"profit?");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Files<'s> {
    session: SessionRef<'s>,
}

impl<'s> Files<'s> {
    pub(crate) fn new(session: SessionRef<'s>) -> Self {
        Files { session }
    }

    /// Returns all the bytes of a file.
    ///
    /// # Errors
    /// `NotFound`; `TypeMismatch` for a directory; `InvalidQuery` for what is no path; `TooLarge` for more bytes than
    /// memory has room for: [`Files::open`] reads them in parts. `Corrupt` when the file was sealed and its bytes are
    /// others.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "some bytes")?;
    /// assert_eq!(files.read("/a")?, b"some bytes");
    /// assert_eq!(files.read("/b").unwrap_err().to_string(), "`/b` does not exist");
    /// # Ok(())
    /// # }
    /// ```
    pub fn read(&self, path: &str) -> Result<Vec<u8>> {
        let path = FsPath::parse(path)?;
        self.look(|conn, layout| {
            let entry = file(conn, path)?;
            let mut bytes = zeros(entry.len)
                .ok_or_else(|| FsError::NoMemory { path: path.to_string().into(), length: entry.len })?;
            let count = fs::read_known(conn, layout, &entry, 0, &mut bytes)?;
            bytes.truncate(count);
            if fs::agrees(&entry, &bytes) { Ok(bytes) } else { Err(fs::damaged(&path.to_string())) }
        })
    }

    /// Reads bytes at an offset and returns how many there were: fewer than `out` has room for only at the end of the
    /// file, 0 past it.
    ///
    /// # Errors
    /// As [`Files::read`].
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "some bytes")?;
    /// let mut out = [0; 8];
    /// assert_eq!(files.read_at("/a", 5, &mut out)?, 5);
    /// assert_eq!(&out[..5], b"bytes");
    /// assert_eq!(files.read_at("/a", u64::MAX, &mut out)?, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn read_at(&self, path: &str, offset: u64, out: &mut [u8]) -> Result<usize> {
        let path = FsPath::parse(path)?;
        self.look(|conn, layout| fs::read_known(conn, layout, &file(conn, path)?, offset, out))
    }

    /// Returns whether there is a file or a directory with that path.
    ///
    /// # Errors
    /// `InvalidQuery` for what is no path; the store's own.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a/b", "")?;
    /// assert_eq!((files.exists("/a")?, files.exists("/a/b")?, files.exists("/b")?), (true, true, false));
    /// # Ok(())
    /// # }
    /// ```
    pub fn exists(&self, path: &str) -> Result<bool> {
        let path = FsPath::parse(path)?;
        self.look(|conn, _| match fs::find(conn, path) {
            Err(FsError::NotADirectory { .. }) => Ok(false),
            found => Ok(found?.is_some()),
        })
    }

    /// Returns what is known of a file or a directory.
    ///
    /// # Errors
    /// `NotFound`; `InvalidQuery` for what is no path.
    ///
    /// ```
    /// # use vellum::{Database, FileKind};
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write_at("/sparse", 1 << 30, "x")?;
    /// let stat = files.stat("/sparse")?;
    /// assert_eq!((stat.kind, stat.length), (FileKind::File, (1 << 30) + 1));
    /// assert!(stat.allocated < 10_000);
    /// # Ok(())
    /// # }
    /// ```
    pub fn stat(&self, path: &str) -> Result<FileStat> {
        let path = FsPath::parse(path)?;
        self.look(|conn, _| Ok(FileStat::new(&fs::get(conn, path)?)))
    }

    /// Returns what a listing says of a file or a directory: all that [`Files::stat`] says, but for the bytes that are
    /// stored, which it need not count.
    ///
    /// # Errors
    /// As [`Files::stat`].
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a/b", "bytes")?;
    /// let entry = files.entry("a/b")?;
    /// assert_eq!((entry.path.as_str(), entry.length), ("/a/b", 5));
    /// # Ok(())
    /// # }
    /// ```
    pub fn entry(&self, path: &str) -> Result<DirEntry> {
        let path = FsPath::parse(path)?;
        self.look(|conn, _| Ok(DirEntry::new(&fs::get(conn, path)?, path.to_string())))
    }

    /// Opens a file for reading: [`std::io::Read`], [`std::io::BufRead`], [`std::io::Seek`] and positioned reads.
    ///
    /// # Errors
    /// As [`Files::read`].
    ///
    /// ```
    /// # use vellum::Database;
    /// use std::io::BufRead;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let db = Database::open_in_memory()?;
    /// db.files().write("/poem", "roses\nviolets\n")?;
    /// let lines: Vec<String> = db.files().open("/poem")?.lines().collect::<Result<_, _>>()?;
    /// assert_eq!(lines, ["roses", "violets"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn open(&self, path: &str) -> Result<File<'s>> {
        let parsed = FsPath::parse(path)?;
        let (entry, layout) = self.look(|conn, layout| Ok((file(conn, parsed)?, layout)))?;
        Ok(File::new(self.session.clone(), layout, entry, parsed.to_string().into()))
    }

    /// Opens a file that is there for reading and writing.
    ///
    /// # Errors
    /// As [`Files::read`].
    ///
    /// ```
    /// # use vellum::Database;
    /// use std::io::{Seek, SeekFrom, Write};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let db = Database::open_in_memory()?;
    /// db.files().write("/log", "begin\n")?;
    /// let mut log = db.files().edit("/log")?;
    /// log.seek(SeekFrom::End(0))?;
    /// writeln!(log, "end")?;
    /// log.flush()?;
    /// assert_eq!(db.files().read("/log")?, b"begin\nend\n");
    /// # Ok(())
    /// # }
    /// ```
    pub fn edit(&self, path: &str) -> Result<FileMut<'s>> {
        let parsed = FsPath::parse(path)?;
        let (entry, layout) = self.look(|conn, layout| Ok((file(conn, parsed)?, layout)))?;
        Ok(FileMut::new(self.session.clone(), layout, &entry, parsed.to_string().into()))
    }

    /// Makes an empty file, with its parents, and opens it for reading and writing.
    ///
    /// # Errors
    /// `AlreadyExists` when something has that path; `TypeMismatch` when a parent is a file.
    ///
    /// ```
    /// # use vellum::{Database, ErrorKind};
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// db.files().create("/a/b")?.write_at(0, "new")?;
    /// assert_eq!(db.files().create("/a/b").unwrap_err().kind(), ErrorKind::AlreadyExists);
    /// # Ok(())
    /// # }
    /// ```
    pub fn create(&self, path: &str) -> Result<FileMut<'s>> {
        self.open_with(path, |editor, path| editor.new_file(path))
    }

    /// Opens a file for reading and writing, made with its parents when it is missing.
    ///
    /// # Errors
    /// `TypeMismatch` when the path is that of a directory, or a parent is a file.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// db.files().open_or_create("/a")?.write_at(0, "one")?;
    /// db.files().open_or_create("/a")?.write_at(3, "two")?;
    /// assert_eq!(db.files().read("/a")?, b"onetwo");
    /// # Ok(())
    /// # }
    /// ```
    pub fn open_or_create(&self, path: &str) -> Result<FileMut<'s>> {
        self.open_with(path, |editor, path| editor.file_or_new(path))
    }

    fn open_with(
        &self,
        path: &str,
        open: impl FnOnce(&Editor<'_>, FsPath<'_>) -> Result<fs::Entry, FsError>,
    ) -> Result<FileMut<'s>> {
        let parsed = FsPath::parse(path)?;
        let (entry, layout) = self.change(|editor| Ok((open(editor, parsed)?, editor.layout())))?;
        Ok(FileMut::new(self.session.clone(), layout, &entry, parsed.to_string().into()))
    }

    /// Makes a directory, with its parents; one that is there is left as it is.
    ///
    /// # Errors
    /// `TypeMismatch` when the path, or that of a parent, is a file's.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.create_dir("/photos/2026")?;
    /// files.create_dir("/photos")?;
    /// assert_eq!(files.list("/photos").count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_dir(&self, path: &str) -> Result<()> {
        let path = FsPath::parse(path)?;
        self.change(|editor| editor.directory_or_new(path).map(drop))
    }

    /// Returns what a directory holds, to be sorted, filtered and paged.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// for path in ["/b", "/a/long.txt", "/a/x.png"] {
    ///     files.write(path, path)?;
    /// }
    /// let pictures = files.list("/").recursive().glob("**/*.png").to_vec()?;
    /// assert_eq!(pictures[0].path, "/a/x.png");
    /// # Ok(())
    /// # }
    /// ```
    pub fn list(&self, path: &str) -> Listing<'s> {
        Listing::new(self.clone(), path)
    }

    /// Moves or renames a file or a directory with all that is inside, by one row. Parents that are missing are made.
    /// What is inside is not looked at: where that has paths of more than 4,096 bytes then, it is listed, copied and
    /// deleted with its tree, and reached by a path when the tree is moved back.
    ///
    /// # Errors
    /// `NotFound`; `AlreadyExists` when something has the new path; `InvalidQuery` for a directory into itself, and for
    /// the root; `TypeMismatch` when a parent is a file.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a/apple", "red")?;
    /// files.rename("/a", "/z")?;
    /// assert_eq!(files.read("/z/apple")?, b"red");
    /// assert!(files.rename("/z", "/z/inside").is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn rename(&self, from: &str, to: &str) -> Result<()> {
        let (from, to) = (FsPath::parse(from)?, FsPath::parse(to)?);
        self.change(|editor| editor.rename(from, to, Over::Nothing))
    }

    /// As [`Files::rename`], but a file takes the place of a file, and a directory that of an empty one.
    ///
    /// # Errors
    /// `NotFound`; `AlreadyExists` for a directory that is not empty; `TypeMismatch` for a file in place of a directory,
    /// or the other way round.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/draft", "new")?;
    /// files.write("/final", "old")?;
    /// files.rename_over("/draft", "/final")?;
    /// assert_eq!((files.read("/final")?, files.exists("/draft")?), (b"new".to_vec(), false));
    /// # Ok(())
    /// # }
    /// ```
    pub fn rename_over(&self, from: &str, to: &str) -> Result<()> {
        let (from, to) = (FsPath::parse(from)?, FsPath::parse(to)?);
        self.change(|editor| editor.rename(from, to, Over::Alike))
    }

    /// Copies a file, or a directory with all that is inside, without its bytes leaving the database.
    ///
    /// # Errors
    /// As [`Files::rename`].
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a/b/c", "deep")?;
    /// files.copy("/a", "/copies/a")?;
    /// assert_eq!(files.read("/copies/a/b/c")?, b"deep");
    /// # Ok(())
    /// # }
    /// ```
    pub fn copy(&self, from: &str, to: &str) -> Result<()> {
        let (from, to) = (FsPath::parse(from)?, FsPath::parse(to)?);
        self.change(|editor| editor.copy(from, to, Over::Nothing))
    }

    /// As [`Files::copy`], but a file takes the place of a file, and a directory that of an empty one.
    ///
    /// # Errors
    /// As [`Files::rename_over`].
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "new")?;
    /// files.write("/b", "old")?;
    /// files.copy_over("/a", "/b")?;
    /// assert_eq!(files.read("/b")?, b"new");
    /// # Ok(())
    /// # }
    /// ```
    pub fn copy_over(&self, from: &str, to: &str) -> Result<()> {
        let (from, to) = (FsPath::parse(from)?, FsPath::parse(to)?);
        self.change(|editor| editor.copy(from, to, Over::Alike))
    }

    /// Deletes a file or an empty directory; returns whether it was there.
    ///
    /// # Errors
    /// `AlreadyExists` for a directory that is not empty: [`Files::delete_all`] deletes it. `InvalidQuery` for the root;
    /// `TypeMismatch` when a parent is a file.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "bytes")?;
    /// assert_eq!((files.delete("/a")?, files.delete("/a")?), (true, false));
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete(&self, path: &str) -> Result<bool> {
        let path = FsPath::parse(path)?;
        self.change(|editor| editor.delete(path))
    }

    /// Deletes a file, or a directory with all that is inside; returns how many entries that were, 0 when it was not
    /// there.
    ///
    /// # Errors
    /// `InvalidQuery` for the root; `TypeMismatch` when a parent is a file.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a/b/c", "bytes")?;
    /// assert_eq!(files.delete_all("/a")?, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_all(&self, path: &str) -> Result<u64> {
        let path = FsPath::parse(path)?;
        self.change(|editor| editor.delete_all(path))
    }

    /// Returns what a file, or a directory with all that is inside, holds.
    ///
    /// # Errors
    /// `NotFound`.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a/b", "12345")?;
    /// files.set_len("/a/b", 1_000_000)?;
    /// let usage = files.usage("/")?;
    /// assert_eq!((usage.files, usage.directories, usage.length, usage.allocated), (1, 1, 1_000_000, 5));
    /// # Ok(())
    /// # }
    /// ```
    pub fn usage(&self, path: &str) -> Result<TreeUsage> {
        let path = FsPath::parse(path)?;
        self.look(|conn, _| Ok(fs::usage(conn, path)?.into()))
    }

    /// Copies a file or a tree from the disk to a path, with its parents; a directory that is there takes it in. Holes and
    /// times are kept. [`Transfer::run`] does it.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::env::temp_dir().join(format!("vellum-import-{}.txt", std::process::id()));
    /// std::fs::write(&path, "some bytes")?;
    /// let files = Database::open_in_memory()?.files();
    /// files.import(&path, "/texts/a").run()?;
    /// assert_eq!(files.read("/texts/a")?, b"some bytes");
    /// assert_eq!(files.stat("/texts/a")?.modified, std::fs::metadata(&path)?.modified()?);
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn import(&self, from: impl AsRef<Path>, to: &str) -> Transfer<'s> {
        Transfer::import(self.clone(), from.as_ref(), to)
    }

    /// Copies a file or a tree to the disk, with its parents; a directory that is there takes it in. Holes are kept, and
    /// the times of the last change. All of it is of one moment, for which a snapshot is held. [`Transfer::run`] does it.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let dir = std::env::temp_dir().join(format!("vellum-export-{}", std::process::id()));
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/texts/a", "some bytes")?;
    /// files.export("/texts", &dir).run()?;
    /// assert_eq!(std::fs::read(dir.join("a"))?, b"some bytes");
    /// # std::fs::remove_dir_all(&dir)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn export(&self, from: &str, to: impl AsRef<Path>) -> Transfer<'s> {
        Transfer::export(self.clone(), from, to.as_ref())
    }

    /// Stores a hash of a file's bytes beside its name, and returns it: XXH3 with 128 bits, of which a hole is zeros. Until
    /// the bytes change, [`Files::read`] and [`Files::check`] find a byte that was flipped on the disk; a change in place or
    /// a replacement takes the hash away. Every byte is read.
    ///
    /// # Errors
    /// `NotFound`; `TypeMismatch` for a directory; `Corrupt` when the file is sealed and its bytes are others.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/contract", "signed")?;
    /// let seal = files.seal("/contract")?;
    /// assert_eq!(files.seal("/contract")?, seal);
    /// assert_eq!(files.read("/contract")?, b"signed");
    /// # Ok(())
    /// # }
    /// ```
    pub fn seal(&self, path: &str) -> Result<u128> {
        let path = FsPath::parse(path)?;
        self.change(|editor| editor.seal(path))
    }

    /// Returns what is wrong with the files: nothing in a sound database. Reads every entry and every chunk.
    ///
    /// # Errors
    /// Those of a read.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "bytes")?;
    /// assert!(files.check()?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn check(&self) -> Result<Vec<FileProblem>> {
        self.look(|conn, layout| Ok(fs::check(conn, layout)?.into_iter().map(FileProblem::from).collect()))
    }

    /// Reads at one moment.
    fn look<O>(&self, f: impl FnOnce(&Conn, Layout) -> Result<O, FsError>) -> Result<O> {
        let layout = self.session.layout()?;
        self.session.at_one_moment(|conn| Ok(f(conn, layout)?))
    }

    /// Writes in one transaction.
    fn change<O>(&self, f: impl FnOnce(&Editor<'_>) -> Result<O, FsError>) -> Result<O> {
        let layout = self.session.layout()?;
        let shared = &self.session.shared;
        self.session.write_all(|write| {
            let editor = Editor::new(write, layout);
            if !shared.has_swept.load(Ordering::Relaxed) {
                editor.discard_abandoned()?;
                shared.has_swept.store(true, Ordering::Relaxed);
            }
            Ok(f(&editor)?)
        })
    }
}

/// Returns that many zeros, where memory has room for them.
fn zeros(len: u64) -> Option<Vec<u8>> {
    let len = usize::try_from(len).ok()?;
    // `vec!` gets its zeros from the system for nothing, but ends the process where it gets none.
    Vec::<u8>::new().try_reserve_exact(len).ok()?;
    Some(vec![0; len])
}

/// Returns the file of a path.
fn file(conn: &Conn, path: FsPath<'_>) -> Result<fs::Entry, FsError> {
    fs::get(conn, path)?.file(path)
}
