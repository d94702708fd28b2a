//! Rows of files that another program wrote with plain SQL: typed errors, no panic, no endless walk, and `check` names
//! them.

mod support;

use std::io::Read;

use support::{TestResult, stranger};
use vellum::{Database, ErrorKind, Files};

const PATHS: &[&str] = &["/", "/d", "/d/a", "/d/b", "/e", "/d/inner", "/d/inner/c"];

/// What another program does, and what `check` says of it then.
const STRANGE: &[(&str, &str)] = &[
    ("UPDATE vellum_entry SET name = 'x/y' WHERE name = 'a'", "a name holds `/`"),
    ("UPDATE vellum_entry SET name = '..' WHERE name = 'a'", "`.` and `..` are no names"),
    ("UPDATE vellum_entry SET name = '' WHERE name = 'a'", "a name is empty"),
    ("UPDATE vellum_entry SET name = 'a' || char(0) WHERE name = 'a'", "a name holds NUL"),
    ("UPDATE vellum_entry SET name = CAST(x'61ff' AS TEXT) WHERE name = 'a'", "its name is not UTF-8"),
    ("UPDATE vellum_entry SET name = x'61' WHERE name = 'a'", "its name is no text"),
    (
        "UPDATE vellum_entry SET name = printf('%300c', 'n') WHERE name = 'a'",
        "a name has more than 255 bytes",
    ),
    ("UPDATE vellum_entry SET length = -1 WHERE name = 'a'", "it has a length that no file has"),
    (
        "UPDATE vellum_entry SET length = 9223372036854775807 WHERE name = 'a'",
        "it has a length that no file has",
    ),
    ("UPDATE vellum_entry SET length = 'long' WHERE name = 'a'", "it lacks a number"),
    ("UPDATE vellum_entry SET length = 5 WHERE name = 'a'", "bytes are stored past its end"),
    ("UPDATE vellum_entry SET length = 5 WHERE name = 'inner'", "it is a directory with bytes"),
    ("UPDATE vellum_entry SET kind = 7 WHERE name = 'a'", "it is neither a file nor a directory"),
    ("UPDATE vellum_entry SET kind = 'file' WHERE name = 'a'", "it is neither a file nor a directory"),
    ("UPDATE vellum_entry SET kind = 1 WHERE name = 'inner'", "it hangs below no directory"),
    ("UPDATE vellum_entry SET parent = 77 WHERE name = 'a'", "it hangs below no directory"),
    ("UPDATE vellum_entry SET parent = 'above' WHERE name = 'a'", "it hangs below no directory"),
    ("UPDATE vellum_entry SET parent = id WHERE name = 'd'", "it hangs below no directory"),
    (
        "UPDATE vellum_entry SET parent = (SELECT id FROM vellum_entry WHERE name = 'inner') WHERE name = 'd'",
        "it hangs below no directory",
    ),
    (
        "UPDATE vellum_entry SET parent = (SELECT id FROM vellum_entry WHERE name = 'inner') WHERE id = 1",
        "the root is no directory",
    ),
    ("UPDATE vellum_entry SET kind = 1 WHERE id = 1", "the root is no directory"),
    ("DELETE FROM vellum_entry WHERE id = 1", "the root is no directory"),
    ("UPDATE vellum_entry SET content = 'x' WHERE name = 'a'", "it lacks a number"),
    (
        "UPDATE vellum_entry SET content = 1 << 40 WHERE name = 'a'",
        "the number of its content has not been given",
    ),
    (
        "UPDATE vellum_entry SET content = (SELECT content FROM vellum_entry WHERE name = 'b') WHERE name = 'a'",
        "another file has the same content",
    ),
    ("UPDATE vellum_entry SET version = 9223372036854775807 WHERE name = 'a'", ""),
    ("UPDATE vellum_entry SET version = 'x' WHERE name = 'a'", "it lacks a number"),
    ("UPDATE vellum_entry SET created = 'x', modified = 2.5 WHERE name = 'a'", "it lacks a number"),
    ("UPDATE vellum_entry SET created = -9223372036854775808 WHERE name = 'a'", ""),
    ("UPDATE vellum_entry SET hash = x'00' WHERE name = 'a'", ""),
    ("UPDATE vellum_chunk SET data = zeroblob(100000)", "it has a length that no chunk has"),
    ("UPDATE vellum_chunk SET data = zeroblob(0)", "it has a length that no chunk has"),
    ("UPDATE vellum_chunk SET data = 'text'", "it has a length that no chunk has"),
    ("UPDATE vellum_chunk SET data = 5", "it has a length that no chunk has"),
    ("INSERT INTO vellum_chunk VALUES (-5, x'00'), (99 << 31, x'00')", "it belongs to no file"),
    ("DELETE FROM vellum_chunk", "it holds more or less than it says"),
    ("UPDATE vellum_entry SET allocated = 1 WHERE name = 'a'", "it holds more or less than it says"),
    ("UPDATE vellum_entry SET allocated = -1 WHERE name = 'a'", "it holds more or less than it says"),
    ("UPDATE vellum_entry SET allocated = 9223372036854775807", "it holds more or less than it says"),
    ("INSERT INTO vellum_staged VALUES (50, x'00', 'never')", ""),
    (
        "INSERT INTO vellum_staged SELECT content, 'me', 0 FROM vellum_entry WHERE name = 'a'",
        "its content is staged, too",
    ),
    ("UPDATE vellum_meta SET value = 2 WHERE key = 'next_content'", "its number has not been given"),
    ("UPDATE vellum_meta SET value = 'x' WHERE key = 'next_content'", ""),
    ("DELETE FROM vellum_meta WHERE key = 'next_content'", ""),
    ("UPDATE vellum_meta SET value = 0 WHERE key = 'chunk_len'", ""),
    ("UPDATE vellum_meta SET value = 1 << 40 WHERE key = 'chunk_len'", ""),
    ("DELETE FROM vellum_meta WHERE key = 'chunk_len'", ""),
];

#[test]
fn rows_of_other_programs_are_typed_errors_and_named_by_check() -> TestResult {
    for (sql, named) in STRANGE {
        let db = Database::open_in_memory()?;
        db.transaction(|tx| {
            tx.files().write("/d/a", [1; 30_000])?;
            tx.files().write("/d/b", [2; 10_000])?;
            tx.files().write("/d/inner/c", [3; 100])?;
            tx.files().write("/e", "e")?;
            tx.files().seal("/d/b").map(drop)
        })?;
        stranger(&db)?.execute_batch(sql)?;
        // Another handle: what one has read of the layout it knows.
        let path = db.path().to_owned();
        let again = Database::open(&path)?;
        let check = again.files().check();
        let problems: Vec<String> = typed(sql, check).iter().flatten().map(ToString::to_string).collect();
        assert!(
            problems.iter().any(|problem| problem.contains(named)) || named.is_empty(),
            "{sql}: {problems:?}"
        );
        reads(sql, &again.files())?;
        reads(sql, &again.snapshot()?.files())?;
        for path in PATHS {
            writes(sql, &again, path)?;
        }
    }
    Ok(())
}

/// Takes what a call gave, whose error has to be one of files or of a damaged database.
fn typed<T>(sql: &str, result: vellum::Result<T>) -> Option<T> {
    use ErrorKind::{
        AlreadyExists, Changed, Corrupt, Full, InvalidQuery, NotFound, TooLarge, TypeMismatch, Unique,
    };
    let kinds =
        [AlreadyExists, Changed, Corrupt, Full, InvalidQuery, NotFound, TooLarge, TypeMismatch, Unique];
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            assert!(kinds.contains(&error.kind()), "{sql}: {:?}, {error}", error.kind());
            None
        }
    }
}

fn reads(sql: &str, files: &Files<'_>) -> TestResult {
    for path in PATHS {
        typed(sql, files.read(path));
        typed(sql, files.read_at(path, 9_000, &mut [0; 9_000]));
        typed(sql, files.exists(path));
        typed(sql, files.stat(path));
        typed(sql, files.usage(path));
        typed(sql, files.list(path).to_vec());
        typed(sql, files.list(path).recursive().glob("**/c").to_vec());
        if let Some(mut file) = typed(sql, files.open(path)) {
            typed(sql, file.read_at(8_000, &mut [0; 300]));
            if let Err(error) = file.by_ref().take(100_000).read_to_end(&mut Vec::new()) {
                let cause = error.into_inner().and_then(|cause| cause.downcast::<vellum::Error>().ok());
                typed::<()>(sql, Err(*cause.ok_or("an error of another kind")?));
            }
        }
    }
    Ok(())
}

fn writes(sql: &str, db: &Database, path: &str) -> TestResult {
    // Each on the tree as it was.
    let alone = |f: &dyn Fn(&Files<'_>)| -> vellum::Result<()> {
        let tx = db.begin()?;
        f(&tx.files());
        tx.rollback()
    };
    alone(&|files| _ = typed(sql, files.write(path, [4; 20_000])))?;
    alone(&|files| _ = typed(sql, files.write_from(path, &[4; 20_000][..])))?;
    alone(&|files| _ = typed(sql, files.write_at(path, 8_000, [4; 200])))?;
    alone(&|files| _ = typed(sql, files.append(path, [4; 200])))?;
    alone(&|files| _ = typed(sql, files.set_len(path, 100)))?;
    alone(&|files| _ = typed(sql, files.set_len(path, 1 << 40)))?;
    alone(&|files| _ = typed(sql, files.punch_hole(path, 100, 9_000)))?;
    alone(&|files| _ = typed(sql, files.copy_range((path, 0), ("/e", 10), u64::MAX)))?;
    alone(&|files| _ = typed(sql, files.copy_range(("/e", 0), (path, 10), u64::MAX)))?;
    alone(&|files| _ = typed(sql, files.rename(path, "/new/path")))?;
    alone(&|files| _ = typed(sql, files.rename_over("/e", path)))?;
    alone(&|files| _ = typed(sql, files.copy(path, "/new/path")))?;
    alone(&|files| _ = typed(sql, files.copy_over("/e", path)))?;
    alone(&|files| _ = typed(sql, files.create_dir(&format!("{path}/x/y"))))?;
    alone(&|files| _ = typed(sql, files.delete(path)))?;
    alone(&|files| _ = typed(sql, files.delete_all(path)))?;
    Ok(())
}
