//! An import whose program is killed: each file is whole, that of the version before or of the next.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use vellum::{Database, FileKind};

use crate::child::say;
use crate::files::{assert_freed, bytes};
use crate::support::{TestResult, assert_whole};

const FILES: u64 = 60;
/// The directories of the disk that are imported in turns, one over the other.
const VERSIONS: u64 = 2;
/// Some files are longer than what is staged at once.
const LONG_LEN: u64 = 5 << 20;
const TARGET: &str = "/tree";

fn name(number: u64) -> String {
    format!("{}/{number}", number % 5)
}

fn content(version: u64, number: u64) -> Vec<u8> {
    let len = if number % 20 == 7 { LONG_LEN } else { (version * 7_001 + number * 977) % 30_000 };
    bytes(version * 1_000 + number, len)
}

fn source(beside: &Path, version: u64) -> PathBuf {
    beside.with_file_name(format!("version {version}"))
}

/// Writes what is to be imported beside the database.
pub(crate) fn prepare(file: &Path) -> TestResult {
    for version in 0..VERSIONS {
        for number in 0..FILES {
            let path = source(file, version).join(name(number));
            fs::create_dir_all(path.parent().ok_or("a directory")?)?;
            fs::write(path, content(version, number))?;
        }
    }
    Ok(())
}

/// Imports one version over the other, saying which is there, until somebody ends this process.
pub(crate) fn import_forever(file: &Path, seed: u64) -> TestResult {
    let db = Database::open(file)?;
    for round in seed % VERSIONS.. {
        let version = round % VERSIONS;
        let report = db.files().import(source(file, version), TARGET).replace().run()?;
        assert_eq!(report.files, FILES);
        say(&format!("imported {version}"))?;
    }
    Ok(())
}

/// What was found after all rounds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Imports that were said to be whole.
    acknowledged: usize,
    /// Times that files of both versions were there.
    mixed: usize,
    /// Times that a file was missing, before the first import was over.
    partial: usize,
}

impl Found {
    /// Looks at the file after a round, by what its child said.
    pub(crate) fn check(&mut self, file: &Path, said: &[String]) -> TestResult {
        let db = Database::open(file)?;
        let files = db.files();
        assert_eq!(files.check()?, []);
        let (mut versions, mut missing) = (BTreeSet::new(), 0);
        for number in 0..FILES {
            let path = format!("{TARGET}/{}", name(number));
            if !files.exists(&path)? {
                missing += 1;
                continue;
            }
            let found = files.read(&path)?;
            let version = (0..VERSIONS).find(|version| content(*version, number) == found);
            let version =
                version.ok_or_else(|| format!("`{path}` is of no version: {} bytes", found.len()))?;
            versions.insert(version);
        }
        let is_file = |kind| kind == FileKind::File;
        let there = if files.exists(TARGET)? { files.list(TARGET).recursive().to_vec()? } else { Vec::new() };
        let listed = there.iter().filter(|entry| is_file(entry.kind)).count() as u64;
        assert_eq!(listed, FILES - missing, "a file that nobody imported");
        let whole: Vec<&String> = said.iter().filter(|line| line.starts_with("imported ")).collect();
        assert!(missing == 0 || whole.is_empty(), "{missing} files are missing after {whole:?}");
        self.acknowledged += whole.len();
        self.mixed += usize::from(versions.len() > 1);
        self.partial += usize::from(missing > 0);
        assert_freed(&db, file)?;
        drop((files, db));
        assert_whole(file)
    }
}
