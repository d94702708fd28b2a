//! Faults of the disk, one at a time, at every call by which a scenario reaches it.
//!
//! A [`Scenario`] runs on a disk of which one call goes wrong ([`crate::store::faults`]). Of every run is asked:
//! - What failed says so by a true kind: `Io`, `Full` or `OutcomeUnknown`.
//! - What a handle reads afterwards is what was acknowledged, with or without a step whose outcome was unknown; and
//!   so is what the file holds when it is opened anew on a sound disk.
//! - One fault fails one call: whatever comes after it on the same handle goes well, as soon as the disk does.
//! - SQLite finds the file whole, and the catalog tells of the columns and indexes that are there.
//!
//! In an ordinary run the calls are tried at [`POINTS`] places, spread evenly; with `VELLUM_FAULTS=all` at each.

mod death;
mod history;
mod place;
mod read_only;
mod run;
mod scenario;
mod state;
mod transaction;

use self::place::Place;
use self::run::run;
use self::scenario::Scenario;
use crate::store::faults::{Call, Fault, How};
use crate::{Durability, ErrorKind};

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// How many calls of a scenario fail in an ordinary run, one a run, for each way in which they can.
const POINTS: u64 = 12;

/// What goes wrong, and whether the disk stays so until it is healed.
const FAULTS: [(How, bool); 8] = [
    (How::Refused, false),
    (How::Refused, true),
    (How::Torn, false),
    (How::Torn, true),
    (How::Full, false),
    (How::Full, true),
    (How::Late, false),
    (How::PowerCut, true),
];

/// Returns which of so many calls are to fail.
fn points(calls: u64) -> Vec<u64> {
    let all = std::env::var_os("VELLUM_FAULTS").is_some_and(|points| points == "all");
    let points = if all { calls } else { calls.min(POINTS) };
    // The last call is always one of them, and the first one wherever there is room for it.
    (1..=points).map(|point| 1 + (point - 1) * (calls - 1) / (points - 1).max(1)).collect()
}

/// Runs a scenario with every fault, in this process and in processes that end in its midst.
fn survive(scenario: &Scenario) -> Result {
    if death::is_child(scenario)? {
        return Ok(());
    }
    let mut place = Place::new(scenario)?;
    for (how, lasting) in FAULTS {
        survive_each(&place, how, lasting)?;
    }
    death::survive(scenario, &place)?;
    // A power cut takes the last steps, and damages nothing.
    place.durability = Durability::Os;
    survive_each(&place, How::PowerCut, true)
}

/// Lets a scenario go wrong in one way, at one call after the other.
fn survive_each(place: &Place<'_>, how: How, lasting: bool) -> Result {
    let sound = run(place, Fault { how, at: u64::MAX, lasting })?;
    assert_eq!((sound.failed, sound.hit), (Vec::new(), None));
    for at in points(sound.calls) {
        let met = run(place, Fault { how, at, lasting })?;
        assert!(met.hit.is_some(), "{how:?} at {at} of {}", sound.calls);
        // Nothing was committed that could not be read for. A load is: its commit reads, too.
        let is_load = std::ptr::eq(place.scenario, &scenario::LOAD);
        if (how, lasting, met.hit) == (How::Refused, false, Some(Call::Read)) && !is_load {
            assert!(!met.failed.contains(&ErrorKind::OutcomeUnknown), "read {at} of {}", sound.calls);
        }
    }
    Ok(())
}

#[test]
fn a_new_file() -> Result {
    survive(&scenario::CREATION)
}

#[test]
fn single_inserts() -> Result {
    survive(&scenario::INSERTS)
}

#[test]
fn documents_by_a_text_as_key() -> Result {
    survive(&scenario::TEXT_KEYS)
}

#[test]
fn a_load_into_a_fresh_file() -> Result {
    survive(&scenario::LOAD)
}

#[test]
fn batches_into_a_file_in_use() -> Result {
    survive(&scenario::BATCHES)
}

#[test]
fn a_batch_after_which_the_log_is_copied_back() -> Result {
    survive(&scenario::CHECKPOINT)
}

#[test]
fn indexes_that_come_and_go() -> Result {
    survive(&scenario::INDEXES)
}

#[test]
fn updates_by_query() -> Result {
    survive(&scenario::UPDATES)
}

#[test]
fn deletes() -> Result {
    survive(&scenario::DELETES)
}

#[test]
fn files_in_place() -> Result {
    survive(&scenario::FILES)
}

#[test]
fn files_from_sources() -> Result {
    survive(&scenario::STREAMS)
}

#[test]
fn a_file_that_is_written_anew() -> Result {
    survive(&scenario::VACUUM)
}
