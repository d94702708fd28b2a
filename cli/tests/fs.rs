//! `vellum fs`, run as a user runs it.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::FileTimes;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs, process, thread};

use serde_json::Value;

type TestResult = Result<(), Box<dyn Error>>;

/// A directory that goes with its test, in which commands run.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> io::Result<Self> {
        let dir = env::temp_dir().join(format!("vellum-fs-test-{}-{name}", process::id()));
        fs::create_dir_all(&dir)?;
        Ok(Self(dir))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vellum"));
        command.arg("fs").args(arguments).current_dir(&self.0).env("TMPDIR", &self.0).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> io::Result<Output> {
        self.command(arguments).output()
    }

    /// Runs a command that must go well and say nothing but its result, which is returned.
    fn ok(&self, arguments: &[&str]) -> io::Result<String> {
        let output = self.run(arguments)?;
        let said = text(&output.stderr);
        if !output.status.success() || !said.is_empty() {
            return Err(io::Error::other(format!("{arguments:?}: {said}")));
        }
        String::from_utf8(output.stdout).map_err(io::Error::other)
    }

    /// Runs a command that must fail with status 1 and one line, which is returned.
    fn refused(&self, arguments: &[&str]) -> io::Result<String> {
        let output = self.run(arguments)?;
        let said = text(&output.stderr);
        if output.status.code() != Some(1) || said.lines().count() != 1 || !said.starts_with("vellum: ") {
            return Err(io::Error::other(format!("{arguments:?}: {} {said}", output.status)));
        }
        Ok(said.trim_start_matches("vellum: ").trim_end().to_owned())
    }

    fn json(&self, arguments: &[&str]) -> Result<Value, Box<dyn Error>> {
        Ok(serde_json::from_str(&self.ok(arguments)?)?)
    }

    /// Runs a command with bytes on its standard input.
    fn fed(&self, arguments: &[&str], bytes: &[u8]) -> io::Result<Output> {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stdin = child.stdin.take().ok_or_else(|| io::Error::other("no standard input"))?;
        // A command that refuses does not read.
        stdin.write_all(bytes).ok();
        drop(stdin);
        child.wait_with_output()
    }

    fn put(&self, path: &str, bytes: &[u8]) -> TestResult {
        let output = self.fed(&["put", "app.db", "-", path, "--replace"], bytes)?;
        if output.status.success() { Ok(()) } else { Err(text(&output.stderr).into()) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 % 251) as u8 + 1).collect()
}

/// Makes a tree with odd names, a long file, a hole, and times of their own.
fn plant(root: &Path) -> io::Result<()> {
    fs::create_dir_all(root.join("empty"))?;
    fs::create_dir_all(root.join("a/b"))?;
    for (i, name) in
        ["x", " ", "-rf", "line\nbreak", "quote\"'", "\u{e9}", "e\u{301}", "\u{1f600}"].iter().enumerate()
    {
        fs::write(root.join("a").join(name), pattern(i * 1_000))?;
    }
    fs::write(root.join("a/b/long"), pattern(3_000_000))?;
    let mut sparse = fs::File::create(root.join("sparse"))?;
    sparse.seek(SeekFrom::Start(20 << 20))?;
    sparse.write_all(b"end")?;
    for (path, seconds) in [("sparse", 1), ("a/b/long", 2), ("a/x", 3), ("a/b", 4), ("a", 5), ("empty", 6)] {
        let time = UNIX_EPOCH + Duration::new(1_000_000_000 + seconds, 123_456_789);
        fs::File::open(root.join(path))?.set_times(FileTimes::new().set_modified(time))?;
    }
    Ok(())
}

type Seen = BTreeMap<PathBuf, (SystemTime, Option<Vec<u8>>)>;

fn look(root: &Path, directory: &Path, seen: &mut Seen) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let (path, metadata) =
            (entry.as_ref().map(fs::DirEntry::path), entry.as_ref().map(fs::DirEntry::metadata));
        let (Ok(path), Ok(metadata)) = (path, metadata) else { return Err(io::Error::other("no entry")) };
        let metadata = metadata?;
        if metadata.is_dir() {
            look(root, &path, seen)?;
        }
        let bytes = if metadata.is_file() { Some(fs::read(&path)?) } else { None };
        let inside = path.strip_prefix(root).map_err(io::Error::other)?.to_owned();
        seen.insert(inside, (metadata.modified()?, bytes));
    }
    Ok(())
}

#[test]
fn a_tree_is_put_and_got_as_it_was() -> TestResult {
    let scratch = Scratch::new("round-trip")?;
    plant(&scratch.path("from"))?;
    assert_eq!(scratch.ok(&["put", "app.db", "from", "/tree"])?, "");
    assert_eq!(scratch.ok(&["get", "app.db", "/tree", "to/here"])?, "");
    let (mut before, mut after) = (Seen::new(), Seen::new());
    look(&scratch.path("from"), &scratch.path("from"), &mut before)?;
    look(&scratch.path("to/here"), &scratch.path("to/here"), &mut after)?;
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (path, (modified, bytes)) in &before {
        assert!(after[path].1 == *bytes, "{}", path.display());
        assert_eq!(after[path].0, *modified, "{}", path.display());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        assert!(fs::metadata(scratch.path("to/here/sparse"))?.blocks() * 512 <= 64 << 10);
    }
    let stat = scratch.json(&["stat", "app.db", "/tree/sparse", "--json"])?;
    assert_eq!(stat["length"], (20 << 20) + 3);
    assert!(stat["allocated"].as_u64().is_some_and(|bytes| bytes < 10_000), "{stat}");
    assert_eq!(stat["modified"], "2001-09-09T01:46:41.123456789Z");
    Ok(())
}

#[test]
fn what_is_there_is_replaced_only_when_that_is_asked() -> TestResult {
    let scratch = Scratch::new("replace")?;
    fs::write(scratch.path("a"), "one")?;
    scratch.ok(&["put", "app.db", "a", "/a"])?;
    fs::write(scratch.path("a"), "two")?;
    let said = scratch.refused(&["put", "app.db", "a", "/a"])?;
    assert_eq!(said, "`/a` exists already: --replace puts the new one in its place");
    assert_eq!(scratch.ok(&["cat", "app.db", "/a"])?, "one");
    let output = scratch.fed(&["put", "app.db", "-", "/a"], b"three")?;
    assert_eq!(output.status.code(), Some(1));
    scratch.ok(&["put", "app.db", "a", "/a", "--replace"])?;
    assert_eq!(scratch.ok(&["cat", "app.db", "/a"])?, "two");

    fs::write(scratch.path("a"), "four")?;
    let said = scratch.refused(&["get", "app.db", "/a", "a"])?;
    assert!(said.ends_with("a` exists already: --replace puts the new one in its place"), "{said}");
    assert_eq!(fs::read(scratch.path("a"))?, b"four");
    scratch.ok(&["get", "app.db", "/a", "a", "--replace"])?;
    assert_eq!(fs::read(scratch.path("a"))?, b"two");

    for (command, left) in [("cp", "two"), ("mv", "two")] {
        scratch.put("/b", b"old")?;
        let said = scratch.refused(&[command, "app.db", "/a", "/b"])?;
        assert_eq!(said, "`/b` exists already: --replace puts the new one in its place");
        scratch.ok(&[command, "app.db", "/a", "/b", "--replace"])?;
        assert_eq!(scratch.ok(&["cat", "app.db", "/b"])?, left);
    }
    Ok(())
}

#[test]
fn who_asked_to_replace_is_not_told_to_ask() -> TestResult {
    let scratch = Scratch::new("asked")?;
    scratch.put("/a/b", b"in a")?;
    scratch.put("/c/d", b"in c")?;
    let said = scratch.refused(&["mv", "app.db", "/a", "/c", "--replace"])?;
    assert!(!said.contains("--replace"), "{said}");
    Ok(())
}

#[test]
fn a_seal_finds_a_byte_that_was_flipped() -> TestResult {
    let scratch = Scratch::new("seal")?;
    let content = b"a sentence that is nowhere else in the file";
    scratch.put("/in/a", content)?;
    scratch.put("/in/b/c", b"other")?;
    let check = || {
        Command::new(env!("CARGO_BIN_EXE_vellum")).args(["check", "app.db"]).current_dir(&scratch.0).output()
    };
    let sealed = scratch.ok(&["seal", "app.db", "/in"])?;
    let lines: Vec<(&str, &str)> = sealed.lines().filter_map(|line| line.split_once("  ")).collect();
    let mut paths: Vec<&str> = lines.iter().map(|(_, path)| *path).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/in/a", "/in/b/c"]);
    assert!(lines.iter().all(|(hash, _)| hash.len() == 32 && *hash != "0".repeat(32)), "{sealed}");
    assert_eq!(scratch.ok(&["seal", "app.db", "/in/a"])?.lines().count(), 1);
    assert!(check()?.status.success());

    let mut bytes = fs::read(scratch.path("app.db"))?;
    let at = bytes.windows(content.len()).position(|found| found == content).ok_or("the content")?;
    bytes[at] ^= 1;
    fs::write(scratch.path("app.db"), bytes)?;
    let found = check()?;
    assert!(!found.status.success());
    assert!(text(&found.stdout).contains("/in/a") || text(&found.stderr).contains("/in/a"), "{found:?}");
    Ok(())
}

#[test]
fn a_tree_whose_paths_a_move_made_too_long_is_drawn() -> TestResult {
    let scratch = Scratch::new("long")?;
    let name = "n".repeat(250);
    let deep = format!("/{}", vec![name.as_str(); 15].join("/"));
    scratch.put(&format!("{deep}/file"), b"deep")?;
    let around = format!("/{}", vec!["around"; 60].join("/"));
    scratch.put(&format!("{around}/file"), b"around")?;
    scratch.ok(&["mv", "app.db", &format!("/{name}"), &format!("{around}/{name}")])?;
    let drawn = scratch.ok(&["tree", "app.db"])?;
    assert!(drawn.contains("(behind a path of more than 4,096 bytes"), "{drawn}");
    assert!(drawn.ends_with("75 directories, 2 files\n"), "{drawn}");
    Ok(())
}

#[test]
fn a_path_that_ends_in_a_slash_is_a_directory_to_put_into() -> TestResult {
    let scratch = Scratch::new("slash")?;
    fs::create_dir_all(scratch.path("from"))?;
    fs::write(scratch.path("from/a"), "bytes")?;
    scratch.ok(&["put", "app.db", "from/a", "/in/"])?;
    scratch.ok(&["put", "app.db", "from", "/"])?;
    scratch.ok(&["cp", "app.db", "/in/a", "/copies/"])?;
    scratch.ok(&["mv", "app.db", "/from", "/copies/"])?;
    let listed = scratch.ok(&["ls", "app.db", "--recursive"])?;
    assert_eq!(listed, "copies/\ncopies/a\ncopies/from/\ncopies/from/a\nin/\nin/a\n");
    scratch.ok(&["get", "app.db", "/copies/a", "out/"])?;
    scratch.ok(&["get", "app.db", "/copies/from", "out/"])?;
    assert_eq!(fs::read(scratch.path("out/a"))?, b"bytes");
    assert_eq!(fs::read(scratch.path("out/from/a"))?, b"bytes");
    let said = scratch.refused(&["get", "app.db", "/in/a", "."])?;
    assert!(
        said.ends_with(
            "is a directory, not a file: name a file, or end the path in `/` to put something inside"
        ),
        "{said}"
    );
    Ok(())
}

#[test]
fn bytes_go_in_and_out_by_pipes() -> TestResult {
    let scratch = Scratch::new("pipes")?;
    let bytes = pattern(5_000_000);
    scratch.put("/deep/down/bytes", &bytes)?;
    assert!(scratch.run(&["cat", "app.db", "/deep/down/bytes"])?.stdout == bytes);
    assert!(scratch.run(&["get", "app.db", "/deep/down/bytes", "-"])?.stdout == bytes);
    for (offset, length) in [(0, 10), (8_120, 20), (4_999_990, 100), (5_000_000, 1), (u64::MAX, u64::MAX)] {
        let (from, count) = (offset.to_string(), length.to_string());
        let output =
            scratch.run(&["cat", "app.db", "/deep/down/bytes", "--offset", &from, "--length", &count])?;
        let begin = bytes.len().min(offset as usize);
        let end = bytes.len().min(begin.saturating_add(length as usize));
        assert!(output.status.success() && output.stdout == bytes[begin..end], "{offset} {length}");
    }
    Ok(())
}

#[test]
fn an_edit_is_in_place_and_a_cut_is_a_cut() -> TestResult {
    let scratch = Scratch::new("edit")?;
    let mut expected = pattern(100_000);
    scratch.put("/a", &expected)?;
    assert!(scratch.fed(&["edit", "app.db", "/a", "--offset", "50000"], &[7; 20_000])?.status.success());
    expected[50_000..70_000].fill(7);
    assert!(scratch.run(&["cat", "app.db", "/a"])?.stdout == expected);
    scratch.ok(&["truncate", "app.db", "/a", "10"])?;
    scratch.ok(&["truncate", "app.db", "/a", "20"])?;
    expected.truncate(10);
    expected.resize(20, 0);
    assert_eq!(scratch.run(&["cat", "app.db", "/a"])?.stdout, expected);
    assert!(scratch.fed(&["edit", "app.db", "/a", "--offset", "30"], b"end")?.status.success());
    expected.resize(30, 0);
    expected.extend(b"end");
    assert_eq!(scratch.run(&["cat", "app.db", "/a"])?.stdout, expected);
    let said = scratch.refused(&["truncate", "app.db", "/a", "18446744073709551615"])?;
    assert!(said.starts_with("`/a` would be longer than"), "{said}");
    let said = scratch.refused(&["edit", "app.db", "/b", "--offset", "0"])?;
    assert_eq!(said, "`/b` does not exist: `vellum fs ls` lists what is there");
    Ok(())
}

#[cfg(unix)]
#[test]
fn an_editor_works_on_a_copy_that_is_written_back() -> TestResult {
    let scratch = Scratch::new("editor")?;
    scratch.put("/notes/a.txt", b"one\n")?;
    let edit = |editor: &str| {
        scratch
            .command(&["edit", "app.db", "/notes/a.txt"])
            .env_remove("VISUAL")
            .env("EDITOR", editor)
            .output()
    };
    let append = |text: &str| format!("f() {{ case $1 in */a.txt) echo {text} >> \"$1\";; esac; }}; f");
    assert!(edit(&append("two"))?.status.success());
    assert_eq!(scratch.ok(&["cat", "app.db", "/notes/a.txt"])?, "one\ntwo\n");
    assert!(edit("true")?.status.success());

    let failed = edit("false")?;
    assert_eq!(failed.status.code(), Some(1));
    assert!(
        text(&failed.stderr).contains("`false` failed, and nothing was written"),
        "{}",
        text(&failed.stderr)
    );
    let missing = scratch
        .command(&["edit", "app.db", "/notes/a.txt"])
        .env_remove("VISUAL")
        .env_remove("EDITOR")
        .output()?;
    assert!(text(&missing.stderr).contains("$EDITOR"), "{}", text(&missing.stderr));

    let program = env!("CARGO_BIN_EXE_vellum");
    let database = scratch.path("app.db");
    let meanwhile = format!(
        "f() {{ {program} fs truncate {} /notes/a.txt 3; echo mine >> \"$1\"; }}; f",
        database.display()
    );
    let refused = edit(&meanwhile)?;
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(said.contains("`/notes/a.txt` was changed meanwhile, and nothing was written"), "{said}");
    let draft = said.rsplit('`').nth(1).ok_or("a draft")?;
    assert_eq!(fs::read(draft)?, b"one\ntwo\nmine\n");
    fs::remove_dir_all(Path::new(draft).parent().ok_or("a directory")?)?;
    assert_eq!(scratch.ok(&["cat", "app.db", "/notes/a.txt"])?, "one");
    Ok(())
}

#[test]
fn a_listing_is_sorted_filtered_and_told_as_json() -> TestResult {
    let scratch = Scratch::new("ls")?;
    for (path, length) in
        [("/logs/b.txt", 3), ("/logs/a.txt", 30), ("/logs/old/c.txt", 2_000), ("/logs/d.bin", 0)]
    {
        scratch.put(path, &pattern(length))?;
    }
    let ls = |arguments: &[&str]| scratch.ok(&[&["ls", "app.db"], arguments].concat());
    assert_eq!(ls(&[])?, "logs/\n");
    assert_eq!(ls(&["/logs"])?, "a.txt\nb.txt\nd.bin\nold/\n");
    assert_eq!(ls(&["logs", "--reverse"])?, "old/\nd.bin\nb.txt\na.txt\n");
    assert_eq!(ls(&["/logs/a.txt"])?, "/logs/a.txt\n");
    assert_eq!(
        ls(&["/logs", "-R", "--glob", "**/*.txt", "--sort", "length", "--reverse"])?,
        "old/c.txt\na.txt\nb.txt\n"
    );
    assert_eq!(ls(&["/logs", "--sort", "created"])?, "b.txt\na.txt\nold/\nd.bin\n");
    scratch.ok(&["truncate", "app.db", "/logs/b.txt", "4"])?;
    assert_eq!(ls(&["/logs", "--sort", "modified", "--reverse", "--limit", "1"])?, "b.txt\n");

    let long = ls(&["/logs", "-lR"])?;
    let lines: Vec<Vec<&str>> = long.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["length", "modified", "name"]);
    assert_eq!((lines[1][0], lines[1][2]), ("30", "a.txt"));
    assert_eq!((lines[4][0], lines[4][2]), ("-", "old/"));
    assert!(lines[5][1].starts_with("20") && lines[5][1].ends_with('Z'), "{long}");
    assert!(ls(&["/logs/old", "-lH"])?.contains("2.0 KiB"));

    let rows = scratch.json(&["ls", "app.db", "/logs", "--json"])?;
    let rows = rows.as_array().ok_or("an array")?;
    let found: Vec<_> =
        rows.iter().map(|row| (row["path"].as_str(), row["kind"].as_str(), row["length"].as_u64())).collect();
    let expected = [
        ("/logs/a.txt", "file", 30),
        ("/logs/b.txt", "file", 4),
        ("/logs/d.bin", "file", 0),
        ("/logs/old", "directory", 0),
    ];
    assert_eq!(found, expected.map(|(path, kind, length)| (Some(path), Some(kind), Some(length))));
    assert!(scratch.refused(&["ls", "app.db", "/logs", "--glob", "[a"])?.starts_with("`[a` is no pattern"));
    Ok(())
}

#[test]
fn a_tree_is_drawn_and_summed_up() -> TestResult {
    let scratch = Scratch::new("tree")?;
    for (path, length) in [("/a/b/c", 10_000), ("/a/d", 1), ("/e/f", 2), ("/g", 3)] {
        scratch.put(path, &pattern(length))?;
    }
    scratch.ok(&["truncate", "app.db", "/g", "1000000"])?;
    let drawn = "/\n|-- a/\n|   |-- b/\n|   |   `-- c\n|   `-- d\n|-- e/\n|   `-- f\n`-- g\n\n3 directories, 4 files\n";
    assert_eq!(scratch.ok(&["tree", "app.db"])?, drawn);
    assert_eq!(
        scratch.ok(&["tree", "app.db", "/", "--depth", "1"])?,
        "/\n|-- a/\n|-- e/\n`-- g\n\n3 directories, 4 files\n"
    );
    assert_eq!(scratch.ok(&["tree", "app.db", "/a/b"])?, "/a/b\n`-- c\n\n0 directories, 1 files\n");

    let held = scratch.json(&["du", "app.db", "--json"])?;
    let held: Vec<_> = held
        .as_array()
        .ok_or("an array")?
        .iter()
        .map(|row| {
            let number = |name: &str| row[name].as_u64().unwrap_or(u64::MAX);
            (
                row["path"].as_str().unwrap_or_default(),
                number("files"),
                number("directories"),
                number("length"),
                number("allocated"),
            )
        })
        .collect();
    assert_eq!(held, [("/a", 2, 1, 10_001, 10_001), ("/e", 1, 0, 2, 2), ("/", 4, 3, 1_010_003, 10_006)]);
    assert!(scratch.ok(&["du", "app.db", "/a", "-sH"])?.contains("9.8 KiB"));
    assert!(
        scratch
            .ok(&["du", "app.db", "/g"])?
            .lines()
            .last()
            .is_some_and(|line| line.contains("1000000          3"))
    );

    let stat = scratch.ok(&["stat", "app.db", "/g"])?;
    let lines: Vec<_> = stat.lines().collect();
    assert_eq!(lines[..4], ["path       /g", "kind       file", "length     1000000", "allocated  3"]);
    assert!(scratch.ok(&["stat", "app.db", "a/"]).is_err(), "no name is empty");
    assert_eq!(scratch.json(&["stat", "app.db", "a", "--json"])?["kind"], "directory");
    Ok(())
}

#[test]
fn what_is_deleted_is_deleted_together() -> TestResult {
    let scratch = Scratch::new("rm")?;
    for path in ["/a", "/b", "/c/d", "/e/f/g"] {
        scratch.put(path, b"bytes")?;
    }
    let said = scratch.refused(&["rm", "app.db", "/a", "/c"])?;
    assert_eq!(
        said,
        "`/c` is a directory that is not empty: `vellum fs rm -r` deletes it with what is inside"
    );
    let said = scratch.refused(&["rm", "app.db", "-r", "/a", "/nothing"])?;
    assert_eq!(said, "`/nothing` does not exist: `vellum fs ls` lists what is there");
    assert_eq!(scratch.ok(&["ls", "app.db"])?, "a\nb\nc/\ne/\n", "nothing was");
    scratch.ok(&["rm", "app.db", "/a", "/c/d"])?;
    scratch.ok(&["rm", "app.db", "/c"])?;
    scratch.ok(&["rm", "app.db", "-r", "/e", "/b"])?;
    assert_eq!(scratch.ok(&["ls", "app.db"])?, "");
    assert_eq!(scratch.refused(&["rm", "app.db", "-r", "/"])?, "the root directory cannot be deleted");
    Ok(())
}

#[test]
fn what_only_looks_makes_no_database() -> TestResult {
    let scratch = Scratch::new("missing")?;
    fs::write(scratch.path("text"), "no database at all\n".repeat(100))?;
    for arguments in [
        &["ls", "app.db"][..],
        &["tree", "app.db"],
        &["stat", "app.db", "/a"],
        &["du", "app.db"],
        &["cat", "app.db", "/a"],
        &["get", "app.db", "/a", "a"],
        &["get", "app.db", "/a", "-"],
        &["edit", "app.db", "/a", "--offset", "0"],
        &["truncate", "app.db", "/a", "0"],
        &["mv", "app.db", "/a", "/b"],
        &["cp", "app.db", "/a", "/b"],
        &["rm", "app.db", "/a"],
    ] {
        let said = scratch.refused(arguments)?;
        assert_eq!(said, "there is no database `app.db`: `vellum fs put` makes one", "{arguments:?}");
        assert!(!scratch.path("app.db").exists(), "{arguments:?}");
        let other = arguments.iter().map(|it| if *it == "app.db" { "text" } else { it }).collect::<Vec<_>>();
        let said = scratch.refused(&other)?;
        assert!(said.ends_with("text` is not a database file"), "{said}");
    }
    let said = scratch.refused(&["put", "app.db", "nothing", "/a"])?;
    assert!(said.starts_with("nothing: "), "{said}");
    assert!(!scratch.path("app.db").exists());
    Ok(())
}

#[test]
fn what_cannot_be_is_one_line_that_names_the_path() -> TestResult {
    let scratch = Scratch::new("bad")?;
    scratch.put("/file", b"bytes")?;
    scratch.put("/dir/x", b"bytes")?;
    fs::create_dir(scratch.path("tree"))?;
    let inside = ": name a file, or end the path in `/` to put something inside";
    for (arguments, expected) in [
        (
            &["cat", "app.db", "/nothing"][..],
            "`/nothing` does not exist: `vellum fs ls` lists what is there".to_owned(),
        ),
        (
            &["ls", "app.db", "/nothing"],
            "`/nothing` does not exist: `vellum fs ls` lists what is there".to_owned(),
        ),
        (
            &["get", "app.db", "/nothing", "x"],
            "`/nothing` does not exist: `vellum fs ls` lists what is there".to_owned(),
        ),
        (&["cat", "app.db", "/dir"], format!("`/dir` is a directory, not a file{inside}")),
        (&["get", "app.db", "/dir", "-"], format!("`/dir` is a directory, not a file{inside}")),
        (&["edit", "app.db", "/dir", "--offset", "0"], format!("`/dir` is a directory, not a file{inside}")),
        (&["truncate", "app.db", "/dir", "0"], format!("`/dir` is a directory, not a file{inside}")),
        (&["cat", "app.db", "/file/x"], "`/file` is a file, not a directory: name a directory".to_owned()),
        (&["tree", "app.db", "/file"], "`/file` is a file, not a directory: name a directory".to_owned()),
        (
            &["put", "app.db", "tree", "/file"],
            "`/file` is a file, not a directory: name a directory".to_owned(),
        ),
        (
            &["mv", "app.db", "/dir", "/dir/y"],
            "`/dir` cannot be moved or copied into itself, `/dir/y`".to_owned(),
        ),
        (
            &["cat", "app.db", "/a/../file"],
            "`/a/../file` is no path: `.` and `..` are no names, and are not resolved".to_owned(),
        ),
        (
            &["put", "app.db", "tree", "/../x"],
            "`/../x` is no path: `.` and `..` are no names, and are not resolved".to_owned(),
        ),
        (
            &["get", "app.db", "..", "x"],
            "`..` is no path: `.` and `..` are no names, and are not resolved".to_owned(),
        ),
        (&["cat", "app.db", ""], "`` is no path: it is empty; the root is `/`".to_owned()),
        (
            &["cat", "app.db", "a\nb"],
            "`/a\\nb` does not exist: `vellum fs ls` lists what is there".to_owned(),
        ),
    ] {
        assert_eq!(scratch.refused(arguments)?, expected, "{arguments:?}");
    }
    assert!(!scratch.path("x").exists());
    Ok(())
}

#[cfg(unix)]
#[test]
fn what_is_left_out_is_told_of_and_the_rest_is_copied() -> TestResult {
    let scratch = Scratch::new("left-out")?;
    fs::create_dir(scratch.path("from"))?;
    fs::write(scratch.path("from/file"), "bytes")?;
    std::os::unix::fs::symlink("/etc", scratch.path("from/link"))?;
    let output = scratch.run(&["put", "app.db", "from", "/in"])?;
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(
        lines[0].starts_with("vellum: left out `") && lines[0].contains("from/link`: it is a symbolic link"),
        "{said}"
    );
    assert_eq!(lines[1], "vellum: 1 names were left out; the other files, 1, were copied");
    assert_eq!(scratch.ok(&["ls", "app.db", "/in"])?, "file\n");
    Ok(())
}

#[test]
fn whoever_has_read_enough_ends_it_quietly() -> TestResult {
    let scratch = Scratch::new("pipe")?;
    scratch.put("/long", &pattern(10_000_000))?;
    fs::create_dir(scratch.path("many"))?;
    for i in 0..5_000 {
        fs::write(scratch.path(&format!("many/a-name-of-some-length-{i}")), "")?;
    }
    scratch.ok(&["put", "app.db", "many", "/many"])?;
    for arguments in [
        &["cat", "app.db", "/long"][..],
        &["get", "app.db", "/long", "-"],
        &["ls", "app.db", "/many"],
        &["ls", "app.db", "/many", "-l"],
        &["ls", "app.db", "/many", "--json"],
        &["tree", "app.db"],
    ] {
        let mut child = scratch.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut stdout = child.stdout.take().ok_or("standard output")?;
        stdout.read_exact(&mut [0; 10])?;
        drop(stdout);
        let output = child.wait_with_output()?;
        assert!(output.status.success(), "{arguments:?}: {}", output.status);
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_whole_files_alone() -> TestResult {
    let scratch = Scratch::new("ctrl-c")?;
    fs::create_dir(scratch.path("from"))?;
    for i in 0..40 {
        fs::write(scratch.path(&format!("from/{i}")), pattern(4_000_000))?;
    }
    let mut child = scratch.command(&["put", "app.db", "from", "/in"]).stderr(Stdio::piped()).spawn()?;
    let deadline = Instant::now() + Duration::from_secs(60);
    // Once it has begun to write, it has its hook.
    while fs::metadata(scratch.path("app.db-wal")).map_or(0, |log| log.len()) < 6_000_000
        && Instant::now() < deadline
    {
        assert_eq!(child.try_wait()?, None, "it ended by itself");
        thread::sleep(Duration::from_millis(2));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status()?.success());
    let mut said = String::new();
    child.stderr.take().ok_or("standard error")?.read_to_string(&mut said)?;
    assert_eq!(child.wait()?.code(), Some(1));
    assert!(said.starts_with("vellum: stopped after ") && said.contains("files with"), "{said}");
    let listed = scratch.json(&["ls", "app.db", "/in", "--json"])?;
    let listed = listed.as_array().ok_or("an array")?;
    assert!((1..40).contains(&listed.len()), "{}", listed.len());
    assert!(listed.iter().all(|row| row["length"] == 4_000_000), "{listed:?}");
    scratch.ok(&["get", "app.db", "/in/".trim_end_matches('/'), "out"])?;
    for entry in fs::read_dir(scratch.path("out"))? {
        assert!(fs::read(entry?.path())? == pattern(4_000_000));
    }
    Ok(())
}

#[test]
fn a_database_is_checked_and_gives_space_back() -> TestResult {
    let scratch = Scratch::new("upkeep")?;
    let vellum = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_vellum")).args(arguments).current_dir(&scratch.0).output()
    };
    for command in ["check", "vacuum"] {
        let refused = vellum(&[command, "app.db"])?;
        assert_eq!(refused.status.code(), Some(1));
        assert_eq!(
            text(&refused.stderr),
            "vellum: there is no database `app.db`: `vellum fs put` makes one\n"
        );
        assert!(!scratch.path("app.db").exists());
    }
    scratch.put("/long", &pattern(10_000_000))?;
    scratch.put("/short", b"bytes")?;
    scratch.ok(&["rm", "app.db", "/long"])?;
    let vacuumed = vellum(&["vacuum", "app.db"])?;
    assert!(vacuumed.status.success(), "{}", text(&vacuumed.stderr));
    let said = text(&vacuumed.stdout);
    assert!(said.contains(" MiB before, ") && said.ends_with(" KiB now\n"), "{said}");
    assert!(fs::metadata(scratch.path("app.db"))?.len() < 1_000_000);
    assert_eq!(scratch.ok(&["cat", "app.db", "/short"])?, "bytes");

    let sound = vellum(&["check", "app.db"])?;
    assert!(sound.status.success() && sound.stdout.is_empty(), "{}", text(&sound.stdout));
    let mut file = fs::OpenOptions::new().write(true).open(scratch.path("app.db"))?;
    file.seek(SeekFrom::Start(8_192 * 3))?;
    file.write_all(&[0xFF; 8_192])?;
    drop(file);
    let damaged = vellum(&["check", "app.db"])?;
    assert_eq!(damaged.status.code(), Some(1));
    assert_eq!(text(&damaged.stderr).lines().count(), 1, "{}", text(&damaged.stderr));
    Ok(())
}

#[test]
fn wrong_arguments_end_with_status_2() -> TestResult {
    let scratch = Scratch::new("arguments")?;
    for (arguments, hint) in [
        (&["ls"][..], "DATABASE"),
        (&["ls", "app.db", "--sort", "name"], "--sort"),
        (&["cat", "app.db"], "PATH"),
        (&["cat", "app.db", "/a", "--offset", "-1"], "-1"),
        (&["truncate", "app.db", "/a", "much"], "much"),
        (&["put", "app.db", "a"], "PATH"),
        (&["unknown"], "unknown"),
    ] {
        let output = scratch.run(arguments)?;
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(hint), "{arguments:?}: {}", text(&output.stderr));
    }
    let help = scratch.run(&["put", "--help"])?;
    assert!(help.status.success());
    assert!(text(&help.stdout).contains("--replace"), "{}", text(&help.stdout));
    Ok(())
}
