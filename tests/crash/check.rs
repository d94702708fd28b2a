//! What a file must hold after its writers were killed.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

use vellum::ErrorKind;
use vellum::prelude::*;

use crate::support::{TestResult, assert_whole};
use crate::workload::{BY_CODE, BY_SHELF, Entry, INDEXER, SHELVES, WRITERS, Writer};

/// What is known of a file from the rounds before.
#[derive(Default)]
pub(crate) struct Past {
    entries: Vec<Entry>,
    indexes: BTreeSet<String>,
    /// Every id that a call has returned.
    given: BTreeSet<i64>,
}

/// What one writer said that it did: for each step the ids that it was given.
type Said = BTreeMap<i64, Vec<Vec<i64>>>;

impl Past {
    /// Looks at the file after a round, by the seed of the round and what its child said. Returns how many steps were
    /// acknowledged.
    pub(crate) fn check(&mut self, file: &Path, seed: u64, said: &[String]) -> Result<usize, Box<dyn Error>> {
        let said = parse(said)?;
        let db = Database::open(file)?;
        let entries = db.collection::<Entry>()?;
        let all = entries.query().to_vec()?;
        let indexes = entries.indexes()?.into_iter().map(|index| index.name).collect();
        for number in 0..WRITERS {
            let writer = Writer::new(number, seed, &self.entries, &self.indexes);
            let found = Writer::new(number, seed, &all, &indexes);
            let steps = said.get(&number).map_or(&[][..], Vec::as_slice);
            assert_done(writer, steps, &found).map_err(|error| format!("writer {number}: {error}"))?;
        }
        self.assert_given_once(&said)?;
        assert_indexed(&entries, &all)?;
        assert_refused(&entries, &all, indexes.contains(BY_CODE))?;
        let probe = entries.insert(Entry {
            id: 0,
            writer: -1,
            code: "probe".into(),
            shelf: -1,
            body: String::new(),
        })?;
        let largest = self.given.iter().chain(all.iter().map(|entry| &entry.id)).max();
        assert!(largest.is_none_or(|id| *id < probe), "{probe} was given before");
        entries.delete(probe)?;
        self.given.insert(probe);
        (self.entries, self.indexes) = (all, indexes);
        drop((entries, db));
        assert_whole(file)?;
        Ok(said.values().map(Vec::len).sum())
    }

    fn assert_given_once(&mut self, said: &Said) -> TestResult {
        for id in said.values().flatten().flatten() {
            if !self.given.insert(*id) {
                return Err(format!("{id} was given twice").into());
            }
        }
        Ok(())
    }
}

fn parse(lines: &[String]) -> Result<Said, Box<dyn Error>> {
    let mut said = Said::new();
    for line in lines {
        let Some(rest) = line.strip_prefix("did ") else { continue };
        let [writer, number, ids] = *rest.split(' ').collect::<Vec<_>>() else {
            return Err(format!("`{line}` says nothing").into());
        };
        let ids = ids.split(',').filter(|id| !id.is_empty()).map(str::parse).collect::<Result<_, _>>()?;
        let steps = said.entry(writer.parse()?).or_default();
        if number.parse() != Ok(steps.len()) {
            return Err(format!("`{line}` is out of order").into());
        }
        steps.push(ids);
    }
    Ok(said)
}

/// Asserts that a writer's steps are done, and the next one whole or not at all.
fn assert_done(mut writer: Writer, steps: &[Vec<i64>], found: &Writer) -> TestResult {
    for ids in steps {
        let step = writer.next();
        writer.apply(step, ids);
    }
    if agree(&writer, found) {
        return Ok(());
    }
    let last = writer.next();
    let shown = format!("{last:.200?}");
    let mut after = writer.clone();
    after.apply(last, &[]);
    if agree(&after, found) {
        return Ok(());
    }
    let differs =
        writer.entries.iter().filter(|(code, entry)| found.entries.get(*code) != Some(entry)).count();
    Err(format!(
        "after {} steps {differs} of {} entries are not as they were acknowledged, and {} are there with {:?}; \
         neither is the next step done: {shown}",
        steps.len(),
        writer.entries.len(),
        found.entries.len(),
        found.indexes,
    )
    .into())
}

fn agree(known: &Writer, found: &Writer) -> bool {
    let same = |known: &Entry, found: &Entry| {
        let id = if known.id == 0 { found.id } else { known.id };
        Entry { id, ..known.clone() } == *found
    };
    known.indexes == found.indexes
        && known.entries.len() == found.entries.len()
        && known
            .entries
            .iter()
            .all(|(code, entry)| found.entries.get(code).is_some_and(|other| same(entry, other)))
}

/// Asserts that queries, by whatever index there is, answer as the documents themselves do.
fn assert_indexed(entries: &Collection<'_, Entry>, all: &[Entry]) -> TestResult {
    for shelf in 0..SHELVES {
        let found = entries.filter(|e| e.shelf.eq(shelf)).select(|e| e.id).to_vec()?;
        let scanned: Vec<i64> =
            all.iter().filter(|entry| entry.shelf == shelf).map(|entry| entry.id).collect();
        assert_eq!(found, scanned, "{BY_SHELF} does not answer as a scan does");
    }
    let mut sorted: Vec<&str> = all.iter().map(|entry| entry.code.as_str()).collect();
    sorted.sort_unstable();
    assert!(sorted.is_sorted_by(|a, b| a < b), "a code is there twice");
    let ordered = entries.query().order_by(|e| e.code).select(|e| e.code).to_vec()?;
    assert_eq!(ordered, sorted, "{BY_CODE} does not answer as a scan does");
    for entry in all.iter().step_by(10) {
        assert_eq!(entries.filter(|e| e.code.eq(&entry.code)).single()?, *entry);
    }
    Ok(())
}

/// Asserts that the unique index refuses what is there, where there is one.
fn assert_refused(entries: &Collection<'_, Entry>, all: &[Entry], is_unique: bool) -> TestResult {
    let Some(entry) = all.iter().find(|entry| entry.writer == INDEXER).filter(|_| is_unique) else {
        return Ok(());
    };
    let refused = entries.insert(Entry { id: 0, ..entry.clone() });
    assert!(refused.is_err_and(|error| error.kind() == ErrorKind::Unique), "{BY_CODE} refuses nothing");
    Ok(())
}
