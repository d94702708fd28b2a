//! A transaction that goes on after a call inside it has failed: what is committed is what its calls acknowledged.

use super::history::History;
use super::place::{OnPanic, Place};
use super::scenario::{BATCHES, TEXT_LEN};
use super::state::{Note, State, note};
use super::{Result, points};
use crate::store::faults::{Fault, How};
use crate::{Database, Error, ErrorKind};

#[test]
fn a_transaction_commits_what_was_acknowledged_inside_it() -> Result {
    let place = Place::new(&BATCHES)?;
    for how in [How::Refused, How::Torn, How::Full, How::Late] {
        let calls = run(&place, Fault { how, at: u64::MAX, lasting: false })?;
        for at in points(calls) {
            run(&place, Fault { how, at, lasting: false })?;
        }
    }
    Ok(())
}

/// Runs the transaction with one fault on the way. Returns how many calls it could have met.
fn run(place: &Place<'_>, fault: Fault) -> Result<u64> {
    let _told = OnPanic(format!("a transaction, {fault:?}"));
    let file = place.file()?;
    place.disk.arm(fault);
    let mut history = History::of(place.prepared.clone());
    if let Ok(db) = place.open(&file) {
        let (done, state) = transact(&db, &place.prepared);
        match done.map_err(|error| error.kind()) {
            Ok(()) => history = History::of(state),
            Err(ErrorKind::OutcomeUnknown) => history.allow(state),
            Err(kind) => assert!(is_true(kind), "an untrue {kind:?}"),
        }
    }
    let (calls, _) = place.disk.heal();
    history.check(&file)?;
    Ok(calls)
}

/// Returns what came of the transaction, and what the file holds if it was committed.
fn transact(db: &Database, before: &State) -> (crate::Result<()>, State) {
    let mut state = before.clone();
    let done = db.transaction(|tx| {
        let notes = tx.collection::<Note>()?;
        if acknowledged(notes.insert(note(101, TEXT_LEN))) {
            state.add(note(101, TEXT_LEN));
        }
        if acknowledged(notes.update_many(|n| n.shelf.eq(2), |n| n.shelf.set(3))) {
            state.notes.values_mut().filter(|note| note.shelf == 2).for_each(|note| note.shelf = 3);
        }
        if acknowledged(notes.insert_batch((110..120).map(|n| note(n, TEXT_LEN)))) {
            (110..120).for_each(|n| state.add(note(n, TEXT_LEN)));
        }
        if acknowledged(notes.drop_index("notes/shelf")) {
            state.indexes.remove("notes/shelf");
        }
        if acknowledged(notes.delete_many(|n| n.shelf.eq(1))) {
            state.notes.retain(|_, note| note.shelf != 1);
        }
        if acknowledged(tx.files().write_from("/a/b", &[7; 30_000][..])) {
            state.files.insert("/a/b".into(), vec![7; 30_000]);
        }
        // Made where the one before has failed.
        if acknowledged(tx.files().write_at("/a/b", 29_000, [8; 2_000])) {
            state.file("/a/b").resize(29_000, 0);
            state.file("/a/b").extend([8; 2_000]);
        }
        if acknowledged(tx.files().rename("/a", "/c")) {
            let moved = state.files.remove("/a/b").map(|bytes| ("/c/b".to_owned(), bytes));
            state.files.extend(moved);
        }
        Ok(())
    });
    (done, state)
}

/// After an error by which SQLite ends the transaction, the calls that follow are `Stale`.
fn is_true(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Io | ErrorKind::Full | ErrorKind::Stale)
}

fn acknowledged<T>(done: Result<T, Error>) -> bool {
    let kind = done.map_err(|error| error.kind());
    assert!(kind.as_ref().err().is_none_or(|kind| is_true(*kind)), "an untrue {:?}", kind.err());
    kind.is_ok()
}
