//! Files whose writers are killed: each is as it was acknowledged, or has the next step whole; what was staged is freed.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Read};
use std::path::Path;
use std::thread;

use rusqlite::Connection;
use vellum::{Database, FileKind, Files, Result};
use vellum_fixtures::events::SplitMix64;

use crate::child::say;
use crate::support::{TestResult, assert_whole};

const WRITERS: u64 = 3;
const MOST_FILES: usize = 14;

/// What is staged at once: a source that is longer is staged in several transactions.
const PART_LEN: u64 = 2 << 20;

const PAGE_LEN: i64 = 8_192;

/// The bytes of a writer's files, by their paths in its directory.
type Tree = BTreeMap<String, Vec<u8>>;

/// What is done whole or not at all.
#[derive(Clone, Debug)]
enum Step {
    Replace {
        path: String,
        fill: u64,
        len: u64,
    },
    /// From a source that is longer than what is staged at once.
    Stream {
        path: String,
        fill: u64,
        len: u64,
    },
    Edit {
        path: String,
        at: u64,
        fill: u64,
        len: u64,
    },
    SetLen {
        path: String,
        len: u64,
    },
    Punch {
        path: String,
        at: u64,
        len: u64,
    },
    Move {
        from: String,
        to: String,
    },
    Copy {
        from: String,
        to: String,
    },
    /// Many new files in one transaction.
    Import {
        directory: String,
        fill: u64,
    },
    Delete {
        path: String,
    },
}

const IMPORTED: u64 = 20;

/// Returns bytes of which each says what they are of.
pub(crate) fn bytes(fill: u64, len: u64) -> Vec<u8> {
    (0..len).map(|i| (fill.wrapping_mul(31) + i / 97 + i % 7) as u8).collect()
}

/// A writer, and what it knows of its files.
#[derive(Clone)]
struct Writer {
    number: u64,
    random: SplitMix64,
    serial: u64,
    tree: Tree,
}

impl Writer {
    fn new(number: u64, seed: u64, tree: Tree) -> Self {
        Writer { number, random: SplitMix64::new(seed.wrapping_add(number)), serial: 0, tree }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.random.draw() % bound
    }

    fn any(&mut self) -> Option<String> {
        let at = self.below(self.tree.len().max(1) as u64) as usize;
        self.tree.keys().nth(at).cloned()
    }

    fn fresh(&mut self) -> String {
        self.serial += 1;
        format!("{}/{}.{}", self.below(3), self.random.draw() % 1_000_000_007, self.serial)
    }

    /// Returns the next step, which depends on the seed and on what is there.
    fn next(&mut self) -> Step {
        let (fill, len) = (self.below(1 << 32), self.below(40_000));
        let (new, old) = (self.fresh(), self.any());
        let kind = self.below(20);
        let Some(path) = old else { return Step::Replace { path: new, fill, len } };
        if self.tree.len() > MOST_FILES {
            let directory = path.split('/').next().unwrap_or_default().to_owned();
            return Step::Delete { path: if kind < 10 { directory } else { path } };
        }
        match kind {
            0..3 => Step::Replace { path: new, fill, len },
            3..6 => Step::Replace { path, fill, len },
            6..8 => Step::Stream { path, fill, len: PART_LEN + len * 60 },
            8..13 => Step::Edit { path, at: self.below(60_000), fill, len },
            13 => Step::SetLen { path, len },
            14 => Step::Punch { path, at: self.below(20_000), len },
            15..17 => Step::Move { from: path, to: new },
            17 => Step::Copy { from: path, to: new },
            18 => Step::Import { directory: format!("import {}", self.serial), fill },
            _ => Step::Delete { path },
        }
    }
}

/// Returns the files that a step imports.
fn imported(directory: &str, fill: u64) -> impl Iterator<Item = (String, Vec<u8>)> {
    (0..IMPORTED).map(move |i| (format!("{directory}/{i}"), bytes(fill + i, (fill + i * 977) % 9_000)))
}

impl Step {
    /// Does it to the files below a directory.
    fn run(&self, db: &Database, below: &str) -> Result<()> {
        let files = db.files();
        let at_path = |path: &str| format!("{below}/{path}");
        match self {
            Step::Replace { path, fill, len } => files.write(&at_path(path), bytes(*fill, *len)),
            Step::Stream { path, fill, len } => {
                files.write_from(&at_path(path), &*bytes(*fill, *len)).map(drop)
            }
            Step::Edit { path, at, fill, len } => files.write_at(&at_path(path), *at, bytes(*fill, *len)),
            Step::SetLen { path, len } => files.set_len(&at_path(path), *len),
            Step::Punch { path, at, len } => files.punch_hole(&at_path(path), *at, *len),
            Step::Move { from, to } => files.rename(&at_path(from), &at_path(to)),
            Step::Copy { from, to } => files.copy(&at_path(from), &at_path(to)),
            Step::Import { directory, fill } => db.transaction(|tx| {
                imported(directory, *fill)
                    .try_for_each(|(path, bytes)| tx.files().write(&at_path(&path), bytes))
            }),
            Step::Delete { path } => files.delete_all(&at_path(path)).map(drop),
        }
    }

    fn apply(&self, tree: &mut Tree) {
        match self {
            Step::Replace { path, fill, len } | Step::Stream { path, fill, len } => {
                tree.insert(path.clone(), bytes(*fill, *len));
            }
            Step::Edit { path, at, fill, len } => {
                let (begin, end) = (*at as usize, (at + len) as usize);
                let all = tree.entry(path.clone()).or_default();
                if begin < end {
                    all.resize(all.len().max(end), 0);
                    all.splice(begin..end, bytes(*fill, *len));
                }
            }
            Step::SetLen { path, len } => tree.entry(path.clone()).or_default().resize(*len as usize, 0),
            Step::Punch { path, at, len } => {
                let all = tree.entry(path.clone()).or_default();
                all.iter_mut().skip(*at as usize).take(*len as usize).for_each(|byte| *byte = 0);
            }
            Step::Move { from, to } => {
                let moved = tree.remove(from).unwrap_or_default();
                tree.insert(to.clone(), moved);
            }
            Step::Copy { from, to } => {
                let copied = tree.get(from).cloned().unwrap_or_default();
                tree.insert(to.clone(), copied);
            }
            Step::Import { directory, fill } => tree.extend(imported(directory, *fill)),
            Step::Delete { path } => {
                let inside = format!("{path}/");
                tree.retain(|found, _| found != path && !found.starts_with(&inside));
            }
        }
    }
}

/// Returns the files below a directory, as they are.
fn read(files: &Files<'_>, below: &str) -> Result<Tree> {
    let mut tree = Tree::new();
    if files.exists(below)? {
        for entry in files.list(below).recursive().to_vec()? {
            if entry.kind == FileKind::File {
                let inside = entry.path.strip_prefix(&format!("{below}/")).unwrap_or(&entry.path).to_owned();
                tree.insert(inside, files.read(&entry.path)?);
            }
        }
    }
    Ok(tree)
}

fn directory(writer: u64) -> String {
    format!("/{writer}")
}

/// Writes with all writers at once, saying of each step when it is done, until somebody ends this process.
pub(crate) fn write_forever(file: &Path, seed: u64) -> TestResult {
    let db = Database::open(file)?;
    thread::scope(|scope| {
        let mut writers = Vec::new();
        for number in 0..WRITERS {
            let (db, tree) = (&db, read(&db.files(), &directory(number))?);
            let writer = Writer::new(number, seed, tree);
            writers.push(scope.spawn(move || write(db, writer).map_err(|error| error.to_string())));
        }
        for writer in writers {
            writer.join().map_err(|_| "a writer panicked")??;
        }
        Ok(())
    })
}

fn write(db: &Database, mut writer: Writer) -> TestResult {
    loop {
        let step = writer.next();
        step.run(db, &directory(writer.number)).map_err(|error| format!("{step:?}: {error}"))?;
        say(&format!("did {}", writer.number))?;
        step.apply(&mut writer.tree);
    }
}

/// What is known of a file from the rounds before, and was found in all.
#[derive(Debug, Default)]
pub(crate) struct Past {
    trees: BTreeMap<u64, Tree>,
    steps: usize,
    staged: i64,
}

impl Past {
    /// Begins with a new database.
    pub(crate) fn forget(&mut self) {
        self.trees.clear();
    }

    /// Says what was found.
    pub(crate) fn summary(&self) -> String {
        format!("{} steps were acknowledged, {} contents had been staged", self.steps, self.staged)
    }

    /// Looks at the file after a round, by the seed of the round and what its child said.
    pub(crate) fn check(&mut self, file: &Path, seed: u64, said: &[String]) -> TestResult {
        let db = Database::open(file)?;
        let files = db.files();
        let problems = files.check()?;
        assert!(problems.is_empty(), "{problems:?}");
        for number in 0..WRITERS {
            let mut writer = Writer::new(number, seed, self.trees.remove(&number).unwrap_or_default());
            let did = format!("did {number}");
            for _ in said.iter().filter(|line| **line == did) {
                writer.next().apply(&mut writer.tree);
                self.steps += 1;
            }
            let found = read(&files, &directory(number))?;
            if found != writer.tree {
                let step = writer.next();
                step.apply(&mut writer.tree);
                assert!(found == writer.tree, "writer {number}: it is neither before nor after {step:?}");
            }
            self.trees.insert(number, found);
        }
        self.staged += staged(file)?;
        assert_freed(&db, file)?;
        drop((files, db));
        assert_whole(file)
    }
}

/// Returns how many contents are staged.
pub(crate) fn staged(file: &Path) -> std::result::Result<i64, Box<dyn Error>> {
    let conn = Connection::open(file)?;
    Ok(conn.query_row("SELECT count(*) FROM vellum_staged", [], |row| row.get(0))?)
}

/// Asserts that the first write frees what is staged, and that no page is lost.
pub(crate) fn assert_freed(db: &Database, file: &Path) -> TestResult {
    const NOBODYS: &str = "SELECT count(*) FROM vellum_chunk
        WHERE k >> 31 NOT IN (SELECT content FROM vellum_entry WHERE content IS NOT NULL)";
    const USED: &str = "SELECT (SELECT page_count FROM pragma_page_count)
        - (SELECT freelist_count FROM pragma_freelist_count), (SELECT count(*) FROM vellum_chunk)";
    db.files().write("/probe", "a write")?;
    db.files().delete("/probe")?;
    assert_eq!(staged(file)?, 0, "what was staged is still there");
    let conn = Connection::open(file)?;
    let nobodys: i64 = conn.query_row(NOBODYS, [], |row| row.get(0))?;
    assert_eq!(nobodys, 0, "chunks of nobody");
    let (used, chunks): (i64, i64) = conn.query_row(USED, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // A chunk has a page at most; what is over is for the trees of tables and the names.
    assert!(used <= chunks + chunks / 50 + 40, "{chunks} chunks take {used} pages of {PAGE_LEN} bytes");
    Ok(())
}

/// Gives bytes without end, saying when the first part of them has been staged.
struct Endless {
    given: u64,
}

impl Read for Endless {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        out.fill(0x42);
        let before = self.given / PART_LEN;
        self.given += out.len() as u64;
        if before < 2 && self.given / PART_LEN >= 2 {
            say("staged")?;
        }
        if before >= 2 {
            thread::sleep(std::time::Duration::from_millis(20));
        }
        Ok(out.len())
    }
}

/// Stages bytes until somebody ends this process.
pub(crate) fn stage_forever(file: &Path) -> TestResult {
    Database::open(file)?.files().write_from("/target", Endless { given: 0 })?;
    Ok(())
}
