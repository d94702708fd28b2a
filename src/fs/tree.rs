//! Names: making, moving, copying and deleting files and directories, inside the caller's transaction.

use super::content;
use super::edit::Editor;
use super::entry::{self, COLUMN_COUNT, Entry, Kind, ROOT, columns};
use super::error::FsError;
use super::path::FsPath;
use crate::store::Bind;

/// What stands in the way of a move or copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// Nothing may.
    Nothing,
    /// A file is replaced by a file, an empty directory by a directory.
    Alike,
}

impl Editor<'_> {
    /// Makes a file that is not there, with its parents.
    pub(crate) fn new_file(&self, path: FsPath<'_>) -> Result<Entry, FsError> {
        let Some((parent, name)) = path.split() else { return Err(already(path)) };
        let parent = self.directory_or_new(parent)?;
        match entry::child(self.txn, parent, name)? {
            Some(_) => Err(already(path)),
            None => self.add(parent, name, Kind::File),
        }
    }

    /// Returns the file of a path, made with its parents when it is missing.
    pub(crate) fn file_or_new(&self, path: FsPath<'_>) -> Result<Entry, FsError> {
        let Some((parent, name)) = path.split() else { return entry::get(self.txn, path)?.file(path) };
        let parent = self.directory_or_new(parent)?;
        match entry::child(self.txn, parent, name)? {
            Some(entry) => entry.file(path),
            None => self.add(parent, name, Kind::File),
        }
    }

    /// Returns the id of a directory, made with its parents when it is missing.
    pub(crate) fn directory_or_new(&self, path: FsPath<'_>) -> Result<i64, FsError> {
        let mut directory = ROOT;
        let mut is_new = false;
        for name in path.names() {
            // In a new directory there is nothing.
            let found = if is_new { None } else { entry::child(self.txn, directory, name)? };
            directory = match found {
                Some(Entry { kind: Kind::Directory, id, .. }) => id,
                Some(file) => return Err(entry::not_a_directory(self.txn, file.id)?),
                None => {
                    is_new = true;
                    self.add(directory, name, Kind::Directory)?.id
                }
            };
        }
        Ok(directory)
    }

    fn add(&self, parent: i64, name: &str, kind: Kind) -> Result<Entry, FsError> {
        let entry = Entry {
            id: content::new_number(self.txn)?,
            parent,
            kind,
            content: None,
            len: 0,
            allocated: 0,
            version: 0,
            created: self.now,
            modified: self.now,
            hash: None,
        };
        self.insert(&entry, name)?;
        Ok(entry)
    }

    /// Moves a file or a directory, into a directory that is made when it is missing.
    pub(crate) fn rename(&self, from: FsPath<'_>, to: FsPath<'_>, over: Over) -> Result<(), FsError> {
        const SQL: &str = "UPDATE vellum_entry SET parent = ?2, name = ?3 WHERE id = ?1";
        let moved = self.outside(from, to, "moved")?;
        let Some((parent, name)) = to.split() else { return Err(already(to)) };
        let parent = self.directory_or_new(parent)?;
        self.refuse_inside(&moved, parent, from, to)?;
        if let Some(there) = entry::child(self.txn, parent, name)? {
            if there.id == moved.id {
                return Ok(());
            }
            self.clear(&there, moved.kind, to, over)?;
        }
        self.txn.execute(SQL, &[Bind::Int(moved.id), Bind::Int(parent), Bind::Text(name)])?;
        self.touch(moved.parent)?;
        self.touch(parent)
    }

    /// Copies a file, or a directory with what is inside; their metadata too, but as created now.
    pub(crate) fn copy(&self, from: FsPath<'_>, to: FsPath<'_>, over: Over) -> Result<(), FsError> {
        let source = self.outside(from, to, "copied")?;
        let Some((parent, name)) = to.split() else { return Err(already(to)) };
        let parent = self.directory_or_new(parent)?;
        self.refuse_inside(&source, parent, from, to)?;
        if let Some(there) = entry::child(self.txn, parent, name)? {
            if there.id == source.id {
                return Err(already(to));
            }
            self.clear(&there, source.kind, to, over)?;
        }
        let mut open = vec![(source, parent, name.to_owned())];
        while let Some((source, parent, name)) = open.pop() {
            let copy = self.copy_entry(&source, parent, &name)?;
            if source.kind == Kind::Directory {
                for (child, name) in self.children(source.id)? {
                    open.push((child, copy, name));
                }
            }
        }
        Ok(())
    }

    fn copy_entry(&self, source: &Entry, parent: i64, name: &str) -> Result<i64, FsError> {
        const META: &str =
            "UPDATE vellum_entry SET meta = (SELECT meta FROM vellum_entry WHERE id = ?2) WHERE id = ?1";
        let id = content::new_number(self.txn)?;
        let mut copy = Entry { id, parent, content: None, created: self.now, version: 0, ..source.clone() };
        if let Some(from) = source.content {
            content::copy(self.txn, from, content::number_of(&mut copy))?;
        }
        self.insert(&copy, name)?;
        self.txn.execute(META, &[Bind::Int(id), Bind::Int(source.id)])?;
        Ok(id)
    }

    /// Deletes a file or an empty directory; returns whether it was there.
    pub(crate) fn delete(&self, path: FsPath<'_>) -> Result<bool, FsError> {
        let Some(entry) = self.deletable(path)? else { return Ok(false) };
        if entry.kind == Kind::Directory && !self.is_empty(entry.id)? {
            return Err(FsError::NotEmpty { path: path.to_string().into() });
        }
        self.remove(&entry)?;
        self.touch(entry.parent)?;
        Ok(true)
    }

    /// Deletes a file, or a directory with what is inside; returns how many entries that were.
    pub(crate) fn delete_all(&self, path: FsPath<'_>) -> Result<u64, FsError> {
        let Some(entry) = self.deletable(path)? else { return Ok(0) };
        let parent = entry.parent;
        let mut count = 0;
        let mut open = vec![entry];
        while let Some(entry) = open.pop() {
            if entry.kind == Kind::Directory {
                open.extend(self.children(entry.id)?.into_iter().map(|(child, _)| child));
            }
            self.remove(&entry)?;
            count += 1;
        }
        self.touch(parent)?;
        Ok(count)
    }

    fn deletable(&self, path: FsPath<'_>) -> Result<Option<Entry>, FsError> {
        if path.is_root() {
            return Err(FsError::Root { what: "deleted" });
        }
        entry::find(self.txn, path)
    }

    /// Returns what is to be moved or copied.
    fn outside(&self, from: FsPath<'_>, to: FsPath<'_>, what: &'static str) -> Result<Entry, FsError> {
        if from.is_root() {
            return Err(FsError::Root { what });
        }
        if to.is_root() {
            return Err(already(to));
        }
        entry::get(self.txn, from)
    }

    /// Refuses a directory that lies in what is moved or copied.
    fn refuse_inside(
        &self,
        moved: &Entry,
        parent: i64,
        from: FsPath<'_>,
        to: FsPath<'_>,
    ) -> Result<(), FsError> {
        let mut at = parent;
        while moved.kind == Kind::Directory && at != ROOT {
            if at == moved.id {
                return Err(FsError::IntoItself { from: from.to_string().into(), to: to.to_string().into() });
            }
            at = match entry::by_id(self.txn, at)? {
                Some(entry) if entry.parent != at => entry.parent,
                _ => break,
            };
        }
        Ok(())
    }

    /// Makes room for what is moved or copied.
    fn clear(&self, there: &Entry, kind: Kind, path: FsPath<'_>, over: Over) -> Result<(), FsError> {
        match (over, there.kind, kind) {
            (Over::Nothing, ..) => Err(already(path)),
            (Over::Alike, Kind::File, Kind::Directory) => {
                Err(FsError::NotADirectory { path: path.to_string().into() })
            }
            (Over::Alike, Kind::Directory, Kind::File) => {
                Err(FsError::IsADirectory { path: path.to_string().into() })
            }
            (Over::Alike, Kind::Directory, Kind::Directory) if !self.is_empty(there.id)? => {
                Err(FsError::NotEmpty { path: path.to_string().into() })
            }
            (Over::Alike, ..) => self.remove(there),
        }
    }

    /// Deletes one entry and its bytes.
    fn remove(&self, entry: &Entry) -> Result<(), FsError> {
        if let Some(number) = entry.content {
            content::free(self.txn, number)?;
        }
        self.txn.execute("DELETE FROM vellum_entry WHERE id = ?1", &[Bind::Int(entry.id)])?;
        Ok(())
    }

    fn insert(&self, entry: &Entry, name: &str) -> Result<(), FsError> {
        const SQL: &str = "INSERT INTO vellum_entry
            (id, parent, name, kind, content, length, allocated, version, created, modified, hash)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        let hash = entry.hash.map(u128::to_be_bytes);
        let binds = [
            Bind::Int(entry.id),
            Bind::Int(entry.parent),
            Bind::Text(name),
            Bind::Int(entry.kind.stored()),
            entry.content.map_or(Bind::Null, Bind::Int),
            Bind::Int(i64::try_from(entry.len).unwrap_or(i64::MAX)),
            Bind::Int(i64::try_from(entry.allocated).unwrap_or(i64::MAX)),
            Bind::Int(entry.version),
            Bind::Int(entry.created),
            Bind::Int(entry.modified),
            hash.as_ref().map_or(Bind::Null, |hash| Bind::Blob(hash)),
        ];
        self.txn.execute(SQL, &binds)?;
        self.touch(entry.parent)
    }

    /// Notes that the names in a directory have changed.
    fn touch(&self, directory: i64) -> Result<(), FsError> {
        const SQL: &str = "UPDATE vellum_entry SET modified = ?2 WHERE id = ?1";
        match self.txn.execute(SQL, &[Bind::Int(directory), Bind::Int(self.now)])? {
            0 => Err(entry::missing(directory)),
            _ => Ok(()),
        }
    }

    fn is_empty(&self, directory: i64) -> Result<bool, FsError> {
        const SQL: &str = "SELECT 1 FROM vellum_entry WHERE parent = ?1 LIMIT 1";
        Ok(self.txn.first(SQL, &[Bind::Int(directory)], |_| Ok(()))?.is_none())
    }

    fn children(&self, directory: i64) -> Result<Vec<(Entry, String)>, FsError> {
        const SQL: &str =
            concat!("SELECT ", columns!(), ", name FROM vellum_entry WHERE parent = ?1 AND id <> 1");
        let mut stmt = self.txn.prepare(SQL)?;
        stmt.bind(1, Bind::Int(directory))?;
        let mut children = Vec::new();
        while let Some(row) = stmt.step()? {
            children.push((Entry::read(&row, 0)?, entry::name(&row, COLUMN_COUNT)?.to_owned()));
        }
        Ok(children)
    }
}

fn already(path: FsPath<'_>) -> FsError {
    FsError::AlreadyExists { path: path.to_string().into() }
}
