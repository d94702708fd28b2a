//! What a file holds, as far as a user can tell.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Result;
use crate::{Collection, Database, Document, ErrorKind, FileKind, Files};

/// The documents of the scenarios.
#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[document(crate = "crate", collection = "notes")]
pub(super) struct Note {
    pub(super) id: i64,
    #[document(index)]
    pub(super) name: String,
    #[document(index)]
    pub(super) shelf: i64,
    pub(super) text: String,
}

/// Documents whose key is a text of their own.
#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[document(crate = "crate", collection = "labels")]
pub(super) struct Label {
    #[document(id)]
    pub(super) name: String,
    pub(super) text: String,
}

pub(super) fn label(name: &str, text: &str) -> Label {
    Label { name: name.to_owned(), text: text.to_owned() }
}

/// Returns the note of a number, which asks for an id. Its text is as long as it is told.
pub(super) fn note(number: i64, text_len: usize) -> Note {
    let mut text = format!("text of {number}, ").repeat(text_len / 10 + 1);
    text.truncate(text_len);
    Note { id: 0, name: format!("note {number}"), shelf: number % 4, text }
}

/// The notes by name, their ids left aside, their indexes, the labels, and the bytes of the files by their paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State {
    pub(super) notes: BTreeMap<String, Note>,
    pub(super) indexes: BTreeSet<String>,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let notes = self.notes.values();
        let notes = notes.map(|note| format!("{} on {} of {}", note.name, note.shelf, note.text.len()));
        let notes = notes.collect::<Vec<_>>().join(", ");
        let files = self.files.iter();
        let files = files.map(|(path, bytes)| format!("{path} of {}, {:x?}..", bytes.len(), bytes.first()));
        let files = files.collect::<Vec<_>>().join(", ");
        write!(f, "{} notes ({notes}), {:?}, {:?}, {files}", self.notes.len(), self.indexes, self.labels)
    }
}

impl State {
    pub(super) fn add(&mut self, note: Note) {
        self.notes.insert(note.name.clone(), Note { id: 0, ..note });
    }

    pub(super) fn put(&mut self, label: Label) {
        self.labels.insert(label.name, label.text);
    }

    /// Returns the bytes of a file that is there.
    pub(super) fn file(&mut self, path: &str) -> &mut Vec<u8> {
        self.files.entry(path.to_owned()).or_default()
    }

    /// Reads one moment of a database, and asks its indexes what they know. Writes nothing.
    pub(super) fn read(db: &Database) -> crate::Result<Self> {
        let snapshot = db.snapshot()?;
        let mut state = Self::default();
        if let Some(notes) = found(snapshot.collection())? {
            state.read_notes(&notes)?;
        }
        if let Some(labels) = found(snapshot.collection::<Label>())? {
            labels.query().to_vec()?.into_iter().for_each(|label| state.put(label));
        }
        state.read_files(&snapshot.files())?;
        Ok(state)
    }

    fn read_notes(&mut self, notes: &Collection<'_, Note>) -> crate::Result<()> {
        self.indexes = notes.indexes()?.into_iter().map(|index| index.name).collect();
        let all = notes.query().to_vec()?;
        for shelf in 0..4 {
            let found = notes.filter(|n| n.shelf.eq(shelf)).select(|n| n.id).to_vec()?;
            let scanned: Vec<i64> = all.iter().filter(|n| n.shelf == shelf).map(|n| n.id).collect();
            assert_eq!(found, scanned, "the index of shelf {shelf}");
        }
        let mut named: Vec<&str> = all.iter().map(|n| n.name.as_str()).collect();
        named.sort_unstable();
        assert_eq!(notes.query().order_by(|n| n.name).select(|n| n.name).to_vec()?, named);
        let count = all.len();
        all.into_iter().for_each(|note| self.add(note));
        assert_eq!(self.notes.len(), count, "no note is there twice");
        Ok(())
    }

    fn read_files(&mut self, files: &Files<'_>) -> crate::Result<()> {
        for entry in files.list("/").recursive().to_vec()? {
            if entry.kind == FileKind::File {
                let bytes = files.read(&entry.path)?;
                self.files.insert(entry.path, bytes);
            }
        }
        assert_eq!(files.check()?, []);
        Ok(())
    }
}

/// Returns a collection of a snapshot, or `None` when there was none at that moment.
fn found<T>(collection: crate::Result<T>) -> crate::Result<Option<T>> {
    match collection {
        Err(error) if error.kind() == ErrorKind::InvalidQuery => Ok(None),
        other => other.map(Some),
    }
}

/// Asserts that SQLite finds a file whole, and that the catalog and the schema tell of the same.
pub(super) fn assert_whole(path: &Path) -> Result {
    const IN_CATALOG: &str = "SELECT name FROM vellum_index UNION ALL
        SELECT definition ->> 'nulls' FROM vellum_index WHERE definition ->> 'nulls' IS NOT NULL UNION ALL
        SELECT name FROM vellum_column ORDER BY 1";
    const IN_SCHEMA: &str =
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL UNION ALL
        SELECT x.name FROM vellum_collection AS c CROSS JOIN pragma_table_xinfo(c.tbl) AS x WHERE x.hidden = 2
        ORDER BY 1";
    let conn = rusqlite::Connection::open(path)?;
    let names = |sql: &str| -> rusqlite::Result<Vec<String>> {
        conn.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
    };
    assert_eq!(names("PRAGMA integrity_check")?, ["ok"]);
    assert_eq!(names(IN_CATALOG)?, names(IN_SCHEMA)?, "the catalog and the schema");
    Ok(())
}
