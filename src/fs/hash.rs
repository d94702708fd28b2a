//! The hash of a file's bytes: XXH3 with 128 bits, which finds damage; it is no proof against forgery.

use xxhash_rust::xxh3::Xxh3;

use super::edit::Editor;
use super::entry::Entry;
use super::error::FsError;
use super::layout::Layout;
use super::path::FsPath;
use super::view;
use crate::store::{Bind, Conn};

/// How many bytes are read at once.
const PART_LEN: usize = 1 << 20;

/// Returns the hash of all the bytes of a file, holes as zeros.
pub(super) fn of_file(conn: &Conn, layout: Layout, entry: &Entry) -> Result<u128, FsError> {
    let mut hasher = Xxh3::new();
    let mut part = vec![0; usize::try_from(entry.len).unwrap_or(PART_LEN).min(PART_LEN)];
    let mut offset = 0;
    while offset < entry.len {
        let count = view::read_known(conn, layout, entry, offset, &mut part)?;
        let Some(bytes) = part.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
        hasher.update(bytes);
        offset += count as u64;
    }
    Ok(hasher.digest128())
}

/// What is wrong with a file whose bytes are not those of its hash.
pub(super) const BROKEN: &str = "its bytes are not those that were sealed";

/// Returns whether bytes that were read whole are those of the hash that the file has, if it has one.
pub(crate) fn agrees(entry: &Entry, bytes: &[u8]) -> bool {
    entry.hash.is_none_or(|hash| hash == xxhash_rust::xxh3::xxh3_128(bytes))
}

/// Returns the error of a file whose bytes are not those of its hash.
pub(crate) fn damaged(path: &str) -> FsError {
    FsError::Damaged { path: path.into(), what: BROKEN.into() }
}

impl Editor<'_> {
    /// Stores the hash of a file's bytes beside its name, until they change.
    pub(crate) fn seal(&self, path: FsPath<'_>) -> Result<u128, FsError> {
        const SQL: &str = "UPDATE vellum_entry SET hash = ?2 WHERE id = ?1";
        let entry = self.file(path)?;
        let hash = of_file(self.txn, self.layout, &entry)?;
        if entry.hash.is_some_and(|sealed| sealed != hash) {
            return Err(damaged(&path.to_string()));
        }
        self.txn.execute(SQL, &[Bind::Int(entry.id), Bind::Blob(&hash.to_be_bytes())])?;
        Ok(hash)
    }
}
