//! Files that are not ours to open, and places that cannot be written: typed errors that name the file, nothing lost.

mod support;

use std::fs;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use support::{Dir, TestResult, fails};
use vellum::ErrorKind::{Corrupt, Io, NewerFormat, NotADatabase, NotFound, OtherApplication, ReadOnly};
use vellum::prelude::*;
use vellum::{ErrorKind, Options};

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "c")]
struct C {
    id: i64,
    #[document(index)]
    n: i64,
}

/// Asserts that neither kind of open takes the file, and that both leave it as it is.
fn refused(file: &Path, kind: ErrorKind, named: &[&str]) -> TestResult {
    let before = fs::read(file)?;
    let name = file.file_name().and_then(|name| name.to_str()).ok_or("a name")?;
    let named: Vec<&str> = named.iter().copied().chain([name]).collect();
    fails(Database::open(file), kind, &named);
    fails(Options::new().read_only().open(file), kind, &named);
    assert_eq!(fs::read(file)?, before, "{name} is left as it was");
    Ok(())
}

/// Makes a database of 500 documents and closes it.
fn written(file: &Path) -> vellum::Result<()> {
    let c = Database::open(file)?.collection::<C>()?;
    c.insert_batch((1..=500).map(|n| C { id: 0, n }))?;
    c.ensure_indexes()?;
    Ok(())
}

#[test]
fn a_file_that_is_no_database_is_refused() -> TestResult {
    let dir = Dir::new()?;
    let text = dir.file("notes.txt");
    fs::write(&text, "milk, eggs, and a great deal of other text\n".repeat(100))?;
    refused(&text, NotADatabase, &["not a database"])?;
    let short = dir.file("short");
    fs::write(&short, "hi")?;
    refused(&short, NotADatabase, &[])?;
    let zeros = dir.file("zeros");
    fs::write(&zeros, vec![0; 8192])?;
    refused(&zeros, NotADatabase, &[])
}

#[test]
fn a_database_of_another_program_is_refused() -> TestResult {
    let dir = Dir::new()?;
    let marked = dir.file("marked.db");
    rusqlite::Connection::open(&marked)?
        .execute_batch("PRAGMA application_id=0x12345678; CREATE TABLE t(x); INSERT INTO t VALUES (1)")?;
    refused(&marked, OtherApplication, &["0x12345678", "another"])?;
    let plain = dir.file("plain.db");
    rusqlite::Connection::open(&plain)?.execute_batch("CREATE TABLE t(x); INSERT INTO t VALUES (1)")?;
    refused(&plain, OtherApplication, &["another"])
}

#[test]
fn a_newer_format_is_refused() -> TestResult {
    let dir = Dir::new()?;
    let file = dir.file("newer.db");
    written(&file)?;
    let conn = rusqlite::Connection::open(&file)?;
    conn.execute_batch("PRAGMA user_version=2; PRAGMA wal_checkpoint(TRUNCATE)")?;
    drop(conn);
    refused(&file, NewerFormat, &["2", "1", "newer vellum"])
}

#[test]
fn a_truncated_or_overwritten_file_is_a_typed_error() -> TestResult {
    let dir = Dir::new()?;
    let file = dir.file("whole.db");
    written(&file)?;
    let whole = fs::read(&file)?;
    for len in [17, 100, 4096, whole.len() / 2, whole.len() - 20_000] {
        let cut = dir.file(&format!("cut-{len}.db"));
        fs::write(&cut, whole.get(..len).ok_or("shorter")?)?;
        let outcome = Database::open(&cut).and_then(|db| {
            let c = db.collection::<C>()?;
            c.query().to_vec()?;
            c.insert(C { id: 0, n: 1 })?;
            c.filter(|e| e.n.ge(0)).count()
        });
        let error = match outcome {
            Err(error) => error,
            Ok(_) => return Err(format!("cut to {len} bytes, nothing was noticed").into()),
        };
        let words = support::words(&error);
        assert!(matches!(error.kind(), Corrupt | NotADatabase), "{len}: {:?} {words}", error.kind());
        assert!(words.contains(&format!("cut-{len}.db")), "{words}");
    }
    let torn = dir.file("torn.db");
    let mut bytes = whole.clone();
    let middle = 8192..bytes.len();
    bytes.get_mut(middle).ok_or("shorter")?.fill(0xA5);
    fs::write(&torn, &bytes)?;
    let outcome = Database::open(&torn).and_then(|db| db.collection::<C>()?.query().to_vec());
    fails(outcome, Corrupt, &["torn.db", "restore it"]);
    Ok(())
}

#[test]
fn a_missing_file_is_not_found_when_read_only_and_not_made() -> TestResult {
    let dir = Dir::new()?;
    let file = dir.file("missing.db");
    fails(Options::new().read_only().open(&file), NotFound, &["missing.db", "read_only"]);
    assert!(!file.exists());
    let below = dir.file("no-such-directory/a.db");
    fails(Options::new().read_only().open(&below), NotFound, &["no-such-directory"]);
    // The words behind it are the system's own.
    let reason = fs::metadata(&below).unwrap_err().to_string();
    fails(Database::open(&below), Io, &["no-such-directory", &reason]);
    Ok(())
}

#[test]
fn a_directory_is_not_a_file() -> TestResult {
    let dir = Dir::new()?;
    let path = dir.path().to_owned();
    for result in [Database::open(&path), Options::new().read_only().open(&path)] {
        let error = result.map(|_| ()).expect_err("a directory");
        assert_ne!(error.kind(), ErrorKind::Internal, "{}", support::words(&error));
        assert!(support::words(&error).contains("vellum-test"), "{}", support::words(&error));
    }
    Ok(())
}

#[test]
fn an_empty_file_becomes_ours() -> TestResult {
    let dir = Dir::new()?;
    let file = dir.file("empty.db");
    fs::File::create(&file)?;
    fails(Options::new().read_only().open(&file), NotADatabase, &["empty.db"]);
    written(&file)?;
    assert_eq!(Database::open(&file)?.collection::<C>()?.count()?, 500);
    Ok(())
}

#[test]
fn a_stray_byte_behind_the_file_does_no_harm() -> TestResult {
    let dir = Dir::new()?;
    let file = dir.file("a.db");
    written(&file)?;
    fs::OpenOptions::new().append(true).open(&file)?.write_all(b"x")?;
    let c = Database::open(&file)?.collection::<C>()?;
    assert_eq!(c.count()?, 500);
    c.insert(C { id: 0, n: 1 })?;
    Ok(())
}

/// Runs the named test of this program again as another user, with `VELLUM_DIR` set; `None` where that cannot be done.
#[cfg(unix)]
fn as_nobody(dir: &Dir, test: &str) -> std::io::Result<Option<std::process::Output>> {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65_534;
    let program = dir.file("program");
    fs::copy(std::env::current_exe()?, &program)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    let child = std::process::Command::new(&program)
        .args(["--exact", test, "--nocapture"])
        .env("VELLUM_DIR", dir.path())
        .current_dir(dir.path())
        .uid(NOBODY)
        .gid(NOBODY)
        .output();
    match child {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Ok(None),
        output => output.map(Some),
    }
}

#[cfg(unix)]
#[test]
fn a_place_that_cannot_be_written_is_read_only() -> TestResult {
    use std::os::unix::fs::PermissionsExt;
    let Some(dir) = std::env::var_os("VELLUM_DIR") else {
        // The tests may run as root, whom permissions do not stop: the checks run in a child as somebody else.
        let dir = Dir::new()?;
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755))?;
        written(&dir.file("theirs.db"))?;
        let before = fs::read(dir.file("theirs.db"))?;
        if let Some(output) = as_nobody(&dir, "a_place_that_cannot_be_written_is_read_only")? {
            let said = String::from_utf8_lossy(&output.stdout);
            let failed = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.contains("1 passed"), "{said}\n{failed}");
        }
        assert_eq!(fs::read(dir.file("theirs.db"))?, before);
        return Ok(());
    };
    let file = |name: &str| Path::new(&dir).join(name);
    fails(Database::open(file("new.db")), ReadOnly, &["new.db", "permissions"]);
    fails(Database::open(file("theirs.db")), ReadOnly, &["theirs.db", "permissions"]);
    // Without a place for the log, the file alone is read.
    let c = Options::new().read_only().open(file("theirs.db"))?.collection::<C>()?;
    assert_eq!(c.filter(|e| e.n.le(10)).count()?, 10);
    fails(c.insert(C { id: 0, n: 1 }), ReadOnly, &["theirs.db"]);
    Ok(())
}
