//! What other programs do to the file, and what a call that failed leaves behind.

mod support;

use serde::{Deserialize, Serialize};
use support::{TestResult, fails};
use vellum::prelude::*;
use vellum::{ErrorKind, Options};

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "things")]
struct Thing {
    id: i64,
    #[document(index)]
    name: String,
    #[document(index)]
    size: i64,
    tags: Vec<String>,
}

fn thing(name: &str, size: i64) -> Thing {
    Thing { id: 0, name: name.into(), size, tags: Vec::new() }
}

struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> std::io::Result<Self> {
        let dir = std::env::temp_dir().join(format!("vellum-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir)?;
        Ok(Self(dir))
    }

    fn file(&self) -> std::path::PathBuf {
        self.0.join("it.db")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn an_index_that_another_program_dropped_is_done_without_and_made_again() -> TestResult {
    let scratch = Scratch::new("dropped")?;
    let things = Database::open(scratch.file())?.collection::<Thing>()?;
    things.insert_batch((0..50).map(|i| thing(&format!("n{}", i % 5), i)))?;
    things.ensure_indexes()?;
    let by_name = things.compile(|q, (name,)| q.filter(|t| t.name.eq(name)).count())?;
    assert_eq!(by_name.call("n1")?, 10);
    assert!(by_name.to_sql().contains("INDEXED BY"), "{}", by_name.to_sql());
    let stranger = rusqlite::Connection::open(scratch.file())?;
    stranger.execute_batch(r#"DROP INDEX "things/name""#)?;
    assert_eq!(by_name.call("n1")?, 10);
    assert_eq!(things.filter(|t| t.name.eq("n2") & t.size.gt(10)).count()?, 8);
    assert_eq!(things.ensure_indexes()?.created, ["things/name"]);
    assert_eq!(by_name.call("n1")?, 10);
    assert!(by_name.to_sql().contains("INDEXED BY"), "{}", by_name.to_sql());
    Ok(())
}

#[test]
fn an_id_that_a_rolled_back_transaction_gave_is_not_given_again() -> TestResult {
    let db = Database::open_in_memory()?;
    let things = db.collection::<Thing>()?;
    let mut first = thing("first", 1);
    let failed: vellum::Result<()> = db.transaction(|tx| {
        let things = tx.collection::<Thing>()?;
        things.insert(&mut first)?;
        things.filter(|t| t.size.eq(99)).single().map(drop)
    });
    fails(failed, ErrorKind::NoRow, &[]);
    let second = things.insert(thing("second", 2))?;
    assert_ne!(first.id, second);
    things.upsert(&mut first)?;
    assert_eq!(things.get(second)?.map(|t| t.name).as_deref(), Some("second"));
    // Ids that a failed batch put back were seen by nobody.
    let mut batch = [thing("a", 3), Thing { id: second, ..thing("b", 4) }];
    assert!(things.insert_batch(batch.iter_mut()).is_err());
    assert_eq!(batch.each_ref().map(|t| t.id), [0, second]);
    let third = things.insert(thing("third", 3))?;
    assert_eq!((third, things.count()?), (second + 1, 3));
    Ok(())
}

#[test]
fn a_file_too_short_for_a_database_is_left_alone() -> TestResult {
    let scratch = Scratch::new("short")?;
    for len in [1, 2, 15, 99] {
        let text = "h".repeat(len);
        std::fs::write(scratch.file(), &text)?;
        fails(Database::open(scratch.file()), ErrorKind::NotADatabase, &["it.db"]);
        assert_eq!(std::fs::read_to_string(scratch.file())?, text);
    }
    Ok(())
}

#[test]
fn a_read_only_handle_reports_on_its_indexes() -> TestResult {
    let scratch = Scratch::new("read-only")?;
    {
        let things = Database::open(scratch.file())?.collection::<Thing>()?;
        things.insert(thing("a", 1))?;
        things.ensure_index(|t| t.name).create()?;
    }
    let things = Options::new().read_only().open(scratch.file())?.collection::<Thing>()?;
    fails(things.ensure_indexes(), ErrorKind::ReadOnly, &["it.db"]);
    {
        let things = Database::open(scratch.file())?.collection::<Thing>()?;
        things.ensure_indexes()?;
    }
    let report = things.ensure_indexes()?;
    assert_eq!(report.unchanged, ["things/name", "things/size"]);
    Ok(())
}

#[test]
fn an_update_that_meets_a_damaged_document_says_so() -> TestResult {
    let scratch = Scratch::new("damaged")?;
    let things = Database::open(scratch.file())?.collection::<Thing>()?;
    things.insert_batch([thing("a", 1), thing("b", 2)])?;
    let stranger = rusqlite::Connection::open(scratch.file())?;
    let damage = "PRAGMA ignore_check_constraints=ON; UPDATE things SET doc = x'ff' WHERE id = 2";
    stranger.execute_batch(damage)?;
    fails(things.update_many(|t| t.size.ge(0), |t| t.name.set("c")), ErrorKind::Corrupt, &["it.db"]);
    assert_eq!(things.get(1)?.map(|t| t.name).as_deref(), Some("a"));
    assert_eq!(things.update_many(|t| t.id.eq(1), |t| t.name.set("c"))?, 1);
    Ok(())
}

#[test]
fn an_error_says_its_cause_in_its_own_words() -> TestResult {
    let things = Database::open_in_memory()?.collection::<Thing>()?;
    things.ensure_index(|t| t.name).unique().create()?;
    things.insert(thing("a", 1))?;
    let error = things.insert_batch([thing("b", 1), thing("a", 2)]).err().ok_or("it was stored")?;
    let words = error.to_string();
    assert!(words.contains("item 1 of the batch") && words.contains("things/name"), "{words}");
    Ok(())
}

#[test]
fn whole_lists_are_not_grouped_by() -> TestResult {
    let things = Database::open_in_memory()?.collection::<Thing>()?;
    let grouped = things.query().group_by(|t| t.tags).select(|g| g.count()).to_vec();
    fails(grouped, ErrorKind::InvalidQuery, &["tags"]);
    Ok(())
}

#[test]
fn a_chain_of_thousands_of_conditions_is_answered_on_a_small_stack() -> TestResult {
    let things = Database::open_in_memory()?.collection::<Thing>()?;
    things.insert(thing("a", 7))?;
    let found = std::thread::Builder::new().stack_size(1 << 21).spawn(move || {
        let any = things.filter(|t| (0..5_000).fold(t.size.eq(-1), |any, k| any | t.size.eq(k))).count()?;
        let all =
            things.filter(|t| (0..5_000).fold(t.size.eq(7), |all, k| all & t.size.ge(k - 5_000))).count()?;
        Ok::<_, vellum::Error>((any, all))
    })?;
    assert_eq!(found.join().map_err(|_| "the thread panicked")??, (1, 1));
    Ok(())
}
