//! What the cases work on: the events, which are the oracle, and the databases filled with them.

use vellum_fixtures::control::{Control, Index};
use vellum_fixtures::events::{Event, events};

use super::place::Place;
use super::vellum::Vellum;
use crate::error::Result;

/// The databases and the events that they were filled with.
pub(super) struct Bench {
    // Fields are dropped in this order: the connections close before their files go.
    pub(super) vellum: Vellum,
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
        let vellum = Vellum::open(place.documents(), place.durability())?;
        vellum.insert(&events)?;
        Ok(Self { vellum, control, events, place })
    }

    /// Gives both databases the six indexes of the workload, and `further`; Vellum has its narrow index with them.
    pub(super) fn set_indexes(&self, further: &[Index]) -> Result<()> {
        self.control.set_indexes(&[&Index::SIX, further].concat())?;
        self.vellum.set_indexes(further)
    }
}
