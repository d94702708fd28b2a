//! A load into a fresh file, which goes around the log.

use std::error::Error;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use vellum::prelude::*;
use vellum_fixtures::events::SplitMix64;

use crate::child::{Child, say};
use crate::support::{TestResult, assert_whole};
use crate::workload::text;

/// More than the writer's cache holds, so that pages reach the file before the commit.
const DOCUMENTS: i64 = STRIDE * STRIDES as i64;
const BODY_LEN: usize = 16_000;

/// How often the child says how far it is.
const STRIDE: i64 = 100;
const STRIDES: u32 = 45;

#[derive(Document, Serialize, Deserialize, Debug, PartialEq)]
#[document(collection = "parts")]
struct Part {
    id: i64,
    seed: i64,
    body: String,
}

fn part(number: i64, seed: u64) -> Part {
    Part { id: number + 1, seed: seed as i64, body: text(&format!("{number} of {seed}, "), BODY_LEN) }
}

/// Loads all documents in one call, saying how far it is, and that it is done.
pub(crate) fn load(file: &Path, seed: u64) -> TestResult {
    let parts = Database::open(file)?.collection::<Part>()?;
    parts.insert_batch((0..DOCUMENTS).map(|number| {
        if number % STRIDE == 0 {
            // Without a parent that reads nobody waits for it.
            let _ = say(&format!("at {number}"));
        }
        part(number, seed)
    }))?;
    Ok(say("loaded")?)
}

/// Returns how long a load takes whose child is let be: on its way from stride to stride, and at its end.
pub(crate) fn pace(child: &Child) -> Result<Pace, Box<dyn Error>> {
    child.wait_for("at 0")?;
    let first = Instant::now();
    child.wait_for(&format!("at {}", DOCUMENTS - STRIDE))?;
    let last = Instant::now();
    child.wait_for("loaded")?;
    Ok(Pace { stride: (last - first) / STRIDES, end: last.elapsed() })
}

pub(crate) struct Pace {
    stride: Duration,
    end: Duration,
}

/// Kills a child somewhere in its load, or about its end. Returns whether it said that it was done.
pub(crate) fn kill(child: Child, pace: &Pace, random: &mut SplitMix64) -> Result<bool, Box<dyn Error>> {
    // Three of four moments are behind the last documents, where the file is written.
    let at = (random.draw() % u64::from(4 * STRIDES)) as u32;
    let (at, span) = if at < STRIDES - 1 { (at, pace.stride) } else { (STRIDES - 1, pace.end.mul_f64(1.2)) };
    child.wait_for(&format!("at {}", i64::from(at) * STRIDE))?;
    thread::sleep(crate::moment(random, span));
    Ok(child.kill()?.iter().any(|line| line == "loaded"))
}

/// What was found after all rounds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    absent: u32,
    /// There, though nobody had said so.
    whole: u32,
    acknowledged: u32,
    /// Cut off in such a way that a journal had to undo it.
    undone: u32,
}

impl Found {
    /// Looks at the file of one round.
    pub(crate) fn check(&mut self, file: &Path, seed: u64, is_acknowledged: bool) -> TestResult {
        let has_journal = file.with_extension("db-journal").metadata().is_ok_and(|journal| journal.len() > 0);
        let db = Database::open(file)?;
        let parts = db.collection::<Part>()?;
        let found = parts.count()?;
        let whole = found == DOCUMENTS as u64;
        assert!(whole || (found == 0 && !is_acknowledged), "{found} of {DOCUMENTS} are there");
        if whole {
            for (number, found) in (0..).zip(parts.query().iter()?) {
                assert!(found? == part(number, seed), "document {number} differs");
            }
        }
        match (whole, is_acknowledged) {
            (false, _) => self.absent += 1,
            (true, false) => self.whole += 1,
            (true, true) => self.acknowledged += 1,
        }
        self.undone += u32::from(has_journal);
        parts.insert(Part { id: 0, ..part(DOCUMENTS, seed) })?;
        drop((parts, db));
        assert_whole(file)
    }
}
