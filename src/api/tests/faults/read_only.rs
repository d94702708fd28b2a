//! A handle that only reads, opened while the disk fails.

use super::history::History;
use super::place::{OnPanic, Place};
use super::scenario::{CREATION, TEXT_LEN};
use super::state::{Note, State, note};
use super::{Result, points};
use crate::store::faults::{Call, Fault, How};
use crate::{Database, ErrorKind, Options};

#[test]
fn a_handle_that_opened_in_spite_of_a_fault_sees_what_is_written_later() -> Result {
    let place = Place::new(&CREATION)?;
    let calls = run(&place, u64::MAX)?;
    points(calls).into_iter().try_for_each(|at| run(&place, at).map(drop))
}

/// Opens a file that nobody has open, whose log is gone, with one call refused. Returns how many calls there were.
fn run(place: &Place<'_>, at: u64) -> Result<u64> {
    let _told = OnPanic(format!("a read-only handle, call {at} refused"));
    let file = place.file()?;
    Database::open(&file)?.collection::<Note>()?.insert(note(1, TEXT_LEN))?;
    place.disk.arm(Fault { how: How::Refused, at, lasting: false });
    let reader = Options::new().read_only().vfs(place.disk.name()).open(&file);
    let (calls, hit) = place.disk.heal();
    match reader {
        Err(error) => assert_eq!(error.kind(), ErrorKind::Io, "{error:?}"),
        // So it is where no log can be made, and the handle never looks for one.
        Ok(_) if hit == Some(Call::Open) => {}
        Ok(reader) => {
            let writer = Database::open(&file)?;
            History::of(State::read(&writer)?).assert_knows(&State::read(&reader)?);
            writer.collection::<Note>()?.insert(note(2, TEXT_LEN))?;
            History::of(State::read(&writer)?).assert_knows(&State::read(&reader)?);
        }
    }
    Ok(calls)
}
