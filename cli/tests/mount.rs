//! `vellum fs mount`, used as programs use a file system. Where the system lends no `/dev/fuse`, a line says so.
#![cfg(all(feature = "mount", target_os = "linux"))]

use std::error::Error;
use std::fs::{self, FileTimes, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};
use std::{env, process, thread};

use vellum::{Database, Options};

type TestResult = Result<(), Box<dyn Error>>;

/// A database that is mounted, in a directory that goes with its test.
struct Mount {
    dir: PathBuf,
    child: Child,
}

impl Mount {
    /// Mounts a database; `None` where this cannot be done.
    fn new(
        name: &str,
        arguments: &[&str],
        fill: impl FnOnce(&Database) -> vellum::Result<()>,
    ) -> Result<Option<Self>, Box<dyn Error>> {
        if let Err(error) = OpenOptions::new().read(true).write(true).open("/dev/fuse") {
            writeln!(io::stderr(), "skipped: /dev/fuse: {error}")?;
            return Ok(None);
        }
        let dir = env::temp_dir().join(format!("vellum-mount-test-{}-{name}", process::id()));
        fs::create_dir_all(dir.join("at"))?;
        fill(&Database::open(dir.join("app.db"))?)?;
        let mut child = Command::new(env!("CARGO_BIN_EXE_vellum"))
            .args(["fs", "mount", "app.db", "at"])
            .args(arguments)
            .current_dir(&dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut said = String::new();
        BufReader::new(child.stdout.take().ok_or("standard output")?).read_line(&mut said)?;
        let mut mount = Mount { dir, child };
        if said.starts_with("mounted on ") {
            return Ok(Some(mount));
        }
        let mut said = String::new();
        mount.child.stderr.take().ok_or("standard error")?.read_to_string(&mut said)?;
        assert!(said.contains("not permitted") || said.contains("fusermount"), "{said}");
        writeln!(io::stderr(), "skipped: {said}")?;
        Ok(None)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.join("at").join(path)
    }

    /// Looks at the database beside the mount.
    fn database(&self) -> vellum::Result<Database> {
        Options::new().read_only().open(self.dir.join("app.db"))
    }

    /// Ends it as Ctrl-C does, and looks whether all is well.
    fn end(mut self) -> TestResult {
        assert!(signal(&self.child)?, "kill");
        assert!(self.child.wait()?.success());
        assert_eq!(fs::read_dir(self.at(""))?.count(), 0, "nothing is mounted any more");
        assert_eq!(self.database()?.check()?, Vec::<String>::new());
        Ok(())
    }
}

fn signal(child: &Child) -> io::Result<bool> {
    Ok(Command::new("kill").args(["-INT", &child.id().to_string()]).status()?.success())
}

impl Drop for Mount {
    fn drop(&mut self) {
        // After a failed test it may be mounted yet.
        if matches!(self.child.try_wait(), Ok(None)) {
            signal(&self.child).ok();
            self.child.wait().ok();
        }
        fs::remove_dir_all(&self.dir).ok();
    }
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 % 251) as u8 + 1).collect()
}

fn code<T: std::fmt::Debug>(result: io::Result<T>) -> Option<i32> {
    result.err().and_then(|error| error.raw_os_error())
}

fn names(directory: &Path) -> io::Result<Vec<String>> {
    let names: io::Result<Vec<_>> =
        fs::read_dir(directory)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect();
    names.map(|mut names| {
        names.sort();
        names
    })
}

#[test]
fn every_program_reads_and_writes_the_files() -> TestResult {
    let filled = Mount::new("programs", &[], |db| db.files().write("/dir/old", pattern(1_000_000)));
    let Some(mount) = filled? else { return Ok(()) };
    assert_eq!(names(&mount.at(""))?, ["dir"]);
    assert!(fs::read(mount.at("dir/old"))? == pattern(1_000_000));
    assert!(mount.at("dir").is_dir() && mount.at("dir/old").is_file());

    fs::create_dir_all(mount.at("a/b/c"))?;
    fs::write(mount.at("a/b/new"), pattern(5_000_000))?;
    assert_eq!(fs::metadata(mount.at("a/b/new"))?.len(), 5_000_000);
    assert!(fs::read(mount.at("a/b/new"))? == pattern(5_000_000));
    fs::copy(mount.at("a/b/new"), mount.at("a/copy"))?;
    assert!(Command::new("cp").arg("-r").args([mount.at("a"), mount.at("again")]).status()?.success());
    assert!(Command::new("diff").arg("-r").args([mount.at("a"), mount.at("again")]).status()?.success());
    let shell =
        format!("cd {} && echo one > t && echo two >> t && sed -i s/two/three/ t", mount.at("").display());
    assert!(Command::new("sh").args(["-c", &shell]).status()?.success());
    assert_eq!(fs::read(mount.at("t"))?, b"one\nthree\n");

    let files = mount.database()?.files();
    assert!(files.read("/again/b/new")? == pattern(5_000_000));
    assert_eq!(files.read("/t")?, b"one\nthree\n");
    assert!(Command::new("rm").arg("-rf").args([mount.at("again"), mount.at("dir")]).status()?.success());
    assert_eq!(names(&mount.at(""))?, ["a", "t"]);
    mount.end()
}

#[test]
fn files_are_edited_in_place() -> TestResult {
    let Some(mount) = Mount::new("edit", &[], |db| db.files().write("/f", pattern(100_000)))? else {
        return Ok(());
    };
    let mut expected = pattern(100_000);
    let file = OpenOptions::new().read(true).write(true).open(mount.at("f"))?;
    file.write_all_at(&[7; 100], 50_000)?;
    expected[50_000..50_100].fill(7);
    file.set_len(60_000)?;
    file.set_len(70_000)?;
    expected[60_000..].fill(0);
    expected.truncate(70_000);
    file.write_all_at(b"end", 80_000)?;
    expected.resize(80_000, 0);
    expected.extend(b"end");
    let mut found = vec![0; 80_003];
    file.read_exact_at(&mut found, 0)?;
    assert!(found == expected);
    file.sync_all()?;
    assert!(mount.database()?.files().read("/f")? == expected);

    let mut append = OpenOptions::new().append(true).open(mount.at("f"))?;
    append.write_all(b"more")?;
    expected.extend(b"more");
    assert!(fs::read(mount.at("f"))? == expected);

    let mut sparse = fs::File::create(mount.at("sparse"))?;
    sparse.seek(SeekFrom::Start(1 << 40))?;
    sparse.write_all(b"x")?;
    drop(sparse);
    let stat = mount.database()?.files().stat("/sparse")?;
    assert!(stat.length == (1 << 40) + 1 && stat.allocated < 10_000, "{stat:?}");
    fs::remove_file(mount.at("sparse"))?;

    let time = UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
    file.set_times(FileTimes::new().set_modified(time))?;
    assert_eq!(fs::metadata(mount.at("f"))?.modified()?, time);
    drop((file, append));
    mount.end()
}

#[test]
fn names_are_moved_and_refused_as_a_file_system_does() -> TestResult {
    let filled = Mount::new("names", &[], |db| {
        db.files().write("/a/x", "x")?;
        db.files().write("/apple", "apple")?;
        db.files().write("/full/y", "y")?;
        db.files().create_dir("/empty")
    });
    let Some(mount) = filled? else { return Ok(()) };
    let open = fs::File::open(mount.at("a/x"))?;
    fs::rename(mount.at("a"), mount.at("z"))?;
    assert_eq!(names(&mount.at(""))?, ["apple", "empty", "full", "z"]);
    assert_eq!(io::read_to_string(&open)?, "x", "a handle follows");
    assert_eq!(fs::read(mount.at("z/x"))?, b"x");

    const ENOENT: i32 = 2;
    const EEXIST: i32 = 17;
    const ENOTDIR: i32 = 20;
    const EISDIR: i32 = 21;
    const EINVAL: i32 = 22;
    const ENAMETOOLONG: i32 = 36;
    const ENOTEMPTY: i32 = 39;
    const EILSEQ: i32 = 84;
    assert_eq!(code(fs::rename(mount.at("z"), mount.at("full"))), Some(ENOTEMPTY));
    assert_eq!(code(fs::rename(mount.at("z"), mount.at("z/inside"))), Some(EINVAL));
    assert_eq!(code(fs::rename(mount.at("apple"), mount.at("empty"))), Some(EISDIR));
    assert_eq!(code(fs::rename(mount.at("z"), mount.at("apple"))), Some(ENOTDIR));
    assert_eq!(code(fs::remove_dir(mount.at("full"))), Some(ENOTEMPTY));
    assert_eq!(code(fs::remove_dir(mount.at("apple"))), Some(ENOTDIR));
    assert_eq!(code(fs::create_dir(mount.at("z"))), Some(EEXIST));
    assert_eq!(code(fs::read(mount.at("nothing"))), Some(ENOENT));
    assert_eq!(code(fs::read(mount.at("apple/x"))), Some(ENOTDIR));
    assert_eq!(code(fs::write(mount.at(&"n".repeat(256)), "")), Some(ENAMETOOLONG));
    let latin = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xe9");
    assert_eq!(code(fs::write(mount.at("").join(latin), "")), Some(EILSEQ));
    assert!(std::os::unix::fs::symlink("apple", mount.at("link")).is_err());
    let new = OpenOptions::new().write(true).create_new(true).open(mount.at("apple"));
    assert_eq!(code(new), Some(EEXIST));

    fs::rename(mount.at("z"), mount.at("empty"))?;
    fs::rename(mount.at("full/y"), mount.at("empty/x"))?;
    assert_eq!(fs::read(mount.at("empty/x"))?, b"y");
    for name in ["line\nbreak", "quote\"'", "\u{e9}", "e\u{301}", "\u{1f600}", " "] {
        fs::write(mount.at("full").join(name), name)?;
    }
    assert_eq!(names(&mount.at("full"))?.len(), 6);
    for name in names(&mount.at("full"))? {
        assert_eq!(fs::read_to_string(mount.at("full").join(&name))?, name);
    }
    drop(open);
    mount.end()
}

#[test]
fn what_others_write_is_seen() -> TestResult {
    let Some(mount) = Mount::new("others", &[], |db| db.files().write("/f", "before"))? else {
        return Ok(());
    };
    let file = fs::File::open(mount.at("f"))?;
    let mut out = [0; 6];
    file.read_exact_at(&mut out, 0)?;
    let database = Database::open(mount.dir.join("app.db"))?;
    database.files().write("/f", "after, and longer")?;
    database.files().write("/new/g", "new")?;
    assert_eq!(fs::metadata(mount.at("f"))?.len(), 17);
    assert_eq!(fs::read_to_string(mount.at("f"))?, "after, and longer");
    assert_eq!(fs::read_to_string(mount.at("new/g"))?, "new");
    database.files().delete_all("/new")?;
    assert_eq!(names(&mount.at(""))?, ["f"]);
    assert!(!mount.at("new/g").exists());
    drop((file, database));
    mount.end()
}

#[test]
fn a_large_directory_and_many_threads_are_served() -> TestResult {
    let filled = Mount::new("many", &[], |db| {
        db.transaction(|tx| {
            (0..5_000).try_for_each(|i| tx.files().write(&format!("/d/{i:04}"), i.to_string()))
        })
    });
    let Some(mount) = filled? else { return Ok(()) };
    assert_eq!(names(&mount.at("d"))?.len(), 5_000);
    let root = mount.at("");
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4_u8)
            .map(|thread| {
                let root = &root;
                scope.spawn(move || {
                    (0..10).try_for_each(|i| {
                        let path = root.join(format!("{thread}-{i}"));
                        fs::write(&path, vec![thread + 1; 300_000])?;
                        let read = fs::read(&path)?;
                        let read_other = fs::read(root.join("d/4321"))?;
                        let is_right = read == vec![thread + 1; 300_000] && read_other == b"4321";
                        if is_right { Ok(()) } else { Err(io::Error::other("other bytes")) }
                    })
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| io::Error::other("panic"))?)
    })?;
    assert_eq!(fs::metadata(mount.at("d/0001"))?.ino(), fs::metadata(mount.at("d/0001"))?.ino());
    mount.end()
}

#[test]
fn a_mount_for_reading_changes_nothing() -> TestResult {
    const EROFS: i32 = 30;
    let Some(mount) = Mount::new("read-only", &["--read-only"], |db| db.files().write("/f", "bytes"))? else {
        return Ok(());
    };
    assert_eq!(fs::read(mount.at("f"))?, b"bytes");
    assert_eq!(code(fs::write(mount.at("f"), "other")), Some(EROFS));
    assert_eq!(code(fs::create_dir(mount.at("d"))), Some(EROFS));
    assert_eq!(code(fs::remove_file(mount.at("f"))), Some(EROFS));
    mount.end()
}

#[test]
fn a_mount_that_is_in_use_stays_until_the_next_time() -> TestResult {
    let Some(mut mount) = Mount::new("busy", &[], |db| db.files().write("/f", "bytes"))? else {
        return Ok(());
    };
    let mut writer = OpenOptions::new().write(true).open(mount.at("f"))?;
    assert!(signal(&mount.child)?);
    let mut said = String::new();
    BufReader::new(mount.child.stderr.take().ok_or("standard error")?).read_line(&mut said)?;
    assert!(said.contains("stays mounted"), "{said}");
    writer.write_all(b"BYTE")?;
    drop(writer);
    let dir = mount.dir.clone();
    mount.end()?;
    assert!(!dir.exists());
    Ok(())
}

#[test]
fn what_is_still_being_closed_does_not_keep_a_mount() -> TestResult {
    let Some(mount) = Mount::new("closing", &[], |db| db.files().write("/f", "bytes"))? else {
        return Ok(());
    };
    let reader = fs::File::open(mount.at("f"))?;
    let closing = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        drop(reader);
    });
    mount.end()?;
    closing.join().map_err(|_| "the reader panicked")?;
    Ok(())
}

/// A mount hides what is under it; it needs no `/dev/fuse` to be refused.
#[test]
fn only_an_empty_directory_is_mounted_on() -> TestResult {
    let dir = env::temp_dir().join(format!("vellum-mount-test-{}-full", process::id()));
    fs::create_dir_all(dir.join("full"))?;
    fs::write(dir.join("full/f"), "bytes")?;
    Database::open(dir.join("app.db"))?;
    for (at, hint) in [("full", "not empty"), ("full/f", "Not a directory"), ("missing", "No such file")] {
        let output = Command::new(env!("CARGO_BIN_EXE_vellum"))
            .args(["fs", "mount", "app.db", at])
            .current_dir(&dir)
            .output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{at}: {said}");
        assert!(said.contains(at) && said.contains(hint), "{at}: {said}");
    }
    assert_eq!(fs::read(dir.join("full/f"))?, b"bytes");
    fs::remove_dir_all(&dir)?;
    Ok(())
}
