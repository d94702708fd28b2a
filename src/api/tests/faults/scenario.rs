//! What runs while the disk fails.

use super::state::{Label, Note, State, label, note};
use crate::{Database, Result};

/// A few steps on a file, and what the file held before.
pub(super) struct Scenario {
    /// That of its test.
    pub(super) name: &'static str,
    /// What is done on a sound disk; `None` when there is no file yet.
    pub(super) prepare: Option<fn(&Database) -> Result<()>>,
    pub(super) steps: &'static [Step],
}

/// A call that is done whole or not at all.
pub(super) struct Step {
    pub(super) run: fn(&Database) -> Result<()>,
    /// What it changes.
    pub(super) effect: fn(&mut State),
}

const fn step(run: fn(&Database) -> Result<()>, effect: fn(&mut State)) -> Step {
    Step { run, effect }
}

/// Some pages of notes.
pub(super) const TEXT_LEN: usize = 600;

/// SQLite copies the log back once it is so long.
const LOG_PAGES: u64 = 1_000;
const PAGE_LEN: u64 = 8192;

pub(super) static CREATION: Scenario = Scenario {
    name: "a_new_file",
    prepare: None,
    steps: &[
        step(|db| db.collection::<Note>().map(drop), |_| {}),
        step(|db| insert(db, 1), |state| state.add(note(1, TEXT_LEN))),
    ],
};

pub(super) static INSERTS: Scenario = Scenario {
    name: "single_inserts",
    prepare: Some(in_use),
    steps: &[
        step(|db| insert(db, 101), |state| state.add(note(101, TEXT_LEN))),
        step(
            |db| db.collection::<Note>()?.upsert(Note { id: 1_000, ..note(102, 20_000) }).map(drop),
            |state| state.add(note(102, 20_000)),
        ),
        step(|db| insert(db, 103), |state| state.add(note(103, TEXT_LEN))),
    ],
};

pub(super) static TEXT_KEYS: Scenario = Scenario {
    name: "documents_by_a_text_as_key",
    prepare: Some(in_use),
    steps: &[
        step(|db| insert_label(db, "first"), |state| state.put(label("first", "new"))),
        step(|db| insert_label(db, "second"), |state| state.put(label("second", "new"))),
        step(
            |db| db.collection()?.upsert(label("first", "newer")).map(drop),
            |state| state.put(label("first", "newer")),
        ),
        step(
            |db| db.collection()?.replace(&label("second", "newest")).map(drop),
            |state| {
                state.labels.get_mut("second").into_iter().for_each(|text| "newest".clone_into(text));
            },
        ),
        step(
            |db| db.collection::<Label>()?.delete("first").map(drop),
            |state| state.labels.retain(|name, _| name != "first"),
        ),
    ],
};

pub(super) static LOAD: Scenario = Scenario {
    name: "a_load_into_a_fresh_file",
    prepare: Some(|db| db.collection::<Note>().map(drop)),
    steps: &[
        step(
            |db| db.collection::<Note>()?.insert_batch((0..60).map(|n| note(n, TEXT_LEN))).map(drop),
            |state| (0..60).for_each(|n| state.add(note(n, TEXT_LEN))),
        ),
        step(|db| insert(db, 101), |state| state.add(note(101, TEXT_LEN))),
    ],
};

pub(super) static BATCHES: Scenario = Scenario {
    name: "batches_into_a_file_in_use",
    prepare: Some(in_use),
    steps: &[
        step(
            |db| db.collection::<Note>()?.insert_batch((100..120).map(|n| note(n, TEXT_LEN))).map(drop),
            |state| (100..120).for_each(|n| state.add(note(n, TEXT_LEN))),
        ),
        step(
            |db| {
                db.transaction(|tx| {
                    let notes = tx.collection::<Note>()?;
                    notes.insert_batch((120..130).map(|n| note(n, TEXT_LEN)))?;
                    notes.delete_many(|n| n.shelf.eq(1))?;
                    notes.insert(note(130, TEXT_LEN)).map(drop)
                })
            },
            |state| {
                (120..130).for_each(|n| state.add(note(n, TEXT_LEN)));
                state.notes.retain(|_, note| note.shelf != 1);
                state.add(note(130, TEXT_LEN));
            },
        ),
    ],
};

pub(super) static CHECKPOINT: Scenario = Scenario {
    name: "a_batch_after_which_the_log_is_copied_back",
    prepare: Some(|db| {
        in_use(db)?;
        let notes = db.collection::<Note>()?;
        let log = db.path().with_extension("db-wal");
        // A little less than what is copied back.
        while log.metadata().map_or(0, |log| log.len()) < (LOG_PAGES - 10) * PAGE_LEN {
            notes.update_many(|n| n.id.eq(1), |n| n.shelf.increment(4))?;
        }
        notes.update_many(|n| n.id.eq(1), |n| n.shelf.set(0)).map(drop)
    }),
    steps: &[
        step(
            |db| db.collection::<Note>()?.insert_batch((100..150).map(|n| note(n, TEXT_LEN))).map(drop),
            |state| (100..150).for_each(|n| state.add(note(n, TEXT_LEN))),
        ),
        step(|db| insert(db, 300), |state| state.add(note(300, TEXT_LEN))),
    ],
};

pub(super) static INDEXES: Scenario = Scenario {
    name: "indexes_that_come_and_go",
    prepare: Some(|db| db.collection::<Note>()?.insert_batch((0..40).map(|n| note(n, TEXT_LEN))).map(drop)),
    steps: &[
        step(
            |db| {
                db.collection::<Note>()?.ensure_index(|n| n.name).unique().nulls_collide().create().map(drop)
            },
            |state| state.indexes.extend(["notes/name".to_owned()]),
        ),
        step(
            |db| db.collection::<Note>()?.ensure_indexes().map(drop),
            // The first one, too, where it was not made.
            |state| state.indexes.extend(["notes/name".to_owned(), "notes/shelf".to_owned()]),
        ),
        step(|db| insert(db, 101), |state| state.add(note(101, TEXT_LEN))),
        step(
            |db| db.collection::<Note>()?.drop_index("notes/name").map(drop),
            |state| state.indexes.retain(|name| name != "notes/name"),
        ),
    ],
};

pub(super) static UPDATES: Scenario = Scenario {
    name: "updates_by_query",
    prepare: Some(in_use),
    steps: &[
        step(
            |db| {
                let notes = db.collection::<Note>()?;
                notes.update_many(|n| n.shelf.eq(2), |n| (n.shelf.set(3), n.text.set("moved"))).map(drop)
            },
            |state| {
                let moved = state.notes.values_mut().filter(|note| note.shelf == 2);
                moved.for_each(|note| (note.shelf, note.text) = (3, "moved".to_owned()));
            },
        ),
        step(
            |db| {
                let notes = db.collection::<Note>()?;
                let Some(found) = notes.filter(|n| n.name.eq("note 5")).first()? else { return Ok(()) };
                notes.replace(&Note { text: "replaced".to_owned(), ..found }).map(drop)
            },
            |state| {
                let found = state.notes.get_mut("note 5");
                found.into_iter().for_each(|note| note.text = "replaced".to_owned());
            },
        ),
    ],
};

pub(super) static DELETES: Scenario = Scenario {
    name: "deletes",
    prepare: Some(in_use),
    steps: &[
        step(
            |db| db.collection::<Note>()?.delete_many(|n| n.shelf.eq(0)).map(drop),
            |state| state.notes.retain(|_, note| note.shelf != 0),
        ),
        step(|db| db.collection::<Note>()?.delete(2).map(drop), |state| drop(state.notes.remove("note 1"))),
    ],
};

pub(super) static FILES: Scenario = Scenario {
    name: "files_in_place",
    prepare: Some(with_files),
    steps: &[
        step(|db| db.files().write("/d/a", bytes(3, 20_000)), |state| *state.file("/d/a") = bytes(3, 20_000)),
        step(
            |db| db.files().write_at("/d/b", 8_000, bytes(4, 9_000)),
            |state| drop(state.file("/d/b").splice(8_000..17_000, bytes(4, 9_000))),
        ),
        step(|db| db.files().set_len("/d/a", 9_000), |state| state.file("/d/a").truncate(9_000)),
        step(|db| db.files().set_len("/d/a", 70_000), |state| state.file("/d/a").resize(70_000, 0)),
        step(
            |db| db.files().punch_hole("/d/b", 100, 30_000),
            |state| state.file("/d/b").get_mut(100..30_100).into_iter().for_each(|hole| hole.fill(0)),
        ),
        step(
            |db| db.files().copy_range(("/d/b", 50), ("/d/a", 60_000), 20_000).map(drop),
            |state| {
                let copied = state.file("/d/b").get(50..20_050).unwrap_or_default().to_vec();
                let all = state.file("/d/a");
                all.resize(all.len().max(80_000), 0);
                all.splice(60_000..80_000, copied);
            },
        ),
        step(
            |db| db.files().copy("/d", "/copy"),
            |state| {
                let mut copy = State { files: state.files.clone(), ..State::default() };
                move_files(&mut copy, "/d/", "/copy/");
                state.files.extend(copy.files);
            },
        ),
        step(
            |db| db.files().delete_all("/copy").map(drop),
            |state| state.files.retain(|path, _| !path.starts_with("/copy/")),
        ),
        step(|db| db.files().rename("/d", "/new/e"), |state| move_files(state, "/d/", "/new/e/")),
    ],
};

pub(super) static STREAMS: Scenario = Scenario {
    name: "files_from_sources",
    prepare: Some(with_files),
    steps: &[
        step(
            |db| db.files().write_from("/d/a", &*bytes(5, STAGED_LEN)).map(drop),
            |state| *state.file("/d/a") = bytes(5, STAGED_LEN),
        ),
        step(
            |db| db.files().write_at("/d/a", 100, bytes(6, 100)),
            |state| drop(state.file("/d/a").splice(100..200, bytes(6, 100))),
        ),
        step(
            |db| db.files().write_from("/new", &*bytes(7, 30_000)).map(drop),
            |state| *state.file("/new") = bytes(7, 30_000),
        ),
    ],
};

/// More than what is staged at once.
const STAGED_LEN: usize = (2 << 20) + 10_000;

fn bytes(first: u8, len: usize) -> Vec<u8> {
    std::iter::successors(Some(first), |byte| Some(byte.wrapping_mul(5).wrapping_add(1))).take(len).collect()
}

fn with_files(db: &Database) -> Result<()> {
    db.files().write("/d/a", bytes(1, 60_000))?;
    db.files().write("/d/b", bytes(2, 40_000))
}

fn move_files(state: &mut State, from: &str, to: &str) {
    let files = std::mem::take(&mut state.files).into_iter();
    let moved = |path: String| path.strip_prefix(from).map_or(path.clone(), |inside| format!("{to}{inside}"));
    state.files = files.map(|(path, bytes)| (moved(path), bytes)).collect();
}

pub(super) static VACUUM: Scenario = Scenario {
    name: "a_file_that_is_written_anew",
    prepare: Some(|db| {
        in_use(db)?;
        db.collection::<Note>()?.delete_many(|n| n.shelf.eq(0)).map(drop)
    }),
    steps: &[
        step(Database::vacuum, |_| {}),
        step(|db| insert(db, 101), |state| state.add(note(101, TEXT_LEN))),
    ],
};

fn insert(db: &Database, number: i64) -> Result<()> {
    db.collection::<Note>()?.insert(note(number, TEXT_LEN)).map(drop)
}

fn insert_label(db: &Database, name: &str) -> Result<()> {
    db.collection()?.insert(label(name, "new")).map(drop)
}

/// A file with a few pages of notes, all of their indexes, and ids from 1.
fn in_use(db: &Database) -> Result<()> {
    let notes = db.collection::<Note>()?;
    notes.insert_batch((0..40).map(|n| note(n, TEXT_LEN)))?;
    notes.ensure_indexes().map(drop)
}
