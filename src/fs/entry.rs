//! Entries: the rows that give files and directories their names.

use super::error::FsError;
use super::layout;
use super::path::FsPath;
use crate::store::{Bind, Cell, Conn, Row};

/// The id of the root directory.
pub(super) const ROOT: i64 = 1;

/// The columns that [`Entry::read`] reads, in its order, as a literal that statements are made of.
macro_rules! columns {
    () => {
        "id, parent, kind, content, length, allocated, version, created, modified, hash"
    };
}
pub(super) use columns;

/// How many columns that are.
pub(super) const COLUMN_COUNT: usize = 10;

/// What an entry names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Directory,
    File,
}

impl Kind {
    pub(super) fn stored(self) -> i64 {
        match self {
            Kind::Directory => 0,
            Kind::File => 1,
        }
    }

    fn of(stored: i64) -> Option<Self> {
        [Kind::Directory, Kind::File].into_iter().find(|kind| kind.stored() == stored)
    }
}

/// A file or a directory, without its name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) id: i64,
    pub(crate) parent: i64,
    pub(crate) kind: Kind,
    /// The content's number; a file without any byte written may have none.
    pub(crate) content: Option<i64>,
    pub(crate) len: u64,
    /// How many bytes its chunks hold.
    pub(crate) allocated: u64,
    /// Moves with each change of bytes or length.
    pub(crate) version: i64,
    /// Nanoseconds since 1970.
    pub(crate) created: i64,
    /// Nanoseconds since 1970.
    pub(crate) modified: i64,
    pub(crate) hash: Option<u128>,
}

impl Entry {
    /// Reads the columns of `columns!`, the first of them at `first`.
    pub(super) fn read(row: &Row<'_>, first: usize) -> Result<Self, FsError> {
        let int = |at: usize| match row.cell(first + at)? {
            Cell::Int(int) => Ok(int),
            _ => Err(damaged(row, first, "it lacks a number")),
        };
        let content = match row.cell(first + 3)? {
            Cell::Int(content) => Some(content),
            _ => None,
        };
        let hash = match row.cell(first + 9)? {
            Cell::Blob(bytes) => bytes.try_into().ok().map(u128::from_be_bytes),
            _ => None,
        };
        Ok(Entry {
            id: int(0)?,
            parent: int(1)?,
            kind: Kind::of(int(2)?)
                .ok_or_else(|| damaged(row, first, "it is neither a file nor a directory"))?,
            content,
            len: u64::try_from(int(4)?)
                .ok()
                .filter(|len| *len <= layout::MAX_LEN)
                .ok_or_else(|| damaged(row, first, "it has a length that no file has"))?,
            allocated: u64::try_from(int(5)?)
                .map_err(|_| damaged(row, first, "it holds less than nothing"))?,
            version: int(6)?,
            created: int(7)?,
            modified: int(8)?,
            hash,
        })
    }

    /// Returns the entry when it is a file.
    pub(crate) fn file(self, path: FsPath<'_>) -> Result<Self, FsError> {
        match self.kind {
            Kind::File => Ok(self),
            Kind::Directory => Err(FsError::IsADirectory { path: path.to_string().into() }),
        }
    }

    /// Returns the entry when it is a directory.
    pub(crate) fn directory(self, path: FsPath<'_>) -> Result<Self, FsError> {
        match self.kind {
            Kind::Directory => Ok(self),
            Kind::File => Err(FsError::NotADirectory { path: path.to_string().into() }),
        }
    }
}

/// Returns the error of a row that was not written by us, whose id is in the column `first`.
fn damaged(row: &Row<'_>, first: usize, what: &str) -> FsError {
    let id = row.int(first).unwrap_or(0);
    FsError::Damaged { path: format!("entry {id}").into(), what: what.into() }
}

/// Reads a name, or a path of some, of the entry whose id is in the first column.
pub(super) fn name<'r>(row: &Row<'r>, column: usize) -> Result<&'r str, FsError> {
    match row.cell(column)? {
        Cell::Text(name) => Ok(name),
        _ => Err(damaged(row, 0, "its name is no text")),
    }
}

/// Returns an entry by its id.
pub(crate) fn by_id(conn: &Conn, id: i64) -> Result<Option<Entry>, FsError> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM vellum_entry WHERE id = ?1");
    one(conn, SQL, &[Bind::Int(id)])
}

/// Returns the entry of a name in a directory.
pub(super) fn child(conn: &Conn, parent: i64, name: &str) -> Result<Option<Entry>, FsError> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM vellum_entry WHERE parent = ?1 AND name = ?2");
    one(conn, SQL, &[Bind::Int(parent), Bind::Text(name)])
}

/// Returns the entry of a path. A step that is a file is an error only for what is below it: `NotADirectory`.
pub(crate) fn find(conn: &Conn, path: FsPath<'_>) -> Result<Option<Entry>, FsError> {
    let mut found: Option<Entry> = None;
    for name in path.names() {
        let parent = match &found {
            None => ROOT,
            Some(Entry { kind: Kind::Directory, id, .. }) => *id,
            Some(file) => return Err(not_a_directory(conn, file.id)?),
        };
        match child(conn, parent, name)? {
            Some(entry) => found = Some(entry),
            None => return Ok(None),
        }
    }
    match found {
        Some(entry) => Ok(Some(entry)),
        None => match by_id(conn, ROOT)? {
            Some(root) => Ok(Some(root)),
            None => Err(missing(ROOT)),
        },
    }
}

/// Returns the error of a file that should be a directory.
pub(super) fn not_a_directory(conn: &Conn, id: i64) -> Result<FsError, FsError> {
    Ok(FsError::NotADirectory { path: path_of(conn, id)?.into() })
}

/// Returns the error of a directory that has entries, and is not there itself.
pub(super) fn missing(id: i64) -> FsError {
    FsError::Damaged { path: format!("entry {id}").into(), what: "it is not there".into() }
}

/// Returns the entry of a path that has to be there.
pub(crate) fn get(conn: &Conn, path: FsPath<'_>) -> Result<Entry, FsError> {
    find(conn, path)?.ok_or_else(|| FsError::NotFound { path: path.to_string().into() })
}

/// Returns the path of an entry, by the chain of its parents.
pub(super) fn path_of(conn: &Conn, id: i64) -> Result<String, FsError> {
    const SQL: &str = "SELECT parent, CAST(name AS BLOB) FROM vellum_entry WHERE id = ?1";
    let mut names = Vec::new();
    let mut at = id;
    // Twice as deep as a path can be: a chain that is longer goes round.
    while at != ROOT && names.len() <= super::path::MAX_PATH_LEN {
        let step = conn.first(SQL, &[Bind::Int(at)], |row| match (row.cell(0)?, row.cell(1)?) {
            (Cell::Int(parent), Cell::Blob(name)) => {
                Ok(Some((parent, String::from_utf8_lossy(name).into_owned())))
            }
            _ => Ok(None),
        })?;
        let Some((parent, name)) = step.flatten() else { break };
        names.push(name);
        at = parent;
    }
    names.reverse();
    Ok(format!("/{}", names.join("/")))
}

/// Returns the metadata of an entry, if it has any.
pub(crate) fn meta(conn: &Conn, path: FsPath<'_>) -> Result<Option<Vec<u8>>, FsError> {
    const SQL: &str = "SELECT meta FROM vellum_entry WHERE id = ?1";
    let entry = get(conn, path)?;
    let meta = conn.first(SQL, &[Bind::Int(entry.id)], |row| match row.cell(0)? {
        Cell::Blob(meta) => Ok(Some(meta.to_vec())),
        _ => Ok(None),
    })?;
    Ok(meta.flatten())
}

fn one(conn: &Conn, sql: &str, binds: &[Bind<'_>]) -> Result<Option<Entry>, FsError> {
    let mut stmt = conn.prepare(sql)?;
    for (i, bind) in binds.iter().enumerate() {
        stmt.bind(i + 1, *bind)?;
    }
    stmt.step()?.map(|row| Entry::read(&row, 0)).transpose()
}
