//! `File`: a file that is read.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use crate::api::collection::SessionRef;
use crate::error::Result;
use crate::fs::{self, FsError, Layout};

/// How many bytes are read ahead.
const AHEAD_LEN: usize = 64 << 10;

/// A file that is open for reading, at one moment: bytes that have changed since are not read, the call is `Changed`
/// instead. Of a snapshot's files it cannot change. `Send` and `Sync`: threads may read at positions of their own.
///
/// ```
/// # use vellum::{Database, ErrorKind};
/// use std::io::{Read, Seek, SeekFrom};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let db = Database::open_in_memory()?;
/// db.files().write("/a", "some bytes")?;
/// let mut file = db.files().open("/a")?;
/// let mut text = String::new();
/// file.seek(SeekFrom::Start(5))?;
/// file.read_to_string(&mut text)?;
/// assert_eq!(text, "bytes");
///
/// let (snapshot, mut out) = (db.snapshot()?, [0; 4]);
/// let before = snapshot.files().open("/a")?;
/// db.files().write("/a", "other bytes")?;
/// assert_eq!(file.read_at(0, &mut out).unwrap_err().kind(), ErrorKind::Changed);
/// assert_eq!((before.read_at(0, &mut out)?, &out), (4, b"some"));
/// # Ok(())
/// # }
/// ```
pub struct File<'s> {
    session: SessionRef<'s>,
    layout: Layout,
    entry: fs::Entry,
    path: Box<str>,
    position: u64,
    /// What was read ahead, from `ahead_at` on.
    ahead: Vec<u8>,
    ahead_at: u64,
}

impl std::fmt::Debug for File<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File")
            .field("path", &self.path)
            .field("length", &self.entry.len)
            .finish_non_exhaustive()
    }
}

impl<'s> File<'s> {
    pub(super) fn new(session: SessionRef<'s>, layout: Layout, entry: fs::Entry, path: Box<str>) -> Self {
        File { session, layout, entry, path, position: 0, ahead: Vec::new(), ahead_at: 0 }
    }

    /// Reads bytes at an offset and returns how many there were: fewer than `out` has room for only at the end of the
    /// file, 0 past it. The position of the handle does not move.
    ///
    /// # Errors
    /// `Changed` when the file was changed, replaced or deleted since it was opened; those of a read.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// db.files().write("/a", "some bytes")?;
    /// let file = db.files().open("/a")?;
    /// let mut out = [0; 8];
    /// assert_eq!(file.read_at(5, &mut out)?, 5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<usize> {
        let conn = self.session.read()?;
        if self.session.is_snapshot() {
            return Ok(fs::read_known(&conn, self.layout, &self.entry, offset, out)?);
        }
        match fs::read_at(&conn, self.layout, self.entry.id, offset, out)? {
            Some(bytes) if bytes.version == self.entry.version => Ok(bytes.count),
            _ => Err(FsError::Changed { path: self.path.clone() }.into()),
        }
    }

    /// Returns the length in bytes.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// db.files().write("/a", "some bytes")?;
    /// assert_eq!(db.files().open("/a")?.length(), 10);
    /// # Ok(())
    /// # }
    /// ```
    pub fn length(&self) -> u64 {
        self.entry.len
    }

    /// Returns how many bytes from an offset inside the file on were never written, at one moment.
    pub(super) fn hole(&self, offset: u64) -> Result<u64> {
        let conn = self.session.read()?;
        Ok(fs::hole(&conn, self.layout, &self.entry, offset..self.entry.len, false)?)
    }

    /// Returns what was read ahead and not yet handed out.
    fn rest(&self) -> &[u8] {
        let used = self.position.checked_sub(self.ahead_at).and_then(|used| usize::try_from(used).ok());
        used.and_then(|used| self.ahead.get(used..)).unwrap_or_default()
    }
}

impl Read for File<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = if self.rest().is_empty() && out.len() >= AHEAD_LEN {
            self.read_at(self.position, out)?
        } else {
            let mut ahead = self.fill_buf()?;
            ahead.read(out)?
        };
        self.position += count as u64;
        Ok(count)
    }
}

impl BufRead for File<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.rest().is_empty() {
            let mut ahead = std::mem::take(&mut self.ahead);
            ahead.resize(AHEAD_LEN, 0);
            let count = self.read_at(self.position, &mut ahead)?;
            ahead.truncate(count);
            self.ahead = ahead;
            self.ahead_at = self.position;
        }
        Ok(self.rest())
    }

    fn consume(&mut self, count: usize) {
        self.position += count.min(self.rest().len()) as u64;
    }
}

impl Seek for File<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = moved(self.position, self.entry.len, to, &self.path)?;
        Ok(self.position)
    }
}

/// Returns where a seek leads to.
pub(super) fn moved(position: u64, len: u64, to: SeekFrom, path: &str) -> io::Result<u64> {
    let moved = match to {
        SeekFrom::Start(offset) => Some(offset),
        SeekFrom::Current(by) => position.checked_add_signed(by),
        SeekFrom::End(by) => len.checked_add_signed(by),
    };
    moved.filter(|moved| i64::try_from(*moved).is_ok()).ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, FsError::InvalidPosition { path: path.into() })
    })
}
