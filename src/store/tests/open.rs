//! What opening a file finds, makes and refuses.

use std::fs;
use std::sync::Barrier;
use std::thread;

use super::*;
use crate::store::Durability;

#[test]
fn a_new_file_is_ours_and_in_wal() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let reader = engine.reader()?;
    assert_eq!(int(&reader, "PRAGMA application_id")?, 0x5645_4C4C);
    assert_eq!(int(&reader, "PRAGMA user_version")?, 1);
    assert_eq!(int(&reader, "SELECT value FROM vellum_meta WHERE key = 'chunk_len'")?, 8128);
    assert_eq!(int(&reader, "SELECT parent FROM vellum_entry WHERE id = 1 AND name = ''")?, 0);
    assert_eq!(engine.schema().epoch, 0);
    Ok(())
}

#[test]
fn every_promised_pragma_is_in_force() -> TestResult {
    for (durability, synchronous) in [(Durability::Full, 2), (Durability::Os, 1), (Durability::Memory, 0)] {
        let mut scene = Scene::new()?;
        scene.options.durability = durability;
        let engine = scene.open()?;
        let (reader, writer) = (engine.reader()?, engine.begin()?);
        for conn in [&*reader, &*writer] {
            assert_eq!(text(conn, "PRAGMA journal_mode")?, "wal");
            assert_eq!(int(conn, "PRAGMA synchronous")?, synchronous);
            assert_eq!(int(conn, "PRAGMA page_size")?, 8192);
            assert_eq!(int(conn, "PRAGMA trusted_schema")?, 0);
            assert_eq!(int(conn, "PRAGMA foreign_keys")?, 0);
            assert_eq!(int(conn, "PRAGMA analysis_limit")?, 1000);
            assert_eq!(int(conn, "PRAGMA busy_timeout")?, 200);
            assert!(conn.prepare("SELECT \"a string\"").is_err(), "double quotes are names");
            assert!(conn.batch("PRAGMA writable_schema=ON; DELETE FROM sqlite_schema").is_err());
        }
        assert_eq!(int(&writer, "PRAGMA cache_size")?, -65536);
        assert_eq!(int(&reader, "PRAGMA cache_size")?, -32768);
        assert_eq!(int(&writer, "PRAGMA ignore_check_constraints")?, i64::from(!cfg!(debug_assertions)));
        assert!(reader.execute("DELETE FROM vellum_meta", &[]).is_err());
    }
    Ok(())
}

/// Outside the WAL the removal of the journal is the commit, for which FULL does not wait.
#[test]
fn a_load_waits_for_the_disk_as_the_durability_says() -> TestResult {
    for (durability, loading, after) in
        [(Durability::Full, 3, 2), (Durability::Os, 1, 1), (Durability::Memory, 0, 0)]
    {
        let mut scene = Scene::new()?;
        scene.options.durability = durability;
        let engine = scene.open()?;
        let load = engine.begin_load()?;
        assert!(load.is_load());
        assert_eq!(int(&load, "PRAGMA synchronous")?, loading);
        load.commit()?;
        assert_eq!(int(&*engine.begin()?, "PRAGMA synchronous")?, after);
    }
    Ok(())
}

#[test]
fn triggers_do_not_run_on_our_writer() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    scene.stranger()?.execute_batch(
        "CREATE TABLE t(a); CREATE TABLE log(a); CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); END;",
    )?;
    let txn = engine.begin()?;
    txn.execute("INSERT INTO t VALUES (1)", &[])?;
    assert_eq!(int(&txn, "SELECT count(*) FROM log")?, 0);
    txn.commit()?;
    scene.stranger()?.execute_batch("INSERT INTO t VALUES (1)")?;
    assert_eq!(int(&*engine.reader()?, "SELECT count(*) FROM log")?, 1);
    Ok(())
}

#[test]
fn a_document_of_256_mib_fits() -> TestResult {
    let engine = Engine::open_in_memory(&Options::default())?;
    let txn = engine.begin()?;
    let blob = vec![7; 256 << 20];
    txn.execute("INSERT INTO vellum_chunk VALUES (1, ?1)", &[Bind::Blob(&blob)])?;
    assert_eq!(int(&txn, "SELECT length(data) FROM vellum_chunk")?, 256 << 20);
    Ok(())
}

#[test]
fn the_same_file_gives_the_same_engine() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let link = scene.dir.path().join("link.db");
    std::os::unix::fs::symlink(scene.path(), &link)?;
    let hard = scene.dir.path().join("hard.db");
    fs::hard_link(scene.path(), &hard)?;
    assert!(Arc::ptr_eq(&engine, &scene.open()?));
    assert!(Arc::ptr_eq(&engine, &Engine::open(&link, &scene.options)?));
    assert!(Arc::ptr_eq(&engine, &Engine::open(&hard, &scene.options)?));
    let read_only = scene.read_only()?;
    assert!(!Arc::ptr_eq(&engine, &read_only));
    assert!(matches!(read_only.begin(), Err(StoreError::ReadOnly { .. })));
    let durability = Durability::Memory;
    let weaker = Engine::open(&scene.path(), &Options { durability, ..scene.options.clone() })?;
    assert!(!Arc::ptr_eq(&engine, &weaker), "nobody's promise is weakened by another handle");
    drop(engine);
    let forever = Options { busy_timeout: Duration::MAX, ..Options::default() };
    Engine::open(&scene.path(), &forever)?.begin()?.commit()?;
    Ok(())
}

#[test]
fn a_missing_file_is_not_found_when_read_only() -> TestResult {
    let scene = Scene::new()?;
    assert!(matches!(scene.read_only(), Err(StoreError::NotFound { .. })));
    assert!(!scene.path().exists());
    Ok(())
}

#[test]
fn a_missing_directory_is_an_io_error_that_names_the_path() -> TestResult {
    let scene = Scene::new()?;
    let path = scene.dir.path().join("none/app.db");
    let Err(error) = Engine::open(&path, &scene.options) else { panic!("it opened") };
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
    assert!(error.to_string().contains("none/app.db"));
    assert!(std::error::Error::source(&error).is_some());
    Ok(())
}

#[test]
fn other_files_are_refused_and_left_as_they_are() -> TestResult {
    let scene = Scene::new()?;
    for junk in [b"hello".to_vec(), vec![b'x'; 20_000]] {
        fs::write(scene.path(), &junk)?;
        assert!(matches!(scene.open(), Err(StoreError::NotADatabase { .. })));
        assert!(matches!(scene.read_only(), Err(StoreError::NotADatabase { .. })));
        assert_eq!(fs::read(scene.path())?, junk);
    }
    fs::remove_file(scene.path())?;
    scene.stranger()?.execute_batch("CREATE TABLE t(a); PRAGMA user_version=7")?;
    let before = fs::read(scene.path())?;
    assert!(matches!(scene.open(), Err(StoreError::OtherApplication { application_id: 0, .. })));
    assert_eq!(fs::read(scene.path())?, before);
    fs::remove_file(scene.path())?;
    scene.stranger()?.execute_batch("PRAGMA application_id=99")?;
    assert!(matches!(scene.open(), Err(StoreError::OtherApplication { application_id: 99, .. })));
    Ok(())
}

#[test]
fn a_newer_format_is_refused() -> TestResult {
    let scene = Scene::new()?;
    drop(scene.open()?);
    scene.stranger()?.execute_batch("PRAGMA user_version=2")?;
    for opened in [scene.open(), scene.read_only()] {
        assert!(matches!(opened, Err(StoreError::NewerFormat { found: 2, supported: 1, .. })));
    }
    Ok(())
}

#[test]
fn a_damaged_file_is_corrupt() -> TestResult {
    let scene = Scene::new()?;
    drop(scene.open()?);
    let whole = fs::read(scene.path())?;
    fs::write(scene.path(), &whole[..8192 * 2])?;
    assert!(matches!(scene.open(), Err(StoreError::Corrupt { .. })));
    let mut garbled = whole;
    garbled[8192..].fill(0xaa);
    fs::write(scene.path(), &garbled)?;
    assert!(matches!(scene.open(), Err(StoreError::Corrupt { .. })));
    fs::remove_file(scene.path())?;
    drop(scene.open()?);
    scene.stranger()?.execute_batch("DROP TABLE vellum_column")?;
    assert!(matches!(scene.open(), Err(StoreError::Corrupt { .. })));
    Ok(())
}

/// The files as they are when a process ends while it writes the first page of a new one.
#[test]
fn a_file_that_was_cut_off_when_it_was_made_is_made_again() -> TestResult {
    let (scene, cut) = (Scene::new()?, Scene::new()?);
    // Without waiting for the disk a journal counts from its first byte on.
    let stranger = scene.stranger()?;
    stranger.execute_batch("PRAGMA synchronous=OFF; BEGIN; CREATE TABLE t(a)")?;
    fs::copy(scene.dir.path().join("app.db-journal"), cut.dir.path().join("app.db-journal"))?;
    fs::write(cut.path(), &b"SQLite format 3\0"[..])?;
    let engine = cut.open()?;
    assert_eq!(int(&*engine.reader()?, "SELECT value FROM vellum_meta WHERE key = 'epoch'")?, 0);
    Ok(())
}

#[test]
fn sixteen_threads_open_one_new_file() -> TestResult {
    let scene = Scene::new()?;
    let barrier = Barrier::new(16);
    let opened: Result<Vec<_>, StoreError> = thread::scope(|scope| {
        let openers: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    scene.open()
                })
            })
            .collect();
        openers.into_iter().map(|opener| opener.join().expect("no panic")).collect()
    });
    let opened = opened?;
    assert!(opened.iter().all(|engine| Arc::ptr_eq(engine, &opened[0])));
    for engine in &opened {
        assert_eq!(text(&*engine.reader()?, "PRAGMA journal_mode")?, "wal");
    }
    Ok(())
}

/// Engines that do not know of each other stand for processes: each opens the writer's way by itself.
#[test]
fn many_strangers_to_each_other_create_one_file() -> TestResult {
    for _ in 0..10 {
        let mut scene = Scene::new()?;
        scene.options.busy_timeout = Duration::from_secs(5);
        fs::write(scene.path(), b"")?;
        let setup = crate::store::conn::Setup::new(&scene.path(), &scene.options);
        let barrier = Barrier::new(8);
        thread::scope(|scope| {
            let openers: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        let deadline = std::time::Instant::now() + Duration::from_secs(5);
                        let conn = crate::store::engine::open_writer(&setup, deadline)?;
                        let epoch = crate::store::Schema::read_epoch(&conn)?;
                        Ok((epoch, text(&conn, "PRAGMA journal_mode")?))
                    })
                })
                .collect();
            for opener in openers {
                let seen: Result<_, StoreError> = opener.join().expect("no panic");
                assert_eq!(seen?, (0, "wal".to_owned()));
            }
            Ok::<_, StoreError>(())
        })?;
    }
    Ok(())
}

#[test]
fn a_read_only_handle_never_changes_the_file() -> TestResult {
    let scene = Scene::new()?;
    drop(scene.open()?);
    let before = fs::read(scene.path())?;
    let engine = scene.read_only()?;
    let reader = engine.reader()?;
    assert_eq!(text(&reader, "PRAGMA journal_mode")?, "wal");
    assert!(matches!(reader.execute("DELETE FROM vellum_meta", &[]), Err(StoreError::ReadOnly { .. })));
    drop((reader, engine));
    assert_eq!(fs::read(scene.path())?, before);
    Ok(())
}

/// A symbolic link in the place of the WAL's index, which SQLite does not follow, stands for a medium on which it cannot be made, also for root.
#[test]
fn without_a_place_for_the_wal_a_read_only_file_is_immutable_or_refused() -> TestResult {
    let scene = Scene::new()?;
    drop(scene.open()?);
    std::os::unix::fs::symlink("nowhere", scene.dir.path().join("app.db-shm"))?;
    let engine = scene.read_only()?;
    assert_eq!(int(&*engine.reader()?, "SELECT value FROM vellum_meta WHERE key = 'epoch'")?, 0);
    drop(engine);
    for log in ["app.db-wal", "app.db-journal"] {
        let log = scene.dir.path().join(log);
        fs::write(&log, b"not empty")?;
        let refused = scene.read_only().map(|_| ());
        assert!(matches!(refused, Err(StoreError::Io { .. } | StoreError::ReadOnly { .. })), "{refused:?}");
        fs::remove_file(log)?;
    }
    Ok(())
}

#[test]
fn a_private_database_goes_with_its_engine() -> TestResult {
    let engine = Engine::open_in_memory(&Options::default())?;
    let path = engine.path().to_path_buf();
    let txn = engine.begin()?;
    txn.execute("INSERT INTO vellum_meta VALUES ('x', 1)", &[])?;
    txn.commit()?;
    assert_eq!(text(&*engine.reader()?, "PRAGMA journal_mode")?, "wal");
    assert_eq!(int(&*engine.reader()?, "PRAGMA synchronous")?, 0);
    assert!(path.exists());
    drop(engine);
    assert!(!path.parent().expect("a directory").exists());
    Ok(())
}

/// Each child is this test in a process of its own, told by the environment what to open.
#[test]
fn four_processes_open_one_new_file() -> TestResult {
    const FILE: &str = "VELLUM_TEST_OPEN";
    const NAME: &str = "store::tests::open::four_processes_open_one_new_file";
    if let Some(path) = std::env::var_os(FILE) {
        let engine = Engine::open(path.as_ref(), &Options::default())?;
        assert_eq!(text(&*engine.reader()?, "PRAGMA journal_mode")?, "wal");
        let txn = engine.begin()?;
        txn.create_collection("events", "integer", None)?;
        txn.execute("INSERT INTO events(doc) VALUES (jsonb('{}'))", &[])?;
        txn.commit()?;
        return Ok(());
    }
    let scene = Scene::new()?;
    let mut children = Vec::new();
    for _ in 0..4 {
        let mut child = std::process::Command::new(std::env::current_exe()?);
        child.args(["--exact", NAME]).env(FILE, scene.path()).stdout(std::process::Stdio::null());
        children.push(child.spawn()?);
    }
    for mut child in children {
        assert!(child.wait()?.success());
    }
    let engine = scene.open()?;
    assert_eq!(int(&*engine.reader()?, "SELECT count(*) FROM events")?, 4);
    assert_eq!(engine.schema().epoch, 1);
    Ok(())
}
