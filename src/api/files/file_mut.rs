//! `FileMut`: a file that is read and written.

use std::io::{self, Read, Seek, SeekFrom, Write};

use parking_lot::Mutex;

use crate::api::collection::SessionRef;
use crate::api::files::file::moved;
use crate::error::Result;
use crate::fs::{self, Editor, FsError, Layout};

/// How many bytes that were written in a row are kept before they are stored.
const PENDING_LEN: usize = 1 << 20;

/// A file that is open for reading and writing. It reads what is newest, by whomever it was written, and follows the
/// file when it is renamed.
///
/// [`Write`] keeps up to 1 MiB of what is written in a row, for one transaction instead of many; [`Write::flush`] stores
/// it, and so does every other call of the handle before it does its own work. Dropping it stores it too, but cannot say
/// when that fails: flush. The positioned calls store at once, each in a transaction of its own, and can be made by
/// several threads.
///
/// ```
/// # use vellum::Database;
/// use std::io::{Read, Seek, Write};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let db = Database::open_in_memory()?;
/// let mut file = db.files().create("/a")?;
/// write!(file, "{} bottles", 99)?;
/// file.flush()?;
/// file.write_at(0, "98")?;
/// file.rewind()?;
/// let mut text = String::new();
/// file.read_to_string(&mut text)?;
/// assert_eq!(text, "98 bottles");
/// # Ok(())
/// # }
/// ```
pub struct FileMut<'s> {
    session: SessionRef<'s>,
    layout: Layout,
    id: i64,
    path: Box<str>,
    position: u64,
    pending: Mutex<Pending>,
}

/// Bytes that were written in a row and are not stored yet.
#[derive(Default)]
struct Pending {
    at: u64,
    bytes: Vec<u8>,
}

impl std::fmt::Debug for FileMut<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileMut").field("path", &self.path).finish_non_exhaustive()
    }
}

impl<'s> FileMut<'s> {
    pub(super) fn new(session: SessionRef<'s>, layout: Layout, entry: &fs::Entry, path: Box<str>) -> Self {
        FileMut { session, layout, id: entry.id, path, position: 0, pending: Mutex::default() }
    }

    /// Reads bytes at an offset and returns how many there were: fewer than `out` has room for only at the end of the
    /// file, 0 past it. The position of the handle does not move.
    ///
    /// # Errors
    /// `Changed` when the file was deleted; those of a read.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// let file = db.files().create("/a")?;
    /// file.write_at(3, "x")?;
    /// let mut out = [1; 8];
    /// assert_eq!(file.read_at(0, &mut out)?, 4);
    /// assert_eq!(&out[..4], b"\0\0\0x");
    /// # Ok(())
    /// # }
    /// ```
    pub fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<usize> {
        self.store_pending()?;
        Ok(self.newest(offset, out)?.count)
    }

    /// Writes bytes at an offset, in place; a gap before it reads as zeros and takes no space.
    ///
    /// # Errors
    /// `Changed` when the file was deleted; `TooLarge` for a file of more than 8 TiB; those of a write.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// let file = db.files().create("/a")?;
    /// file.write_at(0, "abc")?;
    /// file.write_at(1, "B")?;
    /// assert_eq!(db.files().read("/a")?, b"aBc");
    /// # Ok(())
    /// # }
    /// ```
    pub fn write_at(&self, offset: u64, bytes: impl AsRef<[u8]>) -> Result<()> {
        self.store_pending()?;
        let bytes = bytes.as_ref();
        self.change(|editor, entry| editor.write_at(entry, &self.path, offset, bytes))
    }

    /// Makes the file as long as that: what is cut off is gone, what is added reads as zeros and takes no space.
    ///
    /// # Errors
    /// As [`FileMut::write_at`].
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// let file = db.files().create("/a")?;
    /// file.set_len(1_000_000)?;
    /// assert_eq!(file.length()?, 1_000_000);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_len(&self, length: u64) -> Result<()> {
        self.store_pending()?;
        self.change(|editor, entry| editor.set_len(entry, &self.path, length))
    }

    /// Makes a range read as zeros and gives its space back; the length stays.
    ///
    /// # Errors
    /// As [`FileMut::write_at`].
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// let file = db.files().create("/a")?;
    /// file.write_at(0, [1; 100_000])?;
    /// file.punch_hole(0, 99_999)?;
    /// assert!(db.files().stat("/a")?.allocated < 10_000);
    /// # Ok(())
    /// # }
    /// ```
    pub fn punch_hole(&self, offset: u64, length: u64) -> Result<()> {
        self.store_pending()?;
        self.change(|editor, entry| editor.punch(entry, offset, length))
    }

    /// Returns the length in bytes.
    ///
    /// # Errors
    /// As [`FileMut::read_at`].
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// let file = db.files().create("/a")?;
    /// db.files().append("/a", "by another way")?;
    /// assert_eq!(file.length()?, 14);
    /// # Ok(())
    /// # }
    /// ```
    pub fn length(&self) -> Result<u64> {
        self.store_pending()?;
        Ok(self.newest(0, &mut [])?.len)
    }

    fn newest(&self, offset: u64, out: &mut [u8]) -> Result<fs::Bytes> {
        let conn = self.session.read()?;
        let found = fs::read_at(&conn, self.layout, self.id, offset, out)?;
        Ok(found.ok_or_else(|| FsError::Changed { path: self.path.clone() })?)
    }

    fn change(&self, f: impl FnOnce(&Editor<'_>, &mut fs::Entry) -> Result<(), FsError>) -> Result<()> {
        self.session.write_all(|write| {
            let editor = Editor::new(write, self.layout);
            let mut entry = editor.file_by_id(self.id, &self.path)?;
            Ok(f(&editor, &mut entry)?)
        })
    }

    /// Stores what is pending; what cannot be stored stays pending.
    fn store_pending(&self) -> Result<()> {
        let mut pending = self.pending.lock();
        if !pending.bytes.is_empty() {
            self.change(|editor, entry| editor.write_at(entry, &self.path, pending.at, &pending.bytes))?;
            pending.bytes.clear();
        }
        Ok(())
    }
}

impl Read for FileMut<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.read_at(self.position, out)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl Write for FileMut<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // What can never be stored must not become pending.
        self.layout.end(&self.path, self.position, bytes.len() as u64).map_err(crate::Error::from)?;
        let pending = self.pending.get_mut();
        let is_next = pending.at + pending.bytes.len() as u64 == self.position;
        if !pending.bytes.is_empty() && (!is_next || pending.bytes.len() + bytes.len() > PENDING_LEN) {
            self.store_pending()?;
        }
        if bytes.len() >= PENDING_LEN {
            self.write_at(self.position, bytes)?;
        } else {
            let pending = self.pending.get_mut();
            if pending.bytes.is_empty() {
                pending.at = self.position;
            }
            pending.bytes.extend_from_slice(bytes);
        }
        self.position += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(self.store_pending()?)
    }
}

impl Seek for FileMut<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.store_pending()?;
        let len = if matches!(to, SeekFrom::End(_)) { self.length()? } else { 0 };
        self.position = moved(self.position, len, to, &self.path)?;
        Ok(self.position)
    }
}

impl Drop for FileMut<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.store_pending() {
            tracing::warn!(path = %self.path, %error, "what was written last to a file is lost: it was not flushed");
        }
    }
}
