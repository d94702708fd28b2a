//! What the cases work on: the events, which are the oracle, and the databases filled with them.

use vellum_fixtures::control::Control;
use vellum_fixtures::events::{Event, events};

use super::place::Place;
use crate::error::Result;

/// The databases and the events that they were filled with.
pub(super) struct Bench {
    // Fields are dropped in this order: the connection closes before its file goes.
    pub(super) control: Control,
    pub(super) events: Vec<Event>,
    pub(super) place: Place,
}

impl Bench {
    /// Generates `count` events and fills the databases.
    pub(super) fn new(count: usize, place: Place) -> Result<Self> {
        let events: Vec<Event> = events(count).collect();
        let control = Control::open(&place.control(), place.durability())?;
        control.insert_batch(&events)?;
        Ok(Self { control, events, place })
    }
}
