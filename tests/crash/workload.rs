//! What the children do, and what the file holds after it: the same seed gives the same steps to both sides.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread;

use serde::{Deserialize, Serialize};
use vellum::prelude::*;
use vellum::{ErrorKind, Result};
use vellum_fixtures::events::SplitMix64;

use crate::child::say;
use crate::support::TestResult;

pub(crate) const WRITERS: i64 = 4;

/// The one that also makes and drops indexes.
pub(crate) const INDEXER: i64 = 0;

pub(crate) const SHELVES: i64 = 8;

pub(crate) const BY_SHELF: &str = "entries/shelf";
pub(crate) const BY_CODE: &str = "entries/code";

/// A document. Each belongs to one writer, and no other one touches it.
#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[document(collection = "entries")]
pub(crate) struct Entry {
    pub(crate) id: i64,
    pub(crate) writer: i64,
    pub(crate) code: String,
    pub(crate) shelf: i64,
    pub(crate) body: String,
}

/// Returns a word (in ASCII) over and over.
pub(crate) fn text(word: &str, len: usize) -> String {
    let mut text = word.repeat(len / word.len() + 1);
    text.truncate(len);
    text
}

/// What is done whole or not at all.
#[derive(Debug)]
pub(crate) enum Step {
    Insert(Entry),
    /// One transaction of single inserts, or one batch.
    Batch {
        entries: Vec<Entry>,
        one_by_one: bool,
    },
    Update {
        from: i64,
        to: i64,
        body: String,
    },
    Delete {
        shelf: i64,
    },
    MakeIndex(&'static str),
    DropIndex(&'static str),
    /// An insert that the unique index refuses.
    Repeat(Entry),
}

/// A writer, and what it knows of the file.
#[derive(Clone)]
pub(crate) struct Writer {
    number: i64,
    seed: u64,
    random: SplitMix64,
    serial: u64,
    /// By code. An id is 0 as long as it is not known.
    pub(crate) entries: BTreeMap<String, Entry>,
    pub(crate) indexes: BTreeSet<String>,
}

impl Writer {
    /// Begins with what the file holds.
    pub(crate) fn new(number: i64, seed: u64, all: &[Entry], indexes: &BTreeSet<String>) -> Self {
        let own = all.iter().filter(|entry| entry.writer == number);
        Self {
            number,
            seed,
            random: SplitMix64::new(seed.wrapping_add(number as u64)),
            serial: 0,
            entries: own.map(|entry| (entry.code.clone(), entry.clone())).collect(),
            indexes: if number == INDEXER { indexes.clone() } else { BTreeSet::new() },
        }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.random.draw() % bound
    }

    fn shelf(&mut self) -> i64 {
        self.below(SHELVES as u64) as i64
    }

    /// Mostly short, sometimes of several pages.
    fn body(&mut self) -> String {
        let most = if self.below(20) == 0 { 40_000 } else { 1_500 };
        let len = self.below(most) as usize;
        text(&format!("{} of {}, ", self.serial, self.number), len)
    }

    fn entry(&mut self) -> Entry {
        self.serial += 1;
        let code = format!("{}.{}.{}", self.number, self.seed, self.serial);
        Entry { id: 0, writer: self.number, code, shelf: self.shelf(), body: self.body() }
    }

    /// Returns the next step, which depends on the seed and on what is there.
    pub(crate) fn next(&mut self) -> Step {
        if self.number == INDEXER && self.below(4) == 0 {
            return self.next_of_indexes();
        }
        match self.below(20) {
            0..8 => Step::Insert(self.entry()),
            8..13 => {
                let len = 1 + self.below(30);
                let entries = (0..len).map(|_| self.entry()).collect();
                Step::Batch { entries, one_by_one: self.below(2) == 0 }
            }
            13..17 => Step::Update { from: self.shelf(), to: self.shelf(), body: self.body() },
            _ => Step::Delete { shelf: self.shelf() },
        }
    }

    fn next_of_indexes(&mut self) -> Step {
        let name = if self.below(2) == 0 { BY_SHELF } else { BY_CODE };
        if !self.indexes.contains(name) {
            return Step::MakeIndex(name);
        }
        let repeated = self.entries.values().next().cloned();
        match repeated {
            Some(entry) if name == BY_CODE && self.below(2) == 0 => Step::Repeat(Entry { id: 0, ..entry }),
            _ => Step::DropIndex(name),
        }
    }

    /// Notes that a step was done. The ids are those that it gave, as far as they are known.
    pub(crate) fn apply(&mut self, step: Step, ids: &[i64]) {
        match step {
            Step::Insert(entry) => self.add([entry], ids),
            Step::Batch { entries, .. } => self.add(entries, ids),
            Step::Update { from, to, body } => {
                let found = self.entries.values_mut().filter(|entry| entry.shelf == from);
                found.for_each(|entry| (entry.shelf, entry.body) = (to, body.clone()));
            }
            Step::Delete { shelf } => self.entries.retain(|_, entry| entry.shelf != shelf),
            Step::MakeIndex(name) => self.indexes.extend([name.to_owned()]),
            Step::DropIndex(name) => self.indexes.retain(|index| index != name),
            Step::Repeat(_) => {}
        }
    }

    fn add(&mut self, entries: impl IntoIterator<Item = Entry>, ids: &[i64]) {
        for (entry, id) in entries.into_iter().zip(ids.iter().copied().chain(std::iter::repeat(0))) {
            self.entries.insert(entry.code.clone(), Entry { id, ..entry });
        }
    }
}

impl Step {
    /// Does it, and returns the ids that were given.
    fn run(&self, db: &Database, writer: i64) -> Result<Vec<i64>> {
        let entries = db.collection::<Entry>()?;
        match self {
            Step::Insert(entry) => return entries.insert(entry.clone()).map(|id| vec![id]),
            Step::Batch { entries: batch, one_by_one: true } => {
                return db.transaction(|tx| {
                    let entries = tx.collection::<Entry>()?;
                    batch.iter().map(|entry| entries.insert(entry.clone())).collect()
                });
            }
            Step::Batch { entries: batch, .. } => return entries.insert_batch(batch.iter().cloned()),
            Step::Update { from, to, body } => {
                let found = entries.filter(|e| e.writer.eq(writer) & e.shelf.eq(*from));
                found.update(|e| (e.shelf.set(*to), e.body.set(body.as_str())))?;
            }
            Step::Delete { shelf } => {
                entries.delete_many(|e| e.writer.eq(writer) & e.shelf.eq(*shelf))?;
            }
            Step::MakeIndex(BY_CODE) => {
                entries.ensure_index(|e| e.code).unique().nulls_collide().create()?;
            }
            Step::MakeIndex(_) => {
                entries.ensure_index(|e| e.shelf).create()?;
            }
            Step::DropIndex(name) => {
                entries.drop_index(name)?;
            }
            Step::Repeat(entry) => {
                let refused = entries.insert(entry.clone());
                assert!(
                    refused.is_err_and(|error| error.kind() == ErrorKind::Unique),
                    "{} twice",
                    entry.code
                );
            }
        }
        Ok(Vec::new())
    }
}

/// Writes with all writers at once, saying of each step when it is done, until somebody ends this process.
pub(crate) fn write_forever(file: &Path, seed: u64) -> TestResult {
    let db = Database::open(file)?;
    let entries = db.collection::<Entry>()?;
    let all = entries.query().to_vec()?;
    let indexes = entries.indexes()?.into_iter().map(|index| index.name).collect();
    thread::scope(|scope| {
        let writers = (0..WRITERS).map(|number| {
            let (db, writer) = (&db, Writer::new(number, seed, &all, &indexes));
            scope.spawn(move || write(db, writer).map_err(|error| error.to_string()))
        });
        for writer in writers.collect::<Vec<_>>() {
            writer.join().map_err(|_| "a writer panicked")??;
        }
        Ok(())
    })
}

fn write(db: &Database, mut writer: Writer) -> TestResult {
    for number in 0_u64.. {
        let step = writer.next();
        let ids = step.run(db, writer.number)?;
        let shown: Vec<String> = ids.iter().map(i64::to_string).collect();
        say(&format!("did {} {number} {}", writer.number, shown.join(",")))?;
        writer.apply(step, &ids);
    }
    Ok(())
}
