//! Writing the bytes of files by their paths.

use std::io::{self, Read};
use std::time::SystemTime;

use crate::api::files::Files;
use crate::api::files::entry::nanoseconds;
use crate::error::Result;
use crate::fs::{self, Editor, FsError, FsPath, Staged};

/// How many bytes of a source are read before they are written.
const PART_LEN: usize = 2 << 20;

impl Files<'_> {
    /// Writes a whole file, made with its parents when it is missing: all the bytes or, when that fails, those that it
    /// had. [`Files::write_from`] takes a source that is read as it is written.
    ///
    /// # Errors
    /// `TypeMismatch` when the path is that of a directory, or a parent is a file; `InvalidQuery` for what is no path.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a/b", "longer than the next")?;
    /// files.write("/a/b", [1, 2, 3])?;
    /// assert_eq!(files.read("/a/b")?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> Result<()> {
        let path = FsPath::parse(path)?;
        let bytes = bytes.as_ref();
        self.change(|editor| editor.replace(&mut editor.file_or_new(path)?, &path.to_string(), bytes))
    }

    /// Writes a whole file from a source and returns how many bytes it gave. They are staged beside those that the file
    /// had, in parts of 2 MiB, and take their place at the end: other writers go on meanwhile, and a source that fails
    /// changes nothing. On a transaction's files the source is read inside the transaction.
    ///
    /// # Errors
    /// As [`Files::write`]; `Io` when the source fails; `Changed` when what was staged was taken for abandoned.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// let source = std::io::Read::take(std::io::repeat(7), 10_000_000); // a file, a socket, ..
    /// assert_eq!(files.write_from("/sevens", source)?, 10_000_000);
    /// assert_eq!(files.stat("/sevens")?.length, 10_000_000);
    /// # Ok(())
    /// # }
    /// ```
    pub fn write_from(&self, path: &str, mut source: impl Read) -> Result<u64> {
        let path = FsPath::parse(path)?;
        // What cannot be written is not read.
        self.look(|conn, _| fs::find(conn, path)?.map(|entry| entry.file(path)).transpose())?;
        self.store(path, &mut source, |editor| editor.file_or_new(path))
    }

    /// As [`Files::write_from`], but makes a file that is not there: of two calls at once, one is refused.
    ///
    /// # Errors
    /// `AlreadyExists` when something has that path, before the source is read or at its end; as [`Files::write_from`].
    ///
    /// ```
    /// # use vellum::{Database, ErrorKind};
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// assert_eq!(files.create_from("/a", &b"first"[..])?, 5);
    /// assert_eq!(files.create_from("/a", &b"late"[..]).unwrap_err().kind(), ErrorKind::AlreadyExists);
    /// assert_eq!(files.read("/a")?, b"first");
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_from(&self, path: &str, mut source: impl Read) -> Result<u64> {
        let path = FsPath::parse(path)?;
        if self.look(|conn, _| fs::find(conn, path))?.is_some() {
            return Err(FsError::AlreadyExists { path: path.to_string().into() }.into());
        }
        self.store(path, &mut source, |editor| editor.new_file(path))
    }

    /// Stores a source as the bytes of the file that `file` gives once it has been read.
    fn store(
        &self,
        path: FsPath<'_>,
        source: &mut dyn Read,
        file: impl Fn(&Editor<'_>) -> Result<fs::Entry, FsError>,
    ) -> Result<u64> {
        let shown = path.to_string();
        if self.session.is_transaction() {
            return self.change(|editor| {
                let staged = stage_inside(editor, path, source)?;
                editor.swap(&mut file(editor)?, &shown, staged)?;
                Ok(staged.len)
            });
        }
        let mut part = Vec::new();
        let mut is_full = fill(&mut part, source, path)?;
        if !is_full {
            self.change(|editor| editor.replace(&mut file(editor)?, &shown, &part))?;
            return Ok(part.len() as u64);
        }
        let mut staging = Staging::begin(self)?;
        staging.change(|editor, staged| editor.append_staged(staged, &shown, &part))?;
        while is_full {
            is_full = fill(&mut part, source, path)?;
            staging.change(|editor, staged| editor.append_staged(staged, &shown, &part))?;
        }
        staging.finish(|editor, staged| editor.swap(&mut file(editor)?, &shown, staged))
    }

    /// Writes bytes at an offset, in place. A file that is missing is made with its parents; a gap before the offset
    /// reads as zeros and takes no space.
    ///
    /// # Errors
    /// As [`Files::write`]; `TooLarge` for a file of more than 8 TiB.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write_at("/a", 3, "def")?;
    /// assert_eq!(files.read("/a")?, b"\0\0\0def");
    /// files.write_at("/a", 0, "abc")?;
    /// assert_eq!(files.read("/a")?, b"abcdef");
    /// # Ok(())
    /// # }
    /// ```
    pub fn write_at(&self, path: &str, offset: u64, bytes: impl AsRef<[u8]>) -> Result<()> {
        let path = FsPath::parse(path)?;
        let bytes = bytes.as_ref();
        self.change(|editor| {
            editor.write_at(&mut editor.file_or_new(path)?, &path.to_string(), offset, bytes)
        })
    }

    /// Writes bytes behind the last one, and returns the length that the file has then. A file that is missing is made
    /// with its parents.
    ///
    /// # Errors
    /// As [`Files::write_at`].
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// assert_eq!((files.append("/log", "one\n")?, files.append("/log", "two\n")?), (4, 8));
    /// # Ok(())
    /// # }
    /// ```
    pub fn append(&self, path: &str, bytes: impl AsRef<[u8]>) -> Result<u64> {
        let path = FsPath::parse(path)?;
        let bytes = bytes.as_ref();
        self.change(|editor| {
            let mut entry = editor.file_or_new(path)?;
            let end = entry.len;
            editor.write_at(&mut entry, &path.to_string(), end, bytes)?;
            Ok(entry.len)
        })
    }

    /// Makes a file as long as that: what is cut off is gone, what is added reads as zeros and takes no space.
    ///
    /// # Errors
    /// `NotFound`; `TypeMismatch` for a directory; `TooLarge` for a file of more than 8 TiB.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "secret")?;
    /// files.set_len("/a", 2)?;
    /// files.set_len("/a", 4)?;
    /// assert_eq!(files.read("/a")?, b"se\0\0");
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_len(&self, path: &str, length: u64) -> Result<()> {
        let path = FsPath::parse(path)?;
        self.change(|editor| editor.set_len(&mut editor.file(path)?, &path.to_string(), length))
    }

    /// Makes a range read as zeros and gives its space back. The length of the file stays; what lies past its end is
    /// not looked at.
    ///
    /// # Errors
    /// `NotFound`; `TypeMismatch` for a directory.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "abcdef")?;
    /// files.punch_hole("/a", 2, 2)?;
    /// assert_eq!(files.read("/a")?, b"ab\0\0ef");
    /// # Ok(())
    /// # }
    /// ```
    pub fn punch_hole(&self, path: &str, offset: u64, length: u64) -> Result<()> {
        let path = FsPath::parse(path)?;
        self.change(|editor| editor.punch(&mut editor.file(path)?, offset, length))
    }

    /// Sets when a file or directory was made, and when it changed last. `None` leaves a time as it is; times outside of
    /// the years 1678 to 2261 are set to the nearest that can be stored.
    ///
    /// # Errors
    /// `NotFound`; `InvalidQuery` for what is no path.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// use std::time::{Duration, SystemTime};
    ///
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "bytes")?;
    /// let moon = SystemTime::UNIX_EPOCH - Duration::from_secs(14_182_940);
    /// files.set_times("/a", None, Some(moon))?;
    /// assert_eq!(files.stat("/a")?.modified, moon);
    /// assert!(files.stat("/a")?.created > moon);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_times(
        &self,
        path: &str,
        created: Option<SystemTime>,
        modified: Option<SystemTime>,
    ) -> Result<()> {
        let path = FsPath::parse(path)?;
        self.change(|editor| {
            editor.set_times(&editor.entry(path)?, created.map(nanoseconds), modified.map(nanoseconds))
        })
    }

    /// Copies a range of bytes to a place in another file, which is made with its parents when it is missing, or in the
    /// same one, as if the range were read first. Returns how many bytes there were to copy.
    ///
    /// # Errors
    /// `NotFound`; as [`Files::write_at`].
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "abcdef")?;
    /// assert_eq!(files.copy_range(("/a", 0), ("/a", 2), 4)?, 4);
    /// assert_eq!(files.read("/a")?, b"ababcd");
    /// # Ok(())
    /// # }
    /// ```
    pub fn copy_range(&self, from: (&str, u64), to: (&str, u64), length: u64) -> Result<u64> {
        let (source, target) = (FsPath::parse(from.0)?, FsPath::parse(to.0)?);
        self.change(|editor| {
            let source = editor.file(source)?;
            let mut entry = editor.file_or_new(target)?;
            editor.copy_range((&source, from.1), (&mut entry, &target.to_string(), to.1), length)
        })
    }
}

/// Reads a source inside the caller's transaction.
fn stage_inside(editor: &Editor<'_>, path: FsPath<'_>, source: &mut dyn Read) -> Result<Staged, FsError> {
    let shown = path.to_string();
    let mut staged = editor.stage()?;
    let mut part = Vec::new();
    let mut is_full = true;
    while is_full {
        is_full = fill(&mut part, source, path)?;
        editor.append_staged(&mut staged, &shown, &part)?;
    }
    Ok(staged)
}

/// Fills a part from a source; returns whether it is full, so that more may come.
fn fill(part: &mut Vec<u8>, source: &mut dyn Read, path: FsPath<'_>) -> Result<bool, FsError> {
    part.clear();
    match source.take(PART_LEN as u64).read_to_end(part) {
        Ok(count) => Ok(count == PART_LEN),
        Err(source) => Err(FsError::Source { path: path.to_string().into(), source }),
    }
}

/// What is staged by a call, freed when the call fails.
pub(super) struct Staging<'f, 's> {
    files: &'f Files<'s>,
    staged: Option<Staged>,
}

impl<'f, 's> Staging<'f, 's> {
    pub(super) fn begin(files: &'f Files<'s>) -> Result<Self> {
        let staged = files.change(|editor| {
            editor.discard_abandoned()?;
            editor.stage()
        })?;
        Ok(Staging { files, staged: Some(staged) })
    }

    /// Changes what is staged, in one transaction.
    pub(super) fn change(
        &mut self,
        f: impl FnOnce(&Editor<'_>, &mut Staged) -> Result<(), FsError>,
    ) -> Result<()> {
        let Some(mut staged) = self.staged else { return Ok(()) };
        self.files.change(|editor| f(editor, &mut staged))?;
        self.staged = Some(staged);
        Ok(())
    }

    /// Lets `f` give it to a file, and returns how long it is.
    pub(super) fn finish(
        mut self,
        f: impl FnOnce(&Editor<'_>, Staged) -> Result<(), FsError>,
    ) -> Result<u64> {
        let Some(staged) = self.staged else { return Ok(0) };
        self.files.change(|editor| f(editor, staged))?;
        self.staged = None;
        Ok(staged.len)
    }
}

impl Drop for Staging<'_, '_> {
    fn drop(&mut self) {
        if let Some(staged) = self.staged.take() {
            // What cannot be freed now is freed by whoever looks once this process is gone.
            if let Err(error) = self.files.change(|editor| editor.discard(staged)) {
                tracing::warn!(%error, "what was staged for a file stays for now");
            }
        }
    }
}

/// The error of a file as that of the standard library's traits.
impl From<crate::Error> for io::Error {
    fn from(error: crate::Error) -> Self {
        use crate::ErrorKind;
        let kind = match error.kind() {
            ErrorKind::NotFound => io::ErrorKind::NotFound,
            ErrorKind::AlreadyExists => io::ErrorKind::AlreadyExists,
            ErrorKind::ReadOnly => io::ErrorKind::ReadOnlyFilesystem,
            ErrorKind::Busy => io::ErrorKind::ResourceBusy,
            ErrorKind::Full => io::ErrorKind::StorageFull,
            ErrorKind::TooLarge => io::ErrorKind::FileTooLarge,
            ErrorKind::Corrupt => io::ErrorKind::InvalidData,
            ErrorKind::InvalidQuery | ErrorKind::OutOfRange => io::ErrorKind::InvalidInput,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Database;

    #[test]
    fn a_swap_that_was_done_though_nobody_said_so_is_not_freed() -> Result<()> {
        let files = Database::open_in_memory()?.files();
        let path = FsPath::parse("/a")?;
        let mut staging = Staging::begin(&files)?;
        staging.change(|editor, staged| editor.append_staged(staged, "/a", b"bytes"))?;
        if let Some(staged) = staging.staged {
            files.change(|editor| editor.swap(&mut editor.file_or_new(path)?, "/a", staged))?;
        }
        drop(staging);
        assert_eq!(files.read("/a")?, b"bytes");
        assert_eq!(files.check()?, []);
        Ok(())
    }
}
