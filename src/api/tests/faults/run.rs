//! One run of a scenario on a disk that fails once.

use std::path::Path;

use vellum_fixtures::events::SplitMix64;

use super::Result;
use super::history::History;
use super::place::{OnPanic, Place};
use super::scenario::Step;
use super::state::{State, note};
use crate::store::faults::{Call, Disk, Fault, How};
use crate::{Database, Durability, Error, ErrorKind};

/// What is done when the disk is sound again.
const AFTERWARDS: Step = Step {
    run: |db| db.collection()?.insert(note(999, 1)).map(drop),
    effect: |state| state.add(note(999, 1)),
};

/// What a run met.
pub(super) struct Met {
    /// How many calls the fault could have met.
    pub(super) calls: u64,
    /// The call that it did meet.
    pub(super) hit: Option<Call>,
    /// Of what kind the user's calls were that failed.
    pub(super) failed: Vec<ErrorKind>,
}

/// Runs the scenario of a place with one fault on the way, and looks at what it leaves.
pub(super) fn run(place: &Place<'_>, fault: Fault) -> Result<Met> {
    let _told = OnPanic(format!("{}, {fault:?}", place.scenario.name));
    let file = place.file()?;
    let mut user = User { place, history: History::of(place.prepared.clone()), failed: Vec::new() };
    place.disk.arm(fault);
    let mut db = user.open(&file);
    if db.is_none() && !fault.lasting {
        db = user.open(&file);
    }
    if let Some(db) = &db {
        place.scenario.steps.iter().for_each(|step| user.take(db, step));
    }
    if fault.how == How::PowerCut {
        // Closed while the power is off.
        db = None;
    }
    let (calls, hit) = place.disk.heal();
    let failed = user.failed.clone();
    assert!(fault.lasting || failed.len() <= 1, "one fault failed several calls: {failed:?}");
    if fault.how == How::PowerCut {
        cut_power(place.disk, fault.at)?;
        if place.durability != Durability::Full {
            user.history = History::of_all(&place.prepared, place.scenario.steps);
        }
    } else {
        let db = db.or_else(|| user.open(&file)).expect("the disk is sound");
        user.take(&db, &AFTERWARDS);
        assert_eq!(user.failed, failed, "the disk is sound");
    }
    user.history.check(&file)?;
    Ok(Met { calls, hit, failed })
}

fn cut_power(disk: Disk, seed: u64) -> std::io::Result<()> {
    let mut random = SplitMix64::new(seed);
    // From none of what was not synced to all of it.
    let odds = random.draw() % 5;
    disk.lose_unsynced(&mut || random.draw() % 4 < odds)
}

/// Who calls, and keeps account of the answers.
struct User<'p> {
    place: &'p Place<'p>,
    history: History,
    failed: Vec<ErrorKind>,
}

impl User<'_> {
    fn open(&mut self, file: &Path) -> Option<Database> {
        self.place.open(file).map_err(|error| self.fail(&error)).ok()
    }

    fn take(&mut self, db: &Database, step: &Step) {
        let done = (step.run)(db);
        match &done {
            Ok(()) => self.history.acknowledge(step.effect),
            Err(error) => {
                self.fail(error);
                if error.kind() == ErrorKind::OutcomeUnknown {
                    self.history.doubt(step.effect);
                }
            }
        }
        match State::read(db) {
            Ok(seen) => {
                self.history.assert_knows(&seen);
                if done.is_ok() {
                    // Nothing in doubt comes back from under what was acknowledged.
                    self.history = History::of(seen);
                }
            }
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&mut self, error: &Error) {
        let kinds = [ErrorKind::Io, ErrorKind::Full, ErrorKind::OutcomeUnknown];
        assert!(kinds.contains(&error.kind()), "an untrue {:?}: {error:?}", error.kind());
        self.failed.push(error.kind());
    }
}
