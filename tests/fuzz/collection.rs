//! Any texts as the names of collections: a typed error, or a collection with documents of its own.

use std::collections::BTreeMap;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use vellum::ErrorKind;
use vellum::prelude::*;

const LONGEST_NAME_BYTES: usize = 255;

#[derive(Document, Serialize, Deserialize, Debug)]
struct Note {
    id: i64,
    #[document(index)]
    text: String,
    #[document(index)]
    stars: i64,
}

/// Stores a document in the collection of each name and looks at what every collection then holds.
pub(crate) fn holds(names: &[String]) -> vellum::Result<()> {
    let db = Database::open_in_memory()?;
    let mut stored: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for (name, stars) in names.iter().zip(0..) {
        let notes = match db.collection_named::<Note>(name) {
            Ok(notes) => notes,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::InvalidQuery, "{name:?}: {error}");
                assert!(!can_be_named(name), "{name:?} is refused: {error}");
                continue;
            }
        };
        assert!(can_be_named(name), "{name:?} is taken");
        assert_eq!(notes.name(), name);
        notes.ensure_indexes()?;
        notes.insert(Note { id: 0, text: name.clone(), stars })?;
        stored.entry(name).or_default().push(stars);
    }
    for (&name, stars) in &stored {
        let notes = db.collection_named::<Note>(name)?;
        let found = notes.filter(|n| n.text.eq(name)).order_by(|n| n.stars).select(|n| n.stars).to_vec()?;
        assert_eq!((&found, notes.count()?), (stars, stars.len() as u64), "in {name:?}");
        let indexed = notes.filter(|n| n.text.eq(name)).explain()?.plan.sqlite_plan.concat();
        assert!(indexed.contains("SEARCH"), "the index of {name:?} does not serve it: {indexed}");
    }
    assert_eq!(tables(&db).expect("SQLite reads the file"), (stored.len(), "ok".to_owned()));
    Ok(())
}

/// The rule of the documentation, said once more.
fn can_be_named(name: &str) -> bool {
    (1..=LONGEST_NAME_BYTES).contains(&name.len()) && !name.contains('\0')
}

/// Returns how many collections have a table, and what SQLite says of the file, as another program sees it.
fn tables(db: &Database) -> rusqlite::Result<(usize, String)> {
    const TABLES: &str =
        "SELECT count(DISTINCT s.name) FROM vellum_collection AS c JOIN sqlite_schema AS s ON s.name = c.tbl";
    let conn = Connection::open(db.path())?;
    let tables = conn.query_row(TABLES, [], |row| row.get::<_, i64>(0))?;
    Ok((tables as usize, conn.query_row("PRAGMA integrity_check", [], |row| row.get(0))?))
}
