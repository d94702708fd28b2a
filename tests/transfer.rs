//! Imports and exports: trees from the disk and back.

mod support;

use std::collections::BTreeMap;
use std::fs::{self, FileTimes, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use support::files::{pattern, sound};
use support::{Dir, TestResult, kind};
use vellum::{Database, ErrorKind, SkipReason};

const ODD_NAMES: [&str; 7] = [" ", "-rf", "line\nbreak", "quote\"'`", "\u{e9}", "e\u{301}", "\u{1f600}.part"];

fn aged(path: &Path, seconds: u64) -> io::Result<()> {
    let time = SystemTime::UNIX_EPOCH + Duration::new(seconds, 123_456_789);
    fs::File::open(path)?.set_times(FileTimes::new().set_modified(time))
}

/// Makes a file of 100 MiB of which 20 KiB are written.
fn sparse(path: &Path) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(&pattern(5_000))?;
    file.seek(SeekFrom::Start(50_000_001))?;
    file.write_all(&pattern(10_000))?;
    file.set_len(100 << 20)?;
    file.seek(SeekFrom::End(-5_000))?;
    file.write_all(&pattern(5_000))
}

/// Makes a tree with files of all lengths, odd names, holes and times of their own.
fn plant(root: &Path) -> io::Result<()> {
    fs::create_dir_all(root.join("empty"))?;
    fs::create_dir_all(root.join("a/b/c"))?;
    for len in [0, 1, 4_096, 8_127, 8_128, 8_129, 262_144, 262_145, 5_000_000] {
        fs::write(root.join(format!("a/{len}")), pattern(len))?;
    }
    for (i, name) in ODD_NAMES.iter().enumerate() {
        fs::write(root.join("a/b").join(name), [i as u8 + 1; 100])?;
    }
    for i in 0..1_000 {
        fs::write(root.join(format!("a/b/c/{i:04}")), i.to_string())?;
    }
    fs::write(root.join("half"), [vec![0; 100_000], vec![7; 100_000]].concat())?;
    sparse(&root.join("sparse"))?;
    for (i, path) in paths(root)?.iter().enumerate() {
        aged(path, 1_000_000_000 + i as u64)?;
    }
    Ok(())
}

/// Returns everything in a tree, what is inside of a directory before the directory.
fn paths(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            paths.extend(self::paths(&entry.path())?);
        }
        paths.push(entry.path());
    }
    paths.sort_by_key(|path| (std::cmp::Reverse(path.components().count()), path.clone()));
    Ok(paths)
}

type Seen = BTreeMap<PathBuf, (SystemTime, Option<Vec<u8>>)>;

fn seen(root: &Path) -> TestResult<Seen> {
    let mut seen = Seen::new();
    for path in paths(root)? {
        let metadata = fs::symlink_metadata(&path)?;
        let bytes = if metadata.is_file() { Some(fs::read(&path)?) } else { None };
        seen.insert(path.strip_prefix(root)?.to_owned(), (metadata.modified()?, bytes));
    }
    Ok(seen)
}

#[cfg(unix)]
fn stored(path: &Path) -> io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    Ok(fs::metadata(path)?.blocks() * 512)
}

#[cfg(not(unix))]
fn stored(_: &Path) -> io::Result<u64> {
    Ok(0)
}

#[test]
fn a_tree_goes_in_and_comes_out_as_it_was() -> TestResult {
    let dir = Dir::new()?;
    let (from, to) = (dir.file("from"), dir.file("made/for/to"));
    plant(&from)?;
    let db = Database::open_in_memory()?;
    let files = db.files();
    let imported = files.import(&from, "/tree/inside").run()?;
    assert_eq!((imported.files, imported.directories), (1_018, 5));
    assert_eq!(imported.skipped, []);
    sound(&files)?;
    assert_eq!(files.usage("/tree/inside")?.length, imported.bytes);

    let exported = files.export("/tree/inside", &to).run()?;
    assert_eq!(exported, imported);
    let (before, after) = (seen(&from)?, seen(&to)?);
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (path, (modified, bytes)) in &before {
        let (modified_after, bytes_after) = &after[path];
        assert!(bytes == bytes_after, "{}", path.display());
        assert_eq!(modified, modified_after, "{}", path.display());
    }
    Ok(())
}

#[test]
fn holes_and_zeros_take_no_space_where_they_arrive() -> TestResult {
    let dir = Dir::new()?;
    let db = Database::open_in_memory()?;
    let files = db.files();
    sparse(&dir.file("sparse"))?;
    fs::write(dir.file("zeros"), vec![0; 10_000_000])?;
    fs::write(dir.file("few zeros"), vec![0; 100_000])?;
    files.import(dir.path(), "/").run()?;
    let allocated = files.stat("/sparse")?.allocated;
    assert!((20_000..60_000).contains(&allocated), "{allocated}");
    for (path, length) in [("/zeros", 10_000_000), ("/few zeros", 100_000)] {
        let stat = files.stat(path)?;
        assert_eq!((stat.length, stat.allocated), (length, 0), "{path}");
    }
    files.export("/", dir.file("out")).run()?;
    for name in ["sparse", "zeros", "few zeros"] {
        assert!(fs::read(dir.file("out").join(name))? == fs::read(dir.file(name))?, "{name}");
        assert!(stored(&dir.file("out").join(name))? <= 64 << 10, "{name}");
    }
    sound(&files)
}

#[test]
fn the_longest_hole_is_not_read() -> TestResult {
    let dir = Dir::new()?;
    let db = Database::open_in_memory()?;
    let files = db.files();
    files.write_at("/hole", (1 << 42) - 1, "x")?;
    // Whoever read it would take an hour.
    match files.export("/hole", dir.file("hole")).run() {
        Ok(_) => {}
        // The file system has no such files.
        Err(error) if error.kind() == ErrorKind::Io => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    files.import(dir.file("hole"), "/again").run()?;
    let stat = files.stat("/again")?;
    assert_eq!(stat.length, 1 << 42);
    assert!(stat.allocated < 20_000, "{}", stat.allocated);
    let mut last = [0; 2];
    assert_eq!(files.read_at("/again", (1 << 42) - 2, &mut last)?, 2);
    assert_eq!(&last, b"\0x");
    Ok(())
}

#[test]
fn a_database_is_not_copied_into_itself() -> TestResult {
    let dir = Dir::new()?;
    let db = Database::open(dir.file("app.db"))?;
    db.files().write("/a", "so that there is a log")?;
    fs::write(dir.file("app.db-notes"), "another file")?;
    let files = db.files();
    let report = files.import(dir.path(), "/in").run()?;
    let mut left: Vec<_> = report.skipped.iter().map(|skipped| skipped.path.file_name()).collect();
    left.sort_unstable();
    assert_eq!(left, ["app.db", "app.db-shm", "app.db-wal"].map(|name| Some(name.as_ref())));
    assert!(report.skipped.iter().all(|skipped| skipped.reason == SkipReason::Database));
    let paths: Vec<_> = files.list("/in").to_vec()?.into_iter().map(|entry| entry.path).collect();
    assert_eq!(paths, ["/in/app.db-notes"]);
    let refused = files.import(dir.file("app.db"), "/copy").run().unwrap_err();
    assert!(refused.to_string().contains("it is the database itself"), "{refused}");
    Ok(())
}

#[cfg(unix)]
#[test]
fn who_may_read_a_file_stays_when_an_export_replaces_it() -> TestResult {
    use std::os::unix::fs::PermissionsExt;

    let dir = Dir::new()?;
    let files = Database::open_in_memory()?.files();
    files.write("/key", "new")?;
    fs::write(dir.file("key"), "old")?;
    fs::set_permissions(dir.file("key"), PermissionsExt::from_mode(0o640))?;
    files.export("/key", dir.file("key")).replace().run()?;
    assert_eq!(fs::read(dir.file("key"))?, b"new");
    assert_eq!(fs::metadata(dir.file("key"))?.permissions().mode() & 0o777, 0o640);
    Ok(())
}

#[cfg(unix)]
#[test]
fn what_replaces_a_private_file_is_private_before_it_is_whole() -> TestResult {
    use std::os::unix::fs::PermissionsExt;

    let dir = Dir::new()?;
    let files = Database::open_in_memory()?.files();
    files.write("/key", vec![7; 5_000_000])?;
    fs::write(dir.file("key"), "old")?;
    fs::set_permissions(dir.file("key"), PermissionsExt::from_mode(0o600))?;
    let mut modes = Vec::new();
    files.export("/key", dir.file("key")).replace().run_with(|_| {
        let parts = fs::read_dir(dir.path()).into_iter().flatten().flatten();
        let parts = parts.filter(|entry| entry.path().extension() == Some("part".as_ref()));
        modes.extend(parts.flat_map(|part| part.metadata()).map(|part| part.permissions().mode() & 0o777));
        ControlFlow::Continue(())
    })?;
    assert!(!modes.is_empty() && modes.iter().all(|mode| *mode == 0o600), "{modes:?}");
    assert_eq!(fs::metadata(dir.file("key"))?.permissions().mode() & 0o777, 0o600);
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_socket_is_not_replaced() -> TestResult {
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::UnixListener;

    let dir = Dir::new()?;
    let files = Database::open_in_memory()?.files();
    files.write("/a", "new")?;
    let _socket = UnixListener::bind(dir.file("a"))?;
    let refused = files.export("/a", dir.file("a")).replace().run().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists, "{refused}");
    assert!(fs::symlink_metadata(dir.file("a"))?.file_type().is_socket());
    Ok(())
}

#[test]
fn nothing_is_copied_when_something_is_in_the_way() -> TestResult {
    let dir = Dir::new()?;
    let db = Database::open_in_memory()?;
    let files = db.files();
    for name in ["a", "b", "c"] {
        fs::write(dir.file(name), "new")?;
    }
    files.write("/in/b", "old")?;
    let refused = files.import(dir.path(), "/in").run().unwrap_err();
    assert_eq!(refused.to_string(), "`/in/b` exists already");
    assert_eq!(files.list("/in").count()?, 1);
    assert_eq!(files.import(dir.path(), "/in").replace().run()?.files, 3);
    assert_eq!(files.read("/in/b")?, b"new");

    files.write("/in/b", "newer")?;
    fs::create_dir(dir.file("out"))?;
    fs::write(dir.file("out/b"), "old")?;
    let refused = files.export("/in", dir.file("out")).run().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert!(refused.to_string().contains("out/b` exists already"), "{refused}");
    assert_eq!(fs::read_dir(dir.file("out"))?.count(), 1);
    assert_eq!(files.export("/in", dir.file("out")).replace().run()?.files, 3);
    assert_eq!(fs::read(dir.file("out/b"))?, b"newer");
    assert_eq!(fs::read_dir(dir.file("out"))?.count(), 3);
    Ok(())
}

#[test]
fn a_file_is_no_directory_and_a_directory_no_file() -> TestResult {
    let dir = Dir::new()?;
    let db = Database::open_in_memory()?;
    let files = db.files();
    fs::create_dir(dir.file("tree"))?;
    fs::write(dir.file("tree/x"), "on disk")?;
    files.write("/file", "")?;
    files.create_dir("/dir/x")?;
    for (from, to) in [("tree", "/file"), ("tree/x", "/dir"), ("tree", "/dir"), ("tree/x", "/file/y")] {
        let refused = files.import(dir.file(from), to).replace().run();
        assert_eq!(kind(refused), Some(ErrorKind::TypeMismatch), "{from} {to}");
    }
    for (from, to) in [("/dir", "tree"), ("/dir", "tree/x"), ("/file", "tree")] {
        let refused = files.export(from, dir.file(to)).replace().run();
        assert_eq!(kind(refused), Some(ErrorKind::TypeMismatch), "{from} {to}");
    }
    assert_eq!(kind(files.import(dir.file("nothing"), "/a").run()), Some(ErrorKind::NotFound));
    assert_eq!(kind(files.export("/nothing", dir.file("a")).run()), Some(ErrorKind::NotFound));
    assert_eq!(kind(files.import(dir.file("tree"), "/../a").run()), Some(ErrorKind::InvalidQuery));
    assert_eq!(kind(files.export("/..", dir.file("a")).run()), Some(ErrorKind::InvalidQuery));
    assert_eq!(fs::read(dir.file("tree/x"))?, b"on disk");
    Ok(())
}

#[test]
fn a_stop_leaves_whole_files_and_says_how_many() -> TestResult {
    let dir = Dir::new()?;
    let from = dir.file("from");
    fs::create_dir(&from)?;
    for i in 0..10 {
        fs::write(from.join(i.to_string()), pattern(3_000_000 + i))?;
    }
    let db = Database::open_in_memory()?;
    let files = db.files();
    let mut told = Vec::new();
    let mut stop = |progress: &vellum::TransferProgress| {
        told.push(*progress);
        if progress.bytes > 10_000_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = files.import(&from, "/in").run_with(&mut stop).unwrap_err();
    assert_eq!(stopped.kind(), ErrorKind::Stopped);
    assert!(stopped.to_string().starts_with("stopped after 3 files with 90000"), "{stopped}");
    assert_eq!(files.list("/in").count()?, 3);
    for entry in files.list("/in").to_vec()? {
        assert!(files.read(&entry.path)? == fs::read(from.join(entry.name()))?, "{}", entry.path);
    }
    sound(&files)?;
    assert!(told.windows(2).all(|pair| pair[0].bytes <= pair[1].bytes));
    assert!(told.iter().all(|at| (at.total_files, at.total_bytes) == (10, 30_000_045)), "{told:?}");

    files.import(&from, "/in").replace().run()?;
    let out = dir.file("out");
    let stopped = files.export("/in", &out).run_with(|progress| match progress.bytes {
        0..10_000_000 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    });
    assert_eq!(kind(stopped), Some(ErrorKind::Stopped));
    assert_eq!(seen(&out)?.len(), 3);
    for (path, (_, bytes)) in seen(&out)? {
        assert!(bytes == Some(fs::read(from.join(&path))?), "{}", path.display());
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn links_special_files_and_names_that_are_no_text_are_told_of() -> TestResult {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    let dir = Dir::new()?;
    let from = dir.file("from");
    fs::create_dir_all(from.join("inside"))?;
    fs::create_dir(dir.file("secret"))?;
    fs::write(dir.file("secret/key"), "secret")?;
    symlink(dir.file("secret"), from.join("tree"))?;
    symlink(dir.file("secret/key"), from.join("inside/key"))?;
    symlink("nowhere", from.join("dangling"))?;
    let _socket = UnixListener::bind(from.join("socket"))?;
    fs::write(from.join(OsStr::from_bytes(b"latin-\xe9")), "")?;
    fs::write(from.join("file"), "kept")?;

    let files = Database::open_in_memory()?.files();
    let report = files.import(&from, "/in").run()?;
    let mut skipped: Vec<_> = report
        .skipped
        .iter()
        .map(|skipped| (skipped.path.strip_prefix(&from).map(Path::to_owned), skipped.reason))
        .map(|(path, reason)| Ok((path?.to_string_lossy().into_owned(), reason)))
        .collect::<Result<_, std::path::StripPrefixError>>()?;
    skipped.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [
        ("dangling", SkipReason::Link),
        ("inside/key", SkipReason::Link),
        ("latin-\u{fffd}", SkipReason::NotUtf8),
        ("socket", SkipReason::Special),
        ("tree", SkipReason::Link),
    ];
    assert_eq!(skipped, expected.map(|(path, reason)| (path.to_owned(), reason)));
    assert_eq!((report.files, report.directories), (1, 2));
    assert!(report.skipped.iter().any(|skipped| skipped.to_string().ends_with("is not UTF-8: rename it")));
    let paths: Vec<_> = files.list("/").recursive().to_vec()?.into_iter().map(|entry| entry.path).collect();
    assert_eq!(paths, ["/in", "/in/file", "/in/inside"]);

    let refused = files.import(from.join("socket"), "/socket").run().unwrap_err();
    assert!(refused.to_string().contains("neither a file nor a directory"), "{refused}");
    // What is named is followed.
    assert_eq!(files.import(from.join("tree"), "/secret").run()?.files, 1);
    assert_eq!(files.import(from.join("inside/key"), "/key").run()?.files, 1);
    Ok(())
}

#[cfg(unix)]
#[test]
fn an_export_does_not_leave_its_tree_by_a_link() -> TestResult {
    use std::os::unix::fs::symlink;

    let dir = Dir::new()?;
    fs::create_dir_all(dir.file("elsewhere"))?;
    fs::write(dir.file("elsewhere/file"), "old")?;
    fs::create_dir(dir.file("out"))?;
    symlink(dir.file("elsewhere"), dir.file("out/sub"))?;
    symlink(dir.file("elsewhere/file"), dir.file("out/file"))?;
    let files = Database::open_in_memory()?.files();
    files.write("/a/sub/file", "new")?;
    files.write("/b/file", "new")?;
    let refused = files.export("/a", dir.file("out")).replace().run();
    assert_eq!(kind(refused), Some(ErrorKind::TypeMismatch));
    assert_eq!(kind(files.export("/b", dir.file("out")).run()), Some(ErrorKind::AlreadyExists));
    files.export("/b", dir.file("out")).replace().run()?;
    assert!(fs::symlink_metadata(dir.file("out/file"))?.is_file(), "the link was replaced");
    assert_eq!(fs::read(dir.file("out/file"))?, b"new");
    assert_eq!(fs::read(dir.file("elsewhere/file"))?, b"old");
    assert_eq!(fs::read_dir(dir.file("elsewhere"))?.count(), 1);
    // What is named is followed.
    files.export("/b", dir.file("out/sub")).replace().run()?;
    assert_eq!(fs::read(dir.file("elsewhere/file"))?, b"new");
    Ok(())
}

#[test]
fn an_export_is_of_one_moment_and_a_transactions_is_of_its_own() -> TestResult {
    let dir = Dir::new()?;
    let db = Database::open_in_memory()?;
    let files = db.files();
    for i in 0..10 {
        files.write(&format!("/in/{i}"), "before")?;
    }
    files.export("/in", dir.file("out")).run_with(|_| {
        let changed = (0..10).try_for_each(|i| files.write(&format!("/in/{i}"), "while"));
        changed.map_or(ControlFlow::Break(()), ControlFlow::Continue)
    })?;
    assert!(seen(&dir.file("out"))?.values().all(|(_, bytes)| bytes.as_deref() == Some(b"before")));

    db.transaction(|tx| {
        tx.files().write("/in/0", "inside")?;
        tx.files().export("/in/0", dir.file("inside")).run().map(drop)
    })?;
    assert_eq!(fs::read(dir.file("inside"))?, b"inside");
    Ok(())
}

#[test]
fn an_import_in_a_transaction_goes_with_it() -> TestResult {
    let dir = Dir::new()?;
    let from = dir.file("from");
    plant(&from)?;
    let db = Database::open_in_memory()?;
    let tx = db.begin()?;
    tx.files().import(&from, "/in").run()?;
    assert!(!db.files().exists("/in")?);
    drop(tx);
    assert_eq!(db.files().list("/").count()?, 0);
    sound(&db.files())?;

    let tx = db.begin()?;
    tx.files().import(&from, "/in").run()?;
    tx.commit()?;
    assert_eq!(db.files().usage("/in")?.files, 1_018);
    sound(&db.files())?;

    let snapshot = db.snapshot()?;
    let refused = snapshot.files().import(&from, "/other").run();
    assert_eq!(kind(refused), Some(ErrorKind::WrongTarget));
    assert_eq!(snapshot.files().export("/in", dir.file("out")).run()?.files, 1_018);
    Ok(())
}

#[test]
fn a_file_that_is_cut_while_it_is_imported_is_not_imported() -> TestResult {
    let dir = Dir::new()?;
    let path = dir.file("log");
    let files = Database::open_in_memory()?.files();
    for to in [0, 1_000_000, 2 << 20, 3_000_000] {
        fs::write(&path, pattern(8_000_000))?;
        let refused = files.import(&path, "/log").run_with(|progress| {
            assert!(progress.bytes < 8_000_000 || progress.files == 0, "it was taken for whole");
            let cut = OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(to));
            if cut.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let refused = refused.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Io);
        assert!(refused.to_string().ends_with("it was cut while it was read: import it again"), "{refused}");
        assert!(!files.exists("/log")?);
        sound(&files)?;
    }
    Ok(())
}

#[test]
fn times_are_set_and_stay_apart_from_the_bytes() -> TestResult {
    let files = Database::open_in_memory()?.files();
    files.write("/dir/file", "bytes")?;
    let file = files.open("/dir/file")?;
    let early = SystemTime::UNIX_EPOCH - Duration::new(86_400 * 365, 5);
    let late = SystemTime::UNIX_EPOCH + Duration::new(7_000_000_000, 7);
    files.set_times("/dir/file", Some(early), Some(late))?;
    files.set_times("/dir", Some(early), None)?;
    let stat = files.stat("/dir/file")?;
    assert_eq!((stat.created, stat.modified), (early, late));
    assert_eq!(files.stat("/dir")?.created, early);
    // No byte has changed.
    assert_eq!(file.read_at(0, &mut [0; 5])?, 5);
    files.append("/dir/file", "!")?;
    assert_eq!(files.stat("/dir/file")?.created, early);
    assert!(files.stat("/dir/file")?.modified < late);
    assert_eq!(kind(files.set_times("/no", None, None)), Some(ErrorKind::NotFound));
    Ok(())
}
