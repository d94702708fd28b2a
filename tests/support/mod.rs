//! What the tests share: files of their own, the stranger who writes beside us, both forms of a query, and documents.

#![allow(clippy::panic, reason = "a helper of tests fails as a test does")]
#![allow(dead_code, unused_macros, unused_imports, reason = "each test program uses its part")]

pub(crate) mod child;
pub(crate) mod entry;
pub(crate) mod event;
pub(crate) mod files;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use vellum::{Database, ErrorKind};

pub(crate) type TestResult<T = ()> = Result<T, Box<dyn Error>>;

/// A directory that goes with the test.
pub(crate) struct Dir(PathBuf);

impl Dir {
    pub(crate) fn new() -> std::io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let path = parent.join(format!("vellum-test-{}-{number}", std::process::id()));
        std::fs::create_dir(&path)?;
        Ok(Dir(path))
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs `f` in so many threads, which begin together, and returns the first error.
pub(crate) fn together(
    threads: usize,
    f: impl Fn(usize) -> vellum::Result<()> + Sync,
) -> Result<(), Box<dyn Error>> {
    let barrier = Barrier::new(threads);
    thread::scope(|scope| {
        let run = |number| {
            barrier.wait();
            f(number)
        };
        let running: Vec<_> = (0..threads).map(|number| scope.spawn(move || run(number))).collect();
        running.into_iter().map(|one| one.join().map_err(|_| "a thread panicked")).collect::<Vec<_>>()
    })
    .into_iter()
    .try_for_each(|result| Ok(result??))
}

/// Returns the category of what failed.
pub(crate) fn kind<T: std::fmt::Debug>(result: vellum::Result<T>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

/// Opens the file as another program would.
pub(crate) fn stranger(db: &Database) -> rusqlite::Result<rusqlite::Connection> {
    rusqlite::Connection::open(db.path())
}

/// Stores documents as another program would: each a row id and JSON text. The table is named like the collection.
pub(crate) fn strange(db: &Database, table: &str, documents: &[(i64, &str)]) -> rusqlite::Result<()> {
    let mut conn = stranger(db)?;
    let txn = conn.transaction()?;
    for (id, json) in documents {
        txn.execute(&format!("INSERT INTO \"{table}\"(id, doc) VALUES (?1, jsonb(?2))"), (id, json))?;
    }
    txn.commit()
}

/// Reads a document as another program would.
pub(crate) fn stored(db: &Database, table: &str, id: i64) -> rusqlite::Result<String> {
    let sql = format!("SELECT json(doc) FROM \"{table}\" WHERE id = ?1");
    stranger(db)?.query_row(&sql, [id], |row| row.get(0))
}

/// Asserts that SQLite finds a file whole, and that the catalog and the schema tell of the same columns and indexes.
pub(crate) fn assert_whole(file: &Path) -> TestResult {
    const IN_CATALOG: &str = "SELECT name FROM vellum_index UNION ALL
        SELECT definition ->> 'nulls' FROM vellum_index WHERE definition ->> 'nulls' IS NOT NULL UNION ALL
        SELECT name FROM vellum_column ORDER BY 1";
    const IN_SCHEMA: &str =
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL UNION ALL
        SELECT x.name FROM vellum_collection AS c CROSS JOIN pragma_table_xinfo(c.tbl) AS x WHERE x.hidden = 2
        ORDER BY 1";
    let conn = rusqlite::Connection::open(file)?;
    let names = |sql: &str| -> rusqlite::Result<Vec<String>> {
        conn.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
    };
    assert_eq!(names("PRAGMA integrity_check")?, ["ok"]);
    assert_eq!(names(IN_CATALOG)?, names(IN_SCHEMA)?, "the catalog and the schema");
    Ok(())
}

/// Returns SQLite's plan of a statement, one line a step.
pub(crate) fn plan_of(db: &Database, sql: &str) -> rusqlite::Result<String> {
    let conn = stranger(db)?;
    let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    // Parameters stay unbound: the plan does not depend on them.
    let mut rows = statement.raw_query();
    let mut steps: Vec<String> = Vec::new();
    while let Some(row) = rows.next()? {
        steps.push(row.get(3)?);
    }
    Ok(steps.join("\n"))
}

/// Returns what an error and its sources say.
pub(crate) fn words(error: &dyn Error) -> String {
    let mut all = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        all = format!("{all}: {source}");
        next = source.source();
    }
    all
}

/// Asserts that a call failed with this kind and that its words name all of these.
#[track_caller]
#[expect(clippy::panic, reason = "a test fails here")]
pub(crate) fn fails<T: std::fmt::Debug>(result: vellum::Result<T>, kind: ErrorKind, named: &[&str]) {
    let error = match result {
        Ok(value) => panic!("expected {kind:?}, got {value:?}"),
        Err(error) => error,
    };
    let words = words(&error);
    assert_eq!(error.kind(), kind, "{words}");
    for name in named {
        assert!(words.contains(name), "`{name}` is not named in: {words}");
    }
}

/// Returns the ids that a condition finds, the same in the ordinary and the compiled form, with its exact complement
/// in the negated one (rules 1 and 27).
macro_rules! ids {
    ($c:expr, $condition:expr) => {{
        let (c, condition) = (&$c, $condition);
        let found = c.filter(condition).select(|e| e.id).to_vec()?;
        let compiled = c.compile(|q, ()| q.filter(condition).select(|e| e.id))?;
        assert_eq!(compiled.call(())?, found, "compiled: {}", compiled.to_sql());
        assert_eq!(c.filter(condition).count()?, found.len() as u64, "count: {}", compiled.to_sql());
        assert_eq!(c.filter(condition).exists()?, !found.is_empty(), "exists: {}", compiled.to_sql());
        let negated = c.compile(|q, ()| q.filter(|e| !condition(e)).select(|e| e.id))?;
        let twice = c.filter(|e| !!condition(e)).select(|e| e.id).to_vec()?;
        assert_eq!(twice, found, "doubly negated: {}", compiled.to_sql());
        let all = c.query().select(|e| e.id).to_vec()?;
        let rest: Vec<i64> = all.iter().copied().filter(|id| !found.contains(id)).collect();
        assert_eq!(negated.call(())?, rest, "complement: {}", negated.to_sql());
        let seen: Vec<(i64, bool)> = c.query().select(|e| (e.id, condition(e))).to_vec()?;
        let expected: Vec<(i64, bool)> = all.iter().map(|id| (*id, found.contains(id))).collect();
        assert_eq!(seen, expected, "selected: {}", compiled.to_sql());
        found
    }};
}
pub(crate) use ids;
